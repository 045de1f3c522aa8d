// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Frames and calls that a fuzzer invents, against a real endpoint: see engine/malformed.hpp.

#include <cstdlib>

#include "engine/malformed.hpp"

namespace {

template <class Stack>
void play(std::span<const std::uint8_t> bytes) {
  static mpx::bootstrap::any job{mpx::bootstrap::singleton()};  // Nothing of a run stays in it.
  malformed::rank<Stack> rank(job, bytes);
  if (rank.run().inexplicable != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] % 4 == 0) {
    play<malformed::locked_stack>(rest);
  } else if (data[0] % 4 == 1) {
    play<malformed::late_stack>(rest);  // Takes bodies that are pushed.
  } else {
    play<malformed::stack>(rest);
  }
  return 0;
}
