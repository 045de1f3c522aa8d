# SPDX-License-Identifier: BSL-1.0
"""The targets, and the verdict on each: or why there is none."""

import statistics
from collections import namedtuple

from compare import (BANDWIDTH_SIZES, BOTH_WAYS_SIZES, KIB, MIB, MPICC, MPIS, NAMES,
                     SOCKET_SIZES, human)
from compare.rows import (COLLECTIVES, COLLECTIVE_SIZES, FABRIC_SIZES, FABRICS, GHOST_SIZES,
                          GHOSTS, ONE_SIDED, ONE_SIDED_BANDWIDTH, ONE_SIDED_SIZES,
                          ONE_SIDED_WORDS, PROGRAM_SETTINGS, WHOLE_PROGRAMS, make_tests)

MET, MISSED, NO_VERDICT, DISTURBED = "met", "missed", "no verdict", "disturbed: no verdict"
AT_LIMIT = "at the limit"  # Of what two processes without any library do on this machine.
LIMIT_TOLERANCE = 1.15
BARE_TOLERANCE = 1.1  # Where ranks outnumber cores, time is the kernel's context switches.
Check = namedtuple("Check", "figure target mode measured state remark")
NOT_IN_QUICK = "not in --quick"
RATES = {"rate": "", "rate_posted": ", posted", "rate_tags4": ", 4 tags",
         "rate_tags16": ", 16 tags", "rate_any": ", any source",
         "rate_reverse": ", reverse order"}
BOTH_WAYS = {"bibw": "receives first", "bibw_sends": "sends first", "bibw_sendrecv": "sendrecv"}
POLLS = {"poll_test": "test, a hop", "poll_probe": "iprobe, a hop",
         "poll_any": "test_any, all to all", "poll_slots": "test, a hop, Open MPI given slots"}
PACKS = {"pack_column": "a column of doubles", "pack_record": "records with a hole",
         "pack_indexed": "an indexed list", "pack_face": "a face of a cube"}
UNPINNED = {"unpinned": "", "unpinned_loaded": ", a core busy"}


def better_mpi(row, lower_is_better):
    values = [row[m] for m in MPIS if row[m] is not None]
    return (min if lower_is_better else max)(values) if values else None


def ratio(a, b):
    return a / b if a is not None and b else None


def to_raw(row):
    return ratio(row["mpx"], row["raw"])


def to_lower(row):
    return ratio(row["mpx"], better_mpi(row, True))


def to_higher(row):
    return ratio(row["mpx"], better_mpi(row, False))


def gain(row):
    return ratio(better_mpi(row, True), row["mpx"])


def gain_of_raw(row):
    return ratio(better_mpi(row, True), row["raw"])


def listed(contenders):
    return ", ".join(NAMES[c] for c in contenders)


