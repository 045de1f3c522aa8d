// SPDX-License-Identifier: BSL-1.0
#pragma once
// A reliable transport over a simulated network that loses, repeats and shortens packets. What
// makes it so is the code of transport tcp below its frames (replay log, writer, reader); here are
// connections that break in its stead, at bytes that the seed chooses.
//
// Each direction of a pair is a stream of its own. Its bytes travel in packets that contain their
// offset in the stream; a receiver that finds some missing reports it, and a sender that gets no
// answer asks, by the clock. Then there is another connection: the receiver sends its offset, and
// the log begins again there.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mpx/bootstrap/sim.hpp>
#include <mpx/transport/concepts.hpp>
#include <mpx/transport/tcp/line.hpp>
#include <mpx/transport/tcp/self_queue.hpp>
#include <mpx/transport/tcp/writer.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace replayed_transport {

using mpx::cookie_t;
using mpx::frame_header;
using mpx::outcome;
using mpx::peer_id;

/// So small that a few messages reach them.
inline constexpr mpx::transport::detail::replay_limits limits{.waiting_max = 16,
                                                              .waiting_bytes_max = 2048,
                                                              .kept_max = 64,
                                                              .kept_bytes_max = 8192,
                                                              .receipt_bytes = 1024};
inline constexpr mpx::transport::detail::tcp_sizes sizes{.copy_bytes_max = 256,
                                                         .keep_bytes_max = 2048,
                                                         .coalesced_bytes_max = 600,
                                                         .gathered_bytes_min = 4096};

struct plan {
  std::size_t packet_bytes_max = 8192;
  bool pends = true;                ///< As of basic_tcp.
  unsigned resets_percent = 50;     ///< Of the connections, so many are reset by themselves,
  std::size_t reset_before = 6000;  ///< at a byte before this one.
};

/// Counts of events, so that a test can check that they happened.
struct replayed_counters {
  std::uint64_t connections = 0;  ///< One way.
  std::uint64_t resets = 0;       ///< Of these, that were to break at a byte, and did.
  std::uint64_t gaps = 0;         ///< That the receiver saw bytes missing.
  std::uint64_t questions = 0;    ///< By who has heard nothing for long.
  std::uint64_t doubled = 0;      ///< Pieces that had come before.
};

/// Wakes a rank at a time. The job keeps it, so that no event is left without an owner.
class alarm_clock : public mpx::sim::detail::event_handler {
 public:
  alarm_clock(mpx::sim::detail::world& world, mpx::sim::detail::world::environment&,
              mpx::rank_t self, std::uint32_t) noexcept
      : scheduler_(world.scheduler()), self_(self) {}
  void ring_at(std::int64_t ns) {
    if (at_ns_ != 0 && at_ns_ <= ns) return;
    at_ns_ = ns;
    scheduler_.at(std::max(ns, scheduler_.now_ns()), *this, 0);
  }

 private:
  void fire(std::int64_t now_ns, std::uint64_t) override {
    if (at_ns_ <= now_ns) at_ns_ = 0;
    scheduler_.wake(self_);
  }
  mpx::sim::detail::scheduler& scheduler_;
  mpx::rank_t self_;
  std::int64_t at_ns_ = 0;  // The next one; 0: none.
};

/// Kinds of packets of the simulated network. Streams are counted in bytes, from the first.
enum class said : std::uint32_t {
  begin,   ///< A connection begins: how far are you?
  resume,  ///< So far.
  data,    ///< These bytes belong there.
  probe,   ///< I have written so far: has it come?
  have,    ///< It has.
  gap,     ///< It has not.
};
struct packet_words {
  said what;
  std::uint32_t connection;
  std::uint64_t at;
  std::uint32_t bytes;
  frame_header header() const noexcept {
    return {{static_cast<std::uint32_t>(what), connection, static_cast<std::uint32_t>(at),
             static_cast<std::uint32_t>(at >> 32), bytes}};
  }
  static packet_words of(const frame_header& h) noexcept {
    return {static_cast<said>(h.word[0]), h.word[1], std::uint64_t{h.word[3]} << 32 | h.word[2],
            h.word[4]};
  }
};

