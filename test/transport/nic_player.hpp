// SPDX-License-Identifier: BSL-1.0
#pragma once
// Base of the suite of cards: a card behind virtual functions, so that the suite is compiled once,
// and a rank that plays with it. Every wait has a deadline.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mpx/transport/rdma/nic.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "patterns.hpp"

namespace nic_contract {

using mpx::cookie_t;
using mpx::errc;
using mpx::nic_access;
using mpx::nic_event;
using mpx::nic_event_kind;
using mpx::nic_region;
using mpx::nic_status;
using mpx::nic_until;
using mpx::outcome;
using mpx::peer_id;
using mpx::remote_memory;
using bytes = std::span<std::byte>;
using const_bytes = std::span<const std::byte>;

#if defined(MPX_TEST_SANITIZED) || defined(MPX_TEST_EMULATED)
constexpr int slowdown = 10;
#else
constexpr int slowdown = 1;
#endif

/// A broken promise, thrown on the rank that sees it.
inline void require(bool kept, const std::string& what) {
  if (!kept) throw std::runtime_error(what);
}
inline void require(bool kept, const char* what) {  // Makes no text where none is needed.
  if (!kept) throw std::runtime_error(what);
}

/// A card, whichever.
struct card {
  card() = default;
  card(const card&) = delete;
  card& operator=(const card&) = delete;
  virtual ~card() = default;
  virtual mpx::nic_traits traits() const = 0;
  virtual mpx::nic_limits limits() const = 0;
  virtual peer_id self() const = 0;
  virtual peer_id peers() const = 0;
  virtual errc register_memory(bytes, nic_access, nic_region&) = 0;
  virtual outcome deregister(std::uint64_t) = 0;
  virtual std::uint64_t registered_bytes() const = 0;
  virtual std::byte* allocate(std::size_t) = 0;
  virtual void deallocate(std::byte*) = 0;
  virtual errc connect(peer_id, const_bytes) = 0;
  virtual const_bytes peer_data(peer_id) const = 0;
  virtual void disconnect(peer_id) = 0;
  virtual outcome post_receive(peer_id, std::uint64_t, bytes, cookie_t) = 0;
  virtual outcome post_send(peer_id, std::uint64_t, const_bytes, std::uint32_t, cookie_t) = 0;
  virtual outcome post_write(peer_id, std::uint64_t, const_bytes, const remote_memory&,
                             std::uint64_t, nic_until, std::optional<std::uint32_t>, cookie_t) = 0;
  virtual bool chains() const = 0;
  virtual outcome post_write_then(peer_id, std::uint64_t, const_bytes, const remote_memory&,
                                  std::uint64_t, const mpx::nic_tail&, cookie_t) = 0;
  virtual outcome post_read(peer_id, std::uint64_t, bytes, const remote_memory&, std::uint64_t,
                            cookie_t) = 0;
  virtual mpx::atomic_set atomics() const = 0;
  virtual outcome post_atomic(peer_id, std::uint64_t, bytes, const remote_memory&, std::uint64_t,
                              const mpx::atomic_access&, cookie_t) = 0;
  virtual std::size_t poll(std::span<nic_event>) = 0;
  virtual bool arm() = 0;
  virtual void sleep(std::int64_t) = 0;
  virtual void disarm() = 0;
};

template <mpx::Nic N>
struct card_of final : card {
  template <class B>
  explicit card_of(B& b) : nic(b) {}
  N nic;

