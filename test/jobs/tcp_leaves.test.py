#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
"""The tests of leaves.test.py, and hang reports, over sockets, and over both sockets and shared memory."""

from jobs import PATIENCE, equal, helper, main, run
from left_early import LEGAL, STRANDED, ends, goes_on, has, line_of

LEAVES = helper("tcp_leaves")
HOSTS = {"tcp": {}, "cluster": {}}


def test_who_is_waited_for_ends_the_job():
    for stack in HOSTS:
        for what in STRANDED:
            ends(LEAVES, stack, "strands", what)


def test_who_is_not_needed_does_not():
    for stack in HOSTS:
        for what in LEGAL:
            goes_on(LEAVES, stack, "goes_on", what)


def test_hang_reports():
    for stack in HOSTS:
        r = run("-n", 2, "--leave-timeout", "0", "--hang-report", "0.5", "--timeout", 4 * PATIENCE, LEAVES, stack,
                "strands", "barrier", 7)
        equal(r.returncode, 124)
        before, ending, last = r.stderr.partition("mpxrun: the job has not ended within")
        for report in (before, last):
            has(report, "nothing has moved for", f"rank 0 .* waits in barrier at .*{line_of('barrier')}: from rank 1",
                f"rank 1 .* leaves the job that it joined at .*{line_of('joins')}, waits for rank 0",
                "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")


def test_what_a_job_whose_time_is_up_waits_for():
    for stack in HOSTS:
        r = run("-n", 2, "--leave-timeout", "0", "--timeout", 2 * PATIENCE, LEAVES, stack, "strands", "recv", 7)
        equal(r.returncode, 124)
        has(r.stderr, "rank 0 .* waits in recv at .*: from rank 1, tag 4")
        assert "not in mpx" not in r.stderr, r.stderr


main(dict(globals()), at_once=4)
