// SPDX-License-Identifier: BSL-1.0
#pragma once
// A rank's connections: made on first use, watched by one descriptor, and what was posted on each
// in order. Everything of transport tcp that does not depend on who takes the packets.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpx/core/memory.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/tcp/newcomers.hpp"
#include "mpx/transport/tcp/outgoing.hpp"
#include "mpx/transport/tcp/reader.hpp"

namespace mpx::inline v0::transport::detail {

/// Where a connection to a peer stands.
enum class tcp_state : std::uint8_t {
  idle,      ///< There is none, or an attempt has failed and is repeated later.
  greeting,  ///< This rank has called, and proves who it is.
  crossed,   ///< Both have called: the other one's attempt will be the connection.
  open,      ///< Packets pass.
  left,      ///< The peer has said goodbye: what is posted vanishes.
  lost,      ///< It broke.
  dropped,   ///< Nothing is wanted of it any more.
};

/// One peer that this rank has to do with.
struct tcp_link : mpx::detail::allocated {
  explicit tcp_link(peer_id p) noexcept : peer(p) {}
  peer_id peer;
  tcp_state state = tcp_state::idle;
  bool blocked = false;          // The kernel has no room: the watch tells when it has.
  bool listed = false;           // In `unsent_`.
  bool serving = false;          // In `serving_`.
  bool starved = false;          // A post was told `retry`.
  bool mute = false;             // What is written does not arrive; what has come is still read.
  bool told = false;             // That it was lost.
  std::uint64_t written_at = 0;  // Which poll was the last before it was written to.
  std::uint64_t roomy_at = 0;    // Which news tell that there is room again.
  tcp_descriptor socket;
  tcp_reader in;
  tcp_outgoing out;
  std::optional<tcp_connector> call;
  unsigned calls = 0;
  std::int64_t call_at_ns = 0;
};

/// What has happened, for tests and tools.
struct tcp_counters {
  std::uint64_t calls = 0;      ///< Connections that this rank has tried to make.
  std::uint64_t crossed = 0;    ///< Of these, given up for the peer's own.
  std::uint64_t opened = 0;     ///< Connections that carry packets, now or earlier.
  std::uint64_t writes = 0;     ///< System calls that wrote packets.
  std::uint64_t referred = 0;   ///< Payloads that waited where the caller had them.
  std::uint64_t copied = 0;     ///< Packets that waited as a copy.
  std::uint64_t coalesced = 0;  ///< Of these, those that could have been written at once.
  std::uint64_t looks = 0;      ///< Looks at all connections.
};

class tcp_wires {
 public:
  static constexpr unsigned calls_max = 16;
  static constexpr std::size_t copy_bytes_max = 4096;  // Longer ones wait where they are.
  static constexpr std::size_t coalesced_bytes_max = 16 * 1024;

