# SPDX-License-Identifier: BSL-1.0
"""The chart of scripts/compare, by gnuplot."""

import shutil
import sys
import textwrap

from compare import CONTENDERS, LONG_SIZES, NAMES, human
from compare.process import run

COLOURS = {"raw": 0x9E9E9E, "mpx": 0xD1495B, "mpich": 0x30638E, "openmpi": 0x7FB069}
PALE = "pale: others used the cores meanwhile"
PANELS = (  # title, unit, rows, logarithmic, what is better
    ("8-byte latency, one way", "ns", [("latency", 8, 2)], False, "lower"),
    ("8-byte message rate", "million/s", [("rate", 8, 2)], False, "higher"),
    ("bandwidth", "GB/s", [("bw", s, 2) for s in LONG_SIZES], False, "higher"),
    ("token ring of 8 ranks, a hop", "us", [("ring", 8, 8), ("ring_slots", 8, 8)], True, "lower"),
    ("allreduce of 8 bytes", "us", [("allreduce", 8, 2), ("allreduce", 8, 4)], True, "lower"),
)


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
    names = {"bw": human(row["size"]), "ring": "--oversubscribe", "ring_slots": "8 slots"}
    return names.get(row["name"], f"{row['ranks']} ranks")


def colour(row, contender):
    """Pale for a figure that others have disturbed."""
    rgb = COLOURS[contender]
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
        for contender in ("raw", "mpx", "mpich", "openmpi"):
            if row[contender] is not None:
                value = row[contender] * scale
                digits = 2 if len(chosen) > 2 else 3  # Many bars leave little room.
                text = f"{value:.{digits}g}" if value < 100 else f"{value:.0f}"
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
        f"'' using 1:2:4 with labels offset 0,0.6 font ',9'", ""))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', "'").replace("\n", "\\n") + '"'


def chart_script(rows, machine_text, absent):
    legend = ["unset title", "unset border", "unset tics", "unset logscale y", "unset grid",
              "set xrange [0:1]", "set yrange [0:1]"]
    words = NAMES | {"raw": "raw: the hardware without a library"}
    for i, (contender, rgb) in enumerate(COLOURS.items()):
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
    panels = [panel_script(i, p, rows) for i, p in enumerate(PANELS)]
    return "\n".join(("set multiplot layout 2,3 margins 0.05,0.98,0.06,0.92 spacing 0.06,0.16",
                      "set style fill solid 0.9 noborder", "set grid ytics lc rgb '#dddddd'",
                      "set border 3", "set tics nomirror", "unset key", *panels, *legend,
                      "unset multiplot", ""))


def draw(rows, folder, machine_text, absent):
    """Writes compare.svg and compare.png. Returns the path of the SVG, or None without gnuplot."""
    if shutil.which("gnuplot") is None:
        print("compare: no chart: gnuplot is not installed (package gnuplot-nox)", file=sys.stderr)
        return None
    script = folder / "compare.gp"
    script.write_text(chart_script(rows, machine_text, absent))
    terminals = {"svg": "svg size 1280,760 dynamic font 'sans,13' background rgb 'white'",
                 "png": "pngcairo size 1280,760 font 'sans,11' background rgb 'white'"}
    for ending, terminal in terminals.items():
        path = folder / f"compare.{ending}"
        drawn = run(["gnuplot", "-e", f"set terminal {terminal}; set output '{path}'", script], 60)
        if drawn.why:
            print(f"compare: no {path.name}: gnuplot: {drawn.why}", file=sys.stderr)
    path = folder / "compare.svg"
    return path if path.exists() else None
