// SPDX-License-Identifier: BSL-1.0
#pragma once
// Windows of bytes that accesses combine as elements of any type. Part of mpx/byte_window.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "mpx/rma/elements.hpp"
#include "mpx/rma/make.hpp"

namespace mpx::inline v0 {

namespace rma {
/// A place at a target of a byte_window: a displacement, or a layout from a displacement on.
template <class P>
concept Place = std::convertible_to<const P&, std::uint64_t> || TargetLayout<P>;
}  // namespace rma

/// Memory of each rank of a communicator as bytes. Each access names the type of its elements and
/// the operation at run time, as MPI's do. Made by allocate_byte_window, shared_byte_window,
/// byte_window_over and dynamic_byte_window; otherwise as window: epochs, errors, completion,
/// protocols. Elements need not be aligned. An element that several ranks combine at the same time
/// must be named by one type.
///
/// Displacements count units: each rank names the unit of its memory when the window is made. A
/// place at a target is a displacement, or rma::typed: the memory of a datatype. Data is given as
/// for messages, as a contiguous range or as a layout (mpx::buffer).
///
/// Errors:     as of window; also errc::operation if the operation does not apply to the element;
///             errc::datatype if data or a layout does not consist of whole elements.
/// Cost:       accesses of several elements cost what those of a window cost. Cards do not combine
///             (see window): the target's service does.
/// Source:     MPI 4.1, 12.
template <class Stack = stack<>>
class [[nodiscard]] byte_window : private window<std::byte, Stack> {
  using site = std::source_location;
  using throws_t = detail::throws_t;
  using base = window<std::byte, Stack>;
  using maker = detail::window_maker<Stack>;
  using typename base::taken;

 public:
  using stack_type = Stack;  ///< Policies of the environment.

  /// Constructs an empty window.
  byte_window() = default;
  /// For the library: makes the window.
  byte_window(const communicator<Stack>& comm, const typename maker::plan& p,
              typename maker::fault& f, site where)
      : base(comm, p, f, where) {}

  using base::operator bool;
  using base::attach;
  using base::attributes_holder;
  using base::complete;
  using base::detach;
  using base::fence;
  using base::flush;
  using base::flush_all;
  using base::flush_local;
  using base::flush_local_all;
  using base::free;
  using base::group;
  using base::in_epoch;
  using base::local;
  using base::lock;
  using base::lock_all;
  using base::lock_shared;
  using base::memory_model;
  using base::part;
  using base::post;
  using base::rank;
  using base::size;
  using base::start;
  using base::sync;
  using base::test;
  using base::unlock;
  using base::unlock_all;
  using base::wait;

  /// Returns the bytes of a unit of displacement at rank `of`.
  /// Requires:   the window is not empty; 0 <= of < size().
  [[nodiscard]] std::uint64_t unit(rank_t of, site where = site::current()) const noexcept {
    return base::target_at(of, where).unit;
  }
  /// Returns the bytes of memory of rank `of`.
  /// Requires:   the window is not empty; 0 <= of < size().
  [[nodiscard]] std::uint64_t bytes(rank_t of, site where = site::current()) const noexcept {
    return base::target_at(of, where).bytes;
  }

