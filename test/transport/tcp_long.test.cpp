// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Cost of long messages: the time of acknowledgements, the number of reads of a socket for one
// message, the size of writes, and the data that the kernel holds.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <mpx/transport/tcp/outgoing.hpp>
#include <mpx/transport/tcp/reader.hpp>
#include <mpx/transport/tcp/socket.hpp>
#include <span>
#include <vector>

namespace {

using namespace mpx::transport::detail;

/// Received bytes.
struct come_bytes {
  std::deque<std::byte> bytes;
  void come(std::span<const std::byte> some) {
    bytes.insert(bytes.end(), some.begin(), some.end());
  }
  int reads = 0;
  ssize_t read(iovec* pieces, std::size_t count) noexcept {
    ++reads;
    std::size_t got = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t n = std::min(pieces[i].iov_len, bytes.size());
      std::copy_n(bytes.begin(), n, static_cast<std::byte*>(pieces[i].iov_base));
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      got += n;
    }
    return static_cast<ssize_t>(got);
  }
};
/// Has a place for whatever comes.
struct placing_sink {
  std::vector<std::byte> memory;
  int packets = 0;
  std::span<std::byte> place(mpx::peer_id, const mpx::frame_header&, std::size_t bytes) {
    memory.assign(bytes, std::byte{0});
    return memory;
  }
  void packet(mpx::peer_id, const mpx::frame_header&, std::span<const std::byte>) { ++packets; }
  void unreachable(mpx::peer_id) {}
};

TEST_CASE("tcp: a receipt is sent for the end of a body that asks for one") {
  constexpr std::size_t body_bytes = 300'000;
  for (const bool asks : {true, false}) {
    CAPTURE(asks);
    tcp_reader reader;
    REQUIRE(reader.begin());
    come_bytes stream;
    placing_sink sink;
    const tcp_frame f{static_cast<std::uint32_t>(body_bytes) | (asks ? tcp_asks : 0), {}};
    stream.come(bytes_of(f));
    const std::vector<std::byte> body(body_bytes, std::byte{7});
    std::size_t come = 0;
    const auto more = [&](std::size_t n) {
      stream.come(std::span(body).subspan(come, n));
      come += n;
      while (reader.fill(stream))
        if (reader.next(sink, 1, 1u << 20) != tcp_found::nothing) break;
    };
    more(200'000);
    CHECK(reader.owes_receipt() == !asks);  // Copies of other bodies wait for every receipt.
    more(body_bytes - come - 1);
    CHECK(sink.packets == 0);
    more(1);
    CHECK(sink.packets == 1);
    CHECK(reader.owes_receipt());
    CHECK(reader.receipt().tell() == sizeof f + body_bytes);
    CHECK(sink.memory == body);
  }
}

/// Handling a packet reads the socket, as a post does that finds no room.
struct posting_sink {
  tcp_reader& reader;
  come_bytes& stream;
  int packets = 0;
  std::span<std::byte> place(mpx::peer_id, const mpx::frame_header&, std::size_t) { return {}; }
  void packet(mpx::peer_id, const mpx::frame_header&, std::span<const std::byte> payload) {
    static_cast<void>(reader.fill(stream));
    ++packets;
    CHECK(std::ranges::all_of(payload, [&](std::byte b) { return b == std::byte(packets); }));
  }
  void unreachable(mpx::peer_id) {}
};

TEST_CASE("tcp: a packet is not overwritten while its handler reads it") {
  tcp_reader reader;
  REQUIRE(reader.begin());
  come_bytes stream;
  posting_sink sink{reader, stream};
  for (int k = 1; k <= 20; ++k) {
    const std::vector<std::byte> payload(4000, std::byte(k));
    stream.come(bytes_of(tcp_frame{static_cast<std::uint32_t>(payload.size()), {}}));
    stream.come(payload);
  }
  while (reader.fill(stream))
    while (reader.next(sink, 1, 1u << 20) != tcp_found::nothing) {
    }
  CHECK(sink.packets == 20);
}

TEST_CASE("tcp: a long body that follows another is read in one go") {
  constexpr std::size_t body_bytes = 64 * 1024;
  constexpr int packets = 8;
  tcp_reader reader;
  REQUIRE(reader.begin());
  come_bytes stream;
  placing_sink sink;
  const std::vector<std::byte> body(body_bytes, std::byte{7});
  for (int i = 0; i < packets; ++i) {
    const tcp_frame f{static_cast<std::uint32_t>(body_bytes), {}};
    stream.come(bytes_of(f));
    stream.come(body);
  }
  while (sink.packets < packets && reader.fill(stream))
    while (reader.next(sink, 1, 1u << 20) != tcp_found::nothing) CHECK(sink.memory == body);
  CHECK(sink.packets == packets);
  CHECK(stream.reads == packets + 1);  // The first part is not known to be long.
}

/// Takes whatever is written, and knows how much that was at a time.
struct counted_writes {
  std::vector<std::size_t> bytes;
  ssize_t write(const iovec* pieces, std::size_t count) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < count; ++i) n += pieces[i].iov_len;
    bytes.push_back(n);
    return static_cast<ssize_t>(n);
  }
};

