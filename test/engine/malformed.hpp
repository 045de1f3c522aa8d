// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport made of bytes: what arrives is what a test or a fuzzer says. And a rank that has
// sends, receives and probes of all kinds under way while it does.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mpx/mpx.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "transport/late.hpp"

namespace malformed {

/// Bytes that decide everything; zeros once they are used up.
class script {
 public:
  explicit script(std::span<const std::uint8_t> bytes) noexcept : rest_(bytes) {}

  bool over() const noexcept { return rest_.empty(); }
  std::uint8_t byte() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t b = rest_.front();
    rest_ = rest_.subspan(1);
    return b;
  }
  template <class T>
  T value() noexcept {
    std::array<std::uint8_t, sizeof(T)> raw{};
    for (auto& b : raw) b = byte();
    return std::bit_cast<T>(raw);
  }

 private:
  std::span<const std::uint8_t> rest_;
};

/// A transport whose peers are the test. No RMA.
class wire : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = "malformed";
  static constexpr mpx::transport_traits traits{.inline_bytes_max = 40, .packet_bytes_max = 4096};
  static constexpr mpx::peer_id peers_max = 4;

  struct packet {
    mpx::peer_id source;
    mpx::frame_header header;
    std::vector<std::byte> payload;
  };

  explicit wire(mpx::bootstrap::any&) noexcept {}

  mpx::peer_id self() const noexcept { return 0; }
  mpx::peer_id peers() const noexcept { return peers_max; }

  mpx::outcome post(mpx::peer_id to, const mpx::frame_header& f, std::span<const std::byte> payload,
                    mpx::cookie_t) noexcept {
    if (full_ != 0) {
      --full_;
      return mpx::outcome::retry;
    }
    if (to == self()) {
      arriving_.push_back({to, f, {payload.begin(), payload.end()}});
    } else {
      remember(to, mpx::wire::unpack(f), payload);
    }
    return mpx::outcome::done;
  }

  std::size_t poll(mpx::PacketSink auto& sink) noexcept {
    std::size_t n = 0;
    for (; !arriving_.empty() && n < 8; ++n) {
      const packet p = std::move(arriving_.front());
      arriving_.pop_front();
      // Exactly of its length, so that a sanitizer finds reads beyond it.
      const auto exact = std::make_unique<std::byte[]>(p.payload.size());
      std::copy(p.payload.begin(), p.payload.end(), exact.get());
      sink.packet(p.source, p.header, {exact.get(), p.payload.size()});
    }
    if (n == 0 && over_)
      for (mpx::peer_id p = 0; p < peers_max; ++p) sink.malformed(p);
    return n;
  }

  bool arm() noexcept { return false; }
  void sleep(std::int64_t) noexcept {}
  void disarm() noexcept {}
  void wake() noexcept {}
  bool oversubscribed() const noexcept { return true; }

  // --- The test's side

  void arrive(packet p) { arriving_.push_back(std::move(p)); }
  /// From now on all peers, this rank itself among them, are lost once everything has arrived:
  /// whatever waits for them ends.
  void hang_up() noexcept {
    over_ = true;
    full_ = 0;
  }
  /// The next `posts` posts return `retry`.
  void choke(unsigned posts) noexcept { full_ = posts; }
  /// The next frame that a peer owes for what this rank has said, oldest first. Returns false if
  /// none is owed. `choice` decides where a faithful peer may choose.
  bool reply(unsigned choice, packet& p) {
    if (owing_.empty()) return false;
    owed& o = owing_.front();
    p = {o.to, {}, {}};
    mpx::wire::header h{.kind = mpx::wire::kind::finished, .ticket = o.ticket};
    if (o.said == mpx::wire::kind::clear) {  // The next piece of the data that was asked for.
      const auto n = std::min<std::uint64_t>(o.left, choice % 2 == 0 ? 512 : 1 + choice * 16);
      h.kind = mpx::wire::kind::data;
      h.tag = static_cast<mpx::tag_t>(o.sent);
      p.payload.resize(n);
      o.sent += n;
      o.left -= n;
      if (o.left == 0) owing_.pop_front();
    } else {
      if (o.said == mpx::wire::kind::eager)
        h.kind = choice % 4 == 0 ? mpx::wire::kind::unready : mpx::wire::kind::matched;
      if (o.said == mpx::wire::kind::announce && choice % 4 != 0 && o.left > 0) {
        h.kind = mpx::wire::kind::clear;
        const mpx::wire::clearance c{.bytes = o.left - (choice % 8 == 1 ? o.left / 2 : 0),
                                     .from = choice % 32 == 2 ? o.left / 2 : 0,
                                     .memory = {},
                                     .ticket = choice,
                                     .reserved = 0};
        p.payload.resize(sizeof c);
        std::memcpy(p.payload.data(), &c, sizeof c);
      }
      owing_.pop_front();
      // Several fetched messages may be reported by one packet.
      while (h.kind == mpx::wire::kind::finished && choice % 16 >= 8 && !owing_.empty() &&
             owing_.front().to == p.source && owing_.front().said == mpx::wire::kind::announce &&
             p.payload.size() < mpx::wire::finished_more_max * sizeof h.ticket) {
        const auto ticket = std::as_bytes(std::span(&owing_.front().ticket, 1));
        p.payload.insert(p.payload.end(), ticket.begin(), ticket.end());
        owing_.pop_front();
      }
    }
    p.header = mpx::wire::pack(h);
    return true;
  }
  /// A ticket that this rank gave to a peer, in a header or a clearance; else any number.
  std::pair<mpx::peer_id, std::uint32_t> ticket(std::size_t i) const noexcept {
    if (tickets_.empty()) return {1, static_cast<std::uint32_t>(i)};
    return tickets_[i % tickets_.size()];
  }

 private:
  /// Something that a peer must answer, and the part of it that is not answered yet.
  struct owed {
    mpx::peer_id to;
    mpx::wire::kind said;
    std::uint32_t ticket;
    std::uint64_t left;
    std::uint64_t sent;
  };

  void remember(mpx::peer_id to, const mpx::wire::header& h, std::span<const std::byte> payload) {
    std::uint32_t ticket = h.ticket;
    std::uint64_t bytes = 0;
    if (mpx::wire::announcement a;
        h.kind == mpx::wire::kind::announce && payload.size() == sizeof a) {
      std::memcpy(&a, payload.data(), sizeof a);
      bytes = a.bytes;
    }
    if (mpx::wire::clearance c; h.kind == mpx::wire::kind::clear && payload.size() == sizeof c) {
      std::memcpy(&c, payload.data(), sizeof c);
      ticket = c.ticket;
      bytes = c.bytes;
    }
    if (ticket == 0) return;
    if (tickets_.size() >= 64) tickets_.pop_front();
    tickets_.emplace_back(to, ticket);
    const bool answer = h.kind == mpx::wire::kind::eager || h.kind == mpx::wire::kind::announce ||
                        h.kind == mpx::wire::kind::clear;
    if (answer && owing_.size() < 1000) owing_.push_back({to, h.kind, ticket, bytes, 0});
  }

  std::deque<packet> arriving_;
  std::deque<std::pair<mpx::peer_id, std::uint32_t>> tickets_;
  std::deque<owed> owing_;
  unsigned full_ = 0;
  bool over_ = false;
};
static_assert(mpx::Transport<wire> && !mpx::RmaTransport<wire>);

