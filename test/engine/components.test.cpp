// SPDX-License-Identifier: BSL-1.0
// Each component of the endpoint alone, among archetypes of the others.

#include "engine/components.hpp"

#include <doctest/doctest.h>

#include <array>
#include <mpx/bootstrap/singleton.hpp>

namespace {

using namespace components;

constexpr auto eager = wire::kind::eager;
constexpr auto announce = wire::kind::announce;

/// Distinguishable bytes.
std::vector<std::byte> pattern_of(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return bytes;
}

std::span<const std::byte> as_payload(const auto& value) {
  return std::as_bytes(std::span(&value, 1));
}

mpx::memory room_in(auto& array) { return std::span<std::byte>(array); }

/// Every second byte of memory.
struct every_second final : mpx::layout {
  void pack(const std::byte* base, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = base[2 * (offset + i)];
  }
  void unpack(std::byte* base, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    for (std::size_t i = 0; i < from.size(); ++i) base[2 * (offset + i)] = from[i];
  }
};

/// An announced message of peer 1, with its data at that address.
arrived_message announced(std::span<const std::byte> data) {
  arrived_message m;
  m.is = {0, 1, 3};
  m.kind = announce;
  m.ticket = 9;
  m.bytes = data.size();
  m.memory = {reinterpret_cast<std::uintptr_t>(data.data()), 1};
  return m;
}

}  // namespace

TEST_CASE(
    "components: the outbox keeps the order of sends, and ends each once its bytes are free") {
  outbox_owner h;
  auto data = pattern_of(64);
  const mpx::memory all(std::span{data});
  h.transport().answers_with = outcome::retry;
  const started a = h.send({all, 1, 0, 5}, 0);
  const started b = h.send({all, 1, 0, 6}, 0);
  CHECK(a.op->stage == stage::queued);
  CHECK(h.peers().busy.size() >= 1);
  CHECK(h.flush_busy() == 0);
  h.transport().answers_with = outcome::pending;
  CHECK(h.flush_busy() == 2);
  REQUIRE(h.transport().posted.size() == 2);
  CHECK(h.transport().posted[0].header.tag == 5);
  CHECK(h.transport().posted[1].header.tag == 6);
  CHECK(h.transport().posted[0].payload == data);
  CHECK(h.transport().posted[0].cookie == cookie_of(*a.op, cookie_kind::packet));
  CHECK(h.ended.empty());  // The transport still reads the bytes.
  CHECK(a.op->stage == stage::closing);
  CHECK(b.op->pending == 1);
}

TEST_CASE("components: the outbox returns credit for messages that were not posted") {
  outbox_owner h;
  auto data = pattern_of(200);
  h.transport().answers_with = outcome::retry;
  h.send({mpx::memory(std::span{data}), 2, 0, 1}, 0);
  for (int i = 0; i < 100; ++i) h.flush_busy();
  h.transport().answers_with = outcome::done;
  h.flush_busy();
  CHECK(h.transport().posted.back().header.kind == eager);  // Else it would have been announced.
  CHECK(h.ended.size() == 1);
}

TEST_CASE("components: the outbox announces long messages up to the allowed number") {
  outbox_owner h;
  auto data = pattern_of(1000);
  const mpx::memory all(std::span{data});
  for (int tag = 0; tag < 3; ++tag) h.send({all, 1, 0, tag}, 0);
  REQUIRE(h.transport().posted.size() == 2);
  CHECK(h.transport().posted[0].header.kind == announce);
  CHECK((h.transport().posted[0].header.flags & wire::flag_last) == 0);
  CHECK((h.transport().posted[1].header.flags & wire::flag_last) != 0);
  CHECK(!h.on_allow(1, {.kind = wire::kind::allow, .tag = 0}));
  CHECK(h.on_allow(1, {.kind = wire::kind::allow, .tag = 1}));
  h.flush_busy();
  CHECK(h.transport().posted.size() == 3);
}

