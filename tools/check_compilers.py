#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles the user's programs of test/users/ with one compiler and a user's warnings, and runs them.

Of a compiler that is a stated minimum (--minimum) every program is compiled, linked and run by mpxrun:
node.cpp as C++20 at -O2, stacks.cpp as C++23 at -O0. Another compiler checks both without code. nvcc
compiles, links and runs device.cu. Exits with 77, and says why, where there is no such compiler.

usage: check_compilers.py --root DIR --mpxrun PROGRAM [--minimum] COMPILER -- FLAGS...
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
RUN_SECONDS_MAX = 120


def reads_library(compiler: str, standard: str) -> bool:
    headers = "#include <functional>\n#include <ranges>\n"
    command = [compiler, standard, "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=headers, text=True, capture_output=True, check=False).returncode == 0


def main() -> int:
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--mpxrun", required=True)
    parser.add_argument("--minimum", action="store_true")
    parser.add_argument("compiler")
    arguments = parser.parse_args(sys.argv[1:cut])
    flags = sys.argv[cut + 1:]
    compiler = shutil.which(arguments.compiler)
    if compiler is None:
        print(f"skipped: there is no {arguments.compiler}")
        return 77

    include = arguments.root / "include"
    is_nvcc = Path(compiler).name == "nvcc"
    if is_nvcc:
        flags = [word for flag in flags  # It knows no libraries by their names alone.
                 for word in (("-Xlinker", flag) if flag.startswith("/") and ".so" in flag else (flag,))]
        programs = [("device.cu", ["-std=c++20", "-isystem", str(include), "-Xcompiler", "-pthread"])]
    else:
        own = [f"-I{include}", *WARNINGS, "-pthread"]
        # clang 16 has C++23 by its older name alone, and cannot read the C++23 of libstdc++ 14.
        newest = "-std=c++2b"
        if not reads_library(compiler, newest):
            print(f"{compiler} cannot read this machine's standard library as C++23: C++20 instead")
            newest = "-std=c++20"
        programs = [("node.cpp", ["-std=c++20", "-O2", *own]),
                    ("stacks.cpp", [newest, "-O0", *own])]
        # (The flags name libraries, too.)
        without_code = ["-fsyntax-only", "-Wno-unused-command-line-argument"]
        if not arguments.minimum:
            programs = [(name, [*options, *without_code]) for name, options in programs]
        programs.append(("macros.cpp", ["-std=c++20", *own, *without_code]))

    with tempfile.TemporaryDirectory() as scratch:
        for name, options in programs:
            source = arguments.root / "test" / "users" / name
            program = str(Path(scratch, source.stem))
            command = [compiler, *options, str(source), "-o", program, *flags]
            print("+", *command, flush=True)
            if subprocess.run(command, check=False).returncode != 0:
                return 1
            if "-fsyntax-only" in options:
                continue
            command = [arguments.mpxrun, "-n", "2", program]
            print("+", *command, flush=True)
            if subprocess.run(command, check=False, timeout=RUN_SECONDS_MAX).returncode != 0:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
