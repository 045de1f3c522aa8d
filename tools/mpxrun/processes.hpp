// SPDX-License-Identifier: BSL-1.0
#pragma once
// Looks into /proc for what a signal to mpxrun's own children does not reach: ranks below a
// wrapper, and what a rank left behind.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace launcher {

using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

inline file open_file(const std::string& path) {
  return {std::fopen(path.c_str(), "re"), [](std::FILE* f) { return std::fclose(f); }};
}

/// The parent of a process; 0 when there is no such process.
inline pid_t parent_of(pid_t pid) {
  const file stat = open_file("/proc/" + std::to_string(pid) + "/stat");
  char line[512] = {};
  if (!stat || std::fgets(line, sizeof line, stat.get()) == nullptr) return 0;
  const char* after_name = std::strrchr(line, ')');
  int parent = 0;
  if (after_name == nullptr || std::sscanf(after_name, ") %*c %d", &parent) != 1) return 0;
  return parent;
}

/// Whether `pid` is below this process.
inline bool descends_from_here(pid_t pid) {
  const pid_t self = ::getpid();
  for (int depth = 0; pid > 1 && depth < 64; ++depth) {
    pid = parent_of(pid);
    if (pid == self) return true;
  }
  return false;
}

/// Ends this process's remaining children, among them what the ranks left behind.
inline void kill_children() {
  const std::string self = std::to_string(::getpid());
  const file children = open_file("/proc/" + self + "/task/" + self + "/children");
  int pid = 0;
  while (children && std::fscanf(children.get(), "%d", &pid) == 1 && pid > 1) ::kill(pid, SIGKILL);
}

}  // namespace launcher
