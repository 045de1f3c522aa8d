#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# labels: slow
"""scripts/compare leaves out an MPI whose messages do not pass through shared memory, and gives no
verdict while others use the cores."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "test/bench")]

import compare.machine  # noqa: E402
import compare.process  # noqa: E402
from compare import (DEBIANS, MPICC, MPIS, NAMES, PROGRAMS, chart, choose_mpicc,  # noqa: E402
                     choose_mpis, parse_mpi, report)
from compare.machine import Measured, Sample, why_not_comparable  # noqa: E402
from compare.noise import own_seconds  # noqa: E402
from compare.process import adopt_orphans, run  # noqa: E402
from compare.results import REPEATS_MAX, Results, measure_all  # noqa: E402
from compare.rows import LOWER_QUARTILE, MEDIAN, WORST, make_tests  # noqa: E402
from compare.targets import AT_LIMIT, DISTURBED, MET, MISSED, NO_VERDICT, Targets  # noqa: E402
from fake_proc import FakeProc  # noqa: E402

LATENCY = next(t for t in make_tests() if t.name == "latency")
LAUNCHERS = {mpi: programs.launcher[0] for mpi, programs in DEBIANS.items()}
SMALL_SHM = "mount -t tmpfs -o size=1m tmpfs /dev/shm"


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


# Judgement of samples, without a machine or processes.

def targets_on_demand_are_only_counted():
    targets = Targets([], {}, None, False)
    expect(not any("bcast" in c.figure for c in targets.checks), "nobody has asked for bcast")
    expect(targets.not_asked.get("coll_bcast") == 4, f"but may: {targets.not_asked}")
    asked = Targets([], {}, None, False, ("coll_bcast",)).checks
    expect(len(asked) == 4 and all(c.state == NO_VERDICT for c in asked), f"{asked}")



class FakeMachine:
    """Gives what it is told to: a function of (contender, how often it was measured)."""

    absent = {}

    def __init__(self, measured, test=LATENCY):
        self.measured = measured
        self.runs = dict.fromkeys(test.programs, 0)

    def look(self):
        return None

    def why_disturbed(self, looks):
        return None

    def command(self, contender, test):
        return [contender] if contender in test.programs else None

    def measure(self, contender, test, timeout_s):
        self.runs[contender] += 1
        return self.measured(contender, self.runs[contender])


def judged(machine, rounds=1, test=LATENCY):
    results = measure_all(machine, [test], rounds, budget_s=5, child_s=1)
    rows = list(results.rows([LATENCY]))
    return rows, Targets(rows, {}, None, True, ("latency",))


def sample(value, disturbed=False, mode="A"):
    return Measured([Sample(mode, value, "somebody else" if disturbed else None, beyond=value)])


def states(targets):
    return [c.state for c in targets.checks]


def quiet_samples_are_judged():
    values = dict(mpx=1.0, raw=0.9, mpich=1.5, openmpi=4.0)
    machine = FakeMachine(lambda c, n: sample(values[c]))
    rows, targets = judged(machine)
    expect(states(targets) == [MET, MISSED], f"quiet: {targets.checks}")
    expect(not targets.unanswered() and not rows[0]["disturbed"], "quiet: a verdict is missing")
    expect(set(machine.runs.values()) == {1}, f"quiet rows were repeated: {machine.runs}")


def disturbed_rows_are_repeated():
    machine = FakeMachine(lambda c, n: sample(100.0 if n < 3 else 1.0, disturbed=n < 3))
    rows, targets = judged(machine)
    expect(machine.runs["mpx"] == 3, f"repeated until quiet: {machine.runs}")
    expect(rows[0]["mpx"] == 1.0 and NO_VERDICT not in states(targets), f"{rows}")


def rows_of_one_round_are_repeated():
    once = replace(LATENCY, rounds_max=1)
    machine = FakeMachine(lambda c, n: sample(1.0, disturbed=n < 3))
    judged(machine, rounds=5, test=once)
    expect(machine.runs["mpx"] == 3, f"a row that is measured once: {machine.runs}")


def what_stays_disturbed_is_not_judged():
    for victim in LATENCY.programs:
        machine = FakeMachine(lambda c, n: sample(1.0, disturbed=c == victim))
        rows, targets = judged(machine)
        expect(machine.runs["mpx"] == 1 + REPEATS_MAX, f"{victim}: repeats {machine.runs}")
        expect(rows[0][victim] == 1.0 and rows[0]["disturbed"] == {victim: "somebody else"},
               f"{victim}: {rows}")
        refused = [c.state == DISTURBED and "somebody else" in c.remark for c in targets.checks]
        to_raw, to_mpi = victim in ("mpx", "raw"), victim != "raw"
        expect(refused == [to_raw, to_mpi], f"{victim} disturbed: {targets.checks}")
        expect(len(targets.unanswered()) == sum(refused), f"{victim}: {targets.unanswered()}")
        expect(str(chart.colour(rows[0], victim)) in chart.chart_script(rows, [], {}),
               f"{victim}: not pale in the chart")


def who_takes_another_way_is_left_out():
    def measured(contender, n):
        return Measured(left_out="TCP") if contender == "mpich" and n > 1 else sample(1.0)
    rows, targets = judged(FakeMachine(measured), rounds=2)
    expect(rows[0]["mpich"] is None and rows[0]["left_out"] == {"mpich": "TCP"}, f"{rows}")
    expect(targets.checks[1].remark == "without MPICH", f"{targets.checks}")
    expect("MPICH left out" in chart.chart_script(rows, [], {}), "the chart does not say so")
    results = Results(dict.fromkeys(MPIS, "gone"))
    for contender in ("mpx", "raw"):
        results.add(LATENCY, contender, sample(1.0))
    targets = Targets(list(results.rows([LATENCY])), {}, None, True, ("latency",))
    expect(states(targets) == [MET, NO_VERDICT], f"no MPI at all: {targets.checks}")


def rows_that_cannot_be_had_say_why():
    """Of a provider of libfabric: with it a verdict, without it the reason."""
    test = next(t for t in make_tests() if t.provider)

    def judge(rows, missing):
        return Targets(rows, {}, None, False, (test.name,), missing).checks

    results = measure_all(FakeMachine(lambda c, n: sample(1.0), test), [test], 1, 5, 1)
    expect([c.state for c in judge(list(results.rows([test])), {})] == [MET], "of a provider")
    refused = judge([], {test.name: "no libfabric"})
    expect([(c.state, c.remark) for c in refused] == [(NO_VERDICT, "no libfabric")], f"{refused}")
    with tempfile.TemporaryDirectory() as folder:
        machine = compare.machine.Machine.__new__(compare.machine.Machine)
        machine.bin, machine.providers = Path(folder), {}
        expect("is not built" in machine.why_without(test), "libfabric is missing")
        expect(machine.why_without(LATENCY) is None, "nothing is missing")


def preempted_samples_count_where_there_are_no_better():
    def measured(contender, n):
        better = [Sample("A", 1.0)] if contender == "raw" else []
        return Measured([Sample("A", 9.0, preempted=True), *better])
    rows, targets = judged(FakeMachine(measured))
    expect((rows[0]["mpx"], rows[0]["raw"]) == (9.0, 1.0), f"{rows}")
    expect(states(targets) == [MISSED, MISSED], f"{targets.checks}")


def evidence_is_needed():
    shared = {"shared_memory": True}
    expect(why_not_comparable("mpich", [shared, {"sent_bytes": 9000, "socket_bytes": 0}]) is None,
           "shared memory was refused")
    for lines in ([], [{"shared_memory": False}],
                  [shared, {"sent_bytes": 90000, "socket_bytes": 91000}]):
        expect(why_not_comparable("mpich", lines), f"accepted: {lines}")


def looks_disturb_all_between_them():
    machine = FakeMachine(lambda c, n: sample(1.0))
    machine.why_disturbed = lambda looks: "a slow core" if len(looks) == 2 else None
    rows, targets = judged(machine)
    expect(rows[0]["disturbed"] == dict.fromkeys(LATENCY.programs, "a slow core"), f"{rows}")
    expect(set(states(targets)) == {DISTURBED}, f"{targets.checks}")


def fresh_jobs_are_counted():
    """Each is started so often as is asked, its quartile and worst stand in rows of their own, and
    few jobs are not judged by."""
    jobs = replace(LATENCY, jobs=20, figures=(("", MEDIAN), ("_low", LOWER_QUARTILE),
                                              ("_worst", WORST)))
    machine = FakeMachine(lambda c, n: sample(float(n)))
    results = measure_all(machine, [jobs], 3, budget_s=5, child_s=1)
    expect(machine.runs["mpx"] == 21, f"in 3 rounds: {machine.runs}")
    rows = {r["name"]: r for r in results.rows([jobs])}
    found = [rows[n]["mpx"] for n in ("latency", "latency_low", "latency_worst")]
    expect(found == [11, 6, 21], f"{found}")
    expect(not rows["latency"]["disturbed"], f"{rows}")
    machine = FakeMachine(lambda c, n: sample(1.0, disturbed=n > 4))
    results = measure_all(machine, [jobs], 3, budget_s=5, child_s=1)
    row = next(results.rows([jobs]))
    expect("4 of its jobs" in row["disturbed"]["mpx"], f"{row}")


def paths_stand_beside_theirs():
    fresh = next(t for t in make_tests() if t.name == "fresh_bw")
    values = {"mpx": 9.5, "mpx/get": 4.0, "mpx/put": 5.0, "mpx/packets": 10.0}
    for packets, state in ((10.0, MET), (11.0, MISSED)):
        values["mpx/packets"] = packets
        machine = FakeMachine(lambda c, n: sample(values[c]), fresh)
        results = measure_all(machine, [fresh], 3, budget_s=5, child_s=1)
        targets = Targets(list(results.rows([fresh])), {}, None, False, ("fresh_bw",))
        expect(states(targets) == [state], f"{targets.checks}")


def what_no_library_can_is_not_missed():
    """It is where processes without a library do not reach the target, and mpx is near them."""
    barrier = next(t for t in make_tests() if t.name == "coll_barrier")
    for raw, mpx, disturbed, state in ((0.5, 0.5, False, MET), (0.6, 0.65, False, AT_LIMIT),
                                       (0.6, 0.72, False, MISSED), (0.4, 0.6, False, MISSED),
                                       (0.6, 0.65, True, MISSED), (None, 0.65, False, MISSED)):
        values = dict(mpx=mpx, raw=raw or 0.6, openmpi=1.0, mpich=1.1)
        machine = FakeMachine(lambda c, n: sample(values[c], disturbed and c == "raw"), barrier)
        results = measure_all(machine, [barrier], 3, budget_s=5, child_s=1)
        rows = [row | {"raw": row["raw"] if raw else None} for row in results.rows([barrier])]
        targets = Targets(rows, {}, None, False, ("coll_barrier",))
        expect(states(targets) == [state], f"{raw}, {mpx}: {targets.checks}")


def every_target_has_its_row():
    """A name that is misspelt among rows and targets would be seen as a row that failed."""
    rows = []
    for test in make_tests():
        machine = FakeMachine(lambda c, n: sample(1.0), test)
        results = measure_all(machine, [test], 1, budget_s=5, child_s=1)
        rows += results.rows([test])
    targets = Targets(rows, {}, "not counted", False)
    refused = [c.figure for c in targets.checks if c.state not in (MET, AT_LIMIT, MISSED)]
    expect(all("instructions" in f or "compile" in f for f in refused), f"{refused}")
    drawn = chart.chart_script(rows, [], {})
    expect("not measured" not in drawn, "a panel of the chart is empty")


@contextlib.contextmanager
def with_mpicc():
    choose_mpicc()
    try:
        yield
    finally:
        MPICC.clear()
        compare.CONTENDERS.remove("mpicc")


def the_mpi_library_has_a_column():
    with with_mpicc():
        every_target_has_its_row()
        test = next(t for t in make_tests() if t.name == "latency")
        for by_mpicc, state in ((1.1, MET), (1.3, MISSED)):
            values = dict(mpx=1.0, mpicc=by_mpicc, raw=0.9, mpich=3.0, openmpi=4.0)
            rows, targets = judged(FakeMachine(lambda c, n, of=values: sample(of[c]), test), test=test)
            found = [c.state for c in targets.checks if "by mpicc" in c.figure]
            expect(found == [state], f"{targets.checks}")
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            report.print_rows(rows, {"latency": True})
        head, _, line = shown.getvalue().splitlines()
        expect(head.split()[5:10] == ["mpx", "mpicc", "raw", "mpich", "openmpi"], head)
        expect(line.split()[-4:] == ["1.111", "1.3", "3x", "2.308x"], line)
        expect("mpx by its mpicc" in chart.chart_script(rows, [], {}), "the chart's legend has it")
    expect(compare.CONTENDERS == ["mpx", "raw", *MPIS], f"{compare.CONTENDERS}")


def jobs_are_timed_as_a_whole():
    machine = compare.machine.Machine.__new__(compare.machine.Machine)
    with tempfile.TemporaryDirectory() as folder:
        machine.probe_file, machine.environment = Path(folder) / "board", dict(os.environ)
        machine.command = lambda contender, test: ["sleep", "0.2"]
        start = next(t for t in make_tests() if t.name == "start")
        found = machine.measure("mpx", start, 20)
    expect(found.why is None and 200 <= found.samples[0].value < 20000, f"{found}")


def what_we_use_is_not_others():
    """A shell's busy child is ours, although it is not our child; so is one left behind."""
    spin = "import time\nwhile time.process_time() < 0.4: pass"
    before = own_seconds()
    ran = run(["sh", "-c", f"'{sys.executable}' -c '{spin}'; true"], 20)
    expect(ran.why is None and own_seconds() - before > 0.35, f"our own time is unknown: {ran}")
    before = own_seconds()
    ran = run(["sh", "-c", f"'{sys.executable}' -c 'while True: pass' & sleep 60"], 1)
    expect("not done" in ran.why, f"{ran}")
    expect(own_seconds() - before > 0.2, "the time of what was ended is unknown")
    before = own_seconds()
    expect(run(["sleep", "0.5"], 20, loaded=True).why is None, "a load of ours")
    expect(own_seconds() - before > 0.1, "the time of a load of ours is unknown")


