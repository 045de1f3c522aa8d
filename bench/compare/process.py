# SPDX-License-Identifier: BSL-1.0
"""Runs commands, ends them when they take too long, and says what others used of the machine."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

OTHERS_SHARE_MAX = 0.05  # Of all cores that we may use: more than that disturbs.
OTHERS_SLACK_S = 0.03  # The kernel counts ticks of 10 ms.
WINDOW_S = 0.5  # Too few ticks to judge by are in less.
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """What launchers leave behind becomes our child: when it is reaped, its time counts as ours."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Load:
    """What others use of our cores: the time that is not idle, stolen time included, less that of
    this process and of its descendants that have ended."""

    def __init__(self):
        self.cores = os.sched_getaffinity(0)
        self.marks = []

    def now(self):
        """Returns the seconds that have passed, were used on our cores, were used by us."""
        names = {f"cpu{n}" for n in self.cores}
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
        fields = [[int(f) for f in line[1:9]] for line in lines if line[0] in names]
        busy_s = sum(sum(f) - f[3] - f[4] for f in fields) / os.sysconf("SC_CLK_TCK")
        used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return time.monotonic(), busy_s, sum(u.ru_utime + u.ru_stime for u in used)

    def mark(self):
        self.marks.append(self.now())

    def others(self):
        """Since the last mark, or since one before that where this is too short a time: (the cores
        that others kept busy, whether that disturbs a measurement)."""
        now = self.now()
        while len(self.marks) > 1 and now[0] - self.marks[1][0] >= WINDOW_S:
            self.marks.pop(0)
        since = [after - before for after, before in zip(now, self.marks[0])]
        self.marks.append(now)
        return disturbance(*since, len(self.cores))


def disturbance(wall_s, busy_s, own_s, cores):
    others_s = max(busy_s - own_s, 0)
    limit_s = OTHERS_SHARE_MAX * cores * wall_s + OTHERS_SLACK_S
    return others_s / max(wall_s, 0.01), others_s > limit_s


load = Load()


@dataclass
class Finished:
    """What became of a command: its output so far, None or what went wrong, what others used."""

    out: str = ""
    why: str = None
    others: float = 0.0
    disturbed: bool = False


def descendants(pid):
    """The processes below `pid`, which may have left its group."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, queue = [], [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def end(child):
    """Ends a child and all that it has started: politely, then not."""
    below = descendants(child.pid)
    child.terminate()
    try:
        child.wait(2)
    except subprocess.TimeoutExpired:
        below += descendants(child.pid)
        child.kill()
        child.wait()
    for pid in below:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    reap(below)


def reap(pids, patience_s=1.0):
    """Waits for those of the processes that have become our children."""
    give_up = time.monotonic() + patience_s
    for pid in pids:
        try:
            while os.waitpid(pid, os.WNOHANG) == (0, 0) and time.monotonic() < give_up:
                time.sleep(0.005)
        except OSError:
            pass


def run(command, timeout_s, environment=None):
    """Runs a command. Returns a Finished."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        load.mark()
        try:
            child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=err, start_new_session=True,
                                     env=environment)
        except OSError as e:
            return Finished(why=str(e))
        why = None
        try:
            if child.wait(timeout_s) != 0:
                why = f"exit code {child.returncode}"
        except subprocess.TimeoutExpired:
            why = f"not done after {timeout_s:.0f} s"
            end(child)
        except BaseException:
            end(child)
            raise
        others, disturbed = load.others()
        out.seek(0)
        err.seek(0)
        last = [line.strip() for line in err.read().splitlines()  # Open MPI frames what it says.
                if any(c.isalpha() for c in line)][-1:]
        if why and last:
            why += f": {last[0]}"
        return Finished(out.read(), why, others, disturbed)


def fail(message):
    sys.exit(f"compare: {message}")


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()
