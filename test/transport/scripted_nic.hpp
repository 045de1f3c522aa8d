// SPDX-License-Identifier: BSL-1.0
#pragma once
// A card around another that does whatever else the contract allows, from a seed: queues that are
// full for a while, work that pends although it is done, completions that come late and in any
// order, few events at a time; and that fails where its script says so.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mpx/bootstrap/detail/sim_random.hpp>
#include <mpx/transport/rdma/nic.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nic_contract {

/// Planted errors of a card. -1: never.
struct nic_script {
  int registrations = -1;  ///< So many go well; those after them find no resources.
  int posts = -1;          ///< So many go well; then their connection ends, and the count is -1.
  int allocations = -1;    ///< So many go well.
  unsigned retry_one_in = 4;
  unsigned pend_one_in = 2;
  unsigned hold_one_in = 2;
};

template <mpx::Nic N, std::uint64_t Seed = 1>
class scripted_nic {
 public:
  using policy_axis = mpx::nic_axis;
  static constexpr std::string_view name = N::name;
  static constexpr mpx::nic_traits traits = N::traits;

  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, scripted_nic>)
  explicit scripted_nic(B& b) : nic_(b), random_(Seed + nic_.self()) {}

  nic_script script;
  N& inner() noexcept { return nic_; }

  mpx::peer_id self() const noexcept { return nic_.self(); }
  mpx::peer_id peers() const noexcept { return nic_.peers(); }
  mpx::nic_limits limits() const noexcept { return nic_.limits(); }
  bool oversubscribed() const noexcept { return nic_.oversubscribed(); }
  mpx::errc register_memory(std::span<std::byte> m, mpx::nic_access a,
                            mpx::nic_region& r) noexcept {
    if (ends(script.registrations)) return mpx::errc::no_resources;
    return nic_.register_memory(m, a, r);
  }
  mpx::outcome deregister(std::uint64_t handle) noexcept {
    return full() ? mpx::outcome::retry : nic_.deregister(handle);
  }
  std::uint64_t registered_bytes() const noexcept { return nic_.registered_bytes(); }
  std::byte* allocate(std::size_t bytes) noexcept {
    return ends(script.allocations) ? nullptr : nic_.allocate(bytes);
  }
  void deallocate(std::byte* p) noexcept { nic_.deallocate(p); }
  mpx::errc connect(mpx::peer_id peer, std::span<const std::byte> data) noexcept {
    return nic_.connect(peer, data);
  }
  std::span<const std::byte> peer_data(mpx::peer_id peer) const noexcept {
    return nic_.peer_data(peer);
  }
  void disconnect(mpx::peer_id peer) noexcept { nic_.disconnect(peer); }

  mpx::outcome post_receive(mpx::peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                            mpx::cookie_t cookie) noexcept {
    return nic_.post_receive(peer, handle, into, cookie);
  }
  mpx::outcome post_send(mpx::peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                         std::uint32_t immediate, mpx::cookie_t cookie) noexcept {
    return post(peer, cookie,
                [&] { return nic_.post_send(peer, handle, from, immediate, cookie); });
  }
  mpx::outcome post_write(mpx::peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                          const mpx::remote_memory& to, std::uint64_t offset, mpx::nic_until until,
                          mpx::cookie_t cookie) noexcept {
    return post(peer, cookie,
                [&] { return nic_.post_write(peer, handle, from, to, offset, until, cookie); });
  }
  mpx::outcome post_write_immediate(mpx::peer_id peer, std::uint64_t handle,
                                    std::span<const std::byte> from, const mpx::remote_memory& to,
                                    std::uint64_t offset, mpx::nic_until until,
                                    std::uint32_t immediate, mpx::cookie_t cookie) noexcept {
    return post(peer, cookie, [&] {
      return nic_.post_write_immediate(peer, handle, from, to, offset, until, immediate, cookie);
    });
  }
  mpx::outcome post_write_then(mpx::peer_id peer, std::uint64_t handle,
                               std::span<const std::byte> from, const mpx::remote_memory& to,
                               std::uint64_t offset, const mpx::nic_tail& tail,
                               mpx::cookie_t cookie) noexcept requires mpx::ChainingNic<N>
  {
    return post(peer, cookie,
                [&] { return nic_.post_write_then(peer, handle, from, to, offset, tail, cookie); });
  }
  mpx::outcome post_read(mpx::peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                         const mpx::remote_memory& from, std::uint64_t offset,
                         mpx::cookie_t cookie) noexcept requires mpx::ReadingNic<N>
  {
    return post(peer, cookie,
                [&] { return nic_.post_read(peer, handle, into, from, offset, cookie); });
  }

  mpx::atomic_set atomics() const noexcept requires mpx::AtomicNic<N>
  {
    return nic_.atomics();
  }
  mpx::outcome post_atomic(mpx::peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                           const mpx::remote_memory& to, std::uint64_t offset,
                           const mpx::atomic_access& what, mpx::cookie_t cookie) noexcept
      requires mpx::AtomicNic<N>
  {
    return post(peer, cookie,
                [&] { return nic_.post_atomic(peer, handle, into, to, offset, what, cookie); });
  }

  std::size_t poll(std::span<mpx::nic_event> events) noexcept {
    mpx::nic_event found[8];
    const std::size_t n = nic_.poll(std::span(found).first(1 + random_.below(8u)));
    for (std::size_t i = 0; i < n; ++i) take(found[i]);
    while (!held_.empty() && !random_.one_in(script.hold_one_in)) {
      const std::size_t which = random_.below(held_.size());
      out_.push_back(held_[which]);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    std::size_t told = 0;
    for (; told < events.size() && !out_.empty() && (told == 0 || !random_.one_in(3)); ++told) {
      events[told] = out_.front();
      out_.pop_front();
    }
    return told;
  }
  bool arm() noexcept {
    const bool retried = std::exchange(retried_, false);
    return held_.empty() && out_.empty() && !retried && nic_.arm();
  }
  void sleep(std::int64_t timeout_ns) noexcept { nic_.sleep(timeout_ns); }
  void disarm() noexcept { nic_.disarm(); }
  void wake() noexcept { nic_.wake(); }
  std::int64_t now_ns() const noexcept requires mpx::ClockedNic<N>
  {
    return nic_.now_ns();
  }

 private:
  static bool ends(int& count) noexcept { return count >= 0 && (count == 0 || --count < 0); }
  bool full() noexcept {
    if (!random_.one_in(script.retry_one_in)) return false;
    retried_ = true;
    return true;
  }
  template <class Post>
  mpx::outcome post(mpx::peer_id peer, mpx::cookie_t cookie, Post&& inner) noexcept {
    if (script.posts == 0) {
      script.posts = -1;
      nic_.disconnect(peer);
    }
    if (script.posts > 0) --script.posts;
    if (full()) return mpx::outcome::retry;
    const mpx::outcome o = inner();
    if (o != mpx::outcome::done || !random_.one_in(script.pend_one_in)) return o;
    held_.push_back({.kind = mpx::nic_event_kind::sent, .peer = peer, .cookie = cookie});
    return mpx::outcome::pending;
  }
  void take(const mpx::nic_event& e) noexcept {
    if (e.kind == mpx::nic_event_kind::sent) {
      held_.push_back(e);
      return;
    }
    if (e.kind == mpx::nic_event_kind::disconnected) {  // Nothing comes after it.
      std::erase_if(held_, [&](const mpx::nic_event& held) {
        if (held.peer == e.peer) out_.push_back(held);
        return held.peer == e.peer;
      });
    }
    out_.push_back(e);
  }

  N nic_;
  mpx::sim::random random_;
  std::vector<mpx::nic_event> held_;
  std::deque<mpx::nic_event> out_;
  /// A post may succeed now: stays set until the program, which would sleep, has learned it.
  bool retried_ = false;
};

}  // namespace nic_contract
