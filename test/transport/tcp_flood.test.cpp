// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// timeout: 300
// Over sockets: a stranger that opens many connections delays ranks, and separates none.

#include <fcntl.h>
#include <linux/filter.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mpx/transport/tcp.hpp>
#include <mpx/transport/tcp_streams.hpp>
#include <mpx/transport/tls.hpp>
#include <new>
#include <ostream>
#include <string>
#include <thread>

#include "half_job.hpp"

namespace {

using namespace half_a_job;
using std::chrono::milliseconds;

constexpr int descriptors_max = 4096;  // Looked at, of this process.

/// Behaviour of a stranger with a connection.
enum class habit : std::uint8_t { resets, closes, is_silent, talks };

/// A process that opens connections to all of some listeners, at most 10,000 a second to each, and
/// at most 200,000 in all. It ends with this, or after a minute.
class stranger {
 public:
  stranger(const std::vector<tcp_endpoint>& to, habit h, std::string says = {}) {
    void* const shared = ::mmap(nullptr, sizeof(std::atomic<unsigned>), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(shared != MAP_FAILED, "there is memory");
    opened_ = new (shared) std::atomic<unsigned>(0);
    child_ = ::fork();
    require(child_ >= 0, "there is a process");
    if (child_ != 0) return;
    ::close_range(3, ~0u, 0);
    ::alarm(60);
    run(to, h, says);
    ::_exit(0);
  }
  stranger(const stranger&) = delete;
  stranger& operator=(const stranger&) = delete;
  ~stranger() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::munmap(opened_, sizeof *opened_);
  }
  unsigned opened() const { return opened_->load(); }

 private:
  static constexpr unsigned opened_max = 200'000;
  static constexpr unsigned a_second = 10'000;
  static constexpr std::size_t held_max = 900;

  /// In the child: calls of the system alone.
  void run(const std::vector<tcp_endpoint>& to, habit h, const std::string& says) const {
    std::array<int, held_max> held;
    held.fill(-1);
    const std::int64_t begin = mpx::platform::now_ns();
    for (unsigned n = 0; n < opened_max; ++n) {
      const tcp_endpoint& there = to[n % to.size()];
      const int fd = ::socket(there.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      const linger now{1, 0};
      // Closed by a reset it leaves nothing in this kernel. The others take ports of their own.
      if (h != habit::closes) ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      sockaddr_in from{};
      from.sin_family = AF_INET;
      from.sin_addr.s_addr = htonl(0x7f000100u + n % 200);
      const int one = 1;
      ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
      if (h == habit::closes) ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from);
      ::connect(fd, &there.any, there.bytes);
      if (!says.empty()) static_cast<void>(!::send(fd, says.data(), says.size(), MSG_NOSIGNAL));
      if (h == habit::is_silent || h == habit::talks) {
        int& place = held[n % held_max];
        if (place >= 0) ::close(place);
        place = fd;
      } else {
        ::close(fd);
      }
      opened_->store(n + 1);
      const std::int64_t due =
          begin + std::int64_t{n} * second_ns / (a_second * static_cast<std::int64_t>(to.size()));
      if (const std::int64_t early = due - mpx::platform::now_ns(); early > 1'000'000) {
        const timespec t{0, static_cast<long>(early)};
        ::nanosleep(&t, nullptr);
      }
    }
    ::pause();
  }

  std::atomic<unsigned>* opened_ = nullptr;
  pid_t child_ = -1;
};

template <class F>
void for_each_socket(F&& f) {
  for (int fd = 3; fd < descriptors_max; ++fd) {
    int type = 0;
    socklen_t bytes = sizeof type;
    if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM) f(fd);
  }
}
int descriptors() {
  int n = 0;
  for (int fd = 0; fd < descriptors_max; ++fd) n += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return n;
}
/// As on a kernel that filters nothing.
void remove_filters() {
  for_each_socket([](int fd) {
    const int none = 0;
    ::setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none);
  });
}
bool keeps_strangers_out() {
  tcp_endpoint at;
  const tcp_descriptor listener = listen_tcp(ip::address_v4::loopback(), {}, at);
  return filter_tcp_listener(listener.fd(), {});
}
/// Breaks open connections, as a network may.
void break_connections() {
  for_each_socket([](int fd) {
    sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) == 0)
      ::shutdown(fd, SHUT_RDWR);
  });
}

bool has_ipv6() {
  bool there = false;
  static_cast<void>(for_each_address([&](const ifaddrs& i, address_reach) {
    there =
        there || (i.ifa_addr->sa_family == AF_INET6 &&
                  IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<sockaddr_in6&>(*i.ifa_addr).sin6_addr));
  }));
  return there;
}

/// Two ranks that a stranger knows of.
template <class T>
struct flooded {
  cluster<T> job{2};
  losing_keeper sinks[2];

