#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
"""The output of sim_scale equals the formulas of LogGP, and is reproducible."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(os.environ["MPX_BIN"]) / "sim_scale"


def rows(folder, *arguments):
    answer = Path(folder) / "answer.json"
    subprocess.run([PROGRAM, "--ranks", "2:64", "--json", answer, *arguments], check=True,
                   stdout=subprocess.DEVNULL)
    report = json.loads(answer.read_text())
    return report["network"]["far"], {(r["test"], r["bytes"], r["ranks"], r["node_size"]): r
                                      for r in report["rows"]}


def near(value, expected, what, slack=1.02):
    if not expected <= value <= expected * slack:
        sys.exit(f"{what}: {value}, expected {expected} to {expected * slack}")


def main():
    if not PROGRAM.exists():
        print("skipped: sim_scale is not built here")
        return
    with tempfile.TemporaryDirectory() as folder:
        for network in ("atlahs", "loggopsim"):
            far, found = rows(folder, "--network", network)
            hop_us = (2 * far["o_ns"] + far["L_ns"]) / 1e3
            for rounds in range(1, 7):
                n = 2 ** rounds
                near(found["barrier", 0, n, 1]["time_us"], rounds * hop_us, f"{network} barrier")
                near(found["barrier", 0, n, 1]["packets"], rounds * n, f"barrier {n}: packets", 1)
                # One after the other, or down a tree.
                at_once_us = hop_us + (n - 2) * max(far["o_ns"], far["g_ns"]) / 1e3
                if not hop_us <= found["bcast", 8, n, 1]["time_us"] <= 1.02 * at_once_us:
                    sys.exit(f"{network} bcast {n}: {found['bcast', 8, n, 1]['time_us']}")
                near(found["bcast", 8, n, 1]["packets"], n - 1, f"bcast {n}: packets", 1)
                near(found["allreduce", 8, n, 1]["packets"], rounds * n, f"allreduce {n}", 1)
            # Four sides leave one port one after the other.
            four_us = 4 * 65536 * far["G_ns"] / 1e3
            if found["halo", 65536, 64, 1]["time_us"] < four_us:
                sys.exit(f"{network} halo: faster than its port")
            if found["barrier", 0, 16, 16]["time_us"] * 10 > found["barrier", 0, 16, 1]["time_us"]:
                sys.exit("a node of 16 ranks is not near")
        again = rows(folder, "--network", network)[1]
        for key, r in found.items():
            for name in ("time_us", "packets", "copies", "events"):
                if again[key][name] != r[name]:
                    sys.exit(f"{key}: {name} differs from run to run")


if __name__ == "__main__":
    main()
