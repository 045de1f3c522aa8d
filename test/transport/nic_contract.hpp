// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of cards. Each check is a program that all ranks of a job run; ranks that it does
// not need only take part in its barriers.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "nic_player.hpp"

namespace nic_contract {

/// Registration: limits, counting, keys; memory of the card's own.
inline void check_memory(player& p) {
  card& c = p.c;
  const mpx::nic_limits limits = c.limits();
  nic_region r;
  require(c.register_memory({}, nic_access::local, r) == errc::argument, "nothing is refused");
  void* const page =
      ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::munmap(page, 8192);
  require(c.register_memory({static_cast<std::byte*>(page), 8192}, nic_access::local, r) ==
              errc::argument,
          "unmapped memory is refused");

  std::vector<std::byte> memory(4 * limits.page_bytes);
  const std::uint64_t before = c.registered_bytes();
  std::byte* const border = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) / limits.page_bytes + 2) *
      limits.page_bytes);
  const bytes across(border - 1, 2);
  const nic_region a = p.region(across, nic_access::remote_write);
  require(c.registered_bytes() == before + 2 * limits.page_bytes, "whole pages count");
  const nic_region b = p.region(across, nic_access::remote_write);
  require(a.handle != b.handle && a.remote.key != b.remote.key, "each registration is its own");
  require(c.registered_bytes() == before + 4 * limits.page_bytes, "and counts");
  p.withdraw(a);
  const nic_region again = p.region(across, nic_access::remote_write);
  require(again.remote.key != a.remote.key, "no key comes again soon");
  p.withdraw(b);
  p.withdraw(again);
  require(c.registered_bytes() == before, "deregistered memory does not count");

  std::vector<nic_region> many;
  const std::uint64_t possible = (limits.registered_bytes_max - before) / limits.page_bytes;
  errc e = errc{};
  while (many.size() <= limits.regions_max &&
         (e = c.register_memory({border, 1}, nic_access::local, r)) == errc{})
    many.push_back(r);
  require(e == errc::no_resources, "there is a limit");
  require(many.size() == std::min<std::uint64_t>(limits.regions_max, possible),
          "and it is the card's limit: " + std::to_string(many.size()));
  for (const nic_region& one : many) p.withdraw(one);
  const nic_region after = p.region({border, 1}, nic_access::local);
  p.withdraw(after);

  for (int round = 0; round < 2; ++round) {
    std::byte* const own = c.allocate(5000);
    require(own != nullptr && reinterpret_cast<std::uintptr_t>(own) % limits.page_bytes == 0,
            "a card's memory begins a page");
    require(all_are({own, 5000}, std::byte{0}), "and is zeroed");
    std::memset(own, 77, 5000);
    c.deallocate(own);
  }
}

/// Begin and end of connections, from either side, repeatedly.
inline void check_connections(player& p) {
  card& c = p.c;
  const peer_id other = 1 - p.self();
  const auto nothing_goes = [&] {
    return p.refused(
        [&] { return c.post_write(other, 0, {}, {}, 0, nic_until::taken, 5u, p.next++); });
  };
  require(nothing_goes(), "without a connection posts are refused");
  require(c.connect(p.size(), {}) == errc::argument, "there is no such peer");
  const std::vector<std::byte> much(mpx::nic_connect_bytes_max + 1);
  require(c.connect(other, much) == errc::argument, "that is too much to say");

  // One asks, the other answers.
  if (p.self() == 0) {
    p.post_receive(other, 10);
    p.connect(other, "zero");
    require(p.links[other].asked == 0, "a rank that has asked is not asked");
    require(p.data_of(other) == "one", "the other's data arrives");
    p.signal(other, 1234);
    p.until_received(1);
    require(p.received[0].immediate == 4321 && p.received[0].cookie == 10 &&
                p.received[0].status == nic_status::ok && p.received[0].bytes == 0,
            "an immediate arrives whole");
    p.post_receive(other, 11);
    p.post_receive(other, 12);
    c.disconnect(other);
  } else {
    p.until([&] { return p.links[other].asked == 1; }, "a question");
    require(p.data_of(other) == "zero", "the data is there with the question");
    require(nothing_goes(), "before the answer posts are refused");
    p.post_receive(other, 10);
    p.connect(other, "one");
    p.until_received(1);
    require(p.received[0].immediate == 1234, "an immediate arrives whole");
    p.post_receive(other, 11);
    p.post_receive(other, 12);
    p.signal(other, 4321);
  }
  p.until_disconnected(other, 1, nic_status::ok);
  require(p.received.size() == 3 && p.received[1].status == nic_status::flushed &&
              p.received[1].cookie == 11 && p.received[2].cookie == 12,
          "pending posts complete first");
  require(nothing_goes(), "after the end one posts nothing");
  p.fence();

  // Both ask at once; nothing of the first connection is left.
  p.connect(other, std::string(mpx::nic_connect_bytes_max, 'x'));
  require(p.data_of(other) == std::string(mpx::nic_connect_bytes_max, 'x'), "all of it arrives");
  p.received.clear();
  p.post_receive(other, 20);
  p.fence();
  p.signal(other, 7);
  p.until_received(1);
  require(p.received[0].cookie == 20 && p.received[0].immediate == 7, "the new receive is used");
  p.fence();
  c.disconnect(other);  // Both at once, too.
  p.until_disconnected(other, 2, nic_status::ok);
  const int asked = p.links[other].asked;  // The next question may come within the fence.
  p.fence();

  // A no. Receives that were posted for a connection that never came are flushed.
  p.received.clear();
  p.post_receive(other, 30);
  if (p.self() == 0) {
    p.until([&] { return c.connect(other, {}) == errc{}; }, "connect");
  } else {
    p.until([&] { return p.links[other].asked > asked; }, "a question");
    c.disconnect(other);
  }
  p.until_disconnected(other, 3, nic_status::ok);
  require(p.received.size() == 1 && p.received[0].status == nic_status::flushed, "flushed");
  require(p.links[other].connected == 2, "and never connected");
  p.fence();

  // No rank asks: a connection request is withdrawn.
  if (p.self() == 1) {
    p.until([&] { return c.connect(other, {}) == errc{}; }, "connect");
    c.disconnect(other);
  }
  p.until_disconnected(other, 4, nic_status::ok);
  p.fence();
  p.connect(other);
  require(p.links[other].connected == 3, "connected again");

  // To oneself.
  p.post_receive(p.self(), 40);
  p.connect(p.self(), "me");
  require(p.data_of(p.self()) == "me", "one hears oneself");
  room mine(c, 100, false);
  const nic_region r = p.region(mine.memory, nic_access::remote_write);
  fill(mine.memory.first(50), 3);
  p.received.clear();
  require(p.write(p.self(), r, mine.memory.first(50), r.remote, 50, 9u) == nic_status::ok,
          "one writes to oneself");
  p.until_received(1);
  require(has(mine.memory.subspan(50), 3), "and finds it");
  c.disconnect(p.self());
  p.until_disconnected(p.self(), 1, nic_status::ok);
  p.withdraw(r);
  p.fence();
}

