// SPDX-License-Identifier: BSL-1.0
#pragma once
// The objects behind MPI's handles, and the state of the library in this process.

#include <pthread.h>

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handle_table.hpp"
#include "port.hpp"
#include "request_table.hpp"
#include "window_port.hpp"

namespace mpx_mpi {

/// A list of integers in the program's memory, of 32 or 64 bits.
class numbers {
 public:
  explicit numbers(const int* p) noexcept : small_(p) {}
  explicit numbers(const std::int64_t* p) noexcept : large_(p) {}
  std::int64_t operator[](std::size_t i) const noexcept {
    return small_ != nullptr ? small_[i] : large_[i];
  }
  explicit operator bool() const noexcept { return small_ != nullptr || large_ != nullptr; }
  [[nodiscard]] std::vector<std::int64_t> copy(std::size_t n) const {
    std::vector<std::int64_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = (*this)[i];
    return all;
  }

 private:
  const int* small_ = nullptr;
  const std::int64_t* large_ = nullptr;
};

/// A place for an integer of 32 or 64 bits. Values that an int cannot hold become MPI_UNDEFINED.
class number_place {
 public:
  explicit number_place(int* p) noexcept : small_(p) {}
  explicit number_place(std::int64_t* p) noexcept : large_(p) {}
  void set(std::int64_t value) const noexcept {
    if (large_ != nullptr)
      *large_ = value;
    else
      *small_ = value == static_cast<int>(value) ? static_cast<int>(value) : MPI_UNDEFINED;
  }
  [[nodiscard]] std::int64_t get() const noexcept { return large_ != nullptr ? *large_ : *small_; }
  [[nodiscard]] bool is_int() const noexcept { return small_ != nullptr; }

 private:
  int* small_ = nullptr;
  std::int64_t* large_ = nullptr;
};

/// Function pointer of an error handler; `MPI_Comm_errhandler_function` and the like.
struct errhandler_t {
  enum class kind : std::uint8_t { fatal, abort, returns, comm, win, file, session };
  kind how = kind::fatal;
  void (*function)() = nullptr;
};
using errhandler_ref = std::shared_ptr<const errhandler_t>;

/// A key of attributes. Attributes keep it alive after its handle is freed.
struct keyval_t {
  enum class kind : std::uint8_t { comm, type, win };
  kind of = kind::comm;
  int number = 0;
  void (*copy)() = nullptr;
  void (*drop)() = nullptr;
  void* extra = nullptr;
};
struct attribute {
  std::shared_ptr<const keyval_t> key;
  void* value;
};
/// Attributes of an object, in the order in which they were set.
/// Threads: any, also at the same time. Functions of the program are called between these calls.
class attribute_list {
 public:
  [[nodiscard]] std::optional<attribute> find(int key) const {
    const std::lock_guard guard(lock_);
    for (const attribute& a : all_)
      if (a.key->number == key) return a;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<attribute> last() const {
    const std::lock_guard guard(lock_);
    return all_.empty() ? std::nullopt : std::optional(all_.back());
  }
  [[nodiscard]] std::vector<attribute> all() const {
    const std::lock_guard guard(lock_);
    return all_;
  }
  /// Adds an attribute, in place of that of its key.
  void set(attribute a) {
    const std::lock_guard guard(lock_);
    std::erase_if(all_, [&](const attribute& old) { return old.key->number == a.key->number; });
    all_.push_back(std::move(a));
  }
  void erase(int key) {
    const std::lock_guard guard(lock_);
    std::erase_if(all_, [key](const attribute& a) { return a.key->number == key; });
  }

 private:
  static inline std::mutex lock_;  // Of all lists: objects are moved.
  std::vector<attribute> all_;
};

/// A property of an object that threads read and set at the same time.
template <class T>
class shared_value {
 public:
  [[nodiscard]] T get() const {
    const std::lock_guard guard(lock_);
    return value_;
  }
  void set(T value) {
    const std::lock_guard guard(lock_);
    std::swap(value_, value);
  }

 private:
  static inline std::mutex lock_;  // Of all: objects are moved.
  T value_{};
};

struct info_t {
  std::vector<std::pair<std::string, std::string>> pairs;

