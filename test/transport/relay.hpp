// SPDX-License-Identifier: BSL-1.0
#pragma once
// A network that breaks: a relay on the loopback before each rank's listener, which cuts, swallows
// and holds up what passes, at the byte that the test names.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mpx/bootstrap/concepts.hpp>
#include <mpx/transport/tcp.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace relayed_transport {

using namespace std::chrono_literals;
using mpx::transport::detail::tcp_descriptor;
using mpx::transport::detail::tcp_endpoint;

enum class fault : std::uint8_t {
  none,
  reset,    ///< Both ends are told that the connection is reset.
  close,    ///< Both ends see its end.
  half,     ///< One direction ends, the other goes on.
  swallow,  ///< Data is swallowed; 10 ms later the connection is reset.
  stall,    ///< Nothing passes for 10 ms, then everything.
};

/// Fault of a connection, once it has carried so many bytes in both directions together.
struct fate {
  fault what = fault::none;
  std::uint64_t after = 0;
};
using plan = std::function<fate(unsigned connection)>;

/// Passes on to `target` what comes to a port of its own, at the same address.
class relay {
 public:
  relay(const tcp_endpoint& target, plan p) : plan_(std::move(p)), target_(target) {
    listener_ = mpx::transport::detail::listen_tcp(target.address(), {}, here_);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) turn();
    });
  }
  std::uint16_t port() const { return here_.port(); }
  unsigned connections() const { return connections_.load(); }

 private:
  using clock = std::chrono::steady_clock;
  struct connection {
    std::array<tcp_descriptor, 2> ends;
    std::array<std::string, 2> held;  // For that end.
    std::array<bool, 2> finished{};   // The end of that side's data.
    fate left;                        // `after` counts down.
    std::optional<clock::time_point> until;
    bool swallows = false;
    bool over = false;
  };

  void turn() {
    std::vector<pollfd> watched{{listener_.fd(), POLLIN, 0}};
    for (connection& c : all_)
      for (std::size_t i = 0; i < 2; ++i) {
        const bool reads = !c.finished[i] && c.held[1 - i].empty() && !stalled(c);
        const int events = (reads ? POLLIN : 0) | (c.held[i].empty() || stalled(c) ? 0 : POLLOUT);
        watched.push_back({c.ends[i].fd(), static_cast<short>(events), 0});
      }
    ::poll(watched.data(), watched.size(), 2);
    std::size_t at = 1;
    for (connection& c : all_) {
      const bool ready[2] = {watched[at].revents != 0, watched[at + 1].revents != 0};
      at += 2;
      if (c.until && clock::now() >= *c.until) {
        c.until.reset();
        if (c.swallows) reset(c);
      }
      for (std::size_t i = 0; i < 2 && !c.over && !stalled(c); ++i) {
        if (ready[i]) read(c, i);
        if (!c.over) write(c, 1 - i);
        if (!c.over) write(c, i);
      }
      if (c.finished[0] && c.finished[1] && c.held[0].empty() && c.held[1].empty()) c.over = true;
    }
    all_.remove_if([](const connection& c) { return c.over; });
    if (watched[0].revents != 0) accept();
  }
  static bool stalled(const connection& c) { return c.until && !c.swallows; }
  void accept() {
    tcp_descriptor s(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!s) return;
    tcp_descriptor to(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    // The target is not there: the caller gets a reset.
    if (::connect(to.fd(), &target_.any, target_.bytes) != 0) return end_by_reset(s);
    connection& c = all_.emplace_back();
    c.ends = {std::move(s), std::move(to)};
    c.left = plan_(connections_++);
    if (c.left.after == 0) strike(c, 0);
  }
  void read(connection& c, std::size_t from) {
    if (c.finished[from] || !c.held[1 - from].empty()) return;
    std::array<char, 64 * 1024> bytes;
    const ssize_t n = ::recv(c.ends[from].fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return reset(c);
    if (n == 0) {
      c.finished[from] = true;
      ::shutdown(c.ends[1 - from].fd(), SHUT_WR);
      return;
    }
    auto got = static_cast<std::size_t>(n);
    if (c.swallows) return;
    if (c.left.what == fault::none) {
      c.held[1 - from].assign(bytes.data(), got);
      return;
    }
    const std::size_t passes = got < c.left.after ? got : static_cast<std::size_t>(c.left.after);
    c.held[1 - from].assign(bytes.data(), passes);
    c.left.after -= passes;
    write(c, 1 - from);
    if (c.left.after != 0 || c.over) return;
    strike(c, from);
    if (stalled(c)) c.held[1 - from].append(bytes.data() + passes, got - passes);
  }
  void write(connection& c, std::size_t to) {
    std::string& s = c.held[to];
    if (s.empty()) return;
    const ssize_t n = ::send(c.ends[to].fd(), s.data(), s.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return reset(c);
    s.erase(0, static_cast<std::size_t>(n));
  }
  void strike(connection& c, std::size_t from) {
    switch (std::exchange(c.left.what, fault::none)) {
      case fault::none: break;
      case fault::reset: return reset(c);
      case fault::close: c.over = true; break;
      case fault::half:
        c.finished[from] = true;
        ::shutdown(c.ends[1 - from].fd(), SHUT_WR);
        break;
      case fault::swallow: c.swallows = true; [[fallthrough]];
      case fault::stall: c.until = clock::now() + 10ms; break;
    }
  }
  void reset(connection& c) {
    for (tcp_descriptor& s : c.ends) end_by_reset(s);
    c.over = true;
  }
  static void end_by_reset(tcp_descriptor& s) {
    const linger now{1, 0};
    ::setsockopt(s.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    s.close();
  }

  plan plan_;
  tcp_endpoint target_;
  tcp_endpoint here_;
  tcp_descriptor listener_;
  std::list<connection> all_;
  std::atomic<unsigned> connections_{0};
  std::jthread thread_;
};

/// The fate of connections, of all relays that are made: set by the test before.
inline plan& fates() {
  static plan p;
  return p;
}

/// As the bootstrap below, but what a rank publishes as its address is a relay before it.
template <class B>
struct behind_a_relay {
  B* lower;
  std::unique_ptr<relay> made;

  mpx::rank_t rank() const noexcept { return lower->rank(); }
  mpx::rank_t size() const noexcept { return lower->size(); }
  std::string_view host() const { return lower->host(); }
  std::optional<std::string> get(mpx::rank_t r, std::string_view key) { return lower->get(r, key); }
  template <class Idle>
  void fence(Idle&& idle) {
    lower->fence(idle);
  }
  void abort(int code, std::string_view why) { lower->abort(code, why); }
  void put(std::string_view key, std::string_view value) {
    if (key != "mpx.tcp") return lower->put(key, value);
    // Addresses, each with its port, then the host: of these no more than the first.
    const auto all = mpx::transport::detail::read_endpoints(value, 8);
    made = std::make_unique<relay>(all.at(0), fates());
    lower->put(key, all.at(0).address().to_string() + ' ' + std::to_string(made->port()) + ' ' +
                        std::string(value));
  }
};

template <class B>
struct relay_holder {
  behind_a_relay<B> way;
};
/// T, which others reach through a relay.
template <class T, class B = mpx::bootstrap::any>
class relayed : private relay_holder<B>, public T {
 public:
  explicit relayed(B& b) : relay_holder<B>{{&b, nullptr}}, T(this->way) {}
  const relay& network() const { return *this->way.made; }
};

}  // namespace relayed_transport
