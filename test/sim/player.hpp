// SPDX-License-Identifier: BSL-1.0
#pragma once
// Plays a plan on one rank and checks what MPI promises: every message once, unharmed, in order;
// every request complete once; errors where they belong; memory within its bound.

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/broken.hpp"
#include "sim/plan.hpp"
#include "sim/window_player.hpp"

namespace explorer {

inline void fill(std::vector<std::byte>& data, int id) {
  random r(static_cast<std::uint64_t>(id) + 77);
  std::size_t at = 0;
  for (; at + 8 <= data.size(); at += 8) {
    const std::uint64_t word = r.next();
    std::memcpy(data.data() + at, &word, 8);
  }
  for (; at < data.size(); ++at) data[at] = static_cast<std::byte>(r.next());
}

/// The messages that `rank` sends in a round, in the order in which it does.
inline std::vector<const message*> order_of(const plan& p, rank_t rank, int round) {
  std::vector<const message*> mine;
  for (const message& m : p.messages)
    if (m.from == rank && m.round == round) mine.push_back(&m);
  random r(p.seed * 31 + static_cast<std::uint64_t>(rank) * 7 + static_cast<std::uint64_t>(round));
  for (std::size_t i = mine.size(); i > 1; --i) std::swap(mine[i - 1], mine[r.below(i)]);
  return mine;
}

/// Parts of the plan besides messages: collectives, calls of an intercommunicator, windows.
struct parts {
  bool gathers = false;
  bool crosses = false;
  bool exposes = false;
};

template <class Stack, parts Parts = parts{}>
class player {
  static constexpr bool Gathers = Parts.gathers;
  static constexpr bool Crosses = Parts.crosses;
  static constexpr bool Exposes = Parts.exposes;
  using request = mpx::request<Stack>;
  using persistent = mpx::persistent_request<Stack>;
  using communicator = mpx::communicator<Stack>;

 public:
  /// `buffer` is for buffered sends, and outlives the environment: a rank that has lost a peer
  /// cannot wait for all of them to be sent. So does `memory`, of windows. `sent` is shared by all
  /// ranks.
  player(const plan& p, mpx::environment<Stack>& env, std::vector<std::byte>& buffer,
         std::deque<words>& memory, std::vector<bool>& sent)
      : plan_(p),
        env_(env),
        buffer_(buffer),
        memory_(memory),
        returned_(sent),
        world_(env.world()),
        random_(p.seed * 1000 + static_cast<std::uint64_t>(world_.rank())) {}

  void play() {
    comms_ = {world_, world_.dup(), world_.dup(), world_.dup()};
    if constexpr (Gathers || Exposes) {
      const bool parted = std::any_of(plan_.gatherings.begin(), plan_.gatherings.end(),
                                      [](const gathering& g) { return g.in_part; }) ||
                          std::any_of(plan_.exposures.begin(), plan_.exposures.end(),
                                      [](const exposure& e) { return e.in_part; });
      if (parted) {
        part_ = world_.split(me() % 2, -me());
        require(part_.rank() == (world_.size() - 1 - me()) / 2, "a split has the wrong order");
      }
    }
    if constexpr (Exposes)
      for (const exposure& e : plan_.exposures)
        if (!e.in_part || me() % 2 == 0)
          windows_.push_back(std::make_unique<window_player<Stack>>(
              e, plan_.faulty, plan_.seed, env_, e.in_part ? part_ : world_, memory_));
    if constexpr (Crosses) connect();
    buffer_.resize(buffered_bytes());
    env_.attach_buffer(buffer_);
    for (round_ = 0; round_ < plan_.rounds; ++round_) {
      begin_gatherings();
      step_windows(0);
      post_early();
      step_windows(1);
      send_all();
      step_windows(2);
      receive_late();
      step_windows(3);
      settle(starters_);
      settle(requests_);
      verify();
      step_windows(4);
      end_gatherings();
      require(env_.unexpected_bytes() <= env_.unexpected_bytes_bound(),
              "unexpected memory is over its bound");
      meet(plan_.after[static_cast<std::size_t>(round_)]);
    }
    require(env_.detach_buffer().size() == buffer_.size(), "detach_buffer returns other memory");
    world_.barrier();
    check_credit();
    if (!plan_.faulty) {  // Packets of collectives are received by collectives only.
      std::vector<std::byte> room(64);
      request stray = comms_[anything].irecv(room);
      comms_[anything].barrier();
      require(stray.cancel(), "a receive has taken a message of a collective");
      stray.wait();
    }
    for (const auto& buffer : dropped_)
      for (const std::byte b : *buffer)
        require(b == canary, "the buffer of a dropped receive has been written to");
    for (auto& c : comms_)
      require(!c.iprobe(), "a message that nobody sent, or that was sent twice, is left over");
  }

