#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
"""Without the headers of Boost mpx says which package has them, in one error before all others."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(os.environ["MPX_SOURCE"]) / "include"
compiler = shutil.which("g++")
if compiler is None:
    sys.exit("no g++ is here")
said = subprocess.run([compiler, "-E", "-v", "-xc++", "/dev/null"], capture_output=True, text=True,
                      check=True).stderr
folders = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", said,
                    re.S)[1].split()
with tempfile.TemporaryDirectory() as scratch:
    flags = ["-nostdinc", "-nostdinc++"]
    for number, folder in enumerate(folders):
        without = Path(scratch, str(number))
        without.mkdir()
        for entry in Path(folder).iterdir():
            if entry.name != "boost":
                (without / entry.name).symlink_to(entry)
        flags += ["-isystem", str(without)]
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *flags, "-I", str(INCLUDE),
                           "-xc++", "-"], input="#include <mpx/mpx.hpp>\n", capture_output=True,
                          text=True, timeout=200)
errors = re.findall(r"error: (.*)", done.stderr)
if done.returncode == 0 or not errors or "libboost" not in errors[0] or len(errors) > 2:
    sys.exit(f"not told: {done.returncode}\n{done.stderr}")
