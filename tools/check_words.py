#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Refuses retired names in sources, scripts and documents.

The names are those in the first column of the table below the heading "Names that are gone" of docs/GLOSSARY.md. A
third column limits a row to files whose paths begin with one of its words. The glossary itself, the changelog and the
single header are not searched.

usage: check_words.py
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = "docs/GLOSSARY.md"
HEADING = "### Names that are gone"
NOT_SEARCHED = (GLOSSARY, "CHANGELOG.md", "single_include/")
FOLDERS = ("include", "tools", "test", "bench", "examples", "scripts", "cmake", "packaging", "docs", "modules")
KINDS = {".hpp", ".cpp", ".cppm", ".c", ".h", ".cu", ".py", ".md", ".txt", ".cmake", ".svg", ".sh", ""}


# A retired name, the name that is used instead, and the beginnings of the paths where it is refused (none: anywhere).
Retired = dict[str, tuple[str, tuple[str, ...]]]


def retired(text: str) -> Retired:
    table = text.partition(HEADING)[2].partition("\n#")[0]
    names: Retired = {}
    for line in table.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] not in ("gone", "---"):
            names |= dict.fromkeys(cells[0].split(", "), (cells[1], tuple(cells[2].replace("`", "").split())))
    return names


def findings(names: Retired, path: str, text: str) -> list[str]:
    here = {name: use for name, (use, where) in names.items() if not where or path.startswith(where)}
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, here)) + r")\b")
    return [f"{path}:{number}: {m[0]} is retired: use {here[m[0]]}"
            for number, line in enumerate(text.splitlines(), 1) for m in pattern.finditer(line)]


def files() -> list[Path]:
    """The files of the tree: those that git knows, or all where there is no git."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
        return [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        return [p for folder in FOLDERS for p in (ROOT / folder).rglob("*")] + list(ROOT.glob("*.md"))


def main() -> int:
    names = retired((ROOT / GLOSSARY).read_text())
    # The check finds what it looks for, and nothing inside of longer names.
    planted = findings({"purse": ("x", ()), "a": ("y", ("q",))}, "p", "a purse\npurse_of\n")
    if len(names) < 30 or planted != ["p:1: purse is retired: use x"]:
        print(f"check_words: the table of {GLOSSARY} is not understood")
        return 1
    found = []
    for path in sorted(files()):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and path.suffix in KINDS and not name.startswith(NOT_SEARCHED) and name != "tools/check_words.py":
            found += findings(names, name, path.read_text(errors="replace"))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(names)} retired names, {len(found)} of them found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
