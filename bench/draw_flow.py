#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tables and plots of what scripts/channel measured: messages that leave eagerly (sim_flow --json), and channel
devices beside what they use (raw_devices --json, and over_mpi/traffic measure)."""

import argparse
import json
import math
import re
from pathlib import Path

COLOURS = {"credits": "#30638e", "zeno<1>": "#7fb069", "zeno<4>": "#d1495b", "zeno<16>": "#edae49",
           "raw": "#8a8a8a", "mpx": "#d1495b"}
WIDTH, HEIGHT, LEFT, TOP = 300, 190, 56, 52
PITCH = 390


def svg(panels, width):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT + TOP + 60}" '
            f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
            + "\n".join(panels) + "\n</svg>\n")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def panel(at, title, names, ys, curves):
    """A panel of curves: names of the points along x, (label, height of 0 to 1) along y, and
    {name: heights}. Names stand at the ends of the curves, moved apart."""
    x0, step = LEFT + at, (WIDTH - 40) / max(1, len(names) - 1)
    out = [f'<text x="{x0}" y="{TOP - 24}" font-size="14" font-weight="bold">{escaped(title)}</text>']
    for text, height in ys:
        y = TOP + HEIGHT * (1 - height)
        out.append(f'<line x1="{x0}" x2="{x0 + WIDTH - 40}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{escaped(text)}</text>')
    for i, text in enumerate(names):
        out.append(f'<text x="{x0 + i * step:.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{text}</text>')
    ends = sorted(((TOP + HEIGHT * (1 - points[-1]), name) for name, points in curves.items()), reverse=True)
    last = TOP + HEIGHT + 14.0
    for y, name in ends:
        last = min(y, last - 14)
        out.append(f'<text x="{x0 + WIDTH - 34}" y="{last + 4:.1f}" fill="{COLOURS[name]}">{escaped(name)}</text>')
    for name, points in curves.items():
        line = " ".join(f"{x0 + i * step:.1f},{TOP + HEIGHT * (1 - p):.1f}" for i, p in enumerate(points))
        out.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
    return "\n".join(out)


def flow(rows, folder):
    """docs/results/flow.md and flow.svg."""
    eager = {(r["pattern"], r["ranks"], r["flow"]): r["eager"] / (r["eager"] + r["announced"]) for r in rows}
    us = {(r["pattern"], r["ranks"], r["flow"]): r["time_us"] for r in rows}
    more = {(r["pattern"], r["ranks"], r["flow"]): r["packets"] / (r["eager"] + r["announced"]) for r in rows}
    patterns = list(dict.fromkeys(r["pattern"] for r in rows))
    ranks = sorted({r["ranks"] for r in rows})
    flows = list(dict.fromkeys(r["flow"] for r in rows))
    text = f"""# Equal and unequal shares of the unexpected memory

In the simulator: 4 MiB of unexpected memory for each rank, messages of 4,000 bytes, a network of 200 Gbit/s, receivers that compute for
0.5 ms before they receive. The figures are counted, and the same on every machine:

    sim_flow --json flow.json
    bench/draw_flow.py --flow flow.json --out docs/results

![Messages that leave eagerly, by pattern, ranks and flow control](flow.svg)

- stencil: 20 rounds, in which each rank sends 16 messages to each of four neighbours;
- alltoall: two rounds, in which each rank sends one message to each other;
- master/worker: rank 0 gives tasks to three workers at a time, each of which answers with 64 messages, and has eight tasks in a row.

Each cell: messages that left eagerly, packets a message, milliseconds of virtual time.

| pattern | ranks | {" | ".join(f"`{f}`" for f in flows)} |
|---|---|{"---|" * len(flows)}
"""
    for p in patterns:
        for n in ranks:
            cells = [f"{100 * eager[p, n, f]:.1f} %, {more[p, n, f]:.2f}, {us[p, n, f] / 1000:.1f}" for f in flows]
            text += f"| {p} | {n:,} | {' | '.join(cells)} |\n"
    text += """
