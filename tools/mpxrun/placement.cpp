// SPDX-License-Identifier: BSL-1.0
#include "placement.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "text.hpp"

namespace launcher {

namespace {

/// The logical processors that share the physical core of `core`, as the kernel writes them.
std::string siblings_of(int core) {
  std::ifstream file(text("/sys/devices/system/cpu/cpu", core, "/topology/thread_siblings_list"));
  std::string line;
  return std::getline(file, line) ? line : text(core);
}

/// `all`, one by one, or put together by physical cores.
std::vector<core_set> units_of(const core_set& all, bool physical) {
  std::vector<core_set> units;
  std::vector<std::string> names;
  for (int core = 0; core < core_set::cores_max; ++core) {
    if (!all.has(core)) continue;
    const std::string name = physical ? siblings_of(core) : text(core);
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at == names.size()) {
      names.push_back(name);
      units.emplace_back();
    }
    units[at].add(core);
  }
  return units;
}

/// Physical cores if they are enough for `ranks`, else logical ones.
std::vector<core_set> units_for(const core_set& all, int ranks) {
  auto units = units_of(all, true);
  if (units.size() < static_cast<std::size_t>(ranks)) units = units_of(all, false);
  return units;
}

/// Number of threads of this machine that run or are runnable, without this one; nothing if
/// unknown.
std::optional<int> running_elsewhere() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/loadavg", "re"),
                                                             std::fclose);
  int running = 0;
  if (!file || std::fscanf(file.get(), "%*s %*s %*s %d/", &running) != 1) return {};
  return std::max(running - 1, 0);
}

}  // namespace

std::string name_of(const core_set& cores) {
  std::string list;
  for (int first = 0; first < core_set::cores_max; ++first) {
    if (!cores.has(first)) continue;
    int last = first;
    while (last + 1 < core_set::cores_max && cores.has(last + 1)) ++last;
    if (!list.empty()) list += ',';
    list += text(first);
    if (last > first) list += text(last == first + 1 ? "," : "-", last);
    first = last;
  }
  return text(cores.count() == 1 ? "core " : "cores ", list);
}

core_set core_claims::take(const core_set& wanted) {
  core_set got;
  for (int core = 0; core < core_set::cores_max; ++core) {
    if (!wanted.has(core)) continue;
    if (held_.size() == most_) {
      got.add(core);
      continue;
    }
    descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = text("mpx-core-", core);
    std::memcpy(address.sun_path + 1, name.data(), name.size());  // behind a 0: of no file system
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 &&
        errno == EADDRINUSE)
      continue;
    got.add(core);
    held_.push_back({core, std::move(socket)});
  }
  return got;
}

placement::placement(binding policy, int ranks, std::size_t claims_max) : claims_(claims_max) {
  const core_set allowed = core_set::allowed();
  if (policy == binding::none) {
    reason_ = "--bind-to none";
  } else if (allowed.count() < 2) {
    reason_ = text("mpxrun may use ",
                   allowed.count() == 0 ? "nobody knows which cores" : name_of(allowed) + " alone");
  } else if (policy == binding::core) {
    bind_single(allowed, ranks);
  } else if (ranks == 1) {
    reason_ = "it is the only one";
  } else {
    reason_ = bind_shares(allowed, ranks);
  }
  core_set all;
  for (const auto& place : places_) all.add(place);
  cores_ = all.count();
  claims_.keep(all);
}

/// One unit for each, or for several ranks; free ones, if there are enough.
void placement::bind_single(const core_set& allowed, int ranks) {
  const core_set free = claims_.take(allowed);
  places_ = units_for(free.count() < ranks ? allowed : free, ranks);
  if (places_.size() > static_cast<std::size_t>(ranks))
    places_.resize(static_cast<std::size_t>(ranks));
}

/// As many units for each rank: what runs beside its main thread has room there. Returns why not.
std::string placement::bind_shares(const core_set& allowed, int ranks) {
  if (ranks > allowed.count())
    return text(ranks, " ranks, and mpxrun may use ", allowed.count(), " cores");
  const auto running = running_elsewhere();
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (!running || *running + ranks > online)
    return text("there are ", online, " cores for ", ranks, " ranks and ",
                running ? text(*running, " threads that run besides") : "nobody knows what else");
  const core_set free = claims_.take(allowed);
  if (ranks > free.count())
    return text(ranks, " ranks, and other jobs of mpxrun are bound to ",
                allowed.count() - free.count(), " of ", allowed.count(), " cores");
  const auto units = units_for(free, ranks);
  const std::size_t share = units.size() / static_cast<std::size_t>(ranks);
  for (std::size_t at = 0; places_.size() < static_cast<std::size_t>(ranks); at += share) {
    core_set place;
    for (std::size_t i = at; i < at + share; ++i) place.add(units[i]);
    places_.push_back(place);
  }
  return {};
}

}  // namespace launcher
