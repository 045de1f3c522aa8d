// SPDX-License-Identifier: BSL-1.0
#pragma once
// References to elements of a window at other ranks, and spans of them, which can be assigned to,
// combined with and loaded: window::at, window::span. Part of mpx/rma.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

#include "mpx/rma/window.hpp"

namespace mpx::inline v0::rma {

/// Values are equal if and only if their bytes are: compare_exchange compares bytes at the target.
/// Not satisfied by types with padding.
template <class T>
concept ComparedByBytes = std::has_unique_object_representations_v<T> ||
                          (std::is_floating_point_v<T> && sizeof(T) <= sizeof(double));

/// Elements with arithmetic: `-=` is provided for them.
template <class T>
concept Arithmetic = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Reference to an element of a target's memory in a window. Trivially copyable: a copy refers to
/// the same element. Cannot be rebound.
///
/// | cost                   | calls                                                              |
/// |------------------------|--------------------------------------------------------------------|
/// | returns at once        | `=`, store, `+=` `-=` `&=` `|=` `^=`, accumulate, get              |
/// | waits for the value    | load, fetch, fetch_and_op, fetch_add, exchange, compare_exchange   |
///
/// Calls that return at once are the window's put, accumulate or get. They do not flush, so that a
/// loop of them is as fast as a loop of the window's calls. Calls that wait take a round trip
/// unless the memory is mapped; there is no conversion to T, so that every wait is visible. They
/// wait for the results of all accesses that this rank has started for the target, in an epoch of
/// any kind; data that it has put may still be in transit.
/// Requires:   the window is not moved, and has an epoch open to the target at each use.
/// Errors:     those of the window's call, which name the ranks, the displacement and the epoch.
/// Order:      as of the window's calls: puts and gets are unordered until a flush; accumulates and
///             fetches of one element are ordered.
template <class Window>
class reference {
  using site = std::source_location;
  using throws_t = mpx::detail::throws_t;

 public:
  using value_type = typename Window::value_type;  ///< Element type.
  /// Right operand of an operator, and its source line.
  struct given {
    value_type value;
    site where;
    /// Converts implicitly from the value.
    [[gnu::always_inline]] given(const value_type& v,
                                 site w = site::current()) noexcept  // NOLINT(*-explicit-*)
        : value(v), where(w) {}
    template <std::floating_point U>
    requires std::integral<value_type>
    /// Would truncate the fraction: convert explicitly.
    given(U, site = site::current()) = delete;
  };

  /// Made by window::at.
  reference(Window& of, rank_t target, std::uint64_t displacement) noexcept
      : of_(&of), displacement_(displacement), target_(target) {}
  reference(const reference&) = default;
  /// Deleted: ambiguous between reference and element. Write `x = y.load()`.
  reference& operator=(const reference&) = delete;
  const reference& operator=(const reference&) const = delete;  ///< Deleted likewise.
  ~reference() = default;

  rank_t target() const noexcept { return target_; }  ///< Rank whose memory contains the element.
  /// Displacement of the element.
  std::uint64_t displacement() const noexcept { return displacement_; }

  // --- Calls that return at once -----------------------------------------------------------------

  /// window::put.
  [[gnu::always_inline]] const reference& operator=(const given& g) const {
    of_->put(g.value, target_, displacement_, throws_t{}, g.where);
    return *this;
  }
  /// window::put that reports errors or is started, as `how` says.
  template <class How = throws_t>
  [[gnu::always_inline]] auto store(const value_type& value, How&& how = {},
                                    site where = site::current()) const {
    return of_->put(value, target_, displacement_, std::forward<How>(how), where);
  }
  /// window::get: `into` holds the value after a flush or the end of the epoch.
  template <class How = throws_t>
  [[gnu::always_inline]] auto get(value_type& into, How&& how = {},
                                  site where = site::current()) const {
    return of_->get(into, target_, displacement_, std::forward<How>(how), where);
  }
  /// window::accumulate of one element.
  template <class Op, class How = throws_t>
  requires Operation<Op, value_type>
  auto accumulate(const value_type& value, Op op, How&& how = {},
                  site where = site::current()) const {
    return of_->accumulate(value, target_, displacement_, op, std::forward<How>(how), where);
  }
  /// window::accumulate with the operation of the operator: atomic with regard to other
  /// accumulates.
  const reference& operator+=(const given& g) const
      requires Operation<decltype(mpx::sum), value_type>
  {
    return combine(g, mpx::sum);
  }
  const reference& operator-=(const given& g) const  ///< See operator+=.
      requires Arithmetic<value_type>
  {
    return combine({negative(g.value), g.where}, mpx::sum);
  }
  const reference& operator&=(const given& g) const  ///< See operator+=.
      requires Operation<decltype(mpx::bit_and), value_type>
  {
    return combine(g, mpx::bit_and);
  }
  const reference& operator|=(const given& g) const  ///< See operator+=.
      requires Operation<decltype(mpx::bit_or), value_type>
  {
    return combine(g, mpx::bit_or);
  }
  const reference& operator^=(const given& g) const  ///< See operator+=.
      requires Operation<decltype(mpx::bit_xor), value_type>
  {
    return combine(g, mpx::bit_xor);
  }

