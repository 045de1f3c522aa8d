// SPDX-License-Identifier: BSL-1.0
#pragma once
// Plays a window of the plan at one rank: makes it, opens its epochs, accesses, and looks whether
// memory holds, and gets and fetches have brought, what MPI says.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/broken.hpp"
#include "sim/exposures.hpp"

namespace explorer {

template <class Stack>
class window_player {
  using communicator = mpx::communicator<Stack>;
  using window = mpx::window<word, Stack>;
  using request = mpx::request<Stack>;
  using lock = mpx::scoped_lock<window>;
  using assertion = mpx::rma::assertion;

 public:
  /// `comm`: the ranks of the window. `memory` outlives the environment.
  window_player(const exposure& what, bool faulty, std::uint64_t seed, mpx::environment<Stack>& env,
                const communicator& comm, std::deque<words>& memory)
      : what_(what),
        faulty_(faulty),
        env_(env),
        comm_(comm),
        memory_(memory),
        random_(seed * 77 + static_cast<std::uint64_t>(what.id * 64 + comm.rank())),
        expected_(first_memory(what)) {}

  /// All that comes at this point of the program.
  void step(int now) {
    try {
      if (now == what_.opens) make();
      for (std::size_t i = 0; i < what_.phases.size() && !gone_; ++i) {
        if (what_.phases[i].begin == now) begin(what_.phases[i]);
        if (what_.phases[i].end == now) end(i);
      }
      if (now == what_.closes && !gone_) close();
    } catch (const mpx::error& e) {
      // Whoever has lost a peer lets its windows go.
      if (!faulty_ || e.code() != mpx::errc::window) throw;
      throw mpx::error(mpx::errc::peer_lost, e.what());
    }
  }

 private:
  static constexpr word canary = 0x5a5a'5a5a'5a5a'5a5a;
  static constexpr word scribbled = 0x3333'3333'3333'3333;

  struct result {
    const one_access* of;
    words* where;
    std::optional<words> expected;
  };

  rank_t me() const { return comm_.rank(); }
  std::size_t elements(rank_t r) const { return what_.elements[static_cast<std::size_t>(r)]; }
  std::span<word> local() { return own_ != nullptr ? std::span<word>(*own_) : window_.local(); }
  words& expected(rank_t r) { return expected_[static_cast<std::size_t>(r)]; }
  std::string name() const { return "window " + std::to_string(what_.id) + ": "; }
  std::string name(const one_access& a) const {
    return name() + "access " + std::to_string(a.id) + " of " + std::to_string(a.n) + " words at " +
           std::to_string(a.at) + " of rank " + std::to_string(a.to) + ": ";
  }
  void compute() {
    if (!random_.one_in(4)) return;
    // A death is known after 5 ms: until then other ranks wait for data or requests of the dead
    // rank.
    const std::uint64_t most_ns = faulty_ && random_.one_in(4) ? 8'000'000 : 20'000;
    env_.transport().compute(static_cast<std::int64_t>(random_.below(most_ns)));
  }

  void make() {
    const std::size_t n = elements(me());
    if (what_.kind == window_kind::shared) {
      std::error_code ec;
      window_ = mpx::shared_window<word>(comm_, n, what_.by, ec);
      if (ec == mpx::errc::peer_lost || ec == mpx::errc::no_resources)
        throw mpx::error(ec, "shared_window");
      gone_ = comm_.size() > 1;  // Simulated ranks share no memory.
      require((gone_ ? ec == mpx::errc::argument : !ec) && !window_ == gone_,
              name() + "shared_window ended with '" + ec.message() + "'");
      if (gone_) return;
    } else if (what_.kind == window_kind::allocated) {
      window_ = mpx::allocate_window<word>(comm_, n, what_.by);
      for (const word x : window_.local())
        if (x != 0) throw broken(name() + "memory is not zeroed");
    } else {
      memory_.emplace_back(n);
      own_ = &memory_.back();
      if (what_.kind == window_kind::over) {
        window_ = mpx::window_over(comm_, std::span<word>(*own_), what_.by);
      } else {
        window_ = mpx::dynamic_window<word>(comm_, what_.by);
        addresses_ = comm_.allgather(window_.attach(std::span<word>(*own_)));
      }
    }
    std::copy(expected(me()).begin(), expected(me()).end(), local().begin());
    comm_.barrier();
  }
  void close() {
    check_memory(nullptr);
    check_dropped();
    comm_.barrier();
    if (what_.kind == window_kind::dynamic) window_.detach(std::span<word>(*own_));
    if (what_.frees) {
      window_.free();
      require(!window_, name() + "is there after free");
    } else {
      window_ = window();
    }
    gone_ = true;
  }

