// SPDX-License-Identifier: BSL-1.0
#pragma once
// Error texts of violated preconditions, printed before the program ends.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace ranks {

/// Runs `body` in a child that must end by SIGABRT, and returns what it wrote to stderr.
template <class Body>
std::string aborts(Body body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(20);
    std::signal(SIGABRT, SIG_DFL);  // Not doctest's.
    ::dup2(ends[1], 2);
    ::close(ends[0]);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  return said;
}

}  // namespace ranks
