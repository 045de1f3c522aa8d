// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <functional>
#include <mpx/mpx.hpp>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

namespace bootstrap = mpx::bootstrap;
namespace flow = mpx::flow;
namespace matching = mpx::matching;
namespace protocol = mpx::protocol;
namespace threading = mpx::threading;
namespace transport = mpx::transport;
namespace waiting = mpx::waiting;
using mpx::stack;

// Defaults.
static_assert(std::same_as<stack<>::transport_type, transport::shm>);
static_assert(std::same_as<stack<>::bootstrap_type, bootstrap::any>);
static_assert(std::same_as<mpx::environment<>::job_type, bootstrap::any>);
static_assert(std::same_as<stack<>::protocol_type, protocol::tiny_short_long<>>);
static_assert(std::same_as<stack<>::matching_type, matching::hashed>);
static_assert(std::same_as<stack<>::flow_type, flow::credits<>>);
static_assert(std::same_as<stack<>::threading_type, threading::single>);
static_assert(std::same_as<stack<>::wait_type, waiting::spin_then_sleep<>>);
static_assert(std::same_as<stack<>::trace_type, mpx::trace::none>);

// Any order, the rest by default.
template <class A, class B>
concept SamePolicies = std::same_as<typename A::transport_type, typename B::transport_type> &&
                       std::same_as<typename A::bootstrap_type, typename B::bootstrap_type> &&
                       std::same_as<typename A::protocol_type, typename B::protocol_type> &&
                       std::same_as<typename A::matching_type, typename B::matching_type> &&
                       std::same_as<typename A::flow_type, typename B::flow_type> &&
                       std::same_as<typename A::threading_type, typename B::threading_type> &&
                       std::same_as<typename A::wait_type, typename B::wait_type> &&
                       std::same_as<typename A::trace_type, typename B::trace_type>;

using forwards = stack<bootstrap::threads, transport::inproc, protocol::tiny_short_long<40, 1024>,
                       matching::list, flow::unlimited, threading::multiple, waiting::spin,
                       mpx::trace::counters>;
using backwards =
    stack<mpx::trace::counters, waiting::spin, threading::multiple, flow::unlimited, matching::list,
          protocol::tiny_short_long<40, 1024>, transport::inproc, bootstrap::threads>;
using shuffled =
    stack<threading::multiple, transport::inproc, bootstrap::threads, mpx::trace::counters,
          matching::list, waiting::spin, protocol::tiny_short_long<40, 1024>, flow::unlimited>;
static_assert(SamePolicies<forwards, backwards> && SamePolicies<forwards, shuffled>);
static_assert(std::same_as<forwards::matching_type, matching::list>);
static_assert(std::same_as<stack<matching::list>::transport_type, transport::shm>);
static_assert(std::same_as<stack<matching::list>::matching_type, matching::list>);
static_assert(!SamePolicies<forwards, stack<>>);

// The rules.
static_assert(mpx::StackPolicy<transport::shm> && !mpx::StackPolicy<int>);
static_assert(!mpx::OnePolicyPerAxis<transport::shm, transport::inproc>);
static_assert(!mpx::OnePolicyPerAxis<matching::list, flow::unlimited, matching::list>);
static_assert(mpx::OnePolicyPerAxis<> && mpx::OnePolicyPerAxis<flow::unlimited, matching::list>);
static_assert(!mpx::OnePolicyPerAxis<bootstrap::any, transport::shm, bootstrap::threads>);
static_assert(mpx::BootstrapFits<transport::shm, bootstrap::mpxrun>);
using tiny_packets = transport::basic_inproc<4, 4096>;
static_assert(mpx::FrameFits<tiny_packets, protocol::tiny_short_long<40, 1024>>);
static_assert(!mpx::FrameFits<tiny_packets, protocol::tiny_short_long<40, 1025>>);
static_assert(!mpx::TinyIsInline<tiny_packets, protocol::tiny_short_long<41, 1024>>);
static_assert(
    mpx::LongPathFits<tiny_packets, protocol::tiny_short_long<40, 1024, mpx::long_path::put>>);

/// Policies of collectives: two of one name, and another.
template <std::uint64_t Hash>
struct tuned : mpx::coll::by_size {
  static constexpr std::string_view name = "tuned";
  static constexpr std::uint64_t choices_hash = Hash;
};
struct own_choices : mpx::coll::by_size {
  static constexpr std::string_view name = "own_choices";
};
static_assert(mpx::HashedCollectivePolicy<tuned<1>>);
static_assert(mpx::CollectivePolicy<own_choices> && !mpx::HashedCollectivePolicy<own_choices>);

