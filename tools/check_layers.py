#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the layers of mpx: the direction of includes, and rules about the text of headers.

Prints one `file:line: rule: message` per violation; exits 1 when there is one.
`--self-test` proves on synthetic trees that every rule fires, and that a good tree passes.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import tree

LINES_MAX = 900
COLUMNS_MAX = 100
MACROS = (tree.MACROS_BEGIN, tree.MACROS_END)
SPDX = "SPDX-License-Identifier: BSL-1.0"
SPDX_WITHIN_LINES = 4  # A shebang or an `// expect:` line may come first.
SOURCE_FOLDERS = ("test", "bench", "examples", "tools", "scripts", "cmake", "packaging")
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake"}


# Peers are not ranks: core/group.hpp turns one into the other, and names the ways to do it.
CAST = re.compile(r"static_cast<\s*(peer_id|rank_t)\s*>\s*\(([^;]*)")
OF_A_PEER = re.compile(r"\b(peer|source|self|to|any_peer)\b")
OF_A_RANK = re.compile(r"rank|\bsize\(\)|\bself_?\b|\b(to|from|root)\b")

# Functions that glibc declares with warn_unused_result: g++ warns even if the result is cast to void.
UNUSED = re.compile(r"^\s*(static_cast<void>\(\s*|\(void\)\s*)?::"
                    r"(p?read|p?write|readv|writev|f?truncate|getrandom|getentropy|pipe2?|dup|readlink|"
                    r"f?chdir|f?chown|nice|fread|fwrite|realpath|getcwd|system)\(")

REQUIRES = re.compile(r"\brequires\b\s*(\([^{;]*?\))?\s*\{")
LAMBDA = re.compile(r"(?<![\w\])\[])\s*\[[^\[\]]*\]\s*[({<]")

# Names that belong to the implementation, but for what compilers and glibc give programs.
RESERVED = re.compile(r"\b(_[A-Z]\w*|\w*__\w*)\b")
GIVEN = re.compile(r"_IOLBF|__(builtin_\w+|atomic_\w+|ATOMIC_\w+|attribute__|restrict|is_enum|VA_ARGS__|has_include|has_feature|"
                   r"x86_64__|i386__|aarch64__|clang\w*__|GNUC__|OPTIMIZE__|FILE__|LINE__|cpp_\w+|cplusplus|CUDACC__|CUDA_ARCH__|SANITIZE_\w+__|"
                   r"sanitizer_\w+|asan_\w+|tsan_\w+|fbufsize|flbf|cxa_\w+)")

FORWARD = re.compile(r"(?:^|[;{}>])\s*(?:class|struct)\s+(\w+)\s*;", re.M)
DEFINED = re.compile(r"(?:^|[;{}>])\s*(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)[^;(){}=]*\{", re.M)


