// SPDX-License-Identifier: BSL-1.0
#pragma once
// Packets that a test or a fuzzer invents or changes, against a rank with entries of all kinds.
// Whatever arrives: memory beside the blocks stays as it is, and nothing is used after its end.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "portals/machine.hpp"

namespace portal_machine {

/// Bytes that decide everything; zeros once they are used up.
class script {
 public:
  explicit script(std::span<const std::uint8_t> b) noexcept : rest_(b) {}
  bool over() const noexcept { return rest_.empty(); }
  std::uint8_t byte() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t b = rest_.front();
    rest_ = rest_.subspan(1);
    return b;
  }
  std::uint64_t word() noexcept {
    std::uint64_t w = 0;
    for (int i = 0; i < 8; ++i) w = w << 8 | byte();
    return w;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

/// Rank 0 is attacked; packets claim to come from ranks 1 and 2, which also send honest ones.
class attack {
 public:
  attack() : m_(3, {.portals = 8, .entries = 12, .operations = 6, .replies = 3}) {
    m_[0].attach(events_);
    const po::options both{.keep = po::saves::both, .acknowledge = true};
    const po::options body{.acknowledge = true};
    const po::options moves{.offset = po::managed_by::receiver};
    const po::options reads{.direction = po::access::read_only};
    add({.portal = 0, .memory = &single_, .how = body, .events = &events_});
    add({.portal = 1, .memory = &headed_, .how = both, .events = &events_});
    add({.portal = 2, .memory = &combined_, .how = moves, .events = &events_});
    add({.portal = 3, .memory = &single_, .how = reads, .events = &events_});
    // A match list: a receive, then two catch-all entries over one heap.
    add({.portal = 4,
         .want = &receive_,
         .memory = &independent_,
         .how = both,
         .events = &events_,
         .no_buffer = {pd::continuation::to::following, {}},
         .too_small = {pd::continuation::to::following, {}}});
    add({.portal = 4, .want = &short_, .memory = &heap_, .how = both, .events = &events_});
    add({.portal = 4,
         .want = &long_,
         .memory = &heap_,
         .how = {.keep = po::saves::header},
         .events = &events_});
    const pd::event_call call{
        [](void*, pd::engine& by, const po::event& e) noexcept {
          static_cast<void>(by.send_from_handler(
              {.length = e.data.size(), .portal = e.is.return_portal}, e.is.source, e.data));
        },
        nullptr};
    add({.portal = 5, .want = &any_, .call = call});
  }
  ~attack() {
    for (auto& n : names_) m_[0].remove(n);
    for (const auto r : held_) m_[0].give_back(heap_, *r);
    m_[0].detach(events_);
  }

  /// Plays a script. Returns false if memory beside the blocks was written.
  bool play(script s) {
    while (!s.over() && rounds_++ < 400) step(s);
    m_.deliver();
    m_[0].on_loss(1, mpx::errc::peer_lost);
    m_[0].on_loss(2, mpx::errc::peer_lost);
    return whole();
  }

 private:
  void add(machine::plan p) { names_.push_back(m_.add(0, p)); }
  void step(script& s) {
    const std::uint8_t what = s.byte();
    const int from = 1 + what % 2;
    switch (what / 2 % 8) {
      case 0: {  // Any bytes.
        bytes p(s.byte() % 130);
        for (auto& b : p) b = static_cast<std::byte>(s.byte());
        m_.queue.push_back({from, 0, std::move(p)});
        break;
      }
      case 1: {  // A message with any header; often one that could be right.
        const std::size_t n = s.byte() % 2 == 0 ? 48 : s.byte() % 49;
        std::uint64_t length = n + s.byte() % 4 * 60 + s.byte() % 3;
        if (s.byte() % 4 == 0) length = s.byte() % 3 == 0 ? s.word() : n - 1;
        const po::message is{s.byte() % 4 == 0 ? s.word() : s.byte() % 3u,
                             offset(s),
                             length,
                             ticket(s),
                             offset(s),
                             offset(s),
                             portal(s),
                             portal(s),
                             {},
                             0,
                             static_cast<po::message_kind>(s.byte() % 5)};
        begin(s, from, s.byte() % 3 == 0 ? answer(s, is) : is, n);
        break;
      }
      case 2: {  // The next packet of a message that may be under way, or a wrong one.
        forged& f = forged_[static_cast<std::size_t>(from - 1)];
        pd::packet_head h{.kind = pd::packet_kind::more, .stream = f.stream, .at = f.sent};
        std::size_t n = 1 + s.byte() % 112;
        if (s.byte() % 2 == 0) n = (f.length - f.sent + s.byte() % 3) % 113;
        const std::uint8_t wrong = s.byte();
        if (wrong % 8 == 0) h.kind = static_cast<pd::packet_kind>(64 + s.byte() % 7);
        if (wrong % 8 == 1) h.stream = s.byte() % 6;
        if (wrong % 8 == 2) h.at = s.byte() % 2 == 0 ? s.word() : s.byte();
        if (wrong % 8 == 0 && s.byte() % 4 != 0) n = 0;
        bytes p(sizeof h + n, std::byte{0xff});
        std::memcpy(p.data(), &h, sizeof h);
        f.sent += n;
        m_.queue.push_back({from, 0, std::move(p)});
        break;
      }
      case 3: {  // An honest put.
        const po::message is{.bits = s.byte() % 4 == 0 ? ~std::uint64_t{0} : s.byte() % 3u,
                             .offset = s.byte(),
                             .return_bits = ticket(s),
                             .portal = portal(s),
                             .return_portal = portal(s)};
        m_.put(from, 0, is, pattern(s.byte() * 2u, 1));
        break;
      }
      case 4:  // Something of what is queued is changed.
        if (!m_.queue.empty()) {
          auto& p = m_.queue[s.byte() % m_.queue.size()];
          if (p.to == 0 && !p.data.empty())
            p.data[s.byte() % p.data.size()] ^= static_cast<std::byte>(1 << s.byte() % 8);
        }
        break;
      case 5: own(s); break;
      case 6: program(s); break;
      default:
        for (unsigned i = s.byte() % 8; i > 0; --i) m_.step();
    }
  }
  /// A message whose data the intruder goes on to send.
  struct forged {
    std::uint32_t stream = 0;
    std::uint64_t length = 0;
    std::uint64_t sent = 0;
  };
  void begin(script& s, int from, const po::message& is, std::size_t n) {
    forged& f = forged_[static_cast<std::size_t>(from - 1)];
    f = {s.byte() % 4u, is.length, n};
    bytes p(pd::begin_bytes + n, std::byte{0xff});
    pd::pack(p.data(), is, f.stream);
    m_.queue.push_back({from, 0, std::move(p)});
  }
  /// Makes of `is` an answer to an operation that is under way, right in some parts.
  po::message answer(script& s, po::message is) {
    if (mine_.empty()) return is;
    const pd::outgoing& o = *mine_[s.byte() % mine_.size()].first;
    is.portal = pd::operations_portal;
    is.bits = o.m.return_bits;
    is.kind = s.byte() % 3 == 0 ? po::message_kind::acknowledgement : po::message_kind::reply;
    is.offset = 0;
    if (s.byte() % 2 == 0) is.length = o.m.return_length + s.byte() % 2;
    if (s.byte() % 2 == 0) is.return_length = o.m.length + s.byte() % 2;
    return is;
  }
  /// An operation of the attacked rank, whose answers may be forged.
  void own(script& s) {
    const int to = 1 + s.byte() % 2;
    if (s.byte() % 2 == 0) {
      const std::size_t n = s.byte() * 2u;
      auto into = std::make_unique<std::byte[]>(n);  // Exact, for sanitizers.
      pd::outgoing* const o = m_.get(0, to, {.portal = portal(s)}, {into.get(), n});
      if (o != nullptr) mine_.emplace_back(o, std::move(into));
    } else {
      pd::outgoing* const o =
          m_.put_acknowledged(0, to, {.portal = portal(s)}, pattern(s.byte() * 3u, 1));
      if (o != nullptr) mine_.emplace_back(o, nullptr);
    }
  }
  void program(script& s) {
    switch (s.byte() % 6) {
      case 0:
        if (!mine_.empty()) {
          pd::outgoing& o = *mine_.front().first;
          if (pd::engine::is_done(o)) {
            m_[0].release(o);
          } else {
            m_[0].abandon(o);
          }
          mine_.erase(mine_.begin());
        }
        break;
      case 1:
        if (pd::heap_record* const r = m_[0].take(heap_, any_); r != nullptr) held_.push_back(r);
        break;
      case 2:
        if (!held_.empty()) {
          m_[0].give_back(heap_, *held_.front());
          held_.erase(held_.begin());
        }
        break;
      case 3: {
        po::event e;
        while (m_[0].take(events_, e)) {
        }
        break;
      }
      case 4: m_[0].release(independent_, s.byte() % 2); break;
      default: {
        const std::size_t i = s.byte() % 3;  // Portals of one descriptor.
        m_[0].remove(names_[i]);
        po::block* const all[] = {&single_, &headed_, &combined_};
        const po::options how[] = {{.acknowledge = true},
                                   {.keep = po::saves::both, .acknowledge = true},
                                   {.offset = po::managed_by::receiver}};
        names_[i] = m_.add(0, {.portal = static_cast<po::index>(i),
                               .memory = all[i],
                               .how = how[i],
                               .events = &events_});
      }
    }
  }
  po::index portal(script& s) {
    const std::uint8_t p = s.byte();
    return p % 16 == 15 ? po::no_portal : p % 16 == 14 ? pd::operations_portal : p % 16 % 9;
  }
  std::uint64_t offset(script& s) {
    const std::uint8_t o = s.byte();
    return o % 8 == 0 ? s.word() : o % 8 < 4 ? 0 : s.byte() / 2u;
  }
  std::uint64_t ticket(script& s) {
    const std::uint8_t t = s.byte();
    return std::uint64_t{t / 16u} << 32 | t % 8u;
  }
  bool whole() const {
    for (std::size_t i = 0; i < room; ++i) {
      if (memory_[i] != std::byte{} || memory_[2 * room + i] != std::byte{}) return false;
    }
    return true;
  }

  static constexpr std::size_t room = 300;
  machine m_;
  // The middle third belongs to blocks.
  std::array<std::byte, 3 * room> memory_{};
  po::single_block single_{std::span(memory_).subspan(room, 100)};
  po::single_block headed_{std::span(memory_).subspan(room + 100, 100)};
  std::array<std::span<std::byte>, 2> parts_{std::span(memory_).subspan(room + 200, 30),
                                             std::span(memory_).subspan(room + 230, 30)};
  po::combined_block combined_{std::span<const std::span<std::byte>>(parts_)};
  std::array<std::span<std::byte>, 2> slots_{std::span(memory_).subspan(room + 260, 20),
                                             std::span(memory_).subspan(room + 280, 20)};
  po::independent_block independent_{slots_};
  po::dynamic_block heap_{2048};
  pd::event_ring events_{20};
  po::criteria receive_{.bits = 1};
  po::criteria short_{.bits = 0, .ignore = ~std::uint64_t{0} >> 1};
  po::criteria long_{.bits = std::uint64_t{1} << 63, .ignore = ~std::uint64_t{0} >> 1};
  po::criteria any_{.ignore = ~std::uint64_t{0}};
  std::vector<pd::entry_name> names_;
  std::vector<std::pair<pd::outgoing*, std::unique_ptr<std::byte[]>>> mine_;
  std::array<forged, 2> forged_{};
  std::vector<pd::heap_record*> held_;
  int rounds_ = 0;
};

}  // namespace portal_machine
