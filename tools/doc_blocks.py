#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles and runs the C++ of Markdown files, and compares what programs print with what is quoted.

A block ```cpp with a `main` is a program. Any other is a fragment, the inside of a function that has
`env`, an mpx::environment<>, and `world`; all fragments of the files run under `mpxrun -n 2`, one
after the other. In front of a block may stand

    <!-- code: declarations -->   it stands outside of functions, and later fragments see it
    <!-- code: none -->           it is no C++ that could be compiled

A block ```text below a program quotes it: the first line is `$ mpxrun -n 2 ./name` or `$ ./name`, and
what follows is its standard output (of several ranks in any order). With --update the quoted lines
are replaced by what was printed. All blocks become one translation unit, those that simulate another;
with --no-sim the latter are left out.

usage: doc_blocks.py [--compiler CXX] [--mpxrun PROGRAM] [--folder F] [--no-sim] [--update]
                     [FILE...] [-- FLAGS...]
       in the root of the tree; by default with g++, and what the preset dev has built
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- code: (\w+) -->\n)?^```(cpp|text)\n(.*?)^```$", re.M | re.S)
RUN_SECONDS_MAX = 300
FILES = ["README.md", "docs/GUIDE.md", "docs/ASYNC.md", "docs/SIMULATION.md",
         "docs/TRANSPORT.md"]
FLAGS = ["-std=c++20", "-pthread", "-Iinclude", "-Wall", "-Wextra", "-lboost_context"]
# Headers that a program has to include for a name that it uses. (In one translation unit, others' includes would
# do.)
NEEDED = {
    "array": "array", "vector": "vector", "span": "span", "string": "string", "thread": "thread",
    "plus": "functional", "printf": "cstdio", "fprintf": "cstdio", "_Exit": "cstdlib",
    "runtime_error": "stdexcept", "exception": "exception", "error_code": "system_error",
}
INCLUDED_BY_MPX = {"exception", "string", "span", "system_error"}  # mpx's interface has them.
PREAMBLE = "".join(f"#include <{name}>\n" for name in (
    "array", "cassert", "cstdint", "cstdio", "cstring", "functional", "span", "string",
    "system_error", "thread", "vector", "mpx/mpx.hpp"))


@dataclass
class Block:
    file: str
    line: int  # of its first line of code
    kind: str  # program, fragment, declarations
    code: str
    command: list[str] = field(default_factory=list)
    quoted: str = ""
    quoted_at: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        """Name of the program's source: its output may name its lines."""
        return next((Path(w).name + ".cpp" for w in self.command if w.startswith("./")), "")

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"


def blocks_of(file: str, text: str) -> list[Block]:
    found: list[Block] = []
    for match in BLOCK.finditer(text):
        said, language, code = match.groups()
        line = text.count("\n", 0, match.start(3)) + 1
        if language == "text":
            if code.startswith("$ ") and found and found[-1].kind == "program":
                first, _, rest = code.partition("\n")
                found[-1].command = shlex.split(first[2:])
                found[-1].quoted = rest
                found[-1].quoted_at = (match.end(3) - len(rest), match.end(3))
        elif said != "none":
            kind = said or ("program" if re.search(r"^int main\(", code, re.M) else "fragment")
            found.append(Block(file, line, kind, code))
    return found


def missing_includes(block: Block) -> list[str]:
    included = set(re.findall(r"^#include <(.+)>", block.code, re.M)) | INCLUDED_BY_MPX
    code = re.sub(r"//.*", "", block.code)
    return [f"{block.where}: std::{name} needs <{header}>" for name, header in NEEDED.items()
            if re.search(rf"\bstd::{name}\b", code) and header not in included]


def translation_unit(blocks: list[Block]) -> str:
    """One program: run with the number of a block, it runs that program; with none, fragments."""
    includes: list[str] = []
    body: list[str] = []
    for i, block in enumerate(blocks):
        lines = block.code.split("\n")
        includes += [line for line in lines if line.startswith("#include")]
        code = "\n".join("" if line.startswith("#include") else line for line in lines)
        place = f'1 "{block.name}"' if block.name else f'{block.line} "{block.file}"'
        marked = f"#line {place}\n{code}"
        if block.kind == "program":
            marked = re.sub(r"^int main\(\)", "void program()", marked, flags=re.M)
            body.append(f"namespace block_{i} {{\n{marked}}}\n")
        elif block.kind == "fragment":
            body.append(f"void block_{i}([[maybe_unused]] mpx::environment<>& env,\n"
                        f"[[maybe_unused]] mpx::communicator<mpx::stack<>> world) {{\n{{\n"
                        f"{marked}}}\n}}\n")
        else:
            body.append(marked)
    end = [f'#line 1 "main"\nint main(int argc, char** argv) {{\n'
           "switch (argc > 1 ? std::atoi(argv[1]) : -1) {\n"]
    for i, block in enumerate(blocks):
        if block.kind == "program":
            end.append(f"case {i}: return block_{i}::program(), 0;\n")
    end.append("default: {\nmpx::environment<> env;\n")
    for i, block in enumerate(blocks):
        if block.kind == "fragment":
            end.append(f'block_{i}(env, env.world());\nenv.world().barrier();\n')
    end.append("}\n}\nreturn 0;\n}\n")
    return PREAMBLE + "\n".join(sorted(set(includes))) + "\n" + "".join(body) + "".join(end)


