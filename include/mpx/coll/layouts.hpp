// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collectives of buffers that a layout spreads. What travels is the same as of a buffer in one
// piece, which the other ranks may have. What is sent or received once is packed and unpacked by
// the messages themselves; what is passed on is packed once, piece by piece where an algorithm goes
// by pieces; what is combined is so in one piece.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "mpx/coll/allgather.hpp"
#include "mpx/coll/allreduce.hpp"
#include "mpx/coll/alltoall.hpp"
#include "mpx/coll/bcast.hpp"
#include "mpx/coll/blocks.hpp"
#include "mpx/coll/gather.hpp"
#include "mpx/coll/node_calls.hpp"
#include "mpx/coll/reduce.hpp"
#include "mpx/coll/reduce_scatter.hpp"
#include "mpx/coll/scan.hpp"
#include "mpx/coll/scatter.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/datatype/memory.hpp"

namespace mpx::inline v0::coll {

/// A message that a layout spreads, so that a part of it is named by a place: byte n of the message
/// is at `whole().base + n`, as of one in one piece. Counted, for operations outlive calls.
class linear_layout final : public layout, mpx::detail::allocated {
 public:
  /// Of `m`, whose layout it keeps if it is to outlive the call. nullptr: memory is out.
  static const linear_layout* make(const memory& m, bool keeps) noexcept {
    const layout* const how = keeps ? m.how->keep() : m.how;
    if (how == nullptr) return nullptr;
    auto* const made = new (std::nothrow) linear_layout(m.base, how, keeps);
    if (made == nullptr && keeps) how->drop();
    return made;
  }
  /// The place of the message of `bytes`.
  memory whole(std::size_t bytes) const noexcept { return {origin(), bytes, this}; }

  void pack(const std::byte* at, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    how_->pack(base_, static_cast<std::size_t>(at - origin()) + offset, into);
  }
  void unpack(std::byte* at, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    how_->unpack(base_, static_cast<std::size_t>(at - origin()) + offset, from);
  }
  const layout* keep() const noexcept override {
    references_.fetch_add(1, std::memory_order_relaxed);
    return this;
  }
  void drop() const noexcept override {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (keeps_) how_->drop();
    delete this;
  }

 private:
  linear_layout(std::byte* base, const layout* how, bool keeps) noexcept
      : base_(base), how_(how), keeps_(keeps) {}
  ~linear_layout() = default;
  // Places are told apart by the object itself, and none of them is null.
  std::byte* origin() const noexcept {
    return reinterpret_cast<std::byte*>(const_cast<linear_layout*>(this));
  }

  std::byte* base_;
  const layout* how_;
  mutable platform::atomic<std::uint32_t> references_{1};
  bool keeps_;
};

/// The layouts of a call's buffers: what it keeps for as long as it lasts.
class call_layouts {
 public:
  call_layouts() = default;
  call_layouts(const call_layouts& other) noexcept {
    for (const layout* how : other.kept_)
      if (how != nullptr) hold(how->keep());
  }
  call_layouts& operator=(const call_layouts&) = delete;
  ~call_layouts() {
    for (const layout* how : kept_)
      if (how != nullptr) how->drop();
  }

  /// Makes the messages of a call linear, two at most; those that are the same stay so. `keeps`:
  /// their layouts, too. Returns false: memory is out.
  template <class... Places>
  bool straighten(bool keeps, Places&... places) noexcept {
    return (straighten_one(keeps, places) && ...);
  }

 private:
  bool straighten_one(bool keeps, memory& m) noexcept {
    if (m.contiguous()) return true;
    if (m.how == given_.how && m.base == given_.base) {
      m = made_->whole(m.bytes);
      return true;
    }
    const linear_layout* const made = linear_layout::make(m, keeps);
    if (made == nullptr) return false;
    given_ = m;
    made_ = made;
    m = made->whole(m.bytes);
    return hold(made);
  }
  bool straighten_one(bool keeps, blocks& b) noexcept {
    if (b.how == nullptr) return true;
    if (b.together) {
      memory m{b.base, b.room, b.how};
      if (!straighten_one(keeps, m)) return false;
      b.base = m.base;
      b.how = m.how;
    } else if (keeps) {
      b.how = b.how->keep();
      return b.how != nullptr && hold(b.how);
    }
    return true;
  }
  template <class Blocks>
  requires requires(Blocks& b) { b.all.how; }
  bool straighten_one(bool keeps, Blocks& b) noexcept {
    return straighten_one(keeps, b.all);
  }
  bool hold(const layout* how) noexcept {
    kept_[n_++] = how;
    return true;
  }

