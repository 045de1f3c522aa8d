// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory that a rank exposes to one peer and can withdraw. Each piece has a word that both share.
// The peer holds the word while it copies; the owner closes it and learns from it if a copy is in
// progress. A dropped request therefore waits at most for one copy, never for the peer's program.

#include <cstddef>
#include <cstdint>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// Layout: version << 16 | units copied << 3 | open << 1 | held. Zeroed memory is a closed word.
using exposure_word = platform::atomic<std::uint64_t>;

/// Names a word of its owner's table and, by a version, one use of that word. Never 0.
struct exposure_key {
  static constexpr std::uint64_t open = 2;
  static constexpr std::uint64_t held = 1;
  static constexpr unsigned version_shift = 16;
  static constexpr unsigned copied_shift = 3;
  static constexpr std::uint64_t copied_max = (1u << 13) - 1;
  static constexpr std::uint64_t copied_mask = copied_max << copied_shift;
  static constexpr std::size_t copied_unit_bytes = 16 * 1024;
  static constexpr std::uint32_t slots = 2048;
  static constexpr std::size_t table_bytes = slots * sizeof(exposure_word);

  std::uint32_t slot;
  std::uint64_t version;

  /// Packs the key into 60 bits; the upper 4 bits are free for the transport.
  std::uint64_t pack() const noexcept { return version << 12 | slot; }
  static exposure_key unpack(std::uint64_t key) noexcept {
    return {static_cast<std::uint32_t>(key & (slots - 1)), key << 4 >> 16};
  }
  std::uint64_t opened() const noexcept { return version << version_shift | open; }
};
static_assert(exposure_key::slots <= 1u << 12);

/// Keeps a peer's memory from being withdrawn while this object exists.
class pinned_exposure {
 public:
  pinned_exposure() = default;
  /// `table` is that of the memory's owner. Adds `bytes` to the count of copied bytes that the
  /// owner sees.
  pinned_exposure(exposure_word* table, exposure_key key, std::size_t bytes = 1) noexcept {
    static_cast<void>(pin(table, key, bytes));
  }
  /// Pins the memory as the constructor does.
  /// Requires:   this object holds nothing.
  /// Returns:    true if it holds the memory now.
  bool pin(exposure_word* table, exposure_key key, std::size_t bytes) noexcept {
    if (table == nullptr) return false;
    std::uint64_t expected = key.opened();
    do {
      if (table[key.slot].compare_exchange_strong(expected,
                                                  counted(expected, bytes) | exposure_key::held,
                                                  platform::memory_order_acquire)) {
        word_ = &table[key.slot];
        return true;
      }  // Otherwise another thread of the peer may hold it: try again.
    } while ((expected & ~exposure_key::copied_mask) == key.opened());
    return false;
  }
  pinned_exposure(const pinned_exposure&) = delete;
  pinned_exposure& operator=(const pinned_exposure&) = delete;
  ~pinned_exposure() {
    if (word_ != nullptr) word_->fetch_and(~exposure_key::held, platform::memory_order_release);
  }
  /// Returns false if the memory was withdrawn before.
  explicit operator bool() const noexcept { return word_ != nullptr; }

 private:
  static std::uint64_t counted(std::uint64_t word, std::size_t bytes) noexcept {
    constexpr std::size_t unit = exposure_key::copied_unit_bytes;
    const std::uint64_t before = (word & exposure_key::copied_mask) >> exposure_key::copied_shift;
    const std::uint64_t more = bytes / unit + (bytes % unit != 0);
    const std::uint64_t room = exposure_key::copied_max - before;
    return word + (mpx::detail::lesser(more, room) << exposure_key::copied_shift);
  }

  exposure_word* word_ = nullptr;
};

/// Result of opening an exposure; used like a std::optional<exposure_key>.
struct opened_exposure {
  exposure_key key{};
  bool is_open = false;
  explicit operator bool() const noexcept { return is_open; }
  const exposure_key& operator*() const noexcept { return key; }
  const exposure_key* operator->() const noexcept { return &key; }
};

/// Result of closing an exposure.
struct closed_exposure {
  bool is_closed = false;        // False if the peer is still copying.
  std::size_t copied_bytes = 0;  // By the peer, in whole units; saturates.
  explicit operator bool() const noexcept { return is_closed; }
};

/// The owner's side: at most `exposure_key::slots` pieces at a time.
class exposures {
 public:
  /// Opens a word of `table`, which must be this rank's own table. Returns nothing if all words are
  /// in use or memory is out; the message then goes as packets.
  opened_exposure open(exposure_word* table) noexcept {
    if (table == nullptr || !free_.try_reserve(exposure_key::slots)) return {};
    std::uint32_t slot = used_;
    if (!free_.empty()) {
      slot = free_[free_.size() - 1];
      free_.pop_back();
    } else if (used_ < exposure_key::slots) {
      ++used_;
    } else {
      return {};
    }
    const std::uint64_t old = table[slot].load(platform::memory_order_relaxed);
    const exposure_key key{slot, ((old >> exposure_key::version_shift) + 1) & version_mask};
    table[slot].store(key.opened(), platform::memory_order_release);
    return {key, true};
  }

  /// Closes the word: from now on no copy can begin. Returns false while the peer is still copying;
  /// the owner calls again, unless the peer is dead: then the word is lost.
  closed_exposure close(exposure_word* table, exposure_key key) noexcept {
    const std::uint64_t old =
        table[key.slot].fetch_and(~exposure_key::open, platform::memory_order_acq_rel);
    if ((old & exposure_key::held) != 0) return {};
    free_.try_push_back(static_cast<std::uint16_t>(key.slot));  // `open` has reserved the room.
    return {true, ((old & exposure_key::copied_mask) >> exposure_key::copied_shift) *
                      exposure_key::copied_unit_bytes};
  }

 private:
  static constexpr std::uint64_t version_mask = (std::uint64_t{1} << 48) - 1;

  plain_array<std::uint16_t> free_;  // A stack: its pages are touched only as it grows.
  std::uint32_t used_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
