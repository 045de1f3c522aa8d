// SPDX-License-Identifier: BSL-1.0
#pragma once
// A single-producer single-consumer ring of 64-byte lines in shared memory, with a pool for packets
// that do not fit a line. A line contains its own mark, so that one cache miss brings the mark, the
// header and up to 40 bytes of data. Zeroed memory is an empty ring.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/core/frame.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// Payload that shares a line with its header, in bytes.
inline constexpr std::size_t line_data_bytes = 40;

/// One slot of a ring: a mark of 4 bytes, the header of 20 bytes, and 40 bytes of data. The mark is
/// lap << 8 | code. Code 0..40 is the length of the data in the line; `code_pooled` says that the
/// line holds a `pool_reference`. The mark and the first header word are published by one 8-byte
/// store, after all others. The number of stores is minimal, since a store buffer has few entries.
struct alignas(cache_line_bytes) line {
  std::byte raw[cache_line_bytes];

  std::byte* data() noexcept { return raw + 24; }
  const std::byte* data() const noexcept { return raw + 24; }
  const frame_header& header() const noexcept {
    return *reinterpret_cast<const frame_header*>(raw + 4);
  }
  std::uint32_t mark() const noexcept {
    return static_cast<std::uint32_t>(
        word(const_cast<std::byte*>(raw)).load(platform::memory_order_acquire));
  }
  [[MPX_ALWAYS_INLINE]] void write(const frame_header& h) noexcept {
    const std::uint64_t second = h.word[1] | std::uint64_t{h.word[2]} << 32;
    const std::uint64_t third = h.word[3] | std::uint64_t{h.word[4]} << 32;
    std::memcpy(raw + 8, &second, sizeof second);
    std::memcpy(raw + 16, &third, sizeof third);
  }
  [[MPX_ALWAYS_INLINE]] void publish(std::uint32_t mark, std::uint32_t first) noexcept {
    word(raw).store(mark | std::uint64_t{first} << 32, platform::memory_order_release);
  }

 private:
  static platform::atomic_ref<std::uint64_t> word(std::byte* raw) noexcept {
    return platform::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(raw));
  }
};
static_assert(sizeof(line) == cache_line_bytes);
static_assert(std::endian::native == std::endian::little, "the mark is the low half of its word");

inline constexpr std::uint32_t code_pooled = 0xff;

/// Position of a larger payload in the pool. (With it the first half of the line is full and the
/// second half untouched: processors gather stores in groups of 32 bytes, and each group waits if
/// its line does.)
struct pool_reference {
  std::uint32_t offset;
  std::uint32_t bytes;
};

/// Position of the next payload in a pool of which `taken` bytes have been used so far, and the
/// number of bytes that it advances. A payload does not wrap: a remainder that is too short is
/// skipped.
struct pool_place {
  [[MPX_ALWAYS_INLINE]] pool_place(std::uint32_t taken, std::uint32_t pool_bytes,
                                   std::size_t bytes) noexcept
      : offset(taken & (pool_bytes - 1)),
        advance(
            static_cast<std::uint32_t>((bytes + cache_line_bytes - 1) & ~(cache_line_bytes - 1))) {
    if (const std::uint32_t left = pool_bytes - offset; left < advance) {
      advance += left;
      offset = 0;
    }
  }
  std::uint32_t offset;
  std::uint32_t advance;
};

/// The shared words of one ring. Each is written by one side only.
struct ring_control {
  // Written by the consumer: lines taken so far.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> head;
  // Written by the consumer: pool bytes given back so far.
  platform::atomic<std::uint32_t> pool_head;
  // Written by the consumer: 1 if it polls this ring.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> polled;
  // Written by the producer: 1 asks for a wake-up once there is space.
  alignas(cache_line_bytes) platform::atomic<std::uint32_t> blocked_on_space;
};