  mpx::nic_traits traits() const override { return N::traits; }
  mpx::nic_limits limits() const override { return nic.limits(); }
  peer_id self() const override { return nic.self(); }
  peer_id peers() const override { return nic.peers(); }
  errc register_memory(bytes m, nic_access a, nic_region& r) override {
    return nic.register_memory(m, a, r);
  }
  outcome deregister(std::uint64_t h) override { return nic.deregister(h); }
  std::uint64_t registered_bytes() const override { return nic.registered_bytes(); }
  std::byte* allocate(std::size_t n) override { return nic.allocate(n); }
  void deallocate(std::byte* p) override { nic.deallocate(p); }
  errc connect(peer_id p, const_bytes d) override { return nic.connect(p, d); }
  const_bytes peer_data(peer_id p) const override { return nic.peer_data(p); }
  void disconnect(peer_id p) override { nic.disconnect(p); }
  outcome post_receive(peer_id p, std::uint64_t h, bytes m, cookie_t c) override {
    return nic.post_receive(p, h, m, c);
  }
  outcome post_send(peer_id p, std::uint64_t h, const_bytes m, std::uint32_t i,
                    cookie_t c) override {
    return nic.post_send(p, h, m, i, c);
  }
  outcome post_write(peer_id p, std::uint64_t h, const_bytes m, const remote_memory& to,
                     std::uint64_t offset, nic_until u, std::optional<std::uint32_t> i,
                     cookie_t c) override {
    return i ? nic.post_write_immediate(p, h, m, to, offset, u, *i, c)
             : nic.post_write(p, h, m, to, offset, u, c);
  }
  bool chains() const override { return mpx::ChainingNic<N>; }
  outcome post_write_then(peer_id p, std::uint64_t h, const_bytes m, const remote_memory& to,
                          std::uint64_t offset, const mpx::nic_tail& tail, cookie_t c) override {
    if constexpr (mpx::ChainingNic<N>) return nic.post_write_then(p, h, m, to, offset, tail, c);
    return outcome::refused;
  }
  outcome post_read(peer_id p, std::uint64_t h, bytes m, const remote_memory& from,
                    std::uint64_t offset, cookie_t c) override {
    if constexpr (mpx::ReadingNic<N>) return nic.post_read(p, h, m, from, offset, c);
    return outcome::refused;
  }
  mpx::atomic_set atomics() const override {
    if constexpr (mpx::AtomicNic<N>) return nic.atomics();
    return {};
  }
  outcome post_atomic(peer_id p, std::uint64_t h, bytes m, const remote_memory& to,
                      std::uint64_t offset, const mpx::atomic_access& a, cookie_t c) override {
    if constexpr (mpx::AtomicNic<N>) return nic.post_atomic(p, h, m, to, offset, a, c);
    return outcome::refused;
  }
  std::size_t poll(std::span<nic_event> e) override { return nic.poll(e); }
  bool arm() override { return nic.arm(); }
  void sleep(std::int64_t ns) override { nic.sleep(ns); }
  void disarm() override { nic.disarm(); }
};

/// Communication of the ranks of a job that does not use their cards.
struct meeting {
  std::function<void(const std::function<void()>&)> fence;
  std::function<void(const std::string&, const std::string&)> put;
  std::function<std::string(peer_id, const std::string&)> get;
};
template <class B>
meeting meeting_of(B& b) {
  return {[&b](const std::function<void()>& idle) { b.fence([&] { idle(); }); },
          [&b](const std::string& key, const std::string& value) { b.put(key, value); },
          [&b](peer_id peer, const std::string& key) {
            return b.get(static_cast<mpx::rank_t>(peer), key).value_or("");
          }};
}

inline void fill(bytes m, std::uint64_t serial) { patterns::fill(m, serial); }
inline bool has(const_bytes m, std::uint64_t serial) { return patterns::holds(m, serial); }
inline bool all_are(const_bytes m, std::byte b) { return patterns::all_are(m, b); }

/// A rank.
class player {
 public:
  struct link {
    int asked = 0, connected = 0, disconnected = 0;
    nic_status why = nic_status::ok;
  };

  player(card& own, meeting how) : c(own), m(std::move(how)), links(own.peers()) {}

  card& c;
  meeting m;
  std::vector<link> links;
  std::vector<nic_event> received;
  std::map<cookie_t, nic_status> sent;
  std::size_t batch = 16;
  bool simulated = false;  ///< Its time is virtual.
  cookie_t next = 1;

  peer_id self() const { return c.self(); }
  peer_id size() const { return c.peers(); }

