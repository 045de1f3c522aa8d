// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// The four blocks of memory of portals, with every option. Engines without a job.

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
using po::options;
using po::saved;
using po::saves;

TEST_CASE("single block: the sender gives the offset; what does not fit is dropped and told") {
  machine m(2);
  bytes room(100);
  po::single_block block{std::span(room)};
  pd::event_ring events(8);
  m[1].attach(events);
  const auto name = m.add(1, {.portal = 3, .memory = &block, .events = &events, .label = 7});
  const bytes data = pattern(10, 1);
  CHECK(m.put(0, 1, {.bits = 99, .offset = 90, .portal = 3}, data) == nullptr);
  m.deliver();
  auto e = take(m, 1, events);
  REQUIRE(e);
  CHECK(e->kind == event_kind::put);
  CHECK(e->what == saved::body);
  CHECK(e->offset == 90);
  CHECK(e->label == 7);
  CHECK(e->is.source == 0);
  CHECK(e->is.bits == 99);  // No match list: the bits are not compared.
  CHECK(equal(e->data, data));
  CHECK(equal(std::span(room).subspan(90), data));
  for (const std::uint64_t wrong : {std::uint64_t{91}, std::uint64_t{101}, ~std::uint64_t{0}}) {
    m.put(0, 1, {.offset = wrong, .portal = 3}, data);
    m.deliver();
    CHECK(m[1].counted().last_reason == drop_reason::too_small);
    CHECK(m[0].counted().told_reason == drop_reason::too_small);
  }
  CHECK(m[0].counted().told_dropped == 3);
  CHECK_FALSE(take(m, 1, events));
  m[1].remove(name);
  m.put(0, 1, {.portal = 3}, data);
  m.put(0, 1, {.portal = 64}, data);
  m.deliver();
  CHECK(m[1].counted().last_reason == drop_reason::no_such_portal);
  CHECK(m[1].counted().dropped == 5);
  m[1].detach(events);
}

TEST_CASE("single block: the receiver gives the offset; header, body, or both") {
  for (const saves keep : {saves::header, saves::body, saves::both}) {
    machine m(2);
    const std::size_t head = keep == saves::body ? 0 : sizeof(po::message);
    const std::size_t body = keep == saves::header ? 0 : 10;
    bytes room(2 * (head + body) + 5);
    po::single_block block{std::span(room)};
    const auto name =
        m.add(1, {.portal = 0,
                  .memory = &block,
                  .how = {.keep = keep, .offset = managed_by::receiver, .acknowledge = true}});
    const bytes data = pattern(10, 2);
    std::array<pd::outgoing*, 3> puts{};
    for (auto& p : puts) p = m.put_acknowledged(0, 1, {.bits = 5, .offset = 1000}, data);
    m.deliver();
    CHECK(block.position() == 2 * (head + body));
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t at = i * (head + body);
      REQUIRE(pd::engine::is_done(*puts[i]));
      CHECK(puts[i]->failure == errc{});
      CHECK(puts[i]->result.what == static_cast<saved>(keep));
      CHECK(puts[i]->result.offset == at + head);
      CHECK(puts[i]->result.bytes == body);
      if (head != 0) {
        po::message is;
        std::memcpy(&is, room.data() + at, sizeof is);
        CHECK(is.source == 0);
        CHECK(is.bits == 5);
        CHECK(is.length == 10);
      }
      CHECK(equal(std::span(room).subspan(at + head, body), std::span(data).first(body)));
    }
    REQUIRE(pd::engine::is_done(*puts[2]));
    CHECK(puts[2]->failure == errc::not_ready);
    CHECK(puts[2]->result.what == saved::nothing);
    CHECK(puts[2]->result.reason == drop_reason::too_small);
    for (auto* p : puts) m[0].release(*p);
    m[1].remove(name);
  }
}

