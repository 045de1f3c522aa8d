#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""A program that closes all descriptors and opens files of its own keeps its files' bytes, and its job
as far as it can."""

import tempfile

from jobs import equal, helper, main, run

CLOSED = helper("closed")


def untouched(ranks, mode):
    with tempfile.TemporaryDirectory(prefix="closed-") as folder:
        r = run("-n", ranks, CLOSED, mode, folder)
        equal((r.returncode, r.stdout, r.stderr), (0, "untouched\n" * ranks, ""))


def test_mapped_from_the_start():
    untouched(2, "whole")
    untouched(4, "whole")


def test_mapped_in_pieces():
    untouched(4, "pieces")


main(globals())
