// SPDX-License-Identifier: BSL-1.0
#pragma once
// A stream over several sockets ("lanes"), which may use several interfaces. A long write is dealt
// to the lanes in pieces; order is kept.
//
// On each lane travel blocks: a word (the length; a bit if the next block is on the next lane) and
// its bytes. The reader follows the writer from lane to lane: it reads where the next byte is.

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/core/memory.hpp"
#include "mpx/transport/tcp/handshake.hpp"
#include "mpx/transport/tcp/stream.hpp"

namespace mpx::inline v0::transport::detail {

/// One socket of a connection, and its read and write state.
template <class Lower>
struct stripe_lane {
  static constexpr std::size_t staged_bytes_max = 16 * 1024;

  bool writes() const noexcept { return head_left != 0 || at != end; }

  Lower stream;
  std::optional<tcp_connecting_handshake> call;
  bool begun = false;
  bool ready = false;
  // The block that is being written. Positions count from the beginning of the connection.
  bool waits_for_room = false;
  std::uint32_t head = 0;
  std::size_t head_left = 0;
  std::uint64_t at = 0;
  std::uint64_t end = 0;
  // Bytes that were read and not yet asked for.
  std::unique_ptr<std::byte[]> staged;
  std::size_t staged_at = 0;
  std::size_t staged_end = 0;
  bool drained = false;
};

/// A position in the memory of several pieces.
class piece_cursor {
 public:
  piece_cursor(const iovec* pieces, std::size_t count) noexcept
      : at_(pieces), end_(pieces + count) {
    settle();
  }
  bool at_end() const noexcept { return at_ == end_; }
  std::byte* data() const noexcept { return static_cast<std::byte*>(at_->iov_base) + done_; }
  /// Contiguous bytes at the position.
  std::size_t size() const noexcept { return at_->iov_len - done_; }
  void skip(std::size_t n) noexcept {
    while (at_ != end_ && n >= size()) {
      n -= size();
      ++at_;
      done_ = 0;
    }
    done_ += n;
  }
  /// Writes the next `bytes` as pieces to `into`, limited by the bytes left and by `room` pieces.
  /// Returns the number of pieces.
  std::size_t slice(std::size_t bytes, iovec* into, std::size_t room) const noexcept {
    piece_cursor c = *this;
    std::size_t n = 0;
    while (bytes != 0 && n != room && !c.at_end()) {
      const std::size_t part = c.size() < bytes ? c.size() : bytes;
      into[n++] = {c.data(), part};
      bytes -= part;
      c.skip(part);
    }
    return n;
  }

 private:
  void settle() noexcept {
    while (at_ != end_ && at_->iov_len == 0) ++at_;
  }
  const iovec* at_;
  const iovec* end_;
  std::size_t done_ = 0;
};

/// A stream over several sockets. `Lanes`: their number; `Lower`: the stream on each of them.
template <unsigned Lanes, TcpStream Lower = tcp_plain>
class striped_stream {
  static_assert(Lanes >= 2 && Lanes <= 64);

 public:
  static constexpr std::string_view name = Lower::name;
  static constexpr std::uint64_t layout =
      Lower::layout ^ (std::uint64_t{0x7374'7269'7065} << 16 | Lanes);
  static constexpr unsigned lanes = Lanes;
  static constexpr bool secures = true;
  /// Writes of at least `striped_bytes_min` bytes are cut into stripes of `stripe_bytes`.
  static constexpr std::size_t striped_bytes_min = 96 * 1024;
  static constexpr std::size_t stripe_bytes = 64 * 1024;

  struct context {
    typename Lower::context lower;
    /// Local addresses of this rank's lanes, and the addresses of each peer's lanes; empty: only
    /// one is known.
    std::vector<tcp_endpoint> here;
    std::vector<std::vector<tcp_endpoint>> there;
  };

  striped_stream() = default;
  explicit striped_stream(tcp_descriptor s) noexcept : first_(std::move(s)) {}
  int fd() const noexcept { return first_.fd(); }
  explicit operator bool() const noexcept { return static_cast<bool>(first_); }
  void close() noexcept {
    all_.reset();
    first_.close();
  }

  // --- Being made --------------------------------------------------------------------------------

