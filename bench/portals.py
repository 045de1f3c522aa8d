#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Measures the policies of Puma in a stack beside the others, by portal_stacks on two ranks and by
scripts/count: the matcher portals, and the path eager of long messages. Measures a put to a portal
beside a put to a window and a send, by mpx_bench. Writes the least time, or the greatest rate, of
several runs as docs/results/portals.csv, and tables of it as portals.md."""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MATCHERS = ("hashed", "list", "portals")
PATHS = ("automatic", "get", "put", "packets", "eager")
KIB, MIB = 1 << 10, 1 << 20
PUTS = {
    "endpoint": "send",
    "window_put": "put to a window, by packets",
    "window_put_portals": "put to a window, by portals",
    "portal_put": "put to a portal",
    "portal_put_acknowledged": "put, acknowledged",
}
WORDS = {"posted": "the receive is posted before", "unexpected": "the receive begins when the header has come"}


def best_of_runs(build, runs):
    """{(test, policy, parameter): value}"""
    best = {}
    for _ in range(runs):
        done = subprocess.run([build / "bin/mpxrun", "-n", "2", "--bind-to", "core", build / "bin/portal_stacks"],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            sys.exit(f"portals: portal_stacks failed:\n{done.stderr}")
        for test, policy, of, value in csv.reader(done.stdout.splitlines()):
            key = (test, policy, int(of))
            better = max if test == "rate" else min
            best[key] = better(best.get(key, float(value)), float(value))
    return best


def instructions():
    """{matcher: {figure: instructions}}"""
    with tempfile.TemporaryDirectory(prefix="mpx-portals-") as scratch:
        figures = {}
        for m in MATCHERS:
            file = Path(scratch) / m
            subprocess.run([ROOT / "scripts/count", "--matcher", m, "--json", file], check=True, timeout=900,
                           stdout=subprocess.DEVNULL)
            figures[m] = json.loads(file.read_text())
    return figures


def puts(build):
    """{(benchmark, bytes): nanoseconds}"""
    command = [build / "bin/mpx_bench", f"--benchmark_filter=^({'|'.join(PUTS)})/", "--benchmark_format=json",
               "--benchmark_repetitions=5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    best = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            name, size = run["name"].split("/")[:2]
            best[name, int(size)] = min(best.get((name, int(size)), run["cpu_time"]), run["cpu_time"])
    return best


def human(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def figure(v):
    return f"{v:.2f}" if v < 10 else f"{v:.1f}" if v < 100 else f"{v:,.0f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


def matcher_rows(best, counts):
    def row(title, values, ratio):
        return [title, *(figure(values[m]) for m in MATCHERS), f"{ratio:.2f}"]

    def timed(title, test, of):
        v = {m: best[test, m, of] for m in MATCHERS}
        return row(title, v, v["hashed"] / v["portals"] if test == "rate" else v["portals"] / v["hashed"])

    yield timed("latency, us", "latency", 8)
    yield timed("rate, million/s", "rate", 8)
    names = {"irecv_matched_8": "instructions: of 64 posted receives and their wait_all, each",
             "irecv_wait_8": "instructions: a posted receive and its wait",
             "recv_unexpected_8": "instructions: an unexpected message and its receive",
             "recv_unexpected_64": "instructions: 64 unexpected messages, the last received first, each"}
    for name, title in names.items():
        v = {m: counts[m][name] for m in MATCHERS}
        yield row(title, v, v["portals"] / v["hashed"])
    for depth in sorted(of for test, m, of in best if test == "depth" and m == "hashed"):
        yield timed(f"latency, us, behind other receives: {depth:,}", "depth", depth)


def put_rows(times):
    for size in sorted(of for name, of in times if name == "portal_put"):
        near = {name: min((of for n, of in times if n == name), key=lambda of: abs(of - size)) for name in PUTS}
        yield [f"{size:,} B", *(figure(times[name, near[name]]) for name in PUTS)]


def page(best, counts, times, machine):
    text = f"""# The matcher and the long path of Puma, measured

Two ranks over shared memory on two cores of {machine}; 8 bytes where no size is said. Of several runs the least
time or the greatest rate. `bench/portals.py` makes this page and [portals.csv](portals.csv);
[portals](../portals.md) describes the policies.

## Matchers

The last column is the cost of `portals` divided by that of `hashed`.

{table(("", *MATCHERS, "ratio"), matcher_rows(best, counts))}"""
    text += "\n## Paths of long messages\n"
    for test, words in WORDS.items():
        sizes = sorted(of for t, p, of in best if t == test and p == "eager")
        rows = [[human(s), *(figure(best[test, p, s]) for p in PATHS)] for s in sizes]
        text += f"\nOne way, us; {words}:\n\n{table(('', *PATHS), rows)}"
    return text + f"""
## A put beside a send

A rank to itself over inproc, ns for each operation, both sides of it: the cost of the software alone. The sends are of
16,384 bytes where the puts are of 16,000.

{table(("", *PUTS.values()), put_rows(times))}"""


def machine_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return "an " + line.split(":", 1)[1].strip() if ":" in line else "this machine"
    return "this machine"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--build", type=Path, default=ROOT / "build/release", help="a build folder with bin/portal_stacks")
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--machine", default=machine_name(), help="its name in the text")
    p.add_argument("--out", type=Path, default=ROOT / "docs/results", help="the folder of the page")
    a = p.parse_args()
    best, counts, times = best_of_runs(a.build, a.runs), instructions(), puts(a.build)
    with (a.out / "portals.csv").open("w", newline="") as f:
        rows = csv.writer(f, lineterminator="\n")
        rows.writerow(("test", "policy", "of", "value"))
        rows.writerows((*key, value) for key, value in best.items())
        rows.writerows(("instructions", m, name, n) for m, of in counts.items() for name, n in of.items())
        rows.writerows(("put", *key, value) for key, value in times.items())
    (a.out / "portals.md").write_text(page(best, counts, times, a.machine))


if __name__ == "__main__":
    main()
