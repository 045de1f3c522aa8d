// SPDX-License-Identifier: BSL-1.0
// release: tsan
// timeout: 120
// own_headers: yes
// sanitizers: thread
// Several threads of a rank that wait for each other's messages under all kinds of schedules: one
// sleeps in the transport, the others follow it, and a thread with something to do is woken.

#include "explore.hpp"

#include <mpx/mpx.hpp>

#include <atomic>
#include <optional>
#include <vector>

#include "search.hpp"
#include "transport/late.hpp"

namespace {

using explore::fault;

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

using rings = mpx::transport::basic_inproc<4, 4096>;
template <class Transport, mpx::long_path By>
using narrow = mpx::stack<Transport, mpx::threading::multiple, drowsy,
                          mpx::protocol::tiny_short_long<8, 512, By, 1024>,
                          mpx::flow::credits<64 * 1024, 4 * 1024>>;
using by_get = narrow<rings, mpx::long_path::get>;
using by_packets = narrow<rings, mpx::long_path::packets>;

/// The sleeper in the transport is never woken by a thread of its own rank.
class deaf : public rings {
 public:
  using rings::rings;
  void wake() noexcept {}
};
using with_deaf = narrow<deaf, mpx::long_path::get>;

/// Most posts are pending: their threads sleep until a poll, of whomever, brings the completion.
constexpr late_transport::plan soon{
    .pending_percent = 70, .post_delay_max = 1, .completion_delay_max = 2, .pieces = 2};
constexpr late_transport::plan losing{.post_delay_max = 0,
                                      .completion_delay_max = 1,
                                      .planted = late_transport::fault::lose_completion,
                                      .fault_every = 2};
constexpr late_transport::plan slow{.post_delay_max = 8, .completion_delay_max = 8};
using by_late = narrow<late_transport::late<rings, soon>, mpx::long_path::packets>;
using with_lost = narrow<late_transport::late<rings, losing>, mpx::long_path::packets>;
using with_late_deaf = narrow<late_transport::late<deaf, slow>, mpx::long_path::packets>;

/// Actions of the threads of two ranks.
enum class script : std::uint8_t {
  exchange,    ///< Thread t of one rank with thread t of the other, both ways.
  queue,       ///< All threads of a rank take from one queue.
  own_rank,    ///< Thread 0 of each rank sends to the others of its rank.
  hand_over,   ///< The messages come in the order of tags; the threads wait for them in any.
  answers,     ///< Thread 0 waits for what comes once all others have got theirs, and answered.
  any_of_two,  ///< Each thread waits for either of two requests, then for the other.
  two_rings,   ///< A thread takes one packet of each ring and is done; the next is the sleeper's.
  dropped,     ///< Requests are dropped, and receives cancelled, while others wait.
  lost,        ///< Rank 1 fails while rank 0 waits for it: who notices tells the others.
  stuck,       ///< Thread 0 sleeps for an answer when another thread of its rank meets a full ring.
  completions,  ///< Thread 0 waits for its sends, thread 1 polls for a while, and brings them.
  flood,        ///< More than the rings hold, while the receivers sleep.
};

struct plan {
  script what = script::exchange;
  bool oversubscribed = false;
  fault::kind planted = fault::kind::none;
};

template <class Stack, std::size_t PerRank>
class two_ranks {
 public:
  static constexpr std::size_t threads = 2 * PerRank;
  static constexpr bool quiet_start = true;

  two_ranks(explore::scheduler& s, const plan& p) : scheduler_(s), plan_(p), job_(2) {
    s.cores = p.oversubscribed ? 1 : 64;
  }

