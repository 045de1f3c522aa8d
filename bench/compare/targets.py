# SPDX-License-Identifier: BSL-1.0
"""The targets, and the verdict on each: or why there is none."""

from collections import namedtuple

from compare import BANDWIDTH_SIZES, MPIS, NAMES, human

MET, MISSED, NO_VERDICT = "met", "missed", "no verdict"
Check = namedtuple("Check", "figure target mode measured state remark")
NOT_IN_QUICK = "not in --quick"


def better_mpi(row, lower_is_better):
    values = [row[m] for m in MPIS if row[m] is not None]
    return (min if lower_is_better else max)(values) if values else None


def ratio(a, b):
    return a / b if a is not None and b else None


def listed(contenders):
    return ", ".join(NAMES[c] for c in contenders)


class Targets:
    """A verdict is given only on figures that nobody has disturbed; a peer that is left out counts
    for nothing, and is named. `only`: the names of rows to judge, all where it is empty."""

    def __init__(self, rows, counts, counts_missing, quick, only=()):
        self.rows = rows
        self.checks = []
        self.quick = quick
        self.only = only
        self.judge("latency", 8, "8-byte latency / bare cache-line crossing", "<=", 1.6, ("raw",),
                   lambda r: ratio(r["mpx"], r["raw"]))
        self.judge("latency", 8, "8-byte latency / the better MPI", "<=", 0.5, MPIS,
                   lambda r: ratio(r["mpx"], better_mpi(r, True)))
        self.judge("rate", 8, "8-byte message rate / the better MPI", ">=", 3, MPIS,
                   lambda r: ratio(r["mpx"], better_mpi(r, False)))
        for size in BANDWIDTH_SIZES:
            self.judge("bw", size, f"bandwidth at {human(size)} / the better MPI", ">=", 1, MPIS,
                       lambda r: ratio(r["mpx"], better_mpi(r, False)))
        if not only:
            for name, what, most in (
                    ("isend_8", "instructions of a tiny isend, completed", 80),
                    ("recv_matched_8", "instructions of a matched tiny receive", 120),
                    ("irecv_matched_8", "instructions of a pre-posted tiny receive", 110)):
                self.put(what, "<=", most, None, counts.get(name), counts_missing)
        self.judge("ring", 8, "token ring of 8 ranks: the better MPI / mpx", ">=", 10, MPIS,
                   lambda r: ratio(better_mpi(r, True), r["mpx"]))
        self.judge("ring_slots", 8, "the same, Open MPI given 8 slots", ">=", 10, MPIS,
                   lambda r: ratio(better_mpi(r, True), r["mpx"]))
        self.judge("idle_cpu", 1, "CPU seconds of a rank blocked for 5 s", "<=", 0.05, (),
                   lambda r: r["mpx"])
        self.compile_time()

    def judge(self, name, size, what, relation, target, peers, figure):
        if self.only and name not in self.only:
            return
        rows = [r for r in self.rows if r["name"] == name and r["size"] == size]
        known = [r for r in rows if figure(r) is not None]
        for row in known:
            if disturbed := [c for c in ("mpx", *peers) if c in row["disturbed"]]:
                self.refuse(what, relation, target, row["mode"],
                            f"others used the cores throughout: {listed(disturbed)}")
            else:
                without = [c for c in peers if c in row["left_out"]]
                self.put(what, relation, target, row["mode"], figure(row),
                         remark=f"without {listed(without)}" if without else "")
        if not known:
            self.refuse(what, relation, target, None, self.why_unknown(rows, peers))

    def why_unknown(self, rows, peers):
        if not rows:
            return NOT_IN_QUICK if self.quick else "it failed"
        left_out = [c for c in peers if any(c in r["left_out"] for r in rows)]
        if left_out == list(peers) and peers:
            return f"{listed(left_out)} left out"
        if all(r["mpx"] is None for r in rows):
            return "mpx has no figure"
        return "its peer is missing or was seen in the other mode only"

    def compile_time(self):
        if self.only and "compile" not in self.only:
            return
        what = "compile time of one send / mpi.h (or below 1.5 s)"
        row = next((r for r in self.rows if r["name"] == "compile"), None)
        if row is None or row["mpx"] is None:
            self.refuse(what, "<=", 3, None, self.why_unknown([], ()))
            return
        if row["disturbed"]:
            self.refuse(what, "<=", 3, None,
                        f"others used the cores throughout: {listed(row['disturbed'])}")
            return
        to_mpi = ratio(row["mpx"], better_mpi(row, True))
        met = row["mpx"] < 1.5 or (to_mpi is not None and to_mpi <= 3)
        shown = f"{row['mpx']:.2f} s" + (f", {to_mpi:.1f} times" if to_mpi else "")
        self.checks.append(Check(what, "<= 3", None, shown, MET if met else MISSED, ""))

    def put(self, what, relation, target, mode, value, why=None, remark=""):
        if value is None:
            self.refuse(what, relation, target, mode, why or "it failed")
            return
        met = value <= target if relation == "<=" else value >= target
        self.checks.append(Check(what, f"{relation} {target:g}", mode, f"{value:.3g}",
                                 MET if met else MISSED, remark))

    def refuse(self, what, relation, target, mode, why):
        self.checks.append(Check(what, f"{relation} {target:g}", mode, "-", NO_VERDICT, why))

    def unanswered(self):
        """The targets that were asked about and have no verdict in any mode: {figure: why}."""
        judged = {c.figure for c in self.checks if c.state != NO_VERDICT}
        return {c.figure: c.remark for c in self.checks
                if c.figure not in judged and c.remark != NOT_IN_QUICK}
