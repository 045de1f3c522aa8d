#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
"""After kill -9 of a rank the others revoke, shrink and go on."""

from jobs import equal, helper, main, start

OUTLIVED = helper("outlived")


def test_those_that_live_go_on():
    for ranks in (2, 3, 4, 8):
        for _ in range(3):
            job = start("-n", ranks, "--survive", "--timeout", 20, OUTLIVED)
            out, err = job.communicate(timeout=150)
            went = sorted(out.splitlines())
            expected = sorted(f"rank {r} of {ranks - 1} went on" for r in range(ranks - 1))
            equal((went, "FAILED" in err, "hang" in err), (expected, False, False))


main(globals())
