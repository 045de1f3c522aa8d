// SPDX-License-Identifier: BSL-1.0
// release: tsan
// timeout: 120
// own_headers: yes
// sanitizers: thread
// Ranks that make calls in a block of shared memory under all kinds of schedules: no rank reads
// data of another piece or call, none overwrites data that is still read, and sleeping ranks are
// woken.

#include "explore.hpp"

#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <optional>
#include <vector>

#include "search.hpp"

namespace {

/// Sleeps after the second poll without result. If ranks outnumber cores it yields first.
struct sleepy {
  using policy_axis = mpx::wait_axis;
  static constexpr std::string_view name = "sleepy";
  static constexpr std::int64_t sleep_ns_max = 1'000'000'000;
  class pace {
   public:
    explicit pace(bool) noexcept {}
    bool should_sleep() noexcept {
      mpx::platform::relax();
      return ++looks_ >= 2;
    }
    void reset() noexcept { looks_ = 0; }
    void oversubscribed(bool) noexcept {}
    bool others_compute() const noexcept { return false; }
    void sleep_first() noexcept {}

   private:
    int looks_ = 0;
  };
};

/// Ranks that cannot read each other's memory: long messages go in packets.
class apart : public mpx::transport::basic_inproc<4, 4096> {
 public:
  using basic_inproc::basic_inproc;
  static mpx::cost_hint get_cost_hint(mpx::peer_id, const mpx::remote_memory&,
                                      std::size_t) noexcept {
    return mpx::cost_hint::never;
  }
};
/// Ranks that can: long messages are fetched.
class readable : public mpx::transport::basic_inproc<4, 4096> {
 public:
  using basic_inproc::basic_inproc;
  static mpx::cost_hint get_cost_hint(mpx::peer_id, const mpx::remote_memory&,
                                      std::size_t) noexcept {
    return mpx::cost_hint::always;
  }
};
template <class Transport>
using meeting_over = mpx::stack<Transport, sleepy, mpx::protocol::tiny_short_long<8, 512>,
                                mpx::flow::credits<64 * 1024, 4 * 1024>>;
using meeting = meeting_over<apart>;

/// A long element: a window of a long vector has four.
struct element {
  std::uint64_t value = 0;
  std::byte rest[16'376] = {};
};
/// A short one, of which the reader claims the lines.
struct wide {
  int value = 0;
  std::byte rest[252] = {};
};
/// Composition of x -> a x + b, a in the upper half: associative, and the order counts.
constexpr std::uint64_t after(std::uint64_t f, std::uint64_t g) {
  const std::uint64_t low = 0xffff'ffff;
  return ((f >> 32) * (g >> 32) << 32) | (((f >> 32) * (g & low) + (f & low)) & low);
}
struct after_t {
  element operator()(const element& f, const element& g) const {
    element c;
    c.value = after(f.value, g.value);
    return c;
  }
};

enum class script : std::uint8_t {
  allreduce,  ///< Of several windows.
  reduce,     ///< The same, at the last rank, then by parts, and a message after it.
  blocks,     ///< Pieces that all publish, and one rank ahead of the others.
  calls,      ///< Short calls, one after the other.
  neighbors,  ///< The same among neighbours: on a ring, and from rank to rank.
  in_pieces,  ///< Long blocks in pieces, and short calls between them.
};

template <std::size_t Ranks, class Stack = meeting>
class meets {
 public:
  static constexpr std::size_t threads = Ranks;
  static constexpr bool quiet_start = true;

  /// On so many cores; where ranks outnumber them, the first ones share theirs.
  meets(explore::scheduler& s, script what, std::size_t cores)
      : scheduler_(s), what_(what), job_(static_cast<mpx::rank_t>(Ranks)) {
    s.cores = static_cast<int>(cores);
    s.spread = cores < Ranks ? cores : 1;
  }

  void thread(std::size_t i) {
    auto& place = places_[i];
    place = std::make_unique<mpx::environment<Stack>>(
        mpx::bootstrap::any(mpx::bootstrap::threads(job_, static_cast<mpx::rank_t>(i))));
    auto world = place->world();
    world.barrier();  // Makes the block.
    if (what_ == script::neighbors) meet_neighbors(i, world);
    scheduler_.all_here();
    scheduler_.begin();
    act(world);
    scheduler_.end();
    scheduler_.all_here();
    around_[i].reset();
    place.reset();
  }
  std::string wrong() { return ""; }

 private:
  using communicator = mpx::communicator<Stack>;

