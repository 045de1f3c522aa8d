// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collective calls in the form that `finish_as` takes: run at once, started, or prepared.

#include <cstddef>
#include <new>
#include <source_location>
#include <utility>
#include <vector>

#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/coll/node/node_calls.hpp"
#include "mpx/coll/node/node_levels.hpp"
#include "mpx/coll/node/node_make.hpp"
#include "mpx/coll/node/node_map.hpp"
#include "mpx/coll/node/short_calls.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/finish.hpp"
#include "mpx/engine/axes/collective_policy.hpp"

namespace mpx::inline v0::detail {

/// True if all ranks of any communicator share memory.
template <class Stack>
inline constexpr bool shares_all_memory = SharedMemoryTransport<typename Stack::transport_type> &&
                                          !NearFarTransport<typename Stack::transport_type>;

/// The choice of an algorithm for `What` depends on the nodes of the ranks.
template <class Stack, class What>
concept AsksOfNodes =
    coll::HasLevels<Stack, What> ||
    (NearFarTransport<typename Stack::transport_type> && coll::RunsInBlock<Stack, What>);

/// Runs the steps of `what` in two levels if the policy chooses so, else as one level.
template <class Stack, class What, coll::Steps S>
void take_levels(const What& what, S& steps, coll::algorithm by, coll::question q,
                 const coll::node_map& nodes) {
  coll::ask_of_nodes(q, nodes);
  const coll::choice c = coll::decide<typename Stack::collective_type>(q, by);
  if (c.by != coll::algorithm::leaders && c.by != coll::algorithm::node_parts)
    return what(steps, c);
  coll::node_levels<typename Stack::collective_type, S> levels(steps, nodes);
  const bool in_parts = c.by == coll::algorithm::node_parts;
  if constexpr (requires { what.without_layouts(); })
    return on_copies(steps, what.without_layouts(),
                     [&](const auto& whole) { levels.run(whole, in_parts); });
  else
    return levels.run(what, in_parts);
}
/// Runs the steps of `what`, with algorithm `by` if the operation has several. `nodes`: the nodes
/// of the ranks, if the transport knows them.
template <class Stack, class What, coll::Steps S>
void take_steps(const What& what, S& steps, [[maybe_unused]] coll::algorithm by,
                [[maybe_unused]] const coll::node_map* nodes) {
  if constexpr (requires { what.ask(steps.rank(), steps.size()); }) {
    coll::question q = what.ask(steps.rank(), steps.size());
    q.near = shares_all_memory<Stack>;
    if constexpr (NearFarTransport<typename Stack::transport_type> && AsksOfNodes<Stack, What>)
      q.near = nodes->nodes() == 1;
    if constexpr (coll::HasLevels<Stack, What>)
      if (!q.near) return take_levels<Stack>(what, steps, by, q, *nodes);
    if constexpr (coll::RunsInBlock<Stack, What> && std::same_as<S, collective_channel<Stack>>) {
      if (!q.near) return what(steps, coll::decide<typename Stack::collective_type>(q, by));
      if (!steps.state().node_tried) [[unlikely]] {
        q.meets = true;
        const coll::choice c = coll::decide<typename Stack::collective_type>(q, by);
        // Another rank may pass a longer buffer, and use a block: then this rank must use it, too.
        coll::question longest = q;
        longest.bytes = ~std::size_t{0} >> 8;
        if (c.by != coll::algorithm::shared &&
            coll::decide<typename Stack::collective_type>(longest, by).by !=
                coll::algorithm::shared)
          return what(steps, c);
      }
      coll::node_state* const node = coll::node_of(steps);
      if (steps.failed()) return;
      if (node == nullptr)
        return what(steps, coll::without_node<typename Stack::collective_type>(q, by));
      coll::ask_of_block(q, *node);
      const coll::choice c = coll::decide<typename Stack::collective_type>(q, by);
      if (c.by == coll::algorithm::shared && coll::fits_in_node(what, steps.size()))
        return coll::run_in_node(steps, what, *node);
      steps.by_messages();
      return what(steps, c.by != coll::algorithm::shared
                             ? c
                             : coll::without_node<typename Stack::collective_type>(q, by));
    }
    what(steps, coll::decide<typename Stack::collective_type>(q, by));
  } else {
    what(steps);
  }
}
/// The call that ranks compare: `what` without its layouts.
template <class What>
const auto& compared(const What& what) noexcept {
  if constexpr (requires { what.without_layouts(); }) {
    return what.without_layouts();
  } else {
    return what;
  }
}
/// Description of a collective call that a stack keeps, to compare it with the calls of other
/// ranks.
template <class Stack>
using call_mark = typename Stack::checks_type::call_mark;
/// Failure of a call in a stack that compares calls; also holds the description of the call.
template <class Stack>
struct compared_outcome : collective_outcome {
  const call_mark<Stack>* mark = nullptr;
};
template <class Stack>
using outcome_of = std::conditional_t<Stack::checks_type::compares_collectives,
                                      compared_outcome<Stack>, collective_outcome>;

/// Calls of `What` are made as short ones (coll/node/short_calls.hpp) if they are short and the
/// policy chooses shared memory:
/// - `What` can be made in shared memory over the stack's transport;
/// - the stack does not compare collective calls;
/// - there is a `make_short` for it.
template <class Stack, class What>
concept HasFastPath = coll::RunsInBlock<Stack, What> && !Stack::checks_type::compares_collectives &&
                      requires(coll::block_call<Stack>& node, const What& what) {
                        { make_short(node, what) } -> std::same_as<bool>;
                      };

/// Runs `what` at once, step by step. Returns errc{} or the failure, which it describes in
/// `outcome`.
template <class Stack, class What>
[[gnu::noinline]] errc run_in_steps(const point_to_point<Stack>& on, const What& what,
                                    coll::algorithm by, call_site site,
                                    outcome_of<Stack>& outcome) {
  collective_channel<Stack> steps(on, site);
  const collective_failure wrong = what.check(steps.rank(), steps.size());
  if (wrong.why == errc{}) [[likely]] {
    const coll::node_map* nodes = nullptr;
    if constexpr (AsksOfNodes<Stack, What>) {
      nodes = coll::nodes_of<Stack>(steps.endpoint_of(), steps.state(), steps.rank());
      if (nodes == nullptr) {
        steps.begin();
        steps.no_memory();
      }
    }
    bool goes = !steps.failed();
    if constexpr (Stack::checks_type::compares_collectives)
      goes = goes && Stack::checks_type::compare_call(steps, compared(what), by, *outcome.mark);
    if constexpr (CarryingCollectivePolicy<typename Stack::collective_type>)
      goes = goes && !Stack::collective_type::carry(steps, what, by);
    if (goes) take_steps<Stack>(what, steps, by, nodes);
    if (!steps.failed()) [[likely]]
      return errc{};
  } else {
    steps.begin();  // So that the other ranks do not wait for this one.
    steps.failed(wrong);
  }
  steps.tell(outcome);
  if constexpr (Stack::checks_type::compares_collectives) outcome.mark->keep_text(outcome.failure);
  return steps.why();
}
/// Runs `what` at once: as a short call if it is one, else as `run_in_steps`. Instantiated once
/// for each operation of a stack, whatever the element types.
template <class Stack, class What>
[[gnu::noinline]] errc run_collective(const point_to_point<Stack>& on, const What& what,
                                      coll::algorithm by, const char* name,
                                      std::source_location where, outcome_of<Stack>& outcome) {
  if constexpr (HasFastPath<Stack, What>) {
    if (coll::make_if_short(on, what, by, name, where, outcome)) [[likely]]
      return outcome.failure.why;
  }
  return run_in_steps<Stack>(on, what, by, {name, where}, outcome);
}
/// The name of the call for messages to users, e.g. "gatherv" for a gather with counts.
template <class What>
const char* called(const What& what) noexcept {
  if constexpr (requires { what.called(); }) {
    return what.called();
  } else {
    return What::name;
  }
}
/// Records `what` as a schedule. Returns nullptr if memory is out.
template <class Stack, class What>
[[gnu::noinline]] schedule* record_collective(const point_to_point<Stack>& on, const What& what,
                                              coll::algorithm by,
                                              [[maybe_unused]] const call_mark<Stack>& mark) {
  schedule* const plan = collective_channel<Stack>::new_schedule(on, called(what));
  if (plan == nullptr) return nullptr;
  const coll::node_map* nodes = nullptr;
  if constexpr (AsksOfNodes<Stack, What>) {
    nodes = coll::nodes_of<Stack>(on.endpoint_for_reports(), *plan->state, plan->rank());
    if (nodes == nullptr) {
      delete plan;
      return nullptr;
    }
  }
  if constexpr (Stack::checks_type::compares_collectives)
    if (!Stack::checks_type::compare_call(*plan, compared(what), by, mark)) return plan;
  take_steps<Stack>(what, *plan, by, nodes);
  return plan;
}

/// Leaves the next collective of `on` before it begins, with an error, so that the other ranks fail
/// instead of waiting.
template <class Stack>
[[gnu::noinline, gnu::cold]] void leave_next(const point_to_point<Stack>& on, call_site site,
                                             errc why) noexcept {
  collective_channel<Stack> steps(on, site);
  steps.begin();
  steps.failed({why, collective_failure::cause::argument});
}
/// Guard for the second of two collectives that form one operation for the user. If this rank fails
/// in the first one or between the two, the destructor leaves the second one as well. Other ranks
/// may have completed the first, and wait in the second; so all ranks stay in step.
template <class Stack>
class second_call {
 public:
  second_call(const point_to_point<Stack>& on, call_site site) noexcept : on_(on), site_(site) {}
  second_call(const second_call&) = delete;
  second_call& operator=(const second_call&) = delete;
  ~second_call() {
    if (!begins_) [[unlikely]]
      leave_next(on_, site_, errc::peer_lost);
  }
  /// Call right before the second collective, which reports failures by itself from then on.
  void begins() noexcept { begins_ = true; }