  // --- Epochs ------------------------------------------------------------------------------------

  void begin(const phase& p) {
    foresee(p);
    if (random_.one_in(4)) misuse_without_epoch();
    switch (p.by) {
      case epoch_kind::fence:
        store(p);
        if (p.opens) window_.fence(p.precedes ? assertion::none : assertion::no_precede);
        return access_all(p);
      case epoch_kind::groups: {
        std::vector<rank_t> origins;
        std::vector<rank_t> targets;
        for (const auto& [from, to] : p.edges) {
          if (to == me()) origins.push_back(from);
          if (from == me()) targets.push_back(to);
        }
        posted_ = !origins.empty();
        started_ = !targets.empty();
        store(p);
        if (posted_) window_.post(group_of(origins));
        if (p.no_check) comm_.barrier();
        if (started_)
          window_.start(group_of(targets), p.no_check ? assertion::no_check : assertion::none);
        return access_all(p);
      }
      default: break;
    }
    if (!p.stores.empty() && elements(me()) != 0) {
      lock own = window_.lock(me());
      store(p);
      own.unlock();
    }
    comm_.barrier();
    const assertion a = p.no_check ? assertion::no_check : assertion::none;
    if (p.by == epoch_kind::all_locked) {
      all_.emplace(window_.lock_all(a));
      return access_all(p);
    }
    access_locked(p, a);
  }
  void end(std::size_t i) {
    const phase& p = what_.phases[i];
    wait_requests();
    switch (p.by) {
      case epoch_kind::fence:
        window_.fence(p.goes_on ? assertion::none : assertion::no_succeed);
        fenced_ = p.goes_on;
        break;
      case epoch_kind::groups:
        if (started_) window_.complete();
        if (posted_ && p.tests) {
          while (!window_.test()) continue;
        } else if (posted_) {
          window_.wait();
        }
        break;
      case epoch_kind::all_locked:
        all_->unlock();
        all_.reset();
        [[fallthrough]];
      case epoch_kind::locks: comm_.barrier();
    }
    verify(mpx::any_source);
    // Other ranks may be further if nothing holds them back.
    const phase* const next = i + 1 < what_.phases.size() ? &what_.phases[i + 1] : nullptr;
    const bool runs_on = next != nullptr && p.by == epoch_kind::fence &&
                         next->by == epoch_kind::fence && !next->opens;
    check_memory(runs_on ? next : nullptr);
    check_tickets(p);
    buffers_.clear();
    if (p.settles) comm_.barrier();
  }
  /// Computes the phase's effect on the memory of all ranks, and the data that this rank fetches.
  void foresee(const phase& p) {
    for (const own_store& s : p.stores)
      for (std::size_t i = 0; i < s.n; ++i) expected(s.at_rank)[s.at + i] = s.value + i;
    brought_.clear();
    counters_.clear();
    for (const one_access& a : p.accesses) {
      if (a.ticket) {
        auto [at, first] = counters_.try_emplace({a.to, a.at}, expected(a.to)[a.at], 0);
        ++at->second.second;
      }
      words brings = carry_out(expected(a.to), a);
      if (a.from == me() && a.known) brought_[a.id] = std::move(brings);
    }
  }
  void store(const phase& p) {
    for (const own_store& s : p.stores)
      for (std::size_t i = 0; i < s.n && s.at_rank == me(); ++i) local()[s.at + i] = s.value + i;
  }
  mpx::group group_of(const std::vector<rank_t>& ranks) {
    const mpx::group all = comm_.group();
    std::vector<mpx::peer_id> peers;
    for (const rank_t r : ranks) peers.push_back(all.peer_of(r));
    return mpx::group::table(peers, all.self());
  }

