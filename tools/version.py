#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks or sets the version of mpx; docs/VERSIONS.md has the rules.

Without options: the numbers of mpx/version.hpp, the inline namespaces, CHANGELOG.md and the packages
agree, each header for programs has its feature-test macro, and each deprecated name says until which
version it stays. `--release`: the tree is fit to be released: the section of the changelog has a date,
and compared with the last tag v*, the ABI number is raised by a release that is not a patch release,
and another wire version is told in the changelog. `--set` writes a version everywhere; `--date` closes
its section of the changelog.

usage: version.py [--release] [--root DIR] | --set X.Y.Z [--abi N] | --date YYYY-MM-DD | --self-test
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tree

ROOT = Path(__file__).resolve().parent.parent
HEADER = "include/mpx/version.hpp"
CONFIG = "include/mpx/config.hpp"
CHANGES = "CHANGELOG.md"
PORT = "packaging/vcpkg/mpx/vcpkg.json"
NUMBERS = re.compile(r"^#define (MPX_VERSION_(?:MAJOR|MINOR|PATCH)|MPX_ABI_VERSION) (\d+)$", re.M)
STRING = re.compile(r'^#define MPX_VERSION_STRING "([^"]*)"$', re.M)
FEATURE = re.compile(r"^#define (MPX_FEATURE_\w+) (\d+)$", re.M)
SECTION = re.compile(r"^## \[(?:Unreleased\] ([\d.]+)|([\d.]+)\] - (\d{4}-\d\d-\d\d))$", re.M)
PORT_VERSION = re.compile(r'("version-semver": ")([^"]*)(")')
ABI_NAMESPACE = re.compile(r"(\bmpx::inline v)(\d+)\b")
ABI_FOLDERS = ("include", "src", "modules", "test", "tools", "bench", "examples")
DEPRECATED = re.compile(r"\[\[deprecated(?:\(([^)]*)\))?")
DEPRECATED_TEXT = re.compile(r'"until mpx (\d+)\.(\d+): use [^"]+"')
WIRE = re.compile(r"\bwire_version = (\d+);")

Version = tuple[int, int, int]


def text_of(version: Version) -> str:
    return ".".join(map(str, version))


def parsed(text: str) -> Version:
    if not (match := re.fullmatch(r"(\d+)\.(\d{1,2})\.(\d{1,2})", text)):
        sys.exit(f"'{text}' is not a version such as 0.9.0")
    return int(match[1]), int(match[2]), int(match[3])


