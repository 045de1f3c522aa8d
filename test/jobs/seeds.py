# SPDX-License-Identifier: BSL-1.0
"""Plays random traffic over many seeds. A failure prints the seed that repeats it."""

import os
import subprocess
import sys
import time

from jobs import CHOSEN, helper, run

RANKS = 7
SECONDS_MAX = 40


def play(seeds, name="random_traffic", seconds=float("inf"), least=0, programs=0):
    """One seed after the other for some seconds, but at least some of them. Seeds on the command line
    replace those of the script. `programs`: how many short ones are played first, by four ranks in one environment."""
    seeds = [int(s) for s in CHOSEN] or seeds
    end = time.monotonic() + seconds
    program = helper(name)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    took = []
    failed = []
    for seed, ranks, *more in [*([(1, 4, programs)] if programs and not CHOSEN else []), *((s, RANKS) for s in seeds)]:
        begin = time.monotonic()
        if begin > end and len(took) >= least and not CHOSEN:
            break
        try:
            r = run("-n", ranks, program, seed, *more, timeout=SECONDS_MAX * (2 if more else 1))
            verdict = "" if (r.returncode, r.stdout, r.stderr) == (0, "", "") else \
                f"exit code {r.returncode}: {r.stdout}{r.stderr}"
        except subprocess.TimeoutExpired:
            verdict = f"hang: not over after {SECONDS_MAX} s"
        took.append(time.monotonic() - begin)
        if verdict:
            failed.append(seed)
            print(f"seed {seed}: {verdict}\n"
                  f"  again: mpxrun -n {ranks} {' '.join(map(str, (program, seed, *more)))}", flush=True)
    print(f"{len(took)} runs, {len(failed)} failed {failed}, "
          f"median {sorted(took)[len(took) // 2]:.2f} s, longest {max(took):.2f} s")
    sys.exit(1 if failed else 0)
