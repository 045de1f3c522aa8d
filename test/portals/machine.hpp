// SPDX-License-Identifier: BSL-1.0
#pragma once
// Engines of portals without a job: packets travel through queues that a test empties, changes or
// loses.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mpx/portals/engine.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace portal_machine {

namespace po = mpx::portals;
namespace pd = mpx::portals::detail;
using bytes = std::vector<std::byte>;

/// Ranks that exchange packets of at most 136 bytes: 48 bytes of data in the first packet of a
/// message, 112 in each of the others.
class machine {
 public:
  static constexpr std::size_t packet_bytes = 136;
  static constexpr std::size_t first_data = packet_bytes - pd::begin_bytes;

  struct packet {
    mpx::rank_t from;
    mpx::rank_t to;
    bytes data;
  };
  /// A rank: its engine, and its way to the others. Rank r is peer 10 + r.
  class node final : public pd::link {
   public:
    node(machine& of, mpx::rank_t r, mpx::rank_t n, const po::limits& most)
        : run(*this, r, n, packet_bytes, most), of_(of), rank_(r) {}
    bool send(mpx::rank_t to, std::span<const std::byte> p) noexcept override {
      ++sent;
      of_.queue.push_back({rank_, to, {p.begin(), p.end()}});
      return run.failure_of(to) == mpx::errc{};
    }
    std::uint32_t waiting(mpx::rank_t) noexcept override { return waits; }
    mpx::peer_id peer_of(mpx::rank_t r) const noexcept override {
      return static_cast<mpx::peer_id>(10 + r);
    }
    void complete(void* waiter, mpx::errc why) noexcept override {
      *static_cast<mpx::errc*>(waiter) = why;
      ++completed;
    }
    void noticed() noexcept override { ++notices; }

    std::uint32_t waits = 0;
    std::size_t sent = 0;
    int completed = 0;
    int notices = 0;
    pd::engine run;

   private:
    machine& of_;
    mpx::rank_t rank_;
  };

  explicit machine(mpx::rank_t n, const po::limits& most = {}) {
    for (mpx::rank_t r = 0; r < n; ++r) nodes.push_back(std::make_unique<node>(*this, r, n, most));
  }
  pd::engine& operator[](int r) { return nodes[static_cast<std::size_t>(r)]->run; }
  node& at(int r) { return *nodes[static_cast<std::size_t>(r)]; }

  /// Hands over the first packet. Returns false if there is none.
  bool step() {
    if (queue.empty()) return false;
    const packet p = std::move(queue.front());
    queue.pop_front();
    // Exactly of its length, so that a sanitizer finds reads beyond it.
    const auto exact = std::make_unique<std::byte[]>(p.data.size());
    if (!p.data.empty()) std::memcpy(exact.get(), p.data.data(), p.data.size());
    last = at(p.to).run.on_packet(p.from, {exact.get(), p.data.size()});
    if (last != mpx::errc{}) ++refused;
    return true;
  }
  void deliver() {
    while (step()) {
    }
  }

  /// Adds an entry. `want` nullptr: the portal's only descriptor.
  struct plan {
    po::index portal = 0;
    const po::criteria* want = nullptr;
    po::block* memory = nullptr;
    po::options how{};
    pd::event_ring* events = nullptr;
    pd::event_call call{};
    pd::continuation no_match{};
    pd::continuation no_buffer{pd::continuation::to::nowhere, {}};
    pd::continuation too_small{pd::continuation::to::nowhere, {}};
    std::uint64_t label = 0;
    bool active = true;
    pd::entry_name before{};
  };
  mpx::errc add(int r, const plan& p, pd::entry_name& made) {
    const pd::continuation on[3] = {p.no_match, p.no_buffer, p.too_small};
    return (*this)[r].add(
        {p.portal, p.want, p.memory, p.how, p.events, p.call, on, p.label, p.active, p.before},
        made);
  }
  pd::entry_name add(int r, const plan& p) {
    pd::entry_name made;
    last = add(r, p, made);
    return made;
  }

  /// Sends a put from rank `from`; returns its operation if it is under way.
  pd::outgoing* put(int from, int to, const po::message& m, std::span<const std::byte> data) {
    po::message full = m;
    full.length = data.size();
    const mpx::memory copy = keep(data);
    if ((*this)[from].send_now(full, to, copy)) return nullptr;
    pd::outgoing* const o = (*this)[from].start(full, to, copy, {}, false);
    if (o != nullptr) (*this)[from].push(to);
    return o;
  }
  /// Starts a put whose acknowledgement completes it.
  pd::outgoing* put_acknowledged(int from, int to, const po::message& m,
                                 std::span<const std::byte> data) {
    po::message full = m;
    full.length = data.size();
    pd::outgoing* const o = (*this)[from].start(full, to, keep(data), {}, true);
    if (o != nullptr) (*this)[from].push(to);
    return o;
  }
  /// Copies data that a caller may destroy before it has been sent.
  mpx::memory keep(std::span<const std::byte> data) {
    kept.push_back({data.begin(), data.end()});
    return mpx::memory(std::span<const std::byte>(kept.back()));
  }
  pd::outgoing* get(int from, int to, const po::message& m, std::span<std::byte> into) {
    po::message full = m;
    full.kind = po::message_kind::get;
    full.return_length = into.size();
    pd::outgoing* const o = (*this)[from].start(full, to, {}, mpx::memory(into), true);
    if (o != nullptr) (*this)[from].push(to);
    return o;
  }

  std::vector<std::unique_ptr<node>> nodes;
  std::deque<packet> queue;
  std::deque<bytes> kept;
  mpx::errc last{};
  int refused = 0;
};

/// The next event of a rank; nothing where there is none.
inline std::optional<po::event> take(machine& m, int r, pd::event_ring& from) {
  po::event e;
  if (!m[r].take(from, e)) return std::nullopt;
  return e;
}
inline bytes pattern(std::size_t n, unsigned seed) {
  bytes b(n);
  for (std::size_t i = 0; i < n; ++i)
    b[i] = static_cast<std::byte>(seed * 37 + i * 11 + (i >> 8) + 1);
  return b;
}
inline bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace portal_machine