def what_is_left_behind_is_ended():
    """A launcher may end before its ranks, in sessions of their own, and whatever its exit code."""
    for ending in ("exit 0", "exit 3", "sleep 60"):
        command = f"setsid sleep 61 & echo $! ; (setsid sh -c 'echo $$; exec sleep 61' &) ; {ending}"
        done = run(["sh", "-c", command], 1)
        left = [int(pid) for pid in done.out.split()]
        expect(len(left) == 2, f"{done}")
        expect((done.why is None) == (ending == "exit 0"), f"{done}")
        for pid in left:
            expect(not Path(f"/proc/{pid}").exists(), f"{ending}: process {pid} is still there")


# Real programs on a machine whose noise only a test knows.

def judged_with(noise, machine):
    """The verdicts on latency, with the noise that a test makes."""
    module_of = (compare.process, compare.machine)
    real = compare.process.noise
    try:
        for module in module_of:
            module.noise = noise
        results = measure_all(machine, [LATENCY], 1, budget_s=20, child_s=8)
    finally:
        for module in module_of:
            module.noise = real
    rows = list(results.rows([LATENCY]))
    expect(any(row["mpx"] is not None for row in rows), f"nothing was measured: {results.notes}")
    return rows, states(Targets(rows, {}, None, True, ("latency",)))


