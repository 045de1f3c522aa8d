# SPDX-License-Identifier: BSL-1.0
"""Plays random traffic over many seeds. A failure prints the seed that repeats it."""

import os
import subprocess
import sys
import time

from jobs import CHOSEN, helper, run

RANKS = 7
SECONDS_MAX = 40


def play(seeds, name="random_traffic"):
    """Seeds on the command line replace those of the script."""
    seeds = [int(s) for s in CHOSEN] or seeds
    program = helper(name)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    took = []
    failed = []
    for seed in seeds:
        begin = time.monotonic()
        try:
            r = run("-n", RANKS, program, seed, timeout=SECONDS_MAX)
            verdict = "" if (r.returncode, r.stdout, r.stderr) == (0, "", "") else \
                f"exit code {r.returncode}: {r.stdout}{r.stderr}"
        except subprocess.TimeoutExpired:
            verdict = f"hang: not over after {SECONDS_MAX} s"
        took.append(time.monotonic() - begin)
        if verdict:
            failed.append(seed)
            print(f"seed {seed}: {verdict}\n"
                  f"  again: mpxrun -n {RANKS} {program} {seed}", flush=True)
    print(f"{len(took)} runs, {len(failed)} failed {failed}, "
          f"median {sorted(took)[len(took) // 2]:.2f} s, longest {max(took):.2f} s")
    sys.exit(1 if failed else 0)
