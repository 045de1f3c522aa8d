// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Error texts of calls, and their arguments and results: one value, several, const handles.

#include <array>

#include <mpx/attributes.hpp>
#include <mpx/datatype.hpp>

#include "comm/ranks.hpp"

namespace {

void says(const std::string& text, std::initializer_list<const char*> parts) {
  CAPTURE(text);
  for (const char* part : parts) CHECK_MESSAGE(ranks::contains(text, part), part);
}

}  // namespace

TEST_CASE("one value is received from a message of its length, or it is an error") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::error_code ec;
    if (world.rank() == 0) {
      world.send(std::int32_t{7}, 1, 3);
      world.send(std::int32_t{7}, 1, 3);
      world.send(std::span<const int>(), 1, 4);
      world.send(2.5, 1, 5);
      world.send(2.5, 1, 6);
      return;
    }
    const std::string shorter = ranks::text_of([&] { (void)world.template recv<double>(0, 3); });
    says(shorter, {"recv on rank 1 from rank 0, tag 3", "8 bytes of one value",
                   "the message has 4 bytes", "do not fit"});
    CHECK(ranks::errc_of([&] { (void)world.template recv<double>(mpx::any_source, 3); }) ==
          mpx::errc::count);
    (void)world.template recv<char>(0, 4, ec);
    CHECK(ec == mpx::errc::count);
    says(ranks::text_of([&] { (void)world.template recv<char>(0, 5); }),
         {"recv on rank 1 from rank 0, tag 5", "1 bytes of room for a message of 8"});
    CHECK(world.template recv<double>(0, 6, ec) == 2.5);
    CHECK(!ec);
    CHECK(world.template recv<int>(mpx::proc_null) == 0);
    (void)world.template recv<int>(9, 0, ec);
    CHECK(ec == mpx::errc::rank);
  });
}

namespace {

/// End of the error text of a call at `line` of this file.
std::string tail(int line) { return ", at " + std::string(__FILE__) + ":" + std::to_string(line); }
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
/// Each call is on the line of its check.
template <class Call>
void check_line(int line, Call call) {
  const std::string text = ranks::text_of(call);
  CAPTURE(text);
  CHECK(ends_with(text, tail(line)));
}

}  // namespace

