// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 120
// Over sockets: at which addresses a rank is called, in which order, and what becomes of addresses
// at which it is not.

#include <net/if.h>

#include <mpx/transport/tcp.hpp>
#include <ostream>

#include "core/errc_of.hpp"
#include "half_job.hpp"

namespace {

using namespace half_a_job;
using ranks::errc_of;

constexpr unsigned runs = IFF_UP | IFF_RUNNING;

ip::address at(const char* text) { return ip::make_address(text); }
address_reach reach_of(const char* address, unsigned flags, bool is_bridge) {
  return mpx::transport::detail::reach_of(tcp_endpoint(at(address), 0).any, flags, is_bridge);
}
tcp_address on(const char* interface, const char* address, unsigned bits, unsigned flags = runs,
               bool is_bridge = false) {
  return {interface, at(address), bits, reach_of(address, flags, is_bridge)};
}
/// "eth0 10.0.0.1, ...".
std::string text(const std::vector<tcp_address>& all) {
  std::string s;
  for (const tcp_address& a : all)
    s += (s.empty() ? "" : ", ") + a.interface + ' ' + a.address.to_string();
  return s;
}
/// "10.0.0.1, 172.17.0.1?, ...": `?` is of doubtful ones.
std::string text(std::span<const tcp_place> all) {
  std::string s;
  for (const tcp_place& p : all)
    s += (s.empty() ? "" : ", ") + p.at.address().to_string() + (p.doubtful ? "?" : "");
  return s;
}
std::vector<tcp_endpoint> published(std::initializer_list<const char*> addresses,
                                    std::uint16_t port = 4711) {
  std::vector<tcp_endpoint> all;
  for (const char* const a : addresses) all.emplace_back(at(a), port);
  return all;
}

// --- What a rank publishes -----------------------------------------------------------------------

TEST_CASE("tcp: kinds of addresses") {
  CHECK(reach_of("10.0.0.1", runs, false) == address_reach::plain);
  CHECK(reach_of("fd00::1", runs, false) == address_reach::plain);
  CHECK(reach_of("10.0.0.1", runs | IFF_LOOPBACK, false) == address_reach::plain);
  CHECK(reach_of("10.0.0.1", runs, true) == address_reach::bridge);
  CHECK(reach_of("10.0.0.1", runs | IFF_POINTOPOINT, false) == address_reach::point_to_point);
  CHECK(reach_of("169.254.1.1", runs, false) == address_reach::link_local);
  CHECK(reach_of("fe80::1", runs, false) == address_reach::link_local);
  CHECK(reach_of("10.0.0.1", IFF_UP, false) == address_reach::not_running);
  CHECK(reach_of("10.0.0.1", IFF_UP | IFF_POINTOPOINT, true) == address_reach::not_running);
  CHECK(reach_of("127.0.0.1", runs | IFF_LOOPBACK, false) == address_reach::loopback);
  CHECK(reach_of("::1", runs | IFF_LOOPBACK, false) == address_reach::loopback);
}

TEST_CASE("tcp: the published addresses of a host, the best first") {
  const std::vector<tcp_address> host{on("lo", "127.0.0.1", 8),
                                      on("docker0", "172.17.0.1", 16, IFF_UP, true),
                                      on("tun0", "10.8.0.1", 32, runs | IFF_POINTOPOINT),
                                      on("virbr0", "192.168.122.1", 24, runs, true),
                                      on("usb0", "169.254.9.9", 16),
                                      on("eth0", "fe80::1", 64),
                                      on("eth0", "2001:db8::1", 64),
                                      on("eth0", "10.1.0.1", 16),
                                      on("eth0", "10.1.0.2", 16),
                                      on("eth1", "10.2.0.1", 16),
                                      on("eth0", "2001:db8::2", 64)};
  const auto places = [&host](const char* told, bool one_machine = false, std::size_t most = 1) {
    return tcp_places::chosen(told, one_machine, most, host);
  };
  CHECK(text(places(nullptr).addresses) ==
        "eth0 10.1.0.1, eth1 10.2.0.1, eth0 2001:db8::1, virbr0 192.168.122.1, tun0 10.8.0.1, "
        "usb0 169.254.9.9, docker0 172.17.0.1");
  CHECK(places(nullptr).everywhere);
  CHECK(places(nullptr).any_address() == ip::address_v6::any());
  CHECK(text(places(nullptr, true).addresses) == "lo 127.0.0.1");
  CHECK(!places(nullptr, true).everywhere);
  // The variable takes any, and that alone.
  CHECK(text(places("docker0").addresses) == "docker0 172.17.0.1");
  CHECK(text(places("eth0").addresses) == "eth0 10.1.0.1");
  CHECK(text(places("10.1.0.2").addresses) == "eth0 10.1.0.2");
  CHECK(text(places("2001:db8::/32").addresses) == "eth0 2001:db8::1");
  CHECK(text(places("eth1,eth0", false, 2).addresses) == "eth1 10.2.0.1, eth0 10.1.0.1");
  CHECK(text(places("eth1,eth0").addresses) == "eth1 10.2.0.1");
  CHECK(!places("eth0").everywhere);
  CHECK(errc_of([&] { static_cast<void>(places("eth7")); }) == mpx::errc::argument);
}

TEST_CASE("tcp: hosts with loopback alone, with IPv4 alone, with too many addresses") {
  const std::vector<tcp_address> alone{on("lo", "127.0.0.1", 8), on("eth0", "fe80::1", 64)};
  CHECK(text(tcp_places::chosen(nullptr, false, 1, alone).addresses) == "lo 127.0.0.1");
  CHECK(!tcp_places::chosen(nullptr, false, 1, alone).everywhere);
  std::vector<tcp_address> many;
  for (int i = 0; i < 20; ++i)
    many.push_back(
        on(("eth" + std::to_string(i)).c_str(), ("10." + std::to_string(i) + ".0.1").c_str(), 16));
  const tcp_places most = tcp_places::chosen(nullptr, false, 1, many);
  CHECK(most.addresses.size() == tcp_places_max);
  CHECK(most.any_address() == ip::address_v4::any());
  // All of the longest fit into what any launcher publishes, with a name of 100 letters.
  const std::string longest = "2001:db80:1111:2222:3333:4444:5555:6666 65535 ";
  CHECK(tcp_places_max * longest.size() + 2 + 100 <= 512);
  CHECK(!addresses_here().empty());
}

// --- In which order peers are called -------------------------------------------------------------

TEST_CASE("tcp: addresses of this host's networks come first, those of several hosts last") {
  const std::vector<tcp_address> mine{on("docker0", "172.17.0.1", 16, runs, true),
                                      on("eth0", "10.1.0.1", 24),
                                      on("tun0", "10.8.0.1", 24, runs | IFF_POINTOPOINT),
                                      on("usb0", "169.254.9.9", 16),
                                      on("old", "10.9.0.1", 24, IFF_UP),
                                      on("eth0", "fd00::1", 64)};
  const std::vector<std::vector<tcp_endpoint>> all{
      published({"10.1.0.1", "172.17.0.1"}),               // This rank,
      published({"10.1.0.1", "172.17.0.1"}, 4712),         // and one of its host.
      published({"172.17.0.1", "10.7.0.2", "10.1.0.2"}),   // docker0 before all others.
      published({"10.7.0.3", "172.18.0.1", "fd00::3"}),    // The only network in common is IPv6's.
      published({"10.8.0.4", "169.254.9.4", "10.9.0.4"}),  // No network that counts.
      published({"10.7.0.5", "192.168.122.1"}),            // Libvirt's, as
      published({"192.168.122.1", "10.7.0.6", "10.1.7.6"}),  // here.
      published({"10.8.0.1", "10.7.0.7"})};                  // Its address is one of this host's.
  const tcp_directory d(all, 0, mine);
  CHECK(text(d.of(0)) == "10.1.0.1, 172.17.0.1?");
  CHECK(text(d.of(1)) == "10.1.0.1, 172.17.0.1?");
  CHECK(d.of(1)[0].at.port() == 4712);
  CHECK(text(d.of(2)) == "10.1.0.2, 10.7.0.2, 172.17.0.1?");
  CHECK(text(d.of(3)) == "fd00::3, 10.7.0.3, 172.18.0.1");
  CHECK(text(d.of(4)) == "10.8.0.4, 169.254.9.4, 10.9.0.4");
  CHECK(text(d.of(5)) == "10.7.0.5, 192.168.122.1?");
  CHECK(text(d.of(6)) == "10.7.0.6, 10.1.7.6, 192.168.122.1?");
  CHECK(text(d.of(7)) == "10.7.0.7, 10.8.0.1?");
}

TEST_CASE("tcp: networks end where their prefix does") {
  CHECK(on("a", "10.1.0.1", 16).shares_network(at("10.1.255.255")));
  CHECK(!on("a", "10.1.0.1", 16).shares_network(at("10.0.0.1")));
  CHECK(on("a", "10.1.0.1", 20).shares_network(at("10.1.15.1")));
  CHECK(!on("a", "10.1.0.1", 20).shares_network(at("10.1.16.1")));
  CHECK(on("a", "10.1.0.1", 32).shares_network(at("10.1.0.1")));
  CHECK(!on("a", "10.1.0.1", 32).shares_network(at("10.1.0.0")));
  CHECK(on("a", "10.1.0.1", 0).shares_network(at("99.1.0.0")));
  CHECK(!on("a", "10.1.0.1", 0).shares_network(at("fd00::1")));
  CHECK(on("a", "fd00:0:0:1::1", 63).shares_network(at("fd00::1")));
  CHECK(!on("a", "fd00:0:0:1::1", 64).shares_network(at("fd00::1")));
  CHECK(tcp_endpoint(at("::ffff:10.1.2.3"), 1).address() == at("10.1.2.3"));
}

// --- The search ----------------------------------------------------------------------------------

TEST_CASE("tcp: a search repeats all addresses, quickly at first; refusals of all end it") {
  constexpr std::int64_t reach = 4 * second_ns;
  constexpr std::int64_t usual = reach / 3;
  tcp_search one;
  CHECK(one.attempt_ns(usual, reach, 1) == usual);
  CHECK(!one.failed(ETIMEDOUT, 1));
  CHECK(one.failed(ECONNREFUSED, 1));

  tcp_search s;
  s.begin(1);
  CHECK(s.attempt_ns(usual, reach, 3) == second_ns / 4);
  CHECK(s.attempt_ns(usual, second_ns, 5) == second_ns / 10);
  CHECK(s.attempt_ns(7, reach, 3) == 7);
  CHECK(!s.failed(ECONNREFUSED, 3));
  CHECK(s.at() == 1);
  CHECK(!s.failed(ETIMEDOUT, 3));
  CHECK(s.has_untried(3));
  CHECK(!s.failed(tcp_stranger, 3));
  CHECK(!s.has_untried(3));
  CHECK(s.at() == 0);
  CHECK(s.attempt_ns(usual, reach, 3) == usual);
  CHECK(!s.failed(ECONNREFUSED, 3));
  CHECK(!s.failed(ENETUNREACH, 3));
  CHECK(!s.failed(EPERM, 3));
  CHECK(!s.failed(ECONNREFUSED, 3));
  CHECK(s.failed(ECONNREFUSED, 3));

  // At an address where the peer was found before, a refusal comes from the peer itself.
  s.found(1, 3);
  CHECK(s.at() == 1);
  CHECK(s.has_untried(3));
  tcp_search met = s;
  CHECK(met.failed(ECONNREFUSED, 3));
  CHECK(!s.failed(ETIMEDOUT, 3));
  CHECK(s.at() == 2);
  CHECK(!s.failed(ECONNREFUSED, 3));
  // A connection from elsewhere says nothing of these.
  s.found(3, 3);
  CHECK(s.at() == 0);
  CHECK(!s.failed(ECONNREFUSED, 3));
}

TEST_CASE("tcp: the text of a search names each address that was tried") {
  const std::vector<std::vector<tcp_endpoint>> all{
      published({"10.1.0.1", "172.17.0.1", "fd00::1"})};
  const tcp_directory d(all, 0, {});
  tcp_search s;
  CHECK(s.text(d.of(0)) == "");
  s.begin(second_ns);
  s.failed(ENETUNREACH, 3);
  s.failed(tcp_stranger, 3);
  CHECK(
      s.text(d.of(0)) ==
      "10.1.0.1 port 4711: Network is unreachable; 172.17.0.1 port 4711: another process answers");
  s.failed(ETIMEDOUT, 3);
  s.failed(ETIMEDOUT, 3);  // The first reason stays.
  CHECK(s.text(d.of(0)) ==
        "10.1.0.1 port 4711: Network is unreachable; 172.17.0.1 port 4711: another process "
        "answers; fd00::1 port 4711: no answer");
  s.end(3 * second_ns);
  CHECK(s.seconds() == doctest::Approx(2));
}

// --- Whoever answers -----------------------------------------------------------------------------

/// The process at the address that rank 1 publishes first.
enum class other { nobody, hangs_up, another_program, another_rank, silent };

void check_next_address_is_called(other what) {
  tcp_endpoint wrong;
  tcp_descriptor door = listen_tcp(at("127.0.0.2"), {}, wrong);
  if (what == other::nobody) door.close();
  half_job j(text_of(wrong) + ' ');
  losing_keeper sink;
  const payload body(1, 100);
  REQUIRE(j.t->post(1, header_of(1), body.view(), 7) != outcome::refused);
  tcp_descriptor caller;
  if (what != other::nobody) {
    const deadline limit;
    while (!caller) {
      j.poll(sink, 1);
      caller = tcp_descriptor(::accept4(door.fd(), nullptr, nullptr, SOCK_CLOEXEC));
      limit.check("the first address is called");
    }
  }
  if (what == other::hangs_up) caller.close();
  if (what == other::another_program) say(caller, std::string(200, 'x').data(), 200);
  if (what == other::another_rank) {  // Of another job, or called by mistake: its answer is none.
    const tcp_challenge c{tcp_magic, {}};
    const tcp_answer answer{tcp_verdict::open, {}};
    say(caller, &c, sizeof c);
    say(caller, &answer, sizeof answer);
  }
  call_of_rank_0 call(j, sink);
  call.open();
  CHECK(sink.lost_ones.empty());
  CHECK(j.t->loss_text(1) == "");
}

TEST_CASE("tcp: no process at the first address") { check_next_address_is_called(other::nobody); }
TEST_CASE("tcp: a process that closes the connection at the first address") {
  check_next_address_is_called(other::hangs_up);
}
TEST_CASE("tcp: another program at the first address") {
  check_next_address_is_called(other::another_program);
}
TEST_CASE("tcp: a rank of another job at the first address") {
  check_next_address_is_called(other::another_rank);
}

TEST_CASE("tcp: a silent process at an address that several hosts have") {
  tcp_endpoint wrong;
  const tcp_descriptor door = listen_tcp(ip::address_v4::loopback(), {}, wrong);
  half_job j(text_of(wrong) + ' ');  // Both are this host's own addresses: either may be another's.
  losing_keeper sink;
  const payload body(1, 100);
  REQUIRE(j.t->post(1, header_of(1), body.view(), 7) != outcome::refused);
  call_of_rank_0 call(j, sink);
  call.open();
  CHECK(sink.lost_ones.empty());
}

TEST_CASE("tcp: no process at any address: the text names them all") {
  tcp_endpoint wrong;
  listen_tcp(at("127.0.0.2"), {}, wrong).close();
  half_job j(text_of(wrong) + ' ');
  losing_keeper sink;
  tcp_endpoint right;
  socklen_t bytes = sizeof right.v6;
  REQUIRE(::getsockname(j.listener.fd(), &right.any, &bytes) == 0);
  j.listener.close();
  const payload body(1, 100);
  REQUIRE(j.t->post(1, header_of(1), body.view(), 7) != outcome::refused);
  const deadline limit;
  while (sink.lost_ones.empty()) {
    j.t->poll(sink);
    limit.check("the peer is lost");
  }
  const std::string said = j.t->loss_text(1);
  CAPTURE(said);
  CHECK(said.starts_with("rank 1 was not reached in 0."));
  const auto refused = [](const tcp_endpoint& e, const char* of) {
    return e.address().to_string() + " port " + std::to_string(e.port()) + of +
           ": Connection refused";
  };
  CHECK(said.find(refused(wrong, "") + "; " + refused(right, " (may be another host's)")) !=
        said.npos);
  CHECK(said.find("MPX_TCP_INTERFACE") != said.npos);
}

}  // namespace
