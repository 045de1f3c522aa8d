#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Calls every function of mpi/table/ with random right and wrong arguments: null, freed, wild and foreign
handles, negative and large counts, null places, wrong ranks, tags and numbers; before MPI_Init, after
MPI_Init, after MPI_Finalize. Reports crashes, errors of sanitizers, and calls that do not return. Some of
those block rightly: a receive that no message matches. By hand:

    attack.py BIN [--seed N] [--calls N] [--only TEXT] [--mode before|during|after] [--keep FOLDER]
              [--flags=-fsanitize=address,undefined]

BIN has mpicc. The library is best compiled with sanitizers, too. FOLDER keeps the program and its output
of errors. Returns 1 if something crashed.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = {"Init", "Init_thread", "Finalize", "Abort", "Free_mem", "Pcontrol"}

POOLS = {"comm": "MPI_Comm", "type": "MPI_Datatype", "op": "MPI_Op", "group": "MPI_Group", "info": "MPI_Info",
         "errhandler": "MPI_Errhandler", "request": "MPI_Request", "message": "MPI_Message", "win": "MPI_Win",
         "file": "MPI_File", "session": "MPI_Session"}
HANDLES = {"peer": "comm", "type_any": "type", "type_if": "type", "hints": "info", "win_or_null": "win"}
VALUES = {
    "buffer": "buffer()", "buffer_const": "buffer()", "any": "buffer()", "any_const": "buffer()",
    "pointer_out": "place(&pointer)", "count": "number()", "count_if": "number()", "big_size": "number()",
    "big_stride": "number()", "wide": "number()", "unit": "number()", "number": "number()",
    "count_x": "number()", "offset": "number()", "aint": "address()", "int": "any_int()", "int_const": "any_int()",
    "dest": "any_int()", "source": "any_int()", "root": "any_int()", "target": "any_int()", "tag": "any_int()",
    "tag_any": "any_int()", "ranges": "ranges()", "status": "status_place()", "statuses": "status_place()",
    "status_set": "status_place()", "status_in": "status_place()", "requests": "few_requests()",
    "requests_const": "few_requests()", "types": "few_types()", "types_out": "room_for_types()", "infos": "few_infos()",
    "int_out": "place(ints())", "int_inout": "place(ints())", "int_maybe": "place(ints())", "ints_out": "place(ints())",
    "ints": "place(ints())", "argc": "NULL", "argv": "NULL", "argvs": "NULL", "argv_inout": "NULL",
    "aint_out": "place(aints())", "aints_out": "place(aints())", "aints": "place(aints())",
    "count_out": "place(larges())", "bigs_out": "place(larges())", "offset_out": "place(larges())",
    "text": "text()", "texts": "text()", "text_out": "place(room)", "text_maybe": "place(room)",
}
BY_FORM = {"bigs": ("ints", "larges"), "counts_if": ("ints", "larges"), "displs": ("ints", "aints"),
           "wides": ("aints", "larges"), "big_out": ("ints", "larges"), "position": ("ints", "larges"),
           "wide_out": ("aints", "larges"), "wide_position": ("aints", "larges"), "unit_out": ("ints", "aints")}