def quiet_machines_are_not_refused(machine, folder):
    rows, found = judged_with(FakeProc(tempfile.mkdtemp(dir=folder)).noise, machine)
    expect(not any(row["disturbed"] for row in rows), f"refused on a quiet machine: {rows}")
    expect(DISTURBED not in found, f"{found}")


def disturbed_machines_are_refused(machine, folder):
    proc = FakeProc(tempfile.mkdtemp(dir=folder))

    def others_work_meanwhile():
        proc.pass_time(0.5, others=0.8, name="solver")
        return proc.wall

    proc.noise.clock = others_work_meanwhile
    rows, found = judged_with(proc.noise, machine)
    for row in rows:
        for contender, cause in row["disturbed"].items():
            expect(re.search("others used 0.[78][0-9] of 2 cores: solver", cause), f"{contender}: {cause}")
        expect("mpx" in row["disturbed"] or row["mpx"] is None, f"{row}")
    expect(set(found) <= {DISTURBED, NO_VERDICT} and DISTURBED in found, f"{found}")


# Launchers, which are scripts here.

@contextlib.contextmanager
def launchers(**said):
    """Those of MPIs, by name: what each prints, and its exit code. No others are found."""
    with tempfile.TemporaryDirectory() as folder:
        for mpi, (text, code) in said.items():
            script = Path(folder, LAUNCHERS[mpi])
            script.write_text(f"#!/bin/sh\ncat >&{2 if code else 1} <<'END'\n{text}\nEND\nexit {code}\n")
            script.chmod(0o755)
        machine = object.__new__(compare.machine.Machine)
        machine.quick, machine.hosts, machine.probe_file = True, None, Path(folder, "board")
        machine.kinds, machine.launched_by, machine.programs = {}, {m: m for m in MPIS}, {m: Path("perf") for m in MPIS}
        machine.environment = dict(os.environ, PATH=f"{folder}:/usr/bin:/bin")
        with mock.patch.dict(os.environ, PATH=folder):
            yield machine