  void thread(std::size_t i) {
    const auto rank = static_cast<mpx::rank_t>(i / PerRank);
    const auto t = static_cast<mpx::tag_t>(i % PerRank);
    auto& place = places_[i / PerRank];
    if (t == 0)
      place = std::make_unique<mpx::environment<Stack>>(
          mpx::bootstrap::any(mpx::bootstrap::threads(job_, rank)));
    scheduler_.all_here();
    {
      mpx::environment<Stack>& env = *places_[i / PerRank];
      if (i == 0) scheduler_.plant({plan_.planted, &env, sizeof env, 0});
      scheduler_.begin();
      act(env.world(), t);
    }
    scheduler_.end();
    if (t == 0) place.reset();
  }
  std::string wrong() { return failure_; }

 private:
  using communicator = mpx::communicator<Stack>;
  using bytes = std::vector<std::byte>;
  static constexpr auto per_rank = static_cast<mpx::tag_t>(PerRank);

  static bytes message(std::size_t size, mpx::tag_t seed) {
    bytes m(size);
    for (std::size_t i = 0; i < size; ++i)
      m[i] = static_cast<std::byte>(static_cast<std::size_t>(seed) * 31 + i * 7);
    return m;
  }
  void check(const bytes& got, std::size_t size, mpx::tag_t seed) {
    if (got != message(size, seed)) scheduler_.fail("a message has wrong contents");
  }
  static std::size_t size_of(mpx::tag_t i) {
    constexpr std::size_t sizes[] = {8, 100, 700, 0, 2000};
    return sizes[static_cast<std::size_t>(i) % 5];
  }

  void act(communicator world, mpx::tag_t t) {
    const mpx::rank_t other = 1 - world.rank();
    switch (plan_.what) {
      case script::exchange: return exchange(world, other, t);
      case script::queue: return queue(world, other, t);
      case script::own_rank: return own_rank(world, t);
      case script::hand_over: return hand_over(world, t);
      case script::answers: return answers(world, t);
      case script::any_of_two: return any_of_two(world, other, t);
      case script::two_rings: return two_rings(world, t);
      case script::dropped: return dropped(world, other, t);
      case script::lost: return lost(world, t);
      case script::stuck: return stuck(world, t);
      case script::completions: return completions(world, other, t);
      case script::flood: return flood(world, other, t);
    }
  }

