// SPDX-License-Identifier: BSL-1.0
#pragma once
// Non-owning reference to a callable, for code that is compiled once and calls back into its
// caller.

#include <concepts>
#include <type_traits>
#include <utility>

namespace mpx::inline v0::detail {

template <class Signature>
class function_ref;

/// Two words; owns nothing. The callable must outlive it.
template <class R, class... Args>
class function_ref<R(Args...)> {
 public:
  template <class F>
  requires std::is_object_v<std::remove_reference_t<F>> &&
               (!std::same_as<std::remove_cvref_t<F>, function_ref>) &&
               requires(F& f, Args... args) { f(std::forward<Args>(args)...); }
  [[gnu::always_inline]] function_ref(F&& f) noexcept  // NOLINT(*-explicit-*, *-forwarding-*)
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(f)))),
        call_(&called<std::remove_reference_t<F>>) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  // Not a lambda, which would instantiate two more functions for each callee.
  template <class F>
  static R called(void* object, Args... args) {
    return static_cast<R>((*static_cast<F*>(object))(std::forward<Args>(args)...));
  }

  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace mpx::inline v0::detail
