// SPDX-License-Identifier: BSL-1.0
#pragma once
// What cards in software have in common: queues, and the stages of a connection.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

/// First in, first out; for elements that are mere bytes. Takes memory when it is used first.
template <class T>
class queue {
 public:
  bool empty() const noexcept { return count_ == 0; }
  std::size_t size() const noexcept { return count_; }
  T& front() noexcept { return (*this)[0]; }
  T& operator[](std::size_t i) noexcept { return elements_[(first_ + i) & (room_ - 1)]; }
  void pop() noexcept {
    first_ = (first_ + 1) & (room_ - 1);
    --count_;
  }
  void clear() noexcept { count_ = 0; }
  /// False: memory is out.
  bool try_push(const T& value) noexcept {
    if (count_ == room_ && !grow()) return false;
    elements_[(first_ + count_++) & (room_ - 1)] = value;
    return true;
  }
  /// Room for so many in all, so that pushing them cannot fail.
  bool try_reserve(std::size_t n) noexcept {
    while (room_ < n)
      if (!grow()) return false;
    return true;
  }

 private:
  bool grow() noexcept {
    plain_array<T> more;
    if (!more.try_extend(room_ == 0 ? 16 : 2 * room_)) return false;
    for (std::size_t i = 0; i < count_; ++i) more[i] = (*this)[i];
    room_ = room_ == 0 ? 16 : 2 * room_;
    elements_ = std::move(more);
    first_ = 0;
    return true;
  }

  plain_array<T> elements_;
  std::size_t room_ = 0;  // A power of two, or 0.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// A descriptor of a receive queue.
struct receive_descriptor {
  std::byte* into;
  std::size_t bytes;
  cookie_t cookie;
};

/// Data, which may be none, has met a receive: where it fits, it is there. `e` becomes what is
/// told, field by field, as it will be read.
[[gnu::always_inline]] inline void receive(const receive_descriptor& d, peer_id peer,
                                           std::uint32_t immediate, std::span<const std::byte> data,
                                           nic_event& e) noexcept {
  const bool fits = data.size() <= d.bytes;
  e.kind = nic_event_kind::received;
  e.status = fits ? nic_status::ok : nic_status::length;
  e.peer = peer;
  e.immediate = immediate;
  e.bytes = fits ? static_cast<std::uint32_t>(data.size()) : 0;
  e.cookie = d.cookie;
  if (!fits || data.empty()) return;
  if (data.size() == 32) {  // A short packet of transport rdma, without a call.
    std::memcpy(d.into, data.data(), 32);
  } else {
    std::memcpy(d.into, data.data(), data.size());
  }
}
/// The same, as a value.
inline nic_event received(const receive_descriptor& d, peer_id peer, std::uint32_t immediate,
                          std::span<const std::byte> data) noexcept {
  nic_event e;
  receive(d, peer, immediate, data, e);
  return e;
}

inline constexpr std::uint32_t page_bytes = 4096;

/// What a card's `allocate` returns where any memory is as good: whole pages, zeroed.
inline std::byte* zeroed_pages(std::size_t bytes) noexcept {
  if (bytes > std::size_t{1} << 46) return nullptr;
  const std::size_t whole = (bytes / page_bytes + 1) * page_bytes;
  void* const made = platform::allocate_aligned(whole, page_bytes);
  if (made != nullptr) std::memset(made, 0, whole);
  return static_cast<std::byte*>(made);
}

/// The stages of the connections with one peer. What each side sends is, again and again: its
/// willingness, work, its end; or its end alone, which is a no. A connection is over when both have
/// sent their end: since what a side sends comes in order, nothing crosses from one to the next.
struct session {
  enum class told : std::uint8_t { nothing, asked, connected };

  bool mine = false;    // This side has called connect.
  bool theirs = false;  // The peer has.
  bool my_end = false;  // This side has sent its end, or is about to.
  bool their_end = false;
  bool concerned = false;  // The user knows of this connection, and is told of its end.
  bool lost = false;       // For good.
  std::uint8_t data_bytes = 0;
  std::byte data[nic_connect_bytes_max]{};

  bool connected() const noexcept { return mine && theirs && !my_end && !their_end; }
  std::span<const std::byte> peer_data() const noexcept { return {data, data_bytes}; }

  /// The user is willing. errc{}: tell the peer.
  errc begin() noexcept {
    if (lost) return errc::peer_lost;
    if (my_end) return errc::pending;
    if (mine) return errc::argument;
    mine = concerned = true;
    return errc{};
  }
  /// The peer is. Requires: !theirs.
  told begun(std::span<const std::byte> said) noexcept {
    theirs = true;
    if (my_end) return told::nothing;  // This side has said no before.
    data_bytes = static_cast<std::uint8_t>(said.size());
    if (!said.empty()) std::memcpy(data, said.data(), said.size());
    concerned = true;
    return mine ? told::connected : told::asked;
  }
  /// This side ends it. False: it had before, or there is nothing to end.
  bool end() noexcept {
    if (my_end || !(mine || theirs || their_end)) return false;
    my_end = true;
    return true;
  }
  /// Whether the next connection may begin; this one is forgotten then.
  bool over() noexcept {
    if (!my_end || !their_end) return false;
    mine = theirs = my_end = their_end = concerned = false;
    return true;
  }
};

}  // namespace mpx::inline v0::nic::detail
