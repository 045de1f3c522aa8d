// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// The registration cache: by hand, against a naive oracle at random, and over memory whose pages
// are exchanged under it, as munmap and mmap do.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mpx/transport/rdma/registration_cache.hpp>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {
namespace registrations {

using mpx::errc;
using mpx::outcome;
namespace rdma = mpx::transport::rdma_detail;

/// A card that pins pages: it remembers which ones lay there when it registered them, and reads
/// those ever after; unless it follows its memory. Addresses are pages of a make-believe address
/// space; nothing is touched.
struct pinning_card {
  struct registration {
    std::uint64_t number = 0;
  };
  struct pinned {
    std::uint64_t begin, end;
    std::vector<std::uint64_t> pages;
  };
  std::map<std::uint64_t, std::uint64_t> page_at;  // Page at an address; 0: none yet.
  std::map<std::uint64_t, pinned> registered;
  std::uint64_t next = 1;
  int busy = 0;  // Number of accesses under way.
  std::uint64_t bytes = 0;
  std::uint64_t bytes_max = ~std::uint64_t{0};
  bool follows = false;

  static std::uint64_t address(std::span<const std::byte> m) {
    return reinterpret_cast<std::uintptr_t>(m.data());
  }
  static std::uint64_t footprint(std::uint64_t begin, std::uint64_t end) {
    return (end + 4095) / 4096 * 4096 - begin / 4096 * 4096;
  }
  std::vector<std::uint64_t> pages(std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t p = begin / 4096; p * 4096 < end; ++p) all.push_back(page_at[p]);
    return all;
  }
  errc register_memory(std::span<std::byte> m, mpx::nic_access, registration& r) noexcept {
    const std::uint64_t more = footprint(address(m), address(m) + m.size());
    if (bytes + more > bytes_max) return errc::no_resources;
    bytes += more;
    r.number = next++;
    registered[r.number] = {address(m), address(m) + m.size(),
                            pages(address(m), address(m) + m.size())};
    return errc{};
  }
  bool deregister_memory(registration& r) noexcept {
    if (busy > 0) return --busy, false;
    bytes -= footprint(registered[r.number].begin, registered[r.number].end);
    if (registered.erase(r.number) != 1) next = 0;  // Seen by the checks below.
    return true;
  }
  /// True if a transfer of [begin, end) by `r` moves the data that the program sees there.
  bool moves_what_is_there(const registration& r, std::uint64_t begin, std::uint64_t end) {
    const auto it = registered.find(r.number);
    if (it == registered.end() || begin < it->second.begin || end > it->second.end) return false;
    if (follows) return true;
    const std::uint64_t first = begin / 4096 - it->second.begin / 4096;
    const std::vector<std::uint64_t> now = pages(begin, end);
    return std::equal(now.begin(), now.end(),
                      it->second.pages.begin() + static_cast<std::ptrdiff_t>(first));
  }
};
using cache_type = rdma::registration_cache<pinning_card>;

std::span<std::byte> at(std::uint64_t begin, std::uint64_t end) {
  return {reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(begin)),
          static_cast<std::size_t>(end - begin)};
}
constexpr std::uint64_t page = 4096;
constexpr auto any = mpx::nic_access::local;

TEST_CASE("registration cache: owned memory is kept, and found in all three overlaps") {
  pinning_card card;
  cache_type cache(card);
  errc why{};
  REQUIRE(cache.own(at(100 * page, 200 * page)));
  const auto get = [&](std::uint64_t b, std::uint64_t e) {
    cache_type::entry* const r = cache.acquire(at(b * page, e * page), any, why);
    REQUIRE(r != nullptr);
    return r;
  };
  auto* a = get(110, 120);
  CHECK(cache.counters().misses == 1);
  cache.release(*a, at(110 * page, 120 * page));
  CHECK(cache.counters().registered_bytes == 10 * page);  // Kept.
  // Inside: found.
  auto* inside = get(112, 115);
  CHECK(inside == a);
  CHECK(cache.counters().hits == 1);
  // Partly: one registration for both, and the old one stays while it is in use.
  auto* partly = get(118, 125);
  CHECK(partly != a);
  CHECK(partly->begin() == 110 * page);
  CHECK(partly->end() == 125 * page);
  CHECK(cache.counters().registered_bytes == 25 * page);
  cache.release(*inside, at(112 * page, 115 * page));
  CHECK(cache.counters().registered_bytes == 15 * page);
  cache.release(*partly, at(118 * page, 125 * page));
  // Covering: several are replaced by one.
  auto* far = get(150, 151);
  cache.release(*far, at(150 * page, 151 * page));
  auto* covering = get(105, 160);
  CHECK(cache.counters().registered_bytes == 55 * page);
  CHECK(card.registered.size() == 1);
  cache.release(*covering, at(105 * page, 160 * page));
  CHECK(cache.find(at(90 * page, 106 * page), any) == nullptr);
  cache.disown(at(100 * page, 200 * page));
  CHECK(cache.counters().registered_bytes == 0);
  CHECK(card.registered.empty());
}