/// The same, but posts are pending, and bodies arrive piece by piece.
class late_wire : public late_transport::late<wire> {
 public:
  using late::late;
  using packet = wire::packet;
  static constexpr mpx::peer_id peers_max = wire::peers_max;
  void arrive(packet p) { lower().arrive(std::move(p)); }
  void hang_up() noexcept { lower().hang_up(); }
  void choke(unsigned posts) noexcept { lower().choke(posts); }
  bool reply(unsigned choice, packet& p) { return lower().reply(choice, p); }
  auto ticket(std::size_t i) noexcept { return lower().ticket(i); }
};

/// Makes one in `rarity` frames wrong, in a place or several.
inline void damage(script& s, wire::packet& p, unsigned rarity) {
  for (unsigned wrong = s.byte(); wrong % rarity == 1; wrong = s.byte() * rarity / 2) {
    const unsigned what = s.byte();
    if (what < 160) {  // Any bit of the header.
      p.header.word[what / 32] ^= 1u << (what % 32);
    } else if (what < 200) {
      p.header.word[what % 5] = s.value<std::uint32_t>();
    } else if (what < 230) {
      p.payload.resize(s.value<std::uint16_t>() % (wire::traits.packet_bytes_max + 1));
    } else if (!p.payload.empty()) {
      p.payload[s.byte() % p.payload.size()] = std::byte{s.byte()};
    }
  }
}

/// True if ranks over this transport take bodies that are pushed.
template <class Wire>
inline constexpr bool pushes_to = std::same_as<Wire, late_wire>;

