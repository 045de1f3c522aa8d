# SPDX-License-Identifier: BSL-1.0
"""Hosts that are network namespaces on one bridge."""

import itertools
import os
import subprocess
import tempfile
from pathlib import Path

serial = itertools.count()


def sh(*words, text=None):
    r = subprocess.run(words, input=text, capture_output=True, text=True, timeout=100)
    if r.returncode:
        raise OSError(f"{' '.join(words)}: {r.stderr.strip() or r.returncode}")


class Hosts:
    """So many namespaces, each with an address of 10.213.0.0/24, and one more that is the cable between them.
    `before(name, i)`: makes further interfaces of a host, which the kernel lists before the one on the cable."""

    def __init__(self, count, before=None):
        self.before = before
        prefix = f"mpx{os.getpid()}x{next(serial)}"
        self.names = [f"{prefix}h{i}" for i in range(count)]
        self.net = f"{prefix}n"
        self.prefix = prefix
        self.shell = None

    def __enter__(self):
        try:
            sh("ip", "netns", "add", self.net)
            sh("ip", "-n", self.net, "link", "add", "cable", "type", "bridge")
            sh("ip", "-n", self.net, "link", "set", "cable", "up")
            for i, name in enumerate(self.names):
                sh("ip", "netns", "add", name)
                sh("ip", "-n", name, "link", "set", "lo", "up")
                if self.before is not None:
                    self.before(name, i)
                sh("ip", "-n", self.net, "link", "add", f"port{i}", "type", "veth", "peer", "name", "eth", "netns", name)
                sh("ip", "-n", name, "addr", "add", f"10.213.0.{i + 1}/24", "dev", "eth")
                sh("ip", "-n", name, "link", "set", "eth", "up")
                sh("ip", "-n", self.net, "link", "set", f"port{i}", "master", "cable", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (*self.names, self.net):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=100, check=False)
        if self.shell is not None:
            self.shell.cleanup()

    def command(self, *words, ranks_each=2):
        """A command for mpxrun that puts ranks 0, 1 on the first host, 2, 3 on the second, ..."""
        return ("-n", ranks_each * len(self.names), "sh", "-c",
                f'exec ip netns exec {self.prefix}h$((MPX_RANK / {ranks_each})) "$@"', "sh", *words)

    def on_first(self, *words):
        """A command that runs on the first host."""
        return ("ip", "netns", "exec", self.names[0], *words)

    def remote_shell(self):
        """A program for launchers that would call ssh: its first argument that is no option is the address of a
        host, the rest is for a shell there."""
        if self.shell is None:
            self.shell = tempfile.TemporaryDirectory(prefix="hosts-")
            path = Path(self.shell.name) / "shell"
            path.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n'
                            f'exec ip netns exec "{self.prefix}h$((${{host##*.}} - 1))" sh -c "$*"\n',
                            encoding="ascii")
            path.chmod(0o755)
        return Path(self.shell.name) / "shell"

    def addresses(self, ranks_each):
        """In the notation of launchers."""
        return ",".join(f"10.213.0.{i + 1}:{ranks_each}" for i in range(len(self.names)))

    def rules(self, host, verdict):
        """Sets the fate of packets to and from a host; "": they pass."""
        def chain(hook):
            return f"chain {hook} {{ type filter hook {hook} priority 0; {verdict}; }}\n"
        text = "add table inet m\ndelete table inet m\n"
        if verdict:
            text += f"table inet m {{ {chain('input')} {chain('output')} }}\n"
        sh("ip", "netns", "exec", self.names[host], "nft", "-f", "-", text=text)


def missing():
    """Why hosts cannot be had, or ""."""
    try:
        with Hosts(1) as hosts:
            hosts.rules(0, "drop")
    except OSError as e:
        return str(e)
    return ""


WHY_NO_HOSTS = missing()