  // --- Calls that wait for the value: `how` is absent or an error_code ---------------------------

  /// Returns the element. Not atomic with regard to accumulates of other ranks: use `fetch` for
  /// that.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type load(How&& how = {}, site where = site::current()) const {
    value_type value{};
    of_->get(value, target_, displacement_, how, where);
    of_->template arrive<action::get>(target_, displacement_, sizeof value, how, where);
    return value;
  }
  /// Combines the element with `value`, and returns its previous value. accumulate does the same
  /// without waiting.
  template <class Op, class How = throws_t>
  requires Operation<Op, value_type> && mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch_and_op(const value_type& value, Op op, How&& how = {},
                                        site where = site::current()) const {
    value_type was{};
    of_->fetch_and_op(value, was, target_, displacement_, op, how, where);
    of_->template arrive<action::fetch>(target_, displacement_, sizeof was, how, where);
    return was;
  }
  /// Returns the element, atomically with regard to accumulates.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch(How&& how = {}, site where = site::current()) const {
    return fetch_and_op(value_type{}, mpx::no_op, how, where);
  }
  /// fetch_and_op with a sum.
  template <class How = throws_t>
  requires Operation<decltype(mpx::sum), value_type> && mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch_add(const value_type& value, How&& how = {},
                                     site where = site::current()) const {
    return fetch_and_op(value, mpx::sum, how, where);
  }
  /// fetch_and_op with replacement.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type exchange(const value_type& value, How&& how = {},
                                    site where = site::current()) const {
    return fetch_and_op(value, mpx::replace, how, where);
  }
  /// Replaces the element by `desired` if it is equal to `expected`, byte for byte. Stores the
  /// previous value to `expected`.
  /// Returns:    true if it was equal; false on errors, which leave `expected` unchanged.
  template <class How = throws_t>
  requires ComparedByBytes<value_type> && mpx::detail::BlockingForm<How>
  [[nodiscard]] bool compare_exchange(value_type& expected, const value_type& desired,
                                      How&& how = {}, site where = site::current()) const {
    value_type was = expected;
    of_->compare_and_swap(expected, desired, was, target_, displacement_, how, where);
    of_->template arrive<action::swap>(target_, displacement_, sizeof was, how, where);
    if constexpr (mpx::detail::is_code<How&>)
      if (how) return false;
    const bool equal = std::memcmp(&was, &expected, sizeof was) == 0;
    expected = was;
    return equal && target_ != proc_null;  // proc_null has no elements.
  }

 private:
  template <class Op>
  const reference& combine(const given& g, Op op) const {
    of_->accumulate(g.value, target_, displacement_, op, throws_t{}, g.where);
    return *this;
  }
  /// Returns the value to add in order to subtract `value`; wraps as unsigned numbers do.
  static value_type negative(const value_type& value) noexcept {
    if constexpr (std::is_integral_v<value_type>) {
      using bits = std::make_unsigned_t<value_type>;
      return static_cast<value_type>(static_cast<bits>(bits{0} - static_cast<bits>(value)));
    } else {
      return -value;
    }
  }

  Window* of_;
  std::uint64_t displacement_;
  rank_t target_;
};

/// Contiguous elements of a target's memory in a window. Trivially copyable. Has no iterators,
/// because a loop that loads element by element takes a round trip for each: `load` gets them all
/// at once.
/// Requires, Errors, Order: as of reference.
template <class Window>
class span {
  using site = std::source_location;
  using throws_t = mpx::detail::throws_t;

 public:
  using value_type = typename Window::value_type;  ///< Element type.

  /// Made by window::span.
  span(Window& of, rank_t target, std::uint64_t first, std::uint64_t n) noexcept
      : of_(&of), first_(first), size_(n), target_(target) {}

