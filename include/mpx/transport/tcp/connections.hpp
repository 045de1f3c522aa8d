// SPDX-License-Identifier: BSL-1.0
#pragma once
// The connections of a rank: made on first use, made again when they break, watched by one epoll
// descriptor, each with the packets posted on it in order. This is the part of transport tcp that
// does not depend on the type of the sink.

#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/tcp/heartbeat.hpp"
#include "mpx/transport/tcp/link.hpp"
#include "mpx/transport/tcp/listeners.hpp"
#include "mpx/transport/tcp/writer.hpp"

namespace mpx::inline v0::transport::detail {

/// Connections of rank `self` to its peers. One thread at a time calls it, except for what
/// `watch()` allows.
template <TcpStream Stream>
class tcp_connections : public tcp_writer<tcp_link<Stream>, tcp_watch> {
  using base = tcp_writer<tcp_link<Stream>, tcp_watch>;
  using base::attention_;
  using base::collect_receipts;
  using base::completions_;
  using base::counters_;
  using base::enqueue;
  using base::gathers;
  using base::links_;
  using base::lost_;
  using base::make;
  using base::pends_;
  using base::polls_;
  using base::report_room;
  using base::room_epoch_;
  using base::roomy_;
  using base::send;
  using base::unblock;
  using base::watch_;
  using base::write;

 public:
  using link = tcp_link<Stream>;
  using base::copy_bytes_max;
  using base::queue_delivery;
  static constexpr std::int64_t crossing_ns = 3'000'000;

  tcp_connections(peer_id self, peer_id peers, const tcp_secret& secret, tcp_directory directory,
                  const tcp_endpoint& from, tcp_descriptor listener, bool pends, int kernel_bytes,
                  tcp_patience patience)
      : base(peers, pends),
        self_(self),
        peers_(peers),
        kernel_bytes_(kernel_bytes),
        patience_(patience),
        secret_(secret),
        directory_(std::move(directory)),
        from_(from),
        listeners_(std::move(listener), watch_, tcp_knock_of(secret, self)) {}
  ~tcp_connections() {
    if (::getpid() != pid_) return;  // A forked child is no rank: it says no goodbye.
    for (link* l : links_) {
      if (l == nullptr) continue;
      if (l->state == tcp_state::open) say_goodbye(*l);
      part(*l);
    }
    listeners_.shut();
  }

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  const tcp_door_counters& door() const noexcept { return listeners_.counters(); }
  const tcp_endpoint& endpoint() const noexcept { return directory_.of(self_)[0].at; }
  /// Text for the error of a lost peer: the addresses that were tried, and the result of each. ""
  /// if the peer is not lost or nothing is known.
  [[gnu::noinline, gnu::cold]] std::string loss_text(peer_id peer) const {
    const link* const l = links_[peer];
    if (l == nullptr || l->state < tcp_state::left) return {};
    const std::string tried = l->search.text(directory_.of(peer));
    if (tried.empty()) return {};
    if (l->met)
      return mpx::detail::formatted(
          "the connection to rank %u broke, and was not made again in %.1f s: %s", unsigned{peer},
          l->search.seconds(), tried.c_str());
    return mpx::detail::formatted(
        "rank %u was not reached in %.1f s: %s (MPX_TCP_INTERFACE names the interface, or the "
        "subnet, by which the hosts reach each other; MPX_TCP_PORTS the ports that a firewall lets "
        "pass; MPX_TCP_HEARTBEAT how long to try)",
        unsigned{peer}, l->search.seconds(), tried.c_str());
  }
  /// True if a connection is being made, waits for room, or newcomers are present: `tick` has work.
  bool has_timers() const noexcept { return attention_ != 0 || !listeners_.quiet(); }

  typename Stream::context& streams() noexcept { return streams_; }
  /// Adds a listening socket.
  void also_listen(tcp_descriptor at) noexcept { listeners_.also_at(std::move(at)); }

