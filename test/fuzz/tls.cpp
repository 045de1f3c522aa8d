// SPDX-License-Identifier: BSL-1.0
// timeout: 120
// Bytes that a fuzzer invents or changes between the two ends of an encrypted connection. Whatever
// is changed, an end reads a beginning of what the other has written, and nothing else.

#include <sys/socket.h>

#include <cstdlib>
#include <mpx/transport/tcp/tls_stream.hpp>
#include <span>
#include <string>

namespace {

using namespace mpx::transport::detail;

const tcp_site& nowhere() {
  static tcp_watch watch;
  static const tcp_secret secret;
  static const tcp_endpoint none;
  static const tcp_site site{watch, secret, 0, 1, none, none, 0};
  return site;
}

void require(bool holds) {
  if (!holds) std::abort();
}

struct input {
  std::span<const std::uint8_t> left;
  std::uint8_t byte() {
    if (left.empty()) return 0;
    const std::uint8_t b = left.front();
    left = left.subspan(1);
    return b;
  }
};

/// An end, the data that it has to write, and the data that it has read.
struct end {
  tls_stream stream;
  tcp_descriptor wire;
  std::string written;
  std::string got;
  tcp_secured state = tcp_secured::waits;

  end(tls_context& c, tcp_role role) {
    int fds[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    wire = tcp_descriptor(fds[1]);
    stream = tls_stream(tcp_descriptor(fds[0]));
    require(stream.begin(c, role, nowhere(), [] { return tcp_bytes32{}; }));
  }
  void move() {
    if (state == tcp_secured::waits) state = stream.secure();
    if (state != tcp_secured::yes) return;
    char bytes[300];
    iovec piece{bytes, sizeof bytes};
    for (;;) {
      const ssize_t n = stream.read(&piece, 1);
      if (n < 0) state = tcp_secured::broken;
      if (n <= 0) return;
      got.append(bytes, static_cast<std::size_t>(n));
    }
  }
  void write(std::size_t n) {
    if (state != tcp_secured::yes) return;
    const std::string more(n, static_cast<char>('a' + n % 26));
    iovec piece = piece_of(more.data(), more.size());
    const ssize_t w = stream.write(&piece, 1);
    if (w > 0) written += more.substr(0, static_cast<std::size_t>(w));
  }
};

/// Passes on what one has written, as the input says.
bool pass(const end& from, const end& to, input& in, bool& touched) {
  char bytes[70'000];
  ssize_t n = ::recv(from.wire.fd(), bytes, sizeof bytes, MSG_DONTWAIT);
  std::uint8_t what = in.byte();
  if (what >= 0xf0) {  // Something invented comes first.
    const std::size_t m = in.left.size() < 64 ? in.left.size() : 64;
    touched = touched || m != 0;
    static_cast<void>(::send(to.wire.fd(), in.left.data(), m, MSG_NOSIGNAL | MSG_DONTWAIT));
    in.left = in.left.subspan(m);
  }
  if (n <= 0) return false;
  for (; what >= 0x80 && what < 0xf0 && n > 0; what = in.byte()) {
    const std::size_t at = (std::size_t{in.byte()} << 8 | in.byte()) % static_cast<std::size_t>(n);
    const std::uint8_t bit = in.byte();
    touched = touched || bit != 0;
    bytes[at] = static_cast<char>(bytes[at] ^ bit);
    if (what >= 0x90) continue;
    n = static_cast<ssize_t>(at);  // The rest is lost.
    touched = true;
  }
  static_cast<void>(::send(to.wire.fd(), bytes, static_cast<std::size_t>(n), MSG_NOSIGNAL));
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tls_context context;
  input in{{data, size}};
  end caller(context, tcp_role::connects);
  end called(context, tcp_role::accepts);
  bool touched = false;
  bool to_caller = false;
  for (int round = 0; round < 40; ++round) {
    caller.move();
    called.move();
    if (round % 3 == 2) (to_caller ? called : caller).write(1 + in.byte() * std::size_t{7});
    pass(to_caller ? called : caller, to_caller ? caller : called, in, touched);
    to_caller = !to_caller;
    require(caller.written.starts_with(called.got) && called.written.starts_with(caller.got));
    if (!touched && round > 5)
      require(caller.state == tcp_secured::yes && called.state == tcp_secured::yes);
  }
  return 0;
}
