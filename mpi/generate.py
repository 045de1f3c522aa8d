#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes all that follows from the table of MPI's functions (mpi/table/).

    generate.py            writes mpi/include/mpi.h, mpi/generated/, mpi/old/*/entries.cpp and the lists
                           in docs/MPI.md
    generate.py --check    compares them with the files of the tree (a test)

A line of functions.txt is NAME FLAGS PARAMETER:KIND...; `[area]` begins an area. Flags: `built` (else
the function raises MPI_ERR_UNSUPPORTED_OPERATION), `large` (it has a form NAME_c), `form` (the
implementation is told which form was called), `early` (it may be called before MPI_Init and after
MPI_Finalize; of tools, before MPI_T_init_thread), `deprecated`, `quick` (mpi/src/quick.hpp has a function
for usual arguments, which is tried first), `returns=TYPE` (no error code).
A kind (KINDS below) is the type of a parameter in both forms, its check, and what the implementation
in mpi/src/ gets.
"""
import pathlib
import re
import sys

import old_abi

HERE = pathlib.Path(__file__).resolve().parent
SPDX = ("// SPDX-License-Identifier: BSL-1.0\n// Made by mpi/generate.py. Do not edit.\n"
        "// clang-format off\n")


class Kind:
    """A kind of parameter: C types of both forms, check, type and value for the implementation."""

    def __init__(self, small, large=None, check="", to=None, value="{p}", order=1):
        self.small, self.large = small, large or small
        self.check, self.to, self.value = check, to or small, value
        self.order = order  # Checks of communicators come first: ranks are checked against them.


def out(ctype):
    return Kind(ctype + " *", check='need_place({p}, "{p}");')


def handle(ctype, find, to, order=0):
    return Kind(ctype, check=f'auto& {{p}}_ = {find}({{p}});', to=to + "&", value="{p}_", order=order)


def raw(ctype):
    return Kind(ctype)


KINDS = {
    # Communicators, ranks and tags.
    "comm": handle("MPI_Comm", "need_comm", "comm_t"),
    "peer": raw("MPI_Comm"),  # May be null, or is significant at one rank.
    "comm_inout": out("MPI_Comm"), "comm_out": out("MPI_Comm"),
    "dest": Kind("int", check="need_destination({p}, comm_);", order=2),
    "source": Kind("int", check="need_source({p}, comm_);", order=2),
    "root": Kind("int", check="need_root({p}, comm_);", order=2),
    "tag": Kind("int", check="need_tag({p});"),
    "tag_any": Kind("int", check="need_any_tag({p});"),
    # Data.
    "buffer": raw("void *"), "buffer_const": raw("const void *"),
    "any": raw("void *"), "any_const": raw("const void *"), "pointer_out": out("void"),
    "count": Kind("int", "MPI_Count", 'need_count({p}, "{p}");', "MPI_Count"),
    "count_if": Kind("int", "MPI_Count", to="MPI_Count"),
    "big_size": Kind("int", "MPI_Count", 'need_count({p}, "{p}");', "MPI_Count"),
    "big_stride": Kind("int", "MPI_Count", to="MPI_Count"),
    "wide": Kind("MPI_Aint", "MPI_Count", to="MPI_Count"),
    "unit": Kind("int", "MPI_Aint", to="MPI_Aint"),
    "counts_if": Kind("const int[]", "const MPI_Count[]", to="numbers", value="numbers({p})"),
    "bigs": Kind("const int[]", "const MPI_Count[]", to="numbers", value="numbers({p})"),
    "displs": Kind("const int[]", "const MPI_Aint[]", to="numbers", value="numbers({p})"),
    "wides": Kind("const MPI_Aint[]", "const MPI_Count[]", to="numbers", value="numbers({p})"),
    "aints": Kind("const MPI_Aint[]", to="numbers", value="numbers({p})"),
    "big_out": Kind("int *", "MPI_Count *", 'need_place({p}, "{p}");', "number_place",
                    "number_place({p})"),
    "position": Kind("int *", "MPI_Count *", 'need_place({p}, "{p}");', "number_place",
                     "number_place({p})"),
    "wide_out": Kind("MPI_Aint *", "MPI_Count *", 'need_place({p}, "{p}");', "number_place",
                     "number_place({p})"),
    "wide_position": Kind("MPI_Aint *", "MPI_Count *", 'need_place({p}, "{p}");', "number_place",
                          "number_place({p})"),
    "unit_out": Kind("int *", "MPI_Aint *", 'need_place({p}, "{p}");', "number_place",
                     "number_place({p})"),
    # Datatypes and operations. `type_if`: significant at some ranks only.
    "type": handle("MPI_Datatype", "need_type", "const type_t", 1),
    "type_any": handle("MPI_Datatype", "need_any_type", "type_t", 1),
    "type_if": raw("MPI_Datatype"), "type_maybe": raw("MPI_Datatype *"), "type_out": out("MPI_Datatype"),
    "type_inout": out("MPI_Datatype"),
    "types": raw("const MPI_Datatype[]"), "types_out": raw("MPI_Datatype[]"),
    "op": handle("MPI_Op", "need_op", "op_t", 1), "op_out": out("MPI_Op"), "op_inout": out("MPI_Op"),
    # Other objects.
    "group": handle("MPI_Group", "need_group", "group_t", 1),
    "group_out": out("MPI_Group"), "group_inout": out("MPI_Group"),
    "info": handle("MPI_Info", "need_info", "info_t", 1),
    "hints": Kind("MPI_Info", check="need_hints({p});"), "infos": raw("const MPI_Info[]"),
    "info_out": out("MPI_Info"), "info_maybe": raw("MPI_Info *"), "info_inout": out("MPI_Info"),
    "errhandler": raw("MPI_Errhandler"), "errhandler_out": out("MPI_Errhandler"),
    "errhandler_inout": out("MPI_Errhandler"),
    "request": raw("MPI_Request"), "request_out": out("MPI_Request"),
    "request_inout": out("MPI_Request"), "requests": raw("MPI_Request[]"),
    "requests_const": raw("const MPI_Request[]"),
    "message": raw("MPI_Message"), "message_out": out("MPI_Message"),
    "message_inout": out("MPI_Message"),
    "win": handle("MPI_Win", "need_win", "win_t"), "target": Kind("int", check="need_target({p}, win_);", order=2),
    "win_or_null": raw("MPI_Win"), "win_out": out("MPI_Win"), "win_inout": out("MPI_Win"),
    "file": raw("MPI_File"), "file_out": out("MPI_File"), "file_inout": out("MPI_File"),
    "session": handle("MPI_Session", "need_session", "session_t", 1), "session_out": out("MPI_Session"),
    "session_inout": out("MPI_Session"),
    "status": raw("MPI_Status *"), "statuses": raw("MPI_Status *"),
    "status_set": Kind("MPI_Status *", check='need_place({p}, "{p}");'),
    "status_in": Kind("const MPI_Status *", check='need_place({p}, "{p}");'),
    # Numbers and texts.
    "int": raw("int"), "int_const": raw("const int"), "more": raw("..."),
    "number": Kind("int", check='need_count({p}, "{p}");'),
    "int_out": out("int"), "int_inout": out("int"), "int_maybe": raw("int *"), "argc": raw("int *"),
    "ints": raw("const int[]"), "ints_out": raw("int[]"), "ranges": raw("int[][3]"),
    "aint": raw("MPI_Aint"), "aint_out": out("MPI_Aint"), "aints_out": raw("MPI_Aint[]"),
    "count_x": raw("MPI_Count"), "count_out": out("MPI_Count"), "count_maybe": raw("MPI_Count *"), "bigs_out": raw("MPI_Count[]"),
    "offset": raw("MPI_Offset"), "offset_out": out("MPI_Offset"),
    "text": Kind("const char *", check='need_place({p}, "{p}");'), "texts": raw("const char[]"),
    "text_out": out("char"), "text_maybe": raw("char *"), "argv": raw("char *[]"), "argvs": raw("char **[]"),
    "argv_inout": raw("char ***"),
}
RETURNS = {"aint": "MPI_Aint", "double": "double", "int": "int"}
AREAS = {
    "environment": "Environment", "error": "Errors", "info": "Info", "point_to_point": "Point-to-point",
    "request": "Requests and statuses", "datatype": "Datatypes and packing",
    "operation": "Operations", "collective": "Collectives", "group": "Groups",
    "communicator": "Communicators", "attribute": "Attributes", "topology": "Topologies",
    "convert": "Handles as integers", "partitioned": "Partitioned messages", "rma": "One-sided",
    "session": "Sessions", "process": "Process creation", "file": "Files", "tool": "Tools (MPI_T)",
}


def kind_of(name):
    if name in KINDS:
        return KINDS[name]
    if name.startswith("as_"):  # A type of the standard that is passed on as it is.
        text = "MPI_" + name[3:]
        return raw(text[:-2] + " *" if text.endswith("_p") else text)
    raise SystemExit(f"mpi/table/functions.txt: unknown kind {name}")


class Function:
    def __init__(self, area, line):
        self.name, flags, *params = line.split()
        flags = flags.split(",")
        self.area, self.built, self.large = area, "built" in flags, "large" in flags
        self.early, self.deprecated = "early" in flags, "deprecated" in flags
        self.quick = "quick" in flags
        self.knows_form = "form" in flags
        self.params = [tuple(p.split(":")) for p in params]
        returned = [f[8:] for f in flags if f.startswith("returns=")]
        self.returned = "int"
        self.is_value = bool(returned)  # It returns no error code.
        if returned:
            self.returned = RETURNS.get(returned[0], "MPI_" + returned[0])

    def forms(self):
        yield "MPI_" + self.name, False
        if self.large:
            yield "MPI_" + self.name + "_c", True

    def parameters(self, large):
        made = []
        for name, kind in self.params:
            k = kind_of(kind)
            text = k.large if large else k.small
            if text == "...":
                made.append("...")
                continue
            array = re.search(r"(\[.*\])$", text)
            base = text[:array.start()] if array else text
            gap = "" if base.endswith("*") else " "
            made.append(f"{base}{gap}{name}{array.group(1) if array else ''}")
        return ", ".join(made)

    def prototype(self, name, large):
        gap = "" if self.returned.endswith("*") else " "
        return f"{self.returned}{gap}{name}({self.parameters(large) or 'void'})"

    def implementation(self):
        made = []
        for name, kind in self.params:
            k = kind_of(kind)
            if k.small == "...":
                continue
            to = k.small if self.is_value else k.to
            array = re.search(r"(\[.*\])$", to)
            base = to[:array.start()] if array else to
            gap = "" if base.endswith(("*", "&")) else " "
            made.append(f"{base}{gap}{name}{array.group(1) if array else ''}")
        if self.knows_form:
            made.append("bool large")
        result = self.returned if self.is_value else "void"
        return f"{result} {self.name}({', '.join(made)});"

    def target(self):
        """The object whose error handler is called."""
        for name, kind in self.params:
            if kind == "comm" or (kind == "comm_inout"):
                return name if kind == "comm" else f"{name} == nullptr ? MPI_COMM_NULL : *{name}"
            if kind in ("file", "file_out", "file_inout"):
                return "as_file"
            if kind in ("session", "win", "win_or_null", "errhandler"):
                return name
            if kind == "win_inout":
                return f"{name} == nullptr ? MPI_WIN_NULL : *{name}"
            if kind == "session_inout":
                return f"{name} == nullptr ? MPI_SESSION_NULL : *{name}"
        return "as_file" if self.area == "file" else ""

    def body(self, name, large):
        lines = [f"{self.returned} P{name}({self.parameters(large) or 'void'}) {{"]
        if self.is_value:
            lines.append(f"  return mpx_mpi::{self.name}({', '.join(n for n, _ in self.params)});")
            return lines + ["}"]
        target = self.target()
        arguments = f'"{name}"' + (f", {target}" if target else "")
        if not self.built:
            lines += [f"  (void){n};" for n, k in self.params if k != "more"]
            lines.append(f"  return not_built({arguments});")
            return lines + ["}"]
        lines.append("  try {")
        if self.area == "tool":
            lines.append(f"    const auto held = {'lock' if self.early else 'need'}_tools();")
        elif not self.early:
            lines.append("    need_running();")
        checks = []
        for n, kind in self.params:
            k = kind_of(kind)
            if k.check:
                checks.append((k.order, "    " + k.check.replace("{p}", n)))
        lines += [c for _, c in sorted(checks, key=lambda c: c[0])]
        values = [kind_of(k).value.replace("{p}", n) for n, k in self.params if k != "more"]
        if self.knows_form:
            values.append("true" if large else "false")
        lines.append(f"    mpx_mpi::{self.name}({', '.join(values)});")
        lines.append("    return MPI_SUCCESS;")
        end = "tool_failed()" if self.area == "tool" else f"failed({arguments})"
        lines += ["  } catch (...) {", f"    return {end};", "  }", "}"]
        if self.quick and not large:
            lines[0] = lines[0].replace(f"int P{name}(", f"[[gnu::noinline]] static int every_{name}(")
            plain = ", ".join(n for n, _ in self.params)
            lines += [f"{self.returned} P{name}({self.parameters(large)}) {{",
                      f'  return quick_{self.name}<every_{name}>("{name}", {plain});', "}"]
        return lines


def read_table():
    functions, area = [], ""
    for line in (HERE / "table/functions.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("["):
            area = line.strip("[]")
            assert area in AREAS, area
            continue
        functions.append(Function(area, line))
    return functions


def read_constants():
    sections, now = {}, None
    for line in (HERE / "table/constants.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("["):
            now = sections.setdefault(line.strip("[]"), [])
        else:
            now.append(line)
    return sections


def header(functions):
    c = read_constants()
    lines = ["/* SPDX-License-Identifier: BSL-1.0 */", "/* Made by mpi/generate.py. Do not edit. */",
             "/* MPI 5.0 in the standard ABI (MPI 5.0, 20), of mpx. */",
             "#ifndef MPX_MPI_H", "#define MPX_MPI_H", "#include <stdint.h>", "",
             "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
             "#define MPI_VERSION 5", "#define MPI_SUBVERSION 0", "#define MPI_ABI_VERSION 1",
             "#define MPI_ABI_SUBVERSION 0", "", "typedef intptr_t MPI_Aint;",
             "typedef int64_t MPI_Offset;", "typedef int64_t MPI_Count;", "",
             "typedef struct {", "  int MPI_SOURCE;", "  int MPI_TAG;", "  int MPI_ERROR;",
             "  int MPI_internal[5];", "} MPI_Status;", ""]
    types = []
    for line in c["handles"]:
        ctype = line.split()[1]
        if ctype not in types:
            types.append(ctype)
    for ctype in types:
        lines.append(f"typedef struct MPI_ABI_{ctype[4:]} *{ctype};")
    for line in c["tool types"]:
        lines.append(f"typedef struct MPI_ABI_{line[4:]} *{line};")
    lines.append("")
    for line in c["handles"]:
        name, ctype, value = line.split()
        lines.append(f"#define {name} (({ctype}){value})")
    for line in c["aliases"]:
        name, value = line.split()
        lines.append(f"#define {name} {value}")
    lines.append("")
    for line in c["macros"]:
        name, value = line.split()
        lines.append(f"#define {name} {value}")
    lines += ["", "enum {"]
    for line in c["integers"]:
        name, value = line.split()
        lines.append(f"  {name} = {value},")
    lines[-1] = lines[-1].rstrip(",")
    lines += ["};", ""]
    for line in c["enumerations"]:
        name, *values = line.split()
        lines.append(f"typedef enum {name} {{ {', '.join(v.replace('=', ' = ') for v in values)} }} {name};")
    lines.append("")
    for line in c["callbacks"]:
        name, result, arguments = line.split(" ", 2)
        lines.append(f"typedef {result}({name})({arguments});")
    for line in c["callback aliases"]:
        name, of = line.split()
        lines.append(f"typedef {of} {name};")
    lines.append("")
    for line in c["pointers"]:
        name, value, ctype = line.split(" ", 2)
        lines.append(f"#define {name} (({ctype}){value})")
    lines.append("")
    for prefix in ("", "P"):
        for f in functions:
            for name, large in f.forms():
                lines.append(f.prototype(prefix + name, large) + ";")
        lines.append("")
    lines += (HERE / "table/removed.h").read_text().splitlines()
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    return "\n".join(lines)