def another_library_may_launch():
    alone = ("mpi_perf: mpich gave this process a world of its own: run it on at least 2 ranks", 2)
    two = ('{"shared_memory": true}', 0)
    with launchers(mpich=alone, openmpi=two) as machine:
        why = machine.try_launchers("mpich", Path("perf"))
        expect(why is None, f"Open MPI's launcher starts it: {why}")
        command = machine.command("mpich", LATENCY)
        expect(command[0] == LAUNCHERS["openmpi"] and "-bind-to" not in command, f"{command}")
    with launchers(mpich=two, openmpi=two) as machine:
        expect(machine.try_launchers("mpich", Path("perf")) is None, "its own starts it")
        expect(machine.command("mpich", LATENCY)[0] == LAUNCHERS["mpich"], "by its own")
    with launchers(mpich=alone, openmpi=alone) as machine:
        why = machine.try_launchers("mpich", Path("perf"))
        expect(why.count("a world of its own") == 2 and LAUNCHERS["openmpi"] in why, why)
    with launchers(mpich=alone) as machine:
        why = machine.try_launchers("mpich", Path("perf"))
        expect("a world of its own" in why and LAUNCHERS["openmpi"] not in why, why)


@contextlib.contextmanager
def chosen(*texts):
    choose_mpis([parse_mpi(text) for text in texts])
    try:
        yield
    finally:
        choose_mpis([])
        PROGRAMS.update(DEBIANS)
        MPIS[:] = DEBIANS
        NAMES.update((key, mpi.name) for key, mpi in DEBIANS.items())
        compare.CONTENDERS[2:] = MPIS