  const layout* kept_[2] = {};
  std::size_t n_ = 0;
  memory given_{};
  const linear_layout* made_ = nullptr;  // Of what was given last.
};

/// The places in a call that may have a layout, as `use(places...)` takes them.
template <class Call, class Use>
auto with_places(Call& c, Use&& use) {
  if constexpr (requires { c.data; }) {
    return use(c.data);
  } else {
    return use(c.in, c.out);
  }
}

// --- Algorithms ----------------------------------------------------------------------------------

/// `m` in one piece, as far as it is not so already: a copy, or memory for one.
template <Steps S>
memory in_one_piece(S& s, const memory& m, bool filled) {
  if (m.contiguous()) return m;
  const memory all = s.scratch(m.bytes);
  if (filled && all.exists()) s.copy(all, m);
  return all;
}
/// The same of blocks, which then lie one after the other.
template <Steps S>
blocks in_one_piece(S& s, const blocks& b, bool filled) {
  if (b.how == nullptr) return b;
  blocks all{s.scratch(b.total(s.size())).base, b.bytes, b.bytes, b.counts, {}, b.unit};
  all = placed(s, all);
  for (rank_t r = 0; filled && all.base != nullptr && r < s.size(); ++r) s.copy(all[r], b[r]);
  return all;
}
template <Steps S>
void copy_blocks(S& s, const blocks& to, const blocks& from, rank_t but = -1) {
  for (rank_t r = 0; to.base != from.base && r < s.size(); ++r)
    if (r != but) s.copy(to[r], from[r]);
}

/// ring_of_blocks where blocks are spread: each is passed on from one of three pieces of `most`
/// bytes, and unpacked from there. `first`: this rank's own. `here(i)`: where block i belongs.
template <Steps S, class Block>
void ring_of_spread_blocks(S& s, const memory& first, std::size_t most, Block here) {
  const rank_t n = s.size();
  if (n == 1) return;
  const rank_t left = around(s.rank() - 1, n);
  const rank_t right = around(s.rank() + 1, n);
  if (n == 2) return static_cast<void>(s.exchange(first, right, here(1), left));
  const memory room[3] = {s.scratch(most), s.scratch(most), s.scratch(most)};
  if (s.failed()) return;
  const auto piece = [&](rank_t i) -> memory {
    const memory block = here(i);
    return i == n - 1 ? block : slice(room[i % 3], 0, block.bytes);
  };
  s.start_receive(piece(1), left);
  for (rank_t i = 0; i + 1 < n; ++i) {
    if (i + 2 < n) s.start_receive_ahead(piece(i + 2), left);
    s.start_send(i == 0 ? first : piece(i), right);
    if (i > 0) s.copy(here(i), piece(i));
    s.finish();
  }
}

/// How many ranks a rank sends to in bcast_tree.
inline rank_t tree_children(rank_t rank, rank_t n, rank_t root, rank_t radix) noexcept {
  const rank_t me = around(rank - root, n);
  rank_t children = 0;
  for (rank_t step = 1; step < n && me / step % radix == 0; step *= radix)
    for (rank_t i = 1; i < radix; ++i) children += me + i * step < n ? 1 : 0;
  return children;
}
template <Steps S>
void bcast_tree_spread(S& s, const memory& data, rank_t root, rank_t radix) {
  const bool sends = s.rank() == root;
  const rank_t uses = tree_children(s.rank(), s.size(), root, radix) + (sends ? 0 : 1);
  if (uses < 2) return bcast_tree(s, data, root, radix);
  const memory all = in_one_piece(s, data, sends);
  if (s.failed()) return;
  bcast_tree(s, all, root, radix);
  if (!sends) s.copy(data, all);
}
/// bcast_chain where segments are passed on from one of three pieces.
template <Steps S>
void bcast_chain_spread(S& s, const memory& data, rank_t root, std::size_t segment) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  if (me == 0 || me + 1 == n) return bcast_chain(s, data, root, segment);
  const rank_t from = around(s.rank() - 1, n);
  const rank_t to = around(s.rank() + 1, n);
  const std::size_t segments = (data.bytes + segment - 1) / segment;
  const std::size_t most = segment < data.bytes ? segment : data.bytes;
  const memory room[3] = {s.scratch(most), s.scratch(most), s.scratch(most)};
  if (s.failed()) return;
  const auto bytes = [&](std::size_t i) {
    return (i + 1) * segment < data.bytes ? segment : data.bytes - i * segment;
  };
  const auto piece = [&](std::size_t i) { return slice(room[i % 3], 0, bytes(i)); };
  if (segments > 0) s.start_receive(piece(0), from);
  for (std::size_t i = 0; i <= segments; ++i) {
    if (i + 1 < segments) s.start_receive_ahead(piece(i + 1), from);
    if (i > 0) {
      s.start_send(piece(i - 1), to);
      s.copy(slice(data, (i - 1) * segment, bytes(i - 1)), piece(i - 1));
    }
    s.finish();
  }
}
template <Steps S>
void bcast_scatter_allgather_spread(S& s, const memory& data, rank_t root) {
  const rank_t n = s.size();
  const rank_t me = around(s.rank() - root, n);
  const parts part{data, 1, static_cast<std::size_t>(n)};
  const auto span_of = [n](rank_t first, rank_t bit) { return first + bit <= n ? bit : n - first; };
  rank_t bit = 1;
  while (bit < n && (me & bit) == 0) bit *= 2;
  const memory own_parts = part.range(me, span_of(me, bit));
  const memory own = me == 0 ? own_parts : s.scratch(own_parts.bytes);
  if (s.failed()) return;
  const std::size_t before = part.first(static_cast<std::size_t>(me));
  if (me != 0) s.receive(own, around(me - bit + root, n));
  for (bit /= 2; bit > 0; bit /= 2) {
    if (me + bit >= n) continue;
    const memory theirs = part.range(me + bit, span_of(me + bit, bit));
    const std::size_t at = part.first(static_cast<std::size_t>(me + bit)) - before;
    s.start_send(slice(own, at, theirs.bytes), around(me + bit + root, n));
  }
  if (me != 0) s.copy(own_parts, own);
  s.finish();
  ring_of_spread_blocks(s, slice(own, 0, part[me].bytes),
                        data.bytes / static_cast<std::size_t>(n) + 1,
                        [&](rank_t i) { return part[around(me - i, n)]; });
}

