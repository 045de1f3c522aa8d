// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of RmaTransport: a put that is done, or has completed, is in the peer's memory.
// And a card whose writes are late unless their completion says that they are placed.

#include <algorithm>
#include <deque>
#include <map>
#include <mpx/transport/rdma/nic.hpp>
#include <vector>

#include "cluster.hpp"

namespace transport_contract {

/// Puts of any length from rank 0 to rank 1, several at a time. Nothing that rank 1 does after a
/// completion may be needed for the data.
template <mpx::RmaTransport T>
void check_placed(std::uint64_t seed, std::uint32_t count) {
  cluster<T> job(2);
  std::mt19937_64 random(seed);
  constexpr std::size_t slots = 4;
  constexpr std::size_t slot_bytes = 24'000;
  std::vector<std::byte> there(slots * slot_bytes);
  std::vector<std::byte> here(slots * slot_bytes);
  const mpx::remote_memory at = job[1].expose(0, there);
  REQUIRE(at.key != 0);
  struct one {
    std::uint32_t serial;
    std::size_t bytes;
  };
  std::map<std::size_t, one> under_way;  // By slot, which is the cookie, too.
  const auto check_one = [&](std::size_t slot, const one& put) {
    REQUIRE(has_pattern(std::span(there).subspan(slot * slot_bytes, put.bytes), put.serial));
  };
  struct ends : keeper {
    std::vector<std::size_t> ended;
    bool wrong = false;
    void complete(mpx::cookie_t cookie, bool ok) noexcept {
      wrong = wrong || !ok;
      ended.push_back(static_cast<std::size_t>(cookie));
    }
  } origin;
  keeper target;
  const deadline limit;
  for (std::uint32_t next = 0; next < count || !under_way.empty();) {
    limit.check("puts complete");
    const std::size_t slot = random() % slots;
    if (next < count && random() % 2 == 0 && !under_way.contains(slot)) {
      const one put{next, random() % 3 == 0 ? random() % slot_bytes : random() % 600};
      const std::span from = std::span(here).subspan(slot * slot_bytes, put.bytes);
      patterns::fill(from, put.serial);
      const outcome o = job[0].put(1, at, slot * slot_bytes, from, slot);
      REQUIRE(o != outcome::refused);
      if (o == outcome::done) check_one(slot, put);
      if (o == outcome::pending) under_way[slot] = put;
      next += o == outcome::retry ? 0 : 1;
    }
    random() % 2 == 0 ? job[0].poll(origin) : job[1].poll(target);
    for (const std::size_t ended : origin.ended) {
      check_one(ended, under_way.at(ended));
      under_way.erase(ended);
    }
    origin.ended.clear();
  }
  CHECK(!origin.wrong);
  static_cast<void>(job[1].withdraw(0, at));
}

/// A card whose writes of up to `most` bytes that are reported once their memory is the caller's
/// again leave some polls later.
template <mpx::Nic Card, std::size_t most = 64 * 1024>
class hasty : public Card {
 public:
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, hasty>)
  explicit hasty(B& b) : Card(b) {}

  outcome post_write(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                     const mpx::remote_memory& to, std::uint64_t offset, mpx::nic_until until,
                     mpx::cookie_t cookie) noexcept {
    if (until == mpx::nic_until::placed || from.empty() || from.size() > most)
      return Card::post_write(peer, handle, from, to, offset, until, cookie);
    late_.push_back({peer, {from.begin(), from.end()}, to, offset, 5});
    return outcome::done;
  }
  std::size_t poll(std::span<mpx::nic_event> events) noexcept {
    for (late& l : late_) --l.polls;
    for (; !late_.empty() && late_.front().polls <= 0; late_.pop_front()) write(late_.front());
    return Card::poll(events);
  }

 private:
  struct late {
    peer_id peer;
    std::vector<std::byte> data;
    mpx::remote_memory to;
    std::uint64_t offset;
    int polls;
  };
  void write(late& l) noexcept {
    mpx::nic_region r;
    if (Card::register_memory(l.data, mpx::nic_access::local, r) != mpx::errc{}) return;
    static_cast<void>(
        Card::post_write(l.peer, r.handle, l.data, l.to, l.offset, mpx::nic_until::placed, 0));
    static_cast<void>(Card::deregister(r.handle));
  }
  std::deque<late> late_;
};

}  // namespace transport_contract
