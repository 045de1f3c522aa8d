#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
"""Between nodes, the default is hardly slower than the best algorithm of each collective, in the
simulator; and bench/algorithms.py would tell."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])
MOST = 1.15


def judged(measured, most):
    return subprocess.run([sys.executable, SOURCE / "bench/algorithms.py", measured, "--most",
                           str(most)], capture_output=True, text=True)


def main():
    if not (BIN / "sim_scale").exists():
        print("skipped: sim_scale is not built here")
        return
    with tempfile.TemporaryDirectory() as folder:
        measured = Path(folder) / "measured.json"
        subprocess.run([BIN / "sim_scale", "--algorithms", "--ranks", "2:16", "--node-size", "1",
                        "--rounds", "1", "--json", measured], check=True,
                       stdout=subprocess.DEVNULL)
        said = judged(measured, MOST)
        if said.returncode != 0:
            sys.exit(said.stdout)
        report = json.loads(measured.read_text())
        for r in report["rows"]:
            if r["algorithm"] == "automatic":
                r["time_us"] *= 1.2
        measured.write_text(json.dumps(report))
        said = judged(measured, MOST)
        if said.returncode == 0 or "the default takes 1.2" not in said.stdout:
            sys.exit(f"a default that is slower was not noticed: {said.stdout}")


if __name__ == "__main__":
    main()
