// SPDX-License-Identifier: BSL-1.0
#pragma once
// Decides, from a seed, which logical thread continues at each operation through which threads
// interact, and when a store in a thread's store buffer reaches memory. One runs at a time, in one
// thread of the machine, so that a seed names one interleaving, and a thread that waits for ever is
// found.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <mpx/bootstrap/detail/sim_random.hpp>

#include "fiber.hpp"

namespace explore {

using mpx::sim::random;

/// Visibility of stores. `total`: a thread's stores leave its buffer in order, as on x86.
/// `partial`: relaxed stores pass each other, a release store passes none (as on ARM, in part).
enum class memory_model : std::uint8_t { sequential, total, partial };

/// Choice of schedules. `priorities`: the runnable thread of highest priority runs; it falls to the
/// lowest at a few change points (Burckhardt et al., PCT, ASPLOS 2010). Store buffers have
/// priorities of their own.
enum class strategy : std::uint8_t { walk, lazy_walk, priorities };

/// A fault put into the operations of the code under test, to see that it is found.
struct fault {
  enum class kind : std::uint8_t {
    none,
    no_heavy_barrier,  ///< It returns at once.
    no_wake,           ///< Wakes no sleeper on the word at `at` (nullptr: on any).
    lost_store,        ///< Stores to `at` do nothing.
    lost_or,           ///< fetch_or on `at` does nothing.
    stuck_load,        ///< Loads of `at` give `value`.
    weak_store,        ///< Stores are no fences, whatever their order says.
    hasty_sleep,       ///< futex_wait does not compare.
  };
  kind what = kind::none;
  const void* at = nullptr;
  std::size_t bytes = 1;  ///< Of them from `at` on.
  std::uint64_t value = 0;
};

class scheduler {
 public:
  struct plan {
    std::uint64_t seed = 0;
    std::uint64_t length = 100;  ///< Steps to expect: change points are spread over them.
    bool quiet_start = false;    ///< Nothing is explored before `begin`.
  };
  struct outcome {
    std::uint64_t steps = 0;   ///< Schedule points passed.
    std::uint64_t stores = 0;  ///< That waited in a buffer.
    std::uint64_t hash = 0;    ///< Of all choices.
    std::string failure;       ///< "": none.
  };

  static scheduler& instance() {
    static scheduler& s = *new scheduler();  // Never destroyed: threads may be stuck in it.
    return s;
  }
  /// The scheduler, if the caller is one of its threads.
  static scheduler* here() noexcept {
    scheduler& s = instance();
    return s.current_ != outside ? &s : nullptr;
  }

  /// Runs `body(0)` .. `body(threads - 1)` under `p`.
  template <class Body>
  outcome run(std::size_t threads, const plan& p, Body& body) {
    const unwatched u;
    prepare(threads, p);
    body_ = [](void* b, std::size_t i) { (*static_cast<Body*>(b))(i); };
    body_argument_ = &body;
    for (std::size_t i = 0; i < threads; ++i) visit(i);
    choose();
    if (result_.failure.empty()) {
      for (std::size_t i = 0; i < threads; ++i) visit(i);
    } else {  // Stuck threads are not unwound; their stacks and objects stay.
      for (auto& t : threads_) abandoned_.push_back(std::move(t));
      threads_.clear();
    }
    fault_ = {};
    return std::move(result_);
  }

  void plant(const fault& f) noexcept { fault_ = f; }
  bool planted(fault::kind k, const void* at) const noexcept {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(fault_.at);
    return fault_.what == k && !quiet_ && (fault_.at == nullptr || offset < fault_.bytes);
  }
  const fault& planted() const noexcept { return fault_; }
  /// A number below `n` that the seed gives.
  std::size_t draw(std::size_t n) noexcept {
    const unwatched u;
    return random_.below(n);
  }
  /// The time in this schedule, after `step`.
  std::int64_t later_ns(std::int64_t step) noexcept {
    const unwatched u;
    return now_ns_ += step;
  }
  int cores = 64;          ///< Number of cores that the code under test sees.
  std::size_t spread = 1;  ///< The cores that its threads are on, one after the other.

  // --- Called by the logical threads -------------------------------------------------------------

