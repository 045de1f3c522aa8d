// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// checks::types: what is received as another type than it was sent as is an error, on every path of
// a message; and what goes together goes as ever.

#include <complex>
#include <cstring>

#include "comm/ranks.hpp"

namespace {

using compared = mpx::stack<mpx::transport::inproc, mpx::checks::types>;
using compared_listed =
    mpx::stack<mpx::checks::types, mpx::matching::list, ranks::long_by<mpx::long_path::packets>>;
using compared_late =
    late_stacks::over_small<late_stacks::some, mpx::threading::multiple,
                            ranks::long_by<mpx::long_path::packets>, mpx::checks::types>;

constexpr std::size_t lengths[] = {1, 3, 100, 40'000};  // Tiny, short and long.

/// A receive of `In` that is posted when `out` comes, and one that is not, in all forms.
template <class In, class Comm, class Out>
void check_pair(Comm& world, const std::vector<Out>& out, bool right) {
  const mpx::rank_t me = world.rank();
  std::vector<In> in(out.size() * sizeof(Out) / sizeof(In));
  std::error_code ec;
  const auto as_expected = [&](const mpx::status& s) {
    const bool well = right ? !ec && std::memcmp(in.data(), out.data(), in.size() * sizeof(In)) == 0
                            : ec == mpx::errc::type;
    return well && s.source() == me && s.tag() == 7 && s.bytes() == out.size() * sizeof(Out);
  };
  for (const auto& [from, tag] : {std::pair{me, 7}, {mpx::any_source, 7}, {me, mpx::any_tag}}) {
    CAPTURE(from);
    CAPTURE(tag);
    auto posted = world.irecv(in, from, tag);
    auto sending = world.isend(out, me, 7);
    CHECK(as_expected(posted.wait(ec)));
    sending.wait();
    sending = world.issend(out, me, 7);
    CHECK(as_expected(world.recv(in, from, tag, ec)));
    sending.wait();
    auto persistent = world.recv_init(in, from, tag);
    auto repeated = world.send_init(out, me, 7);
    for (int i = 0; i < 2; ++i) {
      repeated.start();
      while (i == 1 && !world.iprobe(me, 7)) {
      }
      persistent.start();
      CHECK(as_expected(persistent.wait(ec)));
      repeated.wait();
    }
    CHECK(as_expected(world.sendrecv(out, me, 7, in, from, tag, ec)));
  }
  CHECK(!world.iprobe());
}

struct two_floats {
  float x, y;
};

}  // namespace

TEST_CASE_TEMPLATE("types are compared on every path", Stack, compared, compared_listed,
                   compared_late) {
  ranks::run<Stack>(1, [](auto world) {
    for (const std::size_t n : lengths) {
      CAPTURE(n);
      check_pair<double>(world, std::vector<double>(n, 1.5), true);
      check_pair<long>(world, std::vector<double>(n, 1.5), false);
      check_pair<float>(world, std::vector<double>(n, 1.5), false);
      check_pair<std::byte>(world, std::vector<double>(n, 1.5), true);
      check_pair<double>(world, std::vector<std::byte>(8 * n), true);
    }
  });
}

TEST_CASE("types that match, and types that do not") {
  ranks::run<compared>(1, [](auto world) {
    check_pair<long>(world, std::vector<long long>(2), true);
    check_pair<unsigned long>(world, std::vector<long>(2), false);
    check_pair<char>(world, std::vector<char>(5), true);
    check_pair<signed char>(world, std::vector<char>(5), false);
    check_pair<std::complex<float>>(world, std::vector<two_floats>(3),
                                    true);  // Objects of one length.
    check_pair<double>(world, std::vector<two_floats>(3), false);
    check_pair<int>(world, std::vector<mpx::mode>(4), false);
    check_pair<std::uint8_t>(world, std::vector<mpx::mode>(4), true);
  });
}

TEST_CASE("the error of a wrong type names both") {
  ranks::run<compared>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    const double out = 2.5;
    long in = 0;
    const auto check = [&](const std::string& text) {
      CAPTURE(text);
      CHECK(ranks::contains(text, " from rank " + std::to_string(other) + ", tag 3"));
      CHECK(ranks::contains(text, "integers of 8 bytes for a message of"));
      CHECK(ranks::contains(text, "of another type than the receive's, at "));
    };
    for (int i = 0; i < 20; ++i) {  // Before and after the message.
      auto sending = world.isend(out, other, 3);
      check(ranks::text_of([&] { (void)world.template recv<long>(other, 3); }));
      sending.wait();
      auto receiving = world.irecv(in, other, 3);
      world.send(out, other, 3);
      const std::string text = ranks::text_of([&] { receiving.wait(); });
      check(text);
      CHECK(ranks::contains(text, "floating-point numbers of 8 bytes"));
    }
    // Collectives, copies of the communicator, matched probes.
    CHECK(world.allreduce(2, std::plus<>{}) == 4);
    auto twin = world.dup();
    twin.send(out, other, 4);
    world.send(5L, other, 4);
    CHECK(world.template recv<long>(mpx::any_source, mpx::any_tag) == 5);
    CHECK(twin.template recv<double>(other, 4) == 2.5);
    world.send(out, other, 5);
    auto m = world.mprobe(other, 5);
    m.recv(in);
    world.barrier();
  });
}

TEST_CASE("stacks that compare types refuse stacks that do not") {
  CHECK(compared::fingerprint() != ranks::inproc::fingerprint());
  CHECK(mpx::detail::difference(ranks::inproc::fingerprint(), compared::fingerprint()) ==
        "checks types where it is none");
  static_assert(sizeof(mpx::communicator<compared>) == sizeof(mpx::communicator<ranks::inproc>));
  static_assert(std::same_as<mpx::stack<>::checks_type, mpx::checks::none>);
}
