// SPDX-License-Identifier: BSL-1.0
// A job that starts, has one barrier and ends: the program of scripts/startup. The first rank
// prints the number of sockets and the memory of a rank: the maximum over all.

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <mpx/cluster.hpp>
#include <string>
#include <string_view>

namespace {

long sockets_of_this_process() {
  long n = 0;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  while (const dirent* const e = ::readdir(folder)) {
    char to[64] = {};
    const std::string link = std::string("/proc/self/fd/") + e->d_name;
    n += ::readlink(link.c_str(), to, sizeof to - 1) > 0 && std::strncmp(to, "socket:", 7) == 0;
  }
  ::closedir(folder);
  return n;
}
long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key; status.ignore(1000, '\n'))
    if (long n = 0; key == "RssAnon:" && status >> n) return n;
  return 0;
}

template <class Stack>
void meet() {
  mpx::environment<Stack> env;
  auto world = env.world();
  world.barrier();
  const auto most = [](long a, long b) { return a > b ? a : b; };
  const long sockets = world.allreduce(sockets_of_this_process(), most);
  const long kib = world.allreduce(resident_kib(), most);
  if (world.rank() == 0) std::printf("sockets %ld, KiB %ld\n", sockets, kib);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view stack = argc > 1 ? argv[1] : "default";
  if (stack == "tcp")
    meet<mpx::tcp_stack>();
  else if (stack == "cluster")
    meet<mpx::cluster_stack>();
  else
    meet<mpx::stack<>>();
}
