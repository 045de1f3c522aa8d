// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// Two threads of a rank post receives at a portal while either may be handling arrivals: the search
// of the heap and the activation of an entry are one step.

#include "explore.hpp"

#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>

#include <memory>
#include <optional>

#include "search.hpp"

namespace {

namespace po = mpx::portals;

/// Sleeps after the second poll without result.
struct drowsy {
  using policy_axis = mpx::wait_axis;
  static constexpr std::string_view name = "drowsy";
  static constexpr std::int64_t sleep_ns_max = 1'000'000'000;
  class pace {
   public:
    explicit pace(bool) noexcept {}
    bool should_sleep() noexcept { return ++looks_ >= 2; }
    void reset() noexcept { looks_ = 0; }
    void oversubscribed(bool) noexcept {}

   private:
    int looks_ = 0;
  };
};

using stack = mpx::stack<mpx::transport::basic_inproc<4, 4096>, mpx::threading::multiple, drowsy,
                         mpx::protocol::tiny_short_long<8, 512, mpx::long_path::packets, 1024>,
                         mpx::flow::credits<64 * 1024, 4 * 1024>>;

struct plan {
  bool atomic = true;       // Search and activation under one lock.
  std::size_t bytes = 100;  // Of each message; more than a packet: 1000.
};

/// Thread t of rank 1 sends `count` messages to thread t of rank 0.
class receives {
 public:
  static constexpr std::size_t threads = 4;
  static constexpr bool quiet_start = true;
  static constexpr unsigned count = 3;

  receives(explore::scheduler& s, const plan& p) : scheduler_(s), plan_(p), job_(2) {
    s.cores = 64;
  }

  void thread(std::size_t i) {
    const auto rank = static_cast<mpx::rank_t>(i / 2);
    const std::size_t t = i % 2;
    auto& place = places_[i / 2];
    if (t == 0) place = std::make_unique<rank_of_job>(job_, rank);
    scheduler_.all_here();
    scheduler_.begin();
    if (rank == 0) {
      receive(*place, t);
    } else {
      send(*place, t);
    }
    scheduler_.end();
    if (t == 0) place.reset();
  }
  std::string wrong() { return failure_; }

 private:
  struct rank_of_job {
    rank_of_job(const mpx::bootstrap::thread_job& job, mpx::rank_t r)
        : env(mpx::bootstrap::any(mpx::bootstrap::threads(job, r))), table(env.world()) {
      rest = table.append(0, {.ignore = ~mpx::match_bits{0}}, heap,
                          {.how = {.keep = po::saves::both}});
    }
    mpx::environment<stack> env;
    po::table<stack> table;
    po::dynamic_block heap{16384};
    po::entry<stack> rest;
  };

  static std::byte byte_of(std::size_t t, unsigned k) {
    return static_cast<std::byte>(10 * t + k + 1);
  }
  void send(rank_of_job& r, std::size_t t) {
    for (unsigned k = 0; k < count; ++k) {
      const std::vector<std::byte> out(plan_.bytes, byte_of(t, k));
      r.table.put(out, 0, {.bits = t});
    }
  }
  void receive(rank_of_job& r, std::size_t t) {
    std::vector<std::byte> room(plan_.bytes);
    po::independent_block one{std::span(room)};
    po::events<stack> events(r.table, 2);
    for (unsigned k = 0; k < count; ++k) {
      auto entry = r.table.insert(
          r.rest, 0, {.bits = t}, one,
          {.how = {.keep = po::saves::both}, .no_buffer = po::onward::following(), .active = false},
          events);
      po::heap_message<stack> m;
      if (plan_.atomic) {
        m = r.table.take_or_activate(r.heap, entry);
      } else {
        m = r.table.take(r.heap, {.bits = t});
        if (!m) entry.activate();
      }
      std::span<const std::byte> got;
      if (m) {
        m.wait();
        got = m.data();
      } else {
        got = events.wait().data;
      }
      if (got.size() != plan_.bytes) scheduler_.fail("a message has a wrong length");
      for (const std::byte b : got)
        if (b != byte_of(t, k)) scheduler_.fail("a message is another one than the next");
      entry.remove();  // Before its buffer is free for another message.
      if (!m) r.table.release(one, 0);
    }
  }

  explore::scheduler& scheduler_;
  plan plan_;
  mpx::bootstrap::thread_job job_;
  std::unique_ptr<rank_of_job> places_[2];
  std::string failure_;
};

}  // namespace

TEST_CASE("preempt: receives at a portal are posted in one step") {
  explore::check_sound("one packet", explore::search<receives>(400, plan{}), 200);
  explore::check_sound("several packets", explore::search<receives>(300, plan{.bytes = 1000}), 150);
}

TEST_CASE("preempt: a search and an activation in two steps are found" *
          doctest::skip(explore::sampled)) {
  explore::check_found("two steps", explore::search<receives>(5000, plan{.atomic = false}));
}
