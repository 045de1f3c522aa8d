#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 1200
# sanitizers: none
"""A program, a library that it is linked with and a plugin that it unloads share a communicator.

Each has its own copy of every header's variables (-fvisibility=hidden, no -rdynamic), and the
plugin really goes (-fno-gnu-unique). By g++, and for a release with NDEBUG by clang++; where only one
of them is here, by that in both ways."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MPXRUN = sys.argv[1]
WAYS = ((),) if os.environ.get("FOR_RELEASE") == "0" else ((), ("-DNDEBUG",))
FLAGS = ("-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-pthread",
         "-I", str(Path(os.environ["MPX_SOURCE"]) / "include"))
CLANGS = ("clang++-19", "clang++-18", "clang++-17", "clang++-16")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}


def compilers():
    gcc = shutil.which("g++")
    if gcc is not None:
        yield gcc, ("-fno-gnu-unique",)
    clang = next(filter(None, map(shutil.which, CLANGS)), None)
    if clang is not None:
        yield clang, ()


def check(compiler, options, folder):
    def build(output, source, *more):
        subprocess.run([compiler, *FLAGS, *options, str(HERE / source), "-o", output, *more],
                       check=True, cwd=folder)

    build("liblibrary.so", "library.cpp", "-shared", "-fPIC")
    build("plugin.so", "plugin.cpp", "-shared", "-fPIC")
    build("program", "program.cpp", "-L.", "-llibrary", "-Wl,-rpath,$ORIGIN", "-ldl")
    done = subprocess.run([MPXRUN, "-n", "2", "--timeout", "120", folder / "program",
                           folder / "plugin.so"], capture_output=True, text=True, timeout=300,
                          env=CLEAN)
    if (done.returncode, done.stdout, done.stderr) != (0, "all is well\n" * 2, ""):
        print(f"{compiler} {' '.join(options)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return False
    return True


def main():
    here = list(compilers())
    if sys.platform != "linux" or not here:
        sys.exit("no compiler is here")
    good = True
    for (compiler, own), more in zip((here * 2)[:2], WAYS):
        with tempfile.TemporaryDirectory() as folder:
            good = check(compiler, (*own, *more), Path(folder)) and good
    sys.exit(0 if good else 1)


main()
