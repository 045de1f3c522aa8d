# SPDX-License-Identifier: BSL-1.0
"""A network between namespaces that takes its time: relay.py DELAY_MS JITTER_MS NAMESPACE...

Each namespace gets a TUN device with the address 10.214.0.(its place)/24; a packet that one of them
is given comes out of the one it is for after the delay, more or less the jitter, so that packets
overtake each other. Says "ready", and at the end of its standard input how many it has carried.
"""

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
PACKET_BYTES_MAX = 9000


def device(namespace, place):
    """A TUN device there, which lives as long as the descriptor that is returned."""
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(there, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), f"setns to {namespace}")
    os.close(there)
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"relay", IFF_TUN | IFF_NO_PI))
    for words in (("addr", "add", f"10.214.0.{place}/24", "dev", "relay"),
                  ("link", "set", "relay", "mtu", str(PACKET_BYTES_MAX), "up")):
        subprocess.run(["ip", *words], check=True, timeout=100)
    return tun


def main():
    delay, jitter = (float(a) / 1000 for a in sys.argv[1:3])
    tuns = [device(name, i + 1) for i, name in enumerate(sys.argv[3:])]
    print("ready", flush=True)
    on_the_way, serial, carried = [], itertools.count(), 0
    while True:
        wait = max(on_the_way[0][0] - time.monotonic(), 0) if on_the_way else None
        readable, _, _ = select.select([0, *tuns], [], [], wait)
        now = time.monotonic()
        if 0 in readable:
            break
        for tun in readable:
            try:
                packet = os.read(tun, PACKET_BYTES_MAX)
            except BlockingIOError:
                continue
            # The addresses' last byte; other packets than IPv4 are dropped.
            place = packet[19] - 1 if len(packet) >= 20 and packet[0] >> 4 == 4 else -1
            if 0 <= place < len(tuns):
                due = now + delay + random.uniform(-jitter, jitter)
                heapq.heappush(on_the_way, (due, next(serial), tuns[place], packet))
        while on_the_way and on_the_way[0][0] <= now:
            _, _, tun, packet = heapq.heappop(on_the_way)
            try:
                os.write(tun, packet)
                carried += 1
            except OSError:  # Its host has no room, or is gone: lost, as on any network.
                continue
    print(carried)


main()