class Checker:
    def __init__(self, root: Path):
        self.root = root
        self.headers = tree.headers(root)
        self.violations: list[tuple[str, int, str, str]] = []

    def report(self, relative: str, line: int, rule: str, message: str) -> None:
        self.violations.append((f"include/mpx/{relative}", line, rule, message))

    def run(self) -> list[tuple[str, int, str, str]]:
        for relative, text in self.headers.items():
            self.check_form(relative, text)
            self.check_requires(relative, text)
            if tree.folder_of(relative) not in tree.LEVELS:
                self.report(relative, 1, "folder", "not a folder of a layer; see docs/ARCHITECTURE.md")
                continue
            for include in tree.includes_of(text):
                self.check_include(relative, include)
        self.check_macros()
        self.check_cycles()
        self.check_forward_declarations()
        self.check_errors()
        self.check_components()
        self.check_sources()
        return sorted(self.violations)

    def check_form(self, relative: str, text: str) -> None:
        lines = text.splitlines()
        if not lines or SPDX not in lines[0]:
            self.report(relative, 1, "spdx", f"the first line must be `// {SPDX}`")
        if relative not in MACROS and "#pragma once" not in [line.rstrip() for line in lines]:
            self.report(relative, 1, "pragma-once", "`#pragma once` is missing")
        if len(lines) > LINES_MAX:
            self.report(relative, LINES_MAX + 1, "length",
                        f"{len(lines)} lines; split it, {LINES_MAX} is the limit")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                self.report(relative, number, "columns",
                            f"{len(line)} columns; {COLUMNS_MAX} is the limit")
        for number, line in enumerate(tree.strip_block_comments(text).splitlines(), 1):
            self.check_line(relative, number, line.split("//", 1)[0])

    def check_line(self, relative: str, number: int, code: str) -> None:
        if relative not in ("config.hpp", "version.hpp", *MACROS) and re.match(r"\s*#\s*(define|undef)\b", code):
            self.report(relative, number, "macro", "macros live in config.hpp and version.hpp only")
        if re.match(r"\s*#\s*(el)?if", code) and re.search(r"\bMPX_(USE|WITH|HAVE|ENABLE)_", code):
            self.report(relative, number, "switch",
                        "a policy is chosen by a template argument, not by a macro")
        if re.search(r"\bthread_local\b", code):
            self.report(relative, number, "thread-local", "all state hangs on the environment")
        self.check_casts(relative, number, code)
        for name in RESERVED.findall(re.sub(r'"[^"]*"', "", code)):
            if not GIVEN.fullmatch(name):
                self.report(relative, number, "reserved",
                            f"{name} is a name of the implementation's, which may be a macro: take another")
        if UNUSED.search(code):
            self.report(relative, number, "unused-result",
                        "with _FORTIFY_SOURCE, on by default on Ubuntu, g++ warns in the user's build: keep "
                        "the result in a [[maybe_unused]] variable")
        if re.search(r"\bstd::atomic(_ref)?\b", code):
            self.report(relative, number, "atomic",
                        "take platform::atomic, so that its interleavings are explored")

    def check_requires(self, relative: str, text: str) -> None:
        code = re.sub(r"//[^\n]*", "", tree.strip_block_comments(text))
        for found in REQUIRES.finditer(code):
            end, depth = found.end(), 1
            while depth and end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                end += 1
            for inner in LAMBDA.finditer(code, found.end(), end):
                self.report(relative, code.count("\n", 0, inner.start() + 1) + 1, "requires",
                            "nvcc refuses a lambda in a requires-expression: name a type with the operator")

    def check_casts(self, relative: str, number: int, code: str) -> None:
        if relative == "core/group.hpp":
            return
        for to, what in CAST.findall(code):
            if (OF_A_RANK if to == "peer_id" else OF_A_PEER).search(what):
                self.report(relative, number, "cast",
                            "a rank is not a peer: ask a group, or world_peer and world_rank")

    def check_forward_declarations(self) -> None:
        """A name that is declared low and defined high is an arrow upward that no include shows."""
        def code_of(text: str) -> str:
            return re.sub(r"//[^\n]*", "", tree.strip_block_comments(text))

        codes = {name: code_of(text) for name, text in self.headers.items()}
        defined: dict[str, list[str]] = {}
        for name, code in codes.items():
            for what in DEFINED.findall(code):
                defined.setdefault(what, []).append(name)
        for name, code in codes.items():
            mine = tree.LEVELS.get(tree.folder_of(name))
            if mine is None:
                continue
            for found in FORWARD.finditer(code):
                places = defined.get(found[1], [])
                levels = [tree.LEVELS.get(tree.folder_of(place), 0) for place in places]
                if levels and min(levels) > mine:
                    line = code.count("\n", 0, found.start(1)) + 1
                    self.report(name, line, "forward",
                                f"{found[1]} is of {places[0]}, a higher layer: do not declare it here")

    def check_include(self, relative: str, include: tree.Include) -> None:
        target = include.mpx
        if target is None:
            self.check_third_party(relative, include)
            return
        if not include.quoted:
            self.report(relative, include.line, "quotes",
                        f'inside include/ write #include "{include.target}"')
        if include.conditional:
            self.report(relative, include.line, "conditional",
                        f"{include.target} must not be included under an #if")
        if target not in self.headers:
            self.report(relative, include.line, "missing", f"there is no {include.target}")
            return
        if relative == target:
            self.report(relative, include.line, "cycle", "includes itself")
            return
        if include.late and target != tree.MACROS_END and not tree.is_part_of(target, relative):
            self.report(relative, include.line, "late",
                        "includes stand at the top; only a class's parts, detail/<class>_*.hpp, at its end")
        self.check_layer(relative, target, include.line)

    def check_third_party(self, relative: str, include: tree.Include) -> None:
        if include.quoted:
            self.report(relative, include.line, "quotes",
                        f'"{include.target}": quotes are for "mpx/..." with the full path')
            return
        for prefix, places in tree.THIRD_PARTY.items():
            if include.target.startswith(prefix):
                if not any(relative.startswith(place) for place in places):
                    where = " or ".join(f"{p}*" for p in places) or "nowhere in include/"
                    self.report(relative, include.line, "third-party",
                                f"<{include.target}> may be included in {where}")
                return

    def check_layer(self, relative: str, target: str, line: int) -> None:
        mine, theirs = tree.folder_of(relative), tree.folder_of(target)
        if theirs not in tree.LEVELS:
            return  # Reported at the target.
        if tree.LEVELS[theirs] > tree.LEVELS[mine]:
            self.report(relative, line, "upward", f"{mine} must not include {theirs} (a higher layer)")
            return
        my_policy, their_policy = tree.policy_of(relative), tree.policy_of(target)
        if mine in ("matching", "flow", "protocol") and theirs == "transport" and their_policy:
            self.report(relative, line, "backend",
                        f"{mine} must not include a backend ({their_policy}): meet in the concept")
        elif mine != theirs and tree.LEVELS[mine] == tree.LEVELS[theirs]:
            self.report(relative, line, "sideways", f"{mine} and {theirs} must not include each other")
        elif (mine == theirs and their_policy and their_policy != my_policy
              and relative not in tree.CHOOSERS):
            self.report(relative, line, "backend",
                        f"{my_policy or 'a shared header of ' + mine} must not include the policy "
                        f"{their_policy}: share through {mine}/detail/")
        elif relative == "mpx.hpp" and tree.is_optional(target):
            self.report(relative, line, "optional", f"{target} needs a library: not in the umbrella")

    def check_cycles(self) -> None:
        state: dict[str, int] = {}
        path: list[str] = []

        def visit(node: str) -> None:
            state[node] = 1
            path.append(node)
            for include in tree.includes_of(self.headers[node]):
                target = include.mpx
                if target not in self.headers or target == node:
                    continue
                if include.late and tree.is_part_of(target, node):
                    continue  # The one loop that is meant; see is_part_of.
                if state.get(target) == 1:
                    loop = path[path.index(target):] + [target]
                    self.report(node, include.line, "cycle", " -> ".join(loop))
                elif target not in state:
                    visit(target)
            path.pop()
            state[node] = 2

        for node in self.headers:
            if node not in state:
                visit(node)

    def check_macros(self) -> None:
        """Headers for programs set their macros aside, and restore each of them."""
        begin, end = (re.findall(r'(?:push|pop)_macro\("(\w+)"\)', self.headers.get(name, ""))
                      for name in MACROS)
        undefined = re.findall(r"#undef (\w+)", self.headers.get(tree.MACROS_BEGIN, ""))
        if not begin == end == undefined:
            self.report(tree.MACROS_END, 1, "macros",
                        f"not the names of {tree.MACROS_BEGIN}: {sorted(set(begin) ^ set(end))}")
        for name in self.headers:
            targets = [i.mpx for i in tree.includes_of(self.headers[name])]
            if name not in tree.ENTRANCES:
                if set(targets) & set(MACROS):
                    self.report(name, 1, "macros", "no entrance of tools/tree.py: it has no macros to set aside")
            elif targets[:1] != [tree.MACROS_BEGIN] or targets[-1:] != [tree.MACROS_END]:
                self.report(name, 1, "macros", f"an entrance begins with mpx/{tree.MACROS_BEGIN} "
                                               f"and ends with mpx/{tree.MACROS_END}")

    def check_errors(self) -> None:
        """An error that nobody raises is a promise that nobody keeps."""
        where = "core/error.hpp"
        declared = re.search(r"enum class errc[^{]*\{(.*?)\n\};", self.headers.get(where, ""), re.S)
        if declared is None:
            return
        rest = "".join(text for name, text in self.headers.items() if name != where)
        for name in re.findall(r"^\s*(\w+)\s*(?:=\s*\d+)?\s*,", declared[1], re.M):
            if not re.search(rf"\berrc::{name}\b", "\n".join(
                    line.split("//", 1)[0] for line in rest.splitlines())):
                self.report(where, 1, "errc", f"errc::{name} is never raised")

    def check_components(self) -> None:
        """Each component of the endpoint owns its members: nobody else can even mean one by its name."""
        owner: dict[str, str] = {}
        for relative, text in self.headers.items():
            component = tree.component_of(relative)
            if component is None:
                continue
            for number, line in enumerate(tree.strip_block_comments(text).splitlines(), 1):
                for name in re.findall(r"\b[a-z]\w*_\b", line.split("//", 1)[0]):
                    first = owner.setdefault(name, component)
                    if first != component:
                        self.report(relative, number, "component",
                                    f"{name} is named in the component {first} too: let it do the work")

    def check_sources(self) -> None:
        for folder in SOURCE_FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
                    continue
                head = path.read_text(encoding="utf-8").splitlines()[:SPDX_WITHIN_LINES]
                if not any(SPDX in line for line in head):
                    name = path.relative_to(self.root).as_posix()
                    self.violations.append((name, 1, "spdx", f"no `{SPDX}` near the top"))


