#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Behaviour of mpxrun, seen from outside: mpxrun.test.py MPXRUN VICTIM [name of a test...]"""

import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

from launch import (CLEAN, MPXRUN, VICTIM, becomes, contains, equal, gone, keeper_of, main, pids_of, run,
                    start, stat_of)


def leftovers():
    return sorted(p for d in ("/dev/shm", "/tmp") for p in os.listdir(d) if "mpx-" in p)


def test_sizes():
    for n in (1, 2, 3, 8, 64):
        r = run("-n", n, VICTIM, "hello")
        equal((r.returncode, r.stderr), (0, ""))
        equal(sorted(r.stdout.splitlines()), sorted(f"rank {i} of {n} knows {n}" for i in range(n)))


def test_alone_without_mpxrun():
    r = subprocess.run([VICTIM, "hello"], capture_output=True, text=True, env=CLEAN)
    equal((r.returncode, r.stdout), (0, "rank 0 of 1 knows 1\n"))


def test_programs_that_never_join():
    equal(run("-n", 3, "echo", "-n2", "--label").stdout, "-n2 --label\n" * 3)
    r = run("-n", 3, "--", "echo", "--label", "-x")
    equal((r.returncode, r.stdout), (0, "--label -x\n" * 3))
    r = run("-n", 4, "sh", "-c", "exit $MPX_RANK")
    assert r.returncode in (1, 2, 3), r


def test_label():
    r = run("-n", 3, "--label", "sh", "-c", "echo out; echo err >&2")
    equal(sorted(r.stdout.splitlines()), ["[0] out", "[1] out", "[2] out"])
    equal(sorted(r.stderr.splitlines()), ["[0] err", "[1] err", "[2] err"])


def test_environment_of_ranks():
    r = run("-n", 2, "-x", "CHEESE=old gouda", "-x", "A=b=c", "sh", "-c",
            "echo $MPX_RANK $MPX_SIZE $CHEESE $A", env={**CLEAN, "MPX_RANK": "9", "A": "z"})
    equal(sorted(r.stdout.splitlines()), ["0 2 old gouda b=c", "1 2 old gouda b=c"])


def test_standard_input_goes_to_rank_0():
    r = run("-n", 3, "--label", "wc", "-c", stdin=None, input="x" * 300_000)
    equal(sorted(r.stdout.splitlines()), ["[0] 300000", "[1] 0", "[2] 0"])


def test_lines_stay_whole():
    count = 20_000
    r = run("-n", 8, VICTIM, "lines", count)
    equal(r.returncode, 0)
    seen = [0] * 8
    for line in r.stdout.splitlines():
        match = re.fullmatch(r"(\d) (\d+) ([a-h])\3{99}", line)
        assert match, line
        rank = int(match[1])
        equal(int(match[2]), seen[rank])
        seen[rank] += 1
    equal(seen, [count] * 8)


def test_bytes_pass_unchanged():
    data = os.urandom(3_000_000)
    r = subprocess.run([MPXRUN, "-n", "2", "sh", "-c", "[ $MPX_RANK = 1 ] || cat"], input=data,
                       capture_output=True, env=CLEAN)
    equal((r.returncode, r.stdout == data), (0, True))


def test_unfinished_lines():
    job = start("-n", 2, "--label", VICTIM, "parts", bufsize=0)
    begin = time.monotonic()
    first = os.read(job.stdout.fileno(), 100)
    took = time.monotonic() - begin
    equal(first, b"[0] one")
    assert 0.15 < took < 0.4, took
    rest = job.stdout.read()
    equal(rest, " two\n[0] 10%\n[0] 20%\n[0] rest")  # text mode reads \r and \r\n as \n
    equal(job.wait(), 0)


def test_long_line_without_end():
    r = run("-n", 1, "sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x")
    equal((r.returncode, len(r.stdout)), (0, 1_000_000))


def test_exit_codes():
    equal(run("-n", 2, "true").returncode, 0)
    equal(run("-n", 2, "false").returncode, 1)
    equal(run("-n", 3, "sh", "-c", "[ $MPX_RANK = 1 ] && exit 42; sleep 30").returncode, 42)


def die(how, code, message, *options):
    begin = time.monotonic()
    r = run("-n", 4, *options, VICTIM, "die", 2, how)
    equal(r.returncode, code)
    assert re.search(message, r.stderr), r.stderr
    assert time.monotonic() - begin < 2, "took too long"
    return r


def test_rank_dies_by_signal():
    r = die("kill", 137, r"rank 2 \(pid \d+\) was killed by signal 9 \(SIGKILL\); ending the other")
    equal(r.stderr.count("\n"), 1)
    die("segv", 139, r"rank 2 \(pid \d+\) was killed by signal 11 \(SIGSEGV\)")


def test_rank_exits():
    die("exit", 3, r"rank 2 \(pid \d+\) exited with code 3 without leaving the job")
    die("quit", 1, r"rank 2 \(pid \d+\) exited with code 0 without leaving the job")


def test_rank_aborts():
    for options in ([], ["--survive"]):
        die("abort", 7, r"rank 2 \(pid \d+\) aborted the job with code 7: no more cheese", *options)


