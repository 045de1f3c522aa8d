#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Ranks on two hosts with more interfaces than the one between them: bridges with one address on all hosts, tunnels,
networks of one host alone. And hosts that do not reach each other: the errors name addresses and reasons. Left out,
with the reason, where that takes rights or programs that are not here."""

import os
import re
from pathlib import Path

from hosts import WHY_NO_HOSTS, Hosts, sh
from jobs import contains, equal, helper, main, run, start

MEET = helper("tcp_meet")
SAID = re.compile(r"rank (\d+): (\d+\.\d\d) s: (.*)")


def on_hosts(test):
    def tried():
        if WHY_NO_HOSTS:
            print(f"{test.__name__}: left out: {WHY_NO_HOSTS}")
            return
        test()
    tried.__name__ = test.__name__
    return tried


def bridge(name, carrier=False, address="172.17.0.1/16"):
    """docker0, as it is on each host where Docker runs; without a container it has no carrier."""
    sh("ip", "-n", name, "link", "add", "docker0", "type", "bridge")
    sh("ip", "-n", name, "addr", "add", address, "dev", "docker0")
    sh("ip", "-n", name, "link", "add", "port", "type", "veth", "peer", "name", "inner")
    sh("ip", "-n", name, "link", "set", "port", "master", "docker0")
    if carrier:
        sh("ip", "-n", name, "link", "set", "inner", "up")
        sh("ip", "-n", name, "link", "set", "port", "up")
    sh("ip", "-n", name, "link", "set", "docker0", "up")


def tunnel(name, i):
    sh("ip", "-n", name, "tuntap", "add", "mode", "tun", "tun0")
    sh("ip", "-n", name, "addr", "add", f"10.8.{i}.1", "peer", f"10.8.{i}.2", "dev", "tun0")
    sh("ip", "-n", name, "link", "set", "tun0", "up")


def lonely(name, i):
    """A network that ends on this host, and looks like any."""
    sh("ip", "-n", name, "link", "add", "own", "type", "veth", "peer", "name", "end")
    sh("ip", "-n", name, "addr", "add", f"10.77.{i}.1/24", "dev", "own")
    sh("ip", "-n", name, "link", "set", "own", "up")
    sh("ip", "-n", name, "link", "set", "end", "up")


def told(hosts, *words, env=None, ranks_each=1):
    """[(seconds, text)] of each rank that says something, in order."""
    r = run("--survive", *hosts.command(MEET, *words, ranks_each=ranks_each), env=env, timeout=50)
    lines = [SAID.fullmatch(line) for line in r.stdout.splitlines()]
    assert all(lines), f"{r.stdout!r} {r.stderr!r}"
    return [(float(m[2]), m[3]) for m in sorted(lines, key=lambda m: int(m[1]))], r.stderr


def meet(hosts, *words, env=None, ranks_each=1):
    said, err = told(hosts, *words, env=env, ranks_each=ranks_each)
    equal([text for _, text in said], ["met"] * len(hosts.names) * ranks_each)
    equal(err, "")
    return max(seconds for seconds, _ in said)


@on_hosts
def test_a_bridge_without_carrier_on_each_host():
    with Hosts(2, lambda name, i: bridge(name)) as hosts:
        meet(hosts)
        meet(hosts, ranks_each=2)


@on_hosts
def test_a_bridge_that_runs_on_each_host():
    """One address on both hosts, and one port: who calls it reaches himself, or a neighbour."""
    with Hosts(2, lambda name, i: bridge(name, carrier=True)) as hosts:
        meet(hosts)
        meet(hosts, ranks_each=2, env={"MPX_TCP_PORTS": "42000-42010"})


@on_hosts
def test_only_one_host_has_the_bridge():
    with Hosts(2, lambda name, i: bridge(name, carrier=True) if i == 0 else None) as hosts:
        meet(hosts)


@on_hosts
def test_a_tunnel_of_each_host():
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        print("test_a_tunnel_of_each_host: left out: there is no /dev/net/tun")
        return
    with Hosts(2, tunnel) as hosts:
        meet(hosts)


@on_hosts
def test_a_network_of_one_host_alone():
    """No rank can know beforehand that the others do not reach it: they try, and continue."""
    with Hosts(2, lonely) as hosts:
        meet(hosts)
        meet(hosts, ranks_each=2)


@on_hosts
def test_networks_behind_a_router():
    """No address of a peer is in a network of this host: the one that answers is found by trying; packets to
    the others vanish on the way."""
    def routed(name, i):
        bridge(name, carrier=True, address=f"172.{18 + i}.0.1/16")
        lonely(name, i)
    with Hosts(2, routed) as hosts:
        for i, name in enumerate(hosts.names):
            sh("ip", "-n", name, "addr", "flush", "dev", "eth")
            sh("ip", "-n", name, "addr", "add", f"10.{20 + i}.0.1/24", "dev", "eth")
            sh("ip", "-n", name, "route", "add", f"10.{21 - i}.0.0/24", "dev", "eth")
            sh("ip", "netns", "exec", name, "nft", "-f", "-",
               text=f"table inet w {{ chain i {{ type filter hook input priority 0; ip daddr != 10.{20 + i}.0.1 drop\n }}\n }}\n")
            sh("ip", "-n", name, "route", "add", "default", "via", f"10.{21 - i}.0.1", "dev", "eth", "onlink")
        meet(hosts)


@on_hosts
def test_link_local_addresses_alone():
    """Hosts on a cable that nobody has configured."""
    with Hosts(2) as hosts:
        for i, name in enumerate(hosts.names):
            sh("ip", "-n", name, "addr", "flush", "dev", "eth")
            sh("ip", "-n", name, "addr", "add", f"169.254.3.{i + 1}/16", "dev", "eth")
        meet(hosts)


@on_hosts
def test_ipv6_alone():
    """The only network in common; IPv4 is there, and leads nowhere."""
    with Hosts(2, lonely) as hosts:
        for i, name in enumerate(hosts.names):
            sh("ip", "-n", name, "addr", "flush", "dev", "eth")
            sh("ip", "-n", name, "addr", "add", f"fd00:213::{i + 1}/64", "dev", "eth", "nodad")
        meet(hosts)


@on_hosts
def test_a_peer_that_computes_when_it_is_called():
    with Hosts(2, lambda name, i: bridge(name, carrier=True)) as hosts:
        meet(hosts, "late")


@on_hosts
def test_mpxinfo_shows_the_order():
    mpxinfo = Path(os.environ.get("MPX_BIN", "")).resolve() / "mpxinfo"
    with Hosts(1, lambda name, i: bridge(name)) as hosts:
        r = run("-n", 1, *hosts.on_first(mpxinfo))
    if "built without OpenSSL" in r.stdout:
        print("test_mpxinfo_shows_the_order: left out: this mpxinfo was built without OpenSSL")
        return
    contains(r.stdout, "yes: a rank is called at 10.213.0.1 (eth), then 172.17.0.1 (docker0, not running); any port\n")


@on_hosts
def test_a_network_that_goes_down():
    """There is another one between the hosts: the connection is made again over that."""
    def second(name, i):
        net = name.rsplit("h", 1)[0] + "n"
        if i == 0:
            sh("ip", "-n", net, "link", "add", "cable2", "type", "bridge")
            sh("ip", "-n", net, "link", "set", "cable2", "up")
        sh("ip", "-n", net, "link", "add", f"more{i}", "type", "veth", "peer", "name", "eth0", "netns", name)
        sh("ip", "-n", name, "addr", "add", f"10.77.0.{i + 1}/24", "dev", "eth0")
        sh("ip", "-n", name, "link", "set", "eth0", "up")
        sh("ip", "-n", net, "link", "set", f"more{i}", "master", "cable2", "up")
    with Hosts(2, second) as hosts:
        job = start(*hosts.command(helper("tcp_hosts"), "talk", "6"), env={"MPX_TCP_HEARTBEAT": "4"})
        for _ in range(2):
            contains(job.stdout.readline(), "talking")
        sh("ip", "-n", hosts.net, "link", "set", "more1", "down")
        out, err = job.communicate(timeout=50)
        equal((job.returncode, sorted(out.splitlines()), err), (0, ["rank 0: all of many", "rank 2: all of many"], ""))


@on_hosts
def test_a_firewall_that_drops():
    with Hosts(2, lambda name, i: bridge(name)) as hosts:
        hosts.rules(1, "policy drop")
        said, _ = told(hosts, env={"MPX_TCP_HEARTBEAT": "4"})
        equal(len(said), 2)
        for i, (_, text) in enumerate(said):
            contains(text, f"rank {1 - i} was not reached in ")
            assert re.search(rf"10\.213\.0\.{2 - i} port \d+: no answer", text), text
            contains(text, "MPX_TCP_INTERFACE")
            assert "died or left" not in text and "was lost: died" not in text, text


@on_hosts
def test_no_route():
    with Hosts(2) as hosts:
        sh("ip", "-n", hosts.names[1], "addr", "flush", "dev", "eth")
        sh("ip", "-n", hosts.names[1], "addr", "add", "10.99.0.1/24", "dev", "eth")
        said, _ = told(hosts, env={"MPX_TCP_HEARTBEAT": "4"})
        for i, (_, text) in enumerate(said):
            contains(text, f"rank {1 - i} was not reached in ")
            assert re.search(r"10\.(99|213)\.0\.1 port \d+: Network is unreachable", text), text


@on_hosts
def test_a_firewall_that_refuses():
    with Hosts(2) as hosts:
        hosts.rules(1, "tcp flags & (syn | ack) == syn reject with tcp reset")
        said, _ = told(hosts)
        for i, (_, text) in enumerate(said):
            assert re.search(rf"10\.213\.0\.{2 - i} port \d+: Connection refused", text), text


@on_hosts
def test_a_rank_that_died_before_it_was_met():
    """Its host refuses: the text says that nobody listens, and not what is not known."""
    with Hosts(2, lonely) as hosts:
        said, _ = told(hosts, "die")
        equal(len(said), 1)
        assert re.search(r"10\.213\.0\.2 port \d+: Connection refused", said[0][1]), said


@on_hosts
def test_the_variable_chooses():
    with Hosts(2, lonely) as hosts:
        meet(hosts, env={"MPX_TCP_INTERFACE": "eth"})
        said, _ = told(hosts, env={"MPX_TCP_INTERFACE": "own", "MPX_TCP_HEARTBEAT": "4"})
        for i, (_, text) in enumerate(said):
            contains(text, f"10.77.{1 - i}.1 port ")
            assert "10.213." not in text, text


main(globals(), at_once=4)
