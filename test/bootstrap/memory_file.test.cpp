// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <mpx/bootstrap/detail/memory_file.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "core/errc_of.hpp"

namespace {

using mpx::errc;
using mpx::bootstrap::file_view;
using mpx::bootstrap::memory_file;
using ranks::errc_of;

/// A file of the program's own, 100 bytes of 'x'.
class own_file {
 public:
  own_file() : fd_(::memfd_create("own", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    REQUIRE(fd_ >= 0);
    REQUIRE(::write(fd_, std::string(100, 'x').data(), 100) == 100);
  }
  own_file(const own_file&) = delete;
  own_file& operator=(const own_file&) = delete;
  ~own_file() { ::close(fd_); }
  /// Becomes what `fd` names: the program has closed that.
  void take(int fd) const { REQUIRE(::dup3(fd_, fd, O_CLOEXEC) == fd); }
  bool intact() const {
    char bytes[101] = {};
    return ::pread(fd_, bytes, sizeof bytes, 0) == 100 &&
           std::string(bytes, 100) == std::string(100, 'x');
  }

 private:
  int fd_;
};

TEST_CASE("memory_file: it grows, is mapped, and gives parts of itself back") {
  const memory_file file("test");
  file.view().grow(3 * 4096);
  file.view().grow(100);  // It never gets shorter.
  const mpx::mapping map = file.view().map(4096, 8192);
  std::memset(map.data(), 1, 8192);
  CHECK(file.view().clear(8192, 4096));
  CHECK(map.data()[0] == std::byte{1});
  CHECK(map.data()[4096] == std::byte{0});
  CHECK(file.view().clear(std::uint64_t{1} << 48, std::uint64_t{1} << 48));  // Nothing is there.
  const memory_file copy = memory_file::duplicate(file.view());
  CHECK(copy.fd() != file.fd());
  CHECK(copy.view().identity() == file.view().identity());
}

TEST_CASE("memory_file: a number that names another file by now is left alone") {
  const own_file own;
  int fd = -1;
  {
    memory_file file("test");
    file.view().grow(4096);
    fd = file.fd();
    own.take(fd);
    const file_view view = file.view();
    CHECK(errc_of([&] { view.grow(8192); }) == errc::no_resources);
    CHECK(errc_of([&] { static_cast<void>(view.map(0, 4096)); }) == errc::no_resources);
    CHECK(errc_of([&] { memory_file::duplicate(view); }) == errc::no_resources);
    CHECK(!view.clear(0, 4096));
    CHECK(!view.intact());
    const memory_file moved(std::move(file));
  }
  CHECK(::fcntl(fd, F_GETFD) >= 0);  // It is still open.
  CHECK(own.intact());
  ::close(fd);
}

TEST_CASE("memory_file: a closed file is not closed again") {
  const memory_file file("test");
  ::close(file.fd());
  CHECK(errc_of([&] { file.view().grow(1); }) == errc::no_resources);
}

TEST_CASE("memory_file: a limit on the length of files is an error, not a signal") {
  const memory_file file("test");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit limit{1 << 20, 1 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    file.view().grow(1 << 20);
    std::string what;
    const errc code = errc_of([&] {
      try {
        file.view().grow((1 << 20) + 1);
      } catch (const mpx::error& e) {
        what = e.what();
        throw;
      }
    });
    const auto says = [&what](const char* part) { return what.find(part) != std::string::npos; };
    const bool good = code == errc::no_resources && says("1048577 bytes") &&
                      says("longer than 1048576") && says("ulimit -f") && says("sparse");
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);  // SIGXFSZ, where the kernel was asked first.
}

}  // namespace
