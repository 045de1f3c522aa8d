// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random calls of an intercommunicator for the explorer: messages, collectives in each form,
// duplicates, parts, and communicators of both groups.

#include <cstdint>
#include <functional>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/gatherings.hpp"

namespace explorer {

enum class cross_kind : std::uint8_t {
  messages,
  barrier,
  bcast,
  gather,
  scatterv,
  allgather,
  allgatherv,
  alltoallv,
  reduce,
  allreduce,
  reduce_scatter,
  twin,
  part,
  merged,
};
inline constexpr int cross_kinds = static_cast<int>(cross_kind::merged) + 1;

struct crossing {
  int id;
  int round;
  cross_kind kind;
  gather_form form;
  std::size_t length;
  std::uint64_t root;  // Modulo the ranks of its group,
  bool root_is_low;    // which is this.
  bool commutes;

  /// True if a rank that begins it waits for other ranks.
  bool blocks() const {
    return form == gather_form::at_once ? kind != cross_kind::messages && kind != cross_kind::twin
                                        : kind >= cross_kind::part;
  }
};
inline constexpr int crossing_id_first = 2000;

inline std::vector<crossing> random_crossings(std::uint64_t seed, int rounds, std::size_t most,
                                              const std::set<int>& keep) {
  mpx::sim::random r(seed * 2 + 79);
  std::vector<crossing> all;
  if (r.one_in(3)) return all;
  const std::uint64_t count = 1 + r.below(r.one_in(4) ? 12 : 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    crossing c{};
    c.id = crossing_id_first + static_cast<int>(i);
    c.round = static_cast<int>(r.below(static_cast<std::uint64_t>(rounds)));
    c.kind = static_cast<cross_kind>(r.below(cross_kinds));
    c.form = static_cast<gather_form>(r.below(3));
    const std::size_t sizes[] = {0, 1, 3, 20, 200, 1 + r.below(most / 8)};
    c.length = sizes[r.below(6)];
    c.root = r.below(64);
    c.root_is_low = r.one_in(2);
    c.commutes = r.one_in(2);
    if (keep.empty() || keep.count(c.id) != 0) all.push_back(c);
  }
  return all;
}

/// True if `rank` is in the first of two groups of `ranks`; both have members.
inline bool is_low(std::uint64_t seed, rank_t rank, rank_t ranks) {
  if (seed % 3 == 0) return rank % 2 == 0;
  return rank < 1 + static_cast<rank_t>(seed % static_cast<std::uint64_t>(ranks - 1));
}

/// One of them at one rank, from its beginning to its end.
template <class Stack>
class crossed final : public collective_part {
  using between = mpx::intercommunicator<Stack>;
  using words = std::vector<word>;

 public:
  crossed(const crossing& what, const between& on, bool low) : what_(what), on_(on), low_(low) {}

  void begin() override {
    switch (what_.kind) {
      case cross_kind::messages: return send_all();
      case cross_kind::twin: request_ = on_.idup(other_); return;
      case cross_kind::part: other_ = on_.split(on_.rank() % 2, -on_.rank()); return;
      case cross_kind::merged: merged_ = on_.merge(low_ == what_.root_is_low); return;
      default: break;
    }
    fill();
    switch (what_.form) {
      case gather_form::at_once: return call(nothing_yet{});
      case gather_form::started: request_ = call(mpx::start); return;
      case gather_form::prepared:
        request_ = call(mpx::prepare);
        request_->start();
        return;
    }
  }
  std::string end() override {
    if (request_) request_->wait();
    for (auto& m : under_way_) m.wait();
    return makes() || is_right() ? "" : wrong();
  }
  std::string again() override {
    if (makes()) return is_right() ? "" : wrong();
    if (what_.form != gather_form::prepared || what_.kind == cross_kind::messages) return {};
    fill();
    request_->start();
    request_->wait();
    return is_right() ? "" : wrong();
  }

 private:
  struct nothing_yet {};

