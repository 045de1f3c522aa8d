#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
"""The table of large starts in docs/cluster.md equals the output of sim_start, at its small end; reading grows
with the job and nothing grows with pairs."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(os.environ["MPX_BIN"]) / "sim_start"
DOCUMENT = Path(os.environ["MPX_SOURCE"]) / "docs/cluster.md"


def main():
    if not PROGRAM.exists():
        print("skipped: sim_start is not built here")
        return
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        told = subprocess.run([PROGRAM, "--ranks", "1000", "--ranks", "2000", "--json", answer],
                              check=True, text=True, capture_output=True, timeout=500).stdout
        report = json.loads(answer.read_text())
    print(told)
    document = DOCUMENT.read_text()
    text = " ".join(document.split())
    rows = [line for line in told.splitlines() if line.startswith("| 1000 |")]
    if len(rows) != 3:
        sys.exit("sim_start has not simulated three launchers")
    for row in rows:
        if row not in document:
            sys.exit(f"docs/cluster.md has another row, or none, than\n{row}")
    claim = (f"publishes {report['values']} values", f"in {report['fences']} fences",
             f"reads {report['reads_each']} of each rank")
    for words in claim:
        if words not in text:
            sys.exit(f"docs/cluster.md does not say that a rank {words}")
    by = {(r["ranks"], r["launcher"]): r for r in report["rows"]}
    for (ranks, launcher), r in by.items():
        if r["reads"] > (report["reads_each"] + 1) * ranks or r["reading_s"] > r["total_s"] * 1.01:
            sys.exit(f"{launcher}, {ranks} ranks: {r}")


if __name__ == "__main__":
    main()