/// A frame that is well formed, of a kind that needs no question, or now and then of any kind.
template <class Wire>
wire::packet make_frame(script& s, Wire& w) {
  using mpx::wire::kind;
  const auto [peer, ticket] = w.ticket(s.byte());
  const unsigned any = s.byte();
  const kind unasked[] = {kind::eager, kind::announce, kind::eager, kind::credit, kind::allow};
  const kind asked = any / 16 == 15 ? static_cast<kind>(64 + any % 3)
                                    : static_cast<kind>(1 + (any / 16 + ticket) % 16);
  mpx::wire::header h{.kind = any % 16 == 15 ? asked : unasked[any % 5],
                      .flags = 0,
                      .reserved = 0,
                      .tag = static_cast<mpx::tag_t>(s.byte() % 4),
                      .context = 0,
                      .credit = 0,
                      .ticket = ticket};
  std::vector<std::byte> payload;
  const auto put = [&payload](const auto& value) {
    payload.resize(sizeof value);
    std::memcpy(payload.data(), &value, sizeof value);
  };
  switch (h.kind) {
    case kind::eager:
      payload.resize(s.byte() % 128);
      if (s.byte() % 4 == 0) h.flags = s.byte() & 3;
      if (s.byte() % 8 == 0)  // Long, or too long to be sent eagerly.
        payload.resize(s.value<std::uint16_t>() % 1536u);
      break;
    case kind::announce:
      put(mpx::wire::announcement{.bytes = s.value<std::uint16_t>(), .memory = {}});
      h.flags = s.byte() & mpx::wire::flags_all;
      h.ticket = s.byte() + 1u;
      if constexpr (pushes_to<Wire>) {
        h.ticket = 1 + h.ticket % 4;
      } else {
        h.flags &= static_cast<std::uint8_t>(~mpx::wire::flag_pushed);
      }
      break;
    case kind::clear:
      put(mpx::wire::clearance{.bytes = s.value<std::uint16_t>(),
                               .from = s.byte() % 4 == 0 ? s.byte() : 0u,
                               .memory = {},
                               .ticket = s.byte(),
                               .reserved = 0});
      break;
    case kind::data:
      h.tag = s.byte() % 2 == 0 ? 0 : s.value<std::uint16_t>();
      payload.resize(1u + s.value<std::uint16_t>() % 4096u);
      if (pushes_to<Wire> && s.byte() % 2 == 0) {
        h.flags = mpx::wire::flag_pushed;
        h.ticket = 1 + h.ticket % 4;
      }
      break;
    case kind::kept:
      if (!pushes_to<Wire>) h.kind = kind::credit;
      break;
    case kind::revoke: h.context = s.value<std::uint16_t>(); break;
    case kind::freed:
    case kind::revoke_all:
    case kind::forget:
    case kind::forgotten:
      h.context = s.value<std::uint16_t>();
      h.tag = s.byte() % 8 == 0;
      break;
    case kind::allow: h.tag = 1 + s.byte(); break;
    default: break;
  }
  const bool anybody = h.kind == kind::eager || h.kind == kind::announce || s.byte() % 8 == 0;
  return {anybody ? s.byte() % wire::peers_max : peer, mpx::wire::pack(h), std::move(payload)};
}

/// Errors that a rank may report about peers that send malformed packets. A peer can cause
/// truncation and ready sends without a receive by valid frames; resources run out if it never
/// takes what it asked for.
inline bool explicable(std::error_code e) {
  return !e || e == mpx::errc::protocol || e == mpx::errc::peer_lost || e == mpx::errc::truncate ||
         e == mpx::errc::not_ready || e == mpx::errc::no_resources;
}

using stack =
    mpx::stack<wire, mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::automatic, 512>,
               mpx::flow::credits<64 * 1024, 8 * 1024>>;
using late_stack =
    mpx::stack<late_wire, mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::eager, 512>,
               mpx::flow::zeno<1, 64 * 1024, 4096>>;
using locked_stack =
    mpx::stack<wire, mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::automatic, 512>,
               mpx::flow::unlimited, mpx::matching::list, mpx::threading::multiple>;

struct tally {
  std::size_t frames = 0;
  std::size_t operations = 0;
  std::size_t failed = 0;  ///< Operations that ended with an error.
  std::size_t inexplicable = 0;
};

/// A rank that does what its script says, and ends.
template <class Stack>
class rank {
 public:
  rank(mpx::bootstrap::any& job, std::span<const std::uint8_t> bytes)
      : script_(bytes),
        rarity_(4u << script_.byte() % 6),
        endpoint_(job),
        world_(endpoint_, endpoint_.new_communicator_state(), mpx::context_id{0}, 0,
               static_cast<mpx::rank_t>(wire::peers_max)) {
    std::ranges::fill(out_, std::byte{0x5a});
    endpoint_.attach(attached_);
  }

  tally run() {
    while (!script_.over() && count_.operations + count_.frames < 5000) step();
    endpoint_.transport().hang_up();
    blocking();
    for (auto& r : pending_) finish(r.request);
    held_.clear();
    pending_.clear();
    count_.inexplicable += !within_bound();
    endpoint_.detach({"detach"});
    return count_;
  }