def declarations(functions):
    lines = [SPDX + "#pragma once",
             "// The functions that mpi/src/ implements: arguments are checked, handles resolved. They throw a",
             "// `failure` or an mpx::error.", "", '#include "errors.hpp"', '#include "objects.hpp"', "",
             "namespace mpx_mpi {", ""]
    lines += [f.implementation() for f in functions if f.built]
    return "\n".join(lines + ["", "}  // namespace mpx_mpi", ""])


# Areas of one source file: the compile time of a function hardly depends on its area.
SOURCES = {
    "entries_messages": ["environment", "error", "info", "point_to_point", "request", "partitioned"],
    "entries_collectives": ["collective", "operation", "datatype"],
    "entries_objects": ["group", "communicator", "attribute", "topology", "convert", "rma", "session",
                        "process", "file"],
    "entries_tools": ["tool"],
}


def entries(functions, areas):
    lines = [SPDX + '#include "entry.hpp"', '#include "functions.hpp"', "",
             "using namespace mpx_mpi;", "", 'extern "C" {']
    for f in functions:
        if f.area in areas:
            for name, large in f.forms():
                lines += f.body(name, large)
                lines.append(f"MPX_MPI_ALIAS({name})")
    return "\n".join(lines + ["}", ""])


# Arguments of the test of wrong arguments: a right value for each kind, and wrong ones with their class.
RIGHT = {
    "comm": "MPI_COMM_SELF", "peer": "MPI_COMM_SELF", "type": "MPI_INT", "type_any": "MPI_INT",
    "type_if": "MPI_INT", "op": "MPI_SUM", "group": "MPI_GROUP_EMPTY", "info": "MPI_INFO_ENV",
    "hints": "MPI_INFO_NULL", "errhandler": "counting", "request": "MPI_REQUEST_NULL",
    "message": "MPI_MESSAGE_NULL", "win": "win", "win_or_null": "win", "win_out": "&other_win", "win_inout": "&other_win", "file": "MPI_FILE_NULL",
    "session": "session", "session_inout": "&other", "session_out": "&other", "text": '"name"', "texts": '"external32"', "status": "&status",
    "statuses": "statuses", "status_in": "&status", "status_set": "&status", "types": "types",
    "infos": "NULL", "argv": "NULL", "argvs": "NULL", "argv_inout": "NULL", "argc": "NULL",
    "comm_inout": "&comm", "comm_out": "&comm", "type_out": "&type", "type_inout": "&type",
    "types_out": "types", "op_out": "&op", "op_inout": "&op", "group_out": "&group",
    "group_inout": "&group", "info_out": "&info", "info_inout": "&info",
    "errhandler_out": "&errhandler", "errhandler_inout": "&errhandler", "request_out": "&request",
    "request_inout": "&request", "requests": "requests", "requests_const": "requests",
    "message_out": "&message", "message_inout": "&message", "ranges": "ranges", "ints": "ints",
    "ints_out": "ints", "aints_out": "aints", "int_out": "&number", "int_inout": "&number",
    "int_maybe": "&number", "aint_out": "&address", "count_out": "&large", "offset_out": "&offset",
    "text_out": "text", "text_maybe": "text", "pointer_out": "&pointer", "buffer": "bytes", "buffer_const": "bytes",
    "any": "NULL", "any_const": "bytes", "count": "1", "number": "1", "big_size": "1",
}
WRONG = {
    "comm": ("MPI_Comm", "MPI_ERR_COMM"), "type": ("MPI_Datatype", "MPI_ERR_TYPE"),
    "type_any": ("MPI_Datatype", "MPI_ERR_TYPE"), "op": ("MPI_Op", "MPI_ERR_OP"),
    "group": ("MPI_Group", "MPI_ERR_GROUP"), "session": ("MPI_Session", "MPI_ERR_SESSION"), "win": ("MPI_Win", "MPI_ERR_WIN"), "info": ("MPI_Info", "MPI_ERR_INFO"),
}
WRONG_NUMBERS = {
    "count": ("-1", "MPI_ERR_COUNT"), "number": ("-1", "MPI_ERR_COUNT"),
    "big_size": ("-1", "MPI_ERR_COUNT"), "tag": ("-5", "MPI_ERR_TAG"),
    "tag_any": ("-5", "MPI_ERR_TAG"), "dest": ("9999", "MPI_ERR_RANK"),
    "source": ("9999", "MPI_ERR_RANK"), "root": ("9999", "MPI_ERR_ROOT"), "target": ("9999", "MPI_ERR_RANK"),
}
BY_FORM = {  # Places for integers that are larger in the form with _c.
    "bigs": ("ints", "larges"), "counts_if": ("ints", "larges"), "displs": ("ints", "aints"),
    "wides": ("aints", "larges"), "aints": ("aints", "aints"), "big_out": ("&number", "&large"),
    "position": ("&number", "&large"), "wide_out": ("&address", "&large"),
    "wide_position": ("&address", "&large"), "unit_out": ("&number", "&address"),
}


