// SPDX-License-Identifier: BSL-1.0
#pragma once
// mpx's own ring with both ends in one process, for what is counted and timed without an engine:
// the one place of bench/ that knows the ring's calls.

#include <cstddef>
#include <cstring>
#include <memory>
#include <mpx/transport/detail/line_ring.hpp>
#include <new>
#include <span>

namespace perf {

namespace ring = mpx::transport::detail;

class line_ring {
 public:
  [[gnu::always_inline]] bool put(const mpx::frame_header& header,
                                  std::span<const std::byte> data) noexcept {
    return producer_.put(header, data.data(), data.size());
  }
  bool ready() const noexcept { return consumer_.ready(); }

  /// Calls `f(payload)` for the waiting packet and frees it. Requires: ready().
  template <class F>
  [[gnu::always_inline]] void take(F&& f) noexcept {
    const std::uint32_t code = consumer_.code();
    if (code <= ring::line_data_bytes) [[likely]] {
      f(std::span<const std::byte>(consumer_.data(), code));
    } else {
      const auto packet = consumer_.pooled(code);
      f(packet.payload);
      consumer_.give_back_pool(packet);
    }
    consumer_.pop();
  }

 private:
  static constexpr ring::ring_geometry geometry{1024, 256 * 1024};
  struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, aligned_delete> memory_{
      new (::operator new(geometry.bytes(), std::align_val_t{64})) std::byte[geometry.bytes()]()};
  ring::ring_producer producer_{memory_.get(), geometry};
  ring::ring_consumer consumer_{memory_.get(), geometry};
};

}  // namespace perf
