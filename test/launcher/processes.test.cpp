// SPDX-License-Identifier: BSL-1.0
// The descendants of a launcher, while processes between them end.

#include <doctest/doctest.h>

#include <map>
#include <optional>

#include "../../tools/mpxrun/processes.hpp"

namespace {

/// Processes that end as they are looked at.
struct scripted_processes {
  std::map<int, int> parents;
  int gone_at = 0;  // After so many look-ups `gone` has ended, and its children
  int gone = 0;     // belong to `heir`.
  int heir = 0;
  int looks = 0;

  std::optional<launcher::process> operator()(pid_t pid) {
    if (++looks == gone_at) {
      parents.erase(gone);
      for (auto& [who, parent] : parents)
        if (parent == gone) parent = heir;
    }
    const auto at = parents.find(pid);
    if (at == parents.end()) return {};
    launcher::process found;
    found.pid = pid;
    found.parent = at->second;
    return found;
  }
};

}  // namespace

TEST_CASE("processes: descendants are found while processes between them end") {
  const std::map<int, int> tree = {{1, 0}, {10, 1}, {20, 10}, {30, 20}, {40, 30}, {50, 1}};
  for (int gone_at = 1; gone_at <= 6; ++gone_at)
    for (const int gone : {20, 30}) {
      CAPTURE(gone_at);
      CAPTURE(gone);
      CHECK(launcher::descends_from(40, 10, scripted_processes{tree, gone_at, gone, 10}));
      CHECK(!launcher::descends_from(50, 10, scripted_processes{tree, gone_at, gone, 10}));
      CHECK(!launcher::descends_from(40, 50, scripted_processes{tree, gone_at, gone, 10}));
    }
  CHECK(!launcher::descends_from(40, 10, scripted_processes{tree, 1, 40, 10}));
  CHECK(!launcher::descends_from(60, 10, scripted_processes{tree, 0, 0, 0}));
  std::map<int, int> round = {{30, 40}, {40, 30}};  // No kernel says so.
  CHECK(!launcher::descends_from(40, 10, scripted_processes{round, 0, 0, 0}));
}

TEST_CASE("processes: children of this process are descendants") {
  int held[2];
  REQUIRE(::pipe(held) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char none = 0;
    ::close(held[1]);
    static_cast<void>(!::read(held[0], &none, 1));
    ::_exit(0);
  }
  CHECK(launcher::descends_from_here(child));
  CHECK(!launcher::descends_from_here(::getppid()));
  bool found = false;
  for (const launcher::process& p : launcher::everything_below()) found = found || p.pid == child;
  CHECK(found);
  ::close(held[0]);
  ::close(held[1]);
  CHECK(::waitpid(child, nullptr, 0) == child);
  CHECK(!launcher::descends_from_here(child));
}
