// SPDX-License-Identifier: BSL-1.0
#pragma once
// Translation between the binary interface of another MPI and the standard ABI: arrays, statuses,
// texts, and functions of the program. abi.hpp of the folder openmpi/ or mpich/ has what differs; the
// generated entries use both.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "abi.hpp"

namespace mpx_mpi_old {

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
inline std::size_t length(MPI_Count n) noexcept { return n > 0 ? static_cast<std::size_t>(n) : 0; }

/// A copy of an array of handles, translated.
template <class Handle>
class handles_copy : public array_copy<Handle> {
 public:
  handles_copy(const old<Handle> from[], std::size_t n)
      : array_copy<Handle>(from == nullptr ? 0 : n), there_(from != nullptr) {
    for (std::size_t i = 0; there_ && i < n; ++i) this->data()[i] = to_new<Handle>(from[i]);
  }
  Handle* get() noexcept { return there_ ? this->data() : nullptr; }

 private:
  bool there_;
};
/// Handles that a call writes, and reads if `reads`. Not stored: those that it leaves null, and wrong
/// ones, which the program keeps as they are.
template <class Handle>
class handle_places : public array_copy<Handle> {
 public:
  handle_places(old<Handle> all[], MPI_Count n, bool reads)
      : array_copy<Handle>(all == nullptr ? 0 : length(n)),
        all_(all),
        n_(all == nullptr ? 0 : length(n)) {
    for (std::size_t i = 0; i < n_; ++i)
      this->data()[i] = reads ? to_new<Handle>(all[i]) : Handle{};
  }
  handle_places(const handle_places&) = delete;
  handle_places& operator=(const handle_places&) = delete;
  ~handle_places() {
    for (std::size_t i = 0; i < n_; ++i)
      if (this->data()[i] != Handle{} && this->data()[i] != reinterpret_cast<Handle>(wild))
        all_[i] = to_old(this->data()[i]);
  }
  Handle* get() noexcept { return all_ == nullptr ? nullptr : this->data(); }

 private:
  old<Handle>* all_;
  std::size_t n_;
};

MPI_Status new_status(const old_status& s) noexcept;
/// Stores a status. MPI_ERROR is stored if the call has set it.
void store_status(old_status& into, const MPI_Status& s) noexcept;
inline constexpr int unset = -1'000'000;
/// Statuses that a call writes, and reads if `reads`. Those that it leaves alone stay.
class status_places {
 public:
  status_places(old_status* all, int n, bool reads)
      : all_(is_status(all) ? all : nullptr), n_(all_ == nullptr ? 0 : length(n)), copies_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      MPI_Status& s = copies_.data()[i];
      if (reads)
        s = new_status(all_[i]);
      else
        s.MPI_SOURCE = unset;
      s.MPI_ERROR = unset;
    }
  }
  ~status_places() {
    for (std::size_t i = 0; i < n_; ++i)
      if (copies_.data()[i].MPI_SOURCE != unset) store_status(all_[i], copies_.data()[i]);
  }
  status_places(const status_places&) = delete;
  status_places& operator=(const status_places&) = delete;
  MPI_Status* get() noexcept { return all_ == nullptr ? nullptr : copies_.data(); }

 private:
  old_status* all_;
  std::size_t n_;
  array_copy<MPI_Status> copies_;
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
  explicit text_place(char* place) noexcept : place_(place) {}
  char* get() noexcept { return place_ == nullptr ? nullptr : text_; }
  void store(int code, int* length) noexcept {
    if (code != MPI_SUCCESS || place_ == nullptr) return;
    const std::size_t n = ::strnlen(text_, Limit - 1);
    std::memcpy(place_, text_, n);
    place_[n] = '\0';
    if (length != nullptr) *length = static_cast<int>(n);
  }

 private:
  char* place_;
  char text_[MPI_MAX_LIBRARY_VERSION_STRING] = {};
};

/// Number of blocks of an alltoallw on `comm`; of a neighbourhood, of its destinations or sources.
std::size_t partners(MPI_Comm comm);
std::size_t neighbors(MPI_Comm comm, bool sources);

// Functions that are not generated. Those of the program get old handles; the ones without an argument
// of their own are kept in a table of `functions_max` entries, by their addresses, and never leave it.
inline constexpr std::size_t functions_max = 256;
using any_function = void (*)();
int Op_create(any_function user_fn, int commute, old<MPI_Op>* op);
int Op_create_c(any_function user_fn, int commute, old<MPI_Op>* op);
int Comm_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler);
int Win_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler);
int File_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler);
int Session_create_errhandler(any_function function, old<MPI_Errhandler>* errhandler);
int Comm_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Type_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Win_create_keyval(any_function copy, any_function drop, int* keyval, void* extra);
int Keyval_create(any_function copy, any_function drop, int* keyval, void* extra);
int Comm_get_attr(old<MPI_Comm> comm, int comm_keyval, void* attribute_val, int* flag);
int Attr_get(old<MPI_Comm> comm, int keyval, void* attribute_val, int* flag);
int Win_get_attr(old<MPI_Win> win, int win_keyval, void* attribute_val, int* flag);
int Grequest_start(any_function query, any_function drop, any_function cancel, void* extra,
                   old<MPI_Request>* request);
/// MPI_LB and MPI_UB among the types set the bounds of the type.
int Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                       const old<MPI_Datatype> types[], old<MPI_Datatype>* newtype);
/// Constants among the integers are translated.
int Type_get_contents(old<MPI_Datatype> type, int max_integers, int max_addresses,
                      int max_datatypes, int integers[], MPI_Aint addresses[],
                      old<MPI_Datatype> datatypes[]);
int Type_get_contents_c(old<MPI_Datatype> type, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                        MPI_Aint addresses[], MPI_Count large_counts[],
                        old<MPI_Datatype> datatypes[]);
int Type_extent(old<MPI_Datatype> type, MPI_Aint* extent);
int Type_lb(old<MPI_Datatype> type, MPI_Aint* bound);
int Type_ub(old<MPI_Datatype> type, MPI_Aint* bound);
/// Raises MPI_ERR_UNSUPPORTED_OPERATION for function `name`.
int unsupported(const char* name);

}  // namespace mpx_mpi_old
