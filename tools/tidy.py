#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Analyses the sources of a program by clang-tidy as one source, for which the headers that they share
are read and matched once.

usage: tidy.py CLANG_TIDY FOLDER -- FLAGS...
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path


def joined(sources: list[Path]) -> tuple[str, list[str]]:
    """The sources one after the other, each include once; and where each line was."""
    lines, places, included = [], [], set()
    for path in sources:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            again = re.match(r"#include ", line) and line.split()[1] in included
            if line.startswith("#include "):
                included.add(line.split()[1])
            lines.append("" if again else line)
            places.append(f"{path}:{number}")
    return "\n".join(lines) + "\n", places


def main() -> int:
    program, folder = sys.argv[1], Path(sys.argv[2])
    if sys.argv[3:4] != ["--"]:
        sys.exit(__doc__)
    sources = sorted(folder.glob("*.cpp"))
    if not sources:
        sys.exit(f"{folder} has no sources")
    text, places = joined(sources)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "joined.cpp")
        source.write_text(text, encoding="utf-8")
        run = subprocess.run([program, "--quiet", f"--config-file={Path('.clang-tidy').resolve()}",
                              str(source), *sys.argv[3:], f"-I{folder}"],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(re.sub(rf"{re.escape(str(source))}:(\d+)", lambda m: places[int(m[1]) - 1], run.stdout),
          end="")
    print(f"{len(sources)} sources of {folder}: {'analysed' if run.returncode == 0 else 'FAILED'}")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
