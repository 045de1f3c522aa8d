// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Entries of portals: the three failures, overlays, acknowledgements, long messages, handlers,
// losses, and every limit. Engines without a job. The blocks of memory are in blocks.test.cpp.

#include <doctest/doctest.h>

#include <array>
#include <optional>

#include "machine.hpp"

namespace {
using namespace portal_machine;
using mpx::errc;
using po::access;
using po::drop_reason;
using po::event;
using po::event_kind;
using po::managed_by;
using po::saved;
using po::saves;
using to = pd::continuation::to;

TEST_CASE("match entries: bits, ignore bits, source, group") {
  machine m(4);
  bytes room(8);
  po::single_block block{std::span(room)};
  const mpx::peer_id peers[] = {13, 11};  // Ranks 3 and 1.
  const mpx::group pair = mpx::group::table(peers, 10);
  const po::criteria wants[] = {{.bits = 0x1234, .ignore = 0xff},
                                {.bits = 1, .from = 2},
                                {.bits = 2, .among = &pair},
                                {.bits = 3, .from = 1, .among = &pair}};
  pd::event_ring events(8);
  std::vector<pd::entry_name> names;
  for (std::uint64_t i = 0; i < 4; ++i)
    names.push_back(m.add(0, {.want = &wants[i], .memory = &block, .events = &events, .label = i}));
  const auto who = [&](int from, mpx::match_bits bits) {
    m.put(from, 0, {.bits = bits}, pattern(1, 1));
    m.deliver();
    const auto e = take(m, 0, events);
    return e ? static_cast<int>(e->label) : -1;
  };
  CHECK(who(1, 0x1200) == 0);
  CHECK(who(3, 0x12ff) == 0);
  CHECK(who(3, 0x1334) == -1);
  CHECK(who(2, 1) == 1);
  CHECK(who(1, 1) == -1);
  CHECK(who(3, 2) == 2);
  CHECK(who(2, 2) == -1);
  CHECK(who(1, 3) == 3);  // Rank 1 of the group is rank 1.
  CHECK(who(3, 3) == -1);
  m[0].set_bits(names[1], 0x777, 0);
  CHECK(who(2, 0x777) == 1);
  m[0].set_active(names[1], false);
  CHECK(who(2, 0x777) == -1);
  for (const auto& n : names) m[0].remove(n);
}

TEST_CASE("each of the three failures goes on at the entry that it names") {
  machine m(2);
  bytes small(4);
  bytes large(64);
  po::independent_block one{std::span(small)};
  po::single_block match_here{std::span(large)};
  po::single_block buffer_here{std::span(large)};
  po::single_block small_here{std::span(large)};
  pd::event_ring events(16);
  const po::criteria other{.bits = 5};
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  // The three targets are in another portal's list.
  const auto at = [&](po::block& b, std::uint64_t label) {
    return m.add(1, {.portal = 9, .want = &all, .memory = &b, .events = &events, .label = label});
  };
  const auto a = at(match_here, 1);
  const auto b = at(buffer_here, 2);
  const auto c = at(small_here, 3);
  const auto first = m.add(1, {.want = &other,
                               .memory = &one,
                               .how = {.keep = saves::both},
                               .events = &events,
                               .no_match = {to::entry, a},
                               .no_buffer = {to::entry, b},
                               .too_small = {to::entry, c}});
  const auto who = [&](mpx::match_bits bits, std::size_t n) {
    m.put(0, 1, {.bits = bits}, pattern(n, 1));
    m.deliver();
    const auto e = take(m, 1, events);
    return e ? static_cast<int>(e->label) : -1;
  };
  CHECK(who(4, 1) == 1);
  CHECK(who(5, 5) == 3);
  CHECK(who(5, 4) == 0);
  CHECK(who(5, 4) == 2);
  CHECK(who(5, 5) == 2);  // No buffer is free, whatever its size.
  m[1].remove(b);
  CHECK(who(5, 4) == -1);  // The entry is gone: the search ends.
  CHECK(m[1].counted().last_reason == drop_reason::no_buffer);
  // An entry that takes the place of the one that is gone is another entry.
  const auto again = at(buffer_here, 4);
  CHECK(again.index == b.index);
  CHECK(who(5, 4) == -1);
  m[1].set_active(a, false);
  CHECK(who(4, 1) == 3);  // An inactive entry matches nothing, and goes on as it says.
  for (const auto& n : {a, c, first, again}) m[1].remove(n);
}

TEST_CASE("entries that go on at each other end the search") {
  machine m(2);
  bytes room(4);
  po::single_block block{std::span(room)};
  const po::criteria never{.bits = 1};
  const auto a = m.add(1, {.want = &never, .memory = &block});
  // Entry names are (index, serial): the next one is known.
  const auto b =
      m.add(1, {.portal = 1, .want = &never, .memory = &block, .no_match = {to::entry, a}});
  const auto c =
      m.add(1, {.portal = 2, .want = &never, .memory = &block, .no_match = {to::entry, b}});
  m[1].remove(a);
  pd::entry_name twin = a;
  ++twin.serial;
  const auto d =
      m.add(1, {.portal = 3, .want = &never, .memory = &block, .no_match = {to::entry, c}});
  CHECK(d == twin);
  m[1].remove(b);
  const auto e =
      m.add(1, {.portal = 1, .want = &never, .memory = &block, .no_match = {to::entry, d}});
  m[1].remove(c);
  // An entry that names itself.
  pd::entry_name self = c;
  ++self.serial;
  const auto f =
      m.add(1, {.portal = 2, .want = &never, .memory = &block, .no_match = {to::entry, self}});
  CHECK(f == self);
  m.put(0, 1, {.bits = 2, .portal = 2}, pattern(1, 1));
  m.deliver();
  CHECK(m[1].counted().last_reason == drop_reason::too_many);
  for (const auto& n : {d, e, f}) m[1].remove(n);
}

TEST_CASE("overlay: the two catch-all entries of Puma keep one order") {
  machine m(2);
  po::dynamic_block heap(64 * 1024);
  // Bit 63: a long message. Puma, figure 1.
  constexpr mpx::match_bits long_bit = mpx::match_bits{1} << 63;
  const po::criteria is_short{.bits = 0, .ignore = ~long_bit};
  const po::criteria is_long{.bits = long_bit, .ignore = ~long_bit};
  const auto s = m.add(1, {.want = &is_short, .memory = &heap, .how = {.keep = saves::both}});
  const auto l = m.add(
      1, {.want = &is_long, .memory = &heap, .how = {.keep = saves::header, .acknowledge = true}});
  std::vector<pd::outgoing*> longs;
  for (unsigned i = 0; i < 20; ++i) {
    if (i % 3 == 0) {
      longs.push_back(m.put_acknowledged(0, 1, {.bits = long_bit | i}, pattern(3000, i)));
    } else {
      pd::outgoing* const o = m.put(0, 1, {.bits = i}, pattern(i * 10, i));
      if (o != nullptr) longs.push_back(o);
    }
  }
  m.deliver();
  for (unsigned i = 0; i < 20; ++i) {
    pd::heap_record* const r = m[1].take(heap, {.ignore = ~mpx::match_bits{0}});
    REQUIRE(r != nullptr);
    CHECK((r->is.bits & ~long_bit) == i);
    CHECK(r->what == (i % 3 == 0 ? saved::header : saved::both));
    CHECK(r->is.length == (i % 3 == 0 ? 3000 : i * 10));
    if (i % 3 != 0) CHECK(equal(r->data(), pattern(i * 10, i)));
    m[1].give_back(heap, *r);
  }
  for (auto* o : longs) {
    REQUIRE(pd::engine::is_done(*o));
    if (o->m.return_portal != po::no_portal) CHECK(o->result.what == saved::header);
    m[0].release(*o);
  }
  m[1].remove(s);
  m[1].remove(l);
}

TEST_CASE("acknowledgements go to the return portal, with the user data of the message") {
  machine m(2);
  bytes room(100);
  po::single_block block{std::span(room)};
  const auto name = m.add(1, {.memory = &block, .how = {.keep = saves::both, .acknowledge = true}});
  const std::span<std::byte> none[] = {{}};
  po::independent_block slots(none, po::independent_block::order::circular);
  pd::event_ring events(8);
  const po::criteria mine{.bits = 0xabc};
  const auto acks = m.add(0, {.portal = 5,
                              .want = &mine,
                              .memory = &slots,
                              .how = {.keep = saves::header},
                              .events = &events});
  po::user_data user{};
  for (std::size_t i = 0; i < 12; ++i) user[i] = static_cast<std::byte>(i + 100);
  po::message is{
      .offset = 0, .return_bits = 0xabc, .return_offset = 3, .return_portal = 5, .user = user};
  m.put(0, 1, is, pattern(4, 1));
  m.deliver();
  auto e = take(m, 0, events);
  REQUIRE(e);
  CHECK(e->kind == event_kind::acknowledgement);
  CHECK(e->is.source == 1);
  CHECK(e->is.result() == saved::both);
  CHECK(e->is.reason() == drop_reason::none);
  CHECK(e->is.offset == 3);
  CHECK(e->is.return_offset == sizeof(po::message));
  CHECK(e->is.return_length == 4);
  CHECK(std::memcmp(e->is.user.data() + 2, user.data() + 2, 10) == 0);
  m[0].release(slots, 0);
  is.offset = 101;
  m.put(0, 1, is, pattern(4, 1));
  m.deliver();
  e = take(m, 0, events);
  REQUIRE(e);
  CHECK(e->is.result() == saved::nothing);
  CHECK(e->is.reason() == drop_reason::too_small);
  CHECK(m.queue.empty());  // An acknowledgement is not acknowledged.
  m[0].remove(acks);
  m[1].remove(name);
}

TEST_CASE("an operation that waits is acknowledged, whatever the descriptor says") {
  machine m(2);
  bytes room(64);
  po::single_block block{std::span(room)};
  const auto name = m.add(1, {.memory = &block});
  pd::outgoing* const o = m.put_acknowledged(0, 1, {}, pattern(4, 1));
  m.put(0, 1, {.return_portal = 5}, pattern(4, 1));
  m.deliver();
  CHECK(pd::engine::is_done(*o));
  CHECK(m[0].counted().dropped == 0);  // The other put got no acknowledgement.
  m[0].release(*o);
  m[1].remove(name);
}

TEST_CASE("a get replies to the return portal with its bits and offset") {
  machine m(2);
  const bytes source = pattern(400, 1);
  po::single_block read{std::span(source)};
  const auto out =
      m.add(1, {.portal = 1, .memory = &read, .how = {.direction = access::read_only}});
  bytes room(500);
  po::single_block block{std::span(room)};
  pd::event_ring events(8);
  const po::criteria mine{.bits = 77, .from = 1};
  const auto in = m.add(0, {.portal = 2, .want = &mine, .memory = &block, .events = &events});
  const po::message get{.offset = 100,
                        .return_bits = 77,
                        .return_offset = 50,
                        .return_length = 300,
                        .portal = 1,
                        .return_portal = 2,
                        .kind = po::message_kind::get};
  m.nodes[0]->run.send_now(get, 1, {});
  m.deliver();
  const auto e = take(m, 0, events);
  REQUIRE(e);
  CHECK(e->kind == event_kind::reply);
  CHECK(e->offset == 50);
  CHECK(equal(std::span(room).subspan(50, 300), std::span(source).subspan(100)));
  po::message bad = get;
  bad.return_portal = po::no_portal;
  m.nodes[0]->run.send_now(bad, 1, {});
  m.deliver();
  CHECK(m[1].counted().last_reason == drop_reason::no_answer);
  m[0].remove(in);
  m[1].remove(out);
}

TEST_CASE("long puts keep the order of puts to one rank") {
  machine m(2);
  bytes room(5000);
  po::single_block block{std::span(room)};
  pd::event_ring events(8);
  const auto name = m.add(1, {.memory = &block, .events = &events});
  const bytes first = pattern(5000, 1);
  const bytes second = pattern(40, 2);
  const bytes third = pattern(4000, 3);
  pd::outgoing* const a = m.put(0, 1, {}, first);
  pd::outgoing* const b = m.put(0, 1, {}, second);
  pd::outgoing* const c = m.put(0, 1, {.offset = 20}, third);
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);  // It fits a packet, and waits behind the first.
  CHECK(m.queue.size() == pd::engine::window_packets);
  m.deliver();
  for (auto* o : {a, b, c}) {
    REQUIRE(pd::engine::is_done(*o));
    m[0].release(*o);
  }
  CHECK(equal(std::span(room).first(20), std::span(second).first(20)));
  CHECK(equal(std::span(room).subspan(20, 4000), third));
  CHECK(equal(std::span(room).subspan(4020), std::span(first).subspan(4020)));
  for (const std::size_t n : {5000u, 40u, 4000u}) CHECK(take(m, 1, events)->is.length == n);
  m[1].remove(name);
}

