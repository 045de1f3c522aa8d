#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
# timeout: 120
"""Between nodes and within them, the default is hardly slower than the best algorithm of each
collective, in the simulator: by what is measured here, which is cheap to try, and by all that
docs/results/algorithms.csv has, to 4,096 ranks, of which some is measured again. bench/algorithms.py
would tell, and makes the table, and bench/draw_algorithms.py draws it."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])
MOST = 1.15


def judged(measured, most):
    return subprocess.run([sys.executable, SOURCE / "bench/algorithms.py", measured, "--most",
                           str(most)], capture_output=True, text=True)


def read(path):
    with path.open(newline="") as file:
        return {(r["test"], r["bytes"], r["ranks"], r["node_size"], r["algorithm"]):
                float(r["time_us"]) for r in csv.DictReader(file)}


def stored(folder):
    """The recorded measurements belong to the default policy, are still true, and cover all job sizes."""
    table = Path(folder) / "algorithms.csv"
    shutil.copy(SOURCE / "docs/results/algorithms.csv", table)
    was = read(table)
    subprocess.run([BIN / "sim_scale", "--defaults", table], check=True)
    now = read(table)
    if was != now:
        sys.exit("docs/results/algorithms.csv: sim_scale --defaults makes other rows of it")
    said = judged(table, MOST)
    if said.returncode != 0:
        sys.exit(said.stdout)
    for test in {key[0] for key in now} - {"alltoall"}:
        for node in "1", "16", "64":
            if not any(k[0] == test and k[2] == "4096" and k[3] == node for k in now):
                sys.exit(f"{test}: nothing of 4,096 ranks, {node} a node")
    again = Path(folder) / "again.json"
    compared = set()
    for how in (("--algorithms", "--node-size", "16", "--bytes", "8", "--test", "allreduce", "--test",
                 "gather"), ("--test", "barrier", "--test", "bcast", "--test", "allreduce")):
        subprocess.run([BIN / "sim_scale", "--rounds", "1", "--json", again, "--ranks", "256", *how],
                       check=True, stdout=subprocess.DEVNULL)
        for r in json.loads(again.read_text())["rows"]:
            key = (r["test"], str(r["bytes"]), str(r["ranks"]), str(r["node_size"]), r["algorithm"])
            if key in now and not r["first"]:
                compared.add(key)
                if abs(now[key] / r["time_us"] - 1) > 0.02:
                    sys.exit(f"{key}: {now[key]} us are said, {r['time_us']} are measured")
    # Without --algorithms it is the default itself that chooses.
    if ("bcast", "65536", "256", "16", "automatic") not in compared or len(compared) < 15:
        sys.exit(f"only {len(compared)} rows could be compared")


def main():
    if not (BIN / "sim_scale").exists():
        print("skipped: sim_scale is not built here")
        return
    with tempfile.TemporaryDirectory() as folder:
        stored(folder)
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
