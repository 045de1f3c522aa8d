#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Long messages between ranks in pid namespaces of their own, where all of them have one pid and,
without address space randomisation, the same addresses: none takes its own memory for its peer's."""

import subprocess

from jobs import equal, helper, main, run

REFUSED = helper("refused")
APART = ("unshare", "-p", "-f", "--kill-child", "setarch", "-R")


def intact(ranks, *apart):
    r = run("-n", ranks, *apart, REFUSED, "none", "both", timeout=40)
    equal((r.returncode, r.stdout, r.stderr), (0, "intact\n" * ranks, ""))


def test_one_namespace():
    intact(2)


def possible(name):
    try:
        tried = subprocess.run([*APART, "true"], capture_output=True, text=True, timeout=50)
        why = "" if tried.returncode == 0 else tried.stderr.strip()
    except FileNotFoundError as e:
        why = str(e)
    if why:
        print(f"{name}: left out: {why}")
    return not why


def test_namespaces_of_their_own():
    if possible("test_namespaces_of_their_own"):
        intact(2, *APART)
        intact(5, *APART)


def test_one_rank_apart():
    """Rank 1 alone has a namespace of its own: its pid there is somebody else's here."""
    script = 'if [ "$MPX_RANK" = 1 ]; then exec "$@"; fi; shift 6; exec "$@"'
    if possible("test_one_rank_apart"):
        intact(2, "sh", "-c", script, "sh", *APART)


main(globals())
