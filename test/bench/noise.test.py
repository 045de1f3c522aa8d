#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Load of others is distinguished from that of scripts/compare itself, by /proc as it
would look: nothing here depends on who uses the cores meanwhile."""

import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(os.environ["MPX_SOURCE"])
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "test/bench")]

from compare.noise import calibrate, disturbance  # noqa: E402
from fake_proc import FakeProc  # noqa: E402


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def during_a_run(**use):
    with tempfile.TemporaryDirectory() as folder:
        proc = FakeProc(folder)
        proc.processes[4711] = ("cc1plus", 1.0)
        proc.write()
        proc.noise.mark()
        proc.pass_time(1.0, **use)
        return proc.noise.others()


def quiet_runs_are_accepted():
    for use in (dict(own=2), dict(own=0.3), dict(own=1.9, others=0.05), dict(own=1, stolen=0.04)):
        others, why = during_a_run(**use)
        expect(why is None, f"{use}: {why}")
        expect(others < 0.11, f"{use}: others used {others}")


def others_are_named():
    others, why = during_a_run(own=1, others=0.5, name="cc1plus")
    expect(abs(others - 0.5) < 0.02 and "0.50 of 2 cores: cc1plus" in why, f"{others}: {why}")
    others, why = during_a_run(own=1, others=0.5)
    expect("others used 0.50 of 2 cores" in why and "cc1plus" not in why, f"unseen: {why}")
    others, why = during_a_run(own=1, stolen=0.3)
    expect("0.30 cores were stolen" in why, f"stolen: {why}")


def short_runs_add_up():
    """A tick is 10 ms: in a run of 0.1 s a third of a core would not show."""
    with tempfile.TemporaryDirectory() as folder:
        proc = FakeProc(folder)
        found = []
        for _ in range(30):
            proc.noise.mark()
            proc.pass_time(0.1, others=0.3)
            found.append(proc.noise.others()[1])
        expect(all(found[2:]), f"a load is not seen in short runs: {found}")
        expect(len(proc.noise.marks) < 15, "marks are kept for ever")


def shares_have_limits():
    for wall_s, busy_s, own_s, disturbed in ((1, 2, 2, False), (1, 2, 1.5, True), (1, 0.5, 0, True),
                                             (1, 1.05, 1, False), (0.5, 0.02, 0, False)):
        expect(disturbance(wall_s, busy_s, own_s, 2)[1] == disturbed, f"{wall_s, busy_s, own_s}")


def looks(**state):
    """Result of two samples, the second one of a machine in the given state."""
    with tempfile.TemporaryDirectory() as folder:
        proc = FakeProc(folder)
        before = proc.noise.look()
        for name, value in state.items():
            setattr(proc, name, value)
        proc.write()
        return proc.noise.why_disturbed((before, proc.noise.look()))


def looks_say_who_is_there():
    for quiet in (dict(), dict(slow={0: 1.15, 1: 1.2}), dict(away={1: 0.0005}),
                  dict(pressed=0.1)):
        expect(looks(**quiet) is None, f"{quiet} is taken for a disturbance: {looks(**quiet)}")
    for state, words in ((dict(running=3), "2 tasks of others were ready to run"),
                         (dict(pressed=0.6), "waited for a core 60 %"),
                         (dict(away={1: 0.004}), "core 1 was away 50 %"),
                         (dict(slow={0: 1.8}), "core 0 ran 1.8 times slower")):
        why = looks(**state)
        expect(why and words in why, f"{state}: {why}")


def what_is_not_there_does_not_matter():
    with tempfile.TemporaryDirectory() as folder:
        proc = FakeProc(folder)
        (Path(folder) / "pressure/cpu").unlink()
        proc.write = lambda: None
        expect(proc.noise.why_disturbed((proc.noise.look(),)) is None, "without pressure")


def calibration_leaves_the_affinity_alone():
    before = os.sched_getaffinity(0)
    asked = []
    times = calibrate(min(before), 0.002, lambda: asked.append(1))
    expect(os.sched_getaffinity(0) == before, "the affinity is another")
    expect(len(times) >= 8 and asked and min(times) > 0, f"{times}")


def main():
    for check in (quiet_runs_are_accepted, others_are_named, short_runs_add_up, shares_have_limits,
                  looks_say_who_is_there, what_is_not_there_does_not_matter,
                  calibration_leaves_the_affinity_alone):
        check()


if __name__ == "__main__":
    main()