TEST_CASE("a message to an entry that is removed meanwhile is cut off, and its sender told") {
  machine m(2);
  bytes room(5000);
  po::single_block block{std::span(room)};
  pd::event_ring events(1);
  auto name = m.add(1, {.memory = &block, .how = {.acknowledge = true}, .events = &events});
  pd::outgoing* o = m.put_acknowledged(0, 1, {}, pattern(5000, 1));
  m.step();
  m[1].remove(name);
  const bytes before = room;
  m.deliver();
  REQUIRE(pd::engine::is_done(*o));
  CHECK(o->failure == errc::not_ready);
  CHECK(o->result.reason == drop_reason::given_up);
  m[0].release(*o);
  CHECK(room == before);
  CHECK(m.refused == 0);
  // The place for an event is free again, and the next message arrives.
  name = m.add(1, {.memory = &block, .how = {.acknowledge = true}, .events = &events});
  o = m.put_acknowledged(0, 1, {}, pattern(5000, 2));
  m.deliver();
  CHECK(o->failure == errc{});
  CHECK(take(m, 1, events)->failure == errc{});
  m[0].release(*o);
  // The sender gives up.
  o = m.put_acknowledged(0, 1, {}, pattern(5000, 3));
  m.step();
  m[0].abandon(*o);
  m.deliver();
  CHECK(take(m, 1, events)->failure == errc::pending);
  CHECK(m.refused == 0);
  m[1].remove(name);
}