 private:
  static constexpr tag_t go_tag = 2'000'000;
  static constexpr tag_t tried_tag = 3'000'000;
  static constexpr tag_t nobody_tag = 4'000'000;
  static constexpr std::byte canary{0x5a};

  /// A receive, in the order in which they were posted.
  struct receipt {
    explicit receipt(const message& m, std::size_t room) : as(&m), data(room) {}
    const message* as;  // Any of its group.
    std::vector<std::byte> data;
    mpx::status status;
    std::size_t apart = 1;        // From one byte to the next where they are received,
    std::vector<std::byte> room;  // which is here if that is more.
  };
  /// Purpose of a request: nullptr is a send.
  template <class R>
  struct pending {
    std::vector<R> requests;
    std::vector<receipt*> receipts;
    void add(R r, receipt* to) {
      requests.push_back(std::move(r));
      receipts.push_back(to);
    }
    void drop(std::size_t i) {
      std::swap(requests[i], requests.back());
      std::swap(receipts[i], receipts.back());
      requests.pop_back();
      receipts.pop_back();
    }
  };
  rank_t me() const { return world_.rank(); }
  communicator& comm(const message& m) { return comms_[m.as]; }
  static std::string name(const message& m) { return "message " + std::to_string(m.id) + ": "; }

  std::size_t buffered_bytes() const {
    std::size_t n = 64;
    for (const message& m : plan_.messages)
      if (m.from == me() && m.mode == mpx::mode::buffered) n += (m.bytes + 127) / 64 * 64;
    return n;
  }

  /// Stride of the bytes of a message at its sender, or at its receiver.
  std::size_t apart_of(const message& m, bool receives) const {
    random r(plan_.seed * 131 + static_cast<std::uint64_t>(m.id) * 2 + (receives ? 1 : 0));
    if (receives) {
      if (m.in == receiving::persistent || is_late(m.in) != (m.in == receiving::late)) return 1;
    } else if ((m.mode != mpx::mode::standard && m.mode != mpx::mode::synchronous) ||
               m.out == sending::persistent) {
      return 1;
    }
    return r.one_in(3) ? 2 + r.below(3) : 1;
  }
  template <class Byte>
  static auto spread(Byte* data, std::size_t bytes, std::size_t apart) {
    return mpx::strided(data, bytes, static_cast<std::ptrdiff_t>(apart));
  }
  /// `call(buffer)` with where a receipt is to be.
  template <class Call>
  static auto received(receipt& r, Call&& call) {
    if (r.apart == 1) return call(r.data);
    return call(spread(r.room.data(), r.data.size(), r.apart));
  }
  /// Completes and checks arrived messages.
  void collect(receipt& r) const {
    for (std::size_t i = 0; r.apart > 1 && i < r.room.size(); ++i) {
      if (i % r.apart == 0) r.data[i / r.apart] = r.room[i];
      if (i % r.apart != 0 && r.room[i] != canary)  // For each byte: no text before it is needed.
        throw broken(name(*r.as) + "bytes between those that it fills have been written to");
    }
  }

  /// Pattern of a receive.
  group pattern_of(const message& m) {
    group g = group_of(m);
    if (m.tag >= mixed_tag && random_.one_in(2)) g.from = mpx::any_source;
    return g;
  }

  receipt& new_receipt(const message& m) {
    std::size_t room = 0;  // Any message of the group may come.
    const group g = group_of(m);
    for (const message& other : plan_.messages)
      if (group_of(other) == g) room = std::max(room, other.bytes);
    if (m.in == receiving::truncated) room /= 2;
    receipts_.push_back(std::make_unique<receipt>(m, room));
    receipt& made = *receipts_.back();
    made.apart = apart_of(m, true);
    if (made.apart > 1) made.room.assign(room * made.apart, canary);
    return made;
  }