def wrong_arguments(functions):
    """Rows of test/mpi/arguments.c: every argument that is checked, wrong in each way."""
    lines = ["/* SPDX-License-Identifier: BSL-1.0 */", "/* Made by mpi/generate.py. Do not edit. */"]
    for f in functions:
        if not f.built or f.is_value or f.area in ("file", "tool") or f.name in ("Init", "Init_thread"):
            continue
        for name, large in f.forms():
            right = []
            for _, kind in f.params:
                if kind in BY_FORM:
                    right.append(BY_FORM[kind][large])
                elif kind.startswith("as_"):
                    right.append("NULL")
                elif kind != "more":
                    right.append(RIGHT.get(kind, "0"))
            for i, (param, kind) in enumerate(f.params):
                def row(value, code, loop=""):
                    arguments = ", ".join(right[:i] + [value] + right[i + 1:])
                    lines.append(f'{loop}ROW("{name}", "{param}", {name}({arguments}), {code})')
                if kind in WRONG:
                    ctype, code = WRONG[kind]
                    row(f"({ctype})wrong[k]", code, "for (k = 0; k < wrong_handles; ++k) ")
                elif kind in WRONG_NUMBERS:
                    row(*WRONG_NUMBERS[kind])
                elif kind_of(kind).check.startswith("need_place"):
                    row("NULL", "MPI_ERR_ARG")
    return "\n".join(lines) + "\n"


