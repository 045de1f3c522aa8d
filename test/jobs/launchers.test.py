#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
# sanitizers: none
"""Started by another MPI's launcher, a program says that each process is a world of its own."""

import subprocess

from jobs import CLEAN, contains, equal, helper, main, run

DEFAULT = helper("stack_default")
ALONE = "rank 0 announced 3\n"
OTHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "MPI_")
BARE = {k: v for k, v in CLEAN.items() if not k.startswith(OTHERS)}


def alone(env):
    r = subprocess.run([DEFAULT], capture_output=True, text=True, timeout=30, env={**BARE, **env},
                       stdin=subprocess.DEVNULL)
    equal(r.returncode, 0)
    return r


def test_told():
    for env, count in (({"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}, "4"),
                       ({"PMI_SIZE": "3", "PMI_RANK": "0"}, "3"), ({"PMI_SIZE": "3"}, "3"),
                       ({"MPI_LOCALNRANKS": "2"}, "2"), ({"PMIX_RANK": "1"}, None),
                       ({"SLURM_NTASKS": "8", "SLURM_PROCID": "0", "PMIX_RANK": "0"}, "8")):
        said = alone(env).stderr
        contains(said, f"another launcher has started {count or 'several'} processes")
        contains(said, f"mpxrun -n {count or 'N'} program")
        equal(said.count("mpx:"), 1)


def test_not_told():
    for env in ({}, {"OMPI_COMM_WORLD_SIZE": "1"}, {"PMI_SIZE": "3", "PMI_RANK": "2"}, {"PMI_SIZE": "x"},
                {"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}, {"PMIX_RANK": "0"},
                {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0", "MPX_ALONE": "1"}):
        equal(alone(env).stderr, "")


def test_ranks_of_mpxrun_are_not_alone():
    r = run("-n", 2, DEFAULT, env={"PMI_SIZE": "3", "PMI_RANK": "0"})
    equal((r.returncode, r.stderr), (0, ""))


main(globals())