TEST_CASE("components: the outbox sends answers first, and refuses unexpected answers") {
  outbox_owner h;
  auto data = pattern_of(8);
  h.transport().answers_with = outcome::retry;
  const started s = h.send({mpx::memory(std::span{data}), 3, 0, 9}, wire::flag_synchronous);
  h.send_control(3, {.kind = wire::kind::finished, .ticket = 77});
  h.transport().answers_with = outcome::done;
  h.flush_busy();
  REQUIRE(h.transport().posted.size() == 2);
  CHECK(h.transport().posted[0].header.kind == wire::kind::finished);
  CHECK(h.transport().posted[1].header.ticket == s.op->ticket);
  CHECK(s.op->stage == stage::answer);
  CHECK(!h.on_answer(nullptr, {.kind = wire::kind::matched}));
  CHECK(h.on_answer(s.op, {.kind = wire::kind::unready}));
  CHECK(s.op->failure == errc::not_ready);
  CHECK(!h.on_answer(s.op, {.kind = wire::kind::matched}));
}

TEST_CASE("components: the outbox's attached memory is whole again when all has left") {
  outbox_owner h;
  auto data = pattern_of(64);
  std::array<std::byte, 128> attached{};
  const send_call c{mpx::memory(std::span{data}), 1, 0, 1};
  CHECK(h.send_buffered(c) == errc::buffer);
  CHECK(h.attach(attached) == errc{});
  CHECK(h.attach(attached) == errc::buffer);
  h.transport().answers_with = outcome::retry;
  CHECK(h.send_buffered(c) == errc{});
  CHECK(h.send_buffered(c) == errc{});
  CHECK(h.send_buffered(c) == errc::buffer);
  CHECK(!h.attached_is_free());
  std::fill(data.begin(), data.end(), std::byte{});
  h.transport().answers_with = outcome::done;
  h.flush_busy();
  CHECK(h.transport().posted[0].payload == pattern_of(64));
  for (operation* op : h.ended) h.free_copy(*op);
  CHECK(h.attached_is_free());
  CHECK(h.detach().size() == 128);
}

TEST_CASE("components: the outbox packs noncontiguous data") {
  outbox_owner h;
  auto data = pattern_of(64);
  const every_second second;
  const started s = h.send({mpx::memory(data.data(), 32, &second), 1, 0, 1}, 0);
  REQUIRE(h.transport().posted.size() == 1);
  for (std::size_t i = 0; i < 32; ++i) CHECK(h.transport().posted[0].payload[i] == data[2 * i]);
  h.free_copy(*s.op);
}

TEST_CASE("components: the inbox refuses an eager message above the threshold") {
  inbox_owner h;
  peer_record& one = h.peers().of(1);
  const mpx::wire::header is{.kind = eager, .tag = 7, .context = 4};
  const std::vector<std::byte> data(components::stack::protocol_type::short_bytes_ceiling + 1);
  const std::span all(data);
  CHECK(h.on_eager(one, is, all) == errc::protocol);
  CHECK(h.unexpected_bytes() == 0);
  CHECK(h.on_eager(one, is, all.first(data.size() - 1)) == errc{});
  CHECK(h.unexpected_bytes() == mpx::unexpected_cost(data.size() - 1));
}

TEST_CASE("components: the inbox matches messages and receives in either order") {
  inbox_owner h;
  std::array<std::byte, 16> into{};
  const auto data = pattern_of(16);
  const started r = h.receive(room_in(into), mpx::pattern(4, 1, 7));
  CHECK(!h.on_plain(1, mpx::match_bits_of(4, 8), data));
  CHECK(!h.on_plain(2, mpx::match_bits_of(4, 7), data));
  CHECK(h.on_plain(1, mpx::match_bits_of(4, 7), data));
  CHECK(r.op->done());
  CHECK(std::memcmp(into.data(), data.data(), 16) == 0);

  peer_record& one = h.peers().of(1);
  CHECK(h.on_eager(one, {.kind = eager, .tag = 8, .context = 4}, data) == errc{});
  CHECK(h.unexpected_bytes() == mpx::unexpected_cost(16));
  errc why{};
  CHECK(h.find(mpx::pattern(4, 1, 7), why) == nullptr);
  CHECK(h.find(mpx::pattern(4, mpx::any_peer, -1), why) != nullptr);
  const started late = h.receive(room_in(into), mpx::pattern(4, 1, -1));
  CHECK(late.op->done());
  CHECK(late.op->tag == 8);
  CHECK(h.unexpected_bytes() == 0);
}

