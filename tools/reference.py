#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the API reference, OUT/html, with Doxygen, from docs/api/ and the headers that it names.

Fails if a public entity has no doc comment, a comment refers to what is not there, a link of the
pages leads nowhere, or a program may drop a result in silence: a const function without parameters
and one whose comment begins "Returns" or "True if", must be [[nodiscard]] or return a class that is.
A page for each class that a program needs must have come out of it.

usage: reference.py [--doxygen PROGRAM] OUT
"""

import argparse
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
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


def declaration(lines: list[str], at: int) -> str:
    """The text from the comment above line `at`, counted from 1, to that line."""
    first = at - 1
    while first > 0:
        above = lines[first - 1].strip()
        if not above or above.startswith("//") or above.endswith((";", "}", "{", ":")):
            break
        first -= 1
    return "\n".join(lines[first:at])


def results_dropped_in_silence(xml: Path) -> list[str]:
    """Public functions whose result is the point, and which a program may call for nothing."""
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "include").rglob("*.hpp")}
    kept = {name for text in sources.values()
            for name in re.findall(r"(?:class|struct) \[\[nodiscard\]\] (\w+)", text)}
    found = set()
    checked = 0
    for page in xml.glob("*.xml"):
        for one in ET.parse(page).getroot().iter("memberdef"):
            if one.get("kind") != "function" or one.get("prot") != "public":
                continue
            brief = "".join(one.find("briefdescription").itertext()).strip()
            of = "".join(one.find("type").itertext())
            asks = one.get("const") == "yes" and one.find("argsstring").text.startswith("()")
            if of in ("", "void") or not brief or not (asks or brief.startswith(("Returns ", "True if "))):
                continue
            where = one.find("location")
            name = where.get("declfile") or where.get("file")
            path = ROOT / name if (ROOT / name).exists() else ROOT / "include" / name
            line = int(where.get("declline") or where.get("line"))
            checked += 1
            if sources[path].splitlines()[line - 1].lstrip().startswith("using "):
                continue  # The declaration in the base class is looked at.
            if kept & set(re.findall(r"\w+", of)):
                continue
            if "[[nodiscard]]" not in declaration(sources[path].splitlines(), line):
                found.add(f"{path.relative_to(ROOT)}:{line}: {one.find('name').text} may be called for nothing: "
                          f"make it [[nodiscard]]")
    if checked < 100:
        found.add(f"only {checked} functions that return something were found in {xml}")
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    for made in ("html", "xml"):
        shutil.rmtree(out / made, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)

    settings = (ROOT / "docs/api/Doxyfile").read_text(encoding="utf-8")
    header = (ROOT / "include/mpx/version.hpp").read_text(encoding="utf-8")
    version = re.search(r'MPX_VERSION_STRING "(.*)"', header)[1]
    settings += f'OUTPUT_DIRECTORY = "{out}"\nPROJECT_NUMBER = {version}\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n'
    made = subprocess.run([arguments.doxygen, "-"], cwd=ROOT, input=settings, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = [line.replace(f"{ROOT}/", "") for line in made.stdout.splitlines() if line.strip()]
    print("\n".join(said))
    if made.returncode or said:
        print(f"doxygen: {len(said)} complaints")
        return 1

    if dropped := results_dropped_in_silence(out / "xml"):
        print("\n".join(dropped))
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
