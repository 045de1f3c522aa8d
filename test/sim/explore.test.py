#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 240
"""The explorer plays its programs, replays one alike, and every fault of mutations.py can be planted."""

import re
import subprocess
import sys
from pathlib import Path

EXPLORER = next(p for p in sys.argv[1:] if Path(p).name == "sim_explore")
HERE = Path(__file__).resolve().parent


def play(*args, code=0):
    r = subprocess.run([EXPLORER, *map(str, args)], capture_output=True, text=True, timeout=200)
    assert r.returncode == code, (args, r.returncode, r.stdout[-4000:], r.stderr[-4000:])
    return r.stdout


# Sanitizers slow the explorer down twenty times.
sanitized = b"__asan_init" in Path(EXPLORER).read_bytes()
count = 300 if sanitized else 3000
out = play("--programs", count, "--seed", 1)
print(out, end="")
assert int(re.match(r"(\d+) programs", out)[1]) == count, out

traces = [play("--seed", 12345, "--stack", 4, "--trace") for _ in range(2)]
assert traces[0] == traces[1] and traces[0].count("\n") > 20, "the same seed gave another trace"
assert "all promises kept" in traces[0]

for wrong in (["--seed"], ["--stack", 8], ["--programs", "x"], ["--what", 1]):
    play(*wrong, code=2)

subprocess.run([sys.executable, str(HERE / "mutate.py"), "--check"], check=True, timeout=60)
print("all tests passed")
