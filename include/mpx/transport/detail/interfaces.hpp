// SPDX-License-Identifier: BSL-1.0
#pragma once
// The network interfaces of this host, and the reachability of their addresses from other hosts.

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace mpx::inline v0::transport::detail {

/// Expected reachability of an address from other hosts, by its interface. Best first.
enum class address_reach : std::uint8_t {
  plain,           ///< Reachable as far as known.
  bridge,          ///< Often a network within this host (docker0, virbr0).
  point_to_point,  ///< A tunnel: only its other end is known to reach it.
  link_local,      ///< 169.254.0.0/16, fe80::/10: reachable on the same link only.
  not_running,     ///< The interface has no carrier.
  loopback,        ///< Reachable on this host only.
};

/// Classifies the address `at` of family AF_INET or AF_INET6. `flags` are those of its interface
/// (IFF_RUNNING and so on).
inline address_reach reach_of(const sockaddr& at, unsigned flags, bool is_bridge) noexcept {
  bool is_loopback = false;
  bool is_link_local = false;
  if (at.sa_family == AF_INET) {
    const std::uint32_t a = ntohl(reinterpret_cast<const sockaddr_in&>(at).sin_addr.s_addr);
    is_loopback = a >> 24 == 127;
    is_link_local = a >> 16 == 0xa9fe;
  } else {
    const in6_addr& a = reinterpret_cast<const sockaddr_in6&>(at).sin6_addr;
    is_loopback = IN6_IS_ADDR_LOOPBACK(&a);
    is_link_local = IN6_IS_ADDR_LINKLOCAL(&a);
  }
  if (is_loopback) return address_reach::loopback;
  if ((flags & IFF_RUNNING) == 0) return address_reach::not_running;
  if (is_link_local) return address_reach::link_local;
  if ((flags & IFF_POINTOPOINT) != 0) return address_reach::point_to_point;
  return is_bridge ? address_reach::bridge : address_reach::plain;
}
/// A text for users; "" for address_reach::plain.
inline std::string_view text_of(address_reach r) noexcept {
  switch (r) {
    case address_reach::plain: break;
    case address_reach::bridge: return "bridge";
    case address_reach::point_to_point: return "point-to-point";
    case address_reach::link_local: return "link-local";
    case address_reach::not_running: return "not running";
    case address_reach::loopback: return "this host alone";
  }
  return "";
}

/// Calls `f(entry, reach)` for each IPv4 or IPv6 address of an interface that is up, in the
/// kernel's order. Returns false, with errno set, if the kernel gives no list.
template <class F>
bool for_each_address(F&& f) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0) continue;
    if (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6) continue;
    char bridge[64];
    std::snprintf(bridge, sizeof bridge, "/sys/class/net/%.16s/bridge", i->ifa_name);
    f(*i, reach_of(*i->ifa_addr, i->ifa_flags, ::access(bridge, F_OK) == 0));
  }
  ::freeifaddrs(all);
  return true;
}

}  // namespace mpx::inline v0::transport::detail
