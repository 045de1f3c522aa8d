# SPDX-License-Identifier: BSL-1.0
"""The parts of scripts/compare. docs/BENCHMARKS.md says what they measure, and when they judge."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent


class Mpi(NamedTuple):
    """Commands that compile and start programs of an MPI: the first words of each."""
    name: str
    compiler: tuple
    launcher: tuple


DEBIANS = {"mpich": Mpi("MPICH", ("mpicc.mpich",), ("mpiexec.mpich",)),
           "openmpi": Mpi("Open MPI", ("mpicc.openmpi",), ("mpirun.openmpi",))}
# These change together, by choose_mpis.
PROGRAMS = dict(DEBIANS)
MPIS = list(PROGRAMS)
CONTENDERS = ["mpx", "raw", *MPIS]
NAMES = {"mpx": "mpx", "raw": "the bare hardware", **{m: PROGRAMS[m].name for m in MPIS}}
MPICC = []  # "mpicc": the MPIs' programs over mpx's MPI library, if there is one; by choose_mpicc.


def parse_mpi(text):
    """NAME=COMPILER:LAUNCHER, each of these as for a shell: words with quotes. Raises ValueError."""
    name, equals, commands = text.partition("=")
    colon = re.match(r"""(?:[^'":\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*:""", commands)
    if not equals or not colon:
        raise ValueError("it is not NAME=COMPILER:LAUNCHER")
    if not re.fullmatch(r"[\w.+-][\w.+ -]*", name) or name in ("mpx", "raw"):
        raise ValueError(f"'{name}' cannot be the name of an MPI")
    compiler, launcher = (tuple(shlex.split(part)) for part in
                          (commands[:colon.end() - 1], commands[colon.end():]))
    if not compiler or not launcher:
        raise ValueError("a compiler and a launcher are needed")
    return Mpi(name, compiler, launcher)


def choose_mpis(chosen):
    """Compares with these in place of Debian's."""
    for known in (PROGRAMS, NAMES):
        for mpi in MPIS:
            del known[mpi]
    PROGRAMS.update((mpi.name, mpi) for mpi in chosen)
    MPIS[:] = PROGRAMS
    NAMES.update((mpi, mpi) for mpi in MPIS)
    CONTENDERS[2:] = MPIS


def choose_mpicc():
    """Measures mpx's MPI library, too, beside mpx."""
    MPICC[:] = ["mpicc"]
    CONTENDERS.insert(1, "mpicc")
    NAMES["mpicc"] = "mpx by its mpicc"


def libraries():
    """Those that send messages."""
    return ["mpx", *MPICC, *MPIS]


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
