#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Ranks on two and three hosts, which are network namespaces on one bridge: links that go down, partitions that
nobody tells of, resets, loss, a slow link, one that delays. Left out, with the reason, where that takes
rights or programs that are not here."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from hosts import WHY_NO_HOSTS, Hosts, sh
from jobs import LIMITS, PATIENCE, equal, helper, main, run, start

def environment(seconds=10, network="10.213.0.0/24"):
    return {"MPX_TCP_INTERFACE": network, "MPX_TCP_HEARTBEAT": str(seconds)}


@contextlib.contextmanager
def relay(hosts, delay_ms, jitter_ms):
    """Another network, 10.214.0.0/24, between the same hosts. Gives the list of what it has carried."""
    carried = []
    with subprocess.Popen([sys.executable, Path(__file__).with_name("relay.py"), str(delay_ms), str(jitter_ms),
                           *hosts.names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n", "the relay has not begun"
            yield carried
            carried.append(int(child.communicate(timeout=100)[0]))
        finally:
            child.kill()


def on_hosts(test):
    def tried():
        if WHY_NO_HOSTS:
            print(f"{test.__name__}: left out: {WHY_NO_HOSTS}")
            return
        test()
    tried.__name__ = test.__name__
    return tried


def read(job, *wanted):
    """Waits until the ranks have said this, and no other line."""
    left = sorted(wanted)
    while left:
        line = job.stdout.readline().rstrip("\n")
        assert line in left, f"{line!r}, then {job.communicate(timeout=300)}"
        left.remove(line)


def talk(hosts, seconds, disturb, env=None):
    job = start(*hosts.command(helper("tcp_hosts"), "talk", str(seconds)), env=env or environment())
    read(job, "rank 0: talking", "rank 2: talking")
    disturb()
    out, err = job.communicate(timeout=60 * LIMITS)
    equal((job.returncode, sorted(out.splitlines()), err), (0, ["rank 0: all of many", "rank 2: all of many"], ""))


def lose(mode, disturb):
    """Both ends are told within the time that was asked for."""
    seconds = 4
    with Hosts(2) as hosts:
        job = start("--survive", *hosts.command(helper("tcp_hosts"), mode), env=environment(seconds))
        read(job, "rank 0: talking", "rank 2: talking")
        time.sleep(0.3)
        disturb(hosts)
        begin = time.monotonic()
        read(job, "rank 0: lost", "rank 2: lost")
        took = time.monotonic() - begin
        job.kill()
        job.communicate(timeout=300)
        assert took < seconds + 1.0 * PATIENCE, f"told only after {took:.2f} s"


@on_hosts
def test_random_traffic():
    for count in (2, 3):
        with Hosts(count) as hosts:
            r = run(*hosts.command(helper("tcp_random"), str(count)), env=environment(), timeout=60)
            equal((r.returncode, r.stdout, r.stderr), (0, "", ""))


def passed(hosts, *program):
    ranks = 2 * len(hosts.names)
    r = run(*hosts.command(*program), env=environment(), timeout=60)
    equal((r.returncode, r.stderr), (0, ""))
    equal(sorted(r.stdout.splitlines()), [f"rank {i} of {ranks} passed" for i in range(ranks)])


@on_hosts
def test_point_to_point():
    """Two ranks on each host share memory, and talk to the others by sockets."""
    for count in (2, 3):
        with Hosts(count) as hosts:
            passed(hosts, helper("hybrid_suite"), "points")


@on_hosts
def test_collectives():
    for count in (2, 3):
        with Hosts(count) as hosts:
            passed(hosts, helper("hybrid_suite"), "collectives")


@on_hosts
def test_a_silent_partition_while_both_sleep():
    lose("wait", lambda hosts: hosts.rules(1, "policy drop"))


@on_hosts
def test_a_silent_partition_while_one_sends():
    lose("send", lambda hosts: hosts.rules(1, "policy drop"))


@on_hosts
def test_a_link_goes_down():
    lose("wait", lambda hosts: sh("ip", "-n", hosts.net, "link", "set", "port1", "down"))


@on_hosts
def test_the_own_link_goes_down():
    lose("send", lambda hosts: sh("ip", "-n", hosts.names[0], "link", "set", "eth", "down"))


@on_hosts
def test_a_partition_that_heals():
    """After more than half of the time: the connection has broken by then."""
    with Hosts(2) as hosts:
        def disturb():
            hosts.rules(1, "policy drop")
            time.sleep(6)
            hosts.rules(1, "")
        talk(hosts, 7, disturb)


@on_hosts
def test_connections_are_reset():
    with Hosts(2) as hosts:
        def disturb():
            for _ in range(5):
                # Data on an unknown connection is answered by a reset; new connections pass.
                hosts.rules(1, "tcp flags & (syn | rst) == 0 reject with tcp reset")
                time.sleep(0.1)
                hosts.rules(1, "")
                time.sleep(0.2)
        talk(hosts, 2, disturb)


@on_hosts
def test_packets_are_lost():
    with Hosts(2) as hosts:
        talk(hosts, 3, lambda: hosts.rules(1, "numgen random mod 100 < 3 drop"))


@on_hosts
def test_a_slow_link():
    with Hosts(2) as hosts:
        try:
            sh("ip", "netns", "exec", hosts.names[0], "tc", "qdisc", "add", "dev", "eth", "root", "tbf", "rate", "100mbit",
               "burst", "20kb", "latency", "20ms")
        except OSError as e:
            print(f"test_a_slow_link: left out: {e}")
            return
        talk(hosts, 2, lambda: None)


@on_hosts
def test_a_link_that_delays():
    """5 to 15 ms each way, so that packets overtake each other."""
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        print("test_a_link_that_delays: left out: there is no /dev/net/tun")
        return
    with Hosts(2) as hosts:
        with relay(hosts, 10, 5) as carried:
            talk(hosts, 2, lambda: None, environment(network="10.214.0.0/24"))
        assert carried[0] > 100, f"the relay has carried {carried[0]} packets"


main(globals(), at_once=3)