TEST_CASE("tcp: long messages leave in whole packets, and a rest with the next message") {
  constexpr std::size_t whole = tcp_packets_bytes_of(1448);
  CHECK(whole == 130'320);  // Ethernet: 45 segments a packet.
  CHECK(tcp_packets_bytes_of(8948) == 125'272);
  CHECK(tcp_packets_bytes_of(65'483) == 130'966);  // One segment is a packet.

  const std::vector<std::byte> body(64 * 1024, std::byte{7});
  const tcp_frame f{static_cast<std::uint32_t>(body.size()), {}};
  constexpr std::size_t frame_bytes = sizeof f + 64 * 1024;
  replay_log log;
  replay_told told;
  counted_writes stream;
  const auto post = [&] {
    REQUIRE(log.reserve(sizeof f));
    log.refer(bytes_of(f), body, 0, 1);
  };
  for (int i = 0; i < 4; ++i) post();
  REQUIRE(flush_tcp(stream, log, told, whole, true) == tcp_written::all);
  CHECK(stream.bytes == std::vector<std::size_t>{whole, whole});
  CHECK(log.unwritten_bytes() == 4 * frame_bytes - 2 * whole);
  for (int i = 0; i < 2; ++i) post();
  REQUIRE(flush_tcp(stream, log, told, whole) == tcp_written::all);
  CHECK(stream.bytes == std::vector<std::size_t>{whole, whole, whole, 6 * frame_bytes - 3 * whole});
  CHECK(log.idle());

  stream.bytes.clear();
  for (int i = 0; i < 4; ++i) post();
  REQUIRE(flush_tcp(stream, log, told, tcp_any_bytes, true) == tcp_written::all);
  CHECK(stream.bytes == std::vector<std::size_t>{4 * frame_bytes});
}

TEST_CASE("tcp: within a host the kernel holds no more than caches do") {
  for (const char* const to : {"127.0.0.1", "127.0.0.2"}) {
    CAPTURE(to);
    tcp_endpoint at;
    const tcp_descriptor listener = listen_tcp(ip::make_address(to), {}, at);
    const tcp_endpoint from(ip::make_address("127.0.0.1"), 0);
    const tcp_descriptor s = connect_tcp(from, at, 0);
    REQUIRE(s);
    REQUIRE(is_tcp_within_host(s.fd()));
    bound_tcp_within_host(s.fd());
    int bytes = 0;
    socklen_t size = sizeof bytes;
    REQUIRE(::getsockopt(s.fd(), SOL_SOCKET, SO_SNDBUF, &bytes, &size) == 0);
    CHECK(bytes <= 2 * tcp_within_host_bytes);
  }
  CHECK(!is_tcp_within_host(-1));
}

}  // namespace