TEST_CASE("components: the inbox takes the next packet of a source without a poll") {
  inbox_owner h;
  h.peers().takes = true;
  std::array<std::byte, 16> into{};
  direct_receive d(into.data(), into.size(), 4, 1, 7);
  h.transport().at_hand = {1, {.kind = eager, .tag = 7, .context = 4}, pattern_of(16), 0};
  h.receive_now(d);
  CHECK(!h.transport().at_hand);
  CHECK(h.polls == 0);
  CHECK(d.failure == errc{});
  CHECK(d.bytes == 16);
  CHECK(std::memcmp(into.data(), pattern_of(16).data(), 16) == 0);
}

TEST_CASE("components: the inbox holds no more for a peer than it has granted") {
  inbox_owner h;
  const auto data = pattern_of(200);
  peer_record& one = h.peers().of(1);
  const wire::header header{.kind = eager, .tag = 1, .context = 0};
  errc why{};
  std::uint64_t held = 0;
  while ((why = h.on_eager(one, header, data)) == errc{}) held += mpx::unexpected_cost(200);
  CHECK(why == errc::protocol);
  CHECK(held <= h.flow().window_bytes());
  CHECK(h.unexpected_bytes() == held);
  wire::announcement a{.bytes = 1 << 20, .memory = {}};
  wire::header announced{.kind = announce, .tag = 1, .ticket = 5};
  CHECK(h.on_announce(one, announced, {}) == errc::protocol);
  CHECK(h.on_announce(one, announced, as_payload(a)) == errc{});
  announced.flags = wire::flag_last;
  CHECK(h.on_announce(one, announced, as_payload(a)) == errc{});
  CHECK(h.on_announce(one, announced, as_payload(a)) == errc::protocol);
  CHECK(h.peers().any_stalled());
  h.allow_announcements();  // No call waits: no announcement is allowed.
  CHECK(h.peers().any_stalled());
  h.probing(1);
  h.allow_announcements();
  CHECK(!h.peers().any_stalled());
  REQUIRE(h.outbox_.answers.size() == 1);
  CHECK(h.outbox_.answers[0].second.kind == wire::kind::allow);
  CHECK(h.on_announce(one, announced, as_payload(a)) == errc{});
}

TEST_CASE("components: the inbox places a body in its receive's memory, once") {
  inbox_owner h;
  std::array<std::byte, 64> into{};
  const auto data = pattern_of(64);
  peer_record& one = h.peers().of(1);
  const wire::header header{.kind = eager, .tag = 3, .context = 0};
  CHECK(h.place(one, header, 64).empty());  // No receive matches it yet.
  const started r = h.receive(room_in(into), mpx::pattern(0, 1, 3));
  const auto where = h.place(one, header, 64);
  REQUIRE(where.data() == into.data());
  CHECK(h.place(one, header, 64).empty());
  CHECK(r.op->stage == stage::placed);
  std::memcpy(where.data(), data.data(), 64);
  CHECK(h.on_eager(one, header, where) == errc{});
  CHECK(r.op->done());
  CHECK(r.op->failure == errc{});
  const started small = h.receive(mpx::memory(into.data(), 8), mpx::pattern(0, 1, 3));
  CHECK(h.place(one, header, 64).empty());  // It does not fit: the packet is copied.
  CHECK(h.on_eager(one, header, data) == errc{});
  CHECK(small.op->failure == errc::truncate);
}

TEST_CASE("components: the inbox ends receives that nothing can reach, and no others") {
  inbox_owner h;
  std::array<std::byte, 8> into{};
  const started any = h.receive(room_in(into), mpx::pattern(0, mpx::any_peer, 1));
  const started other = h.receive(room_in(into), mpx::pattern(0, 2, 1));
  h.end_if_for(*any.op, 1, errc::peer_lost);
  h.end_if_for(*other.op, 1, errc::peer_lost);
  CHECK(any.op->failure == errc::peer_lost);
  CHECK(!other.op->done());
  h.peers().unacked = true;
  CHECK(h.receive(room_in(into), mpx::pattern(0, mpx::any_peer, 1)).op->failure == errc::peer_lost);
  CHECK(!h.receive(room_in(into), mpx::pattern(0, 3, 1)).op->done());
}

