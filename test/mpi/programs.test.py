#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# sanitizers: none
# timeout: 300
"""The MPI library: programs built by mpicc and run by mpxrun, the examples, wrong arguments, calls before
MPI_Init and after MPI_Finalize, fatal errors, the choice of a stack, the wrappers, the exported names,
programs that were compiled against Open MPI or MPICH.

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
        cls.kept = tempfile.TemporaryDirectory(prefix="mpi-programs-")
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

    def test_threads(self):
        program = self.build(HERE / "threads.c", "-pthread")
        for ranks in (1, 2, 4):
            self.assert_passes(ranks, program)
        self.assert_passes(2, program, MPX_PRETEND_HOSTS="0,1")

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

    def test_survivors_of_killed_ranks(self):
        program = self.build(HERE / "survivors.c")
        for ranks, hosts in ((4, "0"), (7, "0"), (4, "0,1,0,1")):
            done = call(MPXRUN, "--survive", "-n", ranks, program, env=os.environ | {"MPX_PRETEND_HOSTS": hosts})
            self.assertEqual(done.stdout, f"{ranks - 2} ranks went on, 0 failures\n", done.stderr)
            self.assertEqual(done.returncode, 128 + 9, done.stderr)  # The first rank that was lost.

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

    def test_stack_in_a_module(self):
        libraries = list(BIN.parent.glob("lib*/**/libmpi_abi.so.1"))
        module = libraries[0].parent / "mpx/libmpx_mpi_fabric.so"
        if not module.exists():
            self.skipTest("the module was not built: no libfabric, or MPX_MPI_FABRIC=OFF")
        fabric = {"MPX_MPI_STACK": "fabric", "MPX_FABRIC_PROVIDER": "tcp;ofi_rxm"}
        program = self.build(HERE / "errors_of_a_stack.c")
        hello = self.run_ranks(1, program, **fabric)
        if "libfabric has no provider" in hello.stderr:
            self.skipTest(hello.stderr)
        messages, windows = self.build(HERE / "messages.c"), self.build(HERE / "windows.c")
        for ranks, hosts in ((2, "0,1"), (3, "0,1,0")):
            self.assert_passes(ranks, program, MPX_PRETEND_HOSTS=hosts, **fabric)
            self.assert_passes(ranks, messages, MPX_PRETEND_HOSTS=hosts, **fabric)
        self.assert_passes(2, windows, MPX_PRETEND_HOSTS="0,1", **fabric)
        self.assert_passes(2, program, "multiple", MPX_PRETEND_HOSTS="0,1", **fabric)
        self.assert_passes(2, self.build(HERE / "tools.c"), MPX_PRETEND_HOSTS="0,1", MPX_SPIN="7", **fabric)
        done = self.run_ranks(2, program, MPX_PRETEND_HOSTS="0,1", MPX_MPI_STACK="fabric",
                              MPX_FABRIC_PROVIDER="pigeons")
        self.assertIn("libfabric has no provider 'pigeons'", done.stderr)

    def test_modules_that_cannot_be_loaded(self):
        program = self.build(HERE / "errors_of_a_stack.c")
        folder = self.folder / "lib"
        (folder / "mpx").mkdir(parents=True)
        shutil.copy(next(BIN.parent.glob("lib*/**/libmpi_abi.so.1")), folder)
        module = folder / "mpx/libmpx_mpi_fabric.so"

        def error():
            done = self.run_ranks(1, program, LD_LIBRARY_PATH=str(folder), MPX_MPI_STACK="fabric")
            self.assertEqual(done.returncode, 16)
            return done.stderr

        self.assertIn(f"the stack fabric is a module that is not installed ({module})", error())
        module.write_text("text")
        self.assertIn("the stack fabric cannot be loaded", error())
        self.assertIn("it needs libfabric 1.17 or later", error())
        source = self.folder / "other.c"
        source.write_text('struct { const char *version; } mpx_mpi_module = {"0.0.1"};\n')
        done = call("cc", "-shared", "-fPIC", source, "-o", module)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is a module of mpx 0.0.1, not of mpx ", error())

    def other_mpi(self, name):
        """The compiler of another MPI, and the folder of the library that translates its interface."""
        compiler = shutil.which(f"mpicc.{name}")
        if compiler is None:
            self.skipTest(f"mpicc.{name} is not here")
        return compiler, next(BIN.parent.glob(f"lib*/**/mpx-{name}"))

    def run_compiled_against(self, name, source, ranks, *arguments):
        """What a program says that another MPI's compiler has made."""
        compiler, libraries = self.other_mpi(name)
        program = self.folder / f"{source.stem}_{name}"
        if not program.exists():
            done = call(compiler, "-std=c11", "-w", f"-I{HERE}", source, "-o", program, "-lm")
            self.assertEqual(done.returncode, 0, done.stderr)
        return self.assert_passes(ranks, program, *arguments, LD_LIBRARY_PATH=str(libraries))

    def test_programs_compiled_against_open_mpi(self):
        for ranks in RANKS:
            self.assertEqual(self.run_compiled_against("openmpi", HERE / "other_mpi.c", ranks).count("mpx"), ranks)

    def test_programs_compiled_against_mpich(self):
        for ranks in RANKS:
            self.assertEqual(self.run_compiled_against("mpich", HERE / "other_mpi.c", ranks).count("mpx"), ranks)
        for name in ("collectives", "sessions"):  # They have no call that is younger than MPICH 4.0.
            self.run_compiled_against("mpich", HERE / f"{name}.c", 3)
        self.assertIn("sorted", self.run_compiled_against("mpich", SOURCE / "examples/mpi/sort.c", 4, 2000))

    def has_names_of(self, name, library, pattern):
        """Whatever a C program may name is there: the program loads."""
        _, libraries = self.other_mpi(name)
        theirs = call("sh", "-c", f"ldconfig -p | grep -m 1 -o '/.*/{library}$'").stdout.strip()
        if not theirs:
            self.skipTest(f"there is no {library} of {name}")

        def names(path):
            return {line.split()[-1].split("@")[0]
                    for line in call("nm", "-D", "--defined-only", path).stdout.splitlines()}
        wanted = {n for n in names(theirs) if re.fullmatch(pattern, n) and not re.search("_f08|_f90|_fort", n)}
        self.assertGreater(len(wanted), 700)
        self.assertEqual(wanted - names(libraries / library), set())

    def test_names_of_open_mpi(self):
        self.has_names_of("openmpi", "libmpi.so.40",
                          r"P?MPIX?_[A-Z][a-z]\w*|P?MPI_T_\w+|MPI_F_\w+|OMPI_C_\w+|ompi_mpi_(lb|ub|\w*cplex|real2)")

    def test_names_of_mpich(self):
        self.has_names_of("mpich", "libmpich.so.12",
                          r"P?Q?MPIX?_[A-Z][a-z]\w*|P?MPI_T_\w+|MPI_F_\w+|MPIR?_F08_\w+|MPI_(UN)?WEIGHT\w+|MPIR_Dup_fn")

    def table_of(self, name):
        sections = {}
        for line in (SOURCE / f"mpi/table/{name}.txt").read_text().splitlines():
            if line.startswith("["):
                now = sections.setdefault(line.strip("[]"), [])
            elif line and not line.startswith("#"):
                now.append(line.split())
        return sections

    def has_values_of_header(self, name):
        """The table has the values of the header that is installed. Returns the table."""
        compiler, _ = self.other_mpi(name)
        sections = self.table_of(name)
        source = self.folder / f"values_{name}.c"
        values = [row for section, rows in sections.items() if section not in ("same", "by name")
                  for row in rows if len(row) == 2]
        self.assertGreater(len(values), 150)
        source.write_text("#include <mpi.h>\n" + "".join(
            f'_Static_assert((int)({n}) == (int)({v}), "{n} is not {v}");\n' for n, v in values))
        done = call(compiler, "-std=c11", "-w", "-fsyntax-only", source)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sections

    def test_values_of_mpich(self):
        self.has_values_of_header("mpich")

    def test_values_of_open_mpi(self):
        objects = [row for row in self.has_values_of_header("openmpi")["handles"]
                   if row[0] not in ("-", "MPI_LB", "MPI_UB")]
        source = self.folder / "objects.c"
        source.write_text("#include <mpi.h>\n" + "".join(f"<{s}> {n}\n" for n, s, _ in objects))
        text = call(shutil.which("mpicc.openmpi"), "-E", "-P", source).stdout
        for name, symbol, _ in objects:  # A handle is an address, or the header does not have it.
            self.assertTrue(re.search(rf"^<{symbol}> (.*&\(?{symbol}\b|{name}$)", text, re.M), name)

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
