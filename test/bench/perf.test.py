#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# release: all
# timeout: 900
# labels: slow
"""mpx-perf prints its list once, and measures a stack of the user's by every test; the demo compiles what it shows
alone."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, MPXRUN = Path(os.environ["MPX_SOURCE"]), sys.argv[1]
PERF = Path(os.environ["MPX_BIN"], "mpx-perf")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("MPX_")}

STACK = """#include <mpx/mpx.hpp>
using mpx_perf_stack = mpx::stack<mpx::threading::multiple, mpx::protocol::tiny_short_long<40, 4 * 1024>>;
"""


def run(*command, **more):
    r = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=600, env=CLEAN, **more)
    assert r.returncode == 0, (command, r.stdout[-2000:], r.stderr[-4000:])
    return r.stdout


def tests_of(program):
    """The tests that its help lists."""
    help_text = run(program, "--help")
    tests = re.findall(r"^  (\w+) .*\((?:us|s|GB/s|M/s)\)$", help_text, re.M)
    for once in ("rma_ghost_elements", "coll_reduce_scatter", "pack_indexed"):
        assert help_text.count(once) == 1, help_text
    assert len(tests) == len(set(tests)) > 40, tests
    return tests


def documented(language, mark):
    """The lines of a block of BENCHMARKS.md that has `mark` in it."""
    text = (SOURCE / "docs/BENCHMARKS.md").read_text()
    blocks = [b for b in re.findall(r"```" + language + r"\n(.*?)```", text, re.S) if mark in b]
    assert len(blocks) == 1, blocks
    return blocks[0]


def a_stack_of_the_users_is_measured_by_every_test(folder):
    """Compiled as BENCHMARKS.md says, but for -O2."""
    (folder / "mystack.hpp").write_text(STACK)
    for command in documented("sh", "MPX_PERF_STACK").splitlines():
        if command.startswith("g++"):
            command = command.replace("-O2", "-O0").replace("-Iinclude", f"-I{SOURCE}/include")
            command = command.replace("bench/", f"{SOURCE}/bench/").replace("-o mpx-perf", "-o own-perf")
            run("sh", "-c", command, cwd=folder)
    own = folder / "own-perf"
    assert "{default,own}" in run(own, "--help")
    tests = [t for t in tests_of(own) if not t.startswith("nic_")]
    assert len(tests) > 35, tests
    for test in tests:
        few = ["--seconds", "0.001", "--iters", "20", "--warmup", "2", "--window", "4"]
        said = json.loads(run(MPXRUN, "-n", 2, own, test, "--stack", "own", "--size", "64", "--format", "json", *few))
        assert (said["test"], said["size"], said["value"] > 0) == (test, 64, True), said
    refused = subprocess.run([own, "nic_bw"], capture_output=True, text=True, env=CLEAN, timeout=60)
    assert refused.returncode != 0 and "no stack of this program has the test nic_bw" in refused.stderr, refused


def cmake_takes_its_header(folder):
    run("cmake", "-S", SOURCE, "-B", folder / "own", "-G", "Ninja", "-DMPX_BUILD_TESTS=OFF",
        f"-DMPX_PERF_STACK={folder}/mystack.hpp")
    commands = run("ninja", "-C", folder / "own", "-t", "commands", "mpx-perf")
    assert "mystack.hpp" in commands and "stack_own.cpp" in commands, commands


def the_demo_compiles_what_it_shows(folder):
    """cg and mpxrun, and of the benchmarks mpx-perf over its default stack and the bare hardware."""
    run("cmake", "--preset", "demo", "-B", folder / "demo", cwd=SOURCE)
    preset = next(p for p in json.loads((SOURCE / "CMakePresets.json").read_text())["buildPresets"]
                  if p["name"] == "demo")
    commands = run("ninja", "-C", folder / "demo", "-t", "commands", *preset["targets"])
    compiled = re.findall(r"-c (\S+)", commands)
    expected = {*(SOURCE / "tools/mpxrun").glob("*.cpp"), *(SOURCE / "examples/cg").glob("*.cpp"),
                *(SOURCE / "bench" / name for name in ("mpx_perf.cpp", "perf/stack_default.cpp", "raw_perf.cpp"))}
    assert set(map(Path, compiled)) <= expected, set(map(Path, compiled)) - expected
    assert " -O2 " in commands and "-O3" not in commands, commands
    for needed in ("cg", "mpxrun", "mpx-perf", "raw_perf"):
        assert needed in preset["targets"], preset
    assert "mpx_build demo" in (SOURCE / "scripts/demo").read_text()


def other_stacks_say_which_tests_they_have():
    tests_of(PERF)
    refused = subprocess.run([PERF, "bibw", "--stack", "rdma"], capture_output=True, text=True, env=CLEAN, timeout=60)
    assert refused.returncode != 0 and "the test bibw is for default" in refused.stderr, refused


if not PERF.exists():
    print("skipped: no mpx-perf in this build")
    sys.exit(77)
other_stacks_say_which_tests_they_have()
with tempfile.TemporaryDirectory(prefix="perf-") as name:
    a_stack_of_the_users_is_measured_by_every_test(Path(name))
    if shutil.which("ninja"):
        cmake_takes_its_header(Path(name))
        the_demo_compiles_what_it_shows(Path(name))
print("ok")