TEST_CASE("single block: a receiver's block that is full has no buffer") {
  machine m(2);
  bytes room(10);
  po::single_block block{std::span(room)};
  const auto name = m.add(1, {.memory = &block, .how = {.offset = managed_by::receiver}});
  m.put(0, 1, {}, pattern(10, 1));
  m.put(0, 1, {}, pattern(1, 1));
  m.put(0, 1, {}, pattern(0, 1));
  m.deliver();
  CHECK(m[1].counted().accepted == 2);
  CHECK(m[1].counted().last_reason == drop_reason::no_buffer);
  m[1].remove(name);
  block.rewind();
  CHECK(block.position() == 0);
}

TEST_CASE("read-only blocks serve gets, and take no puts") {
  machine m(2);
  const bytes source = pattern(2000, 3);
  bytes a = pattern(30, 4);
  bytes b = pattern(50, 5);
  po::single_block single{std::span(source)};
  const std::span<std::byte> parts[] = {a, b};
  po::combined_block combined{std::span<const std::span<std::byte>>(parts)};
  po::independent_block independent{parts, po::independent_block::order::circular};
  po::independent_block linear{parts};
  pd::event_ring events(8);
  const options reads{.direction = access::read_only};
  const pd::entry_name names[] = {
      m.add(1, {.portal = 0, .memory = &single, .how = reads, .events = &events}),
      m.add(1, {.portal = 1, .memory = &combined, .how = reads}),
      m.add(1, {.portal = 2, .memory = &independent, .how = reads}),
      m.add(1, {.portal = 3, .memory = &linear, .how = reads}),
      m.add(1, {.portal = 4,
                .memory = &single,
                .how = {.offset = managed_by::receiver, .direction = access::read_only}})};
  const auto get = [&](po::index portal, std::uint64_t offset, std::size_t n) {
    bytes into(n);
    pd::outgoing* const o = m.get(0, 1, {.offset = offset, .portal = portal}, into);
    m.deliver();
    REQUIRE(pd::engine::is_done(*o));
    const errc why = o->failure;
    m[0].release(*o);
    return why == errc{} ? into : bytes{};
  };
  CHECK(equal(get(0, 100, 1900), std::span(source).subspan(100)));  // 18 packets.
  const auto e = take(m, 1, events);
  REQUIRE(e);
  CHECK(e->kind == event_kind::served);
  CHECK(e->offset == 100);
  CHECK(e->is.length == 1900);
  CHECK(get(0, 100, 1901).empty());
  bytes joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  CHECK(equal(get(1, 20, 60), std::span(joined).subspan(20)));
  CHECK(equal(get(2, 0, 30), a));
  CHECK(equal(get(2, 0, 50), b));
  CHECK(equal(get(2, 0, 30), a));  // In turn, without end.
  CHECK(equal(get(3, 0, 30), a));
  CHECK(equal(get(3, 0, 50), b));
  CHECK(get(3, 0, 1).empty());  // Each buffer once, until it is released.
  CHECK(m[1].release(linear, 0));
  CHECK(equal(get(3, 0, 30), a));
  CHECK(equal(get(4, 55, 10), std::span(source).first(10)));
  CHECK(equal(get(4, 55, 10), std::span(source).subspan(10, 10)));
  m.put(0, 1, {.portal = 0}, pattern(1, 1));
  m.deliver();
  CHECK(m[1].counted().last_reason == drop_reason::no_match);
  for (const auto& n : names) m[1].remove(n);
}