HEAD = r"""
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long long state;
static unsigned below(unsigned n) {  /* xorshift */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}
static void seed(unsigned s, unsigned f, unsigned k) {
  state = (s * 1000003ull + f) * 1000003ull + k + 88172645463325252ull;
  for (int i = 0; i < 8; ++i) below(2);
}
enum { slots = 6, middle = 1 << 19 };
static char memory[1 << 20], room[1 << 14], long_text[9000];
static void *pointer;
static int int_space[4][16];
static MPI_Aint aint_space[4][16];
static MPI_Count large_space[4][16];
static MPI_Status statuses[16];
static void *stale[64];
static int a_key[3] = {-1, -1, -1};

static void *place(void *p) { return below(10) == 0 ? NULL : p; }
static void *buffer(void) {
  switch (below(8)) {
    case 0: return NULL;
    case 1: return MPI_IN_PLACE;
    case 2: return MPI_BUFFER_AUTOMATIC;
    default: return memory + middle + 65536 * below(4);
  }
}
static int number(void) {
  static const int all[] = {-1, 0, 1, 1, 1, 2, 2, 3, INT_MIN, -3};
  return all[below(10)];
}
static int any_int(void) {
  static const int all[] = {-1, -2, -3, -4, -5, 0, 0, 0, 0, 1, 1, 2, 3, 7, 64, 101, 1000, 4096, 5000, 16384, 65536,
    MPI_UNDEFINED, INT_MIN, -1000000};
  if (below(6) == 0) return a_key[below(3)];
  if (below(6) == 0) return 500 + (int)below(110);
  return all[below(sizeof all / sizeof all[0])];
}
static MPI_Aint address(void) {
  static const MPI_Aint all[] = {-1, 0, 0, 1, 2, 8, 8, 64, INT64_MIN, -4096};
  return all[below(10)];
}
static int small(void) { return (int)below(6) - 1 - (below(20) == 0 ? 7 : 0); }
static int *ints(void) {
  int *const a = int_space[below(4)];
  for (int i = 0; i < 16; ++i) a[i] = below(4) ? small() : (int)below(2);
  if (below(6) == 0) a[0] = a_key[below(3)];
  return a;
}
static MPI_Aint *aints(void) {
  MPI_Aint *const a = aint_space[below(4)];
  for (int i = 0; i < 16; ++i) a[i] = small();
  return a;
}
static MPI_Count *larges(void) {
  MPI_Count *const a = large_space[below(4)];
  for (int i = 0; i < 16; ++i) a[i] = small();
  return a;
}
static int (*ranges(void))[3] {
  static int a[8][3];
  for (int i = 0; i < 24; ++i) a[i / 3][i % 3] = small();
  return below(10) ? a : NULL;
}
static const char *text(void) {
  static const char *const all[] = {"", "a", "external32", "native", "mpi://WORLD", "mpi://SELF", "thread_level",
    long_text, NULL, "%s%n"};
  return all[below(10)];
}
static MPI_Status *status_place(void) {
  if (below(8) == 0) return MPI_STATUS_IGNORE;
  if (below(4) == 0) for (unsigned i = 0; i < sizeof statuses; ++i) ((char *)statuses)[i] = (char)below(256);
  return statuses;
}
static void *wild(void) {
  switch (below(8)) {
    case 0: return NULL;
    case 1: return (void *)(unsigned long)below(4096);
    case 2: return (void *)0x123456789abc0;
    case 3: return (void *)-1;
    case 4: return (void *)((unsigned long)stale[below(64)] ^ 1ul << below(64));
    default: return stale[below(64)];
  }
}
"""

