// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Portals of a job: the same program over each transport, in all forms of calls; heaps that are
// searched while messages arrive; handlers; ranks and tables that are gone; errors.

#include <mpx/coroutine.hpp>
#include <mpx/portals.hpp>
#include <optional>

#include "comm/ranks.hpp"

namespace {

namespace po = mpx::portals;
using bytes = std::vector<std::byte>;
constexpr mpx::match_bits all_bits = ~mpx::match_bits{0};

/// Every rank puts to, gets from and asks its right neighbour, in every form.
template <class Comm>
void exchange(const Comm& world) {
  using stack = typename Comm::stack_type;
  po::table<stack> t(world);
  const mpx::rank_t right = (world.rank() + 1) % world.size();
  const mpx::rank_t left = (world.rank() + world.size() - 1) % world.size();
  const auto seed = [](mpx::rank_t r, std::uint64_t i) {
    return static_cast<std::uint64_t>(r) * 1000 + i;
  };
  const std::size_t sizes[] = {0,      1, 40, 400, t.packet_data_bytes(), t.packet_data_bytes() + 1,
                               200'000};
  constexpr std::size_t count = std::size(sizes);

  // One buffer for each size, sender-managed, and a table of buffers beside it.
  bytes landing(500'000, ranks::canary);
  po::single_block block{std::span(landing)};
  bytes exposed = ranks::message(300'000, seed(world.rank(), 99));
  po::single_block readable{std::span<const std::byte>(exposed)};
  po::dynamic_block heap(1 << 20);
  po::events<stack> events(t, 64);
  const auto put = t.attach(1, block, {.how = {.acknowledge = true}}, events);
  const auto get = t.attach(2, readable, {.how = {.direction = po::access::read_only}});
  const auto keep = t.append(3, {.ignore = all_bits}, heap, {.how = {.keep = po::saves::both}});
  world.barrier();

  for (std::size_t i = 0, at = 0; i < count; at += sizes[i++]) {
    const bytes out = ranks::message(sizes[i], seed(world.rank(), i));
    po::receipt r;
    switch (i % 3) {
      case 0: t.put_acknowledged(out, right, {1, i, at}, r); break;
      case 1: {
        std::error_code ec;
        t.put_acknowledged(out, right, {1, i, at}, r, ec);
        CHECK_FALSE(ec);
        break;
      }
      default: {
        auto sending = t.put_acknowledged(out, right, {1, i, at}, r, mpx::start);
        sending.wait();
      }
    }
    CHECK(r.what == po::saved::body);
    CHECK(r.offset == at);
    CHECK(r.bytes == sizes[i]);
    // The neighbour's message is here, or on its way.
    const po::event e = events.wait();
    CHECK(e.kind == po::event_kind::put);
    CHECK(e.is.source == left);
    CHECK(e.is.bits == i);
    CHECK(ranks::holds(e.data, seed(left, i)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    bytes in(sizes[i]);
    if (i % 2 == 0) {
      t.get(in, right, {.portal = 2});
    } else {
      auto asking = t.get(in, right, {.portal = 2}, mpx::start);
      CHECK(asking.wait().error() == std::error_code{});
    }
    CHECK(ranks::holds(in, seed(right, 99)));
  }
  // Unexpected messages, in order.
  std::vector<mpx::request<stack>> sent;
  std::vector<bytes> sources;
  for (std::size_t i = 0; i < count; ++i)
    sources.push_back(ranks::message(sizes[i], seed(world.rank(), i)));
  for (std::size_t i = 0; i < count; ++i)
    sent.push_back(t.put(sources[i], right, {3, i}, {}, mpx::start));
  mpx::wait_all(sent);
  for (std::size_t i = 0; i < count; ++i) {
    po::heap_message<stack> m;
    while (!(m = t.take(heap, {.ignore = all_bits, .from = left}))) world.progress();
    m.wait();
    CHECK(m.is().bits == i);
    CHECK(m.is().length == sizes[i]);
    CHECK(ranks::holds(m.data(), seed(left, i)));
  }
  CHECK(t.counted().dropped == 0);
  CHECK(t.counted().told_dropped == 0);
  world.barrier();
}

TEST_CASE("portals: puts, gets and unexpected messages over each transport") {
  const auto body = [](auto world) { exchange(world); };
  ranks::run<ranks::inproc>(1, body);
  ranks::run<ranks::inproc>(4, body);
  ranks::run<ranks::shm>(3, body);
  ranks::run<ranks::tiny>(3, body);
  ranks::run<ranks::late>(2, body);
  ranks::run<ranks::multiple>(2, body);
}

TEST_CASE("portals: receives that are posted while messages arrive get each message once") {
  // The paper's receive portal: an entry for each receive, then a catch-all entry over a heap.
  const auto body = [](auto world) {
    using stack = typename decltype(world)::stack_type;
    constexpr std::size_t messages = 400;
    po::table<stack> t(world);
    po::dynamic_block heap(1 << 20);
    po::events<stack> events(t, 16);
    const auto rest = t.append(0, {.ignore = all_bits}, heap, {.how = {.keep = po::saves::both}});
    world.barrier();
    if (world.rank() != 0) {
      for (std::size_t i = 0; i < messages; ++i)
        t.put(ranks::message(i % 300, i), 0, {.bits = i % 7});
      world.barrier();
      return;
    }
    const auto senders = static_cast<std::size_t>(world.size() - 1);
    std::vector<std::size_t> next(7 * senders);
    bytes room(300);
    po::independent_block one{std::span(room)};
    std::size_t unexpected = 0;
    for (std::size_t i = 0; i < messages * senders; ++i) {
      const auto from = static_cast<mpx::rank_t>(1 + i % senders);
      const mpx::match_bits bits = i / senders % 7;
      auto receive = t.insert(
          rest, 0, {.bits = bits, .from = from}, one,
          {.how = {.keep = po::saves::both}, .no_buffer = po::onward::following(), .active = false},
          events);
      auto m = t.take_or_activate(heap, receive);
      const std::size_t k = next[(i % senders) * 7 + bits]++ * 7 + bits;
      if (m) {
        ++unexpected;
        CHECK(m.is().source == from);
        CHECK(m.is().length == k % 300);
        CHECK(ranks::holds(m.data(), k));
      } else {
        const po::event e = events.wait();
        CHECK(e.is.source == from);
        CHECK(e.is.length == k % 300);
        CHECK(ranks::holds(e.data, k));
        receive.remove();  // Before its buffer is free for another message.
        t.release(one, 0);
      }
    }
    CHECK(t.counted().dropped == 0);
    CHECK(unexpected <= messages * senders);
    CHECK_FALSE(t.take(heap, {.ignore = all_bits}));
    world.barrier();
  };
  ranks::run<ranks::shm>(3, body);
  ranks::run<ranks::multiple>(4, body);
}

TEST_CASE("portals: handlers, tokens and coroutines") {
  const auto body = [](auto world) {
    using stack = typename decltype(world)::stack_type;
    po::table<stack> t(world);
    // Each rank counts, and answers with the sum so far.
    std::uint64_t sum = 0;
    const auto adds =
        t.handle(7, {.ignore = all_bits}, [&sum](po::handling& h, const po::event& e) noexcept {
          std::uint64_t x = 0;
          std::memcpy(&x, e.data.data(), sizeof x);
          sum += x;
          const mpx::errc why = h.answer(e.is, std::as_bytes(std::span(&sum, 1)));
          if (why != mpx::errc{}) std::abort();
        });
    std::uint64_t total = 0;
    po::single_block answer{std::span(&total, 1)};
    po::events<stack> events(t, 4);
    const auto back = t.append(8, {.bits = 5}, answer, {}, events);
    world.barrier();
    mpx::task_loop loop(world);
    const auto work = [&]() -> mpx::task<> {
      for (std::uint64_t i = 1; i <= 20; ++i) {
        co_await t.put(i, 0, {.portal = 7}, {.portal = 8, .bits = 5}, loop);
        co_await events.arrival();
        const auto e = events.poll();
        CHECK(e.has_value());
        CHECK(e->is.source == 0);
        CHECK(total >= i);
      }
    };
    loop.run(work());
    world.barrier();
    if (world.rank() == 0) CHECK(sum == 210 * static_cast<std::uint64_t>(world.size()));
    // A message that no entry takes.
    std::error_code ec;
    po::receipt r;
    t.put_acknowledged(total, 0, {.portal = 9}, r, ec);
    CHECK(ec == mpx::errc::not_ready);
    CHECK(r.reason == po::drop_reason::no_such_portal);
    world.barrier();
  };
  ranks::run<ranks::inproc>(3, body);
}

TEST_CASE("portals: a rank that destroys its table ends what others ask of it") {
  ranks::run<ranks::shm>(2, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    std::optional<po::table<stack>> t(std::in_place, world);
    world.barrier();
    if (world.rank() == 1) {
      t.reset();
      world.barrier();
      world.barrier();
      return;
    }
    po::events<stack> events(*t, 4);
    world.barrier();
    po::receipt r;
    std::error_code ec;
    t->put_acknowledged(1, 1, {}, r, ec);
    CHECK(ec == mpx::errc::window);
    const po::event e = events.wait();
    CHECK(e.kind == po::event_kind::lost);
    CHECK(e.is.source == 1);
    CHECK(e.failure == mpx::errc::window);
    t->put(1, 1, {}, {}, ec);
    CHECK(ec == mpx::errc::window);
    world.barrier();
  });
}

TEST_CASE("portals: requests that are dropped, and a table that goes first") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    mpx::request<stack> late;
    {
      po::table<stack> t(world);
      world.barrier();
      if (world.rank() == 0) {
        {
          const bytes gone(3'000'000);
          const auto dropped = t.put(gone, 1, {}, {}, mpx::start);
        }
        bytes in(100);
        const auto dropped = t.get(in, 1, {}, mpx::start);
        late = t.get(in, 0, {.portal = 60'000}, mpx::start);  // Nobody polls: it is under way.
      }
    }
    if (world.rank() == 0) {
      std::error_code ec;
      late.wait(ec);
      CHECK(ec == mpx::errc::window);
    }
    world.barrier();
  });
}

TEST_CASE("portals: errors name the call, the portal and the remedy") {
  ranks::run<ranks::inproc>(1, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    const auto text_of = [](auto&& f) {
      try {
        f();
      } catch (const mpx::error& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    CHECK(ranks::contains(text_of([&] { po::table<stack> t(world, {.portals = 0}); }), "limits"));
    po::table<stack> t(world, {.portals = 4, .entries = 1, .operations = 1, .replies = 1});
    int x = 0;
    po::single_block block{std::span(&x, 1)};
    CHECK(ranks::contains(text_of([&] { static_cast<void>(t.attach(4, block, {})); }),
                          "portals 0 to 3"));
    const auto e = t.attach(0, block, {});
    CHECK(ranks::contains(text_of([&] { static_cast<void>(t.attach(1, block, {})); }),
                          "all 1 entries"));
    CHECK(ranks::contains(text_of([&] { t.put(x, 1, {}); }), "portal 0 of rank 1"));
    CHECK(ranks::contains(text_of([&] { t.put(x, 0, {}, {.portal = 4}); }), "return portal 4"));
    CHECK(ranks::contains(text_of([&] { t.get(x, 0, {.portal = 0}); }), "no entry took it"));
    int y = 0;
    const auto first = t.get(y, 0, {.portal = 1}, mpx::start);
    CHECK(ranks::contains(text_of([&] { static_cast<void>(t.get(x, 0, {}, mpx::start)); }),
                          "all 1 operations"));
    t.put(x, mpx::proc_null, {});
    po::events<stack> events(t, 1);
    const auto waits = events.arrival();
    CHECK(ranks::contains(text_of([&] { static_cast<void>(events.arrival()); }), "already"));
  });
}

TEST_CASE("portals: tables come and go without end") {
  ranks::run<ranks::inproc>(1, [](auto world) {
    using stack = typename decltype(world)::stack_type;
    int sum = 0;
    for (int i = 0; i < 8500; ++i) {  // More than the communicators that a rank may lead.
      po::table<stack> t(world, {.portals = 1});
      int x = 0;
      po::single_block block{std::span(&x, 1)};
      const auto e = t.attach(0, block, {});
      po::receipt saved;
      t.put_acknowledged(1, 0, {}, saved);
      sum += x;
    }
    CHECK(sum == 8500);
  });
}

}  // namespace