/// Copies a payload that fits a line, inline: a call would add the store of a return address.
/// Requires:   bytes <= line_data_bytes.
[[MPX_ALWAYS_INLINE]] inline void copy_small(std::byte* to, const std::byte* from,
                                             std::size_t bytes) noexcept {
  if (bytes == 8) [[likely]] {
    std::memcpy(to, from, 8);
  } else if (bytes >= 16) {
    std::memcpy(to, from, 16);
    if (bytes > 32) std::memcpy(to + 16, from + 16, 16);
    std::memcpy(to + bytes - 16, from + bytes - 16, 16);
  } else if (bytes > 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else if (bytes != 0) {
    to[0] = from[0];
    to[bytes / 2] = from[bytes / 2];
    to[bytes - 1] = from[bytes - 1];
  }
}

/// Copies a payload that does not fit a line, in pieces of 16 bytes.
/// Requires:   bytes > 16.
[[MPX_ALWAYS_INLINE]] inline void copy_short(std::byte* to, const std::byte* from,
                                             std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes - 16; i += 16) {
    std::memcpy(to + i, from + i, 16);
    asm volatile("" : "+r"(i));  // Otherwise compilers call memcpy.
  }
  std::memcpy(to + bytes - 16, from + bytes - 16, 16);
}

/// Sizes of a ring in memory, which consists of control words, lines, pool. Both are powers of two.
struct ring_geometry {
  std::uint32_t lines;
  std::uint32_t pool_bytes;

  constexpr std::size_t bytes() const noexcept {
    return sizeof(ring_control) + std::size_t{lines} * sizeof(line) + pool_bytes;
  }
  /// The largest payload that always fits an empty pool, whatever its current position.
  constexpr std::uint32_t packet_bytes_max() const noexcept { return pool_bytes / 4; }
};

/// The sending end. It is private to one process; the peer sees only the shared lines.
class ring_producer {
 public:
  ring_producer() = default;
  ring_producer(std::byte* base, ring_geometry g) noexcept
      : next_(reinterpret_cast<line*>(base + sizeof(ring_control))),
        lap_(1 << 8),
        stop_(next_ + g.lines),
        early_(platform::owning_early_lines() * sizeof(line)),
        control_(reinterpret_cast<ring_control*>(base)),
        first_(next_),
        end_(stop_),
        pool_(base + sizeof(ring_control) + std::size_t{g.lines} * sizeof(line)),
        pool_bytes_(g.pool_bytes),
        owns_early_(platform::owning_early_pays()) {}

  /// Puts a packet of at most `line_data_bytes`. Returns false if the ring is full.
  /// Cost:       one line written. The consumer's line is read once a lap, or if no line is known
  ///             to be free.
  [[MPX_ALWAYS_INLINE]] bool put_inline(const frame_header& header, const std::byte* data,
                                        std::size_t bytes) noexcept {
    if (next_ == stop_ && !refresh()) [[unlikely]]
      return false;
    write_line(header, data, bytes);
    return true;
  }

  /// Puts a packet of at most `geometry.packet_bytes_max()` through the pool. Returns false if the
  /// ring or the pool is full.
  /// Cost:       one line and one copy.
  bool put_pooled(const frame_header& header, const std::byte* data, std::size_t bytes) noexcept {
    if (next_ == stop_ && !refresh()) return false;
    const pool_place place(pool_tail_, pool_bytes_, bytes);
    if (!fits(place.advance)) {
      pool_head_ = control_->pool_head.load(platform::memory_order_acquire);
      if (!fits(place.advance)) {
        wanted_ = place.advance;
        return false;
      }
    }
    std::byte* const to = pool_ + place.offset;
    if (owns_early_) platform::prefetch_exclusive(to, bytes);
    std::memcpy(to, data, bytes);
    write_reference(next_, header, place.offset, bytes);
    ++next_;
    pool_tail_ += place.advance;
    return true;
  }

  /// Puts a packet, in the line if it fits, else through the pool.
  [[MPX_ALWAYS_INLINE]] bool put(const frame_header& header, const std::byte* data,
                                 std::size_t bytes) noexcept {
    return bytes <= line_data_bytes ? put_inline(header, data, bytes)
                                    : put_pooled(header, data, bytes);
  }
  /// Puts a packet and subtracts `price` from the prepaid credit. Returns false and does nothing if
  /// the credit is too small or no space is known to be free.
  [[MPX_ALWAYS_INLINE]] bool try_put_prepaid(const frame_header& header, const std::byte* data,
                                             std::size_t bytes, std::uint32_t price) noexcept {
    const std::uint32_t held = prepaid_credit_;
    if (next_ == stop_ || held < price) [[unlikely]]
      return false;
    if (bytes > line_data_bytes) return put_paid_pooled(header, data, bytes, held - price);
    write_line(header, data, bytes);
    prepaid_credit_ = held - price;
    return true;
  }

  /// Returns true if the put that failed last would succeed now.
  bool has_space() noexcept {
    pool_head_ = control_->pool_head.load(platform::memory_order_acquire);
    return (next_ != stop_ || refresh()) && fits(wanted_);
  }

