// SPDX-License-Identifier: BSL-1.0
#pragma once
// A fiber of a simulated job. Boost.Context switches the stacks; this class informs
// AddressSanitizer.

#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

// Defined if AddressSanitizer is linked in, null otherwise.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void**, const void*, std::size_t);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*);
}

namespace mpx::inline v0::sim::detail {

/// A function with a stack of its own, entered by `resume` and left by `suspend`. It must run to
/// its end: it is never unwound from outside.
class fiber {
 public:
  /// Errors:     std::bad_alloc if there is no memory or mapping left for the stack.
  fiber(std::size_t stack_bytes, std::function<void()> body) : body_(std::move(body)) {
    boost::context::protected_fixedsize_stack allocator(stack_bytes);
    const boost::context::stack_context stack = allocator.allocate();
    stack_ = {static_cast<const char*>(stack.sp) - stack.size, stack.size};
    own_ = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), allocator,
        [this](boost::context::fiber&& caller) { return run(std::move(caller)); });
  }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  bool finished() const noexcept { return finished_; }

  /// Runs the fiber until it suspends or ends.
  /// Requires:   called on the scheduler's stack.
  void resume() {
    auto& exceptions = *reinterpret_cast<exceptions_under_way*>(abi::__cxa_get_globals());
    const exceptions_under_way caller = std::exchange(exceptions, exceptions_);
    void* fake = nullptr;
    leave_for(&fake, stack_);
    own_ = std::move(own_).resume();
    arrive(fake, nullptr);
    exceptions_ = std::exchange(exceptions, caller);
  }
  /// Returns control to the caller of `resume`.
  /// Requires:   called on the fiber's own stack.
  void suspend() {
    void* fake = nullptr;
    leave_for(&fake, caller_stack_);
    caller_ = std::move(caller_).resume();
    arrive(fake, &caller_stack_);
  }

 private:
  /// Exception state, which C++ keeps for each thread and which must be kept for each stack: a rank
  /// may wait in a destructor while an exception propagates, and other ranks must not see that.
  /// Source:     Itanium C++ ABI, 2.2.2.
  struct exceptions_under_way {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  struct extent {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
  };

  static void leave_for(void** fake, const extent& other) noexcept {
    if (&__sanitizer_start_switch_fiber != nullptr)
      __sanitizer_start_switch_fiber(fake, other.bottom, other.bytes);
  }
  static void arrive(void* fake, extent* from) noexcept {
    if (&__sanitizer_finish_switch_fiber != nullptr)
      __sanitizer_finish_switch_fiber(fake, from == nullptr ? nullptr : &from->bottom,
                                      from == nullptr ? nullptr : &from->bytes);
  }

  boost::context::fiber run(boost::context::fiber&& caller) {
    arrive(nullptr, &caller_stack_);
    caller_ = std::move(caller);
    body_();
    finished_ = true;
    leave_for(nullptr, caller_stack_);
    return std::move(caller_);
  }

  std::function<void()> body_;
  bool finished_ = false;
  exceptions_under_way exceptions_;
  extent stack_;
  extent caller_stack_;
  boost::context::fiber caller_;
  boost::context::fiber own_;
};

}  // namespace mpx::inline v0::sim::detail
