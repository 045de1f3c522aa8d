// SPDX-License-Identifier: BSL-1.0
// release: tsan
// compilers: both
// Every mode in every form, at sizes around every threshold, before and after its receive.

#include <tuple>

#include "comm/ranks.hpp"

namespace {

using mpx::mode;

enum class form { blocking, nonblocking, persistent };
enum class order { posted, early, free };  // When the receive comes: first, last, at any time.

using ranks::data_tag;
using ranks::go_tag;

struct trial {
  std::size_t bytes;
  mode how;
  form sender;
  form receiver;
  order when;
};

std::string name(const trial& t) {
  const char* const modes[] = {"standard", "synchronous", "buffered", "ready"};
  const char* const forms[] = {"blocking", "nonblocking", "persistent"};
  const char* const orders[] = {"posted", "early", "free"};
  return std::to_string(t.bytes) + " bytes, " + modes[static_cast<int>(t.how)] + ", " +
         forms[static_cast<int>(t.sender)] + " send, " + forms[static_cast<int>(t.receiver)] +
         " receive, " + orders[static_cast<int>(t.when)];
}

std::vector<trial> trials(const std::vector<std::size_t>& sizes) {
  std::vector<trial> all;
  for (const std::size_t bytes : sizes)
    for (const mode how : {mode::standard, mode::synchronous, mode::buffered, mode::ready})
      for (const form sender : {form::blocking, form::nonblocking, form::persistent})
        for (const order when : {order::posted, order::early, order::free}) {
          if (how == mode::ready && when != order::posted) continue;
          if (sender == form::blocking && how != mode::buffered && when == order::early) continue;
          auto receiver = static_cast<form>(all.size() % 3);
          if (when == order::posted && receiver == form::blocking) receiver = form::persistent;
          all.push_back({bytes, how, sender, receiver, when});
        }
  return all;
}

using bytes_view = std::span<const std::byte>;

template <class Comm>
void send(Comm& world, mode how, bytes_view data) {
  switch (how) {
    case mode::standard: return world.send(data, 1, data_tag);
    case mode::synchronous: return world.ssend(data, 1, data_tag);
    case mode::buffered: return world.bsend(data, 1, data_tag);
    case mode::ready: return world.rsend(data, 1, data_tag);
  }
}

template <class Comm>
auto start_send(Comm& world, mode how, bytes_view data) {
  switch (how) {
    case mode::standard: break;
    case mode::synchronous: return world.issend(data, 1, data_tag);
    case mode::buffered: return world.ibsend(data, 1, data_tag);
    case mode::ready: return world.irsend(data, 1, data_tag);
  }
  return world.isend(data, 1, data_tag);
}

template <class Comm>
auto make_send(Comm& world, mode how, bytes_view data) {
  switch (how) {
    case mode::standard: break;
    case mode::synchronous: return world.ssend_init(data, 1, data_tag);
    case mode::buffered: return world.bsend_init(data, 1, data_tag);
    case mode::ready: return world.rsend_init(data, 1, data_tag);
  }
  return world.send_init(data, 1, data_tag);
}

template <class Comm>
void send_one(Comm& world, const trial& t, bytes_view data) {
  if (t.when == order::posted) (void)world.template recv<int>(1, go_tag);
  const auto go = [&] {
    if (t.when == order::early) world.send(1, 1, go_tag);
  };
  if (t.sender == form::blocking) {
    send(world, t.how, data);
    go();
  } else if (t.sender == form::nonblocking) {
    auto r = start_send(world, t.how, data);
    go();
    r.wait();
    CHECK(!r);
  } else {
    auto p = make_send(world, t.how, data);
    CHECK(!p);
    p.start();
    go();
    p.wait();
    CHECK(!p);
  }
}

template <class Comm>
mpx::status receive_one(Comm& world, const trial& t, std::span<std::byte> into) {
  if (t.when == order::early) (void)world.template recv<int>(0, go_tag);
  const auto go = [&] {
    if (t.when == order::posted) world.send(1, 0, go_tag);
  };
  if (t.receiver == form::blocking) return world.recv(into, 0, data_tag);
  if (t.receiver == form::nonblocking) {
    auto r = world.irecv(into, 0, data_tag);
    go();
    return r.wait();
  }
  auto p = world.recv_init(into, 0, data_tag);
  p.start();
  go();
  return p.wait();
}

using ranks::canary;
constexpr std::size_t guard_bytes = 64;

template <class Comm>
void receive_and_check(Comm& world, const trial& t, bytes_view expected) {
  std::vector<std::byte> room(t.bytes + guard_bytes, canary);
  const mpx::status s = receive_one(world, t, std::span(room).first(t.bytes));
  bool right = s.source() == 0 && s.tag() == data_tag && s.bytes() == t.bytes && !s.cancelled() &&
               !s.error() && std::equal(expected.begin(), expected.end(), room.begin());
  for (std::size_t i = 0; i < guard_bytes; ++i) right = right && room[t.bytes + i] == canary;
  CHECK_MESSAGE(right, name(t));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("all modes in all forms at all sizes", Stack, all_modes) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    std::vector<std::byte> memory(8 << 20);
    if (env.rank() == 0) env.attach_buffer(memory);
    std::vector<std::byte> data;
    for (const trial& t : trials(ranks::sizes<Stack>())) {
      if (data.size() != t.bytes || t.bytes == 0) data = ranks::message(t.bytes, t.bytes);
      if (env.rank() == 0) {
        send_one(world, t, data);
      } else {
        receive_and_check(world, t, data);
      }
    }
    if (env.rank() == 0) CHECK(env.detach_buffer().data() == memory.data());
  });
}
TEST_CASE_TEMPLATE_APPLY(all_modes, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("persistent requests run again and again", Stack, persistent) {
  ranks::run<Stack>(2, [](auto world) {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{100'000}}) {
      std::vector<std::byte> data(bytes);
      const mpx::rank_t other = 1 - world.rank();
      auto receive = world.recv_init(data, other, data_tag);
      auto send = world.send_init(data, other, data_tag);
      bool right = true;
      for (std::uint64_t round = 0; round < 20; ++round) {
        auto& mine = world.rank() == static_cast<mpx::rank_t>(round % 2) ? send : receive;
        const bool sends = &mine == &send;
        if (sends) ranks::fill(data, round);
        mine.start();
        const mpx::status s = mine.wait();
        if (!sends) right = right && s.bytes() == bytes && ranks::holds(data, round);
      }
      CHECK(right);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(persistent, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("a run-time limit moves messages to the long path", Stack, lowered) {
  REQUIRE(::setenv("MPX_SHORT_BYTES_MAX", "100", 1) == 0);
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    [[maybe_unused]] std::uint64_t announced = 0;
    for (const std::size_t bytes : {99, 100, 99, 101, 500, 500, 5000}) {
      if (env.rank() == 0) {
        world.send(ranks::message(bytes, bytes), 1, data_tag);
        if constexpr (std::is_same_v<typename Stack::trace_type, mpx::trace::counters>) {
          announced += bytes > 100 ? 1 : 0;
          CHECK(env.trace()[mpx::event::announced] == announced);
        }
      } else {
        std::vector<std::byte> in(bytes);
        CHECK(world.recv(in, 0, data_tag).bytes() == bytes);
        CHECK(ranks::holds(in, bytes));
      }
    }
  });
  REQUIRE(::unsetenv("MPX_SHORT_BYTES_MAX") == 0);
}
TEST_CASE_TEMPLATE_APPLY(
    lowered, std::tuple<ranks::inproc, ranks::shm, ranks::tiny, mpx::stack<mpx::trace::counters>>);