TAIL = r"""
static void handlers(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < slots; ++i) {
    if (comms[i] != MPI_COMM_NULL && comms[i] != NULL) MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    if (wins[i] != MPI_WIN_NULL && wins[i] != NULL) MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
    if (sessions[i] != MPI_SESSION_NULL && sessions[i] != NULL)
      MPI_Session_set_errhandler(sessions[i], MPI_ERRORS_RETURN);
    MPI_Aint low = 0, extent = 0, true_low = 0, true_extent = 0;
    if (MPI_Type_get_extent(types[i], &low, &extent) != MPI_SUCCESS ||
        MPI_Type_get_true_extent(types[i], &true_low, &true_extent) != MPI_SUCCESS || low < -4096 ||
        extent < -4096 || extent > 4096 || true_low < -4096 || true_extent > 4096)
      types[i] = MPI_INT;  /* The program's memory would not hold it. */
  }
}
static void refill(void) {
  int one[] = {1}, zero[] = {0};
  MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
  MPI_Cart_create(MPI_COMM_SELF, 1, one, zero, 0, &comms[1]);
  MPI_Graph_create(MPI_COMM_SELF, 1, one, zero, 0, &comms[2]);
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, zero, one, 1, zero, one, MPI_INFO_NULL, 0, &comms[3]);
  MPI_Type_vector(2, 1, 2, MPI_INT, &types[0]);
  MPI_Type_commit(&types[0]);
  MPI_Type_contiguous(3, MPI_SHORT, &types[1]);
  MPI_Op_create(op_function, 1, &ops[0]);
  MPI_Comm_group(MPI_COMM_WORLD, &groups[0]);
  MPI_Info_create(&infos[0]);
  MPI_Info_set(infos[0], "a", "value");
  MPI_Comm_create_errhandler(comm_handler, &errhandlers[0]);
  MPI_Irecv(memory + middle, 4, MPI_INT, 0, 77, MPI_COMM_SELF, &requests[0]);
  MPI_Recv_init(memory + middle, 4, MPI_INT, 0, 78, MPI_COMM_SELF, &requests[1]);
  MPI_Psend_init(memory + middle, 2, 4, MPI_INT, 0, 79, MPI_COMM_SELF, MPI_INFO_NULL, &requests[2]);
  MPI_Grequest_start(query_function, free_function, cancel_function, NULL, &requests[3]);
  MPI_Isend(memory + middle, 4, MPI_INT, 0, 80, MPI_COMM_SELF, &requests[4]);
  MPI_Improbe(0, 80, MPI_COMM_SELF, zero, &messages[0], MPI_STATUS_IGNORE);
  MPI_Win_create(memory + middle, 64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &wins[0]);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &pointer, &wins[1]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &wins[2]);
  MPI_Win_lock_all(0, wins[1]);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &sessions[0]);
  MPI_Comm_create_keyval(comm_copy, comm_drop, &a_key[0], NULL);
  MPI_Type_create_keyval(type_copy, type_drop, &a_key[1], NULL);
  MPI_Win_create_keyval(win_copy, win_drop, &a_key[2], NULL);
}
static void keep(void) {
  void *const all[] = {comms[below(slots)], types[below(slots)], ops[below(slots)], groups[below(slots)],
    infos[below(slots)], errhandlers[below(slots)], requests[below(slots)], messages[below(slots)],
    wins[below(slots)], sessions[below(slots)]};
  for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i) stale[below(64)] = all[i];
}
static void patience(int ms) {
  const struct itimerval t = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
  setitimer(ITIMER_REAL, &t, NULL);
}
static void during(unsigned s, unsigned f, volatile unsigned *at, unsigned calls) {
  MPI_Init(NULL, NULL);
  handlers();
  for (; *at < calls; ++*at) {
    seed(s, f, *at);
    patience(3000);
    if (*at % 16 == 0) refill();
    handlers();
    keep();
    patience(1000);
    functions[f].call();
  }
  _exit(0);
}
static int failures;
/* Waits for a child. Returns 1 if it was ended by a crash or a time limit. */
static int judge(pid_t child, const char *mode, unsigned f, volatile unsigned *k) {
  int status = 0;
  waitpid(child, &status, 0);
  const int hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  const int crashed = (WIFSIGNALED(status) && !hangs) ||
    (WIFEXITED(status) && (WEXITSTATUS(status) == 99 || WEXITSTATUS(status) == 98));
  if (crashed) ++failures;
  if (crashed || hangs)
    printf("%s: %s, %s, call %u, status %x\n", hangs ? "BLOCKED" : "CRASHED", functions[f].name, mode, *k, status);
  fflush(stdout);
  return crashed || hangs;
}
int main(int argc, char **argv) {
  const char *const mode = argv[1], *const only = argv[4];
  const unsigned s = (unsigned)atoi(argv[2]), calls = (unsigned)atoi(argv[3]);
  (void)argc;
  volatile unsigned *const at =
    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memset(long_text, 'x', sizeof long_text - 1);
  if (!strcmp(mode, "after")) {
    MPI_Init(NULL, NULL);
    MPI_Finalize();
  }
  for (unsigned f = 0; f < function_count; ++f) {
    if (!strstr(functions[f].name, only)) continue;
    if (!strcmp(mode, "before") || !strcmp(mode, "after")) {
      for (*at = 0; *at < 4; ++*at) {
        const pid_t child = fork();
        if (child == 0) {
          seed(s, f, *at);
          patience(5000);
          functions[f].call();
          _exit(0);
        }
        judge(child, mode, f, at);
      }
      continue;
    }
    *at = 0;
    if (!strcmp(mode, "debug")) during(s, f, at, calls);  /* Under a debugger: without a fork. */
    for (int bad = 0, tries = 0; bad < 5 && tries < 60 && *at < calls; ++tries, ++*at) {
      const pid_t child = fork();
      if (child == 0) during(s, f, at, calls);
      bad += judge(child, mode, f, at);
    }
  }
  printf("%s: %d crashes\n", mode, failures);
  return failures != 0;
}
"""


def callbacks():
    """C functions for the parameters that are functions, and their names by kind."""
    lines, names = [], {}
    known = {"User_function": "op_function", "Comm_errhandler_function": "comm_handler",
             "Grequest_query_function": "query_function", "Grequest_free_function": "free_function",
             "Grequest_cancel_function": "cancel_function", "Comm_copy_attr_function": "comm_copy",
             "Comm_delete_attr_function": "comm_drop", "Type_copy_attr_function": "type_copy",
             "Type_delete_attr_function": "type_drop", "Win_copy_attr_function": "win_copy",
             "Win_delete_attr_function": "win_drop"}
    inside = False
    for line in (ROOT / "mpi/table/constants.txt").read_text().splitlines():
        if line.startswith("["):
            inside = line == "[callbacks]"
        elif inside and line.strip() and not line.startswith(("#", "MPI_T_")):
            kind, result, arguments = line[4:].split(" ", 2)
            name = known.get(kind, "call_of_" + kind)
            body = "" if result == "void" else " return below(4) ? 0 : MPI_ERR_OTHER;"
            if "int *flag" in arguments:
                body = " *(void **)attribute_val_out = attribute_val_in; *flag = 1;" + body
            lines.append(f"static {result} {name}({arguments}) {{{body} }}")
            names[f"as_{kind}_p"] = name
    return lines, names


