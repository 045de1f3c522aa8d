// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of elastic transports: peers come and go. `T` is made from the address of a
// member.

#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "pending.hpp"

namespace transport_contract {

/// A job of one thread whose members join, leave, link and unlink with packets under way. Packets
/// of a link have numbers of their own, so that none is taken for another's.
template <mpx::ElasticTransport T>
class crowd {
 public:
  explicit crowd(std::uint64_t seed, std::size_t members_max = 8)
      : random_(seed), members_max_(members_max), founder_(1) {
    members_.push_back(std::make_unique<one>(*this, founder_[0], "founder"));
  }

  /// Says what broke, or "".
  std::string run(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    settle();
    return wrong_;
  }
  std::size_t size() const { return members_.size(); }
  std::uint64_t links() const { return links_; }
  std::uint64_t pendings() const { return pendings_; }
  std::uint64_t lost() const { return lost_; }

  void join() {
    if (members_.size() == members_max_) return;
    const std::string at = members_[draw(members_.size())]->t.address();
    members_.push_back(std::make_unique<one>(*this, at));
    one& newcomer = *members_.back();
    for (auto& m : members_)
      if (m.get() != &newcomer && draw(4) != 0) link(*m, newcomer);
  }
  void leave() {
    if (members_.size() < 2) return;
    const std::size_t which = 1 + draw(members_.size() - 1);  // The founder's cluster keeps it.
    const std::uint64_t id = members_[which]->id;
    note(*members_[which]);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(which));
    for (auto& m : members_) {  // Some learn of it only later.
      const auto it = m->index.find(id);
      if (it != m->index.end() && draw(2) == 0) drop(*m, id);
    }
  }
  /// All members that are linked from both sides receive all that was sent.
  void settle() {
    for (int idle = 0; idle < 3000 && wrong_.empty(); ++idle) {
      bool over = true;
      for (auto& m : members_) {
        m->c.poll();
        note(*m);
        bool all_fresh = true;  // Posts to others may be pending until those are dropped.
        for (const auto& [id, peer] : m->index) {
          one* other = find(id);
          const bool fresh = other != nullptr && linked(*other, m->id) && both_fresh(*m, *other);
          all_fresh = all_fresh && fresh;
          if (fresh)
            over = over && other->c.got_from(other->index.at(m->id)) == m->c.posted_to(peer);
        }
        over = over && (!all_fresh || m->c.held() == 0);
      }
      if (over) return;
    }
    if (wrong_.empty()) wrong_ = "a packet of a link has not arrived";
  }
  void drop_all_but_founder() {
    while (members_.size() > 1) members_.pop_back();
    const auto index = members_[0]->index;
    for (const auto& [id, peer] : index) drop(*members_[0], id);
  }
  T& founder() { return members_[0]->t; }

 private:
  struct one {
    one(crowd& owner, T& existing, const char*) : t(existing), c(t, 1, 1), id(owner.next_id_++) {
      c.allow_losses();
    }
    one(crowd& owner, const std::string& at)
        : own(make(at)), t(*own), c(t, 1, owner.random_()), id(owner.next_id_++) {
      c.allow_losses();
      if (t.self() != 0 || t.peers() != 1) owner.wrong_ = "a new member has peers";
    }
    static std::unique_ptr<T> make(std::string_view at) { return std::make_unique<T>(at); }

    std::unique_ptr<T> own;
    T& t;
    correspondent<T> c;
    std::uint64_t id;
    std::map<std::uint64_t, peer_id> index;          // Peers that it is linked with, by id.
    std::map<std::uint64_t, std::uint32_t> numbers;  // First number of each link.
    std::set<peer_id> free;
  };

  std::size_t draw(std::size_t below) { return static_cast<std::size_t>(random_() % below); }
  one* find(std::uint64_t id) {
    for (auto& m : members_)
      if (m->id == id) return m.get();
    return nullptr;
  }
  static bool linked(const one& a, std::uint64_t id) { return a.index.count(id) != 0; }
  /// True if both mean the same link.
  static bool both_fresh(const one& a, const one& b) {
    return a.numbers.at(b.id) == b.numbers.at(a.id);
  }
  void note(one& m) {
    if (wrong_.empty()) wrong_ = m.c.complaint();
  }

