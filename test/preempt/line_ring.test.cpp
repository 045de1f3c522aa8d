// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// The two ends of a ring under all kinds of schedules: packets come whole, in order, once.

#include "explore.hpp"

#include <mpx/transport/detail/line_ring.hpp>

#include <atomic>
#include <type_traits>

#include "search.hpp"

namespace {

using namespace mpx::transport::detail;
using explore::fault;

constexpr std::uint32_t packets = 14;  // Three laps and a half of the lines.

struct release {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using memory = std::unique_ptr<std::byte[], release>;

std::byte byte_of(std::uint32_t packet, std::size_t i) {
  return static_cast<std::byte>(packet * 41 + i * 7 + 1);
}

/// Puts packets as ring_producer does, but a line's mark before what the mark stands for.
class early_producer : public ring_producer {
 public:
  early_producer(std::byte* base, ring_geometry g)
      : ring_producer(base, g),
        lines_(reinterpret_cast<line*>(base + sizeof(ring_control))),
        lines_count_(g.lines) {}
  bool put_inline(const mpx::frame_header& header, const std::byte* data, std::size_t bytes) {
    if (tail_ - control().head.load(std::memory_order_acquire) == lines_count_) return false;
    line& l = lines_[tail_ % lines_count_];
    l.publish((tail_ / lines_count_ + 1) << 8 | static_cast<std::uint32_t>(bytes), header.word[0]);
    l.write(header);
    copy_small(l.data(), data, bytes);
    ++tail_;
    return true;
  }

 private:
  line* lines_;
  std::uint32_t lines_count_;
  std::uint32_t tail_ = 0;
};

/// `hasty`: frees a line before it has read it. `late`: claims lines of the pool that it has
/// given back.
enum class reader : std::uint8_t { careful, hasty, late };

template <class Producer, bool Pooled>
class ends {
 public:
  static constexpr std::size_t threads = 2;
  /// If the pool is used, it is full before the lines are.
  static constexpr ring_geometry geometry{Pooled ? 8 : 4, 4096};

  explicit ends(explore::scheduler& s, reader how = reader::careful, fault f = {})
      : scheduler_(s),
        how_(how),
        memory_(new(std::align_val_t{64}) std::byte[geometry.bytes()]()),
        producer_(memory_.get(), geometry),
        consumer_(memory_.get(), geometry, how != reader::late) {
    if (f.what != fault::kind::none) f.at = &producer_.control().head;
    s.plant(f);
  }

  void thread(std::size_t i) { i == 0 ? produce() : consume(); }
  std::string wrong() { return consumer_.ready() ? "a packet too many" : ""; }

 private:
  static std::size_t bytes_of(std::uint32_t i) {
    if constexpr (Pooled) return i % 4 == 0 ? i * 11 % 41 : 600 + i * 67 % 425;
    return i * 11 % 41;
  }
  static mpx::frame_header header_of(std::uint32_t i) { return {{i, i + 1, i + 2, i + 3, ~i}}; }

  bool put(std::uint32_t i, const std::byte* data, std::size_t bytes) {
    if constexpr (std::is_same_v<Producer, ring_producer>) {
      producer_.prepaid_credit() = 1;
      if (i % 2 == 1 && producer_.try_put_prepaid(header_of(i), data, bytes, 1)) return true;
    }
    if (bytes <= line_data_bytes) return producer_.put_inline(header_of(i), data, bytes);
    if constexpr (Pooled) return producer_.put_pooled(header_of(i), data, bytes);
    return false;
  }
  void produce() {
    std::byte data[1024];
    for (std::uint32_t i = 0; i < packets; ++i) {
      const std::size_t bytes = bytes_of(i);
      for (std::size_t k = 0; k < bytes; ++k) data[k] = byte_of(i, k);
      while (!put(i, data, bytes)) explore::relax();
    }
  }
  void consume() {
    for (std::uint32_t i = 0; i < packets;) {
      const std::uint32_t code = consumer_.code();
      if (code > 0xff) {
        explore::relax();
        continue;
      }
      if (how_ == reader::hasty) {
        ring_consumer before = consumer_;
        consumer_.pop();
        check(i, before, code);
      } else {
        check(i, consumer_, code);
        consumer_.pop();
      }
      ++i;
    }
  }
  void check(std::uint32_t i, ring_consumer& c, std::uint32_t code) {
    const mpx::frame_header wanted = header_of(i);
    bool right = std::memcmp(&c.header(), &wanted, sizeof wanted) == 0;
    std::span<const std::byte> body(c.data(), code <= line_data_bytes ? code : 0);
    pooled_view v;
    if (code > line_data_bytes) {
      v = c.pooled(code);
      right = right && !v.malformed;
      body = v.payload;
    }
    right = right && body.size() == bytes_of(i);
    scheduler_.point("reading", body.data());
    for (std::size_t k = 0; right && k < body.size(); ++k) right = body[k] == byte_of(i, k);
    if (!right) scheduler_.fail("packet " + std::to_string(i) + " has wrong contents");
    if (code <= line_data_bytes) return;
    c.give_back_pool(v);
    if (how_ != reader::late) return;
    mpx::platform::claim_lines(v.payload.data(), v.payload.size());
  }

  explore::scheduler& scheduler_;
  reader how_;
  memory memory_;
  Producer producer_;
  ring_consumer consumer_;
};

TEST_CASE("preempt: the ring's two ends") {
  using explore::search;
  explore::check_sound("ring, packets in lines", search<ends<ring_producer, false>>(3000), 2000);
  explore::check_sound("ring, lines and pool", search<ends<ring_producer, true>>(3000), 2000);
}

// A planted fault is a race: ThreadSanitizer would end the test where the search is to find it.
TEST_CASE("preempt: faults of the ring are found" * doctest::skip(explore::sampled)) {
  using explore::search;
  explore::check_found("the mark before the packet", search<ends<early_producer, false>>(500));
  explore::check_found("a line freed before it is read",
                       search<ends<ring_producer, false>>(500, reader::hasty));
  explore::check_found("a payload's lines claimed after they are given back",
                       search<ends<ring_producer, true>>(500, reader::late));
  explore::check_found(
      "the head is not looked at",
      search<ends<ring_producer, false>>(500, reader::careful,
                                         fault{fault::kind::stuck_load, nullptr, 1, packets}));
}

}  // namespace
