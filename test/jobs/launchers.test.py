#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
# sanitizers: none
"""Started several times by a launcher that it does not join, a program ends with an error that says so."""

import subprocess

from jobs import CLEAN, contains, equal, helper, main, run

DEFAULT = helper("stack_default")
ALONE = "rank 0 announced "
OTHERS = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "MPI_", "FLUX_", "JSM_", "PALS_", "ALPS_")
BARE = {k: v for k, v in CLEAN.items() if not k.startswith(OTHERS)}


def started(env):
    return subprocess.run([DEFAULT], capture_output=True, text=True, timeout=150, env={**BARE, **env},
                          stdin=subprocess.DEVNULL)


def test_refused():
    """In each of the processes: none must go on as if it were the whole job."""
    for rank in ("0", "1"):
        for env, count in (({"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": rank}, "4"),
                           ({"PMI_SIZE": "3", "PMI_RANK": rank}, "3"), ({"PMI_SIZE": "3"}, "3"),
                           ({"MPI_LOCALNRANKS": "2"}, "2"), ({"PMIX_RANK": "1"}, None), ({"PALS_RANKID": "7"}, None),
                           ({"ALPS_APP_PE": "2"}, None), ({"PALS_SIZE": "2", "PALS_RANKID": rank}, "2"),
                           ({"FLUX_JOB_SIZE": "2", "FLUX_TASK_RANK": rank}, "2"),
                           ({"JSM_NAMESPACE_SIZE": "5", "JSM_NAMESPACE_RANK": rank}, "5"),
                           ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "0", "SLURM_PROCID": rank}, "2"),
                           ({"SLURM_NTASKS": "8", "SLURM_PROCID": rank, "PMIX_RANK": "0"}, "8")):
            r = started(env)
            assert r.returncode not in (0, 124), (env, r.returncode)
            equal(r.stdout, "")
            contains(r.stderr, f"another launcher has started {count or 'several'} processes")
            contains(r.stderr, f"mpxrun -n {count or 'N'} program")
            contains(r.stderr, "MPX_ALONE=1")


def test_advice():
    slurm = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}
    for env, advice in ((slurm, "include mpx/bootstrap/pmi1.hpp in the program. Give srun --mpi=pmi2, or start it with"),
                        ({**slurm, "PMI_FD": "9"}, "include mpx/bootstrap/pmi1.hpp in the program. Start it with"),
                        ({**slurm, "PMIX_RANK": "0"}, "include mpx/bootstrap/pmix.hpp in the program. Start it with"),
                        ({"OMPI_COMM_WORLD_SIZE": "2"}, "a job of one rank. Start it with")):
        contains(started(env).stderr, advice)


def test_not_refused():
    # In a batch script, and in the shell of an allocation, Slurm's variables are of the whole job.
    for env in ({}, {"OMPI_COMM_WORLD_SIZE": "1"}, {"PMI_SIZE": "x"}, {"SLURM_NTASKS": "8", "SLURM_PROCID": "0"},
                {"SLURM_STEP_NUM_TASKS": "1", "SLURM_STEP_ID": "0"}, {"PMIX_RANK": "0"},
                {"SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "4294967290"},
                {"SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "4294967291"},
                {"PMI_SIZE": "3", "PMI_RANK": "2", "MPX_BOOTSTRAP": "alone"},
                {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0", "MPX_ALONE": "1"}):
        r = started(env)
        equal((r.returncode, r.stderr), (0, ""))
        assert r.stdout.startswith(ALONE), r.stdout


def test_ranks_of_mpxrun_are_not_alone():
    r = run("-n", 2, DEFAULT, env={"PMI_SIZE": "3", "PMI_RANK": "0"})
    equal((r.returncode, r.stderr), (0, ""))


main(globals())
