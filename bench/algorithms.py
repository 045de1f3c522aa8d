#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Of what `sim_scale --algorithms --json` wrote: which algorithm wins where, and how far the
default is from it. Exits with 1 where that is more than --most times. --policy writes the table that the
default looks its algorithms up in (see include/mpx/engine/collective_table.hpp); --csv all rows together,
short, which this reads as well."""

import argparse
import csv
import json
import math
import sys
from pathlib import Path

SHORT = {"linear": "lin", "binomial": "bin", "knomial": "knom", "chain": "chain",
         "scatter_allgather": "scag", "ring": "ring", "recursive_doubling": "rdbl",
         "recursive_halving": "rhlv", "bruck": "bruck", "pairwise": "pair",
         "dissemination": "diss", "leaders": "lead", "node_parts": "part"}

# Of what is as good, the first: what more calls have, which need not commute, nor be of a power of two.
PREFERRED = ("linear", "binomial", "knomial", "bruck", "dissemination", "pairwise", "leaders",
             "chain", "scatter_allgather", "node_parts", "ring", "recursive_doubling",
             "recursive_halving")

# What is that much slower than the best is as good, for the sake of a short table.
SLACK = 1.08
KINDS = ("far", "near", "few", "many")

TABLE = """\
// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which algorithm was fastest in the simulator, or nearly so: by bench/algorithms.py --policy.

#include <cstddef>

#include "mpx/engine/collective_question.hpp"

namespace mpx::inline v0::coll {{

/// How the ranks of a call are spread over nodes.
enum class spread : std::uint8_t {{
  far,   // Each has its own;
  near,  // all are on one;
  few,   // some are on each;
  many,  // many are.
}};

/// The choice for calls of up to so many ranks and bytes, where no entry before it is.
struct table_entry {{
  operation of;
  spread over;
  rank_t ranks;
  std::size_t bytes;
  algorithm by;
}};

inline constexpr rank_t any_ranks = 0x7fff'ffff;
inline constexpr std::size_t any_bytes = static_cast<std::size_t>(-1);

/// By operation, spread, bytes and ranks.
inline constexpr table_entry collective_table[] = {{
    // clang-format off
{entries}
    // clang-format on
}};

}}  // namespace mpx::inline v0::coll
"""
ANY = {"ranks": "any_ranks", "bytes": "any_bytes"}


def human(size):
    for unit, text in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {text}"
    return f"{size} B"


COLUMNS = {"test": str, "algorithm": str, "bytes": int, "ranks": int, "node_size": int,
           "time_us": float, "packets": float, "copies": float}


def rows_of(paths):
    """Of all files; what is there twice is as the last one says."""
    found = {}
    for path in paths:
        if path.suffix == ".csv":
            with path.open(newline="") as file:
                rows = [{c: COLUMNS[c](v) for c, v in r.items()} for r in csv.DictReader(file)]
        else:
            rows = json.loads(path.read_text())["rows"]
        for r in rows:
            found[r["test"], r["bytes"], r["node_size"], r["ranks"], r["algorithm"]] = r
    return [found[key] for key in sorted(found, key=lambda key: key[:4])]


def write_csv(rows, out):
    with out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([f"{r[c]:.6g}" if kind is float else r[c] for c, kind in COLUMNS.items()]
                         for r in rows)


def table_of(rows):
    """(test, bytes, node size) -> {ranks: {algorithm: us}}"""
    table = {}
    for r in rows:
        at = table.setdefault((r["test"], r["bytes"], r["node_size"]), {})
        at.setdefault(r["ranks"], {})[r["algorithm"]] = r["time_us"]
    return table


def kind_of(ranks, node_size):
    if node_size == 1:
        return "far"
    if ranks <= node_size:
        return "near"
    return "few" if node_size <= 32 else "many"


def runs_of(by_ranks):
    """[(ranks up to, algorithm)], as few as can be, of {ranks: [{algorithm: us}]}."""
    found = []
    alive = {}
    for n in sorted(by_ranks):
        here = {}
        for times in by_ranks[n]:
            best = min(times.values())
            for a in {*times, *here}:
                ratio = times[a] / best if a in times and best else (1 if a in times else math.inf)
                here[a] = max(here.get(a, 1), ratio)
        here = {a: r for a, r in here.items() if all(a in times for times in by_ranks[n])}
        least = min(here.values())
        good = {a: r for a, r in here.items() if r <= max(SLACK, least)}
        both = {a: max(r, alive[a]) for a, r in good.items() if a in alive}
        if both:
            alive = both
            found.pop()
        else:
            alive = good
        found.append((n, min(alive, key=lambda a: (round(alive[a], 2), PREFERRED.index(a)))))
    return found


def entries_of(rows):
    """(test, kind, ranks up to, bytes up to, algorithm), sizes of one result together."""
    table = {}
    for r in rows:
        if r["algorithm"] == "automatic":
            continue
        at = table.setdefault((r["test"], kind_of(r["ranks"], r["node_size"])), {})
        at = at.setdefault(r["bytes"], {}).setdefault(r["ranks"], {})
        at[r["algorithm"]] = min(r["time_us"], at.get(r["algorithm"], math.inf))
    for (test, kind), by_size in sorted(table.items(), key=lambda t: (t[0][0],
                                                                      KINDS.index(t[0][1]))):
        sizes = sorted(by_size)
        groups = []
        for i, size in enumerate(sizes):
            alone = {n: [times] for n, times in by_size[size].items()}
            if groups:
                joined = {n: groups[-1][1].get(n, []) + alone.get(n, [])
                          for n in {*groups[-1][1], *alone}}
                if len(runs_of(joined)) <= max(len(runs_of(groups[-1][1])), len(runs_of(alone))) \
                        and all(good(runs_of(joined), n, times)
                                for n, all_times in joined.items() for times in all_times):
                    groups[-1] = (size, joined)
                    continue
            groups.append((size, alone))
        for i, (size, by_ranks) in enumerate(groups):
            following = [s for s in sizes if s > size]
            end = math.isqrt(max(size, 1) * following[0]) if following else None
            runs = runs_of(by_ranks)
            for k, (n, a) in enumerate(runs):
                yield test, kind, None if k + 1 == len(runs) else math.isqrt(2 * n * n), end, a


def good(runs, ranks, times):
    by = next(a for n, a in runs if ranks <= n)
    return by in times and times[by] <= max(SLACK, 1.0) * min(times.values())


def write_table(rows, out):
    lines = []
    for test, kind, ranks, size, by in entries_of(rows):
        lines.append(f"    {{operation::{test}, spread::{kind}, "
                     f"{ANY['ranks'] if ranks is None else ranks}, "
                     f"{ANY['bytes'] if size is None else size}, algorithm::{by}}},")
    out.write_text(TABLE.format(entries="\n".join(lines)))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("measured", type=Path, nargs="+", help="JSON, or CSV as --csv writes it")
    p.add_argument("--policy", type=Path, help="write the default's table there, and do no more")
    p.add_argument("--csv", type=Path, help="write all rows there, and do no more")
    p.add_argument("--out", type=Path, help="write the chart there, as Markdown")
    p.add_argument("--most", type=float, default=float("inf"))
    args = p.parse_args()
    rows = rows_of(args.measured)
    if args.policy:
        return write_table(rows, args.policy)
    if args.csv:
        return write_csv(rows, args.csv)
    table = table_of(rows)
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
