# SPDX-License-Identifier: BSL-1.0
"""Jobs of which rank 1 returns from main early: those that end for that, and those that do not."""

import re
from pathlib import Path

from jobs import PATIENCE, equal, run

SOURCE = (Path(__file__).resolve().parent / "leaves.hpp").read_text().splitlines()
STRANDED = ("barrier", "recv", "any_source", "send", "send_dropped")
LEGAL = ("elsewhere", "any_source", "traffic", "tests", "dropped", "detached", "stopped")


def line_of(mark):
    """'leaves.hpp:12', where the comment `// line: mark` stands."""
    return f"leaves.hpp:{[i for i, text in enumerate(SOURCE, 1) if text.endswith(f'// line: {mark}')][0]}"


def has(text, *patterns):
    for p in patterns:
        assert re.search(p, text), f"{p!r} is not in\n{text}"


def ends(*command, seconds=0.5 * PATIENCE, ranks=3, code=7, options=()):
    """The job is ended, with the code of the rank that left. Returns what it said."""
    r = run("-n", ranks, "--leave-timeout", seconds, *options, *command, code, timeout=100)
    equal((r.returncode, r.stdout), (code or 1, ""))
    has(r.stderr, rf"mpxrun: rank 1 leaves the job, and rank \d has waited for it for {seconds} s "
                  r"\(--leave-timeout\): ending the job\n",
        rf"rank 1 \(pid \d+\) leaves the job that it joined at .*{line_of('joins')}, waits for ranks? ",
        rf"mpxrun: rank 1 \(pid \d+\) exited with code {code}")
    return r.stderr


def goes_on(*command, seconds=0.3):
    r = run("-n", 4, "--leave-timeout", seconds, *command, timeout=100)
    equal((r.returncode, r.stdout, r.stderr), (0, "", ""))