TEST_CASE("components: the rendezvous fetches, or asks for packets where it cannot") {
  for (const outcome o : {outcome::done, outcome::refused, outcome::pending}) {
    rendezvous_owner h;
    h.transport().copies_with = o;
    const auto data = pattern_of(5000);
    std::vector<std::byte> into(4000);
    operation& op = *h.pool().take();
    op.begin(role::receive, stage::posted, 0);
    op.data = {into.data(), into.size()};
    h.begin(op, announced(data));
    if (o == outcome::done) {
      CHECK(op.failure == errc::truncate);
      CHECK(std::memcmp(into.data(), data.data(), 4000) == 0);
      CHECK(h.outbox_.answers.at(0).second.kind == wire::kind::finished);
      continue;
    }
    if (o == outcome::pending) {
      CHECK(op.pending == 1);
      CHECK(op.stage == stage::copying);
      op.pending = 0;
      h.on_copied(op, false);  // The memory is gone.
    }
    CHECK(op.stage == stage::streaming);
    CHECK(h.outbox_.answers.at(0).second.kind == wire::kind::clear);
    CHECK(h.on_data(h.peers().of(1), &op, 1, std::span(data).first(10)) == errc::protocol);
    CHECK(h.on_data(h.peers().of(1), &op, 0, std::span(data).first(1000)) == errc{});
    CHECK(h.on_data(h.peers().of(1), &op, 1000, std::span(data).subspan(1000, 3001)) ==
          errc::protocol);
    const auto where = h.place(h.peers().of(1), &op, 1000, 3000);
    CHECK(where.data() == into.data() + 1000);
    std::memcpy(where.data(), data.data() + 1000, 3000);
    CHECK(h.on_data(h.peers().of(1), &op, 1000, where) == errc{});
    CHECK(op.done());
    CHECK(op.failure == errc::truncate);
    CHECK(std::memcmp(into.data(), data.data(), 4000) == 0);
  }
}

TEST_CASE("components: the transport's maintenance is no part of the cost of a message") {
  rendezvous_owner h;
  h.clock_step_ns = 1000;
  h.transport().pays = mpx::cost_hint::learn;
  h.transport().on_get = [&] { h.transport().maintained_ns += 300; };
  const auto data = pattern_of(5000);
  std::vector<std::byte> into(5000);
  operation& op = *h.pool().take();
  op.begin(role::receive, stage::posted, 0);
  op.data = {into.data(), into.size()};
  h.begin(op, announced(data));
  CHECK(op.done());
  CHECK(op.rendezvous_protocol == mpx::protocol::rendezvous_protocol::get);
  CHECK(op.spent_ns == 1000 - 300);
}

TEST_CASE("components: in an exchange the rendezvous uses the protocol of the lower peer") {
  for (const peer_id me : {0, 2}) {
    for (const bool both_ways : {false, true}) {
      CAPTURE(me);
      CAPTURE(both_ways);
      rendezvous_owner h;
      h.transport().me = me;
      h.transport().pays = mpx::cost_hint::learn;
      const auto data = pattern_of(5000);
      operation& out = *h.pool().take();
      out.begin(role::send, stage::answer, 0);
      out.announced = true;
      out.peer = 1;
      out.data = {const_cast<std::byte*>(data.data()), data.size()};
      const wire::clearance c{.bytes = 5000, .from = 0, .memory = {}, .ticket = 7, .reserved = 0};
      CHECK(h.on_clear(&out, std::as_bytes(std::span(&c, 1))) == errc{});  // By packets.

      std::vector<std::byte> into(5000);
      operation& op = *h.pool().take();
      op.begin(role::receive, stage::posted, 0);
      op.data = {into.data(), into.size()};
      arrived_message m = announced(data);
      m.flags = both_ways ? arrived_message::flag_both_ways : 0;
      h.begin(op, m);  // The tuner begins with a get.
      const bool follows = me == 2 && both_ways;
      CHECK(h.outbox_.answers.back().second.kind ==
            (follows ? wire::kind::clear : wire::kind::finished));
      CHECK(op.stage == (follows ? stage::streaming : stage::complete));
    }
  }
}

