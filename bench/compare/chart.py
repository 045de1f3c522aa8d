# SPDX-License-Identifier: BSL-1.0
"""The chart of scripts/compare, by gnuplot."""

import itertools
import math
import shutil
import sys
import textwrap

from compare import (BANDWIDTH_SIZES, BOTH_WAYS_SIZES, CONTENDERS, LONG_SIZES, MIB, MPICC,
                     MPIS, NAMES, human)
from compare.process import run

OF_MPIS = (0x30638E, 0x7FB069, 0xEDAE49, 0x8D6A9F)
PALE = "pale: others used the cores meanwhile"
RATES = ("rate", "rate_posted", "rate_tags4", "rate_tags16", "rate_any", "rate_reverse")
POLLS = ("poll_test", "poll_probe", "poll_any")
UNPINNED = ("unpinned", "unpinned_worst", "unpinned_loaded", "unpinned_loaded_worst")
SMALL_SIZES = tuple(s for s in BANDWIDTH_SIZES if s not in LONG_SIZES)
PANELS = (  # title, unit, rows, logarithmic, what is better
    ("8-byte latency, one way", "ns", [("latency", 8, 2)], False, "lower"),
    ("8-byte message rate", "million/s", [(name, 8, 2) for name in RATES], True, "higher"),
    ("bandwidth, short messages", "GB/s", [("bw", s, 2) for s in SMALL_SIZES], True, "higher"),
    ("bandwidth", "GB/s", [("bw", s, 2) for s in LONG_SIZES], False, "higher"),
    ("both directions at once", "GB/s", [("bibw", s, 2) for s in BOTH_WAYS_SIZES], False,
     "higher"),
    ("both directions, sends first", "GB/s", [("bibw_sends", s, 2) for s in BOTH_WAYS_SIZES],
     False, "higher"),
    ("4 MiB in fresh jobs", "GB/s",
     [(f"fresh_bw{e}", 4 * MIB, 2) for e in ("", "_quartile", "_get", "_put", "_packets")], False,
     "higher"),
    ("token ring of 8 ranks, a hop", "us", [("ring", 8, 8), ("ring_slots", 8, 8)], True, "lower"),
    ("8 ranks that poll, on these cores", "us", [(name, 8, 8) for name in POLLS], True, "lower"),
    ("exchanges of 2 ranks, not pinned", "us", [(name, 8, 2) for name in UNPINNED], True, "lower"),
    ("allreduce of 8 bytes", "us", [("allreduce", 8, 2), ("allreduce", 8, 4)], True, "lower"),
)
TICKS = {"ring": "--oversubscribe", "ring_slots": "8 slots", "rate": "as sent",
         "rate_posted": "posted", "rate_tags4": "4 tags", "rate_tags16": "16 tags",
         "rate_any": "any", "rate_reverse": "reverse", "poll_test": "test",
         "poll_probe": "iprobe", "poll_any": "any", "fresh_bw": "median",
         "fresh_bw_quartile": "quartile", "fresh_bw_get": "get", "fresh_bw_put": "put",
         "fresh_bw_packets": "packets", "unpinned": "median", "unpinned_worst": "worst",
         "unpinned_loaded": "a core busy", "unpinned_loaded_worst": "worst"}
COLUMNS = 3


def panel_rows(rows, keys):
    """The rows of a panel, all of the mode that has the most figures; A where it is a draw."""
    of_mode = {}
    for r in rows:
        if (r["name"], r["size"], r["ranks"]) in keys:
            of_mode.setdefault(r["mode"], []).append(r)
    figures = {m: sum(r[c] is not None for r in rs for c in CONTENDERS)
               for m, rs in of_mode.items()}
    if not any(figures.values()):
        return None, []
    mode = min(figures, key=lambda m: (-figures[m], str(m)))
    return mode, of_mode[mode]


def tick_name(row):
    if row["name"].startswith(("bw", "bibw")):
        return human(row["size"])
    return TICKS.get(row["name"], f"{row['ranks']} ranks")


def panels_of(rows):
    """Those of whose rows some were asked for; all where there are none."""
    here = {(r["name"], r["size"], r["ranks"]) for r in rows}
    return [p for p in PANELS if here.intersection(p[2])] or list(PANELS)


def colours():
    """Of all contenders, in the order of the bars."""
    return ({"raw": 0x9E9E9E, "mpx": 0xD1495B} | dict.fromkeys(MPICC, 0xE89AA4)
            | dict(zip(MPIS, itertools.cycle(OF_MPIS))))


