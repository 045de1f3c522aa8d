# SPDX-License-Identifier: BSL-1.0
"""Shared by the scripts here: mpxrun and a victim to start, jobs, live processes.

A script is called as SCRIPT MPXRUN VICTIM [name of a test...]
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

MPXRUN, VICTIM = (str(Path(p).resolve()) for p in sys.argv[1:3])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}
SANITIZED = b"__asan_init" in Path(MPXRUN).read_bytes()
PATIENCE = 5 if SANITIZED else 1
LIMITS = 5 * PATIENCE  # Multiplies time limits that only a hang exceeds: other programs may use the machine.


def run(*args, timeout=60, **more):
    return subprocess.run([MPXRUN, *map(str, args)], capture_output=True, text=True, timeout=timeout * LIMITS,
                          env=more.pop("env", CLEAN), **{"stdin": subprocess.DEVNULL, **more})


def start(*args, env=CLEAN, **more):
    return subprocess.Popen([MPXRUN, *map(str, args)], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env, **more)


def pids_of(job, count):
    """Waits until `count` ranks have printed their pids."""
    return [int(job.stdout.readline().split()[-1]) for _ in range(count)]


def stat_of(pid):
    """The fields of /proc/PID/stat from the state on; none if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def name_of(pid):
    """The kernel's name of a process; nothing if there is no such process."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] not in "ZX"


def gone(pids, seconds=2.0):
    end = time.monotonic() + seconds * LIMITS
    while time.monotonic() < end:
        if not any(map(alive, pids)):
            return True
        time.sleep(0.01)
    return False


def becomes(pid, states):
    """Waits until a process is in one of these states."""
    deadline = time.monotonic() + 5 * LIMITS
    while time.monotonic() < deadline:
        now = stat_of(pid)[0]
        if now in states:
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is {now}, not {states}")


def keeper_of(front):
    """The process that runs the job of this mpxrun."""
    deadline = time.monotonic() + 5 * LIMITS
    while time.monotonic() < deadline:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            stat = stat_of(pid)
            if stat and int(stat[1]) == front and name_of(pid) == "mpx-keeper":
                return int(pid)
        time.sleep(0.01)
    raise AssertionError(f"no keeper below {front}")


def equal(found, wanted):
    assert found == wanted, f"{found!r}, not {wanted!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def matches(text, pattern):
    assert re.search(pattern, text), f"no {pattern!r} in {text!r}"


def main(names):
    chosen = sys.argv[3:]
    failures = 0
    for name, test in list(names.items()):
        if not name.startswith("test_") or (chosen and name not in chosen):
            continue
        begin = time.monotonic()
        try:
            verdict = test() or "ok"
        except Exception as e:  # every test has to run
            failures += 1
            verdict = f"FAILED: {type(e).__name__}: {e}"
        print(f"{name}: {verdict} ({time.monotonic() - begin:.2f} s)", flush=True)
    print(f"{failures} failures" if failures else "all tests passed")
    sys.exit(1 if failures else 0)
