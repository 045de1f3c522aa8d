// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// The hang monitor of a job, over the segment of ranks that only pretend to wait: when it speaks,
// and what it makes of nonsense.

#include <atomic>
#include <mpx/mpx.hpp>
#include <mpx/watch/hang_monitor.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"
#include "watch/waiting.hpp"

namespace {

using mpx::detail::hang_info;
using ranks::contains;
using monitor_type = mpx::detail::hang_monitor<>;
using words = mpx::bootstrap::detail::hang_words;

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t limit_ns = 1000 * ms;

/// A job of ranks that have joined, and say what the test has them say.
class stage {
 public:
  explicit stage(mpx::rank_t ranks, std::int64_t limit = limit_ns)
      : job_(ranks), monitor_(job_.segment(), limit) {
    for (mpx::rank_t r = 0; r < ranks; ++r) members_.emplace_back(std::in_place, job_, r);
  }

  const mpx::bootstrap::thread_job& job() const { return job_; }
  const mpx::bootstrap::job_segment& segment() const { return job_.segment(); }
  const monitor_type& monitor() const { return monitor_; }
  monitor_type& monitor() { return monitor_; }
  std::int64_t now() const { return now_; }
  void leave(mpx::rank_t r) { members_[static_cast<std::size_t>(r)]->mark_finished(); }
  void die(mpx::rank_t r) {
    members_[static_cast<std::size_t>(r)].reset();
    job_.mark_ended(r, false);
  }

  void say(mpx::rank_t r, const hang_info& info) {
    segment().put_hang(r, std::as_bytes(std::span(&info, 1)));
  }
  /// `ago_ns`: how long nothing has moved there; 0: it does not say.
  void wait(mpx::rank_t r, mpx::rank_t peer, std::uint32_t flags = 0, std::int64_t ago_ns = 0) {
    hang_info info = said::waiting(r, peer);
    info.since_ns = ago_ns == 0 ? 0 : now_ - ago_ns;
    say(r, info);
    auto& mark = segment().hang(r).mark;
    mark.store((mark.load() & ~3u) + words::next + words::stuck + flags);
    segment().hang(r).seen_ns.store(now_);
  }
  void go_on(mpx::rank_t r) {
    auto& mark = segment().hang(r).mark;
    mark.store((mark.load() & ~3u) + words::next);
  }
  /// Looks every 100 ms for so long. Returns all that was said.
  std::string look_for(std::int64_t ns) {
    std::string all;
    for (const std::int64_t end = now_ + ns; now_ < end;) {
      now_ += 100 * ms;
      all += monitor_.look(now_);
    }
    return all;
  }

 private:
  mpx::bootstrap::thread_job job_;
  std::vector<std::optional<mpx::bootstrap::threads>> members_;
  monitor_type monitor_;
  std::int64_t now_ = 1'000'000 * ms;
};

std::size_t reports(const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find("mpx: hang report:", at)) != std::string::npos; ++at)
    ++n;
  return n;
}

