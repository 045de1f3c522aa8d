// SPDX-License-Identifier: BSL-1.0
// release: tsan
// Buffered sends: memory that the user attaches, gets back, and that is never overrun.

#include <tuple>

#include "comm/ranks.hpp"

namespace {

using ranks::data_tag;
using ranks::go_tag;

/// True if `memory` still has what stood there: `byte` everywhere outside [from, to).
bool untouched(std::span<const std::byte> memory, std::size_t from, std::size_t to,
               std::byte byte) {
  for (std::size_t i = 0; i < memory.size(); ++i)
    if ((i < from || i >= to) && memory[i] != byte) return false;
  return true;
}

using ranks::canary;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("attached memory: errors", Stack, attach_errors) {
  ranks::run<Stack>(1, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    CHECK(env.detach_buffer().empty());
    CHECK(ranks::errc_of([&] { world.bsend(1, 0); }) == mpx::errc::buffer);
    std::vector<std::byte> memory(1000);
    env.attach_buffer(memory);
    CHECK(ranks::errc_of([&] { env.attach_buffer(memory); }) == mpx::errc::buffer);
    CHECK(ranks::contains(ranks::text_of([&] { env.attach_buffer(memory); }), "detach it first"));
    const auto big = ranks::message(1001, 1);
    const std::string text = ranks::text_of([&] { world.bsend(big, 0, 5); });
    CAPTURE(text);
    CHECK(ranks::contains(text, "bsend on rank 0 to rank 0, tag 5, communicator 0, 1001 bytes"));
    CHECK(ranks::contains(text, "attach_buffer"));
    std::error_code ec;
    world.bsend(big, 0, 5, ec);
    CHECK(ec == mpx::errc::buffer);
    CHECK(!world.ibsend(big, 0, 5, ec));
    CHECK(ec == mpx::errc::buffer);
    auto p = world.bsend_init(big, 0, 5);
    p.start(ec);
    CHECK(ec == mpx::errc::buffer);
    CHECK(!p);
    CHECK(!world.iprobe());
    CHECK(env.detach_buffer().data() == memory.data());
    CHECK(env.detach_buffer().empty());
    CHECK(ranks::errc_of([&] { world.bsend(1, 0); }) == mpx::errc::buffer);
    env.attach_buffer(memory);  // Attached at the end: no harm.
  });
}
TEST_CASE_TEMPLATE_APPLY(attach_errors, std::tuple<ranks::inproc, ranks::shm, ranks::multiple>);

TEST_CASE_TEMPLATE_DEFINE("a buffered send is complete before its receive", Stack, complete) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr std::size_t bytes = 300'032;  // Whole cache lines: two fill the memory.
    if (env.rank() == 1) {
      std::vector<std::byte> in(bytes);
      (void)world.template recv<int>(0, go_tag);
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        CHECK(world.recv(in, 0, data_tag).bytes() == bytes);
        CHECK(ranks::holds(in, seed));
      }
      return;
    }
    std::vector<std::byte> memory(64 + 2 * bytes + 64, canary);
    env.attach_buffer(std::span(memory).subspan(64, 2 * bytes));
    {
      auto m = ranks::message(bytes, 1);
      world.bsend(m, 1, data_tag);
      ranks::fill(m, 2);
      world.ibsend(m, 1, data_tag).wait();
      ranks::fill(m, 99);  // It is ours again.
    }
    CHECK(ranks::errc_of([&] { world.bsend(1, 1, data_tag); }) == mpx::errc::buffer);
    world.send(1, 1, go_tag);
    const std::span<std::byte> back = env.detach_buffer();  // Waits until both are out.
    CHECK(back.data() == memory.data() + 64);
    CHECK(back.size() == 2 * bytes);
    std::fill(back.begin(), back.end(), std::byte{});
    CHECK(untouched(memory, 64, 64 + 2 * bytes, canary));
    world.send(ranks::message(bytes, 3), 1, data_tag);
  });
}
TEST_CASE_TEMPLATE_APPLY(complete, ranks::all_stacks);

TEST_CASE_TEMPLATE_DEFINE("attached memory is used again", Stack, used_again) {
  ranks::run<Stack>(2, [](mpx::environment<Stack>& env) {
    auto world = env.world();
    constexpr int rounds = 300;
    const auto size_of = [](int i) { return static_cast<std::size_t>(i) * 7919 % 50'000; };
    if (env.rank() == 1) {
      std::vector<std::byte> in(50'000);
      bool right = true;
      for (int i = 0; i < rounds; ++i) {
        const mpx::status s = world.recv(in, 0, data_tag);
        right = right && s.bytes() == size_of(i) &&
                ranks::holds(std::span(in).first(s.bytes()), static_cast<std::uint64_t>(i));
      }
      CHECK(right);
      return;
    }
    std::vector<std::byte> memory(150'000);
    env.attach_buffer(memory);
    int full = 0;
    bool right = true;
    for (int i = 0; i < rounds; ++i) {
      const auto m = ranks::message(size_of(i), static_cast<std::uint64_t>(i));
      for (std::error_code ec;;) {
        world.bsend(m, 1, data_tag, ec);
        if (!ec) break;
        right = right && ec == mpx::errc::buffer;
        ++full;
        (void)world.iprobe();  // Progress frees it.
        std::this_thread::yield();
      }
    }
    CHECK(right);
    MESSAGE("found it full ", full, " times");
    CHECK(env.detach_buffer().size() == memory.size());
  });
}
TEST_CASE_TEMPLATE_APPLY(used_again, ranks::all_stacks);