 private:
  const point_to_point<Stack>& on_;
  call_site site_;
  bool begins_ = false;
};
/// Resizes `all` to `n` elements for the next collective of `on`. Returns false if memory is out;
/// then this rank has left that collective, and the error is reported in the form `how`.
template <class How, class T, class Stack>
bool make_room(std::vector<T>& all, std::size_t n, const point_to_point<Stack>& on,
               [[maybe_unused]] std::remove_reference_t<How>& how, call_site site) {
  try {
    all.resize(n);
    return true;
  } catch (...) {  // A length beyond max_size() is reported as out of memory, too.
  }
  leave_next(on, site, errc::no_resources);
  if constexpr (is_code<How>) {
    store(how, errc::no_resources);
  } else {
    throw_out_of_memory();
  }
  return false;
}

/// Stands for the operation of a collective that combines nothing.
struct no_reduction {};
/// A reduction that is known at run time only. Its context must outlive the call.
struct given_reduction {
  reduction op;
  void set(reduction& r) const noexcept { r = op; }
};

/// A call of `What`, one of the structs of coll/, in the form that `finish_as` takes.
///
/// `What` provides `name`; `check(rank, size)`, which returns an error in its arguments; optionally
/// `ask(rank, size)`, the question to the stack's policy; and its steps, `what(steps, choice)` or
/// `what(steps)`. It is copied freely, and refers to what its arguments refer to. `Op` makes its
/// reduction, to which `what.op` points. `Kept` is the type of the member: `What`, or a reference
/// for calls that block. A copy of a struct that has just been written would wait for earlier
/// stores, and one of those may be a flag that another core reads.
template <class Stack, class What, class Op = no_reduction, class Kept = What>
class collective {
 public:
  using stack_type = Stack;
  using value_type = nothing;
  static constexpr const char* name = What::name;
  static constexpr const char* start_name = What::name;
  static constexpr const char* prepare_name = What::name;

