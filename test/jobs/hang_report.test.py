#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# compilers: both
# timeout: 240
"""Jobs that hang, each in its own way, say why: once, and with the lines of the program."""

import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from jobs import CLEAN, LIMITS, PATIENCE, contains, equal, helper, main, run, start

HANG = helper("hang")
SOURCE = (Path(__file__).resolve().parent / "hang.cpp").read_text().splitlines()
ALL = "mpx: hang report: nothing has moved"
END = "the job goes on waiting"


def line_of(mark):
    """'hang.cpp:12', where the comment `// line: mark` stands."""
    return f"hang.cpp:{[i for i, text in enumerate(SOURCE, 1) if text.endswith(f'// line: {mark}')][0]}"


def reports(text):
    return ["mpx: hang report:" + part for part in text.split("mpx: hang report:")[1:]]


def hangs(ranks, what, wanted=ALL, options=("--hang-report", "0.5"), env=None, more_s=1.5, once=True):
    """The one report that starts with `wanted`, or, unless it comes only `once`, the first. Where the
    machine is slow, others may come before: a rank may be late to join."""
    job = start("-n", ranks, "--leave-timeout", "0", *options, HANG, what, env=env)
    text = []

    def read():
        for line in job.stderr:
            text.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    deadline = time.monotonic() + 60 * LIMITS
    while time.monotonic() < deadline and job.poll() is None:
        found = [r for r in reports("".join(text)) if r.startswith(wanted)]
        if found and END in found[0]:
            break
        time.sleep(0.02)
    time.sleep(more_s)  # A second report of the same would come by now.
    running = job.poll() is None
    job.send_signal(signal.SIGTERM)
    job.wait(timeout=150)
    reader.join()
    job.stdout.close()
    job.stderr.close()
    assert running, "".join(text)
    found = [r for r in reports("".join(text)) if r.startswith(wanted)]
    if once or not found:
        equal((len(found), "".join(text)) if len(found) != 1 else 1, 1)
    return found[0]


def has(report, *patterns):
    for p in patterns:
        assert re.search(p, report), f"{p!r} is not in\n{report}"


