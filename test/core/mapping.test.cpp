// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
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

TEST_CASE("mapping: a child shares anonymous memory, but not private memory") {
  const mapping shared(4096);
  const mapping own = mapping::of_own(4096);
  REQUIRE(own);
  CHECK(own.size() == 4096);
  CHECK(own.data()[4095] == std::byte{0});
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    shared.data()[0] = own.data()[0] = std::byte{1};
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(shared.data()[0] == std::byte{1});
  CHECK(own.data()[0] == std::byte{0});
}

TEST_CASE("mapping: parts can be excluded from core dumps") {
  const mapping m(4 * 4096);
  const auto undumped_kib = [&m] {  // Of its parts, in /proc/self/smaps: `dd` among VmFlags.
    std::FILE* const f = std::fopen("/proc/self/smaps", "r");
    REQUIRE(f != nullptr);
    const auto begin = reinterpret_cast<std::uintptr_t>(m.data());
    char line[512];
    unsigned long from = 0, to = 0, kib = 0;
    while (std::fgets(line, sizeof line, f) != nullptr) {
      unsigned long a = 0, b = 0;
      if (std::sscanf(line, "%lx-%lx ", &a, &b) == 2) {
        from = a;
        to = b;
        continue;
      }
      if (from >= begin && to <= begin + m.size() && std::strncmp(line, "VmFlags:", 8) == 0 &&
          std::strstr(line, " dd") != nullptr)
        kib += (to - from) / 1024;
    }
    std::fclose(f);
    return kib;
  };
  CHECK(undumped_kib() == 0);
  m.set_dumped(false);
  CHECK(undumped_kib() == 16);
  m.set_dumped(true, 4096, 8192);
  CHECK(undumped_kib() == 8);
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

TEST_CASE("mapping: a failure to map has a clear error") {
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