  void check(bool right) {
    if (!right) scheduler_.fail("a rank has data of another call or piece");
  }
  static std::uint64_t given(mpx::rank_t r, std::size_t i) {
    return static_cast<std::uint64_t>(2 * r + 3) << 32 | (static_cast<std::uint64_t>(r) * 1000 + i);
  }
  static std::vector<element> vector_of(mpx::rank_t r, std::size_t elements) {
    std::vector<element> v(elements);
    for (std::size_t i = 0; i < elements; ++i) v[i].value = given(r, i);
    return v;
  }
  static std::uint64_t combined(mpx::rank_t n, std::size_t i) {
    std::uint64_t sum = given(0, i);
    for (mpx::rank_t r = 1; r < n; ++r) sum = after(sum, given(r, i));
    return sum;
  }
  static int block_of(mpx::rank_t from, mpx::rank_t to, int call) {
    return call * 100 + from * 10 + to;
  }
  void check_sum(const std::vector<element>& v, mpx::rank_t n) {
    for (std::size_t i = 0; i < v.size(); ++i) check(v[i].value == combined(n, i));
  }

  struct both {
    mpx::cart_communicator<Stack> ring;
    mpx::dist_graph_communicator<Stack> chain;
  };
  void meet_neighbors(std::size_t i, const communicator& world) {
    const auto n = static_cast<mpx::rank_t>(Ranks);
    const mpx::rank_t me = world.rank();
    mpx::graph_neighbors beside;
    if (me > 0) beside.sources = {me - 1};
    if (me + 1 < n) beside.destinations = {me + 1};
    around_[i].emplace(
        both{mpx::cart_create(world, {{n, true}}), mpx::dist_graph_create_adjacent(world, beside)});
    around_[i]->ring.barrier();
    around_[i]->chain.barrier();
  }
  /// In the chain nothing but its slots keeps a rank from running ahead.
  void act_beside(const both& around, const communicator& world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    const mpx::rank_t below = (me + n - 1) % n;
    const mpx::rank_t above = (me + 1) % n;
    for (int i = 0; i < 11; ++i) {
      std::vector<int> in(me > 0 ? 1 : 0);
      around.chain.neighbor_allgather(std::vector<int>{block_of(me, me + 1, i)}, in);
      if (me > 0) check(in[0] == block_of(below, me, i));
      if (i < 8) {  // Longer than in a short call.
        std::vector<element> longer(in.size());
        around.chain.neighbor_allgather(vector_of(me + i, 1), longer);
        if (me > 0) check(longer[0].value == given(below + i, 0));
      }
      if (i == 8) {  // Long ones are sent.
        const auto out = vector_of(me, 3);
        std::vector<element> all(in.size() * 3);
        around.chain.neighbor_allgather(out, all);
        if (me > 0) check(all[2].value == given(below, 2));
      }
      if (i >= 8) {
        const std::vector<int> out{block_of(me, below, i), block_of(me, above, i)};
        std::vector<int> got(2);
        around.ring.neighbor_alltoall(out, got);
        check(got[0] == block_of(below, me, i) && got[1] == block_of(above, me, i));
      }
      if (i >= 9) {
        const std::vector<wide> out{{block_of(me, below, i)}, {block_of(me, above, i)}};
        std::vector<wide> got(2);
        around.ring.neighbor_alltoall(out, got);
        check(got[0].value == block_of(below, me, i) && got[1].value == block_of(above, me, i));
      }
      if (i == 9) check(around.chain.allreduce(me, std::plus<>()) == n * (n - 1) / 2);
    }
  }

  void act_in_pieces(const communicator& world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    constexpr std::size_t block = 4 * mpx::coll::node_piece_bytes / sizeof(element);
    const std::size_t ranks = Ranks;
    std::vector<element> all(block * ranks);
    for (int i = 0; i < 4; ++i) {
      auto in = vector_of(me + i, block);
      world.allgather(in, all);
      for (std::size_t k = 0; k < all.size(); ++k)
        check(all[k].value == given(static_cast<mpx::rank_t>(k / block) + i, k % block));
      if (i % 2 == 0) check(world.allreduce(me, std::plus<>()) == n * (n - 1) / 2);
      auto sent = vector_of(me == i % n ? 7 : 0, 6);  // Of two ranks as a message.
      world.bcast(sent, i % n);
      check(sent.back().value == given(7, 5) && sent.front().value == given(7, 0));
      in = vector_of(me + i, block * ranks);
      world.alltoall(in, all);
      in.clear();  // Read by no rank any more.
      for (std::size_t k = 0; k < all.size(); ++k)
        check(all[k].value == given(static_cast<mpx::rank_t>(k / block) + i,
                                    static_cast<std::size_t>(me) * block + k % block));
    }
  }

