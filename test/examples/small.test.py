#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
"""The examples heat2d, sample_sort, nbody_ring, hash_table, ghost_cells, key_value and active_messages: right answers
at any number of ranks, which they check themselves, pictures that show the same whoever computed them, clear errors.

usage: small.test.py MPXRUN
"""

import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

RUN_TIMEOUT_S = 60  # Hangs must fail; sanitizers and a busy machine must not.
MPXRUN = Path(sys.argv[1]).resolve()
RANKS = (1, 2, 3, 4, 7, 8)


def run(ranks, program, *arguments, cwd=None):
    command = [str(MPXRUN), "-n", str(ranks), str(MPXRUN.parent / program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=RUN_TIMEOUT_S, stdin=subprocess.DEVNULL, cwd=cwd)


def picture(path):
    """Width, height and samples of a PNG with 8 bits a sample, or of a PGM."""
    data = path.read_bytes()
    if data.startswith(b"P5"):
        width, height, most = map(int, re.match(rb"P5\n(\d+) (\d+)\n(\d+)\n", data).groups())
        assert most == 255
        return width, height, data[-width * height:]
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), path
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    lines = zlib.decompress(packed)
    assert len(lines) == height * (3 * width + 1)
    return width, height, lines


class Small(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="examples-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_right(self, done, *parts):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        for part in parts:
            self.assertIn(part, done.stdout)

    def assert_refused(self, done, part):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count(part), 1, done.stderr)

    def test_heat2d(self):
        seen = set()
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = run(ranks, "heat2d", "--size", 45, "--steps", 61, "--image", "plate.png",
                           cwd=self.folder)
                self.assert_right(done, "heat2d: 45 x 45 points")
                name = re.search(r"picture in (\S+)", done.stdout)[1]
                width, height, samples = picture(self.folder / name)
                self.assertEqual((width, height), (45, 45))
                self.assertGreater(len(set(samples)), 10)
                seen.add(samples)
        self.assertEqual(len(seen), 1)  # The same picture, whoever computed which part.

    def test_heat2d_of_one_point_a_rank(self):
        self.assert_right(run(4, "heat2d", "--size", 2, "--steps", 9), "error")
        self.assert_right(run(3, "heat2d", "--size", 3, "--steps", 0), "error")

    def test_heat2d_refuses(self):
        self.assert_refused(run(4, "heat2d", "--size", 1), "too small for 4 ranks")
        self.assert_refused(run(2, "heat2d", "--size", "many"), "--size")
        nowhere = run(2, "heat2d", "--steps", 1, "--image", self.folder / "no" / "plate.png")
        self.assertEqual(nowhere.returncode, 1, nowhere.stdout + nowhere.stderr)
        self.assertIn("heat2d: ", nowhere.stderr)

    def test_sample_sort(self):
        for ranks in RANKS:
            for kind in ("random", "equal", "few", "reversed"):
                with self.subTest(ranks=ranks, kind=kind):
                    done = run(ranks, "sample_sort", "--numbers", 20011, "--kind", kind)
                    self.assert_right(done, "20011 numbers")
                    most = int(re.search(r"at most (\d+)", done.stdout)[1])
                    if kind != "few":
                        self.assertLess(most, 1.5 * 20011 / ranks + 100)
        for numbers in (0, 1, 5):
            self.assert_right(run(4, "sample_sort", "--numbers", numbers))
        self.assert_refused(run(2, "sample_sort", "--kind", "none"), "--kind")

    def test_nbody_ring(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.assert_right(run(ranks, "nbody_ring", "--bodies", 203, "--steps", 5),
                                  "203 bodies", "force error", "energy drift")
        self.assert_right(run(4, "nbody_ring", "--bodies", 2))  # Ranks without any.
        self.assert_refused(run(2, "nbody_ring", "--bodies", "0"), "--bodies")

    def test_hash_table(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.assert_right(run(ranks, "hash_table", "--numbers", 3001, "--different", 501),
                                  f"{3001 * ranks} numbers on {ranks} ranks, 5")
        self.assert_right(run(3, "hash_table", "--numbers", 0))
        full = run(2, "hash_table", "--numbers", 2000, "--slots", 3)
        self.assertNotEqual(full.returncode, 0)
        self.assertIn("no slot is free", full.stderr)
        self.assert_refused(run(2, "hash_table", "--different", "0"), "--different")

    def test_portals(self):
        for ranks in (1, 3, 4):
            with self.subTest(ranks=ranks):
                self.assert_right(run(ranks, "key_value", 201),
                                  f"{ranks} ranks hold {201 * ranks} keys, 0 answers wrong")
                self.assert_right(run(ranks, "active_messages", 101), f"{48 * 101} visits")
        self.assert_refused(run(2, "key_value", 0), "usage")
        self.assert_refused(run(2, "active_messages", "far"), "usage")

    def test_ghost_cells(self):
        for ranks in RANKS:
            for sync in ("fence", "neighbours"):
                with self.subTest(ranks=ranks, sync=sync):
                    self.assert_right(run(ranks, "ghost_cells", "--size", 23, "--steps", 31,
                                          "--sync", sync), "23 x 23 points")
        self.assert_refused(run(4, "ghost_cells", "--size", 3), "too small for 4 ranks")
        self.assert_refused(run(2, "ghost_cells", "--sync", "hope"), "--sync")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
