#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of one rank of four whose messages travel over registered memory: the others are told."""

from jobs import main
from killed import kill_each_in_turn


def test_a_rank_and_the_others_survive():
    kill_each_in_turn("rdma_traffic")


main(globals())
