// SPDX-License-Identifier: BSL-1.0
#pragma once
// Shared by two objects of one program that are compiled with different assertion levels.

#undef MPX_ASSERT_LEVEL
#define MPX_ASSERT_LEVEL MPX_TEST_LEVEL

#include <functional>
#include <mpx/mpx.hpp>

namespace levels {

template <class Threading>
using stack = mpx::stack<mpx::transport::inproc, Threading>;
using single = stack<mpx::threading::single>;
using serialized = stack<mpx::threading::serialized>;

/// Sizes and offsets that must not depend on the level.
struct layout {
  std::size_t environment = sizeof(mpx::environment<single>);
  std::size_t serialized = sizeof(mpx::environment<levels::serialized>);
  std::size_t threading = sizeof(mpx::threading::single) + sizeof(mpx::threading::serialized);
  std::size_t communicator = sizeof(mpx::communicator<single>);
  std::size_t request = sizeof(mpx::request<single>);
  std::size_t status = sizeof(mpx::status);
  bool operator==(const layout&) const = default;
};

/// Talks to the next rank, with what the other object has made.
template <class Stack>
int talk(mpx::communicator<Stack> world) {
  const mpx::rank_t next = (world.rank() + 1) % world.size();
  int got = -1;
  auto receiving = world.irecv(got, mpx::any_source, 3);
  world.send(world.rank(), next, 3);
  receiving.wait();
  return world.allreduce(got, std::plus<>{});
}

}  // namespace levels

namespace checked {  // Level 2.
levels::layout layout();
int talk(const mpx::communicator<levels::single>& world);
int talk(const mpx::communicator<levels::serialized>& world);
int run(mpx::rank_t n, bool serialized);
}  // namespace checked

namespace unchecked {  // Level 0.
levels::layout layout();
int talk(const mpx::communicator<levels::single>& world);
int talk(const mpx::communicator<levels::serialized>& world);
int run(mpx::rank_t n, bool serialized);
}  // namespace unchecked