/// Both streams between this rank and a peer, as tcp_writer and tcp_reader see them.
template <class T>
class lossy_stream {
 public:
  static constexpr std::size_t piece_bytes_max = T::traits.packet_bytes_max;

  // --- What leaves ---
  void begin(T& lower, peer_id peer, std::uint32_t connection, std::uint64_t from,
             std::uint64_t reset_at, std::uint64_t noticed_at) noexcept {
    lower_ = &lower;
    peer_ = peer;
    connection_ = connection;
    written_ = from;
    reset_at_ = reset_at;
    noticed_at_ = noticed_at;
  }
  std::uint64_t written() const noexcept { return written_; }
  bool was_reset() const noexcept { return written_ > reset_at_; }

  /// As of TcpStream. What is behind the reset is taken, and goes nowhere.
  ssize_t write(iovec* pieces, std::size_t count) noexcept {
    std::size_t taken = 0;
    std::size_t at = 0;  // In the first piece.
    while (count != 0) {
      if (written_ >= noticed_at_) return taken == 0 ? -1 : static_cast<ssize_t>(taken);
      std::size_t bytes = 0;
      for (; count != 0 && bytes < piece_bytes_max;) {
        const std::size_t n = std::min(piece_bytes_max - bytes, pieces->iov_len - at);
        if (n != 0)
          std::memcpy(packet_.data() + bytes, static_cast<const std::byte*>(pieces->iov_base) + at,
                      n);
        bytes += n;
        at += n;
        if (at == pieces->iov_len) ++pieces, --count, at = 0;
      }
      if (bytes == 0) break;
      const std::size_t left =
          written_ >= reset_at_
              ? 0
              : static_cast<std::size_t>(std::min<std::uint64_t>(bytes, reset_at_ - written_));
      const packet_words w{said::data, connection_, written_, static_cast<std::uint32_t>(left)};
      if (left != 0 && lower_->post(peer_, w.header(), {packet_.data(), left}, 0) == outcome::retry)
        break;
      written_ += bytes;
      taken += bytes;
    }
    return static_cast<ssize_t>(taken);
  }
  template <class Watch>
  void want_room(Watch&, peer_id, bool) const noexcept {}  // Each poll tries again.
  void shut() const noexcept {}

  // --- What comes ---
  std::deque<std::byte> come;

  ssize_t read(iovec* pieces, std::size_t count) noexcept {
    std::size_t got = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t n = std::min(pieces[i].iov_len, come.size());
      std::copy_n(come.begin(), n, static_cast<std::byte*>(pieces[i].iov_base));
      come.erase(come.begin(), come.begin() + static_cast<std::ptrdiff_t>(n));
      got += n;
    }
    return static_cast<ssize_t>(got);
  }

 private:
  T* lower_ = nullptr;
  peer_id peer_ = 0;
  std::uint32_t connection_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t reset_at_ = 0;
  std::uint64_t noticed_at_ = 0;
  std::array<std::byte, piece_bytes_max> packet_;
};

using mpx::transport::detail::tcp_state;

template <class T>
struct replayed_link : mpx::transport::detail::tcp_line<lossy_stream<T>, limits> {
  using mpx::transport::detail::tcp_line<lossy_stream<T>, limits>::tcp_line;
  // Outgoing stream.
  std::uint32_t connection = 0;
  std::uint64_t confirmed = 0;  // By the receiver, beyond all receipts.
  std::int64_t due_ns = 0;      // When to ask again; 0: nothing is unsure.
  std::int64_t patience_ns = 0;
  bool owes_begin = false;
  bool owes_probe = false;
  // Incoming stream.
  std::uint32_t connection_in = 0;
  std::uint64_t began = 0;    // Begin of the connection.
  std::uint64_t arrived = 0;  // Read or staged.
  std::uint64_t probed = 0;
  bool owes_resume = false;
  bool owes_have = false;
  bool owes_gap = false;

