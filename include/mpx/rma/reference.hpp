// SPDX-License-Identifier: BSL-1.0
#pragma once
// Elements of a window at other ranks, and runs of them, as values that are assigned to, combined
// with and loaded from: window::at, window::span. Included by mpx/rma.hpp.

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

/// Values that are equal where their bytes are: what is compared at a target. Types with bytes that
/// belong to no member are none.
template <class T>
concept ComparedByBytes = std::has_unique_object_representations_v<T> ||
                          (std::is_floating_point_v<T> && sizeof(T) <= sizeof(double));

/// An element that arithmetic changes: what `-=` takes from.
template <class T>
concept Arithmetic = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// An element of a target's memory in a window. Trivially copyable: a copy is of the same element,
/// and what it refers to cannot be changed.
///
/// | cost                   | calls                                                              |
/// |------------------------|--------------------------------------------------------------------|
/// | returns at once        | `=`, store, `+=` `-=` `&=` `|=` `^=`, accumulate, get              |
/// | waits for the value    | load, fetch, fetch_and_op, fetch_add, exchange, compare_exchange   |
///
/// What returns at once is the window's put, accumulate or get: it flushes nothing, so that a loop
/// of them is as fast as one of the window's calls. What waits takes a round trip, unless memory is
/// reached directly, and is named: there is no conversion to T. It waits for the results of all
/// that this rank has started for the target, in an epoch of any kind; what it has put may still be
/// on its way.
/// Requires: the window stays where it is, and has an epoch for the target at each use.
/// Errors:   those of the window's call, which name the ranks, the displacement and the epoch.
/// Order:    as of the window's calls: puts and gets have none until a flush, accumulates and
///           fetches of one element keep theirs.
template <class Window>
class reference {
  using site = std::source_location;
  using throws_t = mpx::detail::throws_t;

 public:
  using value_type = typename Window::value_type;  ///< Of the element.
  /// What an operator is given, and where.
  struct given {
    value_type value;
    site where;
    /// Of what stands right of an operator.
    [[gnu::always_inline]] given(const value_type& v,
                                 site w = site::current()) noexcept  // NOLINT(*-explicit-*)
        : value(v), where(w) {}
    template <std::floating_point U>
    requires std::integral<value_type>
    given(U, site = site::current()) = delete;  ///< Its fraction would go: convert it.
  };

  /// Of window::at.
  reference(Window& of, rank_t target, std::uint64_t displacement) noexcept
      : of_(&of), displacement_(displacement), target_(target) {}
  reference(const reference&) = default;
  /// It could mean the reference or the element: `x = y.load()` says which.
  reference& operator=(const reference&) = delete;
  const reference& operator=(const reference&) const = delete;  ///< The same.
  ~reference() = default;

  rank_t target() const noexcept { return target_; }                     ///< Whose memory it is in,
  std::uint64_t displacement() const noexcept { return displacement_; }  ///< and where.

  // --- At once -----------------------------------------------------------------------------------

  /// window::put.
  [[gnu::always_inline]] const reference& operator=(const given& g) const {
    of_->put(g.value, target_, displacement_, throws_t{}, g.where);
    return *this;
  }
  /// The same, which tells errors, or is started, as `how` says.
  template <class How = throws_t>
  [[gnu::always_inline]] auto store(const value_type& value, How&& how = {},
                                    site where = site::current()) const {
    return of_->put(value, target_, displacement_, std::forward<How>(how), where);
  }
  /// window::get: `into` has the value after a flush, or the end of the epoch.
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
  /// The same with the operation that the operator names: atomic with regard to other accumulates.
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

  // --- These wait for the value: `how` is nothing or an error_code -------------------------------

