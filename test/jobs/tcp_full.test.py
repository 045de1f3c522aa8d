#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""A rank that runs out of descriptors over sockets says so, and nobody waits for it for ever."""

from jobs import contains, equal, helper, main, run

FULL = helper("tcp_full")


def no_descriptors(*mode):
    r = run("-n", 2, FULL, *mode)
    equal((r.returncode, r.stdout), (0, "lost\n" * 2))
    contains(r.stderr, "raise `ulimit -n`")


def test_who_sends():
    no_descriptors()


def test_who_waits():
    no_descriptors("late")


main(globals(), at_once=2)
