// SPDX-License-Identifier: BSL-1.0
#pragma once
// Connections that have come in and have not proven anything yet: so many at once, for so long, in
// memory that is there from the start. Those of strangers are dropped and counted. Most kernels let
// none of them in (filter_tcp_listener); elsewhere each takes a few system calls.

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "mpx/core/platform.hpp"
#include "mpx/transport/tcp/handshake.hpp"
#include "mpx/transport/tcp/socket.hpp"

namespace mpx::inline v0::transport::detail {

/// What the listener has seen.
struct tcp_door_counters {
  std::uint64_t accepted = 0;   ///< Connections that came in,
  std::uint64_t admitted = 0;   ///< of these, of ranks of the job,
  std::uint64_t strangers = 0;  ///< and of nobody that belongs here, or of nobody in time.
  std::uint64_t pauses = 0;     ///< Times at which no descriptor or place was left for more.
};

class tcp_newcomers {
 public:
  static constexpr std::uint32_t places = 64;
  static constexpr std::int64_t patience_ns = 5'000'000'000;
  // A connection that has knocked keeps its place for so long, in which a rank answers, although
  // others wait for it: of many ranks that call at once each is heard.
  static constexpr std::int64_t answer_ns = 100'000'000;
  static constexpr int accepts_a_look = 64;
  static constexpr unsigned listeners_max = 8;
  static constexpr std::int64_t rest_ns = 50'000'000;       // Where the machine has nothing left,
  static constexpr std::int64_t shortage_ns = patience_ns;  // and until nobody is to wait for more.

  /// `knock`: that of this rank.
  tcp_newcomers(tcp_descriptor listener, tcp_watch& watch, const tcp_knock& knock) noexcept
      : watch_(watch), knock_(knock) {
    also_at(std::move(listener));
  }
  /// Listens there, too. Requires: fewer than `listeners_max` so far.
  void also_at(tcp_descriptor listener) noexcept {
    static_cast<void>(filter_tcp_listener(listener.fd(), knock_));
    // Those that came before that leave the queue: this rank may compute first.
    for (int i = 0; i < SOMAXCONN / accepts_a_look && accept_at(listener); ++i) continue;
    listeners_[listeners_count_++] = std::move(listener);
    if (!listening_) return;
    listen_no_more();
    listen();
  }

  const tcp_door_counters& counters() const noexcept { return counters_; }
  bool quiet() const noexcept { return present_ == 0 && listening_; }

  /// Takes in who stands at the door.
  void accept() noexcept {
    for (unsigned i = 0; i < listeners_count_; ++i) accept_at(listeners_[i]);
  }
  /// The same, for a socket that is connected already.
  void enter(tcp_descriptor s) noexcept {
    end_tcp_filter(s.fd());
    tcp_acceptor handshake(knock_);
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

  /// Bytes have come from the one at a place. Calls `admit(socket, handshake)` for who has proven
  /// to belong here; it may take the socket, and returns whether he does.
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

  /// Nobody is let in any more, and nobody waits.
  void shut() noexcept {
    for (unsigned i = 0; i < listeners_count_; ++i) watch_.part(listeners_[i].fd());
    for (newcomer& n : all_) watch_.part(n.socket.fd());
  }

  /// Ends what has lasted too long. Returns when that is next to be looked at; 0: it need not.
  std::int64_t tick(std::int64_t now) noexcept {
    std::int64_t next = 0;
    const auto wanted = [&next](std::int64_t at) { next = next == 0 || at < next ? at : next; };
    for (std::uint32_t at = 0; present_ != 0 && at < places; ++at) {
      if (!all_[at].socket) continue;
      // What it has said in time may wait until this rank looks.
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
    tcp_acceptor handshake;
  };

  /// Takes in so many. Returns whether there may be more.
  bool accept_at(const tcp_descriptor& listener) noexcept {
    for (int i = 0; i < accepts_a_look && listening_ && has_room(); ++i) {
      tcp_descriptor s(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!s) {
        // Without descriptors or memory it would be asked again and again.
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
  /// False: there is none until one of those that have knocked has been heard, or has had its time.
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
  /// Reads what the other end says, as far as it is part of one message.
  static tcp_step hear(int fd, tcp_acceptor& by, const tcp_secret& secret, peer_id self,
                       peer_id peers) noexcept {
    const std::span<std::byte> rest = by.rest();
    const ssize_t got = ::recv(fd, rest.data(), rest.size(), MSG_DONTWAIT);
    if (got > 0) return by.added(static_cast<std::size_t>(got), secret, self, peers);
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? tcp_step::more : tcp_step::wrong;
  }
  static bool challenge(int fd, const tcp_acceptor& by) noexcept {
    prepare_tcp_socket(fd);
    const tcp_challenge c = by.challenge();
    return ::send(fd, &c, sizeof c, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof c;
  }
  static bool has_spoken(int fd) noexcept {
    std::byte b;
    return ::recv(fd, &b, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  }
  /// Who calls would wait as long as this kernel answers for this rank. So a lasting shortage ends
  /// that: with nobody listening they know that they cannot reach this rank.
  [[gnu::noinline, gnu::cold]] void run_short(int why) noexcept {
    const std::int64_t now = platform::now_ns();
    if (is_out_of_descriptors(why)) tell_of_no_descriptors(why);
    if (short_since_ == 0 || now - short_at_ > shortage_ns / 2) short_since_ = now;
    short_at_ = now;
    rest(now + rest_ns);
    if (now - short_since_ < shortage_ns) return;
    for (unsigned i = 0; i < listeners_count_; ++i) listeners_[i].close();
    listeners_count_ = 0;
    listening_ = true;  // To all of none.
  }
  /// All of them, or none is watched.
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

  /// A place that is free, or that of who has to go for it. `places`: for one that has not knocked
  /// nobody has to who has.
  std::uint32_t free_place(bool for_one_that_has_knocked) noexcept {
    if (present_ < places)
      for (std::uint32_t at = 0;; ++at)
        if (!all_[at].socket) return at;
    const std::uint32_t at = first_to_go();
    if (all_[at].handshake.has_knocked() && !for_one_that_has_knocked) return places;
    dismiss(at);
    return at;
  }
  /// The one that has been here longest of those that have not knocked; of all, if all have.
  /// Requires: all places are taken.
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
  std::int64_t short_since_ = 0;  // When there was nothing left for who came in, first
  std::int64_t short_at_ = 0;     // and last; 0: there is now.
  tcp_door_counters counters_;
  std::array<newcomer, places> all_;
};

}  // namespace mpx::inline v0::transport::detail