  std::uint32_t core() const noexcept {
    return current_ == outside ? 0 : static_cast<std::uint32_t>(current_ % spread);
  }
  /// Another thread may continue here.
  void point(const char* what, const void* at) {
    const unwatched u;
    if (result_.failure.empty()) step(what, at, false);
  }
  /// The caller gets no further before another thread has done something.
  void yield() {
    const unwatched u;
    if (result_.failure.empty()) step("give way", nullptr, true);
  }
  /// Ends this schedule: it has found a fault.
  void fail(std::string why) {
    const unwatched u;
    result_.failure = std::move(why);  // The rest is not destroyed.
    leave();
  }
  /// Stops until `release(at)`. `timed`: while nothing is explored, time may be up first; returns
  /// whether it was.
  bool block(const void* at, bool timed) {
    const unwatched u;
    thread& me = *threads_[current_];
    me.waits_for = at;
    me.timed = timed;
    me.time_is_up = false;
    if (tracing_) trace("blocks", at);
    choose();
    return me.time_is_up;
  }
  /// Wakes up to `count` threads that wait for `at`, in the order in which they came.
  void release(const void* at, std::size_t count) {
    const unwatched u;
    while (count-- > 0) {
      thread* first = nullptr;
      for (auto& t : threads_)
        if (t->waits_for == at && (first == nullptr || t->blocked_at < first->blocked_at))
          first = t.get();
      if (first == nullptr) return;
      first->waits_for = nullptr;
    }
  }
  /// Waits for all threads.
  void all_here() { meet(quiet_); }
  /// Waits for all threads, before what is explored.
  void begin() { meet(false); }
  /// The same, after it: all stores are in memory then, and sleeps may time out.
  void end() { meet(true); }

  /// True if this sleep ends at once without a reason, as the kernel's may.
  bool sleeps_lightly() noexcept {
    const unwatched u;
    return light_sleep_ && !quiet_ && random_.one_in(16);
  }

  // --- Store buffers -----------------------------------------------------------------------------

  bool buffers() const noexcept { return model_ != memory_model::sequential && !quiet_; }
  bool partial() const noexcept { return model_ == memory_model::partial; }
  template <class T>
  void keep(T* at, T value, bool release_store) {
    store s{.at = at, .value = 0, .write = &write_back<T>, .release = release_store};
    std::memcpy(&s.value, &value, sizeof value);
    threads_[current_]->buffer.push_back(s);
    ++result_.stores;
  }
  /// The value that the caller stored last at `at`, if it has not reached memory.
  template <class T>
  bool forwarded(const void* at, T& value) const {
    const auto& buffer = threads_[current_]->buffer;
    for (auto s = buffer.rbegin(); s != buffer.rend(); ++s)
      if (s->at == at) {
        std::memcpy(&value, &s->value, sizeof value);
        return true;
      }
    return false;
  }
  bool keeps(const void* at) const noexcept {
    const auto& buffer = threads_[current_]->buffer;
    return std::any_of(buffer.begin(), buffer.end(), [at](const store& s) { return s.at == at; });
  }
  /// A fence of the caller.
  void flush() { flush(*threads_[current_]); }
  /// Flushes the stores that an atomic read-modify-write at `at` must not pass.
  void flush_before(const void* at, bool releases) {
    if (!partial() || releases) return flush();
    for (const store& s : threads_[current_]->buffer)
      if (s.at == at) return flush();
  }
  void flush_all() {
    for (auto& t : threads_) flush(*t);
  }

 private:
  static constexpr std::size_t outside = ~std::size_t{0};
  static constexpr std::uint64_t steps_max = 50'000;
  static constexpr std::uint64_t quiet_steps_max = 10'000'000;

  struct store {
    void* at;
    std::uint64_t value;
    void (*write)(void*, std::uint64_t);
    bool release;
  };
  struct thread {
    explicit thread(scheduler& s) : where(&scheduler::live, &s) {}
    fiber where;
    std::vector<store> buffer;
    const void* waits_for = nullptr;
    std::uint64_t blocked_at = 0;
    bool timed = false;
    bool time_is_up = false;
    bool over = false;
    bool runnable() const noexcept { return !over && waits_for == nullptr; }
  };

  template <class T>
  static void write_back(void* at, std::uint64_t value) {
    T t;
    std::memcpy(&t, &value, sizeof t);
    std::atomic_ref<T>(*static_cast<T*>(at)).store(t, std::memory_order_seq_cst);
  }

  scheduler() { std::setvbuf(stderr, nullptr, _IOLBF, 0); }

