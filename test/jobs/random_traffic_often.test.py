#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 600
# labels: slow
"""Random traffic of 7 ranks on 2 cores, 40 to 200 seeds, without a hang or an error."""

from seeds import play

play(range(1000, 1200), seconds=8, least=40)
