# SPDX-License-Identifier: BSL-1.0
"""Entries of a library that translates another MPI's binary interface to the standard ABI.

mpi/generate.py calls `openmpi_entries`. mpi/table/openmpi.txt has the values; mpi/old/openmpi.hpp the
classes that translate arguments.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SPDX = ("// SPDX-License-Identifier: BSL-1.0\n// Made by mpi/generate.py. Do not edit.\n"
        "// clang-format off\n")
LEFT_OUT = ("session", "convert", "tool")  # Areas that Open MPI 4 does not have, or by other means.
# Parameters whose values differ, by name: section of the table.
INS = {"required": "thread", "split_type": "split", "order": "order", "typeclass": "typeclass",
       "lock_type": "lock", "whence": "whence", "comm_keyval": "keyval", "type_keyval": "keyval",
       "win_keyval": "keyval", "keyval": "keyval", "assert": "assertion", "amode": "mode",
       "Error_class.errorcode": "error", "Error_string.errorcode": "error",
       "Comm_call_errhandler.errorcode": "error", "Win_call_errhandler.errorcode": "error",
       "File_call_errhandler.errorcode": "error", "Add_error_string.errorcode": "error",
       "Add_error_code.errorclass": "error"}
OUTS = {"provided": "thread", "result": "compare", "Topo_test.status": "topology",
        "combiner": "combiner", "rank_source": "rank", "rank_dest": "rank", "comm_keyval": "keyval",
        "type_keyval": "keyval", "win_keyval": "keyval", "keyval": "keyval",
        "Error_class.errorclass": "error", "Add_error_class.errorclass": "error",
        "Add_error_code.errorcode": "error", "amode": "mode"}
TEXTS = {"Get_library_version.version": 256, "Error_string.string": 256, "Type_get_name.type_name": 64,
         "Comm_get_name.comm_name": 64, "Win_get_name.win_name": 64, "Info_get_nthkey.key": 36}
CALLBACKS = ("Op_create", "Comm_create_errhandler", "Win_create_errhandler", "File_create_errhandler",
             "Comm_create_keyval", "Type_create_keyval", "Win_create_keyval", "Keyval_create",
             "Grequest_start", "Win_get_attr")
HANDLES = {"comm", "peer", "type", "type_any", "type_if", "op", "group", "info", "hints", "errhandler",
           "request", "message", "win", "win_or_null", "file"}
BITS = ("assertion", "mode")


def read_table():
    sections = {}
    for line in (HERE / "table/openmpi.txt").read_text().splitlines():
        if line.startswith("["):
            now = sections.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            now.append(line.split())
    return sections


def base_of(ctype):
    return re.sub(r"\[.*\]", "", ctype).replace("const", "").replace("*", "").strip()


def role(function, name, table):
    return table.get(f"{function.name}.{name}", table.get(name))


class Entry:
    """The translated form of a function."""

    def __init__(self, f, kind_of):
        self.f, self.kind_of = f, kind_of
        self.count = next((n for n, k in f.params if k in ("number", "count")), "0")
        self.before, self.after, self.arguments, self.types = [], [], [], []
        self.parameters = []
        for n, k in f.params:
            if k != "more":
                self.add(n, k)
            else:
                self.parameters.append("...")

    def add(self, n, k):
        new = self.kind_of(k).small
        old, argument = self.translate(n, k, new)
        array = re.search(r"(\[.*\])$", old)
        base = old[:array.start()] if array else old
        gap = "" if base.endswith("*") else " "
        self.parameters.append(f"{base}{gap}{n}{array.group(1) if array else ''}")
        self.arguments.append(argument)
        self.types.append(new)

    def local(self, ctype, n, *arguments):
        self.before.append(f"{ctype} {n}_({', '.join(arguments)});")
        return f"{n}_.get()"

    def translate(self, n, k, new):
        base = base_of(new)
        if k in HANDLES:
            return "void *", f"to_new<{base}>({n})"
        if k.endswith(("_out", "_inout")) and base.startswith("MPI_") and base not in (
                "MPI_Aint", "MPI_Count", "MPI_Offset") and "[" not in new:
            reads = "true" if k.endswith("_inout") else "false"
            return "void **", self.local(f"handle_place<{base}>", n, n, reads)
        if k == "requests":
            return "void *[]", self.local(f"handles_inside<{base}>", n, n, self.count)
        if k in ("requests_const", "types"):
            return "void *const []", self.local(f"handles_copy<{base}>", n, n, self.length(n))
        if k == "types_out":
            self.after.append(f"if (code == MPI_SUCCESS) handles_inside<{base}>({n}, max_datatypes);")
            return "void *[]", f"reinterpret_cast<{base} *>({n})"
        if k == "infos":
            return "void *const []", f"reinterpret_cast<const {base} *>({n})"
        if k in ("status", "statuses"):
            return "old_status *", self.local("status_places", n, n, "1" if k == "status" else self.count)
        if k == "status_set":
            return "old_status *", self.local("status_places", n, n, "1")
        if k == "status_in":
            self.before.append(f"const MPI_Status {n}_ = {n} == nullptr ? MPI_Status{{}} : new_status(*{n});")
            return "const old_status *", f"{n} == nullptr ? nullptr : &{n}_"
        if k in ("dest", "source", "root", "target"):
            return new, f"rank_to_new({n})"
        if k == "tag_any":
            return new, f"tag_to_new({n})"
        if k.startswith("as_") and new.endswith("*"):
            return "any_function ", n if self.f.name in CALLBACKS else f"reinterpret_cast<{new}>({n})"
        if "weights" in n:
            return new, f"weights_to_new({n})"
        return self.numbers(n, k, new)

    def numbers(self, n, k, new):
        what = f"{self.f.name}.{n}"
        if what in TEXTS:
            self.before.append(f"text_place<{TEXTS[what]}> {n}_({n});")
            length = "resultlen" if any(p == "resultlen" for p, _ in self.f.params) else "nullptr"
            self.after.append(f"{n}_.store(code, {length});")
            return new, f"{n}_.get()"
        if n == "ranks1":
            return new, self.local("ints_copy<rank_to_new>", n, n, self.count)
        if n == "ranks2":
            self.after.append(f"int_places<rank_to_old>({n}, {self.count}).store(code);")
            return new, n
        if n in ("array_of_distribs", "array_of_dargs"):
            part = "distribution" if n.endswith("distribs") else "argument"
            return new, self.local(f"ints_copy<{part}_to_new>", n, n, "ndims")
        if k in ("int_out", "int_inout") and role(self.f, n, OUTS):
            part = role(self.f, n, OUTS)
            if k == "int_inout":  # The program's own number stays after an error.
                self.before.append(f"int {n}_ = {n} == nullptr ? 0 : {part}_to_new(*{n});")
                self.after.append(f"if (code == MPI_SUCCESS) *{n} = {part}_to_old({n}_);")
                return new, f"{n} == nullptr ? nullptr : &{n}_"
            self.after.append(f"int_places<{part}_to_old>({n}).store(code);")
            return new, n
        if k in ("int", "number") and role(self.f, n, INS):
            return new, f"{role(self.f, n, INS)}_to_new({n})"
        return new, n

    def length(self, n):
        """Number of handles of an array."""
        if "alltoallw" not in self.f.name.lower():
            return f"length({self.count})"
        if "eighbor" in self.f.name:
            return f"neighbors(to_new<MPI_Comm>(comm), {'true' if n == 'recvtypes' else 'false'})"
        use = "partners(to_new<MPI_Comm>(comm))"
        return f"sendbuf == MPI_IN_PLACE ? 0 : {use}" if n == "sendtypes" else use

    def text(self):
        f = self.f
        name, parameters = f.name, ", ".join(self.parameters) or "void"
        lines = [f'{f.returned} old_{name}({parameters}) __asm__("PMPI_{name}") MPX_EXPORTED;',
                 f"MPX_WEAK({name})",
                 f"{f.returned} old_{name}({parameters}) {{"]
        if name in CALLBACKS:
            plain = ", ".join(n for n, _ in f.params)
            return lines + [f"  return error_to_old(mpx_mpi_openmpi::{name}({plain}));", "}"]
        types = ", ".join(self.types) + (", ..." if self.parameters[-1:] == ["..."] else "")
        call = f"at<{f.returned}({types})>(fn_{name})({', '.join(self.arguments)})"
        if f.is_value:
            return lines + [f"  return {call};", "}"]
        lines += ["  " + b for b in self.before]
        if self.after:
            lines += [f"  const int code = {call};"] + ["  " + a for a in self.after]
            return lines + ["  return error_to_old(code);", "}"]
        return lines + [f"  return error_to_old({call});", "}"]


def switches(sections):
    """Functions that translate the constants of a section."""
    lines, new = [], {}
    for section, rows in sections.items():
        if section == "handles":
            continue
        for direction in ("new", "old"):
            lines.append(f"int {section}_to_{direction}(int v) noexcept {{")
            if section in BITS:
                lines.append("  int made = 0;")
                for name, value in rows:
                    a, b = (value, name) if direction == "new" else (name, value)
                    lines.append(f"  if ((v & {a}) != 0) made |= {b};")
                lines += ["  return made;", "}"]
                continue
            lines.append("  switch (v) {")
            for name, value in rows:
                a, b = (value, name) if direction == "new" else (name, value)
                lines.append(f"    case {a}: return {b};")
            lines += [f"    default: return other_{section}_to_{direction}(v);"
                      if section in ("error", "keyval") else "    default: return v;", "  }", "}"]
    return lines


def openmpi_entries(functions, kind_of):
    sections = read_table()
    those = [f for f in functions if f.area not in LEFT_OUT and not f.name.endswith("_c")
             and not f.name.startswith("Abi_")]
    needed = those + [f for f in functions if f.area == "convert"]
    lines = [SPDX + '#include "openmpi_entries.hpp"', "", "namespace mpx_mpi_openmpi {", ""]
    lines += ["extern const char *const our_names[] = {"]
    lines += [f'  "PMPI_{f.name}",' for f in needed]
    lines += ["};", f"void *our[{len(needed)}];", f"extern const std::size_t our_count = {len(needed)};"]
    lines += [f"extern const int fn_{f.name} = {i};" for i, f in enumerate(needed)] + [""]
    lines += switches(sections)
    lines += ["", "}  // namespace mpx_mpi_openmpi", "", 'extern "C" {']
    lines += [f"alignas(64) MPX_EXPORTED char {symbol}[{size}];" for _, symbol, size in sections["handles"]]
    lines += ["}", "", "namespace mpx_mpi_openmpi {", "extern const predefined all_predefined[] = {"]
    lines += [f"  {{{symbol}, static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>({name}))}},"
              for name, symbol, _ in sections["handles"]]
    lines += ["};", "extern const std::size_t predefined_count = sizeof all_predefined / sizeof all_predefined[0];",
              "}  // namespace mpx_mpi_openmpi", "", "using namespace mpx_mpi_openmpi;", "", 'extern "C" {']
    for f in those:
        lines += Entry(f, kind_of).text()
    for f in functions:
        if f.name.endswith("_toint"):
            kind = f.name[:-6]
            if kind in ("Session",):
                continue
            ctype = "MPI_Datatype" if kind == "Type" else "MPI_" + kind
            for name, result, parameter, value in (
                    (f"{kind}_c2f", "int", "void *h", f"at<int({ctype})>(fn_{kind}_toint)(to_new<{ctype}>(h))"),
                    (f"{kind}_f2c", "void *", "int h", f"to_old(at<{ctype}(int)>(fn_{kind}_fromint)(h))")):
                lines += [f'{result} old_{name}({parameter}) __asm__("PMPI_{name}") MPX_EXPORTED;',
                          f"MPX_WEAK({name})",
                          f"{result} old_{name}({parameter}) {{ return {value}; }}"]
    return "\n".join(lines + ["}", ""])