// What `spread` does, by operation. Places are linear. An algorithm that is not known here gets
// copies in one piece.

template <Steps S>
void run_spread(S& s, const bcast_call& b, const choice& c) {
  if (s.size() == 1) return;
  if (c.by == algorithm::binomial) return bcast_tree_spread(s, b.data, b.root, 2);
  if (c.by == algorithm::knomial) return bcast_tree_spread(s, b.data, b.root, 4);
  if (c.by == algorithm::linear) return bcast_tree_spread(s, b.data, b.root, s.size());
  if (c.by == algorithm::chain) return bcast_chain_spread(s, b.data, b.root, c.segment_bytes);
  if (c.by == algorithm::scatter_allgather)
    return bcast_scatter_allgather_spread(s, b.data, b.root);
  bcast_call whole = b;
  whole.data = in_one_piece(s, b.data, s.rank() == b.root);
  if (s.failed()) return;
  whole(s, c);
  if (s.rank() != b.root) s.copy(b.data, whole.data);
}
template <Steps S>
void run_spread(S& s, const gather_call& g, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::binomial) return g(s, c);
  const bool here = s.rank() == g.root;
  gather_call whole = g;
  const blocks to = here ? placed(s, g.out) : g.out;
  whole.in = in_one_piece(s, g.in.exists() || !here ? g.in : to[g.root], true);
  if (here) whole.out = in_one_piece(s, to, false);
  if (s.failed()) return;
  whole(s, c);
  if (here) copy_blocks(s, to, whole.out);
}
template <Steps S>
void run_spread(S& s, const scatter_call& g, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::binomial) return g(s, c);
  const bool here = s.rank() == g.root;
  scatter_call whole = g;
  if (here) whole.in = in_one_piece(s, placed(s, g.in), true);
  whole.out = in_one_piece(s, g.out, false);
  if (s.failed()) return;
  whole(s, c);
  if (g.out.exists()) s.copy(g.out, whole.out);
}
template <Steps S>
void run_spread(S& s, const allgather_call& g, const choice& c) {
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const blocks to = placed(s, g.out);
  if (c.by == algorithm::bruck) return g(s, c);
  if (c.by == algorithm::ring) {
    std::size_t most = 0;
    for (rank_t r = 0; r < n; ++r)
      if (to.bytes_of(r) > most) most = to.bytes_of(r);
    if (g.in.exists()) s.copy(to[me], g.in);
    const memory first = g.in.exists() ? g.in : to[me];
    if (to.how == nullptr)
      return ring_of_blocks(s, [&](rank_t i) { return i == 0 ? first : to[around(me - i, n)]; });
    return ring_of_spread_blocks(s, first, most, [&](rank_t i) { return to[around(me - i, n)]; });
  }
  allgather_call whole = g;
  whole.in = g.in.exists() ? g.in : to[me];
  whole.out = in_one_piece(s, to, false);
  if (c.by != algorithm::recursive_doubling) whole.in = in_one_piece(s, whole.in, true);
  if (s.failed()) return;
  whole(s, c);
  copy_blocks(s, to, whole.out, g.in.exists() ? -1 : me);
}
template <Steps S>
void run_spread(S& s, const alltoall_call& a, const choice& c) {
  if (c.by == algorithm::linear || c.by == algorithm::pairwise || c.by == algorithm::bruck)
    return a(s, c);
  alltoall_call whole = a;
  const blocks to = placed(s, a.out);
  whole.out = in_one_piece(s, to, a.in_place);
  if (!a.in_place) whole.in = in_one_piece(s, placed(s, a.in), true);
  if (s.failed()) return;
  whole(s, c);
  copy_blocks(s, to, whole.out);
}

