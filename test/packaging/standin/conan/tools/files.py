# SPDX-License-Identifier: BSL-1.0
import fnmatch
import shutil
from pathlib import Path


def load(_, path):
    return Path(path).read_text(encoding="utf-8")


def copy(_, pattern, src, dst, excludes=None):
    """Copies the files whose path below `src` matches, as Conan does: `*` also matches a slash."""
    copied = 0
    for path in sorted(Path(src).rglob("*")):
        name = path.relative_to(src).as_posix()
        if path.is_file() and fnmatch.fnmatchcase(name, pattern) and not (excludes and fnmatch.fnmatchcase(name, excludes)):
            target = Path(dst, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
            copied += 1
    return copied


def rmdir(_, path):
    shutil.rmtree(path, ignore_errors=True)