TEST_CASE("every error ends with the line of the call, and handles are const") {
  ranks::run<ranks::inproc>(2, [](mpx::environment<ranks::inproc>& env) {
    const auto world = env.world();
    int x = 0;
    int out[2] = {};
    // clang-format off
    check_line(__LINE__, [&] { world.send(x, 9); });
    check_line(__LINE__, [&] { world.ssend(x, 9); });
    check_line(__LINE__, [&] { world.bsend(x, 0); });
    check_line(__LINE__, [&] { world.rsend(x, 9); });
    check_line(__LINE__, [&] { world.isend(x, 9).wait(); });
    check_line(__LINE__, [&] { world.issend(x, 9).wait(); });
    check_line(__LINE__, [&] { world.ibsend(x, 9).wait(); });
    check_line(__LINE__, [&] { world.irsend(x, 9).wait(); });
    check_line(__LINE__, [&] { (void)world.send(x, 9, 0, mpx::start); });
    check_line(__LINE__, [&] { (void)world.send(x, 9, 0, mpx::prepare); });
    check_line(__LINE__, [&] { (void)world.send_init(x, 9); });
    check_line(__LINE__, [&] { (void)world.rsend_init(x, 9); });
    check_line(__LINE__, [&] { world.recv(x, 9); });
    check_line(__LINE__, [&] { (void)world.recv<int>(9); });
    check_line(__LINE__, [&] { world.irecv(x, 9).wait(); });
    check_line(__LINE__, [&] { (void)world.recv_init(x, 9); });
    check_line(__LINE__, [&] { world.sendrecv(x, 9, 0, x, 0); });
    check_line(__LINE__, [&] { world.sendrecv_replace(x, 0, 0, 9); });
    check_line(__LINE__, [&] { world.probe(9); });
    check_line(__LINE__, [&] { (void)world.iprobe(9); });
    check_line(__LINE__, [&] { (void)world.mprobe(9); });
    check_line(__LINE__, [&] { (void)world.improbe(9); });
    check_line(__LINE__, [&] { mpx::message<ranks::inproc>().recv(x); });
    check_line(__LINE__, [&] { world.bcast(x, 9); });
    check_line(__LINE__, [&] { (void)world.reduce(x, std::plus<>{}, 9); });
    check_line(__LINE__, [&] { mpx::request<ranks::inproc>().start(); });
    // A failure that shows later: the line of the wait.
    world.send(out, world.rank(), 1);
    world.send(out, world.rank(), 1);
    world.send(out, world.rank(), 1);
    world.send(out, world.rank(), 1);
    check_line(__LINE__, [&] { world.recv(x, world.rank(), 1); });
    auto r = world.irecv(x, world.rank(), 1);
    check_line(__LINE__, [&] { r.wait(); });
    mpx::request<ranks::inproc> some[2] = {world.irecv(x, world.rank(), 1), {}};
    check_line(__LINE__, [&] { mpx::wait_all(some); });
    some[1] = world.irecv(x, world.rank(), 1);
    check_line(__LINE__, [&] { while (!mpx::test_any(some)) {} });
    // In the environment.
    std::byte memory[256];
    env.attach_buffer(memory);
    check_line(__LINE__, [&] { env.attach_buffer(memory); });
    // Of what is made without a rank.
    const auto t = mpx::datatype::of<int>();
    const std::int64_t less[] = {1, -1};
    check_line(__LINE__, [&] { mpx::datatype::contiguous(-1, t); });
    check_line(__LINE__, [&] { mpx::datatype::vector(2, 1, std::int64_t{1} << 62, t); });
    check_line(__LINE__, [&] { mpx::datatype::indexed(less, less, t); });
    check_line(__LINE__, [&] { mpx::datatype::structure(less, less, {t}); });
    check_line(__LINE__, [&] { mpx::datatype().dup(); });
    const std::vector<mpx::rank_t> far = {99};
    const std::vector<mpx::rank_range> stuck = {{0, 1, 0}};
    std::vector<mpx::rank_t> none;
    const mpx::group g = world.group();
    check_line(__LINE__, [&] { static_cast<void>(include(g, far)); });
    check_line(__LINE__, [&] { static_cast<void>(exclude_ranges(g, stuck)); });
    check_line(__LINE__, [&] { translate_ranks(g, far, g, none); });
    check_line(__LINE__, [&] { mpx::info().set("", "x"); });
    // clang-format on
    std::error_code ec;
    env.attach_buffer(memory, ec);
    CHECK(ec == mpx::errc::buffer);
    env.detach_buffer();
    // A collective: its name as well.
    const std::size_t n = world.rank() == 0 ? 1 : 2;
    std::vector<int> uneven(n);
    const int line = __LINE__ + 1;
    const std::string text = ranks::text_of([&] { world.allreduce(uneven, std::plus<>{}); });
    CAPTURE(text);
    CHECK(ranks::contains(text, "allreduce on rank"));
    CHECK(ends_with(text, tail(line)));
    world.barrier(ec);
  });
}

