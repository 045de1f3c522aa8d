// SPDX-License-Identifier: BSL-1.0
// own_headers: yes
// sanitizers: thread
// The words by which ranks lock a window's target, under all kinds of schedules: writers exclude
// all, readers share, a writer that waits is let in, and a combination under an element's lock is
// one.

#include "explore.hpp"

#include <mpx/rma/lock_word.hpp>

#include "search.hpp"

namespace {

using namespace mpx::rma;

/// What is wrong with the ones that must be found out.
enum class flaw : std::uint8_t {
  none,
  unlocked_reader,   // A reader that is refused goes on.
  half_an_exchange,  // An element is combined without its lock.
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
    return sum_ == 2 * threads ? "" : "an element has lost what was added";
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

/// Three ranks meet again and again; each says in some of the meetings that it has sent something.
class meeting {
 public:
  static constexpr std::size_t threads = 3;

  explicit meeting(explore::scheduler& s, bool waits = true) : scheduler_(s), waits_(waits) {}

  void thread(std::size_t i) {
    for (std::uint64_t which = 1; which <= 3; ++which) {
      come_[which][i] = true;
      words_[i].come(which, sends(i, which));
      bool some = false;
      for (std::size_t r = 0; r < threads; ++r)
        while (!words_[r].has_come(which, some)) {
          if (!waits_) break;
          explore::relax();
        }
      for (std::size_t r = 0; r < threads; ++r)
        if (!come_[which][r]) scheduler_.fail("a rank has left before all have come");
      bool any = false;
      for (std::size_t r = 0; r < threads; ++r) any = any || sends(r, which);
      if (some != any) scheduler_.fail("ranks have heard different things");
    }
  }
  std::string wrong() const { return ""; }

 private:
  static bool sends(std::size_t i, std::uint64_t which) { return which != 2 && i == which % 3; }

  explore::scheduler& scheduler_;
  bool waits_;
  meeting_words words_[threads]{};
  bool come_[4][threads] = {};
};

TEST_CASE("preempt: the ranks of a window meet") {
  explore::check_sound("window meetings", explore::search<meeting>(2000), 1000);
}

TEST_CASE("preempt: the locks of a window's target") {
  explore::check_sound("window locks", explore::search<sharing>(2000), 1000);
}

TEST_CASE("preempt: faults of a window's locks are found" * doctest::skip(explore::sampled)) {
  using explore::search;
  explore::check_found("a reader that does not wait", search<sharing>(2000, flaw::unlocked_reader));
  explore::check_found("a rank that does not wait", search<meeting>(2000, false));
  explore::check_found("a combination without its lock",
                       search<sharing>(2000, flaw::half_an_exchange));
}

}  // namespace
