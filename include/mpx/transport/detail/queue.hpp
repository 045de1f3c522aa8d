// SPDX-License-Identifier: BSL-1.0
#pragma once
// A first-in first-out queue of trivially copyable elements in one piece of memory.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "mpx/core/platform.hpp"

namespace mpx::inline v0::transport::detail {

/// Grows on `reserve` only and never throws. Reserved room stays reserved when elements are popped.
template <class T>
class flat_queue {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kept_bytes_max = 1024 * 1024;

 public:
  flat_queue() = default;
  flat_queue(const flat_queue&) = delete;
  flat_queue& operator=(const flat_queue&) = delete;
  ~flat_queue() { platform::deallocate(data_); }

  bool empty() const noexcept { return head_ == tail_; }
  std::size_t size() const noexcept { return tail_ - head_; }
  T* data() noexcept { return data_ + head_; }
  T& operator[](std::size_t i) noexcept { return data_[head_ + i]; }
  T& front() noexcept { return data_[head_]; }

  /// Reserves room for `n` more elements. Returns false if memory is out.
  bool reserve(std::size_t n) noexcept {
    // `append` moves at most as many elements to the front as have been popped before.
    if (n <= room_ - size() && (n <= room_ - tail_ || head_ >= size())) return true;
    std::size_t room = room_ < 16 ? 16 : room_;
    while (room < 2 * size() + n) room *= 2;
    void* const more = platform::reallocate(nullptr, room * sizeof(T));
    if (more == nullptr) return false;
    if (!empty()) std::memcpy(more, data_ + head_, size() * sizeof(T));
    platform::deallocate(data_);
    data_ = static_cast<T*>(more);
    room_ = room;
    tail_ = size();
    head_ = 0;
    return true;
  }
  /// Requires:   there is room.
  void push(const T& t) noexcept { append(&t, 1); }
  void append(const T* from, std::size_t n) noexcept {
    if (n > room_ - tail_) {
      std::memmove(static_cast<void*>(data_), data_ + head_, size() * sizeof(T));
      tail_ = size();
      head_ = 0;
    }
    if (n != 0) std::memcpy(static_cast<void*>(data_ + tail_), from, n * sizeof(T));
    tail_ += n;
  }
  void pop(std::size_t n = 1) noexcept {
    head_ += n;
    if (head_ == tail_) head_ = tail_ = 0;
  }
  /// Frees the memory if the queue is empty and has become large.
  void trim() noexcept {
    if (empty() && room_ * sizeof(T) > kept_bytes_max) clear();
  }
  void clear() noexcept {
    platform::deallocate(data_);
    data_ = nullptr;
    head_ = tail_ = room_ = 0;
  }

 private:
  T* data_ = nullptr;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t room_ = 0;
};

}  // namespace mpx::inline v0::transport::detail
