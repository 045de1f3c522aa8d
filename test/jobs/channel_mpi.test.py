#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""mpx over other MPIs: device mpi over MPICH and over Open MPI, as far as they are there; over one of them if this is
not for a release."""

import os
import subprocess
import tempfile
from pathlib import Path

from jobs import LIMITS, equal, main
from launched import launch, program, skip

SOURCE = Path(os.environ["MPX_SOURCE"])
MPIS = {"mpich": (), "openmpi": ("--oversubscribe",)}
THERE = [n for n in MPIS if program(f"mpicxx.{n}") and program(f"mpiexec.{n}")]
TRIED = THERE[:1] if os.environ.get("FOR_RELEASE") == "0" else THERE
if not THERE:
    skip("there is neither mpicxx.mpich nor mpicxx.openmpi (Debian: libmpich-dev, libopenmpi-dev)")


def try_out(name):
    if name not in TRIED:
        print(f"{name}: left out: for a release alone, or there is no mpicxx.{name} (Debian: lib{name}-dev)")
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "traffic"
        subprocess.run([program(f"mpicxx.{name}"), "-std=c++20", "-O0", "-pthread", f"-I{SOURCE / 'include'}",
                        f"-I{SOURCE / 'test'}", str(SOURCE / "test/over_mpi/traffic.cpp"), "-o", str(made)],
                       check=True, timeout=60 * LIMITS)
        r = launch(program(f"mpiexec.{name}"), *MPIS[name], "-n", 3, made)
        if r.stdout.startswith("1 ranks") and name == "mpich" and "openmpi" in THERE:
            # Ubuntu's MPICH asks for PMIx, which its own launcher has not, but Open MPI's has.
            print("mpich: started by mpiexec.openmpi: by mpiexec.mpich each rank is a job of its own")
            r = launch(program("mpiexec.openmpi"), *MPIS["openmpi"], "-n", 3, made)
        equal((r.returncode, r.stdout), (0, "3 ranks, sum 3\n" * 2))


def test_mpich():
    try_out("mpich")


def test_open_mpi():
    try_out("openmpi")


main(globals())
