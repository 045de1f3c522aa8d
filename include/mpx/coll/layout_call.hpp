// SPDX-License-Identifier: BSL-1.0
#pragma once
// A collective call on buffers with layouts, in the form that finish_as takes. Part of
// mpx/datatype.hpp.

#include <new>
#include <source_location>
#include <utility>

#include "mpx/coll/arguments.hpp"
#include "mpx/coll/call.hpp"
#include "mpx/coll/layout/layouts.hpp"

namespace mpx::inline v0::detail {

template <class B>
memory place_of_layout(const B& buffer) noexcept {
  return somewhere(buffer.fault(false) == errc{} ? buffer.borrow() : memory());
}
template <class B>
std::size_t unit_of_layout(const B& buffer) noexcept {
  if constexpr (requires { buffer.element_bytes(); }) {
    return buffer.element_bytes();
  } else {
    return sizeof(typename B::layout_buffer);
  }
}

/// The call `What`, one of the structs of coll/, whose buffers may have layouts: one for each block
/// (`memory::how`, `blocks::how`), or one for all blocks together. As `collective`, it refers to
/// what its arguments refer to. A started or prepared call, and a copy, keep the layouts alive.
/// Errors:     errc::datatype if a buffer has a fault; the other ranks get errc::peer_lost.
template <class Stack, class What, class Op = no_reduction>
class layout_collective {
  using spread = coll::spread_call<What>;

 public:
  using stack_type = Stack;
  using value_type = nothing;
  static constexpr const char* name = What::name;
  static constexpr const char* start_name = What::name;
  static constexpr const char* prepare_name = What::name;

  /// `uses`: the uses of its buffers, which are checked for faults; may be empty.
  template <class... Uses>
  layout_collective(const point_to_point<Stack>& on, const What& what, coll::algorithm by,
                    const Op& op, const call_mark<Stack>& mark, const Uses&... uses)
      : on_(on), by_(by), op_(op), mark_(mark), what_{what} {
    (look_for_fault(uses), ...);
  }
  layout_collective(const layout_collective& other)
      : on_(other.on_),
        by_(other.by_),
        op_(other.op_),
        mark_(other.mark_),
        what_(other.what_),
        layouts_(other.layouts_),
        linear_(other.linear_) {
    if (!linear_) straighten(layouts_, what_, true);
    linear_ = true;
  }
  layout_collective& operator=(const layout_collective&) = delete;

  endpoint<Stack>& endpoint_of() const noexcept { return on_.endpoint_for_reports(); }
  const char* name_in_texts() const noexcept { return called(what_); }
  errc run(nothing&, std::source_location where) const {
    if constexpr (Stack::checks_type::compares_collectives) outcome_.mark = &mark_;
    coll::call_layouts layouts;
    spread what = what_;
    if (!linear_) straighten(layouts, what, false);
    reduction op;
    set(op, what, op_);
    return run_collective(on_, what, by_, called(what_), where, outcome_);
  }
  started start() const {
    const started s = made();
    if (s.op != nullptr) {
      schedules<Stack>::start(endpoint_of(), *s.op);
    } else {  // The other ranks wait in this call: fail it in step with them.
      collective_channel<Stack> steps(on_, {called(what_)});
      steps.begin();
      steps.failed(outcome_.failure);
      steps.tell(outcome_);
    }
    return s;
  }
  started prepare() const { return made(collective_channel<Stack>::next_prepared(on_)); }
  [[noreturn]] void raise(errc, nothing, const char*, std::source_location where) const {
    collective_channel<Stack>::raise(on_, outcome_, {called(what_), where});
  }

 private:
  static constexpr bool reduces = !std::is_same_v<Op, no_reduction>;
  /// Objects that a schedule keeps alive.
  struct kept : allocated {
    kept(const Op& op, const coll::call_layouts& l) : maker(op), layouts(l) {}
    Op maker;
    reduction made;
    coll::call_layouts layouts;
  };

  template <class B>
  void look_for_fault(const layout_use<B>& use) noexcept {
    if (use.buffer == nullptr || what_.fault != errc{}) return;
    what_.fault = use.buffer->fault(use.received);
    what_.fault_text = "a layout that cannot be used";
    if constexpr (requires { use.buffer->fault_text(use.received); })
      if (what_.fault != errc{}) what_.fault_text = use.buffer->fault_text(use.received);
  }
  void look_for_fault(plain_use) noexcept {}

  static void straighten(coll::call_layouts& layouts, spread& what, bool keeps) noexcept {
    if (what.fault != errc{}) return;
    if (!coll::with_places(static_cast<What&>(what),
                           [&](auto&... buffers) { return layouts.straighten(keeps, buffers...); }))
      what.fault = errc::no_resources;
  }
  static void set([[maybe_unused]] reduction& made, [[maybe_unused]] spread& what,
                  [[maybe_unused]] const Op& op) noexcept {
    if constexpr (reduces) {
      op.set(made);
      what.op = &made;
    }
  }
  started made(tag_t prepared = 0) const {
    schedule* plan = nullptr;
    auto* k = new (std::nothrow) kept(op_, layouts_);
    outcome_.failure = {errc::no_resources, collective_failure::cause::memory};
    if (k == nullptr) return {nullptr, errc::no_resources};
    spread what = what_;
    if (!linear_) straighten(k->layouts, what, true);
    set(k->made, what, k->maker);
    if (const collective_failure wrong = what.check(on_.rank(), on_.size()); wrong.why != errc{}) {
      outcome_.failure = wrong;
      delete k;
      return {nullptr, wrong.why};
    }
    plan = record_collective(on_, what, by_, mark_);
    if (plan == nullptr) {
      delete k;
    } else {
      plan->keep(k, [](void* p) noexcept { delete static_cast<kept*>(p); });
    }
    return schedules<Stack>::make(endpoint_of(), plan, prepared);
  }

  const point_to_point<Stack>& on_;
  coll::algorithm by_;
  [[no_unique_address]] Op op_;
  [[no_unique_address]] call_mark<Stack> mark_;
  spread what_;
  coll::call_layouts layouts_;  // Kept by a copy of the call.
  bool linear_ = false;
  mutable outcome_of<Stack> outcome_;
};

}  // namespace mpx::inline v0::detail
