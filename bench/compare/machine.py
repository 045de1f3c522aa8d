# SPDX-License-Identifier: BSL-1.0
"""The programs of this machine, how to start them, and whether what they say may be compared."""

import json
import os
import re
import shlex
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from compare import CONTENDERS, DEBIANS, MIB, MPICC, MPIS, NAMES, PROGRAMS, ROOT
from compare.process import fail, noise, progress, run

# By the kind of its launcher, what makes an MPI use TCP over loopback. MPICH's is that of its device: UCX, or libfabric.
BY_TCP = {"mpich": {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "FI_PROVIDER": "tcp",
                    "MPIR_CVAR_NOLOCAL": "1"},
          "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
                      "OMPI_MCA_btl_tcp_if_include": "lo"}}
# The same between the namespaces of test/jobs/hosts.py, whose devices are called eth.
BY_LINK = {"mpich": {"UCX_NET_DEVICES": "eth", "FI_TCP_IFACE": "eth"},
           "openmpi": {"OMPI_MCA_btl_tcp_if_include": "eth", "OMPI_MCA_oob_tcp_if_include": "eth"}}
# And shared memory among the ranks of each. MPICH treats one machine as two hosts only if it is told to.
WITH_SHARED_MEMORY = {"mpich": {"MPIR_CVAR_NUM_CLIQUES": "2", "UCX_TLS": "tcp,self",
                                "FI_PROVIDER": "tcp"},
                      "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,vader,self"}}
ALONE = "a world of its own"  # What mpi_perf says to a rank that its launcher has left alone.
NEAR_NS_MAX = 150.0  # A cache line's one-way time below this is mode A.
SMALL_SHM_BYTES = 64 * MIB  # An MPI asks for some MiB a rank in /dev/shm.
STRAY_BYTES_MAX = 4096  # What a launcher may say to its ranks meanwhile.


@dataclass
class Sample:
    mode: str  # "A", "B"; None where the probes around it disagree or are missing.
    value: float
    disturbed: str = None  # By what others did meanwhile: no verdict on it.
    preempted: bool = False  # A rank lost its core for a moment: there may be better.
    beyond: float = None  # Of a whole program: the time that is not its own work.


@dataclass
class Measured:
    samples: list = field(default_factory=list)
    why: str = None  # What went wrong.
    left_out: str = None  # Why this contender must not stand in this row.
    others: float = 0.0  # The cores that others kept busy meanwhile.


def mode_of(probes):
    if any(p is None for p in probes):
        return None
    near = [p < NEAR_NS_MAX for p in probes]
    return None if near[0] != near[1] else "A" if near[0] else "B"


def shm_hint():
    """Possible reasons for an MPI without shared memory."""
    try:
        shm = os.statvfs("/dev/shm")
    except OSError as e:
        return f"; /dev/shm: {e.strerror}"
    free = shm.f_bavail * shm.f_frsize
    return f"; /dev/shm has {free / MIB:.1f} MiB free" if free < SMALL_SHM_BYTES else ""


def lines_of(out):
    """The objects of the output, a line each. Returns (them, None or a line that is none)."""
    found = []
    for line in out.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                return found, line
    return found, None


def why_not_by_tcp(mpi, lines):
    """Why an MPI's figures cannot stand beside those of sockets, or None."""
    said = {name: line[name] for line in lines
            for name in ("shared_memory", "sent_bytes", "socket_bytes") if name in line}
    if said.get("shared_memory") is not False:
        return f"the messages of {NAMES[mpi]} do not pass through TCP"
    by_tcp, sent = said.get("socket_bytes", 0), said.get("sent_bytes", 0)
    if by_tcp < sent / 2:
        return f"{NAMES[mpi]} sent {by_tcp:.0f} bytes of its {sent:.0f} through TCP"
    return None


def why_not_between_hosts(mpi, lines):
    """Why an MPI's figures cannot stand beside those of ranks on two hosts, or None."""
    if any(line.get("shared_memory") is True for line in lines):
        return f"all messages of {NAMES[mpi]} pass through shared memory"
    return None


