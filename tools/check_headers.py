#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles every header of mpx alone: each must include all that it uses, and warn about nothing.

usage: check_headers.py --compiler CXX [--jobs N] -- FLAGS...
"""

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import house


def main() -> int:
    own, flags = sys.argv[1:], []
    if "--" in own:
        cut = own.index("--")
        own, flags = own[:cut], own[cut + 1:]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args(own)
    headers = house.headers(arguments.root)

    with tempfile.TemporaryDirectory() as scratch:
        probe = Path(scratch, "probe.cpp")
        probe.write_text("#include <pmix.h>\n", encoding="utf-8")
        have_pmix = subprocess.run([arguments.compiler, *flags, "-fsyntax-only", str(probe)],
                                   capture_output=True, check=False).returncode == 0
        names = [name for name, text in headers.items() if have_pmix or "<pmix.h>" not in text]
        for name in headers.keys() - names:
            print(f"mpx/{name}: not looked at, there is no libpmix")

        def check(name: str) -> tuple[str, str]:
            source = Path(scratch, name.replace("/", "_") + ".cpp")
            # Twice: #pragma once must hold.
            source.write_text(f"#include <mpx/{name}>\n#include <mpx/{name}>\n", encoding="utf-8")
            run = subprocess.run([arguments.compiler, *flags, "-fsyntax-only", str(source)],
                                 capture_output=True, text=True, check=False)
            return name, run.stdout + run.stderr if run.returncode or run.stderr else ""

        with ThreadPoolExecutor(arguments.jobs) as pool:
            failed = [(name, output) for name, output in pool.map(check, names) if output]
    for name, output in failed:
        print(f"mpx/{name} does not stand alone:\n{output}")
    print(f"{len(names) - len(failed)} of {len(names)} headers stand alone")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
