#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""The report of mpxrun --profile: profile.test.py MPXRUN JOBS_PROFILE"""

import re

from jobs import contains, equal, helper, main, run

PROFILE = helper("profile")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def lines_of(report):
    """(call, line of profile.cpp) -> (calls, time, waiting, rank that waited least)."""
    found = {}
    pattern = (r"^(\w+) +profile\.cpp:(\d+) +(\d+) +([\d.e+]+) (\w+) +([\d.e+]+) (\w+) +[\d.e+]+ \w+ +"
               r"[\d.e+]+ \w+ \(rank (\d+)\)")
    for m in re.finditer(pattern, report, re.M):
        found[m[1], int(m[2])] = (int(m[3]), float(m[4]) * UNITS[m[5]], float(m[6]) * UNITS[m[7]],
                                  int(m[8]))
    return found


def report_of(ranks):
    """The report is right; returns the call that waited longest."""
    r = run("-n", ranks, "--profile", PROFILE)
    equal((r.returncode, r.stdout), (0, ""))
    contains(r.stderr, f"mpx profile: {ranks} ranks, ")
    found = lines_of(r.stderr)
    by_name = {}
    for (name, _), row in found.items():
        by_name.setdefault(name, []).append(row)
    equal(by_name["send"][0][0], 5 * ranks)
    equal(by_name["barrier"][0][0], 5 * ranks)
    equal(by_name["fence"][0][0], ranks)
    equal(len(by_name["fence"]), 2)  # One for each line.
    equal(by_name["put"][0][0], ranks)
    for calls, time, waiting, _ in found.values():
        assert calls > 0 and waiting <= time * 1.01 + 1e-6, found
    waited = sum(by_name[n][0][2] for n in ("send", "wait", "barrier"))
    assert waited > 0.09, r.stderr
    contains(r.stderr, "own work")
    return max((by_name[n][0] for n in ("send", "wait", "barrier")), key=lambda row: row[2])


def test_report():
    # The other ranks wait 20 ms a step for the last one, in one of these calls; it waits for none. On a busy
    # machine another rank may be the last one once.
    for ranks in (2, 3):
        last = [report_of(ranks)[3]]
        while last[-1] != ranks - 1 and len(last) < 10:
            last.append(report_of(ranks)[3])
        equal(last[-1], ranks - 1)


def test_no_report_unless_asked_for():
    r = run("-n", 2, PROFILE)
    equal((r.returncode, r.stdout, r.stderr), (0, "", ""))


def test_stacks_that_record_nothing():
    r = run("-n", 2, "--profile", PROFILE, "plain")
    equal((r.returncode, r.stdout), (0, ""))
    equal(r.stderr, "mpx: there will be no profile: this program's stack records no calls. Include "
                    "mpx/profile.hpp and add mpx::trace::profile to its stack\n")


def test_wrong_values():
    r = run("-n", 2, "-x", "MPX_PROFILE=cheese", PROFILE)
    assert r.returncode != 0, r
    contains(r.stderr, "MPX_PROFILE=cheese: give 1 for a report when the job ends, or 0")


main(globals())
