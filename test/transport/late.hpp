// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport that makes use of what the contract allows: it wraps another one, answers `pending`,
// reads the payload later than that, completes in any order, and asks where bodies belong. All that
// it decides comes from a seed.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mpx/transport/concepts.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace late_transport {

using mpx::cookie_t;
using mpx::frame_header;
using mpx::outcome;
using mpx::peer_id;

/// Planted violations of the contract for completions.
enum class fault : std::uint8_t { none, lose_completion, complete_twice };

/// Amounts of delay. Times are counted in polls.
struct plan {
  unsigned pending_percent = 100;     ///< Of the posts, at least so many are `pending`,
  std::size_t pending_bytes_min = 0;  ///< if they have this many bytes.
  unsigned post_delay_max = 3;        ///< Polls until the payload is read.
  unsigned completion_delay_max = 6;  ///< And from there to the completion.
  bool in_order = false;              ///< Completions of one pair come in the order of the posts.
  std::uint32_t depth = 32;           ///< Posts to a peer that may wait here, then `retry`.
  std::size_t place_bytes_min = 1;    ///< Bodies from this size on arrive piece by piece,
  unsigned pieces = 3;                ///< in so many; 0: all come whole.
  std::uint64_t seed = 1;
  fault planted = fault::none;  ///< With every `fault_every`-th completion.
  unsigned fault_every = 5;
};

/// Counts of events, so that a test can check that they happened.
struct late_counters {
  std::uint64_t posts = 0;        ///< That were not told `retry`.
  std::uint64_t pending = 0;      ///< Of these.
  std::uint64_t completions = 0;  ///< Of these, told the sink; a planted one too.
  std::uint64_t disordered = 0;   ///< Completions that overtook one of an earlier post.
  std::uint64_t placed = 0;       ///< Bodies for which the sink had a place,
  std::uint64_t unplaced = 0;     ///< and for which it had none.
  std::uint64_t cancelled = 0;    ///< Places that the sink has taken back.
  std::uint64_t relocated = 0;    ///< Payloads that are read elsewhere.
  std::uint64_t misplaced = 0;    ///< Places of a wrong size: the sink broke its promise.
};

namespace detail {
template <class T>
struct bootstrap_of {};
template <class T>
requires requires { typename T::bootstrap_type; }
struct bootstrap_of<T> {
  using bootstrap_type = typename T::bootstrap_type;
};
}  // namespace detail

