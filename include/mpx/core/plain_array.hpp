// SPDX-License-Identifier: BSL-1.0
#pragma once
// Arrays that grow, for elements that are mere bytes, and tables of objects owned one by one. They
// do what mpx needs of std::vector and std::unique_ptr at a small part of the time to compile.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "mpx/core/zeroed_memory.hpp"

namespace mpx::inline v0 {

namespace detail {

/// As std::realloc. Errors: std::bad_alloc.
inline void* reallocate(void* old, std::size_t bytes) {
  void* p = std::realloc(old, bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace detail

/// A contiguous array of trivially copyable elements. Move-only.
/// Errors: std::bad_alloc where it grows; nothing has changed then.
template <class T>
class plain_array {
 public:
  plain_array() = default;
  /// `n` elements as T{} makes them. Cost: where T{} is zero bytes and they are many, no memory for
  /// pages that are never written.
  explicit plain_array(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    data_ = static_cast<T*>(detail::take_zeroed(n * sizeof(T)));
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

  void push_back(T value) { insert(size_, value); }
  void pop_back() noexcept { --size_; }
  void clear() noexcept { size_ = 0; }

  /// Puts `value` before element `at`. Cost: moves what follows.
  void insert(std::size_t at, T value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 8 : 2 * capacity_);
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
  void reserve(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    if (!zeroed_) {
      data_ = static_cast<T*>(detail::reallocate(static_cast<void*>(data_), n * sizeof(T)));
    } else {
      auto* const more = static_cast<T*>(detail::reallocate(nullptr, n * sizeof(T)));
      if (size_ != 0)
        std::memcpy(static_cast<void*>(more), static_cast<const void*>(data_), size_ * sizeof(T));
      give();
      data_ = more;
      zeroed_ = false;
    }
    capacity_ = n;
  }
  void give() noexcept {
    if (zeroed_) {
      detail::give_zeroed(static_cast<void*>(data_), capacity_ * sizeof(T));
    } else {
      std::free(static_cast<void*>(data_));
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
  bool zeroed_ = false;  // From take_zeroed, not from realloc.
};

/// Bytes of no particular value, for as long as this lives. Errors: std::bad_alloc.
class scratch_bytes {
 public:
  explicit scratch_bytes(std::size_t n)
      : data_(static_cast<std::byte*>(detail::reallocate(nullptr, n == 0 ? 1 : n))) {}
  scratch_bytes(const scratch_bytes&) = delete;
  scratch_bytes& operator=(const scratch_bytes&) = delete;
  ~scratch_bytes() { std::free(data_); }
  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_;
};

/// Objects on the heap, by index; a place may be empty. Addresses are stable. Move-only.
template <class T>
class owning_table {
 public:
  owning_table() = default;
  /// `n` empty places.
  explicit owning_table(std::size_t n) : places_(n) {}
  owning_table(owning_table&&) noexcept = default;
  owning_table& operator=(owning_table&&) = delete;
  ~owning_table() {
    for (T* object : places_) delete object;
  }

  std::size_t size() const noexcept { return places_.size(); }
  /// The object at a place, or nullptr.
  T* operator[](std::size_t i) const noexcept { return places_[i]; }

  /// Fills an empty place with what `new` made.
  T& put(std::size_t i, T* made) noexcept { return *(places_[i] = made); }
  /// Empties a place whose object belongs to somebody else.
  void drop(std::size_t i) noexcept { places_[i] = nullptr; }
  /// Adds a place with what `new` made. Errors: std::bad_alloc; `made` is gone then.
  T& add(T* made) {
    try {
      places_.push_back(made);
    } catch (...) {
      delete made;
      throw;
    }
    return *made;
  }

 private:
  plain_array<T*> places_;
};

}  // namespace mpx::inline v0
