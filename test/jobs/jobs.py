# SPDX-License-Identifier: BSL-1.0
"""Shared by the scripts here: programs by name, jobs with a time limit, remains of jobs.

A script is called as SCRIPT MPXRUN HELPER... [name of a test...]
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FILES = [p for p in sys.argv[1:] if os.path.sep in p]
CHOSEN = [p for p in sys.argv[1:] if os.path.sep not in p]
MPXRUN = str(Path(FILES[0]).resolve())
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}
SANITIZED = b"__asan_init" in Path(MPXRUN).read_bytes()
PATIENCE = 5 if SANITIZED else 1
LIMITS = 5 * PATIENCE  # Multiplies time limits that only a hang exceeds: other programs may use the machine.


def helper(name):
    for p in FILES[1:]:
        if Path(p).name == f"jobs_{name}":
            return str(Path(p).resolve())
    raise SystemExit(f"no helper program {name} among {FILES[1:]}")


def run(*args, timeout=60, env=None, **more):
    return subprocess.run([MPXRUN, *map(str, args)], capture_output=True, text=True,
                          timeout=timeout * LIMITS, env={**CLEAN, **(env or {})},
                          stdin=subprocess.DEVNULL, **more)


def start(*args, env=None, **more):
    return subprocess.Popen([MPXRUN, *map(str, args)], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                            env={**CLEAN, **(env or {})}, **more)


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def gone(pids, seconds):
    end = time.monotonic() + seconds
    while any(map(alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Traces:
    """Files that a job leaves behind: in /dev/shm, and in the folder that it works in and is told to use for
    temporary files. Nobody else uses that folder; /tmp is shared with tests that run at the same time."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="jobs-")
        self.env = {"TMPDIR": self.folder.name}
        self.shared = set(os.listdir("/dev/shm"))

    @staticmethod
    def of_the_living(name):
        """True if a process that still runs has it: other tests, of libfabric's shm, which calls it PID:UID:NUMBER."""
        pid = name.partition(":")[0]
        return ":" in name and pid.isdigit() and alive(pid)

    def left(self):
        shared = sorted(f for f in set(os.listdir("/dev/shm")) - self.shared if not self.of_the_living(f))
        return shared + os.listdir(self.folder.name)


def equal(found, wanted):
    assert found == wanted, f"{found!r}, not {wanted!r}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def main(names, at_once=1):
    """Runs every test_*, or those that the command line names; `at_once` where they mostly wait."""
    chosen = [name for name in names if name.startswith("test_") and (not CHOSEN or name in CHOSEN)]

    def verdict(name):
        begin = time.monotonic()
        try:
            names[name]()
            said = "ok"
        except Exception as e:  # every test has to run
            said = f"FAILED: {type(e).__name__}: {e}"
        print(f"{name}: {said} ({time.monotonic() - begin:.2f} s)", flush=True)
        return said == "ok"

    with ThreadPoolExecutor(at_once) as pool:
        failures = list(pool.map(verdict, chosen)).count(False)
    print(f"{failures} failures" if failures else "all tests passed")
    sys.exit(1 if failures else 0)
