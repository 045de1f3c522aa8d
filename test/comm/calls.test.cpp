// SPDX-License-Identifier: BSL-1.0
// What a call says when it fails, and what it takes and returns: one value, several, const handles.

#include "comm/ranks.hpp"

namespace {

void says(const std::string& text, std::initializer_list<const char*> parts) {
  CAPTURE(text);
  for (const char* part : parts) CHECK_MESSAGE(ranks::contains(text, part), part);
}

}  // namespace

TEST_CASE("one value is received from a message of its length, or it is an error") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::error_code ec;
    if (world.rank() == 0) {
      world.send(std::int32_t{7}, 1, 3);
      world.send(std::int32_t{7}, 1, 3);
      world.send(std::span<const int>(), 1, 4);
      world.send(2.5, 1, 5);
      world.send(2.5, 1, 6);
      return;
    }
    const std::string shorter = ranks::text_of([&] { (void)world.template recv<double>(0, 3); });
    says(shorter, {"recv on rank 1 from rank 0, tag 3", "8 bytes of one value",
                   "the message has 4 bytes", "differ"});
    CHECK(ranks::errc_of([&] { (void)world.template recv<double>(mpx::any_source, 3); }) ==
          mpx::errc::count);
    (void)world.template recv<char>(0, 4, ec);
    CHECK(ec == mpx::errc::count);
    says(ranks::text_of([&] { (void)world.template recv<char>(0, 5); }),
         {"recv on rank 1 from rank 0, tag 5", "1 bytes of room for a message of 8"});
    CHECK(world.template recv<double>(0, 6, ec) == 2.5);
    CHECK(!ec);
    CHECK(world.template recv<int>(mpx::proc_null) == 0);
    (void)world.template recv<int>(9, 0, ec);
    CHECK(ec == mpx::errc::rank);
  });
}
