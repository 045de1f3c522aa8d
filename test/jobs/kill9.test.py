#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# compilers: both
# timeout: 180
"""kill -9 of one rank of four, or of mpxrun, in the middle of traffic."""

import os
import signal
import time

from jobs import Traces, contains, equal, gone, helper, main, start
from killed import SECONDS, finish, pids_of

TRAFFIC = helper("traffic")
MODES = ("all", "ring", "reduce")


def begin(mode, traces, *options):
    """A job in the middle of its traffic, and the pids of its ranks."""
    job = start("-n", 4, *options, TRAFFIC, mode, env=traces.env, cwd=traces.folder.name)
    return job, pids_of(job)


def test_a_rank():
    for turn in range(12):
        traces = Traces()
        job, pids = begin(MODES[turn % 3], traces)
        time.sleep(0.003 * turn)
        victim = turn % 4
        os.kill(pids[victim], signal.SIGKILL)
        _, err = finish(job, time.monotonic())
        contains(err, f"rank {victim} (pid {pids[victim]}) was killed by signal 9 (SIGKILL); ending the other")
        equal(job.returncode, 137)
        assert gone(pids, 0.5), pids
        equal(traces.left(), [])


def test_a_rank_and_the_others_survive():
    for turn in range(12):
        traces = Traces()
        job, pids = begin(MODES[turn % 3], traces, "--survive")
        time.sleep(0.003 * turn)
        victim = turn % 4
        os.kill(pids[victim], signal.SIGKILL)
        out, err = finish(job, time.monotonic())
        contains(err, f"rank {victim} (pid {pids[victim]}) was killed by signal 9 (SIGKILL); the other ranks go on")
        lines = sorted(out.splitlines())
        equal([line.split(": ")[:2] for line in lines],
              [[f"rank {r}", "peer_lost"] for r in range(4) if r != victim])
        equal((err.count("killed by signal"), err.count("\n")), (1, 1))  # who leaves after that is not blamed
        equal(job.returncode, 137)
        assert gone(pids, 0.5), pids
        equal(traces.left(), [])


def test_two_ranks_at_once():
    traces = Traces()
    job, pids = begin("all", traces, "--survive")
    for victim in (0, 3):
        os.kill(pids[victim], signal.SIGKILL)
    out, err = finish(job, time.monotonic())
    equal(sorted(line.split(": ")[0] for line in out.splitlines()), ["rank 1", "rank 2"])
    for victim in (0, 3):
        contains(err, f"rank {victim} (pid {pids[victim]}) was killed by signal 9")
    assert gone(pids, 0.5) and traces.left() == []


def test_mpxrun():
    for mode in MODES:
        traces = Traces()
        job, pids = begin(mode, traces)
        job.kill()
        equal(job.wait(timeout=25), -signal.SIGKILL)
        assert gone(pids, SECONDS), pids
        equal(traces.left(), [])


main(globals())
