// SPDX-License-Identifier: BSL-1.0

#include <mpx/watch/trace.hpp>

#include "comm/ranks.hpp"

namespace {

/// Grants Trace and nothing more.
struct trace_archetype {
  using policy_axis = mpx::trace_axis;
  static constexpr std::string_view name = "archetype";
  void on(mpx::event, std::uint64_t) noexcept;
};
static_assert(mpx::Trace<trace_archetype> && !mpx::Trace<int>);
static_assert(mpx::Trace<mpx::trace::none> && mpx::Trace<mpx::trace::counters>);

TEST_CASE("trace: counters add up each event by itself") {
  mpx::trace::counters counters;
  const auto all = {mpx::event::packets_sent, mpx::event::bytes_got, mpx::event::sleeps};
  for (const mpx::event e : all) CHECK(counters[e] == 0);
  counters.on(mpx::event::bytes_got, 40);
  counters.on(mpx::event::bytes_got, 2);
  counters.on(mpx::event::sleeps, 1);
  CHECK(counters[mpx::event::packets_sent] == 0);
  CHECK(counters[mpx::event::bytes_got] == 42);
  CHECK(counters[mpx::event::sleeps] == 1);
}

}  // namespace
