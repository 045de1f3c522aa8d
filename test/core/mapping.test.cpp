// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mpx/core/mapping.hpp>
#include <ostream>
#include <string>
#include <utility>

namespace {

using mpx::mapping;

class temporary_file {
 public:
  explicit temporary_file(std::size_t bytes) : fd_(::memfd_create("mpx-test", MFD_CLOEXEC)) {
    REQUIRE(fd_ >= 0);
    REQUIRE(::ftruncate(fd_, static_cast<off_t>(bytes)) == 0);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { ::close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

TEST_CASE("mapping: an empty one") {
  const mapping none;
  CHECK(!none);
  CHECK(none.data() == nullptr);
  CHECK(none.size() == 0);
}

TEST_CASE("mapping: anonymous memory is zeroed") {
  const mapping m(std::size_t{1} << 20);
  REQUIRE(m);
  CHECK(m.size() == std::size_t{1} << 20);
  CHECK(std::all_of(m.data(), m.data() + m.size(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("mapping: two maps of a file are one memory, at the offset asked for") {
  const temporary_file file(3 * 4096);
  const mapping whole(file.fd(), 0, 3 * 4096);
  const mapping second(file.fd(), 4096, 4096);
  second.data()[5] = std::byte{42};
  CHECK(whole.data()[4096 + 5] == std::byte{42});
  whole.data()[4096 + 6] = std::byte{43};
  CHECK(second.data()[6] == std::byte{43});
}

TEST_CASE("mapping: moving leaves one owner") {
  mapping a(4096);
  std::byte* const p = a.data();
  mapping b(std::move(a));
  CHECK(!a);  // NOLINT(bugprone-use-after-move): what is left is specified.
  CHECK(a.size() == 0);
  CHECK(b.data() == p);
  mapping c(8192);
  c = std::move(b);
  CHECK(c.data() == p);
  CHECK(c.size() == 4096);
  c.data()[0] = std::byte{1};
  c = mapping();
  CHECK(!c);
}

TEST_CASE("mapping: untouched pages cost nothing") {
  const mapping huge(std::size_t{1} << 36);
  huge.data()[(std::size_t{1} << 36) - 1] = std::byte{1};
  CHECK(huge.data()[0] == std::byte{0});
}

TEST_CASE("mapping: what cannot be mapped is a clear error") {
  const auto expect = [](auto&& make) {
    try {
      make();
      FAIL("mapped what does not exist");
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::no_resources);
      CHECK(std::string(e.what()).find("mapping") != std::string::npos);
    }
  };
  expect([] { const mapping m(-1, 0, 4096); });
  expect([] { const mapping m(~std::size_t{0} >> 1); });
  const temporary_file file(4096);
  expect([&] { const mapping m(file.fd(), 1, 4096); });
  expect([&] { const mapping m(file.fd(), 0, 0); });
}

}  // namespace