def any_mpi_may_be_named():
    found = parse_mpi("My MPI=/a/mpicc -g:/b/mpiexec --host 'a b:2'")
    expect(found == ("My MPI", ("/a/mpicc", "-g"), ("/b/mpiexec", "--host", "a b:2")), f"{found}")
    expect(parse_mpi("X='/a:b/cc':run").compiler == ("/a:b/cc",), "a colon in quotes")
    for wrong in ("", "cc:run", "X=cc", "X=:run", "X=cc:", "mpx=cc:run", "a/b=cc:run", "X='cc:run"):
        with contextlib.suppress(ValueError):
            parse_mpi(wrong)
            expect(False, f"taken: {wrong}")
    said = {"ours": ("Open MPI 9.9", "openmpi"), "hydra": ("HYDRA build details", "mpich"), "other": ("aprun 1", None)}
    with tempfile.TemporaryDirectory() as folder:
        for name, (version, _) in said.items():
            Path(folder, name).write_text(f"#!/bin/sh\necho '{version}'\n")
            Path(folder, name).chmod(0o755)
        with chosen(*(f"{name}=cc:{folder}/{name} -q" for name in said)), launchers() as machine:
            expect(MPIS == list(said) and set(MPIS) < set(make_tests()[0].programs), f"{MPIS}")
            test = next(t for t in make_tests() if t.name == "latency")
            for name, (_, kind) in said.items():
                expect(machine.kind_of(name) == kind, name)
                command = [str(word) for word in machine.command(name, test)]
                expect(command[:3] == [f"{folder}/{name}", "-q", "-n"], f"{command}")
                options = {"openmpi": "--bind-to", "mpich": "-bind-to"}
                for of, option in options.items():
                    expect((option in command) == (of == kind), f"{command}")
            machine = FakeMachine(lambda c, n: sample(1.0), test)
            results = measure_all(machine, [test], 1, budget_s=5, child_s=1)
            rows = list(results.rows([test]))
            expect(all(rows[0][name] == 1.0 for name in said), f"{rows}")
            drawn = chart.chart_script(rows, [], {})
            expect(all(f'"{name}"' in drawn for name in said), "the chart's legend has all")
    expect(MPIS == ["mpich", "openmpi"], f"{MPIS}")


