#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 180
# sanitizers: none
"""Behaviour of mpxrun, seen from outside: mpxrun.test.py MPXRUN VICTIM [name of a test...]"""

import ctypes
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launch import (CLEAN, LIMITS, MPXRUN, VICTIM, becomes, contains, equal, gone, keeper_of, main, matches, pids_of,
                    run, start, stat_of)


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
    r = run("-n", 2, "-x", "MPX_SIZES=1", "-x", "MPX_HANG_REPORT=9", "sh", "-c",
            "echo $MPX_SIZES $MPX_HANG_REPORT $MPX_SIZE")
    equal(r.stdout, "1 9 2\n" * 2)


def test_misspelt_variables():
    def warned(*args, **env):
        r = run(*args, env={**CLEAN, **env})
        equal((r.returncode, r.stdout), (0, ""))
        return r.stderr

    said = "mpxrun: warning: nothing reads MPX_HANGREPORT: is MPX_HANG_REPORT meant?\n"
    equal(warned("-n", 2, "true", MPX_HANGREPORT="3"), said)
    equal(warned("-n", 2, "-x", "MPX_HANGREPORT=3", "true", ":", "-x", "MPX_HANGREPORT=3", "true", MPX_HANGREPORT="3"),
          said)
    equal(warned("true", ":", "-x", "MPX_HANGREPORT=3", "true"), said)
    contains(warned("true", MPX_TCP_INTERFACES="lo"), "is MPX_TCP_INTERFACE meant?")
    equal(warned("true", MPX_GOUDA="1"), "mpxrun: warning: nothing reads MPX_GOUDA\n")
    equal(warned("true", MPX_HANG_REPORT="3", MPX_TCP_PORTS="", MPX_SIZE="9", MPX_ROOT="/usr", MPXRUN="1"), "")
    equal(warned(MPXRUN, "true", MPX_GOUDA="1").count("\n"), 1)  # once, whatever is nested


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


# Writes as rank $MPX_RANK and returns what it has written: pieces of lines on both outputs, with bytes that
# no other output has, but for newlines.
PIECES = """
import os, random, time
def pieces(rank, write, silence):
    random.seed(rank)
    own = [[b for b in range(256) if b % 8 == k and b != 10] for k in (rank, rank + 4)]
    tables = [bytes(some[b % len(some)] for b in range(256)) for some in own]
    for turn in range(150):
        which = random.randrange(2)
        text = random.randbytes(random.randrange(random.choice((100, 9000, 150_000)))).translate(tables[which])
        write(which, text + b"\\n" * random.randrange(2))
        if turn % 50 == 49:
            silence()
"""


