// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Classes that are cards, and classes that are not.

#include "mpx/transport/rdma/nic.hpp"

#include <doctest/doctest.h>

namespace nic_concept_test {

using namespace mpx;

static_assert(Nic<nic_archetype> && ReadingNic<nic_archetype> && ChainingNic<nic_archetype>);
static_assert(PollableNic<nic_archetype> && ClockedNic<nic_archetype>);
static_assert(AtomicNic<nic_archetype>);

// Atomic accesses whose operations nobody knows before they fail.
struct nic_that_tells_no_operations : nic_archetype {
  void atomics() const noexcept;
};
static_assert(Nic<nic_that_tells_no_operations> && !AtomicNic<nic_that_tells_no_operations>);

// One that says it does not read is not asked to.
struct nic_that_writes : nic_archetype {
  static constexpr nic_traits traits{};
};
static_assert(Nic<nic_that_writes> && !ReadingNic<nic_that_writes>);

// A card that does not take memory back would let peers write into memory with another use.
struct nic_that_keeps : nic_archetype {
  void deregister(std::uint64_t) noexcept;
};
static_assert(!Nic<nic_that_keeps>);

struct nic_that_throws : nic_archetype {
  std::size_t poll(std::span<nic_event>);
};
static_assert(!Nic<nic_that_throws>);

struct no_nic_at_all {
  using policy_axis = nic_axis;
};
static_assert(!Nic<no_nic_at_all>);

TEST_CASE("nic: without traits a card promises nothing") {
  const nic_traits none;
  CHECK(!none.reads);
  CHECK(!none.arrivals_in_order);
  CHECK(!none.writes_before_arrivals);
  CHECK(!none.survives_refusals);
  CHECK(nic_region().handle == 0);
}

}  // namespace nic_concept_test