  void act(const communicator& world) {
    if (what_ == script::in_pieces) return act_in_pieces(world);
    if (what_ == script::neighbors)
      return act_beside(*around_[static_cast<std::size_t>(world.rank())], world);
    const auto w = world.with(mpx::coll::algorithm::shared);
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = world.rank();
    constexpr std::size_t elements = 14;
    if (what_ == script::allreduce) {
      const auto in = vector_of(me, elements);
      std::vector<element> out(elements);
      w.allreduce(in, out, after_t());
      check_sum(out, n);
      std::vector<element> again = in;  // In place.
      w.allreduce(again, after_t());
      check_sum(again, n);
    } else if (what_ == script::reduce) {
      for (const std::size_t length : {elements, std::size_t{5}}) {  // Of two ranks in two ways.
        const auto in = vector_of(me, length);
        std::vector<element> out(length);
        w.reduce(in, out, after_t(), n - 1);
        if (me == n - 1) check_sum(out, n);
      }
      const std::size_t own = static_cast<std::size_t>(me) * 5;
      const auto parts = vector_of(me, 5 * static_cast<std::size_t>(n));
      std::vector<element> part(5);
      w.reduce_scatter_block(parts, part, after_t());
      for (std::size_t i = 0; i < part.size(); ++i) check(part[i].value == combined(n, own + i));
      auto sent = vector_of(me == 0 ? 7 : 0, 9);
      w.bcast(sent, 0);
      check(sent.back().value == given(7, 8));
    } else if (what_ == script::blocks) {
      for (mpx::rank_t root = 0; root < 2; ++root) {
        const auto in = vector_of(me + root, 1);
        std::vector<element> all(static_cast<std::size_t>(n));
        w.allgather(in, all);
        for (mpx::rank_t r = 0; r < n; ++r)
          check(all[static_cast<std::size_t>(r)].value == given(r + root, 0));
        auto sent = vector_of(me == root ? 7 : 0, 6);
        w.bcast(sent, root);
        check(sent.back().value == given(7, 5) && sent.front().value == given(7, 0));
      }
      const auto in = vector_of(me, 5 * static_cast<std::size_t>(n));
      std::vector<element> all(in.size());
      w.alltoall(in, all);
      for (std::size_t i = 0; i < all.size(); ++i)
        check(all[i].value ==
              given(static_cast<mpx::rank_t>(i / 5), static_cast<std::size_t>(me) * 5 + i % 5));
    } else {
      for (int i = 0; i < 4; ++i) {
        check(w.allreduce(me + i, std::plus<>()) == n * (n - 1) / 2 + n * i);
        int x = me == i % n ? i : -1;
        w.bcast(x, i % n);
        check(x == i);
        if (i % 2 == 0) w.barrier();
      }
      for (int i = 0; i < 6; ++i) {  // One rank's data goes round in its slots.
        std::vector<int> out(static_cast<std::size_t>(n));
        for (mpx::rank_t r = 0; r < n; ++r) out[static_cast<std::size_t>(r)] = block_of(me, r, i);
        std::vector<int> in(out.size());
        if (i % 3 == 2)
          w.allgather(std::vector<int>{block_of(me, me, i)}, in);
        else
          w.alltoall(out, in);
        for (mpx::rank_t r = 0; r < n; ++r)
          check(in[static_cast<std::size_t>(r)] == block_of(r, i % 3 == 2 ? r : me, i));
        if (i % 2 == 0) continue;
        std::vector<wide> wide_out(out.size());
        std::vector<wide> wide_in(out.size());
        for (std::size_t r = 0; r < out.size(); ++r) wide_out[r].value = out[r];
        w.alltoall(wide_out, wide_in);
        for (mpx::rank_t r = 0; r < n; ++r)
          check(wide_in[static_cast<std::size_t>(r)].value == block_of(r, me, i));
      }
      for (int i = 0; i < 9; ++i) {  // One root ahead of the others; then each in its turn.
        const mpx::rank_t root = i < 6 ? 0 : i % n;
        int x = me == root ? i : -1;
        w.bcast(x, root);
        check(x == i);
      }
    }
  }

  explore::scheduler& scheduler_;
  script what_;
  mpx::bootstrap::thread_job job_;
  std::unique_ptr<mpx::environment<Stack>> places_[Ranks];
  std::optional<both> around_[Ranks];  // Gone before the environments are.
};

template <std::size_t Ranks, class Stack = meeting>
void sound(const std::string& name, std::uint64_t schedules, script what) {
  for (const std::size_t cores : {64, 2, 1})
    if (cores == 64 || cores < Ranks)
      explore::check_sound(
          name + ", " + std::to_string(Ranks) + " ranks on " + std::to_string(cores) + " cores",
          explore::search<meets<Ranks, Stack>>(schedules, what, cores), schedules / 2);
}

}  // namespace

TEST_CASE("preempt: a node block in which each rank combines a part") {
  sound<3>("allreduce", 150, script::allreduce);
  sound<2>("allreduce", 150, script::allreduce);
  sound<3>("reduce", 150, script::reduce);
  sound<2>("reduce", 100, script::reduce);
  sound<2, meeting_over<readable>>("reduce, read", 60, script::reduce);
}

TEST_CASE("preempt: a node block in which ranks publish data") {
  sound<3>("pieces", 150, script::blocks);
  sound<2>("pieces", 150, script::blocks);
  sound<3>("calls", 200, script::calls);
  sound<2>("calls", 200, script::calls);
  sound<3>("neighbours", 200, script::neighbors);
}

TEST_CASE("preempt: a node block in which long data goes in several pieces") {
  sound<2, meeting_over<readable>>("in pieces", 60, script::in_pieces);
  sound<3>("in pieces", 30, script::in_pieces);
}
