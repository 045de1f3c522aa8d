// SPDX-License-Identifier: BSL-1.0
#pragma once
// The addresses of this machine (MPX_TCP_INTERFACE) and the port (MPX_TCP_PORTS) on which a rank
// listens, and their text form for the other ranks.

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/detail/interfaces.hpp"

namespace mpx::inline v0::transport::detail {

namespace ip = boost::asio::ip;

/// An address and a port, in the form that system calls take.
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
  /// The address. An IPv4-mapped IPv6 address is returned as an IPv4 address.
  ip::address address() const noexcept {
    if (any.sa_family == AF_INET) {
      ip::address_v4::bytes_type raw;
      std::memcpy(raw.data(), &v4.sin_addr, raw.size());
      return ip::address_v4(raw);
    }
    ip::address_v6::bytes_type raw;
    std::memcpy(raw.data(), &v6.sin6_addr, raw.size());
    const ip::address_v6 a(raw, v6.sin6_scope_id);
    if (a.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, a);
    return a;
  }
};

/// "127.0.0.1 40123": the text form of an endpoint, published at start-up.
inline std::string text_of(const tcp_endpoint& e) {
  return e.address().to_string() + ' ' + std::to_string(e.port());
}
/// Parses text_of(). `bytes` of the result is 0 if `text` is malformed.
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

/// Parses endpoints from the beginning of `text`, at most `most`, each followed by a space, and
/// removes them from `text`.
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

/// The range of ports that a rank may listen on; 0 to 0: any free port.
struct tcp_port_range {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  /// Parses "40000" or "40000-40100". Errors: errc::argument.
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

/// One element of MPX_TCP_INTERFACE: the name of an interface, an address or a subnet.
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

  /// True if the address `a` of interface `name` matches.
  bool takes(std::string_view name, const ip::address& a) const {
    if (is_net4_) return a.is_v4() && within(a.to_v4());
    if (is_net6_) return a.is_v6() && within(a.to_v6());
    if (is_address_) return a == address_;
    return name == text_;
  }
  /// Throws errc::argument: the value, and `why` it cannot be used.
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

/// An address of an interface of this host.
struct tcp_address {
  std::string interface;
  ip::address address;
  unsigned prefix_bits = 0;  // Length of its network's prefix.
  address_reach reach = address_reach::plain;

  /// True if `a` is in the network of this address.
  bool shares_network(const ip::address& a) const noexcept {
    if (a.is_v4() != address.is_v4()) return false;
    return a.is_v4() ? same_bits(a.to_v4().to_bytes(), address.to_v4().to_bytes())
                     : same_bits(a.to_v6().to_bytes(), address.to_v6().to_bytes());
  }

