#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""Ranks that do not fit together, or are told nonsense, end with a clear error; nothing hangs."""

import re

from jobs import contains, equal, helper, main, run

DEFAULT, OTHER = helper("stack_default"), helper("stack_other")


def test_two_stacks_in_one_job():
    for ranks, odd in ((2, 0), (2, 1), (3, 2), (4, 0), (4, 2), (7, 3), (8, 7)):
        for options in ((), ("--survive",)):
            script = f"if [ $MPX_RANK = {odd} ]; then exec {OTHER}; else exec {DEFAULT}; fi"
            r = run("-n", ranks, *options, "sh", "-c", script, timeout=10)
            assert r.returncode not in (0, None), r
            equal(r.stdout, "")
            # Axis by axis: what is the same is not there.
            match = re.search(r"rank (\d+) was built with protocol tiny_short_long<40,(4096|16384)> where it is "
                              r"tiny_short_long<40,(4096|16384)>, flow (unlimited|credits)<\d+> where it is "
                              r"(unlimited|credits)<\d+> on rank (\d+): build all ranks from one mpx and one stack",
                              r.stderr)
            assert match and str(odd) in (match[1], match[6]), r.stderr
            equal({match[2], match[3], match[4], match[5]}, {"4096", "16384", "unlimited", "credits"})
            contains(r.stderr, ", at ")
            contains(r.stderr, "the ranks were built with different stacks")


def test_one_stack_in_one_job():
    for program in (DEFAULT, OTHER):
        r = run("-n", 4, program)
        equal((r.returncode, r.stderr), (0, ""))


def test_wrong_short_bytes_max():
    for value in ("", "x", "12x", "-1", " 5", "1.5", "16385", "99999999999999999999999"):
        for ranks in (1, 3):
            r = run("-n", ranks, DEFAULT, env={"MPX_SHORT_BYTES_MAX": value}, timeout=10)
            equal((r.returncode, r.stdout), (3, ""))
            contains(r.stderr, f"MPX_SHORT_BYTES_MAX={value}: give a number of bytes from 0 to 16384, "
                               "the stack's own limit")
            contains(r.stderr, "invalid argument")


def test_wrong_short_bytes_max_on_one_rank():
    script = f"[ $MPX_RANK = 1 ] && export MPX_SHORT_BYTES_MAX=cheese; exec {DEFAULT}"
    r = run("-n", 3, "sh", "-c", script, timeout=10)
    equal((r.returncode, r.stdout), (3, ""))
    contains(r.stderr, "MPX_SHORT_BYTES_MAX=cheese: give a number")


def test_right_short_bytes_max():
    """Messages of 8, 100, 2000 and 20000 bytes: those above the limit are announced first."""
    for value, announced in (("0", 3), ("40", 3), ("99", 3), ("100", 2), ("2000", 1), ("16384", 1), (None, 1)):
        r = run("-n", 3, DEFAULT, env={} if value is None else {"MPX_SHORT_BYTES_MAX": value})
        equal((r.returncode, r.stderr), (0, ""))
        equal(sorted(r.stdout.splitlines()), [f"rank {i} announced {announced}" for i in range(3)])


def test_different_short_bytes_max():
    script = f"export MPX_SHORT_BYTES_MAX=$((MPX_RANK * 1000)); exec {DEFAULT}"
    r = run("-n", 4, "sh", "-c", script)
    equal((r.returncode, r.stderr), (0, ""))
    equal(sorted(r.stdout.splitlines()), [f"rank {i} announced {n}" for i, n in enumerate((3, 2, 1, 1))])


main(globals())
