#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the explorer, or what a fault names, against an engine with each of the planted faults
of mutations.py, one at a time, and shows that it finds every one. Exits 1 when one was not found, 2 when one did not build."""

import argparse
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutations import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O0", "-pthread", "-DMPX_ASSERT_LEVEL=2", "-DMPX_TEST_ALONE"]
EXPLORER = "sim/explore.cpp"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
EXPLORERS = (EXPLORER, "sim/explore_windows.cpp", "sim/explore_mended.cpp")


def header_of(header):
    """The path in a tree of a header that is named by the end of its path: below include/mpx/, unless it is a
    test's own."""
    if header.startswith("test/"):
        return Path(header)
    found = [p.relative_to(ROOT) for p in (ROOT / "include/mpx").rglob(Path(header).name)
             if p.as_posix().endswith(f"/{header}")]
    if len(found) != 1:
        raise SystemExit(f"{header} is the end of {len(found)} paths below include/mpx/")
    return found[0]


def fault_of(mutation):
    """(name, header, find, replace, the file below test/ that finds it)."""
    return (*mutation, EXPLORER)[:5]


def mutated(text, find, replace, name):
    """Replaces `find`, which occurs once, however its words are laid out on lines."""
    found = list(re.finditer(r"\s*".join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", find)), text))
    if len(found) != 1:
        raise SystemExit(f"'{name}': what it replaces occurs {len(found)} times: {find!r}")
    return text[:found[0].start()] + replace + text[found[0].end():]


def libraries_of(finder):
    if "/libfabric" in finder:
        return ["-lfabric"]
    return ["-lssl", "-lcrypto"] if "/hybrid" in finder or "/tcp" in finder else []


def examine(number, folder, compiler, programs):
    """Returns what became of one mutant: (verdict, seconds, detail)."""
    name, header, find, replace, finder = fault_of(MUTATIONS[number])
    tree = folder / str(number)
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT / "include", tree / "include")
    shutil.copytree(ROOT / "test/transport", tree / "test/transport")
    path = tree / header_of(header)
    path.write_text(mutated(path.read_text(), find, replace, name))
    program = tree / "finder"
    command, sources = [str(program), "--programs", str(programs), "--no-shrink"], [finder]
    if finder not in EXPLORERS:
        command, sources = [str(program), "--abort-after=1"], [finder, "main.cpp"]
    text = (ROOT / "test" / finder).read_text()
    optimise = ["-O1"] if "\n// optimise: yes\n" in text else []
    build = subprocess.run([compiler, *FLAGS, *optimise, f"-I{tree}/include", f"-I{tree}/test", f"-I{ROOT}/test",
                            *(str(ROOT / "test" / s) for s in sources), "-o", str(program),
                            "-lboost_context", *libraries_of(finder)],
                           capture_output=True, text=True, check=False)
    if build.returncode:
        return "DOES NOT BUILD", 0.0, build.stderr[-2000:]
    begin = time.monotonic()
    try:
        played = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return "HANG", time.monotonic() - begin, ""
    took = time.monotonic() - begin
    shutil.rmtree(tree, ignore_errors=True)
    if played.returncode == 0:
        return "NOT FOUND", took, ""
    if finder not in EXPLORERS:
        case = re.search(r"^TEST CASE: +(.*)$", played.stdout, re.M)
        return "found", took, f"{finder}: {case[1] if case else f'exit code {played.returncode}'}"
    count = re.search(r"^(\d+) programs", played.stdout, re.M)
    why = re.search(r"^FAILED: seed \d+, (.*)$", played.stdout, re.M)
    return "found", took, f"program {int(count[1]) if count else '?'}: {why[1] if why else '?'}"


def texts():
    """Texts that the library and the explorers may print, between the parts that each run fills in."""
    found = []
    for folder in ("include", "test/sim"):
        for path in sorted((ROOT / folder).rglob("*.hpp")) + sorted((ROOT / folder).rglob("*.cpp")):
            for literal in re.findall(rf"(?:{LITERAL}\s*)+", path.read_text()):
                joined = "".join(re.findall(LITERAL, literal))[1:-1].replace('""', "")
                found += re.split(r"%[-.*\d]*[a-z]+|[^a-zA-Z' -]+", joined)
    return "\n".join(found)


def outdated(document):
    """Quotations of the document that no source contains any more: runs of three
    words or more, where the first may be filled in, and the last one may be cut off."""
    printed = texts()
    for said in re.findall(r"^\| .+? \| the explorer \| `\w+`: (.*?) \|$", document, re.M):
        for run in re.split(r"[^a-zA-Z' -]+| '", said):
            words = run.split()
            parts = (words, words[1:], words[:-1], words[1:-1])
            if len(words) > 2 and not any(" ".join(p) in printed for p in parts if len(p) > 1):
                yield run.strip()


def check_document():
    """The table of docs/SIMULATION.md names every fault, and who finds it, and quotes texts that
    there are."""
    text = (ROOT / "docs/SIMULATION.md").read_text()
    rows = re.findall(r"^\| (.+?) \| (the explorer|`test/[\w/.]+`) \|", text, re.M)
    finders = [(m[0], fault_of(m)[4]) for m in MUTATIONS]
    faults = [(name, "the explorer" if by in EXPLORERS else f"`test/{by}`") for name, by in finders]
    if sorted(rows) != sorted(faults):
        raise SystemExit(f"docs/SIMULATION.md: its table and mutations.py differ in "
                         f"{sorted(set(rows) ^ set(faults))}")
    explored = sum(by in EXPLORERS for _, by in finders)
    counted = (str(len(faults)), str(explored), str(len(faults) - explored))
    said = re.search(r"each of the (\d+) faults.*?The three explorers look for (\d+); (\d+) name", text, re.S)
    if said is None or said.groups() != counted:
        raise SystemExit(f"docs/SIMULATION.md counts other faults than these: {', '.join(counted)}")
    if gone := list(outdated(text)):
        raise SystemExit(f"docs/SIMULATION.md quotes what nothing prints: {gone}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/explore/mutants")
    parser.add_argument("--programs", type=int, default=20000, help="to play before a fault counts as missed")
    parser.add_argument("--only", help="faults whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="only see whether each can be planted")
    a = parser.parse_args()
    chosen = [i for i, m in enumerate(MUTATIONS) if not a.only or a.only in m[0]]
    if not chosen:
        raise SystemExit(f"no fault is named like '{a.only}'")
    if a.check:
        for i in chosen:
            name, header, find, replace, finder = fault_of(MUTATIONS[i])
            mutated((ROOT / header_of(header)).read_text(), find, replace, name)
            if not (ROOT / "test" / finder).is_file():
                raise SystemExit(f"'{name}': there is no test/{finder}")
        check_document()
        print(f"{len(chosen)} faults can be planted, and docs/SIMULATION.md has them")
        return 0
    missed = broken = 0
    with ThreadPoolExecutor(a.jobs) as pool:
        results = pool.map(lambda i: (i, examine(i, a.folder, a.compiler, a.programs)), chosen)
        for i, (verdict, took, detail) in results:
            print(f"{took:7.2f} s  {verdict:10}  {MUTATIONS[i][0]}\n{'':23}{detail[:160]}", flush=True)
            missed += verdict == "NOT FOUND"
            broken += verdict not in ("found", "NOT FOUND")
    print(f"{len(chosen)} planted faults, {len(chosen) - missed - broken} found, {missed} missed, "
          f"{broken} unclear")
    return 2 if broken else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