  /// Returns the value of a key; nullptr if there is none.
  std::string* find(const std::string& key) noexcept {
    for (auto& [k, value] : pairs)
      if (k == key) return &value;
    return nullptr;
  }
  void set(const std::string& key, const std::string& value) {
    if (std::string* const known = find(key); known != nullptr)
      *known = value;
    else
      pairs.emplace_back(key, value);
  }
};

struct group_t {
  mpx::group members;
  MPI_Session session = MPI_SESSION_NULL;  ///< That it comes from; null: MPI_Init.
};

/// Constructor of a datatype and its arguments, as MPI_Type_get_contents reports them.
struct type_envelope {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<std::int64_t> integers;  ///< Passed as int.
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> counts;  ///< Large ones: all counts and addresses of a form NAME_c.
  std::vector<MPI_Datatype> types;   ///< Own references: see `type_part`.
};
struct type_part;
struct type_t {
  std::shared_ptr<const type_part> part;
  bool committed = false;
  bool predefined = false;
  bool unnamed = false;  ///< Made by MPI_Type_create_f90_*, and never freed.
  bool absent = false;   ///< An optional type that this machine does not have.
  /// Operations of the program that are under way and whose function gets the handle: with these, a
  /// datatype outlives MPI_Type_free. Guarded by library::lock, as is `freed`.
  int operations = 0;
  bool freed = false;
  shared_value<std::string> name;
  attribute_list attributes;
};
/// Pair of a value and an index, for MPI_MINLOC and MPI_MAXLOC; none: `value` is 0.
struct pair_kind {
  MPI_Datatype value = nullptr;
  MPI_Datatype index = nullptr;
};
/// The immutable part of a datatype, which duplicates share.
struct type_part {
  mpx::datatype type;
  std::int64_t bytes = 0;
  std::int64_t extent = 0;
  bool dense = false;              ///< Elements are contiguous, from address 0 on.
  MPI_Datatype element = nullptr;  ///< Predefined type of all its elements; nullptr: they differ.
  pair_kind pair;
  type_envelope envelope;
  std::vector<std::shared_ptr<const type_part>> parts;  ///< Of envelope.types; null: predefined.
};

/// Arguments of a user operation, and its kind.
struct op_body {
  MPI_User_function* function = nullptr;
  MPI_User_function_c* function_c = nullptr;
  bool commutes = false;
};
struct op_t {
  std::shared_ptr<const op_body> body;
  std::uint32_t predefined = 0;  ///< Value of a predefined handle, or 0.
};

class send_pool;
struct buffered_send;

struct comm_t {
  MPI_Comm self = MPI_COMM_NULL;
  std::unique_ptr<comm_port> port;
  int rank = 0;
  int size = 0;
  int remote_size = -1;  ///< -1: one group.
  int partners = 0;      ///< Number of ranks that messages may name.
  shared_value<errhandler_ref> errors;
  shared_value<bool> chose_handler;  ///< The program has set an error handler.
  bool under_way = false;            ///< The request that makes it is not complete.
  attribute_list attributes;
  shared_value<std::string> name;
  shared_value<info_t> hints;
  std::vector<int> failed_ranks;           ///< In the order in which this rank learned of them.
  int acknowledged = 0;                    ///< The first ones of them.
  bool weighted = false;                   ///< Of a distributed graph: weights were given.
  MPI_Session session = MPI_SESSION_NULL;  ///< That it comes from; null: MPI_Init.
  std::shared_ptr<send_pool> buffers;      ///< Of buffered sends.

  [[nodiscard]] bool inter() const noexcept { return remote_size >= 0; }
  /// Sets its place: its rank and the sizes of its groups.
  void set_place(int rank_here, int size_here, int size_there) noexcept {
    rank = rank_here;
    size = size_here;
    remote_size = size_there;
    partners = inter() ? remote_size : size;
  }
  void set_place(const comm_port& of) noexcept {
    set_place(of.rank(), of.size(), of.remote_size());
  }
  /// Gives it its port. Its own handle and its place have to be known.
  void take_port(std::unique_ptr<comm_port> of);
};

/// Values of the predefined attributes of a window, which the program gets addresses of.
struct win_values {
  void* base = nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  int flavor = MPI_WIN_FLAVOR_CREATE;
  int model = MPI_WIN_UNIFIED;
};
struct free_memory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using malloc_memory = std::unique_ptr<void, free_memory>;

struct win_t {
  MPI_Win self = MPI_WIN_NULL;
  malloc_memory own_memory;  ///< Of MPI_Win_allocate, that only this rank maps. Outlives the port.
  std::unique_ptr<window_port> port;
  int rank = 0;
  int size = 0;
  win_values values;
  shared_value<errhandler_ref> errors;
  attribute_list attributes;
  shared_value<std::string> name;
  shared_value<info_t> hints;
  std::vector<std::pair<void*, std::uint64_t>> attached;  ///< Memory of a dynamic window.
};

struct message_t {
  std::unique_ptr<message_port> port;
  MPI_Comm comm = MPI_COMM_NULL;
};

struct session_t {
  shared_value<errhandler_ref> errors;
  MPI_Session self = MPI_SESSION_NULL;
  std::shared_ptr<send_pool> buffers;
};

/// State of the library.
struct library {
  enum phase : std::uint8_t { before, running, after };
  mpx::platform::atomic<std::uint8_t> now{before};
  std::atomic<bool> started{false};  ///< By MPI_Init.
  std::atomic<bool> ended{false};    ///< By MPI_Finalize.
  std::atomic<int> provided{MPI_THREAD_SINGLE};
  /// Of the job's beginning and end, its users, and its numbers for tools. It may be held while ranks
  /// wait for each other, so nothing else takes it.
  std::mutex job_lock;
  int users = 0;  ///< MPI_Init and sessions; the last one leaves the job.
  std::unique_ptr<job_port> job;
  std::unique_ptr<comm_port> base;  ///< Of all ranks, for sessions.
  comm_t* world = nullptr;
  comm_t* self = nullptr;
  int universe_size = 0;  ///< Ranks of MPI_COMM_WORLD; the value of MPI_UNIVERSE_SIZE.
  std::uintptr_t world_handle = 0;
  std::uintptr_t self_handle = 0;
  pthread_t main_thread{};

