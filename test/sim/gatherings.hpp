// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random collectives for the explorer: operation, members, algorithm and form. All ranks begin
// those of a round in one order; started ones continue during the round's messages.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace explorer {

using mpx::rank_t;
using word = std::uint64_t;

enum class gather_kind : std::uint8_t {
  barrier,
  bcast,
  gather,
  scatter,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
};
inline constexpr int gather_kinds = static_cast<int>(gather_kind::exscan) + 1;
enum class gather_form : std::uint8_t { at_once, started, prepared };

struct gathering {
  int id;
  int round;
  gather_kind kind;
  gather_form form;
  bool in_part;  // Among the ranks of one half, in reverse order.
  std::size_t length;
  std::uint64_t root;  // Modulo the ranks there.
  mpx::coll::algorithm by;
  bool commutes;
  bool spread;  // Words lie apart, at strides that differ from rank to rank; at some they do not.
};
inline constexpr int gathering_id_first = 1000;

/// x -> a x + b modulo 2^32, composed: associative, and it does not commute.
struct composed {
  word operator()(word f, word g) const noexcept {
    const auto a = static_cast<std::uint32_t>(f >> 32), b = static_cast<std::uint32_t>(f);
    const auto c = static_cast<std::uint32_t>(g >> 32), d = static_cast<std::uint32_t>(g);
    return word{a * c} << 32 | static_cast<std::uint32_t>(a * d + b);
  }
};

inline std::vector<gathering> random_gatherings(std::uint64_t seed, int rounds, std::size_t most,
                                                const std::set<int>& keep) {
  mpx::sim::random r(seed * 2 + 77);
  mpx::sim::random spreads(seed * 5 + 3);  // Of its own: programs stay what they were.
  std::vector<gathering> all;
  if (r.one_in(3)) return all;
  const std::uint64_t count = 1 + r.below(r.one_in(4) ? 16 : 5);
  for (std::uint64_t i = 0; i < count; ++i) {
    gathering g{};
    g.id = gathering_id_first + static_cast<int>(i);
    g.round = static_cast<int>(r.below(static_cast<std::uint64_t>(rounds)));
    g.kind = static_cast<gather_kind>(r.below(gather_kinds));
    g.form = static_cast<gather_form>(r.below(3));
    g.in_part = r.one_in(3);
    const std::size_t sizes[] = {0, 1, 3, 20, 200, 1 + r.below(most / 8)};
    g.length = sizes[r.below(6)];
    g.root = r.below(64);
    g.by = r.one_in(2) ? mpx::coll::algorithm::automatic
                       : static_cast<mpx::coll::algorithm>(r.below(mpx::coll::algorithms));
    g.commutes = r.one_in(2);
    g.spread = spreads.one_in(2);
    if (keep.empty() || keep.count(g.id) != 0) all.push_back(g);
  }
  return all;
}

/// A call at one rank that all ranks of a communicator make.
class collective_part {
 public:
  virtual ~collective_part() = default;
  /// Calls it, or starts it.
  virtual void begin() = 0;
  /// Waits for it. Returns what is wrong.
  virtual std::string end() = 0;
  /// Runs it again, if it was prepared.
  virtual std::string again() = 0;
};

/// One of them at one rank, from its beginning to its end.
template <class Stack>
class gathered final : public collective_part {
  using communicator = mpx::communicator<Stack>;
  using words = std::vector<word>;

 public:
  gathered(const gathering& what, const communicator& on) : what_(what), on_(on.with(what.by)) {
    if (what.spread) apart_ = 1 + static_cast<std::size_t>(what.id + 2 * me()) % 3;
  }

  void begin() override {
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
    return check();
  }
  std::string again() override {
    if (what_.form != gather_form::prepared) return {};
    fill();
    request_->start();
    request_->wait();
    return check();
  }

 private:
  struct nothing_yet {};