TEST_CASE(
    "components: the rendezvous reports all fetched messages of a peer in one packet, each once") {
  rendezvous_owner h;
  static_assert(rendezvous_owner::component::tells_together);
  h.transport().copies_with = outcome::pending;
  std::array<std::byte, 600> into{};
  std::vector<std::pair<peer_id, std::uint32_t>> told;
  const auto fetch = [&](peer_id from, std::uint32_t ticket) {
    operation& op = *h.pool().take();
    op.begin(role::receive, stage::posted, 0);
    op.data = room_in(into);
    arrived_message m;
    m.is = {0, from, 3};
    m.kind = announce;
    m.ticket = ticket;
    m.bytes = into.size();
    m.memory = {reinterpret_cast<std::uintptr_t>(into.data()), 1};
    h.begin(op, m);
    REQUIRE(op.pending == 1);
    op.pending = 0;
    h.on_copied(op, true);
    CHECK(op.done());
  };
  const auto end_poll = [&] {
    if (h.has_finished()) h.tell_finished();
    CHECK(!h.has_finished());
    auto payload = h.outbox_.payloads.begin();
    for (const auto& [to, header] : h.outbox_.answers) {
      CHECK(header.kind == wire::kind::finished);
      const auto tell = [&, to = to](std::uint32_t ticket) {
        told.push_back({to, ticket});
        return errc{};
      };
      // Alone it goes without a payload; the others have one each.
      const bool alone = header.ticket >= 1000;
      CHECK(for_each_finished(header.ticket,
                              alone ? std::span<const std::byte>{} : std::span(*payload++),
                              tell) == errc{});
    }
    CHECK(payload == h.outbox_.payloads.end());
    h.outbox_.answers.clear();
    h.outbox_.payloads.clear();
  };
  const auto all = [](peer_id from, std::uint32_t first, std::uint32_t n) {
    std::vector<std::pair<peer_id, std::uint32_t>> tickets;
    for (std::uint32_t i = 0; i < n; ++i) tickets.push_back({from, first + i});
    return tickets;
  };

  for (std::uint32_t i = 1; i <= 25; ++i) fetch(1, i);
  CHECK(h.outbox_.answers.size() == 2);  // The full ones.
  end_poll();
  CHECK(told == all(1, 1, 25));
  told.clear();
  end_poll();
  CHECK(told.empty());
  fetch(2, 1000);
  fetch(3, 1001);
  CHECK(h.outbox_.answers.size() == 1);
  end_poll();
  CHECK(told == std::vector<std::pair<peer_id, std::uint32_t>>{{2, 1000}, {3, 1001}});
}

TEST_CASE("components: the payload of a notice of fetched data is checked, and errors end it") {
  std::vector<std::uint32_t> seen;
  const auto see = [&](std::uint32_t ticket) {
    seen.push_back(ticket);
    return ticket == 7 ? errc::protocol : errc{};
  };
  const std::array<std::uint32_t, 10> more{3, 7, 9};
  const auto bytes = std::as_bytes(std::span(more));
  CHECK(for_each_finished(1, bytes, see) == errc::protocol);  // One too many.
  CHECK(for_each_finished(1, bytes.first(6), see) == errc::protocol);
  CHECK(seen.empty());
  CHECK(for_each_finished(1, bytes.first(12), see) == errc::protocol);
  CHECK(seen == std::vector<std::uint32_t>{1, 3, 7});
}

TEST_CASE(
    "components: the rendezvous streams as the channel has room, and ends when the last byte is "
    "free") {
  rendezvous_owner h;
  const auto data = pattern_of(5000);
  operation& op = *h.pool().take();
  op.begin(role::send, stage::answer, 0);
  op.half_and_half = false;
  op.first_half = mpx::detail::first_half::open;
  op.announced = true;
  op.peer = 2;
  op.data = mpx::memory(std::span<const std::byte>(data));
  op.own.key = 0;
  h.outbox_.room = 2;
  h.outbox_.pends = true;
  wire::clearance c{.bytes = 5000, .from = 0, .memory = {}, .ticket = 4, .reserved = 0};
  CHECK(h.on_clear(&op, {}) == errc::protocol);
  CHECK(h.on_clear(&op, as_payload(c)) == errc{});
  CHECK(h.on_clear(&op, as_payload(c)) == errc::protocol);
  CHECK(h.peers().busy.size() == 1);
  peer_record& two = h.peers().of(2);
  CHECK(!h.idle(two));
  h.outbox_.room = 100;
  CHECK(h.flush(two) == 1);
  CHECK(h.idle(two));
  std::vector<std::byte> got;
  for (const auto& p : h.outbox_.fragments)
    got.insert(got.end(), p.payload.begin(), p.payload.end());
  CHECK(got == data);
  CHECK(op.stage == stage::closing);
  CHECK(op.pending == h.outbox_.fragments.size());
  CHECK(h.ended.empty());
}