  std::mutex
      lock;  ///< Keys, error classes, datatypes of Fortran's kinds. No user's function is called.
  std::map<int, std::shared_ptr<keyval_t>> keys;
  std::map<int, std::weak_ptr<keyval_t>> freed_keys;  ///< Attributes may still use them.
  int keys_made = 0;
  struct user_code {
    int of;  ///< Class of a code; itself for a class.
    std::string text;
  };
  std::map<int, user_code> codes;
  std::map<std::vector<std::int64_t>, MPI_Datatype> f90_types;
  int last_code = MPI_ERR_LASTCODE;  ///< The value of MPI_LASTUSEDCODE.
  std::shared_ptr<send_pool> buffers;

  static constexpr std::size_t first_type = 0x200;  ///< Value of the first predefined datatype.
  static constexpr std::size_t predefined_count = 0x100;
  type_t predefined[predefined_count];
  /// Bytes of each predefined datatype whose elements are contiguous; -1: the others, or none.
  std::int32_t dense_bytes[predefined_count] = {};

  handle_table<comm_t, 0x111> comms;
  handle_table<group_t, 0x222> groups;
  handle_table<type_t, 0x333> types;
  handle_table<op_t, 0x444> ops;
  request_table requests;
  handle_table<info_t, 0x666> infos;
  handle_table<errhandler_ref, 0x777> errhandlers;
  handle_table<message_t, 0x888> messages;
  handle_table<session_t, 0x999> sessions;
  handle_table<win_t, 0xaaa> wins;
  errhandler_ref file_errors;  ///< Of MPI_FILE_NULL.
};
/// Type of hardware by which MPI_Comm_split_type splits: memory that ranks share.
inline constexpr const char* shared_memory_resource = "mpx://shared_memory";

/// Never destroyed: a program may end without MPI_Finalize, and other objects may outlive it.
extern library* const library_here;
inline library& lib() noexcept { return *library_here; }

// Objects of handles; nullptr if there is none.
inline comm_t* find_comm(MPI_Comm c) noexcept {
  const std::uintptr_t v = value_of(c);
  if (v == value_of(MPI_COMM_WORLD)) return lib().world;
  if (v >= 4096) return lib().comms.find(v);
  return v == value_of(MPI_COMM_SELF) ? lib().self : nullptr;
}
group_t* find_group(MPI_Group g) noexcept;
inline type_t* find_type(MPI_Datatype t) noexcept {
  const std::uintptr_t v = value_of(t);
  if (v - library::first_type >= library::predefined_count) return lib().types.find(v);
  type_t& found = lib().predefined[v - library::first_type];
  return found.part == nullptr ? nullptr : &found;
}
op_t* find_op(MPI_Op o) noexcept;
info_t* find_info(MPI_Info i) noexcept;
win_t* find_win(MPI_Win w) noexcept;
errhandler_ref find_errhandler(MPI_Errhandler e);

/// Makes an object of a table. Throws MPI_ERR_NO_MEM if it is full.
[[noreturn]] void table_full(const char* what, std::size_t limit);
template <class Handle, class Table, class... Args>
Handle put_in(Table& table, const char* what, Args&&... args) {
  const std::uintptr_t made = table.put(std::forward<Args>(args)...);
  if (made == 0) table_full(what, Table::slots_max);
  return handle_of<Handle>(made);
}

/// Adds a communicator for `port`; MPI_COMM_NULL if it is empty. It inherits `from`'s error handler.
MPI_Comm add_comm(std::unique_ptr<comm_port> port, const comm_t* from);
/// Adds a communicator that is being made from `from`, and the request of that.
void add_comm_under_way(std::unique_ptr<comm_port> port, const comm_t& from,
                        const request_cell& cell, MPI_Comm* newcomm, MPI_Request* request);

}  // namespace mpx_mpi
