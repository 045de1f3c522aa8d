#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes what mpx itself costs over each transport: the latency of 8 bytes less that of the bare transport, from
rows of scripts/compare, as a table and a plot."""

import argparse
import json
from pathlib import Path

ROWS = "latency,tcp_latency,rdma_latency,progress_latency,fabric_shm_latency,fabric_tcp_latency"
# Name of the stack, the row of mpx, the row and the column of what is bare, and what that is.
STACKS = (("shm", "latency", "latency", "raw", "a cache line that crosses between two cores"),
          ("shm, progress threads", "progress_latency", "latency", "raw", "the same"),
          ("rdma, nic::via", "rdma_latency", "rdma_latency_nic", "mpx", "the card's own ping-pong"),
          ("libfabric, shm", "fabric_shm_latency", "fabric_shm_latency", "raw", "the provider's own messages"),
          ("fabric_stack, shm", "fabric_shm_latency_hosts", "fabric_shm_latency", "raw", "the same"),
          ("tcp", "tcp_latency", "tcp_latency", "raw", "a bare socket"),
          ("tls", "tcp_latency_tls", "tcp_latency", "raw", "the same, without encryption"),
          ("cluster_stack, tcp", "tcp_latency_cluster", "tcp_latency", "raw", "a bare socket"),
          ("libfabric, tcp;ofi_rxm", "fabric_tcp_latency", "fabric_tcp_latency", "raw", "the provider's own messages"),
          ("fabric_stack, tcp;ofi_rxm", "fabric_tcp_latency_hosts", "fabric_tcp_latency", "raw", "the same"))
LEFT, BAR, PITCH, WIDTH = 190, 14, 26, 420


def latencies(rows, row, bare, column):
    """The latencies of 8 bytes of mpx and of the bare transport, in microseconds, in the first mode of the machine
    that has both; None: there is none."""
    def by_mode(name, of):
        return {r["mode"]: r[of] for r in rows if r["name"] == name and r["size"] == 8 and r[of] is not None}

    mpx, bare = by_mode(row, "mpx"), by_mode(bare, column)
    return next(((mpx[mode], bare[mode]) for mode in sorted(mpx, key=str) if mode in bare), None)


def plot(figures):
    """Bars of the bare transport and, behind them, of mpx; each pair has a scale of its own."""
    height = 40 + PITCH * len(figures)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 190} {height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="18" fill="#8a8a8a">bare transport</text>',
           f'<text x="{LEFT + 110}" y="18" fill="#d1495b">mpx</text>']
    for i, (name, mpx, bare, _) in enumerate(figures):
        y = 32 + PITCH * i
        share = WIDTH * min(1.0, bare / mpx)
        out.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{name}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{share:.1f}" height="{BAR}" fill="#8a8a8a"/>')
        out.append(f'<rect x="{LEFT + share:.1f}" y="{y}" width="{WIDTH - share:.1f}" height="{BAR}" fill="#d1495b"/>')
        out.append(f'<text x="{LEFT + WIDTH + 8}" y="{y + 11}">{bare * 1000:.0f} {(mpx - bare) * 1000:+.0f} ns '
                   f'({mpx / bare:.2f})</text>')
    return "\n".join([*out, "</svg>", ""])


def table(figures, machine):
    text = f"""# What mpx costs over each transport

Latency of 8 bytes between two ranks, less that of the bare transport, medians, both in one mode of the machine. {machine}.

    scripts/compare --only {ROWS} --json layers.json
    bench/layer_cost.py layers.json --out docs/results

Where mpx's own figure is negative, the bare program was slower than mpx: it is no lower bound there.

![The bare transport's part of the latency, and mpx's](layers.svg)

| stack | latency, us | bare, us | mpx's own, ns | ratio | bare is |
|---|---|---|---|---|---|
"""
    for name, mpx, bare, what in figures:
        text += f"| {name} | {mpx:.3f} | {bare:.3f} | {(mpx - bare) * 1000:.0f} | {mpx / bare:.2f} | {what} |\n"
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("json", type=Path, help="what scripts/compare --json wrote")
    p.add_argument("--out", type=Path, default=Path("results"), help="default: results")
    args = p.parse_args()
    measured = json.loads(args.json.read_text())
    found = [(name, latencies(measured["rows"], row, bare, column), what) for name, row, bare, column, what in STACKS]
    figures = [(name, *both, what) for name, both, what in found if both is not None]
    if not figures:
        raise SystemExit(f"{args.json} has none of these rows: {ROWS}")
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "layers.svg").write_text(plot(figures))
    (args.out / "layers.md").write_text(table(figures, ", ".join(measured["machine"][:2])))


if __name__ == "__main__":
    main()
