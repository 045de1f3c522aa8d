#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks one compile-fail test: the file must be refused for the stated reason, its control taken.

Near its top the file says `// expect: REGEX`. Compiled as it stands it must fail, with output that
matches REGEX; compiled with -DMPX_CONTROL it must compile, which proves that nothing else is wrong.
`// flags: FLAG...` are for the former alone; `// errors: N` bounds how many errors it may show;
`// first: here` wants the first of them in this file, not in a header.

usage: compile_fail.py --compiler CXX FILE -- FLAGS...
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

EXPECT = re.compile(r"^//\s*expect:\s*(.+?)\s*$")
MORE = re.compile(r"^//\s*(flags|errors|first):\s*(.+?)\s*$")
EXPECT_WITHIN_LINES = 5


def main() -> int:
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args(sys.argv[1:cut])
    flags = sys.argv[cut + 1:]

    head = arguments.file.read_text(encoding="utf-8").splitlines()[:EXPECT_WITHIN_LINES]
    expected = [match[1] for line in head if (match := EXPECT.match(line))]
    if len(expected) != 1:
        print(f"{arguments.file}: one `// expect: REGEX` is needed in the first lines")
        return 1

    more = {match[1]: match[2] for line in head if (match := MORE.match(line))}

    def compile_with(*more: str) -> subprocess.CompletedProcess:
        base = flags
        if any(flag.startswith(("-std=", "-fno-exceptions")) for flag in more) and "-include" in flags:
            at = flags.index("-include")  # What is precompiled is of the other language.
            base = flags[:at] + flags[at + 2:]
        command = [arguments.compiler, *base, *more, "-fsyntax-only", str(arguments.file)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    control = compile_with("-DMPX_CONTROL")
    if control.returncode:
        print(f"the control must compile, and does not:\n{control.stderr}")
        return 1
    failure = compile_with(*more.get("flags", "").split())
    if not failure.returncode:
        print("this must not compile, and does")
        return 1
    if not re.search(expected[0], failure.stderr):
        print(f"refused, but the message does not match `{expected[0]}`:\n{failure.stderr}")
        return 1
    errors = len(re.findall(r"\berror:", failure.stderr))
    if errors > int(more.get("errors", errors)):
        print(f"refused with {errors} errors, more than {more['errors']}:\n{failure.stderr}")
        return 1
    first = re.search(r"^(.*?):\d+:\d+: error:", failure.stderr, re.M)
    if more.get("first") == "here" and (first is None or Path(first[1]).name != arguments.file.name):
        print(f"refused, but the first error is not in this file:\n{failure.stderr}")
        return 1
    print(f"refused with `{expected[0]}`; the control compiles")
    return 0


if __name__ == "__main__":
    sys.exit(main())