  /// One side. Returns what add_peer said.
  mpx::errc add(one& me, one& other, std::uint32_t first) {
    const peer_id peer = !me.free.empty() && draw(4) != 0 ? *me.free.begin() : me.t.peers();
    const peer_id peers = me.t.peers();
    const mpx::errc e = me.t.add_peer(peer, other.t.address());
    if (e == mpx::errc{}) {
      me.free.erase(peer);
      me.index[other.id] = peer;
      me.numbers[other.id] = first;
      me.c.begin(peer, first);
      if (me.t.peers() != std::max(peers, peer + 1)) wrong_ = "peers() did not grow";
      const mpx::errc again = me.t.add_peer(me.t.peers(), other.t.address());
      if (again != mpx::errc::argument) wrong_ = "an address was added twice";
    } else if (me.t.peers() != peers) {
      wrong_ = "peers() grew although nothing was added";
    }
    return e;
  }
  void link(one& a, one& b) {
    if (linked(a, b.id) || linked(b, a.id)) return;
    for (auto* m : {&a, &b}) {  // The former owner of the index has to go first.
      std::vector<std::uint64_t> gone;
      for (const auto& [id, peer] : m->index)
        if (find(id) == nullptr) gone.push_back(id);
      for (const std::uint64_t id : gone) drop(*m, id);
    }
    const std::uint32_t first = ++links_ * 10'000;
    const mpx::errc e = add(a, b, first);
    if (e == mpx::errc::pending) {
      ++pendings_;
      return;
    }
    if (e != mpx::errc{}) {
      wrong_ = "add_peer fails: " + std::to_string(static_cast<int>(e));
      return;
    }
    for (auto posts = draw(6); posts > 0; --posts) a.c.post(a.index[b.id]);
    if (draw(2) == 0) a.c.poll();
    if (draw(2) == 0) b.c.poll();  // It does not know the peer.
    if (draw(16) == 0) return drop(a, b.id);
    if (add(b, a, first) != mpx::errc{}) wrong_ = "the other side cannot add";
  }
  void drop(one& me, std::uint64_t id) {
    const peer_id peer = me.index.at(id);
    me.t.drop_peer(peer);
    me.c.end(peer);
    me.free.insert(peer);
    me.index.erase(id);
    me.numbers.erase(id);
    ++lost_;
  }
  void step() {
    const auto dice = draw(100);
    one& me = *members_[draw(members_.size())];
    if (dice < 4) return join();
    if (dice < 6) return leave();
    if (dice < 9) {
      one& other = *members_[draw(members_.size())];
      if (&me != &other) link(me, other);
      return;
    }
    if (dice < 12 && !me.index.empty()) {
      auto it = me.index.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(draw(me.index.size())));
      return drop(me, it->first);
    }
    if (dice < 60) {
      if (me.index.empty()) return;
      auto it = me.index.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(draw(me.index.size())));
      for (auto posts = draw(4); posts > 0; --posts)
        if (me.c.posted_to(it->second) - me.numbers.at(it->first) < 9'000) me.c.post(it->second);
    } else {
      me.c.poll();
    }
    note(me);
  }

  std::mt19937_64 random_;
  std::size_t members_max_;
  std::uint64_t next_id_ = 1;
  std::uint32_t links_ = 0;
  std::uint64_t pendings_ = 0;
  std::uint64_t lost_ = 0;
  std::string wrong_;
  cluster<T> founder_;
  std::vector<std::unique_ptr<one>> members_;
};

/// Members join and leave in random order, links begin and end with packets under way.
template <mpx::ElasticTransport T>
void check_crowd() {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    crowd<T> c(seed);
    CHECK(c.run(6000 / slowdown) == "");
    CHECK(c.links() > 10);
    CHECK(c.lost() > 5);
    for (int i = 0; i < 40; ++i) c.join();
    CHECK(c.size() == 8);
    c.settle();
    while (c.size() > 1) c.leave();
    CHECK(c.run(0) == "");
  }
}

/// Founders drop each other, and their places are taken by newcomers.
template <mpx::ElasticTransport T>
void check_drop_and_return() {
  cluster<T> job(3);
  correspondent<T> zero(job[0], 3, 1), one(job[1], 3, 2), two(job[2], 3, 3);
  zero.allow_losses();
  one.allow_losses();
  std::uint32_t first = 0;
  for (int round = 0; round < 50 / slowdown + 3; ++round) {
    CAPTURE(round);
    for (int i = 0; i < 4; ++i) {
      zero.post(1);
      one.post(0);
      two.post(0);
      zero.post(2);
    }
    for (int i = round % 5; i > 0; --i) {
      zero.poll();
      one.poll();
    }
    if constexpr (mpx::PrepaidTransport<T>)
      if (std::uint32_t* const prepaid_credit = job[0].prepaid_credit(1); prepaid_credit != nullptr)
        *prepaid_credit = 77;
    job[0].drop_peer(1);
    zero.end(1);
    for (int i = 0; i < 3; ++i) one.post(0);  // It does not know, and the packet is lost.
    for (int i = 0; i < 20; ++i) zero.poll();
    CHECK(job[0].add_peer(1, job[1].address()) == mpx::errc::pending);
    CHECK(job[0].add_peer(7, job[1].address()) == mpx::errc::argument);
    job[1].drop_peer(0);
    one.end(0);
    CHECK(job[0].add_peer(2, job[1].address()) == mpx::errc::argument);  // That is another member.
    first += 1000;
    REQUIRE(job[round % 2].add_peer(1 - static_cast<peer_id>(round % 2),
                                    job[1 - static_cast<peer_id>(round % 2)].address()) ==
            mpx::errc{});
    REQUIRE(job[1 - static_cast<peer_id>(round % 2)].add_peer(
                static_cast<peer_id>(round % 2), job[static_cast<peer_id>(round % 2)].address()) ==
            mpx::errc{});
    if constexpr (mpx::PrepaidTransport<T>) CHECK(job[0].prepaid_credit(1) == nullptr);
    zero.begin(1, first);
    one.begin(0, first);
  }
  CHECK(job[0].add_peer(3, job[0].address()) == mpx::errc::argument);
  for (const char* bad : {"", "inproc", "inproc 1 2 3", "tcp 127.0.0.1:7", "\xff\xff"})
    CHECK(job[0].add_peer(3, bad) == mpx::errc::argument);
  const deadline limit;
  for (int i = 0; i < 5; ++i) zero.post(1);
  while (one.got_from(0) < zero.posted_to(1) || zero.got_from(2) < two.posted_to(0) ||
         two.got_from(0) < zero.posted_to(2)) {
    for (auto* c : {&zero, &one, &two}) c->poll();
    REQUIRE(!limit.passed());
  }
  for (auto* c : {&zero, &one, &two}) CHECK(c->complaint() == "");
}