def test_every_byte_comes_once():
    """Lines of up to 150 KB, without ends, with silences in them, and any bytes: nothing is added, dropped or moved."""
    program = PIECES + """
def write(which, text):
    while text:
        text = text[os.write(1 + which, text):]
pieces(int(os.environ["MPX_RANK"]), write, lambda: time.sleep(0.3))
"""
    scope = {}
    exec(PIECES, scope)
    wrote = {}
    for rank in range(4):
        def keep(which, text):
            wrote[rank, which] = wrote.get((rank, which), b"") + text
        scope["pieces"](rank, keep, lambda: None)
    newlines = sum(text.count(b"\n") for text in wrote.values())

    def check(*outputs):
        """Each is (text, of which outputs of ranks)."""
        for text, of in outputs:
            for rank in range(4):
                for which in of:
                    mine = text.translate(None, bytes(b for b in range(256) if b == 10 or b % 8 != rank + 4 * which))
                    assert mine == wrote[rank, which].replace(b"\n", b""), (rank, which, len(mine))
        equal(sum(text.count(b"\n") for text, _ in outputs), newlines)

    command = ("-n", "4", sys.executable, "-c", program)
    r = subprocess.run([MPXRUN, *command], capture_output=True, env=CLEAN, timeout=60 * LIMITS)
    equal(r.returncode, 0)
    check((r.stdout, [0]), (r.stderr, [1]))
    r = subprocess.run([MPXRUN, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=CLEAN, timeout=60 * LIMITS)
    equal(r.returncode, 0)
    check((r.stdout, [0, 1]))
    with tempfile.TemporaryDirectory() as folder:
        equal(run("--output", folder, *command).returncode, 0)
        for (rank, which), text in wrote.items():
            assert Path(folder, f"rank.{rank}.{('out', 'err')[which]}").read_bytes() == text, (rank, which)


def test_unfinished_lines():
    job = start("-n", 2, "--label", VICTIM, "parts", bufsize=0)
    begin = time.monotonic()
    first = os.read(job.stdout.fileno(), 100)
    took = time.monotonic() - begin
    equal(first, b"[0] one")
    assert took > 0.15, took
    rest = job.stdout.read()
    equal(rest, " two\n[0] 10%\n[0] 20%\n[0] rest\n")  # text mode reads \r and \r\n as \n
    equal(job.wait(), 0)


def test_last_line_without_end():
    """It is ended where lines are labelled; else output is as the ranks have printed it."""
    for text in ("printf end", "printf 'a\\nend'", "printf a; sleep 0.3; printf end"):
        assert run("-n", 1, "--label", "sh", "-c", text).stdout.endswith("end\n"), text
        assert run("-n", 1, "sh", "-c", text).stdout.endswith("end"), text
    equal(run("-n", 1, "--label", "printf", "end\\n").stdout, "[0] end\n")
    equal(run("-n", 1, "--label", "true").stdout, "")
    with tempfile.TemporaryDirectory() as folder:
        run("-n", 1, "--label", "--output", folder, "printf", "end")
        equal(Path(folder, "rank.0.out").read_text(), "[0] end\n")


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


def test_what_was_printed_is_not_lost():
    """Neither by a rank that crashes nor by those that are ended for it."""
    steps = [f"{rank}: step {i}" for rank in range(3) for i in range(4)]
    for how, code in (("kill", 137), ("abort", 134), ("throw", 134), ("full", 137)):
        r = run("-n", 3, VICTIM, "steps", 1, how)
        equal(r.returncode, code)
        equal(sorted(r.stdout.splitlines()), sorted([*steps, "begin", "begin", "begin"]))
        with tempfile.TemporaryDirectory() as folder:
            run("-n", 3, "--output", folder, VICTIM, "steps", 1, how)
            for rank in range(3):
                lines = Path(folder, f"rank.{rank}.out").read_text().splitlines()
                equal(lines, ["begin", *steps[4 * rank:4 * rank + 4]])
    # A program may choose otherwise, before or afterwards.
    r = run("-n", 1, VICTIM, "steps", 0, "unbuffered")
    equal(r.stdout.splitlines(), ["begin", *steps[:4], "unfinished"])
    # (glibc writes the first byte after the change at once, or the first line.)
    held = run("-n", 1, VICTIM, "steps", 0, "chosen").stdout
    assert held.startswith("begin\n") and "step 1" not in held, held


def test_no_interpreter():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#! /no/such/python -u\n")
        os.chmod(script, 0o755)
        r = run("-n", 1, script)
        equal(r.returncode, 127)
        contains(r.stderr, "its interpreter '/no/such/python' does not exist")


def test_alone():
    r = run("-n", 2, "-x", "MPX_BOOTSTRAP=alone", "true")
    equal(r.returncode, 0)
    contains(r.stderr, "MPX_BOOTSTRAP=alone: each of the 2 processes is a job of its own")
    equal(run("-n", 1, "-x", "MPX_BOOTSTRAP=alone", "true").stderr, "")


def test_rank_dies_by_signal():
    r = die("kill", 137, r"rank 2 \(pid \d+\) was killed by signal 9 \(SIGKILL\); ending the other")
    equal(r.stderr.count("\n"), 1)
    die("segv", 139, r"rank 2 \(pid \d+\) was killed by signal 11 \(SIGSEGV\)")


def test_rank_exits():
    die("exit", 3, r"rank 2 \(pid \d+\) exited with code 3 without leaving the job")
    die("quit", 1, r"rank 2 \(pid \d+\) exited with code 0 without leaving the job: return from main, ")


def test_rank_aborts():
    for options in ([], ["--survive"]):
        die("abort", 7, r"rank 2 \(pid \d+\) aborted the job with code 7: no more cheese", *options)


def test_rank_fails_after_leaving():
    r = die("leave", 5, r"rank 2 \(pid \d+\) left the job and then exited with code 5")
    equal(sorted(r.stdout.splitlines()), [f"rank {i} goes on" for i in (0, 1, 3)])


def test_rank_is_killed_after_leaving():
    r = die("leave_kill", 134, r"rank 2 \(pid \d+\) left the job and then was killed by signal 6 \(SIGABRT\)")
    equal(sorted(r.stdout.splitlines()), [f"rank {i} goes on" for i in (0, 1, 3)])


def test_first_to_fail_is_heard():
    """Ranks that end because another has failed do not end that one before it has said why."""
    r = run("-n", 3, VICTIM, "last_word", 1, 300)
    equal(r.returncode, 3)
    contains(r.stdout, "rank 1: no more cheese")
    matches(r.stderr, r"^mpxrun: rank 1 \(pid \d+\) exited with code 3 without leaving the job\n$")


def test_first_to_fail_is_silent():
    """They wait for it for no more than a second."""
    begin = time.monotonic()
    r = run("-n", 3, VICTIM, "last_word", 1, 20_000)
    assert time.monotonic() - begin < 10, "took too long"
    equal(r.returncode, 4)
    matches(r.stderr, r"^mpxrun: rank [02] \(pid \d+\) exited with code 4 without leaving the job; "
                      r"ending the other ranks\n$")


def test_survive():
    r = die("kill", 137, r"rank 2 \(pid \d+\) was killed by signal 9 \(SIGKILL\); the other ranks go on",
            "--survive")
    lines = sorted(r.stdout.splitlines())
    equal(len(lines), 3)
    for rank, line in zip((0, 1, 3), lines):
        match = re.match(rf"rank {rank}: peer_lost after (\d+) ms: fence: rank 2 .*signal 9 \(SIGKILL\)", line)
        assert match and int(match[1]) < 1000, line


def test_rank_that_never_joins_does_not_hang_the_others():
    script = f"[ $MPX_RANK = 1 ] || exec {VICTIM} hello"
    r = run("-n", 3, "--survive", "sh", "-c", script, timeout=10)
    contains(r.stderr, "rank 1 was lost: exited with code 0 before it joined")
    equal(r.returncode, 71)


INTERRUPTED = "mpxrun: interrupted; --hang-report 10 tells what ranks wait for, and where\n"


def test_signals_end_the_job():
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        job = start("-n", 4, VICTIM, "wait")
        pids = pids_of(job, 4)
        job.send_signal(s)
        equal(job.wait(timeout=3 * LIMITS), -s)
        assert gone(pids, 0.5)
        equal(job.stderr.read(), INTERRUPTED if s == signal.SIGINT else "")


def test_hint_at_hang_reports():
    """It is not for those who know, nor for programs of others."""
    for options in (("--hang-report", 30), ("-x", "MPX_HANG_REPORT=30")):
        job = start("-n", 2, *options, VICTIM, "wait")
        pids_of(job, 2)
        time.sleep(0.1)
        job.send_signal(signal.SIGINT)
        equal(job.communicate(timeout=5 * LIMITS)[1], "")
    job = start("-n", 2, "--timeout", 30, VICTIM, "wait")
    pids_of(job, 2)
    job.send_signal(signal.SIGINT)
    equal(job.communicate(timeout=5 * LIMITS)[1], INTERRUPTED)
    job = start("-n", 2, "sh", "-c", "echo pid $$; exec sleep 30")
    pids_of(job, 2)
    job.send_signal(signal.SIGINT)
    equal(job.communicate(timeout=5 * LIMITS)[1], "")


def test_signals_can_be_caught():
    for s, code in ((signal.SIGINT, -signal.SIGINT), (signal.SIGUSR1, 0), (signal.SIGUSR2, 0)):
        job = start("-n", 3, VICTIM, "catch")
        pids_of(job, 3)
        job.send_signal(s)
        out, _ = job.communicate(timeout=5 * LIMITS)
        equal(out.splitlines(), [f"caught {int(s)}"] * 3)
        equal(job.returncode, code)


def test_stubborn_ranks():
    job = start("-n", 3, VICTIM, "stubborn")
    pids = pids_of(job, 3)
    begin = time.monotonic()
    job.send_signal(signal.SIGINT)
    equal(job.wait(timeout=5 * LIMITS), -signal.SIGINT)
    assert 0.9 < time.monotonic() - begin < 1.6 and gone(pids, 0.5)
    job = start("-n", 3, VICTIM, "stubborn")
    pids = pids_of(job, 3)
    begin = time.monotonic()
    job.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    job.send_signal(signal.SIGTERM)
    equal(job.wait(timeout=5 * LIMITS), -signal.SIGTERM)
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
    try:
        while b"interrupted" not in text:
            text += os.read(terminal, 1000)
    except OSError:
        pass  # The terminal is closed: nobody has it open any more.
    _, status = os.waitpid(pid, 0)
    contains(text.decode().replace("\r\n", "\n"), INTERRUPTED)
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
    equal(job.wait(timeout=3 * LIMITS), -signal.SIGTERM)


def test_mpxrun_is_killed():
    def shared():
        return sorted(name for name in os.listdir("/dev/shm") if "mpx-" in name)

    before = shared()
    with tempfile.TemporaryDirectory(prefix="mpxrun-") as folder:
        for wrapper in ([], ["sh", "-c", f"{VICTIM} wait; true"]):
            job = start("-n", 4, *(wrapper or [VICTIM, "wait"]), env={**CLEAN, "TMPDIR": folder})
            pids = pids_of(job, 4)
            job.kill()
            equal(job.wait(), -9)
            assert gone(pids, 1), pids
        equal(os.listdir(folder), [])
    equal(shared(), before)


def test_rank_is_killed_from_outside():
    for wrapper in ([VICTIM, "wait"], ["sh", "-c", f"{VICTIM} wait; exit $?"]):
        job = start("-n", 4, *wrapper)
        pids = pids_of(job, 4)
        begin = time.monotonic()
        os.kill(pids[1], signal.SIGKILL)
        equal(job.wait(timeout=5 * LIMITS), 137)
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
        r = subprocess.run([VICTIM, "hello"], capture_output=True, text=True, timeout=50,
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


def test_several_programs():
    sizes = "echo program $0 rank $MPX_RANK of $MPX_SIZE $WHO"
    r = run("-n", 2, "-x", "WHO=all", "sh", "-c", sizes, "a", ":", "sh", "-c", sizes, "b",
            ":", "-np", 3, "-x", "WHO=c", "sh", "-c", sizes, "c")
    equal((r.returncode, r.stderr), (0, ""))
    equal(sorted(r.stdout.splitlines()),
          [f"program {name} rank {rank} of 6 {who}" for rank, (name, who) in enumerate(
              [("a", "all")] * 2 + [("b", "all")] + [("c", "c")] * 3)])
    for counts in ((1, 1), (2, 1), (1, 3, 4)):  # they meet
        words = []
        for n in counts:
            words += [*([":"] if words else []), "-n", n, VICTIM, "hello"]
        r = run(*words)
        equal((r.returncode, len(r.stdout.splitlines())), (0, sum(counts)))
        contains(r.stdout, f"rank {sum(counts) - 1} of {sum(counts)} knows {sum(counts)}")
    r = run("-n", 2, "true", ":", "-n", 2, "sh", "-c", "exit 7")
    equal(r.returncode, 7)
    matches(r.stderr, r"rank [23] \(pid \d+\) exited with code 7")
    equal(run("sh", "-c", "echo $1", "x", "a:b").stdout, "a:b\n")


def test_wrong_command_lines():
    for args, code, part in (
            (["-n", "0", "true"], 2, "-n: 0 ranks: at least 1"), (["-n", "-3", "true"], 2, "at least 1"),
            (["-n", "4097", "true"], 2, "at most 4096"), (["-n", "100000", "true"], 2, "at most 4096"),
            (["-n", "99999999999999999999", "true"], 2, "at most 4096"), (["-n", "", "true"], 2, "not a number"),
            (["-n", "x", "true"], 2, "'x' is not a number"), (["-n", "2x", "true"], 2, "not a number"),
            (["-np", "x", "true"], 2, "not a number"), (["--ranks=0", "true"], 2, "at least 1"),
            ([], 2, "no program is given"), (["-n", "2"], 2, "no program is given"), (["-n", "2", "--"], 2, "no program is given"),
            (["-n"], 2, "-n N"), (["--timeout"], 2, "--timeout SECONDS"),
            (["--cheese", "true"], 2, "--cheese: no such option"), (["-z", "true"], 2, "-z: no such option"),
            (["--label=3", "true"], 2, "takes no value"), (["-x", "A", "true"], 2, "-x: A is not set here"),
            (["-x", "./true"], 2, "-x: './true' is no variable: -x VAR=VALUE goes before the program"),
            (["-x", "", "true"], 2, "'' is not of the form VAR=VALUE"), (["-x", "=1", "true"], 2, "VAR=VALUE"),
            (["-x", "MPX_RANK", "true"], 2, "-x: MPX_RANK is set by mpxrun"),
            *((["-x", f"{name}=9", "true"], 2, f"-x: {name} is set by mpxrun") for name in (
                "MPX_SIZE", "MPX_RANK", "MPX_JOB_FD", "MPX_SHM_FD", "MPX_LAUNCHER_FD", "MPX_CORES",
                "MPX_MAY_MOVE")),
            (["-x", "MPX_SIZE=", "true"], 2, "-x: MPX_SIZE is set by mpxrun"),
            (["--bind-to", "moon", "true"], 2, "'moon' is none of auto, core and none"),
            (["--timeout", "soon", "true"], 2, "'soon' is not a number of seconds"),
            (["--timeout", "0", "true"], 2, "not a number of seconds"),
            (["--output", "", "true"], 2, "a folder is needed"),
            (["--output", "/etc/passwd/here", "true"], 1, "the folder cannot be made: Not a directory"),
            (["-n", "2", "true", ":"], 2, "behind the last colon"), ([":", "true"], 2, "no program is given"),
            (["true", ":", "-n", "2"], 2, "program 2: no program is given"),
            (["true", ":", "-n", "0", "true"], 2, "program 2: -n: 0 ranks"),
            (["true", ":", "-x", "A", "true"], 2, "program 2: -x: A is not set here"),
            (["true", ":", "-x", "MPX_RANK=0", "true"], 2, "program 2: -x: MPX_RANK is set by mpxrun"),
            (["true", ":", "true", ":", "--cheese", "true"], 2, "program 3: --cheese: no such option"),
            (["true", ":", "--label", "true"], 2, "program 2: --label is for the whole job"),
            (["-n", "3000", "true", ":", "-n", "1097", "true"], 2, "4097 ranks in all: at most 4096"),
            (["-n", "2", "no-such-program-here"], 127, "no such program in PATH"),
            (["true", ":", "no-such-program-here"], 127, "program 2: 'no-such-program-here': no such program"),
            (["/no/such/program"], 127, "no such program"), (["true", ":", "/etc"], 126, "program 2: '/etc'"),
            (["/etc/passwd"], 126, "cannot be executed: Permission"), (["/etc"], 126, "it is a folder")):
        r = run(*args)
        equal((args, r.returncode), (args, code))
        contains(r.stderr, part)
        equal((r.stdout, r.stderr.count("\n")), ("", 1))
    for wrong in ("---n", "--n2", "--", "-"):
        equal((wrong, run(wrong, 2, "true").returncode != 0), (wrong, True))
    for option in ("-V", "--V", "-version"):
        contains(run(option).stdout, "mpxrun (mpx)")
    contains(run("--help").stdout, "Usage: mpxrun [OPTIONS] program")
    for line in run("-h").stdout.splitlines():
        assert len(line) <= 100, line
    equal(re.fullmatch(r"mpxrun \(mpx\) \d+\.\d+\.\d+\n", run("--version").stdout) is not None, True)


def test_names_of_others():
    """Open MPI's and Hydra's names of options, behind one dash or two."""
    for options in (["-np", 2], ["-n2"], ["--ranks=2"], ["-n", 2, "-bind-to", "none"], ["-n", 2, "--bind-to=core"],
                    ["--np", 2], ["--n", 2], ["--n=2"], ["-ranks", 2], ["--n", 2, "--x", "A=1"]):
        equal(run(*options, "echo", "hi").stdout, "hi\n" * 2)
    for name in ("-l", "--l", "--label", "--tag-output", "-tag-output"):
        equal(sorted(run("-n", 2, name, "echo", "hi").stdout.splitlines()), ["[0] hi", "[1] hi"])


def test_near_misses():
    for word, meant in (("--hang-reports", "--hang-report"), ("--hangreport", "--hang-report"),
                        ("-hang_report=3", "--hang-report"), ("--timeot", "--timeout"), ("--lable", "--label"),
                        ("--time", "--timeout"), ("--bindto", "--bind-to"), ("--surviv", "--survive"),
                        ("--rank", "--ranks")):
        r = run(word, "true")
        equal((r.returncode, r.stderr), (2, f"mpxrun: {word.split('=')[0]}: no such option: did you mean {meant}? "
                                            "(see mpxrun --help)\n"))
    for word in ("--cheese", "-z", "-q"):
        equal(run(word, "true").stderr, f"mpxrun: {word}: no such option (see mpxrun --help)\n")


def test_what_scripts_of_others_have():
    for option in ("--oversubscribe", "-oversubscribe", "--allow-run-as-root"):
        r = run("-n", 2, option, "echo", "hi")
        equal((r.returncode, r.stdout, r.stderr), (0, "hi\nhi\n", ""))
    for option, part in (("--hostfile", "mpxrun --hosts LIST"), ("-machinefile", "--hosts"), ("--map-by", "not needed"),
                         ("-genv", "-x NAME=VALUE"), ("-v", "not needed"), ("--mca", "-x NAME=VALUE")):
        r = run(option, "what", "true")
        equal((r.returncode, r.stderr.count("\n")), (2, 1))
        contains(r.stderr, f"{option}: no such option: ")
        contains(r.stderr, part)
    show = ["sh", "-c", "echo $WHO"]
    equal(run("-x", "WHO", *show, env={**CLEAN, "WHO": "a b=c"}).stdout, "a b=c\n")
    r = run("-x", "WHO=all", *show, ":", "-x", "WHO", *show, env={**CLEAN, "WHO": "own"})
    equal(sorted(r.stdout.splitlines()), ["all", "own"])


def test_working_directory():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        os.mkdir(f"{folder}/a")
        Path(folder, "a", "run").write_text("#! /bin/sh\npwd -P\n", encoding="utf-8")
        os.chmod(f"{folder}/a/run", 0o755)
        for option in ("-wdir", "--wdir", "-wd"):
            equal(run("-n", 2, option, folder, "pwd").stdout, f"{folder}\n" * 2)
        equal(run("--wdir", "a", "./run", cwd=folder).stdout, f"{folder}/a\n")  # there, as with env --chdir
        r = run("--wdir", folder, "pwd", ":", "-n", 2, "--wdir", f"{folder}/a", "pwd", ":", "pwd")
        equal(sorted(r.stdout.splitlines()), [folder, folder, f"{folder}/a", f"{folder}/a"])
        r = run("pwd", ":", "--wdir", folder, "pwd", cwd="/")
        equal(sorted(r.stdout.splitlines()), ["/", folder])
        for path, why in ((f"{folder}/none", "No such file"), (f"{folder}/a/run", "Not a directory")):
            r = run("touch", f"{folder}/started", ":", "--wdir", path, "true")
            equal((r.returncode, r.stderr.count("\n"), os.path.exists(f"{folder}/started")), (1, 1, False))
            contains(r.stderr, f"mpxrun: --wdir: {path}: cannot be entered: {why}")
        r = run("--wdir", folder, "./run")
        equal(r.returncode, 127)
        contains(r.stderr, f"'./run': no such program in {folder} (--wdir)")
        if os.geteuid() != 0:
            os.chmod(f"{folder}/a", 0o600)
            contains(run("--wdir", f"{folder}/a", "true").stderr, "cannot be entered: Permission denied")
            os.chmod(f"{folder}/a", 0o700)


def test_output_files():
    with tempfile.TemporaryDirectory() as folder:
        def kept(name):
            return Path(folder, "a", "b", name).read_text()

        r = run("-n", 3, "--output", Path(folder, "a", "b"), "sh", "-c", "echo out $MPX_RANK; echo err >&2; printf end")
        equal((r.returncode, r.stdout, r.stderr), (0, "", ""))
        for rank in range(3):
            equal((kept(f"rank.{rank}.out"), kept(f"rank.{rank}.err")), (f"out {rank}\nend", "err\n"))
        r = run("-n", 2, "--label", "--output", Path(folder, "a", "b"), VICTIM, "lines", 5000)
        lines = kept("rank.1.out").splitlines()
        equal((len(lines), lines[4999][:10]), (5000, "[1] 1 4999"))
        # Messages of mpxrun itself stay on its own output.
        r = run("-n", 4, "--output", Path(folder, "a", "b"), VICTIM, "die", 2, "kill")
        contains(r.stderr, "rank 2")
        equal(r.returncode, 137)


def test_output_files_that_cannot_be_written():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rank.1.out")
        path.symlink_to("/dev/full")
        for command in (["sh", "-c", "echo text; exec sleep 30"], ["echo", "text"]):
            r = run("-n", 2, "--output", folder, *command, timeout=10)
            equal(r.returncode, 1)
            contains(r.stderr, f"mpxrun: writing {path} failed: No space left on device")
        path.unlink()
        path.mkdir()
        r = run("-n", 2, "--output", folder, "true")
        equal(r.returncode, 1)
        contains(r.stderr, f"--output: {path}: cannot be written: Is a directory")
        path.rmdir()
        os.mkfifo(path)
        r = run("-n", 2, "--output", folder, "true", timeout=10)
        equal((r.returncode, r.stderr.count(str(path))), (1, 1))
        if os.geteuid() != 0:
            path.unlink()
            os.chmod(folder, 0o500)
            r = run("-n", 2, "--output", folder, "true")
            contains(r.stderr, "Permission denied")
            os.chmod(folder, 0o700)
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
    with tempfile.TemporaryDirectory() as folder:
        r = run("-n", 64, "--output", folder, "true", preexec_fn=limit)
        equal((r.returncode, os.listdir(folder)), (1, []))
        contains(r.stderr, "ulimit -Hn")


def test_timeout():
    begin = time.monotonic()
    r = run("-n", 2, "--timeout", 0.4, "sleep", 30)
    equal((r.returncode, r.stderr), (124, "mpxrun: the job has not ended within 0.4 s (--timeout): ending it\n"))
    assert 0.35 < time.monotonic() - begin < 1.4 * LIMITS
    begin = time.monotonic()  # SIGTERM is ignored: SIGKILL follows
    r = run("-n", 2, "--timeout", 0.4, VICTIM, "stubborn")
    equal(r.returncode, 124)
    assert 0.85 < time.monotonic() - begin < 2 * LIMITS
    equal(run("-n", 2, "--timeout", 30, VICTIM, "hello").returncode, 0)
    equal(run("-n", 2, "--timeout", 30, "sh", "-c", "exit 3").returncode, 3)
    r = run("-n", 2, "--timeout", 0.5, "--survive", "sh", "-c", "[ $MPX_RANK = 1 ] && exit 3; sleep 30")
    equal(r.returncode, 3)
    contains(r.stderr, "has not ended within 0.5 s")


def can_say_what_runs(load):
    try:
        return subprocess.run(["unshare", "-m", "mount", "--bind", load, "/proc/loadavg"], capture_output=True,
                              timeout=50).returncode == 0
    except FileNotFoundError:
        return False


def know_of_many_cores():
    """From now on the kernel refuses small sets of cores, as one does that knows of many, if that can be had."""
    getaffinity = {"x86_64": 204, "aarch64": 123}.get(os.uname().machine)
    if getaffinity is None:
        return
    load, equals, at_least, answer = 0x20, 0x15, 0x35, 0x06
    steps = [(load, 0, 0, 0), (equals, 0, 3, getaffinity), (load, 0, 0, 24), (at_least, 1, 0, 1024),
             (answer, 0, 0, 0x00050000 | 22), (answer, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None).prctl
    if prctl(38, *(ctypes.c_ulong(n) for n in (1, 0, 0, 0))) == 0:
        prctl(22, ctypes.c_ulong(2), program)


def bindings(*options, cores=None, ranks=2, load=None, limit=None):
    """The cores that each rank may use, and what mpxrun says of them. `load`: what runs, if we may say."""
    words = [MPXRUN, "-n", ranks, "--report-bindings", *options, sys.executable, "-c",
             "import os; print(os.environ['MPX_RANK'], *sorted(os.sched_getaffinity(0)),"
             "'of', os.environ.get('MPX_MAY_MOVE'), os.environ.get('MPX_CORES'))"]
    if load is not None:
        words = ["unshare", "-m", "sh", "-c", f"mount --bind {load} /proc/loadavg && exec \"$@\"", "x", *words]
    if cores is not None:
        limit = lambda: os.sched_setaffinity(0, cores)
    r = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, env=CLEAN,
                       stdin=subprocess.DEVNULL, preexec_fn=limit)
    equal((r.returncode, r.stdout == ""), (0, False))
    said = dict(re.findall(r"rank (\d+) \(pid \d+\) is bound to (cores? .*)", r.stderr))
    found = {}
    for line in r.stdout.splitlines():
        words = line.split()
        found[int(words[0])] = [int(w) for w in words[1:words.index("of")]]
        assert (words[-1] == "None") == (not said), (line, r.stderr)
        equal(words[-2], "None" if {"core", "none"} & set(options) else "1")  # The choice of cores is mpxrun's.
    return found, said, r.stderr


def test_binding_on_request():
    allowed = sorted(os.sched_getaffinity(0))
    for ranks in (1, 2, len(allowed) + 1) if len(allowed) > 1 else ():
        found, said, _ = bindings("--bind-to", "core", ranks=ranks)
        equal(len(said), ranks)
        if ranks > len(allowed):  # round robin
            equal(found[ranks - 1], found[0])
        else:
            equal(len({tuple(cores) for cores in found.values()}), ranks)
        assert all(set(cores) <= set(allowed) for cores in found.values()), found
    if len(allowed) > 1:
        equal(len(bindings("--bind-to", "core", limit=know_of_many_cores)[1]), 2)
    found, said, err = bindings("--bind-to", "none")
    equal((found, said), ({0: allowed, 1: allowed}, {}))
    contains(err, "no rank is bound to cores: --bind-to none")


def test_one_core_is_never_bound_to():
    core = min(os.sched_getaffinity(0))
    for policy in ("auto", "core"):
        found, said, err = bindings("--bind-to", policy, cores={core})
        equal((found, said), ({0: [core], 1: [core]}, {}))
        contains(err, f"mpxrun may use core {core} alone")


def test_binding_by_itself():
    allowed = sorted(os.sched_getaffinity(0))
    found, said, err = bindings(ranks=len(allowed) + 1)  # more than cores
    equal((set(map(tuple, found.values())), said), ({tuple(allowed)}, {}))
    if len(allowed) < 2:
        return "ok, on one core"
    # An idle machine has cores to spare; a busy one is left alone.
    with tempfile.NamedTemporaryFile("w", suffix=".load") as load:
        def running(threads):
            load.seek(0)
            load.write(f"0.00 0.00 0.00 {threads}/100 1000\n")
            load.truncate()
            load.flush()

        def bound():
            deadline = time.monotonic() + 20
            while True:  # other tests have jobs, too
                found, said, err = bindings(load=load.name)
                if len(said) == 2:
                    return found
                contains(err, "other jobs of mpxrun are bound to")
                assert time.monotonic() < deadline, err
                time.sleep(0.1)

        running(1)
        if not can_say_what_runs(load.name):
            return "ok, but only root can say what runs on a machine"
        found = bound()
        equal(sorted(found[0] + found[1]), sorted(set(found[0] + found[1])))
        equal(len(found[0]), len(found[1]))
        equal(bindings("--bind-to", "auto", ranks=1, load=load.name)[1], {})  # there is nobody to keep apart
        running(os.cpu_count())
        found, said, err = bindings(load=load.name)
        equal(said, {})
        contains(err, "threads that run besides")
        # Another job is bound there: that is respected, whatever it does, and for as long as it lives.
        running(1)
        other = start("-n", len(allowed), "--bind-to", "core", VICTIM, "wait")
        pids_of(other, len(allowed))
        _, said, err = bindings(load=load.name)
        equal(said, {})
        contains(err, f"other jobs of mpxrun are bound to {len(allowed)} of {len(allowed)} cores")
        other.terminate()
        other.communicate()
        bound()


def test_who_leaves_before_the_one_that_failed_is_not_blamed():
    r = run("-n", 4, "--survive", VICTIM, "unwind", 2, 3)
    equal(r.returncode, 3)
    equal(re.sub(r"pid \d+", "pid", r.stderr), "mpxrun: rank 2 (pid) exited with code 3 without leaving the job\n")
    lines = sorted(re.sub(r"pid \d+", "pid", line) for line in r.stdout.splitlines())
    equal([line for line in lines if "cheese" in line], ["rank 2: no more cheese: invalid argument"])
    for rank in (0, 1, 3):
        contains("\n".join(lines), f"rank {rank}: fence: rank 2 (pid) failed")
    r = run("-n", 3, "--survive", VICTIM, "unwind", 0, 0)  # nobody else can be meant
    equal(r.returncode, 1)
    matches(r.stderr, r"^mpxrun: rank 0 \(pid \d+\) exited with code 0 without leaving the job: return from main")


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
                       capture_output=True, text=True, env=CLEAN, timeout=10 * LIMITS)
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
    equal(job.wait(timeout=3 * LIMITS), -signal.SIGINT)


def test_closed_standard_streams():
    r = subprocess.run(["bash", "-c", f"{MPXRUN} -n 2 {VICTIM} hello <&- 2>&-"],
                       capture_output=True, text=True, env=CLEAN, timeout=10 * LIMITS)
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
    job.wait(timeout=3 * LIMITS)


main(globals())
