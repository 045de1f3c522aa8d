#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
"""The example async: the last rank asks and checks every answer; a client of another kind, and one
that misbehaves.

usage: async.test.py MPXRUN
"""

import re
import socket
import subprocess
import sys
import unittest
from pathlib import Path

RUN_TIMEOUT_S = 60  # Hangs must fail; sanitizers and a busy machine must not.
MPXRUN = Path(sys.argv[1]).resolve()
PROGRAM = MPXRUN.parent / "async"
RANKS = (1, 2, 3, 4, 7, 8)


def run(ranks, *arguments):
    return subprocess.run([str(MPXRUN), "-n", str(ranks), str(PROGRAM), *map(str, arguments)],
                          capture_output=True, text=True, errors="replace", check=False,
                          timeout=RUN_TIMEOUT_S, stdin=subprocess.DEVNULL)


@unittest.skipUnless(PROGRAM.exists(), "not built: Boost is older than 1.81")
class Async(unittest.TestCase):
    def test_answers(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = run(ranks)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(f"48 questions, {48 * (ranks - 1)} shares on {ranks} ranks, 0 wrong",
                              done.stdout)
                self.assertEqual(done.stderr, "")

    def test_strangers(self):
        job = subprocess.Popen([str(MPXRUN), "-n", "3", str(PROGRAM), "--serve"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.stderr.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        at = ("127.0.0.1", int(re.search(r"127\.0\.0\.1:(\d+)", job.stdout.readline())[1]))
        with socket.create_connection(at, RUN_TIMEOUT_S) as idle, \
                socket.create_connection(at, RUN_TIMEOUT_S) as one:
            with socket.create_connection(at, RUN_TIMEOUT_S) as endless:
                endless.sendall(b"p" * 10_000)
            with socket.create_connection(at, RUN_TIMEOUT_S) as gone:
                gone.sendall(b"primes 30000\nprimes 3")
            lines = one.makefile("rw", newline="\n")
            for question, answer in (("primes 10", "4 primes below 10\n"), ("hello", "what?\n"),
                                     ("primes -1", "what?\n"),
                                     ("primes 999999999999", "what?\n"),
                                     ("primes 1000\r", "168 primes below 1000\n")):
                lines.write(question + "\n")
                lines.flush()
                self.assertEqual(lines.readline(), answer)
            idle.sendall(b"stop\n")
            self.assertEqual(idle.recv(10), b"bye\n")
            lines.close()
        out, err = job.communicate(timeout=RUN_TIMEOUT_S)
        self.assertEqual(job.returncode, 0, out + err)
        self.assertRegex(out, r"[23] questions, [46] shares on 3 ranks, 0 wrong")

    def test_refuses(self):
        done = run(2, "--clients", 0)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("--clients"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
