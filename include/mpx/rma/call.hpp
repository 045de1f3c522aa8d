// SPDX-License-Identifier: BSL-1.0
#pragma once
// An access of a window in the form that finish_as takes, and the error texts of windows.

#include <cstdint>
#include <cstring>
#include <ranges>
#include <source_location>
#include <string>
#include <type_traits>

#include "mpx/comm/finish.hpp"
#include "mpx/engine/endpoint/raise.hpp"
#include "mpx/rma/create.hpp"

namespace mpx::inline v0 {

namespace detail {

constexpr const char* name_of(rma::action what) noexcept {
  constexpr const char* names[] = {"put", "get", "accumulate", "get_accumulate",
                                   "compare_and_swap"};
  return names[static_cast<unsigned>(what)];
}

/// Rejects at compile time buffers whose element type is not the window's.
template <class T, class B>
constexpr void assert_elements() noexcept {
  using buffer = std::remove_cvref_t<B>;
  if constexpr (std::ranges::range<buffer>) {
    static_assert(std::is_same_v<std::remove_cv_t<std::ranges::range_value_t<buffer>>, T>,
                  "a window's accesses are of its elements' type");
  } else {
    static_assert(std::is_same_v<buffer, T>, "a window's accesses are of its elements' type");
  }
}

/// Arguments of an access, for error texts.
struct rma_given {
  std::uint64_t at = 0;  // Displacement.
  std::size_t bytes = 0;
};

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_empty(const char* call,
                                                               std::source_location where) {
  throw error(errc::window, formatted("%s of a window that is empty: freed, or moved from", call),
              where);
}

/// Names the access of the epoch that failed, as reported by its target.
template <class Stack>
[[gnu::noinline, gnu::cold]] void append_failed_access(std::string& s, const window_state<Stack>& w,
                                                       rank_t target) {
  if (target < 0 || target >= w.size) return;
  append(s,
         ": of an access to rank %d at displacement %llu in the epoch that this ends, or flushes",
         target, static_cast<unsigned long long>(w.targets[target].failed_at));
}

/// Example: "put on rank 0 to rank 3 at displacement 17, 4 elements of 8 bytes, window 5, epoch
/// none: ..."
template <class Stack>
[[gnu::noinline, gnu::cold]] std::string text_of(const window_state<Stack>& w, errc why,
                                                 const char* call, rank_t target,
                                                 const rma_given* x) {
  const rma_target* const t = target >= 0 && target < w.size ? &w.targets[target] : nullptr;
  std::string s = formatted("%s on rank %d", call, w.rank);
  const bool gets = std::strstr(call, "get") != nullptr;
  if (target != proc_null) append(s, gets ? " from rank %d" : " to rank %d", target);
  if (t != nullptr && w.ranks != nullptr) append(s, " (world rank %u)", t->peer);
  if (x != nullptr)
    append(s,
           w.dynamic ? " at displacement %llu, %llu elements of %zu bytes"
                     : " at displacement %lld, %llu elements of %zu bytes",
           static_cast<unsigned long long>(x->at),
           static_cast<unsigned long long>(x->bytes / w.type->bytes), w.type->bytes);
  append(s, ", window %u", number_of(w.context));
  // A call that closes an epoch has closed it already.
  const bool ended = x == nullptr && t != nullptr && t->epoch == rma_epoch::none;
  if (t != nullptr && (!ended || why == errc::rma_sync)) append(s, ", epoch %s", name_of(t->epoch));
  switch (why) {
    case errc::datatype:
      s += ": a datatype is null, overlaps itself, or holds no whole elements";
      break;
    case errc::argument:
      s += ": the data and the layout at the target, or the result, differ in length";
      break;
    case errc::rma_sync:
      s += x != nullptr ? std::string(": open one by fence, start or lock")
                        : ": " + w.why_refused(call);
      break;
    case errc::rma_range:
      if (t != nullptr && x != nullptr && !w.dynamic)
        append(s, ": the target's memory has %llu elements",
               static_cast<unsigned long long>(t->elements));
      if (x == nullptr) append_failed_access(s, w, t == nullptr ? w.culprit : target);
      break;
    case errc::rma_conflict: {
      const rma_touched with = w.last_conflict();
      append(s, ": a %s of rank %d at %llu, %llu bytes, overlaps", name_of(with.what), with.origin,
             static_cast<unsigned long long>(with.at / w.unit),
             static_cast<unsigned long long>(with.bytes));
      if (x != nullptr) {
        s += " it";
      } else {
        append(s, " one of rank %d", w.second_origin());
      }
      break;
    }
    case errc::rank: append(s, ": ranks here are 0 .. %d", w.size - 1); break;
    case errc::window: {
      const rank_t left = t != nullptr && t->left ? target : w.left_by;
      if (left == proc_null || (t != nullptr && !t->left)) {
        s += ": it has been freed, here or by the target";
      } else {
        append(s, ": rank %d has let its window go without free", left);
        if (left != w.left_by) append(s, ", as rank %d had before", w.left_by);
      }
      break;
    }
    case errc::pending:
      s += ": an error of another call, or an exception, has dropped what accesses were to bring, "
           "for their buffers may be gone";
      break;
    case errc::peer_lost:
      if (w.culprit >= 0 && w.culprit < w.size)
        append(s, ": rank %d is lost%s", w.culprit,
               w.culprit == target ? ", and its memory with it"
               : w.culprit_held    ? ", which held the lock"
                                   : "");
      break;
    default: break;
  }
  return s;
}

template <class Stack>
[[noreturn, gnu::noinline, gnu::cold]] void raise_window(window_state<Stack>& w, errc why,
                                                         const char* call, rank_t target,
                                                         const rma_given* x,
                                                         std::source_location where) {
  if (why == errc::no_resources) throw_out_of_memory();
  if (why == errc::peer_lost) w.forsake();
  raise_error(w.e, nullptr, error(why, text_of(w, why, call, target, x), where));
}

/// Frees and deletes a window. `text`: receives the error text unless nullptr.
template <class Stack>
errc free_window(window_state<Stack>* w, std::string* text, std::source_location where) {
  using maker = window_maker<Stack>;
  const auto say = [&](errc why) {
    if (text != nullptr && why != errc{}) *text = text_of(*w, why, "free", proc_null, nullptr);
    return why;
  };
  const errc open = say(w->in_epoch() ? errc::rma_sync : errc{});
  // Other ranks may wait for these locks before they call free.
  if (open != errc{}) w->end_locks({"free", where});
  const errc met = w->pass_barrier_to_free({"free", where});
  const errc why = open == errc{} ? say(met) : open;
  maker::end(*w, met == errc{} ? maker::ending::together : maker::ending::failed);
  delete w;
  return why;
}

/// An access in the form that finish_as takes. `Single`: the call is named for one element
/// (fetch_and_op).
template <class Stack, rma::action What, bool Single = false>
struct rma_call {
  using stack_type = Stack;
  using value_type = nothing;
  static constexpr const char* name =
      Single && What == rma::action::fetch ? "fetch_and_op" : name_of(What);
  static constexpr const char* start_name = name;
  static constexpr const char* prepare_name = name;

  window_state<Stack>* on;  // nullptr: the window is empty, and `wrong` is set.
  rma::transfer what;
  rank_t target;
  rma::protocol by;
  errc wrong;                // Error found in the arguments.
  rma::runs_reference runs;  // Keeps `what.runs` alive.
  std::uint64_t given_at;    // Displacement as given by the caller.

  endpoint<Stack>& endpoint_of() const noexcept { return on->e; }
  errc run(nothing&, std::source_location where) const {
    if (wrong != errc{}) return wrong;
    return on->access(what, target, by, {name, where});
  }
  started start() const {
    if (wrong != errc{}) return {nullptr, wrong};
    return on->start(what, target, by, name);
  }
  started prepare() const noexcept {
    rma::transfer unused = what;
    if (wrong == errc{}) unused.drop();
    return {nullptr, errc::request};
  }
  [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, nothing, const char* call,
                                                    std::source_location where) const {
    if (on == nullptr) raise_empty(call, where);
    const rma_given x{given_at, what.bytes};
    raise_window(*on, why, call, target, &x, where);
  }
};

}  // namespace detail

}  // namespace mpx::inline v0