  tcp_wires(peer_id self, peer_id peers, const tcp_secret& secret,
            std::vector<tcp_endpoint> endpoints, tcp_descriptor listener, bool pends,
            int kernel_bytes)
      : self_(self),
        peers_(peers),
        pends_(pends),
        kernel_bytes_(kernel_bytes),
        secret_(secret),
        endpoints_(std::move(endpoints)),
        links_(endpoints_.size()),
        newcomers_(std::move(listener), watch_) {}
  tcp_wires(const tcp_wires&) = delete;
  tcp_wires& operator=(const tcp_wires&) = delete;
  ~tcp_wires() {
    const bool parent = ::getpid() == pid_;  // A forked child is nobody, and says nothing.
    for (tcp_link* l : links_) {
      if (l == nullptr) continue;
      if (parent && l->state == tcp_state::open) say_goodbye(*l);
      delete l;
    }
  }

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  const tcp_counters& counters() const noexcept { return counters_; }
  const tcp_door_counters& door() const noexcept { return newcomers_.counters(); }
  const tcp_endpoint& endpoint() const noexcept { return endpoints_[self_]; }
  tcp_state state_of(peer_id peer) const noexcept {
    return links_[peer] == nullptr ? tcp_state::idle : links_[peer]->state;
  }
  tcp_watch& watch() noexcept { return watch_; }
  tcp_link* find(peer_id peer) noexcept { return links_[peer]; }
  tcp_queue<tcp_completion>& completions() noexcept { return completions_; }
  tcp_queue<peer_id>& lost() noexcept { return lost_; }
  tcp_queue<peer_id>& serving() noexcept { return serving_; }
  /// Whether a post that was told `retry` may succeed now, and has not been repeated since.
  bool has_news() const noexcept { return roomy_ != 0; }
  bool take_news() noexcept {
    ++news_;
    return std::exchange(roomy_, 0) != 0;
  }
  /// A poll begins: what was posted before it leaves now.
  void begin_poll() noexcept {
    ++polls_;
    if (!unsent_.empty()) send_unsent();
  }
  /// Whether something besides open connections is to be looked after.
  bool uneasy() const noexcept { return attention_ != 0 || !newcomers_.quiet(); }

