// SPDX-License-Identifier: BSL-1.0
// Shared by the program, its library and its plugin (shared_objects.test.py). All is compiled with
// -fvisibility=hidden, so that each has its own copy of every header's variables.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <mpx/attributes.hpp>
#include <mpx/mpx.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#define MPX_TEST_EXPORTED extern "C" [[gnu::visibility("default")]]

#define MPX_TEST_REQUIRE(...)                                                                      \
  ((__VA_ARGS__) ? void(0)                                                                         \
                 : (std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__), \
                    std::_Exit(1)))

namespace objects {

using world = mpx::communicator<>;
using request = mpx::request<>;

/// Operations that the plugin has started, and the program waits for when it is unloaded.
struct handed_over {
  std::vector<int> plain = std::vector<int>(4);
  std::vector<int> again = std::vector<int>(4);
  std::vector<int> parts[2] = {std::vector<int>(4), std::vector<int>(4)};
  std::vector<double> out = std::vector<double>(200'000, 1.5);
  std::optional<request> receive, persistent, both, send;
};

}  // namespace objects
