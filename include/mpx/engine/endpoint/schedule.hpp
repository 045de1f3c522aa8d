// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective's part at one rank, recorded as rounds of sends, receives and local work. The
// endpoint runs it round by round whenever any call makes progress.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/data/memory.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/extension.hpp"

namespace mpx::inline v0::detail {

/// An operation that combines elements, with run-time values only.
struct reduction {
  /// For each element of `bytes`: out[i] = left[i] op right[i]. May throw. `out` may equal `left`
  /// or `right`; otherwise none of them overlap.
  using function = void (*)(void* context, std::byte* out, const std::byte* left,
                            const std::byte* right, std::size_t bytes);

  function apply = nullptr;
  void* context = nullptr;  // Argument of `apply`: the user's operation.
  std::size_t element_bytes = 1;
  bool commutative = false;  // If false, the order of ranks is kept.
  bool never_throws = false;
};

/// Alignment of scratch memory, in bytes.
inline constexpr std::size_t scratch_alignment = cache_line_bytes;
/// Allocates at least `bytes` + `more` bytes of scratch memory, aligned. Returns nullptr if memory
/// is exhausted.
inline void* allocate_scratch(std::size_t bytes, std::size_t more) noexcept {
  std::size_t room = 0;
  if (__builtin_add_overflow(bytes, more + scratch_alignment, &room)) return nullptr;
  return platform::allocate_aligned(room / scratch_alignment * scratch_alignment,
                                    scratch_alignment);
}

/// Copies a message; source and target may have layouts.
/// Requires: equal lengths; they do not overlap, or are the same.
inline void copy_message(const memory& to, const memory& from) noexcept {
  if (to.bytes == 0 || (to.base == from.base && to.how == from.how)) return;
  if (from.contiguous()) return to.write(0, from.piece(0, from.bytes));
  if (to.contiguous()) return from.read(0, to.piece(0, to.bytes));
  std::byte piece[1024];
  for (std::size_t at = 0; at < to.bytes; at += sizeof(piece)) {
    const std::size_t n = lesser(sizeof(piece), to.bytes - at);
    from.read(at, {piece, n});
    to.write(at, {piece, n});
  }
}

/// Takes a reference to the layout of `m` for one operation, which drops it. Returns false if
/// memory is exhausted.
inline bool lend(memory& m) noexcept {
  if (m.how == nullptr) return true;
  m.how = m.how->keep();
  return m.how != nullptr;
}
/// Drops the reference taken by `lend` if no operation has taken it over.
inline void take_back(const memory& m, const started& s) noexcept {
  if (s.op == nullptr && m.how != nullptr) m.how->drop();
}

/// Cause of the failure of a collective call, for the text of its error.
struct collective_failure {
  enum class cause : std::uint8_t {
    lost,       ///< `other` is lost; no rank if it is not known which.
    left,       ///< `other` left the call with the error code `got`; 0: it dropped its request.
    message,    ///< A message to or from `other` failed.
    length,     ///< A message has another length than its buffer.
    out,        ///< Number of elements given, and room for the result.
    uneven,     ///< Elements given do not divide evenly among `got` of `what`.
    root,       ///< `other` is not a rank.
    context,    ///< No context is left: this rank leads `bytes`, and has freed `got` of them.
    memory,     ///< Memory is exhausted.
    operation,  ///< The user's operation threw.
    argument,   ///< Described by `what`.
    mismatch,   ///< Described by `what`; all ranks find it, so none has to be told.
  };
  /// Text: some ranks send messages for a call, while others communicate through shared memory.
  static constexpr const char* other_ways =
      "another rank has given another size, or has started the call: all of them have to agree on "
      "both";
  errc why{};
  cause of{};
  bool sends = false;
  rank_t other = proc_null;
  std::size_t bytes = 0;
  std::size_t got = 0;
  const char* what = nullptr;

