// SPDX-License-Identifier: BSL-1.0
#pragma once
// The transport of mpx::sim::run: ranks are fibers of one thread and run in virtual time. It moves
// real packets and real memory. The model and the seed determine their cost and order.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mpx/transport/detail/sim_port.hpp"

namespace mpx::inline v0::transport {

/// Kind of access to a peer's memory.
enum class sim_rma : std::uint8_t {
  none,  ///< Packets only.
  nic,   ///< As by a network card: puts and gets proceed while the CPU continues.
  cpu,   ///< As when the kernel copies between processes: the caller is busy meanwhile.
};

/// The simulated transport. `Depth` is the largest number of packets in a directed pair. Without
/// RMA, with tiny packets or with a depth of one packet it drives protocols into their corner
/// cases.
template <sim_rma Rma = sim_rma::nic, std::size_t PacketBytesMax = 64 * 1024,
          std::uint32_t Depth = 1024, std::size_t InlineBytesMax = 40>
class basic_sim : public defaults {
 public:
  using policy_axis = transport_axis;
  using bootstrap_type = bootstrap::sim;
  static constexpr std::string_view name = "sim";
  static constexpr transport_traits traits{
      .inline_bytes_max = InlineBytesMax,
      .packet_bytes_max = PacketBytesMax,
      .layout = std::uint64_t{Depth} << 8 | static_cast<std::uint64_t>(Rma),
      .posts_pend = false};
  static_assert(Depth > 0);

  /// Requires:   `job` outlives this object.
  explicit basic_sim(bootstrap::sim& job) : port_(job.make_port<detail::sim_port>(Depth)) {}
  basic_sim(const basic_sim&) = delete;
  basic_sim& operator=(const basic_sim&) = delete;
  ~basic_sim() { port_.close(); }

  peer_id self() const noexcept { return port_.self(); }
  peer_id peers() const noexcept { return port_.peers(); }
  peer_id node_of(peer_id peer) const noexcept { return port_.node_of(peer); }
  bool oversubscribed() const noexcept { return port_.oversubscribed(); }
  /// This rank's virtual time.
  std::int64_t now_ns() const noexcept { return port_.now_ns(); }
  /// Advances the rank's virtual time by `ns` nanoseconds of computation.
  void compute(std::int64_t ns) noexcept { port_.compute(ns); }

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t) noexcept {
    return port_.post(peer, header, payload);
  }
  std::uint32_t* prepaid_credit(peer_id peer) noexcept { return port_.prepaid_credit(peer); }
  bool try_post_prepaid(peer_id peer, const frame_header& header,
                        std::span<const std::byte> payload, std::uint32_t price) noexcept {
    return port_.try_post_prepaid(peer, header, payload, price);
  }
  std::size_t poll(PacketSink auto& sink) noexcept { return port_.poll(sink); }
  bool arm() noexcept { return port_.arm(); }
  /// Ignores the timeout: a rank that is never woken is a deadlock, which the simulator detects.
  void sleep(std::int64_t) noexcept { port_.sleep(); }
  void disarm() noexcept {}
  void wake() noexcept { port_.wake(); }

  remote_memory expose(peer_id, std::span<const std::byte> memory, bool = false) noexcept
      requires(Rma != sim_rma::none)
  {
    return {reinterpret_cast<std::uintptr_t>(memory.data()), port_.expose()};
  }
  outcome withdraw(peer_id, const remote_memory& memory) noexcept requires(Rma != sim_rma::none)
  {
    return port_.withdraw(memory.key) ? outcome::done : outcome::retry;
  }
  cost_hint get_cost_hint(peer_id, const remote_memory& memory, std::size_t) noexcept
      requires(Rma != sim_rma::none)
  {
    if (memory.key >> 62 != 1) return cost_hint::never;
    return Rma == sim_rma::nic ? cost_hint::always : cost_hint::learn;
  }
  auto pin_exposure(peer_id peer, const remote_memory& memory, std::size_t) noexcept
      requires(Rma == sim_rma::cpu)
  {
    return port_.pin_exposure(peer, memory.key);
  }
  bool get_held(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                std::span<std::byte> into) noexcept requires(Rma == sim_rma::cpu)
  {
    return port_.copy(peer, into.data(), detail::exposed_at{memory, offset}.address(), into.size(),
                      true);
  }
  bool get_batch(peer_id peer, const batched_get* gets, std::size_t count) noexcept
      requires(Rma == sim_rma::cpu)
  {
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [memory, into] = gets[i];
      const auto held = port_.pin_exposure(peer, memory.key);
      if (!held || !port_.copy(peer, into.data(), detail::exposed_at{memory, 0}.address(),
                               into.size(), true, i == 0))
        return false;
    }
    return true;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept requires(Rma != sim_rma::none)
  {
    if constexpr (Rma == sim_rma::nic) return port_.get(peer, {memory, offset}, into, cookie);
    const auto held = port_.pin_exposure(peer, memory.key);
    return held && port_.copy(peer, into.data(), detail::exposed_at{memory, offset}.address(),
                              into.size(), true)
               ? outcome::done
               : outcome::refused;
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept
      requires(Rma != sim_rma::none)
  {
    if constexpr (Rma == sim_rma::nic)
      return port_.put(peer, {memory, offset}, from, nullptr, cookie);
    const auto held = port_.pin_exposure(peer, memory.key);
    return held && port_.copy(peer, detail::exposed_at{memory, offset}.address(), from.data(),
                              from.size(), false)
               ? outcome::done
               : outcome::refused;
  }
  outcome put_then(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                   std::span<const std::byte> from, const frame_header& header,
                   cookie_t cookie) noexcept requires(Rma == sim_rma::nic)
  {
    return port_.put(peer, {memory, offset}, from, &header, cookie);
  }

 private:
  detail::sim_port& port_;
};

/// A network card with every capability.
using sim = basic_sim<>;

static_assert(Transport<basic_sim<sim_rma::none>> && !RmaTransport<basic_sim<sim_rma::none>>);
static_assert(ImmediateTransport<sim> && PrepaidTransport<sim>);
static_assert(CpuCopyTransport<basic_sim<sim_rma::cpu>> &&
              !ImmediateTransport<basic_sim<sim_rma::cpu>>);

}  // namespace mpx::inline v0::transport