TEST_CASE("registration cache: the limit evicts unused registrations, the oldest first") {
  pinning_card card;
  cache_type cache(card, 10 * page);
  errc why{};
  REQUIRE(cache.own(at(page, 1000 * page)));
  const auto use = [&](std::uint64_t p) {
    auto* const e = cache.acquire(at(p * page, (p + 3) * page), any, why);
    REQUIRE(e != nullptr);
    cache.release(*e, at(p * page, (p + 3) * page));
  };
  use(10);
  use(20);
  use(30);
  use(10);  // The oldest is 20 now.
  use(40);
  CHECK(cache.counters().evictions == 1);
  CHECK(cache.find(at(20 * page, 21 * page), any) == nullptr);
  auto* const held = cache.find(at(10 * page, 13 * page), any);
  REQUIRE(held != nullptr);
  auto* const large = cache.acquire(at(100 * page, 107 * page), any, why);
  REQUIRE(large != nullptr);
  CHECK(cache.counters().registered_bytes == 10 * page);
  CHECK(cache.acquire(at(200 * page, 201 * page), any, why) == nullptr);
  CHECK(why == errc::pending);  // Others have it all.
  CHECK(cache.acquire(at(200 * page, 211 * page), any, why) == nullptr);
  CHECK(why == errc::no_resources);  // It never fits.
  cache.release(*held, at(10 * page, 13 * page));
  auto* const now = cache.acquire(at(200 * page, 201 * page), any, why);
  REQUIRE(now != nullptr);
  cache.release(*now, at(200 * page, 201 * page));
  cache.release(*large, at(100 * page, 107 * page));
  cache.set_bytes_max(0);
  CHECK(cache.counters().registered_bytes == 0);
  CHECK(cache.counters().hit_rate() > 0);
  // The card's own limit is obeyed likewise.
  cache.set_bytes_max(~std::uint64_t{0});
  card.bytes_max = 6 * page;
  use(10);
  use(20);
  use(30);
  CHECK(card.bytes == 6 * page);
  // Overlapping ranges exceed the limit as one, but each fits alone.
  auto* const first = cache.find(at(20 * page, 23 * page), any);
  REQUIRE(first != nullptr);
  auto* const second = cache.acquire(at(22 * page, 25 * page), any, why);
  REQUIRE(second != nullptr);
  CHECK(second->begin() == 22 * page);
  cache.release(*first, at(20 * page, 23 * page));
  cache.release(*second, at(22 * page, 25 * page));
}

TEST_CASE("registration cache: foreign memory is deregistered with its last use") {
  pinning_card card;
  cache_type cache(card);
  errc why{};
  auto* const whole = cache.acquire(at(5, 100), any, why);
  auto* const same = cache.acquire(at(5, 100), any, why);
  auto* const part = cache.acquire(at(10, 20), any, why);
  REQUIRE(whole != nullptr);
  CHECK(same == whole);
  CHECK(part == whole);
  cache.release(*whole, at(5, 100));
  CHECK(cache.find(at(7, 8), any) == part);  // Somebody still vouches for all of it.
  cache.release(*part, at(7, 8));
  cache.release(*same, at(5, 100));
  CHECK(cache.find(at(7, 8), any) == nullptr);  // Unused now, although some of it is in use.
  CHECK(cache.counters().registered_bytes == page);
  CHECK(!cache.own(at(5, 5)));
  auto* const anew = cache.acquire(at(10, 20), any, why);
  CHECK(anew != part);
  CHECK(cache.revoke(*cache.acquire(at(10, 20), any, why)) == outcome::refused);
  cache.release(*anew, at(10, 20));
  card.busy = 1;
  CHECK(cache.revoke(*anew) == outcome::retry);
  CHECK(cache.find(at(10, 20), any) == nullptr);
  CHECK(cache.revoke(*anew) == outcome::done);
  cache.release(*part, at(10, 20));
  CHECK(card.registered.empty());
  // A registration that allows writes is not used for requests with fewer rights.
  auto* const local = cache.acquire(at(5, 100), any, why);
  auto* const open = cache.acquire(at(5, 100), mpx::nic_access::remote_write, why);
  CHECK(open != local);
  CHECK(cache.acquire(at(6, 99), any, why) == open);
  cache.release(*open, at(6, 99));
  card.busy = 3;  // It is deregistered once it is unused.
  cache.release(*open, at(5, 100));
  CHECK(cache.ending());
  cache.tidy();
  CHECK(cache.ending());
  cache.tidy();
  cache.tidy();
  CHECK(!cache.ending());
  cache.release(*local, at(5, 100));
  CHECK(card.registered.empty());
  // An owned range is owned once.
  CHECK(cache.own(at(1000, 2000)));
  CHECK(!cache.own(at(1999, 2001)));
  CHECK(cache.own(at(2000, 2001)));
}