  /// Stores `data` at the place `at` of `target`.
  template <class B, rma::Place P, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B>
  auto put(B&& data, rank_t target, const P& at, How&& how = {}, site where = site::current()) {
    if constexpr (is_plain<B, P, How>) {
      const auto bytes = detail::bytes_of(data);
      if (std::byte* const there =
              mapped(target, static_cast<std::uint64_t>(at), bytes.size(), where);
          there != nullptr) {
        targets_[target].note_store();
        if (!bytes.empty()) std::memcpy(there, bytes.data(), bytes.size());
        return base::well(how);
      }
    }
    return go<rma::action::put>(base::bytes_of(data, false), {}, target, at, raw(), rma::combine{},
                                std::forward<How>(how), where);
  }
  /// Loads the bytes at the place `at` of `target` into `into`.
  template <class B, rma::Place P, class How = throws_t>
  requires ReceiveBuffer<B&&>
  auto get(B&& into, rank_t target, const P& at, How&& how = {}, site where = site::current()) {
    if constexpr (is_plain<B, P, How>) {
      const auto bytes = detail::writable_bytes_of(into);
      if (std::byte* const there =
              mapped(target, static_cast<std::uint64_t>(at), bytes.size(), where);
          there != nullptr) {
        targets_[target].note_load();
        if (!bytes.empty()) std::memcpy(bytes.data(), there, bytes.size());
        return base::well(how);
      }
    }
    return go<rma::action::get>(base::bytes_of(into, true), {}, target, at, raw(), rma::combine{},
                                std::forward<How>(how), where);
  }
  /// Combines elements of type `type` at the place `at` of `target` with those of `data`.
  template <class B, rma::Place P, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>>
  auto accumulate(const B& data, rank_t target, const P& at, rma::element type, rma::combine op,
                  How&& how = {}, site where = site::current()) {
    return go<rma::action::accumulate>(base::bytes_of(data, false), {}, target, at, type.type(), op,
                                       std::forward<How>(how), where);
  }
  /// As accumulate; also stores the previous values to `result`, which may be a layout. `data` is
  /// not looked at if `op` is no_op.
  template <class B, class R, rma::Place P, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && ReceiveBuffer<R&&>
  auto get_accumulate(const B& data, R&& result, rank_t target, const P& at, rma::element type,
                      rma::combine op, How&& how = {}, site where = site::current()) {
    taken into = base::bytes_of(result, true);
    taken given{{nullptr, into.what.bytes}, errc{}};
    if (op != rma::combine::no_op) given = base::bytes_of(data, false);
    if (given.wrong == errc{}) given.wrong = into.wrong;
    if (given.wrong == errc{} && given.what.bytes != into.what.bytes) given.wrong = errc::argument;
    return go<rma::action::fetch>(given, into.what, target, at, type.type(), op,
                                  std::forward<How>(how), where);
  }
  /// As get_accumulate, of one element: `value` and `result` are type.bytes() bytes each.
  template <class How = throws_t>
  auto fetch_and_op(const std::byte* value, std::byte* result, rank_t target, std::uint64_t at,
                    rma::element type, rma::combine op, How&& how = {},
                    site where = site::current()) {
    const std::size_t n = type.bytes();
    auto* const given = op == rma::combine::no_op ? nullptr : const_cast<std::byte*>(value);
    if constexpr (base::loads && detail::BlockingForm<How>) {
      std::byte* const there =
          type.has(op) ? mapped(target, at, type.type().reach, where) : nullptr;
      if (there != nullptr) {
        detail::rma_target& t = targets_[target];
        t.note_store();
        type.type().apply(op, there, given, result, 1, t.locks,
                          static_cast<std::uint32_t>(state_->rank));
        return base::well(how);
      }
    }
    return go<rma::action::fetch, true>({{given, n}, errc{}}, {result, n}, target, at, type.type(),
                                        op, std::forward<How>(how), where);
  }
  /// Replaces the element at the displacement `at` by `value` if it is equal to `compare`, byte for
  /// byte. Stores its previous value to `result`. Each is type.bytes() bytes.
  template <class How = throws_t>
  auto compare_and_swap(const std::byte* compare, const std::byte* value, std::byte* result,
                        rank_t target, std::uint64_t at, rma::element type, How&& how = {},
                        site where = site::current()) {
    std::byte both[2 * sizeof(std::uint64_t)];
    const std::size_t n = type.bytes();
    taken given{{both, 2 * n}, type.swaps() ? errc{} : errc::operation};
    if (given.wrong == errc{}) {
      std::memcpy(both, compare, n);
      std::memcpy(both + n, value, n);
    }
    return go<rma::action::swap>(given, {result, n}, target, at, type.type(), rma::combine{},
                                 std::forward<How>(how), where);
  }

