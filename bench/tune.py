#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a CollectivePolicy, as a C++ header, of what mpx-tune has measured."""

import argparse
import csv
import math
import platform
import sys
from datetime import date
from pathlib import Path

# A call that is no faster than this by another algorithm stays with that of the size before.
WORTH_CHANGING = 0.95

HEADER = """\
// Made by scripts/tune on {machine}, {day}.
#pragma once
// Which algorithm each collective uses on this machine, by what was measured on {ranks} ranks:
// mpx::stack<mpx_tuned>. For more ranks, and other calls, mpx's own choice.

#include <cstddef>
#include <cstdint>
#include <mpx/mpx.hpp>
#include <string_view>

class mpx_tuned {{
  using op = mpx::coll::operation;
  using by = mpx::coll::algorithm;
  static constexpr std::size_t any = static_cast<std::size_t>(-1);
  struct entry {{
    mpx::coll::operation of;
    mpx::rank_t ranks;  // Up to,
    std::size_t bytes;  // and up to.
    mpx::coll::algorithm by;
  }};
  static constexpr entry entries[] = {{
{entries}
  }};

 public:
  using policy_axis = mpx::collective_axis;
  static constexpr std::string_view name = "mpx_tuned";
  // Ranks that have other entries are refused at start-up.
  static constexpr std::uint64_t choices_hash = [] {{
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a, of numbers.
    for (const entry& e : entries)
      for (const std::uint64_t n : {{static_cast<std::uint64_t>(e.of),
                                    static_cast<std::uint64_t>(e.ranks),
                                    static_cast<std::uint64_t>(e.bytes),
                                    static_cast<std::uint64_t>(e.by)}})
        h = (h ^ n) * 0x100000001b3u;
    return h;
  }}();

  static constexpr mpx::coll::choice choose(const mpx::coll::question& q) noexcept {{
    for (const entry& e : entries)
      if (e.of == q.of && q.ranks <= e.ranks && q.bytes <= e.bytes && offers(q, e.by))
        return {{e.by}};
    return mpx::coll::by_size::choose(q);
  }}
}};
static_assert(mpx::HashedCollectivePolicy<mpx_tuned>);
"""


def fastest(by_size):
    """[(bytes up to, algorithm)] of {bytes: {algorithm: us}}."""
    found = []
    sizes = sorted(by_size)
    for i, size in enumerate(sizes):
        times = by_size[size]
        best = min(times, key=times.get)
        if found and found[-1][1] in times and (times[best]
                                                > WORTH_CHANGING * times[found[-1][1]]):
            best = found[-1][1]
        # Half-way to the next size, as they grow by factors.
        end = None if i + 1 == len(sizes) else math.isqrt(max(size, 1) * sizes[i + 1])
        if found and found[-1][1] == best:
            found.pop()
        found.append((end, best))
    return found


def entries_of(rows):
    table = {}
    for r in rows:
        at = table.setdefault((r["operation"], int(r["ranks"])), {})
        at.setdefault(int(r["bytes"]), {})[r["algorithm"]] = float(r["us"])
    for (operation, ranks), by_size in sorted(table.items()):
        for end, algorithm in fastest(by_size):
            yield (f"      {{op::{operation}, {ranks}, {'any' if end is None else end}, "
                   f"by::{algorithm}}},")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("csv", nargs="+", type=Path, help="what mpx-tune has printed")
    p.add_argument("--out", type=Path, required=True, help="the header to write")
    args = p.parse_args()
    rows = [r for path in args.csv for r in csv.DictReader(path.read_text().splitlines())]
    if not rows:
        sys.exit("tune: nothing was measured")
    ranks = ", ".join(str(n) for n in sorted({int(r["ranks"]) for r in rows}))
    args.out.write_text(HEADER.format(machine=platform.node(), day=date.today(), ranks=ranks,
                                      entries="\n".join(entries_of(rows))))


if __name__ == "__main__":
    main()