  /// Communicators that it makes are checked by blocking calls, in the same order everywhere.
  bool makes() const { return what_.kind >= cross_kind::twin; }
  std::size_t there() const { return static_cast<std::size_t>(on_.remote_size()); }
  std::size_t here() const { return static_cast<std::size_t>(on_.size()); }
  std::size_t me() const { return static_cast<std::size_t>(on_.rank()); }
  bool with_root() const { return low_ == what_.root_is_low; }
  rank_t root() const { return static_cast<rank_t>(what_.root % (with_root() ? here() : there())); }
  bool is_root() const { return with_root() && on_.rank() == root(); }
  rank_t said() const {
    return is_root() ? mpx::this_root : with_root() ? rank_t{mpx::proc_null} : root();
  }
  word value(bool low, rank_t of, std::size_t i) const {
    return static_cast<word>(what_.id) * 1'000'003 + (low ? 11u : 0u) +
           (static_cast<word>(of) * 77 + 3) * (i + 1) + ((static_cast<word>(of) + 2) << 33);
  }
  std::size_t length_of(std::size_t r) const { return what_.length + r % 3; }
  std::vector<int> lengths(std::size_t ranks) const {
    std::vector<int> all;
    for (std::size_t r = 0; r < ranks; ++r) all.push_back(static_cast<int>(length_of(r)));
    return all;
  }
  static std::size_t sum_of(const std::vector<int>& all) {
    std::size_t sum = 0;
    for (const int n : all) sum += static_cast<std::size_t>(n);
    return sum;
  }
  /// In place: what was prepared refers to it.
  void own(words& w, std::size_t n) const {
    w.resize(n);
    for (std::size_t i = 0; i < n; ++i) w[i] = value(low_, on_.rank(), i);
  }

  void send_all() {
    own(in_, what_.length);
    messages_.assign(there(), words(what_.length));
    for (rank_t r = 0; r < on_.remote_size(); ++r) {
      under_way_.push_back(on_.irecv(messages_[static_cast<std::size_t>(r)], r, what_.id));
      under_way_.push_back(on_.isend(in_, r, what_.id));
    }
  }
  void fill() {
    const std::size_t n = what_.length;
    counts_ = lengths(there());
    in_.clear();
    std::size_t room = 0;
    switch (what_.kind) {
      case cross_kind::bcast:
        out_.assign(n, ~word{0});
        if (is_root()) own(out_, n);
        return;
      case cross_kind::gather:
        if (!with_root()) own(in_, n);
        room = is_root() ? n * there() : 0;
        break;
      case cross_kind::scatterv:
        if (is_root()) own(in_, sum_of(counts_));
        room = with_root() ? 0 : length_of(me());
        break;
      case cross_kind::allgather: own(in_, n), room = n * there(); break;
      case cross_kind::allgatherv: own(in_, length_of(me())), room = sum_of(counts_); break;
      case cross_kind::alltoallv:
        own(in_, sum_of(counts_)), room = length_of(me()) * there();
        counts_in_.assign(there(), static_cast<int>(length_of(me())));
        break;
      case cross_kind::reduce: own(in_, n), room = is_root() ? n : 0; break;
      case cross_kind::allreduce: own(in_, n), room = n; break;
      case cross_kind::reduce_scatter:
        own(in_, n * here() * there());
        counts_.assign(here(), static_cast<int>(n * there()));
        if (here() > 1) counts_[0] -= static_cast<int>(n), counts_[1] += static_cast<int>(n);
        room = static_cast<std::size_t>(counts_[me()]);
        break;
      default: break;
    }
    out_.assign(room, ~word{0});
  }
  /// `how`: nothing_yet, mpx::start or mpx::prepare.
  template <class How>
  auto call(How how) {
    const auto with = [&](auto&& f) {
      if constexpr (std::is_same_v<How, nothing_yet>) {
        f();
      } else {
        return f(how);
      }
    };
    if (what_.commutes) return with([&](auto... h) { return made(mpx::sum, h...); });
    return with([&](auto... h) { return made(composed{}, h...); });
  }
  template <class Op, class... How>
  auto made(Op op, How... how) {
    switch (what_.kind) {
      case cross_kind::bcast: return on_.bcast(out_, said(), how...);
      case cross_kind::gather: return on_.gather(in_, out_, said(), how...);
      case cross_kind::scatterv: return on_.scatterv(in_, counts_, out_, said(), how...);
      case cross_kind::allgather: return on_.allgather(in_, out_, how...);
      case cross_kind::allgatherv: return on_.allgatherv(in_, out_, counts_, how...);
      case cross_kind::alltoallv: return on_.alltoallv(in_, counts_, out_, counts_in_, how...);
      case cross_kind::reduce: return on_.reduce(in_, out_, op, said(), how...);
      case cross_kind::allreduce: return on_.allreduce(in_, out_, op, how...);
      case cross_kind::reduce_scatter: return on_.reduce_scatter(in_, out_, counts_, op, how...);
      default: break;
    }
    return on_.barrier(how...);
  }