TEST_CASE("vectors, arrays and spans are reduced element by element, in place and between") {
  ranks::run<ranks::inproc>(3, [](const auto& world) {
    const int me = world.rank();
    const std::vector<int> in = {me, 10 * me};
    std::array<int, 2> out = {-1, -1};
    int plain[2] = {-1, -1};
    world.allreduce(in, out, std::plus<>{});
    CHECK(out == std::array{3, 30});
    CHECK(in == std::vector{me, 10 * me});
    world.reduce(std::span(in), plain, std::plus<>{}, 1);
    CHECK(plain[1] == (me == 1 ? 30 : -1));
    std::vector<int> nothing;  // A rank without a result needs no memory for it.
    std::vector<int> some(2);
    world.reduce(in, me == 0 ? some : nothing, std::plus<>{}, 0);
    CHECK(some == (me == 0 ? std::vector{3, 30} : std::vector{0, 0}));
    world.allreduce(std::span(out), std::plus<>{});
    CHECK(out == std::array{9, 90});
    // A result that only the caller has is returned.
    CHECK(world.allreduce(std::vector{1, 2}, std::plus<>{}) == std::vector{3, 6});
    CHECK(world.scan(std::array{1, 2}, std::plus<>{}) == std::array{me + 1, 2 * me + 2});
    world.bcast(plain, 1);
    CHECK(plain[0] == 3);
    world.bcast(out, 0);
    std::vector<int> short_of(me == 1 ? 1 : 2);
    const std::string text = ranks::text_of([&] { world.allreduce(in, short_of, std::plus<>{}); });
    if (me == 1)
      says(text, {"allreduce on rank 1", "2 elements do not fit the 1 of the result"});
    else
      says(text, {"allreduce on rank",
                  ": rank 1 has left this call with an error (invalid argument): peer lost"});
    // Each by its own name.
    std::vector<int> all(3);
    const std::vector<std::size_t> counts = {1, 1, 1};
    says(ranks::text_of([&] { world.gatherv(1, all, counts, 9); }), {"gatherv on rank"});
    says(ranks::text_of([&] { world.gather(1, all, 9); }), {"gather on rank"});
    says(ranks::text_of([&] { world.scatterv(all, counts, out, 9); }), {"scatterv on rank"});
    const std::vector<std::size_t> one = {1};
    says(ranks::text_of([&] { world.allgatherv(1, all, one); }), {"allgatherv on rank"});
    says(ranks::text_of([&] { world.alltoallv(all, one, all, one); }), {"alltoallv on rank"});
    says(ranks::text_of([&] { world.allgather(1, std::span(plain).first(1)); }),
         {"allgather on rank",
          ": a buffer of 1 element has not the same number for each of 3 ranks"});
  });
}

TEST_CASE("handles, groups and statuses compare; waiting takes requests one by one") {
  static_assert(std::is_same_v<mpx::request<>, mpx::request<mpx::stack<>>>);
  static_assert(std::is_same_v<mpx::communicator<>, mpx::communicator<mpx::stack<>>>);
  ranks::run<ranks::inproc>(2, [](mpx::environment<ranks::inproc>& env) {
    const auto world = env.world();
    const auto copy = world;
    const auto twin = world.dup();
    CHECK(world == copy);
    CHECK(world == env.world());
    CHECK(world != twin);
    const mpx::rank_t other = world.rank();  // Data sent before has arrived.
    int x[4] = {};
    auto a = world.irecv(x[0], other, 1);
    auto b = world.irecv(x[1], other, 2);
    auto c = world.irecv(x[2], other, 3);
    auto d = world.irecv(x[3], other, 4);
    world.send(5, other, 3);
    CHECK(mpx::wait_any(a, b, c, d)->index == 2);
    world.send(6, other, 2);
    CHECK(mpx::wait_any(a, b)->index == 1);
    CHECK(!b);
    CHECK(a);
    world.send(7, other, 1);
    world.send(8, other, 4);
    std::error_code ec;
    mpx::wait_all(a, d, ec);
    CHECK(!ec);
    CHECK(x[0] + x[1] + x[2] + x[3] == 26);
    a = world.irecv(x[0], other, 1);
    const int nine = 9;
    auto e = world.isend(nine, other, 1, ec);
    mpx::wait_all(e, a, b);
    CHECK(x[0] == 9);
    CHECK(mpx::wait_any(a, b, c).none_active());
    world.send(1, other, 1);
    world.send(1, other, 1);
    const mpx::status first = world.recv(x[0], other, 1);
    CHECK(first == world.recv(x[0], other, 1));
    CHECK(first != mpx::status());
  });
}
