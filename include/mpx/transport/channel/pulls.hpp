// SPDX-License-Identifier: BSL-1.0
#pragma once
// Long data that its receiver pulls over transport channel: memory that peers may pull, and the
// pulls of this rank. Data goes from the memory of one program to that of another, without copies.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

/// The words of a control message of kind `pull`.
struct pull_request {
  std::uint64_t key;
  std::uint64_t offset;

  frame_header to_header() const noexcept {
    frame_header h{};
    std::memcpy(h.word, &key, sizeof key);
    std::memcpy(h.word + 2, &offset, sizeof offset);
    return h;
  }
  static pull_request of(const frame_header& h) noexcept {
    pull_request p{};
    std::memcpy(&p.key, h.word, sizeof p.key);
    std::memcpy(&p.offset, h.word + 2, sizeof p.offset);
    return p;
  }
};

/// Memory of this rank, each piece for one peer, by keys that are not used again. At most
/// `exposed_max` pieces.
class channel_exposures {
 public:
  static constexpr std::uint32_t exposed_max = 4096;

  /// Returns the key; 0 if there is no place, or no memory for one.
  [[nodiscard]] std::uint64_t add(peer_id peer, std::span<const std::byte> memory) noexcept {
    if (free_ == none && !grow()) return 0;
    exposure& e = all_[free_];
    const std::uint64_t key = ++serial_ << index_bits | free_;
    free_ = e.next_free;
    e = {memory.data(), memory.size(), key, peer, none};
    return key;
  }
  void remove(peer_id peer, std::uint64_t key) noexcept {
    exposure* const e = find(peer, key);
    if (e == nullptr) return;
    e->key = 0;
    e->next_free = free_;
    free_ = static_cast<std::uint32_t>(key & index_mask);
  }
  /// Returns `bytes` bytes at `offset` of the memory; empty if not all are exposed to the peer.
  [[nodiscard]] std::span<const std::byte> at(peer_id peer, std::uint64_t key, std::uint64_t offset,
                                              std::size_t bytes) noexcept {
    const exposure* const e = find(peer, key);
    if (e == nullptr || offset > e->bytes || bytes > e->bytes - offset) return {};
    return {e->data + offset, bytes};
  }

 private:
  static constexpr unsigned index_bits = 12;
  static constexpr std::uint64_t index_mask = (1u << index_bits) - 1;
  static constexpr std::uint32_t none = exposed_max;
  static_assert(exposed_max == 1u << index_bits);

  struct exposure {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t key = 0;  // 0: a free place.
    peer_id peer = 0;
    std::uint32_t next_free = none;
  };
  bool grow() noexcept {
    if (all_.size() == exposed_max || !all_.try_push_back({})) return false;
    free_ = static_cast<std::uint32_t>(all_.size() - 1);
    return true;
  }
  exposure* find(peer_id peer, std::uint64_t key) noexcept {
    const std::uint64_t i = key & index_mask;
    if (key == 0 || i >= all_.size() || all_[i].key != key || all_[i].peer != peer) return nullptr;
    return &all_[i];
  }

  plain_array<exposure> all_;
  std::uint32_t free_ = none;
  std::uint64_t serial_ = 0;
};

/// A get of this rank that is not complete.
struct channel_pull {
  peer_id peer;
  std::byte* into;
  std::size_t bytes;
  pull_request of;
  cookie_t cookie;
  bool is_asked;  // The peer has been asked for it. One for each peer is at a time.
};

/// The gets of this rank, in the order in which they began. At most `active_max`.
class channel_pulls {
 public:
  static constexpr std::size_t active_max = 64;

  /// Returns false if there is no place.
  bool add(const channel_pull& p) noexcept {
    if (all_.size() == active_max || !all_.try_push_back(p)) return false;
    ++waiting_;
    return true;
  }
  /// Returns the get that the peer has been asked for, or nullptr.
  channel_pull* asked(peer_id peer) noexcept {
    for (channel_pull& p : all_)
      if (p.peer == peer && p.is_asked) return &p;
    return nullptr;
  }
  /// Gets for which the peer has not been asked.
  std::size_t waiting() const noexcept { return waiting_; }
  std::size_t size() const noexcept { return all_.size(); }
  /// Calls `ask(pull)` for each that waits and is the first one of its peer. It returns true if it
  /// has asked the peer.
  template <class Ask>
  void ask_all(Ask&& ask) noexcept {
    for (std::size_t i = 0; i < all_.size() && waiting_ != 0; ++i) {
      channel_pull& p = all_[i];
      if (p.is_asked || !is_first(i) || !ask(p)) continue;
      p.is_asked = true;
      --waiting_;
    }
  }
  /// Ends the one that the peer has been asked for. Returns its cookie.
  /// Requires:   there is one.
  cookie_t end(peer_id peer) noexcept {
    const std::size_t i = static_cast<std::size_t>(asked(peer) - all_.begin());
    const cookie_t cookie = all_[i].cookie;
    all_.erase(i);
    return cookie;
  }
  /// Ends all of the peer. Calls `ended(cookie)` for each.
  template <class Ended>
  void drop(peer_id peer, Ended&& ended) noexcept {
    all_.erase_if([&](const channel_pull& p) {
      if (p.peer != peer) return false;
      waiting_ -= p.is_asked ? 0 : 1;
      ended(p.cookie);
      return true;
    });
  }

 private:
  bool is_first(std::size_t i) const noexcept {
    for (std::size_t before = 0; before < i; ++before)
      if (all_[before].peer == all_[i].peer) return false;
    return true;
  }

  plain_array<channel_pull> all_;
  std::size_t waiting_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
