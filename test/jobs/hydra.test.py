#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""Jobs of Hydra, MPICH's launcher, by PMI-1: a program joins them without a word."""

import os
import signal
import subprocess

from jobs import Traces, contains, equal, helper, main, run
from launched import (BARE, BUS, CG, all_joined, hangs_are_reported, launch, lost, optional_helper, program, skip,
                      solved, suite_on_two_hosts)

MPIEXEC = program("mpiexec.hydra")
if MPIEXEC is None:
    skip("there is no mpiexec.hydra (Debian: mpich)")
JOINED = helper("joined")
FABRIC = {"MPX_FABRIC_PROVIDER": "tcp;ofi_rxm", "MPX_PRETEND_HOSTS": "0,0,1,1"}


def hydra(*command, env=None):
    """mpiexec itself dies of SIGPIPE now and then, where its proxy has gone before it was told to."""
    for _ in range(5):
        r = launch(MPIEXEC, *command, env=env)
        if r.returncode != -signal.SIGPIPE:
            break
    return r


def failing(*command):
    """A job that fails. Hydra 4.2 forgets now and then that a rank has, and returns 0."""
    for _ in range(5):
        r = hydra(*command)
        if r.returncode != 0:
            break
    return r


def test_ranks_join():
    traces = Traces()
    for ranks in (1, 2, 3, 4, 7, 8):
        all_joined(hydra("-n", ranks, JOINED), ranks)
    equal(traces.left(), [])


def test_values_alone():
    all_joined(hydra("-n", 4, JOINED, "kvs"), 4, "met")
    all_joined(run("-n", 4, JOINED, "kvs"), 4, "met")
    all_joined(run("-n", 1, JOINED, "kvs", env={"MPX_BOOTSTRAP": "mpxrun"}), 1, "met")
    all_joined(launch(JOINED, "kvs"), 1, "met")


def test_random_traffic():
    r = hydra("-n", 4, helper("random_traffic"), 7)
    equal((r.returncode, r.stderr), (0, ""))


def test_hosts_that_are_pretended():
    traffic = optional_helper("hybrid_random")
    if traffic is None:
        print("test_hosts_that_are_pretended: left out: there was no libcrypto when the tests were built")
        return
    r = hydra("-n", 4, traffic, 7)
    equal((r.returncode, r.stderr), (0, ""))


def test_a_fabric_between_hosts():
    if (it := optional_helper("libfabric_or_tcp")) is None:
        print("test_a_fabric_between_hosts: left out: there was no libfabric when the tests were built")
        return
    r = hydra("-n", 4, it, env=FABRIC)
    equal((r.returncode, r.stdout, r.stderr), (0, "over a fabric\n", ""))


def test_two_hosts():
    suite = optional_helper("hybrid_suite")
    if suite is None:
        print("test_two_hosts: left out: there was no libcrypto when the tests were built")
        return
    suite_on_two_hosts(suite, lambda hosts: (MPIEXEC, "-n", 4) if hosts is None else hosts.on_first(
        MPIEXEC, "-launcher", "ssh", "-launcher-exec", hosts.remote_shell(), "-hosts", hosts.addresses(2), "-n", 4))


def test_cg():
    if not CG.exists():
        print("test_cg: left out: the examples are not built")
        return
    solved(hydra("-n", 4, CG, BUS, "--quiet"))


def test_several_programs():
    all_joined(hydra("-n", 1, JOINED, ":", "-n", 2, JOINED), 3)


def test_a_rank_that_goes():
    for mode, code in (("kill", 9), ("abort", 7), ("throw", None)):
        r = failing("-n", 3, JOINED, mode)
        lost(r)
        if code is not None:
            equal(r.returncode, code)
    contains(hydra("-n", 3, JOINED, "abort").stderr, "rank 1 aborted the job with code 7: as requested")


def test_a_rank_that_leaves_alone():
    """A rank that leaves by a caught exception has failed, for ranks that learn it by the launcher alone."""
    lost(failing("-n", 3, JOINED, "kvs-throw"))


def test_a_rank_that_cannot_join():
    traffic = optional_helper("hybrid_random")
    if traffic is None:
        print("test_a_rank_that_cannot_join: left out: there was no libcrypto when the tests were built")
        return
    for _ in range(20):  # Hydra kills the others as soon as one has ended: that must not be the one with less to say.
        r = failing("-n", 1, traffic, 7, ":", "-n", 1, "-env", "MPX_TCP_HEARTBEAT", "junk", traffic, 7)
        assert r.returncode != 0, r.stdout
        assert "hang: not over" not in r.stderr, r.stderr
        contains(r.stderr, "MPX_TCP_HEARTBEAT=junk is no number of seconds")


def test_a_rank_without_descriptors():
    """Only a rank itself knows that it has no room for the job's memory: all ranks fail, with the reason."""
    for limit in range(8, 20):
        r = hydra("-n", 2, JOINED, ":", "-n", 1, "sh", "-c", f'ulimit -n {limit}; exec "$0"', JOINED)
        assert "hang: not over" not in r.stderr, (limit, r.stderr)
        if r.returncode == 0:
            assert limit > 8
            break
        contains(r.stderr, "ulimit -n")


def test_forced_and_refused():
    all_joined(hydra("-n", 2, JOINED, env={"MPX_BOOTSTRAP": "pmi1"}), 2)
    r = hydra("-n", 2, JOINED, env={"MPX_BOOTSTRAP": "alone"})
    equal((r.returncode, r.stdout, r.stderr), (0, "rank 0 of 1 joined\n" * 2, ""))
    r = hydra("-n", 2, JOINED, env={"MPX_ALONE": "1"})
    equal((r.returncode, r.stdout, r.stderr), (0, "rank 0 of 1 joined\n" * 2, ""))
    r = hydra("-n", 2, JOINED, env={"MPX_BOOTSTRAP": "mpxrun"})
    equal(r.returncode, 3)
    contains(r.stderr, "MPX_BOOTSTRAP is 'mpxrun', but MPX_JOB_FD is not set")


def test_what_a_rank_starts_is_no_rank():
    """A program that a rank starts says so; mpxrun inside of a job is a job of its own."""
    inner = f'{JOINED} kvs >/dev/null && "$0" -n 2 {JOINED}'
    r = hydra("-n", 2, "sh", "-c", inner, str(os.path.realpath(os.environ["MPX_BIN"] + "/mpxrun")))
    equal(r.returncode, 0)
    equal(r.stdout.count("of 2 joined"), 4)


def test_hang_reports():
    hangs_are_reported(MPIEXEC, "-n", 2)


def test_hosts_are_named():
    """Ranks in network namespaces of their own stand for ranks of other hosts."""
    apart = ("unshare", "-n")
    tried = subprocess.run([*apart, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        print(f"test_hosts_are_named: left out: {tried.stderr.strip()}")
        return
    r = hydra("-n", 2, JOINED, ":", "-n", 1, *apart, JOINED)
    equal(r.returncode, 3)
    host = os.uname().nodename
    text = f"rank 0 on {host}, rank 1 on {host}, rank 2 on {host} (apart)"
    equal(r.stderr.count(text), 3)
    all_joined(hydra("-n", 2, JOINED, "kvs", ":", "-n", 1, *apart, JOINED, "kvs"), 3, "met")


main(globals())
