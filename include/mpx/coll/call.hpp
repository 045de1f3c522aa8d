// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective call as finish_as takes it: it runs at once, is started, or is prepared.

#include <cstddef>
#include <new>
#include <source_location>
#include <utility>
#include <vector>

#include "mpx/coll/node_calls.hpp"
#include "mpx/coll/node_levels.hpp"
#include "mpx/coll/node_make.hpp"
#include "mpx/coll/node_map.hpp"
#include "mpx/coll/node_quick.hpp"
#include "mpx/coll/steps.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/finish.hpp"
#include "mpx/engine/collective_policy.hpp"

namespace mpx::inline v0::detail {

/// All ranks share memory, whoever they are.
template <class Stack>
inline constexpr bool shares_all_memory = BlockTransport<typename Stack::transport_type> &&
                                          !NearFarTransport<typename Stack::transport_type>;

/// Takes the steps of `what` in two levels, if the policy says so.
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
/// Takes the steps of `what`, by algorithm `by` if it has any to choose among. `nodes`: where its
/// ranks are, if the transport knows.
template <class Stack, class What, coll::Steps S>
void take_steps(const What& what, S& steps, [[maybe_unused]] coll::algorithm by,
                [[maybe_unused]] const coll::node_map* nodes) {
  if constexpr (requires { what.ask(steps.rank(), steps.size()); }) {
    coll::question q = what.ask(steps.rank(), steps.size());
    q.near = shares_all_memory<Stack>;
    if constexpr (coll::HasLevels<Stack, What>) {
      if constexpr (NearFarTransport<typename Stack::transport_type>) q.near = nodes->nodes() == 1;
      if (!q.near) return take_levels<Stack>(what, steps, by, q, *nodes);
    }
    if constexpr (coll::MeetsInNode<Stack, What> && std::same_as<S, collective_channel<Stack>>) {
      if (!q.near) return what(steps, coll::decide<typename Stack::collective_type>(q, by));
      if (!steps.state().node_tried) [[unlikely]] {
        q.meets = q.reads = true;
        const coll::choice c = coll::decide<typename Stack::collective_type>(q, by);
        coll::question longest = q;  // What is too short to meet meets whoever gives more.
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
      q.meets = true;
      q.reads = node->reads;
      q.crowded = node->crowded;
      const coll::choice c = coll::decide<typename Stack::collective_type>(q, by);
      if (c.by == coll::algorithm::shared && coll::fits_in_node(what, steps.size()))
        return coll::run_in_node(steps, what, *node, q);
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
/// What ranks compare of a call: it without its layouts.
template <class What>
const auto& compared(const What& what) noexcept {
  if constexpr (requires { what.without_layouts(); }) {
    return what.without_layouts();
  } else {
    return what;
  }
}
/// What a stack keeps of a collective call to compare it with those of other ranks.
template <class Stack>
using call_mark = typename Stack::checks_type::call_mark;
/// What went wrong in a call, in such a stack, which keeps there what it is compared by.
template <class Stack>
struct compared_trouble : collective_trouble {
  const call_mark<Stack>* mark = nullptr;
};
template <class Stack>
using trouble_of = std::conditional_t<Stack::checks_type::compares_collectives,
                                      compared_trouble<Stack>, collective_trouble>;

/// Short calls of `What` may need no steps at all.
template <class Stack, class What>
concept MakesQuickly =
    coll::MeetsInNode<Stack, What> && !Stack::checks_type::compares_collectives &&
    std::same_as<typename Stack::collective_type, coll::by_size> &&
    requires(coll::quick_node<Stack>& node, const What& what) {
      { node.make(what, std::source_location()) } -> std::same_as<bool>;
    };

/// Runs `what` at once, step by step. Returns what went wrong, and says more of it in `trouble`.
template <class Stack, class What>
[[gnu::noinline]] errc run_in_steps(const point_to_point<Stack>& on, const What& what,
                                    coll::algorithm by, call_site site,
                                    trouble_of<Stack>& trouble) {
  collective_channel<Stack> steps(on, site);
  const collective_failure wrong = what.check(steps.rank(), steps.size());
  if (wrong.why == errc{}) [[likely]] {
    const coll::node_map* nodes = nullptr;
    if constexpr (coll::HasLevels<Stack, What>) {
      nodes = coll::nodes_of<Stack>(steps.endpoint_of(), steps.state(), steps.rank());
      if (nodes == nullptr) {
        steps.begin();
        steps.no_memory();
      }
    }
    bool goes = !steps.failed();
    if constexpr (Stack::checks_type::compares_collectives)
      goes = goes && Stack::checks_type::compare_call(steps, compared(what), by, *trouble.mark);
    if (goes) take_steps<Stack>(what, steps, by, nodes);
    if (!steps.failed()) [[likely]]
      return errc{};
  } else {
    steps.begin();  // The others shall not wait for this rank.
    steps.failed(wrong);
  }
  steps.tell(trouble);
  if constexpr (Stack::checks_type::compares_collectives) trouble.mark->keep_text(trouble.failure);
  return steps.why();
}
/// Runs `what` at once. Compiled once for each operation of a stack, whatever the types. As
/// `run_in_steps`.
template <class Stack, class What>
[[gnu::noinline]] errc run_collective(const point_to_point<Stack>& on, const What& what,
                                      coll::algorithm by, const char* name,
                                      std::source_location where, trouble_of<Stack>& trouble) {
  if constexpr (MakesQuickly<Stack, What>) {
    if ((by == coll::algorithm::automatic || by == coll::algorithm::shared) &&
        coll::quick_node<Stack>(on).make(what, where)) [[likely]]
      return errc{};
  }
  return run_in_steps<Stack>(on, what, by, {name, where}, trouble);
}
/// What texts call it: by the name of its form with counts, if it is that.
template <class What>
const char* called(const What& what) noexcept {
  if constexpr (requires { what.called(); }) {
    return what.called();
  } else {
    return What::name;
  }
}
/// Makes a schedule of `what`. nullptr: memory is out.
template <class Stack, class What>
[[gnu::noinline]] schedule* record_collective(const point_to_point<Stack>& on, const What& what,
                                              coll::algorithm by,
                                              [[maybe_unused]] const call_mark<Stack>& mark) {
  schedule* const plan = collective_channel<Stack>::new_schedule(on, called(what));
  if (plan == nullptr) return nullptr;
  const coll::node_map* nodes = nullptr;
  if constexpr (coll::HasLevels<Stack, What>) {
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

/// Leaves the next collective of `on` before its beginning: the others learn of it.
template <class Stack>
[[gnu::noinline, gnu::cold]] void leave_next(const point_to_point<Stack>& on, call_site site,
                                             errc why) noexcept {
  collective_channel<Stack> steps(on, site);
  steps.begin();
  steps.failed({why, collective_failure::cause::argument});
}
/// The second of two collectives of `on` that are one to the program. Who fails in the first, or
/// between them, leaves it as well: others may be through with the first, and all stay in step.
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
  /// From here on whoever fails is in it.
  void begins() noexcept { begins_ = true; }

 private:
  const point_to_point<Stack>& on_;
  call_site site_;
  bool begins_ = false;
};
/// Makes `all` as long as `n`, for the next collective of `on`. Returns false if memory is out:
/// then that call is over, as `how` says.
template <class How, class T, class Stack>
bool make_room(std::vector<T>& all, std::size_t n, const point_to_point<Stack>& on,
               [[maybe_unused]] std::remove_reference_t<How>& how, call_site site) {
  try {
    all.resize(n);
    return true;
  } catch (...) {  // Too long for a vector is too long for memory.
  }
  leave_next(on, site, errc::no_resources);
  if constexpr (is_code<How>) {
    store(how, errc::no_resources);
  } else {
    throw_out_of_memory();
  }
  return false;
}

/// What a collective combines with, where it combines nothing.
struct no_reduction {};
/// A reduction that is made of values known at run time only, which outlive the call.
struct given_reduction {
  reduction op;
  void set(reduction& r) const noexcept { r = op; }
};

/// A call of `What`, one of the structs of coll/: `name`; `check(rank, size)`, which returns what
/// is wrong with its arguments; `ask(rank, size)`, what it asks of the stack's policy, if anything;
/// and its steps, `what(steps, choice)` or `what(steps)`. It is copied freely, and refers to what
/// its arguments refer to. `Op` makes its reduction, which it points to. `Kept`: what is kept of
/// it; a call that blocks keeps a reference: a copy of what has just been written waits until all
/// has left the core that was written before, and that may be a flag which another core reads.
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
    if constexpr (Stack::checks_type::compares_collectives) trouble_.mark = &mark_;
    if constexpr (reduces) {
      reduction op;
      op_.set(op);
      std::conditional_t<std::is_reference_v<Kept>, Kept, What> what = what_;
      what.op = &op;
      const errc why = run_collective<Stack, What>(on_, what, by_, name, where, trouble_);
      what.op = nullptr;  // It outlives this, if it is not a copy.
      return why;
    } else {
      return run_collective(on_, what_, by_, called(what_), where, trouble_);
    }
  }
  started start() const {
    if (const errc why = check(); why != errc{}) {
      nothing none;
      return {nullptr, run(none, {})};  // Fails, and tells the others.
    }
    const started s = made();
    if (s.op != nullptr) {
      schedules<Stack>::start(endpoint_of(), *s.op);
    } else {  // It is a call all the same, which the others wait in.
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
    collective_channel<Stack>::raise(on_, trouble_, {called(what_), where});
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
      trouble_.failure = what.check(on_.rank(), on_.size());
    } else {
      trouble_.failure = what_.check(on_.rank(), on_.size());
    }
    return trouble_.failure.why;
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
    if (s.failure != errc{}) trouble_.failure = {s.failure, collective_failure::cause::memory};
    return s;
  }

  const point_to_point<Stack>& on_;
  Kept what_;
  coll::algorithm by_;
  [[no_unique_address]] Op op_;
  [[no_unique_address]] call_mark<Stack> mark_;
  mutable trouble_of<Stack> trouble_;
};

/// The same where a buffer has a layout: see mpx/datatype.hpp.
template <class Stack, class What, class Op>
class layout_collective;

/// A call of `what` that uses its buffers as `uses` say. `Kept`: see `collective`.
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
