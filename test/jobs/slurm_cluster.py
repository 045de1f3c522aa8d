# SPDX-License-Identifier: BSL-1.0
"""Slurm on this machine: a cluster of two nodes, whose daemons live as long as the one who asks for it
does, on ports and in a folder of their own. For tests, and for scripts/startup."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path


def program(*names):
    """The first of these that is installed; None if there is none. (sbin may not be in PATH.)"""
    sbin = "/usr/sbin:/usr/local/sbin:/sbin"
    return next((p for n in names for p in (shutil.which(n), shutil.which(n, path=sbin)) if p), None)


PROGRAMS = {name: program(name) for name in ("munged", "slurmctld", "slurmd", "srun", "sinfo")}


def why_none():
    """Why there can be no cluster here, or ""."""
    missing = [name for name, path in PROGRAMS.items() if path is None]
    if missing:
        return f"there is no {', '.join(missing)} (Debian: slurmctld slurmd slurm-client munge)"
    if os.geteuid() != 0:
        return "Slurm's daemons start jobs as other users: this needs root"
    return ""


class CannotRun(Exception):
    """This machine has the daemons, but they do not live here."""


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
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} State=UNKNOWN
PartitionName=p Nodes=n1,n2 Default=YES OverSubscribe=FORCE:4 State=UP MaxTime=5
"""

# By default slurmd looks for the cgroups of the machine, and ends if there are none, as in a container. This
# plugin needs none until it is used, which does not happen here.
CGROUPS = "CgroupPlugin=cgroup/v1\n"


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

    def __init__(self, environment, cpus=4, patience=1):
        """`environment`: of the daemons. `cpus`: of each node, whatever this machine has. Errors: CannotRun."""
        self.patience = patience
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
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
            host=os.uname().nodename.split(".")[0], folder=self.folder, ports=free_ports(3), cpus=cpus),
            encoding="ascii")
        (self.folder / "cgroup.conf").write_text(CGROUPS, encoding="ascii")
        self.env = {**environment, "SLURM_CONF": str(self.configuration)}
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
                           text=True, env=self.env, timeout=100, check=False)
        return r.stdout.split() == ["idle", "idle"]

    def until(self, true, why):
        end = time.monotonic() + 20 * self.patience
        while not true():
            dead = [d for d in self.daemons if d.poll() is not None]
            if dead or time.monotonic() > end:
                told = "".join(p.read_text(errors="replace")[-800:]
                               for p in sorted(self.folder.glob("*.out")))
                raise CannotRun(f"this machine cannot run Slurm's daemons: {why}; they say: {told.strip()}")
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

    def srun(self, *command):
        """The command line of a job."""
        return (PROGRAMS["srun"], "--quiet", "--immediate=20", "--time=1", *command)

    def speaks(self, way):
        """True if it has a plugin for that."""
        r = subprocess.run([PROGRAMS["srun"], "--mpi=list"], capture_output=True, text=True, env=self.env,
                           timeout=100, check=False)
        return way in r.stdout
