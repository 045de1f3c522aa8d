// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Bytes that a fuzzer invents, from strangers at a rank's door and from a rank that has been let
// in. Strangers get nowhere; what a rank says is a packet within bounds, or ends its connection.

#include <sys/socket.h>

#include <cstdlib>
#include <mpx/transport/tcp/listeners.hpp>
#include <mpx/transport/tcp/reader.hpp>
#include <mpx/transport/tcp/stream.hpp>
#include <vector>

namespace {

using namespace mpx::transport::detail;
constexpr std::size_t packet_bytes_max = 5000;

void require(bool holds) {
  if (!holds) std::abort();
}

struct ends {
  tcp_descriptor here;
  tcp_descriptor there;
  ends() {
    int fds[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
    here = tcp_descriptor(fds[0]);
    there = tcp_descriptor(fds[1]);
  }
};

/// The next of the input; 0 when it is at its end.
struct input {
  std::span<const std::uint8_t> left;
  std::uint8_t byte() {
    if (left.empty()) return 0;
    const std::uint8_t b = left.front();
    left = left.subspan(1);
    return b;
  }
  std::span<const std::uint8_t> some(std::size_t n) {
    const auto part = left.first(n < left.size() ? n : left.size());
    left = left.subspan(part.size());
    return part;
  }
};

void strangers(input in) {
  tcp_watch watch;
  tcp_endpoint at;
  const tcp_secret secret(tcp_bytes32{});
  const tcp_knock knock = tcp_knock_of(secret, 1);
  tcp_listeners door(listen_tcp(ip::address_v4::loopback(), {}, at), watch, knock);
  std::vector<tcp_descriptor> outside;
  const auto look = [&] {
    watch.look([&](tcp_watch::event e, bool) {
      if (e.what != tcp_watch::kind::newcomer) return;
      door.advance(e.which, secret, 1, 4,
                   [](tcp_descriptor&, const tcp_accepting_handshake&) -> bool { std::abort(); });
    });
  };
  while (!in.left.empty()) {
    const std::uint8_t what = in.byte();
    if (what % 4 == 0 && outside.size() < 80) {
      ends e;
      // Half of them are ranks, as far as a stranger can overhear.
      if (what % 8 == 0)
        require(::send(e.there.fd(), &knock, sizeof knock, MSG_NOSIGNAL) == sizeof knock);
      door.enter(std::move(e.here));
      outside.push_back(std::move(e.there));
    } else if (!outside.empty()) {
      const auto& s = outside[what % outside.size()];
      const auto said = in.some(in.byte());
      static_cast<void>(::send(s.fd(), said.data(), said.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
      if (what % 7 == 1) outside.erase(outside.begin() + what % static_cast<int>(outside.size()));
    }
    look();
  }
  look();  // Reads data behind a knock: unread bytes keep a connection from being late.
  outside.clear();
  door.tick(mpx::platform::now_ns() + 2 * tcp_listeners::patience_ns);
  require(door.counters().admitted == 0);
  require(door.counters().strangers >= 1 || door.quiet());
}

struct sink {
  std::vector<std::byte> memory;
  std::size_t packets = 0;
  std::uint8_t places;
  void packet(mpx::peer_id source, const mpx::frame_header&,
              std::span<const std::byte> body) noexcept {
    ++packets;
    require(source == 1 && body.size() <= packet_bytes_max);
    unsigned sum = 0;
    for (const std::byte b : body) sum += std::to_integer<unsigned>(b);
    if (sum == 1u << 31) std::abort();  // Every byte is looked at.
  }
  std::span<std::byte> place(mpx::peer_id, const mpx::frame_header&, std::size_t bytes) noexcept {
    require(bytes != 0 && bytes <= packet_bytes_max);
    if (places++ % 3 == 0) return {};
    memory.assign(bytes, std::byte{0});
    return memory;
  }
  void complete(mpx::cookie_t, bool) noexcept {}
  void malformed(mpx::peer_id) noexcept {}
  void unreachable(mpx::peer_id) noexcept {}
};

void rank(input in) {
  ends e;
  tcp_plain stream(std::move(e.here));
  tcp_reader reader;
  require(reader.begin());
  sink s{.memory = {}, .packets = 0, .places = in.byte()};
  const auto take = [&] {
    for (;;) {
      const tcp_found f = reader.next(s, 1, packet_bytes_max);
      if (f == tcp_found::malformed || f == tcp_found::goodbye) return false;
      if (f == tcp_found::nothing && !reader.fill(stream)) return true;
      if (f == tcp_found::nothing && reader.ended()) return false;
    }
  };
  while (!in.left.empty()) {
    const std::uint8_t what = in.byte();
    if (what % 16 == 0) reader.cancel_place();
    const auto said = in.some(what % 2 == 0 ? in.byte() : std::size_t{what} * 32);
    static_cast<void>(::send(e.there.fd(), said.data(), said.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    if (!take()) return;
  }
  e.there.close();
  require(!take());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const input rest{{data + 1, size - 1}};
  if (data[0] % 2 == 0) {
    strangers(rest);
  } else {
    rank(rest);
  }
  return 0;
}
