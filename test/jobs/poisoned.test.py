#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 900
# sanitizers: none
"""Under AddressSanitizer a buffer that is not all there is reported where the kernel, or a peer, would
read or write it: in long messages, collectives and windows."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MPXRUN = sys.argv[1]
INCLUDE = Path(os.environ["MPX_SOURCE"]) / "include"
PROGRAM = r"""
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <span>
#include <string_view>

int main(int, char** argv) {
  mpx::environment<> env;
  auto world = env.world();
  const std::string_view what = argv[1];
  const bool first = world.rank() == 0;
  constexpr std::size_t n = 1 << 20;
  const auto memory = std::make_unique<char[]>(n), other = std::make_unique<char[]>(n);
  const std::size_t more = what == "right" ? 0 : 8;  // Beyond the end, at rank 0.
  const std::span<char> all(memory.get(), n + (first ? more : 0)), whole(other.get(), n);
  const std::span<char> long_one(other.get(), n + more);
  if (what == "send" || what == "right") {
    if (first) world.send(all, 1);
    if (!first) world.recv(whole, 0, 0);
  }
  if (what == "isend" && first) world.isend(all, 1).wait();
  if (what == "isend" && !first) world.recv(whole, 0, 0);
  if (what == "recv" || what == "right") {
    if (first) world.recv(all, 1, 0);
    if (!first) {
      const auto enough = std::make_unique<char[]>(n + more);
      world.send(std::span<char>(enough.get(), n + more), 0);
    }
  }
  if (what == "short receive" && first) {  // The message is not as long as the buffer.
    auto got = world.recv(all, 1, 0);
    if (got.bytes() != n) return 1;
  }
  if (what == "short receive" && !first) world.send(whole, 0);
  if (what == "allreduce" || what == "right") {
    const auto enough = std::make_unique<char[]>(n + more);
    const std::span<char> mine(first ? memory.get() : enough.get(), n + more);
    world.allreduce(mine, std::plus<>{});
  }
  if (what == "window" || what == "right") {
    auto w = mpx::window_over(world, all);
    w.fence();
    w.free();
  }
  return 0;
}
"""
WRONG = {"send": "READ", "isend": "READ", "recv": "WRITE", "allreduce": "", "window": "READ"}


def main():
    with tempfile.TemporaryDirectory(prefix="poisoned-") as scratch:
        source, program = Path(scratch) / "main.cpp", Path(scratch) / "main"
        def build(compiler, text):
            source.write_text(text)
            return subprocess.run([compiler, "-std=c++20", "-O0", "-fsanitize=address", "-I", INCLUDE, source, "-o",
                                   program, "-pthread"], capture_output=True, text=True, timeout=600)

        compilers = [c for c in ("g++", "clang++-19", "clang++-16") if shutil.which(c)
                     and build(c, "int main() {}").returncode == 0]
        if not compilers:
            print("no compiler here has AddressSanitizer: left out")
            return
        built = build(compilers[0], PROGRAM)
        assert built.returncode == 0, built.stderr
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:abort_on_error=0")

        def run(what):
            return subprocess.run([MPXRUN, "-n", "2", "--timeout", "120", program, what], capture_output=True,
                                  text=True, timeout=200, env=environment)

        for what in ("right", "short receive"):
            r = run(what)
            assert r.returncode == 0, f"{what}: {r.returncode}\n{r.stderr}"
            assert "AddressSanitizer" not in r.stderr, r.stderr
        for what, way in WRONG.items():
            r = run(what)
            assert r.returncode != 0, f"{what}: not found"
            assert "AddressSanitizer: heap-buffer-overflow" in r.stderr, f"{what}:\n{r.stderr}"
            assert re.search(rf"{way} of size", r.stderr), f"{what}:\n{r.stderr}"
            print(f"{what}: reported")


main()
