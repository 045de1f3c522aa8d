// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Order of messages: messages do not overtake, contexts do not mix, synchronous sends complete
// after their match, and rings of sendrecv do not deadlock.

#include <random>

#include "comm/ranks.hpp"

namespace {

using ranks::go_tag;

/// The message with this serial: tiny, short and long ones in turn, each longer than a serial.
template <class Stack>
std::vector<std::byte> stamped(std::uint32_t serial) {
  constexpr std::size_t most = Stack::protocol_type::short_bytes_ceiling;
  constexpr std::size_t lengths[] = {4, 8, most + 1, 40, most, 5, 3 * most, 41};
  std::vector<std::byte> m = ranks::message(lengths[serial * 2654435761u >> 29], serial);
  std::memcpy(m.data(), &serial, sizeof serial);
  return m;
}
std::uint32_t serial_of(const std::vector<std::byte>& m) {
  std::uint32_t serial = 0;
  std::memcpy(&serial, m.data(), sizeof serial);
  return serial;
}
template <class Stack>
bool is_stamped(const std::vector<std::byte>& room, const mpx::status& s) {
  const auto m = stamped<Stack>(serial_of(room));
  return s.bytes() == m.size() && std::equal(m.begin(), m.end(), room.begin());
}

template <class Stack>
void send_stamped(mpx::communicator<Stack> world, std::uint32_t count, mpx::tag_t tags) {
  std::vector<std::vector<std::byte>> data;
  std::vector<mpx::request<Stack>> sends;
  for (std::uint32_t i = 0; i < count; ++i) {
    data.push_back(stamped<Stack>(i));
    sends.push_back(world.isend(data.back(), 0, static_cast<mpx::tag_t>(i) % tags));
  }
  mpx::wait_all(sends);
}

template <class Stack>
std::vector<std::byte> room() {
  return std::vector<std::byte>(3 * Stack::protocol_type::short_bytes_ceiling);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("receives match in the order of their posting, named or not", Stack,
                          in_order) {
  ranks::run<Stack>(2, [](auto world) {
    constexpr std::uint32_t count = 400;
    if (world.rank() == 1) return send_stamped(world, count, 1);
    std::mt19937 random(7);
    std::vector<std::vector<std::byte>> in(8, room<Stack>());
    bool right = true;
    for (std::uint32_t next = 0; next < count;) {
      const std::size_t window = std::min<std::size_t>(1 + random() % in.size(), count - next);
      std::vector<mpx::request<Stack>> receives;
      for (std::size_t i = 0; i < window; ++i)
        receives.push_back(world.irecv(in[i], random() % 2 == 0 ? 1 : mpx::any_source,
                                       random() % 2 == 0 ? 0 : mpx::any_tag));
      if (random() % 2 == 0)
        std::swap(receives.front(), receives.back());  // Waited for in any order.
      mpx::wait_all(receives);
      for (std::size_t i = 0; i < window; ++i) right = right && serial_of(in[i]) == next++;
    }
    CHECK(right);
  });
}
TEST_CASE_TEMPLATE_APPLY(in_order, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("messages of each source match wildcards in order", Stack, any_in_order) {
  ranks::run<Stack>(4, [](auto world) {
    constexpr std::uint32_t count = 150;
    if (world.rank() != 0) return send_stamped(world, count, 3);
    // Of each source first all with tag 1, by name, then the others, by wildcard.
    std::vector<std::vector<std::byte>> in(10, room<Stack>());
    std::uint32_t next[4] = {};
    bool right = true;
    for (mpx::rank_t from = 1; from < 4; ++from) {
      for (std::uint32_t i = 1; i < count; i += 3) {
        const mpx::status s = world.recv(in[0], from, 1);
        right = right && serial_of(in[0]) == i && is_stamped<Stack>(in[0], s);
      }
    }
    for (std::uint32_t left = 3 * (count - count / 3); left > 0;) {
      std::vector<mpx::request<Stack>> receives;
      for (auto& b : in) receives.push_back(world.irecv(b));
      for (std::size_t i = 0; i < in.size(); ++i, --left) {
        const mpx::status s = receives[i].wait();
        std::uint32_t& expected = next[s.source()];
        right = right && serial_of(in[i]) == expected && is_stamped<Stack>(in[i], s) &&
                s.tag() == static_cast<mpx::tag_t>(expected % 3);
        expected += expected % 3 == 0 ? 2 : 1;
      }
    }
    CHECK(right);
  });
}
TEST_CASE_TEMPLATE_APPLY(any_in_order, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a synchronous send completes after its match", Stack, synchronous) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : ranks::sizes<Stack>()) {
      const auto m = ranks::message(bytes, bytes);
      const mpx::rank_t other = 1 - world.rank();
      int x = 0;
      if (world.rank() == 1) {
        (void)world.template recv<int>(0, go_tag);
        world.send(x, 0, go_tag);  // It has arrived, and has not been received.
        std::vector<std::byte> in(bytes);
        (void)world.template recv<int>(0, go_tag);
        CHECK(world.recv(in, 0, 1).bytes() == bytes);
        CHECK(in == m);
        continue;
      }
      auto r = world.issend(m, other, 1);
      world.sendrecv(x, other, go_tag, x, other, go_tag);
      bool early = false;
      for (int i = 0; i < 20; ++i) early = early || r.test().has_value();
      CHECK(!early);
      world.send(x, other, go_tag);
      if (!early) CHECK(!r.wait().error());
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(synchronous, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("rings of sendrecv and sendrecv_replace", Stack, rings) {
  ranks::run_at_all_counts<Stack>([](auto world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t next = (world.rank() + 1) % n;
    const mpx::rank_t previous = (world.rank() + n - 1) % n;
    for (const std::size_t bytes : {0, 8, 40, 41, 513, 5000, 100'000}) {
      const auto out = ranks::message(bytes, static_cast<std::uint64_t>(world.rank()));
      std::vector<std::byte> in(bytes);
      bool right = world.sendrecv(out, next, 1, in, previous, 1).bytes() == bytes;
      right = right && ranks::holds(in, static_cast<std::uint64_t>(previous));
      // All the way round: everyone gets its own back.
      in = out;
      for (mpx::rank_t i = 0; i < n; ++i) world.sendrecv_replace(in, next, 2, previous, 2);
      right = right && in == out;
      // Both neighbours at once, nonblocking, receives last.
      std::vector<std::byte> other(bytes);
      auto to_next = world.isend(out, next, 3);
      auto to_previous = world.isend(out, previous, 4);
      auto from_next = world.irecv(other, next, 4);
      auto from_previous = world.irecv(in, previous, 3);
      mpx::request<Stack> all[] = {std::move(to_next), std::move(to_previous), std::move(from_next),
                                   std::move(from_previous)};
      mpx::wait_all(all);
      right = right && ranks::holds(in, static_cast<std::uint64_t>(previous)) &&
              ranks::holds(other, static_cast<std::uint64_t>(next));
      CHECK(right);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(rings, ranks::all_stacks);

TEST_CASE_TEMPLATE("communicators do not mix", Stack, ranks::inproc, ranks::shm, ranks::listed,
                   ranks::multiple) {
  ranks::run<Stack>(3, [](auto world) {
    auto second = world.dup();
    auto third = second.dup();
    CHECK(second.rank() == world.rank());
    CHECK(second.size() == world.size());
    CHECK(second.context() != world.context());
    CHECK(third.context() != second.context());
    CHECK(third.context() != world.context());
    const mpx::rank_t next = (world.rank() + 1) % 3;
    const mpx::rank_t previous = (world.rank() + 2) % 3;
    for (const std::size_t bytes : {8, 1000, 100'000}) {
      // The same tag, partners and length in all of them, and wildcards that fit everything.
      std::vector<std::byte> in[3] = {std::vector<std::byte>(bytes), std::vector<std::byte>(bytes),
                                      std::vector<std::byte>(bytes)};
      const auto out = [&](std::uint64_t i) {
        return ranks::message(bytes, i * 100 + static_cast<std::uint64_t>(world.rank()));
      };
      const std::vector<std::byte> data[] = {out(0), out(1), out(2)};
      auto a = second.irecv(in[1]);
      auto b = world.irecv(in[0]);
      auto c = third.isend(data[2], next, 1);
      auto d = world.isend(data[0], next, 1);
      auto e = second.isend(data[1], next, 1);
      world.barrier();
      second.barrier();
      CHECK(third.probe().source() == previous);
      auto f = third.irecv(in[2]);
      mpx::request<Stack> all[] = {std::move(a), std::move(b), std::move(c),
                                   std::move(d), std::move(e), std::move(f)};
      mpx::wait_all(all);
      for (std::uint64_t i = 0; i < 3; ++i)
        CHECK(ranks::holds(in[i], i * 100 + static_cast<std::uint64_t>(previous)));
    }
    CHECK(!second.iprobe());
    CHECK(!third.iprobe());
  });
}
