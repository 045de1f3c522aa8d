// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: address
// A job that grows and shrinks while it is at work: peers that come, talk and go.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mpx/mpx.hpp>
#include <random>
#include <string>
#include <vector>

#include "comm/ranks.hpp"
#include "transport/late_stacks.hpp"

namespace {

using mpx::errc;
using mpx::peer_id;
using mpx::rank_t;

/// One rank with no job but its own, driven by the test's thread.
template <class Stack>
struct solo {
  using endpoint = mpx::detail::endpoint<Stack>;

  solo() : job(mpx::bootstrap::singleton()), at(std::make_unique<endpoint>(job)) {}
  explicit solo(const std::string& address)
      : job(mpx::bootstrap::singleton()), at(std::make_unique<endpoint>(job, address)) {}

  mpx::bootstrap::any job;
  std::unique_ptr<endpoint> at;
};

/// A message under way, with its buffer.
template <class Stack>
struct flying {
  mpx::detail::endpoint<Stack>* at;
  mpx::detail::operation* op;
  std::unique_ptr<std::vector<std::byte>> data;

  bool done() { return op == nullptr || at->test(*op); }
  errc end() {
    const errc why = op == nullptr ? errc{} : op->failure;
    if (op != nullptr) at->release(*op);
    op = nullptr;
    return why;
  }
};

constexpr mpx::context_id context = 8;

template <class Stack>
flying<Stack> send(solo<Stack>& from, peer_id to, std::size_t bytes, std::uint64_t seed,
                   mpx::tag_t tag) {
  auto data = std::make_unique<std::vector<std::byte>>(ranks::message(bytes, seed));
  const auto s = from.at->send({mpx::memory(std::span(*data)), to, context, tag});
  REQUIRE(s.failure == errc{});
  return {from.at.get(), s.op, std::move(data)};
}
template <class Stack>
flying<Stack> receive(solo<Stack>& at, peer_id from, std::size_t room, mpx::tag_t tag) {
  auto data = std::make_unique<std::vector<std::byte>>(room);
  const auto s = at.at->receive(mpx::memory(std::span(*data)), mpx::pattern(context, from, tag));
  REQUIRE(s.failure == errc{});
  return {at.at.get(), s.op, std::move(data)};
}
/// Lets all ranks make progress until `f` is done. Bounded.
template <class Stack>
bool settle(std::vector<std::unique_ptr<solo<Stack>>>& all, flying<Stack>& f) {
  for (int i = 0; i < 100'000; ++i) {
    if (f.done()) return true;
    for (auto& s : all) s->at->progress();
  }
  return false;
}

/// Adds each to the other, asking again while an old link of the two is being taken down.
template <class Stack>
std::pair<peer_id, peer_id> meet(std::vector<std::unique_ptr<solo<Stack>>>& all, solo<Stack>& a,
                                 solo<Stack>& b) {
  const auto add = [&](solo<Stack>& to, solo<Stack>& whom) {
    for (int i = 0; i < 10'000; ++i) {
      const auto added = to.at->add_peer(whom.at->address());
      if (added.failure != errc::pending) {
        REQUIRE(added.failure == errc{});
        return added.peer;
      }
      for (auto& s : all) s->at->progress();
    }
    REQUIRE(false);
    return peer_id{0};
  };
  const peer_id in_a = add(a, b);
  return {in_a, add(b, a)};
}

/// Records its calls.
struct noting final : mpx::detail::service {
  errc on_packet(peer_id source, const mpx::wire::header& h,
                 std::span<const std::byte> payload) noexcept override {
    packets.push_back({source, h, {payload.begin(), payload.end()}});
    return answer;
  }
  void on_loss(peer_id peer) noexcept override { losses.push_back(peer); }
  struct packet {
    peer_id source;
    mpx::wire::header header;
    std::vector<std::byte> payload;
  };
  std::vector<packet> packets;
  std::vector<peer_id> losses;
  errc answer{};
};

/// Pairs of bytes with two bytes between them.
struct spread final : mpx::layout {
  static std::size_t at(std::size_t i) { return i / 2 * 4 + i % 2; }
  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = base[at(offset + i)];
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    for (std::size_t i = 0; i < from.size(); ++i) base[at(offset + i)] = from[i];
  }
};

