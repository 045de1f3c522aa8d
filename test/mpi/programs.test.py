#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# sanitizers: none
# timeout: 300
"""The MPI library: programs built by mpicc and run by mpxrun, the examples, wrong arguments, calls before
MPI_Init and after MPI_Finalize, fatal errors, the choice of a stack, the wrappers, the exported names,
programs that were compiled against Open MPI.

usage: programs.test.py MPXRUN
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_TIMEOUT_S = 120  # For hangs alone.
MPXRUN = Path(sys.argv[1]).resolve()
SOURCE = Path(os.environ["MPX_SOURCE"])
BIN = MPXRUN.parent
HERE = SOURCE / "test/mpi"
RANKS = (1, 2, 4, 7)


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def call(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          errors="replace", timeout=RUN_TIMEOUT_S, stdin=subprocess.DEVNULL, **more)


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="mpx-mpi-")
        cls.folder = Path(cls.kept.name)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def build(self, source, *flags):
        program = self.folder / Path(source).stem
        done = call(BIN / "mpicc", "-std=c11", f"-I{HERE}", *flags, source, "-o", program, "-lm")
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def text_program(self, name, body):
        source = self.folder / f"{name}.c"
        source.write_text("#include <mpi.h>\n#include <stdio.h>\n#include <string.h>\n"
                          "int main(int argc, char **argv) {\n" + body + "\nreturn 0; }\n")
        return self.build(source)

    def run_ranks(self, ranks, program, *arguments, **environment):
        return call(BIN / "mpiexec", "-n", ranks, program, *arguments,
                    env=os.environ | environment)

    def assert_passes(self, ranks, program, *arguments, **environment):
        done = self.run_ranks(ranks, program, *arguments, **environment)
        self.assertEqual(done.returncode, 0, f"{ranks} ranks of {program}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_files_that_the_table_makes(self):
        done = call(sys.executable, SOURCE / "mpi/generate.py", "--check")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_exported_names(self):
        header = (SOURCE / "mpi/include/mpi.h").read_text()
        declared = set(re.findall(r"\b(P?MPI_\w+)\([^)]*\);", header)) - set(
            re.findall(r"return (MPI_\w+)\(", header))
        declared |= {name[1:] for name in declared if name.startswith("P")}
        declared = {n for n in declared if n.lstrip("P").startswith("MPI_") and "P" + n.lstrip("P") in declared}
        libraries = list(BIN.parent.glob("lib*/**/libmpi_abi.so.1"))
        done = call("nm", "-D", "--defined-only", libraries[0])
        exported = {tuple(line.split()[-2:]) for line in done.stdout.splitlines()}
        self.assertEqual({name for _, name in exported}, declared)
        self.assertEqual(len(exported), 2 * 664)
        for kind, name in exported:
            self.assertEqual(kind, "T" if name.startswith("P") else "W", name)

    def test_wrong_arguments(self):
        self.assertIn(" 0 failures", self.assert_passes(1, self.build(HERE / "arguments.c")))
        self.assert_passes(1, self.build(HERE / "bad_input.c"))

    def test_messages(self):
        program = self.build(HERE / "messages.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)
        self.assert_passes(4, program, "multiple")
        self.assert_passes(4, program, MPX_PRETEND_HOSTS="0,1,0,1")

    def test_collectives(self):
        program = self.build(HERE / "collectives.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)
        self.assert_passes(3, program, MPX_PRETEND_HOSTS="0,1,0")

    def test_datatypes_and_objects(self):
        self.assert_passes(1, self.build(HERE / "datatypes.c"))
        program = self.build(HERE / "objects.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)

    def test_windows(self):
        program = self.build(HERE / "windows.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)
        self.assert_passes(3, program, "multiple")
        self.assert_passes(3, program, MPX_PRETEND_HOSTS="0,1,0")

    def test_buffers(self):
        program = self.build(HERE / "buffers.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)
        self.assert_passes(2, program, "multiple")

    def test_tools(self):
        program = self.build(HERE / "tools.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program, MPX_SPIN="7")

    def test_sessions(self):
        program = self.build(HERE / "sessions.c")
        for ranks in RANKS:
            self.assert_passes(ranks, program)

    def test_examples(self):
        stencil, sort, farm = (self.build(SOURCE / f"examples/mpi/{name}.c", "-O1")
                               for name in ("stencil", "sort", "task_farm"))
        means, steps = set(), set()
        for ranks in RANKS:
            means.add(self.assert_passes(ranks, stencil, 60, 30))
            steps.add(self.assert_passes(ranks, farm, 300))
            self.assertEqual(self.assert_passes(ranks, sort, 2000),
                             f"{2000 * ranks} numbers on {ranks} ranks: sorted\n")
        self.assertEqual(len(means), 1)
        self.assertEqual(steps, {f"300 tasks, {sum(map(collatz, range(1, 301)))} steps\n"})

    def test_profiling_interface(self):
        source = self.folder / "profiled.c"
        source.write_text("""
#include <mpi.h>
static int calls;
int MPI_Barrier(MPI_Comm comm) { ++calls; return PMPI_Barrier(comm); }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return calls != 1;
}
""")
        self.assert_passes(2, self.build(source))

    def test_fatal_errors_tell_everything(self):
        program = self.text_program("fatal", """