Equal shares are best while the share of a rank holds what it sends ahead: everywhere with 16 ranks, and if all send to all. `zeno` announces
the first messages of each active sender, until the receiver has told it of its place. From 64 ranks on, few active senders have too
little of equal shares. A `K` above the number of senders that are active at a time gives each of them less. A peer's minimum is a quarter of
an equal share: with 256 ranks 4 KiB, too little for a message of 4,000 bytes with its record.
"""
    (folder / "flow.md").write_text(text)
    panels = [panel(i * PITCH, p, [f"{n:,}" for n in ranks],
                    [(f"{y} %", y / 100) for y in (0, 25, 50, 75, 100)],
                    {f: [eager[p, n, f] for n in ranks] for f in flows}) for i, p in enumerate(patterns)]
    panels.append(f'<text x="{LEFT}" y="{TOP + HEIGHT + 44}">ranks; share of the messages that leave eagerly, '
                  f'4 MiB of unexpected memory for each rank</text>')
    (folder / "flow.svg").write_text(svg(panels, LEFT + len(patterns) * PITCH))


def human(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1024 else f"{size} B"


def of_mpi(name, file):
    """Rows of what over_mpi/traffic measure printed."""
    found = re.findall(r"(\d+) bytes: MPI +([\d.]+) us, mpx over it +([\d.]+) us", Path(file).read_text())
    return [{"device": f"mpi ({name})", "bytes": int(b), "raw_us": float(r), "us": float(u)} for b, r, u in found]


def devices(rows, folder, machine):
    """docs/results/devices.md and devices.svg."""
    text = f"""# Channel devices beside what they use

{machine}

Microseconds one way between two ranks, the best of many short batches; `scripts/channel` measures it again. Raw is a pipe or Unix socket
that is polled, or MPI_Send and MPI_Recv.

![Time of mpx over a device, by that of the pipe, socket or MPI alone](devices.svg)

| device | size | raw | mpx | times |
|---|---|---|---|---|
"""
    for r in rows:
        raw = f"{r['raw_us']:.2f} | {r['us']:.2f} | {r['us'] / r['raw_us']:.2f}" if r["raw_us"] else f"- | {r['us']:.2f} | -"
        text += f"| {r['device']} | {human(r['bytes'])} | {raw} |\n"
    text += """
Over MPI a short message is one MPI_Isend, one MPI_Irecv, one MPI_Get_count and two MPI_Test or more; the receiver calls MPI_Irecv after
it has handed the message over. A long one is announced, asked for piece by piece, and answered, by short messages; its data goes from
memory to memory without copies. So 16 KiB, which MPI sends nearly as fast as these short messages, takes longest beside MPI.
"""
    (folder / "devices.md").write_text(text)
    named = list(dict.fromkeys(r["device"] for r in rows if r["raw_us"]))
    panels = []
    for i, d in enumerate(named):
        those = [r for r in rows if r["device"] == d]
        most = 2 * math.ceil(max(4.0, *(r["us"] / r["raw_us"] for r in those)) / 2)
        panels.append(panel(i * PITCH, d, [human(r["bytes"]) for r in those],
                            [(f"{y:g}", y / most) for y in (0, 1, most / 2, most)],
                            {"raw": [1 / most] * len(those), "mpx": [r["us"] / r["raw_us"] / most for r in those]}))
    (folder / "devices.svg").write_text(svg(panels, LEFT + len(named) * PITCH))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flow", help="what sim_flow --json wrote")
    parser.add_argument("--devices", help="what raw_devices --json wrote")
    parser.add_argument("--mpi", action="append", default=[], metavar="NAME=FILE", help="what over_mpi/traffic measure printed")
    parser.add_argument("--machine", default="", help="a sentence about the machine of the devices")
    parser.add_argument("--out", required=True, type=Path, help="folder of the results")
    a = parser.parse_args()
    if a.flow:
        flow(json.loads(Path(a.flow).read_text()), a.out)
    if a.devices:
        rows = json.loads(Path(a.devices).read_text())
        for named in a.mpi:
            rows += of_mpi(*named.split("=", 1))
        devices(rows, a.out, a.machine)


main()