  rank_t target() const noexcept { return target_; }  ///< Rank whose memory contains the elements.
  /// Displacement of the first element.
  std::uint64_t displacement() const noexcept { return first_; }
  std::uint64_t size() const noexcept { return size_; }  ///< Number of elements.
  bool empty() const noexcept { return size_ == 0; }     ///< True if size() is 0.
  /// Returns a reference to element `i`.
  /// Requires:   i < size().
  reference<Window> operator[](std::uint64_t i) const noexcept {
    MPX_ASSERT(i < size_, "a span has elements 0 .. size() - 1");
    return {*of_, target_, place(i)};
  }
  /// Returns `n` elements from `i` on.
  /// Requires:   i + n <= size().
  span subspan(std::uint64_t i, std::uint64_t n,
               [[maybe_unused]] site where = site::current()) const noexcept {
    MPX_ASSERT_AT(i <= size_ && n <= size_ - i, "a part of a span lies within it", where);
    return {*of_, target_, place(i), n};
  }

  /// window::put of `data`, a contiguous range. Returns at once.
  /// Errors:     also errc::argument if `data` has not size() elements.
  template <class B, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> &&
           (!LayoutBuffer<std::remove_cvref_t<B>>)
  auto store(B&& data, How&& how = {}, site where = site::current()) const {
    const std::span<const std::byte> bytes = mpx::detail::bytes_of(data);
    if (bytes.size() != size_ * sizeof(value_type)) [[unlikely]]
      return of_->template refuse<action::put>(bytes.size(), target_, first_,
                                               std::forward<How>(how), where);
    return of_->put(elements<const value_type>(data), target_, first_, std::forward<How>(how),
                    where);
  }
  /// window::get into all of `into`, which holds the values after a flush or the end of the epoch.
  /// Returns at once.
  /// Errors:     as of store.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && (!LayoutBuffer<std::remove_cvref_t<B>>)
  auto get(B&& into, How&& how = {}, site where = site::current()) const {
    const std::span<std::byte> bytes = mpx::detail::writable_bytes_of(into);
    if (bytes.size() != size_ * sizeof(value_type)) [[unlikely]]
      return of_->template refuse<action::get>(bytes.size(), target_, first_,
                                               std::forward<How>(how), where);
    return of_->get(elements<value_type>(into), target_, first_, std::forward<How>(how), where);
  }
  /// window::get that waits for the values: one round trip, unless the memory is mapped.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> &&
           (!LayoutBuffer<std::remove_cvref_t<B>>) && mpx::detail::BlockingForm<How>
  void load(B&& into, How&& how = {}, site where = site::current()) const {
    get(into, how, where);
    of_->template arrive<action::get>(target_, first_, size_ * sizeof(value_type), how, where);
  }
  /// window::accumulate of `data`, element by element. Returns at once.
  /// Errors:     as of store.
  template <class B, class Op, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> &&
           (!LayoutBuffer<std::remove_cvref_t<B>>) && Operation<Op, value_type>
  auto accumulate(B&& data, Op op, How&& how = {}, site where = site::current()) const {
    const std::span<const std::byte> bytes = mpx::detail::bytes_of(data);
    if (bytes.size() != size_ * sizeof(value_type)) [[unlikely]]
      return of_->template refuse<action::accumulate>(bytes.size(), target_, first_,
                                                      std::forward<How>(how), where);
    return of_->accumulate(elements<const value_type>(data), target_, first_, op,
                           std::forward<How>(how), where);
  }

 private:
  /// Returns the displacement of element `i`. Counts bytes in a dynamic window.
  std::uint64_t place(std::uint64_t i) const noexcept {
    return first_ + (of_->unit() == 1 ? i * sizeof(value_type) : i);
  }
  template <class E, class B>
  static std::span<E> elements(B& buffer) noexcept {
    if constexpr (std::ranges::range<B>) {
      static_assert(std::is_same_v<std::remove_cv_t<std::ranges::range_value_t<B>>, value_type>,
                    "a window's accesses are of its elements' type");
      return {std::ranges::data(buffer), std::ranges::size(buffer)};
    } else {
      static_assert(std::is_same_v<std::remove_cv_t<B>, value_type>,
                    "a window's accesses are of its elements' type");
      return {&buffer, 1};
    }
  }

  Window* of_;
  std::uint64_t first_;
  std::uint64_t size_;
  rank_t target_;
};

}  // namespace mpx::inline v0::rma