  collective(const point_to_point<Stack>& on, const Kept& what,
             coll::algorithm by = coll::algorithm::automatic, const Op& op = {},
             const call_mark<Stack>& mark = {})
      : on_(on), what_(what), by_(by), op_(op), mark_(mark) {}

  endpoint<Stack>& endpoint_of() const noexcept { return on_.endpoint_for_reports(); }
  const char* name_in_texts() const noexcept { return reduces ? name : called(what_); }
  [[MPX_ALWAYS_INLINE]] errc run(nothing&, std::source_location where) const {
    if constexpr (Stack::checks_type::compares_collectives) outcome_.mark = &mark_;
    if constexpr (reduces) {
      reduction op;
      op_.set(op);
      std::conditional_t<std::is_reference_v<Kept>, Kept, What> what = what_;
      what.op = &op;
      const errc why = run_collective<Stack, What>(on_, what, by_, name, where, outcome_);
      what.op = nullptr;  // `what` may be the caller's object, which outlives `op`.
      return why;
    } else {
      return run_collective(on_, what_, by_, called(what_), where, outcome_);
    }
  }
  started start() const {
    if (const errc why = check(); why != errc{}) {
      nothing none;
      return {nullptr, run(none, {})};  // Fails, and informs the other ranks.
    }
    const started s = made();
    if (s.op != nullptr) {
      endpoint_of().start_schedule(*s.op);
    } else {  // The other ranks wait in this call: fail it in step with them.
      collective_channel<Stack> steps(on_, {called(what_)});
      steps.begin();
      steps.no_memory();
    }
    return s;
  }
  started prepare() const {
    const tag_t serial = collective_channel<Stack>::next_prepared(on_);
    if (const errc why = check(); why != errc{}) return {nullptr, why};
    return made(serial);
  }
  [[noreturn]] void raise(errc, nothing, const char*, std::source_location where) const {
    collective_channel<Stack>::raise(on_, outcome_, {called(what_), where});
  }

