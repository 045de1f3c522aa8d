// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// The words by which ranks lock a window's target, under all kinds of schedules: writers exclude
// all, readers share, a waiting writer is admitted, a combination under an element's lock is
// atomic, and the exclusive flag excludes all, also if ranks die.

#include "explore.hpp"

#include <atomic>
#include <mpx/rma/lock_word.hpp>

#include "search.hpp"

namespace {

using namespace mpx::rma;

/// Planted errors that the search must find.
enum class flaw : std::uint8_t {
  none,
  unlocked_reader,   // A reader that is refused continues.
  half_an_exchange,  // An element is combined without its lock.
  no_look,           // A rank combines a few although another has the lock.
  no_word,           // A rank that combines a few sets no flag.
  no_wait,           // A rank that combines many does not wait for those.
  no_barrier,        // He may not see them.
};

/// Two writers and a reader take turns at a word; all combine one element.
class sharing {
 public:
  static constexpr std::size_t threads = 3;

  explicit sharing(explore::scheduler& s, flaw f = flaw::none) : scheduler_(s), flaw_(f) {}

  void thread(std::size_t i) {
    const bool writes = i != 2;
    for (int turn = 0; turn < 2; ++turn) {
      bool waits = false;
      while (!word_.try_lock(writes, static_cast<mpx::rank_t>(i), waits)) {
        if (flaw_ == flaw::unlocked_reader && !writes) break;
        if (writes && !waits) {
          word_.want();
          waits = true;
        }
        explore::relax();
      }
      if (writes) {
        if (inside_ != 0) scheduler_.fail("a writer is not alone");
        inside_ = 100;
        scheduler_.point("writing", this);
        inside_ = 0;
      } else {
        if (inside_ >= 100) scheduler_.fail("a reader is beside a writer");
        ++inside_;
        scheduler_.point("reading", this);
        --inside_;
        if (inside_ >= 99) scheduler_.fail("a writer is beside a reader");
      }
      word_.unlock(writes);
      combine(static_cast<std::uint32_t>(i));
    }
  }
  std::string wrong() {
    if (!word_.is_free()) return "the word is not free";
    return sum_ == 2 * threads ? "" : "an addition to an element was lost";
  }

 private:
  void combine(std::uint32_t who) {
    const element_locks locks{words_, place_, nullptr, nullptr};
    if (flaw_ == flaw::half_an_exchange) {
      add();
      return;
    }
    const element_lock held(locks, place_, who);
    add();
  }
  void add() {
    const std::uint64_t was = sum_;
    scheduler_.point("combining", this);
    sum_ = was + 1;
  }

  explore::scheduler& scheduler_;
  flaw flaw_;
  lock_word word_;
  mpx::platform::atomic<std::uint32_t> words_[element_locks::count]{};
  std::byte place_[1]{};
  int inside_ = 0;
  std::uint64_t sum_ = 0;
};

/// Point at which the first of the ranks dies, in its first turn.
enum class death : std::uint8_t { none, among_few, alone, closing };

/// Three ranks combine one element, now among others, now alone.
class combining {
 public:
  static constexpr std::size_t threads = 3;

  explicit combining(explore::scheduler& s, flaw f = flaw::none, death d = death::none)
      : scheduler_(s), flaw_(f), death_(d) {
    explore::barrier_refused = f == flaw::no_barrier;
  }
  ~combining() { explore::barrier_refused = false; }

  void thread(std::size_t i) {
    const auto who = static_cast<std::uint32_t>(i);
    element_locks locks = locks_of(i);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      if (i == 0 && death_ != death::none) return die(locks);
      if ((turn + i) % 2 == 0) {
        while (!locks.bulk->lock(locks, who, true))
          scheduler_.fail("a rank with many elements is refused");
        add_alone();
        locks.bulk->unlock(locks, true);
      } else if (flaw_ == flaw::no_look) {
        sum_.fetch_add(1, std::memory_order_relaxed);
      } else {
        with_few(locks, who, [this] {
          scheduler_.point("combining", this);
          sum_.fetch_add(1, std::memory_order_relaxed);
        });
      }
    }
  }
  std::string wrong() const {
    const std::size_t all = (threads - (death_ == death::none ? 0 : 1)) * turns;
    return sum_.load() == all ? "" : "an addition to an element was lost";
  }

 private:
  static constexpr std::size_t turns = 4;
  using word = mpx::platform::atomic<std::uint32_t>;

