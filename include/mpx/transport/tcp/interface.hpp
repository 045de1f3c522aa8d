// SPDX-License-Identifier: BSL-1.0
#pragma once
// Where a rank listens: which address of this machine (MPX_TCP_INTERFACE), which port
// (MPX_TCP_PORTS), and how that is told to the others.

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::transport::detail {

namespace ip = boost::asio::ip;

/// An address and a port, in the form of system calls.
struct tcp_endpoint {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  socklen_t bytes = 0;  // 0: none.

  tcp_endpoint() noexcept : v6{} {}
  tcp_endpoint(const ip::address& a, std::uint16_t port) noexcept : v6{} {
    if (a.is_v4()) {
      const auto raw = a.to_v4().to_bytes();
      v4.sin_family = AF_INET;
      v4.sin_port = htons(port);
      std::memcpy(&v4.sin_addr, raw.data(), raw.size());
      bytes = sizeof v4;
    } else {
      const auto raw = a.to_v6().to_bytes();
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(port);
      v6.sin6_scope_id = static_cast<std::uint32_t>(a.to_v6().scope_id());
      std::memcpy(&v6.sin6_addr, raw.data(), raw.size());
      bytes = sizeof v6;
    }
  }
  std::uint16_t port() const noexcept {
    return ntohs(any.sa_family == AF_INET ? v4.sin_port : v6.sin6_port);
  }
  ip::address address() const noexcept {
    if (any.sa_family == AF_INET) {
      ip::address_v4::bytes_type raw;
      std::memcpy(raw.data(), &v4.sin_addr, raw.size());
      return ip::address_v4(raw);
    }
    ip::address_v6::bytes_type raw;
    std::memcpy(raw.data(), &v6.sin6_addr, raw.size());
    return ip::address_v6(raw, v6.sin6_scope_id);
  }
};

/// "127.0.0.1 40123": how an endpoint travels at start-up.
inline std::string text_of(const tcp_endpoint& e) {
  return e.address().to_string() + ' ' + std::to_string(e.port());
}
/// `bytes` is 0 if it is none.
inline tcp_endpoint read_endpoint(std::string_view text) {
  const std::size_t space = text.find(' ');
  std::uint64_t port = 0;
  if (space == std::string_view::npos ||
      !mpx::detail::parse_number(text.substr(space + 1), 65535, port) || port == 0)
    return {};
  boost::system::error_code bad;
  const ip::address a = ip::make_address(std::string(text.substr(0, space)), bad);
  return bad ? tcp_endpoint() : tcp_endpoint(a, static_cast<std::uint16_t>(port));
}

/// As many as `text` begins with, at most `most`, each followed by a space. Takes them from `text`.
inline std::vector<tcp_endpoint> read_endpoints(std::string_view& text, std::size_t most) {
  std::vector<tcp_endpoint> all;
  while (all.size() < most) {
    const std::size_t end = text.find(' ', text.find(' ') + 1);
    const tcp_endpoint e = read_endpoint(text.substr(0, end));
    if (e.bytes == 0) break;
    all.push_back(e);
    text.remove_prefix(end < text.size() ? end + 1 : text.size());
  }
  return all;
}

/// The ports that a rank may listen on; 0 to 0: any that is free.
struct tcp_port_range {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  /// "40000" or "40000-40100". Errors: errc::argument.
  static tcp_port_range read(std::string_view text) {
    const std::size_t dash = text.find('-');
    const std::string_view end = dash == std::string_view::npos ? text : text.substr(dash + 1);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!mpx::detail::parse_number(text.substr(0, dash), 65535, first) ||
        !mpx::detail::parse_number(end, 65535, last) || first == 0 || last < first)
      mpx::detail::throw_error(errc::argument,
                               "MPX_TCP_PORTS=%.*s is neither a port nor two of them, lower first, "
                               "such as 40000-40100",
                               static_cast<int>(text.size()), text.data());
    return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
  }
  static tcp_port_range from_environment() {
    const char* const told = std::getenv("MPX_TCP_PORTS");
    return told == nullptr ? tcp_port_range{} : read(told);
  }
};

