#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the shell commands of Markdown files as they are written.

In front of an indented block of commands stands one of

    <!-- run -->             each line has to succeed
    <!-- run: TOOL... -->    the same; the block is left out where one of the tools is not there:
                             programs, and `pmix`, `crypto` for pkg-config

and in front of a block ```cpp whose commands compile it: <!-- file: NAME -->. It is written before
the next block is run. A program.cpp that no document shows is a job that meets in a barrier.

All blocks run in one folder, which has what a clone has at its top, and with a home of their own. The
same line is run once. `g++`, `clang++` and `nvcc` are the ones given; they do not optimise, to save time.

usage: doc_commands.py --root DIR --cxx CXX --clang CXX --nvcc PROGRAM FILE...
       an empty name: there is no such compiler
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PIECE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$|"
                   r"^<!-- run(?:: ([^>]*?))? -->\n((?:    [^\n]*\n|\n)+)", re.M | re.S)
LEFT_OUT = {".git", "build"}
LINE_SECONDS_MAX = 600
PROGRAM = """#include <mpx/mpx.hpp>
int main() {
  mpx::environment<> env;
  env.world().barrier();
}
"""
FILES = {"program.cpp": PROGRAM, "program.cu": PROGRAM,
         "pmix.cpp": "#include <mpx/bootstrap/pmix.hpp>\n"}
LIBRARIES = {"pmix": "pmix", "crypto": "libcrypto"}


def is_there(tool: str, environment: dict[str, str]) -> bool:
    if tool in LIBRARIES:
        return subprocess.run(["pkg-config", "--exists", LIBRARIES[tool]], check=False).returncode == 0
    return shutil.which(tool, path=environment["PATH"]) is not None


def lines_of(block: str) -> list[str]:
    """Commands; one that ends in a backslash goes on in the next line."""
    return [line.strip() for line in block.replace("\\\n", " ").splitlines() if line.strip()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--clang", default="")
    parser.add_argument("--nvcc", default="")
    parser.add_argument("file", nargs="+")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        clone, home, tools = (Path(scratch, name) for name in ("clone", "home", "tools"))
        for folder in (clone, home, tools):
            folder.mkdir()
        for entry in arguments.root.resolve().iterdir():
            if entry.name not in LEFT_OUT:
                (clone / entry.name).symlink_to(entry)
        given = {"g++": arguments.cxx, "clang++": arguments.clang, "nvcc": arguments.nvcc}
        for name, compiler in given.items():
            if compiler:
                (tools / name).write_text(f'#!/bin/sh\nexec "{compiler}" "$@" -O0\n', encoding="utf-8")
                (tools / name).chmod(0o755)
        environment = os.environ | {"HOME": str(home), "PATH": ":".join([str(tools), *os.get_exec_path()]),
                                    "CXX": str(tools / "g++")}
        for name, text in FILES.items():
            (clone / name).write_text(text, encoding="utf-8")

        done: set[str] = set()
        for file in arguments.file:
            text = (arguments.root / file).read_text(encoding="utf-8")
            pieces = list(PIECE.finditer(text))
            if not any(piece[4] for piece in pieces):
                print(f"{file} has no commands to run")
                return 1
            for piece in pieces:
                name, code, needs, block = piece.groups()
                if name:
                    (clone / name).write_text(code, encoding="utf-8")
                    continue
                number = text.count("\n", 0, piece.start(4)) + 1
                if missing := [tool for tool in (needs or "").split()
                               if given.get(tool) == "" or not is_there(tool, environment)]:
                    print(f"{file}:{number}: left out, there is no {', '.join(missing)}")
                    continue
                for line in lines_of(block):
                    if line in done:
                        continue
                    print(f"{file}:{number}: $ {line}", flush=True)
                    run = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=clone,
                                         env=environment, check=False, timeout=LINE_SECONDS_MAX,
                                         stdin=subprocess.DEVNULL)
                    if run.returncode != 0:
                        print(f"{file}:{number}: exit code {run.returncode}: {line}")
                        return 1
                    done.add(line)
    print(f"{len(done)} commands run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