  void access_all(const phase& p) {
    for (const one_access& a : p.accesses)
      if (a.from == me()) access(a);
  }
  /// If a target is lost, the others are still accessed.
  void access_locked(const phase& p, assertion check) {
    std::map<rank_t, lock> held;
    std::set<rank_t> lost;
    const auto careful = [&](rank_t target, auto&& f) {
      try {
        f();
      } catch (const mpx::error& e) {
        // Of a peer that is there: its results have gone with the error before.
        const bool dropped = e.code() == mpx::errc::pending && !lost.empty();
        if (!faulty_ ||
            (e.code() != mpx::errc::peer_lost && e.code() != mpx::errc::window && !dropped))
          throw;
        lost.insert(target);
        held.erase(target);
        if (dropped) results_.clear();  // Of all targets: a flush of several reports it once.
        std::erase_if(results_, [&](const result& r) { return r.of->to == target; });
      }
    };
    const auto release_all = [&] {
      while (!held.empty()) {
        const auto at = held.begin();
        const rank_t target = at->first;
        careful(target, [&] {
          at->second.unlock();
          verify(target);
          held.erase(target);
        });
      }
    };
    for (const one_access& a : p.accesses) {
      if (a.from != me() || lost.count(a.to) != 0) continue;
      if (a.exclusive || what_.kind == window_kind::shared) release_all();
      careful(a.to, [&] {
        if (held.count(a.to) == 0)
          held.emplace(a.to,
                       a.exclusive ? window_.lock(a.to, check) : window_.lock_shared(a.to, check));
        access(a);
        if (!a.exclusive && a.keeps_lock) return;
        held.at(a.to).unlock();
        held.erase(a.to);
        verify(a.to);
      });
    }
    release_all();
    if (!lost.empty()) throw mpx::error(mpx::errc::peer_lost, "a target");
  }

  // --- Accesses ----------------------------------------------------------------------------------

  std::uint64_t place(const one_access& a, std::size_t at) const {
    return addresses_.empty() ? at : addresses_[static_cast<std::size_t>(a.to)] + at * sizeof(word);
  }
  words& buffer(std::size_t n, word value) { return buffers_.emplace_back(n, value); }
  words& data_of(const one_access& a) {
    words& data = buffer(a.n * a.apart, scribbled);
    for (std::size_t i = 0; i < a.n; ++i) data[i * a.apart] = a.value + i;
    return data;
  }
  template <class F>
  static void with(operation_kind op, F&& f) {
    switch (op) {
      case operation_kind::sum: return f(mpx::sum);
      case operation_kind::prod: return f(mpx::prod);
      case operation_kind::bit_xor: return f(mpx::bit_xor);
      case operation_kind::max: return f(mpx::max);
      case operation_kind::replace: return f(mpx::replace);
      case operation_kind::no_op: return f(mpx::no_op);
    }
  }
  static auto spread(words& data, const one_access& a) {
    return mpx::strided(data.data(), a.n, static_cast<std::ptrdiff_t>(a.apart));
  }

