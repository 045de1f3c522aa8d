#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""Between nodes and within them, the default is hardly slower than the best algorithm of each
collective, in the simulator. bench/algorithms.py would tell, and makes the table, and
bench/draw_algorithms.py draws it."""

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
        # One rank a node, all on one, and several on several; of long data, what is cheap to try.
        runs = (("--ranks", "2:16", "--node-size", "1", "--node-size", "16"),
                ("--ranks", "32", "--node-size", "16"),
                ("--ranks", "128", "--node-size", "64", "--bytes", "8", "--test", "bcast",
                 "--test", "reduce", "--test", "gather", "--test", "scatter"))
        rows = []
        for run in runs:
            subprocess.run([BIN / "sim_scale", "--algorithms", "--rounds", "1", "--json", measured,
                            *run], check=True, stdout=subprocess.DEVNULL)
            rows += json.loads(measured.read_text())["rows"]
        measured.write_text(json.dumps({"rows": rows}))
        said = judged(measured, MOST)
        if said.returncode != 0:
            sys.exit(said.stdout)
        table, chart = Path(folder) / "table.hpp", Path(folder) / "chart.svg"
        subprocess.run([sys.executable, SOURCE / "bench/algorithms.py", measured, "--policy",
                        table], check=True)
        subprocess.run([sys.executable, SOURCE / "bench/draw_algorithms.py", measured, "--out",
                        chart], check=True)
        if "algorithm::node_parts" not in table.read_text():
            sys.exit("no algorithm in two levels wins anywhere")
        if "<svg" not in chart.read_text() or "32 ranks: node_parts" not in chart.read_text():
            sys.exit("the chart lacks what it is to show")
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
