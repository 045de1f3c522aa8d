// SPDX-License-Identifier: BSL-1.0
#pragma once
// Arrays that grow, for elements that are mere bytes, and tables of objects owned one by one. They
// do what mpx needs of std::vector and std::unique_ptr at a small part of the time to compile.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "mpx/core/memory.hpp"

namespace mpx::inline v0 {

/// A contiguous array of trivially copyable elements. Move-only.
/// Errors: errc::no_resources where it grows, and false from what is named try_; nothing has
/// changed then. Within the capacity nothing fails.
template <class T>
class plain_array {
 public:
  plain_array() = default;
  /// `n` elements as T{} makes them. Cost: where T{} is zero bytes and they are many, no memory for
  /// pages that are never written.
  explicit plain_array(std::size_t n) {
    if (n <= most) data_ = static_cast<T*>(platform::allocate_zeroed(n * sizeof(T)));
    if (data_ == nullptr) detail::throw_out_of_memory();
    size_ = capacity_ = n;
    zeroed_ = true;
    if (!is_zero_bytes())
      for (T& element : *this) element = T{};
  }
  plain_array(plain_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        zeroed_(std::exchange(other.zeroed_, false)) {}
  plain_array& operator=(plain_array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(zeroed_, other.zeroed_);
    return *this;
  }
  ~plain_array() {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    give();
  }

  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }

  /// Makes room for `n` elements in all. Cost: as for growing one by one.
  bool try_reserve(std::size_t n) noexcept {
    return n <= capacity_ || grow(n > next_capacity() ? n : next_capacity());
  }
  void reserve(std::size_t n) {
    if (!try_reserve(n)) detail::throw_out_of_memory();
  }
  /// Makes a table of at least `n` elements, the new ones as T{} makes them.
  /// Cost: as for growing one by one; where T{} is zero bytes and they are many, no memory for
  /// pages that are never written.
  bool try_extend(std::size_t n) noexcept {
    if (n <= size_) return true;
    if (!zeroed_ || n > capacity_) {
      const std::size_t room = n > next_capacity() ? n : next_capacity();
      if (room > most) return false;
      void* const more = platform::allocate_zeroed(room * sizeof(T));
      if (more == nullptr) return false;
      each_page(0, size_, [&](const std::byte* at, std::size_t bytes) {
        std::memcpy(static_cast<std::byte*>(more) + (at - reinterpret_cast<std::byte*>(data_)), at,
                    bytes);
      });
      give();
      data_ = static_cast<T*>(more);
      capacity_ = room;
      zeroed_ = true;
    } else {  // What was there before and has been taken out.
      each_page(size_, n, [&](std::byte* at, std::size_t bytes) { std::memset(at, 0, bytes); });
    }
    const std::size_t first = std::exchange(size_, n);
    if (!is_zero_bytes())
      for (std::size_t i = first; i < n; ++i) data_[i] = T{};
    return true;
  }
  bool try_push_back(T value) noexcept {
    if (size_ == capacity_ && !grow(next_capacity())) return false;
    data_[size_++] = value;
    return true;
  }
  void push_back(T value) { insert(size_, value); }
  void pop_back() noexcept { --size_; }
  void clear() noexcept { size_ = 0; }

  /// Puts `value` before element `at`. Cost: moves what follows.
  void insert(std::size_t at, T value) {
    if (size_ == capacity_ && !grow(next_capacity())) detail::throw_out_of_memory();
    if (at != size_)
      std::memmove(static_cast<void*>(data_ + at + 1), static_cast<const void*>(data_ + at),
                   (size_ - at) * sizeof(T));
    data_[at] = value;
    ++size_;
  }
  void erase(std::size_t at) noexcept {
    --size_;
    if (at != size_) std::memmove(data_ + at, data_ + at + 1, (size_ - at) * sizeof(T));
  }
  /// Takes out every element for which `drop(element)` is true; the others keep their order.
  template <class Drop>
  void erase_if(Drop drop) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (!drop(data_[i])) data_[kept++] = data_[i];
    size_ = kept;
  }

 private:
  static constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof(T);

