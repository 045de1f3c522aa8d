#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
# timeout: 120
"""The programs of bench/programs give the right answers, with any number of ranks, over mpx and over
the MPIs that are here, and say how long they took."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])
# A few steps of few points: the answers are what counts.
SMALL = {"cg": (8, 1), "particles": (100, 10), "transpose": (8, 5), "wavefront": (8, 3), "bfs": (300, 3),
         "stencil": (16, 20)}
MPIS = {"mpich": ("mpicc.mpich", ["mpiexec.mpich"]),
        "openmpi": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"])}
SMALLEST = ("--size", 8, "--steps", 1, "--samples", 1)
LIMIT_S = 300


def run(command):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_CC="cc", MPICH_CC="cc")
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env, timeout=LIMIT_S)


def check(implementation, launch, program):
    for name, (size, steps) in SMALL.items():
        for ranks in (1, 2, 3, 4) if implementation == "mpx" else (2,):
            more = ["--work", 20, "--uneven", 50, "--pin"] if ranks == 2 else []
            r = run([*launch, "-n", ranks, program, name, "--size", size, "--steps", steps, "--samples", 2, *more])
            assert r.returncode == 0, (implementation, name, ranks, r)
            lines = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
            assert len(lines) == 2, r
            for line in lines:
                assert (line["impl"], line["test"], line["ranks"]) == (implementation, name, ranks), line
                assert line["value"] > 0 and line["compute"] >= 0, line
                assert abs(line["value"] - line["compute"] - line["beyond"]) < 1e-3 * line["value"], line
    print(f"{implementation}: right")


def main():
    check("mpx", [BIN / "mpxrun"], BIN / "mpx_programs")
    wrong = run([BIN / "mpxrun", "-n", 2, BIN / "mpx_programs", "cheese"])
    assert wrong.returncode == 2 and wrong.stderr.startswith("usage: cg|"), wrong
    with tempfile.TemporaryDirectory() as folder:
        for mpi, (compiler, launch) in MPIS.items():
            if shutil.which(compiler) is None or shutil.which(launch[0]) is None:
                print(f"{mpi}: not here")
                continue
            program = Path(folder) / mpi
            built = run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wno-stringop-overflow",
                         "-Werror", SOURCE / "bench/programs/mpi_programs.c", "-o", program, "-lm"])
            assert built.returncode == 0, built.stderr
            if mpi == "mpich" and '"ranks":1,' in run([*launch, "-n", 2, program, "cg", *SMALLEST]).stdout.replace(" ", ""):
                # Ubuntu's MPICH asks for PMIx, which its own launcher has not, but Open MPI's has.
                print(f"{mpi}: by {launch[0]} each rank is a job of its own")
                launch = MPIS["openmpi"][1]
                if shutil.which(launch[0]) is None:
                    continue
            check(mpi, launch, program)


sys.exit(main())
