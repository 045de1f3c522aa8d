#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 240
"""Random traffic of 7 ranks on three pretended hosts, a few seeds, and 500 short programs."""

from seeds import play

play(range(1, 9), "hybrid_random", programs=500)