  void post_early() {
    std::vector<const message*> mine;
    for (const message& m : plan_.messages)
      if (m.to == me() && m.round == round_ && !is_late(m.in)) mine.push_back(&m);
    for (std::size_t i = mine.size(); i > 1; --i) std::swap(mine[i - 1], mine[random_.below(i)]);
    for (const message* m : mine) {
      const group g = pattern_of(*m);
      receipt& r = new_receipt(*m);
      if (m->in == receiving::persistent) {
        persistent p = comm(*m).recv_init(r.data, g.from, g.tag);
        p.start();
        starters_.add(std::move(p), &r);
        continue;
      }
      const auto post = [&] {
        return received(r,
                        [&](auto&& into) { return request(comm(*m).irecv(into, g.from, g.tag)); });
      };
      request q = post();
      if (m->in == receiving::dropped) {
        doomed_.push_back({m, std::make_unique<std::vector<std::byte>>(), std::move(q)});
        std::swap(*doomed_.back().buffer, r.apart > 1 ? r.room : r.data);
        receipts_.pop_back();
        continue;
      }
      if (m->in == receiving::cancelled) {
        if (random_.one_in(2)) q.progress();
        if (q.cancel()) {
          require(q.wait().cancelled(), name(*m) + "cancelled, but its status does not say so");
          q = post();
        }
      }
      requests_.add(std::move(q), &r);
    }
    // Receives without a sender: cancelled by dropping or by name.
    if (random_.one_in(4)) {
      request q = world_.irecv(nothing_, mpx::any_source, nobody_tag);
      if (!q.cancel()) {
        q.wait();  // A peer is lost.
        require(false, "a receive that nothing matches cannot be cancelled");
      }
      require(q.wait().cancelled(), "a cancelled receive does not say so");
    }
    if (random_.one_in(4)) {
      request dropped = world_.irecv(nothing_, mpx::any_source, nobody_tag);
    }
    for (const message& m : plan_.messages)
      if (m.to == me() && m.round == round_ && m.mode == mpx::mode::ready &&
          m.in != receiving::unready)
        requests_.add(world_.isend(nothing_, m.from, go_tag + m.id), nullptr);
  }

  /// Receives are dropped before, while or after their messages arrive; their buffers must not be
  /// written any more.
  void drop_some(bool all) {
    for (auto it = doomed_.begin(); it != doomed_.end();) {
      if (random_.one_in(3)) (void)world_.iprobe(mpx::any_source, nobody_tag);
      if (!all && !random_.one_in(3)) {
        ++it;
        continue;
      }
      const message& m = *it->what;
      {
        request gone = std::move(it->receive);
      }
      std::fill(it->buffer->begin(), it->buffer->end(), canary);
      dropped_.push_back(std::move(it->buffer));
      left_over_.push_back(&m);
      it = doomed_.erase(it);
    }
  }
  /// The message of a dropped receive went with it, or can be received like any other.
  void receive_left_over() {
    for (const message* m : left_over_) {
      world_.recv(nothing_, m->from, tried_tag + m->id);
      if (!comm(*m).iprobe(m->from, m->tag)) continue;
      std::vector<std::byte> data(m->bytes);
      comm(*m).recv(data, m->from, m->tag);
      std::vector<std::byte> wanted(m->bytes);
      fill(wanted, m->id);
      require(data == wanted, name(*m) + "damaged, after its receive was dropped");
    }
    left_over_.clear();
  }

