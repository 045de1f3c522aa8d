#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# sanitizers: none
"""Dropping a request does not wait for a rank that is stopped, however its data was to travel."""

from jobs import equal, helper, main, run

STOPPED = helper("stopped")


def test_dropping_beside_a_stopped_rank():
    for _ in range(3):
        r = run("-n", 2, STOPPED)
        equal((r.returncode, r.stdout, r.stderr), (0, "dropped\n" * 2, ""))


main(globals())