def colour(row, contender):
    """Pale for a figure that others have disturbed."""
    rgb = colours()[contender]
    if contender not in row["disturbed"]:
        return rgb
    return sum((2 * 0xFF + (rgb >> s & 0xFF)) // 3 << s for s in (0, 8, 16))


def panel_script(index, panel, rows):
    title, unit, keys, logarithmic, better = panel
    mode, chosen = panel_rows(rows, keys)
    scale = 1000 if unit == "ns" else 1
    boxes, ticks, x = [], [], 0
    for row in chosen:
        first = x
        for contender in colours():
            if row[contender] is not None:
                value = row[contender] * scale
                digits = 2 if len(chosen) > 2 else 3  # Many bars leave little room.
                text = (f"{value:.{digits}g}" if value < 100 else f"{value:.0f}" if value < 1e4
                        else f"{value / 1000:.0f}k")
                boxes.append(f"{x} {value:.6g} {colour(row, contender)} {text}")
                x += 1
        ticks.append(f'"{tick_name(row)}" {(first + x - 1) / 2}')
        x += 1
    shown = f", mode {mode}" if mode else ""
    left_out = [NAMES[c] for c in CONTENDERS if any(c in row["left_out"] for row in chosen)]
    without = f"; {' and '.join(left_out)} left out" if left_out else ""
    heading = f'set title "{title}{shown}\\n{{/*0.8 {unit}, {better} is better{without}}}"'
    if not boxes:
        return "\n".join((heading, "unset logscale y", "set xrange [0:1]", "set yrange [0:1]",
                          'set xtics ("not measured" 0.5)', "plot -1", ""))
    values = [float(b.split()[1]) for b in boxes]
    low, high = (min(values) / 4, max(values) * 4) if logarithmic else (0, max(values) * 1.18)
    return "\n".join((
        f"$panel{index} << END", *boxes, "END", heading,
        "set logscale y" if logarithmic else "unset logscale y",
        f"set xrange [-0.8:{x - 1.2}]", f"set yrange [{low:g}:{high:g}]",
        f"set xtics ({', '.join(ticks)}) scale 0",
        f"plot $panel{index} using 1:2:(0.84):3 with boxes lc rgb variable, "
        f"'' using 1:2:4 with labels offset 0,0.6 font ',{7 if len(chosen) > 4 else 9}'", ""))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', "'").replace("\n", "\\n") + '"'


def chart_script(rows, machine_text, absent):
    legend = ["unset title", "unset border", "unset tics", "unset logscale y", "unset grid",
              "set xrange [0:1]", "set yrange [0:1]"]
    words = NAMES | {"raw": "raw: the hardware without a library"}
    for i, (contender, rgb) in enumerate(colours().items()):
        y = 0.85 - 0.14 * i
        text = words[contender]
        legend.append(f"set object {i + 1} rectangle from 0.05,{y - 0.04} to 0.13,{y + 0.04} "
                      f"fc rgb {rgb} fs solid noborder")
        if contender in absent:
            text += " is left out"
            why = "\n".join(textwrap.wrap(absent[contender], 54, max_lines=2))
            legend.append(f"set label {i + 20} {quoted(why)} at 0.17,{y - 0.05} left noenhanced "
                          "font ',7'")
        legend.append(f'set label {i + 1} "{text}" at 0.17,{y} left')
    if any(r["disturbed"] for r in rows):
        machine_text = [*machine_text, PALE]
    for i, line in enumerate(machine_text):
        legend.append(f'set label {i + 10} "{line}" at 0.05,{0.26 - 0.07 * i} left font ",8"')
    legend.append("plot -1")
    panels = [panel_script(i, p, rows) for i, p in enumerate(panels_of(rows))]
    high = lines_of_panels(rows)
    return "\n".join((f"set multiplot layout {high},{COLUMNS} margins 0.05,0.98,"
                      f"{0.12 / high:g},{1 - 0.16 / high:g} spacing 0.06,{0.32 / high:g}",
                      "set style fill solid 0.9 noborder", "set grid ytics lc rgb '#dddddd'",
                      "set border 3", "set tics nomirror", "unset key", *panels, *legend,
                      "unset multiplot", ""))


def lines_of_panels(rows):
    return max(math.ceil((len(panels_of(rows)) + 1) / COLUMNS), 2)  # One is the legend.


def draw(rows, folder, machine_text, absent):
    """Writes compare.svg and compare.png. Returns the path of the SVG, or None without gnuplot."""
    if shutil.which("gnuplot") is None:
        print("compare: no chart: gnuplot is not installed (package gnuplot-nox)", file=sys.stderr)
        return None
    script = folder / "compare.gp"
    script.write_text(chart_script(rows, machine_text, absent))
    size = f"size 1280,{380 * lines_of_panels(rows)}"
    terminals = {"svg": f"svg {size} dynamic font 'sans,13' background rgb 'white'",
                 "png": f"pngcairo {size} font 'sans,11' background rgb 'white'"}
    for ending, terminal in terminals.items():
        path = folder / f"compare.{ending}"
        drawn = run(["gnuplot", "-e", f"set terminal {terminal}; set output '{path}'", script], 60)
        if drawn.why:
            print(f"compare: no {path.name}: gnuplot: {drawn.why}", file=sys.stderr)
    path = folder / "compare.svg"
    return path if path.exists() else None