  void exchange(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    for (mpx::tag_t i = t; i < t + 2; ++i) {
      const bytes out = message(size_of(i), i);
      bytes in(out.size());
      auto receiving = world.irecv(in, other, t);
      auto sending = world.isend(out, other, t);
      if (i % 2 == 0) {
        receiving.wait();
        sending.wait();
      } else {
        sending.wait();
        receiving.wait();
      }
      check(in, out.size(), i);
    }
  }
  void queue(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    const bytes out = message(size_of(2), 5);
    auto sending = t % 2 == 0 ? world.isend(out, other, 9) : world.issend(out, other, 9);
    bytes in(out.size());
    if (t == 0) {
      world.recv(in, mpx::any_source, 9);
    } else {
      world.mprobe(mpx::any_source, 9).recv(in);
    }
    check(in, out.size(), 5);
    sending.wait();
  }
  void own_rank(communicator& world, mpx::tag_t t) {
    if (t == 0) {
      for (mpx::tag_t to = 1; to < per_rank; ++to) {
        const bytes out = message(size_of(to), to);
        world.send(out, world.rank(), to);
      }
      return;
    }
    bytes in(size_of(t));
    world.recv(in, world.rank(), t);
    check(in, in.size(), t);
  }
  void hand_over(communicator& world, mpx::tag_t t) {
    if (world.rank() == 1) {
      if (t != 0) return;
      for (mpx::tag_t i = 0; i < 2 * per_rank; ++i) {
        const bytes out = message(size_of(i), i);
        world.send(out, 0, i);
      }
      return;
    }
    for (const mpx::tag_t i : {t, 2 * per_rank - 1 - t}) {
      bytes in(size_of(i));
      world.recv(in, 1, i);
      check(in, in.size(), i);
    }
  }
  void answers(communicator& world, mpx::tag_t t) {
    bytes in(8);
    if (world.rank() == 0) {
      world.recv(in, 1, t);
      check(in, 8, t);
      if (t != 0) world.send(in, 1, t);
    } else if (t == 0) {
      for (mpx::tag_t i = 1; i < per_rank; ++i) world.send(message(8, i), 0, i);
      for (mpx::tag_t i = 1; i < per_rank; ++i) world.recv(in, 0, i);
      world.send(message(8, 0), 0, 0);
    }
  }
  void any_of_two(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    const bytes out = message(size_of(t), t);
    bytes in[2] = {bytes(out.size()), bytes(out.size())};
    std::vector<mpx::request<Stack>> both;
    both.push_back(world.irecv(in[0], other, 2 * t));
    both.push_back(world.irecv(in[1], other, 2 * t + 1));
    world.send(out, other, 2 * t + 1);
    mpx::wait_any(both);
    world.send(out, other, 2 * t);
    mpx::wait_all(both);
    check(in[0], out.size(), t);
    check(in[1], out.size(), t);
  }
  void two_rings(communicator& world, mpx::tag_t t) {
    if (t > 1) return;
    bytes in(8);
    if (world.rank() == 1 && t == 0) {
      world.send(message(8, 1), 0, 1);
      world.send(message(8, 0), 0, 0);
    } else if (world.rank() == 0 && t == 0) {
      world.recv(in, 1, 0);
      check(in, 8, 0);
    } else if (world.rank() == 0) {
      auto receiving = world.irecv(in, 1, 1);
      bytes own(8);
      world.send(message(8, 2), 0, 2);
      world.recv(own, 0, 2);
      receiving.wait();
      check(in, 8, 1);
      check(own, 8, 2);
    }
  }
  void dropped(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    if (t != 0) return exchange(world, other, t);
    const bytes out = message(700, 3);
    bytes in(out.size());
    {
      auto never = world.irecv(in, other, 50);
      auto also_never = world.irecv(in, other, 51);
      also_never.cancel();
      also_never.wait();
    }
    {
      auto sending = world.issend(out, other, 52);
    }
    world.recv(in, other, 52);
    check(in, out.size(), 3);
    world.sendrecv(out, other, 53, in, other, 53);  // The dropped send may need this rank still.
  }
  void lost(communicator& world, mpx::tag_t t) {
    if (world.rank() == 1) {
      if (t != 0) return;
      job_.mark_ended(1, false);
      lost_.store(true, std::memory_order_release);
      return;
    }
    while (t != 0 && !lost_.load(std::memory_order_acquire)) explore::relax();
    bytes in(8);
    std::error_code why;
    world.recv(in, 1, t, why);
    if (why != mpx::errc::peer_lost) scheduler_.fail("a receive from a lost rank succeeds");
  }
  void stuck(communicator& world, mpx::tag_t t) {
    if (t > 1) return;
    const bytes out = message(8, 1);
    bytes in(8);
    if (world.rank() == 0 && t == 0) world.recv(in, 1, 0);
    if (world.rank() == 0 && t == 1)
      for (int i = 0; i < 10; ++i) world.send(out, 1, 1);
    if (world.rank() == 1 && t == 0) {
      for (int i = 0; i < 10; ++i) world.recv(in, 0, 1);
      world.send(out, 0, 0);
    }
  }
  void completions(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    if (t > 1 || (world.rank() == 1 && t == 1)) return;
    for (mpx::tag_t i = 0; i < 3; ++i) {
      if (t == 1) {
        for (int polls = 0; polls < 3; ++polls) (void)world.iprobe(other, 77);
      } else if (world.rank() == 0) {
        bytes out = message(size_of(i), i);
        auto sending = i == 1 ? world.issend(out, other, i) : world.isend(out, other, i);
        sending.wait();
        std::fill(out.begin(), out.end(), std::byte{0xee});  // The transport reads it no more.
      } else {
        bytes in(size_of(i));
        world.recv(in, other, i);
        check(in, in.size(), i);
      }
    }
  }
  void flood(communicator& world, mpx::rank_t other, mpx::tag_t t) {
    const bytes out = message(8, t);
    if (world.rank() == 0)
      for (int i = 0; i < 8; ++i) world.send(out, other, t);
    bytes in(8);
    if (world.rank() == 1)
      for (int i = 0; i < 8; ++i) {
        world.recv(in, other, t);
        check(in, 8, t);
      }
  }