 private:
  using base::size_;
  using base::state_;
  using base::targets_;

  template <class B, class P, class How>
  static constexpr bool is_plain = base::loads && detail::BlockingForm<How> && !LayoutBuffer<B> &&
                                   std::convertible_to<const P&, std::uint64_t>;
  /// Returns the mapped address of `n` bytes if they may be accessed by loads and stores now; else
  /// nullptr.
  [[gnu::always_inline]] std::byte* mapped(rank_t target, std::uint64_t at, std::uint64_t n,
                                           site where) const noexcept {
    this->seen(where);
    if (static_cast<std::uint32_t>(target) >= static_cast<std::uint32_t>(size_)) return nullptr;
    std::uint64_t offset = 0;
    if (__builtin_mul_overflow(at, targets_[target].unit, &offset)) return nullptr;
    return base::fast(target, offset, n, where);
  }
  static const rma::element_type& raw() noexcept { return rma::detail::type_of<std::byte>; }

  /// Returns the displacement in bytes of a place; sets `wrong` if it exceeds 64 bits.
  std::uint64_t offset_of(std::uint64_t at, rank_t target, errc& wrong) const noexcept {
    std::uint64_t offset = 0;
    const bool known = target >= 0 && target < size_ && !state_->dynamic;
    if (__builtin_mul_overflow(at, known ? targets_[target].unit : 1, &offset))
      wrong = errc::rma_range;
    return offset;
  }
  /// Returns the place of an access, and its runs if its elements do not lie together.
  template <class P>
  rma::spread place_of(const P& at, rank_t target, std::size_t bytes, bool combines,
                       const rma::element_type& type, bool written) const noexcept {
    rma::spread made;
    if constexpr (std::convertible_to<const P&, std::uint64_t>) {
      made.at = offset_of(static_cast<std::uint64_t>(at), target, made.wrong);
      if (combines && made.wrong == errc{})
        made.wrong = rma::detail::list_elements(type, bytes, made);
    } else {
      errc wrong{};
      auto place = at;
      place.at = offset_of(at.at, target, wrong);
      rma::detail::spread_limits fits_in{.bytes = bytes};
      if (target >= 0 && target < size_ && !state_->dynamic) {
        const std::uint64_t all = targets_[target].bytes;
        fits_in.room = place.at < all ? all - place.at : 0;
      }
      made = rma::detail::spread_of(place, 1, written, fits_in);
      if (wrong != errc{}) made.wrong = wrong;
      if (combines && made.wrong == errc{}) made.wrong = rma::detail::gather_elements(type, made);
    }
    return made;
  }
  template <rma::action What, bool Single = false, class P, class How>
  auto go(taken given, memory result, rank_t target, const P& at, const rma::element_type& type,
          rma::combine op, How&& how, site where) {
    constexpr bool combines = What == rma::action::accumulate || What == rma::action::fetch;
    constexpr bool swaps = What == rma::action::swap;
    const std::size_t bytes = swaps ? type.bytes : given.what.bytes;
    rma::spread there;
    errc wrong = this->unusable(where);
    if (wrong == errc{} && given.wrong == errc{})
      there = place_of(at, target, bytes, combines, type,
                       What != rma::action::get && (!combines || op != rma::combine::no_op));
    if (wrong == errc{}) wrong = given.wrong;
    if (wrong == errc{} && combines && !(op < rma::combine::count_ && type.has(op)))
      wrong = errc::operation;
    if (wrong == errc{} && combines && bytes % type.bytes != 0) wrong = errc::datatype;
    if (wrong == errc{}) wrong = there.wrong;
    const rma::run_list* const pieces = there.runs.get();
    const std::size_t piece =
        pieces == nullptr || pieces->size() == 0 ? bytes : bytes / pieces->size();
    rma::transfer what{.what = What,
                       .op = static_cast<std::uint8_t>(op),
                       .at = there.at,
                       .bytes = bytes,
                       .data = given.what,
                       .result = result,
                       .type = &type,
                       .runs = pieces};
    if (wrong != errc{}) what.drop();
    const detail::rma_call<Stack, What, Single> call{
        state_,  what, target, this->policy(target, What, piece), wrong, std::move(there.runs),
        there.at};
    return detail::finish_as(std::forward<How>(how), call, where);
  }
};

namespace detail {

template <class Stack, class How>
byte_window<Stack> make_byte_window(const communicator<Stack>& comm, rma_memory kind, void* memory,
                                    std::uint64_t bytes, std::uint64_t unit, rma::protocol chosen,
                                    const char* name, How& how, std::source_location where) {
  typename window_maker<Stack>::fault f;
  byte_window<Stack> made(comm,
                          {.how = kind,
                           .base = memory,
                           .bytes = bytes,
                           .type = &rma::detail::type_of<std::byte>,
                           .chosen = chosen,
                           .count = bytes,
                           .call = name,
                           .elements = code_of<std::byte>(),
                           .throws = !is_code<How&>,
                           .unit = unit,
                           .numbered = &rma::detail::numbered_element,
                           .zeroes = false},
                          f, where);
  if constexpr (is_code<How&>) {
    store(how, f.why);
  } else if (f.why != errc{}) {
    throw error(f.why, why_not_made(name, comm.rank(), kind, f, bytes, 1), where);
  }
  return made;
}

}  // namespace detail

/// Arrangement of a shared_byte_window.
enum class parts : std::uint8_t {
  together,  ///< The part of each rank begins where that of the rank before it ends.
  apart,     ///< Each part has memory of its own, aligned to a cache line.
};

/// Makes a window of `bytes` bytes at this rank, as allocate_window does, but its memory is not
/// initialised: no page is touched. Collective.
/// `unit`: bytes of a unit of displacement in this rank's memory. `by`: protocol of all accesses.
/// Errors:     of this and the following functions: as of allocate_window.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
byte_window<Stack> allocate_byte_window(
    const communicator<Stack>& comm, std::uint64_t bytes, std::uint64_t unit = 1,
    rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  return detail::make_byte_window(comm, detail::rma_memory::allocated, nullptr, bytes, unit, by,
                                  "allocate_byte_window", how, where);
}
/// As allocate_byte_window, in memory that every rank maps.
/// Errors:     also errc::argument if the ranks do not share memory, or no room is left in it.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
byte_window<Stack> shared_byte_window(
    const communicator<Stack>& comm, std::uint64_t bytes, std::uint64_t unit = 1,
    parts lie = parts::together, rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  const auto kind =
      lie == parts::together ? detail::rma_memory::joined : detail::rma_memory::shared;
  return detail::make_byte_window(comm, kind, nullptr, bytes, unit, by, "shared_byte_window", how,
                                  where);
}
/// Makes a window over the program's own memory. Collective.
/// Completion: `memory` must stay valid until the window is freed.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
byte_window<Stack> byte_window_over(const communicator<Stack>& comm, std::span<std::byte> memory,
                                    std::uint64_t unit = 1,
                                    rma::protocol by = rma::protocol::automatic, How&& how = {},
                                    std::source_location where = std::source_location::current()) {
  return detail::make_byte_window(comm, detail::rma_memory::given, memory.data(), memory.size(),
                                  unit, by, "byte_window_over", how, where);
}
/// Makes a window without memory: byte_window::attach adds it later. Displacements are addresses in
/// bytes. Collective.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
byte_window<Stack> dynamic_byte_window(
    const communicator<Stack>& comm, rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  return detail::make_byte_window(comm, detail::rma_memory::dynamic, nullptr, 0, 1, by,
                                  "dynamic_byte_window", how, where);
}

}  // namespace mpx::inline v0
