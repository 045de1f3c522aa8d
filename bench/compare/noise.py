# SPDX-License-Identifier: BSL-1.0
"""Load of other processes during a measurement, and its verdict: disturbed or not."""

import contextlib
import hashlib
import os
import resource
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

OTHERS_SHARE_MAX = 0.05  # Of all cores that we may use: more than that disturbs.
OTHERS_SLACK_S = 0.03  # The kernel counts ticks of 10 ms.
WINDOW_S = 0.5  # Too few ticks to judge by are in less.
LOST_SHARE_MAX = 0.15  # Of the calibration's time on a core.
SLOWER_MAX = 1.35  # A core that others use from outside, seen from within: it is not itself.
WAITING_SHARE_MAX = 0.2  # Of a look, during which one task of ours runs and nothing else.
LOOK_S = 0.008  # On each core: longer than another task's turn.
NAMED_SHARE_MIN = 0.2  # Of what those have used who can be seen.
BLOCK = bytes(64 * 1024)


def calibrate(core, seconds=LOOK_S, between=lambda: None):
    """The times of a piece of work on a core, one after the other; `between` them."""
    allowed = os.sched_getaffinity(0)
    times = []
    try:
        os.sched_setaffinity(0, {core})
        end = time.perf_counter() + seconds
        while len(times) < 8 or time.perf_counter() < end:
            began = time.perf_counter()
            hashlib.sha256(BLOCK).digest()
            times.append(time.perf_counter() - began)
            if len(times) % 8 == 0:
                between()
    finally:
        os.sched_setaffinity(0, allowed)
    return times


def own_seconds():
    """The CPU time of this process and of its descendants that have ended."""
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


@dataclass
class Mark:
    """CPU times used up to one moment, in seconds."""

    wall: float
    busy: float  # On our cores, stolen time included.
    stolen: float
    own: float
    processes: dict = field(default_factory=dict)  # pid -> (name, CPU time)


@dataclass
class Look:
    """The machine while nothing is measured."""

    pieces: dict  # core -> the times of the calibration's pieces of work
    runnable: float  # Tasks besides this one, in the middle.
    waiting: float  # The share of the time in which some task had no core.


def disturbance(wall_s, busy_s, own_s, cores):
    """Returns (the cores that others kept busy, whether that disturbs a measurement)."""
    others_s = max(busy_s - own_s, 0)
    limit_s = OTHERS_SHARE_MAX * cores * wall_s + OTHERS_SLACK_S
    return others_s / max(wall_s, 0.01), others_s > limit_s


class Noise:
    """CPU time of other processes on our cores: the time that is not idle, stolen time included, less that of
    this process and of its descendants that have ended."""

    def __init__(self, proc=Path("/proc"), cores=None, clock=time.monotonic, own=own_seconds,
                 pieces_of=calibrate):
        self.proc = proc
        self.cores = cores or os.sched_getaffinity(0)
        self.clock = clock
        self.own = own
        self.pieces_of = pieces_of
        self.marks = []
        self.fastest = {}  # core -> its shortest piece of work ever

    # During a run.

    def now(self):
        names = {f"cpu{n}" for n in self.cores}
        lines = [line.split() for line in (self.proc / "stat").read_text().splitlines()]
        fields = [[int(f) for f in line[1:9]] for line in lines if line[0] in names]
        tick = os.sysconf("SC_CLK_TCK")
        return Mark(self.clock(), sum(sum(f) - f[3] - f[4] for f in fields) / tick,
                    sum(f[7] for f in fields) / tick, self.own(), self.processes())

    def processes(self):
        found = {}
        tick = os.sysconf("SC_CLK_TCK")
        for stat in self.proc.glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, IndexError, ValueError):
                name, rest = stat.read_text().split("(", 1)[1].rsplit(")", 1)
                used = rest.split()[11:13]
                found[int(stat.parent.name)] = (name, sum(map(int, used)) / tick)
        found.pop(os.getpid(), None)
        return found

    def mark(self):
        self.marks.append(self.now())

    def others(self):
        """Since the last mark, or since one before that where this is too short a time: (the cores
        that others kept busy, None or why that disturbs a measurement)."""
        now = self.now()
        while len(self.marks) > 1 and now.wall - self.marks[1].wall >= WINDOW_S:
            self.marks.pop(0)
        since = self.marks[0]
        self.marks.append(now)
        wall, stolen = now.wall - since.wall, now.stolen - since.stolen
        used, disturbed = disturbance(wall, now.busy - since.busy, now.own - since.own,
                                      len(self.cores))
        if not disturbed:
            return used, None
        if stolen / max(wall, 0.01) > used / 2:
            return used, f"{stolen / wall:.2f} cores were stolen from this virtual machine"
        return used, f"others used {used:.2f} of {len(self.cores)} cores{busiest(since, now)}"

    # Between runs.

    def look(self):
        """Measures the speed of each core now, and the runnable tasks of others."""
        runnable = []
        pressed, began = self.pressure(), self.clock()
        pieces = {core: self.pieces_of(core, between=lambda: runnable.append(self.runnable()))
                  for core in sorted(self.cores)}
        took = max(self.clock() - began, 1e-3)
        for core, times in pieces.items():
            self.fastest[core] = min(min(times), self.fastest.get(core, 1e9))
        return Look(pieces, statistics.median(runnable) if runnable else 0,
                    (self.pressure() - pressed) / 1e6 / took)

    def runnable(self):
        for line in (self.proc / "stat").read_text().splitlines():
            if line.startswith("procs_running"):
                return max(int(line.split()[1]) - 1, 0)  # One of them reads this.
        return 0

    def pressure(self):
        """Microseconds in which some task waited for a core; 0 where the kernel does not say."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            some = (self.proc / "pressure/cpu").read_text().splitlines()[0]
            return int(some.rsplit("total=", 1)[1])
        return 0

    def why_disturbed(self, looks):
        """None, or what the looks before and after a row say against it."""
        for look in looks:
            if look.runnable >= 1:
                return f"{look.runnable:.0f} tasks of others were ready to run beside it"
            if look.waiting > WAITING_SHARE_MAX:
                return f"tasks of others waited for a core {100 * look.waiting:.0f} % of the time"
            for core, times in look.pieces.items():
                lost = 1 - statistics.median(times) * len(times) / sum(times)
                if lost > LOST_SHARE_MAX:
                    return f"core {core} was away {100 * lost:.0f} % of the time"
                slower = statistics.median(times) / self.fastest.get(core, times[0])
                if slower > SLOWER_MAX:
                    return f"core {core} ran {slower:.1f} times slower than it can"
        return None


def busiest(since, now):
    """The names of those who used most of the time, as far as they can be seen."""
    used = {}
    for pid, (name, seconds) in now.processes.items():
        before = since.processes.get(pid, (name, 0))
        if before[0] == name and seconds > before[1]:
            used[name] = used.get(name, 0) + seconds - before[1]
    names = [n for n in sorted(used, key=used.get, reverse=True)
             if used[n] > NAMED_SHARE_MIN * sum(used.values())]
    return f": {', '.join(names)}" if names else ""