TEST_CASE("a reply whose entry is removed, or whose get is given up, ends") {
  machine m(2);
  const bytes source = pattern(5000, 1);
  po::single_block read{std::span(source)};
  auto out = m.add(1, {.memory = &read, .how = {.direction = access::read_only}});
  bytes into(5000);
  pd::outgoing* o = m.get(0, 1, {}, into);
  for (int i = 0; i < 3; ++i) m.step();
  m[1].remove(out);
  m.deliver();
  REQUIRE(pd::engine::is_done(*o));
  CHECK(o->failure == errc::pending);
  m[0].release(*o);
  out = m.add(1, {.memory = &read, .how = {.direction = access::read_only}});
  o = m.get(0, 1, {}, into);
  for (int i = 0; i < 3; ++i) m.step();
  m[0].abandon(*o);
  const bytes before = into;
  o = m.get(0, 1, {}, std::span(into).first(0));
  m.deliver();
  CHECK(o->failure == errc{});
  CHECK(into == before);
  CHECK(m.refused == 0);
  m[0].release(*o);
  m[1].remove(out);
}

TEST_CASE("a queue of events that is full takes no message") {
  machine m(2);
  bytes room(8);
  po::single_block block{std::span(room)};
  po::single_block rest{std::span(room)};
  pd::event_ring events(2);
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  const auto a = m.add(
      1, {.want = &all, .memory = &block, .events = &events, .no_buffer = {to::following, {}}});
  const auto b = m.add(1, {.want = &all, .memory = &rest, .how = {.offset = managed_by::receiver}});
  for (unsigned i = 0; i < 5; ++i) m.put(0, 1, {.bits = i}, pattern(2, i));
  m.deliver();
  CHECK(rest.position() == 6);
  CHECK(take(m, 1, events)->is.bits == 0);
  CHECK(take(m, 1, events)->is.bits == 1);
  CHECK_FALSE(take(m, 1, events));
  m.put(0, 1, {.bits = 9}, pattern(2, 1));
  m.deliver();
  CHECK(take(m, 1, events)->is.bits == 9);
  m[1].remove(a);
  m[1].remove(b);
}

