#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
"""The solver of examples/cg: right answers at any number of ranks, clear errors for bad input.

usage: cg.test.py MPXRUN [CG [DATA_FOLDER]]
CG defaults to the program beside MPXRUN, DATA_FOLDER to examples/data of this tree.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_TIMEOUT_S = 60  # Hangs must fail; sanitizers and a busy machine must not.
BANNER = "%%MatrixMarket matrix coordinate real symmetric\n"

if not 2 <= len(sys.argv) <= 4:
    sys.exit(__doc__)
MPXRUN = Path(sys.argv[1]).resolve()
CG = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else MPXRUN.parent / "cg"
DATA = Path(sys.argv[3] if len(sys.argv) > 3 else Path(__file__).parents[2] / "examples" / "data")
BUS = DATA.resolve() / "1138_bus.mtx"


def solve(ranks, *arguments, cwd=None):
    command = [str(MPXRUN), "-n", str(ranks), str(CG), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=RUN_TIMEOUT_S, stdin=subprocess.DEVNULL, cwd=cwd)


class Cg(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cg-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def matrix(self, text):
        path = self.folder / "matrix.mtx"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def figure(self, run, name):
        found = re.search(rf"^{name}: +(\S+)", run.stdout, re.M)
        self.assertTrue(found, f"no '{name}:' in:\n{run.stdout}\n{run.stderr}")
        return float(found[1])

    def assert_solved(self, run, error_max=1e-8):
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertLess(self.figure(run, "residual"), 1e-10)
        self.assertLess(self.figure(run, "error"), error_max)

    def assert_refused(self, run, *parts, code=1):
        """One line of `cg: `, from one rank, that holds all parts; the rest is the launcher's."""
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        lines = [line for line in run.stderr.splitlines() if line.startswith("cg: ")]
        self.assertEqual(len(lines), 1, run.stderr)
        for part in parts:
            self.assertIn(str(part), lines[0])

    def refuse_file(self, text, *parts, ranks=(3,)):
        path = self.matrix(text)
        for n in ranks:
            self.assert_refused(solve(n, path), path, *parts)


class Solves(Cg):
    def test_bus_network_at_any_number_of_ranks(self):
        for ranks in (1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                run = solve(ranks, BUS)
                self.assert_solved(run)
                self.assertTrue(980 <= self.figure(run, "iterations") <= 1010, run.stdout)
                self.assertIn("1138 rows, 4054 nonzeros", run.stdout)
                self.assertIn("  iteration ", run.stdout)
                self.assertNotIn("\r", run.stdout)

    def test_quiet_has_no_progress(self):
        run = solve(2, BUS, "--quiet")
        self.assert_solved(run)
        self.assertNotIn("  iteration ", run.stdout)

    def test_more_ranks_than_rows(self):
        tiny = self.matrix(BANNER + "3 3 5\n1 1 4\n2 1 1\n2 2 5\n3 2 -2\n3 3 6\n")
        for ranks in (1, 3, 4, 9):
            with self.subTest(ranks=ranks):
                self.assert_solved(solve(ranks, tiny))

    def test_one_row(self):
        self.assert_solved(solve(3, self.matrix(BANNER + "1 1 1\n1 1 0.25\n")))

    def test_arrow_that_makes_every_rank_everyones_neighbour(self):
        n = 40
        entries = [f"{i} {i} {n}" for i in range(1, n + 1)] + [f"{n} {i} -1" for i in range(1, n)]
        path = self.matrix(BANNER + f"{n} {n} {len(entries)}\n" + "\n".join(entries) + "\n")
        for ranks in (2, 5):
            self.assert_solved(solve(ranks, path))

    def test_spellings_of_the_format(self):
        for text in (
            "%%MatrixMarket MATRIX Coordinate Integer General\r\n% note\r\n\r\n2 2 4\r\n"
            "2 2 3\r\n1 2 1\r\n\r\n2 1 1\r\n1 1 2\r\n",
            BANNER + "2 2 3\n  1\t1   +2.5e0\n2 1 -1E-1\n2 2 3.",
        ):
            self.assert_solved(solve(2, self.matrix(text)))

    def test_history(self):
        path = self.folder / "history.csv"
        run = solve(2, BUS, "--csv", path)
        self.assert_solved(run)
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(r["iteration"]) for r in rows],
                         list(range(int(self.figure(run, "iterations")) + 1)))
        self.assertEqual(float(rows[0]["residual"]), 1)
        self.assertLess(float(rows[-1]["residual"]), 1e-10)

    def test_looser_tolerance_takes_fewer_iterations(self):
        run = solve(2, BUS, "--tolerance", "1e-4")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLess(self.figure(run, "iterations"), 900)

    def test_help(self):
        run = solve(2, "--help")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.count("Usage:"), 1)


