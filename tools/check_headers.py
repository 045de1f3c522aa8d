#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles every header of mpx as if alone: each must include all that it uses, and warn about nothing.

A header may follow another in one source if it includes all that has been read by then: so there are
as few sources as the includes allow. Where one fails, its headers are compiled one by one.

--users: only the sources that have a header which users include, directly in include/mpx/.

usage: check_headers.py [--users] --compiler CXX [--jobs N] -- FLAGS...
"""

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tree


def chains_of(headers: dict[str, str]) -> list[list[str]]:
    """The headers, each once, in as few rows as can be in which each includes all that the ones before
    it have read: a least cover of a partial order by chains, which is a greatest matching."""
    includes = {name: [i for i in tree.includes_of(text) if not (i.mpx or "").startswith("macros/")]
                for name, text in headers.items()}

    def closure(names: list[str], certain: bool) -> set[str]:
        """Headers that are read with these, at most, or for certain."""
        found: set[str] = set()
        while names:
            name = names.pop()
            if name not in found:
                found.add(name)
                names += [i.mpx if i.mpx in includes else i.target
                          for i in includes.get(name, ()) if not (certain and i.conditional)]
        return found

    read = {name: closure([name], False) for name in headers}
    # Before its own first line of code.
    first = {name: closure([i.mpx if i.mpx in includes else i.target for i in includes[name]
                            if not i.conditional and not i.late], True) | {name}
             for name in headers}
    # Parts of a class include it, and it includes them at its end: of such, in the order of names.
    follows = {a: [b for b in headers if read[a] <= first[b] and (len(read[a]), a) < (len(read[b]), b)]
               for a in headers}

    before: dict[str, str] = {}  # The header whose follower it is.

    def find(a: str, tried: set[str]) -> bool:
        for b in follows[a]:
            if b not in tried:
                tried.add(b)
                if b not in before or find(before[b], tried):
                    before[b] = a
                    return True
        return False

    for a in sorted(headers, key=lambda name: -len(read[name])):  # Who reads most had better not be last.
        find(a, set())
    after = {a: b for b, a in before.items()}
    rows = []
    for name in headers:
        if name not in before:
            row = [name]
            while row[-1] in after:
                row.append(after[row[-1]])
            rows.append(row)
    assert sorted(sum(rows, [])) == sorted(headers), "each header in one row"
    return rows


def main() -> int:
    own, flags = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, flags = own[:cut], own[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", action="store_true")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args(own)
    headers = tree.headers(arguments.root)

    with tempfile.TemporaryDirectory() as scratch:
        probe = Path(scratch, "probe.cpp")

        def has(header: str) -> bool:
            probe.write_text(f"#include <{header}>\n", encoding="utf-8")
            return subprocess.run([arguments.compiler, *flags, "-fsyntax-only", str(probe)],
                                  capture_output=True, check=False).returncode == 0

        lacking = [header for header in ("pmix.h", "mpi.h") if not has(header)]
        # A header of another MPI may be reached through one of mpx.
        without = {f"mpx/{name}" for name, text in headers.items() if any(f"<{h}>" in text for h in lacking)}
        names = [name for name, text in headers.items()
                 if f"mpx/{name}" not in without and not any(f'"{w}"' in text for w in without)]
        for name in headers.keys() - names:
            print(f"mpx/{name}: not looked at, there is no {' or '.join(lacking)}")

        def compiled(row: list[str]) -> str:
            """The compiler's output."""
            source = Path(scratch, row[-1].replace("/", "_") + f".{len(row)}.cpp")
            # Twice: #pragma once must hold.
            source.write_text("".join(f"#include <mpx/{name}>\n" * 2 for name in row), encoding="utf-8")
            run = subprocess.run([arguments.compiler, *flags, "-fsyntax-only", str(source)],
                                 capture_output=True, text=True, check=False)
            return run.stdout + run.stderr or "it fails" if run.returncode or run.stderr else ""

        def check(row: list[str]) -> list[tuple[str, str]]:
            output = compiled(row)
            if not output or len(row) == 1:
                return [(row[-1], output)] if output else []
            alone = [(name, compiled([name])) for name in row]
            return [(name, said) for name, said in alone if said] or [(" + ".join(row), output)]

        rows = chains_of({name: headers[name] for name in names})
        if arguments.users:
            rows = [row for row in rows if any("/" not in name for name in row)]
            names = sum(rows, [])
        rows.sort(key=len, reverse=True)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            failed = sum(pool.map(check, rows), [])
    for name, output in failed:
        print(f"mpx/{name} does not stand alone:\n{output}")
    print(f"{len(names) - len(failed)} of {len(names)} headers stand alone, in {len(rows)} sources")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
