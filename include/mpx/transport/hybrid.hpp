// SPDX-License-Identifier: BSL-1.0
#pragma once
// Combines two transports: ranks that share memory use the near one, all others the far one. Each
// pair is classified when the ranks join.

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpx/bootstrap/detail/bundled.hpp"
#include "mpx/bootstrap/detail/host_group.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/near_sink.hpp"

namespace mpx::inline v0::transport {

/// A transport that keeps the registrations of memory which the program frees only after `disown`.
template <class T>
concept OwnsMemory = requires(T& t, std::span<const std::byte> memory) {
  { t.own(memory) } noexcept -> std::same_as<bool>;
  { t.disown(memory) } noexcept;
};

namespace detail {

/// Two transports of simulated jobs. A rank sleeps in either until an event of any of its ports.
template <class Near, class Far>
concept SimulatedTogether = requires {
  typename Near::bootstrap_type;
  typename Far::bootstrap_type;
  requires std::same_as<typename Near::bootstrap_type, typename Far::bootstrap_type>;
  requires SimulatedBootstrap<typename Near::bootstrap_type>;
};

/// Base of a hybrid transport. It names the bootstrap if both parts are simulated.
template <class Near, class Far>
struct hybrid_base : defaults {
  struct job_type;  // There is none.
};
template <class Near, class Far>
requires SimulatedTogether<Near, Far>
struct hybrid_base<Near, Far> : defaults {
  using bootstrap_type = typename Near::bootstrap_type;
  using job_type = bootstrap_type;
};
/// Stands for host_seat in a simulated job. Reports no failures; the job does.
struct simulated_seat {
  std::uint32_t failure_epoch() const noexcept { return 0; }
  rank_state state(rank_t) const noexcept { return rank_state::joined; }
};

}  // namespace detail

/// `Near` connects ranks that share memory. Its posts never pend. It is constructed from a
/// SharedMemoryBootstrap of the ranks of a host. `Far` connects all other pairs; unless it needs a
/// SharedMemoryBootstrap, its construction takes a fence of the bootstrap. RMA with near peers is
/// that of `Near`, with far peers that of `Far`, if it has any. Shared memory is that of `Near`.
///
/// Fairness: every poll looks at both transports while packets arrive over the far one or while it
/// has something of this rank to send. Otherwise a poll of the far one, which may cost a system
/// call, is due after 5 us, and after at most 16 polls. Polls that are more than one microsecond
/// apart look at both.
///
/// MPX_PRETEND_HOSTS=0,1,... makes ranks behave as if they were on several hosts.
///
/// In a simulated job the hosts are the nodes of its model, and both transports are simulated.
template <Transport Near, Transport Far>
requires((PollableTransport<Near> && PollableTransport<Far>) ||
         detail::SimulatedTogether<Near, Far>) &&
        (!posts_pend<Near>)
class hybrid : public detail::hybrid_base<Near, Far> {
  using base_type = detail::hybrid_base<Near, Far>;
  static constexpr bool far_has_rma = RmaTransport<Far>;
  static constexpr bool simulated = detail::SimulatedTogether<Near, Far>;

 public:
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "hybrid";
  static constexpr transport_traits near_traits = Near::traits;
  static constexpr transport_traits far_traits = Far::traits;
  static constexpr transport_traits traits{
      .inline_bytes_max = near_traits.inline_bytes_max < far_traits.inline_bytes_max
                              ? near_traits.inline_bytes_max
                              : far_traits.inline_bytes_max,
      .packet_bytes_max = near_traits.packet_bytes_max < far_traits.packet_bytes_max
                              ? near_traits.packet_bytes_max
                              : far_traits.packet_bytes_max,
      .layout = (near_traits.layout ^ near_traits.packet_bytes_max) * 0x9e37'79b9'7f4a'7c15u ^
                far_traits.layout,
      .posts_pend = far_traits.posts_pend};