TEST_CASE("every limit is reached, and nothing else happens") {
  machine m(2, {.portals = 2, .entries = 3, .operations = 2, .replies = 1});
  const bytes source = pattern(5000, 1);
  po::single_block read{std::span(source)};
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  std::vector<pd::entry_name> names;
  for (int i = 0; i < 3; ++i)
    names.push_back(
        m.add(1, {.want = &all, .memory = &read, .how = {.direction = access::read_only}}));
  m.add(1, {.want = &all, .memory = &read, .how = {.direction = access::read_only}});
  CHECK(m.last == errc::no_resources);
  m[1].remove(names[2]);
  names[2] = m.add(1, {.want = &all, .memory = &read, .how = {.direction = access::read_only}});
  CHECK(m.last == errc{});
  m.add(1, {.portal = 2, .want = &all, .memory = &read, .how = {.direction = access::read_only}});
  CHECK(m.last == errc::argument);
  bytes into(5000);
  bytes more(5000);
  pd::outgoing* const a = m.get(0, 1, {}, into);
  pd::outgoing* const b = m.get(0, 1, {}, more);
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  CHECK(m.get(0, 1, {}, more) == nullptr);
  CHECK(m.put_acknowledged(0, 1, {}, more) == nullptr);
  m.deliver();
  CHECK(a->failure == errc{});
  CHECK(equal(into, source));
  CHECK(b->failure == errc::not_ready);  // One reply at a time.
  CHECK(b->result.reason == drop_reason::no_buffer);
  m[0].release(*a);
  m[0].release(*b);
  for (const auto& n : names) m[1].remove(n);
}

