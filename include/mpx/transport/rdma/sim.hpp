// SPDX-License-Identifier: BSL-1.0
#pragma once
// A card in virtual time, for simulated jobs: options select reads, memory limits and ordering. The
// model and the seed determine costs and the order of events.

#include "mpx/macros/begin.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "mpx/core/memory.hpp"
#include "mpx/transport/rdma/detail/sim_card.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic {

/// The simulated card. It reaches memory without the target's CPU.
template <sim_options Options = sim_options{}>
class basic_sim {
  static_assert(Options.regions_max >= 1 && Options.regions_max <= 1u << 16);
  static_assert(Options.send_bytes_max >= 256 && Options.send_depth >= 2);
  static_assert(Options.receive_depth >= 2 && Options.transfer_bytes_max >= 1);
  static_assert(Options.short_send_bytes <= Options.send_bytes_max);
  using work = detail::sim_work;

 public:
  using policy_axis = nic_axis;
  using bootstrap_type = bootstrap::sim;
  static constexpr std::string_view name = "sim";
  static constexpr nic_traits traits{.reads = Options.reads,
                                     .arrivals_in_order = Options.in_order,
                                     .writes_before_arrivals = Options.in_order,
                                     .survives_refusals = Options.survives_refusals,
                                     .short_send_bytes = Options.short_send_bytes};

  /// Requires: `job` outlives this.
  explicit basic_sim(bootstrap::sim& job) : card_(job.make_port<detail::sim_card>(0)) {
    card_.set(Options);
  }
  basic_sim(const basic_sim&) = delete;
  basic_sim& operator=(const basic_sim&) = delete;
  ~basic_sim() { card_.close(); }

  peer_id self() const noexcept { return card_.self(); }
  peer_id peers() const noexcept { return card_.peers(); }
  bool oversubscribed() const noexcept { return true; }  // Busy polling gains nothing.
  nic_limits limits() const noexcept {
    return {.registered_bytes_max = Options.registered_bytes_max,
            .transfer_bytes_max = Options.transfer_bytes_max,
            .page_bytes = detail::page_bytes,
            .regions_max = Options.regions_max,
            .send_bytes_max = Options.send_bytes_max,
            .send_depth = Options.send_depth,
            .receive_depth = Options.receive_depth,
            .checks_keys = true,
            .reads_pay = Options.reads_pay};
  }
  /// This rank's virtual time.
  std::int64_t now_ns() const noexcept { return card_.now_ns(); }
  /// Advances this rank's virtual time by `ns`: it computes.
  void compute(std::int64_t ns) noexcept { card_.compute(ns); }

  errc register_memory(std::span<std::byte> memory, nic_access access,
                       nic_region& region) noexcept {
    return card_.register_memory(memory, access, region);
  }
  outcome deregister(std::uint64_t handle) noexcept { return card_.deregister(handle); }
  std::uint64_t registered_bytes() const noexcept { return card_.registered_bytes(); }
  std::byte* allocate(std::size_t bytes) noexcept { return detail::zeroed_pages(bytes); }
  void deallocate(std::byte* p) noexcept { platform::deallocate(p); }

  errc connect(peer_id peer, std::span<const std::byte> data) noexcept {
    return card_.connect(peer, data);
  }
  std::span<const std::byte> peer_data(peer_id peer) const noexcept {
    return card_.peer_data(peer);
  }
  void disconnect(peer_id peer) noexcept { card_.disconnect(peer); }

  outcome post_receive(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                       cookie_t cookie) noexcept {
    return card_.post_receive(peer, handle, into, cookie);
  }
  outcome post_send(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                    std::uint32_t immediate, cookie_t cookie) noexcept {
    work w = made(work::kind::send, from, {}, 0, cookie);
    w.immediate = immediate;
    return card_.post(peer, handle, std::move(w));
  }
  outcome post_write(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                     const remote_memory& to, std::uint64_t offset, nic_until until,
                     cookie_t cookie) noexcept {
    work w = made(work::kind::write, from, to, offset, cookie);
    w.until_taken = until == nic_until::taken;
    return card_.post(peer, handle, std::move(w));
  }
  outcome post_write_immediate(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                               const remote_memory& to, std::uint64_t offset, nic_until until,
                               std::uint32_t immediate, cookie_t cookie) noexcept {
    work w = made(work::kind::write, from, to, offset, cookie);
    w.until_taken = until == nic_until::taken;
    w.has_immediate = true;
    w.immediate = immediate;
    return card_.post(peer, handle, std::move(w));
  }
  outcome post_write_then(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                          const remote_memory& to, std::uint64_t offset, const nic_tail& tail,
                          cookie_t cookie) noexcept requires(Options.in_order)
  {
    work w = made(work::kind::write, from, to, offset, cookie);
    w.until_taken = w.has_immediate = true;
    w.immediate = tail.immediate;
    w.tail = tail;
    return card_.post(peer, handle, std::move(w));
  }
  outcome post_read(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                    const remote_memory& from, std::uint64_t offset, cookie_t cookie) noexcept
      requires(Options.reads)
  {
    return card_.post(peer, handle, made(work::kind::read, into, from, offset, cookie));
  }

  /// See AtomicNic. Carried out when it arrives at the peer's card.
  atomic_set atomics() const noexcept requires(Options.atomics)
  {
    return atomic_set::all(Options.atomics_with_cpu);
  }
  outcome post_atomic(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                      const remote_memory& to, std::uint64_t offset, const atomic_access& what,
                      cookie_t cookie) noexcept requires(Options.atomics)
  {
    if (!atomics().has(what.operation, into.size())) return outcome::refused;
    work w = made(work::kind::atomic, into, to, offset, cookie);
    w.access = what;
    return card_.post(peer, handle, std::move(w));
  }

  std::size_t poll(std::span<nic_event> events) noexcept { return card_.poll(events); }
  bool arm() noexcept { return card_.arm(); }
  /// Honours only a short timeout, that of a caller that must retry soon. A rank that sleeps longer
  /// is woken by an event, or the job is deadlocked, which the simulator is to report.
  void sleep(std::int64_t timeout_ns) noexcept { card_.sleep(timeout_ns); }
  void disarm() noexcept {}
  void wake() noexcept { card_.wake(); }

 private:
  static work made(work::kind what, std::span<const std::byte> local, const remote_memory& remote,
                   std::uint64_t offset, cookie_t cookie) {
    work w;
    w.what = what;
    w.local = const_cast<std::byte*>(local.data());
    w.bytes = local.size();
    w.remote = {remote.address + offset, remote.key};
    w.cookie = cookie;
    return w;
  }

  detail::sim_card& card_;
};

/// A card with all features and no memory limit.
using sim = basic_sim<>;

}  // namespace mpx::inline v0::nic

#include "mpx/macros/end.hpp"
