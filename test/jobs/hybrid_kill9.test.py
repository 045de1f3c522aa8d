#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of one rank of four on two pretended hosts: those near to it and those far from it are
told, soon."""

from jobs import main
from killed import kill_each_in_turn


def test_a_rank_and_the_others_survive():
    kill_each_in_turn("hybrid_traffic", "-x", "MPX_PRETEND_HOSTS=0,0,1,1")


def test_a_card_between_hosts():
    kill_each_in_turn("hybrid_traffic_rdma", "-x", "MPX_PRETEND_HOSTS=0,0,1,1")


def test_all_on_one_host():
    kill_each_in_turn("hybrid_traffic")


def test_one_that_has_never_spoken():
    for hosts in ("0,1,2,3", "0,0,1,1"):
        kill_each_in_turn("hybrid_silent", "-x", f"MPX_PRETEND_HOSTS={hosts}")


main(globals())
