#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 60
# sanitizers: none
"""mpxinfo: what is found, why the rest is not, and one voice of many ranks. mpxrun --hosts."""

import os
import subprocess

from jobs import contains, equal, main, run
from launched import BARE, launch, program

MPXINFO = os.environ["MPX_BIN"] + "/mpxinfo"


def told(*command, env=None, code=0):
    r = launch(*command, env=env)
    equal((r.returncode, r.stderr), (code, ""))
    return r.stdout


def line_of(text, name):
    found = [line for line in text.splitlines() if line.startswith(f"  {name} ")]
    equal(len(found), 1)
    return found[0].split(None, 1)[1]


def test_alone():
    text = told(MPXINFO)
    equal(line_of(text, "alone"), "chosen")
    equal(line_of(text, "mpxrun"), "no: MPX_JOB_FD is not set")
    equal(line_of(text, "pmi1"), "no: PMI_FD is not set")
    for name in ("cores", "memory", "membarrier", "process_vm_readv", "pidfd_open", "shm", "pmix"):
        line_of(text, name)
    contains(text, f"1 rank; {os.uname().nodename}: rank 0")


def test_of_mpxrun():
    r = run("-n", 3, MPXINFO)
    equal((r.returncode, r.stderr), (0, ""))
    equal(line_of(r.stdout, "mpxrun"), "chosen")
    equal(line_of(r.stdout, "pmi1"), "no: PMI_FD is not set")
    contains(r.stdout, f"3 ranks; {os.uname().nodename}: ranks 0-2")


def test_of_hydra():
    mpiexec = program("mpiexec.hydra")
    if mpiexec is None:
        print("test_of_hydra: left out: there is no mpiexec.hydra")
        return
    text = told(mpiexec, "-n", 3, MPXINFO)
    equal(line_of(text, "pmi1"), "chosen")
    equal(text.count("\nTransports\n"), 1)
    contains(text, "3 ranks; ")


def test_fabric():
    text = told(MPXINFO)
    if "built without libfabric" in line_of(text, "fabric"):
        print("test_fabric: left out: this mpxinfo was built without libfabric")
        return
    contains(line_of(text, "fabric"), "yes: provider ")
    contains(told(MPXINFO, env={"MPX_FABRIC_PROVIDER": "none_such"}), "no provider 'none_such'")


def test_sockets():
    text = told(MPXINFO)
    if "built without OpenSSL" in line_of(text, "tls"):
        print("test_sockets: left out: this mpxinfo was built without OpenSSL")
        return
    for name in ("tcp", "tls", "hybrid"):
        contains(line_of(text, name), "yes: ")
    text = told(MPXINFO, env={"MPX_TCP_INTERFACE": "no-such"})
    for name in ("tcp", "tls", "hybrid"):
        contains(line_of(text, name), "no: MPX_TCP_INTERFACE=no-such")


def test_what_is_wrong():
    text = told(MPXINFO, env={"MPX_BOOTSTRAP": "mpi"}, code=1)
    contains(line_of(text, "shm"), "no: MPX_BOOTSTRAP is 'mpi'")
    text = told(MPXINFO, env={"PMI_FD": "987", "PMI_RANK": "0", "PMI_SIZE": "2"}, code=1)
    contains(line_of(text, "shm"), "no: PMI_FD is '987', which is not open")
    text = told(MPXINFO, env={"PMI_FD": "1", "PMI_RANK": "0", "PMI_SIZE": "2"}, code=1)
    contains(line_of(text, "shm"), "no: PMI_FD is '1', but no launcher answers there (it is a ")
    equal("cmd=init" in text, False)
    r = subprocess.run(["bash", "-c", f"ulimit -f 1000; exec {MPXINFO}"], capture_output=True,
                       text=True, timeout=100, env=BARE, check=False)
    contains(r.stdout, "too little for shared memory")


def test_options():
    contains(told(MPXINFO, "--help"), "srun --mpi=pmi2")
    contains(told(MPXINFO, "--version"), "mpxinfo (mpx)")
    equal(launch(MPXINFO, "--nonsense").returncode, 2)


def test_hosts_of_mpxrun():
    for words, first in ((("--hosts", "a,b"), "mpiexec.hydra -hosts a,b"),
                         (("--host=a,b",), "mpiexec.hydra -hosts a,b")):
        r = run(*words, "-n", 2, "true")
        equal((r.returncode, r.stdout), (2, ""))
        contains(r.stderr, f"is started by `{first} -n N program`")
    r = run("-H", "a,b", "true", env={"SLURM_JOB_ID": "7"})
    contains(r.stderr, "is started by `srun --mpi=pmi2 -w a,b -n N program`")


main(globals())
