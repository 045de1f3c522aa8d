# SPDX-License-Identifier: BSL-1.0
"""The tables that scripts/compare prints, and its JSON."""

import json
import re

from compare import CONTENDERS, MPICC, MPIS, NAMES, human
from compare.targets import NOT_IN_QUICK, better_mpi, ratio

DISTURBED_MARK = "~"
LEFT_OUT = "left out"


def print_table(header, lines, left=(0,)):
    lines = [tuple("-" if cell is None else str(cell) for cell in line) for line in lines]
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    for line in [header, tuple("-" * w for w in widths), *lines]:
        print("  ".join(cell.ljust(w) if i in left else cell.rjust(w)
                        for i, (cell, w) in enumerate(zip(line, widths))).rstrip())


def number(value):
    return None if value is None else f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def figure(row, contender):
    if row[contender] is None:
        return LEFT_OUT if contender in row["left_out"] else None
    return number(row[contender]) + (DISTURBED_MARK if contender in row["disturbed"] else "")


def gain_of(row, contender, lower_is_better):
    """How much better it is than the better MPI."""
    if set(row["disturbed"]) & {contender, *MPIS}:
        return None
    best = better_mpi(row, lower_is_better)
    return ratio(best, row[contender]) if lower_is_better else ratio(row[contender], best)


def print_rows(rows, lower):
    """Ratios are shown only of figures that nobody has disturbed."""
    lines = []
    for r in rows:
        disturbed = set(r["disturbed"])
        to_raw = None if disturbed & {"mpx", "raw"} else ratio(r["mpx"], r["raw"])
        to_mpx = [None if disturbed & {"mpx", c} else ratio(r[c], r["mpx"]) for c in MPICC]
        gains = [gain_of(r, c, lower[r["name"]]) for c in ("mpx", *MPICC)]
        lines.append((r["name"], human(r["size"]) if r["size"] else None, r["ranks"], r["mode"],
                      r["unit"], *(figure(r, c) for c in CONTENDERS), number(to_raw),
                      *map(number, to_mpx),
                      *(None if gain is None else f"{number(gain)}x" for gain in gains)))
    print_table(("row", "size", "ranks", "mode", "unit", *CONTENDERS, "mpx/raw",
                 *(f"{c}/mpx" for c in MPICC), "gain on MPI", *(f"{c}'s gain" for c in MPICC)), lines)


def print_notes(results, rows):
    print(f"\nmedians; {results.dropped} of {results.seen} samples dropped: "
          "the mode changed under them;\n"
          f"{results.preempted} set aside: a rank lost its core for a moment; "
          f"{results.disturbed}: others disturbed them (they used up to "
          f"{results.others_max:.1f} cores)")
    kinds = {}  # The words before the first number -> the worst of that kind
    for cause in (cause for r in rows for cause in r["disturbed"].values()):
        kind = re.split(r"\d", cause, maxsplit=1)[0]
        kinds[kind] = max(cause, kinds.get(kind, ""))
    if kinds:
        print(f"{DISTURBED_MARK} disturbed in all samples: no ratio, no verdict; at worst")
    for cause in kinds.values():
        print(f"  {cause}")
    for mpi, why in results.absent.items():
        print(f"left out: {NAMES[mpi]}, everywhere: {why}")
    labels = {(r["name"], r["size"], r["ranks"]): f"{r['name']} {human(r['size'])}" for r in rows}
    for (key, mpi), why in results.left_out.items():
        print(f"left out: {NAMES[mpi]}, {labels.get(key, key[0])}: {why}")
    for where, why in results.notes.items():
        print(f"note: {where}: {why}")


def print_checks(targets):
    asked = [c for c in targets.checks if c.remark != NOT_IN_QUICK]
    print_table(("figure", "target", "mode", "measured", ""),
                [(*c[:4], f"{c.state}: {c.remark}" if c.remark else c.state)
                 for c in asked], left=(0, 4))
    if left := len(targets.checks) - len(asked):
        print(f"{left} more targets: {NOT_IN_QUICK}")
    if targets.not_asked:
        print(f"{sum(targets.not_asked.values())} more targets if asked for: --only "
              f"{','.join(targets.not_asked)}")
    if unanswered := targets.unanswered():
        figures = len({c.figure for c in asked})
        print(f"\nNO VERDICT on {len(unanswered)} of {figures} targets:")
        for what, why in unanswered.items():
            print(f"  {what}: {why}")


def write_json(path, rows, targets, counts, absent, machine_text):
    report = dict(rows=rows, checks=[c._asdict() for c in targets.checks], instructions=counts,
                  left_out=absent, machine=machine_text)
    path.write_text(json.dumps(report, indent=1) + "\n")