  /// Collective over the ranks of `b`.
  /// Errors:     errc::argument (MPX_PRETEND_HOSTS), errc::bootstrap, errc::no_resources, and those
  ///             of both transports.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, hybrid>) && Bootstrap<B> && (!simulated)
  [[gnu::noinline, gnu::cold]] explicit hybrid(B& b) : hybrid(b, joined<B>(b)) {}
  /// Of a rank of a simulated job.
  explicit hybrid(typename base_type::job_type& b) requires simulated
      : self_(world_peer(b.rank())),
        peers_(world_peer(b.size())),
        far_(b),
        near_(b),
        tells_losses_(false),
        seen_(seat_.failure_epoch()),
        near_of_(static_cast<std::size_t>(b.size()), detail::is_far),
        group_(near_of_.size(), detail::is_far) {
    for (peer_id p = 0; p < peers_; ++p) {
      peer_id first = p == 0 || near_.node_of(p) != near_.node_of(p - 1) ? 0 : node_of_.back();
      while (near_.node_of(first) != near_.node_of(p)) ++first;
      node_of_.push_back(first);
      if (near_.node_of(p) == near_.node_of(self_)) near_of_[p] = group_[p] = p;
    }
  }
  hybrid(hybrid&&) = delete;
  ~hybrid() {
    if (both_ >= 0) ::close(both_);
  }

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  bool oversubscribed() const noexcept { return near_.oversubscribed() || far_.oversubscribed(); }
  bool shares_core() noexcept { return near_.shares_core(); }
  /// See Transport.
  std::int64_t now_ns() const noexcept {
    if constexpr (simulated) return near_.now_ns();
    return platform::now_ns();
  }
  /// Advances the simulated rank's virtual time by `ns` nanoseconds of computation.
  void compute(std::int64_t ns) noexcept requires simulated
  {
    near_.compute(ns);
  }

  /// See NearFarTransport.
  [[MPX_ALWAYS_INLINE]] bool is_near(peer_id peer) const noexcept {
    return near_of_[peer] != detail::is_far;
  }
  /// See NodeTransport.
  peer_id node_of(peer_id peer) const noexcept { return node_of_[peer]; }
  std::size_t packet_bytes_max(peer_id peer) const noexcept {
    return is_near(peer) ? near_traits.packet_bytes_max : far_traits.packet_bytes_max;
  }

  /// See Transport.
  /// Cost:       to a near peer, one load and one branch more than the near transport.
  [[MPX_ALWAYS_INLINE]] outcome post(peer_id peer, const frame_header& header,
                                     std::span<const std::byte> payload, cookie_t cookie) noexcept {
    const peer_id at = near_of_[peer];
    if (at != detail::is_far) [[likely]]
      return near_.post(at, header, payload, cookie);
    return post_far(peer, header, payload, cookie);
  }

  /// See NearFarTransport.
  [[MPX_ALWAYS_INLINE]] outcome post_near(peer_id peer, const frame_header& header,
                                          std::span<const std::byte> payload) noexcept {
    const peer_id at = near_of_[peer];
    if (at == detail::is_far) [[unlikely]]
      return outcome::retry;
    return near_.post(at, header, payload, 0);
  }

  /// See PrepaidTransport. Near peers only.
  std::uint32_t* prepaid_credit(peer_id peer) noexcept requires PrepaidTransport<Near>
  {
    const peer_id at = near_of_[peer];
    return at == detail::is_far ? nullptr : near_.prepaid_credit(at);
  }
  [[MPX_ALWAYS_INLINE]] bool try_post_prepaid(peer_id peer, const frame_header& header,
                                              std::span<const std::byte> payload,
                                              std::uint32_t price) noexcept
      requires PrepaidTransport<Near>
  {
    const peer_id at = near_of_[peer];
    return at != detail::is_far && near_.try_post_prepaid(at, header, payload, price);
  }

