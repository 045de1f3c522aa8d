// SPDX-License-Identifier: BSL-1.0
// A library that the program is linked with, and that makes nothing of its own but attributes.

#include "objects.hpp"

namespace {

const mpx::attribute_key<std::string>& names() {
  static const mpx::attribute_key<std::string> key;
  return key;
}

}  // namespace

MPX_TEST_EXPORTED void library_uses(const objects::world& world) {
  const int other = 1 - world.rank();
  int theirs = -1;
  auto receiving = world.irecv(theirs, other, 1);
  world.send(world.rank(), other, 1);
  receiving.wait();
  MPX_TEST_REQUIRE(theirs == other);
  MPX_TEST_REQUIRE(world.allreduce(1, std::plus<>{}) == 2);
  names().set(world, "a name");
  mpx::info hints;
  hints.set("made by", "the library");
  mpx::set_info(world, hints);
}
MPX_TEST_EXPORTED void library_looks(const objects::world& world) {
  MPX_TEST_REQUIRE(names().get(world) != nullptr);
  MPX_TEST_REQUIRE(*names().get(world) == "a name");
}
MPX_TEST_EXPORTED void library_throws(const objects::world& world) { world.send(1, 17, 1); }
MPX_TEST_EXPORTED void library_fails(const objects::world& world, std::error_code& ec) {
  world.send(1, 17, 1, ec);
  MPX_TEST_REQUIRE(ec == mpx::errc::rank);
}
