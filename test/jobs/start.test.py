#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
# sanitizers: none
"""64 ranks begin, meet once and end: none has more connections or memory than that takes."""

import os
import re
from pathlib import Path

from jobs import equal, main, run

START = Path(os.environ.get("MPX_BIN", "")) / "start"
RANKS = 64


def most(stack, interface="127.0.0.1"):
    """(sockets, KiB) of the rank that has the most."""
    r = run("-n", RANKS, START, stack, env={"MPX_TCP_INTERFACE": interface}, timeout=40)
    equal((r.returncode, r.stderr), (0, ""))
    return tuple(map(int, re.fullmatch(r"sockets (\d+), KiB (\d+)\n", r.stdout).groups()))


def test_only_what_is_used():
    if not START.exists():
        print("test_only_what_is_used: left out: the benchmarks are not built, or without sockets")
        return
    # A barrier and a sum have log2(64) partners to each side; one socket listens, one is mpxrun's.
    sockets, kib = most("tcp")
    assert sockets <= 2 + 2 * 6, f"{sockets} sockets"
    assert kib < 2048, f"{kib} KiB"
    # Ranks of one host have no connection.
    sockets, kib = most("cluster")
    assert sockets <= 2, f"{sockets} sockets"
    assert kib < 2048, f"{kib} KiB"


main(globals())
