# SPDX-License-Identifier: BSL-1.0
"""A rank of four is killed in the middle of its traffic."""

import os
import re
import signal
import time

from jobs import LIMITS, helper, start

SECONDS = 2.0 * LIMITS


def pids_of(job):
    """The pids of the four ranks, once all are in the middle of their traffic."""
    pids = {}
    while len(pids) < 4:
        line = job.stdout.readline()
        match = re.fullmatch(r"rank (\d) pid (\d+)\n", line)
        assert match, f"{line!r}, then {job.communicate(timeout=150)}"
        pids[int(match[1])] = int(match[2])
    return [pids[r] for r in range(4)]


def finish(job, since):
    """Output of a job that ends soon."""
    out, err = job.communicate(timeout=30 * LIMITS)
    took = time.monotonic() - since
    assert took < SECONDS, f"over only after {took:.2f} s: {out!r} {err!r}"
    return out, err


def kill_each_in_turn(program, *options, arguments=()):
    """The others are told, soon."""
    for turn in range(4):
        job = start("-n", 4, "--survive", *options, helper(program), *arguments)
        pids = pids_of(job)
        time.sleep(0.005 * turn)
        os.kill(pids[turn], signal.SIGKILL)
        out, err = finish(job, time.monotonic())
        told = sorted(out.splitlines())
        wanted = [f"rank {r}: a peer was lost" for r in range(4) if r != turn]
        assert told == wanted, f"{told}, not {wanted}: {err}"