def header(*lines: str, spdx: bool = True, once: bool = True) -> str:
    head = ([f"// {SPDX}"] if spdx else []) + (["#pragma once"] if once else [])
    return "\n".join(head + list(lines)) + "\n"


def include(*names: str) -> str:
    return "\n".join(f'#include "mpx/{name}"' for name in names)


GOOD = {
    "include/mpx/config.hpp": header("#define MPX_X 1"),
    "include/mpx/version.hpp": header("#define MPX_Y 1"),
    "include/mpx/core/list.hpp": header("#include <boost/intrusive/list.hpp>", include("config.hpp")),
    "include/mpx/data/layout.hpp": header(include("core/list.hpp")),
    "include/mpx/bootstrap/concepts.hpp": header(include("core/list.hpp")),
    "include/mpx/bootstrap/member.hpp": header(include("bootstrap/concepts.hpp")),
    "include/mpx/bootstrap/mpxrun.hpp": header(include("bootstrap/member.hpp")),
    "include/mpx/bootstrap/detect.hpp": header(include("bootstrap/mpxrun.hpp")),
    "include/mpx/transport/concepts.hpp": header(include("core/list.hpp", "bootstrap/concepts.hpp")),
    "include/mpx/transport/detail/ring.hpp": header(include("core/list.hpp")),
    "include/mpx/transport/shm.hpp": header(
        include("transport/concepts.hpp", "transport/detail/ring.hpp", "transport/shm/pool.hpp")),
    "include/mpx/transport/shm/pool.hpp": header("// #define is fine in a comment"),
    "include/mpx/transport/inproc.hpp": header(include("transport/concepts.hpp")),
    "include/mpx/transport/tcp.hpp": header(include("macros/begin.hpp"), "#include <boost/asio.hpp>",
                                            include("macros/end.hpp")),
    "include/mpx/matching/list.hpp": header(include("core/list.hpp")),
    "include/mpx/matching/hashed.hpp": header(),
    "include/mpx/flow/credits.hpp": header(),
    "include/mpx/protocol/wire.hpp": header(include("transport/concepts.hpp")),
    "include/mpx/engine/axes/stack.hpp": header(include("protocol/wire.hpp", "transport/shm.hpp")),
    "include/mpx/engine/endpoint/endpoint.hpp": header("class endpoint;", include("engine/endpoint/endpoint_x.hpp")),
    "include/mpx/engine/endpoint/endpoint_x.hpp": header(include("engine/endpoint/endpoint.hpp")),
    "include/mpx/engine/components/inbox.hpp": header("int direct_;", "int unexpected_;"),
    "include/mpx/engine/components/unexpected_messages.hpp": header("int unexpected_;"),
    "include/mpx/engine/components/peer_record.hpp": header("int direct_;"),
    "include/mpx/comm/group.hpp": header(include("engine/axes/stack.hpp")),
    "include/mpx/coll/algorithms/bcast.hpp": header(include("comm/group.hpp")),
    "include/mpx/rma/window.hpp": header(include("comm/group.hpp")),
    "include/mpx/coll/algorithms.hpp": header("template <class C>", "struct algorithms {};"),
    "include/mpx/communicator.hpp": header(include("coll/algorithms/bcast.hpp"), "class channel;"),
    "include/mpx/comm/channel.hpp": header("class channel {};", "struct algorithms_of_others;"),
    "include/mpx/core/group.hpp": header("auto p = static_cast<peer_id>(rank);",
                                         "auto r = static_cast<rank_t>(peer);"),
    "include/mpx/core/concepts.hpp": header(
        "concept C = requires(T& t, int (&a)[3]) { t[0](1); [[t]] { t() } -> same<int>; };",
        "auto f = [](int) {};  // A lambda elsewhere.", "int n = __builtin_ctz(1);"),
    "include/mpx/comm/count.hpp": header("auto n = static_cast<rank_t>(members.size());"),
    "include/mpx/macros/begin.hpp": header('#pragma push_macro("N")', "#undef N", once=False),
    "include/mpx/macros/end.hpp": header('#pragma pop_macro("N")', once=False),
    "include/mpx/mpx.hpp": header(include("macros/begin.hpp", "communicator.hpp"), "class last;",
                                  include("macros/end.hpp")),
    "test/core/list.test.cpp": f"// {SPDX}\n",
}

