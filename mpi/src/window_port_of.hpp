// SPDX-License-Identifier: BSL-1.0
#pragma once
// The port of a window for one stack. Part of port_of.hpp.

#include <memory>
#include <span>
#include <utility>

#include "mpx/byte_window.hpp"
#include "mpx/datatype.hpp"
#include "window_port.hpp"

namespace mpx_mpi {

template <class Stack>
class window_of final : public window_port {
  using assertion = mpx::rma::assertion;

 public:
  explicit window_of(mpx::byte_window<Stack>&& w) noexcept : w_(std::move(w)) {}

  static std::unique_ptr<window_port> made(const mpx::communicator<Stack>& comm,
                                           const window_plan& p) {
    const std::span memory(static_cast<std::byte*>(p.base), static_cast<std::size_t>(p.bytes));
    switch (p.how) {
      case window_memory::allocated: return over(mpx::allocate_byte_window(comm, p.bytes, p.unit));
      case window_memory::shared: return over(mpx::shared_byte_window(comm, p.bytes, p.unit));
      case window_memory::shared_apart:
        return over(mpx::shared_byte_window(comm, p.bytes, p.unit, mpx::parts::apart));
      case window_memory::given: return over(mpx::byte_window_over(comm, memory, p.unit));
      case window_memory::dynamic: break;
    }
    return over(mpx::dynamic_byte_window(comm));
  }
  mpx::group group() const override { return w_.group(); }
  window_part part(int rank) const override {
    return {rank == w_.rank() ? w_.local().data() : w_.part(rank).data(), w_.bytes(rank),
            w_.unit(rank)};
  }
  bool in_epoch() const override { return w_.in_epoch(); }

  void access(const window_access& a, request_cell* request) override {
    if (a.there == nullptr) return access_at(a, request, a.at);
    access_at(a, request, mpx::rma::typed{a.at, a.count, *a.there});
  }
  void fence(assertion a) override { w_.fence(a); }
  void post(const mpx::group& origins, assertion a) override { w_.post(origins, a); }
  void start(const mpx::group& targets, assertion a) override { w_.start(targets, a); }
  void complete() override { w_.complete(); }
  void wait() override { w_.wait(); }
  bool test() override { return w_.test(); }
  void lock(int target, bool exclusive, assertion a) override {
    exclusive ? w_.lock(target, a).release() : w_.lock_shared(target, a).release();
  }
  void unlock(int target) override { w_.unlock(target); }
  void lock_all(assertion a) override { w_.lock_all(a).release(); }
  void unlock_all() override { w_.unlock_all(); }
  void flush(int target, bool remote) override {
    remote ? w_.flush(target) : w_.flush_local(target);
  }
  void flush_all(bool remote) override { remote ? w_.flush_all() : w_.flush_local_all(); }
  void sync() override { w_.sync(); }
  void attach(void* base, std::uint64_t bytes) override { w_.attach(memory_at(base, bytes)); }
  void detach(void* base, std::uint64_t bytes) override { w_.detach(memory_at(base, bytes)); }
  void free() override { w_.free(); }

 private:
  static std::unique_ptr<window_port> over(mpx::byte_window<Stack>&& w) {
    return std::make_unique<window_of>(std::move(w));
  }
  static std::span<std::byte> memory_at(void* base, std::uint64_t bytes) noexcept {
    return {static_cast<std::byte*>(base), static_cast<std::size_t>(bytes)};
  }
  template <class Use>
  static void with_data(const buffer& b, Use&& use) {
    b.dense ? use(sent(b)) : use(spread_const(b));
  }
  template <class Use>
  static void with_room(const buffer& b, Use&& use) {
    b.dense ? use(received(b)) : use(spread(b));
  }
  template <class Call>
  static void run(request_cell* request, Call&& call) {
    if (request == nullptr)
      call();
    else
      port_types<Stack>::put(*request, call(mpx::start));
  }
  template <class Place>
  void access_at(const window_access& a, request_cell* request, const Place& at) {
    switch (a.what) {
      case mpx::rma::action::put:
        return with_data(a.data, [&](const auto& data) {
          run(request, [&](auto... how) { return w_.put(data, a.target, at, how...); });
        });
      case mpx::rma::action::get:
        return with_room(a.data, [&](auto into) {
          run(request, [&](auto... how) { return w_.get(into, a.target, at, how...); });
        });
      case mpx::rma::action::accumulate:
        return with_data(a.data, [&](const auto& data) {
          run(request,
              [&](auto... how) { return w_.accumulate(data, a.target, at, a.type, a.op, how...); });
        });
      case mpx::rma::action::fetch:
        if (a.single) return fetch_one(a);
        return with_data(a.data, [&](const auto& data) {
          with_room(a.result, [&](auto into) {
            run(request, [&](auto... how) {
              return w_.get_accumulate(data, into, a.target, at, a.type, a.op, how...);
            });
          });
        });
      case mpx::rma::action::swap:
        w_.compare_and_swap(a.compare, a.data.data, a.result.data, a.target, a.at, a.type);
    }
  }
  void fetch_one(const window_access& a) {
    w_.fetch_and_op(a.data.data, a.result.data, a.target, a.at, a.type, a.op);
  }

  mpx::byte_window<Stack> w_;
};

}  // namespace mpx_mpi
