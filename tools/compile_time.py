#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Holds what mpx costs to compile, in units of eight standard headers: (T(x) - T(empty)) / (T(eight
headers) - T(empty)), in user CPU time, each the median of its runs. Measures again, up to --rounds
times, while a limit is passed: the machine may be busy.

usage: compile_time.py --compiler CXX [--rounds N] [--all-rounds] -- FLAGS...
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HEADERS = ("vector", "string", "memory", "functional", "algorithm", "atomic", "mutex", "span")
EMPTY = ""
EIGHT = "".join(f"#include <{name}>\n" for name in HEADERS)
INCLUDE = "#include <mpx/mpx.hpp>\n"
SEND = INCLUDE + """int main() {
  mpx::environment<> env;
  auto world = env.world();
  int x = 1;
  world.send(x, 0, 0);
}
"""
APART = "-DMPX_COMPILED=1"

# What is compiled, how, and how many units it may take.
CASES = (
    ("#include <mpx/mpx.hpp>", INCLUDE, (), 1.45),
    ("one send, -O0", SEND, ("-O0",), 4.0),
    ("one send, -O2", SEND, ("-O2",), 8.8),
    ("one send with mpx::compiled, -O0", SEND, ("-O0", APART), 1.9),
    ("one send with mpx::compiled, -O2", SEND, ("-O2", APART), 2.6),
)


def main() -> int:
    own, flags = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, flags = own[:cut], own[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--all-rounds", action="store_true", help="do not stop when all is well")
    arguments = parser.parse_args(own)

    with tempfile.TemporaryDirectory() as scratch:
        def seconds(text: str, options: tuple[str, ...] = ()) -> float:
            source = Path(scratch, "x.cpp")
            source.write_text(text, encoding="utf-8")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([arguments.compiler, *flags, *options, "-c", str(source), "-o",
                            str(Path(scratch, "x.o"))], check=True)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

        ratios: list[list[float]] = [[] for _ in CASES]
        passed: list[int] = []
        for done in range(1, arguments.rounds + 1):
            for i, (_, text, options, _) in enumerate(CASES):
                # The unit beside each case: what slows the machine down slows both.
                empty, eight = seconds(EMPTY), seconds(EIGHT)
                ratios[i].append((seconds(text, options) - empty) / (eight - empty))
            medians = [statistics.median(r) for r in ratios]
            passed = [i for i, case in enumerate(CASES) if medians[i] > case[3]]
            if not passed and not arguments.all_rounds:
                break
    for (name, _, _, limit), median in zip(CASES, medians):
        print(f"{name}: {median:.2f} units, at most {limit}")
    for i in passed:
        print(f"FAILED: {CASES[i][0]} takes {medians[i]:.2f} units, the median of {done} rounds; "
              f"{CASES[i][3]} are allowed. What has been added to what every program includes, or "
              "instantiates? `g++ -ftime-report` and `clang++ -ftime-trace` tell.")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main())