TEST_CASE("components: the rendezvous withdraws exposed memory at every end") {
  rendezvous_owner h;
  auto data = pattern_of(5000);
  operation& op = *h.pool().take();
  op.begin(role::send, stage::queued, 0);
  op.half_and_half = false;
  op.first_half = mpx::detail::first_half::open;
  op.peer = 1;
  op.data = mpx::memory(std::span{data});
  CHECK(h.offer(op).key != 0);
  CHECK(h.transport().exposed == 1);
  h.transport().withdraws_with = outcome::retry;
  CHECK(!h.withdraw(op));
  h.transport().withdraws_with = outcome::done;
  op.announced = true;
  op.stage = stage::answer;
  CHECK(h.on_finished(&op) == errc{});
  CHECK(h.transport().exposed == 0);
  CHECK(op.done());
  CHECK(h.outbox_.answered == 1);
}

TEST_CASE("components: the rendezvous recalls exposed memory that the transport cannot withdraw") {
  rendezvous_owner h;
  auto data = pattern_of(5000);
  operation& op = *h.pool().take();
  op.begin(role::send, stage::answer, 0);
  op.half_and_half = op.recalls = false;
  op.announced = true;
  op.peer = 1;
  op.data = mpx::memory(std::span{data});
  CHECK(h.offer(op).key != 0);
  CHECK(h.on_recalled(&op) == errc::protocol);  // It has asked for nothing.
  h.transport().withdraws_with = outcome::refused;
  CHECK(!h.withdraw(op));
  CHECK(!h.withdraw(op));
  REQUIRE(h.outbox_.answers.size() == 1);
  CHECK(h.outbox_.answers[0].first == 1);
  CHECK(h.outbox_.answers[0].second.kind == wire::kind::recall);
  CHECK(h.outbox_.answers[0].second.ticket == op.ticket);
  h.transport().withdraws_with = outcome::done;
  CHECK(h.on_recalled(nullptr) == errc::protocol);
  CHECK(h.on_recalled(&op) == errc{});
  CHECK(h.transport().exposed == 0);
  CHECK(h.withdraw(op));
}

TEST_CASE("components: peers reports a loss once, after a last poll") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  CHECK(h.fast_path_allowed());
  peer_record& two = h.of(2);
  h.set_busy(two);
  CHECK(!h.has_fast_path());
  job.lose(1);
  job.lose(2);
  CHECK(h.failure_epoch_changed());
  h.check();
  h.check();
  CHECK(h.heard.size() == 2);
  REQUIRE(h.told.size() == 2);
  CHECK(h.told[0].peer == 1);
  CHECK(h.told[1].record == &two);
  CHECK(h.failures() == 2);
  CHECK(h.losses() == 2);
  CHECK(h.died(1));
  CHECK(h.failure_of(1) == errc::peer_lost);
  CHECK(h.failure_of(3) == errc{});
  CHECK(job.disconnected.empty());  // They are gone, and need no notification.
  CHECK(h.loss_text(1, errc::peer_lost) == ": rank 1 is away");
  h.lose(3, errc::protocol);
  REQUIRE(job.disconnected.size() == 1);
  CHECK(job.disconnected[0].first == 3);
  CHECK(h.losses() == 3);
  CHECK(!h.died(3));  // It lives, but not for this rank.
  CHECK(h.unacknowledged());
  h.acknowledge();
  CHECK(!h.unacknowledged());
  h.revoked(1);  // No loss, but calls look closer.
  CHECK(h.failures() == 4);
  CHECK(!h.unacknowledged());
  h.revoked(-1);
  CHECK(h.failures() == 3);
}