def in_documents(complaints: str, blocks: list[Block]) -> str:
    """The same, with lines of documents instead of those of programs whose name is theirs alone."""
    names = [block.name for block in blocks]
    for block in blocks:
        if block.name and names.count(block.name) == 1:
            complaints = re.sub(rf"^{re.escape(block.name)}:(\d+)", lambda m, b=block:
                                f"{b.file}:{b.line + int(m[1]) - 1}", complaints, flags=re.M)
    return complaints


def run(command: list[str], what: str) -> tuple[str, list[str]]:
    """Returns what it has printed, and what went wrong."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=RUN_SECONDS_MAX, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return "", [f"{what}: not over after {RUN_SECONDS_MAX} s: {late}"]
    if done.returncode and "--survive" not in command:
        return done.stdout, [f"{what}: exit code {done.returncode}\n{done.stdout}{done.stderr}"]
    return done.stdout, []


def main() -> int:
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--mpxrun", default="build/dev/bin/mpxrun")
    parser.add_argument("--folder", help="keep what is generated here")
    parser.add_argument("--no-sim", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("file", nargs="*", default=FILES)
    arguments = parser.parse_args(sys.argv[1:cut])
    flags = sys.argv[cut + 1:] or FLAGS

    texts = {name: Path(name).read_text(encoding="utf-8") for name in arguments.file}
    blocks = [block for name, text in texts.items() for block in blocks_of(name, text)]
    problems = [f"{name} has no C++ in it" for name in texts
                 if not any(block.file == name for block in blocks)]

    blocks = [b for b in blocks if not (arguments.no_sim and "mpx::sim" in b.code)]
    programs = [block for block in blocks if block.kind == "program"]
    problems += [problem for block in programs for problem in missing_includes(block)]
    units = [[b for b in blocks if ("mpx::sim" in b.code) == simulates]
             for simulates in (False, True)]
    changed: list[tuple[Block, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments.folder or scratch)
        folder.mkdir(parents=True, exist_ok=True)

        def build(number: int) -> str:
            """Returns what the compiler complains of."""
            source = folder / f"blocks_{number}.cpp"
            source.write_text(translation_unit(units[number]), encoding="utf-8")
            command = [arguments.compiler, str(source), "-o", str(source.with_suffix("")), *flags]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            return built.stdout + built.stderr if built.returncode else ""

        wanted = [number for number, unit in enumerate(units) if unit]
        with ThreadPoolExecutor(len(wanted)) as pool:
            complaints = "".join(pool.map(build, wanted))
        if complaints:
            print(in_documents(complaints, blocks))
            return 1
        for number in wanted:
            binary = str(folder / f"blocks_{number}")
            if any(block.kind == "fragment" for block in units[number]):
                problems += run([arguments.mpxrun, "-n", "2", binary], "the fragments")[1]
            for i, block in enumerate(units[number]):
                if block.kind != "program":
                    continue
                command = block.command or ["mpxrun", "-n", "2", "./program"]
                here = [arguments.mpxrun if word == "mpxrun" else binary if word.startswith("./")
                        else word for word in command] + [str(i)]
                printed, wrong = run(here, block.where)
                problems += wrong
                ordered = sorted if command[0] == "mpxrun" else list
                if block.command and not wrong and \
                        ordered(printed.splitlines()) != ordered(block.quoted.splitlines()):
                    changed.append((block, printed))
                    if not arguments.update:
                        problems.append(f"{block.where}: prints\n{printed}and is quoted with\n"
                                        f"{block.quoted}(tools/doc_blocks.py --update puts that right)")
    if arguments.update:
        for block, printed in reversed(changed):
            start, end = block.quoted_at
            texts[block.file] = texts[block.file][:start] + printed + texts[block.file][end:]
            Path(block.file).write_text(texts[block.file], encoding="utf-8")
            print(f"{block.where}: what it prints has been replaced")
    print("\n".join(problems))
    print(f"{len(blocks)} blocks, {len(programs)} programs of them, "
          f"{sum(bool(p.command) for p in programs)} with output: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
