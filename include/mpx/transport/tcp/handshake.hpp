// SPDX-License-Identifier: BSL-1.0
#pragma once
// The handshake by which both ends of a new connection prove that they belong to one job, before
// anything else is read. The classes are state machines over bytes: they own no socket and allocate
// nothing.
//
// accepting end                       connecting end
//                              <-     knock, repeated until it is challenged
// challenge: magic, nonce      ->
//                              <-     hello: magic, from, to, nonce, bond, proof of "hello"
// verdict: word, proof         ->
//
// The knock is constant for a rank: a stranger can send it only if it has overheard it (knock.hpp).
// The bond proves that the connecting end is the process that the accepting end has met before: it
// is derived from a token that the connecting end has sent to that rank only. A rank that has not
// met it yet cannot check the bond.

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/transport/tcp/knock.hpp"
#include "mpx/transport/tcp/secret.hpp"

namespace mpx::inline v0::transport::detail {

/// Names mpx and the version of what follows; in the host's byte order.
inline constexpr std::uint64_t tcp_magic = 0x6d70'7874'6370'0004;

/// The value of `to` in a hello: the rank that is called, and the number of this socket among those
/// of one connection.
inline constexpr unsigned tcp_lane_shift = 24;
constexpr peer_id tcp_lane_of(peer_id peer, unsigned lane) noexcept {
  return peer | lane << tcp_lane_shift;
}

/// Answer of the accepting end to a rank of its job.
enum class tcp_verdict : std::uint64_t {
  open = 1,     ///< This connection is the one between the two ranks.
  crossed = 2,  ///< The accepting end's own attempt to connect will be the connection.
  gone = 3,     ///< The accepting end has dropped this rank or counts it as lost.
};

struct tcp_challenge {
  std::uint64_t magic;
  tcp_bytes32 nonce;
};
struct tcp_hello {
  std::uint64_t magic;
  std::uint32_t from;
  std::uint32_t to;
  tcp_bytes32 nonce;
  tcp_bytes32 bond;
  tcp_bytes32 proof;
};
struct tcp_answer {
  tcp_verdict verdict;
  tcp_bytes32 proof;
};
static_assert(sizeof(tcp_challenge) == 40 && sizeof(tcp_hello) == 112 && sizeof(tcp_answer) == 40);

inline std::string_view label_of(tcp_verdict v) noexcept {
  switch (v) {
    case tcp_verdict::open: return "mpx tcp open";
    case tcp_verdict::crossed: return "mpx tcp crossed";
    case tcp_verdict::gone: break;
  }
  return "mpx tcp gone";
}
inline constexpr std::string_view tcp_hello_label = "mpx tcp hello";
inline constexpr std::string_view tcp_bond_label = "mpx tcp bond";
inline constexpr std::string_view tcp_key_label = "mpx tcp key";

/// Result of adding bytes to a handshake.
enum class tcp_step : std::uint8_t {
  more,   ///< The message is incomplete.
  ready,  ///< The message is complete and proven.
  wrong,  ///< The other end is no rank of this job.
};

/// Collects the bytes of one message of fixed size.
template <class Message>
class tcp_incoming {
 public:
  /// Room for the missing bytes.
  std::span<std::byte> rest() noexcept { return std::span(bytes_).subspan(have_); }
  /// Counts `n` bytes written to rest(). Returns true if the message is complete. Requires: n <=
  /// rest().size().
  bool add(std::size_t n) noexcept { return (have_ += n) == sizeof(Message); }
  /// Removes `bytes` from the beginning, repeatedly. Returns true if they were there.
  template <std::size_t N>
  bool skip(const std::array<std::byte, N>& bytes) noexcept {
    bool any = false;
    for (; have_ >= N && std::memcmp(bytes_.data(), bytes.data(), N) == 0; any = true) {
      have_ -= N;
      std::memmove(bytes_.data(), bytes_.data() + N, have_);
    }
    return any;
  }
  Message get() const noexcept {
    Message m;
    std::memcpy(&m, bytes_.data(), sizeof m);
    return m;
  }

 private:
  std::array<std::byte, sizeof(Message)> bytes_{};
  std::size_t have_ = 0;
};

/// The accepting end of a handshake, which learns the rank of the other end.
class tcp_accepting_handshake {
 public:
  tcp_accepting_handshake() = default;
  explicit tcp_accepting_handshake(const tcp_knock& expected) noexcept : expected_(expected) {}
  /// Requires: the first `ready`.
  tcp_challenge challenge() const noexcept { return {tcp_magic, nonce_}; }
  bool has_knocked() const noexcept { return knocked_; }

