// SPDX-License-Identifier: BSL-1.0
// Compiled where libfabric is there.
#include "fabric.hpp"

#include <algorithm>
#include <mpx/transport/rdma/libfabric.hpp>
#include <string>

namespace mpxinfo {

std::vector<finding> fabric() {
  using namespace mpx::nic;
  constexpr std::size_t queue_entries = 64;
  const auto in_one_line = [](std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
      text.replace(at, 1, "; ");
    return text;
  };
  libfabric_options between_hosts;
  between_hosts.between_hosts = true;
  try {
    const detail::fabric_resources<fabric_calls> opened(between_hosts, queue_entries);
    const std::string refused = in_one_line(opened.refused);
    return {{"fabric", std::string("yes: provider ") + opened.provider() + " for mpx::fabric_stack",
             refused.empty() ? "MPX_FABRIC_PROVIDER names another" : "not used: " + refused}};
  } catch (const std::exception& e) {
    return {{"fabric", "no: " + in_one_line(e.what()), ""}};
  }
}

}  // namespace mpxinfo
