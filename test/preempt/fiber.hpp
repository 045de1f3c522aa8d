// SPDX-License-Identifier: BSL-1.0
#pragma once
// A stack of its own for a logical thread, on ucontext, and known to the sanitizers.

#include <ucontext.h>

#include <cstddef>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#define EXPLORE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXPLORE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define EXPLORE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EXPLORE_TSAN 1
#endif
#endif

#ifdef EXPLORE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef EXPLORE_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace explore {

#ifdef EXPLORE_TSAN
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

#ifdef EXPLORE_ASAN
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
/// A sanitizer looks at each schedule: fewer of them show what it can see.
inline constexpr bool sampled = under_tsan || under_asan;

/// While one lives, ThreadSanitizer does not look at this fiber's reads and writes: what the
/// scheduler notes down is shared by all, and only one runs at a time.
class unwatched {
 public:
  unwatched() noexcept {
#ifdef EXPLORE_TSAN
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
  }
  unwatched(const unwatched&) = delete;
  unwatched& operator=(const unwatched&) = delete;
  ~unwatched() {
#ifdef EXPLORE_TSAN
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  }
};

/// An execution context. The first is made from the calling thread, the others run
/// `entry(argument)`, which never returns.
class fiber {
 public:
  static constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

  /// The thread that calls.
  fiber() noexcept {
#ifdef EXPLORE_TSAN
    tsan_ = __tsan_get_current_fiber();
#endif
  }
  fiber(void (*entry)(void*), void* argument)
      : stack_(new std::byte[stack_bytes]),
        entry_(entry),
        argument_(argument),
        bottom_(stack_.get()),
        bytes_(stack_bytes) {
    ::getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    ::makecontext(&context_, &fiber::start, 0);
#ifdef EXPLORE_TSAN
    tsan_ = __tsan_create_fiber(0);
#endif
  }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() {
#ifdef EXPLORE_TSAN
    if (stack_) __tsan_destroy_fiber(tsan_);
#endif
  }

  /// Continues in `next`. Returns when another fiber switches back. `ordered`: what happened before
  /// in this fiber happens before the actions of `next`, as ThreadSanitizer sees it.
  void switch_to(fiber& next, [[maybe_unused]] bool ordered) noexcept {
    from() = this;
    to() = &next;
#ifdef EXPLORE_TSAN
    __tsan_switch_to_fiber(next.tsan_, ordered ? 0u : unsigned{__tsan_switch_to_fiber_no_sync});
#endif
#ifdef EXPLORE_ASAN
    __sanitizer_start_switch_fiber(&fake_, next.bottom_, next.bytes_);
#endif
    ::swapcontext(&context_, &next.context_);
    arrived(fake_);
  }

 private:
  static fiber*& from() noexcept {
    static fiber* f = nullptr;
    return f;
  }
  static fiber*& to() noexcept {
    static fiber* f = nullptr;
    return f;
  }
  static void arrived([[maybe_unused]] void* fake) noexcept {
#ifdef EXPLORE_ASAN
    __sanitizer_finish_switch_fiber(fake, &from()->bottom_, &from()->bytes_);
#endif
  }
  static void start() {
    arrived(nullptr);
    fiber* const me = to();
    me->entry_(me->argument_);
  }

  ucontext_t context_{};
  std::unique_ptr<std::byte[]> stack_;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  [[maybe_unused]] const void* bottom_ = nullptr;  // For the sanitizers.
  [[maybe_unused]] std::size_t bytes_ = 0;
  void* fake_ = nullptr;
#ifdef EXPLORE_TSAN
  void* tsan_ = nullptr;
#endif
};

}  // namespace explore