TEST_CASE("components: a peer that only the transport has lost is told so") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  h.lose(2, errc::peer_lost);
  REQUIRE(job.disconnected.size() == 1);
  CHECK(job.disconnected[0] == std::pair(mpx::rank_t{2}, errc::peer_lost));
  job.lose(2);
  job.leave(1);
  h.check();
  CHECK(h.losses() == 2);
  CHECK(job.disconnected.size() == 1);
}

TEST_CASE("components: peers drains each peer that is gone, also one lost during another drain") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  job.leave(1);
  h.on_hearing = [&] {  // Data that rank 2 sends before this is too late for that poll.
    if (h.heard.size() == 1) job.leave(2);
    CHECK(h.told.size() + 1 == h.heard.size());
  };
  h.check();
  h.check();
  CHECK(h.heard == std::vector<std::pair<peer_id, bool>>{{1, true}, {2, true}});
  CHECK(h.told.size() == 2);
  CHECK(h.left(2));
  job.lose(3);
  h.check();
  CHECK(h.heard.back() == std::pair<peer_id, bool>{3, false});
}

TEST_CASE("components: the busy and stalled lists drop idle and lost peers") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  for (peer_id p = 0; p < peers_max; ++p) h.set_busy(h.of(p));
  h.set_busy(h.of(1));  // Again: nothing.
  std::vector<peer_id> seen;
  h.for_each_busy([&](peer_record& r) {
    seen.push_back(r.peer);
    return r.peer == 0;
  });
  CHECK(seen == std::vector<peer_id>{0, 1, 2, 3});
  h.refuse(2);
  seen.clear();
  h.for_each_busy([&](peer_record& r) {
    seen.push_back(r.peer);
    return r.peer == 1;
  });
  CHECK(seen == std::vector<peer_id>{1, 2, 3});
  CHECK(h.failure_of(2) == errc::no_resources);
  CHECK(h.forgotten == std::vector<peer_id>{2});
  // A post that is refused during a flush may be a loss, which the next poll reports.
  h.for_each_busy([&](peer_record& r) {
    if (r.peer == 3) h.refuse(3);
    return true;
  });
  CHECK(h.failure_of(3) == errc{});
  h.lose(3, errc::peer_lost);
  h.for_each_busy([](peer_record&) { return true; });
  CHECK(h.forgotten == std::vector<peer_id>{2, 3});
  CHECK(!h.any_busy());
}

TEST_CASE("components: the stalled list drops lost peers") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  h.set_stalled(h.of(3));
  h.set_stalled(h.of(3));
  h.set_stalled(h.of(1));
  CHECK(h.next_stalled()->peer == 3);
  h.lose(1, errc::protocol);
  CHECK(h.next_stalled() == nullptr);
}

TEST_CASE("components: indices of dropped peers are reused without their old state") {
  scripted_job job;
  peers_owner h(job);
  h.check();
  peer_id a = 0;
  peer_id b = 0;
  CHECK(h.add(a) == errc{});
  CHECK(h.add(b) == errc{});
  CHECK(a == peers_max);
  CHECK(b == peers_max + 1);
  CHECK(h.welcome(h.of(a)));
  CHECK(!h.welcome(h.of(a)));  // It says once what it grants,
  CHECK(!h.welcome(h.of(1)));  // and a rank of the job never.
  h.set_busy(h.of(a));
  h.lose(a, errc::protocol);
  CHECK(h.failures() == 1);
  CHECK(h.can_remove(a));
  h.remove(a);
  CHECK(!h.can_remove(a));
  CHECK(h.failures() == 0);
  CHECK(!h.unacknowledged());
  CHECK(h.has_fast_path());
  CHECK(h.failure_of(a) == errc::peer_lost);  // Nothing goes there.
  h.remove(1);                                // A rank's place stays vacant.
  job.lose(1);
  h.check();
  CHECK(h.told.size() == 1);
  peer_id c = 0;
  CHECK(h.add(c) == errc{});
  CHECK(c == a);
  CHECK(h.failure_of(c) == errc{});
}

