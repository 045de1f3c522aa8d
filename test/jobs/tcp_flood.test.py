#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 600
# sanitizers: none
"""Jobs whose ranks meet while a stranger opens connections to all of their listeners, from before they listen."""

import contextlib
import subprocess
import sys

from jobs import equal, helper, main, run

PORTS = range(20400, 20416)
RANKS = 4

# Opens connections in turn and closes each at once, up to 40,000 a second in all and 2,000,000 in all.
STRANGER = """
import socket, struct, sys, time
first, last = map(int, sys.argv[1:3])
reset = struct.pack("ii", 1, 0)
begin = time.monotonic()
for n in range(2000000):
    s = socket.socket()
    s.setblocking(False)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    s.connect_ex(("127.0.0.1", first + n % (last - first + 1)))
    s.close()
    if n == 1000:
        print("ready", flush=True)
    if n % 64 == 0:
        time.sleep(max(0, begin + n / 40000 - time.monotonic()))
"""


@contextlib.contextmanager
def stranger():
    # The ports that ranks take are the first ones.
    with subprocess.Popen([sys.executable, "-c", STRANGER, str(PORTS[0]), str(PORTS[RANKS - 1])], stdout=subprocess.PIPE,
                          text=True) as child:
        try:
            equal(child.stdout.readline(), "ready\n")
            yield
        finally:
            child.kill()


def meet(stack, **env):
    env |= {"MPX_TCP_INTERFACE": "lo", "MPX_TCP_PORTS": f"{PORTS[0]}-{PORTS[-1]}"}
    with stranger():
        r = run("-n", RANKS, helper("tcp_flood"), stack, env=env, timeout=120)
    equal((r.returncode, r.stdout, r.stderr), (0, "", ""))


def test_ranks_that_use_sockets_alone():
    meet("tcp")


def test_hosts_that_share_memory():
    meet("cluster", MPX_PRETEND_HOSTS="0,1,0,1")


main(globals())
