// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpx/core/file_identity.hpp>
#include <ostream>
#include <string>

namespace {

using mpx::file_identity;

std::string complaint(const file_identity& file, int fd) {
  try {
    file.check(fd);
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::no_resources);
    return e.what();
  }
  return {};
}

TEST_CASE("file_identity: a number that was closed and opened again is another file") {
  const int first = ::memfd_create("mpx-test", MFD_CLOEXEC);
  REQUIRE(first >= 0);
  const file_identity file = file_identity::of(first);
  CHECK(file);
  CHECK(file.is_behind(first));
  CHECK(complaint(file, first).empty());

  const int copy = ::dup(first);
  CHECK(file.is_behind(copy));
  ::close(copy);
  CHECK(!file.is_behind(copy));
  CHECK(complaint(file, copy).find("descriptor " + std::to_string(copy)) == 0);
  CHECK(complaint(file, copy).find("is not open") != std::string::npos);

  const int second = ::memfd_create("mpx-test", MFD_CLOEXEC);
  CHECK(file != file_identity::of(second));
  REQUIRE(::dup2(second, first) == first);
  CHECK(!file.is_behind(first));
  CHECK(complaint(file, first).find("names another file") != std::string::npos);
  CHECK(complaint(file, first).find("closed a descriptor that it had not opened") !=
        std::string::npos);
  ::close(first);
  ::close(second);
}

TEST_CASE("file_identity: no file is behind nothing") {
  CHECK(!file_identity{});
  CHECK(!file_identity::of(-1));
  CHECK(!file_identity{}.is_behind(-1));
  CHECK(!file_identity{}.is_behind(0));
}

}  // namespace
