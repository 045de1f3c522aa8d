#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# compilers: both
# timeout: 240
"""Random traffic of 7 ranks on 2 cores, a few seeds: random_traffic_often.test.py plays many."""

from seeds import play

play(range(1, 21))
