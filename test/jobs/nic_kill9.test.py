#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of one rank of four in the middle of RDMA traffic: the others are told, soon, go on among
themselves, and have their memory back."""

import os
import signal
import time

from jobs import equal, helper, main, start
from killed import finish, kill_each_in_turn, pids_of


def test_a_rank_and_the_others_survive():
    kill_each_in_turn("nic_killed")


def test_staged():
    job = start("-n", 4, "--survive", helper("nic_killed"), "staged")
    pids = pids_of(job)
    time.sleep(0.02)
    os.kill(pids[2], signal.SIGKILL)
    out, _ = finish(job, time.monotonic())
    equal(sorted(out.splitlines()), [f"rank {r}: a peer was lost" for r in (0, 1, 3)])


main(globals())