template <mpx::Transport T, plan Plan = plan{}>
class late : public detail::bootstrap_of<T>, public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "late";
  static constexpr mpx::transport_traits traits{
      .inline_bytes_max = T::traits.inline_bytes_max,
      .packet_bytes_max = T::traits.packet_bytes_max,
      .layout = T::traits.layout * 0x9e37'79b9'7f4a'7c15u + 0x1a7e};

  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, late>)
  explicit late(B& b) : lower_(b), out_(lower_.peers()), in_(lower_.peers()) {
    random_ = Plan.seed * 0x9e37'79b9'7f4a'7c15u + lower_.self();
  }
  late(const late&) = delete;
  late& operator=(const late&) = delete;

  const late_counters& counters() const noexcept { return counters_; }
  T& lower() noexcept { return lower_; }
  /// From now on, instead of what the plan says.
  void plant(fault f) noexcept { fault_ = f; }

  peer_id self() const noexcept { return lower_.self(); }
  peer_id peers() const noexcept { return lower_.peers(); }
  bool oversubscribed() const noexcept { return lower_.oversubscribed(); }
  std::int64_t now_ns() const noexcept { return lower_.now_ns(); }
  void compute(std::int64_t ns) noexcept requires requires(T& t) { t.compute(ns); }
  {
    lower_.compute(ns);
  }

  outcome post(peer_id peer, const frame_header& header, std::span<const std::byte> payload,
               cookie_t cookie) noexcept {
    std::deque<posted>& queue = out_[peer].queue;
    const bool wanted =
        payload.size() >= Plan.pending_bytes_min && draw(100) < Plan.pending_percent;
    if (!wanted && queue.empty()) {
      const outcome o = lower_.post(peer, header, payload, cookie);
      if (o != outcome::retry) ++counters_.posts;
      return o;
    }
    if (queue.size() >= Plan.depth) return outcome::retry;
    if (queue.empty()) busy_out_.push_back(peer);
    queue.push_back({header, payload, cookie, soon(Plan.post_delay_max), ++serial_});
    ++counters_.posts;
    ++counters_.pending;
    if (armed_) lower_.wake();  // A sleeper of this endpoint has work now.
    return outcome::pending;
  }

  template <mpx::PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    ++polls_;
    send_due();
    std::size_t taken = complete_due(sink);
    taken += go_on_with_bodies(sink);
    if (staged_ < staged_max) {
      lower_sink<Sink> lower{*this, sink};
      taken += lower_.poll(lower);
    }
    if (armed_ && something_to_do()) lower_.wake();
    return taken;
  }

  bool arm() noexcept {
    armed_ = !something_to_do() && lower_.arm();
    return armed_;
  }
  void sleep(std::int64_t timeout_ns) noexcept { lower_.sleep(timeout_ns); }
  void disarm() noexcept {
    armed_ = false;
    lower_.disarm();
  }
  void wake() noexcept { lower_.wake(); }
  int descriptor() noexcept requires mpx::PollableTransport<T>
  {
    return lower_.descriptor();
  }

  /// See StreamTransport.
  void cancel_place(peer_id source) noexcept {
    incoming& from = in_[source];
    if (!from.begun) return;
    ++counters_.cancelled;
    from.cancelled = true;
    from.place = {};
  }

  void relocate(cookie_t cookie, std::span<const std::byte> from, const std::byte* to) noexcept {
    for (outgoing& o : out_)
      for (posted& p : o.queue) {
        if (p.cookie != cookie || p.payload.empty() || p.payload.data() < from.data() ||
            p.payload.data() + p.payload.size() > from.data() + from.size())
          continue;
        p.payload = {to + (p.payload.data() - from.data()), p.payload.size()};
        ++counters_.relocated;
      }
  }

  /// See Transport.
  void drop_peer(peer_id peer) noexcept {
    for (const posted& p : out_[peer].queue)
      completions_.push_back({p.cookie, false, 0, p.serial, peer});
    std::erase_if(lost_, [&](const completion& c) {
      if (c.peer == peer) completions_.push_back(c);
      return c.peer == peer;
    });
    for (completion& c : completions_) {
      if (c.peer != peer) continue;
      c.due = 0;
      c.sure = true;
    }
    std::erase(busy_out_, peer);
    out_[peer] = {};
    staged_ -= in_[peer].queue.size();
    std::erase(busy_in_, peer);
    in_[peer] = {};
    in_[peer].dropped = true;
    lower_.drop_peer(peer);
  }

  /// See ElasticTransport.
  std::string address() const requires mpx::ElasticTransport<T>
  {
    return lower_.address();
  }
  mpx::errc add_peer(peer_id peer, std::string_view address) noexcept
      requires mpx::ElasticTransport<T>
  {
    const mpx::errc e = lower_.add_peer(peer, address);
    if (e != mpx::errc{}) return e;
    if (peer >= out_.size()) {
      out_.resize(peer + 1);
      in_.resize(peer + 1);
    }
    in_[peer].dropped = false;
    return e;
  }

  auto expose(peer_id peer, std::span<const std::byte> memory, bool lasts = false) noexcept
      requires mpx::RmaTransport<T>
  {
    return lower_.expose(peer, memory, lasts);
  }
  outcome withdraw(mpx::peer_id peer, const mpx::remote_memory& memory) noexcept
      requires mpx::RmaTransport<T>
  {
    return lower_.withdraw(peer, memory);
  }
  mpx::cost_hint get_cost_hint(peer_id peer, const mpx::remote_memory& memory,
                               std::size_t bytes) noexcept requires mpx::RmaTransport<T>
  {
    return lower_.get_cost_hint(peer, memory, bytes);
  }
  outcome get(peer_id peer, const mpx::remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t cookie) noexcept requires mpx::RmaTransport<T>
  {
    return lower_.get(peer, memory, offset, into, cookie);
  }
  outcome put(peer_id peer, const mpx::remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t cookie) noexcept
      requires mpx::RmaTransport<T>
  {
    return lower_.put(peer, memory, offset, from, cookie);
  }
  outcome put_then(peer_id peer, const mpx::remote_memory& memory, std::uint64_t offset,
                   std::span<const std::byte> from, const frame_header& header,
                   cookie_t cookie) noexcept requires mpx::ImmediateTransport<T>
  {
    if (!out_[peer].queue.empty()) return outcome::retry;  // Its packet may overtake none.
    return lower_.put_then(peer, memory, offset, from, header, cookie);
  }

 private:
  static constexpr std::size_t staged_max = 64;

  /// The payload stays in the caller's memory: freeing or changing it early is detected.
  struct posted {
    frame_header header;
    std::span<const std::byte> payload;
    cookie_t cookie;
    std::uint64_t due;
    std::uint64_t serial;
    bool blocked = false;  // The lower transport has said `retry`, and will wake us.
  };
  struct outgoing {
    std::deque<posted> queue;
    std::uint64_t completes_at = 0;
  };
  struct completion {
    cookie_t cookie;
    bool ok;
    std::uint64_t due;
    std::uint64_t serial;
    peer_id peer;
    bool sure = false;  // Its peer was dropped: no fault applies any more.
  };
  struct staged {
    frame_header header;
    std::vector<std::byte> body;
  };
  /// Packets from one source; if a body is being placed, it is the first of `queue`.
  struct incoming {
    std::deque<staged> queue;
    bool begun = false;
    bool cancelled = false;
    bool dropped = false;  // Later packets are discarded.
    std::span<std::byte> place;
    std::size_t copied = 0;
  };

  template <class Sink>
  struct lower_sink {
    late& me;
    Sink& sink;
    void packet(peer_id source, const frame_header& header,
                std::span<const std::byte> payload) noexcept {
      me.arrived(sink, source, header, payload);
    }
    std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
    void complete(cookie_t cookie, bool ok) noexcept { sink.complete(cookie, ok); }
    void malformed(peer_id source) noexcept { sink.malformed(source); }
    void unreachable(peer_id source) noexcept { sink.unreachable(source); }
  };

  /// splitmix64.
  std::uint64_t draw(std::uint64_t below) noexcept {
    std::uint64_t z = random_ += 0x9e37'79b9'7f4a'7c15u;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9u;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebu;
    return (z ^ z >> 31) % below;
  }
  std::uint64_t soon(unsigned delay_max) noexcept { return polls_ + 1 + draw(delay_max + 1ull); }

  bool something_to_do() const noexcept {
    if (!completions_.empty() || !busy_in_.empty()) return true;
    for (const peer_id peer : busy_out_)
      if (!out_[peer].queue.front().blocked) return true;
    return false;
  }

  void send_due() noexcept {
    for (const peer_id peer : busy_out_) {
      outgoing& to = out_[peer];
      while (!to.queue.empty() && to.queue.front().due <= polls_) {
        posted& p = to.queue.front();
        const outcome o = lower_.post(peer, p.header, p.payload, p.cookie);
        p.blocked = o == outcome::retry;
        if (p.blocked) break;
        if (o != outcome::pending) {  // Else the lower transport will complete it.
          std::uint64_t at = soon(Plan.completion_delay_max);
          if (Plan.in_order && at < to.completes_at) at = to.completes_at;
          to.completes_at = at;
          completions_.push_back({p.cookie, o == outcome::done, at, p.serial, peer});
        }
        to.queue.pop_front();
      }
    }
    std::erase_if(busy_out_, [this](peer_id peer) { return out_[peer].queue.empty(); });
  }

  template <class Sink>
  std::size_t complete_due(Sink& sink) noexcept {
    std::vector<completion> due;  // The sink may post meanwhile.
    std::erase_if(completions_, [&](const completion& c) {
      if (c.due > polls_) return false;
      due.push_back(c);
      return true;
    });
    for (const completion& c : due) {
      bool overtook = false;
      for (const completion& other : completions_) overtook = overtook || other.serial < c.serial;
      counters_.disordered += overtook ? 1 : 0;
      const bool faulty = !c.sure && fault_ != fault::none && ++faults_ % Plan.fault_every == 0;
      if (faulty && fault_ == fault::lose_completion) {
        lost_.push_back(c);  // Until its peer is dropped.
        continue;
      }
      for (int times = faulty ? 2 : 1; times > 0; --times) {
        ++counters_.completions;
        sink.complete(c.cookie, c.ok);
      }
    }
    return due.size();
  }

  template <class Sink>
  void arrived(Sink& sink, peer_id source, const frame_header& header,
               std::span<const std::byte> payload) noexcept {
    incoming& from = in_[source];
    if (from.dropped) return;
    if (from.queue.empty() && !comes_in_pieces(payload.size()))
      return sink.packet(source, header, payload);
    if (from.queue.empty()) busy_in_.push_back(source);
    from.queue.push_back({header, {payload.begin(), payload.end()}});
    ++staged_;
  }
  static constexpr bool comes_in_pieces(std::size_t bytes) noexcept {
    return Plan.pieces != 0 && bytes != 0 && bytes >= Plan.place_bytes_min;
  }

  /// One step for each source that is in the middle of something.
  template <class Sink>
  std::size_t go_on_with_bodies(Sink& sink) noexcept {
    std::size_t taken = 0;
    const std::vector<peer_id> now = busy_in_;  // The sink may drop a peer meanwhile.
    for (const peer_id source : now) {
      incoming& from = in_[source];
      if (!from.queue.empty() && step(sink, source, from)) ++taken;
    }
    std::erase_if(busy_in_, [this](peer_id source) { return in_[source].queue.empty(); });
    return taken;
  }
  /// Returns whether a packet was handed over.
  template <class Sink>
  bool step(Sink& sink, peer_id source, incoming& from) noexcept {
    staged& first = from.queue.front();
    const std::size_t bytes = first.body.size();
    if (comes_in_pieces(bytes)) {
      if (!from.begun) {
        from.begun = true;
        from.copied = 0;
        const std::span<std::byte> place = sink.place(source, first.header, bytes);
        if (from.queue.empty() || from.cancelled) return false;  // It was taken back at once.
        from.place = place;
        if (!place.empty() && place.size() != bytes) {
          ++counters_.misplaced;
          from.place = {};
        }
        ++(from.place.empty() ? counters_.unplaced : counters_.placed);
        return false;
      }
      const std::size_t piece = (bytes + Plan.pieces - 1) / Plan.pieces;
      const std::size_t n = bytes - from.copied < piece ? bytes - from.copied : piece;
      for (std::size_t i = from.copied; !from.place.empty() && i < from.copied + n; ++i)
        from.place[i] = first.body[i];
      from.copied += n;
      if (from.copied < bytes) return false;
    }
    const staged whole = std::move(first);
    const std::span<std::byte> place = std::exchange(from.place, {});
    const bool cancelled = std::exchange(from.cancelled, false);
    from.begun = false;
    from.queue.pop_front();
    --staged_;
    if (cancelled) return false;
    sink.packet(source, whole.header,
                place.empty() ? std::span<const std::byte>(whole.body) : place);
    return true;
  }

  T lower_;
  std::uint64_t random_ = 0;
  std::uint64_t polls_ = 0;
  std::uint64_t serial_ = 0;
  std::uint64_t faults_ = 0;
  fault fault_ = Plan.planted;
  bool armed_ = false;
  std::size_t staged_ = 0;
  std::vector<outgoing> out_;
  std::vector<peer_id> busy_out_;  // With something queued.
  std::vector<completion> completions_;
  std::vector<completion> lost_;
  std::vector<incoming> in_;
  std::vector<peer_id> busy_in_;
  late_counters counters_;
};

}  // namespace late_transport
