// SPDX-License-Identifier: BSL-1.0
// A profile's records and its report. test/jobs/profile.test.py has whole jobs.

#include <algorithm>
#include <chrono>
#include <mpx/mpx.hpp>
#include <mpx/profile.hpp>
#include <mpx/rma.hpp>
#include <string>
#include <thread>
#include <vector>

#include "comm/ranks.hpp"

namespace {

using namespace std::chrono_literals;
using mpx::trace::profile;
using mpx::trace::detail::profile_row;
using mpx::trace::detail::profile_summary;
using mpx::trace::detail::profile_table;

static_assert(mpx::CallTrace<profile>);
static_assert(!mpx::CallTrace<mpx::trace::counters> && !mpx::CallTrace<mpx::trace::none>);

template <class ThreadModel>
using profiled = mpx::stack<mpx::transport::inproc, ThreadModel, profile>;

const profile::call_record* find(const profile& of, std::string_view name) {
  for (const auto& r : of.calls())
    if (r.name == name) return &r;
  return nullptr;
}

profile_row row(const char* name, std::uint32_t line, mpx::rank_t rank, std::uint64_t calls,
                std::int64_t total_ns, std::int64_t waited_ns) {
  profile_row r{};
  std::copy_n(name, std::char_traits<char>::length(name), r.name);
  std::copy_n("solver/cg.cpp", 13, r.file);
  r.line = line;
  r.rank = rank;
  r.calls = calls;
  r.total_ns = total_ns;
  r.waited_ns = waited_ns;
  r.longest_ns = total_ns;
  return r;
}

}  // namespace

TEST_CASE_TEMPLATE("profile: calls are counted and timed by name and line", Threads,
                   mpx::threading::single, mpx::threading::multiple) {
  mpx::run_threads<profiled<Threads>>(2, [](mpx::environment<profiled<Threads>>& env) {
    auto world = env.world();
    const mpx::rank_t other = 1 - world.rank();
    std::vector<mpx::request<profiled<Threads>>> requests(2);
    for (int i = 0; i < 3; ++i) {
      if (world.rank() == 1) std::this_thread::sleep_for(20ms);
      int in = 0;
      requests[0] = world.irecv(in, other, 7);
      requests[1] = world.isend(i, other, 7);
      mpx::wait_all(requests);
      CHECK(in == i);
    }
    int out = 1, word = 0;
    requests[0] = world.isend(out, other, 8);
    while (!requests[0].test()) {
    }
    world.recv(word, other, 8);
    CHECK(word == 1);
    world.barrier();
    const profile& trace = env.trace();
    for (const char* name : {"wait_all", "send", "receive", "recv", "test", "barrier"}) {
      CAPTURE(name);
      const auto* r = find(trace, name);
      REQUIRE(r != nullptr);
      CHECK(r->calls >= 1);
      CHECK(r->waited_ns <= r->total_ns);
      CHECK(r->longest_ns <= r->total_ns);
      CHECK(std::string_view(r->file).ends_with("profile.test.cpp"));
    }
    const auto* waits = find(trace, "wait_all");
    CHECK(waits->calls == 3);
    CHECK(find(trace, "receive")->calls == 3);
    if (world.rank() == 0) CHECK(waits->waited_ns > 30'000'000);  // For the other one.
  });
}

TEST_CASE("profile: a call within a call is counted once") {
  mpx::run_threads<profiled<mpx::threading::single>>(2, [](auto& env) {
    auto world = env.world();
    const auto began = std::chrono::steady_clock::now();
    const mpx::rank_t other = 1 - world.rank();
    int in = 0;
    world.sendrecv(1, other, 1, in, other, 1);
    auto r = world.irecv(in, other, 2);
    world.send(2, other, 2);
    std::vector<mpx::request<profiled<mpx::threading::single>>> requests;
    requests.push_back(std::move(r));
    CHECK(mpx::wait_some(requests).size() == 1);
    auto window = mpx::allocate_window<int>(world, 4);
    window.fence();
    window.put(3, other, 0);
    window.fence(mpx::rma::assertion::no_succeed);
    {
      auto lock = window.lock_all();
      window.put(3, other, 1);
      window.flush_all();
    }
    window.free();
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - began;
    std::int64_t total = 0;
    for (const auto& record : env.trace().calls()) total += record.total_ns;
    CHECK(total <= elapsed.count());
    for (const char* name :
         {"sendrecv", "wait_some", "fence", "put", "lock_all", "flush_all", "unlock_all"}) {
      CAPTURE(name);
      REQUIRE(find(env.trace(), name) != nullptr);
      CHECK(find(env.trace(), name)->calls == 1);
    }
    CHECK(find(env.trace(), "wait") == nullptr);
    CHECK(find(env.trace(), "flush") == nullptr);
  });
}

TEST_CASE("profile: lines beyond those that there is room for share a record") {
  profile_table table;
  static std::vector<std::string> names;
  for (int i = 0; i < 2000; ++i) names.push_back("call " + std::to_string(i));
  for (const std::string& name : names)
    table.at(name.c_str(), std::source_location::current()).add(1);
  const auto rows = table.rows(0);
  std::uint64_t calls = 0;
  for (const profile_row& r : rows) calls += r.calls;
  CHECK(calls == names.size());
  CHECK(rows.size() <= profile_table::records_max + 1);
  CHECK(std::string_view(rows.back().name) == "other calls");
}

TEST_CASE("profile: the report sums up over ranks and names those that waited least and most") {
  const profile_row rows[] = {row("allreduce", 41, 0, 10, 5'000'000, 4'000'000),
                              row("allreduce", 41, 1, 10, 2'000'000, 1'000'000),
                              row("send", 30, 0, 4, 800, 0), row("send", 31, 1, 4, 1'500, 0)};
  profile_summary ranks[2];
  for (mpx::rank_t r = 0; r < 2; ++r) {
    ranks[r].rank = r;
    ranks[r].elapsed_ns = 10'000'000;
    ranks[r].events[static_cast<std::size_t>(mpx::event::sleeps)] = 3;
  }
  const std::string text = mpx::trace::detail::profile_report(ranks, rows);
  INFO(text);
  CHECK(
      text.starts_with("mpx profile: 2 ranks, 10 ms. Of the ranks' time 35.0 % was in mpx: 25.0 % "
                       "waiting, 10.0 % working.\n"));
  const auto at = [&](const std::string& part) { return text.find(part); };
  CHECK(at("allreduce            cg.cpp:41                            20      7 ms      5 ms      "
           "5 ms   1 ms (rank 1) .. 4 ms (rank 0)\n") != std::string::npos);
  CHECK(at("allreduce ") < at("cg.cpp:31"));
  CHECK(at("cg.cpp:31") < at("cg.cpp:30"));
  CHECK(at("\n0           5 ms      4 ms      1 ms        3") != std::string::npos);
}
