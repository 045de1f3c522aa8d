#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares docs/TESTING.md, Which suite runs where, with what the sources of test/ say: every test
with a line `// sanitizers:`, `// compilers:` or `// release:` is in the row of that line, and no other.

--left LIST PRESET: the tests that LIST names (what a build with MPX_TEST_ONCE has left out) are those
that say nothing against it, and `ctest --preset PRESET` has each of them.

usage: check_suites.py [--left LIST PRESET] | --self-test
"""

import argparse
import fnmatch
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/TESTING.md"
DIRECTIVE = re.compile(r"^(?://|#) (sanitizers|compilers|release): *(.*\S)", re.M)
ROW = re.compile(r"^\| `// (sanitizers|compilers|release): ([\w ]+)` \| (.*?) \|", re.M)
VALUES = {"sanitizers": ("none", "address", "thread"), "compilers": ("both",),
          "release": ("all", "dev", "tsan", "dev tsan")}
LINES = 20  # As cmake/MpxTest.cmake reads.


def suites(folder: Path) -> dict[str, dict[str, str]]:
    """The tests of a folder test/, by their names in ctest (mp.* without ranks), and what each says."""
    found = {}
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(folder).as_posix()
        if match := re.fullmatch(r"(.*)\.test\.(cpp|py)", where):
            name = ("unit." if match[2] == "cpp" else "script.") + match[1].replace("/", ".")
        elif match := re.fullmatch(r"mp/([^/.]*)\.cpp", where):
            name = f"mp.{match[1]}"
        else:
            continue
        head = "\n".join(path.read_text(encoding="utf-8").splitlines()[:LINES])
        found[name] = dict(DIRECTIVE.findall(head))
    return found


def names_in(cell: str, known: list[str]) -> set[str]:
    """`unit.sim.paths`, `run`: what follows a name in full is of its folder."""
    names, folder = set(), ""
    for word in re.findall(r"`([^`]*)`", cell):
        if "." in word:
            folder = word[:word.rindex(".") + 1]
        else:
            word = folder + word
        names |= set(fnmatch.filter(known, word)) or {word}
    return names


def compared(text: str, said: dict[str, dict[str, str]]) -> list[str]:
    problems = [f"{name}: {key}: {value} means nothing" for name, lines in said.items()
                for key, value in lines.items() if value not in VALUES[key]]
    rows: dict[tuple[str, str], set[str]] = {}
    for key, value, cell in ROW.findall(text):
        rows.setdefault((key, value), set()).update(names_in(cell, list(said)))
    for key, values in VALUES.items():
        for value in values:
            there = rows.get((key, value), set())
            here = {name for name, lines in said.items() if lines.get(key) == value}
            problems += [f"{name}: the line {key}: {value} has no row in {DOCUMENT.name}"
                         for name in sorted(here - there)]
            problems += [f"{DOCUMENT.name}: {name} has no line {key}: {value}"
                         for name in sorted(there - here)]
    return problems


def may_be_left(lines: dict[str, str]) -> bool:
    return (("compilers" not in lines or "dev" in lines.get("release", ""))
            and lines.get("sanitizers", "address") == "address")


def left_problems(left: list[str], said: dict[str, dict[str, str]], ran: set[str]) -> list[str]:
    problems = [] if left else ["nothing has been left out"]
    ran = ran | {re.sub(r"^(mp\.\w+)\.\d+$", r"\1", name) for name in ran}
    problems += [f"{name} is in no preset" for name in left if name not in ran]
    return problems + [f"{name} must not be left out" for name in left
                       if not may_be_left(said.get(name, {"compilers": "unknown"}))]


def tests_of(preset: str) -> set[str]:
    listed = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    return {test["name"] for test in json.loads(listed[listed.index("{"):])["tests"]}


def self_test() -> list[str]:
    said = {"unit.a.x": {}, "unit.a.y": {"sanitizers": "none"}, "unit.b.z": {"compilers": "both"}}
    good = "| `// sanitizers: none` | `unit.a.y` | b |\n| `// compilers: both` | `unit.b.*` | c |\n"
    bad = {
        "a suite without a row": compared(good.replace("unit.a.y", "unit.b.z"), said),
        "a row without a suite": compared(good.replace("`unit.a.y`", "`unit.a.y`, `x`"), said),
        "an unknown value": compared(good, {**said, "unit.a.w": {"compilers": "g++"}}),
        "a suite in no preset": left_problems(["unit.a.x"], said, {"unit.b.z"}),
        "a suite left out that must not": left_problems(["unit.a.y"], said, {"unit.a.y"}),
        "nothing left out": left_problems([], said, {"unit.a.x"}),
    }
    problems = [f"{what} is not noticed" for what, found in bad.items() if not found]
    return problems + compared(good, said) + left_problems(["unit.a.x", "mp.v"], {**said, "mp.v": {}},
                                                             {"unit.a.x", "mp.v.2", "mp.v.3"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left", nargs=2, metavar=("LIST", "PRESET"))
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        problems = self_test()
    else:
        said = suites(ROOT / "test")
        problems = compared(DOCUMENT.read_text(encoding="utf-8"), said)
        if arguments.left:
            left = Path(arguments.left[0]).read_text(encoding="utf-8").split()
            problems += left_problems(left, said, tests_of(arguments.left[1]))
            print(f"{len(left)} tests are left to {arguments.left[1]}")
    print("\n".join(problems or ["every suite runs where the document says"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