using over_inproc = mpx::stack<mpx::transport::inproc>;
using over_late = mpx::stack<late_transport::late<mpx::transport::inproc, late_stacks::all>>;

}  // namespace

TEST_CASE_TEMPLATE("peers: a newcomer talks in every size, and its grant is learnt", Stack,
                   over_inproc, over_late) {
  const ranks::watchdog guard("a newcomer");
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  all.push_back(std::make_unique<solo<Stack>>(all[0]->at->address()));
  const auto [b_in_a, a_in_b] = meet(all, *all[0], *all[1]);
  CHECK(b_in_a == 1);
  CHECK(a_in_b == 1);
  std::uint64_t seed = 0;
  for (const std::size_t bytes : ranks::sizes<Stack>()) {
    for (int way = 0; way < 2; ++way) {
      solo<Stack>& from = *all[static_cast<std::size_t>(way)];
      solo<Stack>& to = *all[static_cast<std::size_t>(1 - way)];
      auto out = send(from, 1, bytes, ++seed, 3);
      auto in = receive(to, way == 0 ? 1 : mpx::any_peer, bytes, 3);
      REQUIRE(settle(all, in));
      REQUIRE(settle(all, out));
      CHECK(in.end() == errc{});
      CHECK(out.end() == errc{});
      CHECK(ranks::holds(*in.data, seed));
    }
  }
  CHECK(all[0]->at->add_peer(all[1]->at->address()).failure != errc{});  // It is here already.
  CHECK(all[0]->at->add_peer("nonsense").failure == errc::argument);
  CHECK(all[0]->at->drop_peer(0) == errc::rank);  // Oneself.
  CHECK(all[0]->at->drop_peer(9) == errc::rank);
}

TEST_CASE_TEMPLATE("peers: dropped during transfers: all operations end, and the index is reused",
                   Stack, over_inproc, over_late) {
  const ranks::watchdog guard("a dropped peer");
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  for (int round = 0; round < 20; ++round) {
    all.push_back(std::make_unique<solo<Stack>>(all[0]->at->address()));
    const auto [it, me] = meet(all, *all[0], *all[1]);
    CHECK(it == 1);
    auto any = receive(*all[0], mpx::any_peer, 64, 99);
    auto waits = receive(*all[0], it, 1 << 20, 5);
    auto stays = send(*all[0], it, 1 << 20, 1, 6);
    auto half = send(*all[1], me, 1 << 20, 2, 5);  // Announced; its data is on its way.
    auto never = send(*all[1], me, 64, 3, 77);     // Never received.
    for (int i = 0; i < round; ++i) {
      all[0]->at->progress();
      all[1]->at->progress();
    }
    CHECK(all[0]->at->drop_peer(it) == errc{});
    CHECK(all[0]->at->drop_peer(it) == errc::rank);
    REQUIRE(settle(all, waits));
    REQUIRE(settle(all, stays));
    const errc why = waits.end();
    CHECK((why == errc::peer_lost || (why == errc{} && ranks::holds(*waits.data, 2))));
    CHECK(stays.end() == errc::peer_lost);
    CHECK(!any.done());  // It waits for any peer.
    auto later = send(*all[0], it, 8, 1, 1);
    CHECK(later.end() == errc::peer_lost);
    CHECK(all[0]->at->unexpected_bytes() == 0);
    CHECK(all[1]->at->drop_peer(me) == errc{});
    REQUIRE(settle(all, half));
    half.end();
    never.end();
    CHECK(all[0]->at->cancel(*any.op));
    any.end();
    all.pop_back();
  }
}

