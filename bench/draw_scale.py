#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws what sim_scale --json wrote: virtual time over ranks, by gnuplot."""

import argparse
import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

COLOURS = {"barrier": 0x30638E, "bcast": 0x7FB069, "allreduce": 0xD1495B, "halo": 0xEDAE49}
KIB = 1 << 10
PANELS = (("short: barrier, 8 bytes, sides of 1 KiB", lambda size: size <= KIB),
          ("long: 64 KiB", lambda size: size > KIB))


def human(size):
    return f"{size // KIB} KiB" if size >= KIB else f"{size} B"


def curves(rows):
    """(test, bytes, node size) -> [(ranks, us)]"""
    found = {}
    for r in rows:
        key = (r["test"], r["bytes"], r["node_size"])
        found.setdefault(key, []).append((r["ranks"], r["time_us"]))
    return {key: sorted(points) for key, points in found.items()}


def label(keys):
    """One text for curves that lie on each other."""
    whats = [test if size == 0 else f"{test} {human(size)}" for test, size, _ in keys]
    node_size = keys[0][2]
    return ", ".join(whats) + ("" if node_size == 1 else f", {node_size} a node")


def merged(found):
    """[(keys, points)]: curves of one node size that lie on each other are one."""
    groups = []
    for key, points in sorted(found.items()):
        for keys, others in groups:
            if keys[0][2] == key[2] and len(others) == len(points) and all(
                    abs(y - z) <= 0.01 * z for (_, y), (_, z) in zip(points, others)):
                keys.append(key)
                break
        else:
            groups.append(([key], points))
    return groups


def spread(heights, gap):
    """The labels' heights, moved apart: each a factor of `gap` above the one below, at least."""
    placed, last = [0.0] * len(heights), 0.0
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        placed[i] = last = max(heights[i], last * gap)
    return placed


def panel(index, title, found, ranks):
    groups = merged(found)
    times = [y for _, points in groups for _, y in points]
    low, high = min(times) / 1.5, max(times) * 2
    last = max(*ranks, 2 * min(ranks))  # One number of ranks is no range.
    at = spread([points[-1][1] for _, points in groups], (high / low) ** 0.038)
    blocks, plots = [], []
    for i, (keys, points) in enumerate(groups):
        test, _, node_size = keys[0]
        colour = COLOURS.get(test, 0x666666)
        name = f"$p{index}c{i}"
        blocks.append("\n".join((f"{name} << END", *(f"{x} {y:.6g}" for x, y in points), "END")))
        plots.append(f"{name} with linespoints pt 7 ps 0.35 lc rgb {colour} lw 2 "
                     f"dt {1 if node_size == 1 else 2}")
        blocks.append(f'set label {i + 1} "{label(keys)}" at {last * 1.15:g},{at[i]:g} left '
                      f"font ',10' tc rgb {colour}")
    ticks = ", ".join(f'"{x}" {x}' for x in ranks if x.bit_length() % 2 == 1)
    return "\n".join((*blocks, f'set title "{title}"', f"set xtics ({ticks})",
                      f"set xrange [{min(ranks)}:{last}]", f"set yrange [{low:g}:{high:g}]",
                      "plot " + ", ".join(plots), "unset label", ""))


def terms(link):
    return f"L {link['L_ns']} ns, o {link['o_ns']} ns, g {link['g_ns']} ns, G {link['G_ns']} ns/B"


def script(report):
    found = curves(report["rows"])
    ranks = sorted({r["ranks"] for r in report["rows"]})
    network = report["network"]
    caption = [
        "Simulated, not measured: the engine of mpx in virtual time under LogGP. Between nodes: "
        + terms(network["far"]) + ".",
        *textwrap.wrap("Source: " + network["source"] + ".", 185),
        "Dashed: the ranks of a node talk as mpx does over shared memory: "
        + terms(network["near"]) + "."]
    labels = [f'set label {100 + i} "{line}" at screen 0.03,{0.115 - 0.033 * i} left '
              "noenhanced font ',10' tc rgb 0x555555" for i, line in enumerate(caption)]
    panels = [panel(i, title, {k: v for k, v in found.items() if belongs(k[1])}, ranks)
              for i, (title, belongs) in enumerate(PANELS)
              if any(belongs(size) for _, size, _ in found)]
    return "\n".join((
        *labels, "set multiplot layout 1,2 margins 0.06,0.85,0.24,0.92 spacing 0.2,0.1",
        "set logscale xy", "set grid xtics ytics lt 1 lw 1 lc rgb '#e4e4e4'", "set border 3",
        "set tics nomirror", "unset key", 'set xlabel "ranks"', 'set ylabel "us of virtual time"',
        *panels, "unset multiplot", ""))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("json", type=Path, help="what sim_scale --json wrote")
    p.add_argument("svg", type=Path, help="where the chart goes")
    p.add_argument("--png", type=Path, metavar="FILE", help="the same as a PNG")
    args = p.parse_args()
    if shutil.which("gnuplot") is None:
        sys.exit("draw_scale: gnuplot is not installed (package gnuplot-nox)")
    commands = script(json.loads(args.json.read_text()))
    outputs = [(args.svg, "svg size 1280,600 dynamic font 'sans,13' background rgb 'white'")]
    if args.png:
        outputs.append((args.png, "pngcairo size 1280,600 font 'sans,11' background rgb 'white'"))
    for path, terminal in outputs:
        head = f"set terminal {terminal}; set output '{path}'\n"
        done = subprocess.run(["gnuplot"], input=head + commands, text=True, capture_output=True)
        if done.returncode != 0 or done.stderr.strip():
            sys.exit(f"draw_scale: gnuplot: {done.stderr.strip()}")
        print(path)


if __name__ == "__main__":
    main()