  void prepare(std::size_t n, const plan& p) {
    while (threads_.size() > n) threads_.pop_back();
    while (threads_.size() < n) {
      threads_.push_back(std::make_unique<thread>(*this));
      visit(threads_.size() - 1);  // It parks.
    }
    for (auto& t : threads_) {
      t->waits_for = nullptr;
      t->over = false;
      t->buffer.clear();
    }
    result_ = {};
    random_ = random(p.seed);
    quiet_ = p.quiet_start;
    quiet_steps_ = 0;
    now_ns_ = 0;
    blocks_ = 0;
    arrived_ = 0;
    model_ = under_tsan ? memory_model::sequential
                        : std::array{memory_model::total, memory_model::partial,
                                     memory_model::total, memory_model::sequential}[p.seed % 4];
    strategy_ = std::array{strategy::walk, strategy::priorities, strategy::lazy_walk,
                           strategy::priorities}[p.seed / 4 % 4];
    light_sleep_ = random_.one_in(4);
    flush_in_ = std::size_t{2} << random_.below(6);
    priority_.resize(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i) priority_[i] = static_cast<std::int64_t>(i + 1);
    for (std::size_t i = 2 * n; i > 1; --i)
      std::swap(priority_[i - 1], priority_[random_.below(i)]);
    lowest_ = 0;
    change_at_.clear();
    for (std::size_t d = 1 + random_.below(6); d > 0; --d)
      change_at_.push_back(random_.below(p.length + 1));
    std::sort(change_at_.begin(), change_at_.end());
    changes_ = 0;
  }

  /// From outside into thread `i` and, as soon as it parks, back.
  void visit(std::size_t i) {
    current_ = i;
    outside_.switch_to(threads_[i]->where, true);
    current_ = outside;
  }
  static void live(void* self) {
    auto& s = *static_cast<scheduler*>(self);
    thread* known = nullptr;
    std::size_t number = 0;
    {
      const unwatched u;
      number = s.current_;
      known = s.threads_[number].get();
    }
    thread& me = *known;
    for (;;) {
      me.where.switch_to(s.outside_, true);  // Made, or over with the last schedule.
      me.where.switch_to(s.outside_, true);  // About to begin.
      try {
        s.body_(s.body_argument_, number);
      } catch (const std::exception& e) {
        s.fail(std::string("it throws: ") + e.what());
      }
      const unwatched u;
      me.over = true;
      s.choose();
    }
  }
  void meet(bool quiet) {
    met_.fetch_add(1, std::memory_order_acq_rel);
    {
      const unwatched u;
      if (++arrived_ == threads_.size()) {
        arrived_ = 0;
        flush_all();
        quiet_ = quiet;
        release(&arrived_, threads_.size());
      } else {
        block(&arrived_, false);
      }
    }
    met_.load(std::memory_order_acquire);
  }
  void leave() { threads_[current_]->where.switch_to(outside_, true); }

  void step(const char* what, const void* at, bool way) {
    if (quiet_) {
      if (++quiet_steps_ > quiet_steps_max) fail("no end of the steps before or after");
      if (way) go_to(after(current_));
      return;
    }
    if (++result_.steps > steps_max) fail("no end is in sight");
    if (tracing_) trace(what, at);
    if (strategy_ == strategy::priorities) {
      if (way) priority_[current_] = --lowest_;
      while (changes_ < change_at_.size() && change_at_[changes_] <= result_.steps) {
        priority_[random_.one_in(2) ? current_ : random_.below(priority_.size())] = --lowest_;
        ++changes_;
      }
    }
    way_ = way;
    choose();
    way_ = false;
  }
  std::size_t after(std::size_t i) const noexcept {
    for (std::size_t k = 1; k <= threads_.size(); ++k)
      if (threads_[(i + k) % threads_.size()]->runnable()) return (i + k) % threads_.size();
    return i;
  }

  void note(std::size_t choice) noexcept {
    result_.hash = (result_.hash ^ (choice + 1)) * 0x0000'0100'0000'01b3u;
    result_.hash ^= result_.hash >> 29;
  }
  void go_to(std::size_t i) {
    const std::size_t before = current_;
    if (before == i) return;
    current_ = i;
    if (before == outside) {
      outside_.switch_to(threads_[i]->where, true);
      current_ = outside;
    } else {
      threads_[before]->where.switch_to(threads_[i]->where, false);
    }
  }

