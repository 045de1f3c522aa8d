#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""A forked child of a rank is nobody, however it ends: the rank does not leave with it."""

from jobs import equal, helper, main, run

FORKED = helper("forked")


def test_ends_of_children():
    for way in ("return", "exit", "_exit", "exec", "throw", "static", "takes", "collective"):
        for ranks in (1, 2, 4):
            for options in ((), ("--survive",)):
                r = run("-n", ranks, *options, FORKED, way, timeout=20)
                equal((r.returncode, r.stderr), (0, ""))
                equal(sorted(r.stdout.splitlines()), [f"rank {i} is well" for i in range(ranks)])


main(globals())
