# SPDX-License-Identifier: BSL-1.0
"""The parts of scripts/compare. docs/BENCHMARKS.md says what they measure, and when they judge."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CONTENDERS = ("mpx", "raw", "mpich", "openmpi")
MPIS = ("mpich", "openmpi")
NAMES = {"mpx": "mpx", "raw": "the bare hardware", "mpich": "MPICH", "openmpi": "Open MPI"}
KIB, MIB = 1 << 10, 1 << 20
LONG_SIZES = (4 * KIB, 64 * KIB, MIB, 4 * MIB)
BANDWIDTH_SIZES = (16, 64, 256, KIB, 2 * KIB, *LONG_SIZES)
SOCKET_SIZES = (64 * KIB, MIB, 16 * MIB)
BOTH_WAYS_SIZES = (16 * KIB, 32 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB)


def human(size):
    for unit, text in ((MIB, "MiB"), (KIB, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {text}"
    return f"{size} B"
