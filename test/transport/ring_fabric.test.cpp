// SPDX-License-Identifier: BSL-1.0
// The fabric without room for a ring in its segment. The transports over it, and test/preempt, test
// the rest.

#include <doctest/doctest.h>

#include <mpx/transport/inproc.hpp>
#include <vector>

#include "cluster.hpp"

namespace {

using namespace transport_contract;
namespace ring = mpx::transport::detail;
constexpr ring::ring_geometry geometry{4, 4096};
constexpr ring::inproc_shape two{2, 2, geometry};

/// A segment that is out of mappings as long as `out` says so.
class narrow_segment : public ring::inproc_segment {
 public:
  narrow_segment(ring::shared_mapping memory, peer_id self, const bool& out)
      : ring::inproc_segment(std::move(memory), two, {self, 1}, 2), out_(out) {}
  std::byte* channel(peer_id source, peer_id destination) const noexcept {
    return out_ ? nullptr : ring::inproc_segment::channel(source, destination);
  }

 private:
  const bool& out_;
};

using fabric = ring::ring_fabric<narrow_segment>;

TEST_CASE("ring_fabric: a lack of mappings is not reported as malformed data") {
  const ring::shared_mapping memory(ring::inproc_segment::bytes(two), 2);
  bool out = false;
  const bool never = false;
  fabric sender(narrow_segment(memory, 0, never), 0, 2, geometry);
  fabric receiver(narrow_segment(memory, 1, out), 1, 2, geometry);
  keeper sink;

  out = true;
  REQUIRE(post(sender, 1, 1, 8) == outcome::done);
  for (int i = 0; i < 100; ++i) CHECK(receiver.poll(sink) == 0);
  CHECK(sink.unreachable_from == std::vector<peer_id>{0});  // Once, and not by every poll.
  CHECK(sink.malformed_from.empty());
  CHECK(receiver.arm());  // Nor is there anything to stay awake for.
  receiver.disarm();
  CHECK(post(receiver, 0, 1, 8) == outcome::refused);

  REQUIRE(post(sender, 1, 2, 8) == outcome::done);  // Not received yet: it calls again.
  for (int i = 0; i < 100; ++i) CHECK(receiver.poll(sink) == 0);
  CHECK(sink.unreachable_from == std::vector<peer_id>{0, 0});

  out = false;
  REQUIRE(post(sender, 1, 3, 8) == outcome::done);
  poll_until(receiver, sink, 3);
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(same(sink.packets[i].header, header_of(i + 1)));
  CHECK(sink.unreachable_from.size() == 2);
  CHECK(sink.malformed_from.empty());
  CHECK(post(receiver, 0, 1, 8) == outcome::done);
}

TEST_CASE("ring_fabric: a poll ends with a large payload") {
  constexpr ring::ring_geometry roomy{64, 65536};
  constexpr ring::inproc_shape shape{2, 2, roomy};
  const ring::shared_mapping memory(ring::inproc_segment::bytes(shape), 2);
  using fabric = ring::ring_fabric<ring::inproc_segment>;
  const auto end = [&](peer_id self) {
    return fabric(ring::inproc_segment(memory, shape, {self, 1}, 2), self, 2, roomy);
  };
  fabric sender = end(0);
  fabric receiver = end(1);
  keeper sink;
  const std::size_t sizes[] = {8, 1000, 2048, 2048, 16, 4096, 8};
  for (std::uint32_t i = 0; i < std::size(sizes); ++i)
    REQUIRE(post(sender, 1, i, sizes[i]) == outcome::done);
  for (const std::size_t together : {3u, 1u, 2u, 1u}) CHECK(receiver.poll(sink) == together);
  CHECK(receiver.poll(sink) == 0);
  for (std::uint32_t i = 0; i < std::size(sizes); ++i) {
    CHECK(same(sink.packets[i].header, header_of(i)));
    CHECK(sink.packets[i].payload.size() == sizes[i]);
  }

  struct : keeper {
    bool more_fragments() const noexcept { return packets.size() % 3 != 0; }
  } threes;
  for (std::uint32_t i = 0; i < 7; ++i) REQUIRE(post(sender, 1, i, 4096) == outcome::done);
  for (const std::size_t together : {3u, 3u, 1u}) CHECK(receiver.poll(threes) == together);
}

}  // namespace
