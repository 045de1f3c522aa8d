#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the table of docs/SIMULATION.md that says how mpx scales with what sim_scale prints.

Up to 256 ranks, which takes seconds; with --all all columns. --update writes the table anew (all of
it). Virtual times and packets are the same on every machine.

usage: check_scale.py [--all | --update] SIM_SCALE
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/SIMULATION.md"
TESTS = {  # of a row: its name, and what sim_scale calls it
    "barrier": ("barrier", 0), "bcast 8 B": ("bcast", 8), "bcast 64 KiB": ("bcast", 65536),
    "allreduce 8 B": ("allreduce", 8), "allreduce 64 KiB of doubles": ("allreduce", 65536),
    "halo, 1 KiB a side": ("halo", 1024), "halo, 64 KiB a side": ("halo", 65536),
}
TIMES = [(2, 1), (16, 1), (256, 1), (1024, 1), (4096, 1), (16, 16), (256, 16), (4096, 16)]
TABLE = re.compile(r"^\| \| 2 \| 16 \|.*\n\|[-|]+\n((?:\|.*\n)+)", re.M)


def measured(program: str, ranks_max: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        subprocess.run([program, "--ranks", f"2:{ranks_max}", "--json", answer], check=True,
                       stdout=subprocess.DEVNULL, timeout=600)
        return {(r["test"], r["bytes"], r["ranks"], r["node_size"]): r
                for r in json.loads(answer.read_text())["rows"]}


def digits(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 1 else 2


def written(value: float) -> str:
    return f"{value + 1e-9:,.{digits(value)}f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("program")
    a = parser.parse_args()
    ranks_max = 4096 if a.all or a.update else 256
    rows = measured(a.program, ranks_max)

    def cells(name: str) -> list:
        test = TESTS[name]
        values = [rows.get((*test, n, node)) for n, node in TIMES]
        texts = [written(row["time_us"]) if row else None for row in values]
        last = rows.get((*test, 4096, 1))
        return texts + [f"{last[what]:,.0f}" if last and last[what] else None if not last else ""
                        for what in ("packets", "copies")]

    text = DOCUMENT.read_text(encoding="utf-8")
    table = TABLE.search(text)
    lines = table[1].splitlines()
    problems, compared, wanted = [], 0, []
    for line in lines:
        name, *said = [cell.strip() for cell in line.strip("|").split("|")]
        now = cells(name)
        wanted.append("| " + " | ".join([name, *("" if c is None else c for c in now)]) + " |")
        for there, here in zip(said, now):
            compared += here is not None
            if here is not None and here != there:
                problems.append(f"{DOCUMENT.name}: {name}: {there} is said, {here} is measured")
    if {line.strip("|").split("|")[0].strip() for line in lines} != TESTS.keys():
        problems.append("the table does not have the rows that it should")
    if a.update:
        fresh = "".join(re.sub(r"\|  (?=\|)", "| ", line) + "\n" for line in wanted)
        DOCUMENT.write_text(text[:table.start(1)] + fresh + text[table.end(1):], encoding="utf-8")
    print("\n".join(problems))
    print(f"{compared} figures compared, {len(problems)} differ")
    return 0 if a.update or (compared and not problems) else 1


if __name__ == "__main__":
    sys.exit(main())
