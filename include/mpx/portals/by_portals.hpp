// SPDX-License-Identifier: BSL-1.0
#pragma once
// The policy of a stack whose communicators make their blocking collective calls over portals.

#include <cstdint>
#include <exception>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "mpx/coll/algorithms/allgather.hpp"
#include "mpx/coll/algorithms/allreduce.hpp"
#include "mpx/coll/algorithms/alltoall.hpp"
#include "mpx/coll/algorithms/barrier.hpp"
#include "mpx/coll/algorithms/bcast.hpp"
#include "mpx/coll/algorithms/gather.hpp"
#include "mpx/coll/algorithms/reduce.hpp"
#include "mpx/coll/algorithms/reduce_scatter.hpp"
#include "mpx/coll/algorithms/scan.hpp"
#include "mpx/coll/algorithms/scatter.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/detail/create.hpp"
#include "mpx/communicator.hpp"
#include "mpx/engine/axes/collective_policy.hpp"
#include "mpx/portals/steps.hpp"

namespace mpx::inline v0::portals {

namespace detail {

/// A call of coll/algorithms/, or one of these whose buffers have layouts. Calls of neighbourhoods
/// and of intercommunicators are others: they see ranks in other ways.
template <class What>
concept PlainCall =
    std::is_base_of_v<coll::barrier_call, What> || std::is_base_of_v<coll::bcast_call, What> ||
    std::is_base_of_v<coll::gather_call, What> || std::is_base_of_v<coll::scatter_call, What> ||
    std::is_base_of_v<coll::allgather_call, What> || std::is_base_of_v<coll::alltoall_call, What> ||
    std::is_base_of_v<coll::reduce_call, What> || std::is_base_of_v<coll::allreduce_call, What> ||
    std::is_base_of_v<coll::reduce_scatter_call, What> || std::is_base_of_v<coll::scan_call, What>;

/// The portals of a communicator, kept among its attributes under a key that no program has.
template <class Stack>
struct carrier final : mpx::detail::attribute_base {
  static constexpr mpx::detail::attribute_id key_of_all{nullptr, 1};

  /// Errors:     errc::no_resources.
  carrier(const communicator<Stack>& comm, const collective_limits& most,
          std::source_location where)
      : e(comm.endpoint_for_reports()),
        steps(comm, most, typename collective_portals<Stack>::at_comm{}, where) {
    key = key_of_all;
  }
  ~carrier() override {
    if (met.coming != nullptr) e.abandon(*met.coming);
  }
  /// A duplicate makes portals of its own.
  mpx::detail::attribute_base* copied() const override { return nullptr; }

