# SPDX-License-Identifier: BSL-1.0
"""Shared by the tests of other launchers: jobs by their command lines, and reasons to skip them."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hosts import WHY_NO_HOSTS, Hosts
from jobs import CLEAN, FILES, LIMITS, PATIENCE, contains, equal
from slurm_cluster import program  # noqa: F401

OTHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "MPI_", "HYDRA_")
# Open MPI refuses to run as root without these; containers often have no other user.
BARE = {**{k: v for k, v in CLEAN.items() if not k.startswith(OTHERS)},
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
CG = Path(os.environ.get("MPX_BIN", "")) / "cg"
BUS = Path(os.environ.get("MPX_SOURCE", "")) / "examples" / "data" / "1138_bus.mtx"


def skip(why):
    """Leaves all tests of this script out, and says why."""
    print(f"skipped: {why}")
    sys.exit(77)


def optional_helper(name):
    return next((str(Path(p).resolve()) for p in FILES[1:] if Path(p).name == f"jobs_{name}"), None)


def launch(*command, env=None, timeout=40):
    """A job of another launcher, in a folder of its own for what launchers leave in TMPDIR; mpx leaves nothing."""
    with tempfile.TemporaryDirectory(prefix="launched-") as folder:
        r = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                           timeout=timeout * LIMITS, stdin=subprocess.DEVNULL, cwd=folder,
                           env={**BARE, "TMPDIR": folder, **(env or {})}, check=False)
        equal([name for name in os.listdir(folder) if name.startswith("mpx-")], [])
        return r


def all_joined(r, ranks, what="joined"):
    """Every rank has said that it was one of `ranks`."""
    said = sorted(re.findall(rf"rank (\d+) of (\d+) {what}", r.stdout))
    equal((r.returncode, said), (0, sorted((str(i), str(ranks)) for i in range(ranks))))
    assert "another launcher" not in r.stderr, r.stderr


def suite_on_two_hosts(program, command):
    """The point-to-point suite, two ranks on each of two hosts: network namespaces, where such can be had, on which
    `command(hosts)` launches jobs; else hosts that are pretended, and `command(None)`."""
    if WHY_NO_HOSTS:
        print(f"the suite on two hosts: they are pretended: {WHY_NO_HOSTS}")
        r = launch(*command(None), program, "points", env={"MPX_PRETEND_HOSTS": "0,0,1,1"})
    else:
        with Hosts(2) as hosts:
            r = launch(*command(hosts), program, "points", env={"MPX_TCP_INTERFACE": "10.213.0.0/24"})
    all_joined(r, 4, "passed")


def hangs_are_reported(*command, env=None):
    """No process watches these jobs: each rank reports itself, and rank 0 reports all of them."""
    program = optional_helper("tcp_leaves")
    if program is None:
        print("hang reports: left out: there was no libcrypto when the tests were built")
        return
    for stack in ("shm", "tcp", "cluster"):
        r = launch("timeout", 5 * PATIENCE, *command, program, stack, "strands", "barrier", 7,
                   env={**(env or {}), "MPX_HANG_REPORT": "0.5"})
        equal(r.returncode, 124)
        for pattern in (r"mpx: hang report: rank 1 of 2 has waited for \S+ s$",
                        r"this rank goes on waiting, and reports no more of this call; rank 0 reports on all ranks",
                        r"mpx: hang report: nothing has moved for \S+ s in this job of 2 ranks$",
                        r" rank 0 \(pid \d+\) waits in barrier at \S*leaves.hpp:\d+: from rank 1, collective call 2",
                        r" rank 1 \(pid \d+\) leaves the job that it joined at \S*leaves.hpp:\d+, waits for rank 0",
                        r"cycle: rank 0 waits for rank 1, rank 1 for rank 0$",
                        r"the job goes on waiting; another report follows only if something moves"):
            assert re.search(pattern, r.stderr, re.M), f"{pattern!r} is not in\n{r.stderr}"
        equal(len(re.findall("mpx: hang report", r.stderr)), 2)
        # Rank 1 computes, so that rank 0 reports alone.
        r = launch("timeout", 5 * PATIENCE, *command, program, stack, "goes_on", "computes",
                   env={**(env or {}), "MPX_HANG_REPORT": "0.5"})
        for pattern in (r"mpx: hang report: 1 of 2 ranks have waited for \S+ s or longer$",
                        r" rank 1 (\(pid \d+\) )?has joined, and does not say what it is doing",
                        r" rank 0 waits for rank 1, which does not say what it is doing"):
            assert re.search(pattern, r.stderr, re.M), f"{pattern!r} is not in\n{r.stderr}"
        equal(r.returncode, 0)


def solved(r):
    """The cg example has found the answer, once."""
    equal(r.returncode, 0)
    equal(len(re.findall(r"^residual: +\S+", r.stdout, re.M)), 1)
    residual = float(re.search(r"^residual: +(\S+)", r.stdout, re.M)[1])
    assert residual < 1e-10, r.stdout


def lost(r, text="rank 1 "):
    """Some rank has learnt that rank 1 is gone, or the launcher has ended it first; none hangs."""
    assert r.returncode != 0, r.stdout
    for line in r.stderr.splitlines():
        if "peer lost" in line:
            contains(line, text)
    assert "FAILED" not in r.stderr, r.stderr