TEST_CASE("dynamic block: messages in the order of arrival, in the first hole that fits") {
  machine m(3);
  const std::size_t each = pd::heap_record::header_bytes() + 48;
  po::dynamic_block heap(4 * each);
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  const auto name =
      m.add(2, {.want = &all, .memory = &heap, .how = {.keep = saves::both, .acknowledge = true}});
  for (unsigned i = 0; i < 4; ++i) m.put(static_cast<int>(i % 2), 2, {.bits = i}, pattern(48, i));
  m.deliver();
  m.put(0, 2, {.bits = 9}, pattern(1, 1));
  m.deliver();
  CHECK(m[2].counted().last_reason == drop_reason::no_buffer);
  CHECK(m[2].take(heap, {.bits = 5}) == nullptr);
  pd::heap_record* const second = m[2].take(heap, {.ignore = ~mpx::match_bits{0}, .from = 1});
  REQUIRE(second != nullptr);
  CHECK(second->is.bits == 1);
  CHECK(equal(second->data(), pattern(48, 1)));
  pd::heap_record* const third = m[2].take(heap, {.bits = 2});
  REQUIRE(third != nullptr);
  m[2].give_back(heap, *second);
  m[2].give_back(heap, *third);
  // Both holes are one again: a message of twice the size fits.
  const bytes big = pattern(2 * each - pd::heap_record::header_bytes(), 8);
  m.put(1, 2, {.bits = 10}, big);
  m.deliver();
  for (const unsigned bits : {0u, 3u, 10u}) {
    pd::heap_record* const r = m[2].take(heap, all);
    REQUIRE(r != nullptr);
    CHECK(r->is.bits == bits);
    CHECK(r->whole);
    if (bits == 10) CHECK(equal(r->data(), big));
    m[2].give_back(heap, *r);
  }
  CHECK(m[2].take(heap, all) == nullptr);
  m.put(1, 2, {}, pattern(4 * each, 1));
  m.deliver();
  CHECK(m[2].counted().last_reason == drop_reason::too_small);
  m[2].remove(name);
}

