#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Jobs of Slurm: a cluster of two nodes on this machine, of which one test's daemons live as long as
the test does, on ports and in a folder of their own."""

import subprocess

import slurm_cluster
from jobs import PATIENCE, contains, equal, gone, helper, main
from launched import (BARE, BUS, CG, all_joined, hangs_are_reported, launch, lost, optional_helper, skip, solved)

if slurm_cluster.why_none():
    skip(slurm_cluster.why_none())
JOINED = helper("joined")
JOINED_PMIX = optional_helper("joined_pmix")
try:
    CLUSTER = slurm_cluster.Cluster(BARE, patience=PATIENCE)
except slurm_cluster.CannotRun as e:
    skip(str(e))


def srun(*command, env=None):
    return launch(*CLUSTER.srun(*command), env={**(env or {}), "SLURM_CONF": str(CLUSTER.configuration)})


WAYS = [("pmi2", JOINED)]
if JOINED_PMIX is None:
    print("--mpi=pmix: left out: there was no libpmix when the tests were built")
elif not CLUSTER.speaks("pmix"):
    print("--mpi=pmix: left out: this Slurm has no plugin for it")
else:
    WAYS.append(("pmix", JOINED_PMIX))


def test_ranks_join():
    for way, joined in WAYS:
        for nodes, ranks in ((1, 1), (2, 4)):
            all_joined(srun(f"--mpi={way}", f"-N{nodes}", f"-n{ranks}", joined), ranks)


def test_values_alone():
    for way, joined in WAYS:
        all_joined(srun(f"--mpi={way}", "-N2", "-n4", joined, "kvs"), 4, "met")


def test_random_traffic():
    r = srun("--mpi=pmi2", "-N2", "-n4", helper("random_traffic"), 7)
    equal((r.returncode, r.stderr), (0, ""))


def test_a_fabric_between_hosts():
    if (it := optional_helper("libfabric_or_tcp")) is None:
        print("test_a_fabric_between_hosts: left out: there was no libfabric when the tests were built")
        return
    r = srun("--mpi=pmi2", "-N2", "-n4", it, env={"MPX_FABRIC_PROVIDER": "tcp;ofi_rxm", "MPX_PRETEND_HOSTS": "0,0,1,1"})
    equal((r.returncode, r.stdout, r.stderr), (0, "over a fabric\n", ""))


def test_cg():
    if not CG.exists():
        print("test_cg: left out: the examples are not built")
        return
    for way, _ in WAYS:
        solved(srun(f"--mpi={way}", "-N2", "-n4", CG, BUS, "--quiet"))


def test_a_rank_that_goes():
    """Slurm lets the others live: they learn of it from each other."""
    for way, joined in WAYS:
        r = srun(f"--mpi={way}", "-N2", "-n3", joined, "kill")
        lost(r)
        equal(r.stderr.count("rank 1 (pid "), 2)
        r = srun(f"--mpi={way}", "-N2", "-n3", joined, "abort")
        assert r.returncode in (7, 128 + 9), r.returncode  # srun has the highest of all ranks.
        contains(r.stderr, "rank 1 aborted the job with code 7: as requested")


def test_hosts_that_are_pretended():
    traffic = optional_helper("hybrid_random")
    if traffic is None:
        print("test_hosts_that_are_pretended: left out: there was no libcrypto when the tests were built")
        return
    r = srun("--mpi=pmi2", "-N2", "-n4", traffic, 7)
    equal((r.returncode, r.stderr), (0, ""))
    by_pmix = optional_helper("hybrid_pmix")
    if by_pmix is not None and "pmix" in [way for way, _ in WAYS]:
        r = srun("--mpi=pmix", "-N2", "-n4", by_pmix, 7)
        equal((r.returncode, r.stderr), (0, ""))
    # Slurm lets the others live: near ones learn of it from each other, far ones by their sockets.
    r = srun("--mpi=pmi2", "-N2", "-n4", helper("hybrid_traffic"), "end",
                     env={"MPX_PRETEND_HOSTS": "0,0,1,1"})
    equal(sorted(line for line in r.stdout.splitlines() if "lost" in line),
          [f"rank {n}: a peer was lost" for n in (0, 2, 3)])


def test_two_hosts():
    """Nodes of one machine share memory, so that its hosts are pretended."""
    for way, _ in WAYS:
        suite = optional_helper("hybrid_suite_pmix" if way == "pmix" else "hybrid_suite")
        if suite is None:
            print("test_two_hosts: left out: there was no libcrypto when the tests were built")
            return
        all_joined(srun(f"--mpi={way}", "-N2", "-n4", "--ntasks-per-node=2", suite, "points",
                                env={"MPX_PRETEND_HOSTS": "0,0,1,1"}), 4, "passed")


def test_without_a_plugin_none_joins():
    r = srun("--mpi=none", "-n2", JOINED)
    assert r.returncode != 0
    equal(r.stdout, "")
    contains(r.stderr, "another launcher has started 2 processes of this program (it has set SLURM_STEP_NUM_TASKS)")
    contains(r.stderr, "Give srun --mpi=pmi2, or start it with `mpxrun -n 2 program`, or set MPX_ALONE=1")
    for allowed in ({"MPX_ALONE": "1"}, {"MPX_BOOTSTRAP": "alone"}):
        r = srun("--mpi=none", "-n2", JOINED, env=allowed)
        equal((r.returncode, r.stdout, r.stderr), (0, "rank 0 of 1 joined\n" * 2, ""))
    r = srun("--mpi=none", "-n1", JOINED)
    equal((r.returncode, r.stdout, r.stderr), (0, "rank 0 of 1 joined\n", ""))


def test_hang_reports():
    hangs_are_reported(*CLUSTER.srun("--mpi=pmi2", "-N1", "-n2"), env={"SLURM_CONF": str(CLUSTER.configuration)})


def test_zz_nothing_is_left_behind():
    pids = [d.pid for d in CLUSTER.daemons]
    folder = CLUSTER.folder
    CLUSTER.end()
    assert gone(pids, 10), pids
    assert not folder.exists()
    left = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, text=True, check=False)
    equal(left.stdout, "")


main(globals())
