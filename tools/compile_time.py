#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Holds what mpx costs to compile, in units of eight standard headers: (C(x) - C(empty)) / (C(eight
headers) - C(empty)). Of three costs: the memory that g++ allocates and, where the kernel lets perf
count them, the instructions that the compiler executes, which are the same in every run; and the
user CPU time, the least of some runs, which even so doubles on a busy machine and is held only
against what is gross.

usage: compile_time.py --compiler CXX [--rounds N] -- FLAGS...
"""

import argparse
import re
import resource
import shutil
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
# Files of a program that only use a communicator: the environment is made in another one.
SENDS = INCLUDE + "void f(mpx::communicator<>& world) { world.send(1, 0); }\n"
STARTS = INCLUDE + """void f(mpx::communicator<>& world, int& x, int& y) {
  auto in = world.irecv(y, 0);
  auto out = world.isend(x, 0);
  out.wait();
  in.wait();
}
"""
REDUCES = INCLUDE + """int f(mpx::communicator<>& world, int x) {
  return world.allreduce(x, std::plus<>{});
}
"""
HALO = (Path(__file__).resolve().parent.parent / "test/consumer/halo.cpp").read_text(encoding="utf-8")
APART = "-DMPX_COMPILED=1"

# Sources, how they are compiled, and their limits in units of memory, of instructions and of time.
CASES = (
    ("#include <mpx/mpx.hpp>", INCLUDE, (), 1.44, 1.40, 3.0),
    ("a file with one send, -O2", SENDS, ("-O2",), 1.60, 2.60, 2.6),
    ("a file with irecv, isend and wait, -O2", STARTS, ("-O2",), 1.70, 3.50, 3.5),
    ("a file with one allreduce, -O2", REDUCES, ("-O2",), 2.25, 5.0, 6.0),
    ("an environment and one send, -O0", SEND, ("-O0",), 3.05, 4.10, 6.6),
    ("an environment and one send, -O2", SEND, ("-O2",), 3.65, 8.10, 14.0),
    ("the same with mpx::compiled, -O0", SEND, ("-O0", APART), 1.55, 2.10, 4.0),
    ("the same with mpx::compiled, -O2", SEND, ("-O2", APART), 1.70, 2.30, 4.8),
    ("windows, a grid, datatypes with mpx::compiled, -O2", HALO, ("-O2", APART), 6.4, 21.0, 27.0),
)
OF_VERSION = "12"  # Of g++. Others differ a little, and are held only against what is gross.
OTHERS = 1.1
SCALE = {"k": 1.0, "M": 1024.0, "G": 1024.0 * 1024}


def main() -> int:
    own, flags = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, flags = own[:cut], own[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args(own)
    programs = (("empty", EMPTY, ()), ("eight", EIGHT, ()), *(case[:3] for case in CASES))

    with tempfile.TemporaryDirectory() as scratch:
        def compile_once(text: str, options: tuple[str, ...]) -> tuple[float, str]:
            source = Path(scratch, "x.cpp")
            source.write_text(text, encoding="utf-8")
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = subprocess.run([arguments.compiler, *flags, *options, "-c", str(source), "-o",
                                   str(Path(scratch, "x.o"))], check=True, text=True,
                                  stderr=subprocess.PIPE)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stderr

        def memory_and_time(text: str, options: tuple[str, ...]) -> tuple[float, float]:
            """The report itself takes a hundredth of the time."""
            time, report = compile_once(text, (*options, "-ftime-report"))
            total = re.search(r"^ TOTAL .* ([\d.]+)([kMG])", report, re.M)
            if total is None:
                sys.exit(f"compile_time: {arguments.compiler} -ftime-report names no memory")
            return float(total[1]) * SCALE[total[2]], time

        def instructions(text: str, options: tuple[str, ...]) -> float:
            """Of the compiler, without the assembler. 0: nobody counts them here."""
            if shutil.which("perf") is None:
                return 0
            source = Path(scratch, "x.cpp")
            source.write_text(text, encoding="utf-8")
            counts = Path(scratch, "counts")
            done = subprocess.run(["perf", "stat", "-x", ",", "-e", "instructions:u", "-o",
                                   str(counts), arguments.compiler, *flags, *options, "-S",
                                   str(source), "-o", str(Path(scratch, "x.s"))],
                                  check=False, capture_output=True)
            found = re.search(r"^(\d+),", counts.read_text(encoding="utf-8") if counts.exists()
                              else "", re.M)
            return float(found[1]) if done.returncode == 0 and found is not None else 0

        def in_units(cost: dict[str, float]) -> dict[str, float]:
            return {name: (cost[name] - cost["empty"]) / (cost["eight"] - cost["empty"])
                    for name in cost}

        first = {name: memory_and_time(text, options) for name, text, options in programs}
        space = in_units({name: cost[0] for name, cost in first.items()})
        executed = {name: instructions(text, options) for name, text, options in programs
                    } if instructions(EMPTY, ()) != 0 else {}
        counts = in_units(executed) if executed and all(executed.values()) else {}
        least = {name: cost[1] for name, cost in first.items()}
        for _ in range(arguments.rounds - 1):
            for name, text, options in programs:
                least[name] = min(least[name], compile_once(text, options)[0])
        time = in_units(least)

    version = subprocess.run([arguments.compiler, "-dumpversion"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split(".", maxsplit=1)[0].strip()
    slack = 1.0 if version == OF_VERSION else OTHERS
    failed = 0
    for name, _, _, *most in CASES:
        space_max, count_max, time_max = (round(slack * limit, 3) for limit in most)
        counted = (f"{counts[name]:.2f} of instructions, at most {count_max}"
                   if counts else "instructions not counted here")
        print(f"{name}: {space[name]:.2f} units of memory, at most {space_max}; {counted}; "
              f"{time[name]:.2f} of time, at most {time_max}")
        failed += (space[name] > space_max or counts.get(name, 0) > count_max
                   or time[name] > time_max)
    if failed:
        print(f"FAILED: {failed} of these. What has been added to what every program includes, or "
              "instantiates? `g++ -ftime-report` and `clang++ -ftime-trace` tell.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