TEST_CASE("components: progress polls, rests and sleeps only when nothing moves") {
  progress_owner h;
  stack::threading_type threading;
  int asked = 0;
  h.wait_until(threading, {"test"}, {}, [&] { return ++asked == 1; });
  CHECK(h.polls == 0);  // It was done before.
  h.finds = 3;
  bool done = false;
  h.on_poll = [&] { done = h.polls == 3; };
  h.wait_until(threading, {"test"}, {}, [&] { return done; });
  CHECK(h.advances() == 3);
  CHECK(h.transport().sleeps == 0);
  CHECK(h.blocked() == nullptr);
  const blocked_call* seen = nullptr;
  h.on_poll = [&] { seen = h.blocked(); };
  h.wait_until(threading, {"named"}, {}, [&] { return h.transport().sleeps == 2; });
  CHECK(seen != nullptr);
  CHECK(h.transport().disarms == h.transport().sleeps);
  CHECK(h.inbox_.allowed >= 2);  // A blocked rank answers its peers before it sleeps.
  CHECK(h.peers().checks >= 2);
}

TEST_CASE(
    "components: progress does not sleep after a change of the failure epoch, nor while the "
    "transport has something") {
  progress_owner h;
  stack::threading_type threading;
  h.peers().epoch_changed = true;
  int asked = 0;
  h.wait_until(threading, {"test"}, {}, [&] { return ++asked == 20; });
  CHECK(h.transport().arms == 0);
  h.peers().epoch_changed = false;
  h.transport().on_arm = [&] { h.peers().epoch_changed = true; };  // While it arms.
  h.wait_until(threading, {"test"}, {}, [&] { return h.peers().epoch_changed; });
  CHECK(h.transport().sleeps == 0);
  CHECK(h.transport().disarms == 1);
  h.transport().on_arm = nullptr;
  h.transport().arms = h.transport().disarms = 0;
  h.peers().epoch_changed = false;
  h.transport().arms_with = false;
  h.wait_until(threading, {"test"}, {}, [&] { return h.transport().arms == 3; });
  CHECK(h.transport().sleeps == 0);
  CHECK(h.transport().disarms == 0);
}

TEST_CASE("components: progress drains a peer, though polls find nothing for a while") {
  progress_owner h;
  h.transport().arms_with = false;
  h.on_poll = [&] {
    if (h.polls == 5) h.finds = 1;
    h.transport().arms_with = h.polls >= 5;
  };
  h.drain_peer(1, false);
  CHECK(h.polls == 6);
  CHECK(h.transport().disarms == 1);
  // Packets that the peer sent before it left are in transit.
  h.on_poll = nullptr;
  h.polls = 0;
  h.transport().on_heard_out = [&] { return h.polls == 4; };
  h.drain_peer(1, true);
  CHECK(h.polls == 4);
  h.polls = 0;
  h.drain_peer(1, false);  // Nothing is known of the packets of a rank that died.
  CHECK(h.polls == 1);
  h.polls = 0;
  h.transport().on_heard_out = [] { return false; };
  h.clock_step_ns = 100'000'000;  // Nor whether one that stands still has more to say.
  h.drain_peer(1, true);
  CHECK(h.polls > 1);
  CHECK(h.polls < 20);
}

TEST_CASE("components: progress has peers monitored for which receives wait") {
  progress_owner_of<unaware_stack> h;
  stack::threading_type threading;
  operation* const op = h.pool().take();
  op->begin(role::receive, stage::posted, 0);
  op->want = mpx::pattern(4, 2, 7);
  const std::int64_t until_ns = mpx::platform::now_ns() + 60'000'000'000;
  h.wait_until(threading, {"test"}, {}, [&] {
    return !h.transport().monitored.empty() || mpx::platform::now_ns() > until_ns;
  });
  CHECK(h.transport().monitored == std::vector<peer_id>{2});
  h.pool().give(op);
}

TEST_CASE("components: progress asks the transport if a peer waits on the same core") {
  progress_owner h;
  CHECK(!h.look_around());
  h.transport().shares_core_with = true;
  CHECK(!h.oversubscribed());  // It is asked rarely.
  CHECK(h.look_around());
  CHECK(h.oversubscribed());
  h.transport().shares_core_with = false;
  CHECK(!h.look_around());
}

TEST_CASE("components: progress asks the transport whether all is out") {
  progress_owner h;
  h.transport().unsent = true;
  CHECK(h.at_rest());
  CHECK(!h.all_out());
  h.transport().unsent = false;
  CHECK(h.all_out());
}