 private:
  struct doing {
    std::vector<std::byte> buffer;
    mpx::request<Stack> request;
  };

  void note(std::error_code e) {
    ++count_.operations;
    count_.failed += e ? 1 : 0;
    count_.inexplicable += !explicable(e);
  }
  void finish(mpx::request<Stack>& r) {
    std::error_code e;
    r.wait(e);
    note(e);
  }
  bool within_bound() const {
    return endpoint_.unexpected_bytes() <= endpoint_.flow().bytes_bound();
  }

  void step() {
    const unsigned what = script_.byte() % 32;
    typename Stack::transport_type& w = endpoint_.transport();
    if (what < 14) {
      ++count_.frames;
      wire::packet p;
      if (what < 7 || !w.reply(script_.byte(), p)) p = make_frame(script_, w);
      damage(script_, p, rarity_);
      w.arrive(std::move(p));
    } else if (what < 18) {
      start_receive();
    } else if (what < 22) {
      start_send();
    } else if (what < 27) {
      endpoint_.progress();
      count_.inexplicable += !within_bound();
    } else if (what == 27) {
      probe();
    } else if (what == 28 && !pending_.empty()) {  // Dropped, whatever its stage.
      const auto i = static_cast<std::ptrdiff_t>(script_.byte() % pending_.size());
      pending_[static_cast<std::size_t>(i)].request = {};  // Before its buffer.
      pending_.erase(pending_.begin() + i);
    } else if (what == 29 && !pending_.empty()) {
      auto& r = pending_[script_.byte() % pending_.size()].request;
      if (script_.byte() % 2 == 0) r.cancel();
      std::error_code e;
      if (r.test(e)) note(e);
    } else if (what == 30) {
      w.choke(script_.byte());
    } else if (what == 31 && !held_.empty()) {
      receive_held();
    }
  }

  void start_receive() {
    const auto from = static_cast<mpx::rank_t>(script_.byte() % (wire::peers_max + 1)) - 1;
    const auto tag = static_cast<mpx::tag_t>(script_.byte() % 5) - 1;
    std::vector<std::byte> buffer(script_.value<std::uint16_t>() % 8192u);
    std::error_code e;
    auto r = world_.irecv(buffer, from, tag, e);
    note(e);
    if (!e) keep({std::move(buffer), std::move(r)});
  }

  void start_send() {
    const auto to = static_cast<mpx::rank_t>(script_.byte() % wire::peers_max);
    const auto tag = static_cast<mpx::tag_t>(script_.byte() % 4);
    const std::span<const std::byte> data(out_.data(),
                                          script_.value<std::uint16_t>() % out_.size());
    std::error_code e;
    switch (script_.byte() % 4) {
      case 0: keep({{}, world_.isend(data, to, tag, e)}); break;
      case 1: keep({{}, world_.issend(data, to, tag, e)}); break;
      case 2: keep({{}, world_.irsend(data, to, tag, e)}); break;
      default:
        world_.bsend(data, to, tag, e);
        if (e == mpx::errc::buffer) e.clear();
    }
    note(e);
  }
  void keep(doing d) {
    if (d.request) pending_.push_back(std::move(d));
  }

  void probe() {
    const auto from = static_cast<mpx::rank_t>(script_.byte() % (wire::peers_max + 1)) - 1;
    std::error_code e;
    if (script_.byte() % 2 == 0) {
      world_.iprobe(from, mpx::any_tag, e);
    } else if (auto m = world_.improbe(from, mpx::any_tag, e); m && held_.size() < 16) {
      held_.push_back(std::move(*m));
    }
    note(e);
  }
  void receive_held() {
    std::vector<std::byte> buffer(script_.value<std::uint16_t>() % 8192u);
    auto r = held_.front().irecv(buffer);
    held_.pop_front();
    keep({std::move(buffer), std::move(r)});
  }

  /// Calls that block end too, when the peers are lost.
  void blocking() {
    std::array<std::byte, 64> in{};
    std::error_code e;
    world_.recv(in, 1, 2, e);
    note(e);
    world_.probe(2, mpx::any_tag, e);
    note(e);
    world_.ssend(in, 3, 1, e);
    note(e);
    world_.recv(in, mpx::any_source, 900, e);
    note(e);
  }

  script script_;
  unsigned rarity_;  // Of damage.
  mpx::detail::endpoint<Stack> endpoint_;
  mpx::communicator<Stack> world_;
  std::vector<std::byte> out_ = std::vector<std::byte>(20'000);
  std::vector<std::byte> attached_ = std::vector<std::byte>(64 * 1024);
  std::deque<doing> pending_;
  std::deque<mpx::message<Stack>> held_;
  tally count_;
};

}  // namespace malformed
