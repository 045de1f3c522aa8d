#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the tables of docs/ENVIRONMENT.md with what the sources read, in both directions.

Looked for are: string literals of C++ that name a variable of a launcher, and arguments of getenv; in Python
what is taken from os.environ; in shell scripts variables that have a default or begin with MPX_; in
CMake $ENV{}, options, cache variables and what is searched for; macros that a header of mpx lets be
defined. What mpxrun takes for read by something (tools/mpxrun/variables.hpp) is the first of these
tables.

usage: check_environment.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("include", "mpi", "tools", "test", "bench", "examples", "scripts", "cmake", "packaging", ".ci")
C_READS = re.compile(r'"((?:MPX|OMPI|PMI|PMIX|MPI|SLURM|FLUX|JSM|PALS|ALPS)_[A-Z_]+)=?"|getenv\("([A-Z_]+)"\)')
PYTHON_READS = re.compile(r"""(?:environ(?:\.get\(|\[)|getenv\()["']([A-Z_]+)["']""")
SHELL_READS = re.compile(r"\$\{?(MPX_[A-Z_]+)|\$\{([A-Z][A-Z_]+):?[-+?]")
CMAKE_ENV = re.compile(r"(?<!set\()\$?ENV\{([A-Z_]+)\}")
CMAKE_VARIABLES = re.compile(
    r"^ *(?:option|cmake_dependent_option|find_program|find_library|find_path)\(\s*(MPX_[A-Z_]+)"
    r"|^ *set\(\s*(MPX_[A-Z_]+)[^()]*\bCACHE\b", re.M)
LAUNCHER = ROOT / "tools/mpxrun/variables.hpp"
LAUNCHER_KNOWS = re.compile(r"known_variables\[\] = \{([^}]*)\}")
MACROS = re.compile(r"^#ifndef (MPX_[A-Z_]+)", re.M)


def names(pattern: re.Pattern, text: str) -> set[str]:
    return {name for groups in (m.groups() for m in pattern.finditer(text)) for name in groups if name}


def read_by_sources() -> dict[str, dict[str, str]]:
    """For each table its names, and a file that has each."""
    found: dict[str, dict[str, str]] = {"Environment variables": {}, "CMake variables": {}, "Macros": {}}

    def add(table: str, path: Path, these: set[str]) -> None:
        for name in these:
            found[table].setdefault(name, str(path.relative_to(ROOT)))

    files = [ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        files += [p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    for path in sorted(files):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if path in (Path(__file__).resolve(), LAUNCHER):
            continue
        if path.suffix in (".hpp", ".cpp", ".h", ".c"):
            code = re.sub(r"^\s*#.*", "", text, flags=re.M)
            these = names(C_READS, code) - {"MPX_VERSION_STRING"}
            if "mpi" in path.parts:  # Programs of MPI name MPI's constants.
                these = {name for name in these if not name.startswith("MPI_")}
            add("Environment variables", path, these)
            if path.is_relative_to(ROOT / "include"):
                add("Macros", path, names(MACROS, text))
        elif path.suffix == ".py":
            add("Environment variables", path, names(PYTHON_READS, text))
        elif path.suffix == ".cmake" or path.name == "CMakeLists.txt":
            add("Environment variables", path, names(CMAKE_ENV, text))
            add("CMake variables", path, names(CMAKE_VARIABLES, text))
        elif text.startswith("#!") or path.name == "lib.sh":
            add("Environment variables", path, names(SHELL_READS, text))
    return found


def said_by_document(text: str) -> dict[str, set[str]]:
    said: dict[str, set[str]] = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        cells = re.findall(r"^\| ([^|]+) \|", body, re.M)
        said[title] = {name for cell in cells for name in re.findall(r"`([A-Z][A-Z_]+)`", cell)}
    return said


def known_to_launcher(said: set[str]) -> list[str]:
    """Differences between the variables that mpxrun knows and those of the document."""
    told = {name for name in said if name.startswith("MPX_")}
    names = LAUNCHER_KNOWS.search(LAUNCHER.read_text(encoding="utf-8"))
    knows = set(re.findall(r'"([A-Z_]+)"', names[1])) if names else set()
    where = LAUNCHER.relative_to(ROOT)
    return ([f"Environment variables: {name} is there, and {where} lacks it" for name in sorted(told - knows)] +
            [f"Environment variables: {name} is missing, which {where} knows" for name in sorted(knows - told)])


def main() -> int:
    problems = []
    found = read_by_sources()
    said = said_by_document((ROOT / "docs/ENVIRONMENT.md").read_text(encoding="utf-8"))
    for table, read in found.items():
        if not read:
            problems.append(f"{table}: nothing is found in the sources, which cannot be right")
        here = said.get(table, set())
        problems += [f"{table}: {name} is missing, which {read[name]} has"
                     for name in sorted(read.keys() - here)]
        problems += [f"{table}: {name} is there, and nothing reads it"
                     for name in sorted(here - read.keys())]
    problems += known_to_launcher(said["Environment variables"])
    print("\n".join(f"docs/ENVIRONMENT.md: {p}" for p in problems))
    print(f"{sum(map(len, found.values()))} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
