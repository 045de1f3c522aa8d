# SPDX-License-Identifier: BSL-1.0
"""Shared by the scripts here: the tree, commands that have to succeed, the consumer program."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv[1]).resolve().parent
BUILD = BIN.parent
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}
FOR_RELEASE = os.environ.get("FOR_RELEASE") != "0"
SECONDS_MAX = 1800
SKIPPED = 77


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*command, fails: bool = False, **more) -> str:
    """The output of a command, which has to succeed; with `fails` its complaint, and it has to fail."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, timeout=SECONDS_MAX, check=False, stdin=subprocess.DEVNULL,
                          **{"env": CLEAN, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **more})
    if (done.returncode == 0) == fails:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def cached(name: str) -> str:
    """A variable of the build that this test belongs to."""
    for line in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(rf"{name}:\w+=(.*)", line):
            return match[1]
    return ""


CXX = cached("CMAKE_CXX_COMPILER")
GENERATOR = cached("CMAKE_GENERATOR")
VERSION = re.search(r'MPX_VERSION_STRING "(.*)"', (SOURCE / "include/mpx/version.hpp").read_text(encoding="utf-8"))[1]


def components() -> list[str]:
    return sorted(path.stem for path in (SOURCE / "cmake/components").glob("*.cmake"))


def expect(good: bool, what: str) -> None:
    if not good:
        sys.exit(what)


def scratch() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="packaging-")


def in_order(*checks) -> None:
    """Runs each function with a folder of its own, or those whose names stand on the command line."""
    wanted = sys.argv[2:]
    for check in checks:
        if wanted and check.__name__ not in wanted:
            continue
        with scratch() as folder:
            check(Path(folder))
        print(f"{check.__name__}: good", flush=True)


__all__ = ["BIN", "BUILD", "CLEAN", "CXX", "FOR_RELEASE", "GENERATOR", "SOURCE", "VERSION", "Path", "cached", "components", "expect",
           "in_order", "json", "os", "re", "run", "shutil", "skip", "subprocess", "sys"]