  ring_control& control() noexcept { return *control_; }
  std::uint32_t& prepaid_credit() noexcept { return prepaid_credit_; }

 private:
  [[MPX_ALWAYS_INLINE]] void write_line(const frame_header& header, const std::byte* data,
                                        std::size_t bytes) noexcept {
    line* const l = next_;
    platform::prefetch_to_write(l->raw + early_);
    l->write(header);
    copy_small(l->data(), data, bytes);
    l->publish(lap_ | static_cast<std::uint32_t>(bytes), header.word[0]);
    next_ = l + 1;
  }
  [[MPX_ALWAYS_INLINE]] bool put_paid_pooled(const frame_header& header, const std::byte* data,
                                             std::size_t bytes, std::uint32_t left) noexcept {
    line* const l = next_;
    const pool_place place(pool_tail_, pool_bytes_, bytes);
    if (!fits(place.advance)) [[unlikely]]
      return false;
    std::byte* const to = pool_ + place.offset;
    // All private state is written first, so that few values stay live during the copy.
    next_ = l + 1;
    prepaid_credit_ = left;
    pool_tail_ += place.advance;
    copy_short(to, data, bytes);
    // Values needed now are loaded again instead of kept during the copy.
    platform::signal_fence();
    write_reference(l, header, static_cast<std::uint64_t>(to - pool_), bytes);
    return true;
  }
  bool fits(std::uint32_t advance) const noexcept {
    return pool_tail_ - pool_head_ + advance <= pool_bytes_;
  }
  [[MPX_ALWAYS_INLINE]] void write_reference(line* l, const frame_header& header,
                                             std::uint64_t offset, std::size_t bytes) noexcept {
    l->write(header);
    const std::uint64_t reference = offset | std::uint64_t{bytes} << 32;
    std::memcpy(l->data(), &reference, sizeof(pool_reference));
    l->publish(lap_ | code_pooled, header.word[0]);
  }

  /// Called at the end of the known free lines. Begins the next lap after the last line, and reads
  /// how many lines the consumer has freed. Returns false if the ring is full.
  [[gnu::noinline]] bool refresh() noexcept {
    const auto lines = static_cast<std::uint32_t>(end_ - first_);
    if (next_ == end_) {
      next_ = first_;
      lap_ += 1 << 8;
      passed_ += lines;
    }
    const std::uint32_t tail = passed_ + static_cast<std::uint32_t>(next_ - first_);
    const std::uint32_t head = control_->head.load(platform::memory_order_acquire);
    const std::uint32_t free = head + lines - tail;
    const auto left = static_cast<std::uint32_t>(end_ - next_);
    stop_ = next_ + (free < left ? free : left);
    // A put that lacks a line has not been checked for pool space.
    if (next_ == stop_) wanted_ = 0;
    return next_ != stop_;
  }

  // The members that a put writes lie together and are written together: behind a store to a line
  // that the peer owns, stores wait in order, and few 32-byte groups of them fit the store buffer.
  alignas(16) line* next_ = nullptr;
  std::uint32_t prepaid_credit_ = 0;  // Prepaid credit; the value belongs to the caller.
  std::uint32_t pool_tail_ = 0;
  std::uint32_t pool_head_ = 0;
  // Shifted to its position in a mark; wraps after 2^24 laps, as the consumer's does.
  std::uint32_t lap_ = 0;
  line* stop_ = nullptr;  // The first line that is not known to be free, or the end.
  // Distance in bytes at which a line is prefetched for writing; 0 prefetches the line being
  // written, which is harmless.
  std::size_t early_ = 0;
  std::uint32_t passed_ = 0;  // Lines of completed laps.
  ring_control* control_ = nullptr;
  line* first_ = nullptr;
  line* end_ = nullptr;
  std::byte* pool_ = nullptr;
  std::uint32_t pool_bytes_ = 0;
  std::uint32_t wanted_ = 0;  // Pool bytes that the put needed which failed last.
  bool owns_early_ = false;
};

/// A larger payload in the pool. `malformed` is true if the reference cannot be valid: bytes
/// written by the peer are not trusted.
struct pooled_view {
  std::span<std::byte> payload;
  std::uint32_t advance = 0;
  bool malformed = false;
};

