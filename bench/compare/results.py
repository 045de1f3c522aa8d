# SPDX-License-Identifier: BSL-1.0
"""Measures all rows with all contenders in turn, and keeps what came of it."""

import statistics
import time

from compare import CONTENDERS
from compare.process import progress

# What samples are worth: the better are used, and a figure of disturbed ones is shown, no more.
CLEAN, PREEMPTED, DISTURBED = range(3)
REPEATS_MAX = 3  # Of a row that others have disturbed.


class Results:
    """Samples by test, contender and mode."""

    def __init__(self, absent=None):
        self.samples = {}  # (test's key, contender, mode) -> the values, by their worth
        self.absent = dict(absent or {})  # contender -> why it is in no row
        self.left_out = {}  # (test's key, contender) -> why it is not in this row
        self.preempted = 0
        self.disturbed = 0
        self.seen = 0
        self.dropped = 0
        self.others_max = 0.0  # Cores that others kept busy during the worst run.
        self.notes = {}

    def add(self, test, contender, measured):
        if measured.left_out:
            self.left_out[test.key, contender] = measured.left_out
        if measured.why:
            self.notes[f"{contender}, {test.label}"] = measured.why
        self.others_max = max(self.others_max, measured.others)
        for sample in measured.samples:
            self.seen += 1
            if test.timed_by_mode and sample.mode is None:
                self.dropped += 1
                continue
            key = (test.key, contender, sample.mode if test.timed_by_mode else None)
            worth = DISTURBED if sample.disturbed else PREEMPTED if sample.preempted else CLEAN
            self.disturbed += sample.disturbed
            self.preempted += worth == PREEMPTED
            self.samples.setdefault(key, ([], [], []))[worth].append(sample.value)

    def worth(self, test, contender, mode):
        """Of the best samples that there are; None where there are none."""
        kinds = self.samples.get((test.key, contender, mode), ())
        return next((worth for worth, values in enumerate(kinds) if values), None)

    def quiet(self, test, contender, mode):
        return self.worth(test, contender, mode) in (CLEAN, PREEMPTED)

    def median(self, test, contender, mode):
        worth = self.worth(test, contender, mode)
        if worth is None or (test.key, contender) in self.left_out:
            return None
        return statistics.median(self.samples[test.key, contender, mode][worth])

    def modes(self, test):
        return sorted({m for key, _, m in self.samples if key == test.key}, key=str)

    def comparable(self, test, contenders):
        """True when some mode has a figure of every contender."""
        return any(all(self.median(test, c, m) is not None for c in contenders)
                   for m in self.modes(test))

    def undisturbed(self, test, contenders):
        """True when some mode has a figure of every contender that nobody has disturbed."""
        return any(all(self.quiet(test, c, m) for c in contenders) for m in self.modes(test))

    def why_left_out(self, test):
        here = {c: why for (key, c), why in self.left_out.items() if key == test.key}
        return {c: why for c, why in (self.absent | here).items() if c in test.programs}

    def rows(self, tests):
        for test in tests:
            for mode in self.modes(test) or [None]:
                values = {c: self.median(test, c, mode) for c in CONTENDERS}
                disturbed = [c for c, value in values.items()
                             if value is not None and not self.quiet(test, c, mode)]
                yield dict(name=test.name, size=test.size, ranks=test.ranks, unit=test.unit,
                           **values, mode=mode, disturbed=disturbed,
                           left_out=self.why_left_out(test))


def measure_all(machine, tests, rounds, budget_s, child_s):
    """Each round measures every test with all contenders, one after the other. Rows whose
    contenders met in no mode get more rounds while there is time, those that others have disturbed
    at most REPEATS_MAX."""
    results = Results(machine.absent)
    start = time.monotonic()
    spent = {}  # The longest that a test has taken in a round.
    repeats = {}
    hopeless = set()  # (test, contender) that ran into its time limit: not tried again.
    round_number = 0

    def contenders_of(test):
        return [c for c in CONTENDERS if machine.command(c, test)
                and (test.key, c) not in hopeless and (test.key, c) not in results.left_out]

    def is_due(test):
        if round_number <= rounds:
            return round_number <= test.rounds_max
        contenders = contenders_of(test)
        if test.timed_by_mode and not results.comparable(test, contenders):
            return True
        return (not results.undisturbed(test, contenders)
                and repeats.get(test.key, 0) < REPEATS_MAX)

    while True:
        round_number += 1
        measured = False
        for test in filter(is_due, tests):
            left_s = budget_s - (time.monotonic() - start)
            if left_s < spent.get(test.key, 0.5):
                continue
            measured = True
            if round_number > rounds:
                repeats[test.key] = repeats.get(test.key, 0) + 1
            began = time.monotonic()
            order = contenders_of(test)
            shift = round_number % max(len(order), 1)
            for contender in order[shift:] + order[:shift]:
                progress(f"round {round_number}: {test.label}: {contender}")
                left_s = budget_s - (time.monotonic() - start)
                found = machine.measure(contender, test, min(child_s, max(left_s, 2)))
                results.add(test, contender, found)
                if found.why and "not done" in found.why:
                    hopeless.add((test.key, contender))
            spent[test.key] = max(spent.get(test.key, 0), time.monotonic() - began)
        if not measured and round_number > rounds:
            break
    progress("")
    return results
