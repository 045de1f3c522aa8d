#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the API reference, OUT/html, with Doxygen, from docs/api/ and the headers that it names.

Fails if a public entity has no doc comment, a comment refers to what is not there, or a link of the
pages leads nowhere. A page for each class that a program needs must have come out of it.

usage: reference.py [--doxygen PROGRAM] OUT
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = {
    "classmpx_1_1environment.html": ("world", "allocator", "attach_buffer"),
    "classmpx_1_1communicator.html": ("allreduce", "sendrecv", "isend", "improbe"),
    "classmpx_1_1request.html": ("wait", "cancel", "detach"),
    "classmpx_1_1cart__communicator.html": ("shift", "neighbor_alltoallv", "allreduce"),
    "structmpx_1_1checks_1_1collectives.html": ("call_mismatch",),
    "namespacempx.html": ("wait_all", "run_threads", "any_source", "in_place", "maxloc", "reduce_local", "class=\"memname\""),
    "namespacempx_1_1sim.html": ("try_run",),
    "structmpx_1_1sim_1_1options.html": ("faults", "time_max_ns"),
    "structmpx_1_1sim_1_1fault.html": ("kill", "factor"),
    "namespacempx_1_1transport.html": ("basic_shm", "basic_inproc", "basic_sim"),
    "namespacempx_1_1flow.html": ("credits", "unlimited"),
    "conceptmpx_1_1Transport.html": ("Transport",),
    "index.html": ("mpx",),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    shutil.rmtree(out / "html", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)

    settings = (ROOT / "docs/api/Doxyfile").read_text(encoding="utf-8")
    config = (ROOT / "include/mpx/config.hpp").read_text(encoding="utf-8")
    version = re.search(r'MPX_VERSION_STRING "(.*)"', config)[1]
    settings += f'OUTPUT_DIRECTORY = "{out}"\nPROJECT_NUMBER = {version}\n'
    made = subprocess.run([arguments.doxygen, "-"], cwd=ROOT, input=settings, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = [line.replace(f"{ROOT}/", "") for line in made.stdout.splitlines() if line.strip()]
    print("\n".join(said))
    if made.returncode or said:
        print(f"doxygen: {len(said)} complaints")
        return 1

    html = out / "html"
    for page, words in EXPECTED.items():
        text = (html / page).read_text(encoding="utf-8") if (html / page).exists() else ""
        if missing := [word for word in words if word not in text]:
            print(f"{page} says nothing of {', '.join(missing)}")
            return 1
    checked = subprocess.run([sys.executable, ROOT / "tools/check_links.py", "--html", html],
                             check=False)
    if checked.returncode == 0:
        print(f"the API reference is in {html}/index.html")
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
