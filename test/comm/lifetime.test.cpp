// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Handles that have outlived their environment are reported, with the line of the call.

#include <memory>
#include <mpx/datatype.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <optional>

#include "comm/aborts.hpp"
#include "comm/ranks.hpp"

#if MPX_ASSERT_LEVEL >= 1
namespace {

using solitary = mpx::environment<ranks::inproc>;

/// Error text of `call` about handles of an environment that is gone, without the line.
template <class Call>
std::string after_the_end(Call call) {
  return ranks::aborts([&] {
    mpx::communicator<ranks::inproc> world;
    int x = 0;
    std::optional<mpx::request<ranks::inproc>> receiving;
    try {
      solitary env{mpx::bootstrap::any(mpx::bootstrap::singleton())};
      world = env.world();
      receiving.emplace(world.irecv(x, 0, 1));
      throw 1;  // Else its environment would tell that the request is still there.
    } catch (int) {
    }
    call(world, *receiving);
    ::_exit(0);  // It has not been noticed.
  });
}
template <class Call>
void check_told(int line, const char* what, Call call) {
  const std::string said = after_the_end(call);
  CAPTURE(said);
  CHECK(ranks::contains(said, std::string(__FILE__) + ":" + std::to_string(line) + ":"));
  CHECK(ranks::contains(said, std::string("the environment of this ") + what + " is gone"));
}

/// Error text of `call` in an environment, or of the environment at its end, and the line.
constexpr int environment_line = __LINE__ + 5;
template <class Call>
void check_said_in_one(int line, const char* what, Call call) {
  const std::string said = ranks::aborts([&] {
    {
      solitary env{mpx::bootstrap::any(mpx::bootstrap::singleton())};
      call(env.world());
    }
    ::_exit(0);  // It has not been noticed.
  });
  CAPTURE(said);
  CHECK(said.starts_with(std::string(__FILE__) + ":" + std::to_string(line) + ": mpx: "));
  CHECK(ranks::contains(said, what));
}

}  // namespace

TEST_CASE("a handle that has outlived its environment is an error with the line of the call") {
  int x = 0;
  // clang-format off
  check_told(__LINE__, "communicator", [&](auto& w, auto&) { w.send(x, 0); });
  check_told(__LINE__, "communicator", [&](auto& w, auto&) { w.recv(x, 0); });
  check_told(__LINE__, "communicator", [&](auto& w, auto&) { (void)w.iprobe(0); });
  check_told(__LINE__, "communicator", [&](auto& w, auto&) { w.barrier(); });
  check_told(__LINE__, "communicator", [&](auto& w, auto&) { (void)w.allreduce(x, std::plus<>{}); });
  check_told(__LINE__, "request", [&](auto&, auto& r) { r.wait(); });
  check_told(__LINE__, "request", [&](auto&, auto& r) { (void)r.test(); });
  check_told(__LINE__, "request", [&](auto&, auto& r) { (void)r.done(); });
  check_told(__LINE__, "request", [&](auto&, auto& r) { mpx::wait_all(std::span(&r, 1)); });
  check_told(__LINE__, "request", [&](auto&, auto& r) { (void)mpx::wait_any(std::span(&r, 1)); });
  // clang-format on
  const std::string said = after_the_end([](auto&, auto& r) { auto dropped = std::move(r); });
  CHECK(said.starts_with("mpx: precondition violated: "));  // A destructor knows no line.
  CHECK(ranks::contains(said, "let requests go before it"));
}

TEST_CASE("an environment reports handles that outlive it, with the line that made them") {
  const auto check = [](const char* what, auto call) {
    check_said_in_one(environment_line, what, call);
  };
  std::optional<mpx::request<ranks::inproc>> kept;
  std::optional<mpx::message<ranks::inproc>> message;
  int x = 0;
  check("a request outlives this environment", [&](auto w) { kept.emplace(w.irecv(x, 0, 1)); });
  check("a request outlives this environment", [&](auto w) {
    kept.emplace(w.irecv(x, 0, 1));
    w.send(1, 0, 1);  // That it is complete does not help: its status is there.
    while (!kept->done()) w.progress();
  });
  check("a request outlives", [&](auto w) { kept.emplace(w.recv_init(x, 0, 1)); });
  check("a message that mprobe has returned outlives this environment", [&](auto w) {
    w.send(1, 0, 1);
    message.emplace(w.mprobe(0, 1));
  });
}

TEST_CASE("a handle of an old environment is an error, also if a new one has its address") {
  const auto check = [](auto call) {
    const std::string said = ranks::aborts([&] {
      std::optional<solitary> env;
      const auto make = [&] { env.emplace(mpx::bootstrap::any(mpx::bootstrap::singleton())); };
      make();
      const auto stale = env->world();
      auto dup = stale.dup();
      auto win = mpx::allocate_window<int>(stale, 4);
      env.reset();
      make();
      call(stale, dup, win);
      ::_exit(0);  // It has not been noticed.
    });
    CAPTURE(said);
    CHECK(said.starts_with(std::string(__FILE__) + ":"));
    CHECK(ranks::contains(said, " is gone: let "));
  };
  check([](auto& w, auto&, auto&) { w.barrier(); });
  check([](auto& w, auto&, auto&) { w.send(1, 0); });
  check([](auto&, auto& d, auto&) { d.barrier(); });
  check([](auto&, auto& d, auto&) { (void)d.dup(); });
  check([](auto&, auto&, auto& win) { win.fence(); });
}

TEST_CASE("other violated preconditions are reported with the line of the call, too") {
  const auto check = [](int line, const char* what, auto call) {
    check_said_in_one(line, what, call);
  };
  const int matrix[3][4] = {};
  const mpx::cart_communicator<> grid;
  const mpx::graph_communicator<> graph;
  const mpx::dist_graph_communicator<> own;
  const char* empty = "this communicator is empty";
  const char* once = "a generalized operation is completed once";
  const std::span<mpx::status> none;
  int x = 0;
  // clang-format off
  check(__LINE__, "a column that", [&](auto) { (void)mpx::column(matrix, 4); });
  check(__LINE__, "a block that", [&](auto) { (void)mpx::sub_block(matrix, {1, 2}, {2, 3}); });
  check(__LINE__, empty, [&](auto) { (void)grid.dims(); });
  check(__LINE__, empty, [&](auto) { (void)grid.coords(); });
  check(__LINE__, empty, [&](auto) { (void)graph.topology(); });
  check(__LINE__, empty, [&](auto) { (void)own.neighbors(); });
  check(__LINE__, once, [](auto) { mpx::completer<ranks::inproc>().complete(); });
  // clang-format on
  check(__LINE__ + 3, "a status is needed for each request", [&](auto w) {
    auto r = w.irecv(x, 0);
    w.send(1, 0);
    mpx::wait_all(std::span(&r, 1), none);
  });
}

TEST_CASE("handles of other environments, before and after, are not taken for theirs") {
  for (int i = 0; i < 3; ++i) {
    solitary one{mpx::bootstrap::any(mpx::bootstrap::singleton())};
    {
      solitary two{mpx::bootstrap::any(mpx::bootstrap::singleton())};
      two.world().barrier();
    }
    CHECK(one.world().allreduce(1, std::plus<>{}) == 1);
  }
}
#endif
