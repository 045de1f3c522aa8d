// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory of descriptors: single, independent and combined blocks. Entries name a block and options;
// several entries that name one block are overlaid. The dynamic block is in dynamic_block.hpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/portals/message.hpp"

namespace mpx::inline v0::portals {

namespace detail {

class engine;

/// Result of the search for memory: the place was found, or one of the failures of an entry.
enum class fit : std::uint8_t { found, no_match, no_buffer, too_small };

/// Part of a block that one message occupies.
struct place {
  std::uint64_t at = 0;      // Offset of its data in the block, or in the buffer.
  std::uint32_t buffer = 0;  // Independent block: number of the buffer.
  void* record = nullptr;    // Dynamic block: the message's record.
};

constexpr bool keeps_header(const options& o) noexcept {
  return (static_cast<unsigned>(o.keep) & static_cast<unsigned>(saves::header)) != 0;
}
constexpr bool keeps_body(const options& o) noexcept {
  return (static_cast<unsigned>(o.keep) & static_cast<unsigned>(saves::body)) != 0;
}
constexpr bool serves(const options& o) noexcept { return o.direction == access::read_only; }
/// Bytes of a block that the data of `m` takes.
constexpr std::uint64_t wanted_bytes(const message& m, const options& o) noexcept {
  return serves(o) ? m.return_length : keeps_body(o) ? m.length : 0;
}
/// True if `m` goes in the direction of the descriptor.
constexpr bool fits_direction(const message& m, const options& o) noexcept {
  return serves(o) == (m.kind == message_kind::get);
}

}  // namespace detail

/// Memory of descriptors. Outlives the entries that name it.
/// Threads:    used by the table, under the lock of its rank.
class block {
 public:
  block(const block&) = delete;
  block& operator=(const block&) = delete;

 protected:
  block() = default;
  ~block() {
    MPX_ASSERT(users_ == 0, "a block of memory outlives the portal entries that name it");
  }

 private:
  friend detail::engine;
  /// True if this kind of block has these options.
  virtual bool allows(const options& o) const noexcept = 0;
  /// Finds memory for `m`, and saves its header if the options say so.
  virtual detail::fit take(const message& m, const options& o, detail::place& into) noexcept = 0;
  /// Stores data of a message from its byte `at` on.
  virtual void write(const detail::place& in, std::uint64_t at,
                     std::span<const std::byte> from) noexcept = 0;
  /// Reads data for the reply to a get from its byte `at` on.
  virtual void read(const detail::place& in, std::uint64_t at,
                    std::span<std::byte> into) const noexcept = 0;
  /// Called once for each place, when all data has been moved or none will be any more.
  virtual void finish(const detail::place&, const options&, errc) noexcept {}
  /// Returns the data of a message, if it is contiguous.
  virtual std::span<std::byte> data(const detail::place&, std::uint64_t) const noexcept {
    return {};
  }

  std::uint32_t users_ = 0;  // Entries that name it.
};

namespace detail {

/// Memory with one position: a single or a combined block.
class linear_block : public block {
 public:
  /// Bytes of the block.
  [[nodiscard]] std::size_t size() const noexcept { return all_.bytes; }
  /// With managed_by::receiver: offset of the next message. While entries are active, use
  /// table::position.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  /// Lets the next message go to `offset`.
  /// Requires:   no active entry names the block.
  void rewind(std::uint64_t offset = 0) noexcept {
    position_ = detail::lesser<std::uint64_t>(offset, all_.bytes);
  }

 protected:
  linear_block(memory all, bool writable) noexcept : all_(all), writable_(writable) {}

  fit take_from(const message& m, const options& o, std::uint64_t head, place& into) noexcept {
    const std::uint64_t body = wanted_bytes(m, o);
    const std::uint64_t size = all_.bytes;
    const bool moves = o.offset == managed_by::receiver;
    const std::uint64_t at = moves ? position_ : m.offset;
    if (moves && at == size && (head != 0 || body != 0)) return fit::no_buffer;
    if (at > size || head > size - at || body > size - at - head) return fit::too_small;
    if (head != 0) all_.write(at, std::as_bytes(std::span(&m, 1)));
    if (moves) position_ = at + head + body;
    into.at = at + head;
    return fit::found;
  }

