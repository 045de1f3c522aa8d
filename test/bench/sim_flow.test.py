#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
# timeout: 60
"""sim_flow counts what docs/results/flow.md says, for jobs of 16 and 64 ranks, and bench/draw_flow.py writes the same
rows and a picture."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])


def rows_of(page):
    """The rows of the table, of the jobs that are tried here."""
    return [line for line in page.read_text().splitlines()
            if line.startswith(("| stencil", "| alltoall", "| master/worker")) and line.split("|")[2].strip() in ("16", "64")]


with tempfile.TemporaryDirectory() as folder:
    found = Path(folder) / "flow.json"
    subprocess.run([BIN / "sim_flow", "--ranks", "64", "--json", found], check=True)
    subprocess.run([sys.executable, SOURCE / "bench/draw_flow.py", "--flow", found, "--out", folder], check=True)
    now, was = rows_of(Path(folder) / "flow.md"), rows_of(SOURCE / "docs/results/flow.md")
    assert len(now) == 6 and now == was, ("run scripts/channel --flow", now, was)
    assert (Path(folder) / "flow.svg").read_text().count("<polyline") == 12
print("all tests passed")
