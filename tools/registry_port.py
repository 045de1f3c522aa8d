#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes OUT/mpx/, the port for a registry of vcpkg: packaging/vcpkg/mpx/ with a release's tarball as its source.

usage: registry_port.py --tarball FILE --url URL OUT
"""

import argparse
import hashlib
import re
import sys
from pathlib import Path

PORT = Path(__file__).resolve().parent.parent / "packaging/vcpkg/mpx"
# The head of the portfile, which says that the tree around it is packaged.
HEAD = re.compile(r"(# SPDX[^\n]*\n)(?:#[^\n]*\n)+get_filename_component\(SOURCE_PATH [^\n]*\n")
FETCH = """vcpkg_download_distfile(archive
  URLS "{url}"
  FILENAME "mpx-${{VERSION}}.tar.gz"
  SHA512 {hash})
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${{archive}}")
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tarball", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    out = arguments.out / "mpx"
    out.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha512(arguments.tarball.read_bytes()).hexdigest()
    for name in ("vcpkg.json", "usage", "portfile.cmake"):
        text = (PORT / name).read_text(encoding="utf-8")
        if name == "portfile.cmake":
            fetch = FETCH.format(url=arguments.url, hash=digest)
            text, count = HEAD.subn(lambda m: m[1] + fetch, text)
            if count != 1:
                sys.exit(f"{PORT / name} does not begin as this script knows it")
        (out / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
