// SPDX-License-Identifier: BSL-1.0
// Compiled where OpenSSL is there.
#include "sockets.hpp"

#include <cstdlib>
#include <mpx/transport/tcp/interface.hpp>
#include <mpx/transport/tcp/listeners.hpp>
#include <mpx/transport/tcp/tls_stream.hpp>
#include <string>

namespace mpxinfo {

namespace {

using namespace mpx::transport::detail;

/// At which addresses a rank would be called, in which order and why; throws why it cannot listen.
std::string listening() {
  const tcp_places here = tcp_places::chosen(false, tcp_listeners::listeners_max);
  std::string where;
  tcp_endpoint at;
  const auto ports = tcp_port_range::from_environment();
  if (here.everywhere) static_cast<void>(listen_tcp(here.any_address(), ports, at));
  for (const tcp_address& a : here.addresses) {
    if (!here.everywhere) static_cast<void>(listen_tcp(a.address, ports, at));
    where += (where.empty() ? "" : ", then ") + a.address.to_string() + " (" + a.interface;
    if (here.told) where += ", by MPX_TCP_INTERFACE";
    if (a.reach != address_reach::plain) where += ", " + std::string(text_of(a.reach));
    where += ')';
  }
  const char* const told = std::getenv("MPX_TCP_PORTS");
  return where + (told == nullptr ? "; any port" : std::string("; ports ") + told);
}

}  // namespace

std::vector<finding> sockets() {
  std::string where;
  std::string refused;
  try {
    where = listening();
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
      {"tcp", answer(refused, "a rank is called at " + where),
       refused.empty() ? "MPX_TCP_INTERFACE and MPX_TCP_PORTS choose; peers try an address of "
                         "their own networks "
                         "first, and one that several hosts have last"
                       : ""},
      {"tls", answer(no_tls, std::string("TLS 1.3 by ") + ::OpenSSL_version(OPENSSL_VERSION)), ""},
      {"hybrid", answer(refused, "shared memory among ranks that find it, tcp or tls to others"),
       ""}};
}

}  // namespace mpxinfo