/// The receiving end.
class ring_consumer {
 public:
  ring_consumer() = default;
  ring_consumer(std::byte* base, ring_geometry g,
                bool claims_lines = platform::claiming_pays()) noexcept
      : next_(reinterpret_cast<line*>(base + sizeof(ring_control))),
        expected_(1 << 8),
        control_(reinterpret_cast<ring_control*>(base)),
        first_(next_),
        last_(next_ + g.lines - 1),
        pool_(base + sizeof(ring_control) + std::size_t{g.lines} * sizeof(line)),
        pool_bytes_(g.pool_bytes),
        claims_lines_(claims_lines) {}

  /// Returns true if a packet is waiting.
  /// Cost:       one load of the line that will hold it.
  bool ready() const noexcept { return code() <= 0xff; }

  /// Content of the waiting line: a length up to `line_data_bytes`, or `code_pooled`. A value over
  /// 0xff means that no packet is waiting.
  [[MPX_ALWAYS_INLINE]] std::uint32_t code() const noexcept { return next_->mark() - expected_; }

  /// The header of the waiting packet, valid until `pop`. This function and those below require
  /// that a packet is waiting.
  const frame_header& header() const noexcept { return next_->header(); }
  const std::byte* data() const noexcept { return next_->data(); }
  pooled_view pooled(std::uint32_t code) const noexcept { return pooled(next_->data(), code); }
  /// The payload of a line with this data whose code is not a length.
  /// Requires:   the payloads before it have been given back.
  pooled_view pooled(const std::byte* line_data, std::uint32_t code) const noexcept {
    pool_reference r;
    std::memcpy(&r, line_data, sizeof r);
    if (code != code_pooled || r.bytes > pool_bytes_) return {{}, 0, true};
    const pool_place place(pool_taken_, pool_bytes_, r.bytes);
    if (r.offset != place.offset) return {{}, 0, true};
    return {{pool_ + r.offset, r.bytes}, place.advance};
  }
  /// Frees the payload's space in the pool; its contents are lost.
  /// Cost:       one store, and one store a line if `platform::claiming_pays`.
  void give_back_pool(const pooled_view& p) noexcept {
    if (claims_lines_ && p.payload.size() >= claimed_bytes_min)
      platform::claim_lines(p.payload.data(), p.payload.size());
    pool_taken_ += p.advance;
    control_->pool_head.store(pool_taken_, platform::memory_order_release);
  }

  /// Frees the line. Returns true if the producer waits for space.
  [[MPX_ALWAYS_INLINE]] bool pop() noexcept {
    if (next_ == last_) [[unlikely]] {
      next_ = first_;
      expected_ += 1 << 8;
    } else {
      ++next_;
    }
    return free(1);
  }

  /// Takes up to `most` packets: calls take(header, data, code) for each, which returns true to
  /// continue. Returns the number taken. If it is not 0, `free` must follow; until then the
  /// producer sees none of them as taken.
  template <class Take>
  [[MPX_ALWAYS_INLINE]] std::uint32_t take(std::uint32_t most, Take&& take) noexcept {
    line* const from = next_;  // Kept in a local: the callback's stores could alias members.
    line* l = from;
    line* const stop = last_ - from < most ? last_ + 1 : from + most;
    for (; l != stop; ++l) {
      const std::uint32_t waiting = l->mark() - expected_;
      if (waiting > 0xff) break;
      if (!take(l->header(), l->data(), waiting)) [[unlikely]] {
        ++l;
        break;
      }
    }
    next_ = l;
    if (l > last_) [[unlikely]] {
      next_ = first_;
      expected_ += 1 << 8;
    }
    return static_cast<std::uint32_t>(l - from);
  }
  /// Frees lines that were taken. Returns true if the producer waits for space.
  [[MPX_ALWAYS_INLINE]] bool free(std::uint32_t lines) noexcept {
    ring_control& c = *control_;
    head_ += lines;
    c.head.store(head_, platform::memory_order_release);
    platform::signal_fence();
    return c.blocked_on_space.load(platform::memory_order_relaxed) != 0;
  }

  ring_control& control() noexcept { return *control_; }

 private:
  line* next_ = nullptr;
  std::uint32_t expected_ = 0;  // The mark of a full line in this lap, without its code.
  std::uint32_t head_ = 0;
  ring_control* control_ = nullptr;
  line* first_ = nullptr;
  line* last_ = nullptr;
  std::byte* pool_ = nullptr;
  std::uint32_t pool_bytes_ = 0;
  std::uint32_t pool_taken_ = 0;
  bool claims_lines_ = false;
};

}  // namespace mpx::inline v0::transport::detail
