// SPDX-License-Identifier: BSL-1.0
#pragma once
// Translation between the binary interface of Open MPI 2 to 4 (libmpi.so.40) and the standard ABI.
// Handles that the program got from a call are the same in both; constants, statuses and the addresses
// of predefined objects differ. Used by the generated entries.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "mpi.h"

namespace mpx_mpi_openmpi {

/// MPI_Status of Open MPI.
struct old_status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int cancelled;
  std::size_t bytes;
};

/// A predefined object: its address, which is the old handle, and the standard ABI's value.
struct predefined {
  void* object;
  std::uint16_t value;
};
inline constexpr std::size_t values_max = 0x300;  ///< Above all predefined values.

/// Functions of libmpi_abi, by their numbers in the generated list.
extern void* our[];
template <class Function>
Function* at(int number) noexcept {
  return reinterpret_cast<Function*>(our[number]);
}

/// Returns the standard handle of an object's address; `h` itself if it is none.
void* find_object(void* h) noexcept;
void* find_value(std::uintptr_t value) noexcept;
/// Handles of libmpi_abi have a number in their lowest four bits; objects are aligned.
template <class Handle>
Handle to_new(void* h) noexcept {
  if ((reinterpret_cast<std::uintptr_t>(h) & 15) != 0) return reinterpret_cast<Handle>(h);
  return reinterpret_cast<Handle>(find_object(h));
}
template <class Handle>
void* to_old(Handle h) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(h);
  return value < values_max ? find_value(value) : reinterpret_cast<void*>(value);
}

/// A copy of an array. Empty for a null pointer.
template <class T>
class array_copy {
 public:
  explicit array_copy(std::size_t n) : data_(n <= few ? here_ : new T[n]) {}
  array_copy(const array_copy&) = delete;
  array_copy& operator=(const array_copy&) = delete;
  ~array_copy() {
    if (data_ != here_) delete[] data_;
  }
  T* data() noexcept { return data_; }

 private:
  static constexpr std::size_t few = 16;
  T here_[few];
  T* data_;
};
inline std::size_t length(int n) noexcept { return n > 0 ? static_cast<std::size_t>(n) : 0; }

/// A copy of an array of handles, translated.
template <class Handle>
class handles_copy : public array_copy<Handle> {
 public:
  handles_copy(void* const from[], std::size_t n)
      : array_copy<Handle>(from == nullptr ? 0 : n), there_(from != nullptr) {
    for (std::size_t i = 0; there_ && i < n; ++i) this->data()[i] = to_new<Handle>(from[i]);
  }
  Handle* get() noexcept { return there_ ? this->data() : nullptr; }

 private:
  bool there_;
};
/// Handles of an array translated in place, and back at the end: both have the same width.
template <class Handle>
class handles_inside {
 public:
  handles_inside(void* all[], int n) noexcept : all_(all), n_(all == nullptr ? 0 : length(n)) {
    for (std::size_t i = 0; i < n_; ++i) all_[i] = to_new<void*>(all_[i]);
  }
  handles_inside(const handles_inside&) = delete;
  handles_inside& operator=(const handles_inside&) = delete;
  ~handles_inside() {
    for (std::size_t i = 0; i < n_; ++i) all_[i] = to_old(all_[i]);
  }
  Handle* get() noexcept { return reinterpret_cast<Handle*>(all_); }

 private:
  void** all_;
  std::size_t n_;
};
/// A handle that a call reads or writes.
template <class Handle>
class handle_place {
 public:
  handle_place(void** old, bool reads) noexcept
      : old_(old), value_(old != nullptr && reads ? to_new<Handle>(*old) : Handle{}) {}
  handle_place(const handle_place&) = delete;
  handle_place& operator=(const handle_place&) = delete;
  ~handle_place() {
    if (old_ != nullptr && value_ != Handle{}) *old_ = to_old(value_);
  }
  Handle* get() noexcept { return old_ == nullptr ? nullptr : &value_; }

 private:
  void** old_;
  Handle value_;
};

