// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective's part at one rank, written down: rounds of sends, receives and local work. The
// endpoint runs it, round by round, whenever any call makes progress.

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
#include "mpx/datatype/memory.hpp"
#include "mpx/engine/calls.hpp"
#include "mpx/engine/extension.hpp"

namespace mpx::inline v0::detail {

/// How elements are combined, with run-time values only.
struct reduction {
  /// For each element of `bytes`: out[i] = left[i] op right[i]. May throw. `out` may be `left` or
  /// `right`; else none of them overlap.
  using function = void (*)(void* context, std::byte* out, const std::byte* left,
                            const std::byte* right, std::size_t bytes);

  function apply = nullptr;
  void* context = nullptr;  // Of the function: the user's operation.
  std::size_t element_bytes = 1;
  bool commutative = false;  // What is not keeps the order of ranks.
  bool never_throws = false;
};

/// Alignment of what steps give as scratch memory.
inline constexpr std::size_t scratch_alignment = cache_line_bytes;
/// That much scratch memory and `more`, aligned; nullptr when memory is out.
inline void* allocate_scratch(std::size_t bytes, std::size_t more) noexcept {
  std::size_t room = 0;
  if (__builtin_add_overflow(bytes, more + scratch_alignment, &room)) return nullptr;
  return platform::allocate_aligned(room / scratch_alignment * scratch_alignment,
                                    scratch_alignment);
}

/// Copies a message from one place to another; either may have a layout. Requires: as long; they do
/// not overlap, or are the same.
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

/// `m` for one operation, which drops its layout. Returns false: memory is out.
inline bool lend(memory& m) noexcept {
  if (m.how == nullptr) return true;
  m.how = m.how->keep();
  return m.how != nullptr;
}
/// What was lent, and no operation has taken.
inline void take_back(const memory& m, const started& s) noexcept {
  if (s.op == nullptr && m.how != nullptr) m.how->drop();
}

/// Why a collective call has failed, for the text of its error.
struct collective_failure {
  enum class cause : std::uint8_t {
    lost,       ///< `other` is lost; no rank, if it is not known who.
    left,       ///< `other` has left the call with an error, of the code `got`; 0: has dropped it.
    message,    ///< A message to or from `other`.
    length,     ///< A message is not as long as what it was to fill.
    out,        ///< Elements given, and room for the result.
    uneven,     ///< Elements given, and how many (`what`) are to get equally many of them.
    root,       ///< `other` is no rank.
    context,    ///< No context is left: this rank leads `bytes`, and has freed `got` of them.
    memory,     ///< Memory is out.
    operation,  ///< The operation has thrown.
    argument,   ///< Said by `what`.
    mismatch,   ///< The same; all ranks find it, and none has to be told.
  };
  /// Some ranks of a call send messages, and others meet in memory.
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

  /// What became of `other` is to be said, if it is lost.
  bool names_lost() const noexcept {
    return (of == cause::message || of == cause::lost) && other >= 0;
  }
};

/// " (world rank 5)", where ranks are not those of the world.
[[gnu::noinline, gnu::cold]] inline std::string world_rank_text(const group* ranks, rank_t rank) {
  if (ranks == nullptr || rank < 0 || rank >= ranks->size()) return {};
  return formatted(" (world rank %u)", ranks->peer_of(rank));
}

/// ": ranks here are 0 .. 3": what a rank that is none has missed.
[[gnu::noinline, gnu::cold]] inline void add_ranks(std::string& s, rank_t size,
                                                   const char* before = "") {
  append(s, ": %sranks here are 0 .. %d%s", before, size - 1,
         size == 1 ? " (alone: `mpxrun -n 4 PROGRAM` starts four)" : "");
}

/// ", communicator 3", or ", communicator 3 (halo)" where it has that name.
[[gnu::noinline, gnu::cold]] inline void add_communicator(std::string& s, context_id context,
                                                          const char* name) {
  append(s, name == nullptr ? ", communicator %u" : ", communicator %u (%s)", number_of(context),
         name);
}

/// "allreduce on rank 1, communicator 0: ...", without what is known of the loss of a peer.
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

/// Steps that are recorded (see coll/steps.hpp): what one collective call does at this rank, with
/// run-time values only. It is recorded once and run as often as it is started, by `compounds`.
///
/// | state     | set by                                  | left when                             |
/// |-----------|-----------------------------------------|---------------------------------------|
/// | idle      | it is recorded, or has ended            | it is started                         |
/// | running   | compounds: its rounds are under way     | the last is over, or one of it fails  |
/// | dissolving| compounds: it has failed                | no operation of it is left            |
///
/// It is in the list of those that are active unless idle, and in that of those that are due when
/// the operation that it watches is complete, or when it has failed.
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

  /// `what` belongs to the schedule, and goes with it by `drop(what)`.
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
    memory to{};  // Of a send: what.
    memory from{};
    const reduction* op = nullptr;
    void (*function)(void*) = nullptr;
    void* with = nullptr;  // Of a combination: the left operand.
  };
  /// Local work. Errors: whatever the user's operation throws.
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
  std::size_t at = 0;          // The next step.
  operation* op = nullptr;     // The compound operation whose it is.
  operation* ahead = nullptr;  // Parts that the next round waits for, linked by operation::next.
  bool advancing = false;      // Its steps are being taken right now.
  bool due = false;
  bool active = false;
  bool told = false;  // It has failed, and the others have been told.
  collective_failure failure;
  std::exception_ptr thrown;  // By the user's operation.
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

/// Schedules that nobody refers to; they go with this. What they keep has functions of the program:
/// that is not to be under the endpoint's lock.
class dropped_schedules {
 public:
  dropped_schedules() = default;
  dropped_schedules(const dropped_schedules&) = delete;
  dropped_schedules& operator=(const dropped_schedules&) = delete;
  ~dropped_schedules() {
    if (last_ != nullptr) drop();
  }
  void add(schedule& s) noexcept { s.dropped_before = detail::exchange(last_, &s); }
  /// Takes over those of `others`. Requires: this has none.
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
  linked_list<extension, extension_tag> extensions;  // Those that are due.
  std::size_t due_count = 0;                         // Of both.
  bool running = false;
  bool any = false;        // One has been started.
  dropped_schedules gone;  // Of operations that have ended by themselves; the next one takes them.
  std::size_t looks_off = 0;  // So often nobody looks at what has come: more the more there was.
};

}  // namespace mpx::inline v0::detail
