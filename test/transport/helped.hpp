// SPDX-License-Identifier: BSL-1.0
#pragma once
// Over sockets, what a rank has accepted may wait for its next call. The suites drive several ranks
// from one thread and poll only the one that receives: here, whichever is polled, posts or is about
// to sleep, the others of the process move on first, as ranks that wait somewhere would.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mpx/transport/concepts.hpp>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace helped_transport {

/// Of T it needs `progress()` and `state_of(peer)` beyond Transport.
template <mpx::Transport T>
class helped : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = T::name;
  static constexpr mpx::transport_traits traits = T::traits;

  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, helped>)
  explicit helped(B& b) : lower_(b) {
    const std::lock_guard lock(registry().mutex);
    registry().all.push_back(this);
  }
  helped(const helped&) = delete;
  helped& operator=(const helped&) = delete;
  ~helped() {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().all, this);
  }

  /// Time for which a post waits for the connection that it begins, if that takes time.
  static inline std::chrono::milliseconds connecting_max{0};

  T& lower() noexcept { return lower_; }
  mpx::peer_id self() const noexcept { return lower_.self(); }
  mpx::peer_id peers() const noexcept { return lower_.peers(); }
  bool oversubscribed() const noexcept { return lower_.oversubscribed(); }

  mpx::outcome post(mpx::peer_id peer, const mpx::frame_header& header,
                    std::span<const std::byte> payload, mpx::cookie_t cookie) noexcept {
    mpx::outcome o;
    {
      const std::lock_guard lock(mutex_);
      // The kernel may find room by itself: here, it does so after a poll.
      if (full_at_ == looks().load()) return mpx::outcome::retry;
      o = lower_.post(peer, header, payload, cookie);
      if (o == mpx::outcome::retry) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        lower_.progress();
        o = lower_.post(peer, header, payload, cookie);
      }
      if (o == mpx::outcome::retry) full_at_ = looks().load();
    }
    if (peer == self() && o != mpx::outcome::retry) return o;
    const bool was_open = is_open(peer);
    const auto limit = std::chrono::steady_clock::now() + connecting_max;
    for (int i = 0; !is_open(peer) && (i < 200 || std::chrono::steady_clock::now() < limit); ++i)
      help_all();
    if (o != mpx::outcome::retry || was_open) return o;
    const std::lock_guard lock(mutex_);
    full_at_ = 0;
    return lower_.post(peer, header, payload, cookie);
  }
  template <mpx::PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    ++looks();
    help_all();
    const std::lock_guard lock(mutex_);
    polling_ = true;
    const std::size_t n = lower_.poll(sink);
    polling_ = false;
    return n;
  }
  bool take_if(mpx::peer_id source, auto&& wanted) noexcept {
    ++looks();
    help_all();
    const std::lock_guard lock(mutex_);
    return lower_.take_if(source, wanted);
  }
  bool arm() noexcept {
    ++looks();
    help_all();
    const std::lock_guard lock(mutex_);
    return lower_.arm();
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    lower_.sleep(timeout_ns);
    ++looks();
  }
  void disarm() noexcept {
    const std::lock_guard lock(mutex_);
    lower_.disarm();
  }
  void wake() noexcept { lower_.wake(); }
  int descriptor() noexcept requires mpx::PollableTransport<T>
  {
    return lower_.descriptor();
  }
  void cancel_place(mpx::peer_id source) noexcept requires mpx::StreamTransport<T>
  {
    lower_.cancel_place(source);
  }
  void relocate(mpx::cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept
      requires mpx::StreamTransport<T>
  {
    lower_.relocate(cookie, from, to);
  }
  void drop_peer(mpx::peer_id peer) noexcept {
    const std::lock_guard lock(mutex_);
    lower_.drop_peer(peer);
  }

 private:
  struct registered {
    std::mutex mutex;
    std::vector<helped*> all;
  };
  static registered& registry() {
    static registered r;
    return r;
  }
  static std::atomic<std::uint64_t>& looks() {
    static std::atomic<std::uint64_t> n{1};
    return n;
  }
  bool is_open(mpx::peer_id peer) {
    const std::lock_guard lock(mutex_);
    return lower_.state_of(peer) >= std::remove_cvref_t<decltype(lower_.state_of(peer))>::open;
  }
  static void help_all() {
    const std::unique_lock lock(registry().mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;  // Another thread is at it.
    for (helped* const h : registry().all) {
      const std::unique_lock own(h->mutex_, std::try_to_lock);
      if (own.owns_lock() && !h->polling_) h->lower_.progress();
    }
  }

  std::recursive_mutex mutex_;
  bool polling_ = false;
  std::uint64_t full_at_ = 0;
  T lower_;
};

}  // namespace helped_transport