TEST_CASE("hang_monitor: one report when all wait, another one after a change") {
  for (const mpx::rank_t n : ranks::counts) {
    stage s(n);
    CHECK(s.look_for(5000 * ms).empty());
    for (mpx::rank_t r = 0; r < n; ++r) s.wait(r, (r + 1) % n);
    CHECK(s.look_for(100 * ms).empty());  // They may just be about to continue.
    const std::string first = s.look_for(100 * ms);
    CHECK(first.starts_with("mpx: hang report: nothing has moved for 1 s in this job of " +
                            std::to_string(n) + " rank" + (n == 1 ? "\n" : "s\n")));
    CHECK(contains(first, "cycle: rank 0 waits for rank"));
    CHECK(contains(first, "  the job goes on waiting"));
    CHECK(s.look_for(20'000 * ms).empty());
    s.go_on(0);
    CHECK(s.look_for(500 * ms).empty());
    s.wait(0, n - 1);
    CHECK(reports(s.look_for(5000 * ms)) == 1);
  }
}

TEST_CASE("hang_monitor: a job that is about to be ended, whether it hangs or not") {
  stage s(3);
  s.wait(0, 1);
  const std::uint32_t asked = s.segment().hang_head().asked.load();
  s.monitor().ask();
  CHECK(s.segment().hang_head().asked.load() == asked + 1);
  s.say(1, said::waiting(1, 0));
  s.segment().hang(1).answered.store(asked + 1);
  const std::string text = s.monitor().look_at_all(s.now());
  CHECK(reports(text) == 1);
  CAPTURE(text);
  CHECK(contains(text, "1 of 3 ranks have waited"));
  CHECK(contains(text, "  rank 0 waits in recv at main.cpp:10"));
  CHECK(contains(text, "  rank 1 waits in recv at main.cpp:11"));
  CHECK(contains(text, "  rank 2 has joined, and does not say what it is doing"));
  CHECK(!contains(text, "goes on waiting"));
  s.wait(1, 0);
  s.wait(2, 0);
  CHECK(contains(s.monitor().look_at_all(s.now()), "nothing has moved for 1 s"));

  const mpx::bootstrap::thread_job nobody(2);
  monitor_type monitor(nobody.segment(), limit_ns);
  CHECK(monitor.look_at_all(s.now()).empty());
}

TEST_CASE("hang_monitor: how long nothing has moved") {
  const auto headline = [](std::int64_t first, std::int64_t second, bool last) {
    stage s(2, 200 * ms);
    s.wait(0, 1, 0, first);
    s.wait(1, 0, 0, second);
    const std::string text = last ? s.monitor().look_at_all(s.now()) : s.look_for(200 * ms);
    return text.substr(0, text.find(" in this"));
  };
  const std::string begin = "mpx: hang report: nothing has moved for ";
  CHECK(headline(3000 * ms, 9000 * ms, true) == begin + "3 s");
  CHECK(headline(9000 * ms, 8012 * ms, true) == begin + "8 s");
  CHECK(headline(310 * ms, 310 * ms, true) == begin + "0.31 s");
  CHECK(headline(1260 * ms, 1260 * ms, true) == begin + "1.3 s");
  CHECK(headline(999 * ms, 2000 * ms, true) == begin + "1 s");
  CHECK(headline(99'970 * ms, 99'970 * ms, true) == begin + "100 s");
  CHECK(headline(123'456 * ms, 200'000 * ms, true) == begin + "123 s");
  CHECK(headline(3000 * ms, 5000 * ms, false) == begin + "3.2 s");  // It looks twice.
  CHECK(headline(-5 * ms, 5000 * ms, true) == begin + "5 s");       // In the future: nonsense.
  CHECK(headline(0, 0, true) == begin + "0.2 s");
}

TEST_CASE("hang_monitor: a rank that is gone does not count, and is named") {
  stage s(3);
  s.wait(0, 1);
  s.wait(2, 1);
  SUBCASE("left") {
    s.leave(1);
    const std::string text = s.look_for(300 * ms);
    CHECK(contains(text, "nothing has moved"));
    CHECK(contains(text, "ranks 0, 2 wait for rank 1, which has left the job"));
  }
  SUBCASE("died") {
    s.die(1);
    CHECK(contains(s.look_for(300 * ms), "ranks 0, 2 wait for rank 1, which has failed"));
  }
  SUBCASE("died while it waited") {
    s.wait(1, 0);
    s.die(1);
    CHECK(contains(s.look_for(300 * ms), "  rank 1 has failed\n"));
  }
}

TEST_CASE("hang_monitor: some wait, others do not: once, after the limit, and after asking") {
  stage s(3);
  s.wait(0, 2);
  s.wait(1, 2);
  CHECK(s.look_for(1000 * ms).empty());
  CHECK(s.segment().hang_head().asked.load() == 0);
  CHECK(s.look_for(100 * ms).empty());
  CHECK(s.segment().hang_head().asked.load() == 1);
  SUBCASE("the third does not answer") {
    s.segment().hang(2).seen_ns.store(s.now() - 4000 * ms);
    const std::string text = s.look_for(400 * ms);
    CHECK(contains(text, "mpx: hang report: 2 of 3 ranks have waited for 1 s or longer\n"));
    CHECK(contains(text, "  rank 2 is not in mpx (for 4.3 s)\n"));
    CHECK(contains(text, "ranks 0, 1 wait for rank 2, which is not in mpx"));
  }
  SUBCASE("the third answers") {
    s.say(2, said::waiting(2, 0));
    s.segment().hang(2).answered.store(1);
    const std::string text = s.look_for(400 * ms);
    CHECK(contains(text, "  rank 2 waits in recv at main.cpp:12"));
    CHECK(contains(text, "cycle: rank 0 waits for rank 2, rank 2 for rank 0"));
  }
  SUBCASE("they go on before") {
    s.go_on(0);
    s.go_on(1);
    CHECK(s.look_for(5000 * ms).empty());
    return;
  }
  CHECK(s.look_for(20'000 * ms).empty());
}

TEST_CASE("hang_monitor: a rank that tests counts only while it does") {
  stage s(2);
  s.wait(0, 1);
  s.wait(1, 0, words::testing);
  s.segment().hang(1).seen_ns.store(s.now() - 5000 * ms);
  CHECK(s.look_for(500 * ms).empty());
  s.segment().hang(1).seen_ns.store(s.now());
  CHECK(contains(s.look_for(300 * ms), "nothing has moved"));
  // It leaves the call and returns to it, and nothing has moved.
  CHECK(s.look_for(3000 * ms).empty());
  s.segment().hang(1).seen_ns.store(s.now());
  CHECK(s.look_for(800 * ms).empty());
  // It does not cause a new report on ranks that were reported meanwhile.
  CHECK(s.look_for(500 * ms).empty());
  s.go_on(0);
  s.wait(0, 1);
  CHECK(reports(s.look_for(5000 * ms)) == 1);
  s.segment().hang(1).seen_ns.store(s.now());
  CHECK(s.look_for(800 * ms).empty());
}

TEST_CASE("hang_monitor: the environment in which ranks wait counts") {
  stage s(2);
  {
    // Rank 0 waits in its first environment, though it has joined a second.
    mpx::bootstrap::threads second(s.job(), 0);
    s.wait(0, 1);
    s.leave(1);
    CHECK(contains(s.look_for(300 * ms), "rank 1 has left the job"));
    second.mark_finished();
  }
  hang_info later = said::waiting(0, 1);
  later.environment = 1;
  s.wait(0, 1);
  s.say(0, later);
  CHECK(contains(s.look_for(5000 * ms), "rank 1 has not joined the job"));
}

TEST_CASE("hang_monitor: a rank's own patience counts, if it makes sense") {
  stage s(1, 0);
  CHECK(s.monitor().limit_ns() == 0);
  auto& limit = s.segment().hang_head().limit_ns;
  for (const std::int64_t wrong : {INT64_MIN, std::int64_t{-1}, std::int64_t{1}, INT64_MAX}) {
    limit.store(wrong);
    CHECK(s.monitor().limit_ns() == 0);
  }
  limit.store(250 * ms);
  CHECK(s.monitor().limit_ns() == 250 * ms);
  s.wait(0, 0);
  CHECK(contains(s.look_for(300 * ms), "nothing has moved for 0.25 s in this job of 1 rank\n"));
}

TEST_CASE("hang_monitor: polls are rare while there is nothing new to report") {
  stage s(2, 100'000 * ms);
  s.look_for(100 * ms);
  CHECK(s.monitor().pace_ns() == 1000 * ms);
  s.wait(0, 1);
  s.look_for(100 * ms);
  CHECK(s.monitor().pace_ns() == 100 * ms);
  s.wait(1, 0);
  CHECK(reports(s.look_for(300 * ms)) == 1);
  s.look_for(100 * ms);
  CHECK(s.monitor().pace_ns() == 1000 * ms);
  s.segment().hang_head().limit_ns.store(ms);
  CHECK(s.monitor().pace_ns() == 10 * ms);
}

TEST_CASE("hang_monitor: malformed state is reported as such, and does no harm") {
  SUBCASE("of a wrong length") {
    stage s(2);
    s.wait(0, 1);
    s.wait(1, 0);
    s.segment().put_hang(1, std::as_bytes(std::span("nonsense")));
    const std::string text = s.look_for(300 * ms);
    CHECK(contains(text, "  rank 1 cannot be understood\n"));
    CHECK(contains(text, "rank 0 waits for rank 1, which cannot be understood\n"));
  }
  SUBCASE("noise, and what has a few bytes wrong") {
    std::size_t told = 0;
    std::size_t used = 0;
#ifdef MPX_TEST_REPEATED  // No other thread runs here.
    constexpr std::uint64_t seeds = 300;
#else
    constexpr std::uint64_t seeds = 3000;
#endif
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      stage s(3);
      for (mpx::rank_t r = 0; r < 3; ++r) s.wait(r, (r + 1) % 3);
      hang_info info = said::waiting(1, seed % 2 == 0 ? 2 : -1);
      info.posted.add(info.calls[0].on.at[0]);
      info.unexpected.add(info.calls[0].on.at[0]);
      if (seed % 3 == 0) info.calls[0].kind = mpx::detail::wait_kind::leaving;
      auto* bytes = reinterpret_cast<unsigned char*>(&info);
      const std::size_t wrong = seed % 5 == 0 ? sizeof info : 1 + seed % 7;
      for (std::size_t i = 0; i < wrong; ++i) {
        const auto at = std::to_integer<std::size_t>(ranks::byte_of(seed, 3 * i)) * 16 +
                        std::to_integer<std::size_t>(ranks::byte_of(seed, 3 * i + 1)) % 16;
        bytes[at % (i % 2 == 0 ? 96 : sizeof info)] =
            std::to_integer<unsigned char>(ranks::byte_of(seed, 3 * i + 2));
      }
      s.say(1, info);
      auto& w = s.segment().hang(1);
      if (seed % 11 == 0) w.seen_ns.store(seed % 2 == 0 ? INT64_MIN : INT64_MAX);
      if (seed % 13 == 0) w.mark.store(~0u);
      if (seed % 17 == 0) w.answered.store(~0u);
      const std::string text = s.look_for(3000 * ms);
      told += reports(text);
      used += contains(text, "rank 1 cannot be understood") ? 0u : 1u;
      for (const char c : text) REQUIRE((c == '\n' || (c >= ' ' && c <= '~')));
      REQUIRE(text.size() < 64 * 1024);
    }
    CHECK(told > seeds / 3 * 2);
    CHECK(used > seeds / 6);
    CHECK(used < seeds / 30 * 29);
  }
  SUBCASE("while it changes") {
    stage s(2);
    s.wait(0, 1);
    s.wait(1, 0);
    std::atomic<bool> over = false;
    std::thread writer([&] {
      for (std::uint32_t i = 0; !over; ++i) {
        hang_info info = said::waiting(1, static_cast<mpx::rank_t>(i % 5) - 2);
        s.say(1, info);
        s.segment().hang(1).mark.store(i % 3 == 0 ? i * 4 + 1 : 5);
      }
    });
    std::size_t told = 0;
    for (int i = 0; i < 2000; ++i) told += reports(s.look_for(100 * ms));
    over = true;
    writer.join();
    CHECK(told <= 2000);
    s.say(1, said::waiting(1, 0));
    s.segment().hang(1).mark.store(1'000'001);
    CHECK(reports(s.look_for(500 * ms)) == 1);
  }
}

TEST_CASE("hang_monitor: a job of threads is monitored only if asked for") {
  const mpx::bootstrap::thread_job job(2);
  for (const char* value : {"", "x", "0"}) {
    ::setenv("MPX_HANG_REPORT", value, 1);
    mpx::detail::look_after_threads(job.segment());  // Returns, though no rank has ended.
  }
  ::unsetenv("MPX_HANG_REPORT");
  mpx::detail::look_after_threads(job.segment());
}

}  // namespace