TEST_CASE("registration cache: registrations that follow their memory are kept for any owner") {
  pinning_card card;
  cache_type cache(card, 20 * page, page, true);
  errc why{};
  auto* const first = cache.acquire(at(5, 100), any, why);
  REQUIRE(first != nullptr);
  cache.release(*first, at(5, 100));
  CHECK(cache.acquire(at(10, 20), any, why) == first);
  CHECK(cache.counters().misses == 1);
  CHECK(cache.counters().hits == 1);
  CHECK(first->end() == 100);  // No byte more than was asked for,
  auto* const open = cache.acquire(at(5, 100), mpx::nic_access::remote_write, why);
  CHECK(open != first);
  CHECK(open->access() == mpx::nic_access::remote_write);  // and no more rights.
  cache.release(*first, at(10, 20));
  cache.release(*open, at(5, 100));
  CHECK(cache.find(at(5, 100), any) == open);
  cache.release(*open, at(5, 100));
  auto* const much = cache.acquire(at(page, 21 * page), any, why);  // The limit holds.
  REQUIRE(much != nullptr);
  CHECK(cache.counters().evictions == 1);
  cache.release(*much, at(page, 21 * page));
  cache.set_bytes_max(0);
  CHECK(card.registered.empty());
}

/// The same rules over a plain list: what each registration covers, by whom it is used, and when.
struct oracle {
  struct registered {
    std::uint64_t begin, end;
    std::multiset<std::pair<std::uint64_t, std::uint64_t>> users;
    bool kept, findable;
    std::uint64_t idle_since;
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> owned;
  std::vector<registered> all;
  std::uint64_t max = 0, now = 0, hits = 0;
  bool follows = false;