  bool unsure() const noexcept {
    return this->state == tcp_state::resuming ||
           (this->state == tcp_state::open &&
            (this->write_failed || this->socket.written() != confirmed));
  }
};

struct nobody_watches {};

template <mpx::Transport T, plan Plan = plan{}>
class replayed
    : public mpx::transport::defaults,
      private mpx::transport::detail::tcp_writer<replayed_link<T>, nobody_watches, sizes> {
  using base = mpx::transport::detail::tcp_writer<replayed_link<T>, nobody_watches, sizes>;
  using link = replayed_link<T>;
  using base::completions_;
  using base::links_;

 public:
  using policy_axis = mpx::transport_axis;
  using bootstrap_type = typename T::bootstrap_type;
  static constexpr std::string_view name = "replayed";
  static constexpr mpx::transport_traits traits{
      .inline_bytes_max = T::traits.inline_bytes_max,
      .packet_bytes_max = Plan.packet_bytes_max,
      .layout = T::traits.layout * 0x9e37'79b9'7f4a'7c15u + 0x5e91a7,
      .posts_pend = Plan.pends};
  /// The packets of the network may be lost, repeated and shortened.
  static constexpr bool mends = true;

  explicit replayed(mpx::bootstrap::sim& b)
      : base(mpx::world_peer(b.size()), Plan.pends),
        lower_(b),
        job_(b),
        alarm_(b.make_port<alarm_clock>(0)),
        random_(b.world().scheduler().random().next()) {}
  replayed(const replayed&) = delete;
  replayed& operator=(const replayed&) = delete;
  /// The network delivers sent data, as a kernel would, from ranks that are still there. A rank
  /// that leaves while some of it has not been taken may have freed it, and delivers nothing more.
  ~replayed() {
    leaving_ = true;
    for (link* const l : links_)
      if (l != nullptr && pending_ != 0 && !l->out.empty()) close(*l, tcp_state::lost);
    const std::int64_t until = lower_.now_ns() + linger_ns;
    control_sink none{*this};
    while (lower_.now_ns() < until && !cut_off()) {
      this->begin_poll();
      lower_.poll(none);
      go_on();
      if (std::none_of(links_.begin(), links_.end(), [this](const link* l) {
            return l != nullptr && (!l->out.idle() || l->unsure()) && is_there(l->peer);
          }))
        break;
      if (arm()) lower_.sleep(0);
    }
  }

  const replayed_counters& counters() const noexcept { return mended_; }
  T& lower() noexcept { return lower_; }

  peer_id self() const noexcept { return lower_.self(); }
  peer_id peers() const noexcept { return lower_.peers(); }
  bool oversubscribed() const noexcept { return lower_.oversubscribed(); }
  std::int64_t now_ns() const noexcept { return lower_.now_ns(); }
  void compute(std::int64_t ns) noexcept { lower_.compute(ns); }

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    if (peer == self()) return own_.post(header, payload);
    link* const found = find_or_make(peer);
    if (found == nullptr) return outcome::refused;
    link& l = *found;
    if (l.roomy_at == this->room_epoch_) {
      l.roomy_at = 0;
      --this->roomy_;
    }
    const mpx::transport::detail::tcp_frame f{static_cast<std::uint32_t>(payload.size()), header};
    if (l.state == tcp_state::open) {
      if (l.out.idle() && !l.write_failed &&
          (l.written_at != this->polls_ || !Plan.pends || payload.size() > base::copy_bytes_max))
        return counted(this->write(l, f, payload, cookie));
    } else if (l.state == tcp_state::left) {
      return outcome::done;
    } else if (l.state > tcp_state::open) {
      return outcome::refused;
    } else if (l.state == tcp_state::idle) {
      connect(l);
    }
    return counted(this->enqueue(l, f, payload, cookie));
  }

  template <mpx::PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    this->begin_poll();
    control_sink lower{*this};
    if (staged_bytes_ < staged_bytes_max) lower_.poll(lower);
    go_on();
    std::size_t n = deliver(sink);
    n += complete(sink);
    return n;
  }

  bool arm() noexcept {
    this->begin_poll();
    go_on();
    const bool busy = this->take_room_report() || !own_.empty() || !this->deliveries().empty() ||
                      !completions_.empty();
    if (busy || !lower_.arm()) return false;
    std::int64_t next = 0;
    for (const link* l : links_)
      if (l != nullptr && l->due_ns != 0 && (next == 0 || l->due_ns < next)) next = l->due_ns;
    if (next != 0) alarm_.ring_at(next);
    return true;
  }
  void sleep(std::int64_t timeout_ns) noexcept { lower_.sleep(timeout_ns); }
  void disarm() noexcept { lower_.disarm(); }
  void wake() noexcept { lower_.wake(); }

  /// See StreamTransport.
  void cancel_place(peer_id source) noexcept {
    if (link* const l = links_[source]) l->in.cancel_place();
  }
  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (link* l : links_)
      if (l != nullptr && !l->out.empty()) l->out.relocate(cookie, from, to);
  }
  void drop_peer(peer_id peer) noexcept {
    if (link* const l = find_or_make(peer)) close(*l, tcp_state::dropped);
  }

 private:
  static constexpr std::size_t staged_bytes_max = 64 * 1024;
  static constexpr int rounds_max = 16;
  static constexpr std::size_t long_bytes_max = 2 * Plan.packet_bytes_max;
  static constexpr std::int64_t patience_min_ns = 100'000;
  static constexpr std::int64_t patience_max_ns = 2'000'000;
  static constexpr std::int64_t linger_ns = 200'000'000;

  struct control_sink {
    replayed& me;
    void packet(peer_id source, const frame_header& header,
                std::span<const std::byte> payload) noexcept {
      me.arrived(source, packet_words::of(header), payload);
    }
    std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
    void complete(cookie_t, bool) noexcept {}
    void malformed(peer_id) noexcept {}
    void unreachable(peer_id) noexcept {}
  };

  link* find_or_make(peer_id peer) noexcept {
    return links_[peer] != nullptr ? links_[peer] : this->make(peer);
  }
  bool cut_off() noexcept { return job_.world().cut_off(mpx::world_rank(self())); }
  bool is_there(peer_id peer) const noexcept {
    const mpx::rank_state s = job_.state(mpx::world_rank(peer));
    return s != mpx::rank_state::finished && s != mpx::rank_state::failed;
  }
  bool say(link& l, packet_words w) noexcept {
    return lower_.post(l.peer, w.header(), {}, 0) != outcome::retry;
  }

  outcome counted(outcome o) noexcept {
    if (o == outcome::pending) ++pending_;
    return o;
  }

  // --- What leaves -------------------------------------------------------------------------------

  void connect(link& l) noexcept {
    this->unblock(l);
    l.write_failed = false;
    l.state = tcp_state::resuming;
    l.owes_probe = false;
    l.owes_begin = true;
    ++l.connection;
    ++mended_.connections;
    l.patience_ns = patience_min_ns;
    be_patient(l);
    speak(l);
  }
  void resumed(link& l, std::uint64_t to) noexcept {
    if (!l.out.resume(to, completions_)) return close(l, tcp_state::lost);
    std::uint64_t reset = ~std::uint64_t{0};
    std::uint64_t noticed = reset;
    if (random_.below(100u) < Plan.resets_percent) {
      reset = to + random_.below(Plan.reset_before);
      noticed = reset + random_.below(Plan.reset_before);
    }
    l.socket.begin(lower_, l.peer, l.connection, to, reset, noticed);
    l.state = tcp_state::open;
    l.confirmed = to;
    l.due_ns = 0;
    l.patience_ns = patience_min_ns;
    this->send(l);
    if (l.awaits_room && l.out.has_room(base::copy_bytes_max)) this->report_room(l);
    l.written_at = 0;
    l.whole_bytes = random_.below(2u) == 0 ? mpx::transport::detail::tcp_any_bytes
                                           : 64 + random_.below(std::size_t{3000});
    this->apply_receipt(l);
    this->acknowledge_if_owed(l);
  }
  void broke(link& l) noexcept {
    if (l.socket.was_reset()) ++mended_.resets;
    connect(l);
  }
  void close(link& l, tcp_state s) noexcept {
    this->unblock(l);
    l.write_failed = false;
    l.state = s;
    l.due_ns = 0;
    l.owes_begin = l.owes_probe = false;
    l.out.fail(completions_);
    this->report_room(l);
    if (s != tcp_state::dropped) return;
    l.owes_resume = l.owes_have = l.owes_gap = false;
    unstage(l);
    l.in.clear();
  }

  /// Sends owed packets as far as the network has room.
  void speak(link& l) noexcept {
    if (l.owes_begin && say(l, {said::begin, l.connection, 0, 0})) l.owes_begin = false;
    if (l.owes_probe && say(l, {said::probe, l.connection, l.socket.written(), 0}))
      l.owes_probe = false;
    // A sender of data has had the answer: another one would be ignored.
    if (l.owes_resume &&
        (l.arrived != l.began || say(l, {said::resume, l.connection_in, l.in.receipt().tell(), 0})))
      l.owes_resume = false;
    if (l.owes_have && say(l, {said::have, l.connection_in, l.probed, 0})) l.owes_have = false;
    if (l.owes_gap && say(l, {said::gap, l.connection_in, 0, 0})) l.owes_gap = false;
  }
  void be_patient(link& l) noexcept {
    l.due_ns = lower_.now_ns() + l.patience_ns;
    l.patience_ns = std::min(2 * l.patience_ns, patience_max_ns);
  }
  /// Everything but packets for the sink: what leaves, and what the clock says.
  void go_on() noexcept {
    for (link* const found : links_) {
      if (found == nullptr) continue;
      link& l = *found;
      if (l.state == tcp_state::idle && l.in.receipt().due()) connect(l);
      if (l.blocked) this->send(l);
      if (l.state == tcp_state::open && l.write_failed) broke(l);
      watch_clock(l);
      speak(l);
      if (!l.socket.come.empty()) look_at(l);
    }
  }
  void watch_clock(link& l) noexcept {
    if (!l.unsure()) {
      l.due_ns = 0;
      return;
    }
    if (l.due_ns == 0) return be_patient(l);
    if (lower_.now_ns() < l.due_ns) return;
    if (!is_there(l.peer)) return close(l, tcp_state::left);
    be_patient(l);
    ++mended_.questions;
    (l.state == tcp_state::resuming ? l.owes_begin : l.owes_probe) = true;
  }

  // --- What comes --------------------------------------------------------------------------------

  void arrived(peer_id source, const packet_words& w, std::span<const std::byte> bytes) noexcept {
    link* const found = find_or_make(source);
    if (found == nullptr || found->state == tcp_state::dropped) return;
    link& l = *found;
    switch (w.what) {
      case said::begin:
        if (w.connection < l.connection_in || leaving_) break;
        if (w.connection != l.connection_in) {
          unstage(l);
          if (!l.in.begin()) return close(l, tcp_state::lost);
          l.connection_in = w.connection;
          l.arrived = l.began = l.in.receipt().received();
        }
        l.owes_resume = l.owes_resume || l.arrived == l.began;  // Else it has had the answer.
        break;
      case said::data: take(l, w, bytes); break;
      case said::probe:
        if (w.connection != l.connection_in) break;
        l.owes_have = w.at == l.arrived;
        l.owes_gap = w.at > l.arrived;
        l.probed = w.at;
        break;
      case said::resume:
        if (w.connection == l.connection && l.state == tcp_state::resuming) resumed(l, w.at);
        break;
      case said::have:
        if (w.connection != l.connection || l.state != tcp_state::open) break;
        l.confirmed = std::max(l.confirmed, w.at);
        l.patience_ns = patience_min_ns;
        l.due_ns = 0;
        break;
      case said::gap:
        if (w.connection == l.connection && l.state == tcp_state::open) broke(l);
        break;
    }
  }
  void take(link& l, const packet_words& w, std::span<const std::byte> bytes) noexcept {
    if (w.connection != l.connection_in || leaving_) return;
    if (w.at < l.arrived) {
      ++mended_.doubled;
      return;
    }
    if (w.at > l.arrived) {
      ++mended_.gaps;
      l.owes_gap = true;
      return;
    }
    l.socket.come.insert(l.socket.come.end(), bytes.begin(), bytes.end());
    l.arrived += bytes.size();
    staged_bytes_ += bytes.size();
  }
  void unstage(link& l) noexcept {
    staged_bytes_ -= l.socket.come.size();
    l.socket.come.clear();
  }
  bool look_at(link& l) noexcept {
    const std::size_t before = l.socket.come.size();
    const bool news = l.in.fill(l.socket);
    staged_bytes_ -= before - l.socket.come.size();
    if (news) this->queue_delivery(l);
    return news;
  }

  /// As of basic_tcp.
  template <class Sink>
  std::size_t deliver(Sink& sink) noexcept {
    std::size_t n = 0;
    auto& deliveries = this->deliveries();
    std::size_t left_bytes = long_bytes_max;
    for (int round = 0; round < rounds_max && left_bytes != 0; ++round) {
      const std::size_t before = n;
      if (!own_.empty()) {
        own_.deliver(sink, self());
        ++n;
      }
      for (std::size_t left = deliveries.size(); left != 0; --left) {
        link& l = *links_[deliveries.front()];
        deliveries.pop();
        l.delivery_queued = false;
        n += serve_one(l, sink, left_bytes) ? 1 : 0;
      }
      if (n == before) break;
    }
    for (std::size_t i = 0; i < deliveries.size(); ++i)
      this->acknowledge_if_owed(*links_[deliveries[i]]);
    return n;
  }
  template <class Sink>
  bool serve_one(link& l, Sink& sink, std::size_t& left_bytes) noexcept {
    using mpx::transport::detail::tcp_found;
    if (l.state == tcp_state::dropped) return false;
    tcp_found found = l.in.next(sink, l.peer, Plan.packet_bytes_max);
    while (found == tcp_found::nothing && l.in.may_fill() && look_at(l))
      found = l.in.next(sink, l.peer, Plan.packet_bytes_max);
    if (!this->apply_receipt(l)) found = tcp_found::malformed;
    switch (found) {
      case tcp_found::body: left_bytes -= std::min(left_bytes, l.in.body_bytes()); [[fallthrough]];
      case tcp_found::packet:
        if (l.in.may_have_more())
          this->queue_delivery(l);
        else
          this->acknowledge_if_owed(l);
        return true;
      case tcp_found::nothing: this->acknowledge_if_owed(l); return false;
      case tcp_found::goodbye:
      case tcp_found::malformed: break;
    }
    close(l, tcp_state::dropped);
    sink.malformed(l.peer);
    return false;
  }
  template <class Sink>
  std::size_t complete(Sink& sink) noexcept {
    std::size_t n = 0;
    for (std::size_t left = completions_.size(); left != 0; --left, ++n) {
      const mpx::transport::detail::replay_completion c = completions_.front();
      completions_.pop();
      this->completion_delivered();
      --pending_;
      sink.complete(c.cookie, c.ok);
    }
    return n;
  }

  T lower_;
  mpx::bootstrap::sim& job_;
  alarm_clock& alarm_;
  mpx::sim::random random_;
  mpx::transport::detail::tcp_self_queue own_;
  replayed_counters mended_;
  std::size_t staged_bytes_ = 0;
  std::size_t pending_ = 0;  // Posts without a completion yet.
  bool leaving_ = false;
};

}  // namespace replayed_transport
