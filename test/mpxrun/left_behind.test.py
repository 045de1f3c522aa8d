#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 240
# sanitizers: none
"""The rank below wrappers is found, and nothing outlives a job, however it ends.

left_behind.test.py MPXRUN VICTIM [name of a test...]; TURNS=20 repeats the races more often.
"""

import contextlib
import functools
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

from launch import (CLEAN, LIMITS, MPXRUN, PATIENCE, VICTIM, alive, becomes, contains, equal, keeper_of, main,
                    matches, name_of, start, stat_of)

TURNS = int(os.environ.get("TURNS", "3"))
ROOT = os.geteuid() == 0
SECONDS = 2.0 * LIMITS  # in which everything is over
ANOTHER_USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

# Since Linux 6.15 a pidfd knows how its process ended, whichever process reaped it.
STATUS_IS_KEPT = tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) >= (6, 15)

# Number of processes that a rank of this command has, and the command.
KINDS = {
    "a rank": (1, [VICTIM, "wait"]),
    "a rank below two wrappers": (3, ["sh", "-c", f"sh -c '{VICTIM} wait; true'; true"]),
    "children": (3, ["sh", "-c", "sleep 1000 & sleep 1000 & wait"]),
    "children of a rank that joined": (2, ["sh", "-c", f"sleep 1000 & exec {VICTIM} wait"]),
    "sessions of their own": (4, ["sh", "-c", "setsid sleep 1000 & setsid sh -c 'sleep 1000; true' & wait"]),
    "a rank in a session of its own": (1, ["setsid", "-w", VICTIM, "wait"]),
    "orphans": (3, ["sh", "-c", "sh -c 'setsid sleep 1000 & true'; sleep 1000; true"]),
}
if ROOT:
    KINDS["another user"] = (1, [*ANOTHER_USER, "sleep", "1000"])
    KINDS["another user below a wrapper"] = (2, ["sh", "-c", " ".join(ANOTHER_USER) + " sleep 1000; true"])