MPI_Status new_status(const old_status& s) noexcept;
/// Stores a status. MPI_ERROR is stored if the call has set it.
void store_status(old_status& into, const MPI_Status& s) noexcept;
inline constexpr int error_unset = -1'000'000;
/// Statuses that a call writes.
class status_places {
 public:
  status_places(old_status* old, int n) : old_(old), n_(old == nullptr ? 0 : length(n)), all_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      all_.data()[i] = new_status(old_[i]);
      all_.data()[i].MPI_ERROR = error_unset;
    }
  }
  ~status_places() {
    for (std::size_t i = 0; i < n_; ++i) store_status(old_[i], all_.data()[i]);
  }
  status_places(const status_places&) = delete;
  status_places& operator=(const status_places&) = delete;
  MPI_Status* get() noexcept { return old_ == nullptr ? nullptr : all_.data(); }

 private:
  old_status* old_;
  std::size_t n_;
  array_copy<MPI_Status> all_;
};
/// Integers that a call writes, translated by `To`.
template <int (*To)(int) noexcept>
class int_places {
 public:
  int_places(int* p, int n = 1) noexcept : p_(p), n_(p == nullptr ? 0 : length(n)) {}
  int_places(const int_places&) = delete;
  int_places& operator=(const int_places&) = delete;
  void store(int code) noexcept {
    for (std::size_t i = 0; code == MPI_SUCCESS && i < n_; ++i) p_[i] = To(p_[i]);
  }

 private:
  int* p_;
  std::size_t n_;
};
/// Integers of an array, translated by `To`.
template <int (*To)(int) noexcept>
class ints_copy : public array_copy<int> {
 public:
  ints_copy(const int* from, int n)
      : array_copy<int>(from == nullptr ? 0 : length(n)), there_(from != nullptr) {
    for (std::size_t i = 0; there_ && i < length(n); ++i) data()[i] = To(from[i]);
  }
  int* get() noexcept { return there_ ? data() : nullptr; }

 private:
  bool there_;
};
/// A text that may be longer than the old limit of `Limit` bytes.
template <std::size_t Limit>
class text_place {
 public:
  explicit text_place(char* old) noexcept : old_(old) {}
  char* get() noexcept { return old_ == nullptr ? nullptr : text_; }
  void store(int code, int* length) noexcept {
    if (code != MPI_SUCCESS || old_ == nullptr) return;
    const std::size_t n = ::strnlen(text_, Limit - 1);
    std::memcpy(old_, text_, n);
    old_[n] = '\0';
    if (length != nullptr) *length = static_cast<int>(n);
  }

 private:
  char* old_;
  char text_[MPI_MAX_LIBRARY_VERSION_STRING] = {};
};
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY, or the array.
inline int* weights_to_new(const int* w) noexcept {
  if (reinterpret_cast<std::uintptr_t>(w) == 2) return MPI_UNWEIGHTED;
  if (reinterpret_cast<std::uintptr_t>(w) == 3) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(w);
}

/// Number of blocks of an alltoallw on `comm`; of a neighbourhood, of its destinations or sources.
std::size_t partners(MPI_Comm comm);
std::size_t neighbors(MPI_Comm comm, bool sources);

// Calls with functions of the program, which get old handles. Functions without an argument of their
// own are kept in a table of `functions_max` entries, by their addresses, and never leave it.
inline constexpr std::size_t functions_max = 256;
using any_function = void (*)();
int Op_create(any_function user_fn, int commute, void** op);
int Comm_create_errhandler(any_function function, void** errhandler);
int Win_create_errhandler(any_function function, void** errhandler);
int File_create_errhandler(any_function function, void** errhandler);
int Comm_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Type_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Win_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Keyval_create(any_function copy, any_function drop, int* keyval, void* extra);
int Win_get_attr(void* win, int win_keyval, void* attribute_val, int* flag);
int Grequest_start(any_function query, any_function drop, any_function cancel, void* extra,
                   void** request);

}  // namespace mpx_mpi_openmpi