  /// The element. What others combine with at the same time `fetch` reads.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type load(How&& how = {}, site where = site::current()) const {
    value_type value{};
    of_->get(value, target_, displacement_, how, where);
    of_->template arrive<action::get>(target_, displacement_, sizeof value, how, where);
    return value;
  }
  /// Combines the element with `value`. Returns what it was. Where that is of no use, accumulate
  /// does not wait.
  template <class Op, class How = throws_t>
  requires Operation<Op, value_type> && mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch_and_op(const value_type& value, Op op, How&& how = {},
                                        site where = site::current()) const {
    value_type was{};
    of_->fetch_and_op(value, was, target_, displacement_, op, how, where);
    of_->template arrive<action::fetch>(target_, displacement_, sizeof was, how, where);
    return was;
  }
  /// The element, as one with what others combine with it.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch(How&& how = {}, site where = site::current()) const {
    return fetch_and_op(value_type{}, mpx::no_op, how, where);
  }
  /// fetch_and_op of a sum.
  template <class How = throws_t>
  requires Operation<decltype(mpx::sum), value_type> && mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type fetch_add(const value_type& value, How&& how = {},
                                     site where = site::current()) const {
    return fetch_and_op(value, mpx::sum, how, where);
  }
  /// fetch_and_op that replaces.
  template <class How = throws_t>
  requires mpx::detail::BlockingForm<How>
  [[nodiscard]] value_type exchange(const value_type& value, How&& how = {},
                                    site where = site::current()) const {
    return fetch_and_op(value, mpx::replace, how, where);
  }
  /// If the element has the bytes of `expected`, it becomes `desired`. Returns whether it had;
  /// `expected` is what it was. Errors leave `expected` as it was, and return false.
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
    return equal && target_ != proc_null;  // Which has no elements.
  }

 private:
  template <class Op>
  const reference& combine(const given& g, Op op) const {
    of_->accumulate(g.value, target_, displacement_, op, throws_t{}, g.where);
    return *this;
  }
  /// What is added instead of taking `value` away; wraps as unsigned numbers do.
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

/// Elements of a target's memory in a window that follow each other. Trivially copyable. It has no
/// iterators, for a loop over elements that are loaded takes a round trip each: `load` brings them
/// all at once.
/// Requires, Errors, Order: as of reference.
template <class Window>
class span {
  using site = std::source_location;
  using throws_t = mpx::detail::throws_t;

 public:
  using value_type = typename Window::value_type;  ///< Of the elements.

  /// Of window::span.
  span(Window& of, rank_t target, std::uint64_t first, std::uint64_t n) noexcept
      : of_(&of), first_(first), size_(n), target_(target) {}

  rank_t target() const noexcept { return target_; }              ///< Whose memory it is in.
  std::uint64_t displacement() const noexcept { return first_; }  ///< Of the first element.
  std::uint64_t size() const noexcept { return size_; }           ///< How many there are.
  bool empty() const noexcept { return size_ == 0; }              ///< Whether there is none.
  /// One of them. Requires: i < size().
  reference<Window> operator[](std::uint64_t i) const noexcept {
    MPX_ASSERT(i < size_, "a span has elements 0 .. size() - 1");
    return {*of_, target_, place(i)};
  }
  /// `n` of them from `i` on. Requires: i + n <= size().
  span subspan(std::uint64_t i, std::uint64_t n,
               [[maybe_unused]] site where = site::current()) const noexcept {
    MPX_ASSERT_AT(i <= size_ && n <= size_ - i, "a part of a span lies within it", where);
    return {*of_, target_, place(i), n};
  }

  /// window::put of `data`, a contiguous range. Returns at once.
  /// Errors: errc::argument, too: it is not of size() elements.
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
  /// window::get into all of `into`, which has the values after a flush, or the end of the epoch.
  /// Returns at once. Errors: as of store.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && (!LayoutBuffer<std::remove_cvref_t<B>>)
  auto get(B&& into, How&& how = {}, site where = site::current()) const {
    const std::span<std::byte> bytes = mpx::detail::writable_bytes_of(into);
    if (bytes.size() != size_ * sizeof(value_type)) [[unlikely]]
      return of_->template refuse<action::get>(bytes.size(), target_, first_,
                                               std::forward<How>(how), where);
    return of_->get(elements<value_type>(into), target_, first_, std::forward<How>(how), where);
  }
  /// The same, and waits for the values: one round trip, unless memory is reached directly.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> &&
           (!LayoutBuffer<std::remove_cvref_t<B>>) && mpx::detail::BlockingForm<How>
  void load(B&& into, How&& how = {}, site where = site::current()) const {
    get(into, how, where);
    of_->template arrive<action::get>(target_, first_, size_ * sizeof(value_type), how, where);
  }
  /// window::accumulate of `data`, element by element. Returns at once. Errors: as of store.
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
  /// Of a dynamic window displacements are bytes.
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