def test_two_ranks_receive_first():
    r = hangs(2, "receive_first")
    at = line_of("receive_first")
    for rank in (0, 1):
        has(r, rf"rank {rank} \(pid \d+\) waits in recv at .*{at}: from rank {1 - rank}, tag 7, communicator 0, "
               r"room for 8 bytes \(for \d+\.\d s\)\n")
    has(r, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n", "posted receives: from rank 1, tag 7")


def test_wrong_tag():
    r = hangs(2, "wrong_tag")
    has(r, f"rank 0 .* waits in recv at .*{line_of('wrong_tag')}: from rank 1, tag 7",
        "unexpected messages: from rank 1, tag 8, communicator 0, 8 bytes\n",
        f"rank 1 .* leaves the job that it joined at .*{line_of('joins')}, waits for rank 0",
        "hint: rank 0 wants tag 7, a message here has tag 8")


def test_skipped_collective():
    r = hangs(3, "skipped")
    for rank in (0, 2):
        has(r, f"rank {rank} .* waits in barrier at .*{line_of('skipped')}: from rank 1, collective call 2 of "
               "communicator 0")
    has(r, "rank 1 .* leaves the job .*, waits for ranks 0, 2", "cycle: rank 0 waits for rank 1, rank 1 for rank 0")


def test_different_collectives():
    r = hangs(2, "mixed_up")
    has(r, f"rank 0 .* waits in reduce at .*{line_of('mixed_up_reduce')}: from rank 1",
        f"rank 1 .* waits in bcast at .*{line_of('mixed_up_bcast')}: from rank 0",
        "hint: collective call 1 of communicator 0 is reduce on rank 0 and bcast on rank 1")


def test_a_rank_that_computes():
    r = hangs(3, "computes", wanted="mpx: hang report: 2 of 3 ranks have waited for ")
    for rank in (0, 1):
        has(r, f"rank {rank} .* waits in barrier at .*{line_of('computes')}: from rank")
    has(r, r"rank 2 \(pid \d+\) is not in mpx \(for \d+\.\d s\)\n", "wait for rank 2, which is not in mpx\n")
    assert "cycle" not in r, r


def test_long_sends_to_each_other():
    r = hangs(2, "long_sends")
    for rank in (0, 1):
        has(r, f"rank {rank} .* waits in send at .*{line_of('long_sends')}: to rank {1 - rank}, tag 3, "
               "communicator 0, 1048576 bytes, not received yet",
            f"unexpected messages: from rank {1 - rank}, tag 3, communicator 0, 1048576 bytes\n")
    has(r, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")


def test_one_of_several():
    r = hangs(2, "any_of")
    has(r, f"rank 1 .* waits in wait_any at .*{line_of('any_of')}, for one of from any rank, tag 5, communicator 0, "
           "room for 4 bytes; from rank 0, any tag, ", "cycle")


def test_ranks_that_test():
    # A rank that tests, and gets no core for over a second, may have been away: it is reported again.
    r = hangs(3, "tests", once=False)
    has(r, r"rank 0 .* tests or probes again and again: from rank 1, tag 6, communicator 0, room for 4 bytes \(",
        "cycle: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0\n")


def test_a_circle_of_three():
    r = hangs(3, "circle")
    has(r, f"rank 0 .* waits in probe at .*{line_of('circle_probe')}: from rank 1, tag 1, communicator 0 ",
        f"rank 1 .* waits in ssend at .*{line_of('circle_ssend')}: to rank 2, tag 2",
        f"rank 2 .* waits in wait at .*{line_of('circle_wait')}: from rank 0, tag 3",
        "cycle: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0\n")


def test_a_fence_that_a_rank_has_not_come_to():
    r = hangs(3, "fence")
    for rank in (0, 2):
        has(r, rf"rank {rank} .* waits in fence at .*{line_of('fence')}: for rank 1 to come, window 1 "
               rf"\(made at {line_of('fence_window')}\) \(for ")
    has(r, f"rank 1 .* waits in recv at .*{line_of('fence_recv')}", "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")


def test_who_has_not_posted_and_not_completed():
    r = hangs(3, "groups")
    has(r, f"rank 0 .* waits in put at .*{line_of('groups_put')}: for rank 2 to post, window 1 ",
        f"rank 1 .* waits in wait at .*{line_of('groups_wait')}: for rank 0 to complete, window 1 ",
        rf"rank 2 .* waits in free at .*{line_of('groups_free')}: from rank [01], collective call \d+ of window 1 ")


def test_who_has_a_lock():
    r = hangs(3, "lock")
    has(r, rf"rank 0 .* waits in put at .*{line_of('lock_put')}: for rank 1 to unlock rank 2, window 1 "
           rf"\(made at {line_of('lock_window')}\) \(for ",
        f"rank 1 .* waits in recv at .*{line_of('lock_recv')}", f"rank 2 .* waits in free at .*{line_of('lock_free')}",
        "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")


def test_a_fence_and_a_barrier_elsewhere():
    r = hangs(2, "apart")
    has(r, f"rank 0 .* waits in fence at .*{line_of('apart_fence')}: for rank 1 to come, window 2 ",
        f"rank 1 .* waits in barrier at .*{line_of('apart_barrier')}: from rank 0, collective call 1 of communicator 1 "
        r"\(halo\)",
        r"hint: rank 0 is in fence of window 2 \(made at hang.cpp:\d+\), rank 1 in barrier of communicator 1 \(halo\): all "
        "ranks must make the same calls in the same order\n")


def test_a_rank_that_was_killed():
    r = hangs(3, "bereft", options=("--survive", "--hang-report", "0.5"))
    has(r, r"rank 2 \(pid \d+\) has failed: killed by signal 9 \(SIGKILL\)\n",
        f"rank 0 .* waits in recv at .*{line_of('bereft')}", "cycle: rank 0 waits for rank 1")


def test_a_rank_that_does_not_join():
    r = hangs(3, "stays_out", wanted="mpx: hang report: 2 of 3")
    has(r, f"rank 0 .* joins the job at .*{line_of('joins')}, waits for rank 1", "rank 1 has not joined the job\n",
        "ranks 0, 2 wait for rank 1, which has not joined the job")


def test_world_of_one():
    r = hangs(1, "alone")
    has(r, "in this job of 1 rank\n", f"rank 0 waits in mprobe at .*{line_of('alone')}: from rank 0, tag 1",
        "cycle: rank 0 waits for rank 0\n")


def test_alone_without_mpxrun():
    """No other process can print: the program does."""
    job = subprocess.Popen([HANG, "alone"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           stdin=subprocess.DEVNULL, env={**CLEAN, "MPX_HANG_REPORT": "0.3"})
    r = "".join(iter(job.stderr.readline, f"  {END}; another report follows only if something moves\n"))
    time.sleep(1)
    job.kill()
    out, err = job.communicate(timeout=150)
    equal((out, err), ("", ""))
    has(r, r"nothing has moved for (0\.[3-9]\d?|\d+|\d+\.\d) s in this job of 1 rank\n",
        rf"rank 0 waits in mprobe at .*{line_of('alone')}: from rank 0, tag 1, communicator 0 \(for \d+\.\d s\)\n",
        "cycle: rank 0 waits for rank 0\n")


def test_ranks_that_cannot_print():
    """The report is mpxrun's: it comes whatever the ranks do with their standard error."""
    r = hangs(2, "unheard", options=("--hang-report", "0.5", "--label"))
    at = line_of("receive_first")
    for rank in (0, 1):
        has(r, rf"\n  rank {rank} \(pid \d+\) waits in recv at .*{at}: from rank {1 - rank}, tag 7")
    assert "[" not in r, r  # A label would name a rank.


def test_asked_for_by_a_wrapper():
    """mpxrun learns of it from the ranks."""
    r = hangs(2, "receive_first", options=("env", "MPX_HANG_REPORT=0.4"))
    has(r, r"nothing has moved for (0\.[4-9]\d?|\d+|\d+\.\d) s in this job of 2 ranks")


def keeper_of(job):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for pid in Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split():
            if Path(f"/proc/{pid}/comm").read_text().strip() == "mpx-keeper":
                return int(pid)
        time.sleep(0.01)
    raise AssertionError("no keeper")


def used(pid):
    """Number of times that a process has slept, and the seconds of CPU that it took."""
    sleeps = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)
    stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(sleeps[1]), (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def keeper_while_blocked(options, until, seconds=3):
    """Sleeps and CPU time of mpxrun in so many seconds of a blocked job, after it has printed `until`."""
    job = start("-n", 4, *options, HANG, "circle_of_all")
    try:
        keeper = keeper_of(job)
        for line in job.stderr if until else ():
            if until in line:
                break
        else:
            time.sleep(2)
        before, begin = used(keeper), time.monotonic()
        time.sleep(seconds)
        after, took = used(keeper), time.monotonic() - begin
    finally:
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=150)
    return after[0] - before[0], (after[1] - before[1]) / took, took


def test_mpxrun_does_not_burn_cpu_for_it():
    # Off: it sleeps. One poll a second before any rank waits for long; later at most one each limit/8.
    looks, cpu, took = keeper_while_blocked((), "")
    assert looks <= 2 and cpu < 0.02 * PATIENCE, (looks, cpu)
    looks, cpu, took = keeper_while_blocked(("--hang-report", "100"), "")
    assert 1 <= looks <= 2 * took + 3 and cpu < 0.05 * PATIENCE, (looks, cpu)
    looks, cpu, took = keeper_while_blocked(("--hang-report", "0.8"), END)
    assert 1 <= looks <= 2 * took / 0.1 + 3 and cpu < 0.1 * PATIENCE, (looks, cpu)


def test_what_makes_no_sense():
    """A rank that writes nonsense harms neither mpxrun nor what the other ranks are told to be."""
    job = start("-n", 3, "--hang-report", "0.3", HANG, "nonsense")
    text = []
    reader = threading.Thread(target=lambda: text.extend(job.stderr))
    reader.start()
    deadline = time.monotonic() + 30 * LIMITS
    # The last report is on a rank that makes sense again.
    while time.monotonic() < deadline and not re.search(
            "rank 2 .* waits in recv .*: from rank 0, tag 2,", "".join(text)):
        time.sleep(0.05)
    time.sleep(0.3)
    running = job.poll() is None
    begin = time.monotonic()
    job.send_signal(signal.SIGTERM)
    equal(job.wait(timeout=150), -signal.SIGTERM)
    assert time.monotonic() - begin < 5 * LIMITS
    reader.join()
    job.stdout.close()
    job.stderr.close()
    assert running
    text = "".join(text)
    found = reports(text)
    assert len(found) >= 2, text
    assert all(c == "\n" or " " <= c <= "~" for c in text), text
    has(found[-1], "rank 0 .* waits in recv at .*: from rank 2, tag 1,", "cycle: rank 0 waits for rank 2, rank 2 for rank 0")
    has(text, "rank 2 .*cannot be understood\n")
    for r in found:
        has(r, "rank 1 .* waits in recv at .*: from rank 2, tag 1,")


def test_a_job_that_moves_again_is_reported_again():
    r = run("-n", 3, "--hang-report", "0.3", HANG, "twice", timeout=60)
    equal((r.returncode, r.stdout), (0, "done\n" * 3))
    found = [x for x in reports(r.stderr) if "collective call" in x]
    for call in (1, 2):
        of_call = [x for x in found if f"collective call {call} of" in x]
        assert 1 <= len(of_call) <= 2, r.stderr  # 2: one of the ranks came late.
        has(of_call[-1], f"waits in barrier at .*{line_of('twice')}", "rank 0 .* is not in mpx")


def test_by_the_environment():
    r = hangs(2, "receive_first", options=(), env={"MPX_HANG_REPORT": "0.25"})
    has(r, r"nothing has moved for (0\.[2-9]\d?|\d+|\d+\.\d) s in this job of 2 ranks")


def test_a_job_whose_time_is_up():
    """It says what its ranks wait for before it is ended, whether hang reports are asked for or not."""
    for options in ((), ("--hang-report", "0.5")):
        r = run("-n", 2, "--timeout", 2 * PATIENCE, *options, HANG, "receive_first")
        equal((r.returncode, r.stdout), (124, ""))
        before, ending, last = r.stderr.partition(f"mpxrun: the job has not ended within {2 * PATIENCE} s")
        assert ending, r.stderr
        if not options:
            equal(before, "")
        at = line_of("receive_first")
        for rank in (0, 1):
            has(last, rf"rank {rank} \(pid \d+\) waits in recv at .*{at}: from rank {1 - rank}, tag 7")
        has(last, "cycle: rank 0 waits for rank 1, rank 1 for rank 0\n")
        assert END not in last, last
        # The duration so far, not the time after which a rank would have reported.
        quiet = float(re.search(r"nothing has moved for (\d+(\.\d+)?) s in this job", last)[1])
        assert PATIENCE < quiet <= 2 * PATIENCE, last
    r = run("-n", 3, "--timeout", 2 * PATIENCE, HANG, "computes")
    has(r.stderr, "2 of 3 ranks have waited", "rank 2 .* is not in mpx", "waits in barrier at .*" + line_of("computes"))


def test_nothing_is_printed_unless_asked_for():
    job = start("-n", 2, HANG, "receive_first")
    time.sleep(2)
    equal(job.poll(), None)
    job.send_signal(signal.SIGTERM)
    _, err = job.communicate(timeout=150)
    assert "hang report" not in err and "waits in" not in err, err


def test_nothing_is_printed_where_nothing_hangs():
    r = run("-n", 3, "--hang-report", "20", HANG, "works")
    equal((r.returncode, r.stdout, r.stderr), (0, "", ""))


def test_a_killed_job_ends():
    r = run("-n", 3, "--hang-report", "0.2", HANG, "dies", timeout=30)
    equal(r.returncode, 128 + 9)


def test_wrong_values():
    for value in ("", "0", "0.0", "-1", "x", "1s", "1e3", ".", "1.", "0.0001", "1000001", "1.0000000001", " 1"):
        r = run("-n", 2, "--hang-report", value, HANG, "works") if value else run("--hang-report=", HANG, "works")
        equal((r.returncode, r.stdout), (2, ""))
        contains(r.stderr, "--hang-report")
        equal(r.stderr.count("\n"), 1)
        if value == "0":
            continue
        r = run("-n", 2, HANG, "works", env={"MPX_HANG_REPORT": value}, timeout=20)
        equal((r.returncode, r.stdout), (3, ""))
        contains(r.stderr, f"MPX_HANG_REPORT={value}: give seconds from 0.001 to 1000000, such as 10 or 0.5")
        contains(r.stderr, "invalid argument")
    r = run("--hang-report")
    equal(r.returncode, 2)


def test_off():
    """A variable that is 0 is as good as none, and a later one counts."""
    r = run("-n", 3, HANG, "works", env={"MPX_HANG_REPORT": "0"})
    equal((r.returncode, r.stdout, r.stderr), (0, "", ""))
    job = start("-n", 2, HANG, "receive_first", env={"MPX_HANG_REPORT": "0"})
    time.sleep(1)
    job.send_signal(signal.SIGTERM)
    equal(job.communicate(timeout=150)[1], "")
    hangs(2, "receive_first", env={"MPX_HANG_REPORT": "0"})
    r = run("-n", 2, "--timeout", 2 * PATIENCE, HANG, "receive_first", env={"MPX_HANG_REPORT": "0"})
    has(r.stderr, "nothing has moved for")


def test_right_values():
    for value in ("1", "10", "99.5", "1000000", "60.000000001"):
        r = run("-n", 2, "--hang-report", value, HANG, "works")
        equal((r.returncode, r.stderr), (0, ""))
    contains(run("--help").stdout, "--hang-report SECONDS")


assert "MPX_HANG_REPORT" not in CLEAN
main(globals(), at_once=6)
