#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""kill -9 of the owner of a window that others access, and who may hold locks of theirs."""

from jobs import main
from killed import kill_each_in_turn


def test_owner_is_killed():
    kill_each_in_turn("windows")


main(globals())
