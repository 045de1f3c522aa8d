// SPDX-License-Identifier: BSL-1.0
// A translation unit for the precompiled header that all tests share. It holds what mpx promises of
// its own policies and archetypes: in the headers, every program would check it again.
#include <mutex>
#include <span>
#include <string_view>

#include <mpx/mpx.hpp>

namespace {

using namespace mpx;  // NOLINT(google-build-using-namespace)

static_assert(SendBuffer<int&> && SendBuffer<const double&> && SendBuffer<std::span<const int>>);
static_assert(ReceiveBuffer<int&> && ReceiveBuffer<std::span<int>> && ReceiveBuffer<int (&)[3]>);
static_assert(!ReceiveBuffer<const int&> && !ReceiveBuffer<std::span<const int>>);
static_assert(!SendBuffer<int*> && !BufferOutlivesCall<int>);

// Each policy is one, each archetype grants what it stands for, and what falls short does not.
struct deaf {
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "deaf";
};
static_assert(PacketSink<sink_archetype>);
static_assert(Transport<transport_archetype> && Transport<transport::inproc>);
static_assert(Transport<transport::shm>);
static_assert(!Transport<deaf> && !Transport<int>);

struct may_throw {
  using policy_axis = flow_axis;
  explicit may_throw(peer_id);
  bool try_acquire(peer_id, std::size_t);  // Not noexcept.
};
static_assert(ElasticFlowControl<flow_archetype> && ElasticFlowControl<flow::unlimited>);
static_assert(PrepaidFlowControl<flow_archetype> && PrepaidFlowControl<flow::unlimited>);
static_assert(PrepaidFlowControl<flow::credits<>> && PrepaidFlowControl<flow::zeno<>>);
static_assert(ReassigningFlowControl<flow_archetype> && ReassigningFlowControl<flow::zeno<>>);
static_assert(!ReassigningFlowControl<flow::credits<>>);
static_assert(ElasticFlowControl<flow::credits<>> && !FlowControl<may_throw>);

struct matches_arrivals {
  using policy_axis = matching_axis;
  posted_receive* match_arrival(const envelope&);
};
static_assert(Matcher<matcher_archetype> && Matcher<matching::hashed> && Matcher<matching::list>);
static_assert(Matcher<matching::portals>);
static_assert(!Matcher<matches_arrivals>);

struct tiny_alone {
  using policy_axis = protocol_axis;
  [[maybe_unused]] static constexpr std::size_t tiny_bytes_max = 8;
};
static_assert(Protocol<protocol_archetype> && Protocol<protocol::tiny_short_long<>>);
static_assert(!Protocol<tiny_alone>);

static_assert(ThreadModel<thread_model_archetype> && !ThreadModel<std::mutex>);
static_assert(ThreadModel<threading::single> && ThreadModel<threading::serialized>);
static_assert(ThreadModel<threading::multiple> && !CheckingThreadModel<threading::multiple>);
static_assert(CheckingThreadModel<threading::single> && CheckingThreadModel<threading::serialized>);
static_assert(!CheckingThreadModel<thread_model_archetype>);

static_assert(WaitPolicy<wait_archetype> && !WaitPolicy<int>);
static_assert(WaitPolicy<waiting::spin> && WaitPolicy<waiting::sleep>);

}  // namespace