/// Runs `c` with its result in one piece, which is copied if there is one `here`. `known`: the
/// algorithm does no more with what this rank gives than to send and to copy it.
template <class Call, class Run, Steps S>
void run_combining(S& s, const Call& c, bool known, bool here, Run&& run) {
  Call whole = c;
  if (!known) {
    if constexpr (requires { c.in.regular(); }) {
      whole.in = in_one_piece(s, placed(s, c.in), true);
    } else {
      whole.in = in_one_piece(s, c.in, true);
    }
  }
  if (here) {
    whole.out = in_one_piece(s, c.out, false);
  } else if (c.out.how != nullptr) {
    whole.out = memory();
  }
  if (s.failed()) return;
  run(whole);
  if (here && c.out.how != nullptr) s.copy(c.out, whole.out);
}
template <Steps S>
void run_spread(S& s, const reduce_call& r, const choice& c) {
  const rank_t root = r.root;
  const bool here = s.rank() == root;
  if (c.by != algorithm::pairwise)
    return run_combining(s, r, c.by == algorithm::binomial, here,
                         [&](const reduce_call& whole) { whole(s, c); });
  // As reduce_pairwise: only this rank's part is combined.
  const parts part{r.in, r.op->element_bytes, static_cast<std::size_t>(s.size())};
  const parts result{r.out, r.op->element_bytes, static_cast<std::size_t>(s.size())};
  const memory sum = s.scratch(part[s.rank()].bytes);
  if (s.failed()) return;
  reduce_parts_pairwise(s, sum, *r.op, [&](rank_t i) { return part[i]; });
  if (!here) return static_cast<void>(s.send(sum, root));
  for (rank_t i = 0; i < s.size(); ++i)
    if (i != root) s.start_receive(result[i], i);
  s.copy(result[root], sum);
  s.finish();
}
template <Steps S>
void run_spread(S& s, const allreduce_call& r, const choice& c) {
  if (c.by != algorithm::pairwise) {
    const bool known = c.by == algorithm::recursive_doubling || c.by == algorithm::ring ||
                       c.by == algorithm::recursive_halving || c.by == algorithm::binomial;
    return run_combining(s, r, known, true, [&](const allreduce_call& whole) { whole(s, c); });
  }
  const rank_t n = s.size();
  const rank_t me = s.rank();
  const parts part{r.in, r.op->element_bytes, static_cast<std::size_t>(n)};
  const parts result{r.out, r.op->element_bytes, static_cast<std::size_t>(n)};
  const memory sum = s.scratch(part[me].bytes);
  if (s.failed()) return;
  reduce_parts_pairwise(s, sum, *r.op, [&](rank_t i) { return part[i]; });
  s.copy(result[me], sum);
  ring_of_spread_blocks(s, sum, r.out.bytes / static_cast<std::size_t>(n) + r.op->element_bytes,
                        [&](rank_t i) { return result[around(me - i, n)]; });
}
template <Steps S>
void run_spread(S& s, const reduce_scatter_call& r, const choice& c) {
  const bool known = c.by == algorithm::pairwise || c.by == algorithm::ring ||
                     c.by == algorithm::recursive_halving;
  reduce_scatter_call mine = r;  // In place there may be more room than this rank's block needs.
  mine.out.bytes = r.in.bytes_of(s.rank());
  run_combining(s, mine, known, true, [&](const reduce_scatter_call& whole) { whole(s, c); });
}
template <Steps S>
void run_spread(S& s, const scan_call& r, const choice& c) {
  const bool known = c.by == algorithm::recursive_doubling || c.by == algorithm::linear;
  const bool here = !r.exclusive || s.rank() > 0;
  if (here) return run_combining(s, r, known, true, [&](const scan_call& whole) { whole(s, c); });
  scan_call whole = r;  // Its buffer stays as it is, but the algorithm may work in there.
  whole.out = in_one_piece(s, r.out, false);
  if (!known) whole.in = in_one_piece(s, r.in, true);
  if (!s.failed()) whole(s, c);
}
/// Of a call with one algorithm, that leaves parts of messages to messages.
template <Steps S, class Call>
void run_spread(S& s, const Call& c, const choice& by) {
  c(s, by);
}

/// A call some of whose places are linear. `fault`: what is wrong with its buffers.
template <class Call>
struct spread : Call {
  errc fault{};
  const char* fault_text = nullptr;

  collective_failure check(rank_t rank, rank_t size) const noexcept {
    if (fault == errc::no_resources) return {fault, collective_failure::cause::memory};
    if (fault != errc{}) return wrong_argument(fault, fault_text);
    return Call::check(rank, size);
  }
  const Call& without_layouts() const noexcept { return *this; }
  template <Steps S>
  void operator()(S& s, const choice& c) const {
    run_spread(s, static_cast<const Call&>(*this), c);
  }
};

/// In shared memory pieces are written and read where they are; what is combined is in one piece.
template <class Stack, class Call>
requires MeetsInNode<Stack, Call>
void meet(node_call<Stack>& node, mpx::detail::collective_channel<Stack>& c,
          const spread<Call>& call) {
  const auto run = [&](const Call& whole) { meet(node, c, whole); };
  if constexpr (requires { call.op; }) {
    bool here = true;
    if constexpr (requires { call.root; }) here = c.rank() == call.root;
    run_combining(c, static_cast<const Call&>(call), true, here, run);
  } else {
    run(call);
  }
}

}  // namespace mpx::inline v0::coll