  /// Lets stores out of their buffers, then continues in the thread that is drawn.
  void choose() {
    if (current_ != outside && threads_[current_]->waits_for != nullptr)
      threads_[current_]->blocked_at = ++blocks_;
    for (;;) {
      const std::size_t drawn = strategy_ == strategy::priorities && !quiet_ ? highest() : walk();
      if (drawn == outside) {
        if (quiet_ && end_patience()) continue;
        if (!std::all_of(threads_.begin(), threads_.end(), [](auto& t) { return t->over; }))
          result_.failure = "all threads sleep, and none is left to wake them";
        if (current_ != outside) leave();
        return;
      }
      note(drawn);
      if (drawn < threads_.size()) return go_to(drawn);
      thread& owner = *threads_[drawn - threads_.size()];
      write_one(owner);
    }
  }
  bool end_patience() {
    bool any = false;
    for (auto& t : threads_)
      if (t->waits_for != nullptr && t->timed) {
        t->waits_for = nullptr;
        t->time_is_up = true;
        any = true;
      }
    return any && ++quiet_steps_ < quiet_steps_max;
  }
  std::size_t highest() const noexcept {
    const std::size_t n = threads_.size();
    std::size_t best = outside;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const bool can = i < n ? threads_[i]->runnable() : !threads_[i - n]->buffer.empty();
      if (can && (best == outside || priority_[i] > priority_[best])) best = i;
    }
    return best;
  }
  std::size_t walk() noexcept {
    const std::size_t n = threads_.size();
    std::array<std::size_t, 64> can;
    std::size_t ready = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (threads_[i]->runnable() && (!way_ || i != current_)) can[ready++] = i;
    std::size_t full = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (!threads_[i]->buffer.empty()) can[ready + full++] = n + i;
    if (full != 0 && (ready == 0 || random_.one_in(flush_in_)))
      return can[ready + random_.below(full)];
    if (ready == 0) return way_ && threads_[current_]->runnable() ? current_ : outside;
    const bool stay = quiet_ || (strategy_ == strategy::lazy_walk && !random_.one_in(8));
    if (stay && !way_ && current_ != outside && threads_[current_]->runnable()) return current_;
    return can[quiet_ ? 0 : random_.below(ready)];
  }

  void write_one(thread& owner) {
    auto& b = owner.buffer;
    std::size_t i = 0;
    if (partial()) {
      i = random_.below(b.size());
      while (i > 0 && !may_pass(b, i)) --i;
    }
    if (tracing_) trace("reaches memory", b[i].at);
    b[i].write(b[i].at, b[i].value);
    b.erase(b.begin() + static_cast<std::ptrdiff_t>(i));
  }
  static bool may_pass(const std::vector<store>& b, std::size_t i) noexcept {
    if (b[i].release) return false;
    for (std::size_t k = 0; k < i; ++k)
      if (b[k].at == b[i].at) return false;
    return true;
  }
  static void flush(thread& t) {
    for (const store& s : t.buffer) s.write(s.at, s.value);
    t.buffer.clear();
  }

  void trace(const char* what, const void* at) const {
    std::fprintf(stderr, "%6llu  thread %d  %-14s %p\n",
                 static_cast<unsigned long long>(result_.steps), static_cast<int>(current_), what,
                 at);
  }

  fiber outside_;
  std::vector<std::unique_ptr<thread>> threads_;
  std::vector<std::unique_ptr<thread>> abandoned_;
  std::size_t current_ = outside;
  void (*body_)(void*, std::size_t) = nullptr;
  void* body_argument_ = nullptr;
  outcome result_;
  std::uint64_t quiet_steps_ = 0;
  std::int64_t now_ns_ = 0;
  random random_{0};
  memory_model model_ = memory_model::sequential;
  strategy strategy_ = strategy::walk;
  std::size_t flush_in_ = 2;
  std::vector<std::int64_t> priority_;
  std::int64_t lowest_ = 0;
  std::vector<std::uint64_t> change_at_;
  std::size_t changes_ = 0;
  std::uint64_t blocks_ = 0;
  std::size_t arrived_ = 0;
  std::atomic<std::uint32_t> met_{0};
  bool quiet_ = false;
  bool light_sleep_ = false;
  bool way_ = false;
  fault fault_;

 public:
  bool tracing_ = false;
};

}  // namespace explore