MPI_Init(&argc, &argv);
int x[2] = {0}, me;
MPI_Comm_rank(MPI_COMM_WORLD, &me);
MPI_Send(x, 1, MPI_INT, 5, 0, MPI_COMM_WORLD);
puts("it goes on");""")
        done = self.run_ranks(2, program)
        self.assertEqual(done.returncode, 6)
        self.assertNotIn("it goes on", done.stdout)
        self.assertRegex(done.stderr, r"MPI_Send on rank [01] of MPI_COMM_WORLD: destination 5 is out of "
                                      r"range: ranks are 0 to 1 \(invalid rank\)")
        later = self.text_program("later", """
MPI_Init(&argc, &argv);
MPI_Comm made;
MPI_Comm_spawn("x", NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE);""")
        done = self.run_ranks(2, later)
        self.assertEqual(done.returncode, 55)
        self.assertIn("MPI_Comm_spawn on rank", done.stderr)
        self.assertIn("mpx does not have this function yet (unsupported operation)", done.stderr)

    def test_calls_before_the_start_and_after_the_end(self):
        early = self.text_program("early", "int n; MPI_Comm_size(MPI_COMM_WORLD, &n);")
        done = call(early)
        self.assertEqual(done.returncode, 16)
        self.assertIn("MPI_Comm_size: called before MPI_Init", done.stderr)
        late = self.text_program("late", "MPI_Init(&argc, &argv); MPI_Finalize(); MPI_Barrier(MPI_COMM_WORLD);")
        done = call(late)
        self.assertEqual(done.returncode, 16)
        self.assertIn("MPI_Barrier: called after MPI_Finalize", done.stderr)

    def test_abort(self):
        program = self.text_program("stops", """
MPI_Init(&argc, &argv);
int me;
MPI_Comm_rank(MPI_COMM_WORLD, &me);
if (me == 1) MPI_Abort(MPI_COMM_WORLD, 42);
MPI_Barrier(MPI_COMM_WORLD);""")
        done = self.run_ranks(3, program)
        self.assertEqual(done.returncode, 42)
        self.assertIn("MPI_Abort on rank 1 with code 42", done.stderr)

    def test_choice_of_a_stack(self):
        program = self.text_program("hello", """
MPI_Init(&argc, &argv);
int n;
MPI_Comm_size(MPI_COMM_WORLD, &n);
printf("%d\\n", n);
MPI_Finalize();""")
        self.assertEqual(self.assert_passes(2, program, MPX_MPI_STACK="shm+tcp"), "2\n2\n")
        done = self.run_ranks(1, program, MPX_MPI_STACK="pigeons")
        self.assertEqual(done.returncode, 16)
        self.assertIn("MPX_MPI_STACK=pigeons: this library holds the stacks shm+tcp", done.stderr)

    def test_programs_compiled_against_open_mpi(self):
        compiler = shutil.which("mpicc.openmpi")
        if compiler is None:
            self.skipTest("mpicc.openmpi is not here")
        program = self.folder / "openmpi"
        done = call(compiler, "-std=c11", f"-I{HERE}", HERE / "openmpi.c", "-o", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        libraries = str(next(BIN.parent.glob("lib*/**/mpx-openmpi")))
        for ranks in RANKS:
            said = self.assert_passes(ranks, program, LD_LIBRARY_PATH=libraries)
            self.assertIn("mpx", said)
            self.assertNotIn("Open MPI", said)

    def test_wrappers(self):
        shown = call(BIN / "mpicc", "-show", "-O2", "x.c", "-o", "x").stdout
        self.assertRegex(shown, r"^cc -I\S+/mpx-mpi -O2 x.c -o x -L(\S+) -Wl,-rpath,\1 -lmpi_abi\n$")
        self.assertRegex(call(BIN / "mpicc", "-show", "-c", "x.c").stdout, r"^cc -I\S+ -c x.c\n$")
        self.assertRegex(call(BIN / "mpicc", "--showme:compile").stdout, r"^-I\S+\n$")
        self.assertRegex(call(BIN / "mpicc", "--showme:link").stdout, r"^-L\S+ -Wl,-rpath,\S+ -lmpi_abi\n$")
        self.assertEqual(call(BIN / "mpicc", "--showme:libs").stdout, "mpi_abi\n")
        self.assertRegex(call(BIN / "mpicc", "-cc=clang", "-show", "x.c").stdout, "^clang ")
        self.assertRegex(call(BIN / "mpicxx", "-show", "x.cpp").stdout, r"^c\+\+ ")
        source = self.folder / "plus.cpp"
        source.write_text("#include <mpi.h>\n#include <vector>\n"
                          "int main(int c, char** v) { MPI_Init(&c, &v); std::vector<int> a(1);\n"
                          "MPI_Allreduce(MPI_IN_PLACE, a.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
                          "MPI_Finalize(); }\n")
        done = call(BIN / "mpic++", "-Wall", "-Wextra", "-Werror", source, "-o", self.folder / "plus")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_passes(2, self.folder / "plus")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