def why_not_comparable(mpi, lines):
    """Why an MPI's figures cannot stand beside those of shared memory, or None. mpi_perf says
    whether a message was found in the memory that its ranks share, and what TCP has carried."""
    said = {name: line[name] for line in lines
            for name in ("shared_memory", "sent_bytes", "socket_bytes") if name in line}
    if "shared_memory" not in said:
        return f"{NAMES[mpi]} did not come to say which way its messages take" + shm_hint()
    if said["shared_memory"] is not True:
        return f"the messages of {NAMES[mpi]} do not pass through shared memory" + shm_hint()
    by_tcp, sent = said.get("socket_bytes", 0), said.get("sent_bytes", 0)
    if by_tcp > max(sent / 2, STRAY_BYTES_MAX):
        return f"{NAMES[mpi]} sent {by_tcp:.0f} bytes of its {sent:.0f} through TCP" + shm_hint()
    return None


class Machine:
    """The programs of this machine and how to start them."""

    def __init__(self, build, scratch, quick, mpicc=None):
        self.quick = quick
        self.mpicc = mpicc
        self.bin = build / "bin"
        self.probe_file = scratch / "board"
        self.programs = {"mpx": self.bin / "mpx-perf", "raw": self.bin / "raw_perf"}
        missing = [p for p in (*self.programs.values(), self.bin / "mpxrun")
                   if not os.access(p, os.X_OK)]
        if missing:
            name = build.name
            fail(f"not built: {', '.join(str(p) for p in missing)}\n  build them first: "
                 f"cmake --preset {name} && cmake --build --preset {name}")
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if PROGRAMS == DEBIANS:
            self.environment |= dict(OMPI_CC="cc", MPICH_CC="cc", OMPI_CXX="g++", MPICH_CXX="g++")
        self.hosts = None  # Two of test/jobs/hosts.py, where rows want them.
        self.providers = {}  # Of libfabric that were tried -> None, or why there is none.
        self.absent = {}
        self.kinds = {}
        self.whole_programs = {}  # Where rows want them.
        self.starters = {}
        self.launched_by = {mpi: mpi for mpi in MPIS}
        for mpi in MPIS:
            program = build / "compare" / f"mpi_perf.{mpi.replace(' ', '_')}"
            why = self.build_mpi(mpi, program) or self.try_launchers(mpi, program)
            if why:
                self.absent[mpi] = why
            else:
                self.programs[mpi] = program
        for mpicc in MPICC:
            self.programs[mpicc] = build / "compare/mpi_perf.mpicc"
            if why := self.build_mpi(mpicc, self.programs[mpicc]):
                fail(why)

    def build_mpi(self, mpi, program, source="mpi_perf.c"):
        """Returns None, or why there is no program of this MPI."""
        ours = mpi in MPICC
        compiler = (str(self.mpicc),) if ours else PROGRAMS[mpi].compiler
        for needed in (compiler[0], self.bin / "mpxrun" if ours else PROGRAMS[mpi].launcher[0]):
            if shutil.which(needed) is None:
                return f"{needed} is not installed"
        program.parent.mkdir(parents=True, exist_ok=True)
        built = run([*compiler, "-std=gnu11", "-O2", ROOT / "bench" / source, "-o", program, "-lm"],
                    120, self.environment)
        return f"{shlex.join(compiler)} bench/{source}: {built.why}" if built.why else None

    def build_whole_programs(self):
        """Those of bench/programs, by each MPI that is there."""
        self.whole_programs["mpx"] = self.bin / "mpx_programs"
        if not os.access(self.whole_programs["mpx"], os.X_OK):
            fail(f"not built: {self.whole_programs['mpx']}")
        self.whole_programs |= self.build_others("programs/mpi_programs.c")

    def build_starters(self):
        """The programs that start, meet once and end."""
        self.starters["mpx"] = self.bin / "start"
        if not os.access(self.starters["mpx"], os.X_OK):
            fail(f"not built: {self.starters['mpx']}")
        self.starters |= self.build_others("mpi_start.c")

    def build_others(self, source):
        """A program by each MPI that is there: {contender: path}."""
        made = {}
        for mpi in self.programs.keys() & {*MPICC, *MPIS}:
            made[mpi] = self.programs[mpi].with_name(f"{Path(source).stem}.{mpi.replace(' ', '_')}")
            if why := self.build_mpi(mpi, made[mpi], source):
                fail(why)
        return made

    def kind_of(self, mpi):
        """The options that its launcher knows: "openmpi", "mpich" (MPICH's Hydra, as of MVAPICH), or
        None: it gets none but -n."""
        if mpi in DEBIANS and PROGRAMS[mpi] == DEBIANS[mpi]:
            return mpi
        if mpi not in self.kinds:
            said = run([PROGRAMS[mpi].launcher[0], "--version"], 20, self.environment).out
            self.kinds[mpi] = ("openmpi" if re.search("Open ?MPI|OpenRTE|PRRTE", said)
                               else "mpich" if "HYDRA" in said else None)
        return self.kinds[mpi]

    def try_launchers(self, mpi, program):
        """Returns None, or why this MPI cannot be compared with on this machine. Some distributions
        ship a launcher that its own library does not know: that of Ubuntu's MPICH asks for PMIx,
        which Open MPI's launcher has."""
        why = self.try_mpi(mpi, program)
        other = DEBIANS["openmpi"].launcher[0]
        if (PROGRAMS == DEBIANS and mpi == "mpich" and why and ALONE in why
                and shutil.which(other)):
            self.launched_by[mpi] = "openmpi"
            if why_not_so_either := self.try_mpi(mpi, program):
                return f"{why}; by {other}: {why_not_so_either}"
            print(f"compare: {mpi} is started by {other}: {DEBIANS[mpi].launcher[0]} gives each "
                  "process a world of its own", file=sys.stderr)
            return None
        return why

    def try_mpi(self, mpi, program):
        """The same by the launcher that is chosen for it."""
        start = time.monotonic()
        by = self.launched_by[mpi]
        launcher = PROGRAMS[by].launcher
        openmpis = self.kind_of(by) == "openmpi"
        lenient = ["--oversubscribe", "--bind-to", "none"] if openmpis else []
        tried = run([*launcher, "-n", 2, *lenient, program, "--test", "latency", "--iters", 10,
                     "--warmup", 10, "--json-line"], 10 if self.quick else 60, self.environment)
        took = time.monotonic() - start
        lines, _ = lines_of(tried.out)
        if tried.why and not any("shared_memory" in line for line in lines):
            return tried.why + shm_hint()
        if why := why_not_comparable(mpi, lines) or tried.why:
            return why
        if self.quick and took > 4:  # There is no time for a dozen of those.
            cause = ("does the name of this host resolve, as by a line of /etc/hosts?" if by == mpi
                     else "it is not of the same library")
            return (f"{shlex.join(launcher)} takes {took:.0f} s to start two ranks ({cause}); without "
                    "--quick it is waited for")
        return None

    def why_without(self, test):
        """None, or why there is no such row on this machine."""
        if test.provider is None:
            return None
        if test.provider not in self.providers:
            self.providers[test.provider] = self.try_provider(test)
        return self.providers[test.provider]

    def try_provider(self, test):
        if not os.access(self.bin / "fabric_raw", os.X_OK):
            return ("fabric_raw is not built: is libfabric installed (package libfabric-dev), and "
                    "was the build configured since?")
        tried = run([self.bin / "mpxrun", "-n", 2, self.bin / "fabric_raw", "latency", "--iters",
                     10], 10 if self.quick else 30, self.environment | test.environment)
        return f"provider {test.provider} of libfabric: {tried.why}" if tried.why else None

    def command(self, contender, test):
        """The command that measures `test`, or None where this contender has no figure for it."""
        name = test.programs.get(contender)
        args_of_it = test.args_of.get(contender, ())
        contender = contender.partition("/")[0]
        program = (self.whole_programs if test.whole_program else self.starters
                   if test.times_job else self.programs).get(contender)
        if program is None or name is None:
            return None
        args = [*test.args, *args_of_it]
        if contender in ("mpx", *MPICC) and test.times_job:
            return [self.bin / "mpxrun", "-n", test.ranks, program]
        if contender == "raw" and test.provider:
            return [self.bin / "mpxrun", "-n", test.ranks, self.bin / "fabric_raw", name, "--size",
                    test.size, *args, "--probe-file", self.probe_file]
        if contender == "raw":
            between = ["--hosts", *self.hosts.names, "10.213.0.1"] if test.on_hosts else []
            return [program, name, "--size", test.size, *args, *between]
        if not test.whole_program:
            args += ["--size", test.size]
        if test.timed_by_mode:
            args += ["--probe-file", self.probe_file]
        if test.pinned:
            args.append("--pin")
        if test.on_hosts:
            if contender in MPIS and (self.launched_by[contender] != contender
                                      or self.kind_of(contender) is None):
                return None  # mpx's own launcher starts the programs of its mpicc.
            return self.command_on_hosts(contender, test.ranks // 2,
                                         [program, name, "--format", "json", *args]
                                         if contender == "mpx" else
                                         [program, "--test", name, "--json-line", *args])
        if contender == "mpx":
            json_lines = [] if test.whole_program else ["--format", "json"]
            return [self.bin / "mpxrun", "-n", test.ranks, program, name, *json_lines, *args]
        named = [name] if test.whole_program else ["--test", name, "--json-line"]
        if contender in MPICC:
            return [self.bin / "mpxrun", "-n", test.ranks, program, *named, *args]
        # Pinned ranks pin themselves, all alike, and two unpinned ones are not bound at all; more ranks than cores
        # run with the MPI's defaults.
        unbound = test.pinned or test.ranks == 2
        by = self.launched_by[contender]
        launch = [*PROGRAMS[by].launcher, "-n", test.ranks]
        if self.launched_by[contender] != contender:
            launch += ["--oversubscribe", "--bind-to", "none"]
            if test.yields:
                launch += ["-x", "MPIR_CVAR_POLLS_BEFORE_YIELD=1"]
        elif self.kind_of(by) == "openmpi":
            if test.by_slots:  # Its default is to spin; --oversubscribe makes it yield.
                launch += ["--host", f"localhost:{test.ranks}"]
            elif test.ranks > 2:
                launch += ["--oversubscribe"]
            launch += ["--bind-to", "none"] if unbound else []
            if test.yields and test.whole_program:
                launch += ["--mca", "mpi_yield_when_idle", "1"]
        elif self.kind_of(by) == "mpich":
            launch += ["-bind-to", "none"] if unbound else []
            if test.yields:
                launch += ["-genv", "MPIR_CVAR_POLLS_BEFORE_YIELD", "1"]
        return [*launch, program, *([] if test.times_job else [*named, *args])]

    def command_on_hosts(self, contender, ranks_each, program):
        """Ranks on each of two hosts."""
        if contender in ("mpx", *MPICC):
            return [self.bin / "mpxrun", *self.hosts.command(*program, ranks_each=ranks_each)]
        shell, where = self.hosts.remote_shell(), self.hosts.addresses(ranks_each)
        ranks = 2 * ranks_each
        return self.hosts.on_first(*PROGRAMS[contender].launcher, *(
            ("--leave-session-attached", "--mca", "plm_rsh_agent", shell, "--host", where, "-n",
             ranks, "--bind-to", "none", "--mca", "mpi_yield_when_idle", int(ranks > 2))
            if self.kind_of(contender) == "openmpi" else
            ("-launcher", "ssh", "-launcher-exec", shell, "-hosts", where, "-n", ranks, "-bind-to",
             "none")), *program)

    def look(self):
        return noise.look()

    def why_disturbed(self, looks):
        return noise.why_disturbed(looks)

    def measure(self, contender, test, timeout_s):
        """Runs `test` once with a contender. Returns a Measured."""
        self.probe_file.write_bytes(bytes(4096))
        environment = self.environment | test.environment
        kind = self.kind_of(contender) if contender in MPIS else None
        if test.sockets:
            environment |= BY_TCP.get(kind, {})
        if test.on_hosts:
            environment |= BY_LINK.get(kind, {})
            if test.ranks > 2:
                environment |= WITH_SHARED_MEMORY.get(kind, {})
        ran = run(self.command(contender, test), timeout_s, environment, test.loaded, test.cores)
        if test.times_job:
            samples = [] if ran.why else [Sample(None, 1e3 * ran.seconds, ran.disturbed)]
            return Measured(samples, ran.why, others=ran.others)
        lines, odd = lines_of(ran.out)
        # Of whole programs the first trial has shown which way messages take.
        if contender in MPIS and not test.whole_program and not (ran.why and not lines):
            judge = (why_not_between_hosts if test.on_hosts and test.ranks > 2
                     else why_not_by_tcp if test.sockets else why_not_comparable)
            if why := judge(contender, lines):
                return Measured(left_out=why)
        samples = []
        picky = test.pinned and not test.jobs  # A fresh job gets what it gets.
        for line in lines:
            if "value" not in line:
                continue
            try:
                samples.append(Sample(mode_of(line["probe_ns"]), float(line["value"]),
                                      ran.disturbed, picky and line["preempted"] > 0,
                                      line.get("beyond")))
            except (ValueError, KeyError, TypeError):
                odd = odd or json.dumps(line)
        why = ran.why or (f"a line that is no sample: {odd[:80]}" if odd else None)
        return Measured(samples, why or (None if samples else "no sample"), others=ran.others)


