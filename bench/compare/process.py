# SPDX-License-Identifier: BSL-1.0
"""Runs commands, ends them when they take too long, and says what others used of the machine."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from compare.noise import Noise

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Orphans of launchers become our children: when they are reaped, their time counts as ours."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


noise = Noise()


@dataclass
class Finished:
    """Result of a command: its output so far, None or the error, the CPU time of others."""

    out: str = ""
    why: str = None
    others: float = 0.0
    disturbed: str = None  # By what.
    seconds: float = 0.0  # From its start to its end.


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
    """Ends a child: politely, then not. What it has started: see end_leftovers."""
    child.terminate()
    try:
        child.wait(2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def reap(pids, patience_s=1.0):
    """Waits for those of the processes that have become our children."""
    give_up = time.monotonic() + patience_s
    for pid in pids:
        try:
            while os.waitpid(pid, os.WNOHANG) == (0, 0) and time.monotonic() < give_up:
                time.sleep(0.005)
        except OSError:
            pass


@contextlib.contextmanager
def busy_core():
    """A process of ours keeps the first core busy. When it has ended, its time counts as ours."""
    first = min(os.sched_getaffinity(0))
    loop = f"import os\nos.sched_setaffinity(0, {{{first}}})\nwhile True: pass"
    child = subprocess.Popen([sys.executable, "-c", loop], stdin=subprocess.DEVNULL)
    try:
        while child.poll() is None and os.sched_getaffinity(child.pid) != {first}:
            time.sleep(0.001)
        yield
    finally:
        child.kill()
        child.wait()


def run(command, timeout_s, environment=None, loaded=False, cores=None):
    """Runs a command; `loaded`: while a process of ours keeps a core busy; `cores`: on so many of
    ours at most. Returns a Finished."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        noise.mark()
        with busy_core() if loaded else contextlib.nullcontext():
            why, seconds = run_into(out, err, command, timeout_s, environment, cores)
        others, disturbed = noise.others()
        out.seek(0)
        err.seek(0)
        last = [line.strip() for line in err.read().splitlines()  # Open MPI frames what it says.
                if any(c.isalpha() for c in line)][-1:]
        if why and last:
            why += f": {last[0]}"
        return Finished(out.read(), why, others, disturbed, seconds)


def end_leftovers(known, patience_s=1.0):
    """Ends what a launcher that has ended left behind, in groups of its own or not, and would
    disturb whoever runs next. It is ours: see adopt_orphans."""
    left, give_up = None, time.monotonic() + patience_s
    while left != [] and time.monotonic() < give_up:  # Ranks may be about to end by themselves.
        left = [pid for pid in descendants(os.getpid()) if pid not in known]
        reap(left, 0)
        if left:
            time.sleep(0.005)
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    reap(left)


def run_into(out, err, command, timeout_s, environment, cores):
    """Returns None or what went wrong, and the time it took."""
    known = set(descendants(os.getpid()))
    start = time.monotonic()
    few = sorted(os.sched_getaffinity(0))[:cores]
    try:
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, start_new_session=True, env=environment,
                                 preexec_fn=lambda: os.sched_setaffinity(0, few))
    except OSError as e:
        return str(e), 0.0
    try:
        code = child.wait(timeout_s)
        return f"exit code {code}" if code != 0 else None, time.monotonic() - start
    except subprocess.TimeoutExpired:
        end(child)
        return f"not done after {timeout_s:.0f} s", timeout_s
    except BaseException:
        end(child)
        raise
    finally:
        end_leftovers(known)


def fail(message):
    sys.exit(f"compare: {message}")


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()