class Tree:
    """A source tree, and the numbers that its version.hpp states."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.header = self.read(HEADER)
        numbers = {name: int(value) for name, value in NUMBERS.findall(self.header)}
        try:
            self.version: Version = tuple(numbers[f"MPX_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH"))
            self.abi = numbers["MPX_ABI_VERSION"]
            self.string = STRING.search(self.header)[1]
            self.wire = int(WIRE.search(self.read(CONFIG))[1])
        except (KeyError, TypeError):
            sys.exit(f"{HEADER} or {CONFIG} does not state its numbers in the form that this script knows")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def sources(self) -> dict[str, str]:
        return {path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8")
                for folder in ABI_FOLDERS for path in sorted((self.root / folder).rglob("*"))
                if path.suffix in (".hpp", ".cpp", ".cppm", ".cu", ".py")}

    # --- checks ---

    def problems(self) -> list[str]:
        return (self.numbers() + self.features() + self.namespaces() + self.deprecated() + self.packages())

    def numbers(self) -> list[str]:
        found = []
        if self.string != text_of(self.version):
            found.append(f"{HEADER}: MPX_VERSION_STRING is {self.string}, the numbers are {text_of(self.version)}")
        if max(self.version[1:]) > 99:
            found.append(f"{HEADER}: MPX_VERSION has two digits for the minor version and for the patch")
        section = SECTION.search(self.read(CHANGES))
        if not section or (section[1] or section[2]) != text_of(self.version):
            found.append(f"{CHANGES}: the first section is not that of {text_of(self.version)}")
        return found

    def features(self) -> list[str]:
        macros = dict(FEATURE.findall(self.header))
        wanted = {"MPX_FEATURE_" + name.removesuffix(".hpp").upper(): name for name in tree.ENTRANCES
                  if "/" not in name and name != "mpx.hpp"}
        found = [f"{HEADER}: {macro} is missing, for mpx/{name}" for macro, name in wanted.items() if macro not in macros]
        found += [f"{HEADER}: {macro} belongs to no header for programs (ENTRANCES of tools/tree.py)"
                  for macro in macros if macro not in wanted]
        return found + [f"{HEADER}: {macro} is {value}, not a year and a month" for macro, value in macros.items()
                        if not re.fullmatch(r"20\d\d(0[1-9]|1[0-2])", value)]

    def namespaces(self) -> list[str]:
        counted, found = 0, []
        for name, text in self.sources().items():
            for match in ABI_NAMESPACE.finditer(text):
                counted += 1
                if int(match[2]) != self.abi:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{name}:{line}: the inline namespace is v{match[2]}, MPX_ABI_VERSION is {self.abi}")
        return found if counted else ["no inline namespace is found, which cannot be right"]

    def deprecated(self) -> list[str]:
        found = []
        for name, text in self.sources().items():
            if not name.startswith("include/"):
                continue
            for match in DEPRECATED.finditer(text):
                where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
                said = DEPRECATED_TEXT.search(match[1] or "")
                if not said:
                    found.append(f'{where}: a deprecated name says "until mpx X.Y: use ..."')
                elif (int(said[1]), int(said[2])) <= self.version[:2]:
                    found.append(f"{where}: this name was promised until mpx {said[1]}.{said[2]}: remove it")
        return found

    def packages(self) -> list[str]:
        if not (self.root / PORT).exists():
            return [f"{PORT} is missing"]
        told = PORT_VERSION.search(self.read(PORT))
        return [] if told and told[2] == text_of(self.version) else [f"{PORT}: the version is not {text_of(self.version)}"]

    def release_problems(self) -> list[str]:
        changes = self.read(CHANGES)
        section = SECTION.search(changes)
        if not section or not section[3]:
            return [f"{CHANGES}: the section of {text_of(self.version)} has no date: tools/version.py --date YYYY-MM-DD"]
        body = changes[section.end():].partition("\n## ")[0]
        found = []
        if not re.search(r"^- ", body, re.M):
            found.append(f"{CHANGES}: the section of {text_of(self.version)} says nothing")
        wire = body.partition("### Wire format")[2].partition("\n### ")[0]
        before = self.released()
        told = re.search(rf"^- Version {self.wire}\b", wire, re.M)
        if (before is None or before.wire != self.wire) and not told:
            found.append(f"{CHANGES}: under 'Wire format' a line `- Version {self.wire}: ...` is missing")
        if before is None:
            return found
        if self.version <= before.version:
            found.append(f"{text_of(self.version)} does not follow {text_of(before.version)}, which is released")
        if self.version[:2] != before.version[:2] and self.abi <= before.abi:
            found.append(f"MPX_ABI_VERSION is {self.abi} as in {text_of(before.version)}: "
                         "only a patch release keeps it (tools/version.py --set X.Y.Z --abi N)")
        if self.version[:2] == before.version[:2] and (self.abi, self.wire) != (before.abi, before.wire):
            found.append(f"a patch release of {text_of(before.version)} changes neither the ABI nor the wire version")
        return found

    def released(self) -> "Tree | None":
        """The tree of the newest tag v* below HEAD; None if nothing is released."""
        if not self.git("rev-list", "--all", "-n1"):
            return None
        tags = self.git("tag", "--merged", "HEAD", "--list", "v*", "--sort=-version:refname").split()
        tags = [tag for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag) and tag != "v" + text_of(self.version)]
        if not tags:
            return None
        with tempfile.TemporaryDirectory() as scratch:
            for name in (HEADER, CONFIG):
                path = Path(scratch, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.git("show", f"{tags[0]}:{name}"), encoding="utf-8")
            return Tree(Path(scratch))

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", self.root, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"git {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    # --- changes ---

    def set(self, version: Version, abi: int) -> None:
        numbers = dict(zip(("MPX_VERSION_MAJOR", "MPX_VERSION_MINOR", "MPX_VERSION_PATCH", "MPX_ABI_VERSION"),
                           (*version, abi)))
        text = NUMBERS.sub(lambda m: f"#define {m[1]} {numbers[m[1]]}", self.header)
        self.write(HEADER, STRING.sub(f'#define MPX_VERSION_STRING "{text_of(version)}"', text))
        self.write(PORT, PORT_VERSION.sub(rf"\g<1>{text_of(version)}\g<3>", self.read(PORT)))
        changes = self.read(CHANGES)
        first = SECTION.search(changes)
        heading = f"## [Unreleased] {text_of(version)}"
        if first[1]:
            changes = changes[:first.start()] + heading + changes[first.end():]
        elif first[2] != text_of(version):
            changes = changes[:first.start()] + heading + "\n\n" + changes[first.start():]
        self.write(CHANGES, changes)
        if abi != self.abi:
            for name, source in self.sources().items():
                if (renamed := ABI_NAMESPACE.sub(rf"\g<1>{abi}", source)) != source:
                    self.write(name, renamed)

    def date(self, day: str) -> None:
        changes = self.read(CHANGES)
        first = SECTION.search(changes)
        if not first[1]:
            sys.exit(f"{CHANGES}: the first section has a date already")
        self.write(CHANGES, changes[:first.start()] + f"## [{first[1]}] - {day}" + changes[first.end():])


# --- the check is checked ---

def planted(root: Path) -> dict[str, tuple[str, str, str]]:
    """Name -> (file, text, replacement): each must be found in a copy of this tree."""
    here = Tree(root)
    return {
        "another string": (HEADER, f'"{here.string}"', '"7.7.7"'),
        "a missing feature": (HEADER, "#define MPX_FEATURE_RMA ", "#define MPX_RMA "),
        "a feature of nothing": (HEADER, "MPX_FEATURE_RMA", "MPX_FEATURE_RAM"),
        "a wrong month": (HEADER, "MPX_FEATURE_RMA 2026", "MPX_FEATURE_RMA 3026"),
        "another namespace": (CONFIG, f"mpx::inline v{here.abi} {{", f"mpx::inline v{here.abi + 1} {{"),
        "no advice": (CONFIG, "/// Version of the wire format.", '[[deprecated("old")]]'),
        "kept for too long": (CONFIG, "/// Version of the wire format.", '[[deprecated("until mpx 0.0: use y")]]'),
        "another changelog": (CHANGES, f"] {here.string}\n", "] 7.7.7\n"),
        "another port": (PORT, f'"{here.string}"', '"7.7.7"'),
    }


def self_test() -> list[str]:
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "tree")
        shutil.copytree(ROOT, root, ignore=lambda folder, names: [
            n for n in names if Path(folder) == ROOT and n not in ("include", "packaging", CHANGES)])
        if Tree(root).problems():
            return ["a copy of this tree is not in order: " + "; ".join(Tree(root).problems())]
        changes = Tree(root).read(CHANGES)
        Tree(root).write(CHANGES, SECTION.sub(f"## [Unreleased] {Tree(root).string}", changes, count=1))
        for what, (name, text, instead) in planted(root).items():
            before = Tree(root).read(name)
            if text not in before:
                problems.append(f"{what}: {name} has no '{text}'")
                continue
            Tree(root).write(name, before.replace(text, instead))
            if not Tree(root).problems():
                problems.append(f"{what} is not found")
            Tree(root).write(name, before)
        problems += history_test(root)
    return problems


def history_test(root: Path) -> list[str]:
    """Two releases in a repository: which of them are refused."""
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", root, "-c", "user.name=x", "-c", "user.email=x@y", *words], check=True,
                       capture_output=True)

    if shutil.which("git") is None:
        return []
    problems = []

    def expect(what: str, refused: str) -> None:
        found = "; ".join(Tree(root).release_problems())
        if (refused not in found) if refused else found:
            problems.append(f"{what}: {'not refused' if refused else found}")

    def add_section(text: str) -> None:
        changes = Tree(root).read(CHANGES)
        first = SECTION.search(changes)
        Tree(root).write(CHANGES, changes[:first.end()] + "\n\n" + text + "\n" + changes[first.end():])

    git("init", "-q")
    Tree(root).write(CHANGES, "## [Unreleased] 0.0.1\n")
    Tree(root).set((0, 9, 0), Tree(root).abi)
    expect("a section without a date", "has no date")
    Tree(root).date("2026-01-02")
    expect("an empty section", "says nothing")
    add_section("- A change.")
    expect("a wire version that is not told", "Wire format")
    add_section(f"### Wire format\n\n- Version {Tree(root).wire}: a packet.")
    expect("a first release", "")
    git("add", "-A")
    git("commit", "-q", "-m", "0.9.0")
    git("tag", "v0.9.0")
    expect("a version that is released", "")  # Its own tag does not count.
    first = Tree(root).abi
    for version, abi, refused in (((0, 8, 9), first, "does not follow"), ((0, 9, 1), first + 1, "patch release"),
                                  ((0, 9, 1), first, ""), ((0, 10, 0), first, "MPX_ABI_VERSION"),
                                  ((0, 10, 0), first + 1, "")):
        git("checkout", "-q", "-f", "v0.9.0")
        Tree(root).set(version, abi)
        Tree(root).date("2026-02-03")
        add_section("- A change.")
        expect(f"{text_of(version)} with ABI {abi}", refused)
        if Tree(root).namespaces():
            problems.append(f"{text_of(version)}: the namespaces are not those of ABI {abi}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--set", metavar="X.Y.Z")
    parser.add_argument("--abi", type=int, metavar="N")
    parser.add_argument("--date", metavar="YYYY-MM-DD")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        problems = self_test()
    else:
        here = Tree(arguments.root)
        if arguments.set:
            here.set(parsed(arguments.set), here.abi if arguments.abi is None else arguments.abi)
        if arguments.date:
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", arguments.date):
                sys.exit(f"'{arguments.date}' is not a date such as 2026-11-28")
            Tree(arguments.root).date(arguments.date)
        here = Tree(arguments.root)
        problems = here.problems() + (here.release_problems() if arguments.release else [])
        print(f"mpx {here.string}, ABI {here.abi}, wire {here.wire}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
