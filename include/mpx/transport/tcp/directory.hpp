// SPDX-License-Identifier: BSL-1.0
#pragma once
// The addresses at which the ranks of a job can be called, in the order in which this rank tries
// them, and the state of such a search for one peer.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/tcp/heartbeat.hpp"
#include "mpx/transport/tcp/interface.hpp"

namespace mpx::inline v0::transport::detail {

/// An address of a peer.
struct tcp_place {
  tcp_endpoint at;
  // Other hosts have this address, too (docker0's), or this one has it: another process may answer.
  bool doubtful = false;
};

/// Puts the addresses of a peer into the order of trying: those that other hosts have as well come
/// last; before them, those in a network of one of this host's addresses, `mine`, come first. Else
/// it stays as it is. A network counts if it is neither a tunnel nor link-local, and its interface
/// runs.
inline void order_places(std::span<tcp_place> places, std::span<const tcp_address> mine) {
  const auto is_elsewhere = [mine](const tcp_place& p) {
    const ip::address a = p.at.address();
    return std::none_of(mine.begin(), mine.end(), [&a](const tcp_address& m) {
      return m.reach <= address_reach::bridge && m.shares_network(a);
    });
  };
  std::stable_sort(
      places.begin(), places.end(), [&is_elsewhere](const tcp_place& a, const tcp_place& b) {
        return std::pair(a.doubtful, is_elsewhere(a)) < std::pair(b.doubtful, is_elsewhere(b));
      });
}

/// The addresses of all peers. Cost: 36 bytes for each address, and 4 for each peer.
class tcp_directory {
 public:
  /// `published[p]`: the addresses of peer `p`, in its own order. `mine`: all of this host, on
  /// which `self` runs. Peers that publish different addresses are on different hosts, or one
  /// process of them was told by MPX_TCP_INTERFACE: an address of both is doubtful.
  /// Requires: each peer has 1 to `tcp_places_max`.
  tcp_directory(std::span<const std::vector<tcp_endpoint>> published, peer_id self,
                std::span<const tcp_address> mine) {
    struct owner {
      std::uint32_t list;
      bool several;
    };
    std::unordered_map<std::string, std::uint32_t> lists;  // By what is published, without ports.
    std::map<ip::address, owner> owners;
    std::vector<std::uint32_t> list_of;
    for (const std::vector<tcp_endpoint>& of_peer : published) {
      std::string text;
      for (const tcp_endpoint& e : of_peer) text += e.address().to_string() + ' ';
      const auto number = static_cast<std::uint32_t>(lists.size());
      const auto [known, is_new] = lists.emplace(std::move(text), number);
      list_of.push_back(known->second);
      if (!is_new) continue;
      for (const tcp_endpoint& e : of_peer) {
        owner& o = owners.emplace(e.address(), owner{number, false}).first->second;
        o.several = o.several || o.list != number;
      }
    }
    for (std::size_t peer = 0; peer < published.size(); ++peer) {
      const std::size_t first = places_.size();
      for (const tcp_endpoint& e : published[peer]) {
        const ip::address a = e.address();
        const bool is_own = list_of[peer] != list_of[self] &&
                            std::any_of(mine.begin(), mine.end(),
                                        [&a](const tcp_address& m) { return m.address == a; });
        places_.push_back({e, is_own || owners.at(a).several});
      }
      order_places(std::span(places_).subspan(first), mine);
      ends_.push_back(static_cast<std::uint32_t>(places_.size()));
    }
  }

  /// Those of a peer, in the order of trying.
  std::span<const tcp_place> of(peer_id peer) const noexcept {
    const std::size_t first = peer == 0 ? 0 : ends_[peer - 1];
    return std::span(places_).subspan(first, ends_[peer] - first);
  }

