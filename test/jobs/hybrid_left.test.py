#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""Over sockets a rank that leaves by an exception is lost to those that depend on it."""

from jobs import equal, helper, main, start

LEFT = helper("hybrid_left")


def test_who_depends_on_one_that_has_left():
    for how in ("recv", "any", "ssend", "long", "allreduce", "shrink"):
        for hosts in ("0,1,2", "0,0,1"):
            job = start("-n", 3, "--survive", "--timeout", 30, LEFT, how, env={"MPX_PRETEND_HOSTS": hosts})
            out, _ = job.communicate(timeout=200)
            said = "none 2" if how == "shrink" else "lost 0"
            equal((how, hosts, sorted(out.splitlines())), (how, hosts, [f"rank 0: {said}", f"rank 2: {said}"]))


def test_who_is_through_leaves_and_fails_nobody():
    for _ in range(12):
        job = start("-n", 4, "--survive", "--timeout", 30, LEFT, "through", env={"MPX_PRETEND_HOSTS": "0,0,1,1"})
        out, _ = job.communicate(timeout=200)
        equal(sorted(out.splitlines()), [f"rank {r}: none 3" for r in (0, 2, 3)])


main(globals())