  memory all_;
  bool writable_;

 private:
  void write(const place& in, std::uint64_t at, std::span<const std::byte> from) noexcept override {
    all_.write(in.at + at, from);
  }
  void read(const place& in, std::uint64_t at, std::span<std::byte> into) const noexcept override {
    all_.read(in.at + at, into);
  }
  std::span<std::byte> data(const place& in, std::uint64_t n) const noexcept override {
    return all_.contiguous() ? all_.piece(in.at, n) : std::span<std::byte>();
  }

  std::uint64_t position_ = 0;
};

}  // namespace detail

/// One contiguous piece of memory. A message goes to the offset that its sender gives, or behind
/// the message before. A saved header is a `message` in front of the data.
/// Options:    all.
/// Source:     Puma, section 1.2.
class single_block final : public detail::linear_block {
 public:
  /// Over memory that messages write, or gets read.
  template <class T, std::size_t N>
  requires Transferable<T>
  explicit single_block(std::span<T, N> memory) noexcept
      : linear_block(mpx::memory(std::span<const std::byte>(std::as_bytes(memory))),
                     !std::is_const_v<T>) {}

 private:
  bool allows(const options& o) const noexcept override { return writable_ || detail::serves(o); }
  detail::fit take(const message& m, const options& o, detail::place& into) noexcept override {
    const bool head = detail::keeps_header(o) && !detail::serves(o);
    return take_from(m, o, head ? sizeof m : 0, into);
  }
};

namespace detail {

/// Several pieces of memory as one message.
class list_layout final : public layout {
 public:
  /// Errors:     errc::no_resources.
  explicit list_layout(std::span<const std::span<std::byte>> buffers) {
    for (const std::span<std::byte> b : buffers) {
      pieces_.push_back({b.data(), bytes_});
      bytes_ += b.size();
    }
    pieces_.push_back({nullptr, bytes_});
  }
  list_layout(const list_layout&) = delete;
  list_layout& operator=(const list_layout&) = delete;
  std::uint64_t bytes() const noexcept { return bytes_; }

  void pack(const std::byte*, std::size_t offset,
            std::span<std::byte> into) const noexcept override {
    each(offset, into.size(), [&](std::byte* at, std::size_t done, std::size_t n) {
      std::memcpy(into.data() + done, at, n);
    });
  }
  void unpack(std::byte*, std::size_t offset,
              std::span<const std::byte> from) const noexcept override {
    each(offset, from.size(), [&](std::byte* at, std::size_t done, std::size_t n) {
      std::memcpy(at, from.data() + done, n);
    });
  }

 private:
  struct piece {
    std::byte* base;
    std::uint64_t start;
  };
  template <class F>
  void each(std::uint64_t offset, std::uint64_t n, F&& f) const noexcept {
    std::size_t low = 0;  // The last piece that starts at `offset` or before.
    for (std::size_t high = pieces_.size() - 1; high - low > 1;) {
      const std::size_t middle = low + (high - low) / 2;
      (pieces_[middle].start <= offset ? low : high) = middle;
    }
    for (std::uint64_t done = 0; done < n; ++low) {
      const std::uint64_t within = offset + done - pieces_[low].start;
      const std::uint64_t here =
          lesser<std::uint64_t>(n - done, pieces_[low + 1].start - pieces_[low].start - within);
      if (here != 0) f(pieces_[low].base + within, done, here);
      done += here;
    }
  }

  plain_array<piece> pieces_;  // The last one is the end.
  std::uint64_t bytes_ = 0;
};

}  // namespace detail

/// Pieces of memory that are filled in turn as if they were one. The pieces are a table of buffers,
/// or the data of a layout (mpx::memory_of), so that no data is packed.
/// Options:    managed_by, access, acknowledge; saves::body alone.
/// Source:     Puma, section 1.2.
class combined_block final : public detail::linear_block {
 public:
  /// Over a table of buffers, which is copied.
  /// Errors:     errc::no_resources.
  explicit combined_block(std::span<const std::span<std::byte>> buffers)
      : linear_block({}, true), list_(buffers) {
    all_ = {nullptr, list_.bytes(), &list_};
  }
  /// Over the memory of a layout, which outlives this block. See memory_of.
  explicit combined_block(const memory& data) : linear_block(data, true), list_({}) {}