  /// See Transport.
  /// Cost:       while no packets pass over the far transport, one counter and one branch more than
  ///             the near transport.
  template <PacketSink Sink>
  [[MPX_ALWAYS_INLINE]] std::size_t poll(Sink& sink) noexcept {
    if (--polls_left_ == 0) [[unlikely]]
      return poll_both(sink);
    detail::near_sink<Sink, false> to{sink, group_.data()};
    return near_.poll(to);
  }

  /// See Transport. Near peers only.
  template <class F>
  [[MPX_ALWAYS_INLINE]] bool take_if(peer_id source, F&& f) noexcept {
    const peer_id at = near_of_[source];
    return at != detail::is_far && near_.take_if(at, std::forward<F>(f));
  }

  // --- Waiting: on the bell of the near transport and the descriptor of the far one --------------

  bool arm() noexcept {
    if (failure_epoch_changed()) {
      polls_left_ = 1;
      return false;
    }
    if (all_near_) return near_.arm();
    return arm_both();
  }
  void sleep(std::int64_t timeout_ns) noexcept {
    if (all_near_) return near_.sleep(timeout_ns);
    if constexpr (simulated) return far_.sleep(timeout_ns);  // Any event of the rank ends it.
    // poll(2) ignores a descriptor of -1.
    pollfd at[2] = {{far_fd_, POLLIN, 0}, {near_fd_, POLLIN, 0}};
    const std::int64_t most = wait_max_ns();
    if (timeout_ns > most) timeout_ns = most;
    const timespec t{static_cast<time_t>(timeout_ns / 1'000'000'000),
                     static_cast<long>(timeout_ns % 1'000'000'000)};
    ::ppoll(at, 2, &t, nullptr);
  }
  /// See Transport. Without a descriptor of one of the two, its events cannot end a sleep.
  std::int64_t wait_max_ns() const noexcept {
    if (all_near_) return near_.wait_max_ns();
    const std::int64_t most = far_.wait_max_ns();
    if constexpr (simulated) return most;
    const bool blind = near_fd_ < 0 || far_fd_ < 0;
    return blind && most > blind_sleep_ns ? blind_sleep_ns : most;
  }
  void disarm() noexcept {
    if (!all_near_) {
      far_.disarm();
      look_far_soon();
    }
    near_.disarm();
  }
  void wake() noexcept {
    if (all_near_ || near_fd_ >= 0) {
      near_.wake();
    } else {
      far_.wake();
    }
  }
  /// See PollableTransport.
  int descriptor() noexcept requires(!simulated)
  {
    if (all_near_) return near_.descriptor();
    if (both_ >= 0) return both_;
    if (near_fd_ < 0) near_fd_ = near_.descriptor();
    if (near_fd_ < 0) return -1;
    both_ = ::epoll_create1(EPOLL_CLOEXEC);
    far_fd_ = far_.descriptor();
    for (const int fd : {near_fd_, far_fd_}) {
      if (fd < 0) continue;
      epoll_event readable{};
      readable.events = EPOLLIN;
      if (both_ >= 0 && ::epoll_ctl(both_, EPOLL_CTL_ADD, fd, &readable) != 0)
        ::close(std::exchange(both_, -1));
    }
    return both_;
  }

  // --- Functions of one of the two transports ----------------------------------------------------

  /// See StreamTransport.
  void cancel_place(peer_id source) noexcept requires StreamTransport<Far>
  {
    if (!is_near(source)) far_.cancel_place(source);
  }
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept
      requires StreamTransport<Far>
  {
    far_.relocate(cookie, from, to);
  }
  /// See Transport. Requires: peer != self().
  void drop_peer(peer_id peer) noexcept {
    if (!is_near(peer)) {
      far_.drop_peer(peer);
      look_far_soon();
      return;
    }
    // A near peer has no pending operation and no placed memory.
    group_[near_of_[peer]] = detail::is_far;
    filters_ = true;
    polls_left_ = 1;
  }

  /// See ConnectionTransport.
  bool has_unsent() const noexcept requires ConnectionTransport<Far>
  {
    return far_.has_unsent();
  }
  bool has_heard_out(peer_id peer) const noexcept requires ConnectionTransport<Far>
  {
    return is_near(peer) || far_.has_heard_out(peer);
  }
  bool is_connected(peer_id peer) const noexcept requires ConnectionTransport<Far>
  {
    return is_near(peer) || far_.is_connected(peer);
  }

  /// The loss of a near peer is seen in the job's memory.
  void monitor(peer_id peer) noexcept requires ConnectionTransport<Far>
  {
    if (peer == self() || is_near(peer)) return;
    far_.monitor(peer);
    look_far_soon();
  }

  /// See RmaTransport, CpuCopyTransport. If the far transport has no RMA, a far peer has no access
  /// to memory, whatever it sends.
  remote_memory expose(peer_id peer, std::span<const std::byte> memory, bool lasts = false) noexcept
      requires RmaTransport<Near>
  {
    if (is_near(peer)) return near_.expose(near_of_[peer], memory, lasts);
    if constexpr (far_has_rma) return far_.expose(peer, memory, lasts);
    return {};
  }
  outcome withdraw(peer_id peer, const remote_memory& memory) noexcept requires RmaTransport<Near>
  {
    if (is_near(peer)) return near_.withdraw(near_of_[peer], memory);
    if constexpr (far_has_rma) return far_.withdraw(peer, memory);
    return outcome::done;
  }
  cost_hint get_cost_hint(peer_id peer, const remote_memory& memory, std::size_t bytes) noexcept
      requires RmaTransport<Near>
  {
    if (is_near(peer)) return near_.get_cost_hint(near_of_[peer], memory, bytes);
    if constexpr (far_has_rma) return far_.get_cost_hint(peer, memory, bytes);
    return cost_hint::never;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept requires RmaTransport<Near>
  {
    if (is_near(peer)) return near_.get(near_of_[peer], memory, offset, into, cookie);
    if constexpr (far_has_rma) {
      look_far_soon();
      return far_.get(peer, memory, offset, into, cookie);
    }
    return outcome::refused;
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept requires RmaTransport<Near>
  {
    if (is_near(peer)) return near_.put(near_of_[peer], memory, offset, from, cookie);
    if constexpr (far_has_rma) {
      look_far_soon();
      return far_.put(peer, memory, offset, from, cookie);
    }
    return outcome::refused;
  }
  /// See ImmediateTransport. Far peers only.
  outcome put_then(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                   std::span<const std::byte> from, const frame_header& header,
                   cookie_t cookie) noexcept requires ImmediateTransport<Far>
  {
    if (is_near(peer)) return outcome::refused;
    look_far_soon();
    return far_.put_then(peer, memory, offset, from, header, cookie);
  }

  /// See AtomicTransport. Far peers only: near ones load and store.
  atomic_set atomics(peer_id peer) const noexcept
      requires RmaTransport<Near> && AtomicTransport<Far>
  {
    return is_near(peer) ? atomic_set{} : far_.atomics(peer);
  }
  outcome atomic(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                 const atomic_access& what, std::span<std::byte> into, cookie_t cookie) noexcept
      requires RmaTransport<Near> && AtomicTransport<Far>
  {
    if (is_near(peer)) return outcome::refused;
    look_far_soon();
    return far_.atomic(peer, memory, offset, what, into, cookie);
  }

  /// See RegisteredTransport. Memory that near peers reach is not registered, but withdrawn.
  outcome retire(peer_id peer, const remote_memory& memory) noexcept
      requires RmaTransport<Near> && RegisteredTransport<Far>
  {
    return is_near(peer) ? near_.withdraw(near_of_[peer], memory) : far_.retire(peer, memory);
  }
  outcome revoke(peer_id peer, const remote_memory& memory) noexcept
      requires RmaTransport<Near> && RegisteredTransport<Far>
  {
    return is_near(peer) ? near_.withdraw(near_of_[peer], memory) : far_.revoke(peer, memory);
  }
  bool prefers_put(peer_id peer) const noexcept requires RegisteredTransport<Far>
  {
    return !is_near(peer) && far_.prefers_put(peer);
  }
  /// Returns shared memory, which near peers copy directly, and which stays registered for far
  /// peers once a message has used it; without shared memory, memory of the far transport.
  void* allocate(std::size_t bytes, std::size_t alignment) requires RegisteredTransport<Far>
  {
    if constexpr (SharedMemoryTransport<Near>) {
      void* const p = near_.allocate_shared(bytes, alignment);
      if constexpr (OwnsMemory<Far>)
        if (!all_near_) static_cast<void>(far_.own({static_cast<std::byte*>(p), bytes}));
      return p;
    } else {
      return far_.allocate(bytes, alignment);
    }
  }
  void deallocate(void* p, std::size_t bytes) noexcept requires RegisteredTransport<Far>
  {
    if constexpr (SharedMemoryTransport<Near>) {
      if constexpr (OwnsMemory<Far>)
        if (!all_near_) far_.disown({static_cast<std::byte*>(p), bytes});
      near_.deallocate_shared(p, bytes);
    } else {
      far_.deallocate(p, bytes);
    }
  }

  /// Requires:   is_near(peer), and get_cost_hint has returned `learn`.
  auto pin_exposure(peer_id peer, const remote_memory& memory, std::size_t bytes) noexcept
      requires CpuCopyTransport<Near>
  {
    return near_.pin_exposure(near_of_[peer], memory, bytes);
  }
  bool get_held(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                std::span<std::byte> into) noexcept requires CpuCopyTransport<Near>
  {
    return near_.get_held(near_of_[peer], memory, offset, into);
  }
  bool get_batch(peer_id peer, const batched_get* gets, std::size_t count) noexcept
      requires CpuCopyTransport<Near>
  {
    return near_.get_batch(near_of_[peer], gets, count);
  }
  std::int64_t maintenance_ns() const noexcept {
    return near_.maintenance_ns() + far_.maintenance_ns();
  }

  /// See SharedMemoryTransport. Near peers only.
  void* allocate_shared(std::size_t bytes, std::size_t alignment)
      requires SharedMemoryTransport<Near>
  {
    return near_.allocate_shared(bytes, alignment);
  }
  void deallocate_shared(void* p, std::size_t bytes) noexcept requires SharedMemoryTransport<Near>
  {
    near_.deallocate_shared(p, bytes);
  }
  std::uint64_t make_block(std::size_t bytes) noexcept requires SharedMemoryTransport<Near>
  {
    return near_.make_block(bytes);
  }
  std::byte* block_at(peer_id owner, std::uint64_t block, std::size_t bytes) noexcept
      requires SharedMemoryTransport<Near>
  {
    return is_near(owner) ? near_.block_at(near_of_[owner], block, bytes) : nullptr;
  }
  void free_block(std::uint64_t block) noexcept requires SharedMemoryTransport<Near>
  {
    near_.free_block(block);
  }
  void wake_peer(peer_id peer) noexcept requires SharedMemoryTransport<Near>
  {
    if (is_near(peer)) near_.wake_peer(near_of_[peer]);
  }

  /// Sends queued packets but receives none: for an owner of several transports that polls only one
  /// of them.
  void progress() noexcept requires requires(Far& far) { far.progress(); }
  {
    far_.progress();
    look_far_soon();
  }
  /// See Transport. Far peers only.
  std::string loss_text(peer_id peer) const {
    return is_near(peer) ? std::string() : far_.loss_text(peer);
  }
  /// The two transports, for tests and tools.
  Near& near() noexcept { return near_; }
  Far& far() noexcept { return far_; }

 private:
  static constexpr std::int64_t blind_sleep_ns = 1'000'000;
  static constexpr std::uint32_t polls_max = 16;
  static constexpr std::int64_t seldom_ns = 1'000;  // Polls further apart than this look at both.
  // Interval between polls of a silent far transport.
  static constexpr std::int64_t silence_ns = 5'000;
  // Silence after which the far transport is polled less often.
  static constexpr std::int64_t lively_ns = 50'000;
  static constexpr unsigned last_polls_max = 1u << 16;

  /// The bootstrap of the far transport. Through a launcher both transports publish their data in
  /// one value.
  template <class B>
  struct joined {
    explicit joined(B& b) {
      if constexpr (SharedMemoryBootstrap<B>) {
        of = &b;
      } else {
        auto made = std::make_shared<type>(b);
        of = made.get();
        owner = std::move(made);
      }
    }
    using type = std::conditional_t<SharedMemoryBootstrap<B>, B, bootstrap::detail::bundled<B>>;
    type* of;
    std::shared_ptr<void> owner;
  };

  template <class B>
  hybrid(B& b, joined<B>&& j)
      : hybrid(b, std::move(j),
               bootstrap::detail::host_group(bootstrap::detail::launcher_owner(
                   new bootstrap::detail::launcher_of<typename joined<B>::type&>(*j.of)))) {}
  template <class B>
  hybrid(B& b, joined<B>&& j, bootstrap::detail::host_group&& found)
      : self_(world_peer(b.rank())),
        peers_(world_peer(b.size())),
        joined_(std::move(j.owner)),
        far_(*j.of),
        seat_(met(found, b), one_process(b), !LivenessBootstrap<B>),
        near_(seat_),
        tells_losses_(!LivenessBootstrap<B>),
        seen_(seat_.failure_epoch()),
        near_of_(static_cast<std::size_t>(b.size()), detail::is_far) {
    rank_t at = 0;
    for (const rank_t r : found.ranks()) {
      near_of_[world_peer(r)] = world_peer(at++);
      group_.push_back(world_peer(r));
    }
    ranks_ = group_;
    for (const rank_t r : found.leaders()) node_of_.push_back(world_peer(r));
    all_near_ = group_.size() == near_of_.size();
  }
  /// Joins the ranks of this host. What they have published is visible after a fence. Far
  /// transports that need no shared memory take one at their construction.
  template <class B>
  static bootstrap::detail::host_group& met(bootstrap::detail::host_group& g, B& b) {
    if constexpr (SharedMemoryBootstrap<B>) b.fence([] {});
    g.meet();
    return g;
  }
  template <class B>
  static bool one_process([[maybe_unused]] const B& b) noexcept {
    if constexpr (SharedMemoryBootstrap<B>) return b.one_process();
    return false;
  }

  [[gnu::noinline]] outcome post_far(peer_id peer, const frame_header& header,
                                     std::span<const std::byte> payload, cookie_t cookie) noexcept {
    look_far_soon();
    return far_.post(peer, header, payload, cookie);
  }
  bool arm_both() noexcept requires(!simulated)
  {
    if (near_fd_ < 0) near_fd_ = near_.descriptor();
    if (!near_.arm()) return false;
    if (far_.arm()) {
      far_fd_ = far_.descriptor();
      return true;
    }
    near_.disarm();
    look_far_soon();
    return false;
  }
  /// The far transport may let virtual time pass, in which packets come over the near one.
  bool arm_both() noexcept requires simulated
  {
    if (!far_.arm()) return false;
    if (near_.arm()) return true;
    far_.disarm();
    return false;
  }
  void look_far_soon() noexcept {
    sent_ = true;
    polls_left_ = 1;
  }

  template <class Sink>
  [[gnu::noinline]] std::size_t poll_both(Sink& sink) noexcept {
    std::size_t n = poll_near(sink);
    if (failure_epoch_changed()) [[unlikely]]
      n += tell_losses(sink);
    if (!all_near_) n += poll_far(sink);
    polls_left_ = filters_ ? 1 : all_near_ ? 1u << 10 : stride_;
    return n;
  }
  template <class Sink>
  std::size_t poll_near(Sink& sink) noexcept {
    if (filters_) [[unlikely]] {
      detail::near_sink<Sink, true> to{sink, group_.data()};
      return near_.poll(to);
    }
    detail::near_sink<Sink, false> to{sink, group_.data()};
    return near_.poll(to);
  }
  /// Polls the far transport if that is due, and updates the stride.
  template <class Sink>
  std::size_t poll_far(Sink& sink) noexcept {
    if constexpr (simulated) return far_.poll(sink);  // No clock but that of the job counts.
    const std::int64_t now = platform::now_ns();
    const bool seldom = now - counted_at_ns_ > stride_ * seldom_ns;
    counted_at_ns_ = now;
    if (std::exchange(sent_, false)) lively_until_ns_ = now + lively_ns;
    std::size_t n = 0;
    if (seldom || now < lively_until_ns_ || now - looked_at_ns_ >= silence_ns) {
      looked_at_ns_ = now;
      n = far_.poll(sink);
      if (n != 0) lively_until_ns_ = now + lively_ns;
    }
    if (seldom || now < lively_until_ns_) {
      stride_ = 1;
    } else if (stride_ < polls_max) {
      stride_ *= 2;
    }
    return n;
  }

  /// True if a near rank has left or died since the last poll of both.
  bool failure_epoch_changed() const noexcept { return seat_.failure_epoch() != seen_; }
  /// Reports the near ranks that have died, each after everything that it had sent. If the job
  /// itself reports deaths (LivenessBootstrap), the engine asks the job, and this does nothing.
  template <class Sink>
  [[gnu::noinline, gnu::cold]] std::size_t tell_losses(Sink& sink) noexcept {
    seen_ = seat_.failure_epoch();
    std::size_t n = 0;
    if (!tells_losses_) return n;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i] == detail::is_far || ranks_[i] == self_ ||
          seat_.state(static_cast<rank_t>(i)) != rank_state::failed)
        continue;
      std::size_t more = 0;
      unsigned polls = 0;
      do {
        n += more = poll_near(sink);
      } while (more != 0 && ++polls < last_polls_max);
      const peer_id peer = std::exchange(ranks_[i], detail::is_far);
      if constexpr (LossSink<Sink>) sink.lost(peer);
    }
    return n;
  }

  // Hot members first.
  std::uint32_t polls_left_ = 1;  // Polls until both transports are polled.
  std::uint32_t stride_ = 1;
  bool filters_ = false;  // True if a near peer was dropped.
  bool sent_ = false;     // True if this rank has used the far transport since its last poll.
  bool all_near_ = false;
  peer_id self_;
  peer_id peers_;
  int near_fd_ = -1;
  int far_fd_ = -1;
  int both_ = -1;
  std::int64_t counted_at_ns_ = 0;
  std::int64_t looked_at_ns_ = 0;
  std::int64_t lively_until_ns_ = 0;
  std::shared_ptr<void> joined_;  // The far transport's bootstrap, if it is not the job's own.
  Far far_;
  std::conditional_t<simulated, detail::simulated_seat, bootstrap::detail::host_seat> seat_;
  Near near_;
  bool tells_losses_;
  std::uint32_t seen_;            // Last failure epoch of the seat that was handled.
  std::vector<peer_id> near_of_;  // By peer: its number within the host, or is_far.
  std::vector<peer_id> group_;  // By number within the host: the peer, or is_far if it was dropped.
  std::vector<peer_id> ranks_;  // As group_, but is_far once the loss of the peer was reported.
  std::vector<peer_id> node_of_;  // By peer: the lowest peer of its host.
};

}  // namespace mpx::inline v0::transport