  /// True if the error text has to describe the loss of `other`.
  bool names_lost() const noexcept {
    return (of == cause::message || of == cause::lost) && other >= 0;
  }
};

/// Returns " (world rank 5)" if ranks are not those of the world, else "".
[[gnu::noinline, gnu::cold]] inline std::string world_rank_text(const group* ranks, rank_t rank) {
  if (ranks == nullptr || rank < 0 || rank >= ranks->size()) return {};
  return formatted(" (world rank %u)", ranks->peer_of(rank));
}

/// Adds ": ranks here are 0 .. 3", for a rank out of range.
[[gnu::noinline, gnu::cold]] inline void add_ranks(std::string& s, rank_t size,
                                                   const char* before = "") {
  append(s, ": %sranks here are 0 .. %d%s", before, size - 1,
         size == 1 ? " (alone: `mpxrun -n 4 PROGRAM` starts four)" : "");
}

/// Adds ", communicator 3", or ", communicator 3 (halo)" if it has that name.
[[gnu::noinline, gnu::cold]] inline void add_communicator(std::string& s, context_id context,
                                                          const char* name) {
  append(s, name == nullptr ? ", communicator %u" : ", communicator %u (%s)", number_of(context),
         name);
}

/// Describes a failure: "allreduce on rank 1, communicator 0: ...", without the details of a peer's
/// loss.
[[gnu::noinline, gnu::cold]] inline std::string describe(const collective_failure& f,
                                                         const char* name, rank_t rank, rank_t size,
                                                         collective_call call, const group* ranks,
                                                         const char* communicator_name) {
  using cause = collective_failure::cause;
  std::string s = formatted("%s on rank %d", name, rank);
  if (f.of == cause::root) append(s, " with root %d", f.other);
  add_communicator(s, call.context, communicator_name);
  switch (f.of) {
    case cause::root: add_ranks(s, size); break;
    case cause::lost:
      if (f.why != errc::peer_lost) break;
      if (f.other >= 0) {
        append(s, ", in which rank %d%s takes part", f.other,
               world_rank_text(ranks, f.other).c_str());
      } else {
        append(s, ": a rank of it is lost, or has left this call with an error");
      }
      break;
    case cause::left:
      append(s, ": rank %d%s has ", f.other, world_rank_text(ranks, f.other).c_str());
      if (f.got == 0)
        s += "dropped its request of this call, which was under way: wait for it";
      else
        append(s, "left this call with an error (%s)", errc_text(static_cast<int>(f.got)));
      break;
    case cause::out:
      append(s, ": %zu elements do not fit the %zu of the result: give as many", f.bytes, f.got);
      break;
    case cause::uneven:
      append(s, ": a buffer of %zu element%s has not the same number for each of %zu %s", f.bytes,
             f.bytes == 1 ? "" : "s", f.got, f.what);
      break;
    case cause::context:
      append(s, ": the limit of communicators is reached, of which ");
      if (f.bytes == 0) {
        append(s, "rank 0 of the new one leads as many as it may: free some");
      } else {
        append(s, "this rank leads %zu: ", f.bytes);
        if (f.got == 0)
          append(s, "free some");
        else
          append(s, "it has freed %zu, which other members have not freed yet", f.got);
      }
      break;
    case cause::length:
      append(s,
             ", expected %zu bytes from rank %d, which sent %zu: sizes must agree on all ranks, "
             "and calls (mpx::checks::all compares them)",
             f.bytes, f.other, f.got);
      break;
    case cause::message:
      append(s, ": %s on rank %d %s rank %d%s", f.sends ? "send" : "receive", rank,
             f.sends ? "to" : "from", f.other, world_rank_text(ranks, f.other).c_str());
      append(s, ", %zu bytes", f.bytes);
      if (f.why == errc::truncate) append(s, " of room for a message of %zu", f.got);
      break;
    case cause::operation: append(s, ": the operation has thrown"); break;
    case cause::argument:
    case cause::mismatch: append(s, ": %s", f.what); break;
    case cause::memory: break;
  }
  return s;
}

struct active_tag;
struct due_tag;

/// A recorded collective call at this rank, with run-time values only (algorithms/steps.hpp records
/// it). It is recorded once and run by `compounds` as often as it is started.
///
/// | state     | set by                                  | left when                             |
/// |-----------|-----------------------------------------|---------------------------------------|
/// | idle      | it is recorded, or has ended            | it is started                         |
/// | running   | compounds: its rounds are under way     | the last round ends, or one fails     |
/// | dissolving| compounds: it has failed                | none of its operations is left        |
///
/// It is in the list of active schedules unless idle. It is in the list of due ones when the
/// operation that it waits for is complete, or when it has failed.
class schedule : public allocated, public list_node<active_tag>, public list_node<due_tag> {
 public:
  schedule(const char* call_name, communicator_state& of, context_id context_, rank_t rank,
           rank_t size) noexcept
      : name(call_name), state(&of), context(context_ | 1), rank_(rank), size_(size) {}
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;
  ~schedule() {
    for (void* piece : pieces_) platform::deallocate(piece);
    if (drop_kept_ != nullptr) drop_kept_(kept_);
  }

  // --- Recording: the steps ----------------------------------------------------------------------

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return size_; }
  bool failed() const noexcept { return !recorded_; }