  // --- Posting -----------------------------------------------------------------------------------

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    link* l = links_[peer];
    if (l == nullptr && (l = make(peer)) == nullptr) return outcome::refused;
    if (l->roomy_at == room_epoch_) [[unlikely]] {
      l->roomy_at = 0;
      --roomy_;
    }
    tcp_frame f{static_cast<std::uint32_t>(payload.size()), header};
    if (l->state == tcp_state::open) {
      if (l->out.idle() && !l->write_failed && !gathers(*l, payload.size()))
        return write(*l, f, payload, cookie);
    } else if (l->state == tcp_state::left) {
      return outcome::done;
    } else if (l->state > tcp_state::open) {
      return outcome::refused;
    } else if (l->state == tcp_state::idle && l->due_ns == 0) {
      call(*l);
      if (l->state == tcp_state::lost) return outcome::done;
    }
    return enqueue(*l, f, payload, cookie);
  }

  /// See ConnectionTransport. Bytes that only the kernel holds are unsent, too: it discards them
  /// when a peer that does not know yet that this rank has left sends something. Bytes written to a
  /// connection that has broken, or that the peer has closed, may have to be written again.
  bool has_unsent() const noexcept {
    for (const link* l : links_) {
      if (l == nullptr || l->state > tcp_state::open || l->out.empty()) continue;
      bool some = l->state != tcp_state::open || l->write_failed || !l->out.idle() ||
                  tcp_stage_of(l->socket.fd()) != TCP_ESTABLISHED;
      if (!some) l->socket.for_each_fd([&some](int fd) { some = some || tcp_holds_bytes(fd); });
      if (some) return true;
    }
    return false;
  }
  bool has_heard_out(peer_id peer) const noexcept {
    const link* const l = links_[peer];
    return l == nullptr || l->state > tcp_state::open ||
           (l->state == tcp_state::idle && l->due_ns == 0);
  }
  bool is_connected(peer_id peer) const noexcept {
    return links_[peer] != nullptr && links_[peer]->state == tcp_state::open;
  }
  /// Connects if no attempt was made yet.
  void monitor(peer_id peer) noexcept {
    link* l = links_[peer];
    if (l == nullptr && (l = make(peer)) == nullptr) return;
    if (l->state == tcp_state::idle && l->due_ns == 0) call(*l);
  }
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (link* l : links_)
      if (l != nullptr && !l->out.empty()) l->out.relocate(cookie, from, to);
  }
  void drop(peer_id peer) noexcept {
    link* l = links_[peer];
    if (l == nullptr && (l = make(peer)) == nullptr) return;
    if (l->state == tcp_state::open && !l->write_failed && l->out.idle()) say_goodbye(*l);
    close(*l, tcp_state::dropped);
    l->loss_reported = true;
  }
  void cancel_place(peer_id source) noexcept {
    if (link* const l = links_[source]) l->in.cancel_place();
  }

  // --- Looking -----------------------------------------------------------------------------------

  /// Handles the events of all sockets: advances connections that are being made and, if `reads`,
  /// reads what has arrived on open ones.
  void look(bool reads = true) noexcept {
    ++counters_.looks;
    watch_.look([this, reads](tcp_watch::event e, bool writable) {
      switch (e.what) {
        case tcp_watch::kind::link: return on_link(e.which, writable, reads);
        case tcp_watch::kind::newcomer: return on_newcomer(e.which);
        case tcp_watch::kind::listener: return listeners_.accept();
        case tcp_watch::kind::wake: return watch_.quiet_wake();
        case tcp_watch::kind::timer: return watch_.quiet_timer();
      }
    });
    if (has_timers()) tick();
  }
  /// Reads from one link. Returns true if there is something to parse.
  bool look_at(link& l) noexcept {
    if (l.state != tcp_state::open || !l.in.fill(l.socket)) return false;
    queue_delivery(l);
    if (l.awaits_room) [[unlikely]]
      collect_receipts(l);  // The caller to be told of room has not polled yet.
    return true;
  }
  /// Reads more of the packet that is being read. Returns true if there is something to parse.
  bool refill(link& l) noexcept {
    return l.in.may_fill() && l.state == tcp_state::open && l.in.fill(l.socket);
  }
  /// Ends a link for ever: the peer has left (`well`), or has violated the protocol.
  void end(link& l, bool well) noexcept { close(l, well ? tcp_state::left : tcp_state::lost); }
  /// Called when a connection has ended without a goodbye: prepares another one.
  void broke(link& l) noexcept {
    ++counters_.broken;
    const bool carried = l.state == tcp_state::open;
    const std::int64_t silent_ns = carried ? tcp_silent_ns(l.socket.fd()) : 0;
    unblock(l);
    l.write_failed = false;
    part(l);
    if (!carried) return call_later(l);
    l.state = tcp_state::idle;
    const std::int64_t now = platform::now_ns();
    l.lost_at_ns = now + patience_.reach_ns(silent_ns);
    // Both ranks may have noticed. The attempt of the lower rank wins, so the higher rank waits for
    // it before it connects itself.
    wait_for(l, now, self_ < l.peer ? now : now + crossing_ns);
  }

 private:
  // --- Connections that are being made -----------------------------------------------------------

  /// Starts an attempt to connect.
  void call(link& l) noexcept {
    const std::int64_t now = platform::now_ns();
    if (l.lost_at_ns == 0) l.lost_at_ns = now + patience_.reach_ns(0);
    ++counters_.calls;
    l.state = tcp_state::greeting;
    l.search.begin(now);
    wait_for(l, now,
             now + l.search.attempt_ns(patience_.attempt_ns(l.lost_at_ns - now),
                                       patience_.reach_ns(0), directory_.of(l.peer).size()));
    l.call.emplace(self_, l.peer);
    l.socket = Stream(connect_tcp(from_, place_of(l).at, kernel_bytes_));
    if (!l.socket || !watch_.add(l.socket.fd(), {tcp_watch::kind::link, l.peer}, true))
      return hang_up(l, errno);
    set_tcp_patience(l.socket.fd(), patience_.notice_ms());
  }
  /// The address of the current or next attempt.
  const tcp_place& place_of(const link& l) const noexcept {
    return directory_.of(l.peer)[l.search.at()];
  }
  /// True if a kernel answers at the address that is called, and the peer may be at another one:
  /// other hosts have that address, too, or that kernel has not taken the peer's knock.
  bool may_be_elsewhere(const link& l) const noexcept {
    return directory_.of(l.peer).size() > 1 &&
           (place_of(l).doubtful || tcp_holds_bytes(l.socket.fd()));
  }
  /// Called when an attempt has failed, for the reason `why` (errno or one of tcp_search's). It is
  /// repeated at the next address while that may help.
  void hang_up(link& l, int why) noexcept {
    const std::int64_t now = platform::now_ns();
    // The peer closed because this rank was late: it is alive, and the time to reach it starts
    // again.
    if ((why == 0 || why == ECONNRESET || why == EPIPE) && now > l.due_ns)
      l.lost_at_ns = now + patience_.reach_ns();
    part(l);
    l.call.reset();
    const std::size_t places = directory_.of(l.peer).size();
    // All addresses refuse: the rank is gone, not the route to it.
    if (l.search.failed(why == 0 ? tcp_hung_up : why, places)) return close(l, tcp_state::lost);
    call_later(l, l.search.has_untried(places));
  }
  /// Schedules the next attempt, with exponential back-off from 1 ms to 256 ms unless `at_once`.
  /// Gives the peer up if its time has passed.
  void call_later(link& l, bool at_once = false) noexcept {
    const std::int64_t now = platform::now_ns();
    forgive(l, now);
    if (now >= l.lost_at_ns) return close(l, tcp_state::lost);
    l.state = tcp_state::idle;
    const unsigned shift = l.calls < 8 ? l.calls++ : 8;
    const std::int64_t at = at_once ? now : now + (std::int64_t{1'000'000} << shift);
    wait_for(l, now, at < l.lost_at_ns ? at : l.lost_at_ns);
  }
  /// The deadline of a connection that is being made has passed.
  void overdue(link& l, std::int64_t now) noexcept {
    const bool greets = l.state == tcp_state::greeting;
    const bool there = greets || l.state == tcp_state::securing || l.state == tcp_state::resuming;
    const std::uint8_t at = there ? tcp_stage_of(l.socket.fd()) : 0;
    if (at == TCP_ESTABLISHED || (greets && at != 0 && at != TCP_SYN_SENT)) {
      // Another host's kernel may answer here and drop the knock: this proves nothing about the
      // peer.
      if (greets && may_be_elsewhere(l)) return hang_up(l, tcp_says_nothing);
      // The peer's kernel answers, so the peer is computing and will accept later: knock again. Or
      // its bytes have arrived and wait until this rank polls.
      if (greets && l.call->has_knocked() && !l.call->has_greeted())
        l.call->knock(l.socket.fd(), secret_);
      wait_for(l, now, now + patience_.attempt_ns());
      l.lost_at_ns = now + patience_.reach_ns();
      return;
    }
    if (greets) return hang_up(l, ETIMEDOUT);
    if (there) return broke(l);
    // Also if the peer's attempt was awaited and has not come. A peer is lost only after an attempt
    // of this rank has failed.
    call(l);
  }
  /// Extends the time to reach the peer by the time in which this rank did not poll: attempts
  /// advance only during polls.
  static void forgive(link& l, std::int64_t now) noexcept {
    if (l.due_ns == 0 || now <= l.due_ns) return;
    l.lost_at_ns += now - l.due_ns;
    l.due_ns = now;
  }
  /// Sets the deadline of the current step.
  void wait_for(link& l, std::int64_t now, std::int64_t at) noexcept {
    forgive(l, now);
    attention_ += l.due_ns == 0 ? 1 : 0;
    timed_ += l.due_ns == 0 ? 1 : 0;
    l.due_ns = at;
  }
  /// Clears the deadline.
  void wait_no_more(link& l) noexcept {
    attention_ -= l.due_ns == 0 ? 0 : 1;
    timed_ -= l.due_ns == 0 ? 0 : 1;
    l.due_ns = 0;
  }
  /// The socket of a connecting link is ready: continues the handshake.
  void on_greeting(link& l) noexcept {
    if (!l.call->has_knocked()) {
      if (!l.call->knock(l.socket.fd(), secret_)) {
        if (errno != EAGAIN && errno != EINTR) hang_up(l, errno);
        return;
      }
      watch_.change(l.socket.fd(), {tcp_watch::kind::link, l.peer}, false);
    }
    const std::span<std::byte> rest = l.call->rest();
    const ssize_t n = ::recv(l.socket.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return hang_up(l, n < 0 ? errno : 0);
    const tcp_step s = l.call->added(static_cast<std::size_t>(n), secret_);
    if (s == tcp_step::more) return;
    if (s == tcp_step::wrong) return hang_up(l, tcp_stranger);
    if (!l.call->is_judged()) {
      patience_.apply(l.socket.fd());
      const tcp_hello h = l.call->hello(secret_, token_for(l.peer));
      if (::send(l.socket.fd(), &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof h)
        hang_up(l, 0);
      return;
    }
    const tcp_connecting_handshake done = *l.call;
    const tcp_verdict v = done.verdict();
    l.call.reset();
    if (v == tcp_verdict::open)
      return proven(l, tcp_role::connects, [&] { return done.key(secret_); });
    if (v == tcp_verdict::gone) return close(l, tcp_state::lost);
    ++counters_.crossed;
    part(l);
    l.state = tcp_state::crossed;
    const std::int64_t now = platform::now_ns();
    wait_for(l, now, now + patience_.attempt_ns());
    l.lost_at_ns = now + patience_.reach_ns();  // The peer is alive.
  }
  /// The peer has proven its identity: sets the socket up and starts the stream.
  template <class Key>
  void proven(link& l, tcp_role role, Key&& key) noexcept {
    prepare(l.socket.fd());
    fit(l);
    l.write_failed = false;
    const std::int64_t now = platform::now_ns();
    wait_for(l, now, now + patience_.attempt_ns());
    if constexpr (!Stream::secures) {
      opened(l);
    } else {
      l.state = tcp_state::securing;
      if (!l.socket.begin(streams_, role, site_of(l.peer), key)) return close(l, tcp_state::lost);
      secure(l);
    }
  }
  /// Chooses how many bytes a plain socket gets with one write. Other streams decide that
  /// themselves.
  void fit(link& l) const noexcept {
    if constexpr (std::same_as<Stream, tcp_plain>) {
      const int fd = l.socket.fd();
      const std::size_t bytes = is_tcp_within_host(fd) ? 0 : tcp_packets_bytes(fd);
      l.whole_bytes = bytes == 0 ? tcp_any_bytes : bytes;
    }
  }
  /// Sets the options of an admitted socket.
  void prepare(int fd) const noexcept {
    patience_.apply(fd);
    if (kernel_bytes_ == 0 && is_tcp_within_host(fd)) bound_tcp_within_host(fd);
  }
  tcp_site site_of(peer_id peer) noexcept {
    return {watch_, secret_, self_, peer, from_, place_of(*links_[peer]).at, kernel_bytes_};
  }
  /// Continues to set up a stream that has several steps (TLS, further sockets).
  void secure(link& l) noexcept {
    const tcp_secured how_far = l.socket.secure();
    if (how_far == tcp_secured::waits) return;
    if (how_far == tcp_secured::broken) return broke(l);
    l.socket.for_each_fd([this](int fd) { prepare(fd); });
    opened(l);
    if (l.state == tcp_state::resuming)
      on_resume(l);  // Bytes that secure() has read cause no further event.
  }
  /// Token by which that peer recognises this rank later; no other rank can derive it.
  tcp_bytes32 token_for(peer_id peer) const noexcept {
    return own_secret_.prove("mpx tcp token", self_, peer, {}, {});
  }
  /// The stream is up: both ends send how many bytes of the other's stream they have.
  void opened(link& l) noexcept {
    l.state = tcp_state::resuming;
    l.greeting = {};
    if (!l.in.begin()) return close(l, tcp_state::lost);
    const tcp_resume r{tcp_resume_magic, l.in.receipt().tell(), token_for(l.peer)};
    iovec piece = piece_of(&r, sizeof r);
    if (l.socket.write(&piece, 1) != sizeof r) broke(l);
  }
  /// Reads the peer's resume message; when it is complete, the link is open.
  void on_resume(link& l) noexcept {
    const std::span<std::byte> rest = l.greeting.rest();
    iovec piece = piece_of(rest.data(), rest.size());
    const ssize_t n = l.socket.read(&piece, 1);
    if (n == 0) return;
    if (n < 0) return broke(l);
    if (!l.greeting.add(static_cast<std::size_t>(n))) return;
    const tcp_resume r = l.greeting.get();
    // A restarted process has none of the stream and another token: it is not the same peer.
    const bool same = !l.met || same_proof(l.token, r.token);
    if (r.magic != tcp_resume_magic || !same || !l.out.resume(r.received, completions_))
      return close(l, tcp_state::lost);
    counters_.resent += l.out.sent_again();
    wait_no_more(l);
    l.met = true;
    l.token = r.token;
    l.state = tcp_state::open;
    l.calls = 0;
    l.lost_at_ns = 0;
    remember_place(l);
    ++counters_.opened;
    send(l);
    if (l.awaits_room && l.out.has_room(copy_bytes_max)) report_room(l);
    look_at(l);  // Bytes read with the message cause no further event.
  }
  /// Makes the next search begin at the address that the peer has on this connection.
  void remember_place(link& l) const noexcept {
    const std::span<const tcp_place> places = directory_.of(l.peer);
    const ip::address there = tcp_peer_of(l.socket.fd());
    std::size_t at = 0;
    while (at < places.size() && (places[at].doubtful || places[at].at.address() != there)) ++at;
    if (places.size() == 1) at = 0;
    l.search.found(at, places.size());
  }
  void on_newcomer(std::uint32_t at) noexcept {
    listeners_.advance(
        at, secret_, self_, peers(),
        [this](tcp_descriptor& s, const tcp_accepting_handshake& who) { return admit(s, who); });
  }
  /// Decides on a connection of a rank that has proven its identity. Returns false if it is no
  /// connection of the peer that was met before. Of two attempts that cross, that of the lower rank
  /// becomes the connection. After two failed attempts the lower rank accepts the peer's attempt
  /// instead, unless it has already sent its own proof: the higher rank always accepts, and may
  /// have dropped its own attempt on that proof, so that no connection would be left. A peer that
  /// connects although a connection exists knows that it is broken.
  bool admit(tcp_descriptor& s, const tcp_accepting_handshake& who) noexcept {
    link* l = links_[who.from()];
    if (l == nullptr && (l = make(who.from())) == nullptr) return true;
    if (who.lane() != 0) {  // A further socket of a connection that is being made.
      if constexpr (Stream::lanes > 1)
        if (l->state == tcp_state::securing && l->socket.attach(s, who)) secure(*l);
      return true;
    }
    // A rank that was met before must know its token.
    if (l->met && !who.knows(l->token)) return false;
    // The peer has closed this attempt, or has ended.
    if (has_hung_up(s.fd())) return true;
    const bool gone = l->state > tcp_state::open;
    const bool mine = l->state == tcp_state::greeting && self_ < who.from() &&
                      (l->calls < 2 || l->call->has_greeted());
    const tcp_verdict v = gone   ? tcp_verdict::gone
                          : mine ? tcp_verdict::crossed
                                 : tcp_verdict::open;
    if (v == tcp_verdict::open) leave(*l);
    const tcp_answer a = who.answer(v, secret_);
    if (::send(s.fd(), &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof a ||
        v != tcp_verdict::open)
      return true;
    if (!watch_.change(s.fd(), {tcp_watch::kind::link, l->peer}, false)) {
      close(*l, tcp_state::lost);
      return true;
    }
    l->socket = Stream(std::move(s));
    proven(*l, tcp_role::accepts, [&] { return who.key(secret_); });
    return true;
  }

  /// Drops the current attempt or connection in favour of the peer's attempt.
  void leave(link& l) noexcept {
    if (l.state == tcp_state::greeting) ++counters_.crossed;
    if (l.state >= tcp_state::securing) ++counters_.broken;
    unblock(l);
    l.call.reset();
    part(l);
    l.state = tcp_state::crossed;
    const std::int64_t now = platform::now_ns();
    if (l.lost_at_ns == 0) l.lost_at_ns = now + patience_.reach_ns(0);
    wait_for(l, now, now);
  }
  /// True if the other end has closed the connection or it is broken.
  static bool has_hung_up(int fd) noexcept {
    std::byte b;
    const ssize_t n = ::recv(fd, &b, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  }

  void on_link(peer_id peer, bool writable, bool reads) noexcept {
    link& l = *links_[peer];
    if (l.state == tcp_state::greeting) return on_greeting(l);
    if (Stream::secures && l.state == tcp_state::securing) return secure(l);
    if (l.state == tcp_state::resuming) return on_resume(l);
    if (l.state != tcp_state::open) return;
    if (writable && l.blocked) send(l);
    if (reads) look_at(l);
  }
  /// Handles deadlines that have passed, and sets the timer to the next one.
  void tick() noexcept {
    const std::int64_t now = platform::now_ns();
    std::int64_t next = listeners_.tick(now);
    if (timed_ != 0) {
      for (link* l : links_) {
        if (l == nullptr || l->due_ns == 0) continue;
        if (l->due_ns <= now) overdue(*l, now);
        if (l->due_ns != 0 && (next == 0 || l->due_ns < next)) next = l->due_ns;
      }
    }
    watch_.set_timer(next);
  }

  // --- Ends --------------------------------------------------------------------------------------

  /// Ends a link for good, in state `s`: pending posts complete as failed.
  void close(link& l, tcp_state s) noexcept {
    wait_no_more(l);
    if (l.blocked) {
      l.blocked = false;
      --attention_;
    }
    l.state = s;
    l.call.reset();
    if (s == tcp_state::lost) l.search.end(platform::now_ns());
    l.out.fail(completions_);
    report_room(l);
    l.in.clear();
    part(l);
    if (s != tcp_state::dropped) lost_.push(l.peer);  // Fails calls that wait for it.
  }
  /// Closes the sockets of a link.
  void part(link& l) noexcept {
    l.socket.for_each_fd([this](int fd) { watch_.part(fd); });
    l.socket.close();
  }
  /// Sends a goodbye if the kernel takes all that was posted and the goodbye itself; else none.
  void say_goodbye(link& l) noexcept {
    if (l.write_failed) return;
    if (!l.out.idle()) send(l);
    if (!l.out.idle() || l.write_failed) return;
    tcp_frame f{tcp_goodbye, {}};
    iovec piece = piece_of(&f, sizeof f);
    if (l.socket.write(&piece, 1) < 0) return;
    l.socket.leave();
  }

  peer_id self_;
  peer_id peers_;
  int kernel_bytes_;
  tcp_patience patience_;
  unsigned timed_ = 0;  // Links with a deadline.
  tcp_secret secret_;
  tcp_secret own_secret_ = tcp_secret::drawn();  // Of this process alone; tokens derive from it.
  [[no_unique_address]] typename Stream::context streams_;
  tcp_directory directory_;
  tcp_endpoint from_;  // Local address to connect from, if one was chosen.
  tcp_listeners listeners_;
  pid_t pid_ = ::getpid();
};

}  // namespace mpx::inline v0::transport::detail
