// SPDX-License-Identifier: BSL-1.0
// timeout: 180

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mpx/mpx.hpp>

#include "comm/ranks.hpp"
#include "watch/waiting.hpp"

namespace {

using namespace mpx::detail;
using ranks::contains;
using said::in_state;
using said::waiting;

std::string report(const std::vector<hang_info>& all) { return format_hang_report(all); }

TEST_CASE("hang report: the awaited operation of a rank, in one line") {
  hang_info one = waiting(0, 1);
  one.now_ns = 3'000'000'000;
  one.calls[0].since_ns = 1'000'000'000;
  const std::string text = report({one, in_state(1, hang_state::left)});
  CHECK(contains(text,
                 "  rank 0 waits in recv at main.cpp:10: from rank 1, tag 7, communicator 0, "
                 "room for 8 bytes (for 2.0 s)\n"));
  CHECK(contains(text, "  rank 1 has left the job\n"));
  CHECK(contains(text, "rank 0 waits for rank 1, which has left the job: nothing more comes"));
}

TEST_CASE("hang report: cycles") {
  SUBCASE("of one") {
    CHECK(contains(report({waiting(0, 0)}), "cycle: rank 0 waits for rank 0\n"));
  }
  SUBCASE("of two, with one that waits for them") {
    const std::string text = report({waiting(0, 1), waiting(1, 2), waiting(2, 1)});
    CHECK(contains(text, "cycle: rank 1 waits for rank 2, rank 2 for rank 1\n"));
    CHECK(!contains(text, "rank 0 for"));
  }
  SUBCASE("two of them") {
    const std::string text = report({waiting(0, 1), waiting(1, 0), waiting(2, 3), waiting(3, 2)});
    CHECK(contains(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n"));
    CHECK(contains(text, "cycle: rank 2 waits for rank 3, rank 3 for rank 2\n"));
  }
  SUBCASE("none through a rank that may still send") {
    const std::string text = report({waiting(0, 1), waiting(1, -1), in_state(2, hang_state::busy)});
    CHECK(!contains(text, "cycle:"));
    CHECK(contains(text, "ranks 0, 1 wait for rank 2") == false);
    CHECK(contains(text, "rank 1 waits for rank 2, which is not in mpx"));
  }
  SUBCASE("any source waits for all") {
    const std::string text = report({waiting(0, -1), waiting(1, -1), waiting(2, 0)});
    CHECK(contains(text, "from any rank"));
    CHECK(contains(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n"));
  }
  SUBCASE("one of several suffices, all are needed elsewhere") {
    hang_info any = waiting(0, 1);
    any.calls[0].on.add({2, 1, 0, hang_stage::posted, false, 0});
    any.calls[0].kind = mpx::detail::wait_kind::any;
    const std::vector<hang_info> all = {any, waiting(1, 0), in_state(2, hang_state::busy)};
    CHECK(!contains(report(all), "cycle:"));
    std::vector<hang_info> needed = all;
    needed[0].calls[0].kind = mpx::detail::wait_kind::all;
    CHECK(!contains(report(needed), "cycle: rank 1 waits for rank 2"));
  }
  SUBCASE("who leaves waits for those who do not") {
    hang_info leaver = in_state(1, hang_state::waits);
    leaver.add_call()->kind = mpx::detail::wait_kind::leaving;
    const std::string text = report({waiting(0, 1), leaver});
    CHECK(contains(text, "rank 1 leaves the job that it joined, waits for rank 0\n"));
    CHECK(contains(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n"));
  }
  SUBCASE("of very many") {
    std::vector<hang_info> all;
    for (mpx::rank_t r = 0; r < 1000; ++r) all.push_back(waiting(r, (r + 1) % 1000));
    const std::string text = report(all);
    CHECK(contains(text, "and so on through 1000 ranks"));
    CHECK(contains(text, "and 936 ranks more"));
    CHECK(text.size() < 20'000);
  }
}

TEST_CASE("hang report: hints") {
  hang_info one = waiting(0, 1, 7);
  SUBCASE("another tag") {
    one.unexpected.add({.peer = 1, .tag = 8, .context = 0, .stage = hang_stage::arrived});
    CHECK(contains(report({one, waiting(1, 0)}),
                   "hint: rank 0 wants tag 7, a message here has tag 8"));
  }
  SUBCASE("another rank") {
    one.unexpected.add({.peer = 0, .tag = 7, .context = 0, .stage = hang_stage::arrived});
    CHECK(
        contains(report({one, waiting(1, 0)}), "wants a message of rank 1, one here is of rank 0"));
  }
  SUBCASE("another communicator") {
    one.unexpected.add({.peer = 1, .tag = 7, .context = 4, .stage = hang_stage::arrived});
    CHECK(
        contains(report({one, waiting(1, 0)}), "on communicator 0, one here is on communicator 2"));
  }
  SUBCASE("nothing alike") {
    one.unexpected.add({.peer = 0, .tag = 8, .context = 0, .stage = hang_stage::arrived});
    CHECK(!contains(report({one, waiting(1, 0)}), "hint"));
  }
}

TEST_CASE("hang report: communicators are called by their names") {
  hang_info one = waiting(0, 1);
  hang_info two = waiting(1, 0);
  two.calls[0].on.at[0].context = one.calls[0].on.at[0].context = 5;  // Collective.
  for (hang_info* i : {&one, &two}) {
    i->names_kept = 1;
    i->names[0].context = 4;
    copy_head(i->names[0].text, i == &one ? "halo" : std::string(100, 'h').c_str());
  }
  copy_head(two.calls[0].name, "bcast");
  one.unexpected.add({.peer = 1, .tag = 7, .context = 2, .stage = hang_stage::arrived});
  const std::string text = report({one, two});
  CHECK(contains(text, "collective call 8 of communicator 2 (halo), room for"));
  CHECK(contains(text, "from rank 1, tag 7, communicator 1, 0 bytes"));
  CHECK(contains(text, "of communicator 2 (" + std::string(42, 'h') + ") is recv on rank 0"));
}

/// A rank that waits in a window's call.
hang_info at_window(mpx::rank_t rank, const char* call, hang_stage what,
                    std::initializer_list<mpx::rank_t> on, mpx::tag_t tag = -1,
                    mpx::context_id context = 6) {
  hang_info info = waiting(rank, 0);
  copy_head(info.calls[0].name, call);
  info.calls[0].on = {};
  for (const mpx::rank_t r : on)
    info.calls[0].on.add({.peer = r, .tag = tag, .context = context, .stage = what});
  return info;
}

TEST_CASE("hang report: the awaited action of a window's call") {
  hang_info fence = at_window(0, "fence", hang_stage::comes, {1, 2});
  fence.names_kept = 1;
  fence.names[0].context = 6;
  fence.names[0].window = 1;
  copy_head(fence.names[0].text, "made at main.cpp:5");
  fence.unexpected.add({.peer = 1, .tag = 8, .context = 6, .stage = hang_stage::arrived});
  const std::string text = report({fence, at_window(1, "put", hang_stage::posts, {2}),
                                   at_window(2, "wait", hang_stage::completes, {0})});
  CHECK(contains(text,
                 "rank 0 waits in fence at main.cpp:10: for ranks 1, 2 to come, window 3 "
                 "(made at main.cpp:5)\n"));
  CHECK(contains(text, "rank 1 waits in put at main.cpp:11: for rank 2 to post, window 3\n"));
  CHECK(contains(text, "rank 2 waits in wait at main.cpp:12: for rank 0 to complete, window 3\n"));
  CHECK(contains(text, "cycle: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0\n"));
  CHECK(!contains(text, "hint"));  // A window's call waits for no message.
  const std::string others = report({at_window(0, "flush", hang_stage::answers, {1}),
                                     at_window(1, "fence", hang_stage::arrives, {-1})});
  CHECK(contains(others, "for rank 1 to answer, window 3\n"));
  CHECK(contains(others, "for what other ranks have sent, window 3\n"));
}

TEST_CASE("hang report: the owner of a lock's target names the holder") {
  const hang_info waits = at_window(0, "flush", hang_stage::unlocks, {-1}, 1);
  CHECK(contains(report({waits, waiting(1, 0)}), "for whoever has locked rank 1, window 3\n"));
  hang_info owner = waiting(1, 2);
  owner.locks.add({.peer = 2, .context = 8, .stage = hang_stage::unlocks});  // Another window's.
  CHECK(contains(report({waits, owner, waiting(2, 0)}), "for whoever has locked rank 1, window"));
  owner.locks.add({.peer = 2, .context = 6, .stage = hang_stage::unlocks});
  const std::string text = report({waits, owner, waiting(2, 0)});
  CHECK(contains(text, "for rank 2 to unlock rank 1, window 3\n"));
  CHECK(contains(text, "cycle: rank 0 waits for rank 2, rank 2 for rank 0\n"));
  // The owner of the lock computes: it may unlock.
  const std::string may = report({waits, owner, in_state(2, hang_state::busy)});
  CHECK(!contains(may, "cycle"));
  CHECK(contains(may, "ranks 0, 1 wait for rank 2, which is not in mpx\n"));
  hang_info wild = at_window(0, "flush", hang_stage::unlocks, {-1}, 7);  // There is no such rank.
  CHECK(sound(wild, 3));
  CHECK(contains(report({wild, owner, waiting(2, 0)}), "for whoever has locked rank 7"));
}

TEST_CASE("hang report: calls of all ranks of several communicators, in a cycle") {
  const char* const hint =
      "hint: rank 0 is in fence of window 3, rank 1 in barrier of communicator 1";
  hang_info barrier = waiting(1, 0);
  copy_head(barrier.calls[0].name, "barrier");
  barrier.calls[0].on.at[0].context = 3;
  const hang_info fence = at_window(0, "fence", hang_stage::comes, {1});
  CHECK(contains(report({fence, barrier}), hint));
  // One that is in something else may be why; and so may be one that no cycle leads to.
  CHECK(!contains(report({fence, waiting(1, 0)}), "hint"));
  barrier.calls[0].on.at[0].peer = 2;
  CHECK(!contains(report({fence, barrier, waiting(2, 0)}), "hint"));
  CHECK(!contains(report({fence, barrier, in_state(2, hang_state::busy)}), "hint"));
  // Of one communicator its numbers tell.
  CHECK(!contains(report({fence, at_window(1, "fence", hang_stage::comes, {0})}), "hint"));
}

TEST_CASE("hang report: long lists and texts are cut, which is marked") {
  hang_info one = waiting(0, 0);
  for (int i = 0; i < 40; ++i)
    one.unexpected.add({.peer = 0, .tag = i, .context = 2, .stage = hang_stage::arrived});
  copy_tail(one.calls[0].file, (std::string(500, 'x') + "/end.cpp").c_str());
  copy_head(one.calls[0].name, std::string(100, 'n').c_str());
  const std::string text = report({one});
  CHECK(contains(text, "; and 24 more\n"));
  CHECK(contains(text, "x/end.cpp:10"));
  CHECK(contains(text, "waits in nnn"));
}

TEST_CASE("hang report: malformed state is not used") {
  const hang_info good = waiting(0, 1);
  const auto spoilt = [&](auto spoil) {
    hang_info bad = good;
    spoil(bad);
    return !sound(bad, 2);
  };
  hang_info copy = good;
  CHECK(sound(copy, 2));
  CHECK(spoilt([](hang_info& i) { i.calls_kept = 5; }));
  CHECK(spoilt([](hang_info& i) { i.names_kept = 9; }));
  CHECK(spoilt([](hang_info& i) { i.state = static_cast<hang_state>(99); }));
  CHECK(spoilt([](hang_info& i) { i.posted.kept = 1000; }));
  CHECK(spoilt([](hang_info& i) { i.posted.kept = i.posted.total = 17; }));
  CHECK(spoilt([](hang_info& i) { i.calls[0].on.kept = i.calls[0].on.total = 9; }));
  CHECK(spoilt([](hang_info& i) { i.sends.kept = 3; }));  // More than there are.
  CHECK(spoilt([](hang_info& i) { i.locks.kept = i.locks.total = 5; }));
  CHECK(spoilt([](hang_info& i) { i.calls[0].on.at[0].peer = 2; }));
  CHECK(spoilt([](hang_info& i) { i.calls[0].on.at[0].peer = -3; }));
  CHECK(spoilt([](hang_info& i) { i.calls[0].on.at[0].stage = hang_stage::count_; }));
  CHECK(spoilt([](hang_info& i) { i.calls[0].kind = mpx::detail::wait_kind::count_; }));
  std::memset(copy.calls[0].name, '\n', sizeof copy.calls[0].name);
  CHECK(sound(copy, 2));
  CHECK(contains(report({copy, waiting(1, 0)}), "waits in ???"));
  // Whatever the bytes: it is refused, or it can be printed.
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    hang_info any{};
    std::vector<std::byte> noise = ranks::message(sizeof any, seed);
    std::memcpy(&any, noise.data(), seed % 2 == 0 ? sizeof any : seed % sizeof any);
    if (sound(any, 2)) CHECK(!report({any, waiting(1, 0)}).empty());
  }
}

TEST_CASE("hang report: impossible state is printed as far as possible") {
  hang_info one = waiting(0, 0, INT32_MAX);
  one.calls[0].on.at[0].context = ~0u;
  one.calls[0].on.at[0].sends = 0xff;
  one.calls[0].on.at[0].bytes = ~std::uint64_t{0};
  one.calls[0].since_ns = INT64_MIN;
  one.now_ns = INT64_MAX;
  one.pid = INT32_MIN;
  one.calls[0].on.total = ~0u;
  REQUIRE(sound(one, 1));
  CHECK(contains(report({one}), "to rank 0, collective call 2147483648 of communicator"));
  hang_info busy = in_state(0, hang_state::busy);
  busy.since_ns = INT64_MAX;
  busy.now_ns = INT64_MIN;
  CHECK(report({busy}).starts_with("  rank 0 is not in mpx\n"));
  busy.since_ns = 0;  // It was never seen there, and may be there.
  CHECK(report({busy}).starts_with("  rank 0 has joined, and does not say what it is doing"));
}

TEST_CASE("hang report: a rank that is alone makes the same report by itself") {
  std::vector<hang_info> all = {waiting(0, 0), waiting(0, -1), waiting(0, 0, -1), hang_info{}};
  all.push_back(waiting(0, 0));
  all[4].unexpected.add({.peer = 0, .tag = 8, .context = 0, .stage = hang_stage::arrived});
  all[4].sends.add({0, 3, 2, hang_stage::announced, 1, 1'000'000});
  all[4].now_ns = 5'000'000'000;
  all[4].calls[0].since_ns = 1'000'000'000;
  all.push_back(all[4]);
  hang_call& second = *all[5].add_call();
  copy_head(second.name, "wait_any");
  second.kind = mpx::detail::wait_kind::any;
  all[5].calls_total = 7;
  all.push_back(all[5]);
  all[6].calls[1].on.add({0, 1, 0, hang_stage::posted, 0, 1});
  all[6].calls[1].on.add({-1, -1, 3, hang_stage::probed, 0, 0});
  all.push_back(waiting(0, 0));
  all[7].calls[0].kind = mpx::detail::wait_kind::testing;
  for (const hang_info& one : all)
    CHECK(format_lone_report(one, 1, 500'000'000) ==
          "mpx: hang report: nothing has moved for 0.5 s in this job of 1 rank\n" + report({one}) +
              "  the job goes on waiting; another report follows only if something moves\n");
}

TEST_CASE("hang report: a rank without a monitor names itself") {
  hang_info one = waiting(2, 0);
  one.pid = 17;
  one.unexpected.add({.peer = 0, .tag = 8, .context = 0, .stage = hang_stage::arrived});
  const std::string end =
      "  this rank goes on waiting, and reports no more of this call; rank 0 reports on all ranks "
      "if it waits, too\n";
  CHECK(format_lone_report(one, 4, 500'000'000) ==
        "mpx: hang report: rank 2 of 4 has waited for 0.5 s\n"
        "  rank 2 (pid 17) waits in recv at main.cpp:12: from rank 0, tag 7, communicator 0, room "
        "for "
        "8 bytes\n"
        "      unexpected messages: from rank 0, tag 8, communicator 0, 0 bytes\n"
        "  hint: rank 2 wants tag 7, a message here has tag 8; all else fits\n" +
            end);
  hang_info other = said::meeting(1, wait_kind::leaving);
  other.pid = 18;
  other.calls[0].line = 3;
  copy_tail(other.calls[0].file, "main.cpp");
  CHECK(format_lone_report(other, 4, 500'000'000) ==
        "mpx: hang report: rank 1 of 4 has waited for 0.5 s\n"
        "  rank 1 (pid 18) leaves the job that it joined at main.cpp:3\n" +
            end);
}

TEST_CASE("hang report: the cost is bounded for any state") {
  // Each pass frees one rank of a chain, and half of the ranks want to meet all others.
  constexpr mpx::rank_t n = 4000;
  std::vector<hang_info> all;
  for (mpx::rank_t r = 0; r < n / 2; ++r) all.push_back(said::meeting(r, wait_kind::leaving));
  for (mpx::rank_t r = n / 2; r < n - 1; ++r) all.push_back(waiting(r, r + 1));
  all.push_back(in_state(n - 1, hang_state::busy));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(!contains(report(all), "cycle"));
  for (hang_info& one : all) one.calls[0].on.at[0].peer = -1;
  CHECK(!report(all).empty());
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took < std::chrono::seconds(20));  // n^3 takes a minute.
}

TEST_CASE("hang report: a slot is read whole or not at all") {
  const mpx::bootstrap::thread_job job(2);
  const auto& segment = job.segment();
  hang_info out = waiting(1, 0);
  out.environment = out.sends.total = out.calls[0].line;
  hang_info in{};
  const auto bytes = std::as_writable_bytes(std::span(&in, 1));
  CHECK(!segment.get_hang(1, bytes));
  segment.put_hang(1, std::as_bytes(std::span(&out, 1)));
  CHECK(segment.get_hang(1, bytes));
  CHECK(std::memcmp(&in, &out, sizeof in) == 0);
  CHECK(!segment.get_hang(1, bytes.first(16)));
  CHECK(!segment.get_hang(0, bytes));
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      out.calls[0].line = out.environment = out.sends.total = i;
      segment.put_hang(1, std::as_bytes(std::span(&out, 1)));
    }
    over = true;
  });
  while (!over) {
    if (!segment.get_hang(1, bytes)) continue;
    REQUIRE(in.calls[0].line == in.sends.total);
    REQUIRE(in.environment == in.sends.total);
  }
  writer.join();
}

// --- Ranks that are threads ----------------------------------------------------------------------

/// Captures stderr while it lives.
class captured {
 public:
  captured() : file_(::memfd_create("stderr", MFD_CLOEXEC)), saved_(::dup(2)) {
    std::fflush(stderr);
    ::dup2(file_, 2);
    ::setenv("MPX_HANG_REPORT", "0.2", 1);
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    ::unsetenv("MPX_HANG_REPORT");
    ::dup2(saved_, 2);
    ::close(saved_);
    ::close(file_);
  }
  std::string text() const {
    std::string s(1 << 16, '\0');
    const ssize_t n = ::pread(file_, s.data(), s.size(), 0);
    s.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return s;
  }
  void wait_for(const char* part) const {
    while (!contains(text(), part)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::size_t count(std::string_view part) const {
    const std::string all = text();
    std::size_t n = 0;
    for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
  }

 private:
  int file_;
  int saved_;
};

TEST_CASE("hang report: an endpoint describes itself at any time") {
  ranks::run<ranks::shm>(1, [](mpx::environment<ranks::shm>& env) {
    auto world = env.world();
    int x = 0;
    auto posted = world.irecv(x, 0, 5);
    world.send(1, 0, 6);
    world.iprobe(0, 7);
    auto& e = world.endpoint_for_reports();
    const hang_info info = e.describe_hang();
    CHECK(info.calls_total == 0);
    REQUIRE(info.posted.total == 1);
    CHECK(info.posted.at[0].tag == 5);
    CHECK(info.posted.at[0].bytes == sizeof x);
    REQUIRE(info.unexpected.total == 1);
    CHECK(info.unexpected.at[0].tag == 6);
    posted.cancel();
    posted.wait();
    CHECK(world.recv<int>(0, 6) == 1);
  });
}

TEST_CASE("hang report: threads that block each other, reported once, and the remedy") {
  using stack = ranks::multiple;
  const captured err;
  ranks::run<stack>(3, [&](mpx::communicator<stack> world) {
    const mpx::rank_t next = (world.rank() + 1) % 3;
    std::thread helper;
    if (world.rank() == 0)
      helper = std::thread([&] {
        err.wait_for("the job goes on waiting");
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        world.send(0, 2, 9);
      });
    const int got = world.recv<int>(next, 9);
    if (world.rank() != 0) world.send(got, (world.rank() + 2) % 3, 9);
    if (helper.joinable()) helper.join();
  });
  CHECK(err.count(" s in this job of 3 ranks") == 1);
  CHECK(
      contains(err.text(), "cycle: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0"));
  CHECK(contains(err.text(), "hang_report.test.cpp:"));
}

TEST_CASE("hang report: a thread that computes is named") {
  const captured err;
  ranks::run<ranks::inproc>(2, [&](mpx::communicator<ranks::inproc> world) {
    if (world.rank() == 0) {
      err.wait_for("rank 0 is not in mpx (for");
      world.send(1, 1);
    } else {
      world.recv<int>(0);
    }
  });
  CHECK(contains(err.text(), "rank 1 waits for rank 0, which is not in mpx"));
}

TEST_CASE("hang report: buffered sends that are not sent") {
  const captured err;
  ranks::run<ranks::shm>(2, [&](mpx::environment<ranks::shm>& env) {
    auto world = env.world();
    std::vector<std::byte> memory(1 << 20), data(1 << 18);
    if (world.rank() == 1) {
      env.attach_buffer(memory);
      world.bsend(data, 0, 3);
      env.detach_buffer();
    } else {
      err.wait_for("waits in detach_buffer");
      world.recv(data, 1, 3);
    }
  });
  CHECK(contains(err.text(), "to rank 0, tag 3, communicator 0, 262144 bytes, not received yet"));
}

TEST_CASE("hang report: a wrong value is refused") {
  for (const char* value : {"", "00", "x", "-1", "1000001", "0.0000001", "1.5s"}) {
    ::setenv("MPX_HANG_REPORT", value, 1);
    const auto join = [] { const mpx::environment<ranks::shm> env; };
    CHECK(ranks::errc_of(join) == mpx::errc::argument);
    CHECK(
        contains(ranks::text_of(join), "MPX_HANG_REPORT=" + std::string(value) + ": give seconds"));
  }
  ::setenv("MPX_HANG_REPORT", "0", 1);
  CHECK_NOTHROW(mpx::environment<ranks::shm>());  // off
  ::unsetenv("MPX_HANG_REPORT");
}

}  // namespace
