// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// Random programs over transport channel on simulated devices.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/channel_stacks.hpp"
#include "sim/play.hpp"

namespace {
namespace channel_over_sim {

#ifdef MPX_TEST_SANITIZED
constexpr std::uint64_t programs = 50;
#else
constexpr std::uint64_t programs = 150;
#endif

template <class Stack>
void explore() {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto v = explorer::play<Stack>(seed, seed % 4 == 3, {}, false);
    INFO("seed: ", seed);
    REQUIRE(v.failure == "");
  }
}

TEST_CASE("channel over sim: five functions") { explore<explorer::channel_plain>(); }
TEST_CASE("channel over sim: two packets are buffered") { explore<explorer::channel_counted>(); }
TEST_CASE("channel over sim: started operations") { explore<explorer::channel_starting>(); }
TEST_CASE("channel over sim: gets in pieces") { explore<explorer::channel_getting>(); }

/// Counts the bytes that operations move from and to the programs' memory, and others.
class counting : public explorer::sim_starting<explorer::device_options{128, 1024, 300, 2}> {
 public:
  using sim_starting::sim_starting;
  std::int64_t start_send(mpx::peer_id peer, std::span<const std::byte> data) noexcept {
    note(data, from);
    return sim_starting::start_send(peer, data);
  }
  std::int64_t start_receive(mpx::peer_id peer, std::span<std::byte> into) noexcept {
    note(into, to);
    return sim_starting::start_receive(peer, into);
  }
  static inline std::span<const std::byte> from;
  static inline std::span<const std::byte> to;
  static inline std::size_t in_place = 0;
  static inline std::size_t elsewhere = 0;

 private:
  static void note(std::span<const std::byte> data, std::span<const std::byte> program) noexcept {
    const bool is_in = data.data() >= program.data() &&
                       data.data() + data.size() <= program.data() + program.size();
    (is_in ? in_place : elsewhere) += data.size();
  }
};

using counting_stack =
    explorer::over_device<counting, 92, explorer::sized<40, 1024, mpx::long_path::automatic, 1024>>;
/// The memory of a long message at both ranks, whose bytes are counted from now on.
struct counted_message {
  static constexpr std::size_t bytes = 100'000;
  std::vector<std::byte> out = std::vector<std::byte>(bytes, std::byte{7});
  std::vector<std::byte> in = std::vector<std::byte>(bytes);

  counted_message() {
    counting::from = out;
    counting::to = in;
    counting::in_place = counting::elsewhere = 0;
  }
  ~counted_message() { counting::from = counting::to = {}; }
  counted_message(const counted_message&) = delete;
  counted_message& operator=(const counted_message&) = delete;
};

TEST_CASE("channel over sim: long messages are not copied") {
  counted_message m;
  mpx::sim::run<counting_stack>(2, mpx::sim::loggp{}, 1, [&](auto world) {
    if (world.rank() == 0)
      world.send(m.out, 1, 3);
    else
      world.recv(m.in, 0, 3);
  });
  CHECK(m.in == m.out);
  CHECK(counting::in_place == 2 * m.bytes);
  CHECK(counting::elsewhere == 0);
}

/// A dropped receive ends after the piece under way, and the sender's message ends, too.
TEST_CASE("channel over sim: a dropped receive waits for one piece") {
  counted_message m;
  mpx::sim::run<counting_stack>(2, mpx::sim::loggp{}, 1, [&](auto world) {
    if (world.rank() == 0) return world.send(m.out, 1, 3);
    {
      auto request = world.irecv(m.in, 0, 3);
      while (m.in[0] == std::byte{}) request.test();
    }
    std::ranges::fill(m.in, std::byte{0xee});
  });
  CHECK(std::ranges::all_of(m.in, [](std::byte b) { return b == std::byte{0xee}; }));
  CHECK(counting::in_place <= 10 * 1024);
}

}  // namespace channel_over_sim
}  // namespace