  // --- Posting -----------------------------------------------------------------------------------

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    tcp_link* l = links_[peer];
    if (l == nullptr && (l = make(peer)) == nullptr) return outcome::refused;
    if (l->roomy_at == news_) [[unlikely]] {
      l->roomy_at = 0;
      --roomy_;
    }
    const tcp_frame f{static_cast<std::uint32_t>(payload.size()), header};
    std::size_t written = 0;
    if (l->state == tcp_state::open) {
      if (l->mute) return outcome::done;  // That it is lost is told by the next poll.
      if (l->out.empty() &&
          (l->written_at != polls_ || !pends_ || payload.size() > copy_bytes_max)) {
        l->written_at = polls_;
        ++counters_.writes;
        iovec pieces[2] = {piece_of(&f, sizeof f), piece_of(payload.data(), payload.size())};
        const ssize_t n = tcp_write(l->socket.fd(), pieces, payload.empty() ? 1 : 2);
        if (n < 0) {
          silence(*l);
          return outcome::done;
        }
        written = static_cast<std::size_t>(n);
        if (written == sizeof f + payload.size()) return outcome::done;
        block(*l);
      }
    } else if (l->state == tcp_state::left) {
      return outcome::done;
    } else if (l->state > tcp_state::open) {
      return outcome::refused;
    } else if (l->state == tcp_state::idle && l->call_at_ns == 0) {
      call(*l);
      if (l->state == tcp_state::lost) return outcome::done;
    }
    return keep(*l, f, payload, written, cookie);
  }

  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (tcp_link* l : links_)
      if (l != nullptr && !l->out.empty()) l->out.relocate(cookie, from, to);
  }
  void drop(peer_id peer) noexcept {
    tcp_link* l = links_[peer];
    if (l == nullptr && (l = make(peer)) == nullptr) return;
    if (l->state == tcp_state::open && !l->mute && l->out.empty()) say_goodbye(*l);
    close(*l, tcp_state::dropped);
    l->told = true;
  }
  void cancel_place(peer_id source) noexcept {
    if (tcp_link* const l = links_[source]) l->in.cancel_place();
  }

  // --- Looking -----------------------------------------------------------------------------------

  /// Reads what has come on all connections, if `reads`, and moves on those that are being made.
  void look(bool reads = true) noexcept {
    ++counters_.looks;
    watch_.look([this, reads](tcp_watch::event e, bool writable) {
      switch (e.what) {
        case tcp_watch::kind::link: return on_link(e.which, writable, reads);
        case tcp_watch::kind::newcomer: return on_newcomer(e.which);
        case tcp_watch::kind::listener: return newcomers_.accept();
        case tcp_watch::kind::wake: return watch_.quiet_wake();
        case tcp_watch::kind::timer: return watch_.quiet_timer();
      }
    });
    if (uneasy()) tick();
  }
  /// Reads what has come on one. Returns whether that was anything.
  bool look_at(tcp_link& l) noexcept {
    if (!l.in.fill(l.socket.fd())) return false;
    serve(l);
    return true;
  }
  void serve(tcp_link& l) noexcept {
    if (l.serving) return;
    l.serving = true;
    serving_.push(l.peer);
  }
  /// The connection has come to its end, by a goodbye or without one.
  void end(tcp_link& l, bool well) noexcept { close(l, well ? tcp_state::left : tcp_state::lost); }

 private:
  tcp_link* make(peer_id peer) noexcept {
    auto* const l = new (std::nothrow) tcp_link(peer);
    // Each stands in a list once at most: its places are kept for it.
    if (l != nullptr && lost_.reserve(made_ + 1) && serving_.reserve(made_ + 1) &&
        unsent_.reserve(made_ + 1)) {
      ++made_;
      return links_[peer] = l;
    }
    delete l;
    return nullptr;
  }

  outcome keep(tcp_link& l, const tcp_frame& f, std::span<const std::byte> payload,
               std::size_t written, cookie_t cookie) noexcept {
    const bool copies = !pends_ || payload.size() <= copy_bytes_max;
    const std::size_t bytes = copies ? sizeof f + payload.size() : 0;
    if (written == 0 && !l.out.has_room(l.out.empty() ? 0 : bytes)) {
      l.starved = false;  // Whoever posts finds out by himself.
      if (l.state == tcp_state::open) send(l);
      if (l.mute) return outcome::done;
      if (!l.out.has_room(l.out.empty() ? 0 : bytes)) {
        l.starved = true;
        return outcome::retry;
      }
    }
    const bool kept = completions_.reserve(told_max_ + 1 - completions_.size()) &&
                      (copies ? l.out.copy(f, payload, written, pends_, cookie)
                              : l.out.refer(f, payload, written, cookie));
    if (!kept) {
      if (written == 0) return outcome::retry;
      silence(l);  // Half a packet without memory for the rest.
      return outcome::done;
    }
    ++(copies ? counters_.copied : counters_.referred);
    if (!pends_) return written_later(l, outcome::done);
    ++told_max_;
    return written_later(l, outcome::pending);
  }
  outcome written_later(tcp_link& l, outcome o) noexcept {
    if (l.state == tcp_state::open && !l.blocked) {
      ++counters_.coalesced;
      if (l.out.copied_bytes() >= coalesced_bytes_max) {
        send(l);
      } else {
        list(l);
      }
    }
    return o;
  }
  void list(tcp_link& l) noexcept {
    if (l.listed) return;
    l.listed = true;
    unsent_.push(l.peer);
  }
  void send_unsent() noexcept {
    for (std::size_t n = unsent_.size(); n != 0; --n) {
      tcp_link& l = *links_[unsent_.front()];
      unsent_.pop();
      l.listed = false;
      if (l.state == tcp_state::open && !l.blocked) send(l);
    }
  }
  void send(tcp_link& l) noexcept {
    if (l.out.empty() || l.mute) return;
    ++counters_.writes;
    l.written_at = polls_;
    switch (l.out.flush(l.socket.fd(), completions_)) {
      case tcp_written::all: unblock(l); break;
      case tcp_written::blocked: block(l); break;
      case tcp_written::broken: return silence(l);
    }
    if (l.out.has_room(copy_bytes_max)) feed(l);
  }
  void feed(tcp_link& l) noexcept {
    if (!std::exchange(l.starved, false) || l.roomy_at == news_) return;
    l.roomy_at = news_;
    ++roomy_;
  }
  void block(tcp_link& l) noexcept {
    if (l.blocked) return;
    l.blocked = true;
    ++attention_;
    watch_.change(l.socket.fd(), {tcp_watch::kind::link, l.peer}, true);
  }
  void unblock(tcp_link& l) noexcept {
    if (!l.blocked) return;
    l.blocked = false;
    --attention_;
    watch_.change(l.socket.fd(), {tcp_watch::kind::link, l.peer}, false);
  }
  /// It cannot be written to any more. What it has sent is still read: its end comes after that.
  void silence(tcp_link& l) noexcept {
    unblock(l);
    l.mute = true;
    l.out.fail(completions_);
    feed(l);
    if (!l.in.ended()) serve(l);
  }

  // --- Connections that are being made -----------------------------------------------------------

  void call(tcp_link& l) noexcept {
    ++counters_.calls;
    ++attention_;
    l.call_at_ns = 0;
    l.state = tcp_state::greeting;
    l.call.emplace(self_, l.peer);
    l.socket = connect_tcp(endpoints_[self_], endpoints_[l.peer], kernel_bytes_);
    if (!l.socket || !watch_.add(l.socket.fd(), {tcp_watch::kind::link, l.peer})) hang_up(l, errno);
  }
  /// An attempt has failed. It is repeated where that may help.
  void hang_up(tcp_link& l, int why) noexcept {
    --attention_;
    l.socket.close();
    l.call.reset();
    const bool hopeless = why == ECONNREFUSED || why == ENETUNREACH || why == EHOSTUNREACH ||
                          why == ETIMEDOUT || why == EACCES || why == EPERM;
    if (hopeless || ++l.calls >= calls_max) return close(l, tcp_state::lost);
    const unsigned shift = l.calls < 10 ? l.calls : 10;
    l.state = tcp_state::idle;
    l.call_at_ns = platform::now_ns() + (std::int64_t{1'000'000} << shift);
    ++attention_;  // Until it is repeated.
    ++calling_later_;
  }
  void forget_later_call(tcp_link& l) noexcept {
    if (l.call_at_ns == 0) return;
    l.call_at_ns = 0;
    --attention_;
    --calling_later_;
  }
  void on_greeting(tcp_link& l) noexcept {
    const std::span<std::byte> rest = l.call->rest();
    const ssize_t n = ::recv(l.socket.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return hang_up(l, n < 0 ? errno : 0);
    const tcp_step s = l.call->added(static_cast<std::size_t>(n), secret_);
    if (s == tcp_step::more) return;
    if (s == tcp_step::wrong) return hang_up(l, EACCES);  // A stranger has that address now.
    if (!l.call->is_judged()) {
      const tcp_hello h = l.call->hello(secret_);
      if (::send(l.socket.fd(), &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof h)
        hang_up(l, 0);
      return;
    }
    --attention_;
    const bool open = l.call->verdict() == tcp_verdict::open;
    l.call.reset();
    if (open) return opened(l);
    ++counters_.crossed;
    l.socket.close();
    l.state = tcp_state::crossed;
  }
  void opened(tcp_link& l) noexcept {
    l.state = tcp_state::open;
    set_tcp_patience(l.socket.fd(), 0);  // From now on a receiver may compute for longer.
    ++counters_.opened;
    if (!l.in.begin()) return close(l, tcp_state::lost);
    send(l);
  }
  void on_newcomer(std::uint32_t at) noexcept {
    newcomers_.advance(
        at, secret_, self_, peers(),
        [this](tcp_descriptor s, const tcp_acceptor& who) { admit(std::move(s), who); });
  }
  /// Of two attempts that cross, the one of the lower rank becomes the connection.
  void admit(tcp_descriptor s, const tcp_acceptor& who) noexcept {
    tcp_link* l = links_[who.from()];
    if (l == nullptr && (l = make(who.from())) == nullptr) return;
    if (l->state > tcp_state::crossed) return;  // There is one, or nothing is wanted of it.
    const bool mine = l->state == tcp_state::greeting && self_ < who.from();
    const tcp_answer a =
        who.answer(mine ? tcp_verdict::crossed : tcp_verdict::open, secret_, self_);
    if (::send(s.fd(), &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof a || mine) return;
    forget_later_call(*l);
    if (l->state == tcp_state::greeting) {
      --attention_;
      ++counters_.crossed;
      l->call.reset();
      l->socket.close();
    }
    if (!watch_.change(s.fd(), {tcp_watch::kind::link, l->peer}, false))
      return close(*l, tcp_state::lost);
    l->socket = std::move(s);
    opened(*l);
  }

  void on_link(peer_id peer, bool writable, bool reads) noexcept {
    tcp_link& l = *links_[peer];
    if (l.state == tcp_state::greeting) return on_greeting(l);
    if (l.state != tcp_state::open) return;
    if (writable && l.blocked) send(l);
    if (reads) look_at(l);
  }
  /// What is due by the clock.
  void tick() noexcept {
    const std::int64_t now = platform::now_ns();
    std::int64_t next = newcomers_.tick(now);
    if (calling_later_ != 0) {
      for (tcp_link* l : links_) {
        if (l == nullptr || l->call_at_ns == 0) continue;
        if (l->call_at_ns <= now) {
          forget_later_call(*l);
          call(*l);
        } else if (next == 0 || l->call_at_ns < next) {
          next = l->call_at_ns;
        }
      }
    }
    watch_.set_timer(next);
  }

  // --- Ends --------------------------------------------------------------------------------------

  void close(tcp_link& l, tcp_state s) noexcept {
    if (l.state == tcp_state::greeting && l.call) --attention_;
    forget_later_call(l);
    if (l.blocked) {
      l.blocked = false;
      --attention_;
    }
    l.state = s;
    l.call.reset();
    l.out.fail(completions_);
    feed(l);
    l.in.clear();
    l.socket.close();
    if (s == tcp_state::lost) lost_.push(l.peer);
  }
  /// Best effort: what has been posted is with the kernel, if it has room; so is the goodbye. What
  /// has come and nobody will read would make the kernel reset the connection.
  void say_goodbye(tcp_link& l) noexcept {
    if (l.mute) return;
    if (!l.out.empty()) send(l);
    if (!l.out.empty() || l.mute) return;
    tcp_frame f{tcp_goodbye, {}};
    iovec piece = piece_of(&f, sizeof f);
    if (tcp_write(l.socket.fd(), &piece, 1) < 0) return;
    ::shutdown(l.socket.fd(), SHUT_WR);
    for (int i = 0; i < 64 && ::recv(l.socket.fd(), nullptr, 1 << 20, MSG_TRUNC | MSG_DONTWAIT) > 0;
         ++i)
      continue;
  }

  // Hot first.
  std::uint64_t polls_ = 1;
  peer_id self_;
  peer_id peers_;
  bool pends_;
  int kernel_bytes_;
  unsigned roomy_ = 0;  // Links whose `roomy_at` is `news_`.
  std::uint64_t news_ = 1;
  unsigned attention_ = 0;  // Connections that are being made, or wait for the kernel.
  unsigned calling_later_ = 0;
  std::size_t made_ = 0;        // Links.
  std::size_t told_max_ = 0;    // Completions that may be due at once.
  tcp_queue<peer_id> serving_;  // Whose packets may be at hand.
  tcp_queue<peer_id> unsent_;   // Whose packets leave with the next poll.
  tcp_queue<peer_id> lost_;
  tcp_queue<tcp_completion> completions_;
  tcp_secret secret_;
  std::vector<tcp_endpoint> endpoints_;
  std::vector<tcp_link*> links_;
  tcp_watch watch_;
  tcp_newcomers newcomers_;
  tcp_counters counters_;
  pid_t pid_ = ::getpid();

 public:
  /// A completion has been handed over.
  void told() noexcept { --told_max_; }
};

}  // namespace mpx::inline v0::transport::detail
