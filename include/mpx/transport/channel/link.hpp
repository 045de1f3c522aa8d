// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of transport channel for one peer: packets that have arrived and are not yet handed over,
// the payload that is being received, and the one that is being sent.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpx/core/exchange.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/channel/control.hpp"
#include "mpx/transport/channel/pulls.hpp"

namespace mpx::inline v0::transport::detail {

/// Memory from the platform, or none. Move-only.
class channel_memory {
 public:
  channel_memory() = default;
  explicit channel_memory(std::size_t bytes) noexcept
      : data_(static_cast<std::byte*>(platform::allocate(bytes))) {}
  channel_memory(channel_memory&& other) noexcept
      : data_(mpx::detail::exchange(other.data_, nullptr)) {}
  channel_memory& operator=(channel_memory&& other) noexcept {
    data_ = mpx::detail::exchange(other.data_, data_);
    return *this;
  }
  ~channel_memory() { platform::deallocate(data_); }
  std::byte* data() const noexcept { return data_; }
  /// Leaves the memory to an operation of the device that never ends.
  void leak() noexcept { data_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
};

/// One control message that has arrived.
template <std::size_t Bytes>
struct channel_slot : mpx::detail::allocated {
  channel_slot* next = nullptr;
  control_header header{};
  channel_memory body;  // Of a message to oneself that is too long for `control`.
  std::byte control[Bytes];

  /// Returns the payload that came within the message.
  std::span<const std::byte> payload() const noexcept {
    if (body.data() != nullptr) return {body.data(), header.bytes};
    return {control + sizeof(control_header), header.bytes};
  }
};

/// A first-in first-out queue of slots.
template <class Slot>
class channel_slots {
 public:
  channel_slots() = default;
  channel_slots(const channel_slots&) = delete;
  channel_slots& operator=(const channel_slots&) = delete;
  ~channel_slots() { clear(); }
  Slot* front() const noexcept { return first_; }
  std::uint32_t size() const noexcept { return size_; }
  void push(Slot* s) noexcept {
    s->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = s;
    last_ = s;
    ++size_;
  }
  Slot* pop() noexcept {
    Slot* const s = first_;
    first_ = s->next;
    --size_;
    return s;
  }
  void clear() noexcept {
    while (first_ != nullptr) delete pop();
  }

 private:
  Slot* first_ = nullptr;
  Slot* last_ = nullptr;
  std::uint32_t size_ = 0;
};

/// The payload of the first packet of a source, or data that was pulled. It comes on the channel.
struct channel_body {
  std::byte* into = nullptr;  // Memory of the sink, of a pull or of `own`; nullptr: not begun.
  channel_memory own;
  std::size_t got = 0;
  std::int64_t operation = -1;  // Of a NonblockingDevice.
  bool is_placed = false;       // `into` belongs to the sink.
  bool is_unwanted = false;     // The sink has taken the memory back.
};

/// The payload, or the exposed memory, that is being sent to a peer on the channel.
struct channel_sending {
  const std::byte* data = nullptr;  // The rest of it.
  std::size_t left = 0;
  cookie_t cookie = 0;
  std::uint64_t key = 0;        // Of exposed memory: nothing is to be completed.
  channel_memory own;           // The copy of a payload that a NonblockingDevice reads.
  std::int64_t operation = -1;  // Of a NonblockingDevice.
  bool is_active = false;
};

/// A pull of a peer that is not answered.
struct channel_question {
  pull_request of;
  std::uint32_t bytes;  // 0: none.
};

template <class Slot>
struct channel_link : mpx::detail::allocated {
  explicit channel_link(peer_id p) noexcept : peer(p) {}
  peer_id peer;
  channel_slots<Slot> arrived;
  channel_body body;
  channel_sending out;
  channel_question asks{};
  packet_counts counts;
  bool is_queued = false;     // For its turn, or for the rest of a body.
  bool owes_counts = false;   // It is among those that would starve.
  bool is_coming = false;     // Data that was pulled is on its way.
  bool is_starved = false;    // A post was told `retry`.
  bool is_malformed = false;  // It sent what cannot be parsed: nothing more is read,
  bool is_lost = false;       // or its connection has ended.
  bool is_closed = false;     // The sink hears nothing of it any more; posts are refused.
};

}  // namespace mpx::inline v0::transport::detail
