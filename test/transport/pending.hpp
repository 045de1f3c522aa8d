// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of pending posts and placed bodies: the payload is kept until its one completion,
// and each packet arrives once, whole and in order.

#include <map>
#include <optional>

#include "cluster.hpp"

namespace transport_contract {

/// One rank that sends numbered packets and watches over what the contract says of them.
template <mpx::Transport T>
class correspondent {
 public:
  correspondent(T& t, peer_id peers, std::uint64_t seed, bool gives_places = true)
      : t_(t), random_(seed), next_out_(peers), next_in_(peers), places_(peers), closed_(peers) {
    gives_places_ = gives_places;
  }

  /// Posts the next packet to `to`, of a size that is drawn; false: the transport said retry.
  bool post(peer_id to) {
    const std::uint32_t serial = next_out_[to];
    if (!next_size_[to]) next_size_[to] = some_size();
    payload body(serial, *next_size_[to]);
    const mpx::cookie_t cookie = std::uint64_t{to} << 32 | serial;
    // Before the post, so that a completion from within it is known, and is seen to be too early.
    auto& kept = held_.emplace(cookie, std::move(body)).first->second;
    polling_ = false;
    const outcome o = t_.post(to, header_of(serial), kept.view(), cookie);
    if (o == outcome::pending) {
      ++pending_;
    } else {
      if (held_.erase(cookie) == 0) complain("a post that was not pending has been completed");
      if (o == outcome::refused) complain("a post was refused");
      if (o != outcome::done) return false;
    }
    next_size_[to].reset();
    ++next_out_[to];
    ++posted_;
    return true;
  }
  std::size_t poll() {
    polling_ = true;
    const std::size_t taken = t_.poll(*this);
    polling_ = false;
    return taken;
  }

  std::uint32_t posted_to(peer_id to) const { return next_out_[to]; }
  std::uint32_t got_from(peer_id source) const { return next_in_[source]; }
  std::uint64_t posted() const { return posted_; }
  std::uint64_t got() const { return got_; }
  std::uint64_t pending() const { return pending_; }
  std::uint64_t not_ok() const { return not_ok_; }
  std::uint64_t places() const { return places_given_; }
  std::size_t held() const { return held_.size(); }
  /// "": the contract was kept so far.
  const std::string& complaint() const { return complaint_; }
  /// A link with `peer` begins, whose packets are numbered from `first`.
  void begin(peer_id peer, std::uint32_t first) {
    if (peer >= next_out_.size()) {
      next_out_.resize(peer + 1);
      next_in_.resize(peer + 1);
      places_.resize(peer + 1);
      closed_.resize(peer + 1);
    }
    next_out_[peer] = next_in_[peer] = first;
    closed_[peer] = false;
  }
  /// It has been dropped: nothing comes of it any more.
  void end(peer_id peer) {
    next_size_.erase(peer);
    places_[peer].clear();
    closed_[peer] = true;
  }
  void allow_losses() { losses_allowed_ = true; }
  // --- What the transport calls ------------------------------------------------------------------

  void packet(peer_id source, const frame_header& header,
              std::span<const std::byte> body) noexcept {
    if (source >= next_in_.size() || closed_[source])
      return complain("a packet of a peer that there is not");
    const std::uint32_t serial = next_in_[source]++;
    ++got_;
    if (!same(header, header_of(serial)) || !has_pattern(body, serial))
      complain("packet " + std::to_string(serial) + " of peer " + std::to_string(source) +
               " was lost, reordered or changed");
    std::vector<std::byte>& place = places_[source];
    if (!place.empty() && (body.data() != place.data() || body.size() != place.size()))
      complain("a body is not where it was placed");
    place.clear();
  }
  std::span<std::byte> place(peer_id source, const frame_header& header,
                             std::size_t bytes) noexcept {
    if (source >= next_in_.size() || closed_[source]) {
      complain("a place for a peer that there is not");
      return {};
    }
    if (!places_[source].empty()) complain("a second place before the first packet has arrived");
    if (!same(header, header_of(next_in_[source]))) complain("a place out of order");
    if (bytes == 0) complain("a place for nothing");
    if (!gives_places_ || random_() % 3 == 0) return {};
    ++places_given_;
    places_[source].assign(bytes, std::byte{0xee});
    return places_[source];
  }
  void complete(mpx::cookie_t cookie, bool ok) noexcept {
    if (!polling_) complain("a completion that does not come from a poll");
    if (held_.erase(cookie) == 0) complain("a completion of a post that is not pending");
    if (!ok) ++not_ok_;
    if (!ok && !losses_allowed_) complain("a completion that is not ok");
  }
  void malformed(peer_id) noexcept { complain("a packet was called malformed"); }
  void unreachable(peer_id) noexcept { complain("a source was called unreachable"); }