  std::span<std::byte> rest() noexcept { return knocked_ ? in_.rest() : knock_.rest(); }
  /// Call after `n` bytes were written to rest(). This end is rank `self` of `peers`. Returns
  /// `ready` twice: when challenge() is to be sent, and when the other end has proven its rank.
  tcp_step added(std::size_t n, const tcp_secret& secret, peer_id self, peer_id peers) noexcept {
    if (!knocked_) {
      if (!knock_.add(n)) return tcp_step::more;
      knocked_ = knock_.get() == expected_ && draw_random(nonce_);
      return knocked_ ? tcp_step::ready : tcp_step::wrong;
    }
    const bool whole = in_.add(n);
    if (in_.skip(expected_) || !whole) return tcp_step::more;
    const tcp_hello h = in_.get();
    const bool sane = h.magic == tcp_magic && (h.to ^ self) << (32 - tcp_lane_shift) == 0 &&
                      h.from < peers && h.from != self;
    const tcp_bytes32 proof = secret.prove(tcp_hello_label, h.from, h.to, h.nonce, nonce_, h.bond);
    if (!same_proof(proof, h.proof) || !sane) return tcp_step::wrong;
    from_ = h.from;
    to_ = h.to;
    other_nonce_ = h.nonce;
    bond_ = h.bond;
    return tcp_step::ready;
  }
  /// The rank of the other end. Requires: the second `ready`.
  peer_id from() const noexcept { return from_; }
  unsigned lane() const noexcept { return to_ >> tcp_lane_shift; }
  const tcp_bytes32& other_nonce() const noexcept { return other_nonce_; }
  /// True if the other end's bond was made from `token`. Requires: the second `ready`.
  bool knows(const tcp_bytes32& token) const noexcept {
    return same_proof(tcp_secret(token).prove(tcp_bond_label, from_, to_, other_nonce_, nonce_),
                      bond_);
  }
  tcp_answer answer(tcp_verdict v, const tcp_secret& secret) const noexcept {
    return {v, secret.prove(label_of(v), from_, to_, other_nonce_, nonce_)};
  }
  /// A key that only the two ends of this connection know. Requires: the second `ready`.
  tcp_bytes32 key(const tcp_secret& secret) const noexcept {
    return secret.prove(tcp_key_label, from_, to_, other_nonce_, nonce_);
  }

 private:
  tcp_knock expected_{};
  bool knocked_ = false;
  tcp_incoming<tcp_knock> knock_;
  tcp_incoming<tcp_hello> in_;
  tcp_bytes32 nonce_{};
  tcp_bytes32 other_nonce_{};
  tcp_bytes32 bond_{};
  peer_id from_ = 0;
  peer_id to_ = 0;
};

/// The connecting end of a handshake: rank `self` connects to rank `peer`.
class tcp_connecting_handshake {
 public:
  tcp_connecting_handshake(peer_id self, peer_id peer) noexcept : self_(self), peer_(peer) {}
  /// For a further socket of a connection (tcp_lane_of). The accepting end recognises it by
  /// `nonce`.
  tcp_connecting_handshake(peer_id self, peer_id lane_of_peer, const tcp_bytes32& nonce) noexcept
      : self_(self), peer_(lane_of_peer), draws_(false), nonce_(nonce) {}

  std::span<std::byte> rest() noexcept { return greeted_ ? answer_.rest() : challenge_.rest(); }
  /// Call after `n` bytes were written to rest(). Returns `ready` twice: when hello() is to be
  /// sent, and when the verdict has arrived.
  tcp_step added(std::size_t n, const tcp_secret& secret) noexcept {
    if (greeted_) return answer_.add(n) ? judge(secret) : tcp_step::more;
    if (!challenge_.add(n)) return tcp_step::more;
    const tcp_challenge c = challenge_.get();
    if (c.magic != tcp_magic || (draws_ && !draw_random(nonce_))) return tcp_step::wrong;
    other_nonce_ = c.nonce;
    greeted_ = true;
    return tcp_step::ready;
  }
  /// Hello of a rank that has sent no token to the peer. Requires: the first `ready`.
  tcp_hello hello(const tcp_secret& secret) const noexcept { return bonded_hello(secret, {}); }
  /// Hello of a rank whose token for the peer is `token`. Requires: the first `ready`.
  tcp_hello hello(const tcp_secret& secret, const tcp_bytes32& token) const noexcept {
    return bonded_hello(
        secret, tcp_secret(token).prove(tcp_bond_label, self_, peer_, nonce_, other_nonce_));
  }
  /// Sends the knock on the connection `fd`, for the first time or again. Returns false, with
  /// errno, if it was not sent; EAGAIN: the other kernel has not answered yet.
  bool knock(int fd, const tcp_secret& secret) noexcept {
    const tcp_knock k = tcp_knock_of(secret, peer_ & ((1u << tcp_lane_shift) - 1));
    const bool said = ::send(fd, &k, sizeof k, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof k;
    knocked_ = knocked_ || said;
    return said;
  }
  bool has_knocked() const noexcept { return knocked_; }
  /// True if the challenge has arrived, so that hello() was sent.
  bool has_greeted() const noexcept { return greeted_; }
  /// Requires: the second `ready`.
  tcp_verdict verdict() const noexcept { return verdict_; }
  bool is_judged() const noexcept { return judged_; }
  /// See tcp_accepting_handshake. Requires: the second `ready`.
  tcp_bytes32 key(const tcp_secret& secret) const noexcept {
    return secret.prove(tcp_key_label, self_, peer_, nonce_, other_nonce_);
  }

 private:
  tcp_hello bonded_hello(const tcp_secret& secret, const tcp_bytes32& bond) const noexcept {
    return {tcp_magic, self_,
            peer_,     nonce_,
            bond,      secret.prove(tcp_hello_label, self_, peer_, nonce_, other_nonce_, bond)};
  }
  tcp_step judge(const tcp_secret& secret) noexcept {
    const tcp_answer a = answer_.get();
    if (a.verdict < tcp_verdict::open || a.verdict > tcp_verdict::gone) return tcp_step::wrong;
    const tcp_bytes32 proof = secret.prove(label_of(a.verdict), self_, peer_, nonce_, other_nonce_);
    if (!same_proof(proof, a.proof)) return tcp_step::wrong;
    verdict_ = a.verdict;
    judged_ = true;
    return tcp_step::ready;
  }

  peer_id self_;
  peer_id peer_;
  bool draws_ = true;
  bool knocked_ = false;
  bool greeted_ = false;
  bool judged_ = false;
  tcp_verdict verdict_ = tcp_verdict::open;
  tcp_incoming<tcp_challenge> challenge_;
  tcp_incoming<tcp_answer> answer_;
  tcp_bytes32 nonce_{};
  tcp_bytes32 other_nonce_{};
};

}  // namespace mpx::inline v0::transport::detail
