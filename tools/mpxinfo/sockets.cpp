// SPDX-License-Identifier: BSL-1.0
// Compiled where OpenSSL is there.
#include "sockets.hpp"

#include <cstdlib>
#include <mpx/transport/tcp/interface.hpp>
#include <mpx/transport/tcp/newcomers.hpp>
#include <mpx/transport/tcp/tls_stream.hpp>
#include <string>

namespace mpxinfo {

namespace {

using namespace mpx::transport::detail;

/// Where a rank would listen; throws why it cannot.
std::string listening(bool one_machine) {
  std::string where;
  for (const ip::address& a : chosen_addresses(std::getenv("MPX_TCP_INTERFACE"), one_machine,
                                               tcp_newcomers::listeners_max)) {
    tcp_endpoint at;
    static_cast<void>(listen_tcp(a, tcp_port_range::from_environment(), at));
    where += (where.empty() ? "" : ", ") + a.to_string();
  }
  const char* const ports = std::getenv("MPX_TCP_PORTS");
  return where + (ports == nullptr ? ", any port" : std::string(", ports ") + ports);
}

}  // namespace

std::vector<finding> sockets(bool one_machine) {
  std::string where;
  std::string refused;
  try {
    where = listening(one_machine);
  } catch (const std::exception& e) {
    refused = e.what();
  }
  std::string no_tls = refused;
  try {
    if (refused.empty()) static_cast<void>(std::make_unique<tls_context>());
  } catch (const std::exception& e) {
    no_tls = e.what();
  }
  const auto answer = [](const std::string& why_not, const std::string& yes) {
    return why_not.empty() ? "yes: " + yes : "no: " + why_not;
  };
  return {
      {"tcp", answer(refused, "a rank listens on " + where),
       refused.empty() ? "MPX_TCP_INTERFACE and MPX_TCP_PORTS choose" : ""},
      {"tls", answer(no_tls, std::string("TLS 1.3 by ") + ::OpenSSL_version(OPENSSL_VERSION)), ""},
      {"hybrid", answer(refused, "shared memory among ranks that find it, tcp or tls to others"),
       ""}};
}

}  // namespace mpxinfo
