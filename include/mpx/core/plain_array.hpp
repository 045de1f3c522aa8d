// SPDX-License-Identifier: BSL-1.0
#pragma once
// Growing arrays of trivially copyable elements, and tables of owned objects. They provide the part
// of std::vector and std::unique_ptr that mpx needs, at a fraction of the compile time.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0 {

namespace detail {

/// State of an array of any element type.
struct array_words {
  std::byte* data = nullptr;
  std::size_t count = 0;  // Number of elements,
  std::size_t room = 0;   // and capacity. The functions below take the size of an element.
  std::size_t zeroed_bytes_ = 0;
  bool zeroed_ = false;  // Memory is from allocate_zeroed, not from reallocate.
};

/// Type-independent part of all arrays: memory in bytes.
class array_memory : public array_words {
 public:
  array_memory() = default;
  array_memory(array_memory&& other) noexcept { swap(other); }
  array_memory& operator=(array_memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~array_memory() { give(); }

  /// Allocates `n` zeroed elements.
  /// Requires:   it is empty.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] void zero(std::size_t n, std::size_t size) {
    if (n <= most / size) data = static_cast<std::byte*>(platform::allocate_zeroed(n * size));
    if (data == nullptr) throw_out_of_memory();
    count = room = n;
    zeroed_bytes_ = n * size;
    zeroed_ = true;
  }
  /// Ensures capacity for `n` elements; growth at least doubles the capacity.
  [[gnu::noinline]] bool try_reserve(std::size_t n, std::size_t size) noexcept {
    if (n <= room) return true;
    const std::size_t wanted = greater(n, next_room());
    if (wanted > most / size) return false;
    void* const more =
        platform::reallocate(zeroed_ ? nullptr : static_cast<void*>(data), wanted * size);
    if (more == nullptr) return false;
    if (zeroed_) {
      if (count != 0) std::memcpy(more, data, count * size);
      give();
      zeroed_ = false;
    }
    data = static_cast<std::byte*>(more);
    room = wanted;
    return true;
  }
  /// As plain_array::try_extend, with zeroed elements.
  /// Requires:   n > count.
  [[gnu::noinline, gnu::cold]] bool try_extend(std::size_t n, std::size_t size) noexcept {
    if (!zeroed_ || n > room) {
      const std::size_t wanted = greater(n, next_room());
      if (wanted > most / size) return false;
      auto* const more = static_cast<std::byte*>(platform::allocate_zeroed(wanted * size));
      if (more == nullptr) return false;
      each_page(0, count * size, more);
      give();
      data = more;
      room = wanted;
      zeroed_bytes_ = wanted * size;
      zeroed_ = true;
    } else {  // Clears elements that were removed before.
      each_page(count * size, n * size, nullptr);
    }
    count = n;
    return true;
  }
  /// Sets the zeroed elements from `first` on to copies of `made`.
  [[gnu::noinline, gnu::cold]] void fill(std::size_t first, const std::byte* made,
                                         std::size_t size) noexcept {
    // Nonzero padding makes this false; the elements are then written needlessly.
    bool zero = true;
    for (std::size_t i = 0; i < size; ++i) zero = zero && made[i] == std::byte{};
    for (std::size_t i = first; i < count && !zero; ++i) std::memcpy(data + i * size, made, size);
  }

 private:
  static constexpr std::size_t most = static_cast<std::size_t>(-1);

  std::size_t next_room() const noexcept { return room == 0 ? 8 : 2 * room; }
  void swap(array_memory& other) noexcept {
    const array_words mine = *this;
    static_cast<array_words&>(*this) = other;
    static_cast<array_words&>(other) = mine;
  }
  /// Visits the memory from `first` on in steps of a page, and copies pages that are not all zeroes
  /// to `to`, or clears them if `to` is nullptr. Does not write to other pages.
  void each_page(std::size_t first, std::size_t last, std::byte* to) noexcept {
    constexpr std::size_t page = 4096;
    for (std::size_t at = first, n = 0; at != last; at += n) {
      n = last - at < page ? last - at : page;
      bool any = false;
      for (std::size_t i = at; i < at + n && !any; ++i) any = data[i] != std::byte{};
      if (any && to != nullptr) std::memcpy(to + at, data + at, n);
      if (any && to == nullptr) std::memset(data + at, 0, n);
    }
  }
  [[gnu::noinline]] void give() noexcept {
    if (zeroed_) {
      platform::deallocate_zeroed(data, zeroed_bytes_);
    } else {
      platform::deallocate(data);
    }
  }
};

}  // namespace detail

/// Contiguous array of trivially copyable elements. Move-only.
/// Errors:     growing throws errc::no_resources; functions named try_ return false. The array is
///             unchanged then. Operations within the capacity cannot fail.
template <class T>
class plain_array {
 public:
  // NOLINTNEXTLINE(*-equals-default): a defaulted function takes no attribute.
  [[gnu::always_inline]] plain_array() noexcept {}
  /// Makes `n` elements, initialised as T{}.
  /// Cost:       for large arrays with T{} all zeroes, no memory for pages that are never written.
  explicit plain_array(std::size_t n) {
    memory_.zero(n, sizeof(T));
    fill(0);
  }
  [[gnu::always_inline]] ~plain_array() {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  }
  plain_array(plain_array&&) noexcept = default;
  plain_array& operator=(plain_array&&) noexcept = default;

  [[gnu::always_inline]] T* begin() noexcept { return data(); }
  [[gnu::always_inline]] T* end() noexcept { return data() + size(); }
  [[gnu::always_inline]] const T* begin() const noexcept { return data(); }
  [[gnu::always_inline]] const T* end() const noexcept { return data() + size(); }
  [[gnu::always_inline]] std::size_t size() const noexcept { return memory_.count; }
  [[gnu::always_inline]] bool empty() const noexcept { return memory_.count == 0; }
  [[gnu::always_inline]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[gnu::always_inline]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }

