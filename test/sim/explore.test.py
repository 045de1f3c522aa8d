#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 240
"""The explorers play their programs, replay one alike, and every fault of mutations.py can be planted."""

import re
import subprocess
import sys
from pathlib import Path

def program(name):
    return next((p for p in sys.argv[1:] if Path(p).name == name), None)


EXPLORER = program("sim_explore")  # These two are there for a release.
WINDOWS = program("sim_explore_windows")
MENDED = program("sim_explore_mended")
HERE = Path(__file__).resolve().parent


def play(*args, code=0, by=EXPLORER or MENDED):
    r = subprocess.run([by, *map(str, args)], capture_output=True, text=True, timeout=1000)
    assert r.returncode == code, (args, r.returncode, r.stdout[-4000:], r.stderr[-4000:])
    return r.stdout


# Without those two, the one that is left runs under sanitizers, too, which slow it down twenty times.
counts = {EXPLORER: 2000, WINDOWS: 500, MENDED: 500} if EXPLORER else {MENDED: 100}
for by, count in counts.items():
    out = play("--programs", count, "--seed", 1, by=by)
    print(out, end="")
    assert int(re.match(r"(\d+) programs", out)[1]) == count, out

# Programs that have found a fault, of the engine or of a model. (Where there are fewer stacks, a
# seed is another program.)
FOUND = [(MENDED, 513331, 0), (MENDED, 601586, 0), (MENDED, 667175, 0)]
if EXPLORER:
    FOUND += [(WINDOWS, 503257, 7), (WINDOWS, 505519, 9), (WINDOWS, 518477, 7), (WINDOWS, 519640, 0),
              (WINDOWS, 525401, 1), (WINDOWS, 541033, 3), (WINDOWS, 589276, 6), (WINDOWS, 608219, 9),
              (WINDOWS, 772117, 7), (WINDOWS, 827112, 2), (WINDOWS, 91038796, 6),
              (EXPLORER, 91227647, 7)]
for by, seed, stack in FOUND:
    assert "all promises kept" in play("--seed", seed, "--stack", stack, by=by), (by, seed)

for by, stack in ((EXPLORER, 4), (WINDOWS, 4)) if EXPLORER else ((MENDED, 0),):
    traces = [play("--seed", 12345, "--stack", stack, "--trace", by=by) for _ in range(2)]
    assert traces[0] == traces[1] and traces[0].count("\n") > 20, "the same seed gave another trace"
    assert "all promises kept" in traces[0]
if WINDOWS:
    assert "# window 3000: " in traces[0]

for wrong in (["--seed"], ["--stack", 99], ["--programs", "x"], ["--what", 1]):
    play(*wrong, code=2)

subprocess.run([sys.executable, str(HERE / "mutate.py"), "--check"], check=True, timeout=300)
print("all tests passed")
