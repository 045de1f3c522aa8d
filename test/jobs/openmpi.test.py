#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""Jobs of Open MPI's mpirun, by PMIx: a program joins them if it includes mpx/bootstrap/pmix.hpp."""

from jobs import Traces, contains, equal, helper, main
from launched import (BUS, CG, all_joined, launch, lost, optional_helper, program, skip, solved,
                      suite_on_two_hosts)

MPIRUN = program("mpirun.openmpi", "orterun", "prterun")
if MPIRUN is None:
    skip("there is no mpirun of Open MPI (Debian: openmpi-bin)")
JOINED = optional_helper("joined_pmix")
if JOINED is None:
    skip("there was no libpmix when the tests were built (Debian: libpmix-dev)")


def mpirun(*command, env=None):
    return launch(MPIRUN, "--oversubscribe", *command, env=env)


def test_ranks_join():
    traces = Traces()
    for ranks in (1, 4):
        all_joined(mpirun("-n", ranks, JOINED), ranks)
    equal(traces.left(), [])


def test_values_alone():
    all_joined(mpirun("-n", 4, JOINED, "kvs"), 4, "met")


def test_two_hosts():
    suite = optional_helper("hybrid_suite_pmix")
    if suite is None:
        print("test_two_hosts: left out: there was no libcrypto when the tests were built")
        return

    def command(hosts):
        if hosts is None:
            return (MPIRUN, "--oversubscribe", "-n", 4)
        return hosts.on_first(MPIRUN, "--leave-session-attached", "--mca", "plm_rsh_agent", hosts.remote_shell(),
                              "--host", hosts.addresses(2), "-n", 4, "-x", "MPX_TCP_INTERFACE")

    suite_on_two_hosts(suite, command)


def test_cg():
    if not CG.exists():
        print("test_cg: left out: the examples are not built")
        return
    solved(mpirun("-n", 4, CG, BUS, "--quiet"))


def test_hosts_that_are_pretended():
    traffic = optional_helper("hybrid_pmix")
    if traffic is None:
        print("test_hosts_that_are_pretended: left out: there was no libcrypto when the tests were built")
        return
    r = mpirun("-n", 4, traffic, 7)
    equal((r.returncode, r.stderr), (0, ""))


def test_a_rank_that_goes():
    for mode in ("kill", "abort", "throw"):
        r = mpirun("-n", 3, JOINED, mode)
        lost(r)
        if mode == "abort":
            equal(r.returncode, 7)
    r = mpirun("--enable-recovery", "-n", 3, JOINED, "kill")
    equal(r.stderr.count("rank 1 (pid "), 2)  # Both others have learnt of it.


def test_who_does_not_speak_it_says_so():
    r = mpirun("-n", 2, helper("joined"))
    assert r.returncode != 0
    equal(r.stdout, "")
    contains(r.stderr, "include mpx/bootstrap/pmix.hpp")


main(globals())