// Handles are small, and a policy that is empty costs nothing in them.
template <class S>
constexpr bool light = sizeof(mpx::communicator<S>) <= 40 && sizeof(mpx::request<S>) == 16;
static_assert(light<stack<>> && light<forwards> && light<stack<flow::unlimited, waiting::spin>>);
static_assert(sizeof(mpx::status) == 24);
static_assert(std::is_empty_v<stack<>>);
static_assert(std::is_empty_v<mpx::trace::none> && std::is_empty_v<flow::unlimited>);
static_assert(std::is_empty_v<waiting::spin> && std::is_empty_v<waiting::spin_then_sleep<>>);
static_assert(std::is_trivially_copyable_v<mpx::communicator<stack<>>>);
static_assert(!std::is_copy_constructible_v<mpx::request<stack<>>>);
static_assert(!std::is_copy_assignable_v<mpx::request<stack<>>>);
static_assert(std::is_nothrow_move_constructible_v<mpx::request<stack<>>>);
static_assert(std::is_nothrow_move_assignable_v<mpx::request<stack<>>>);
static_assert(std::is_nothrow_default_constructible_v<mpx::request<stack<>>>);
static_assert(!std::is_copy_constructible_v<mpx::environment<stack<>>>);

TEST_CASE("stack: the fingerprint does not depend on the order of policies") {
  CHECK(forwards::fingerprint() == backwards::fingerprint());
  CHECK(forwards::fingerprint() == shuffled::fingerprint());
  CHECK(stack<>::fingerprint() == stack<transport::shm, flow::credits<>>::fingerprint());
}

TEST_CASE("stack: choices that ranks must share change the fingerprint") {
  const std::vector<std::string> prints = {
      stack<>::fingerprint(),
      stack<transport::inproc>::fingerprint(),
      stack<transport::basic_shm<2048>>::fingerprint(),
      stack<transport::basic_shm<1024, 128 * 1024>>::fingerprint(),
      stack<transport::basic_shm<2048, 512 * 1024>>::fingerprint(),
      stack<transport::basic_shm<1024, 256 * 1024, 1 << 20>>::fingerprint(),
      stack<transport::basic_inproc<2048>>::fingerprint(),
      stack<protocol::tiny_short_long<32>>::fingerprint(),
      stack<protocol::tiny_short_long<40, 8192>>::fingerprint(),
      stack<flow::unlimited>::fingerprint(),
      stack<flow::credits<(32 << 20)>>::fingerprint(),
      stack<flow::credits<(64 << 20), (1 << 19)>>::fingerprint(),
      stack<own_choices>::fingerprint(),
      stack<tuned<1>>::fingerprint(),
      stack<tuned<2>>::fingerprint(),
  };
  const std::set<std::string> different(prints.begin(), prints.end());
  for (const std::string& p : prints) {
    CAPTURE(p);
    CHECK(std::count(prints.begin(), prints.end(), p) == 1);
    CHECK(p.size() < 1024);
    CHECK(p.find("wire " + std::to_string(mpx::wire_version)) != std::string::npos);
  }
  CHECK(different.size() == prints.size());
}

TEST_CASE("stack: choices of one rank alone do not change the fingerprint") {
  const std::string print = stack<>::fingerprint();
  CHECK(stack<matching::list>::fingerprint() == print);
  CHECK(stack<threading::multiple>::fingerprint() == print);
  CHECK(stack<waiting::spin>::fingerprint() == print);
  CHECK(stack<mpx::trace::counters>::fingerprint() == print);
}

