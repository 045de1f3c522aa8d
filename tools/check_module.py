#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles modules/mpx.cppm and a program that imports it, and runs that. Exits with 77, and says
why, where no compiler can: it takes a clang++ of 16 or newer, and tries the oldest.

usage: check_module.py --root DIR [--clang CXX] -- FLAGS...
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """import mpx;
int main() {
  mpx::environment<> env;
  auto world = env.world();
  const int sent = 42;
  auto request = world.send(sent, 0, 7, mpx::start);
  const int received = world.recv<int>(0, 7);
  const mpx::status got = request.wait();
  const int sum = world.allreduce(1, mpx::sum);
  auto half = world.split(0, 0);
  double numbers[10] = {1};
  auto started = half.iallreduce(numbers, mpx::sum);
  started.wait();
  half.free();
  return received == sent && !got.error() && world.size() == 1 && sum == 1 && numbers[0] == 1 ? 0 : 1;
}
"""


def main() -> int:
    own, flags = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, flags = own[:cut], own[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--clang")
    arguments = parser.parse_args(own)
    names = [arguments.clang] if arguments.clang else [f"clang++-{n}" for n in (16, 17, 18, 19)]
    clang = next((found for name in names if (found := shutil.which(name))), None)
    if clang is None:
        print("skipped: no clang++ of 16 or newer, and g++ before 14 cannot compile such a module")
        return 77

    with tempfile.TemporaryDirectory() as scratch:
        def run(*command: str) -> None:
            print("+", *command, flush=True)
            subprocess.run(command, check=True, cwd=scratch)

        Path(scratch, "main.cpp").write_text(PROGRAM, encoding="utf-8")
        run(clang, *flags, "--precompile", str(arguments.root / "modules" / "mpx.cppm"), "-o",
            "mpx.pcm")
        run(clang, *flags, "-c", "mpx.pcm", "-o", "mpx.o")
        run(clang, *flags, "-fmodule-file=mpx=mpx.pcm", "main.cpp", "mpx.o", "-o", "main")
        run(str(Path(scratch, "main")))
    print("a program that imports mpx runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