TEST_CASE("dynamic block: random messages are kept and freed without a byte of loss") {
  machine m(2);
  po::dynamic_block heap(4096);
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  const auto name = m.add(1, {.want = &all, .memory = &heap, .how = {.keep = saves::both}});
  std::vector<pd::heap_record*> held;
  std::uint32_t state = 12345;
  const auto draw = [&](std::uint32_t n) {
    return (state = state * 1664525u + 1013904223u) / 65536u % n;
  };
  const auto put = [&m](unsigned bits, std::size_t n) {
    pd::outgoing* const o = m.put(0, 1, {.bits = bits}, pattern(n, bits));
    m.deliver();
    if (o != nullptr) m[0].release(*o);
  };
  for (unsigned i = 0; i < 4000; ++i) {
    if (held.empty() || draw(2) == 0) {
      put(i, draw(300));
      if (pd::heap_record* const r = m[1].take(heap, all); r != nullptr) held.push_back(r);
    } else {
      const std::size_t k = draw(static_cast<std::uint32_t>(held.size()));
      REQUIRE(
          equal(held[k]->data(), pattern(held[k]->kept, static_cast<unsigned>(held[k]->is.bits))));
      m[1].give_back(heap, *held[k]);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  CHECK(m[1].counted().dropped > 0);
  CHECK(m[1].counted().accepted > 1000);
  for (auto* r : held) m[1].give_back(heap, *r);
  const auto dropped = m[1].counted().dropped;
  put(1, heap.size() - pd::heap_record::header_bytes());  // One hole again.
  CHECK(m[1].counted().dropped == dropped);
  m[1].remove(name);
}

TEST_CASE("independent block: linear and circular tables, buffers that are too small") {
  using order = po::independent_block::order;
  for (const order by : {order::linear, order::circular}) {
    machine m(2);
    std::array<std::array<std::byte, 16>, 3> rooms{};
    const std::span<std::byte> parts[] = {rooms[0], std::span(rooms[1]).first(4), rooms[2]};
    po::independent_block block(parts, by);
    pd::event_ring events(8);
    const auto name = m.add(1, {.memory = &block, .how = {.keep = saves::both}, .events = &events});
    const auto put = [&](std::size_t n) {
      m.put(0, 1, {.bits = n}, pattern(n, static_cast<unsigned>(n)));
      m.deliver();
      const auto e = take(m, 1, events);
      return e ? static_cast<int>(e->buffer) : -1;
    };
    CHECK(put(16) == 0);
    CHECK(put(5) == -1);  // The next free buffer is the one that counts.
    CHECK(m[1].counted().last_reason == drop_reason::too_small);
    CHECK(put(4) == 1);
    CHECK(put(3) == 2);
    CHECK(put(0) == -1);
    CHECK(m[1].counted().last_reason == drop_reason::no_buffer);
    CHECK_FALSE(m[1].release(block, 3));
    CHECK(m[1].release(block, 1));
    CHECK_FALSE(m[1].release(block, 1));
    CHECK(put(2) == (by == order::linear ? 1 : -1));  // A circular table goes on at buffer 0.
    CHECK(m[1].release(block, 0));
    CHECK(put(1) == 0);
    CHECK(equal(std::span(rooms[2]).first(3), pattern(3, 3)));
    m[1].remove(name);
  }
}

TEST_CASE("independent block: a buffer that is being filled is not free") {
  machine m(3);
  std::array<std::array<std::byte, 1000>, 2> rooms{};
  const std::span<std::byte> parts[] = {rooms[0], rooms[1]};
  po::independent_block block(parts);
  pd::event_ring events(8);
  const auto name = m.add(2, {.memory = &block, .how = {.keep = saves::both}, .events = &events});
  m.put(0, 2, {}, pattern(10, 1));
  m.deliver();
  REQUIRE(take(m, 2, events)->buffer == 0);
  pd::outgoing* const slow = m.put(1, 2, {}, pattern(1000, 2));
  m.step();  // It has buffer 1.
  const auto rest = std::exchange(m.queue, {});
  CHECK(m[2].release(block, 0));
  m.put(0, 2, {}, pattern(10, 3));
  m.put(0, 2, {}, pattern(10, 4));
  m.deliver();
  REQUIRE(take(m, 2, events)->buffer == 0);
  CHECK(m[2].counted().last_reason == drop_reason::no_buffer);
  m.queue = rest;
  m.deliver();
  const auto e = take(m, 2, events);
  REQUIRE(e);
  CHECK(e->buffer == 1);
  CHECK(equal(e->data, pattern(1000, 2)));
  m[1].release(*slow);
  m[2].remove(name);
}

TEST_CASE("independent block: headers alone take no memory of the table") {
  machine m(2);
  const std::span<std::byte> parts[] = {{}, {}};
  po::independent_block block(parts, po::independent_block::order::circular);
  pd::event_ring events(8);
  const auto name = m.add(
      1,
      {.memory = &block, .how = {.keep = saves::header, .acknowledge = true}, .events = &events});
  pd::outgoing* const o = m.put_acknowledged(0, 1, {.bits = 42}, pattern(1000, 1));
  m.deliver();
  const auto e = take(m, 1, events);
  REQUIRE(e);
  CHECK(e->what == saved::header);
  CHECK(e->is.bits == 42);
  CHECK(e->is.length == 1000);
  CHECK(e->data.empty());
  REQUIRE(pd::engine::is_done(*o));
  CHECK(o->result.what == saved::header);
  CHECK(o->result.bytes == 0);
  CHECK(o->sent < 1000);  // The receiver has stopped the sender: the body was not sent whole.
  m[0].release(*o);
  m[1].remove(name);
}

TEST_CASE("combined block: a table of buffers, and a layout, as one memory") {
  machine m(2);
  std::array<std::byte, 10> a{};
  std::array<std::byte, 300> b{};
  std::array<std::byte, 7> c{};
  const std::span<std::byte> parts[] = {a, std::span<std::byte>(), b, c};
  po::combined_block block{std::span<const std::span<std::byte>>(parts)};
  CHECK(block.size() == 317);
  pd::event_ring events(8);
  auto name = m.add(1, {.memory = &block, .events = &events});
  const bytes data = pattern(312, 6);
  m.put(0, 1, {.offset = 5}, data);  // 4 packets.
  m.deliver();
  const auto e = take(m, 1, events);
  REQUIRE(e);
  CHECK(e->failure == errc{});
  CHECK(e->data.empty());  // Not contiguous.
  CHECK(equal(std::span(a).subspan(5), std::span(data).first(5)));
  CHECK(equal(b, std::span(data).subspan(5, 300)));
  CHECK(equal(c, std::span(data).subspan(305)));
  CHECK(a[4] == std::byte{});
  m[1].remove(name);

  name = m.add(1, {.memory = &block, .how = {.offset = managed_by::receiver}});
  for (unsigned i = 0; i < 4; ++i) m.put(0, 1, {.offset = 77}, pattern(100, i));
  m.deliver();
  CHECK(m[1].counted().last_reason == drop_reason::too_small);
  CHECK(block.position() == 300);
  CHECK(equal(a, pattern(10, 0)));
  CHECK(equal(std::span(b).subspan(90, 100), pattern(100, 1)));
  m[1].remove(name);

  /// Every second byte.
  struct sparse final : mpx::layout {
    void pack(const std::byte* base, std::size_t at,
              std::span<std::byte> into) const noexcept override {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = base[2 * (at + i)];
    }
    void unpack(std::byte* base, std::size_t at,
                std::span<const std::byte> from) const noexcept override {
      for (std::size_t i = 0; i < from.size(); ++i) base[2 * (at + i)] = from[i];
    }
  } const layout;
  bytes spread(400);
  po::combined_block strided{mpx::memory(spread.data(), 200, &layout)};
  name = m.add(1, {.memory = &strided});
  m.put(0, 1, {.offset = 10}, std::span(data).first(190));
  m.deliver();
  CHECK(spread[19] == std::byte{});
  for (std::size_t i = 0; i < 190; ++i) REQUIRE(spread[2 * (10 + i)] == data[i]);
  m[1].remove(name);
}

TEST_CASE("options that a block does not have are refused") {
  machine m(1);
  bytes room(64);
  const std::span<std::byte> parts[] = {room};
  po::single_block single{std::span(room)};
  po::single_block constant{std::span<const std::byte>(room)};
  po::dynamic_block heap(1024);
  po::independent_block independent(parts);
  po::combined_block combined{std::span<const std::span<std::byte>>(parts)};
  const auto allowed = [&](po::block& b, const options& how) {
    const auto name = m.add(0, {.memory = &b, .how = how});
    const bool yes = m.last == errc{};
    if (yes) m[0].remove(name);
    CHECK((yes || m.last == errc::argument));
    return yes;
  };
  for (const managed_by by : {managed_by::sender, managed_by::receiver})
    for (const saves keep : {saves::header, saves::body, saves::both})
      for (const access direction : {access::write_only, access::read_only}) {
        const options o{.keep = keep, .offset = by, .direction = direction};
        const bool reads = direction == access::read_only;
        const bool header = keep != saves::body;
        CHECK(allowed(single, o));
        CHECK(allowed(constant, o) == reads);
        CHECK(allowed(heap, o) == (!reads && header));
        CHECK(allowed(independent, o) == (reads || header));
        CHECK(allowed(combined, o) == !header);
      }
  const po::criteria all{.ignore = ~mpx::match_bits{0}};
  m.add(0, {.want = &all, .how = {}});  // Neither memory nor a handler.
  CHECK(m.last == errc::argument);
  const auto one = m.add(0, {.portal = 1, .memory = &single});
  m.add(0, {.portal = 1, .memory = &single});  // One descriptor alone.
  CHECK(m.last == errc::argument);
  m.add(0, {.portal = 1, .want = &all, .memory = &single});
  CHECK(m.last == errc::argument);
  m.add(0, {.portal = 64, .memory = &single});
  CHECK(m.last == errc::argument);
  const po::criteria nobody{.from = 1};
  m.add(0, {.portal = 2, .want = &nobody, .memory = &single});
  CHECK(m.last == errc::rank);
  m[0].remove(one);
}

}  // namespace
