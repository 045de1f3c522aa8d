#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Measures transport rdma over cards in software, in turn with shared memory and the bare card:
ping-pong, broadcasts, and what it takes to register memory against copying it. Writes the figures,
a chart (gnuplot) and tables for docs/rdma.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

KIB, MIB = 1 << 10, 1 << 20
ROOT = Path(__file__).resolve().parent.parent
COLOURS = {"shm": 0x7FB069, "rdma": 0xD1495B, "card": 0x30638E, "copy": 0x9E9E9E,
           "libfabric": 0xEDAE49}
BEGIN, END = "<!-- figures of scripts/cards -->\n", "<!-- end of figures -->\n"
LONG = ("--size", f"{4 * KIB}:{4 * MIB}", "--samples", "5")
SHORT = ("--size", f"8:{MIB}", "--samples", "6")
OFTEN, FEW = ("--iters", "300"), ("--iters", "20")
# Row -> test and arguments of mpx-perf.
ROWS = {
    "pingpong": {"shm": ("latency", *OFTEN), "rdma": ("latency", "--stack", "rdma", *OFTEN),
                 "card": ("nic_latency", *OFTEN)},
    "bcast": {"shm": ("coll_bcast", "--seconds", "0.02"),
              "rdma": ("coll_bcast", "--stack", "rdma", "--seconds", "0.02")},
    "register": {"copy": ("nic_copy", *FEW), "rdma": ("nic_register", *FEW),
                 "libfabric": ("nic_register", "--stack", "libfabric", *FEW)},
}
WORDS = {
    "pingpong": {"shm": "shm", "rdma": "rdma over nic::via", "card": "the bare card"},
    "bcast": {"shm": "shm", "rdma": "rdma over nic::via"},
    "register": {"copy": "copy it", "rdma": "register with nic::via",
                 "libfabric": "register with nic::libfabric"},
}
TITLES = {"pingpong": "PingPong, one way", "bcast": "Bcast, 2 ranks",
          "register": "memory: to register and deregister it, or to copy it"}


def human(size):
    if size >= KIB:
        return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"
    return f"{size} B"


def figure(us):
    return f"{us:.3f}" if us < 10 else f"{us:.1f}" if us < 100 else f"{us:.0f}"


def run(build, arguments, provider):
    """{bytes: the least us}; None and why if this cannot be had."""
    environment = dict(os.environ, MPX_FABRIC_PROVIDER=provider)
    done = subprocess.run([build / "bin/mpxrun", "-n", "2", build / "bin/mpx-perf", *arguments,
                           "--format", "csv", "--pin"], capture_output=True, text=True,
                          timeout=120, env=environment)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1:]
    best = {}
    for line in done.stdout.splitlines()[1:]:
        size, value = int(line.split(",")[1]), float(line.split(",")[4])
        best[size] = min(best.get(size, value), value)
    return best, None


def measure(build, rounds, provider):
    """{row: {contender: {bytes: us}}}"""
    rows = {}
    for _ in range(rounds):
        for row, contenders in ROWS.items():
            for name, test in contenders.items():
                size = LONG if row == "register" else SHORT
                got, why = run(build, (*test, *size), provider)
                if got is None:
                    print(f"cards: {row}, {name}: {why}", file=sys.stderr)
                    continue
                kept = rows.setdefault(row, {}).setdefault(name, {})
                for bytes_, us in got.items():
                    kept[bytes_] = min(kept.get(bytes_, us), us)
    return rows


def table(row, found):
    names = [n for n in ROWS[row] if n in found]
    sizes = sorted({s for n in names for s in found[n]})
    chosen = [s for s in sizes if all(s in found[n] for n in names)]
    chosen = chosen[::2] if len(chosen) > 10 else chosen
    ratio = row == "pingpong" and "rdma" in found and "card" in found
    head = ["bytes", *(f"{WORDS[row][n]}, us" for n in names)]
    head += ["rdma / the card"] if ratio else []
    lines = [f"{TITLES[row]}:", "", "| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    for s in chosen:
        cells = [human(s), *(figure(found[n][s]) for n in names)]
        if ratio:
            cells.append(f"{found['rdma'][s] / found['card'][s]:.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def chart(rows, path):
    blocks, panels = [], []
    for row, found in rows.items():
        plots = []
        for name, points in found.items():
            data = f"${row}_{name}"
            values = [f"{s} {us:.6g}" for s, us in sorted(points.items())]
            blocks.append("\n".join((f"{data} << END", *values, "END")))
            plots.append(f"{data} with linespoints pt 7 ps 0.3 lw 2 lc rgb {COLOURS[name]} "
                         f'title "{WORDS[row][name]}"')
        panels.append(f'set title "{TITLES[row]}"\nplot ' + ", ".join(plots))
    commands = "\n".join((
        "set terminal svg size 1280,440 dynamic font 'sans,12' background rgb 'white'",
        f"set output '{path}'", *blocks, "set multiplot layout 1,3", "set logscale x 2",
        "set logscale y", "set grid lt 1 lw 1 lc rgb '#e4e4e4'", "set border 3",
        "set tics nomirror", "set key top left", 'set xlabel "bytes"', 'set ylabel "us"',
        "set format x '2^{%L}'", *panels, "unset multiplot", ""))
    done = subprocess.run(["gnuplot"], input=commands, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"cards: gnuplot: {done.stderr.strip()}")
    print(path)


def write_tables(rows, document, machine):
    text = document.read_text()
    first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
    tables = [table(r, f) for r, f in rows.items()]
    made = "\n".join((f"Least of all samples on {machine}.\n", *tables))
    document.write_text(text[:first] + made + text[last:])


def machine_words():
    model = "a machine"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = " ".join(line.partition(":")[2].split())
            break
    return f"{model}, {len(os.sched_getaffinity(0))} virtual cores"


def main():
    p = argparse.ArgumentParser(prog="cards", description=__doc__.split("\n")[0])
    p.add_argument("--build", type=Path, default=ROOT / "build/release", metavar="DIR")
    p.add_argument("--rounds", type=int, default=5, metavar="N", help="all in turn, so often")
    p.add_argument("--provider", default="tcp;ofi_rxm", help="of libfabric")
    p.add_argument("--json", type=Path, default=ROOT / "results/cards.json", metavar="FILE")
    p.add_argument("--draw", action="store_true", help="measure nothing: draw what --json has")
    p.add_argument("--document", type=Path, metavar="FILE", help="put the tables there")
    p.add_argument("--svg", type=Path, default=ROOT / "results/cards.svg", metavar="FILE")
    args = p.parse_args()
    if shutil.which("gnuplot") is None:
        sys.exit("cards: gnuplot is not installed (package gnuplot-nox)")
    args.json.parent.mkdir(parents=True, exist_ok=True)
    if args.draw:
        report = json.loads(args.json.read_text())
        rows = {r: {n: {int(s): us for s, us in p.items()} for n, p in f.items()}
                for r, f in report["rows"].items()}
    else:
        rows = measure(args.build, args.rounds, args.provider)
        report = {"machine": machine_words(), "provider": args.provider, "rows": rows}
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    for row, found in rows.items():
        print(table(row, found))
    chart(rows, args.svg)
    if args.document:
        write_tables(rows, args.document, report["machine"])


if __name__ == "__main__":
    main()