  /// Of all ranks of the other group, in their order.
  word combined(std::size_t i) const {
    word sum = value(!low_, 0, i);
    for (rank_t r = 1; r < on_.remote_size(); ++r)
      sum = what_.commutes ? sum + value(!low_, r, i) : composed()(sum, value(!low_, r, i));
    return sum;
  }
  /// True if all of `out_` is as wanted(i) says.
  template <class Wanted>
  bool all(Wanted wanted) const {
    for (std::size_t i = 0; i < out_.size(); ++i)
      if (out_[i] != wanted(i)) return false;
    return true;
  }
  bool is_right() {
    const std::size_t n = what_.length;
    const auto theirs = [&](std::size_t r, std::size_t i) {
      return value(!low_, static_cast<rank_t>(r), i);
    };
    std::size_t first = 0;
    for (std::size_t r = 0; r < me(); ++r) first += length_of(r);
    switch (what_.kind) {
      case cross_kind::messages:
        for (std::size_t r = 0; r < there(); ++r)
          for (std::size_t i = 0; i < n; ++i)
            if (messages_[r][i] != theirs(r, i)) return false;
        return true;
      case cross_kind::barrier: return true;
      case cross_kind::bcast:
        return all([&](std::size_t i) {
          return with_root() && !is_root() ? ~word{0} : value(what_.root_is_low, root(), i);
        });
      case cross_kind::gather:
      case cross_kind::allgather: return all([&](std::size_t i) { return theirs(i / n, i % n); });
      case cross_kind::scatterv:
        return all([&](std::size_t i) { return value(what_.root_is_low, root(), first + i); });
      case cross_kind::allgatherv: {
        std::size_t r = 0;
        std::size_t begin = 0;
        return all([&](std::size_t i) {
          while (i - begin >= length_of(r)) begin += length_of(r++);
          return theirs(r, i - begin);
        });
      }
      case cross_kind::alltoallv:
        return all([&](std::size_t i) {
          return theirs(i / length_of(me()), first + i % length_of(me()));
        });
      case cross_kind::reduce:
      case cross_kind::allreduce: return all([&](std::size_t i) { return combined(i); });
      case cross_kind::reduce_scatter: {
        std::size_t at = 0;
        for (std::size_t r = 0; r < me(); ++r) at += static_cast<std::size_t>(counts_[r]);
        return all([&](std::size_t i) { return combined(at + i); });
      }
      case cross_kind::twin: return is_right(other_, on_.rank(), here(), there());
      case cross_kind::part: {
        const std::size_t mine = (here() + 1 - me() % 2) / 2;
        const std::size_t others = (there() + 1 - me() % 2) / 2;
        if (others == 0) return !other_;
        return other_ && is_right(other_, static_cast<rank_t>(mine - 1 - me() / 2), mine, others);
      }
      case cross_kind::merged: {
        const std::size_t place = me() + (low_ == what_.root_is_low ? there() : 0);
        const bool right = static_cast<std::size_t>(merged_.rank()) == place &&
                           merged_.allreduce(1, std::plus<>{}) == merged_.size();
        merged_.free();
        return right;
      }
    }
    return false;
  }
  static bool is_right(between& made, rank_t rank, std::size_t here, std::size_t there) {
    const bool right = made.rank() == rank && static_cast<std::size_t>(made.size()) == here &&
                       static_cast<std::size_t>(made.allreduce(1, std::plus<>{})) == there;
    made.free();
    return right;
  }
  std::string wrong() const {
    return "call " + std::to_string(what_.id) + " of the intercommunicator (kind " +
           std::to_string(static_cast<int>(what_.kind)) + ", form " +
           std::to_string(static_cast<int>(what_.form)) + ", " + std::to_string(what_.length) +
           " words) has a wrong result";
  }

  crossing what_;
  const between& on_;
  bool low_;
  words in_;
  words out_;
  std::vector<words> messages_;
  std::vector<int> counts_;
  std::vector<int> counts_in_;
  between other_;
  mpx::communicator<Stack> merged_;
  std::optional<mpx::request<Stack>> request_;
  std::vector<mpx::request<Stack>> under_way_;
};

}  // namespace explorer