  static std::uint64_t size(std::uint64_t b, std::uint64_t e) {
    return (e + page - 1) / page * page - b / page * page;
  }
  std::uint64_t bytes() const {
    std::uint64_t n = 0;
    for (const registered& r : all) n += size(r.begin, r.end);
    return n;
  }
  bool make_room(std::uint64_t more) {
    while (bytes() + more > max) {
      auto oldest = all.end();
      for (auto it = all.begin(); it != all.end(); ++it)
        if (it->users.empty() && (oldest == all.end() || it->idle_since < oldest->idle_since))
          oldest = it;
      if (oldest == all.end()) return false;
      all.erase(oldest);
    }
    return true;
  }
  /// Checks that unused registrations that cannot be found, or are foreign, are gone.
  void sweep() {
    for (registered& r : all)
      if (!follows && !r.kept && r.users.count({r.begin, r.end}) == 0) r.findable = false;
    std::erase_if(all, [](const registered& r) { return r.users.empty() && !r.findable; });
  }
  bool acquire(std::uint64_t b, std::uint64_t e) {
    ++now;
    for (registered& r : all) {
      if (!r.findable || r.begin > b || r.end < e) continue;
      r.users.insert({b, e});
      ++hits;
      return true;
    }
    registered r{b, e, {}, false, true, 0};
    for (const auto& [ob, oe] : owned) {
      if (ob > b || oe < e) continue;
      r.kept = true;
      r.begin = std::max(ob, b / page * page);
      r.end = std::min(oe, (e + page - 1) / page * page);
      std::vector<std::pair<std::uint64_t, std::uint64_t>> near;
      for (const registered& o : all)
        if (o.findable && o.kept && o.begin < r.end && o.end > r.begin)
          near.push_back({o.begin, o.end});
      for (const auto& [nb, ne] : near) {
        r.begin = std::min(r.begin, nb);
        r.end = std::max(r.end, ne);
      }
    }
    if (size(r.begin, r.end) > max || !make_room(size(r.begin, r.end))) {
      r.begin = b;
      r.end = e;
      if (size(b, e) > max || !make_room(size(b, e))) return false;
    }
    for (registered& o : all)
      if (o.begin < r.end && o.end > r.begin) o.findable = false;
    r.users.insert({b, e});
    all.push_back(r);
    sweep();
    return true;
  }
  void release(std::uint64_t rb, std::uint64_t re, std::uint64_t b, std::uint64_t e) {
    ++now;
    for (registered& r : all) {
      if (r.begin != rb || r.end != re || r.users.count({b, e}) == 0) continue;
      r.users.erase(r.users.find({b, e}));
      r.idle_since = now;
      break;
    }
    sweep();
    make_room(0);
  }
  void disown(std::uint64_t b, std::uint64_t e) {
    std::erase(owned, std::pair{b, e});
    for (registered& r : all)
      if (r.kept && r.begin < e && r.end > b) r.findable = false;
    sweep();
  }
};

TEST_CASE("registration cache: equals a naive cache in random operations") {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    pinning_card card;
    card.follows = seed % 3 == 0;
    const std::uint64_t max = seed % 4 == 0 ? ~std::uint64_t{0} / 2 : (20 + random() % 100) * page;
    cache_type cache(card, max, page, card.follows);
    oracle naive;
    naive.max = max;
    naive.follows = card.follows;
    struct use {
      cache_type::entry* e;
      std::uint64_t begin, end;
    };
    std::vector<use> uses;
    std::uint64_t stale = 0;
    for (int step = 0; step < 3000; ++step) {
      CAPTURE(step);
      switch (random() % 12) {
        case 0: {  // Some memory becomes owned, or is given up before it is freed.
          const std::uint64_t b = (1 + random() % 8 * 32) * page;
          const std::uint64_t e = b + 30 * page - 7;
          const auto it = std::find(naive.owned.begin(), naive.owned.end(), std::pair{b, e});
          if (it == naive.owned.end()) {
            // Foreign memory may become owned while it is used, not the other way round.
            REQUIRE(cache.own(at(b, e)));
            naive.owned.push_back({b, e});
            break;
          }
          const bool used = std::any_of(uses.begin(), uses.end(),
                                        [&](const use& u) { return u.begin < e && u.end > b; });
          cache.disown(at(b, e));
          naive.disown(b, e);
          if (!used)
            for (std::uint64_t p = b / page; p * page < e; ++p) card.page_at[p] = random();
          break;
        }
        case 1: {  // A free page without owner is replaced by another.
          const std::uint64_t p = 1 + random() % 260;
          const auto busy = [&](std::uint64_t b, std::uint64_t e) {
            return b < (p + 1) * page && e > p * page;
          };
          if (std::any_of(uses.begin(), uses.end(),
                          [&](const use& u) { return busy(u.begin, u.end); }) ||
              std::any_of(naive.owned.begin(), naive.owned.end(),
                          [&](const auto& o) { return busy(o.first, o.second); }))
            break;
          card.page_at[p] = random();
          break;
        }
        case 2:
        case 3:
        case 4:
        case 5:
        case 6: {
          const std::uint64_t b = page + random() % (256 * page);
          const std::uint64_t e = b + 1 + random() % ((random() % 4 == 0 ? 40 : 6) * page);
          errc why{};
          cache_type::entry* const got = cache.acquire(at(b, e), any, why);
          REQUIRE((got != nullptr) == naive.acquire(b, e));
          REQUIRE((got == nullptr) == (why != errc{}));
          if (got != nullptr) uses.push_back({got, b, e});
          break;
        }
        default: {
          if (uses.empty()) break;
          std::swap(uses[random() % uses.size()], uses.back());
          const use u = uses.back();
          uses.pop_back();
          const std::uint64_t b = u.e->begin();
          const std::uint64_t e = u.e->end();
          cache.release(*u.e, at(u.begin, u.end));
          naive.release(b, e, u.begin, u.end);
        }
      }
      for (const use& u : uses)
        stale += card.moves_what_is_there(u.e->handle(), u.begin, u.end) ? 0 : 1;
      REQUIRE(stale == 0);
      REQUIRE(cache.counters().registered_bytes == naive.bytes());
      REQUIRE(cache.counters().registered_bytes == card.bytes);
      REQUIRE(cache.counters().hits == naive.hits);
      REQUIRE(card.registered.size() == naive.all.size());
      REQUIRE(cache.counters().registered_bytes <= max);
    }
    for (const use& u : uses) cache.release(*u.e, at(u.begin, u.end));
  }
}

}  // namespace registrations
}  // namespace