# The script itself. Other jobs may use the cores: only refusals can be expected here.

def run_compare(folder, environment=None, prefix="", mpis=""):
    answer = Path(folder) / "answer.json"
    answer.unlink(missing_ok=True)
    command = (f"{prefix}exec '{sys.executable}' '{SOURCE}/scripts/compare' --quick --rounds 1 "
               f"--only latency {mpis} --build '{BIN.parent}' --out '{folder}' --json '{answer}'")
    unshared = ["unshare", "-m"] if prefix else []
    if prefix and os.geteuid() != 0:
        unshared += ["-r"]
    done = subprocess.run([*unshared, "sh", "-c", command], text=True, capture_output=True,
                          timeout=750, env=dict(os.environ, **(environment or {})))
    expect(answer.exists(), f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done, json.loads(answer.read_text())


def expect_left_out(done, report, mpis, why):
    for mpi in mpis:
        expect(mpi in report["left_out"], f"{mpi} is not left out: {report['rows']}")
        if re.search(r"not done|to start two ranks|a world of its own", report["left_out"][mpi]):
            print(f"skipped: {mpi}: {report['left_out'][mpi]}")  # It did not come that far.
            continue
        expect(re.search(why, report["left_out"][mpi]), f"{mpi}: {report['left_out']}")
        for row in report["rows"]:
            expect(row[mpi] is None and mpi in row["left_out"], f"{mpi} is in the row {row}")
        expect(report["left_out"][mpi] in done.stdout, f"no reason is printed:\n{done.stdout}")
    if set(mpis) == set(MPIS):
        to_mpi = next(c for c in report["checks"] if "MPI" in c["figure"])
        expect(to_mpi["state"] in (NO_VERDICT, DISTURBED), f"{to_mpi}")
        expect(done.returncode == 3 and "NO VERDICT" in done.stdout, f"{done}")
    if shutil.which("gnuplot"):
        drawn = next(line for line in done.stdout.splitlines() if line.startswith("chart: "))
        expect("is left out" in Path(drawn[7:]).read_text(), "the chart does not say so")


def is_here(mpi):
    """True if it is installed, and the variables below make it fall back."""
    for needed in (LAUNCHERS[mpi], f"mpicc.{mpi}"):
        if not shutil.which(needed):
            print(f"skipped: {needed} is not installed")
            return False
    if mpi == "openmpi":
        return True
    version = shutil.which("mpichversion.mpich") or shutil.which("mpichversion")
    said = subprocess.run([version], capture_output=True, text=True).stdout if version else ""
    if "ch4:ucx" not in said:
        print("skipped: this MPICH is not over UCX: how to keep it from shared memory is not known")
        return False
    return True


def forced_to_tcp(folder, mpis):
    done, report = run_compare(folder, {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_pml": "ob1",
                                    "UCX_TLS": "tcp,self"})
    expect_left_out(done, report, mpis, "do not pass through shared memory")


def little_shared_memory(folder, mpis):
    """Open MPI falls back to TCP in silence, MPICH ends."""
    unshare = ["unshare", "-m"] + (["-r"] if os.geteuid() != 0 else [])
    tried = subprocess.run([*unshare, "sh", "-c", SMALL_SHM], capture_output=True, text=True)
    if tried.returncode != 0:
        print(f"skipped: a small /dev/shm: {tried.stderr.strip()}")
        return
    done, report = run_compare(folder, prefix=f"{SMALL_SHM} && ")
    expect_left_out(done, report, mpis, r"/dev/shm has [01]\.\d MiB free")


def mpis_of_other_names(folder, mpis):
    """Those of this machine, by their paths."""
    named = {f"my {mpi}": (shutil.which(f"mpicc.{mpi}"), shutil.which(LAUNCHERS[mpi])) for mpi in mpis}
    done, report = run_compare(folder, mpis=" ".join(
        f"--mpi '{name}={compiler} -DNDEBUG:{launcher}'" for name, (compiler, launcher) in named.items()))
    for name in named:
        if name in report["left_out"]:
            print(f"skipped: {name}: {report['left_out'][name]}")
            continue
        expect(any(row[name] is not None for row in report["rows"]), f"{name} is not measured: {report['rows']}")
        expect(name in done.stdout, f"{name} has no column:\n{done.stdout}")
    expect(not any("mpich" in row or "openmpi" in row for row in report["rows"]), f"{report['rows']}")


@contextlib.contextmanager
def a_busy_core():
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.2)
        yield
    finally:
        loop.kill()
        loop.wait()