class RefusesFiles(Cg):
    def test_missing(self):
        for ranks in (1, 2, 4, 7):
            path = self.folder / "nowhere.mtx"
            self.assert_refused(solve(ranks, path), path, "no such file", "check the path")

    def test_not_a_file(self):
        self.assert_refused(solve(3, self.folder), self.folder, "is a directory")
        self.assert_refused(solve(3, "/dev/null"), "/dev/null", "not a regular file")
        locked = self.matrix(BANNER)
        locked.chmod(0)
        if not os.access(locked, os.R_OK):  # Root reads everything.
            self.assert_refused(solve(3, locked), locked, "cannot be read", "permissions")

    def test_empty(self):
        self.refuse_file("", ":1:", "empty", "%%MatrixMarket", ranks=(1, 2, 4, 7))

    def test_truncated(self):
        text = BUS.read_text(encoding="ascii")
        self.refuse_file(text[: len(text) // 2].rsplit("\n", 1)[0], "of 2596 entries", "truncated",
                         ranks=(1, 2, 4, 7))
        self.refuse_file(BANNER, ":1:", "size line is missing")
        self.refuse_file(BANNER + "2 2 2\n1 1 1\n2 2", ":4:", "value is missing")
        self.refuse_file(BANNER + "2 2 2\n1 1 1\n2", ":4:", "column is missing")

    def test_too_long(self):
        self.refuse_file(BANNER + "1 1 1\n1 1 1\n1 1 1\n", ":4:", "more than the 1 entries")
        self.refuse_file(BANNER + "1 1 1\n1 1 1 7\n", ":3:", "unexpected '7'")

    def test_bad_banner(self):
        self.refuse_file("%MatrixMarket matrix coordinate real symmetric\n", ":1:",
                         "'%MatrixMarket'", ranks=(1, 2, 4, 7))
        self.refuse_file("1 1 1\n1 1 1\n", ":1:", "banner")
        self.refuse_file(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03" * 50, ":1:", "'??")
        self.refuse_file("%%MatrixMarket matrix\n", ":1:", "format is missing")

    def test_unsupported_kinds(self):
        for banner, part in (
            ("matrix coordinate complex hermitian", "field is 'complex'"),
            ("matrix coordinate pattern symmetric", "field is 'pattern'"),
            ("matrix coordinate real skew-symmetric", "symmetry is 'skew-symmetric'"),
            ("matrix array real general", "format is 'array'"),
            ("vector coordinate real general", "object is 'vector'"),
        ):
            self.refuse_file(f"%%MatrixMarket {banner}\n1 1 1\n1 1 1 0\n", ":1:", part, "reads")

    def test_bad_sizes(self):
        self.refuse_file(BANNER + "3 2 3\n", ":2:", "3 x 2", "square", ranks=(1, 2, 4, 7))
        self.refuse_file(BANNER + "0 0 0\n", ":2:", "no rows")
        self.refuse_file(BANNER + "2 2\n", ":2:", "number of entries is missing")
        self.refuse_file(BANNER + "-2 -2 2\n", ":2:", "number of rows is '-2'")
        self.refuse_file(BANNER + "9" * 30 + " 2 2\n", ":2:", "number of rows")
        self.refuse_file(BANNER + "5 5 3\n", ":2:", "5 rows but 3 entries")
        huge = str(2**62)
        self.refuse_file(BANNER + f"{huge} {huge} {huge}\n1 1 1\n", ":3:", "ends after 1 of")

    def test_bad_indices(self):
        for line in ("3 1 1", "0 1 1", "-1 1 1", "1 3 1"):
            self.refuse_file(BANNER + f"2 2 2\n1 1 1\n{line}\n", ":4:", "out of range", "1 to 2")
        self.refuse_file(BANNER + "2 2 2\n1.5 1 1\n", ":3:", "row is '1.5'")
        self.refuse_file(BANNER + "2 2 2\n1 1 1\n1 2 1\n", ":4:", "above the diagonal")
        self.refuse_file(BANNER + "2 2 3\n1 1 1\n2 2 1\n1 1 1\n", ":5:", "given before, in line 3")

    def test_bad_values(self):
        for word in ("nan", "NaN", "inf", "-inf", "1e999", "abc", "1.0x", "1,5", "0x10", "--1"):
            self.refuse_file(BANNER + f"1 1 1\n1 1 {word}\n", ":3:", f"value is '{word}'", "finite")
        self.refuse_file("%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 1.5\n",
                         ":3:", "integer")

    def test_garbage(self):
        self.refuse_file(BANNER + "2 2 2\n" + "\x01\x02 garbage \xff" * 1000, ":3:", "row is '??'")
        self.refuse_file(BANNER.encode() + bytes(4096), ":2:", "number of rows")

    def test_not_symmetric(self):
        general = "%%MatrixMarket matrix coordinate real general\n"
        self.refuse_file(general + "2 2 3\n1 1 4\n2 2 4\n1 2 1\n", ":5:", "(2, 1) is 0",
                         "symmetric matrix")
        self.refuse_file(general + "2 2 4\n1 1 4\n2 2 4\n1 2 1\n2 1 2\n", "symmetric matrix")

    def test_not_positive_definite(self):
        self.refuse_file(BANNER + "2 2 2\n1 1 1\n2 2 -3\n", ":4:", "not positive definite")
        self.refuse_file(BANNER + "2 2 2\n1 1 1\n2 1 1\n", "row 2", "not positive definite")
        # The diagonal looks fine: only the iteration can tell.
        self.refuse_file(BANNER + "3 3 5\n1 1 1\n2 1 2\n2 2 1\n3 2 1\n3 3 1\n", "breakdown",
                         "not positive definite", ranks=(1, 2, 4, 7))
        self.refuse_file(BANNER + "2 2 3\n1 1 1\n2 1 -1\n2 2 1\n", "breakdown")

    def test_overflow(self):
        self.refuse_file(BANNER + "2 2 3\n1 1 1e308\n2 1 1e307\n2 2 1e308\n", "breakdown", "scale")


class RefusesOptions(Cg):
    def test_usage(self):
        for arguments, part in (
            ((), "matrix is required"),
            ((BUS, "--nonsense"), "--nonsense"),
            ((BUS, "--tolerance", "0"), "between 0 and 1"),
            ((BUS, "--tolerance", "nan"), "between 0 and 1"),
            ((BUS, "--tolerance", "abc"), "--tolerance"),
            ((BUS, "--max-iterations", "-1"), "--max-iterations"),
            ((BUS, "--max-iterations", "0"), "--max-iterations"),
            ((BUS, BUS), BUS),
        ):
            for ranks in (1, 3):
                with self.subTest(arguments=arguments, ranks=ranks):
                    run = solve(ranks, *arguments)
                    self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                    self.assertEqual(run.stderr.count(str(part)), 1, run.stderr)

    def test_too_few_iterations(self):
        self.assert_refused(solve(3, BUS, "--max-iterations", "5"), BUS, "no convergence",
                            "iteration 5", "--max-iterations")

    def test_history_that_cannot_be_written(self):
        nowhere = self.folder / "nowhere" / "history.csv"
        self.assert_refused(solve(3, BUS, "--csv", nowhere), nowhere, "No such file", "--csv")
        self.assert_refused(solve(3, BUS, "--csv", self.folder), self.folder, "--csv")
        self.assert_refused(solve(3, BUS, "--csv", "/dev/full"), "/dev/full", "No space", "--csv")

    def test_history_never_replaces_the_matrix(self):
        text = BANNER + "1 1 1\n1 1 2\n"
        path = self.matrix(text)
        self.assert_refused(solve(2, path, "--csv", "matrix.mtx", cwd=self.folder), "matrix itself")
        self.assertEqual(path.read_text(encoding="ascii"), text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
