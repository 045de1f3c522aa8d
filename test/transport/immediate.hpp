// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of ImmediateTransport: a put's packet arrives once its data is in place, in order
// with the packets around it.

#include <map>
#include <set>

#include "cluster.hpp"

namespace transport_contract {

/// Puts with packets, and packets, from rank 0 to rank 1, numbered as they are posted.
template <mpx::ImmediateTransport T>
void check_immediate(std::uint64_t seed, std::uint32_t count) {
  cluster<T> job(2);
  std::mt19937_64 random(seed);
  constexpr std::size_t slots = 6;
  constexpr std::size_t slot_bytes = 24'000;
  std::vector<std::byte> there(slots * slot_bytes);
  std::vector<std::byte> here(slots * slot_bytes);
  struct carried {
    std::size_t slot, at, bytes;
  };
  std::map<std::uint32_t, carried> under_way;
  std::set<std::size_t> free;
  mpx::remote_memory exposed[slots];
  for (std::size_t s = 0; s < slots; ++s) {
    free.insert(s);
    exposed[s] = job[1].expose(0, std::span(there).subspan(s * slot_bytes, slot_bytes));
    REQUIRE(exposed[s].key != 0);
  }
  struct ends : keeper {
    std::set<mpx::cookie_t> pending;
    bool wrong = false;
    void complete(mpx::cookie_t cookie, bool ok) noexcept {
      wrong = wrong || !ok || pending.erase(cookie) == 0;
    }
  } origin;
  keeper target;
  std::uint32_t next = 0;
  std::uint32_t seen = 0;
  std::uint32_t puts = 0;
  const deadline limit;
  while (seen < count) {
    limit.check("packets of puts arrive");
    if (next < count && !free.empty() && random() % 2 == 0) {
      const std::size_t s = *free.begin();
      const std::size_t bytes = random() % 3 == 0 ? random() % slot_bytes : random() % 100;
      const std::size_t at = random() % (slot_bytes - bytes);
      const std::span from = std::span(here).subspan(s * slot_bytes, bytes);
      patterns::fill(from, next);
      const outcome o = job[0].put_then(1, exposed[s], at, from, header_of(next), next);
      REQUIRE(o != outcome::refused);
      if (o == outcome::pending) origin.pending.insert(next);
      if (o != outcome::retry) {
        under_way[next++] = {s, at, bytes};
        free.erase(s);
        ++puts;
      }
    } else if (next < count && random() % 2 == 0) {
      const outcome o = post(job[0], 1, next, random() % 60);
      REQUIRE((o == outcome::done || o == outcome::retry || T::traits.posts_pend));
      next += o == outcome::retry ? 0 : 1;
    } else {
      random() % 2 == 0 ? job[0].poll(origin) : job[1].poll(target);
    }
    for (const arrived& p : target.packets) {
      REQUIRE(same(p.header, header_of(seen)));
      if (const auto it = under_way.find(seen); it != under_way.end()) {
        const carried& c = it->second;
        REQUIRE(p.payload.empty());
        REQUIRE(has_pattern(std::span(there).subspan(c.slot * slot_bytes + c.at, c.bytes), seen));
        // The origin may use its memory again after the completion.
        while (origin.pending.count(seen) != 0) {
          job[0].poll(origin);
          limit.check("a put completes");
        }
        free.insert(c.slot);
        under_way.erase(it);
      } else {
        REQUIRE(has_pattern(p.payload, seen));
      }
      ++seen;
    }
    target.packets.clear();
  }
  CHECK(origin.pending.empty());
  CHECK(!origin.wrong);
  CHECK(puts > count / 8);
}

}  // namespace transport_contract