  void access(const one_access& a) {
    compute();
    if (random_.one_in(12)) misuse(a);
    const std::uint64_t at = place(a, a.at);
    words* data = nullptr;
    words* into = nullptr;
    switch (a.what) {
      case deed::put:
        data = &data_of(a);
        if (a.pieces > 1) {
          window_.put(*data, a.to, mpx::rma::strided{at, a.pieces, a.n / a.pieces, a.stride});
        } else if (a.n == 1 && a.form == form_kind::blocking) {
          window_.put(word{a.value}, a.to, at);
        } else if (a.apart > 1) {
          call(a, nullptr,
               [&](auto... how) { return window_.put(spread(*data, a), a.to, at, how...); });
        } else {
          call(a, nullptr, [&](auto... how) { return window_.put(*data, a.to, at, how...); });
        }
        break;
      case deed::get:
        into = &buffer(a.n * a.apart, canary);
        if (a.pieces > 1) {
          window_.get(*into, a.to, mpx::rma::strided{at, a.pieces, a.n / a.pieces, a.stride});
        } else if (a.apart > 1) {
          call(a, into,
               [&](auto... how) { return window_.get(spread(*into, a), a.to, at, how...); });
        } else {
          call(a, into, [&](auto... how) { return window_.get(*into, a.to, at, how...); });
        }
        break;
      case deed::accumulate:
        data = &data_of(a);
        with(a.op, [&](auto op) {
          if (a.apart > 1) {
            call(a, nullptr, [&](auto... how) {
              return window_.accumulate(spread(*data, a), a.to, at, op, how...);
            });
          } else {
            call(a, nullptr,
                 [&](auto... how) { return window_.accumulate(*data, a.to, at, op, how...); });
          }
        });
        break;
      case deed::fetch:
        data = &data_of(a);
        into = &buffer(a.n, canary);
        with(a.op, [&](auto op) {
          if (a.n == 1) {
            call(a, into, [&](auto... how) {
              return window_.fetch_and_op((*data)[0], (*into)[0], a.to, at, op, how...);
            });
          } else if (a.apart > 1) {
            call(a, into, [&](auto... how) {
              return window_.get_accumulate(spread(*data, a), *into, a.to, at, op, how...);
            });
          } else {
            call(a, into, [&](auto... how) {
              return window_.get_accumulate(*data, *into, a.to, at, op, how...);
            });
          }
        });
        if (a.ticket) tickets_.push_back({&a, into, std::nullopt});
        break;
      case deed::swap:
        into = &buffer(1, canary);
        call(a, into, [&](auto... how) {
          return window_.compare_and_swap(word{a.compare}, word{a.value}, (*into)[0], a.to, at,
                                          how...);
        });
        break;
      case deed::add_alone: {
        word& x = buffer(1, canary)[0];
        window_.get(x, a.to, at);
        window_.flush(a.to);
        window_.put(x + 1, a.to, at);
        break;
      }
      case deed::add_by_swaps: {
        words& x = buffer(2, canary);
        do {
          window_.fetch_and_op(word{0}, x[0], a.to, at, mpx::no_op);
          window_.flush_local(a.to);
          window_.compare_and_swap(word{x[0]}, x[0] + 1, x[1], a.to, at);
          window_.flush_local(a.to);
        } while (x[0] != x[1]);
      }
    }
    // Short data is copied, and that of a request that is over is the program's.
    const bool waited = a.form == form_kind::started || a.form == form_kind::dropped;
    if (data != nullptr && (data->size() * sizeof(word) <= mpx::rma::copied_bytes_max || waited))
      std::fill(data->begin(), data->end(), scribbled);
    if (into != nullptr && a.form != form_kind::dropped) {
      const auto known = brought_.find(a.id);
      results_.push_back(
          {&a, into, known == brought_.end() ? std::nullopt : std::optional<words>(known->second)});
      if (a.form == form_kind::started) check(results_.back()), results_.pop_back();
    }
    switch (a.flush) {
      case flush_kind::none: return;
      case flush_kind::there: window_.flush(a.to); return verify(a.to);
      case flush_kind::here: window_.flush_local(a.to); return verify(a.to);
      case flush_kind::all_there: window_.flush_all(); return verify(mpx::any_source);
      case flush_kind::all_here: window_.flush_local_all(); return verify(mpx::any_source);
    }
  }
  /// `f(how...)` makes the access. `into`: what it brings.
  template <class F>
  void call(const one_access& a, words* into, F&& f) {
    if (a.form == form_kind::blocking) return f();
    request r = f(mpx::start);
    if (a.form == form_kind::started) {
      if (random_.one_in(2)) {
        r.wait();
      } else {
        while (!r.test()) continue;
      }
    } else if (a.form == form_kind::started_long) {
      requests_.push_back(std::move(r));
    } else {
      {
        request gone = std::move(r);
      }
      if (into == nullptr) return;
      std::fill(into->begin(), into->end(), canary);
      dropped_.push_back(std::move(*into));
    }
  }
  void wait_requests() {
    if (random_.one_in(2)) mpx::wait_all(requests_);
    for (request& r : requests_)
      if (r) r.wait();
    requests_.clear();
  }

  // --- Calls that are wrong, and change nothing
  // ----------------------------------------------------

  void fails(const std::error_code& ec, mpx::errc expected, const char* what) {
    // A rank that has lost another frees the window, and its peers are told before anything else.
    require(ec == expected || (faulty_ && ec == mpx::errc::window),
            name() + what + " ended with '" + ec.message() + "'");
  }
  void misuse_without_epoch() {
    if (fenced_) return;
    std::error_code ec;
    window_.put(word{1}, 0, 0, ec);
    fails(ec, mpx::errc::rma_sync, "a put without an epoch");
    window_.flush(0, ec);
    fails(ec, mpx::errc::rma_sync, "a flush without a lock");
  }
  void misuse(const one_access& a) {
    std::error_code ec;
    window_.put(word{1}, mpx::proc_null, 0);
    window_.put(word{1}, comm_.size(), 0, ec);
    fails(ec, mpx::errc::rank, "a put to a rank that is none");
    word x = canary;
    if (what_.kind == window_kind::dynamic) return;
    window_.get(x, a.to, elements(a.to), ec);
    fails(ec, mpx::errc::rma_range, "a get behind the end");
    window_.accumulate(x, a.to, ~std::uint64_t{0} / 2, mpx::sum, ec);
    fails(ec, mpx::errc::rma_range, "an accumulate far behind the end");
    require(x == canary, name() + "a get that failed has written");
  }