/// Data: any size, between any kinds of memory; not a byte beside it.
inline void check_writes(player& p) {
  card& c = p.c;
  const peer_id other = 1 - p.self();
  const std::size_t most =
      static_cast<std::size_t>(std::min<std::uint64_t>(c.limits().transfer_bytes_max, 300'000));
  constexpr std::size_t margin = 64;
  p.connect(other);
  std::uint32_t serial = 1;
  for (const bool own : {false, true}) {
    room here(c, most + 2 * margin, own);
    std::memset(here.memory.data(), 0, here.memory.size());
    const nic_region r = p.region(here.memory, nic_access::remote_write);
    p.publish("at" + std::to_string(own), r.remote);
    p.fence();
    const remote_memory to = p.published(other, "at" + std::to_string(own));
    for (const bool from_own : {false, true}) {
      room source(c, most, from_own);
      const nic_region s = p.region(source.memory, nic_access::local);
      for (const std::size_t n : {std::size_t{1}, std::size_t{8}, std::size_t{41},
                                  std::size_t{1000}, std::size_t{5001}, most}) {
        if (n > most) continue;
        ++serial;
        for (const bool with : {false, true}) {
          const cookie_t cookie = p.next++;
          if (p.self() == 1) p.post_receive(other, cookie);
          const std::size_t arrived = p.received.size();  // The next may come within the fence.
          p.fence();
          const std::size_t shift = serial % 5;
          if (p.self() == 0) {
            fill(source.memory.first(n), serial);
            const auto how = with ? nic_until::taken : nic_until::placed;
            const auto s1 = p.write(other, s, source.memory.first(n), to, margin + shift,
                                    with ? std::optional(serial) : std::nullopt, how);
            require(s1 == nic_status::ok, "a write goes well");
            if (with) std::memset(source.memory.data(), 99, n);  // It is this side's again.
            if (!with) p.signal(other, serial);
            p.fence();
          } else {
            p.until_received(arrived + 1);
            require(p.received.back().immediate == serial && p.received.back().cookie == cookie &&
                        p.received.back().bytes == 0,
                    "the packet behind a write announces it");
            require(has(here.memory.subspan(margin + shift, n), serial), "the data is in place");
            require(all_are(here.memory.first(margin + shift), std::byte{0}) &&
                        all_are(here.memory.subspan(margin + shift + n), std::byte{0}),
                    "and nothing beside it");
            std::memset(here.memory.data(), 0, here.memory.size());
            p.fence();
          }
        }
      }
      // Memory without this registration is refused.
      const auto refused = [&](const nic_region& what, const_bytes m) {
        return p.refused([&] {
          return c.post_write(other, what.handle, m, to, margin, nic_until::placed, {}, p.next++);
        });
      };
      std::vector<std::byte> stranger(100);
      require(refused({}, stranger) && refused(s, stranger), "unregistered memory");
      require(refused(s, {source.memory.data() + 1, most}), "one byte too far");
      require(refused(s, {source.memory.data() - 1, 2}), "one byte too early");
      nic_region changed = s;
      changed.handle ^= std::uint64_t{1} << 20;
      require(refused(changed, source.memory.first(8)), "a handle that is none");
      require(c.post_receive(other, s.handle, stranger, p.next++) == outcome::refused,
              "nothing is received there");
      p.withdraw(s);
      require(refused(s, source.memory.first(8)), "a handle that was given back");
      p.fence();
    }
    std::vector<std::byte> large(static_cast<std::size_t>(
        std::min<std::uint64_t>(c.limits().transfer_bytes_max, 4 << 20) + 1));
    if (large.size() == c.limits().transfer_bytes_max + 1 && large.size() < (1 << 20)) {
      const nic_region l = p.region(large, nic_access::local);
      require(p.refused([&] {
        return c.post_write(other, l.handle, large, to, 0, nic_until::placed, {}, p.next++);
      }),
              "more than a transfer may be");
      p.withdraw(l);
    }
    p.fence();
    p.withdraw(r);
  }
  p.fence();
}

/// An access that a key does not grant is an error at the origin, and no memory is touched.
inline void check_refusals(player& p) {
  card& c = p.c;
  if (!c.limits().checks_keys) return;
  const peer_id other = 1 - p.self();
  const bool survives = c.traits().survives_refusals;
  for (const bool own : {false, true}) {
    room here(c, 4096, own);
    std::memset(here.memory.data(), 0x55, 4096);
    const bytes window = here.memory.subspan(1000, 1000);
    const nic_region good = p.region(window, nic_access::remote_read_write);
    const nic_region stale = p.region(window, nic_access::remote_read_write);
    const nic_region closed = p.region(window, nic_access::local);
    const nic_region readable = p.region(window, nic_access::remote_read);
    p.withdraw(stale);
    const std::string n = std::to_string(own);
    p.publish("good" + n, good.remote);
    p.publish("stale" + n, stale.remote);
    p.publish("closed" + n, closed.remote);
    p.publish("readable" + n, readable.remote);
    p.connect(other);
    p.fence();
    const remote_memory to = p.published(other, "good" + n);
    room source(c, 2000, false);
    fill(source.memory, 1);
    const nic_region s = p.region(source.memory, nic_access::local);
    struct attempt {
      remote_memory to;
      std::uint64_t offset;
      std::size_t bytes;
    };
    const attempt attempts[] = {
        {p.published(other, "stale" + n), 0, 8},
        {p.published(other, "closed" + n), 0, 8},
        {p.published(other, "readable" + n), 0, 8},
        {{to.address, to.key + (1 << 16)}, 0, 8},
        {{to.address, to.key ^ 1}, 0, 8},
        {{to.address, ~to.key}, 0, 8},
        {{to.address, 0}, 0, 8},
        {to, 993, 8},
        {to, ~std::uint64_t{0}, 8},
        {to, 0, 1001},
        {to, std::uint64_t{1} << 40, 1},
        {{to.address - 1, to.key}, 0, 1},
        {{to.address + 1000, to.key}, 0, 1},
        {{0, to.key}, 0, 1},
    };
    const std::size_t received = p.received.size();
    for (const attempt& a : attempts) {
      if (a.bytes > c.limits().transfer_bytes_max) continue;
      const int ends = p.links[other].disconnected;
      p.post_receive(other, 77);
      p.fence();
      if (p.self() == 0) {
        const auto status = p.write(other, s, source.memory.first(a.bytes), a.to, a.offset, 1u);
        require(status == nic_status::refused, "access without rights is refused");
      }
      if (!survives) {
        p.until_disconnected(other, ends + 1, nic_status::refused);
        p.connect(other);
      }
      p.fence();
      require(all_are(here.memory, std::byte{0x55}), "nothing was written");
    }
    for (std::size_t i = received; i < p.received.size(); ++i)
      require(p.received[i].status == nic_status::flushed, "an event was not reported");
    p.received.clear();
    p.post_receive(other, 78);
    p.fence();
    if (p.self() == 0)
      require(p.write(other, s, source.memory.first(1000), to, 0, 2u) == nic_status::ok,
              "the whole range is granted");
    if (p.self() == 1) {
      p.until_received(1);
      require(has(window, 1) && all_are(here.memory.first(1000), std::byte{0x55}) &&
                  all_are(here.memory.subspan(2000), std::byte{0x55}),
              "the window, and no more");
    }
    p.fence();
    const int ends = p.links[other].connected;
    c.disconnect(other);
    p.until_disconnected(other, ends, nic_status::ok);
    p.received.clear();
    for (const nic_region& r : {good, closed, readable, s}) p.withdraw(r);
    p.fence();
  }
}

/// Receives are used in order; where there is none, or too little memory, the connection breaks.
inline void check_receives(player& p) {
  card& c = p.c;
  const peer_id other = 1 - p.self();
  const std::uint32_t depth = c.limits().receive_depth;
  const std::size_t most = c.limits().send_bytes_max;
  room memory(c, 4 * most, p.self() == 0);
  const nic_region r = p.region(memory.memory, nic_access::local);
  for (std::uint32_t i = 0; i < 3; ++i)
    p.post_receive(other, i, r.handle, memory.memory.subspan(i * most, most));
  p.connect(other);
  const std::size_t sizes[] = {0, 40, most};
  p.fence();
  if (p.self() == 0) {
    const bytes from = memory.memory.subspan(3 * most, most);
    for (std::uint32_t i = 0; i < 3; ++i) {
      fill(from.first(sizes[i]), i);
      require(p.send(other, r, from.first(sizes[i]), 100 + i) == nic_status::ok, "a send goes");
    }
    require(p.refused([&] {
      return c.post_send(other, r.handle, memory.memory.first(most + 1), 0, p.next++);
    }),
            "more than a send may be");
  } else {
    p.until_received(3);
    std::uint32_t used = 0;
    for (const nic_event& e : p.received) {
      require(e.cookie == used++, "receives are used in order");
      const std::uint32_t i = e.immediate - 100;
      require(i < 3 && e.bytes == sizes[i], "a send says how long it is");
      if (c.traits().arrivals_in_order) require(i == e.cookie, "sends arrive in order");
      require(has(memory.memory.subspan(e.cookie * most, e.bytes), i), "the data of a send");
    }
  }
  p.fence();
  // The first end only has three left.
  p.received.clear();
  c.disconnect(other);
  p.until_disconnected(other, 1, nic_status::ok);
  p.fence();

  for (std::uint32_t i = 0; i < depth; ++i) p.post_receive(other, i);
  require(c.post_receive(other, 0, {}, depth) == outcome::retry, "a receive queue is full");
  p.connect(other);
  p.received.clear();
  p.fence();
  if (p.self() == 0) {
    for (std::uint32_t i = 0; i < depth; ++i) p.signal(other, i);
  } else {
    p.until_received(depth);
    for (std::uint32_t i = 0; i < depth; ++i)
      require(p.received[i].cookie == i && p.received[i].status == nic_status::ok, "in order");
  }
  p.fence();
  if (p.self() == 0) {  // One too many.
    const cookie_t cookie = p.next++;
    p.until(
        [&] {
          return c.post_write(other, 0, {}, {}, 0, nic_until::taken, 1u, cookie) != outcome::retry;
        },
        "room in a queue");
  }
  p.until_disconnected(other, 2, nic_status::no_descriptor);
  p.fence();

  p.received.clear();
  p.post_receive(other, 50, r.handle, memory.memory.first(39));
  p.connect(other);
  p.fence();
  if (p.self() == 0) {
    const cookie_t cookie = p.next++;
    p.until(
        [&] {
          return c.post_send(other, r.handle, memory.memory.first(40), 1, cookie) != outcome::retry;
        },
        "room in a queue");
  }
  p.until_disconnected(other, 3, nic_status::length);
  require(p.received.size() == 1 &&
              p.received[0].status == (p.self() == 0 ? nic_status::flushed : nic_status::length),
          "the receive that was too short says so");
  p.withdraw(r);
  p.fence();
}

/// All ranks write to all, as fast as credits allow, each write announced by its immediate.
inline void check_flood(player& p) {
  card& c = p.c;
  const std::uint32_t depth = std::min(c.limits().receive_depth, 64u);
  const std::uint32_t window = depth / 2;
  const std::uint32_t total = 10 * window;
  constexpr std::uint32_t is_credit = 1u << 31;
  room landing(c, std::size_t{8} * window * p.size(), p.self() % 2 == 0);
  room source(c, std::size_t{8} * window * p.size(), p.self() % 3 == 0);
  const nic_region in = p.region(landing.memory, nic_access::remote_write);
  const nic_region out = p.region(source.memory, nic_access::local);
  p.publish("flood", in.remote);
  struct flow {
    std::uint32_t sent = 0, credited = 0, got = 0, owed = 0;
    std::set<std::uint32_t> early;
  };
  std::vector<flow> flows(p.size());
  for (peer_id peer = 0; peer < p.size(); ++peer)
    for (std::uint32_t i = 0; peer != p.self() && i < depth; ++i) p.post_receive(peer, peer);
  for (peer_id peer = 0; peer < p.size(); ++peer)
    if (peer != p.self()) p.connect(peer);
  p.fence();
  std::vector<remote_memory> to;
  for (peer_id peer = 0; peer < p.size(); ++peer) to.push_back(p.published(peer, "flood"));
  const auto value = [](peer_id from, std::uint32_t i) {
    return (std::uint64_t{from} << 40 | i) * 0x9e37'79b9'7f4a'7c15u;
  };
  const auto over = [&] {
    for (peer_id peer = 0; peer < p.size(); ++peer)
      if (peer != p.self() &&
          (flows[peer].credited != total || flows[peer].got != total || flows[peer].owed != 0))
        return false;
    return true;
  };
  const auto turn = [&] {
    for (const nic_event& e : p.received) {
      require(e.status == nic_status::ok, "no connection breaks under a flood");
      flow& f = flows[e.peer];
      p.post_receive(e.peer, e.peer);
      if ((e.immediate & is_credit) != 0) {
        f.credited += e.immediate & ~is_credit;
        continue;
      }
      if (c.traits().arrivals_in_order) require(e.immediate == f.got, "immediates are in order");
      std::uint64_t found = 0;
      const std::size_t slot = e.peer * window + e.immediate % window;
      std::memcpy(&found, landing.memory.data() + 8 * slot, 8);
      require(found == value(e.peer, e.immediate), "an immediate comes behind its own data");
      require(f.early.insert(e.immediate).second, "an immediate comes once");
      ++f.got;
      ++f.owed;
    }
    p.received.clear();
    for (peer_id peer = 0; peer < p.size(); ++peer) {
      if (peer == p.self()) continue;
      flow& f = flows[peer];
      require(p.links[peer].disconnected == 0, "no connection breaks under a flood");
      // Whole windows alone: what arrives out of order may use any slot of its window.
      if (f.owed == window) {
        const outcome o =
            c.post_write(peer, 0, {}, {}, 0, nic_until::taken, is_credit | window, p.next);
        if (o == outcome::refused) require(false, "a credit is refused");
        if (o != outcome::retry) {
          ++p.next;
          f.owed = 0;
        }
      }
      while (f.sent != total && f.sent - f.credited < window) {
        const std::size_t slot = peer * window + f.sent % window;
        const std::uint64_t v = value(p.self(), f.sent);
        std::memcpy(source.memory.data() + 8 * slot, &v, 8);
        const outcome o = c.post_write(peer, out.handle, source.memory.subspan(8 * slot, 8),
                                       to[peer], 8 * (p.self() * window + f.sent % window),
                                       nic_until::placed, f.sent, p.next);
        require(o != outcome::refused, "a write under a flood is refused");
        if (o == outcome::retry) break;
        ++p.next;
        ++f.sent;
      }
    }
    return over();
  };
  p.until(turn, "the end of a flood");
  for (const auto& [cookie, status] : p.sent)
    require(status == nic_status::ok, "a write under a flood goes well");
  p.fence();
  for (peer_id peer = 0; peer < p.size(); ++peer) c.disconnect(peer);
  p.withdraw(in);
  p.withdraw(out);
  p.fence();
}
inline void check_flood_one_by_one(player& p) {
  p.batch = 1;
  check_flood(p);
}

/// Ranks that sleep are woken by whatever arrives.
inline void check_waiting(player& p) {
  card& c = p.c;
  const peer_id other = 1 - p.self();
  for (int i = 0; i < 4; ++i) p.post_receive(other, 0);
  p.connect(other);
  p.fence();
  const auto begin = std::chrono::steady_clock::now();
  std::size_t heard = 0;
  for (std::uint32_t round = 0; round < 40; ++round) {
    if (round % 2 == p.self()) {
      p.signal(other, round);
      continue;
    }
    while (p.received.size() == heard) {  // It may have arrived before.
      require(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10 * slowdown),
              "no wake-up is missed");
      if (p.step() || !c.arm()) continue;
      c.sleep(1'000'000'000);
      c.disarm();
    }
    require(p.received[heard++].immediate == round, "a sleeper is woken by an arrival");
    p.post_receive(other, 0);
  }
  require(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10 * slowdown),
          "no wake-up is missed");
  p.fence();
}

/// Random pieces between all pairs; keys change, and are announced by sends.
inline void check_traffic(player& p) {
  card& c = p.c;
  constexpr std::size_t slots = 8;
  const std::size_t slot_bytes = c.limits().registered_bytes_max < 1 << 20 ? 512 : 4096;
  const std::size_t part = slots * slot_bytes;
  room landing(c, part * p.size(), p.self() % 2 != 0);
  room source(c, part, p.self() % 2 == 0);
  room letters(c, 64 * p.size(), true);
  const nic_region out = p.region(source.memory, nic_access::local);
  const nic_region mail = p.region(letters.memory, nic_access::local);
  for (peer_id peer = 0; peer < p.size(); ++peer) {
    for (std::uint32_t i = 0; i < 2; ++i)
      p.post_receive(peer, peer, mail.handle, letters.memory.subspan(64 * peer, 16));
    if (peer > p.self()) p.connect(peer);
    if (peer < p.self()) p.connect(peer);
    if (peer == p.self()) p.connect(peer);
  }
  const auto piece = [&](peer_id from, peer_id at, std::uint32_t round, std::size_t slot) {
    std::uint64_t z =
        (std::uint64_t{from} << 48 ^ std::uint64_t{at} << 32 ^ std::uint64_t{round} << 16 ^ slot) *
        0x9e37'79b9'7f4a'7c15u;
    z ^= z >> 29;
    const std::size_t offset = z % (slot_bytes - 1);
    const std::size_t most = static_cast<std::size_t>(
        std::min<std::uint64_t>(slot_bytes, c.limits().transfer_bytes_max));
    return std::pair(offset, std::clamp<std::size_t>((z >> 20) % (slot_bytes - offset), 1, most));
  };
  const auto until_all = [&](std::uint32_t immediate) {
    p.until(
        [&] {
          return std::count_if(p.received.begin(), p.received.end(), [&](const nic_event& e) {
                   return e.immediate == immediate;
                 }) == static_cast<std::ptrdiff_t>(p.size());
        },
        "one of each");
  };
  for (std::uint32_t round = 0; round < 4; ++round) {
    std::memset(landing.memory.data(), 0, landing.memory.size());
    const nic_region in = p.region(landing.memory, nic_access::remote_write);
    p.received.clear();
    p.fence();  // All expect letters.
    for (peer_id peer = 0; peer < p.size(); ++peer) {
      bytes letter = letters.memory.subspan(64 * peer + 32, 16);
      std::memcpy(letter.data(), &in.remote, 16);
      require(p.send(peer, mail, letter, 1) == nic_status::ok, "a letter goes");
    }
    until_all(1);  // Faster ranks may have said 2 before.
    for (const nic_event& e : p.received)
      require(e.status == nic_status::ok && e.bytes == (e.immediate == 1 ? 16u : 0u), "a letter");
    std::vector<cookie_t> under_way;
    for (peer_id peer = 0; peer < p.size(); ++peer) {
      remote_memory to;
      std::memcpy(&to, letters.memory.data() + 64 * peer, 16);
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const auto [offset, n] = piece(p.self(), peer, round, slot);
        const bytes from = source.memory.subspan(slot * slot_bytes, n);
        if (!under_way.empty() && slot == 0) {  // The same memory, for the next peer.
          p.until(
              [&] {
                return std::all_of(under_way.begin(), under_way.end(),
                                   [&](cookie_t x) { return p.sent.contains(x); });
              },
              "all writes are in place");
          under_way.clear();
        }
        fill(from, p.self() * 100 + round * 10 + slot);
        outcome o = outcome::retry;
        const cookie_t cookie = p.next++;
        p.until(
            [&] {
              o = c.post_write(peer, out.handle, from, to,
                               p.self() * part + slot * slot_bytes + offset, nic_until::placed, {},
                               cookie);
              return o != outcome::retry;
            },
            "room in a queue");
        require(o != outcome::refused, "traffic is not refused");
        if (o == outcome::pending) under_way.push_back(cookie);
      }
    }
    p.until(
        [&] {
          return std::all_of(under_way.begin(), under_way.end(),
                             [&](cookie_t x) { return p.sent.contains(x); });
        },
        "all writes are in place");
    for (const auto& [cookie, status] : p.sent)
      require(status == nic_status::ok, "traffic goes well");
    for (peer_id peer = 0; peer < p.size(); ++peer) p.signal(peer, 2);
    until_all(2);
    for (peer_id from = 0; from < p.size(); ++from) {
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const auto [offset, n] = piece(from, p.self(), round, slot);
        const bytes there = landing.memory.subspan(from * part + slot * slot_bytes, slot_bytes);
        require(has(there.subspan(offset, n), from * 100 + round * 10 + slot), "every byte came");
        require(all_are(there.first(offset), std::byte{0}) &&
                    all_are(there.subspan(offset + n), std::byte{0}),
                "and no other");
      }
    }
    for (peer_id peer = 0; peer < p.size(); ++peer)
      for (std::uint32_t i = 0; i < 2; ++i)
        p.post_receive(peer, peer, mail.handle, letters.memory.subspan(64 * peer, 16));
    p.fence();
    p.withdraw(in);
  }
  for (peer_id peer = 0; peer < p.size(); ++peer) c.disconnect(peer);
  p.fence();
}

