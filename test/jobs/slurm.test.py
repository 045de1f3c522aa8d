#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Jobs of Slurm: a cluster of two nodes on this machine, of which one test's daemons live as long as
the test does, on ports and in a folder of their own."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from jobs import PATIENCE, contains, equal, gone, helper, main
from launched import (BARE, BUS, CG, all_joined, launch, lost, optional_helper, program, skip,
                      solved)

PROGRAMS = {name: program(name) for name in ("munged", "slurmctld", "slurmd", "srun", "sinfo")}
MISSING = [name for name, path in PROGRAMS.items() if path is None]
if MISSING:
    skip(f"there is no {', '.join(MISSING)} (Debian: slurmctld slurmd slurm-client munge)")
if os.geteuid() != 0:
    skip("Slurm's daemons start jobs as other users: this needs root")
JOINED = helper("joined")
JOINED_PMIX = optional_helper("joined_pmix")

CONFIGURATION = """\
ClusterName=mpxtest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2
KillWait=2
MinJobAge=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=4 State=UNKNOWN
PartitionName=p Nodes=n1,n2 Default=YES OverSubscribe=FORCE:4 State=UP MaxTime=5
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """munged, slurmctld and two slurmd, as children of this process."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mpx-slurm-"))
        self.daemons = []
        atexit.register(self.end)
        signal.signal(signal.SIGTERM, lambda *_: os._exit(self.end() or 1))
        self.folder.chmod(0o755)  # munged wants to be reached by all.
        for name in ("state", "spool.n1", "spool.n2", "tmp.n1", "tmp.n2", "munge"):
            (self.folder / name).mkdir()
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=os.uname().nodename.split(".")[0], folder=self.folder, ports=free_ports(3)),
            encoding="ascii")
        self.env = {**BARE, "SLURM_CONF": str(self.configuration)}
        here = f"{self.folder}/munge"
        self.start("munged", "--foreground", "--force", f"--key-file={here}/key",
                   f"--socket={self.folder}/munge.socket", f"--pid-file={here}/pid",
                   f"--log-file={here}/log", f"--seed-file={here}/seed", "--num-threads=1")
        self.until(lambda: (self.folder / "munge.socket").exists(), "munged has no socket")
        self.start("slurmctld", "-D", "-c", "-f", self.configuration)
        for node in ("n1", "n2"):
            self.start("slurmd", "-D", "-f", self.configuration, "-N", node)
        self.until(self.ready, "the nodes are not idle")

    def start(self, name, *arguments):
        with open(self.folder / f"{name}.{len(self.daemons)}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(
                [PROGRAMS[name], *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, env=self.env, cwd=self.folder, start_new_session=True))

    def ready(self):
        r = subprocess.run([PROGRAMS["sinfo"], "-h", "-N", "-o", "%T"], capture_output=True,
                           text=True, env=self.env, timeout=20, check=False)
        return r.stdout.split() == ["idle", "idle"]

    def until(self, true, why):
        end = time.monotonic() + 20 * PATIENCE
        while not true():
            dead = [d for d in self.daemons if d.poll() is not None]
            if dead or time.monotonic() > end:
                told = "".join(p.read_text(errors="replace")[-800:]
                               for p in sorted(self.folder.glob("*.out")))
                skip(f"this machine cannot run Slurm's daemons: {why}; they say: {told.strip()}")
            time.sleep(0.05)

    def end(self):
        """Ends the daemons, the jobs before their parents."""
        for d in reversed(self.daemons):
            d.terminate()
        for d in reversed(self.daemons):
            try:
                d.wait(10)
            except subprocess.TimeoutExpired:
                d.kill()
                d.wait()
        self.daemons.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def srun(self, *command, env=None):
        return launch(PROGRAMS["srun"], "--quiet", "--immediate=20", "--time=1", *command,
                      env={**(env or {}), "SLURM_CONF": str(self.configuration)})


CLUSTER = Cluster()
WAYS = [("pmi2", JOINED)]
if JOINED_PMIX is None:
    print("--mpi=pmix: left out: there was no libpmix when the tests were built")
elif "pmix" not in subprocess.run([PROGRAMS["srun"], "--mpi=list"], capture_output=True, text=True,
                                  env=CLUSTER.env, timeout=20, check=False).stdout:
    print("--mpi=pmix: left out: this Slurm has no plugin for it")
else:
    WAYS.append(("pmix", JOINED_PMIX))


def test_ranks_join():
    for way, joined in WAYS:
        for nodes, ranks in ((1, 1), (2, 4)):
            all_joined(CLUSTER.srun(f"--mpi={way}", f"-N{nodes}", f"-n{ranks}", joined), ranks)


def test_values_alone():
    for way, joined in WAYS:
        all_joined(CLUSTER.srun(f"--mpi={way}", "-N2", "-n4", joined, "kvs"), 4, "met")


def test_random_traffic():
    r = CLUSTER.srun("--mpi=pmi2", "-N2", "-n4", helper("random_traffic"), 7)
    equal((r.returncode, r.stderr), (0, ""))


def test_cg():
    if not CG.exists():
        print("test_cg: left out: the examples are not built")
        return
    for way, _ in WAYS:
        solved(CLUSTER.srun(f"--mpi={way}", "-N2", "-n4", CG, BUS, "--quiet"))


def test_a_rank_that_goes():
    """Slurm lets the others live: they learn of it from each other."""
    for way, joined in WAYS:
        r = CLUSTER.srun(f"--mpi={way}", "-N2", "-n3", joined, "kill")
        lost(r)
        equal(r.stderr.count("rank 1 (pid "), 2)
        r = CLUSTER.srun(f"--mpi={way}", "-N2", "-n3", joined, "abort")
        assert r.returncode in (7, 128 + 9), r.returncode  # srun has the highest of all ranks.
        contains(r.stderr, "rank 1 aborted the job with code 7: as it was told")


def test_hosts_that_are_pretended():
    traffic = optional_helper("hybrid_random")
    if traffic is None:
        print("test_hosts_that_are_pretended: left out: there was no libcrypto when the tests were built")
        return
    r = CLUSTER.srun("--mpi=pmi2", "-N2", "-n4", traffic, 7)
    equal((r.returncode, r.stderr), (0, ""))
    # Slurm lets the others live: near ones learn of it from each other, far ones by their sockets.
    r = CLUSTER.srun("--mpi=pmi2", "-N2", "-n4", helper("hybrid_traffic"), "end",
                     env={"MPX_PRETEND_HOSTS": "0,0,1,1"})
    equal(sorted(line for line in r.stdout.splitlines() if "lost" in line),
          [f"rank {n}: a peer was lost" for n in (0, 2, 3)])


def test_without_a_plugin_each_is_alone():
    r = CLUSTER.srun("--mpi=none", "-n2", JOINED)
    equal((r.returncode, r.stdout, r.stderr), (0, "rank 0 of 1 joined\n" * 2, ""))


def test_zz_nothing_is_left_behind():
    pids = [d.pid for d in CLUSTER.daemons]
    folder = CLUSTER.folder
    CLUSTER.end()
    assert gone(pids, 10), pids
    assert not folder.exists()
    left = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, text=True, check=False)
    equal(left.stdout, "")


main(globals())
