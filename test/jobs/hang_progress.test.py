#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
"""A rank that computes is not in mpx, for a hang report, also if its progress thread polls."""

from jobs import contains, equal, helper, main, run


def test_a_rank_that_computes():
    done = run("-n", 2, "--hang-report", "1", helper("hang_progress"))
    equal(done.returncode, 0)
    contains(done.stderr, "rank 1 (pid ")
    contains(done.stderr, "is not in mpx")
    equal([word for word in ("cycle", "tests or probes") if word in done.stderr], [])


main(globals())