TEST_CASE_TEMPLATE("peers: a matched probe's message keeps its sender from being dropped", Stack,
                   over_inproc, over_late) {
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  all.push_back(std::make_unique<solo<Stack>>(all[0]->at->address()));
  const auto [it, me] = meet(all, *all[0], *all[1]);
  auto out = send(*all[1], me, 16, 4, 2);
  errc why{};
  mpx::detail::arrived_message* held = nullptr;
  for (int i = 0; i < 10'000 && held == nullptr; ++i) {
    all[1]->at->progress();
    held = all[0]->at->take_by_probe(mpx::pattern(context, it, 2), why);
  }
  REQUIRE(held != nullptr);
  CHECK(all[0]->at->drop_peer(it) == errc::request);
  std::array<std::byte, 16> into{};
  const auto s = all[0]->at->receive_probed(held, mpx::memory(std::span<std::byte>(into)));
  REQUIRE(s.op != nullptr);
  all[0]->at->release(*s.op);
  CHECK(ranks::holds(into, 4));
  CHECK(all[0]->at->drop_peer(it) == errc{});
  settle(all, out);
  out.end();
}

TEST_CASE_TEMPLATE("peers: a job that grows and shrinks at random loses nothing", Stack,
                   over_inproc, over_late) {
  const ranks::watchdog guard("a job that grows and shrinks");
  std::mt19937 random(7);
  const auto draw = [&](std::size_t below) { return random() % below; };
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  std::uint64_t seed = 0;
  for (int step = 0; step < 300; ++step) {
    if (all.size() < 8 && (all.size() == 1 || draw(3) == 0)) {
      all.push_back(std::make_unique<solo<Stack>>(all[draw(all.size())]->at->address()));
      continue;
    }
    solo<Stack>& a = *all[draw(all.size())];
    solo<Stack>& b = *all[draw(all.size())];
    if (&a == &b) continue;
    const auto [b_in_a, a_in_b] = meet(all, a, b);
    const std::size_t bytes = std::array<std::size_t, 4>{8, 1000, 20'000, 300'000}[draw(4)];
    auto in = receive(a, b_in_a, bytes, 1);
    auto back = receive(b, mpx::any_peer, bytes, 2);
    auto out = send(b, a_in_b, bytes, ++seed, 1);
    REQUIRE(settle(all, in));
    CHECK(ranks::holds(*in.data, seed));
    auto answer = send(a, b_in_a, bytes, ++seed, 2);
    REQUIRE(settle(all, back));
    CHECK(ranks::holds(*back.data, seed));
    for (auto* f : {&in, &back, &out, &answer}) {
      REQUIRE(settle(all, *f));
      CHECK(f->end() == errc{});
    }
    const bool first = draw(2) == 0;  // Either may go first.
    CHECK((first ? a.at->drop_peer(b_in_a) : b.at->drop_peer(a_in_b)) == errc{});
    CHECK((first ? b.at->drop_peer(a_in_b) : a.at->drop_peer(b_in_a)) == errc{});
    if (draw(4) == 0 && all.size() > 2)
      all.erase(all.begin() + 1 + static_cast<long>(draw(all.size() - 1)));
  }
}

