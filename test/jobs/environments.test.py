#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
"""Thousands of environments one after the other, in memory that does not grow."""

from jobs import PATIENCE, equal, helper, main, run

ENVIRONMENTS = helper("environments")


def bounded(ranks, count):
    r = run("-n", ranks, ENVIRONMENTS, count, timeout=100)
    equal((r.returncode, r.stdout, r.stderr), (0, "bounded\n" * ranks, ""))


def test_ten_thousand_of_two_ranks():
    bounded(2, 10_000 // PATIENCE)


def test_a_thousand_of_more_ranks_than_cores():
    bounded(5, 1_000 // PATIENCE)


def test_of_one_rank():
    bounded(1, 2_000)


main(globals())