  /// Ensures capacity for `n` elements.
  /// Cost:       amortised as for push_back.
  [[gnu::always_inline]] bool try_reserve(std::size_t n) noexcept {
    return memory_.try_reserve(n, sizeof(T));
  }
  void reserve(std::size_t n) {
    if (!try_reserve(n)) detail::throw_out_of_memory();
  }
  /// Grows to at least `n` elements; new ones are initialised as T{}.
  /// Cost:       amortised as for push_back; for large arrays with T{} all zeroes, no memory for
  ///             pages that are never written.
  bool try_extend(std::size_t n) noexcept {
    const std::size_t first = size();
    if (n <= first) return true;
    if (!memory_.try_extend(n, sizeof(T))) return false;
    fill(first);
    return true;
  }
  bool try_push_back(T value) noexcept {
    if (!has_room() && !try_reserve(size() + 1)) return false;
    ++memory_.count;
    end()[-1] = value;
    return true;
  }
  void push_back(T value) {
    if (!try_push_back(value)) detail::throw_out_of_memory();
  }
  [[gnu::always_inline]] void pop_back() noexcept { --memory_.count; }
  [[gnu::always_inline]] void clear() noexcept { memory_.count = 0; }

  /// Inserts `value` before element `at`.
  /// Cost:       moves the following elements.
  void insert(std::size_t at, T value) {
    push_back(value);
    T* const here = data() + at;
    std::memmove(static_cast<void*>(here + 1), static_cast<const void*>(here),
                 (size() - 1 - at) * sizeof(T));
    *here = value;
  }
  void erase(std::size_t at) noexcept {
    T* const here = data() + at;
    pop_back();
    std::memmove(static_cast<void*>(here), static_cast<const void*>(here + 1),
                 (size() - at) * sizeof(T));
  }
  /// Removes all elements for which `drop(element)` is true. The others keep their order.
  template <class Drop>
  void erase_if(Drop drop) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (!drop(data()[i])) data()[kept++] = data()[i];
    memory_.count = kept;
  }

 private:
  [[gnu::always_inline]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.data); }
  [[gnu::always_inline]] bool has_room() const noexcept { return memory_.count != memory_.room; }
  /// Initialises the zeroed elements from `first` on as T{}.
  void fill([[maybe_unused]] std::size_t first) {
    if constexpr (!std::is_scalar_v<T>) {
      alignas(T) std::byte made[sizeof(T)]{};
      ::new (static_cast<void*>(made)) T{};
      memory_.fill(first, made, sizeof(T));
    }
  }

  detail::array_memory memory_;
};

/// Uninitialised memory for `n` objects of T, for the lifetime of this object.
/// Errors:     errc::no_resources.
template <class T>
class scratch {
 public:
  explicit scratch(std::size_t n) : scratch(n, std::nothrow) {
    if (data_ == nullptr) detail::throw_out_of_memory();
  }
  /// As above; `data()` is nullptr if memory is exhausted.
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

namespace detail {

/// Type-independent parts of owning_table.
[[gnu::noinline]] inline bool try_add_place(plain_array<void*>& places, void* object) noexcept {
  return places.try_push_back(object);
}
[[gnu::noinline]] inline void delete_each(plain_array<void*>& places, void (*drop)(void*)) {
  for (void* object : places)
    if (object != nullptr) drop(object);
}

}  // namespace detail

/// Table of objects made by `new`, by index; entries may be empty. Addresses are stable. Move-only.
template <class T>
class owning_table {
 public:
  // NOLINTNEXTLINE(*-equals-default): a defaulted function takes no attribute.
  [[gnu::always_inline]] owning_table() noexcept {}
  /// Makes `n` empty entries.
  /// Errors:     errc::no_resources.
  explicit owning_table(std::size_t n) : places_(n) {}
  owning_table(owning_table&&) noexcept = default;
  owning_table& operator=(owning_table&&) = delete;
  [[gnu::always_inline]] ~owning_table() { detail::delete_each(places_, destroy); }

  [[gnu::always_inline]] std::size_t size() const noexcept { return places_.size(); }
  /// Returns the object of an entry, or nullptr.
  [[gnu::always_inline]] T* operator[](std::size_t i) const noexcept {
    return static_cast<T*>(places_[i]);
  }

  /// Fills an empty entry.
  /// Requires:   made is not nullptr.
  [[gnu::always_inline]] T& put(std::size_t i, T* made) noexcept {
    places_[i] = made;
    return *made;
  }
  /// Destroys the object of an entry.
  void erase(std::size_t i) noexcept {
    delete (*this)[i];
    places_[i] = nullptr;
  }
  /// Grows to at least `n` entries.
  /// Returns:    false, with the table unchanged, if memory is exhausted.
  bool try_extend(std::size_t n) noexcept { return places_.try_extend(n); }
  /// Empties an entry whose object is owned elsewhere.
  void drop(std::size_t i) noexcept { places_[i] = nullptr; }
  /// Adds an entry.
  /// Returns:    nullptr if memory is exhausted, or `made` is nullptr; `made` is deleted then.
  T* try_add(T* made) noexcept {
    if (made != nullptr && !detail::try_add_place(places_, made)) {
      delete made;
      return nullptr;
    }
    return made;
  }
  /// Adds an entry.
  /// Errors:     errc::no_resources; `made` is deleted then.
  T& add(T* made) {
    if (try_add(made) == nullptr) detail::throw_out_of_memory();
    return *made;
  }

 private:
  static void destroy(void* object) { delete static_cast<T*>(object); }

  plain_array<void*> places_;  // One instance for all types.
};

}  // namespace mpx::inline v0
