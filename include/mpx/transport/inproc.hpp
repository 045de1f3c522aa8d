// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport between ranks that are threads of one process: rings in anonymous memory, and any
// address is within reach, so that a long message is one memcpy by the receiver.

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/aligned.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/exposures.hpp"
#include "mpx/transport/detail/ring_fabric.hpp"

namespace mpx::inline v0::transport {

namespace detail {

/// Anonymous memory that goes with the last of its users, whichever thread that is in.
class shared_mapping {
 public:
  shared_mapping() = default;
  explicit shared_mapping(std::size_t bytes) : block_(new block(bytes)) {}
  shared_mapping(const shared_mapping& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->users.fetch_add(1, std::memory_order_relaxed);
  }
  shared_mapping(shared_mapping&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared_mapping& operator=(shared_mapping other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared_mapping() {
    if (block_ != nullptr && block_->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete block_;
  }
  std::byte* data() const noexcept { return block_->memory.data(); }

 private:
  struct block : mpx::detail::allocated {
    explicit block(std::size_t bytes) : memory(bytes) {}
    mapping memory;
    platform::atomic<std::uint32_t> users{1};
  };
  block* block_ = nullptr;
};

/// Inboxes and channels of a job of threads, in memory that all of them share.
class inproc_segment {
 public:
  inproc_segment(shared_mapping memory, peer_id peers, ring_geometry geometry) noexcept
      : memory_(std::move(memory)), peers_(peers), geometry_(geometry) {}

  static std::size_t bytes(peer_id peers, ring_geometry g) noexcept {
    return peers * inbox_control::bytes(peers) + std::size_t{peers} * peers * stride(g) +
           peers * exposure_key::table_bytes;
  }
  inbox_control& inbox(peer_id peer) const noexcept {
    return *reinterpret_cast<inbox_control*>(memory_.data() + peer * inbox_control::bytes(peers_));
  }
  std::byte* channel(peer_id source, peer_id destination) const noexcept {
    return memory_.data() + peers_ * inbox_control::bytes(peers_) +
           (std::size_t{destination} * peers_ + source) * stride(geometry_);
  }
  exposure_word* exposed(peer_id owner) const noexcept {
    return reinterpret_cast<exposure_word*>(memory_.data() + bytes(peers_, geometry_) -
                                            (peers_ - owner) * exposure_key::table_bytes);
  }

 private:
  static std::size_t stride(ring_geometry g) noexcept {
    return (g.bytes() + 4095) / 4096 * 4096;  // Silent pairs must not share pages with busy ones.
  }

  shared_mapping memory_;
  peer_id peers_;
  ring_geometry geometry_;
};

}  // namespace detail

/// Ranks are threads: `mpx::run_threads<mpx::stack<mpx::transport::inproc>>(n, body)`.
/// `RingLines` and `PoolBytes` (powers of two) bound the memory of one directed pair:
/// 64 * RingLines + PoolBytes bytes, touched as it is used.
template <std::uint32_t RingLines = 1024, std::uint32_t PoolBytes = 256 * 1024>
class basic_inproc : public detail::ring_fabric<detail::inproc_segment> {
  using base = detail::ring_fabric<detail::inproc_segment>;
  static constexpr detail::ring_geometry geometry{RingLines, PoolBytes};
  static_assert(std::has_single_bit(RingLines) && RingLines >= 4 && RingLines <= (1u << 20));
  static_assert(std::has_single_bit(PoolBytes) && PoolBytes >= 4096 && PoolBytes <= (1u << 30));

 public:
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "inproc";
  static constexpr transport_traits traits{.inline_bytes_max = detail::line_data_bytes,
                                           .packet_bytes_max = geometry.packet_bytes_max(),
                                           .layout = (std::uint64_t{RingLines} << 32 | PoolBytes),
                                           .posts_pend = false};

  /// Collective over the ranks of `b`. Errors: errc::bootstrap if they are not in one process.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_inproc>) && Bootstrap<B>
  explicit basic_inproc(B& b)
      : base(join(b), static_cast<peer_id>(b.rank()), static_cast<peer_id>(b.size()), geometry) {}

  remote_memory expose(peer_id, std::span<const std::byte> memory) noexcept {
    const auto key = exposures_.open(segment().exposed(self()));
    if (!key) return {};
    return {reinterpret_cast<std::uintptr_t>(memory.data()), key->pack() | key_bit};
  }
  outcome withdraw(const remote_memory& memory) noexcept {
    return exposures_.close(segment().exposed(self()), key_of(memory)) ? outcome::done
                                                                       : outcome::retry;
  }
  advice get_pays(peer_id, const remote_memory& memory, std::size_t) noexcept {
    return memory.key >> 62 == 1 ? advice::always : advice::never;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t) noexcept {
    const detail::held_exposure held(segment().exposed(peer), key_of(memory));
    if (!held) return outcome::refused;
    std::memcpy(into.data(), reinterpret_cast<const std::byte*>(memory.address + offset),
                into.size());
    return outcome::done;
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t) noexcept {
    const detail::held_exposure held(segment().exposed(peer), key_of(memory));
    if (!held) return outcome::refused;
    std::memcpy(reinterpret_cast<std::byte*>(memory.address + offset), from.data(), from.size());
    return outcome::done;
  }

  void* allocate_shared(std::size_t bytes, std::size_t alignment) {
    return mpx::detail::allocate_aligned(bytes, alignment);
  }
  void deallocate_shared(void* p, std::size_t) noexcept { mpx::detail::free_aligned(p); }

 private:
  template <class B>
  static detail::inproc_segment join(B& b) {
    const auto peers = static_cast<peer_id>(b.size());
    detail::shared_mapping memory;
    if (b.rank() == 0) {
      memory = detail::shared_mapping(detail::inproc_segment::bytes(peers, geometry));
      b.put("mpx.inproc", std::to_string(::getpid()) + ' ' +
                              std::to_string(reinterpret_cast<std::uintptr_t>(&memory)));
    }
    b.fence([] {});
    bool here = true;
    if (b.rank() != 0) {
      const std::string said = b.get(0, "mpx.inproc").value_or("0 0");
      char* end = nullptr;
      here = std::strtoll(said.c_str(), &end, 10) == ::getpid();
      if (here)
        memory = *reinterpret_cast<detail::shared_mapping*>(std::strtoull(end, nullptr, 10));
    }
    b.fence([] {});  // Rank 0's pointer has been copied by all.
    if (!here)
      throw error(
          errc::bootstrap,
          "transport inproc connects threads of one process, but rank 0 is another process: "
          "start with mpx::run_threads, or choose mpx::transport::shm");
    return {std::move(memory), peers, geometry};
  }
  static constexpr std::uint64_t key_bit = std::uint64_t{1} << 62;  // No key is 0.
  static detail::exposure_key key_of(const remote_memory& memory) noexcept {
    return detail::exposure_key::unpack(memory.key);
  }

  detail::exposures exposures_;
};

using inproc = basic_inproc<>;

static_assert(SharedMemoryTransport<inproc>);

}  // namespace mpx::inline v0::transport
