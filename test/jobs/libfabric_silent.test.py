#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of one rank of four whose messages travel over libfabric, where the bootstrap knows
nothing of the living and the dead: the others are told by their kernels."""

from jobs import main
from killed import kill_each_in_turn


def kill(provider, *arguments):
    kill_each_in_turn("libfabric_silent", "-x", f"MPX_FABRIC_PROVIDER={provider}",
                      arguments=arguments)


def test_one_that_has_never_spoken():
    kill("tcp;ofi_rxm")


def test_one_that_has_never_spoken_over_net():
    kill("net")


def test_one_in_the_middle_of_its_messages():
    kill("tcp;ofi_rxm", "talks")


main(globals())