TEST_CASE("handlers get the data of one packet, and may answer") {
  machine m(2);
  struct seen {
    int calls = 0;
    bytes data;
    errc answered{};
    errc too_long{};
    machine* of = nullptr;
  } s;
  s.of = &m;
  const pd::event_call call{[](void* of, pd::engine& by, const event& e) noexcept {
                              auto& here = *static_cast<seen*>(of);
                              ++here.calls;
                              here.data.assign(e.data.begin(), e.data.end());
                              const bytes back = pattern(8, 9);
                              here.answered = by.send_from_handler(
                                  {.length = 8, .portal = e.is.return_portal}, e.is.source, back);
                              here.too_long = by.send_from_handler({}, e.is.source, pattern(49, 1));
                            },
                            &s};
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  const auto name = m.add(1, {.want = &all, .call = call});
  bytes room(8);
  po::single_block block{std::span(room)};
  const auto back = m.add(0, {.portal = 4, .memory = &block});
  m.put(0, 1, {.return_portal = 4}, pattern(48, 1));
  m.deliver();
  CHECK(s.calls == 1);
  CHECK(equal(s.data, pattern(48, 1)));
  CHECK(s.answered == errc{});
  CHECK(s.too_long == errc::count);
  CHECK(equal(room, pattern(8, 9)));
  m.put(0, 1, {}, pattern(49, 1));
  m.deliver();
  CHECK(s.calls == 1);
  CHECK(m[1].counted().last_reason == drop_reason::too_small);
  m.at(1).waits = pd::engine::handler_packets_max;
  m.put(0, 1, {.return_portal = 4}, pattern(1, 1));
  m.deliver();
  CHECK(s.answered == errc::no_resources);
  m[0].remove(back);
  m[1].remove(name);
}

