#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Long messages where the kernel refuses process_vm_readv or _writev, to all ranks or to one."""

from jobs import equal, helper, main, run

REFUSED = helper("refused")


def intact(ranks, who, what):
    r = run("-n", ranks, REFUSED, who, what, timeout=40)
    equal((r.returncode, r.stdout, r.stderr), (0, "intact\n" * ranks, ""))


def test_all_ranks():
    for what in ("both", "readv", "writev"):
        intact(2, "all", what)


def test_one_rank():
    for who in ("0", "1"):
        for what in ("both", "readv", "writev"):
            intact(2, who, what)


def test_more_ranks_than_cores():
    intact(5, "all", "both")
    intact(5, "2", "both")


main(globals())