 private:
  std::vector<tcp_place> places_;
  std::vector<std::uint32_t> ends_;
};

/// What becomes of attempts to call an address, besides the numbers of errno.
inline constexpr int tcp_hung_up = -1;       ///< The other end has closed the connection.
inline constexpr int tcp_stranger = -2;      ///< Whoever answers is not the peer.
inline constexpr int tcp_says_nothing = -3;  ///< The kernel there answers, and nobody else.

/// Which of a peer's addresses is called next, and what became of the others. A search lasts from
/// the first attempt until there is a connection; the next one begins where the last one ended.
class tcp_search {
 public:
  /// An attempt to call begins.
  void begin(std::int64_t now) noexcept {
    if (since_ns_ == 0) since_ns_ = now;
  }
  /// The number of the address that is called, or is next.
  std::size_t at() const noexcept { return at_; }

  /// How long an attempt may take of which one address would get `usual_ns`. With several, the
  /// first time round each is given a quarter of a second (RFC 8305, 5: the delay after which
  /// another address is tried), and all of them no more than half of the time that there is.
  std::int64_t attempt_ns(std::int64_t usual_ns, std::int64_t reach_ns,
                          std::size_t count) const noexcept {
    if (count == 1 || tried_ >= count) return usual_ns;
    const std::int64_t share = reach_ns / 2 / static_cast<std::int64_t>(count);
    return std::min({usual_ns, share, first_ns});
  }

  /// The attempt has failed, by `why`; the next address has its turn. Returns whether no address
  /// is left that has not refused: nobody listens, and trying again does not help.
  bool failed(int why, std::size_t count) noexcept {
    int& told = results_[at_];
    // A later silence tells less than an answer did.
    if (why != ETIMEDOUT || told == 0) told = why;
    if (tried_ < count) ++tried_;
    const bool was_good = reached_;
    reached_ = false;
    bool all = is_refusal(why);
    if (all && was_good) return true;
    for (std::size_t i = 0; i < count; ++i) all = all && is_refusal(results_[i]);
    at_ = static_cast<std::uint8_t>((at_ + 1u) % count);
    return all;
  }
  /// Some address has not been tried yet.
  bool has_untried(std::size_t count) const noexcept { return tried_ < count; }

  /// There is a connection. `place`: the number of the address that the peer has there, of
  /// `count`; `count`: it has another one.
  void found(std::size_t place, std::size_t count) noexcept {
    since_ns_ = 0;
    tried_ = 0;
    results_ = {};
    reached_ = place < count;
    if (reached_) at_ = static_cast<std::uint8_t>(place);
  }
  /// The peer is given up.
  void end(std::int64_t now) noexcept {
    if (since_ns_ != 0) took_ns_ = now - since_ns_;
  }

  /// "10.1.0.2 port 4711: no answer; 172.17.0.1 port 4711: Connection refused": what became of
  /// each address; "" if none has failed.
  std::string text(std::span<const tcp_place> places) const {
    std::string s;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (results_[i] == 0) continue;
      const tcp_endpoint& e = places[i].at;
      mpx::detail::append(s, "%s%s port %u%s: %s", s.empty() ? "" : "; ",
                          e.address().to_string().c_str(), unsigned{e.port()},
                          places[i].doubtful ? " (may be another host's)" : "",
                          text_of_result(results_[i]));
    }
    return s;
  }
  double seconds() const noexcept { return static_cast<double>(took_ns_) * 1e-9; }

 private:
  static constexpr std::int64_t first_ns = 250'000'000;

  static bool is_refusal(int why) noexcept {
    return why == ECONNREFUSED || why == EACCES || why == EPERM || why == tcp_stranger;
  }
  static const char* text_of_result(int why) noexcept {
    switch (why) {
      case ETIMEDOUT: return "no answer";
      case tcp_hung_up: return "the connection was closed";
      case tcp_stranger: return "another process answers";
      case tcp_says_nothing: return "connected, but nothing was said";
      default: return std::strerror(why);
    }
  }

  std::uint8_t at_ = 0;
  std::uint8_t tried_ = 0;                     // In this search; all, in the end.
  bool reached_ = false;                       // The address that is next has been the peer's.
  std::array<int, tcp_places_max> results_{};  // 0: not tried.
  std::int64_t since_ns_ = 0;                  // 0: nothing is under way.
  std::int64_t took_ns_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