 private:
  template <class Bytes>
  bool same_bits(const Bytes& a, const Bytes& b) const noexcept {
    const std::size_t whole = prefix_bits / 8;
    if (whole >= a.size()) return a == b;
    const unsigned mask = 0xff00u >> prefix_bits % 8 & 0xff;
    return std::memcmp(a.data(), b.data(), whole) == 0 && ((a[whole] ^ b[whole]) & mask) == 0;
  }
};

/// All addresses of interfaces of this host that are up, as the kernel lists them. Errors:
/// errc::no_resources.
inline std::vector<tcp_address> addresses_here() {
  std::vector<tcp_address> found;
  const bool listed = for_each_address([&found](const ifaddrs& i, address_reach reach) {
    const auto family = i.ifa_addr->sa_family;
    const auto read = [family](const sockaddr* from) {
      tcp_endpoint e;
      std::memcpy(&e.any, from, family == AF_INET ? sizeof e.v4 : sizeof e.v6);
      e.any.sa_family = family;
      return e.address();
    };
    tcp_address& a = found.emplace_back();
    a.interface = i.ifa_name;
    a.address = read(i.ifa_addr);
    a.reach = reach;
    if (i.ifa_netmask == nullptr) return;
    const auto count = [&a](const auto& mask) {
      for (const unsigned char byte : mask)
        a.prefix_bits += static_cast<unsigned>(std::popcount(byte));
    };
    const ip::address mask = read(i.ifa_netmask);
    mask.is_v4() ? count(mask.to_v4().to_bytes()) : count(mask.to_v6().to_bytes());
  });
  if (!listed) throw error(errc::no_resources, "getifaddrs failed");
  return found;
}

/// Sorts a few elements and keeps the order of equal ones. (std::stable_sort calls a deprecated
/// function, of which clang warns.)
template <class Range, class Less>
void sort_few(Range&& all, Less less) {
  for (auto it = all.begin(); it != all.end(); ++it)
    std::rotate(std::upper_bound(all.begin(), it, *it, less), it, std::next(it));
}

/// Sorts addresses by reachability, IPv4 before IPv6 of the same kind, and keeps one address of
/// each network of an interface.
inline std::vector<tcp_address> best_first(std::vector<tcp_address> all) {
  sort_few(all, [](const tcp_address& a, const tcp_address& b) {
    return std::pair(a.reach, a.address.is_v6()) < std::pair(b.reach, b.address.is_v6());
  });
  std::vector<tcp_address> kept;
  for (tcp_address& a : all) {
    const bool has_one = std::any_of(kept.begin(), kept.end(), [&a](const tcp_address& k) {
      return k.interface == a.interface && k.shares_network(a.address);
    });
    if (!has_one) kept.push_back(std::move(a));
  }
  return kept;
}

/// Limit of addresses that a rank publishes.
inline constexpr std::size_t tcp_places_max = 8;

/// The addresses on which a rank listens, and those that it publishes, in the order in which peers
/// are to try them.
struct tcp_places {
  std::vector<tcp_address> addresses;
  bool told = false;        // Chosen by MPX_TCP_INTERFACE.
  bool everywhere = false;  // One socket listens at all addresses of this host.

  /// Chooses from `here`, the result of addresses_here(). `told`: the value of MPX_TCP_INTERFACE, a
  /// list of which at most `most` elements count, or nullptr. `one_machine`: all ranks are on this
  /// machine.
  /// Errors: errc::argument.
  static tcp_places chosen(const char* told, bool one_machine, std::size_t most,
                           const std::vector<tcp_address>& here) {
    tcp_places p;
    p.told = told != nullptr;
    if (told != nullptr) {
      std::string_view rest(told);
      for (bool last = false; !last && p.addresses.size() < most;) {
        const std::size_t end = rest.find(',');
        last = end == std::string_view::npos;
        p.addresses.push_back(named(rest.substr(0, end), here));
        if (!last) rest.remove_prefix(end + 1);
      }
      return p;
    }
    if (!one_machine) {
      p.addresses = best_first(here);
      // A link-local IPv6 address needs the interface number of the connecting host, which is not
      // known.
      std::erase_if(p.addresses, [](const tcp_address& a) {
        return a.reach == address_reach::loopback ||
               (a.address.is_v6() && a.address.to_v6().is_link_local());
      });
      if (p.addresses.size() > tcp_places_max) p.addresses.resize(tcp_places_max);
      p.everywhere = !p.addresses.empty();
    }
    if (p.addresses.empty())
      p.addresses.push_back({"lo", ip::address_v4::loopback(), 8, address_reach::loopback});
    return p;
  }
  /// Chooses from the addresses of this host and the environment. Errors: errc::argument,
  /// errc::no_resources.
  static tcp_places chosen(bool one_machine, std::size_t most) {
    return chosen(std::getenv("MPX_TCP_INTERFACE"), one_machine, most, addresses_here());
  }

  /// The wildcard address to listen on if `everywhere`. Dual-stack if there is an IPv6 address.
  ip::address any_address() const {
    for (const tcp_address& a : addresses)
      if (a.address.is_v6()) return ip::address_v6::any();
    return ip::address_v4::any();
  }

 private:
  static tcp_address named(std::string_view text, const std::vector<tcp_address>& here) {
    const tcp_interface_choice choice(text);
    std::vector<tcp_address> all;
    for (const tcp_address& a : here)
      if (choice.takes(a.interface, a.address)) all.push_back(a);
    if (all.empty()) choice.refuse("names no address of an interface of this machine that is up");
    return best_first(std::move(all)).front();
  }
};

}  // namespace mpx::inline v0::transport::detail