  element_locks locks_of(std::size_t i) {
    element_locks locks;
    locks.is_dead = [](void* with, std::uint32_t who) noexcept {
      return who == 0 && static_cast<combining*>(with)->dead_;
    };
    locks.with = this;
    locks.bulk = &bulk_;
    locks.few_of = [](void* with, std::uint32_t who) noexcept {
      return &static_cast<combining*>(with)->few_[who];
    };
    locks.few = flaw_ == flaw::no_word ? &unseen_[i] : &few_[i];
    locks.ranks = flaw_ == flaw::no_wait ? 0 : threads;
    locks.in_a_row_max = 2;
    locks.looks_per_question = 2;
    return locks;
  }
  void add_alone() {
    const std::uint32_t was = sum_.load(std::memory_order_relaxed);
    scheduler_.point("combining", this);
    sum_.store(was + 1, std::memory_order_relaxed);
  }
  /// State is left as it is.
  void die(element_locks locks) {
    if (death_ == death::among_few) {
      ::new (last_) few_guard(locks);
    } else {
      if (death_ == death::closing) locks.ranks = 0;  // It waits for no rank any more.
      locks.bulk->lock(locks, 0, true);
    }
    unseen_[0].fetch_add(1);  // Its stores are there long before others know that it is dead.
    dead_ = true;
  }

  explore::scheduler& scheduler_;
  flaw flaw_;
  death death_;
  bulk_lock bulk_;
  word few_[threads]{};
  word unseen_[threads]{};
  word sum_{0};
  std::atomic<bool> dead_ = false;  // No point at which threads switch.
  alignas(few_guard) std::byte last_[sizeof(few_guard)];
};

/// Three ranks pass barriers repeatedly; each reports in some of them that it has sent something.
class barrier {
 public:
  static constexpr std::size_t threads = 3;

  explicit barrier(explore::scheduler& s, bool waits = true) : scheduler_(s), waits_(waits) {}

  void thread(std::size_t i) {
    for (std::uint64_t which = 1; which <= 3; ++which) {
      come_[which][i] = true;
      words_[i].arrive(which, sends(i, which));
      bool some = false;
      for (std::size_t r = 0; r < threads; ++r)
        while (!words_[r].has_arrived(which, some)) {
          if (!waits_) break;
          explore::relax();
        }
      for (std::size_t r = 0; r < threads; ++r)
        if (!come_[which][r]) scheduler_.fail("a rank has left before all have come");
      bool any = false;
      for (std::size_t r = 0; r < threads; ++r) any = any || sends(r, which);
      if (some != any) scheduler_.fail("ranks have different results");
    }
  }
  std::string wrong() const { return ""; }

 private:
  static bool sends(std::size_t i, std::uint64_t which) { return which != 2 && i == which % 3; }

  explore::scheduler& scheduler_;
  bool waits_;
  barrier_words words_[threads]{};
  bool come_[4][threads] = {};
};

TEST_CASE("preempt: the barrier of a window") {
  explore::check_sound("window barriers", explore::search<barrier>(2000), 1000);
}

TEST_CASE("preempt: the locks of a window's target") {
  explore::check_sound("window locks", explore::search<sharing>(2000), 1000);
}

TEST_CASE("preempt: many elements of a window's target are combined by one rank at a time") {
  explore::check_sound("many elements", explore::search<combining>(3000), 1000);
}

TEST_CASE("preempt: a rank dies where it combines elements") {
  for (const death d : {death::among_few, death::alone, death::closing}) {
    CAPTURE(static_cast<int>(d));
    explore::check_sound("a dead rank's elements", explore::search<combining>(1500, flaw::none, d),
                         500);
  }
}

TEST_CASE("preempt: faults of a window's locks are found" * doctest::skip(explore::sampled)) {
  using explore::search;
  explore::check_found("a reader that does not wait", search<sharing>(2000, flaw::unlocked_reader));
  explore::check_found("a rank that does not wait", search<barrier>(2000, false));
  explore::check_found("a combination without its lock",
                       search<sharing>(2000, flaw::half_an_exchange));
  explore::check_found("a few elements despite the exclusive flag",
                       search<combining>(3000, flaw::no_look));
  explore::check_found("a few elements without a flag", search<combining>(8000, flaw::no_word));
  explore::check_found("many elements without waiting", search<combining>(3000, flaw::no_wait));
  explore::check_found("many without a heavy barrier", search<combining>(8000, flaw::no_barrier));
}

}  // namespace