  template <class Key>
  bool begin(context& c, tcp_role role, const tcp_site& site, Key&& key) noexcept {
    all_.reset(new (std::nothrow) state(c, role, site));
    if (all_ == nullptr) return false;
    state& s = *all_;
    s.key = key();
    for (unsigned k = 0; k < Lanes; ++k) {
      lane& l = s.lane_at[k];
      l.staged.reset(new (std::nothrow) std::byte[lane::staged_bytes_max]);
      if (l.staged == nullptr) return false;
      if (k == 0) {
        if (!first_.begin(c.lower, role, site, [&] { return s.key; })) return false;
        l.begun = true;
      } else if (role == tcp_role::connects && !call(k)) {
        return false;
      }
    }
    return true;
  }
  /// Adds a further socket, whose other end has proven to be this peer. Takes it and returns true
  /// if it belongs to this connection.
  bool attach(tcp_descriptor& socket, const tcp_accepting_handshake& who) noexcept {
    if (all_ == nullptr || all_->role != tcp_role::accepts || who.lane() >= Lanes) return false;
    state& s = *all_;
    lane& l = s.lane_at[who.lane()];
    const tcp_site& at = s.site;
    if (l.begun || !same_proof(who.other_nonce(), nonce_of(who.lane(), at.peer, at.self)))
      return false;
    const tcp_answer a = who.answer(tcp_verdict::open, at.secret);
    if (::send(socket.fd(), &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof a ||
        !at.watch.change(socket.fd(), event(), false))
      return false;
    l.stream = Lower(std::move(socket));
    l.begun = l.stream.begin(s.common.lower, s.role, at, [&] { return who.key(at.secret); });
    return l.begun;
  }
  tcp_secured secure() noexcept {
    state& s = *all_;
    bool waits = false;
    for (unsigned k = 0; k < Lanes; ++k) {
      lane& l = s.lane_at[k];
      if (l.ready) continue;
      if (!l.begun && s.role == tcp_role::connects && !greet(l)) return tcp_secured::broken;
      const tcp_secured how_far = l.begun ? lower(k).secure() : tcp_secured::waits;
      if (how_far == tcp_secured::broken) return how_far;
      l.ready = how_far == tcp_secured::yes;
      waits = waits || !l.ready;
    }
    if (waits) return tcp_secured::waits;
    for (unsigned k = 1; k < Lanes; ++k) tell_watch(k);  // The first byte comes on lane 0.
    return tcp_secured::yes;
  }

  // --- Bytes -------------------------------------------------------------------------------------

  ssize_t write(iovec* pieces, std::size_t count) noexcept {
    state& s = *all_;
    const std::uint64_t base = s.taken;
    std::uint64_t end = base;
    for (std::size_t i = 0; i < count; ++i) end += pieces[i].iov_len;
    if (s.broken) return -1;
    for (unsigned k = 0; k < Lanes; ++k)
      if (s.lane_at[k].writes()) s.broken = !push(k, pieces, count) || s.broken;
    while (s.started < end && !s.broken && !s.lane_at[s.out_lane].writes()) {
      lane& l = s.lane_at[s.out_lane];
      const auto rest = static_cast<std::size_t>(end - s.started);
      const bool moves = rest >= striped_bytes_min || s.in_stripes;
      const std::size_t n = rest < stripe_bytes || !moves ? rest : stripe_bytes;
      s.in_stripes = moves && rest > n;
      l.head = static_cast<std::uint32_t>(n) | (moves ? moves_bit : 0);
      l.head_left = sizeof l.head;
      l.at = s.started;
      l.end = s.started += n;
      s.broken = !push(s.out_lane, pieces, count);
      if (moves) s.out_lane = next(s.out_lane);
    }
    // If a socket breaks during the call, all bytes that may have been sent count as taken; the
    // next call returns -1.
    if (s.broken) return s.started == base ? -1 : static_cast<ssize_t>(s.started - base);
    std::uint64_t done = s.started;
    for (const lane& l : s.lane_at)
      if (l.writes() && l.at < done) done = l.at;
    for (unsigned k = 0; k < Lanes; ++k) {
      lane& l = s.lane_at[k];
      if (l.waits_for_room == l.writes()) continue;
      l.waits_for_room = l.writes();
      tell_watch(k);
    }
    s.taken = done;
    return static_cast<ssize_t>(done - base);
  }

  ssize_t read(iovec* pieces, std::size_t count) noexcept {
    state& s = *all_;
    piece_cursor to(pieces, count);
    std::size_t got = 0;
    for (lane& l : s.lane_at) l.drained = false;
    while (!s.ended) {
      lane& l = s.lane_at[s.in_lane];
      const std::size_t n = take_staged(l, to);
      got += n;
      if (s.block_left == 0 && s.in_block) {
        s.in_block = false;
        if (s.moves) s.in_lane = next(s.in_lane);
        s.has_moved = s.moves;
        continue;
      }
      if (n != 0) continue;
      if (to.at_end() || l.drained) break;
      const ssize_t more = fill(l, lower(s.in_lane), to);
      if (more < 0) break;
      got += static_cast<std::size_t>(more);
    }
    if (s.watched != s.in_lane) {
      const unsigned before = std::exchange(s.watched, s.in_lane);
      tell_watch(before);
      tell_watch(s.in_lane);
    }
    if (got != 0) return static_cast<ssize_t>(got);
    if (!s.ended && !to.at_end() && ++s.in_vain % look_interval == 0) s.ended = any_broken();
    return s.ended ? -1 : 0;
  }

  /// Does nothing: the stream sets the watch itself, for each lane.
  void want_room(tcp_watch&, peer_id, bool) noexcept {}
  void shut() noexcept {
    for_each_fd([](int fd) { ::shutdown(fd, SHUT_RDWR); });
  }
  void leave() noexcept {
    for (unsigned k = 0; k < Lanes; ++k) lower(k).leave();
  }
  /// Calls `f(descriptor)` for each socket.
  template <class F>
  void for_each_fd(F&& f) const noexcept {
    f(first_.fd());
    for (unsigned k = 1; all_ != nullptr && k < Lanes; ++k) {
      const int fd = all_->lane_at[k].stream.fd();
      if (fd >= 0) f(fd);
    }
  }

 private:
  using lane = stripe_lane<Lower>;
  static constexpr std::uint32_t moves_bit = 1u << 31;
  static constexpr std::size_t pieces_max = 96;
  static constexpr unsigned look_interval = 64;
  static constexpr std::string_view lane_label = "mpx tcp lane";

  struct state : mpx::detail::allocated {
    state(context& c, tcp_role r, const tcp_site& at) noexcept : common(c), role(r), site(at) {}
    context& common;
    tcp_role role;
    tcp_site site;
    tcp_bytes32 key{};
    std::array<lane, Lanes> lane_at;  // Lane 0 uses the socket `first_`.
    unsigned out_lane = 0;            // Lane of the next block.
    bool in_stripes = false;          // Stripes of the current write remain.
    std::uint64_t started = 0;        // Bytes before this are in blocks.
    std::uint64_t taken = 0;          // Bytes before this are with the kernel.
    unsigned in_lane = 0;             // Lane of the next byte.
    unsigned watched = 0;             // Lane whose input is watched.
    bool in_block = false;
    bool moves = false;      // The next lane follows after this block.
    bool has_moved = false;  // The lane was changed before this block: it is long.
    bool ended = false;
    bool broken = false;  // Nothing more can be written.
    std::uint32_t block_left = 0;
    unsigned in_vain = 0;
  };

  static unsigned next(unsigned k) noexcept { return k + 1 == Lanes ? 0 : k + 1; }
  Lower& lower(unsigned k) noexcept { return k == 0 ? first_ : all_->lane_at[k].stream; }
  tcp_watch::event event() const noexcept { return {tcp_watch::kind::link, all_->site.peer}; }
  void tell_watch(unsigned k) noexcept {
    const state& s = *all_;
    s.site.watch.change(lower(k).fd(), event(), s.lane_at[k].waits_for_room, k == s.watched);
  }

  /// The nonce by which a further socket shows to which connection it belongs.
  tcp_bytes32 nonce_of(unsigned k, peer_id from, peer_id to) const noexcept {
    return all_->site.secret.prove(lane_label, from, tcp_lane_of(to, k), all_->key, all_->key);
  }
  bool call(unsigned k) noexcept {
    state& s = *all_;
    const tcp_site& at = s.site;
    const auto& here = s.common.here;
    const auto* const there = at.peer < s.common.there.size() ? &s.common.there[at.peer] : nullptr;
    const tcp_endpoint& from = here.empty() ? at.from : here[k % here.size()];
    const tcp_endpoint& to =
        there == nullptr || there->empty() ? at.to : (*there)[k % there->size()];
    lane& l = s.lane_at[k];
    l.stream = Lower(connect_tcp(from, to, at.kernel_bytes));
    l.call.emplace(at.self, tcp_lane_of(at.peer, k), nonce_of(k, at.self, at.peer));
    return l.stream && at.watch.add(l.stream.fd(), event(), true);
  }
  /// Continues the handshake of a further socket. Returns false if it has failed.
  bool greet(lane& l) noexcept {
    const tcp_site& at = all_->site;
    if (!l.call->has_knocked()) {
      if (!l.call->knock(l.stream.fd(), at.secret)) return errno == EAGAIN || errno == EINTR;
      at.watch.change(l.stream.fd(), event(), false);
    }
    for (;;) {
      const std::span<std::byte> rest = l.call->rest();
      const ssize_t n = ::recv(l.stream.fd(), rest.data(), rest.size(), MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (n <= 0) return false;
      const tcp_step step = l.call->added(static_cast<std::size_t>(n), at.secret);
      if (step == tcp_step::wrong) return false;
      if (step == tcp_step::more) continue;
      if (!l.call->is_judged()) {
        const tcp_hello h = l.call->hello(at.secret);
        if (::send(l.stream.fd(), &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof h)
          return false;
        continue;
      }
      if (l.call->verdict() != tcp_verdict::open) return false;
      set_tcp_patience(l.stream.fd(), 0);
      l.begun = l.stream.begin(all_->common.lower, all_->role, at,
                               [&] { return l.call->key(at.secret); });
      return l.begun;
    }
  }

  /// Writes the rest of the lane's block, as far as the socket takes it. Returns false if the
  /// socket is broken. Requires: the pieces begin at `taken`.
  bool push(unsigned k, const iovec* pieces, std::size_t count) noexcept {
    lane& l = all_->lane_at[k];
    iovec parts[pieces_max];
    std::size_t n = 0;
    const std::byte* const head = reinterpret_cast<const std::byte*>(&l.head);
    if (l.head_left != 0) parts[n++] = piece_of(head + (sizeof l.head - l.head_left), l.head_left);
    piece_cursor from(pieces, count);
    from.skip(static_cast<std::size_t>(l.at - all_->taken));
    n += from.slice(static_cast<std::size_t>(l.end - l.at), parts + n, pieces_max - n);
    const ssize_t w = lower(k).write(parts, n);
    if (w < 0) return false;
    const std::size_t of_head = std::min(static_cast<std::size_t>(w), l.head_left);
    l.head_left -= of_head;
    l.at += static_cast<std::size_t>(w) - of_head;
    return true;
  }

  /// Copies staged bytes to `to`. Returns how many.
  std::size_t take_staged(lane& l, piece_cursor& to) noexcept {
    state& s = *all_;
    std::size_t here = l.staged_end - l.staged_at;
    if (!s.in_block) {
      std::uint32_t head = 0;
      if (here < sizeof head) return 0;
      std::memcpy(&head, l.staged.get() + l.staged_at, sizeof head);
      l.staged_at += sizeof head;
      here -= sizeof head;
      s.block_left = head & ~moves_bit;
      s.moves = (head & moves_bit) != 0;
      s.in_block = true;
      s.ended = s.block_left == 0;  // No writer sends an empty block.
    }
    std::size_t copied = 0;
    while (here != 0 && s.block_left != 0 && !to.at_end()) {
      const std::size_t n = std::min({here, std::size_t{s.block_left}, to.size()});
      std::memcpy(to.data(), l.staged.get() + l.staged_at, n);
      to.skip(n);
      l.staged_at += n;
      here -= n;
      s.block_left -= static_cast<std::uint32_t>(n);
      copied += n;
    }
    return copied;
  }
  /// Reads from the socket: bytes of the current block go into the pieces, further ones are staged.
  /// Returns the number of bytes in the pieces; -1: nothing was read.
  ssize_t fill(lane& l, Lower& from, piece_cursor& to) noexcept {
    state& s = *all_;
    iovec parts[8];
    std::size_t n = 0;
    std::size_t wanted = 0;
    if (s.in_block) n = to.slice(s.block_left, parts, 7);
    for (std::size_t i = 0; i < n; ++i) wanted += parts[i].iov_len;
    const std::size_t direct = wanted;
    // Beyond the block: the next blocks, if they are on this lane.
    if (!s.in_block || (direct == s.block_left && !s.moves)) {
      if (l.staged_at != 0)
        std::memmove(l.staged.get(), l.staged.get() + l.staged_at, l.staged_end - l.staged_at);
      l.staged_end -= std::exchange(l.staged_at, 0);
      std::size_t room = lane::staged_bytes_max - l.staged_end;
      // The staged beginning of a long block is copied, so stage little of it.
      if (!s.in_block && s.has_moved && room > short_bytes) room = short_bytes;
      parts[n++] = {l.staged.get() + l.staged_end, room};
      wanted += room;
    }
    const ssize_t r = from.read(parts, n);
    if (r < 0) s.ended = true;
    if (r <= 0) return -1;
    const auto got = static_cast<std::size_t>(r);
    l.drained = got < wanted;
    const std::size_t placed = got < direct ? got : direct;
    to.skip(placed);
    s.block_left -= static_cast<std::uint32_t>(placed);
    l.staged_end += got - placed;
    return static_cast<ssize_t>(placed);
  }
  static constexpr std::size_t short_bytes = 256;

  /// True if a socket is broken on which no bytes are awaited now.
  bool any_broken() noexcept {
    pollfd all[Lanes];
    for (unsigned k = 0; k < Lanes; ++k) all[k] = {lower(k).fd(), 0, 0};
    if (::poll(all, Lanes, 0) <= 0) return false;
    for (const pollfd& p : all)
      if ((p.revents & (POLLERR | POLLNVAL)) != 0) return true;
    return false;
  }

  Lower first_;
  std::unique_ptr<state> all_;
};

}  // namespace mpx::inline v0::transport::detail