TEST_CASE("a lost rank ends what depends on it, and is an event") {
  machine m(3);
  bytes room(5000);
  po::single_block block{std::span(room)};
  pd::event_ring events(4);
  m[1].attach(events);
  const auto name = m.add(1, {.memory = &block, .events = &events});
  const auto serves = m.add(
      1,
      {.portal = 1, .memory = &block, .how = {.direction = access::read_only}, .events = &events});
  bytes into(5000);
  pd::outgoing* const arriving = m.put_acknowledged(0, 1, {}, pattern(5000, 1));
  pd::outgoing* const served = m.get(0, 1, {.portal = 1}, into);
  pd::outgoing* const served_too = m.get(2, 1, {.portal = 1}, into);
  pd::outgoing* const mine = m.put(1, 0, {}, pattern(5000, 1));
  pd::outgoing* const waits = m.put_acknowledged(1, 0, {}, pattern(1, 1));
  errc told{};
  mine->waiter = &told;
  for (int i = 0; i < 4; ++i) m.step();
  m[1].on_loss(0, errc::peer_lost);
  m[1].on_loss(0, errc::window);
  CHECK(told == errc::peer_lost);
  CHECK(mine->failure == errc::peer_lost);
  CHECK(waits->failure == errc::peer_lost);
  const auto lost = take(m, 1, events);
  REQUIRE(lost);
  CHECK(lost->kind == event_kind::lost);
  CHECK(lost->is.source == 0);
  CHECK(lost->failure == errc::peer_lost);
  const auto cut = take(m, 1, events);
  REQUIRE(cut);
  CHECK(cut->failure == errc::peer_lost);
  while (take(m, 1, events)) {
  }
  // Packets of rank 0 do not come any more; those of rank 2 do.
  std::erase_if(m.queue, [](const auto& p) { return p.from == 0 || p.to == 0; });
  m.deliver();
  CHECK(served_too->failure == errc{});
  m[1].release(*mine);
  m[1].release(*waits);
  m[0].on_loss(1, errc::window);
  CHECK(arriving->failure == errc::window);
  CHECK(served->failure == errc::window);
  m[0].release(*arriving);
  m[0].release(*served);
  m[2].release(*served_too);
  m[1].detach(events);
  m[1].remove(name);
  m[1].remove(serves);
}

TEST_CASE("search and activation: the message is in the heap, or at the entry") {
  machine m(2);
  po::dynamic_block heap(4096);
  bytes room(64);
  po::independent_block one{std::span(room)};
  pd::event_ring events(4);
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  const auto rest = m.add(1, {.want = &all, .memory = &heap, .how = {.keep = saves::both}});
  const po::criteria want{.bits = 3};
  const auto post = [&] {
    return m.add(1, {.want = &want,
                     .memory = &one,
                     .how = {.keep = saves::both},
                     .events = &events,
                     .no_buffer = {to::following, {}},
                     .active = false,
                     .before = rest});
  };
  auto receive = post();
  CHECK(m[1].take_or_activate(heap, receive) == nullptr);
  CHECK(m[1].is_active(receive));
  m.put(0, 1, {.bits = 3}, pattern(5, 1));
  m.put(0, 1, {.bits = 3}, pattern(5, 2));
  m.deliver();
  CHECK(equal(take(m, 1, events)->data, pattern(5, 1)));
  m[1].remove(receive);
  m[1].release(one, 0);
  receive = post();
  pd::heap_record* const r = m[1].take_or_activate(heap, receive);
  REQUIRE(r != nullptr);
  CHECK(equal(r->data(), pattern(5, 2)));
  CHECK_FALSE(m[1].is_active(receive));
  m[1].give_back(heap, *r);
  m[1].remove(receive);
  m[1].remove(rest);
}

TEST_CASE("a heap message that is dropped while it arrives leaves the heap") {
  machine m(2);
  po::dynamic_block heap(8192);
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  pd::event_ring events(1);
  const auto name =
      m.add(1, {.want = &all, .memory = &heap, .how = {.keep = saves::both}, .events = &events});
  pd::outgoing* const o = m.put_acknowledged(0, 1, {}, pattern(5000, 1));
  m.step();
  pd::heap_record* const r = m[1].take(heap, all);
  REQUIRE(r != nullptr);
  CHECK_FALSE(r->whole);
  m[1].give_back(heap, *r);
  m.deliver();
  CHECK(o->result.reason == drop_reason::given_up);
  CHECK_FALSE(take(m, 1, events));
  m[0].release(*o);
  // One whose sender gives up is never seen.
  pd::outgoing* const p = m.put_acknowledged(0, 1, {}, pattern(5000, 1));
  m.step();
  m[0].abandon(*p);
  m.deliver();
  CHECK(take(m, 1, events)->failure == errc::pending);
  CHECK(m[1].take(heap, all) == nullptr);
  CHECK(m.refused == 0);
  m[1].remove(name);
}

}  // namespace
