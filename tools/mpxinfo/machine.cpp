// SPDX-License-Identifier: BSL-1.0
#include "machine.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mpx/bootstrap/detail/memory_file.hpp>
#include <mpx/core/platform.hpp>
#include <mpx/core/system_memory.hpp>
#include <system_error>

namespace mpxinfo {

namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 10'240 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + units[unit];
}

enum class of { bytes, number };

std::string limit_text(rlim_t value, of what) {
  if (value == RLIM_INFINITY) return "unlimited";
  return what == of::bytes ? bytes_text(value) : std::to_string(value);
}

finding limit(const char* name, __rlimit_resource resource, of what, const char* meaning) {
  rlimit both{};
  if (::getrlimit(resource, &both) != 0) return {name, "unknown", ""};
  std::string value = limit_text(both.rlim_cur, what);
  if (both.rlim_max != both.rlim_cur) value += ", at most " + limit_text(both.rlim_max, what);
  return {name, value, meaning};
}

std::string memory_field(const char* name) {
  std::ifstream file("/proc/meminfo");
  std::string key;
  for (std::uint64_t kib = 0; file >> key >> kib; file.ignore(100, '\n'))
    if (key == std::string(name) + ":") return bytes_text(kib * 1024);
  return "unknown";
}

std::string why(int error) { return std::system_category().message(error); }

/// "yes", or why not.
finding possible(const char* name, bool good, const char* without) {
  const int error = errno;
  return {name, good ? "yes" : "no (" + why(error) + ")", good ? "" : without};
}

bool has_membarrier() { return mpx::platform::register_heavy_barrier(); }

bool has_sealed_memory() {
  const int fd = ::memfd_create("mpxinfo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const bool good = fd >= 0 && ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return good;
}

bool has_pidfd() {
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

/// Between siblings, as ranks are.
finding remote_copies() {
  int data = 0;
  int results[2];
  if (::pipe2(results, O_CLOEXEC) != 0) return possible("process_vm_readv", false, "");
  static int target = 4711;
  const pid_t read_from = ::fork();
  if (read_from == 0) {
    ::pause();
    ::_exit(0);
  }
  const pid_t reader = ::fork();
  if (reader == 0) {
    const iovec local{&data, sizeof data};
    const iovec remote{&target, sizeof target};
    errno = 0;
    const bool good =
        ::process_vm_readv(read_from, &local, 1, &remote, 1, 0) == sizeof data && data == target;
    const int said = good ? 0 : errno;
    ::_exit(::write(results[1], &said, sizeof said) == sizeof said ? 0 : 1);
  }
  int error = EAGAIN;
  ::close(results[1]);
  if (::read(results[0], &error, sizeof error) != sizeof error) error = EAGAIN;
  ::close(results[0]);
  ::kill(read_from, SIGKILL);
  ::waitpid(read_from, nullptr, 0);
  ::waitpid(reader, nullptr, 0);
  errno = error;
  finding f = possible("process_vm_readv", error == 0, "long messages are copied twice");
  const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope.empty()) f.value += "; kernel.yama.ptrace_scope is " + scope;
  return f;
}

}  // namespace

std::vector<finding> limits() {
  std::vector<finding> all;
  const int usable = mpx::platform::usable_cores();
  std::string cores = std::to_string(usable) + " usable";
  if (const long there = ::sysconf(_SC_NPROCESSORS_ONLN); there > 0)
    cores += " of " + std::to_string(there);
  all.push_back({"cores", cores,
                 usable < 2 ? "ranks share a core: each gives it away whenever it waits" : ""});
  const std::string quota = first_line("/sys/fs/cgroup/cpu.max");
  if (!quota.empty() && !quota.starts_with("max"))
    all.push_back({"cgroup cpu.max", quota, "ranks that spin use it up: they stand still then"});
  all.push_back(
      {"memory", memory_field("MemAvailable") + " available of " + memory_field("MemTotal"), ""});
  const std::string most = first_line("/sys/fs/cgroup/memory.max");
  if (!most.empty() && most != "max")
    all.push_back({"cgroup memory.max", most + " B", "shared memory counts, too"});
  all.push_back(limit("locked memory (ulimit -l)", RLIMIT_MEMLOCK, of::bytes,
                      "mpx locks none; transports that register memory with a network card do"));
  all.push_back(limit("open files (ulimit -n)", RLIMIT_NOFILE, of::number, ""));
  all.push_back(limit("file size (ulimit -f)", RLIMIT_FSIZE, of::bytes, ""));
  all.push_back(limit("processes (ulimit -u)", RLIMIT_NPROC, of::number, ""));
  all.push_back(limit("address space (ulimit -v)", RLIMIT_AS, of::bytes, ""));
  rlimit file{}, space{};
  ::getrlimit(RLIMIT_FSIZE, &file);
  ::getrlimit(RLIMIT_AS, &space);
  constexpr rlim_t shared_file = rlim_t{32} << 48;  // Sparse: a part for each live environment.
  for (finding& f : all) {
    if (f.name.starts_with("file size") && file.rlim_cur < shared_file)
      f.meaning = "too little for shared memory, which is a sparse file: `ulimit -f unlimited`";
    if (f.name.starts_with("address space") && space.rlim_cur != RLIM_INFINITY)
      f.meaning = "mpx reserves more addresses than it uses memory: `ulimit -v unlimited`";
  }
  struct statvfs shm{};
  if (::statvfs("/dev/shm", &shm) == 0)
    all.push_back({"/dev/shm",
                   bytes_text(std::uint64_t{shm.f_bavail} * shm.f_frsize) + " free of " +
                       bytes_text(std::uint64_t{shm.f_blocks} * shm.f_frsize),
                   "mpx does not use it (memory without a name); MPIs do"});
  return all;
}

std::vector<finding> kernel() {
  std::vector<finding> all;
  utsname name{};
  ::uname(&name);
  all.push_back(
      {"kernel", std::string(name.sysname) + " " + name.release + " " + name.machine, ""});
  all.push_back(possible("memfd_create, sealed", has_sealed_memory(), "no shared memory: no shm"));
  all.push_back(possible("membarrier", has_membarrier(),
                         "senders need a fence for each message, and sleeps are short"));
  all.push_back(
      possible("pidfd_open", has_pidfd(), "deaths of ranks are noticed later (Linux 5.3 has it)"));
  all.push_back(remote_copies());
  const std::string huge = first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  if (!huge.empty()) all.push_back({"huge pages of shared memory", huge, ""});
  return all;
}

}  // namespace mpxinfo
