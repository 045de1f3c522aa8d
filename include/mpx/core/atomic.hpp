// SPDX-License-Identifier: BSL-1.0
#pragma once
// Atomic words with the interface of std::atomic and std::atomic_ref, for lock-free types only. The
// standard ones take four times as long to compile at -O0 per use, and instantiate sixty members
// for each type; including <atomic> is a twentieth of the compile time of mpx.hpp.

#include "mpx/config.hpp"

namespace mpx::inline v0::platform {

/// As std::memory_order, to and from which it converts.
struct memory_order {
  int is;  // The compiler's constant.

  constexpr explicit memory_order(int order) noexcept : is(order) {}
  template <class E>
  requires(__is_enum(E))
  constexpr memory_order(E order) noexcept  // NOLINT(*-explicit-*)
      : is(static_cast<int>(order)) {}
  template <class E>
  requires(__is_enum(E))
  constexpr operator E() const noexcept {  // NOLINT(*-explicit-*)
    return static_cast<E>(is);
  }
};
inline constexpr memory_order memory_order_relaxed{__ATOMIC_RELAXED};
inline constexpr memory_order memory_order_acquire{__ATOMIC_ACQUIRE};
inline constexpr memory_order memory_order_release{__ATOMIC_RELEASE};
inline constexpr memory_order memory_order_acq_rel{__ATOMIC_ACQ_REL};
inline constexpr memory_order memory_order_seq_cst{__ATOMIC_SEQ_CST};

/// Prevents the compiler, but not the processor, from moving loads and stores across it.
[[MPX_ALWAYS_INLINE]] inline void signal_fence() noexcept {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

namespace native {

/// Memory order of a failed compare-and-exchange.
constexpr int order_of_failure(memory_order order) noexcept {
  if (order.is == __ATOMIC_ACQ_REL) return __ATOMIC_ACQUIRE;
  return order.is == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order.is;
}

/// As std::atomic_ref<T>.
/// Requires:   the word is aligned to its size.
template <class T>
class atomic_ref {
  using order_t = memory_order;
  static constexpr order_t strict = memory_order_seq_cst;

 public:
  using value_type = T;

  explicit atomic_ref(T& word) noexcept : word_(&word) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;

  [[MPX_ALWAYS_INLINE]] T load(order_t order = strict) const noexcept {
    return __atomic_load_n(word_, order.is);
  }
  [[MPX_ALWAYS_INLINE]] void store(T value, order_t order = strict) const noexcept {
    __atomic_store_n(word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T exchange(T value, order_t order = strict) const noexcept {
    return __atomic_exchange_n(word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T fetch_add(T value, order_t order = strict) const noexcept {
    return __atomic_fetch_add(word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_strong(T& expected, T value) const noexcept {
    return __atomic_compare_exchange_n(word_, &expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_weak(T& expected, T value, order_t order,
                                                   order_t failure) const noexcept {
    return __atomic_compare_exchange_n(word_, &expected, value, true, order.is, failure.is);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_weak(T& expected, T value,
                                                   order_t order = strict) const noexcept {
    return __atomic_compare_exchange_n(word_, &expected, value, true, order.is,
                                       order_of_failure(order));
  }

 private:
  T* word_;
};

/// As std::atomic<T>, for integers, enumerations, bool, and pointers without arithmetic.
template <class T>
class atomic {
  using order_t = memory_order;
  static constexpr order_t strict = memory_order_seq_cst;

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = __atomic_always_lock_free(sizeof(T), nullptr);

  constexpr atomic() noexcept : word_() {}
  constexpr atomic(T value) noexcept : word_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[MPX_ALWAYS_INLINE]] T load(order_t order = strict) const noexcept {
    return __atomic_load_n(&word_, order.is);
  }
  [[MPX_ALWAYS_INLINE]] void store(T value, order_t order = strict) noexcept {
    __atomic_store_n(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T exchange(T value, order_t order = strict) noexcept {
    return __atomic_exchange_n(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T fetch_add(T value, order_t order = strict) noexcept {
    return __atomic_fetch_add(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T fetch_sub(T value, order_t order = strict) noexcept {
    return __atomic_fetch_sub(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T fetch_and(T value, order_t order = strict) noexcept {
    return __atomic_fetch_and(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] T fetch_or(T value, order_t order = strict) noexcept {
    return __atomic_fetch_or(&word_, value, order.is);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_strong(T& expected, T value, order_t order,
                                                     order_t failure) noexcept {
    return __atomic_compare_exchange_n(&word_, &expected, value, false, order.is, failure.is);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_strong(T& expected, T value,
                                                     order_t order = strict) noexcept {
    return __atomic_compare_exchange_n(&word_, &expected, value, false, order.is,
                                       order_of_failure(order));
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_weak(T& expected, T value, order_t order,
                                                   order_t failure) noexcept {
    return __atomic_compare_exchange_n(&word_, &expected, value, true, order.is, failure.is);
  }
  [[MPX_ALWAYS_INLINE]] bool compare_exchange_weak(T& expected, T value,
                                                   order_t order = strict) noexcept {
    return __atomic_compare_exchange_n(&word_, &expected, value, true, order.is,
                                       order_of_failure(order));
  }

  T operator=(T value) noexcept {
    store(value);
    return value;
  }
  operator T() const noexcept { return load(); }
  T operator++() noexcept { return fetch_add(T{1}) + T{1}; }
  T operator++(int) noexcept { return fetch_add(T{1}); }
  T operator--() noexcept { return fetch_sub(T{1}) - T{1}; }
  T operator--(int) noexcept { return fetch_sub(T{1}); }
  T operator+=(T value) noexcept { return fetch_add(value) + value; }

 private:
  alignas(sizeof(T)) T word_;
};

}  // namespace native
}  // namespace mpx::inline v0::platform