def test_rank_fails_after_leaving():
    r = die("leave", 5, r"rank 2 \(pid \d+\) left the job and then exited with code 5")
    equal(sorted(r.stdout.splitlines()), [f"rank {i} goes on" for i in (0, 1, 3)])


def test_survive():
    r = die("kill", 137, r"rank 2 \(pid \d+\) was killed by signal 9 \(SIGKILL\); the other ranks go on",
            "--survive")
    lines = sorted(r.stdout.splitlines())
    equal(len(lines), 3)
    for rank, line in zip((0, 1, 3), lines):
        match = re.match(rf"rank {rank}: peer_lost after (\d+) ms: fence: rank 2 .*signal 9", line)
        assert match and int(match[1]) < 1000, line


def test_rank_that_never_joins_does_not_hang_the_others():
    script = f"[ $MPX_RANK = 1 ] || exec {VICTIM} hello"
    r = run("-n", 3, "--survive", "sh", "-c", script, timeout=10)
    contains(r.stderr, "rank 1 was lost: exited with code 0 before it joined")
    equal(r.returncode, 71)


def test_signals_end_the_job():
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        job = start("-n", 4, VICTIM, "wait")
        pids = pids_of(job, 4)
        job.send_signal(s)
        equal(job.wait(timeout=3), -s)
        assert gone(pids, 0.5)
        equal(job.stderr.read(), "")


def test_signals_can_be_caught():
    for s, code in ((signal.SIGINT, -signal.SIGINT), (signal.SIGUSR1, 0), (signal.SIGUSR2, 0)):
        job = start("-n", 3, VICTIM, "catch")
        pids_of(job, 3)
        job.send_signal(s)
        out, _ = job.communicate(timeout=5)
        equal(out.splitlines(), [f"caught {int(s)}"] * 3)
        equal(job.returncode, code)


def test_stubborn_ranks():
    job = start("-n", 3, VICTIM, "stubborn")
    pids = pids_of(job, 3)
    begin = time.monotonic()
    job.send_signal(signal.SIGINT)
    equal(job.wait(timeout=5), -signal.SIGINT)
    assert 0.9 < time.monotonic() - begin < 1.6 and gone(pids, 0.5)
    job = start("-n", 3, VICTIM, "stubborn")
    pids = pids_of(job, 3)
    begin = time.monotonic()
    job.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    job.send_signal(signal.SIGTERM)
    equal(job.wait(timeout=5), -signal.SIGTERM)
    assert time.monotonic() - begin < 0.6 and gone(pids, 0.5)


def test_terminal_interrupt():
    """Ctrl-C on a terminal reaches the whole process group once."""
    import pty
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(MPXRUN, [MPXRUN, "-n", "3", VICTIM, "wait"], CLEAN)
    text = b""
    while text.count(b"pid") < 3:
        text += os.read(terminal, 1000)
    pids = [int(p) for p in re.findall(rb"pid (\d+)", text)]
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    equal((os.WIFSIGNALED(status), os.WTERMSIG(status)), (True, signal.SIGINT))
    assert gone(pids, 0.5)
    os.close(terminal)


def test_stop_and_continue():
    # A process group of its own, with its parent outside: SIGTSTP does nothing in an orphaned one.
    job = start("-n", 2, VICTIM, "wait", preexec_fn=os.setpgrp)
    pids = pids_of(job, 2)
    job.send_signal(signal.SIGTSTP)
    for pid in [job.pid, *pids]:
        becomes(pid, "T")
    job.send_signal(signal.SIGCONT)
    for pid in pids:
        becomes(pid, "S")
    job.send_signal(signal.SIGTERM)
    equal(job.wait(timeout=3), -signal.SIGTERM)


def test_mpxrun_is_killed():
    before = leftovers()
    for wrapper in ([], ["sh", "-c", f"{VICTIM} wait; true"]):
        job = start("-n", 4, *(wrapper or [VICTIM, "wait"]))
        pids = pids_of(job, 4)
        job.kill()
        equal(job.wait(), -9)
        assert gone(pids, 1), pids
    equal(leftovers(), before)


def test_rank_is_killed_from_outside():
    for wrapper in ([VICTIM, "wait"], ["sh", "-c", f"{VICTIM} wait; exit $?"]):
        job = start("-n", 4, *wrapper)
        pids = pids_of(job, 4)
        begin = time.monotonic()
        os.kill(pids[1], signal.SIGKILL)
        equal(job.wait(timeout=5), 137)
        assert time.monotonic() - begin < 2 and gone(pids, 0.5)
        contains(job.stderr.read(), "; ending the other ranks")


def test_several_environments():
    for n in (1, 2, 4):
        r = run("-n", n, VICTIM, "environments")
        equal((r.returncode, r.stdout, r.stderr), (0, "good\n" * n, ""))
    r = run("-n", 2, "sh", "-c", f"{VICTIM} hello && {VICTIM} hello")
    equal((r.returncode, len(r.stdout.splitlines())), (0, 4))