MPX_UNIT = """#include <mpx/mpx.hpp>
int main() {
  mpx::environment<> env;
  auto world = env.world();
  world.send(1.0, 0, 7);
}
"""
MPI_UNIT = """#include <mpi.h>
int main() {
  MPI_Init(nullptr, nullptr);
  double x = 1.0;
  MPI_Send(&x, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


def compile_row(machine, scratch):
    """The time to compile one unit with one send; the shortest of 5, since noise only adds. Times
    during which others used the cores count where there are no others."""
    row = dict(name="compile", size=0, ranks=1, unit="s", mode=None, disturbed={}, left_out={},
               **dict.fromkeys(CONTENDERS))
    compilers = {"mpx": ["g++", "-I", ROOT / "include", "-pthread"],
                 **{mpi: [*PROGRAMS[mpi].compiler, "-x", "c++"] for mpi in MPIS}}
    for name, compiler in compilers.items():
        if shutil.which(compiler[0]) is None:
            continue
        unit = scratch / f"{name}.cpp"
        unit.write_text(MPX_UNIT if name == "mpx" else MPI_UNIT)
        times, spare, why = [], [], None
        for _ in range(5):
            progress(f"compiling: {name}")
            start = time.monotonic()
            ran = run([*compiler, "-std=c++20", "-O0", "-c", unit, "-o", scratch / "unit.o"],
                      120, machine.environment)
            if ran.why:
                print(f"compare: the {name} unit does not compile: {ran.why}", file=sys.stderr)
                break
            (spare if ran.disturbed else times).append(time.monotonic() - start)
            why = ran.disturbed or why
        row[name] = min(times or spare, default=None)
        if spare and not times:
            row["disturbed"][name] = why
    progress("")
    return row


def count_instructions(scratch, mpicc=None):
    """The output of scripts/count, that of `mpicc` included; or ({}, reason)."""
    progress("counting instructions")
    answer = scratch / "count.json"
    counts = {}
    for of in [[], ["--mpicc", mpicc]][:2 if mpicc else 1]:
        ran = run([ROOT / "scripts/count", *of, "--json", answer], 300)
        if ran.why:
            return counts, ran.why
        counts |= json.loads(answer.read_text())
    progress("")
    return counts, None


def describe_machine():
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    kernel = ".".join(os.uname().release.split(".")[:2])
    return [f"{model}, {len(os.sched_getaffinity(0))} cores, Linux {kernel}",
            time.strftime("%Y-%m-%d"),
            f"mode A: near, a cache line crosses in < {NEAR_NS_MAX:.0f} ns", "mode B: far"]