  std::size_t next_capacity() const noexcept { return capacity_ == 0 ? 8 : 2 * capacity_; }
  [[gnu::noinline]] bool grow(std::size_t n) noexcept {
    if (n > most) return false;
    void* const more =
        platform::reallocate(zeroed_ ? nullptr : static_cast<void*>(data_), n * sizeof(T));
    if (more == nullptr) return false;
    if (zeroed_) {
      if (size_ != 0) std::memcpy(more, static_cast<const void*>(data_), size_ * sizeof(T));
      give();
      zeroed_ = false;
    }
    data_ = static_cast<T*>(more);
    capacity_ = n;
    return true;
  }
  /// `f(at, bytes)` for each page's worth of elements `first` .. `last` - 1 that is not all zeroes:
  /// others are not to be written.
  template <class F>
  void each_page(std::size_t first, std::size_t last, F f) {
    constexpr std::size_t page = 4096;
    std::byte* at = reinterpret_cast<std::byte*>(data_ + first);
    for (std::size_t left = (last - first) * sizeof(T), n = 0; left != 0; left -= n, at += n) {
      n = left < page ? left : page;
      bool any = false;
      for (std::size_t i = 0; i < n && !any; ++i) any = at[i] != std::byte{};
      if (any) f(at, n);
    }
  }
  void give() noexcept {
    if (zeroed_) {
      platform::deallocate_zeroed(static_cast<void*>(data_), capacity_ * sizeof(T));
    } else {
      platform::deallocate(static_cast<void*>(data_));
    }
  }
  /// Whether T{} is zero bytes. (Padding may make this false for nothing: then T{} is written.)
  static bool is_zero_bytes() {
    alignas(T) std::byte bytes[sizeof(T)]{};
    ::new (static_cast<void*>(bytes)) T{};
    for (const std::byte b : bytes)
      if (b != std::byte{}) return false;
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool zeroed_ = false;  // From allocate_zeroed, not from reallocate.
};

/// Room for `n` objects of T with no particular value, for as long as this lives.
/// Errors: errc::no_resources.
template <class T>
class scratch {
 public:
  explicit scratch(std::size_t n) : scratch(n, std::nothrow) {
    if (data_ == nullptr) detail::throw_out_of_memory();
  }
  /// The same; `data()` is nullptr when memory is out.
  scratch(std::size_t n, std::nothrow_t) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if constexpr (alignof(T) <= alignof(std::max_align_t)) {
      if (n <= static_cast<std::size_t>(-1) / sizeof(T)) data_ = platform::allocate(n * sizeof(T));
    } else if (n < static_cast<std::size_t>(-1) / sizeof(T)) {
      data_ = platform::allocate_aligned((n + 1) * sizeof(T), alignof(T));
    }
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { platform::deallocate(data_); }
  T* data() const noexcept { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};
using scratch_bytes = scratch<std::byte>;

/// Objects that `new` made, by index; a place may be empty. Addresses are stable. Move-only.
template <class T>
class owning_table {
 public:
  owning_table() = default;
  /// `n` empty places. Errors: errc::no_resources.
  explicit owning_table(std::size_t n) : places_(n) {}
  owning_table(owning_table&&) noexcept = default;
  owning_table& operator=(owning_table&&) = delete;
  ~owning_table() {
    for (T* object : places_) delete object;
  }

  std::size_t size() const noexcept { return places_.size(); }
  /// The object at a place, or nullptr.
  T* operator[](std::size_t i) const noexcept { return places_[i]; }

  /// Fills an empty place. Requires: made is not nullptr.
  T& put(std::size_t i, T* made) noexcept { return *(places_[i] = made); }
  /// Destroys what is in a place.
  void erase(std::size_t i) noexcept {
    delete places_[i];
    places_[i] = nullptr;
  }
  /// Makes it a table of at least `n` places. False: memory is out, nothing has changed.
  bool try_extend(std::size_t n) noexcept { return places_.try_extend(n); }
  /// Empties a place whose object belongs to somebody else.
  void drop(std::size_t i) noexcept { places_[i] = nullptr; }
  /// Adds a place. Returns nullptr, and `made` is gone, when memory is out, be it for `made`.
  T* try_add(T* made) noexcept {
    if (made != nullptr && !places_.try_push_back(made)) {
      delete made;
      return nullptr;
    }
    return made;
  }
  /// Adds a place. Errors: errc::no_resources; `made` is gone then.
  T& add(T* made) {
    if (try_add(made) == nullptr) detail::throw_out_of_memory();
    return *made;
  }

 private:
  plain_array<T*> places_;
};

}  // namespace mpx::inline v0