def test_nested():
    r = run("-n", 2, MPXRUN, "-n", "2", VICTIM, "hello")
    equal((r.returncode, sorted(r.stdout.splitlines())),
          (0, ["rank 0 of 2 knows 2"] * 2 + ["rank 1 of 2 knows 2"] * 2))


def test_garbage_in_the_environment():
    def victim(**settings):
        r = subprocess.run([VICTIM, "hello"], capture_output=True, text=True, timeout=10,
                           env={**CLEAN, **settings})
        equal(r.returncode, 70)
        contains(r.stderr, "cannot join the job")
        contains(r.stderr, "unset MPX_JOB_FD")
        return r.stderr

    good = {"MPX_JOB_FD": "3", "MPX_SHM_FD": "4", "MPX_RANK": "0", "MPX_SIZE": "2"}
    contains(victim(MPX_JOB_FD="3"), "MPX_SIZE is not set")
    for name, values in {"MPX_SIZE": ("", "0", "-1", "x", "2x", "99999999999", "5000"),
                         "MPX_RANK": ("", "2", "-1", "1.5", " 1"),
                         "MPX_JOB_FD": ("", "-1", "77", "0", "abc")}.items():
        for value in values:
            contains(victim(**{**good, name: value}), f"{name} is '{value}'")
    for name in ("MPX_SIZE", "MPX_RANK"):
        contains(victim(**{k: v for k, v in good.items() if k != name}), f"{name} is not set")
    r = run("-n", 2, "sh", "-c", f"MPX_SIZE=3 {VICTIM} hello")
    contains(r.stderr, "is for 2 ranks, MPX_SIZE says 3")
    r = run("-n", 2, "sh", "-c", f"MPX_RANK=0 {VICTIM} hello", timeout=10)
    contains(r.stderr, "rank 0 is taken by process")
    r = run("-n", 1, "sh", "-c", f"MPX_JOB_FD=$MPX_SHM_FD {VICTIM} hello")
    contains(r.stderr, "control segment is too short")


def test_wrong_command_lines():
    for args, code, part in (
            (["-n", "0", "true"], 2, "at least 1"), (["-n", "-3", "true"], 2, "at least 1"),
            (["-n", "4097", "true"], 2, "at most 4096"), (["-n", "99999999999999999999", "true"], 2, "-n"),
            (["-n", "x", "true"], 2, "not a number"), ([], 2, "none given"), (["-n", "2"], 2, "none given"),
            (["-n"], 2, "--ranks"), (["--cheese", "true"], 2, "--cheese"), (["-x", "A", "true"], 2, "VAR=VALUE"),
            (["-n", "2", "no-such-program-here"], 127, "no such program"),
            (["/no/such/program"], 127, "no such program"),
            (["/etc/passwd"], 126, "cannot be executed"), (["/etc"], 126, "cannot be executed")):
        r = run(*args)
        equal(r.returncode, code)
        contains(r.stderr, part)
        equal((r.stdout, r.stderr.count("\n")), ("", 1))
    contains(run("--help").stdout, "Usage: mpxrun [OPTIONS] program")
    equal(re.fullmatch(r"mpxrun \(mpx\) \d+\.\d+\.\d+\n", run("--version").stdout) is not None, True)


def test_too_few_descriptors():
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    r = run("-n", 64, "true", preexec_fn=limit)
    equal(r.returncode, 1)
    contains(r.stderr, "ulimit -Hn")
    r = run("-n", 2, "sh", "-c", "ulimit -Sn", preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (50, 200)))
    equal(r.stdout, "50\n50\n")


def test_closed_output():
    r = subprocess.run(["bash", "-c", f"{MPXRUN} -n 3 yes | head -1; echo ${{PIPESTATUS[0]}}"],
                       capture_output=True, text=True, env=CLEAN, timeout=10)
    equal((r.stdout, r.stderr), ("y\n141\n", ""))


def test_slow_reader():
    """A reader that does not read stops neither signals nor mpxrun, and memory stays bounded."""
    job = start("-n", 3, "yes")
    time.sleep(0.5)
    for pid in (job.pid, keeper_of(job.pid)):
        status = Path(f"/proc/{pid}/status").read_text()
        assert int(re.search(r"VmRSS:\s+(\d+)", status)[1]) < 32_000, status
    job.send_signal(signal.SIGINT)
    time.sleep(0.2)
    job.send_signal(signal.SIGINT)
    equal(job.wait(timeout=3), -signal.SIGINT)


def test_closed_standard_streams():
    r = subprocess.run(["bash", "-c", f"{MPXRUN} -n 2 {VICTIM} hello <&- 2>&-"],
                       capture_output=True, text=True, env=CLEAN, timeout=10)
    equal((r.returncode, len(r.stdout.splitlines())), (0, 2))


def test_idle_costs_nothing():
    job = start("-n", 2, VICTIM, "wait")
    pids_of(job, 2)
    both = (job.pid, keeper_of(job.pid))
    ticks = lambda: sum(int(t) for pid in both for t in stat_of(pid)[11:13])
    before = ticks()
    time.sleep(1)
    assert ticks() - before <= 1
    job.terminate()
    job.wait(timeout=3)


main(globals())