def program(table):
    lines = [HEAD]
    for name, ctype in POOLS.items():
        null = ctype.upper() + "_NULL"
        lines.append(f"static {ctype} {name}s[slots] = {{{', '.join([null] * 6)}}};")
        lines.append(f"static {ctype} {name}(void) {{\n  static const unsigned predefined[] = {{PREDEFINED_{name}}};\n"
                     f"  switch (below(4)) {{\n    case 0: return ({ctype})wild();\n    case 1: return {name}s[below(slots)];\n"
                     f"    default: return below(2) ? {name}s[below(slots)] : ({ctype})(unsigned long)predefined[below(sizeof predefined / 4)];\n  }}\n}}")
        lines.append(f"static {ctype} *{name}_place(void) {{\n  static {ctype} other;\n  if (below(10) == 0) return NULL;\n"
                     f"  if (below(4)) return &{name}s[below(slots)];\n  other = {name}();\n  return &other;\n}}")
    text = "\n".join(lines)
    for name, ctype in POOLS.items():
        values = [line.split()[2] for line in (ROOT / "mpi/table/constants.txt").read_text().splitlines()
                  if len(line.split()) == 3 and line.split()[1] == ctype]
        if name == "errhandler":
            values = ["0x140", "0x143"]  # Not the fatal ones.
        text = text.replace(f"PREDEFINED_{name}", ", ".join(values))
    lines = [text]
    for plural, single in (("requests", "request"), ("types", "type"), ("infos", "info")):
        ctype = POOLS[single]
        lines.append(f"static {ctype} *few_{plural}(void) {{\n  static {ctype} a[16];\n"
                     f"  for (int i = 0; i < 16; ++i) a[i] = {single}();\n  return below(10) ? a : NULL;\n}}")
    lines.append("static MPI_Datatype *room_for_types(void) { static MPI_Datatype a[16]; return place(a); }")
    made, names = callbacks()
    lines += made
    calls = []
    for f in table.read_table():
        if f.area == "tool" or f.name in LEFT_OUT:
            continue
        for name, large in f.forms():
            arguments = []
            for parameter, kind in f.params:
                base = kind.replace("_inout", "").replace("_out", "")
                if kind in POOLS or kind in HANDLES:
                    arguments.append(HANDLES.get(kind, kind) + "()")
                elif kind.endswith(("_out", "_inout")) and base in POOLS:
                    arguments.append(base + "_place()")
                elif kind in BY_FORM:
                    arguments.append(f"place({BY_FORM[kind][large]}())")
                elif kind.startswith("as_"):
                    arguments.append(f"(below(6) ? {names[kind]} : NULL)")
                elif kind == "int" and any("[]" in table.kind_of(k).small for _, k in f.params):
                    arguments.append("number()")
                elif kind != "more":
                    arguments.append(VALUES[kind])
            calls.append(name)
            lines.append(f"static void of_{name}(void) {{ {name}({', '.join(arguments)}); }}")
    lines.append("static const struct { const char *name; void (*call)(void); } functions[] = {")
    lines += [f'  {{"{name}", of_{name}}},' for name in calls]
    lines += ["};", f"enum {{ function_count = {len(calls)} }};", TAIL]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--calls", default="200")
    parser.add_argument("--only", default="")
    parser.add_argument("--mode", choices=("before", "during", "after"))
    parser.add_argument("--keep")
    parser.add_argument("--flags", default="")
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("generate", ROOT / "mpi/generate.py")
    table = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "mpi"))
    spec.loader.exec_module(table)
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        folder = pathlib.Path(options.keep or folder)
        folder.mkdir(exist_ok=True)
        source = folder / "attack.c"
        source.write_text(program(table))
        flags = options.flags.split()
        subprocess.run([options.bin / "mpicc", "-w", "-g1", *flags, source, "-o", folder / "attack"], check=True)
        environment = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=0:abort_on_error=0:allocator_may_return_null=1",
                       "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98:print_stacktrace=1"} | os.environ
        codes = []
        for mode in ("before", "during", "after"):
            if options.mode in (None, mode):
                with (folder / f"{mode}.log").open("w") as log:  # Messages of the library, and of sanitizers.
                    codes.append(subprocess.run(
                        [folder / "attack", mode, options.seed, options.calls, options.only], check=False,
                        env=environment, stderr=log).returncode)
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