/// A hub, and workers that come, talk to it and go, each in a thread of its own.
template <mpx::ElasticTransport T>
void check_hub(peer_id workers, int rounds) {
  cluster<T> job(1);
  struct news {
    std::string address;
    int worker;
    bool gone;
  };
  std::mutex mutex;
  std::vector<news> told;
  std::atomic<int> running = static_cast<int>(workers);
  std::atomic<bool> failed = false;
  const std::string hub = job[0].address();
  constexpr std::uint32_t count = 20;
  const deadline limit(60);

  const auto work = [&](int me) {
    std::mt19937 random(static_cast<unsigned>(me));
    for (int round = 0; round < rounds && !failed; ++round) {
      const std::string_view at = hub;
      T t(at);
      correspondent<T> c(t, 1, random());
      mpx::errc e = mpx::errc::pending;
      const auto tell = [&](bool gone) {
        const std::lock_guard lock(mutex);
        told.push_back({t.address(), me, gone});
      };
      const bool early = random() % 2 == 0;
      if (early) tell(false);
      while ((e = t.add_peer(1, hub)) == mpx::errc::pending) {
        limit.check("the hub drops the former owner of this index");
        std::this_thread::yield();
      }
      require(e == mpx::errc{}, "the hub's address is good");
      if (!early) tell(false);
      c.begin(1, 0);
      while (c.posted_to(1) < count || c.got_from(1) < count || c.held() != 0) {
        bool progress = c.posted_to(1) < count && c.post(1);
        progress = c.poll() != 0 || progress;
        require(c.complaint().empty(), c.complaint());
        limit.check("a worker's traffic");
        if (!progress && t.arm()) {
          t.sleep(5 * second_ns);
          t.disarm();
        }
      }
      if (random() % 2 == 0) {
        t.drop_peer(1);
        for (int i = 0; i < 10; ++i) c.poll();
      }
      tell(true);
      job[0].wake();
    }
  };
  const auto serve = [&] {
    T& t = job[0];
    correspondent<T> c(t, 1, 99);
    c.allow_losses();
    std::map<std::string, peer_id> known;
    std::set<peer_id> free;
    std::vector<news> open;
    while (running != 0 || !known.empty() || !told.empty()) {
      {
        const std::lock_guard lock(mutex);
        open.insert(open.end(), told.begin(), told.end());
        told.clear();
      }
      std::erase_if(open, [&](const news& n) {
        if (n.gone) {
          const auto it = known.find(n.address);
          if (it == known.end()) return false;
          t.drop_peer(it->second);
          c.end(it->second);
          free.insert(it->second);
          known.erase(it);
          return true;
        }
        const peer_id peer = free.empty() ? t.peers() : *free.begin();
        const mpx::errc e = t.add_peer(peer, n.address);
        if (e != mpx::errc{}) return false;  // Whoever had that place is dropped first.
        free.erase(peer);
        known[n.address] = peer;
        c.begin(peer, 0);
        return true;
      });
      bool progress = false;
      for (const auto& [address, peer] : known)
        if (c.posted_to(peer) < count) progress = c.post(peer) || progress;
      progress = c.poll() != 0 || progress;
      require(c.complaint().empty(), c.complaint());
      limit.check("the hub's traffic");
      if (!progress && t.arm()) {
        t.sleep(1'000'000);  // News do not wake.
        t.disarm();
      }
    }
    require(t.peers() <= 2 * workers + 2, "numbers are used again");
  };

  std::vector<std::string> errors(workers + 1);
  {
    std::vector<std::jthread> threads;
    for (peer_id w = 0; w <= workers; ++w) {
      threads.emplace_back([&, w] {
        try {
          w == workers ? serve() : work(static_cast<int>(w));
        } catch (const std::exception& e) {
          errors[w] = e.what();
          failed = true;
        }
        if (w != workers) --running;
      });
    }
  }
  for (const std::string& e : errors) CHECK(e == "");
}

template <mpx::ElasticTransport T>
void check_elastic() {
  check_crowd<T>();
  check_drop_and_return<T>();
  check_hub<T>(1, 60 / slowdown + 2);
  check_hub<T>(7, 40 / slowdown + 2);
}

}  // namespace transport_contract
