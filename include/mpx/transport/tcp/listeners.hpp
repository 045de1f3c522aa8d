// SPDX-License-Identifier: BSL-1.0
#pragma once
// Accepted connections that have not proven anything yet: limited in number and time, in memory
// allocated from the start. Those of strangers are dropped and counted. Most kernels let none of
// them in (filter_tcp_listener); elsewhere each costs a few system calls.

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/transport/tcp/handshake.hpp"
#include "mpx/transport/tcp/socket.hpp"

namespace mpx::inline v0::transport::detail {

/// Event counts of the listeners.
struct tcp_door_counters {
  std::uint64_t accepted = 0;   ///< Accepted connections.
  std::uint64_t admitted = 0;   ///< Of these, connections of ranks of the job.
  std::uint64_t strangers = 0;  ///< Of these, connections of others, or without proof in time.
  std::uint64_t pauses = 0;     ///< Pauses for want of a descriptor or a place.
};

/// The listeners of a rank, and connections in the handshake.
class tcp_listeners {
 public:
  static constexpr std::uint32_t places = 64;
  static constexpr std::int64_t patience_ns = 5'000'000'000;
  // A connection that has knocked keeps its place for this time although others wait for it: a rank
  // answers the challenge within it. So each of many ranks that connect at once gets its turn.
  static constexpr std::int64_t answer_ns = 100'000'000;
  static constexpr int accepts_a_look = 64;
  static constexpr unsigned listeners_max = 8;
  static constexpr std::int64_t rest_ns = 50'000'000;       // Pause in a shortage of resources.
  static constexpr std::int64_t shortage_ns = patience_ns;  // Limit: listeners then close.

  /// `knock`: the knock of this rank.
  tcp_listeners(tcp_descriptor listener, tcp_watch& watch, const tcp_knock& knock) noexcept
      : watch_(watch), knock_(knock) {
    also_at(std::move(listener));
  }
  /// Adds a listener. Requires: fewer than `listeners_max` so far.
  void also_at(tcp_descriptor listener) noexcept {
    static_cast<void>(filter_tcp_listener(listener.fd(), knock_));
    // Empties the queue of connections that arrived before the filter was set, since this rank may
    // compute next.
    for (int i = 0; i < SOMAXCONN / accepts_a_look && accept_at(listener); ++i) continue;
    listeners_[listeners_count_++] = std::move(listener);
    if (!listening_) return;
    listen_no_more();
    listen();
  }

  const tcp_door_counters& counters() const noexcept { return counters_; }
  /// True if no connection is in the handshake and the listeners are watched.
  bool quiet() const noexcept { return present_ == 0 && listening_; }

  /// Accepts waiting connections.
  void accept() noexcept {
    for (unsigned i = 0; i < listeners_count_; ++i) accept_at(listeners_[i]);
  }
  /// Starts the handshake on a connected socket.
  void enter(tcp_descriptor s) noexcept {
    end_tcp_filter(s.fd());
    tcp_accepting_handshake handshake(knock_);
    const tcp_step step = hear(s.fd(), handshake, {}, 0, 0);
    if (step == tcp_step::wrong || (step == tcp_step::ready && !challenge(s.fd(), handshake)))
      return count_stranger();
    const std::uint32_t at = free_place(handshake.has_knocked());
    if (at == places || !watch_.add(s.fd(), {tcp_watch::kind::newcomer, at}))
      return count_stranger();
    newcomer& n = all_[at];
    n.handshake = handshake;
    n.socket = std::move(s);
    n.until_ns = platform::now_ns() + patience_ns;
    ++present_;
  }

  /// Continues the handshake of the connection at place `at`. Calls `admit(socket, handshake)` once
  /// the other end has proven its rank. `admit` may take the socket, and returns false if it is a
  /// stranger after all.
  template <class Admit>
  void advance(std::uint32_t at, const tcp_secret& secret, peer_id self, peer_id peers,
               Admit&& admit) noexcept {
    newcomer& n = all_[at];
    if (!n.socket) return;
    const bool is_proof = n.handshake.has_knocked();
    switch (hear(n.socket.fd(), n.handshake, secret, self, peers)) {
      case tcp_step::more: return;
      case tcp_step::wrong: return dismiss(at);
      case tcp_step::ready: break;
    }
    if (!is_proof) {
      if (!challenge(n.socket.fd(), n.handshake)) dismiss(at);
      return;
    }
    --present_;
    tcp_descriptor s = std::move(n.socket);
    n.socket = {};
    if (admit(s, n.handshake)) {
      ++counters_.admitted;
    } else {
      count_stranger();
    }
    watch_.part(s.fd());
  }

  /// Closes the listeners and all connections in the handshake.
  void shut() noexcept {
    for (unsigned i = 0; i < listeners_count_; ++i) watch_.part(listeners_[i].fd());
    for (newcomer& n : all_) watch_.part(n.socket.fd());
  }

  /// Drops connections whose time has passed, and ends pauses. Returns the time of the next such
  /// event; 0: none.
  std::int64_t tick(std::int64_t now) noexcept {
    std::int64_t next = 0;
    const auto wanted = [&next](std::int64_t at) { next = next == 0 || at < next ? at : next; };
    for (std::uint32_t at = 0; present_ != 0 && at < places; ++at) {
      if (!all_[at].socket) continue;
      // Bytes that arrived in time may wait until this rank polls.
      if (all_[at].until_ns <= now && !has_spoken(all_[at].socket.fd())) {
        dismiss(at);
      } else {
        wanted(all_[at].until_ns > now ? all_[at].until_ns : now);
      }
    }
    if (!listening_) {
      if (paused_until_ <= now || (waits_for_place_ && present_ < places)) listen();
      if (!listening_) wanted(paused_until_ > now ? paused_until_ : now + rest_ns);
    }
    return next;
  }