class Targets:
    """A verdict is given only on figures that nobody has disturbed; a peer that is left out counts
    for nothing, and is named. `only`: the names of rows to judge, all where it is empty. `missing`:
    why rows of a name are not there."""

    def __init__(self, rows, counts, counts_missing, quick, only=(), missing=None):
        self.rows = rows
        self.missing = missing or {}
        self.checks = []
        self.quick = quick
        self.only = only
        tests = make_tests()
        self.tests = {t.name for t in tests}
        self.on_demand = {t.key for t in tests if t.on_demand}
        self.not_asked = {}  # How many targets on each of those rows.
        self.small_messages()
        self.long_messages()
        if not only:
            for name, what, most in (
                    ("isend_8", "instructions of a tiny isend, completed", 80),
                    ("recv_matched_8", "instructions of a matched tiny receive", 120),
                    ("irecv_matched_8", "instructions of a pre-posted tiny receive", 130)):
                self.put(what, "<=", most, None, counts.get(name), counts_missing)
        self.mpi_library(counts, counts_missing)
        self.sockets()
        self.packing()
        self.oversubscribed()
        self.collectives()
        self.one_sided()
        self.cards()
        self.progress_threads()
        self.unpinned()
        self.whole_programs()
        self.judge("idle_cpu", 1, "CPU seconds of a rank blocked for 5 s", "<=", 0.05, (),
                   lambda r: r["mpx"])
        self.compile_time()

    def small_messages(self):
        self.judge("latency", 8, "8-byte latency / bare cache-line crossing", "<=", 1.6, ("raw",),
                   to_raw)
        self.judge("latency", 8, "8-byte latency / the better MPI", "<=", 0.5, MPIS, to_lower)
        for name, how in RATES.items():
            self.judge(name, 8, f"8-byte message rate{how} / the better MPI", ">=", 4, MPIS,
                       to_higher)
            self.judge(name, 8, f"8-byte message rate{how} / bare ring", ">=", 0.25, ("raw",),
                       to_raw)

    def mpi_library(self, counts, counts_missing):
        """mpx by its mpicc beside mpx itself, where it is measured."""
        for mpicc in MPICC:
            self.judge("latency", 8, "8-byte latency by mpicc / mpx itself", "<=", 1.2, MPICC,
                       lambda r: ratio(r[mpicc], r["mpx"]))
            for name, how in RATES.items():
                self.judge(name, 8, f"8-byte message rate{how} by mpicc / mpx itself", ">=", 0.8,
                           MPICC, lambda r: ratio(r[mpicc], r["mpx"]))
            self.judge("start", 0, "a job of 4 ranks by mpicc / the better MPI", "<=", 1,
                       (*MPICC, *MPIS), lambda r: ratio(r[mpicc], better_mpi(r, True)))
            if not self.only:
                for name, most in (("mpi_isend_8", 100), ("mpi_recv_8", 170)):
                    what = f"instructions of MPI_{'Isend' if 'isend' in name else 'Recv'} of 8 bytes"
                    self.put(what, "<=", most, None, counts.get(name), counts_missing)

    def progress_threads(self):
        self.judge("progress_latency", 8, "8-byte latency with progress threads / without", "<=",
                   1.05, (), lambda r, on_call: ratio(r["mpx"], on_call["mpx"]),
                   beside=("progress_latency_on_call",))

    def long_messages(self):
        for size in BANDWIDTH_SIZES:
            self.judge("bw", size, f"bandwidth at {human(size)} / the better MPI", ">=",
                       1.2 if size == 64 * KIB else 1, MPIS, to_higher)
        for name, order in BOTH_WAYS.items():
            for size in BOTH_WAYS_SIZES:
                self.judge(name, size, f"both ways, {order}, {human(size)} / the better MPI", ">=",
                           1.1, MPIS, to_higher)
        paths = ("fresh_bw_get", "fresh_bw_put", "fresh_bw_packets")
        self.judge("fresh_bw_quartile", 4 * MIB,
                   "4 MiB in fresh jobs, lower quartile / the best path", ">=", 0.9, (),
                   lambda r, *ways: ratio(r["mpx"], max(w["mpx"] for w in ways)),
                   test="fresh_bw", beside=paths)

    def sockets(self):
        """Each also for the ranks of a cluster stack that are on two hosts."""
        for kind, link in (("tcp", "by TCP"), ("hosts", "between two namespaces")):
            if kind == "hosts" and not self.only:
                continue  # They are measured on demand.
            for ending, where in (("", link), ("_cluster", f"{link}, of a cluster stack")):
                self.socket_rows(kind, ending, where)

    def socket_rows(self, kind, ending, where):
        def put(name, size, what, relation, target, peers, figure):
            name = f"{kind}_{name}"
            self.judge(name + ending, size, what, relation, target, peers,
                       lambda r, plain: ratio(r["mpx"], figure(plain)), test=name, beside=(name,))

        def best(row):
            return better_mpi(row, False)

        put("latency", 8, f"8-byte latency {where} / a bare socket", "<=", 1.15, (),
            lambda plain: plain["raw"])
        put("latency", 8, f"8-byte latency {where} / the better MPI", "<=", 1, (),
            lambda plain: better_mpi(plain, True))
        put("rate", 8, f"8-byte message rate {where} / the better MPI", ">=", 3, (), best)
        for size in SOCKET_SIZES:
            put("bw", size, f"bandwidth {where} at {human(size)} / a bare stream", ">=", 0.9, (),
                lambda plain: plain["raw"])
            put("bw", size, f"bandwidth {where} at {human(size)} / the better MPI", ">=", 1, (),
                best)

    def cards(self):
        self.judge("rdma_latency", 8, "8-byte latency over nic::via / the bare card", "<=", 1.3, (),
                   lambda r, card: ratio(r["mpx"], card["mpx"]), beside=("rdma_latency_nic",))
        for short in FABRICS:
            over = f"over libfabric's {short}"
            self.judge(f"fabric_{short}_latency", 8, f"8-byte latency {over} / its own ping-pong",
                       "<=", 1.25, ("raw",), to_raw)
            for size in FABRIC_SIZES:
                self.judge(f"fabric_{short}_bw", size,
                           f"bandwidth {over} at {human(size)} / its own messages", ">=", 0.9,
                           ("raw",), to_raw)

    def packing(self):
        for name, what in PACKS.items():
            for size in (8 * KIB, 512 * KIB):
                self.judge(name, size, f"packing {what}, {human(size)} / the better MPI", ">=", 1,
                           MPIS, to_higher)

    def oversubscribed(self):
        self.judge("ring", 8, "token ring of 8 ranks / processes without a library", "<=",
                   BARE_TOLERANCE, ("raw",), to_raw, ranks=8)
        self.judge("ring_slots", 8, "token ring, Open MPI given 8 slots: the better MPI / mpx",
                   ">=", 10, MPIS, gain)
        for ranks in (4, 8):
            for name, how in POLLS.items():
                self.judge(name, 8, f"polling by {how}, {ranks} ranks: the better MPI / mpx", ">=",
                           1, MPIS, gain, ranks=ranks)
            for name in ("poll_test", "poll_probe"):
                self.judge(name, 8, f"polling by {POLLS[name]}, {ranks} ranks / blocked", "<=", 2,
                           (), lambda r, blocked: ratio(r["mpx"], blocked["mpx"]), ranks=ranks,
                           beside=("ring",))

    def collectives(self):
        def of(operation, size):
            return operation if operation == "barrier" else f"{operation} of {human(size)}"

        self.judge("coll_allreduce", 8, "allreduce of 8 B, 2 ranks / a probed line crossing", "<=",
                   1.6, (), lambda r, latency: ratio(r["mpx"], latency["raw"]),
                   beside=("latency",))
        for operation in COLLECTIVES:
            for size in COLLECTIVE_SIZES:
                if operation == "barrier" and size > 8:
                    continue
                self.judge(f"coll_{operation}", size,
                           f"{of(operation, size)}, 2 ranks: the better MPI / mpx", ">=",
                           2 if size <= KIB else 1, MPIS, gain, limit=gain_of_raw)
                if size > KIB:
                    continue
                for ranks in (4, 8, 16):
                    what = f"{of(operation, size)}, {ranks} ranks on 2 cores"
                    self.judge(f"coll_oversubscribed_{operation}", size,
                               f"{what} / processes without a library", "<=", BARE_TOLERANCE,
                               ("raw",), to_raw, ranks=ranks)
                    self.judge(f"coll_slots_{operation}", size,
                               f"{what}: the better MPI / mpx", ">=", 10, MPIS, gain, ranks=ranks)

    def one_sided(self):
        for name, bare in (("rma_put", "store"), ("rma_get", "load")):
            self.judge(name, 8, f"{ONE_SIDED[name]} / a bare {bare} and a fence", "<=", 1.5,
                       ("raw",), to_raw)
        for name, what in ONE_SIDED.items():
            self.judge(name, 8, f"{what} / the better MPI", "<=", 1, MPIS, to_lower)
        for name, what in ONE_SIDED_BANDWIDTH.items():
            for size in ONE_SIDED_SIZES:
                self.judge(name, size, f"{what} of {human(size)} / the better MPI", ">=", 1, MPIS,
                           to_higher)
        for name, what in ONE_SIDED_WORDS.items():
            self.judge(name, 8, f"{what} of 8 B / the better MPI", ">=", 1, MPIS, to_higher)
        for name, how in GHOSTS.items():
            for size in GHOST_SIZES:
                self.judge(name, size, f"ghost cells, {how}, {human(size)}: the better MPI / mpx",
                           ">=", 1, MPIS, gain)
        for size in GHOST_SIZES:
            self.judge("rma_ghost_elements_buffered", size,
                       f"the same, an element a put, buffered, {human(size)}", ">=", 3, MPIS,
                       lambda r, direct: ratio(better_mpi(direct, True), r["mpx"]),
                       test="rma_ghost_elements", beside=("rma_ghost_elements",))

    def unpinned(self):
        self.judge("unpinned", 8, "exchanges, not pinned / pinned", "<=", 1.3, (),
                   lambda r, pinned: ratio(r["mpx"], pinned["mpx"]), beside=("unpinned_if_pinned",))
        for name, how in UNPINNED.items():
            self.judge(name, 8, f"exchanges, not pinned{how} / the better MPI", "<=", 1, MPIS,
                       to_lower)
            self.judge(f"{name}_worst", 8, f"the worst of them{how} / the better MPI's", "<=", 1,
                       MPIS, to_lower, test=name)

    def whole_programs(self):
        """Beside MPIs that are told to yield. Those with their defaults stand in the table alone."""
        words = {"": "2 ranks", "_unpinned": "2 ranks, not pinned", "_4": "4 ranks on 2 cores",
                 "_8": "8 ranks on 2 cores"}
        pairs = []
        for ending, how in PROGRAM_SETTINGS.items():
            for program in WHOLE_PROGRAMS:
                for place, where in words.items():
                    name = f"programs_{program}{ending}{place}"
                    ranks = int(place[1:]) if place[1:].isdigit() else 2
                    what = f"{program}, {where}, {how}"
                    self.judge(name, 0, f"{what}: the better MPI / mpx", ">=", 1, MPIS, gain,
                               ranks=ranks)
                    if ranks > 2:
                        continue
                    self.judge(f"{name}_beyond", 0, f"{what}: beyond own work, mpx / the better MPI",
                               "<=", 0.7, MPIS, to_lower, test=name)
                    pairs += [g for r in self.rows if r["name"] == name and not r["disturbed"]
                              and (g := gain(r)) is not None]
        if pairs:
            self.put("programs on 2 ranks, the median of rows: the better MPI / mpx", ">=", 1.1,
                     None, statistics.median(pairs))

    def beside_of(self, row, names):
        """The rows of these names that have a figure of mpx beside that of `row`; None if one has
        none."""
        found = [next((r for r in self.rows if r["name"] == name and r["mpx"] is not None
                       and all(r[k] == row[k] for k in ("size", "ranks", "mode"))), None)
                 for name in names]
        return None if None in found else found

    def judge(self, name, size, what, relation, target, peers, figure, test=None, ranks=None,
              beside=(), limit=None):
        """`figure` of a row and of those `beside` it. `test`: which to ask for, if not `name`.
        `limit`: the figure that no library can have there."""
        asked = [test or name, *(b for b in beside if b in self.tests)]
        if self.only and not all(a in self.only for a in asked):
            return
        rows = [r for r in self.rows if r["name"] == name and r["size"] == size
                and ranks in (None, r["ranks"])]
        if not self.only and (asked[0], size, ranks or 2) in self.on_demand:
            self.not_asked[asked[0]] = self.not_asked.get(asked[0], 0) + 1
            return
        known = False
        for row in rows:
            others = self.beside_of(row, beside)
            value = None if others is None or row["mpx"] is None else figure(row, *others)
            if value is None:
                continue
            known = True
            causes = [(c, row["disturbed"][c]) for c in ("mpx", *peers) if c in row["disturbed"]]
            causes += [("mpx", o["disturbed"]["mpx"]) for o in others if "mpx" in o["disturbed"]]
            if causes:
                self.disturbed(what, relation, target, row["mode"], causes)
            else:
                without = [c for c in peers if c in row["left_out"]]
                self.put(what, relation, target, row["mode"], value,
                         remark=f"without {listed(without)}" if without else "",
                         limit=limit and "raw" not in row["disturbed"] and limit(row))
        if not known:
            why = self.missing.get(test or name) or self.why_unknown(rows, peers)
            self.refuse(what, relation, target, None, why)

    def disturbed(self, what, relation, target, mode, causes):
        """`causes`: (contender, what disturbed it), of all that were."""
        contenders = dict.fromkeys(c for c, _ in causes)
        why = f"{causes[0][1]} ({listed(contenders)})"
        self.checks.append(Check(what, f"{relation} {target:g}", mode, "-", DISTURBED, why))

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
            self.disturbed(what, "<=", 3, None, list(row["disturbed"].items()))
            return
        to_mpi = ratio(row["mpx"], better_mpi(row, True))
        met = row["mpx"] < 1.5 or (to_mpi is not None and to_mpi <= 3)
        shown = f"{row['mpx']:.2f} s" + (f", {to_mpi:.1f} times" if to_mpi else "")
        self.checks.append(Check(what, "<= 3", None, shown, MET if met else MISSED, ""))

    def put(self, what, relation, target, mode, value, why=None, remark="", limit=None):
        """`limit`, of a figure that is to be high: where that misses the target itself, what comes
        near it is not called missed."""
        if value is None:
            self.refuse(what, relation, target, mode, why or "it failed")
            return
        met = value <= target if relation == "<=" else value >= target
        state = MET if met else MISSED
        if not met and limit and limit < target and value * LIMIT_TOLERANCE >= limit:
            state = AT_LIMIT
            remark = f"without any library {limit:.3g}" + (f", {remark}" if remark else "")
        self.checks.append(Check(what, f"{relation} {target:g}", mode, f"{value:.3g}", state,
                                 remark))

    def refuse(self, what, relation, target, mode, why):
        self.checks.append(Check(what, f"{relation} {target:g}", mode, "-", NO_VERDICT, why))

    def unanswered(self):
        """The targets that were asked about and have no verdict in any mode: {figure: why}."""
        judged = {c.figure for c in self.checks if c.state in (MET, AT_LIMIT, MISSED)}
        return {c.figure: f"{c.state}: {c.remark}" for c in self.checks
                if c.figure not in judged and c.remark != NOT_IN_QUICK}
