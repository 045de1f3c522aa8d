// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of AtomicTransport: each access is carried out once and returns the previous
// value, also if many are pending, before the connection and beyond the limit of pending accesses.

#include <cstring>
#include <map>
#include <mpx/core/atomic_access.hpp>
#include <vector>

#include "cluster.hpp"

namespace transport_contract {

/// Accesses of rank 0 to words of rank 1, of which nothing is expected but polls. `own`: the words
/// lie in memory of the transport's choice.
template <mpx::AtomicTransport T>
void check_atomics(std::uint64_t seed, std::uint32_t count, bool own) {
  cluster<T> job(2);
  std::mt19937_64 random(seed);
  using enum mpx::atomic_operation;
  const mpx::atomic_set has = job[0].atomics(1);
  if (!has.has(fetch_add, 8) || !has.has(compare_exchange, 4)) return;
  constexpr std::size_t words = 8;
  alignas(8) std::byte plain[8 * words];
  std::byte* const there = own ? static_cast<std::byte*>(job[1].allocate(8 * words, 8)) : plain;
  std::memset(there, 0, 8 * words);
  const mpx::remote_memory at = job[1].expose(0, {there, 8 * words});
  REQUIRE(at.key != 0);
  struct ends : keeper {
    std::vector<std::uint32_t> ended;
    bool wrong = false;
    void complete(mpx::cookie_t cookie, bool ok) noexcept {
      wrong = wrong || !ok;
      ended.push_back(static_cast<std::uint32_t>(cookie));
    }
  } origin;
  keeper target;
  // Additions to the upper words: several at a time, so that every previous value comes once.
  std::vector<std::uint64_t> old(count);
  std::vector<std::vector<bool>> seen(words, std::vector<bool>(count));
  std::vector<std::uint32_t> begun(words);
  std::map<std::uint32_t, std::size_t> under_way;
  bool twice = false;
  const auto take = [&](std::uint32_t n, std::size_t word) {
    twice = twice || old[n] >= count || seen[word][old[n]];
    if (!twice) seen[word][old[n]] = true;
  };
  const deadline limit;
  for (std::uint32_t next = 0; next < count || !under_way.empty();) {
    limit.check("atomic accesses complete");
    for (int burst = static_cast<int>(random() % 100); next < count && burst > 0; --burst) {
      const std::size_t word = 1 + random() % (words - 1);
      const outcome o = job[0].atomic(1, at, 8 * word, {fetch_add, 1},
                                      std::as_writable_bytes(std::span(&old[next], 1)), next);
      REQUIRE(o != outcome::refused);
      if (o == outcome::retry) break;
      ++begun[word];
      if (o == outcome::pending) under_way[next] = word;
      if (o == outcome::done) take(next, word);
      ++next;
    }
    random() % 2 == 0 ? job[0].poll(origin) : job[1].poll(target);
    for (const std::uint32_t n : origin.ended) {
      take(n, under_way.at(n));
      under_way.erase(n);
    }
    origin.ended.clear();
  }
  CHECK(!twice);
  CHECK(!origin.wrong);
  for (std::size_t word = 1; word < words; ++word) {
    std::uint64_t now = 0;
    std::memcpy(&now, there + 8 * word, 8);
    CHECK(now == begun[word]);
  }
  // One exchange after the other, of 4 bytes.
  std::uint32_t value = 0;
  std::uint32_t exchanges = 0;
  while (exchanges < 20) {
    std::uint32_t was = 77;
    const outcome o = job[0].atomic(1, at, 4, {compare_exchange, value + 1, value},
                                    std::as_writable_bytes(std::span(&was, 1)), 0);
    REQUIRE(o != outcome::refused);
    while (o == outcome::pending && origin.ended.empty()) {
      limit.check("an exchange completes");
      job[0].poll(origin);
      job[1].poll(target);
    }
    origin.ended.clear();
    if (o == outcome::retry) continue;
    CHECK(was == value++);
    ++exchanges;
  }
  std::uint32_t lower[2];
  std::memcpy(lower, there, 8);
  CHECK(lower[0] == 0);
  CHECK(lower[1] == 20);
  std::uint64_t ignored = 0;
  CHECK(job[0].atomic(1, {}, 0, {fetch_add, 1}, std::as_writable_bytes(std::span(&ignored, 1)),
                      0) == outcome::refused);
  static_cast<void>(job[1].retire(0, at));
  if (own) job[1].deallocate(there, 8 * words);
}
template <mpx::AtomicTransport T>
void check_atomics(std::uint64_t seed, std::uint32_t count) {
  for (const bool own : {false, true}) {
    CAPTURE(own);
    check_atomics<T>(seed, count, own);
  }
}

}  // namespace transport_contract
