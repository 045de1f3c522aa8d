// SPDX-License-Identifier: BSL-1.0
#pragma once
// Layouts of data that is not contiguous in a target's memory.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0::rma {

/// `count` blocks of `block` elements each, `stride` elements apart, the first at displacement
/// `at`.
struct strided {
  std::uint64_t at;      ///< Displacement in elements.
  std::uint64_t count;   ///< Number of blocks.
  std::uint64_t block;   ///< Elements per block.
  std::uint64_t stride;  ///< Elements from one block's start to the next.
};

/// `count` elements of a datatype (mpx/datatype.hpp), the first at displacement `at`: MPI's
/// displacement, count and datatype of a target.
/// Completion: `type` must stay valid for the duration of the call.
template <class Datatype>
struct typed {
  std::uint64_t at;      ///< Displacement in the window.
  std::int64_t count;    ///< Number of elements of `type`.
  const Datatype& type;  ///< Layout of each element.
};
template <class Datatype>
typed(std::uint64_t, std::int64_t, const Datatype&) -> typed<Datatype>;

/// A contiguous piece of a layout. `at` is relative to the access's displacement, in bytes.
struct run {
  std::int64_t at;
  std::uint64_t bytes;
};

/// The runs of one access, in the order in which data fills them. Reference-counted. Immutable once
/// built.
class run_list : public mpx::detail::allocated {
 public:
  /// Appends a run; merges it with the last one if they are adjacent.
  /// Returns:    false if memory is exhausted.
  bool add(std::int64_t at, std::uint64_t n) noexcept {
    if (n == 0) return true;
    low_ = bytes_ == 0 || at < low_ ? at : low_;
    const std::int64_t end = at + static_cast<std::int64_t>(n);
    high_ = bytes_ == 0 || end > high_ ? end : high_;
    bytes_ += n;
    if (!runs_.empty()) {
      run& last = runs_.end()[-1];
      if (last.at + static_cast<std::int64_t>(last.bytes) == at) {
        last.bytes += n;
        return true;
      }
    }
    return runs_.try_push_back({at, n});
  }
  /// Appends one element of `n` bytes with holes, which takes `reach` bytes of memory.
  /// Returns:    false if memory is exhausted.
  bool add_element(std::int64_t at, std::uint64_t n, std::uint64_t reach) noexcept {
    const std::int64_t end = at + static_cast<std::int64_t>(reach);
    low_ = bytes_ == 0 || at < low_ ? at : low_;
    high_ = bytes_ == 0 || end > high_ ? end : high_;
    bytes_ += n;
    return runs_.try_push_back({at, n});
  }
  const run& operator[](std::size_t i) const noexcept { return runs_[i]; }
  std::size_t size() const noexcept { return runs_.size(); }
  std::uint64_t bytes() const noexcept { return bytes_; }  // Total of all runs.
  std::int64_t low() const noexcept { return low_; }       // Lowest offset.
  std::int64_t high() const noexcept { return high_; }     // One past the highest offset.
  /// True if each run consists of whole elements and starts at a multiple of `step` bytes.
  bool holds_whole(std::size_t element, std::size_t step) const noexcept {
    for (const run& r : runs_)
      if (r.bytes % element != 0 || r.at % static_cast<std::int64_t>(step) != 0) return false;
    return true;
  }

  void keep() const noexcept { references_.fetch_add(1, platform::memory_order_relaxed); }
  void drop() const noexcept {
    if (references_.fetch_sub(1, platform::memory_order_acq_rel) == 1) delete this;
  }

 private:
  plain_array<run> runs_;
  std::uint64_t bytes_ = 0;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  mutable platform::atomic<std::uint32_t> references_{1};
};

