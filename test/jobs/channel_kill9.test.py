#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
# sanitizers: none
"""kill -9 of one rank of four whose messages travel over a channel device: the others are told, soon."""

from jobs import main
from killed import kill_each_in_turn


def test_a_rank_and_the_others_survive():
    kill_each_in_turn("channel_traffic")


main(globals())
