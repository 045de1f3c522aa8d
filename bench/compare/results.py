# SPDX-License-Identifier: BSL-1.0
"""Measures all rows with all contenders in turn, and keeps what came of it."""

import math
import statistics
import time

from compare import CONTENDERS
from compare.process import progress
from compare.rows import BEYOND, LOWER_QUARTILE, MEDIAN, WORST

# Quality of a sample. Clean ones are preferred; a figure made of disturbed samples is shown and not judged.
CLEAN, PREEMPTED, DISTURBED = range(3)
REPEATS_MAX = 3  # Of a row that others have disturbed.


class Results:
    """Samples by test, contender and mode."""

    def __init__(self, absent=None):
        self.samples = {}  # (test's key, contender, mode) -> the values, by their worth
        self.absent = dict(absent or {})  # contender -> why it is in no row
        self.left_out = {}  # (test's key, contender) -> why it is not in this row
        self.causes = {}  # (test's key, contender) -> what disturbed it last
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
            self.disturbed += worth == DISTURBED
            if sample.disturbed:
                self.causes[test.key, contender] = sample.disturbed
            self.preempted += worth == PREEMPTED
            self.samples.setdefault(key, ([], [], []))[worth].append(sample)

    def worth(self, test, contender, mode):
        """Of the best samples that there are; None where there are none."""
        kinds = self.samples.get((test.key, contender, mode), ())
        return next((worth for worth, values in enumerate(kinds) if values), None)

    def quiet(self, test, contender, mode):
        return (self.worth(test, contender, mode) in (CLEAN, PREEMPTED)
                and len(self.best_samples(test, contender, mode)) >= test.samples_needed)

    def why_disturbed(self, test, contender, mode):
        cause = self.causes.get((test.key, contender))
        if self.worth(test, contender, mode) == DISTURBED:
            return cause
        few = len(self.best_samples(test, contender, mode))
        return f"{few} of its jobs are too few to judge by" + (f"; {cause}" if cause else "")

    def best_samples(self, test, contender, mode):
        worth = self.worth(test, contender, mode)
        if worth is None or (test.key, contender) in self.left_out:
            return []
        return self.samples[test.key, contender, mode][worth]

    def figure(self, test, contender, mode, kind=MEDIAN):
        samples = self.best_samples(test, contender, mode)
        if not samples:
            return None
        values = [s.beyond if kind == BEYOND else s.value for s in samples]
        if kind == WORST:
            return max(values) if test.lower_is_better else min(values)
        if kind == LOWER_QUARTILE:
            return sorted(values)[(len(values) - 1) // 4]
        return statistics.median(values)

    def modes(self, test):
        return sorted({m for key, _, m in self.samples if key == test.key}, key=str)

    def comparable(self, test, contenders):
        """True when some mode has a figure of every contender."""
        return any(all(self.figure(test, c, m) is not None for c in contenders)
                   for m in self.modes(test))

    def undisturbed(self, test, contenders):
        """True when some mode has a figure of every contender that nobody has disturbed."""
        return any(all(self.quiet(test, c, m) for c in contenders) for m in self.modes(test))

    def why_left_out(self, test):
        here = {c: why for (key, c), why in self.left_out.items() if key == test.key}
        return {c: why for c, why in (self.absent | here).items() if c in test.programs}

    def row(self, name, test, mode, values, contender_of):
        """`contender_of`: column -> whose samples stand there."""
        disturbed = {c: self.why_disturbed(test, contender_of[c], mode)
                     for c, value in values.items()
                     if value is not None and not self.quiet(test, contender_of[c], mode)}
        samples = {c: len(self.best_samples(test, contender_of[c], mode))
                   for c, value in values.items() if value is not None}
        return dict(name=name, size=test.size, ranks=test.ranks, unit=test.unit, **values,
                    mode=mode, disturbed=disturbed, samples=samples,
                    left_out=self.why_left_out(test))

    def rows(self, tests):
        themselves = {c: c for c in CONTENDERS}
        for test in tests:
            for mode in self.modes(test) or [None]:
                for ending, kind in test.figures:
                    values = {c: self.figure(test, c, mode, kind) for c in CONTENDERS}
                    yield self.row(test.name + ending, test, mode, values, themselves)
                for variant in (c for c in test.programs if "/" in c):
                    column, _, ending = variant.partition("/")
                    values = dict.fromkeys(CONTENDERS) | {
                        column: self.figure(test, variant, mode)}
                    yield self.row(f"{test.name}_{ending}", test, mode, values,
                                   themselves | {column: variant})


def measure_all(machine, tests, rounds, budget_s, child_s):
    """Each round measures every test with all contenders, one after the other. Rows whose
    contenders met in no mode get more rounds while there is time, those that others have disturbed
    at most REPEATS_MAX."""
    results = Results(machine.absent)
    start = time.monotonic()
    spent = {}  # The longest that a test has taken for once.
    repeats = {}
    failures = {}  # (test's key, contender) -> how often it gave nothing.
    hopeless = set()  # Of those, who ran into a time limit or failed again: not tried any more.
    round_number = 0

    def contenders_of(test):
        return [c for c in test.programs if machine.command(c, test)
                and (test.key, c) not in hopeless and (test.key, c) not in results.left_out]

    def is_due(test):
        if round_number <= rounds:
            return round_number <= test.rounds_max
        contenders = contenders_of(test)
        if test.timed_by_mode and not results.comparable(test, contenders):
            return True
        return (not results.undisturbed(test, contenders)
                and repeats.get(test.key, 0) < REPEATS_MAX)

    def measure_once(test, turn):
        """All contenders, between two looks at the machine."""
        order = contenders_of(test)
        shift = turn % max(len(order), 1)
        found = {}
        before = machine.look()
        for contender in order[shift:] + order[:shift]:
            progress(f"round {round_number}: {test.label}: {contender}")
            left_s = budget_s - (time.monotonic() - start)
            found[contender] = machine.measure(contender, test, min(child_s, max(left_s, 2)))
        why = machine.why_disturbed((before, machine.look()))
        for contender, measured in found.items():
            for sample in measured.samples:
                sample.disturbed = sample.disturbed or why
            results.add(test, contender, measured)
            if measured.why and not measured.samples:
                failures[test.key, contender] = failures.get((test.key, contender), 0) + 1
            if failures.get((test.key, contender), 0) > 1 or "not done" in (measured.why or ""):
                hopeless.add((test.key, contender))

    while True:
        round_number += 1
        measured = False
        for test in filter(is_due, tests):
            turns = math.ceil(test.jobs / rounds) if test.jobs else 1
            for turn in range(turns):
                left_s = budget_s - (time.monotonic() - start)
                if left_s < spent.get(test.key, 0.5):
                    break
                if turn == 0 and round_number > rounds:
                    repeats[test.key] = repeats.get(test.key, 0) + 1
                measured = True
                began = time.monotonic()
                measure_once(test, round_number + turn)
                spent[test.key] = max(spent.get(test.key, 0), time.monotonic() - began)
        if not measured and round_number > rounds:
            break
    progress("")
    return results