def exports(functions):
    names = sorted(n for f in functions for n, _ in f.forms())
    text = "".join(f"    {n};\n    P{n};\n" for n in names)
    return "/* Made by mpi/generate.py. Do not edit. */\n{\n  global:\n" + text + "  local:\n    *;\n};\n"


def documents(functions):
    """The lists of docs/MPI.md."""
    lines = ["| area | works | not yet |", "|---|---|---|"]
    for area, title in AREAS.items():
        those = [f for f in functions if f.area == area]
        works = sum(len(list(f.forms())) for f in those if f.built)
        left = sum(len(list(f.forms())) for f in those if not f.built)
        lines.append(f"| {title} | {works} | {left} |")
    works = sum(len(list(f.forms())) for f in functions if f.built)
    every = sum(len(list(f.forms())) for f in functions)
    lines += [f"| all | {works} | {every - works} |", "", "Not yet, by area (each with its form `_c`, if it has one):", ""]
    for area, title in AREAS.items():
        left = [f.name for f in functions if f.area == area and not f.built]
        if not left:
            continue
        works = [f.name for f in functions if f.area == area and f.built]
        if len(works) < 4:
            lines.append(f"- {title}: all" + (", except " if works else "") +
                         ", ".join(f"`MPI_{n}`" for n in works) + ".")
        else:
            text = f"- {title}: " + ", ".join(f"`MPI_{n}`" for n in left) + "."
            row = ""
            for word in text.split(" "):
                if len(row) + len(word) + 1 > 116:
                    lines.append(row)
                    row = "  " + word
                else:
                    row = f"{row} {word}" if row else word
            lines.append(row)
    return "\n".join(lines) + "\n"


def main():
    functions = read_table()
    made = {
        HERE / "include/mpi.h": header(functions),
        HERE / "generated/functions.hpp": declarations(functions),
        HERE / "generated/exports.map": exports(functions),
        HERE.parent / "test/mpi/wrong_arguments.inc": wrong_arguments(functions),
    }
    for name, areas in SOURCES.items():
        made[HERE / f"generated/{name}.cpp"] = entries(functions, areas)
    for interface in old_abi.INTERFACES:
        made[HERE / f"old/{interface}/entries.cpp"] = old_abi.entries(interface, functions, kind_of,
                                                                      read_constants())
    page = HERE.parent / "docs/MPI.md"
    if page.exists():
        begin, end = "<!-- functions -->\n", "<!-- end of functions -->\n"
        text = page.read_text()
        if begin in text:
            before, rest = text.split(begin)
            made[page] = before + begin + documents(functions) + end + rest.split(end)[1]
    wrong = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in wrong:
            print(f"{path} is not what mpi/generate.py makes: run it")
        return 1 if wrong else 0
    for path in wrong:
        path.write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
