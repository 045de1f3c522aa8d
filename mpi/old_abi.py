# SPDX-License-Identifier: BSL-1.0
"""Entries of a library that translates another MPI's binary interface to the standard ABI.

mpi/generate.py calls `entries` for each of INTERFACES. mpi/table/NAME.txt has the values;
mpi/old/translate.hpp and mpi/old/NAME/abi.hpp the functions and classes that translate arguments.
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SPDX = ("// SPDX-License-Identifier: BSL-1.0\n// Made by mpi/generate.py. Do not edit.\n"
        "// clang-format off\n")
INTERFACES = ("openmpi", "mpich")
LEFT_OUT = ("convert", "tool")  # Areas that neither has, or that are there by name alone.
LATER = {"openmpi": ("session",), "mpich": ()}  # Areas that are younger than the interface.
# Functions that MPI 3.0 removed, and those that are the same in all but name.
REMOVED = {"Address": "Get_address", "Errhandler_create": "Comm_create_errhandler",
           "Errhandler_set": "Comm_set_errhandler", "Errhandler_get": "Comm_get_errhandler",
           "Type_hvector": "Type_create_hvector", "Type_hindexed": "Type_create_hindexed",
           "Type_struct": "Type_create_struct"}
MARKERS = {"MPI_LB": "lb_value", "MPI_UB": "ub_value"}  # Of mpi/old/tables.hpp.
NOT_VALUES = ("handles", "limits", "same", "by name")  # Sections that are no constants of arguments.
# Parameters whose values differ, by name: section of the table.
INS = {"required": "thread", "split_type": "split", "order": "order", "typeclass": "typeclass",
       "lock_type": "lock", "whence": "whence", "comm_keyval": "keyval", "type_keyval": "keyval",
       "win_keyval": "keyval", "keyval": "keyval", "assert": "assertion", "amode": "mode",
       "Error_class.errorcode": "error", "Error_string.errorcode": "error",
       "Comm_call_errhandler.errorcode": "error", "Win_call_errhandler.errorcode": "error",
       "File_call_errhandler.errorcode": "error", "Session_call_errhandler.errorcode": "error",
       "Add_error_string.errorcode": "error", "Remove_error_class.errorclass": "error",
       "Remove_error_code.errorcode": "error", "Remove_error_string.errorcode": "error",
       "Add_error_code.errorclass": "error", "Status_set_source.source": "rank",
       "Status_set_tag.tag": "tag", "Status_set_error.error": "error"}
OUTS = {"provided": "thread", "result": "compare", "Topo_test.status": "topology",
        "combiner": "combiner", "rank_source": "rank", "rank_dest": "rank", "comm_keyval": "keyval",
        "type_keyval": "keyval", "win_keyval": "keyval", "keyval": "keyval",
        "Error_class.errorclass": "error", "Add_error_class.errorclass": "error",
        "Add_error_code.errorcode": "error", "amode": "mode", "Status_get_source.source": "rank",
        "Status_get_tag.tag": "tag", "Status_get_error.error": "error"}
TEXTS = {"Get_library_version.version": "MPI_MAX_LIBRARY_VERSION_STRING",
         "Get_processor_name.name": "MPI_MAX_PROCESSOR_NAME",
         "Error_string.string": "MPI_MAX_ERROR_STRING", "Type_get_name.type_name": "MPI_MAX_OBJECT_NAME",
         "Comm_get_name.comm_name": "MPI_MAX_OBJECT_NAME", "Win_get_name.win_name": "MPI_MAX_OBJECT_NAME",
         "Info_get_nthkey.key": "MPI_MAX_INFO_KEY"}
# Written by hand, in mpi/old/.
BY_HAND = ("Op_create", "Op_create_c", "Comm_create_errhandler", "Win_create_errhandler",
           "File_create_errhandler", "Session_create_errhandler", "Comm_create_keyval",
           "Type_create_keyval", "Win_create_keyval", "Keyval_create", "Grequest_start", "Win_get_attr",
           "Comm_get_attr", "Attr_get", "Type_create_struct", "Type_get_contents",
           "Type_get_contents_c")
HANDLES = {"comm", "peer", "type", "type_any", "type_if", "op", "group", "info", "hints", "errhandler",
           "request", "message", "win", "win_or_null", "file", "session"}
BITS = ("assertion", "mode")


def read_table(interface):
    sections = {}
    for line in (HERE / f"table/{interface}.txt").read_text().splitlines():
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
    """The translated form of a function; `large`: of its form with _c."""

    def __init__(self, f, large, kind_of, limits):
        self.f, self.large, self.kind_of, self.limits = f, large, kind_of, limits
        self.name = f.name + ("_c" if large else "")
        self.count = next((n for n, k in f.params if k in ("number", "count")), "0")
        self.before, self.after, self.arguments, self.types = [], [], [], []
        self.parameters = []
        for n, k in f.params:
            if k != "more":
                self.add(n, k)
            else:
                self.parameters.append("...")

    def add(self, n, k):
        kind = self.kind_of(k)
        new = kind.large if self.large else kind.small
        ctype, argument = self.translate(n, k, new)
        array = re.search(r"(\[.*\])$", ctype)
        base = ctype[:array.start()] if array else ctype
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
            return f"old<{base}>", f"to_new<{base}>({n})"
        if k.endswith(("_out", "_inout")) and base.startswith("MPI_") and base not in (
                "MPI_Aint", "MPI_Count", "MPI_Offset") and "[" not in new:
            reads = "true" if k.endswith("_inout") else "false"
            return f"old<{base}> *", self.local(f"handle_places<{base}>", n, n, "1", reads)
        if k == "requests":
            return f"old<{base}>[]", self.local(f"handle_places<{base}>", n, n, self.count, "true")
        if k == "types_out":
            return f"old<{base}>[]", self.local(f"handle_places<{base}>", n, n, "max_datatypes", "false")
        if k in ("requests_const", "types", "infos"):
            length = "length(count)" if k == "infos" else self.length(n)
            return f"const old<{base}>[]", self.local(f"handles_copy<{base}>", n, n, length)
        if k in ("status", "statuses", "status_set"):
            return "old_status *", self.local("status_places", n, n, self.count if k == "statuses" else "1",
                                              "true" if k == "status_set" else "false")
        if k == "status_in":
            self.before.append(f"const MPI_Status {n}_ = is_status({n}) ? new_status(*{n}) : MPI_Status{{}};")
            return "const old_status *", f"is_status({n}) ? &{n}_ : nullptr"
        if k in ("dest", "source", "root", "target"):
            return new, f"rank_to_new({n})"
        if k == "tag_any":
            return new, f"tag_to_new({n})"
        if k in ("buffer", "buffer_const"):
            return new, f"buffer_to_new({n})"
        if k.startswith("as_") and new.endswith("*"):
            return "any_function", n if self.name in BY_HAND else f"reinterpret_cast<{new}>({n})"
        if "weights" in n:
            return new, f"weights_to_new({n})"
        return self.numbers(n, k, new)

    def numbers(self, n, k, new):
        what = f"{self.f.name}.{n}"
        if TEXTS.get(what) in self.limits:
            self.before.append(f"text_place<{self.limits[TEXTS[what]]}> {n}_({n});")
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
        return f"buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : {use}" if n == "sendtypes" else use

    def text(self):
        f, name = self.f, self.name
        parameters = ", ".join(self.parameters) or "void"
        lines = [f'{f.returned} old_{name}({parameters}) __asm__("PMPI_{name}") MPX_EXPORTED;',
                 f"MPX_WEAK({name})",
                 f"{f.returned} old_{name}({parameters}) {{"]
        if name in BY_HAND:
            plain = ", ".join(n for n, _ in f.params)
            return lines + [f"  return error_to_old(mpx_mpi_old::{name}({plain}));", "}"]
        types = ", ".join(self.types) + (", ..." if self.parameters[-1:] == ["..."] else "")
        call = f"at<{f.returned}({types})>(fn_{name})({', '.join(self.arguments)})"
        if f.is_value:
            return lines + [f"  return {call};", "}"]
        lines += ["  " + b for b in self.before]
        if self.after:
            lines += [f"  const int code = {call};"] + ["  " + a for a in self.after]
            return lines + ["  return error_to_old(code);", "}"]
        return lines + [f"  return error_to_old({call});", "}"]


def switches(sections, values):
    """Functions that translate the constants of a section. `values`: those of the standard ABI."""
    lines = []
    for section, rows in sections.items():
        if section in NOT_VALUES:
            continue
        for direction in ("new", "old"):
            lines.append(f"int {section}_to_{direction}(int v) noexcept {{")
            if section in BITS:
                lines.append("  int made = 0;")
                for name, value in rows:
                    a, b = (value, name) if direction == "new" else (name, value)
                    lines.append(f"  if ((v & {a}) != 0) made |= {b};")
                if direction == "new":
                    known = " | ".join(value for _, value in rows)
                    lines.append(f"  if ((v & ~({known})) != 0) made |= no_bit;")
                lines += ["  return made;", "}"]
                continue
            lines.append("  switch (v) {")
            for name, value in rows:
                a, b = (value, name) if direction == "new" else (name, value)
                lines.append(f"    case {a}: return {b};")
            if section in ("rank", "tag") and direction == "new":  # The standard's value means nothing.
                known = {int(value) for _, value in rows}
                lines += [f"    case {name}: return no_value;" for name, _ in rows
                          if values[name] not in known]
            lines += [f"    default: return other_{section}_to_{direction}(v);"
                      if section in ("error", "keyval") else "    default: return v;", "  }", "}"]
    return lines


def predefined(interface, rows, values):
    """Objects that are handles, and the table of predefined handles."""
    value = {**{n: hex(v) for n, v in values.items()}, **MARKERS}
    if interface == "openmpi":
        lines = ["}  // namespace mpx_mpi_old", "", 'extern "C" {']
        lines += [f"alignas(64) MPX_EXPORTED char {symbol}[{size}];" for _, symbol, size in rows]
        lines += ["}", "", "namespace mpx_mpi_old {", "namespace {",
                  "struct object {", "  void *at;", "  std::uint16_t value;", "};",
                  "const object objects[] = {"]
        lines += [f"  {{{symbol}, {value[name]}}}," for name, symbol, _ in rows if name != "-"]
        lines += ["};", "}  // namespace", "predefined predefined_at(std::size_t i) noexcept {",
                  "  return {reinterpret_cast<std::uintptr_t>(objects[i].at), objects[i].value};", "}"]
        return lines + ["extern const std::size_t predefined_count = sizeof objects / sizeof objects[0];"]
    lines = ["namespace {", "const predefined handles[] = {"]
    lines += [f"  {{{key}{' | message_key' if 'MESSAGE' in name else ''}, {value[name]}}},  // {name}"
              for name, key in rows]
    lines += ["};", "}  // namespace",
              "predefined predefined_at(std::size_t i) noexcept { return handles[i]; }"]
    return lines + ["extern const std::size_t predefined_count = sizeof handles / sizeof handles[0];"]


def integers(interface, functions):
    """Functions that convert handles to integers of Fortran. Those of MPICH are integers, but for files."""
    lines = []
    for f in functions:
        kind = f.name.removesuffix("_toint")
        if kind == f.name or (interface == "openmpi" and kind == "Session"):
            continue
        ctype = "MPI_Datatype" if kind == "Type" else "MPI_" + kind
        to_int = f"at<int({ctype})>(fn_{kind}_toint)(to_new<{ctype}>(h))"
        from_int = f"to_old(at<{ctype}(int)>(fn_{kind}_fromint)(h))"
        if interface == "mpich" and kind != "File":
            to_int = from_int = "h"
        for name, result, parameter, value in ((f"{kind}_c2f", "int", f"old<{ctype}> h", to_int),
                                               (f"{kind}_f2c", f"old<{ctype}>", "int h", from_int)):
            lines += [f'{result} old_{name}({parameter}) __asm__("PMPI_{name}") MPX_EXPORTED;',
                      f"MPX_WEAK({name})",
                      f"{result} old_{name}({parameter}) {{ return {value}; }}"]
    return lines


def by_name(functions, rows):
    """Functions that are there by name alone."""
    lines = []
    for f in functions:
        if f.area == "tool":
            code = "CANNOT_INIT" if f.name == "T_init_thread" else "NOT_INITIALIZED"
            lines.append(f"MPX_BY_NAME(MPI, {f.name}, error_to_old(MPI_T_ERR_{code}))")
    for name, value in rows:
        prefix, rest = name.split("_", 1)
        result = f'unsupported("{name}")' if value == "unsupported" else value
        lines.append(f"MPX_BY_NAME({prefix}, {rest}, {result})")
    return lines


def entries(interface, functions, kind_of, constants):
    sections = read_table(interface)
    values = {}
    for line in constants["handles"] + constants["integers"]:
        row = line.split()
        values[row[0]] = int(row[-1], 0)
    limits = dict(sections["limits"])
    left_out = LEFT_OUT + LATER[interface]
    those = [(f, large) for f in functions if f.area not in left_out and not f.name.startswith("Abi_")
             and not (interface == "openmpi" and f.name.endswith("_c"))
             for large in ((False, True) if f.large and interface != "openmpi" else (False,))]
    needed = [f.name + ("_c" if large else "") for f, large in those]
    needed += [f.name for f in functions if f.area == "convert"]
    extra = ("Op_create_c", "Session_create_errhandler", "Type_get_envelope_c", "Type_get_contents_c")
    needed += [n for n in extra if n not in needed]
    lines = [SPDX + '#include "entries.hpp"', "", "namespace mpx_mpi_old {", ""]
    lines += ["extern const char *const our_names[] = {"]
    lines += [f'  "PMPI_{name}",' for name in needed]
    lines += ["};", f"void *our[{len(needed)}];", f"extern const std::size_t our_count = {len(needed)};"]
    lines += [f"extern const int fn_{name} = {i};" for i, name in enumerate(needed)] + [""]
    lines += switches(sections, values) + [""]
    lines += predefined(interface, sections["handles"], values)
    lines += ["", "}  // namespace mpx_mpi_old", "", "using namespace mpx_mpi_old;", "", 'extern "C" {']
    for f, large in those:
        lines += Entry(f, large, kind_of, limits).text()
    lines += integers(interface, functions)
    lines += [f"MPX_SAME(MPI, {name}, {other})" for name, other in REMOVED.items()]
    for name, other in sections.get("same", []):
        prefix, rest = name.split("_", 1)
        lines.append(f"MPX_SAME({prefix}, {rest}, {other})")
    lines += by_name(functions, sections["by name"])
    return "\n".join(lines + ["}", ""])