/// What MPX_TCP_INTERFACE may say of the address to listen on: a name, an address, a subnet.
class tcp_interface_choice {
 public:
  /// Errors: errc::argument.
  explicit tcp_interface_choice(std::string_view text) : text_(text) {
    boost::system::error_code bad;
    if (text_.find('/') != std::string::npos) {
      net4_ = ip::make_network_v4(text_, bad);
      is_net4_ = !bad;
      if (!is_net4_) net6_ = ip::make_network_v6(text_, bad);
      is_net6_ = !is_net4_ && !bad;
      if (!is_net4_ && !is_net6_) refuse("is no subnet, such as 10.1.0.0/16 or fd00::/8");
      return;
    }
    address_ = ip::make_address(text_, bad);
    is_address_ = !bad;
    if (text_.empty() || (!is_address_ && text_.size() >= IF_NAMESIZE))
      refuse("is no name of an interface, no address and no subnet");
  }

  bool takes(std::string_view name, const ip::address& a) const {
    if (is_net4_) return a.is_v4() && within(a.to_v4());
    if (is_net6_) return a.is_v6() && within(a.to_v6());
    if (is_address_) return a == address_;
    return name == text_;
  }
  [[noreturn]] void refuse(const char* why) const {
    mpx::detail::throw_error(errc::argument, "MPX_TCP_INTERFACE=%s %s", text_.c_str(), why);
  }

 private:
  bool within(const ip::address_v4& a) const {
    return (a.to_uint() & net4_.netmask().to_uint()) == net4_.network().to_uint();
  }
  bool within(const ip::address_v6& a) const {
    return ip::network_v6(a, net6_.prefix_length()).network() == net6_.network();
  }

  std::string text_;
  ip::address address_;
  ip::network_v4 net4_;
  ip::network_v6 net6_;
  bool is_address_ = false;
  bool is_net4_ = false;
  bool is_net6_ = false;
};

/// Calls `f(name, address)` for each address of an interface of this machine that is up.
template <class F>
void for_each_address(F&& f) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) throw error(errc::no_resources, "getifaddrs failed");
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
    const auto family = at->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    tcp_endpoint e;
    std::memcpy(&e.any, at->ifa_addr, family == AF_INET ? sizeof e.v4 : sizeof e.v6);
    f(std::string_view(at->ifa_name), e.address());
  }
  ::freeifaddrs(all);
}

/// How much an address is to be preferred where nobody has chosen: one that other hosts reach.
inline int preference_of(const ip::address& a) {
  if (a.is_loopback()) return a.is_v4() ? 2 : 1;
  if (a.is_v6()) return a.to_v6().is_link_local() ? 0 : 3;
  return a.to_v4().to_uint() >> 16 == 0xa9fe ? 0 : 4;  // 169.254: not beyond the link.
}

/// The address that MPX_TCP_INTERFACE chooses; else, where all ranks are on this machine, the
/// loopback's; else the first that other hosts reach. Errors: errc::argument.
inline ip::address chosen_address(const char* told, bool one_machine) {
  ip::address best;
  int most = -1;
  if (told == nullptr) {
    if (one_machine) return ip::address_v4::loopback();
    for_each_address([&](std::string_view, const ip::address& a) {
      if (preference_of(a) > most) most = preference_of(best = a);
    });
    return most > 0 ? best : ip::address(ip::address_v4::loopback());
  }
  const tcp_interface_choice choice(told);
  for_each_address([&](std::string_view name, const ip::address& a) {
    if (choice.takes(name, a) && preference_of(a) > most) most = preference_of(best = a);
  });
  if (most < 0) choice.refuse("names no address of an interface of this machine that is up");
  return best;
}

/// The addresses of a list such as "eth0,eth1", each chosen as by itself; at most `most`. Errors:
/// errc::argument.
inline std::vector<ip::address> chosen_addresses(const char* told, bool one_machine,
                                                 std::size_t most) {
  std::vector<ip::address> all;
  if (told == nullptr) return {chosen_address(nullptr, one_machine)};
  std::string_view rest(told);
  for (bool last = false; !last && all.size() < most;) {
    const std::size_t end = rest.find(',');
    last = end == std::string_view::npos;
    all.push_back(chosen_address(std::string(rest.substr(0, end)).c_str(), one_machine));
    if (!last) rest.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace mpx::inline v0::transport::detail