/// Memory that is taken back in the middle of a stream of writes is not touched after that.
inline void check_withdrawal(player& p) {
  card& c = p.c;
  if (!c.limits().checks_keys) return;
  const peer_id other = 1 - p.self();
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(20'000, c.limits().transfer_bytes_max));
  for (int round = 0; round < 6; ++round) {
    room memory(c, size, round % 2 != 0);
    const nic_region r = p.region(memory.memory, nic_access::remote_write);
    p.publish("stream" + std::to_string(round), r.remote);
    p.post_receive(other, 1);
    p.connect(other);
    p.fence();
    const int ends = p.links[other].disconnected;
    bool handed_back = false;
    if (p.self() == 0) {
      const remote_memory to = p.published(other, "stream" + std::to_string(round));
      fill(memory.memory, 1);
      std::optional<nic_status> s = nic_status::ok;
      while (s == nic_status::ok) s = p.write(other, r, memory.memory, to, 0);
      require(s == nic_status::refused || s == nic_status::flushed || !s, "a stream ends");
    } else {
      for (int i = 0; i < 30 * round; ++i) p.step();
      p.withdraw(r);
      const std::vector<std::byte> now(memory.memory.begin(), memory.memory.end());
      for (int i = 0; i < 300; ++i) {
        p.step();
      }
      require(std::equal(now.begin(), now.end(), memory.memory.begin()),
              "withdrawn memory is not touched");
      handed_back = true;
    }
    p.fence();
    if (c.traits().survives_refusals) {
      require(p.links[other].disconnected == ends, "it does not break");
      p.fence();
      c.disconnect(other);
    }
    p.until([&] { return p.links[other].disconnected == ends + 1; }, "the end");
    if (!handed_back) p.withdraw(r);
    p.fence();
  }
}

/// A peer sends, and withdraws its memory, whether it leaves or not. A write that comes too late is
/// refused, and the peer's packets still arrive.
inline void check_last_words(player& p) {
  card& c = p.c;
  if (!c.limits().checks_keys) return;  // Such a write may end its provider's connection.
  const peer_id other = 1 - p.self();
  const bool survives = c.traits().survives_refusals;
  constexpr std::uint32_t words = 4;
  for (const bool leaves : {false, true}) {
    for (const bool own : {false, true}) {
      room here(c, 4096, own);
      const nic_region r = p.region(here.memory, nic_access::remote_write);
      const std::string key = "last" + std::to_string(leaves) + std::to_string(own);
      p.publish(key, r.remote);
      const std::size_t before = p.received.size();
      for (std::uint32_t i = 0; i < words; ++i) p.post_receive(other, 50 + i);
      p.connect(other);
      const int ends = p.links[other].disconnected;
      p.fence();
      const remote_memory to = p.published(other, key);
      if (p.self() == 1) {
        for (std::uint32_t i = 0; i < words; ++i) p.signal(other, 500 + i);
        for (int i = 0; i < 100; ++i) p.step();
        if (leaves) c.disconnect(other);
        p.withdraw(r);
        p.fence();
      } else {
        p.m.fence([] {});  // It looks at nothing meanwhile.
        const auto s = p.write(other, r, here.memory.first(8), to, 0, 1u);
        require(leaves || s == nic_status::refused, "access to withdrawn memory is refused");
        if (!leaves && !survives)
          require(c.connect(other, {}) == errc::pending, "it has not ended yet on both sides");
        p.until([&] { return p.received.size() >= before + words; }, "earlier packets");
        std::uint32_t told = 0;  // In any order, of a card that keeps none.
        for (std::uint32_t i = 0; i < words; ++i)
          if (const nic_event& e = p.received[before + i]; e.status == nic_status::ok)
            told |= 1u << (e.immediate - 500);
        require(told == (1u << words) - 1, "earlier packets are reported");
        if (!leaves && !survives) p.until_disconnected(other, ends + 1, nic_status::refused);
      }
      p.fence();
      c.disconnect(other);
      p.until([&] { return p.links[other].disconnected > ends; }, "the end");
      if (p.self() == 0) p.withdraw(r);
      p.fence();
    }
  }
}

/// Reads, where there are some.
inline void check_reads(player& p) {
  card& c = p.c;
  if (!c.traits().reads) return;
  const peer_id other = 1 - p.self();
  const auto most =
      static_cast<std::size_t>(std::min<std::uint64_t>(c.limits().transfer_bytes_max, 300'000));
  room here(c, 9000, true);
  room into(c, 9000, false);
  fill(here.memory, p.self());
  const nic_region r = p.region(here.memory, nic_access::remote_read);
  const nic_region w = p.region(here.memory, nic_access::remote_write);
  const nic_region l = p.region(into.memory, nic_access::local);
  p.publish("read", r.remote);
  p.publish("write", w.remote);
  p.connect(other);
  p.fence();
  const remote_memory from = p.published(other, "read");
  for (const std::size_t n : {1u, 100u, 9000u}) {
    std::memset(into.memory.data(), 0, 9000);
    require(p.read(other, l, into.memory.first(n), from, 0) == nic_status::ok, "a read goes well");
    require(has(into.memory.first(n), other) && all_are(into.memory.subspan(n), std::byte{0}),
            "read data has arrived");
  }
  if (most > 9000) {  // As much as a transfer may be, to any place.
    room much(c, most, false);
    room fetched(c, most + 3, true);
    fill(much.memory, p.self() + 5);
    const nic_region mr = p.region(much.memory, nic_access::remote_read_write);
    const nic_region fr = p.region(fetched.memory, nic_access::local);
    p.publish("much", mr.remote);
    p.fence();
    require(p.read(other, fr, fetched.memory.subspan(3), p.published(other, "much"), 0) ==
                    nic_status::ok &&
                has(fetched.memory.subspan(3), other + 5),
            "a long read");
    p.fence();
    p.withdraw(mr);
    p.withdraw(fr);
  }
  p.fence();
  if (!c.limits().checks_keys) return;
  std::memset(into.memory.data(), 0, 9000);
  if (p.self() == 0)
    require(p.read(other, l, into.memory.first(8), p.published(other, "write"), 0) ==
                nic_status::refused,
            "write-only memory is not read");
  if (!c.traits().survives_refusals) {
    p.until_disconnected(other, 1, nic_status::refused);
    p.connect(other);
  }
  p.fence();
  if (p.self() == 0)
    require(p.read(other, l, into.memory.first(8), from, 8993) == nic_status::refused,
            "no byte behind the end is read");
  require(all_are(into.memory, std::byte{0}), "nothing was read");
  p.fence();
}

/// The previous value of an atomic access, as a number.
inline std::uint64_t value_of(const_bytes word) {
  std::uint64_t value = 0;
  std::memcpy(&value, word.data(), word.size());  // Little-endian, as all machines that mpx knows.
  return value;
}

/// Atomic accesses, where there are some: each operation on words of both sizes, in memory of the
/// program and of the card, and not a byte beside them.
inline void check_atomics(player& p) {
  card& c = p.c;
  const mpx::atomic_set has = c.atomics();
  if (has.empty()) return;
  using enum mpx::atomic_operation;
  struct step {
    mpx::atomic_access what;
    std::uint64_t after;  // From 12.
  };
  const step steps[] = {{{fetch_add, 30}, 42},
                        {{fetch_add, 0xffff'fffe}, 0x1'0000'000a},
                        {{fetch_add, ~std::uint64_t{0}}, 11},
                        {{fetch_and, 10}, 8},
                        {{fetch_or, 3}, 15},
                        {{fetch_xor, 5}, 9},
                        {{exchange, 0x1122'3344'5566'7788}, 0x1122'3344'5566'7788},
                        {{compare_exchange, 7, 12}, 7},
                        {{compare_exchange, 7, 13}, 12}};
  const peer_id other = 1 - p.self();
  p.connect(other);
  room into(c, 64, false);
  const nic_region l = p.region(into.memory, nic_access::local);
  for (const bool own : {false, true}) {
    room here(c, 64, own);
    const nic_region r = p.region(here.memory, nic_access::remote_read_write);
    const nic_region w = p.region(here.memory, nic_access::remote_write);
    const std::string n = std::to_string(own);
    p.publish("atomic" + n, r.remote);
    p.publish("no atomic" + n, w.remote);
    for (const std::size_t size : {std::size_t{4}, std::size_t{8}}) {
      const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : 0xffff'ffffu;
      for (const step& s : steps) {
        if (!has.has(s.what.operation, size)) continue;
        const std::uint64_t first = 12;
        std::memset(here.memory.data(), 0x55, 64);
        std::memcpy(here.memory.data() + 16, &first, size);
        p.fence();
        const remote_memory to = p.published(other, "atomic" + n);
        std::memset(into.memory.data(), 0x33, 64);
        require(p.access(other, l, into.memory.subspan(8, size), to, 16, s.what) == nic_status::ok,
                "an atomic access goes well");
        require(value_of(into.memory.subspan(8, size)) == first, "it returns the previous value");
        require(all_are(into.memory.first(8), std::byte{0x33}) &&
                    all_are(into.memory.subspan(8 + size, 64 - 8 - size), std::byte{0x33}),
                "and nothing else");
        p.fence();
        require(value_of(here.memory.subspan(16, size)) == (s.after & mask),
                "the word has changed");
        require(all_are(here.memory.first(16), std::byte{0x55}) &&
                    all_are(here.memory.subspan(16 + size, 64 - 16 - size), std::byte{0x55}),
                "and no other");
        p.fence();
      }
    }
    std::vector<std::byte> stranger(8);
    require(p.refused([&] {
      return c.post_atomic(other, l.handle, stranger, p.published(other, "atomic" + n), 0,
                           {fetch_add, 1}, p.next++);
    }),
            "the previous value goes to registered memory only");
    require(p.refused([&] {
      return c.post_atomic(other, l.handle, into.memory.first(3), p.published(other, "atomic" + n),
                           0, {fetch_add, 1}, p.next++);
    }),
            "words have 4 or 8 bytes");
    p.fence();
    if (c.limits().checks_keys) {
      std::memset(here.memory.data(), 0x55, 64);
      p.fence();
      const int ends = p.links[other].disconnected;
      const mpx::atomic_access one{exchange, 1};
      if (p.self() == 0 && has.has(exchange, 8))
        require(p.access(other, l, into.memory.first(8), p.published(other, "no atomic" + n), 0,
                         one) == nic_status::refused,
                "memory that grants only writes is refused");
      if (!c.traits().survives_refusals) {
        p.until_disconnected(other, ends + 1, nic_status::refused);
        p.connect(other);
      }
      p.fence();
      require(all_are(here.memory, std::byte{0x55}), "and not changed");
    }
    p.fence();
    const int before = p.links[other].disconnected;
    c.disconnect(other);
    p.until_disconnected(other, before + 1, nic_status::ok);
    p.withdraw(r);
    p.withdraw(w);
    p.fence();
    p.connect(other);
  }
  p.withdraw(l);
  p.fence();
}

/// All ranks add to one word of each rank, several posts at a time, by additions and by
/// compare_exchange: none is lost or doubled. With the CPU, too, if the card promises that.
inline void check_atomic_sums(player& p) {
  card& c = p.c;
  const mpx::atomic_set has = c.atomics();
  using enum mpx::atomic_operation;
  if (!has.has(fetch_add, 8)) return;
  constexpr std::uint32_t adds = 40;
  constexpr std::size_t most = 2;
  for (const bool own : {false, true}) {
    room here(c, 64, own);
    room into(c, 64 * p.size(), own);
    std::memset(here.memory.data(), 0, 64);
    const nic_region r = p.region(here.memory, nic_access::remote_read_write);
    const nic_region l = p.region(into.memory, nic_access::local);
    const std::string key = "sum" + std::to_string(own);
    p.publish(key, r.remote);
    for (peer_id peer = 0; peer < p.size(); ++peer) p.connect(peer);
    p.fence();
    std::vector<remote_memory> to;
    for (peer_id peer = 0; peer < p.size(); ++peer) to.push_back(p.published(peer, key));
    const bool swaps = has.has(compare_exchange, 8);
    std::uint64_t mine = 0;  // Added by this rank's CPU.
    for (peer_id peer = 0; peer < p.size(); ++peer) {
      std::uint64_t guess = 0;
      std::uint32_t swapped = 0;
      while (swaps && swapped < adds / 4) {
        require(p.access(peer, l, into.memory.first(8), to[peer], 8,
                         {compare_exchange, guess + 1, guess}) == nic_status::ok,
                "compare_exchange goes well");
        const std::uint64_t old = value_of(into.memory.first(8));
        swapped += old == guess ? 1 : 0;
        guess = old == guess ? guess + 1 : old;
      }
    }
    std::vector<std::pair<cookie_t, peer_id>> under_way;
    for (std::uint32_t round = 0; round < adds * p.size();) {
      const auto peer = static_cast<peer_id>(round % p.size());
      if (has.with_cpu && round % 3 == 0) {
        mpx::platform::atomic_ref<std::uint64_t>(
            *reinterpret_cast<std::uint64_t*>(here.memory.data()))
            .fetch_add(1);
        ++mine;
      }
      const cookie_t cookie = p.next++;
      outcome o = outcome::retry;
      p.until(
          [&] {
            o = c.post_atomic(peer, l.handle, into.memory.subspan(64 * peer + 16, 8), to[peer], 0,
                              {fetch_add, 1}, cookie);
            return o != outcome::retry;
          },
          "room in a queue");
      require(o != outcome::refused, "an addition is not refused");
      if (o == outcome::pending) under_way.emplace_back(cookie, peer);
      ++round;
      if (under_way.size() < most && round != adds * p.size()) continue;
      for (const auto& [posted, at] : under_way) {
        p.until([&] { return p.sent.contains(posted); }, "an addition ends");
        require(p.sent[posted] == nic_status::ok, "an addition goes well");
      }
      under_way.clear();
    }
    p.fence();
    require(value_of(here.memory.first(8)) == std::uint64_t{adds} * p.size() + mine,
            "every addition counts once");
    require(!swaps || value_of(here.memory.subspan(8, 8)) == adds / 4 * p.size(),
            "every exchange counts once");
    p.fence();
    for (peer_id peer = 0; peer < p.size(); ++peer) {
      c.disconnect(peer);
    }
    for (peer_id peer = 0; peer < p.size(); ++peer)
      p.until([&] { return p.links[peer].disconnected > (own ? 1 : 0); }, "the end");
    p.fence();
    p.withdraw(r);
    p.withdraw(l);
    p.fence();
  }
}

/// Writes with a tail, where there are some, between others.
inline void check_tails(player& p) {
  card& c = p.c;
  if (!c.chains()) return;
  const peer_id other = 1 - p.self();
  constexpr std::size_t tail_bytes = 24;
  const std::uint32_t at_once = std::min(c.limits().receive_depth / 2, 8u);
  const auto most = static_cast<std::size_t>(
      std::min({c.limits().transfer_bytes_max - tail_bytes, std::uint64_t{600'000},
                c.limits().registered_bytes_max / 4 / at_once}));
  const std::size_t sizes[] = {1, std::min<std::size_t>(most, 300),
                               std::min<std::size_t>(most, 5001), most};
  const std::size_t slot = most + 64;
  room here(c, at_once * slot, true);
  room tails(c, at_once * 64, false);
  room source(c, at_once * slot, false);
  const nic_region hr = p.region(here.memory, nic_access::remote_write);
  const nic_region tr = p.region(tails.memory, nic_access::remote_write);
  const nic_region sr = p.region(source.memory, nic_access::local);
  p.publish("data", hr.remote);
  p.publish("tails", tr.remote);
  p.connect(other);
  p.fence();
  const remote_memory to = p.published(other, "data");
  const remote_memory tails_to = p.published(other, "tails");
  const auto size_of = [&](std::uint32_t round, std::uint32_t i) { return sizes[(i + round) % 4]; };
  // Every third is a write with an immediate, or one of nothing.
  const auto has_tail = [](std::uint32_t round, std::uint32_t i) { return (i + round) % 3 != 2; };
  const auto post = [&](std::uint32_t round, std::uint32_t i, cookie_t cookie) {
    const bytes from = source.memory.subspan(i * slot, slot);
    const std::size_t n = size_of(round, i);
    if (!has_tail(round, i))
      return c.post_write(other, sr.handle, from.first(i % 2 == 0 ? n : 0), to, i * slot,
                          nic_until::taken, i, cookie);
    return c.post_write_then(other, sr.handle, from.first(n), to, i * slot,
                             {.handle = sr.handle,
                              .from = from.subspan(most, tail_bytes),
                              .to = tails_to,
                              .offset = std::uint64_t{i} * 64,
                              .immediate = i},
                             cookie);
  };
  for (std::uint32_t round = 0; round < 8; ++round) {
    std::memset(here.memory.data(), 0, here.memory.size());
    std::memset(tails.memory.data(), 0, tails.memory.size());
    p.received.clear();
    for (std::uint32_t i = 0; p.self() == 1 && i < at_once; ++i) p.post_receive(other, i);
    p.fence();
    if (p.self() == 0) {
      std::vector<cookie_t> under_way;
      for (std::uint32_t i = 0; i < at_once; ++i) {
        fill(source.memory.subspan(i * slot, size_of(round, i)), 16 * round + i);
        fill(source.memory.subspan(i * slot + most, tail_bytes), 16 * round + i + 1000);
        const cookie_t cookie = p.next++;
        outcome o = outcome::retry;
        p.until([&] { return (o = post(round, i, cookie)) != outcome::retry; }, "room in a queue");
        require(o != outcome::refused, "a write with a tail is taken");
        if (o == outcome::pending) under_way.push_back(cookie);
      }
      for (const cookie_t cookie : under_way) {
        p.until([&] { return p.sent.contains(cookie); }, "a completion");
        require(p.sent[cookie] == nic_status::ok, "a write with a tail goes well");
      }
      std::memset(source.memory.data(), 99, source.memory.size());  // It is this side's again.
    } else {
      for (std::uint32_t told = 0; told < at_once; ++told) {
        p.until_received(told + 1);
        const std::uint32_t i = p.received[told].immediate;
        require(p.received[told].status == nic_status::ok && i < at_once, "its immediate arrives");
        if (c.traits().arrivals_in_order) require(i == told, "immediates are in order");
        const bool whole = has_tail(round, i) || i % 2 == 0;
        require(!whole || has(here.memory.subspan(i * slot, size_of(round, i)), 16 * round + i),
                "behind its data");
        require(!has_tail(round, i) ||
                    has(tails.memory.subspan(i * 64, tail_bytes), 16 * round + i + 1000),
                "and behind its tail");
      }
    }
    p.fence();
  }
  const auto refused = [&](const nic_region& data, const_bytes m, const nic_region& tail,
                           const_bytes t) {
    return p.refused([&] {
      return c.post_write_then(other, data.handle, m, to, 0, {tail.handle, t, tails_to, 0, 0},
                               p.next++);
    });
  };
  std::vector<std::byte> stranger(100);
  const bytes good = source.memory.first(8);
  require(refused(sr, stranger, sr, good) && refused(sr, good, sr, stranger) &&
              refused({}, good, sr, good) && refused(sr, good, {}, good),
          "unregistered memory");
  p.fence();
  if (c.limits().checks_keys) {
    // If either part is refused, both are.
    for (const bool of_tail : {false, true}) {
      const int ends = p.links[other].disconnected;
      std::memset(here.memory.data(), 0x55, here.memory.size());
      std::memset(tails.memory.data(), 0x55, tails.memory.size());
      p.received.clear();
      if (p.self() == 1) p.post_receive(other, 7);
      p.fence();
      if (p.self() == 0) {
        remote_memory bad = of_tail ? tails_to : to;
        bad.key ^= 1;
        const cookie_t cookie = p.next++;
        require(!p.refused([&] {
          return c.post_write_then(other, sr.handle, good, of_tail ? to : bad, 0,
                                   {sr.handle, good, of_tail ? bad : tails_to, 0, 3}, cookie);
        }),
                "its card learns of it later");
        p.until([&] { return p.sent.contains(cookie); }, "a completion");
        // Its memory may have been given back before that was known.
        const bool told = p.sent[cookie] == nic_status::refused;
        require(told || p.sent[cookie] == nic_status::ok, "refused, or it was taken before");
      }
      if (!c.traits().survives_refusals) {
        p.until_disconnected(other, ends + 1, nic_status::refused);
        p.connect(other);
      }
      p.fence();
      for (const nic_event& e : p.received)
        require(e.status == nic_status::flushed, "an event was not reported");
      require(all_are(here.memory, std::byte{0x55}) && all_are(tails.memory, std::byte{0x55}),
              "nothing was written");
      p.fence();
    }
  }
  c.disconnect(other);
  p.until([&] { return p.links[other].disconnected > 0; }, "the end");
  p.fence();
}

struct check {
  const char* name;
  void (*run)(player&);
  peer_id ranks;  ///< 0: any number.
};
inline constexpr check checks[] = {
    {"memory", check_memory, 1},
    {"connections", check_connections, 2},
    {"writes", check_writes, 2},
    {"refusals", check_refusals, 2},
    {"receives", check_receives, 2},
    {"flood", check_flood, 0},
    {"flood, one by one", check_flood_one_by_one, 0},
    {"waiting", check_waiting, 2},
    {"traffic", check_traffic, 0},
    {"withdrawal", check_withdrawal, 2},
    {"last words", check_last_words, 2},
    {"atomic accesses", check_atomics, 2},
    {"atomic accesses of all ranks", check_atomic_sums, 0},
    {"reads", check_reads, 2},
    {"tails", check_tails, 2},
};

}  // namespace nic_contract
