#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
"""A rank that leaves while others wait for it for ever ends the job, with its exit code; one that nobody needs does not."""

import signal
import subprocess
import time

from jobs import contains, equal, helper, main, run, start
from left_early import LEGAL, STRANDED, ends, goes_on, has, line_of

LEAVES = helper("leaves")


def test_who_is_waited_for_ends_the_job():
    for what in STRANDED:
        ends(LEAVES, "strands", what)
    said = ends(LEAVES, "strands", "barrier")
    has(said, rf"rank 0 \(pid \d+\) waits in barrier at .*{line_of('barrier')}: from rank 1, collective call 2",
        "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")


def test_a_code_of_0_is_no_success():
    contains(ends(LEAVES, "strands", "barrier", code=0), "exited with code 0; the job ends with code 1\n")


def test_below_a_wrapper():
    ends("sh", "-c", f'{LEAVES} "$@"; exit $?', "sh", "strands", "recv")


def test_beside_other_reports():
    for options in (("--hang-report", "0.2"), ("--hang-report", "100"), ("--timeout", "60"), ("--survive",)):
        ends(LEAVES, "strands", "recv", options=options)


def test_who_is_not_needed_does_not():
    for what in LEGAL:
        goes_on(LEAVES, "goes_on", what)


def test_never():
    job = start("-n", 2, "--leave-timeout", "0", LEAVES, "strands", "barrier", 7)
    time.sleep(2)
    equal(job.poll(), None)
    job.send_signal(signal.SIGTERM)
    _, err = job.communicate(timeout=30)
    assert "leave" not in err, err


def test_by_default():
    begin = time.monotonic()
    r = run("-n", 2, LEAVES, "strands", "barrier", 7)
    equal(r.returncode, 7)
    assert time.monotonic() - begin > 9, r.stderr
    contains(r.stderr, "has waited for it for 10 s (--leave-timeout)")


def test_wrong_values():
    for value in ("x", "-1", ""):
        r = run("-n", 1, "--leave-timeout", value, "true")
        equal(r.returncode, 2)
        contains(r.stderr, "--leave-timeout: ")


main(dict(globals()), at_once=4)
