#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Of what `sim_scale --algorithms --json` wrote: which algorithm wins where, and how far the default
is from it. Exits with 1 where that is more than --most times."""

import argparse
import json
import sys
from pathlib import Path

SHORT = {"linear": "lin", "binomial": "bin", "knomial": "knom", "chain": "chain",
         "scatter_allgather": "scag", "ring": "ring", "recursive_doubling": "rdbl",
         "recursive_halving": "rhlv", "bruck": "bruck", "pairwise": "pair",
         "dissemination": "diss"}


def human(size):
    for unit, text in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {text}"
    return f"{size} B"


def table_of(rows):
    """(test, bytes, node size) -> {ranks: {algorithm: us}}"""
    table = {}
    for r in rows:
        at = table.setdefault((r["test"], r["bytes"], r["node_size"]), {})
        at.setdefault(r["ranks"], {})[r["algorithm"]] = r["time_us"]
    return table


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("json", type=Path)
    p.add_argument("--out", type=Path, help="write the chart there, as Markdown")
    p.add_argument("--most", type=float, default=float("inf"))
    args = p.parse_args()
    table = table_of(json.loads(args.json.read_text())["rows"])
    ranks = sorted({n for at in table.values() for n in at})
    lines = ["| collective | size | ranks a node | " + " | ".join(map(str, ranks)) + " |",
             "|---|---|---|" + "---|" * len(ranks)]
    worst = 0.0
    for (test, size, node_size), at in sorted(table.items()):
        cells = []
        for n in ranks:
            times = dict(at.get(n, {}))
            default = times.pop("automatic", None)
            if not times or default is None:
                cells.append("")
                continue
            best = min(times, key=times.get)
            ratio = default / times[best] if times[best] else 1
            worst = max(worst, ratio)
            cells.append(SHORT[best] + (f" ({ratio:.2f})" if ratio > 1.005 else ""))
            if ratio > args.most:
                print(f"{test} of {human(size)}, {n} ranks, {node_size} a node: the default takes "
                      f"{ratio:.2f} times as long as {best}")
        lines.append(f"| {test} | {human(size) if size else ''} | {node_size} | "
                     + " | ".join(cells) + " |")
    text = "\n".join(lines) + "\n"
    if args.out:
        args.out.write_text("Which algorithm wins; in brackets, where it is not the default: how "
                            "many times as long that takes.\n"
                            + ", ".join(f"{s}: {a}" for a, s in SHORT.items()) + ".\n\n" + text)
    else:
        print(text)
    print(f"at worst {worst:.2f} times the best")
    return worst > args.most


if __name__ == "__main__":
    sys.exit(main())