  bool step() {
    nic_event found[16];
    const std::size_t n = c.poll({found, batch});
    for (std::size_t i = 0; i < n; ++i) take(found[i]);
    return n != 0;
  }
  template <class Holds>
  void until(Holds&& holds, const std::string& what) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20 * slowdown);
    for (int in_vain = 0; !holds(); ++in_vain) {
      if (step()) continue;
      if (simulated ? in_vain > 1'000'000 : std::chrono::steady_clock::now() > limit)
        throw std::runtime_error("rank " + std::to_string(self()) + " timed out: " + what);
      if (!simulated && in_vain > 50 && c.arm()) {
        c.sleep(1'000'000);
        c.disarm();
      }
    }
  }
  void fence() {
    m.fence([this] { step(); });
  }

  /// Both ends call this, at any time.
  void connect(peer_id peer, const std::string& data = {}) {
    const int before = links[peer].connected;
    errc e = errc::pending;
    until(
        [&] {
          e = c.connect(peer, std::as_bytes(std::span(data)));
          return e != errc::pending;
        },
        "an earlier connection ends");
    require(e == errc{}, "connect returns " + std::to_string(static_cast<int>(e)));
    until([&] { return links[peer].connected > before; }, "a connection");
  }
  std::string data_of(peer_id peer) const {
    const const_bytes d = c.peer_data(peer);
    return {reinterpret_cast<const char*>(d.data()), d.size()};
  }
  /// Waits for the `times`-th report of the end of a connection.
  void until_disconnected(peer_id peer, int times, nic_status why) {
    until([&] { return links[peer].disconnected >= times; }, "the end of a connection");
    require(links[peer].disconnected == times, "a connection ends once");
    require(links[peer].why == why, "a connection ends for " +
                                        std::to_string(static_cast<int>(links[peer].why)) +
                                        ", not " + std::to_string(static_cast<int>(why)));
  }

  nic_region region(bytes memory, nic_access access) {
    nic_region r;
    const errc e = c.register_memory(memory, access, r);
    require(e == errc{}, "register_memory returns " + std::to_string(static_cast<int>(e)));
    require(r.handle != 0 && r.remote.key != 0, "a registration has a handle and a key");
    return r;
  }
  void withdraw(const nic_region& r) {
    until(
        [&] {
          const outcome o = c.deregister(r.handle);
          require(o == outcome::done || o == outcome::retry, "deregister is done, or tries again");
          return o == outcome::done;
        },
        "deregister");
  }
  void post_receive(peer_id peer, cookie_t cookie, std::uint64_t handle = 0, bytes into = {}) {
    require(c.post_receive(peer, handle, into, cookie) == outcome::pending, "a receive is posted");
  }

  /// Status of a write; nothing: it was refused at once.
  std::optional<nic_status> write(peer_id peer, const nic_region& local, const_bytes from,
                                  const remote_memory& to, std::uint64_t offset,
                                  std::optional<std::uint32_t> immediate = {},
                                  nic_until how = nic_until::placed) {
    const cookie_t cookie = next++;
    return wait(cookie, [&] {
      return c.post_write(peer, local.handle, from, to, offset, how, immediate, cookie);
    });
  }
  std::optional<nic_status> send(peer_id peer, const nic_region& local, const_bytes from,
                                 std::uint32_t immediate) {
    const cookie_t cookie = next++;
    return wait(cookie, [&] { return c.post_send(peer, local.handle, from, immediate, cookie); });
  }
  std::optional<nic_status> read(peer_id peer, const nic_region& local, bytes into,
                                 const remote_memory& from, std::uint64_t offset) {
    const cookie_t cookie = next++;
    return wait(cookie,
                [&] { return c.post_read(peer, local.handle, into, from, offset, cookie); });
  }
  std::optional<nic_status> access(peer_id peer, const nic_region& local, bytes into,
                                   const remote_memory& to, std::uint64_t offset,
                                   const mpx::atomic_access& what) {
    const cookie_t cookie = next++;
    return wait(cookie,
                [&] { return c.post_atomic(peer, local.handle, into, to, offset, what, cookie); });
  }
  /// True if a post is refused at once.
  template <class Post>
  bool refused(Post&& post) {
    outcome o = outcome::retry;
    until(
        [&] {
          o = post();
          return o != outcome::retry;
        },
        "room in a queue");
    return o == outcome::refused;
  }
  /// An immediate alone.
  void signal(peer_id peer, std::uint32_t immediate) {
    const auto s = write(peer, {}, {}, {}, 0, immediate, nic_until::taken);
    require(s == nic_status::ok, "an immediate goes");
  }
  void until_received(std::size_t count) {
    until([&] { return received.size() >= count; }, "an arrival");
  }

  /// Tells a peer where to write: over the bootstrap, by the next fence.
  void publish(const std::string& key, const remote_memory& memory) {
    m.put(key, std::to_string(memory.address) + " " + std::to_string(memory.key));
  }
  remote_memory published(peer_id peer, const std::string& key) {
    const std::string said = m.get(peer, key);
    char* end = nullptr;
    const std::uint64_t address = std::strtoull(said.c_str(), &end, 10);
    return {address, std::strtoull(end, nullptr, 10)};
  }

 private:
  template <class Post>
  std::optional<nic_status> wait(cookie_t cookie, Post&& post) {
    outcome o = outcome::retry;
    until(
        [&] {
          o = post();
          return o != outcome::retry;
        },
        "room in a queue");
    if (o == outcome::refused) return {};
    if (o == outcome::done) return nic_status::ok;
    until([&] { return sent.contains(cookie); }, "a completion");
    return sent[cookie];
  }
  void take(const nic_event& e) {
    require(e.peer < size(), "an event names a peer");
    link& l = links[e.peer];
    switch (e.kind) {
      case nic_event_kind::sent:
        require(sent.emplace(e.cookie, e.status).second, "a completion comes once");
        break;
      case nic_event_kind::received: received.push_back(e); break;
      case nic_event_kind::asked: ++l.asked; break;
      case nic_event_kind::connected: ++l.connected; break;
      case nic_event_kind::disconnected:
        ++l.disconnected;
        l.why = e.status;
        break;
    }
  }
};

/// Ordinary memory, or the card's own.
class room {
 public:
  room(card& c, std::size_t n, bool own) : card_(c), plain_(own ? 0 : n) {
    if (own) given_ = c.allocate(n);
    require(!own || given_ != nullptr, "a card gives memory");
    memory = own ? bytes(given_, n) : bytes(plain_);
  }
  room(const room&) = delete;
  room& operator=(const room&) = delete;
  ~room() {
    if (given_ != nullptr) card_.deallocate(given_);
  }
  bytes memory;

 private:
  card& card_;
  std::vector<std::byte> plain_;
  std::byte* given_ = nullptr;
};

}  // namespace nic_contract
