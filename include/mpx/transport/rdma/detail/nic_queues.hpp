// SPDX-License-Identifier: BSL-1.0
#pragma once
// Common parts of software cards: queues, and the state machine of a connection.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic::detail {

/// A FIFO queue of trivially copyable elements. It allocates on first use.
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
  /// Returns false if memory is out.
  bool try_push(const T& value) noexcept {
    if (count_ == room_ && !grow()) return false;
    elements_[(first_ + count_++) & (room_ - 1)] = value;
    return true;
  }
  /// Reserves room for `n` elements in all. Returns false if memory is out.
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

/// A posted receive.
struct receive_descriptor {
  std::byte* into;
  std::size_t bytes;
  cookie_t cookie;
};

/// Completes a receive with `data`, possibly empty: copies it if it fits and fills the event `e`
/// field by field.
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
  if (data.size() == 32) {  // A short packet of transport rdma: no call.
    std::memcpy(d.into, data.data(), 32);
  } else {
    std::memcpy(d.into, data.data(), data.size());
  }
}
/// Completes a receive with `data`, and returns its event.
inline nic_event received(const receive_descriptor& d, peer_id peer, std::uint32_t immediate,
                          std::span<const std::byte> data) noexcept {
  nic_event e;
  receive(d, peer, immediate, data, e);
  return e;
}

inline constexpr std::uint32_t page_bytes = 4096;

/// Whole zeroed pages: `allocate` of a card that prefers no memory. Returns nullptr if memory is
/// out.
inline std::byte* zeroed_pages(std::size_t bytes) noexcept {
  if (bytes > std::size_t{1} << 46) return nullptr;
  const std::size_t whole = (bytes / page_bytes + 1) * page_bytes;
  void* const made = platform::allocate_aligned(whole, page_bytes);
  if (made != nullptr) std::memset(made, 0, whole);
  return static_cast<std::byte*>(made);
}

/// State of the successive connections with one peer. For each connection a side sends its begin,
/// work and its end, or its end alone to decline. A connection is over when both sides have sent
/// their end. A side's messages arrive in order, so that none crosses into the next connection.
struct session {
  enum class told : std::uint8_t { nothing, asked, connected };

  bool mine = false;    // This side has sent its begin.
  bool theirs = false;  // The peer's begin has arrived.
  bool my_end = false;  // This side has sent its end, or is about to.
  bool their_end = false;
  bool concerned = false;  // The user knows of this connection, and is told of its end.
  bool lost = false;       // For good.
  std::uint8_t data_bytes = 0;
  std::byte data[nic_connect_bytes_max]{};

  bool connected() const noexcept { return mine && theirs && !my_end && !their_end; }
  std::span<const std::byte> peer_data() const noexcept { return {data, data_bytes}; }

  /// The user calls connect. If errc{} is returned, the peer is to be told.
  errc begin() noexcept {
    if (lost) return errc::peer_lost;
    if (my_end) return errc::pending;
    if (mine) return errc::argument;
    mine = concerned = true;
    return errc{};
  }
  /// The peer's begin has arrived. Returns the event to report. Requires: !theirs.
  told begun(std::span<const std::byte> said) noexcept {
    theirs = true;
    if (my_end) return told::nothing;  // This side has declined before.
    data_bytes = static_cast<std::uint8_t>(said.size());
    if (!said.empty()) std::memcpy(data, said.data(), said.size());
    concerned = true;
    return mine ? told::connected : told::asked;
  }
  /// This side ends the connection. Returns false if it had ended it before, or there is none.
  bool end() noexcept {
    if (my_end || !(mine || theirs || their_end)) return false;
    my_end = true;
    return true;
  }
  /// Returns true, and resets the state, if the connection is over.
  bool over() noexcept {
    if (!my_end || !their_end) return false;
    mine = theirs = my_end = their_end = concerned = false;
    return true;
  }
};

}  // namespace mpx::inline v0::nic::detail
