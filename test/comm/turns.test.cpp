// SPDX-License-Identifier: BSL-1.0
// Two ranks that send each other long messages in turns: whole, in order, into whatever receives
// them.

#include "comm/ranks.hpp"

namespace {

constexpr int turns_played = 50;

enum class arrival { posted, direct, probed, any, exchanged };

template <class Stack>
void check_turns(mpx::communicator<Stack> world, std::size_t bytes, arrival by) {
  const mpx::rank_t other = 1 - world.rank();
  bool right = true;
  std::vector<std::byte> in(bytes + 8);
  for (int i = 0; i < turns_played; ++i) {
    const auto seed = [i](mpx::rank_t from) { return static_cast<std::uint64_t>(2 * i + from); };
    const std::vector<std::byte> out = ranks::message(bytes, seed(world.rank()));
    mpx::status s;
    if (by == arrival::exchanged) {
      s = world.sendrecv(out, other, 1, in, other, 1);
    } else {
      // Rank 1 answers. It has its receive posted, or waits in it, or comes when all is there.
      std::optional<mpx::request<Stack>> posted;
      if (by == arrival::posted) posted = world.irecv(in, other, 1);
      if (world.rank() == 0) world.send(out, 1, 1);
      if (by == arrival::probed)
        while (!world.iprobe(other, 1)) world.progress();
      s = posted               ? posted->wait()
          : by == arrival::any ? world.recv(in, mpx::any_source, mpx::any_tag)
                               : world.recv(in, other, 1);
      if (world.rank() == 1) world.send(out, 0, 1);
    }
    right = right && s.source() == other && s.bytes() == bytes &&
            ranks::holds(std::span(in).first(bytes), seed(other));
  }
  CHECK(right);
  // Nothing is left, and what is sent now is the next that comes.
  CHECK(!world.iprobe(other, 1));
  world.barrier();
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("turns: long messages of two ranks that take turns arrive whole", Stack,
                          whole) {
  constexpr std::size_t most = Stack::protocol_type::short_bytes_ceiling;
  for (const arrival by :
       {arrival::posted, arrival::direct, arrival::probed, arrival::any, arrival::exchanged}) {
    for (const std::size_t bytes : {most + 1, 4 * most}) {
      ranks::run<Stack>(2, [&](auto world) { check_turns(world, bytes, by); });
    }
  }
  ranks::run<Stack>(2, [](auto world) {  // Sizes in turn.
    for (const std::size_t bytes : {2 * most, 4 * most + 1, 2 * most + 1})
      check_turns(world, bytes, arrival::exchanged);
  });
}
TEST_CASE_TEMPLATE_APPLY(whole, ranks::all_stacks);