def no_verdict_under_load(folder):
    with a_busy_core():
        done, report = run_compare(folder)
    figures = [(row, c) for row in report["rows"] for c in LATENCY.programs if row[c] is not None]
    expect(figures, "numbers are printed all the same")
    for row, contender in figures:
        expect(contender in row["disturbed"], f"{contender} counts as undisturbed: {row}")
    expect({c["state"] for c in report["checks"]} == {DISTURBED}, f"{report['checks']}")
    expect(done.returncode == 3 and "disturbed: no verdict" in done.stdout, f"{done}")


def bare_programs_know_their_arguments():
    known = subprocess.run([BIN / "raw_perf", "--help"], stdout=subprocess.PIPE, text=True,
                           timeout=300).stdout.split()
    known = {word.strip("[]|") for word in known}
    for test in make_tests():
        if "raw" in test.programs and not test.provider:
            asked = [test.programs["raw"], *test.args, *test.args_of.get("raw", ())]
            names = [a for a in asked if not str(a).isdigit()]
            expect(known.issuperset(names), f"{test.label}: raw_perf does not know {names}")


def main():
    adopt_orphans()
    for check in (quiet_samples_are_judged, disturbed_rows_are_repeated,
                  targets_on_demand_are_only_counted,
                  rows_of_one_round_are_repeated,
                  what_stays_disturbed_is_not_judged, who_takes_another_way_is_left_out,
                  rows_that_cannot_be_had_say_why,
                  preempted_samples_count_where_there_are_no_better, evidence_is_needed,
                  looks_disturb_all_between_them, fresh_jobs_are_counted,
                  paths_stand_beside_theirs, what_no_library_can_is_not_missed,
                  every_target_has_its_row, the_mpi_library_has_a_column, jobs_are_timed_as_a_whole,
                  what_we_use_is_not_others, what_is_left_behind_is_ended,
                  another_library_may_launch, any_mpi_may_be_named):
        check()
    programs = all((BIN / name).exists() for name in ("mpx-perf", "raw_perf", "mpxrun"))
    if not programs or os.environ.get("FOR_RELEASE") == "0":
        print("left out: measurements, which are for a release, and need the programs of the comparison")
        return
    with tempfile.TemporaryDirectory() as folder:
        bare_programs_know_their_arguments()
        machine = compare.machine.Machine(BIN.parent, Path(folder), True)
        quiet_machines_are_not_refused(machine, folder)
        disturbed_machines_are_refused(machine, folder)
        no_verdict_under_load(folder)
        mpis = [m for m in MPIS if is_here(m)]
        if mpis:
            mpis_of_other_names(folder, mpis)
            forced_to_tcp(folder, mpis)
            little_shared_memory(folder, mpis)


if __name__ == "__main__":
    main()
