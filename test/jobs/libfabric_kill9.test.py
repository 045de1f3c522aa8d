#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of one rank of four whose messages travel over libfabric: the others are told. Not over
shm: a rank that dies within libfabric 1.17 may leave a lock in the memory of another one."""

from jobs import main
from killed import kill_each_in_turn


def kill_over(provider):
    kill_each_in_turn("libfabric_traffic", "-x", f"MPX_FABRIC_PROVIDER={provider}")


def test_over_tcp():
    kill_over("tcp;ofi_rxm")


def test_between_hosts_only():
    kill_each_in_turn("libfabric_hosts", "-x", "MPX_FABRIC_PROVIDER=tcp;ofi_rxm",
                      "-x", "MPX_PRETEND_HOSTS=0,0,1,1")


def test_over_net():
    kill_over("net")


main(globals())