/// Passes a token round, tiny and long, and adds up.
template <class Comm>
bool ring_works(Comm world) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  const mpx::rank_t previous = (world.rank() + world.size() - 1) % world.size();
  bool right = true;
  for (const std::size_t length : {std::size_t{1}, std::size_t{500}, std::size_t{100'000}}) {
    std::vector<int> out(length, world.rank());
    std::vector<int> in(length, -1);
    auto receive = world.irecv(in, previous, 3);
    auto send = world.isend(out, next, 3);
    right = right && receive.wait().template count<int>() == length;
    send.wait();
    right = right && in.front() == previous && in.back() == previous;
  }
  return right && world.allreduce(1, std::plus<>{}) == world.size();
}

TEST_CASE("stack: several in one program, each with all of its policies") {
  using over_threads = stack<transport::inproc>;
  using over_memory = stack<>;
  using other = stack<transport::basic_shm<64, 65536>, matching::list, flow::unlimited,
                      protocol::tiny_short_long<16, 2048>, waiting::spin, threading::multiple>;
  for (const mpx::rank_t n : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(n);
    std::atomic<int> good = 0;
    mpx::run_threads<over_threads>(n, [&](auto world) { good += ring_works(world); });
    mpx::run_threads<over_memory>(n, [&](auto world) { good += ring_works(world); });
    mpx::run_threads<other>(n, [&](auto world) { good += ring_works(world); });
    CHECK(good == 3 * n);
  }
}

template <class A, class B>
void two_at_once(mpx::rank_t n) {
  const mpx::bootstrap::thread_job job(n);
  std::atomic<int> good = 0;
  std::vector<std::jthread> ranks;
  for (mpx::rank_t r = 0; r < n; ++r) {
    ranks.emplace_back([&, r] {
      try {
        const auto join = [&] { return mpx::bootstrap::any(mpx::bootstrap::threads(job, r)); };
        mpx::environment<A> a{join()};
        mpx::environment<B> b{join()};
        auto in_a = a.world();
        auto in_b = b.world();
        // The same ranks, tags and sizes in both: nothing crosses over.
        const mpx::rank_t other = n - 1 - r;
        int from_a = 0;
        int from_b = 0;
        const int to_a = 1000 + r;
        const int to_b = 2000 + r;
        auto receive_a = in_a.irecv(from_a, other, 1);
        auto receive_b = in_b.irecv(from_b, other, 1);
        in_b.send(to_b, other, 1);
        in_a.send(to_a, other, 1);
        receive_a.wait();
        receive_b.wait();
        good += from_a == 1000 + other && from_b == 2000 + other && ring_works(in_a) &&
                ring_works(in_b);
      } catch (const std::exception&) {
        job.mark_ended(r, false);  // So that no rank waits for this one.
      }
    });
  }
  ranks.clear();
  CHECK(good == n);
}

TEST_CASE("stack: two environments alive in one rank") {
  for (const mpx::rank_t n : {1, 2, 4, 7}) {
    CAPTURE(n);
    two_at_once<stack<>, stack<transport::inproc>>(n);
    two_at_once<stack<transport::inproc>, stack<matching::list>>(n);
    two_at_once<stack<>, stack<>>(n);
  }
}

/// Errors at ranks 0 and 1, which have these stacks.
template <class Mine, class Theirs>
std::array<std::string, 2> refusals() {
  const mpx::bootstrap::thread_job job(2);
  std::array<std::string, 2> told;
  const auto join_as = [&]<class S>(S, mpx::rank_t r) {
    try {
      const mpx::environment<S> env{mpx::bootstrap::any(mpx::bootstrap::threads(job, r))};
    } catch (const mpx::error& e) {
      if (e.code() == mpx::errc::stack_mismatch) told[static_cast<std::size_t>(r)] = e.what();
    }
  };
  std::jthread first([&] { join_as(Mine{}, 0); });
  std::jthread second([&] { join_as(Theirs{}, 1); });
  first.join();
  second.join();
  return told;
}

TEST_CASE("stack: ranks with different stacks are refused, and the message shows both") {
  for (const std::string& told : refusals<stack<>, stack<protocol::tiny_short_long<40, 8192>>>()) {
    CHECK(told.find("tiny_short_long<40,16384>") != std::string::npos);
    CHECK(told.find("tiny_short_long<40,8192>") != std::string::npos);
  }
}

TEST_CASE("stack: ranks whose collectives would choose different algorithms are refused, too") {
  const auto [first, second] = refusals<stack<tuned<0xa1>>, stack<tuned<0xb2>>>();
  CHECK(
      first.starts_with("rank 1 was built with collectives tuned<b2> where it is tuned<a1> on "
                        "rank 0: build all ranks from one mpx and one stack"));
  CHECK(
      second.starts_with("rank 0 was built with collectives tuned<a1> where it is tuned<b2> on "
                         "rank 1: build all ranks from one mpx and one stack"));
  for (const std::string& told : refusals<stack<>, stack<own_choices>>())
    CHECK(told.find("own_choices<0>") != std::string::npos);
}

}  // namespace

TEST_CASE("stack: the error names the axes in which two stacks differ") {
  CHECK(mpx::detail::difference("mpx wire 3, little endian, 64 bit; transport shm<1>; flow a<2>",
                                "mpx wire 4, little endian, 64 bit; transport shm<1>; flow b<2>") ==
        "mpx wire 4, little endian, 64 bit where it is wire 3, little endian, 64 bit, flow b<2> "
        "where it is a<2>");
  CHECK(mpx::detail::difference("(none)", "") == "nothing where it is (none)");
  CHECK(mpx::detail::difference("a b", "a b") == "");
  CHECK(mpx::detail::difference(mpx::stack<>::fingerprint(),
                                mpx::stack<mpx::flow::unlimited>::fingerprint())
            .starts_with("flow unlimited<"));
}