  void send_all() {
    for (const message* m : order_of(plan_, me(), round_)) {
      drop_some(false);
      if (random_.one_in(3))
        env_.transport().compute(static_cast<std::int64_t>(random_.below(20'000)));
      sent_.push_back(std::make_unique<std::vector<std::byte>>(m->bytes));
      std::vector<std::byte>& data = *sent_.back();
      fill(data, m->id);
      if (m->in == receiving::unready) {
        send_unready(*m, data);
        continue;
      }
      if (m->mode == mpx::mode::ready) world_.recv(nothing_, m->to, go_tag + m->id);
      const std::size_t apart = apart_of(*m, false);
      if (apart > 1) {
        std::vector<std::byte> wide(data.size() * apart, std::byte{0x33});
        for (std::size_t i = 0; i < data.size(); ++i) wide[i * apart] = data[i];
        data.swap(wide);
      }
      const auto wide = spread(std::as_const(data).data(), m->bytes, apart);
      switch (m->out) {
        case sending::blocking:
          if (apart == 1) {
            send_now(*m, data);
          } else if (m->mode == mpx::mode::standard) {
            comm(*m).send(wide, m->to, m->tag);
          } else {
            comm(*m).ssend(wide, m->to, m->tag);
          }
          returned_[static_cast<std::size_t>(m->id)] = m->mode != mpx::mode::buffered;
          break;
        case sending::nonblocking:
          requests_.add(apart == 1 ? start(*m, data) : start(*m, wide, 0), nullptr);
          break;
        case sending::dropped: {
          {
            request dropped = apart == 1 ? start(*m, data) : start(*m, wide, 0);
          }
          std::fill(data.begin(), data.end(), std::byte{0x5a});
          break;
        }
        case sending::persistent: {
          persistent p = init(*m, data);
          p.start();
          starters_.add(std::move(p), nullptr);
          break;
        }
      }
      if (m->in == receiving::dropped)
        requests_.add(world_.isend(nothing_, m->to, tried_tag + m->id), nullptr);
    }
    drop_some(true);
  }

  void send_now(const message& m, const std::vector<std::byte>& data) {
    switch (m.mode) {
      case mpx::mode::standard: return comm(m).send(data, m.to, m.tag);
      case mpx::mode::synchronous: return comm(m).ssend(data, m.to, m.tag);
      case mpx::mode::buffered: return comm(m).bsend(data, m.to, m.tag);
      case mpx::mode::ready: return comm(m).rsend(data, m.to, m.tag);
    }
  }
  template <class View>
  request start(const message& m, const View& view, int) {
    if (m.mode == mpx::mode::standard) return comm(m).isend(view, m.to, m.tag);
    return comm(m).issend(view, m.to, m.tag);
  }
  request start(const message& m, const std::vector<std::byte>& data) {
    switch (m.mode) {
      case mpx::mode::standard: return comm(m).isend(data, m.to, m.tag);
      case mpx::mode::synchronous: return comm(m).issend(data, m.to, m.tag);
      case mpx::mode::buffered: return comm(m).ibsend(data, m.to, m.tag);
      case mpx::mode::ready: return comm(m).irsend(data, m.to, m.tag);
    }
    return {};
  }
  persistent init(const message& m, const std::vector<std::byte>& data) {
    switch (m.mode) {
      case mpx::mode::standard: return comm(m).send_init(data, m.to, m.tag);
      case mpx::mode::synchronous: return comm(m).ssend_init(data, m.to, m.tag);
      case mpx::mode::buffered: return comm(m).bsend_init(data, m.to, m.tag);
      case mpx::mode::ready: break;
    }
    return comm(m).rsend_init(data, m.to, m.tag);
  }
  void send_unready(const message& m, const std::vector<std::byte>& data) {
    std::error_code ec;
    comm(m).rsend(data, m.to, m.tag, ec);
    if (ec == mpx::errc::peer_lost) throw mpx::error(ec, "rsend");
    require(ec == mpx::errc::not_ready,
            name(m) + "a ready send that met no receive ended with '" + ec.message() + "'");
    requests_.add(world_.isend(nothing_, m.to, tried_tag + m.id), nullptr);
  }

  /// A receive from `m` has ended by a loss. It may not if the message had been sent: its sender
  /// has lost another rank, and left in good order.
  void lost(const message& m) {
    if (m.as != exact || m.tag >= mixed_tag || !returned_[static_cast<std::size_t>(m.id)] ||
        plan_.cut())
      return;
    if (plan_.killed(m.from) || plan_.killed(me())) return;
    for (const message& other : plan_.messages)
      if (&other != &m && group_of(other) == group_of(m)) return;
    require(false, name(m) + "lost, though its send had returned");
  }

  void receive_late() {
    if (plan_.faulty && random_.one_in(3))
      env_.transport().compute(12'000'000);  // News comes, too.
    std::vector<const message*> mine;
    for (const message& m : plan_.messages)
      if (m.to == me() && m.round == round_ && is_late(m.in)) mine.push_back(&m);
    for (std::size_t i = mine.size(); i > 1; --i) std::swap(mine[i - 1], mine[random_.below(i)]);
    for (const message* m : mine) {
      try {
        receive_now(*m);
      } catch (const mpx::error& e) {
        if (e.code() == mpx::errc::peer_lost) lost(*m);
        throw;
      }
    }
    receive_left_over();
  }
  void receive_now(const message& m) {
    const group g = pattern_of(m);
    receipt& r = new_receipt(m);
    switch (m.in) {
      case receiving::probed: {
        const mpx::status seen = comm(m).probe(g.from, g.tag);
        r.status = comm(m).recv(r.data, seen.source(), seen.tag());
        same(m, seen, r.status);
        break;
      }
      case receiving::polled: {
        std::optional<mpx::status> seen;
        while (!(seen = comm(m).iprobe(g.from, g.tag))) {
        }
        r.status = comm(m).recv(r.data, seen->source(), seen->tag());
        same(m, *seen, r.status);
        break;
      }
      case receiving::claimed: {
        auto held = comm(m).mprobe(g.from, g.tag);
        r.status = held.recv(r.data);
        break;
      }
      case receiving::truncated: fails_with(m, r, mpx::errc::truncate); break;
      case receiving::unready:
        world_.recv(nothing_, m.from, tried_tag + m.id);
        fails_with(m, r, mpx::errc::not_ready);
        break;
      default:
        r.status = received(r, [&](auto&& into) { return comm(m).recv(into, g.from, g.tag); });
    }
  }
  static void same(const message& m, const mpx::status& seen, const mpx::status& got) {
    require(seen.source() == got.source() && seen.tag() == got.tag() && seen.bytes() == got.bytes(),
            name(m) + "a probe saw another message than the receive that followed");
  }
  /// A receive that is alone with its tag and must fail; it is verified here.
  void fails_with(const message& m, receipt& r, mpx::errc expected) {
    std::error_code ec;
    r.status = comm(m).recv(r.data, m.from, m.tag, ec);
    if (ec == mpx::errc::peer_lost) throw mpx::error(ec, "recv");
    require(ec == expected, name(m) + "its receive ended with '" + ec.message() + "'");
    if (expected == mpx::errc::truncate) {
      std::vector<std::byte> wanted(m.bytes);
      fill(wanted, m.id);
      wanted.resize(r.data.size());
      require(r.data == wanted, name(m) + "what fits of a truncated message is wrong");
    }
    receipts_.pop_back();
  }

  template <class R>
  void settle(pending<R>& p) {
    const std::uint64_t way = random_.below(5);
    if (way == 0) {
      const auto all = mpx::wait_all_statuses(p.requests);
      for (std::size_t i = 0; i < all.size(); ++i) keep(p, i, all[i]);
      p.requests.clear();
      p.receipts.clear();
    }
    while (!p.requests.empty()) {
      if (way == 1) {
        for (const auto& done : mpx::wait_some(p.requests)) keep(p, done.index, done.status);
        for (std::size_t i = p.requests.size(); i-- > 0;)
          if (!p.requests[i]) p.drop(i);
      } else if (way == 2) {
        const auto done = mpx::wait_any(p.requests);
        require(static_cast<bool>(done), "wait_any found no active request");
        keep(p, done->index, done->status);
        p.drop(done->index);
      } else if (way == 3) {
        const std::size_t i = random_.below(p.requests.size());
        if (const auto status = p.requests[i].test()) {
          keep(p, i, *status);
          p.drop(i);
        }
      } else {
        const std::size_t i = random_.below(p.requests.size());
        const mpx::status status = p.requests[i].wait();
        require(!p.requests[i], "a request that was waited for is still active");
        keep(p, i, status);
        p.drop(i);
      }
    }
  }
  template <class R>
  void keep(pending<R>& p, std::size_t i, const mpx::status& status) {
    if (status.error() == mpx::errc::peer_lost && p.receipts[i] != nullptr)
      lost(*p.receipts[i]->as);
    if (status.error() == mpx::errc::peer_lost || status.error() == mpx::errc::pending)
      throw mpx::error(mpx::errc::peer_lost, "a request");
    require(!status.error(), "a request ended with '" + status.error().message() + "'");
    if (p.receipts[i] != nullptr) p.receipts[i]->status = status;
  }

  /// Checks that the messages of this round arrived in order, and nothing else.
  void verify() {
    std::map<std::pair<group, rank_t>, std::deque<const message*>> sent;
    for (rank_t from = 0; from < world_.size(); ++from)
      for (const message* m : order_of(plan_, from, round_))
        if (m->to == me() && !is_alone(m->in)) sent[{group_of(*m), from}].push_back(m);
    for (const auto& r : receipts_) {
      collect(*r);
      const group g = group_of(*r->as);
      auto& queue = sent[{g, r->status.source()}];
      if (queue.empty())
        throw broken(name(*r->as) + "received from rank " + std::to_string(r->status.source()) +
                     ", which sent none or fewer");
      const message& m = *queue.front();
      queue.pop_front();
      if (r->status.tag() != m.tag || r->status.bytes() != m.bytes)
        throw broken(name(m) + "expected tag " + std::to_string(m.tag) + " and " +
                     std::to_string(m.bytes) + " bytes, got tag " +
                     std::to_string(r->status.tag()) + " and " + std::to_string(r->status.bytes()));
      std::vector<std::byte> wanted(m.bytes);
      fill(wanted, m.id);
      if (m.bytes != 0 && std::memcmp(wanted.data(), r->data.data(), m.bytes) != 0)
        throw broken(name(m) + "its " + std::to_string(m.bytes) + " bytes are damaged");
    }
    for (const auto& [key, queue] : sent) require(queue.empty(), "a message was not received");
    receipts_.clear();
    sent_.clear();
  }

  /// When all has been received, there is credit again for a message that half a window holds.
  void check_credit() {
    if constexpr (std::same_as<typename Stack::trace_type, mpx::trace::counters>) {
      if (plan_.faulty) return;
      env_.transport().compute(50'000'000);
      world_.barrier();
      world_.barrier();              // Throws away what came late for a call that was left.
      for (int i = 0; i < 4; ++i) {  // Packets without room in the channel leave at the next poll.
        (void)world_.iprobe(mpx::any_source, nobody_tag);
        env_.transport().compute(50'000'000);
      }
      (void)world_.iprobe(mpx::any_source, nobody_tag);  // Takes returned credit.
      const std::uint64_t before = env_.trace()[mpx::event::announced_for_flow];
      std::int64_t in = 0;
      const std::int64_t out = me();
      world_.sendrecv(out, (me() + 1) % world_.size(), 7, in,
                      (me() + world_.size() - 1) % world_.size(), 7);
      require(env_.trace()[mpx::event::announced_for_flow] == before,
              "credit has been lost: rank " + std::to_string(me()) + " had to announce 8 bytes");
    }
  }

  /// All ranks begin those of one communicator in one order, and where none of them blocks those of
  /// different ones in any.
  void begin_gatherings() {
    if constexpr (Gathers || Crosses) {
      struct one {
        int on;  // Which communicator.
        bool blocks;
        collective_part* part;
      };
      std::vector<one> all;
      const auto add = [&](int on, bool blocks, std::unique_ptr<collective_part> part) {
        all.push_back({on, blocks, part.get()});
        gathered_.push_back(std::move(part));
      };
      if constexpr (Gathers)
        for (const gathering& g : plan_.gatherings)
          if (g.round == round_)
            add(g.in_part ? 1 : 0, g.form == gather_form::at_once,
                std::make_unique<gathered<Stack>>(g, g.in_part ? part_ : world_));
      if constexpr (Crosses)
        for (const crossing& c : plan_.crossings)
          if (c.round == round_)
            add(2, c.blocks(), std::make_unique<crossed<Stack>>(c, between_, low()));
      for (std::size_t at = 0; at < all.size(); ++at) {
        std::size_t end = at;
        while (end < all.size() && !all[end].blocks) ++end;
        std::size_t next = end == at ? at : at + random_.below(end - at);  // Of any communicator,
        for (std::size_t i = next; i-- > at;)
          if (all[i].on == all[next].on) next = i;  // its first.
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
        std::rotate(from, all.begin() + static_cast<std::ptrdiff_t>(next),
                    all.begin() + static_cast<std::ptrdiff_t>(next) + 1);
        all[at].part->begin();
        if (random_.one_in(3))
          env_.transport().compute(static_cast<std::int64_t>(random_.below(20'000)));
      }
    }
  }
  /// They end in any order; what a call makes is looked at and run again in one order.
  void end_gatherings() {
    if constexpr (Gathers || Crosses) {
      std::vector<collective_part*> left;
      for (const auto& g : gathered_) left.push_back(g.get());
      for (std::size_t i = left.size(); i > 1; --i) std::swap(left[i - 1], left[random_.below(i)]);
      for (collective_part* g : left) fine(g->end());
      for (const auto& g : gathered_) fine(g->again());
      gathered_.clear();
    }
  }
  /// All ranks get there, whatever others do behind it.
  void step_windows(int point) {
    if constexpr (Exposes)
      for (const auto& w : windows_) w->step(round_ * points + point);
  }
  bool low() const { return is_low(plan_.seed, me(), world_.size()); }
  void connect() {
    if (plan_.crossings.empty()) return;
    communicator half = world_.split(low() ? 0 : 1, -me());
    rank_t leaders[2] = {-1, -1};  // The last of each group.
    for (rank_t r = world_.size(); r-- > 0;)
      leaders[is_low(plan_.seed, r, world_.size()) ? 0 : 1] = r;
    between_ = mpx::intercommunicator<Stack>::connect(half, half.size() - 1, world_,
                                                      leaders[low() ? 1 : 0], 3);
    half.free();
  }
  static void fine(const std::string& wrong) { require(wrong.empty(), wrong); }

  void meet(between b) {
    const std::int64_t n = world_.size();
    switch (b) {
      case between::nothing: return;
      case between::barrier: return world_.barrier();
      case between::allreduce:
        return require(world_.allreduce(std::int64_t{me()}, std::plus<>{}) == n * (n - 1) / 2,
                       "allreduce is wrong");
      case between::bcast: {
        const auto root = static_cast<rank_t>(plan_.seed % static_cast<std::uint64_t>(n));
        std::uint64_t value = me() == root ? plan_.seed : 0;
        world_.bcast(value, root);
        return require(value == plan_.seed, "bcast is wrong");
      }
      case between::given_up: return give_up();
    }
  }
  /// A rank leaves a collective with an error of its own: no rank waits for it, and the next one is
  /// not affected.
  void give_up() {
    struct given_up {};
    const bool mine =
        plan_.seed % static_cast<std::uint64_t>(world_.size()) == static_cast<std::uint64_t>(me());
    try {
      static_cast<void>(world_.allreduce(me(), [mine](int a, int b) {
        if (mine) throw given_up();
        return a + b;
      }));
    } catch (const given_up&) {
    } catch (const mpx::error& e) {
      if (e.code() != mpx::errc::peer_lost) throw;
    }
    require(world_.allreduce(1, std::plus<>{}) == world_.size(), "allreduce is wrong afterwards");
  }

  const plan& plan_;
  mpx::environment<Stack>& env_;
  std::vector<std::byte>& buffer_;
  std::deque<words>& memory_;
  std::vector<bool>& returned_;
  communicator world_;
  std::vector<communicator> comms_;
  random random_;
  int round_ = 0;
  std::vector<std::byte> nothing_;
  std::vector<std::unique_ptr<receipt>> receipts_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> sent_;
  pending<request> requests_;
  pending<persistent> starters_;
  struct abandoned {
    const message* what;
    std::unique_ptr<std::vector<std::byte>> buffer;
    request receive;  // It may still be written to until this is gone.
  };
  std::vector<abandoned> doomed_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> dropped_;
  std::vector<const message*> left_over_;
  communicator part_;
  mpx::intercommunicator<Stack> between_;
  std::vector<std::unique_ptr<collective_part>> gathered_;
  std::vector<std::unique_ptr<window_player<Stack>>> windows_;
};

}  // namespace explorer