/// Owning reference to a run_list; empty: the data is contiguous.
class runs_reference {
 public:
  runs_reference() = default;
  explicit runs_reference(const run_list* of) noexcept : of_(of) {}
  runs_reference(const runs_reference& other) noexcept : of_(other.of_) {
    if (of_ != nullptr) of_->keep();
  }
  runs_reference(runs_reference&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  runs_reference& operator=(runs_reference other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~runs_reference() {
    if (of_ != nullptr) of_->drop();
  }
  const run_list* get() const noexcept { return of_; }

 private:
  const run_list* of_ = nullptr;
};

/// Displacement of an access at its target, and the runs relative to it.
struct spread {
  std::uint64_t at = 0;  ///< Displacement.
  runs_reference runs;
  errc wrong{};
};

namespace detail {

/// Limits checked before the runs are listed: a wrong count may name more runs than memory can
/// hold.
struct spread_limits {
  std::uint64_t bytes = 0;                      ///< Length of the local data.
  std::uint64_t room = ~std::uint64_t{0} >> 1;  ///< Bytes at the target from the displacement on.
};

/// Lists the runs of a layout. `written`: no byte may occur twice.
/// Cost:       none for a layout that does not fit.
inline spread spread_of(const strided& s, std::size_t element, bool written,
                        const spread_limits& fits_in) noexcept {
  spread made{s.at, {}, {}};
  auto* const runs = new (std::nothrow) run_list;
  made.runs = runs_reference(runs);
  std::uint64_t stride = 0;
  std::uint64_t block = 0;
  std::uint64_t reach = 0;
  const auto fits = [](std::uint64_t n) { return n >> 62 == 0; };
  if (runs == nullptr) made.wrong = errc::no_resources;
  if (__builtin_mul_overflow(s.stride, std::uint64_t{element}, &stride) || !fits(stride) ||
      __builtin_mul_overflow(s.block, std::uint64_t{element}, &block) || !fits(block) ||
      __builtin_mul_overflow(s.count, stride > block ? stride : block, &reach) || !fits(reach))
    made.wrong = errc::rma_range;
  if (written && s.stride < s.block && s.count > 1) made.wrong = errc::datatype;
  if (made.wrong == errc{} && s.count * block != fits_in.bytes) made.wrong = errc::argument;
  if (made.wrong == errc{} && fits_in.bytes != 0 && (s.count - 1) * stride + block > fits_in.room)
    made.wrong = errc::rma_range;
  for (std::uint64_t i = 0; made.wrong == errc{} && block != 0 && i < s.count; ++i)
    if (!runs->add(static_cast<std::int64_t>(i * stride), block)) made.wrong = errc::no_resources;
  return made;
}
/// Lists the runs of a datatype.
template <class Datatype>
spread spread_of(const typed<Datatype>& t, std::size_t, bool written,
                 const spread_limits& fits_in) noexcept {
  spread made{t.at, {}, {}};
  if (!t.type || t.count < 0) {
    made.wrong = errc::datatype;
    return made;
  }
  const auto& d = *t.type.description();
  auto* const runs = new (std::nothrow) run_list;
  made.runs = runs_reference(runs);
  if (runs == nullptr) made.wrong = errc::no_resources;
  if (!d.is_addressable(nullptr, t.count) && !d.is_addressable(&made, t.count))
    made.wrong = errc::datatype;
  std::uint64_t all = 0;
  const bool overflows = __builtin_mul_overflow(static_cast<std::uint64_t>(t.count),
                                                static_cast<std::uint64_t>(d.bytes), &all);
  if (made.wrong == errc{} && (overflows || all != fits_in.bytes)) made.wrong = errc::argument;
  // Addressable layouts do not overflow 64 bits.
  if (made.wrong == errc{} && all != 0 &&
      d.bounds.true_high + (d.extent > 0 ? (t.count - 1) * d.extent : 0) >
          static_cast<std::int64_t>(fits_in.room))
    made.wrong = errc::rma_range;
  if (made.wrong == errc{} && written && !d.is_disjoint(t.count)) made.wrong = errc::datatype;
  std::int64_t from = d.body.at;
  for (std::int64_t i = 0; made.wrong == errc{} && all != 0 && i < t.count; ++i, from += d.extent)
    for_each_block(*d.body.what, from, [&](std::int64_t at, std::int64_t n) {
      if (!runs->add(at, static_cast<std::uint64_t>(n))) made.wrong = errc::no_resources;
    });
  return made;
}

}  // namespace detail

/// A layout at a target: rma::strided or rma::typed.
template <class P>
concept TargetLayout = requires(const P& p) { detail::spread_of(p, 1, true, {}); };

}  // namespace mpx::inline v0::rma
