// SPDX-License-Identifier: BSL-1.0
// mpx-perf over the default stack, with one path for all long messages.

#include "measure.hpp"

namespace {

template <mpx::long_path Path>
using stack_by = mpx::stack<mpx::protocol::tiny_short_long<40, 16 * 1024, Path>>;

/// --long-path is for the bandwidth alone.
struct bandwidth {
  static bool has(std::string_view test) { return test == "bw"; }
  template <class Stack>
  using of = perf::few_tests::of<Stack>;
};

const perf::offer offer(perf::over<bandwidth, stack_by<mpx::long_path::get>>("default", "get"),
                        perf::over<bandwidth, stack_by<mpx::long_path::put>>("default", "put"),
                        perf::over<bandwidth, stack_by<mpx::long_path::packets>>("default",
                                                                                 "packets"));

}  // namespace