 private:
  bool allows(const options& o) const noexcept override {
    return o.keep == saves::body && (writable_ || detail::serves(o));
  }
  detail::fit take(const message& m, const options& o, detail::place& into) noexcept override {
    return take_from(m, o, 0, into);
  }

  detail::list_layout list_;
};

/// A table of buffers. A message takes the first free one, or in a circular table the next one in
/// turn. A buffer is free again after `release` by its table.
/// Options:    saves::header and saves::both; access; acknowledge.
/// Source:     Puma, section 1.2.
class independent_block final : public block {
 public:
  /// Order in which buffers are used.
  enum class order : std::uint8_t {
    linear,    ///< The first free buffer of the table.
    circular,  ///< One buffer after the other, then the first again.
  };
  /// Over a table of buffers, which is copied. Buffers for headers alone may be empty.
  /// Errors:     errc::no_resources.
  explicit independent_block(std::span<const std::span<std::byte>> buffers,
                             order by = order::linear)
      : order_(by) {
    for (const std::span<std::byte> b : buffers) buffers_.push_back({b.data(), b.size(), {}});
  }
  /// Over one buffer.
  explicit independent_block(std::span<std::byte> buffer)
      : independent_block(std::span<const std::span<std::byte>>(&buffer, 1)) {}

  /// Number of buffers.
  [[nodiscard]] std::size_t size() const noexcept { return buffers_.size(); }

 private:
  friend detail::engine;
  enum class use : std::uint8_t { free, filling, full };
  struct slot {
    std::byte* base;
    std::size_t bytes;
    use is;
  };

  bool allows(const options& o) const noexcept override {
    return detail::serves(o) || detail::keeps_header(o);
  }
  detail::fit take(const message& m, const options& o, detail::place& into) noexcept override {
    std::size_t i = next_;
    if (order_ == order::linear)
      while (i < buffers_.size() && buffers_[i].is != use::free) ++i;
    if (i >= buffers_.size() || buffers_[i].is != use::free) return detail::fit::no_buffer;
    if (detail::wanted_bytes(m, o) > buffers_[i].bytes) return detail::fit::too_small;
    buffers_[i].is = use::filling;
    if (order_ == order::circular) {
      next_ = i + 1 == buffers_.size() ? 0 : i + 1;
    } else {
      next_ = i + 1;  // All buffers before it are in use.
    }
    into.buffer = static_cast<std::uint32_t>(i);
    return detail::fit::found;
  }
  void write(const detail::place& in, std::uint64_t at,
             std::span<const std::byte> from) noexcept override {
    if (!from.empty()) std::memcpy(buffers_[in.buffer].base + at, from.data(), from.size());
  }
  void read(const detail::place& in, std::uint64_t at,
            std::span<std::byte> into) const noexcept override {
    if (!into.empty()) std::memcpy(into.data(), buffers_[in.buffer].base + at, into.size());
  }
  void finish(const detail::place& in, const options& o, errc) noexcept override {
    // A circular table that is read goes round without end.
    const bool again = detail::serves(o) && order_ == order::circular;
    buffers_[in.buffer].is = again ? use::free : use::full;
  }
  std::span<std::byte> data(const detail::place& in, std::uint64_t n) const noexcept override {
    return {buffers_[in.buffer].base, n};
  }
  /// Frees a buffer. Returns false if it is not full.
  bool release(std::size_t i) noexcept {
    if (i >= buffers_.size() || buffers_[i].is != use::full) return false;
    buffers_[i].is = use::free;
    if (order_ == order::linear && i < next_) next_ = i;
    return true;
  }

  plain_array<slot> buffers_;
  order order_ = order::linear;
  std::size_t next_ = 0;
};

}  // namespace mpx::inline v0::portals