 private:
  static constexpr bool reduces = !std::is_same_v<Op, no_reduction>;
  struct kept : allocated {
    explicit kept(const Op& op) : maker(op) { maker.set(made); }
    Op maker;
    reduction made;
  };

  errc check() const noexcept {
    if constexpr (reduces) {
      reduction op;
      op_.set(op);
      What what = what_;
      what.op = &op;
      outcome_.failure = what.check(on_.rank(), on_.size());
    } else {
      outcome_.failure = what_.check(on_.rank(), on_.size());
    }
    return outcome_.failure.why;
  }
  started made(tag_t prepared = 0) const {
    schedule* plan = nullptr;
    if constexpr (reduces) {
      auto* const k = new (std::nothrow) kept(op_);
      if (k != nullptr) {
        What what = what_;
        what.op = &k->made;
        plan = record_collective(on_, what, by_, mark_);
        if (plan == nullptr) {
          delete k;
        } else {
          plan->keep(k, [](void* p) noexcept { delete static_cast<kept*>(p); });
        }
      }
    } else {
      plan = record_collective(on_, what_, by_, mark_);
    }
    const started s = schedules<Stack>::make(endpoint_of(), plan, prepared);
    if (s.failure != errc{}) outcome_.failure = {s.failure, collective_failure::cause::memory};
    return s;
  }

  const point_to_point<Stack>& on_;
  Kept what_;
  coll::algorithm by_;
  [[no_unique_address]] Op op_;
  [[no_unique_address]] call_mark<Stack> mark_;
  mutable outcome_of<Stack> outcome_;
};

/// As `collective`, for calls with a buffer that has a layout: see mpx/datatype.hpp.
template <class Stack, class What, class Op>
class layout_collective;

/// Makes the call object of `what`, which uses its buffers as `uses` say. `Kept`: see `collective`.
template <class Stack, class What, class Op, class Kept = What, class... Uses>
[[MPX_ALWAYS_INLINE]] inline auto made_call(const point_to_point<Stack>& on, const Kept& what,
                                            coll::algorithm by, const Op& op,
                                            const call_mark<Stack>& mark,
                                            [[maybe_unused]] const Uses&... uses) {
  if constexpr ((Uses::has_layout || ...)) {
    return layout_collective<Stack, What, Op>(on, what, by, op, mark, uses...);
  } else {
    return collective<Stack, What, Op, Kept>(on, what, by, op, mark);
  }
}

}  // namespace mpx::inline v0::detail
