#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The commands in the examples build and start them.

commands.test.py MPXRUN: in MPX_BIN are the programs of this build, in MPX_SOURCE is the tree.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MPXRUN = Path(sys.argv[1]).resolve()
BIN, SOURCE = Path(os.environ["MPX_BIN"]), Path(os.environ["MPX_SOURCE"])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}


def run(words):
    r = subprocess.run(words, capture_output=True, text=True, timeout=500, cwd=SOURCE, env=CLEAN,
                       stdin=subprocess.DEVNULL)
    assert r.returncode == 0, (words, r.stdout, r.stderr)
    return r.stdout


def commands(file):
    """The four lines of a source: configure and build; start; compile; start."""
    found = re.findall(r"^//   (.*)$", file.read_text(), re.M)
    assert len(found) == 4, (file, found)
    return found


sources = [*SOURCE.glob("examples/*.cpp"), *(d / f"{d.name}.cpp" for d in SOURCE.glob("examples/*/")
                                             if (d / f"{d.name}.cpp").exists())]
assert len(sources) >= 3, sources
for source in sources:
    name = source.stem
    build, start, compiled, started = commands(source)
    assert build == f"cmake --preset release && cmake --build --preset release --target {name} mpxrun", build
    assert start.startswith(f"build/release/bin/mpxrun -n 4 build/release/bin/{name}"), start
    if os.environ.get("FOR_RELEASE") == "0" and not (BIN / name).exists():
        print(f"{name}: built for a release alone")
        continue
    out = run([str(MPXRUN) if w.endswith("mpxrun") else w.replace("build/release/bin", str(BIN))
               for w in start.split()])
    assert out, start
    # The other start is the same.
    assert started.split()[4:] == start.split()[4:] and started.startswith(f"mpxrun -n 4 ./{name}"), started
    folder = source.parent.name == name  # One source, or all of them where the main one does not do.
    which = [f"examples/{name}/*.cpp", f"examples/{name}/{name}.cpp"] if folder else [f"examples/{name}.cpp"]
    assert any(compiled.startswith(f"g++ -std=c++20 -O2 -Iinclude {w} -o {name} -pthread") for w in which), compiled
    if name == "hello":  # one stands for all: the others take longer
        with tempfile.TemporaryDirectory() as place:
            program = f"{place}/{name}"
            run([program if w == name else "-O0" if w == "-O2" else w for w in compiled.split()])
            lines = run([str(MPXRUN), "-n", "4", program]).splitlines()
            assert sorted(lines) == [f"hello from rank {r} of 4" for r in range(4)], lines
    print(f"{name}: ok")
