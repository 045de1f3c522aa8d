#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the table of docs/results/portals_simulated.md from what bench/sim_portals prints."""

import argparse
import csv
from pathlib import Path

HEAD = """\
# Collectives over portals, and by messages

bcast and allgather in the simulator, between nodes of one rank: virtual microseconds from the common start of all ranks to the
end of the last one, of the second call. Of allgather the size is that of a block. Network: L 3.7 us, o 0.2 us, g 5 ns, 0.04 ns a byte.

    sim_portals --ranks {ranks} > portals.csv
    bench/sim_portals.py portals.csv --out docs/results/portals_simulated.md

By messages: `messages` (the default's choice), `tree` (binomial), `ring`, `long_short` and `short_long` (a mesh of ranks). Over
portals (`portals::by_portals`): `portals` (the same choice), `portals_tree`, `bucket` (a ring into exposed memory),
`portals_long_short`, `portals_short_long`. An empty cell has not been measured: a ring of 4,096 ranks has 16.8 million messages,
and larger allgathers have results of more than 4 GiB in all. The table takes 8 minutes of one core and 14 GB of memory; of that,
allgather of 8 bytes on 4,096 ranks takes 2 s and 0.9 GB by messages, 9 s and 10 GB over portals.

A tree over portals is slow for long messages: a rank serves all its children at once, so the first one has its message when all have.
At 1 MiB `portals_long_short` is 2 to 5 times as fast.

"""


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("measured", type=Path)
    p.add_argument("--out", type=Path, required=True)
    args = p.parse_args()
    with args.measured.open(newline="") as file:
        rows = list(csv.DictReader(file))
    ranks = sorted({int(r["ranks"]) for r in rows})
    cells = {}
    for r in rows:
        cells.setdefault((r["test"], int(r["bytes"]), r["way"]), {})[int(r["ranks"])] = r["time_us"]
    text = HEAD.format(ranks=",".join(map(str, ranks)))
    text += "| collective | bytes | way | " + " | ".join(f"{n} ranks" for n in ranks) + " |\n"
    text += "|---|---|---|" + "---|" * len(ranks) + "\n"
    for (test, size, way), at in sorted(cells.items(), key=lambda c: (c[0][0] != "bcast", c[0][1])):
        line = " | ".join(f"{float(at[n]):.1f}" if n in at else "" for n in ranks)
        text += f"| {test} | {size} | `{way}` | {line} |\n"
    args.out.write_text(text)


if __name__ == "__main__":
    main()