  rank_t me() const { return on_.rank(); }
  std::size_t ranks() const { return static_cast<std::size_t>(on_.size()); }
  rank_t root() const { return static_cast<rank_t>(what_.root % ranks()); }
  bool is_root() const { return me() == root(); }
  word value(rank_t of, std::size_t i) const {
    return static_cast<word>(what_.id) * 1'000'003 + (static_cast<word>(of) * 77 + 3) * (i + 1) +
           ((static_cast<word>(of) + 2) << 33);
  }
  /// Lengths of blocks that differ from rank to rank.
  std::size_t length_of(rank_t r) const { return what_.length + static_cast<std::size_t>(r) % 3; }
  static std::vector<int> as_counts(const std::vector<std::size_t>& lengths) {
    return {lengths.begin(), lengths.end()};
  }

  void fill() {
    const std::size_t n = what_.length;
    const auto own = [&](std::size_t count) {
      in_.assign(count * apart_, 0);
      for (std::size_t i = 0; i < count; ++i) in_[i * apart_] = value(me(), i);
    };
    const auto room = [&](std::size_t count) { out_.assign(count * apart_, empty); };
    counts_.clear();
    for (rank_t r = 0; r < on_.size(); ++r) counts_.push_back(static_cast<int>(length_of(r)));
    std::size_t sum = 0;
    for (const int c : counts_) sum += static_cast<std::size_t>(c);
    switch (what_.kind) {
      case gather_kind::barrier: break;
      case gather_kind::bcast:
        room(n);
        for (std::size_t i = 0; is_root() && i < n; ++i) out_[i * apart_] = value(me(), i);
        break;
      case gather_kind::gather: own(n), room(is_root() ? n * ranks() : 0); break;
      case gather_kind::scatter:
        room(n);
        in_.clear();
        if (is_root()) own(n * ranks());
        break;
      case gather_kind::allgather: own(n), room(n * ranks()); break;
      case gather_kind::allgatherv: own(length_of(me())), room(sum); break;
      case gather_kind::alltoall: own(n * ranks()), room(n * ranks()); break;
      case gather_kind::alltoallv:  // length_of(r) words to rank r, so many come from each.
        own(sum), room(length_of(me()) * ranks());
        counts_in_.assign(ranks(), static_cast<int>(length_of(me())));
        break;
      case gather_kind::reduce:
      case gather_kind::allreduce:
      case gather_kind::scan:
      case gather_kind::exscan: own(n), room(n); break;
      case gather_kind::reduce_scatter: own(sum), room(length_of(me())); break;
    }
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
    if (what_.spread) {
      const auto view = [this](words& w) {
        return mpx::strided(w.data(), w.size() / apart_, static_cast<std::ptrdiff_t>(apart_));
      };
      if (what_.commutes)
        return with([&](auto... h) { return made(view(in_), view(out_), mpx::sum, h...); });
      return with([&](auto... h) { return made(view(in_), view(out_), composed{}, h...); });
    }
    if (what_.commutes) return with([&](auto... h) { return made(in_, out_, mpx::sum, h...); });
    return with([&](auto... h) { return made(in_, out_, composed{}, h...); });
  }
  template <class In, class Out, class Op, class... How>
  auto made(In&& in, Out&& out, Op op, How... how) {
    switch (what_.kind) {
      case gather_kind::barrier: break;
      case gather_kind::bcast: return on_.bcast(out, root(), how...);
      case gather_kind::gather: return on_.gather(in, out, root(), how...);
      case gather_kind::scatter: return on_.scatter(in, out, root(), how...);
      case gather_kind::allgather: return on_.allgather(in, out, how...);
      case gather_kind::allgatherv: return on_.allgatherv(in, out, counts_, how...);
      case gather_kind::alltoall: return on_.alltoall(in, out, how...);
      case gather_kind::alltoallv: return on_.alltoallv(in, counts_, out, counts_in_, how...);
      case gather_kind::reduce: return on_.reduce(in, out, op, root(), how...);
      case gather_kind::allreduce: return on_.allreduce(in, out, op, how...);
      case gather_kind::reduce_scatter: return on_.reduce_scatter(in, out, counts_, op, how...);
      case gather_kind::scan: return on_.scan(in, out, op, how...);
      case gather_kind::exscan: return on_.exscan(in, out, op, how...);
    }
    return on_.barrier(how...);
  }