  mpx::detail::endpoint<Stack>& e;
  collective_steps<Stack> steps;
  typename mpx::detail::collective_channel<Stack>::meeting met;
};

}  // namespace detail

/// Policy of a stack: blocking collective calls with a choice of algorithms go over portals, by the
/// algorithms that `Choice` chooses from the length and the number of ranks. A ring of an allgather
/// is a bucket. Shared memory and levels of nodes are not used. Started and prepared calls, and
/// those of neighbourhoods, go by messages.
///
/// A communicator's portals are made in its first such call, with a heap of `Limits`.
/// Cost:       of that call a barrier; for each rank some 500 bytes.
template <CollectivePolicy Choice = coll::by_size, collective_limits Limits = collective_limits{}>
struct by_portals {
  using policy_axis = collective_axis;
  static constexpr std::string_view name = "by_portals";
  static constexpr std::uint64_t choices_hash = [] {
    std::uint64_t h = mpx::detail::choices_hash<Choice> + Limits.short_bytes_max;
    for (const char c : std::string_view(Choice::name))
      h = (h ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    return h;
  }();
  static constexpr bool carries_calls = true;

  /// The choice for a call by messages.
  static constexpr coll::choice choose(coll::question q) noexcept {
    q.meets = false;
    return Choice::choose(q);
  }

  /// See CarryingCollectivePolicy.
  template <class Stack, class What>
  static bool carry(mpx::detail::collective_channel<Stack>& channel, const What& what,
                    [[maybe_unused]] coll::algorithm by) {
    if constexpr (detail::PlainCall<What>) {
      if (channel.size() == 1) return false;
      if (channel.begin() != errc{}) return true;
      detail::collective_steps<Stack>* const steps = steps_of(channel);
      if (steps == nullptr) return true;
      const mpx::detail::collective_call call = channel.call();
      steps->begin(&call);
      run(*steps, what, by);
      const errc why = steps->end();
      if (why == errc{}) {
        channel.over();
      } else {
        fail(channel, why, steps->thrown(), steps->blame());
      }
      return true;
    } else {
      return false;
    }
  }
  /// See CarryingCollectivePolicy.
  template <class Stack>
  static void leave(mpx::detail::endpoint<Stack>& e) {
    using carrier = detail::carrier<Stack>;
    mpx::detail::attribute_list gone;  // Ends without the lock.
    e.with_communicators([&](auto& all) {
      all.for_each([&](mpx::detail::communicator_state& s) {
        if (auto* const c = s.attributes.take(carrier::key_of_all); c != nullptr) gone.add(c);
      });
    });
  }

 private:
  template <class Stack, class What>
  static void run(detail::collective_steps<Stack>& steps, const What& what, coll::algorithm by) {
    coll::question q = what.ask(steps.rank(), steps.size());
    q.near = mpx::detail::shares_all_memory<Stack>;
    const coll::choice c = coll::decide<by_portals>(q, by);
    if constexpr (std::is_base_of_v<coll::allgather_call, What>) {
      if (c.by == coll::algorithm::ring && what.out.regular()) {
        if (what.in.exists()) steps.copy(what.out[steps.rank()], what.in);
        return steps.bucket(what.out.range(0, steps.size()), what.out.bytes);
      }
    }
    what(steps, c);
  }
  /// Returns nullptr if the call has failed. All ranks have their portals before one uses them.
  template <class Stack>
  static detail::collective_steps<Stack>* steps_of(
      mpx::detail::collective_channel<Stack>& channel) {
    using carrier = detail::carrier<Stack>;
    mpx::detail::attribute_list& all = channel.state().attributes;
    auto* is = static_cast<carrier*>(all.find(carrier::key_of_all));
    if (is == nullptr) {
      const communicator<Stack> on(channel.endpoint_of(), channel.state(),
                                   channel.state().of_handles, channel.rank(), channel.size());
      const errc why =
          mpx::detail::caught([&] { all.add(is = new carrier(on, Limits, channel.site().where)); });
      if (why != errc{}) {
        fail(channel, why, nullptr, {});
        return nullptr;
      }
    }
    return channel.meet(is->met) == errc{} ? &is->steps : nullptr;
  }
  template <class Stack>
  static void fail(mpx::detail::collective_channel<Stack>& channel, errc why,
                   const std::exception_ptr& thrown, const detail::blamed& by) {
    if (thrown != nullptr) return static_cast<void>(channel.threw(thrown));
    if (why == errc::no_resources) return static_cast<void>(channel.no_memory());
    // The communicator knows which rank is lost, or has left the call.
    mpx::detail::collective_failure f;
    if (why == errc::peer_lost || why == errc::pending || why == errc::not_ready ||
        why == errc::window)
      f = channel.why_lost();
    if (f.why == errc::peer_lost && f.other < 0 && by.is_message)
      f = {f.why, mpx::detail::collective_failure::cause::message, by.sends, by.other, by.bytes};
    if (f.why == errc{})
      f = {why,
           mpx::detail::collective_failure::cause::argument,
           false,
           proc_null,
           0,
           0,
           why == errc::count ? "a message over portals is not as long as its receive"
                              : "a message over portals has failed"};
    channel.failed(f);
  }
};

}  // namespace mpx::inline v0::portals