 private:
  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  }
  std::size_t some_size() {
    const auto dice = random_() % 100;
    return static_cast<std::size_t>(random_() % (dice < 60   ? 41
                                                 : dice < 95 ? 300
                                                             : T::traits.packet_bytes_max + 1));
  }

  T& t_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> next_out_;
  std::vector<std::uint32_t> next_in_;
  std::vector<std::vector<std::byte>> places_;
  std::vector<bool> closed_;
  std::map<peer_id, std::optional<std::size_t>> next_size_;
  std::map<mpx::cookie_t, payload> held_;  // Freed by their completion: later reads are detected.
  bool gives_places_;
  bool polling_ = false;
  bool losses_allowed_ = false;
  std::uint64_t posted_ = 0;
  std::uint64_t got_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t not_ok_ = 0;
  std::uint64_t places_given_ = 0;
  std::string complaint_;
};

/// Random traffic among `n` ranks in one thread, `count` packets for each pair. Says what broke, or
/// "". `pending`: how many posts were, in all.
template <mpx::Transport T>
std::string pending_report(peer_id n, std::uint32_t count, std::uint64_t seed,
                           std::uint64_t* pending = nullptr) {
  cluster<T> job(n);
  std::vector<std::unique_ptr<correspondent<T>>> ranks;
  for (peer_id r = 0; r < n; ++r)
    ranks.push_back(std::make_unique<correspondent<T>>(job[r], n, seed * 100 + r));
  std::mt19937_64 random(seed);
  const std::uint64_t all = std::uint64_t{count} * n * n;
  std::uint64_t posted = 0;
  std::uint64_t got = 0;
  std::size_t held = 0;
  int idle = 0;
  // Far more than any delay of a late transport, in turns; and in time, which a thread or a kernel
  // that brings the packets may need on a busy machine.
  constexpr int idle_max = 20'000;
  constexpr std::int64_t idle_ns_max = second_ns;
  std::int64_t last = mpx::platform::now_ns();
  for (; got < all || held != 0; ++idle) {
    if (idle == 0) last = mpx::platform::now_ns();
    if (idle >= idle_max && mpx::platform::now_ns() - last > idle_ns_max) break;
    const auto me = static_cast<peer_id>(random() % n);
    correspondent<T>& one = *ranks[me];
    for (auto posts = random() % 6; posts > 0 && posted < all; --posts) {
      const auto to = static_cast<peer_id>(random() % n);
      if (one.posted_to(to) < count && one.post(to)) {
        ++posted;
        idle = 0;
      }
    }
    for (auto polls = random() % 4; polls > 0; --polls)
      if (one.poll() != 0) idle = 0;
    got = held = 0;
    for (auto& r : ranks) {
      if (!r->complaint().empty()) return r->complaint();
      got += r->got();
      held += r->held();
    }
  }
  if (got < all) return "packets that were posted have not arrived";
  if (held != 0) return "a completion has not come";
  for (int i = 0; i < 1000; ++i)
    for (auto& r : ranks) r->poll();
  for (auto& r : ranks) {
    if (!r->complaint().empty()) return r->complaint();
    if (pending != nullptr) *pending += r->pending();
  }
  return "";
}

/// For transports that never are pending too.
template <mpx::Transport T>
void check_pending() {
  for (const peer_id n : {1u, 2u, 3u, 7u}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(n);
      CAPTURE(seed);
      CHECK(pending_report<T>(n, static_cast<std::uint32_t>(300 / slowdown / n), seed) == "");
    }
  }
}

