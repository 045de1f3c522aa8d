// SPDX-License-Identifier: BSL-1.0
#pragma once
// Steps among some of the ranks of a call: an algorithm runs among these as if there were no
// others.

#include <cstddef>

#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/engine/base/node_map.hpp"

namespace mpx::inline v0::coll {

/// Steps among some of the ranks, which are renumbered. Requires: this rank is one of them.
template <Steps S>
class steps_among {
 public:
  steps_among(S& s, const some_ranks& of) noexcept : s_(s), of_(of) {}
  steps_among(const steps_among&) = delete;
  steps_among& operator=(const steps_among&) = delete;

  rank_t rank() const noexcept { return of_.self; }
  rank_t size() const noexcept { return of_.size; }
  bool failed() const noexcept { return s_.failed(); }
  void start_send(const memory& data, rank_t to) { s_.start_send(data, of_[to]); }
  void start_receive(const memory& into, rank_t from) { s_.start_receive(into, of_[from]); }
  void start_receive_ahead(const memory& into, rank_t from) {
    s_.start_receive_ahead(into, of_[from]);
  }
  void finish() { s_.finish(); }
  void send(const memory& data, rank_t to) { s_.send(data, of_[to]); }
  void receive(const memory& into, rank_t from) { s_.receive(into, of_[from]); }
  void exchange(const memory& out, rank_t to, const memory& in, rank_t from) {
    s_.exchange(out, of_[to], in, of_[from]);
  }
  void copy(const memory& to, const memory& from) { s_.copy(to, from); }
  void combine(const reduction& op, const memory& out, const memory& left, const memory& right) {
    s_.combine(op, out, left, right);
  }
  void call(void (*function)(void*), void* with) { s_.call(function, with); }
  memory scratch(std::size_t bytes) noexcept { return s_.scratch(bytes); }

 private:
  S& s_;
  some_ranks of_;
};

}  // namespace mpx::inline v0::coll
