# SPDX-License-Identifier: BSL-1.0
"""The rows of the comparison: what is run for each."""

from dataclasses import dataclass, field

from compare import BANDWIDTH_SIZES, KIB, MIB, MPIS, human


@dataclass(frozen=True)
class Test:
    """One row: what to run, and the test's name with each contender; no name, no figure."""

    name: str
    size: int
    ranks: int
    unit: str
    programs: dict
    args: tuple = ()
    args_of: dict = field(default_factory=dict, hash=False)
    pinned: bool = True
    lower_is_better: bool = True
    by_slots: bool = False
    timed_by_mode: bool = True
    rounds_max: int = 1000
    quick: bool = True

    @property
    def key(self):
        return (self.name, self.size, self.ranks)

    @property
    def label(self):
        ranks = f", {self.ranks} ranks" if self.ranks > 2 else ""
        return f"{self.name} {human(self.size)}{ranks}"


def same(name, raw=None):
    programs = dict.fromkeys(("mpx", *MPIS), name)
    return programs | ({"raw": raw} if raw else {})


def bandwidth_tests():
    iters = dict(zip(BANDWIDTH_SIZES, ((400, 40), (30, 4), (4, 1), (2, 1))))
    for size, (timed, warmup) in iters.items():
        args = ("--iters", timed, "--warmup", warmup, "--samples", 5)
        common = dict(size=size, ranks=2, unit="GB/s", args=args, lower_is_better=False)
        yield Test("bw", programs=same("bw", "copy"), **common)
        yield Test("bw_arena", programs={"mpx": "bw", "raw": "copy"}, args_of={"mpx": ("--arena",)},
                   quick=False, **common)
        yield Test("copy_ring", programs={"raw": "copy_ring"}, quick=False, **common)
        if size in (64 * KIB, MIB):
            yield Test("bibw", programs=same("bibw"), quick=False, **common)


def make_tests():
    ping_pong = ("--iters", 10000, "--warmup", 1000, "--samples", 7)
    windows = ("--iters", 2000, "--warmup", 200, "--samples", 7)
    for_a_while = ("--iters", 1 << 40, "--seconds", 0.15, "--samples", 4)
    tests = [
        Test("latency", 8, 2, "us", same("latency", "bounce"), ping_pong),
        Test("rate", 8, 2, "M/s", same("rate", "ring_rate"), windows,
             args_of={"raw": ("--iters", 10000)}, lower_is_better=False),
        *bandwidth_tests(),
        Test("ring", 8, 8, "us", same("ring"), for_a_while, pinned=False),
        Test("ring_slots", 8, 8, "us", same("ring"), for_a_while, pinned=False, by_slots=True),
        Test("allreduce", 8, 2, "us", same("allreduce"), for_a_while),
        Test("allreduce", 8, 4, "us", same("allreduce"), for_a_while, pinned=False),
        Test("ring_latency", 8, 2, "us", {"raw": "ring_latency"}, ping_pong, quick=False),
        Test("bounce_one_line", 8, 2, "us", {"raw": "bounce_one_line"}, ping_pong, quick=False),
        Test("idle_cpu", 1, 2, "s", same("idle_cpu"), ("--seconds", 5, "--samples", 1),
             pinned=False, timed_by_mode=False, rounds_max=1, quick=False),
    ]
    # What the targets ask about comes first: the time may run out.
    return sorted(tests, key=lambda t: not t.quick)