 private:
  struct newcomer {
    tcp_descriptor socket;
    std::int64_t until_ns = 0;
    tcp_accepting_handshake handshake;
  };

  /// Accepts up to `accepts_a_look` connections. Returns true if there may be more.
  bool accept_at(const tcp_descriptor& listener) noexcept {
    for (int i = 0; i < accepts_a_look && listening_ && has_room(); ++i) {
      tcp_descriptor s(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!s) {
        // Pauses, since the event would recur at once while descriptors or memory are out.
        const int why = errno;
        if (is_out_of_descriptors(why) || why == ENOBUFS || why == ENOMEM) run_short(why);
        return why == ECONNABORTED || why == EINTR;
      }
      short_since_ = 0;
      ++counters_.accepted;
      enter(std::move(s));
    }
    return listening_;
  }
  /// Returns false if there is no place until a connection that has knocked has been read, or has
  /// had its time.
  bool has_room() noexcept {
    if (present_ < places) return true;
    const newcomer& oldest = all_[first_to_go()];
    const std::int64_t until = oldest.until_ns - patience_ns + answer_ns;
    if (!oldest.handshake.has_knocked()) return true;
    if (until <= platform::now_ns()) return !has_spoken(oldest.socket.fd());
    rest(until);
    waits_for_place_ = true;
    return false;
  }
  /// Reads at most the rest of the current handshake message.
  static tcp_step hear(int fd, tcp_accepting_handshake& by, const tcp_secret& secret, peer_id self,
                       peer_id peers) noexcept {
    const std::span<std::byte> rest = by.rest();
    const ssize_t got = ::recv(fd, rest.data(), rest.size(), MSG_DONTWAIT);
    if (got > 0) return by.added(static_cast<std::size_t>(got), secret, self, peers);
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? tcp_step::more : tcp_step::wrong;
  }
  static bool challenge(int fd, const tcp_accepting_handshake& by) noexcept {
    prepare_tcp_socket(fd);
    const tcp_challenge c = by.challenge();
    return ::send(fd, &c, sizeof c, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof c;
  }
  /// True if unread bytes have arrived.
  static bool has_spoken(int fd) noexcept {
    std::byte b;
    return ::recv(fd, &b, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  /// Handles a lack of descriptors or memory. Peers that connect would wait for as long as this
  /// kernel answers for this rank. So a lasting shortage closes the listeners: then peers learn
  /// that they cannot reach this rank.
  [[gnu::noinline, gnu::cold]] void run_short(int why) noexcept {
    const std::int64_t now = platform::now_ns();
    if (is_out_of_descriptors(why)) tell_of_no_descriptors(why);
    if (short_since_ == 0 || now - short_at_ > shortage_ns / 2) short_since_ = now;
    short_at_ = now;
    rest(now + rest_ns);
    if (now - short_since_ < shortage_ns) return;
    for (unsigned i = 0; i < listeners_count_; ++i) listeners_[i].close();
    listeners_count_ = 0;
    listening_ = true;  // Of no listeners.
  }
  /// Watches all listeners, or none if one cannot be watched.
  void listen() noexcept {
    listening_ = true;
    waits_for_place_ = false;
    for (unsigned i = 0; i < listeners_count_; ++i)
      listening_ = listening_ && watch_.add(listeners_[i].fd(), {tcp_watch::kind::listener, 0});
    if (!listening_) listen_no_more();
  }
  void listen_no_more() noexcept {
    listening_ = false;
    for (unsigned i = 0; i < listeners_count_; ++i) watch_.remove(listeners_[i].fd());
  }

  /// Returns a free place, or evicts a connection for it. Returns `places` if there is none: a
  /// connection that has not knocked evicts none that has.
  std::uint32_t free_place(bool for_one_that_has_knocked) noexcept {
    if (present_ < places)
      for (std::uint32_t at = 0;; ++at)
        if (!all_[at].socket) return at;
    const std::uint32_t at = first_to_go();
    if (all_[at].handshake.has_knocked() && !for_one_that_has_knocked) return places;
    dismiss(at);
    return at;
  }
  /// The oldest connection of those that have not knocked; of all, if all have. Requires: all
  /// places are taken.
  std::uint32_t first_to_go() const noexcept {
    std::uint32_t first = 0;
    for (std::uint32_t at = 1; at < places; ++at) {
      const bool knocked = all_[at].handshake.has_knocked();
      const bool sooner = knocked == all_[first].handshake.has_knocked()
                              ? all_[at].until_ns < all_[first].until_ns
                              : !knocked;
      if (sooner) first = at;
    }
    return first;
  }
  void dismiss(std::uint32_t at) noexcept {
    watch_.part(all_[at].socket.fd());
    all_[at].socket.close();
    --present_;
    count_stranger();
  }
  void count_stranger() noexcept { ++counters_.strangers; }
  void rest(std::int64_t until) noexcept {
    ++counters_.pauses;
    listen_no_more();
    paused_until_ = until;
  }

  std::array<tcp_descriptor, listeners_max> listeners_;
  unsigned listeners_count_ = 0;
  tcp_watch& watch_;
  tcp_knock knock_;
  bool listening_ = true;
  std::uint32_t present_ = 0;
  std::int64_t paused_until_ = 0;
  bool waits_for_place_ = false;
  std::int64_t short_since_ = 0;  // First and last time of the current shortage
  std::int64_t short_at_ = 0;     // of descriptors or memory; 0: none.
  tcp_door_counters counters_;
  std::array<newcomer, places> all_;
};

}  // namespace mpx::inline v0::transport::detail