TEST_CASE_TEMPLATE("services: packets of their kinds are delivered to them only, in order", Stack,
                   over_inproc, over_late) {
  const ranks::watchdog guard("services");
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  all.push_back(std::make_unique<solo<Stack>>(all[0]->at->address()));
  meet(all, *all[0], *all[1]);
  noting low;
  noting high;
  auto& at = *all[0]->at;
  CHECK(at.add_service(low, 10, 73) == errc::argument);  // The engine's own kinds.
  CHECK(at.add_service(low, 74, 73) == errc::argument);
  CHECK(at.add_service(low, 64, 71) == errc::argument);  // The collectives have one of these.
  CHECK(at.add_service(low, 72, 73) == errc::argument);  // The windows have the first.
  CHECK(at.add_service(low, 73, 74) == errc{});
  CHECK(at.add_service(high, 74, 90) == errc::argument);
  CHECK(at.add_service(high, 75, 255) == errc{});
  const auto data = ranks::message(40, 5);
  for (int i = 0; i < 300; ++i) {
    const auto kind = static_cast<mpx::wire::kind>(73 + i % 4);
    CHECK(all[1]->at->send_to_service(1, {.kind = kind, .tag = i},
                                      std::span(data).first(static_cast<std::size_t>(i % 41))) ==
          errc{});
  }
  for (int i = 0; i < 10'000 && low.packets.size() + high.packets.size() < 300; ++i)
    for (auto& s : all) s->at->progress();
  REQUIRE(low.packets.size() == 150);
  REQUIRE(high.packets.size() == 150);
  int last = -1;
  for (const auto& p : low.packets) {
    CHECK(p.source == 1);
    CHECK(p.header.tag > last);
    last = p.header.tag;
    CHECK(p.payload.size() == static_cast<std::size_t>(last % 41));
    CHECK(std::equal(p.payload.begin(), p.payload.end(), data.begin()));
  }
  at.remove_service(low);
  CHECK(all[1]->at->send_to_service(1, {.kind = static_cast<mpx::wire::kind>(73)}, {}) == errc{});
  for (int i = 0; i < 10'000 && high.losses.empty(); ++i)
    for (auto& s : all) s->at->progress();
  CHECK(high.losses == std::vector<peer_id>{1});  // An unknown kind is malformed.
  CHECK(low.losses.empty());
  CHECK(at.send_to_service(1, {.kind = static_cast<mpx::wire::kind>(75)}, {}) == errc::peer_lost);
  at.remove_service(high);
}

TEST_CASE_TEMPLATE("memory: noncontiguous data arrives in another layout, in every size", Stack,
                   over_inproc, over_late) {
  const ranks::watchdog guard("layouts");
  std::vector<std::unique_ptr<solo<Stack>>> all;
  all.push_back(std::make_unique<solo<Stack>>());
  all.push_back(std::make_unique<solo<Stack>>(all[0]->at->address()));
  meet(all, *all[0], *all[1]);
  const spread pairs;
  std::uint64_t seed = 100;
  for (const std::size_t bytes : ranks::sizes<Stack>()) {
    for (int form = 1; form < 4; ++form) {  // The side that has a layout.
      for (const bool early : {false, true}) {
        ++seed;
        const auto data = ranks::message(bytes, seed);
        std::vector<std::byte> source(2 * bytes + 4, ranks::canary);
        std::vector<std::byte> target(2 * bytes + 4, ranks::canary);
        const bool out_spread = (form & 1) != 0;
        const bool in_spread = (form & 2) != 0;
        for (std::size_t i = 0; i < bytes; ++i) source[out_spread ? spread::at(i) : i] = data[i];
        const mpx::memory out(source.data(), bytes, out_spread ? &pairs : nullptr);
        const mpx::memory in(target.data(), bytes, in_spread ? &pairs : nullptr);
        flying<Stack> f[2] = {};
        for (const int step : {0, 1}) {
          if ((step == 0) == early) {
            const auto s = all[0]->at->send({out, 1, context, 4});
            f[0] = {all[0]->at.get(), s.op, nullptr};
          } else {
            const auto r = all[1]->at->receive(in, mpx::pattern(context, 1, 4));
            f[1] = {all[1]->at.get(), r.op, nullptr};
          }
          for (int i = 0; i < 20; ++i)
            for (auto& s : all) s->at->progress();
        }
        REQUIRE(settle(all, f[1]));
        REQUIRE(settle(all, f[0]));
        CHECK(f[1].end() == errc{});
        CHECK(f[0].end() == errc{});
        bool right = true;
        for (std::size_t i = 0; i < bytes; ++i)
          right = right && target[in_spread ? spread::at(i) : i] == data[i];
        CHECK(right);
        bool gaps = true;
        for (std::size_t i = 0; in_spread && i + 4 <= 2 * bytes; i += 4)
          gaps = gaps && target[i + 2] == ranks::canary && target[i + 3] == ranks::canary;
        CHECK(gaps);
      }
    }
  }
}