  explore::scheduler& scheduler_;
  plan plan_;
  mpx::bootstrap::thread_job job_;
  std::unique_ptr<mpx::environment<Stack>> places_[2];
  std::atomic<bool> lost_{false};
  std::string failure_;
};

template <class Stack, std::size_t PerRank>
void sound(const std::string& name, std::uint64_t schedules, script what) {
  for (const bool over : {false, true})
    explore::check_sound(
        name + ", 2 x " + std::to_string(PerRank) + " threads" + (over ? ", oversubscribed" : ""),
        explore::search<two_ranks<Stack, PerRank>>(schedules, plan{what, over}), schedules / 2);
}

}  // namespace

TEST_CASE("preempt: threads of a rank wait for each other's messages") {
  sound<by_get, 2>("exchange, by get", 300, script::exchange);
  sound<by_packets, 2>("exchange, by packets", 300, script::exchange);
  sound<by_get, 3>("exchange, by get", 200, script::exchange);
  sound<by_get, 3>("the lead is handed over", 300, script::hand_over);
  sound<by_get, 2>("two rings", 300, script::two_rings);
  sound<by_get, 3>("answers", 300, script::answers);
  sound<by_get, 3>("within a rank", 300, script::own_rank);
}

TEST_CASE("preempt: threads of a rank and their requests") {
  sound<by_get, 2>("one queue", 300, script::queue);
  sound<by_get, 2>("any of two", 300, script::any_of_two);
  sound<by_get, 2>("dropped and cancelled", 300, script::dropped);
  sound<by_packets, 2>("dropped and cancelled", 300, script::dropped);
  sound<by_get, 3>("a rank is lost", 300, script::lost);
  sound<by_get, 2>("a full ring while one sleeps", 300, script::stuck);
  sound<by_get, 2>("flood", 200, script::flood);
}

TEST_CASE("preempt: threads of a rank wait for posts that are pending") {
  sound<by_late, 2>("completions by another thread", 400, script::completions);
  sound<by_late, 2>("late, exchange", 200, script::exchange);
  sound<by_late, 3>("late, within a rank", 200, script::own_rank);
  sound<by_late, 2>("late, any of two", 200, script::any_of_two);
  sound<by_late, 2>("late, dropped and cancelled", 200, script::dropped);
  sound<by_late, 3>("late, a rank is lost", 100, script::lost);
  sound<by_late, 2>("late, flood", 100, script::flood);
}

TEST_CASE("preempt: faults of waiting threads are found" * doctest::skip(explore::sampled)) {
  using kind = fault::kind;
  explore::check_found("the leader is not woken",
                       explore::search<two_ranks<with_deaf, 3>>(5000, plan{script::lost}));
  explore::check_found("a completion is lost",
                       explore::search<two_ranks<with_lost, 2>>(5000, plan{script::completions}));
  explore::check_found("the leader sleeps on a post that is pending",
                       explore::search<two_ranks<with_late_deaf, 2>>(5000, plan{script::own_rank}));
  explore::check_found(
      "the followers are not woken",
      explore::search<two_ranks<by_get, 3>>(5000, plan{script::hand_over, false, kind::no_wake}));
  explore::check_found("a follower does not compare",
                       explore::search<two_ranks<by_get, 3>>(
                           5000, plan{script::hand_over, false, kind::hasty_sleep}));
}
