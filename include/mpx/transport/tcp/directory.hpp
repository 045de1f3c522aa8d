// SPDX-License-Identifier: BSL-1.0
#pragma once
// The addresses of all ranks of a job, in the order in which this rank tries them, and the state of
// the search for an address that answers.

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
  // Another process may answer here: other hosts have this address too (docker0's), or this host
  // has it.
  bool doubtful = false;
};

/// Sorts the addresses of a peer into the order of trying. Doubtful addresses come last. Before
/// them, addresses in a network of this host (`mine`) come first. The order is otherwise kept. A
/// network counts if it is neither a tunnel nor link-local, and its interface is running.
inline void order_places(std::span<tcp_place> places, std::span<const tcp_address> mine) {
  const auto is_elsewhere = [mine](const tcp_place& p) {
    const ip::address a = p.at.address();
    return std::none_of(mine.begin(), mine.end(), [&a](const tcp_address& m) {
      return m.reach <= address_reach::bridge && m.shares_network(a);
    });
  };
  sort_few(places, [&is_elsewhere](const tcp_place& a, const tcp_place& b) {
    return std::pair(a.doubtful, is_elsewhere(a)) < std::pair(b.doubtful, is_elsewhere(b));
  });
}

/// The addresses of all peers. Cost: 36 bytes for each address, and 4 for each peer.
class tcp_directory {
 public:
  /// `published[p]`: the addresses of peer `p`, in the peer's order. `mine`: all addresses of the
  /// host of `self`. Peers that publish different lists are on different hosts, or
  /// MPX_TCP_INTERFACE chose for one of them: an address in two lists is doubtful.
  /// Requires: each peer has 1 to `tcp_places_max` addresses.
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

  /// The addresses of a peer, in the order of trying.
  std::span<const tcp_place> of(peer_id peer) const noexcept {
    const std::size_t first = peer == 0 ? 0 : ends_[peer - 1];
    return std::span(places_).subspan(first, ends_[peer] - first);
  }

 private:
  std::vector<tcp_place> places_;
  std::vector<std::uint32_t> ends_;
};

/// Results of an attempt to connect, besides errno values.
inline constexpr int tcp_hung_up = -1;       ///< The other end has closed the connection.
inline constexpr int tcp_stranger = -2;      ///< Another process answers.
inline constexpr int tcp_says_nothing = -3;  ///< The kernel there answers, but no process.

/// The state of a search: the address to try next, and the results of the others. A search lasts
/// from the first attempt until there is a connection; the next one begins at the address where the
/// last one ended.
class tcp_search {
 public:
  /// Starts an attempt to connect.
  void begin(std::int64_t now) noexcept {
    if (since_ns_ == 0) since_ns_ = now;
  }
  /// The index of the current or next address.
  std::size_t at() const noexcept { return at_; }

  /// Time limit of an attempt; `usual_ns` if there is one address. With several, each first gets at
  /// most 250 ms (RFC 8305, 5: the delay after which another address is tried), and all together at
  /// most half of `reach_ns`.
  std::int64_t attempt_ns(std::int64_t usual_ns, std::int64_t reach_ns,
                          std::size_t count) const noexcept {
    if (count == 1 || tried_ >= count) return usual_ns;
    const std::int64_t share = reach_ns / 2 / static_cast<std::int64_t>(count);
    return std::min({usual_ns, share, first_ns});
  }

  /// Records that the attempt has failed with `why` and moves to the next address. Returns true if
  /// every address has refused, or the one that was known as the peer's: no process listens, and
  /// trying again does not help.
  bool failed(int why, std::size_t count) noexcept {
    int& told = results_[at_];
    // A timeout does not overwrite an earlier answer.
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
  /// True if an address was not tried yet.
  bool has_untried(std::size_t count) const noexcept { return tried_ < count; }

  /// Ends the search: there is a connection. `place`: the index of the peer's address there, of
  /// `count`; `count` if it is none of them.
  void found(std::size_t place, std::size_t count) noexcept {
    since_ns_ = 0;
    tried_ = 0;
    results_ = {};
    reached_ = place < count;
    if (reached_) at_ = static_cast<std::uint8_t>(place);
  }
  /// Ends the search: the peer is given up.
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
  std::uint8_t tried_ = 0;                     // Addresses tried in this search, up to all.
  bool reached_ = false;                       // The address at `at_` is known to be the peer's.
  std::array<int, tcp_places_max> results_{};  // By address. 0: not tried.
  std::int64_t since_ns_ = 0;                  // Begin of the search. 0: there is none.
  std::int64_t took_ns_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