  // --- What has come -----------------------------------------------------------------------------

  /// The results of accesses to that target, or all, are there.
  void verify(rank_t of) {
    std::erase_if(results_, [&](const result& r) {
      if (of != mpx::any_source && r.of->to != of) return false;
      check(r);
      return true;
    });
  }
  void check(const result& r) {
    const one_access& a = *r.of;
    const words& got = *r.where;
    const std::size_t apart = a.what == deed::get ? a.apart : 1;
    for (std::size_t i = 0; r.expected && i < a.n; ++i)
      if (got[i * apart] != (*r.expected)[i])  // For each word: no text before it is needed.
        throw broken(name(a) + "word " + std::to_string(i) + " of what it has brought is " +
                     std::to_string(got[i * apart]) + ", not " + std::to_string((*r.expected)[i]));
    for (std::size_t i = 0; i < got.size(); ++i)
      if (i % apart != 0 && got[i] != canary)
        throw broken(name(a) + "words between those that it fills have been written to");
  }
  /// This rank's memory is what it should be, but for what accesses of `next` may be at.
  void check_memory(const phase* next) {
    std::vector<bool> open(elements(me()));
    if (next != nullptr)
      for (const one_access& a : next->accesses)
        if (a.to == me() && a.writes())
          a.each([&](std::size_t, std::size_t at) { open[at] = true; });
    for (std::size_t i = 0; i < open.size(); ++i)
      if (!open[i] && local()[i] != expected(me())[i])
        throw broken(name() + "word " + std::to_string(i) + " of rank " + std::to_string(me()) +
                     " is " + std::to_string(local()[i]) + ", not " +
                     std::to_string(expected(me())[i]));
    check_dropped();
  }
  void check_dropped() {
    for (const words& d : dropped_)
      for (const word x : d)
        if (x != canary)
          throw broken(name() + "the buffer of a dropped request has been written to");
  }
  /// Each has a number of its own, and a rank's are in order.
  void check_tickets(const phase& p) {
    word sum = 0;
    std::map<std::pair<rank_t, std::size_t>, word> last;
    for (const result& r : tickets_) {
      const auto& [first, count] = counters_.at({r.of->to, r.of->at});
      const word mine = (*r.where)[0] - first;
      const auto before = last.find({r.of->to, r.of->at});
      require(mine < count && (before == last.end() || before->second < mine),
              name(*r.of) + "it has drawn number " + std::to_string(mine) + " of " +
                  std::to_string(count) + ", out of order");
      last[{r.of->to, r.of->at}] = mine;
      sum += mine;
    }
    tickets_.clear();
    if (std::none_of(p.accesses.begin(), p.accesses.end(),
                     [](const one_access& a) { return a.ticket; }))
      return;
    word wanted = 0;
    for (const auto& [at, c] : counters_) wanted += c.second * (c.second - 1) / 2;
    require(comm_.allreduce(sum, mpx::sum) == wanted, name() + "two have drawn one number");
  }

  const exposure& what_;
  const bool faulty_;
  mpx::environment<Stack>& env_;
  communicator comm_;
  std::deque<words>& memory_;
  random random_;
  std::vector<words> expected_;  // Of each rank.
  std::map<int, words> brought_;
  std::map<std::pair<rank_t, std::size_t>, std::pair<word, word>> counters_;  // First, how many.
  std::deque<words> buffers_;
  std::vector<words> dropped_;
  std::vector<result> results_;
  std::vector<result> tickets_;
  words* own_ = nullptr;  // Memory that is not the window's.
  std::vector<std::uint64_t> addresses_;
  bool gone_ = false;
  bool fenced_ = false;  // The last fence allows accesses.
  bool posted_ = false;
  bool started_ = false;
  window window_;
  std::optional<lock> all_;
  std::vector<request> requests_;
};

}  // namespace explorer