  /// Of ranks 0 .. last, in their order.
  word combined(rank_t last, std::size_t i) const {
    word sum = value(0, i);
    for (rank_t r = 1; r <= last; ++r)
      sum = what_.commutes ? sum + value(r, i) : composed()(sum, value(r, i));
    return sum;
  }
  std::string check() const {
    const std::size_t n = what_.length;
    const auto is = [&](std::size_t at, word wanted) { return out_[at * apart_] == wanted; };
    std::size_t start = 0;  // Of this rank's block.
    for (rank_t r = 0; r < me(); ++r) start += length_of(r);
    bool right = true;
    for (std::size_t i = 0; i < out_.size(); ++i)  // Gaps are not touched.
      right = right && (i % apart_ == 0 || out_[i] == empty);
    switch (what_.kind) {
      case gather_kind::barrier: break;
      case gather_kind::bcast:
        for (std::size_t i = 0; i < n; ++i) right = right && is(i, value(root(), i));
        break;
      case gather_kind::gather:
      case gather_kind::allgather:
        if (what_.kind == gather_kind::gather && !is_root()) break;
        for (std::size_t i = 0; i < n * ranks(); ++i)
          right = right && is(i, value(static_cast<rank_t>(i / n), i % n));
        break;
      case gather_kind::scatter:
        for (std::size_t i = 0; i < n; ++i)
          right = right && is(i, value(root(), static_cast<std::size_t>(me()) * n + i));
        break;
      case gather_kind::allgatherv: {
        std::size_t at = 0;
        for (rank_t r = 0; r < on_.size(); ++r)
          for (std::size_t i = 0; i < length_of(r); ++i) right = right && is(at++, value(r, i));
        break;
      }
      case gather_kind::alltoall:
        for (std::size_t i = 0; i < n * ranks(); ++i)
          right = right && is(i, value(static_cast<rank_t>(i / n),
                                       static_cast<std::size_t>(me()) * n + i % n));
        break;
      case gather_kind::alltoallv: {
        const std::size_t length = length_of(me());
        for (std::size_t i = 0; i < length * ranks(); ++i)
          right = right && is(i, value(static_cast<rank_t>(i / length), start + i % length));
        break;
      }
      case gather_kind::reduce:
        for (std::size_t i = 0; is_root() && i < n; ++i)
          right = right && is(i, combined(on_.size() - 1, i));
        break;
      case gather_kind::allreduce:
        for (std::size_t i = 0; i < n; ++i) right = right && is(i, combined(on_.size() - 1, i));
        break;
      case gather_kind::reduce_scatter:
        for (std::size_t i = 0; i < length_of(me()); ++i)
          right = right && is(i, combined(on_.size() - 1, start + i));
        break;
      case gather_kind::scan:
        for (std::size_t i = 0; i < n; ++i) right = right && is(i, combined(me(), i));
        break;
      case gather_kind::exscan:
        for (std::size_t i = 0; me() > 0 && i < n; ++i)
          right = right && is(i, combined(me() - 1, i));
        break;
    }
    if (right) return {};
    return "collective " + std::to_string(what_.id) + " (kind " +
           std::to_string(static_cast<int>(what_.kind)) + ", form " +
           std::to_string(static_cast<int>(what_.form)) + ", algorithm " +
           std::to_string(static_cast<int>(what_.by)) + ", " + std::to_string(n) +
           (what_.spread ? " words that lie apart) has" : " words) has") + " a wrong result";
  }

  static constexpr word empty = ~word{0};

  gathering what_;
  std::size_t apart_ = 1;  // From one word to the next.
  decltype(std::declval<const communicator&>().with(mpx::coll::algorithm{})) on_;
  words in_;
  words out_;
  std::vector<int> counts_;
  std::vector<int> counts_in_;
  std::optional<mpx::request<Stack>> request_;
};

}  // namespace explorer