# (rule that must fire, where, text that breaks the good tree)
BAD = [
    ("upward", "include/mpx/core/x.hpp", header(include("engine/axes/stack.hpp"))),
    ("upward", "include/mpx/core/x.hpp", header(include("data/layout.hpp"))),
    ("upward", "include/mpx/data/x.hpp", header(include("transport/concepts.hpp"))),
    ("upward", "include/mpx/transport/x.hpp", header(include("protocol/wire.hpp"))),
    ("upward", "include/mpx/protocol/x.hpp", header(include("engine/axes/stack.hpp"))),
    ("upward", "include/mpx/engine/base/x.hpp", header(include("comm/group.hpp"))),
    ("upward", "include/mpx/comm/x.hpp", header(include("coll/algorithms/bcast.hpp"))),
    ("upward", "include/mpx/coll/x.hpp", header(include("mpx.hpp"))),
    ("upward", "include/mpx/coll/x.hpp", header(include("rma/window.hpp"))),
    ("upward", "include/mpx/communicator.hpp", header(include("rma/window.hpp"))),
    ("sideways", "include/mpx/flow/x.hpp", header(include("matching/list.hpp"))),
    ("sideways", "include/mpx/data/x.hpp", header(include("bootstrap/concepts.hpp"))),
    ("backend", "include/mpx/transport/x.hpp", header(include("transport/shm.hpp"))),
    ("backend", "include/mpx/transport/x.hpp", header(include("transport/shm/pool.hpp"))),
    ("backend", "include/mpx/transport/detail/x.hpp", header(include("transport/shm.hpp"))),
    ("backend", "include/mpx/bootstrap/threads.hpp", header(include("bootstrap/mpxrun.hpp"))),
    ("backend", "include/mpx/bootstrap/x.hpp", header(include("bootstrap/mpxrun.hpp"))),
    ("backend", "include/mpx/matching/x.hpp", header(include("matching/list.hpp"))),
    ("backend", "include/mpx/matching/x.hpp", header(include("transport/shm.hpp"))),
    ("backend", "include/mpx/flow/x.hpp", header(include("transport/inproc.hpp"))),
    ("backend", "include/mpx/protocol/x.hpp", header(include("transport/shm.hpp"))),
    ("cycle", "include/mpx/core/x.hpp", header(include("core/x.hpp"))),
    ("cycle", "include/mpx/transport/shm/pool.hpp", header(include("transport/shm.hpp"))),
    ("cycle", "include/mpx/engine/endpoint/endpoint.hpp", header(include("engine/endpoint/endpoint_x.hpp"))),
    ("late", "include/mpx/core/x.hpp", header("class x;", include("config.hpp"))),
    ("optional", "include/mpx/mpx.hpp",
     header(include("macros/begin.hpp", "transport/tcp.hpp", "macros/end.hpp"))),
    ("macros", "include/mpx/mpx.hpp", header(include("macros/begin.hpp", "communicator.hpp"))),
    ("macros", "include/mpx/mpx.hpp", header(include("communicator.hpp", "macros/end.hpp"))),
    ("macros", "include/mpx/core/x.hpp", header(include("macros/begin.hpp", "macros/end.hpp"))),
    ("macros", "include/mpx/macros/end.hpp", header('#pragma pop_macro("M")', once=False)),
    ("missing", "include/mpx/core/x.hpp", header(include("core/nowhere.hpp"))),
    ("quotes", "include/mpx/core/x.hpp", header("#include <mpx/config.hpp>")),
    ("quotes", "include/mpx/core/x.hpp", header('#include "list.hpp"')),
    ("conditional", "include/mpx/core/x.hpp", header("#if 1", include("config.hpp"), "#endif")),
    ("third-party", "include/mpx/engine/base/x.hpp", header("#include <boost/intrusive/list.hpp>")),
    ("third-party", "include/mpx/engine/base/x.hpp", header("#include <boost/asio.hpp>")),
    ("third-party", "include/mpx/core/x.hpp", header("#include <boost/pool/pool.hpp>")),
    ("third-party", "include/mpx/core/x.hpp", header("#include <fmt/format.h>")),
    ("spdx", "include/mpx/core/x.hpp", header(spdx=False)),
    ("spdx", "test/core/x.test.cpp", "int x;\n"),
    ("pragma-once", "include/mpx/core/x.hpp", header(once=False)),
    ("length", "include/mpx/core/x.hpp", header(*["//"] * LINES_MAX)),
    ("columns", "include/mpx/core/x.hpp", header("//" + "x" * COLUMNS_MAX)),
    ("macro", "include/mpx/core/x.hpp", header("#define X 1")),
    ("switch", "include/mpx/core/x.hpp", header("#ifdef MPX_USE_TCP", "#endif")),
    ("thread-local", "include/mpx/core/x.hpp", header("inline thread_local int x = 0;")),
    ("requires", "include/mpx/core/x.hpp",
     header("concept C = requires(T& t) {", "  {", "    t.each([](int) {})", "  };", "};")),
    ("requires", "include/mpx/core/x.hpp",
     header("static_assert(requires { { 1 } -> same<int>; f([&]<class T>() {}); });")),
    ("reserved", "include/mpx/core/x.hpp", header("template <int _N> struct x;")),
    ("reserved", "include/mpx/core/x.hpp", header("int a__b;")),
    ("reserved", "include/mpx/core/x.hpp", header("int __used = 0;")),
    ("atomic", "include/mpx/core/x.hpp", header("inline std::atomic<int> x;")),
    ("unused-result", "include/mpx/core/x.hpp", header("  static_cast<void>(::write(fd, &one, 8));")),
    ("unused-result", "include/mpx/core/x.hpp", header("  ::ftruncate(fd, 8);")),
    ("cast", "include/mpx/comm/x.hpp", header("auto p = static_cast<peer_id>(rank);")),
    ("cast", "include/mpx/engine/base/x.hpp", header("auto r = static_cast<rank_t>(m->is.source);")),
    ("cast", "include/mpx/coll/x.hpp", header("auto r = static_cast<rank_t>(e.self());")),
    ("forward", "include/mpx/comm/x.hpp",
     header("namespace coll {", "template <class C>", "struct algorithms;", "}")),
    ("forward", "include/mpx/engine/base/x.hpp", header("class channel;")),
    ("upward", "include/mpx/coll/x.hpp", header(include("communicator.hpp"))),
    ("errc", "include/mpx/core/error.hpp", header("enum class errc {", "  rank,  // text", "};")),
    ("component", "include/mpx/engine/components/outbox.hpp", header("int direct_;")),
    ("component", "include/mpx/engine/endpoint/endpoint.hpp", header("int direct_;")),
    ("folder", "include/mpx/misc/x.hpp", header()),
]


def check_tree(files: dict[str, str]) -> list[tuple[str, int, str, str]]:
    with tempfile.TemporaryDirectory() as name:
        for relative, text in files.items():
            path = Path(name, relative)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Checker(Path(name)).run()


def self_test() -> int:
    failures = [f"the good tree is refused: {v}" for v in check_tree(GOOD)]
    for rule, where, text in BAD:
        found = check_tree(GOOD | {where: text})
        if not any(v[2] == rule for v in found):
            failures.append(f"rule {rule} did not fire for {where}: {text!r}: found {found}")
        if any(v[2] != rule for v in found):
            failures.append(f"more than rule {rule} fired for {where}: {text!r}: found {found}")
    print("\n".join(failures) or f"check_layers: {len(BAD)} violations all found, good tree passes")
    return 1 if failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="prove that every rule fires")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    checker = Checker(arguments.root)
    violations = checker.run()
    for name, line, rule, message in violations:
        print(f"{name}:{line}: {rule}: {message}")
    if not checker.headers:
        print(f"no headers below {arguments.root}/include/mpx: wrong --root?")
        return 1
    if not violations:
        print(f"check_layers: {len(checker.headers)} headers keep the rules")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