  void start_send(const memory& data, rank_t to) noexcept { add({kind::send, to, data}); }
  void start_receive(const memory& into, rank_t from) noexcept { add({kind::receive, from, into}); }
  void start_receive_ahead(const memory& into, rank_t from) noexcept {
    add({kind::receive_ahead, from, into});
  }
  void finish() noexcept { add({kind::finish}); }
  void send(const memory& data, rank_t to) noexcept {
    start_send(data, to);
    finish();
  }
  void receive(const memory& into, rank_t from) noexcept {
    start_receive(into, from);
    finish();
  }
  void exchange(const memory& out, rank_t to, const memory& in, rank_t from) noexcept {
    start_receive(in, from);
    start_send(out, to);
    finish();
  }
  void copy(const memory& to, const memory& from) noexcept {
    if (to.bytes != 0) add({kind::copy, 0, to, from});
  }
  void combine(const reduction& by, const memory& out, const memory& left,
               const memory& right) noexcept {
    if (right.bytes != 0) add({kind::combine, 0, out, right, &by, nullptr, left.base});
  }
  void call(void (*function)(void*), void* with) noexcept {
    add({kind::call, 0, {}, {}, nullptr, function, with});
  }
  memory scratch(std::size_t bytes) noexcept {
    void* const piece = allocate_scratch(bytes, 0);
    if (piece == nullptr || !pieces_.try_push_back(piece)) {
      platform::deallocate(piece);
      recorded_ = false;
      return {};
    }
    return {static_cast<std::byte*>(piece), bytes};
  }

  /// Makes the schedule own `what`, which is deleted by `drop(what)`.
  void keep(void* what, void (*drop)(void*) noexcept) noexcept {
    kept_ = what;
    drop_kept_ = drop;
  }

  // --- Running: what `compounds` uses ------------------------------------------------------------

  enum class kind : std::uint8_t {
    send,
    receive,
    receive_ahead,
    finish,
    copy,
    combine,
    call,
  };
  struct step {
    schedule::kind kind{};
    rank_t other = 0;
    memory to{};  // Send: the data.
    memory from{};
    const reduction* op = nullptr;
    void (*function)(void*) = nullptr;
    void* with = nullptr;  // Combination: the left operand.
  };
  /// Does local work.
  /// Errors: exceptions of the user's operation.
  static void work(const step& s) {
    switch (s.kind) {
      case kind::copy: return copy_message(s.to, s.from);
      case kind::combine:
        return s.op->apply(s.op->context, s.to.base, static_cast<const std::byte*>(s.with),
                           s.from.base, s.to.bytes);
      default: return s.function(s.with);
    }
  }
  collective_call id() const noexcept { return {context, serial, state}; }
  peer_id peer_of(rank_t rank) const noexcept {
    return state->ranks == nullptr ? world_peer(rank) : state->ranks->peer_of(rank);
  }

  const char* name;
  communicator_state* state;
  context_id context;
  tag_t serial = 0;
  plain_array<step> steps;
  std::size_t at = 0;          // Index of the next step.
  operation* op = nullptr;     // The compound operation of this schedule.
  operation* ahead = nullptr;  // Parts that the next round waits for, linked by operation::next.
  bool advancing = false;      // Its steps are being executed.
  bool due = false;
  bool active = false;
  bool told = false;  // It has failed, and the other ranks have been told.
  collective_failure failure;
  std::exception_ptr thrown;  // Exception of the user's operation.
  schedule* dropped_before = nullptr;

 private:
  void add(const step& s) noexcept { recorded_ = steps.try_push_back(s) && recorded_; }

  rank_t rank_;
  rank_t size_;
  bool recorded_ = true;
  plain_array<void*> pieces_;
  void* kept_ = nullptr;
  void (*drop_kept_)(void*) noexcept = nullptr;
};

/// Schedules without an owner, deleted with this list. Objects that they keep have destructors of
/// the program, which must not run under the lock of the endpoint.
class dropped_schedules {
 public:
  dropped_schedules() = default;
  dropped_schedules(const dropped_schedules&) = delete;
  dropped_schedules& operator=(const dropped_schedules&) = delete;
  ~dropped_schedules() {
    if (last_ != nullptr) drop();
  }
  void add(schedule& s) noexcept { s.dropped_before = detail::exchange(last_, &s); }
  /// Takes over the schedules of `others`.
  /// Requires: this list is empty.
  void take(dropped_schedules& others) noexcept { last_ = detail::exchange(others.last_, nullptr); }

 private:
  [[gnu::noinline]] void drop() noexcept {
    while (last_ != nullptr) delete detail::exchange(last_, last_->dropped_before);
  }
  schedule* last_ = nullptr;
};

/// The schedules of an endpoint that are under way. Threads: under the endpoint's lock.
struct schedule_list {
  linked_list<schedule, active_tag> active;
  linked_list<schedule, due_tag> due;
  linked_list<extension, extension_tag> extensions;  // Due extensions.
  std::size_t due_count = 0;                         // Due schedules and extensions.
  bool running = false;
  bool any = false;           // True once one has been started.
  dropped_schedules gone;     // Of operations without a request; deleted by the next `make`.
  std::size_t looks_off = 0;  // Calls of `look` to skip; grows with the stored messages.
};

}  // namespace mpx::inline v0::detail
