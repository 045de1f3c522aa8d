// SPDX-License-Identifier: BSL-1.0
#pragma once
// A reference to something callable, for code that is compiled once and calls back into its caller.

#include <concepts>
#include <type_traits>
#include <utility>

namespace mpx::inline v0::detail {

template <class Signature>
class function_ref;

/// Two words, and no memory of its own. What it refers to outlives it.
template <class R, class... Args>
class function_ref<R(Args...)> {
 public:
  template <class F>
  requires std::is_object_v<std::remove_reference_t<F>> &&
               (!std::same_as<std::remove_cvref_t<F>, function_ref>) &&
               std::is_invocable_r_v<R, F&, Args...>
  [[gnu::always_inline]] function_ref(F&& f) noexcept  // NOLINT(*-explicit-*, *-forwarding-*)
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(f)))),
        call_([](void* object, Args... args) -> R {
          auto& callee = *static_cast<std::add_pointer_t<F>>(object);
          if constexpr (std::is_void_v<R>) {
            callee(std::forward<Args>(args)...);
          } else {
            return callee(std::forward<Args>(args)...);
          }
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace mpx::inline v0::detail