class Job:
    """An mpxrun whose descendants are known by a mark in their environment."""

    def __init__(self, *args, **more):
        self.mark = f"JOB_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.process = start(*args, env={**CLEAN, name: value}, **more)
        self.pid = self.process.pid

    @functools.cached_property
    def keeper(self):
        return keeper_of(self.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.everybody():  # of a test that failed
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.communicate()

    def everybody(self):
        """The living processes of the job."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                marked = self.mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if marked and alive(pid):
                found.append(int(pid))
        return found

    def ranks(self, count):
        """The `count` processes apart from mpxrun, once they are all there."""
        deadline = time.monotonic() + 10 * LIMITS
        while time.monotonic() < deadline:
            found = [p for p in self.everybody() if p not in (self.pid, self.keeper)]
            if len(found) == count:
                return found
            time.sleep(0.01)
        raise AssertionError(f"{len(found)} processes, not {count}")

    def gone(self, seconds=SECONDS):
        end = time.monotonic() + seconds
        while left := self.everybody():
            assert time.monotonic() < end, f"left behind: {[name_of(p) for p in left]}"
            time.sleep(0.01)


def end(code, message, *args, seconds=SECONDS, **more):
    """Runs a job that leaves nothing behind, and is over in time."""
    begin = time.monotonic()
    with Job(*args, **more) as job:
        out, err = job.process.communicate(timeout=30 * LIMITS)
        took = time.monotonic() - begin
        equal(job.everybody(), [])
        if isinstance(code, tuple):
            assert job.process.returncode in code, (job.process.returncode, err)
        else:
            equal((job.process.returncode, "" if message else err), (code, ""))
        matches(err, message)
        assert took < seconds, f"{took:.2f} s: {err}"
        return out, err


def kill(which):
    """kill -9 of one of the two processes of mpxrun."""
    for turn in range(TURNS):
        for kind, (each, command) in KINDS.items():
            with Job("-n", 2, *command) as job:
                job.ranks(2 * each)
                time.sleep(0.01 * turn)
                os.kill(which(job), signal.SIGKILL)
                job.gone()
                if which(job) == job.keeper:
                    equal(job.process.wait(timeout=25), 137)
                    contains(job.process.stderr.read(), "was killed by signal 9 (SIGKILL); ending the job")
    return None if ROOT else "ok, without ranks of another user: only root can start them"


def test_mpxrun_is_killed():
    return kill(lambda job: job.pid)


def test_the_keeper_is_killed():
    return kill(lambda job: job.keeper)


def test_mpxrun_is_killed_as_it_starts():
    for turn in range(5 * TURNS):
        with Job("-n", 8, "sh", "-c", "sleep 1000 & sleep 1000; true") as job:
            time.sleep(0.002 * turn)
            job.process.kill()
            job.gone()


def test_both_are_killed_at_once():
    kinds = {"a rank": [VICTIM, "wait"]}
    if ROOT:
        kinds["another user, joined"] = [*ANOTHER_USER, VICTIM, "wait"]
    for command in kinds.values():
        with Job("-n", 2, *command) as job:
            for _ in range(2):
                assert job.process.stdout.readline().startswith("pid ")
            os.kill(job.pid, signal.SIGSTOP)
            os.kill(job.keeper, signal.SIGKILL)
            os.kill(job.pid, signal.SIGKILL)
            job.gone()


def test_a_stopped_job_is_killed():
    each, command = KINDS["a rank below two wrappers"]
    with Job("-n", 2, *command, preexec_fn=os.setpgrp) as job:
        job.ranks(2 * each)
        os.killpg(job.pid, signal.SIGSTOP)
        becomes(job.keeper, "T")
        os.kill(job.pid, signal.SIGKILL)
        job.gone()


def test_a_job_that_fails():
    fail = "[ $MPX_RANK = 1 ] && sleep 0.1 && exit 3; sleep 1000; true"
    for what in ("sleep 1000 & sleep 1000 &", "setsid sh -c 'sleep 1000; true' &",
                 "sh -c 'setsid sleep 1000 & true';", "(trap '' TERM INT HUP; sleep 1000; true) &"):
        for _ in range(TURNS):
            end(3, "rank 1 .* exited with code 3; ending the other ranks", "-n", 3, "sh", "-c", what + fail)
    end(3, "exited with code 3 without leaving", "-n", 2, "sh", "-c", f"sleep 1000 & exec {VICTIM} die 1 exit")


def test_a_job_that_ends_well_leaves_no_daemons():
    daemon = "setsid sleep 1000 & "
    out, _ = end(0, r"^mpxrun: the ranks have ended; ending what they left behind: sleep \(pid \d+\)\n$",
                 "-n", 1, "sh", "-c", daemon + f"exec {VICTIM} hello", seconds=1.5 + SECONDS)
    equal(out, "rank 0 of 1 knows 1\n")
    end(0, "what they left behind: (sleep|setsid)", "-n", 1, "sh", "-c", daemon + "true", seconds=4 + SECONDS)
    end(0, "what they left behind", "-n", 1, "sh", "-c", f"(trap '' TERM; sleep 1000) & exec {VICTIM} hello",
        seconds=2 + SECONDS)
    with Job("-n", 1, "sh", "-c", daemon + f"exec {VICTIM} hello") as job:
        job.process.stdout.readline()
        time.sleep(0.2)
        job.process.terminate()  # nobody has to wait for them
        equal(job.process.wait(timeout=0.5 * LIMITS), -signal.SIGTERM)
        job.gone(0)


def test_what_ends_by_itself_may_do_so():
    out, _ = end(0, "", "-n", 2, "sh", "-c", "(sleep 0.3; echo late) & true")
    equal(out, "late\n" * 2)


def test_a_rank_that_outlives_its_wrapper():
    for n in (1, 3):
        for script in ("{} hello & true", "(sleep 0.5; {} hello) & true", "setsid {} hello & true",
                       "sh -c '{} hello & true'", "({} hello; true) & true", "{} hello > /dev/null & true"):
            out, _ = end(0, "", "-n", n, "sh", "-c", script.format(VICTIM))
            equal(sorted(out.splitlines()),
                  [] if "null" in script else [f"rank {r} of {n} knows {n}" for r in range(n)])
    for how, code, text in (("exit", 3, "exited with code 3 without leaving the job"),
                            ("kill", 137, r"was killed by signal 9 \(SIGKILL\)"),
                            ("leave", 5, "left the job and then exited with code 5"),
                            ("abort", 7, "aborted the job with code 7: no more cheese")):
        for script in ("{} die 1 {} & true", "({} die 1 {}; sleep 1000) & true"):
            if how != "leave" or "1000" not in script:
                end(code, rf"rank 1 \(pid \d+\) {text}", "-n", 3, "sh", "-c", script.format(VICTIM, how))


def test_signals_reach_a_rank_that_outlives_its_wrapper():
    for s, code in ((signal.SIGTERM, -signal.SIGTERM), (signal.SIGUSR1, 0)):
        with Job("-n", 2, "sh", "-c", f"{VICTIM} catch & true") as job:
            for _ in range(2):
                assert job.process.stdout.readline().startswith("pid ")
            job.ranks(2)  # the shells, which the signals would meet, too, have ended
            job.process.send_signal(s)
            out, err = job.process.communicate(timeout=5 * LIMITS)
            equal((out, err, job.process.returncode), (f"caught {int(s)}\n" * 2, "", code))


def test_signals_reach_ranks_that_have_joined_unheard():
    """mpxrun comes to what they have said and to the signal at once."""
    with Job("-n", 2, "sh", "-c", f"sleep 0.3; {VICTIM} catch & true") as job:
        job.ranks(4)  # The shells in the background, and what they wait for.
        os.kill(job.keeper, signal.SIGSTOP)
        time.sleep(1 * PATIENCE)  # They join meanwhile.
        victims = [p for p in job.everybody() if "victim" in name_of(p)]
        assert len(victims) == 2, victims
        os.kill(job.keeper, signal.SIGTERM)
        os.kill(job.keeper, signal.SIGCONT)
        out, err = job.process.communicate(timeout=5 * LIMITS)
        equal((out.splitlines()[2:], err, job.process.returncode), (["caught 15"] * 2, "", -15))


def test_a_wrapper_that_fails_takes_its_rank_with_it():
    for options in ([], ["--survive"]):
        script = f"{VICTIM} wait & [ $MPX_RANK = 1 ] && sleep 0.3 && exit 4; sleep 0.6; kill $!; wait"
        end(4, r"rank 1 \(pid \d+\) exited with code 4", "-n", 2, *options, "sh", "-c", script)


def test_a_rank_dies_under_a_wrapper_that_lives_on():
    wrappers = {"sh": ["sh", "-c", "{}; sleep 1000"], "two": ["sh", "-c", "sh -c '{}; sleep 1000'; true"],
                "background": ["sh", "-c", "{} & sleep 1000; true"]}
    if ROOT:
        wrappers["namespace"] = ["unshare", "-pf", "sh", "-c", "{}; sleep 1000"]
        wrappers["user"] = ["sh", "-c", " ".join(ANOTHER_USER) + " {}; sleep 1000"]
    for words in wrappers.values():
        for how, code, text in (("kill", 137, r"was killed by signal 9 \(SIGKILL\)"),
                                ("segv", 139, r"was killed by signal 11 \(SIGSEGV\)"),
                                ("exit", 3, "exited with code 3 without leaving the job"),
                                ("quit", 1, "exited with code 0 without leaving the job"),
                                ("abort", 7, "aborted the job with code 7")):
            if not STATUS_IS_KEPT and how != "abort":
                code, text = (code, 1), f"({text}|died without leaving the job)"
            command = [w.format(f"{VICTIM} die 2 {how}") for w in words]
            for _ in range(TURNS if how == "kill" else 1):
                end(code, rf"rank 2 \(pid \d+\) {text}", "-n", 4, *command)


def test_the_others_learn_of_it_at_once():
    script = f"{VICTIM} die 2 kill; [ $MPX_RANK = 2 ] && sleep 2; true"
    how = r"was killed by signal 9 \(SIGKILL\)" if STATUS_IS_KEPT else "(was killed by signal 9|died)"
    out, err = end(137 if STATUS_IS_KEPT else (1, 137), rf"rank 2 \(pid \d+\) {how}.*; the other ranks go on",
                   "-n", 4, "--survive", "sh", "-c", script, seconds=4 + SECONDS)
    times = re.findall(r"^rank [013]: peer_lost after (\d+) ms: fence: rank 2 .*(killed by signal 9|died)", out, re.M)
    equal(len(times), 3)
    assert max(int(ms) for ms, _ in times) < 1000 * PATIENCE, out
    equal(err.count("mpxrun:"), 1)


def test_programs_one_after_the_other():
    for script in ("{} hello && sleep 0.2 && {} hello", "{} hello & wait; {} hello", "({} hello; {} hello) & true"):
        out, _ = end(0, "", "-n", 2, "sh", "-c", script.format(VICTIM, VICTIM))
        equal(len(out.splitlines()), 4)


def test_a_rank_that_a_thread_of_its_wrapper_started():
    wrapper = f"""
import subprocess, sys, threading, time
ranks = []
def start():
    ranks.append(subprocess.Popen([{VICTIM!r}, "catch"], close_fds=False, stdout=subprocess.PIPE))
    ranks[0].stdout.readline()
thread = threading.Thread(target=start)
thread.start()
thread.join()
time.sleep(0.2)
ranks[0].send_signal(10)
sys.stdout.buffer.write(ranks[0].stdout.read())
sys.exit(ranks[0].wait())
"""
    out, _ = end(0, "", "-n", 2, sys.executable, "-c", wrapper, seconds=10 * PATIENCE)
    equal(out, "caught 10\n" * 2)


def test_who_leaves_after_a_loss_is_not_blamed():
    for command, codes in (([VICTIM, "die", 2, "part"], (1, 3)), (["sh", "-c", f"{VICTIM} die 2 part; true"], ())):
        out, err = end((1, 137), "rank 2", "-n", 4, "--survive", *command)
        equal(len(out.splitlines()), 3)
        lines = sorted(re.sub(r"\(pid \d+\) ", "", line) for line in err.splitlines() if "mpxrun:" in line)
        equal([line for line in lines if "rank 2" not in line],
              [f"mpxrun: rank {r} left the job and then exited with code 5" for r in codes])
        equal(len(lines), len(codes) + 1)


def test_a_signal_to_the_group_counts_once():
    for s in (signal.SIGTERM, signal.SIGINT):
        # (The leak checker of a victim hangs if it gets a second signal.)
        with Job("-n", 3, "-x", "ASAN_OPTIONS=detect_leaks=0", VICTIM, "catch", preexec_fn=os.setpgrp) as job:
            for _ in range(3):
                job.process.stdout.readline()
            os.kill(job.pid, s)  # as timeout(1) does
            os.killpg(job.pid, s)
            out, _ = job.process.communicate(timeout=5 * LIMITS)
            equal((out, job.process.returncode), (f"caught {int(s)}\n" * 3, -s))


def test_ulimit_f():
    for limit in (0, 1, 100):
        r = subprocess.run(["bash", "-c", f"ulimit -f {limit}; {MPXRUN} -n 2 {VICTIM} hello | cat"
                            "; exit ${PIPESTATUS[0]}"], capture_output=True, text=True, env=CLEAN, timeout=50)
        equal((r.returncode, r.stdout, r.stderr.count("\n")), (1, "", 1))
        matches(r.stderr, r"^mpxrun: .*`ulimit -f`")
    # It is still the ranks' limit.
    r = subprocess.run(["bash", "-c", f"ulimit -f 100000; {MPXRUN} -n 2 bash -c 'ulimit -f'"],
                       capture_output=True, text=True, env=CLEAN, timeout=50)
    equal((r.returncode, r.stdout), (0, "100000\n" * 2))


class Terminal:
    """A shell with job control on a terminal."""

    def __init__(self):
        import pty
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {**CLEAN, "PS1": "> ", "HISTFILE": "/dev/null"})
        self.text = ""
        self.see("> ")

    def type(self, text):
        os.write(self.fd, text.encode())

    def see(self, pattern, count=1):
        """Reads on until the pattern has come so often; returns what it matched."""
        import select
        end = time.monotonic() + 10 * LIMITS
        while len(found := re.findall(pattern, self.text)) < count:
            ready = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"no {pattern!r} in {self.text!r}"
            self.text += os.read(self.fd, 4096).decode()
        self.text = ""
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def tree_of(pid):
    parents = {int(p): int(stat[1]) for p in filter(str.isdigit, os.listdir("/proc")) if (stat := stat_of(p))}
    found = [pid]
    for one in found:
        found += [p for p, parent in parents.items() if parent == one]
    return found


def wait_gone(pids):
    end = time.monotonic() + SECONDS
    while any(map(alive, pids)):
        assert time.monotonic() < end, [p for p in pids if alive(p)]
        time.sleep(0.01)


def test_job_control():
    for command, ranks in ((f"{VICTIM} wait", 2), (f"setsid -w {VICTIM} wait", 2), (f"sh -c '{VICTIM} wait; true'", 2)):
        with Terminal() as shell:
            shell.type(f"{MPXRUN} -n 2 {command}\n")
            shell.see(r"pid \d+", ranks)
            everybody = tree_of(shell.pid)[1:]
            shell.type("\x1a")
            shell.see("Stopped")
            for pid in everybody:
                becomes(pid, "T")
            shell.type("bg\n")
            for pid in everybody:
                becomes(pid, "S")
            shell.see("> ")
            shell.type("fg\n")
            shell.see("wait")
            time.sleep(0.1)
            shell.type("\x03")
            wait_gone(everybody)
            shell.type("echo code $?\n")
            shell.see(r"code 130\b")


def test_reading_the_terminal():
    with Terminal() as shell:
        shell.type(f"{MPXRUN} -n 2 --label head -n 1 &\n")
        time.sleep(0.3)
        shell.type("\n")
        shell.see("Stopped")  # rank 0 wants to read, and the job is in the background
        everybody = tree_of(shell.pid)[1:]
        for pid in everybody:
            if alive(pid):
                becomes(pid, "TD")  # D: the keeper, if what it starts is stopped before it is a rank
        shell.type("fg\n")
        shell.see("head")
        time.sleep(0.1)
        shell.type("cheese\n")
        shell.see(r"\[0\] cheese")
        wait_gone(everybody)


def test_the_terminal_is_closed():
    shell = Terminal()
    shell.type(f"{MPXRUN} -n 2 sh -c 'setsid sleep 1000 & {VICTIM} wait; true'\n")
    shell.see(r"pid \d+", 2)
    everybody = tree_of(shell.pid)[1:]
    os.close(shell.fd)
    os.waitpid(shell.pid, 0)
    wait_gone(everybody)


main(globals())
