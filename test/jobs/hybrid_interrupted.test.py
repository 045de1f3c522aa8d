#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 240
# sanitizers: none
"""Starts, messages and ends of ranks that a timer interrupts all the time, under mpxrun and by PMI."""

from jobs import equal, helper, main, run
from launched import launch, program

INTERRUPTED = helper("hybrid_interrupted")


def test_by_mpxrun():
    r = run("-n", 4, INTERRUPTED)
    equal((r.returncode, r.stdout, r.stderr), (0, "went on\n" * 4, ""))


def test_by_pmi():
    mpiexec = program("mpiexec.hydra")
    if mpiexec is None:
        print("test_by_pmi: left out: there is no mpiexec.hydra (Debian: mpich)")
        return
    r = launch(mpiexec, "-n", 4, INTERRUPTED, timeout=80)
    equal((r.returncode, r.stdout, r.stderr), (0, "went on\n" * 4, ""))


main(globals())
