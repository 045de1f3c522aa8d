#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws, as SVG, what `sim_scale --algorithms --json` wrote: which algorithm wins where."""

import argparse
from pathlib import Path

from algorithms import human, rows_of, table_of

COLOURS = {"linear": "#EDAE49", "binomial": "#30638E", "knomial": "#003D5B", "chain": "#A37B4E",
           "scatter_allgather": "#7FB069", "ring": "#D1495B", "recursive_doubling": "#8E7DBE",
           "recursive_halving": "#5C4D7D", "bruck": "#00798C", "pairwise": "#B5838D",
           "dissemination": "#6C757D", "leaders": "#F28482", "node_parts": "#84A59D", "long_short": "#B56576",
           "short_long": "#355070"}
CELL, LEFT, TOP, GAP, TEXT = 22, 170, 62, 26, 12


def fastest(times):
    times = {a: t for a, t in times.items() if a != "automatic"}
    return min(times, key=times.get) if times else None


def drawn(rows):
    table = table_of(rows)
    kinds = sorted({(test, size) for test, size, _ in table})
    node_sizes = sorted({node for _, _, node in table})
    ranks = sorted({n for at in table.values() for n in at})
    block = CELL * len(ranks)
    width = LEFT + len(node_sizes) * (block + GAP)
    height = TOP + CELL * len(kinds) + 76
    used = set()
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'font-family="sans-serif" font-size="{TEXT}">',
           '<rect width="100%" height="100%" fill="white"/>']

    def text(x, y, what, more=""):
        out.append(f'<text x="{x}" y="{y}" {more}>{what}</text>')

    for b, node in enumerate(node_sizes):
        left = LEFT + b * (block + GAP)
        text(left, 18, "one rank a node" if node == 1 else f"{node} ranks a node",
             'font-weight="bold"')
        for c, n in enumerate(ranks):
            x = left + c * CELL + CELL / 2 + 4
            text(x, TOP - 6, n, f'font-size="10" transform="rotate(-60 {x} {TOP - 6})"')
        for r, (test, size) in enumerate(kinds):
            for c, n in enumerate(ranks):
                times = table.get((test, size, node), {}).get(n, {})
                by = fastest(times)
                if by is None:
                    continue
                used.add(by)
                best, default = times[by], times.get("automatic", times[by])
                out.append(f'<rect x="{left + c * CELL}" y="{TOP + r * CELL}" width="{CELL - 1}" '
                           f'height="{CELL - 1}" fill="{COLOURS[by]}"><title>{test} '
                           f'{human(size) if size else ""} of {n} ranks: {by}, {best:.1f} us; '
                           f'the default {default:.1f} us</title></rect>')
    for r, (test, size) in enumerate(kinds):
        text(LEFT - 8, TOP + r * CELL + 15, f"{test} {human(size) if size else ''}",
             'text-anchor="end"')
    x, y = LEFT, TOP + CELL * len(kinds) + 24
    for name, colour in COLOURS.items():
        if name not in used:
            continue
        if x + 24 + 8 * len(name) > width:
            x, y = LEFT, y + 22
        out.append(f'<rect x="{x}" y="{y - 11}" width="14" height="14" fill="{colour}"/>')
        text(x + 19, y, name)
        x += 34 + 7.4 * len(name)
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("measured", type=Path, nargs="+", help="JSON, or CSV of algorithms.py --csv")
    p.add_argument("--out", type=Path, required=True)
    args = p.parse_args()
    args.out.write_text(drawn(rows_of(args.measured)))


if __name__ == "__main__":
    main()