  std::uint64_t accepted() { return job[0].door().accepted + job[1].door().accepted; }
  std::vector<tcp_endpoint> listeners() { return {job[0].endpoint(), job[1].endpoint()}; }
  void poll() {
    for (peer_id r = 0; r < 2; ++r) job[r].poll(sinks[r]);
  }
  /// Both look, until the stranger has opened so many more.
  void poll_while_opened(const stranger& s, unsigned more) {
    const deadline limit;
    for (const unsigned begin = s.opened(); s.opened() - begin < more;) {
      poll();
      std::this_thread::sleep_for(milliseconds(1));
      limit.check("the stranger calls");
    }
  }
  /// A message of each rank reaches the other one.
  void exchange(std::uint32_t serial) {
    const payload body(serial, 300);
    const std::size_t had = sinks[0].packets.size();
    for (peer_id r = 0; r < 2; ++r)
      REQUIRE(job[r].post(1 - r, header_of(serial), body.view(), serial) != outcome::refused);
    const deadline limit;
    while (sinks[0].packets.size() == had || sinks[1].packets.size() == had) {
      poll();
      for (const losing_keeper& sink : sinks) REQUIRE(sink.lost_ones.empty());
      REQUIRE(!limit.passed());
    }
    for (const losing_keeper& sink : sinks) CHECK(has_pattern(sink.packets.back().payload, serial));
  }
};

constexpr unsigned many = 20'000;  // Twice what two listeners' queues hold.

TEST_CASE_TEMPLATE(
    "tcp: ranks connect, and reconnect, while a stranger opens and closes connections", T, tcp,
    mpx::transport::tls, mpx::transport::tcp_streams<2>) {
  habit h = habit::resets;
  bool filters = true;
  bool over_ipv6 = false;
  SUBCASE("by a reset") {}
  SUBCASE("in good order") { h = habit::closes; }
  SUBCASE("over IPv6") { over_ipv6 = has_ipv6(); }
  SUBCASE("where the kernel does not filter") { filters = false; }
  if (over_ipv6) ::setenv("MPX_TCP_INTERFACE", "::1", 1);
  flooded<T> f;
  ::unsetenv("MPX_TCP_INTERFACE");
  if (!filters) remove_filters();
  const stranger s(f.listeners(), h);
  f.poll_while_opened(s, many);
  f.exchange(1);
  for (std::uint32_t serial = 2; serial < 6; ++serial) {
    break_connections();
    f.exchange(serial);
  }
  if (filters && keeps_strangers_out()) CHECK(f.accepted() < 100);
}

TEST_CASE("tcp: so do they while a stranger holds connections, with few descriptors and entries") {
  flooded<tcp> f;
  std::string says;
  habit h = habit::is_silent;
  bool filters = true;
  SUBCASE("and says nothing") {}
  SUBCASE("and talks") {
    h = habit::talks;
    says = std::string(200, 'x');
  }
  SUBCASE("and says nothing, where the kernel does not filter") { filters = false; }
  SUBCASE("and talks, where the kernel does not filter") {
    filters = false;
    h = habit::talks;
    says = std::string(200, 'x');
  }
  if (!filters) remove_filters();
  const int before = descriptors();
  int most = 0;
  const stranger s(f.listeners(), h, says);
  for (int i = 0; i < 10; ++i) {
    f.poll_while_opened(s, many / 10);
    most = std::max(most, descriptors());
  }
  CHECK(most <= before + 2 * static_cast<int>(tcp_listeners::places));
  for (std::uint32_t serial = 1; serial < 4; ++serial) {
    f.exchange(serial);
    break_connections();
  }
  if (filters && keeps_strangers_out()) CHECK(f.accepted() < 100);
}

TEST_CASE("tcp: ranks keep strangers out while they compute") {
  if (!keeps_strangers_out()) {
    MESSAGE("skipped: this kernel has no SYN cookies, or filters nothing");
    return;
  }
  const impatient now;
  flooded<tcp> f;
  bool early = false;
  SUBCASE("and meet afterwards") {}
  SUBCASE("and meet again afterwards") { early = true; }
  if (early) f.exchange(1);
  const stranger s(f.listeners(), habit::resets);
  const stranger t(f.listeners(), habit::is_silent);
  if (early) break_connections();
  const payload body(2, 300);
  REQUIRE(f.job[0].post(1, header_of(2), body.view(), 2) != outcome::refused);
  // Rank 1 computes for longer than a silent host is waited for.
  const std::int64_t until = mpx::platform::now_ns() + 2 * patience_s * second_ns;
  while (mpx::platform::now_ns() < until) {
    f.job[0].poll(f.sinks[0]);
    std::this_thread::sleep_for(milliseconds(1));
  }
  REQUIRE(s.opened() > 10'000);
  REQUIRE(f.sinks[0].lost_ones.empty());
  f.exchange(3);
  CHECK(f.sinks[1].packets.size() == (early ? 3 : 2));
}

TEST_CASE("tcp: strangers that connected before a rank knows the secret leave its queue") {
  tcp_endpoint at;
  tcp_descriptor listener = listen_tcp(ip::address_v4::loopback(), {}, at);
  std::vector<tcp_descriptor> early;
  for (int i = 0; i < 300; ++i) {
    early.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(early.back().fd(), &at.any, at.bytes) == 0);
  }
  tcp_watch watch;
  const tcp_listeners door(std::move(listener), watch, tcp_knock_of(tcp_secret::drawn(), 0));
  CHECK(door.counters().accepted == 300);
  CHECK(door.counters().strangers == 300 - tcp_listeners::places);
}

}  // namespace