/// Has a place for every body, and keeps what arrives.
/// Has a place for the first body.
struct placing_keeper : keeper {
  std::vector<std::byte> memory;
  int placed = 0;
  std::span<std::byte> place(peer_id, const frame_header&, std::size_t bytes) noexcept {
    if (placed != 0) return {};
    ++placed;
    memory.assign(bytes, std::byte{0xee});
    return memory;
  }
};

/// Memory that is taken back in the middle of a body is not touched any more.
template <mpx::StreamTransport T>
void check_placing() {
  constexpr std::size_t bytes = T::traits.packet_bytes_max / 2;
  for (int after = 1; after < 6; ++after) {
    CAPTURE(after);
    cluster<T> job(2);
    keeper ignored;
    placing_keeper sink;
    job[1].cancel_place(0);  // Nothing is being placed: nothing happens.
    const payload first(0, bytes);
    const payload second(1, bytes);
    const payload third(2, 8);
    const deadline limit;
    std::uint32_t serial = 0;
    for (const payload* p : {&first, &second, &third}) {
      while (job[0].post(1, header_of(serial), p->view(), serial) == outcome::retry) {
        REQUIRE(!limit.passed());
        job[0].poll(ignored);
        if (sink.placed == 0) job[1].poll(sink);
      }
      ++serial;
    }
    while (sink.placed == 0 && !limit.passed()) {
      job[0].poll(ignored);
      job[1].poll(sink);
    }
    REQUIRE(sink.placed == 1);
    for (int i = 1; i < after && sink.packets.empty(); ++i) job[1].poll(sink);
    const bool too_late = !sink.packets.empty();
    job[1].cancel_place(0);
    std::vector<std::byte> taken_back = std::move(sink.memory);
    const std::vector<std::byte> before = taken_back;
    const std::size_t wanted = too_late ? 3 : 2;
    while (sink.packets.size() < wanted && !limit.passed()) {
      job[0].poll(ignored);
      job[1].poll(sink);
    }
    for (int i = 0; i < 100; ++i) job[1].poll(sink);
    REQUIRE(sink.packets.size() == wanted);
    if (!too_late) CHECK(taken_back == before);
    CHECK(same(sink.packets[wanted - 2].header, header_of(1)));
    CHECK(has_pattern(sink.packets[wanted - 2].payload, 1));
    CHECK(sink.packets[wanted - 2].payload.size() == bytes);
    CHECK(same(sink.packets[wanted - 1].header, header_of(2)));
  }
}

/// A transport with a `drop_peer` of its own.
template <class T>
concept DropsPeers =
    mpx::Transport<T> &&
    !std::same_as<decltype(&T::drop_peer), decltype(&mpx::transport::defaults::drop_peer)>;

/// Dropped with posts pending and a body half there: completions that are not ok by the next poll,
/// and silence.
template <DropsPeers T>
void check_dropping() {
  for (int polls = 0; polls < 12; ++polls) {
    CAPTURE(polls);
    cluster<T> job(3);
    correspondent<T> zero(job[0], 3, 1), one(job[1], 3, 2), two(job[2], 3, 3);
    zero.allow_losses();
    for (int i = 0; i < 5; ++i) {
      zero.post(1);
      one.post(0);
      two.post(0);
    }
    for (int i = 0; i < polls; ++i) {
      one.poll();
      two.poll();
      zero.poll();
    }
    const std::uint32_t before = zero.got_from(1);
    job[0].drop_peer(1);
    const std::uint64_t pending = zero.pending();
    zero.poll();
    CHECK(zero.held() == 0);
    CHECK(zero.pending() == pending);
    const deadline limit;
    while (zero.got_from(2) < two.posted() && !limit.passed()) {
      one.poll();
      two.poll();
      zero.poll();
    }
    for (int i = 0; i < 100; ++i) zero.poll();
    CHECK(zero.got_from(1) == before);
    CHECK(zero.got_from(2) == two.posted());
    CHECK(zero.complaint() == "");
  }
}

}  // namespace transport_contract
