#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the links within Markdown files and HTML pages: each file is there, and each anchor in it.
So must be the files, folders and names of code that Markdown has in backticks.

Links to other machines are left alone. Of Markdown the tracked files are taken, or all that are not
in build/ where there is no git.

usage: check_links.py [--html FOLDER | --installed FOLDER] [ROOT]
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
FENCE = re.compile(r"^ *(`{3,}).*?^ *\1`* *$", re.M | re.S)
MD_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
# A path in backticks is a link, too. Old texts may speak of what has gone since.
MD_PATH = re.compile(r"(?<![\w`])`([\w.-]+(?:/[\w.-]+)*(?:\.(?:hpp|cpp|py|cmake|md|svg)|/))`")
# So is a name: what has an underscore must occur in the sources, but for MPI's names.
MD_NAME = re.compile(r"(?<![\w`])`([\w:.<>(),*]+)`")
SOURCES = ("include/", "mpi/", "test/", "tools/", "bench/", "examples/", "scripts/", "cmake/", "packaging/", "CMake")
HISTORY = ("CHANGELOG.md", "adr")
HTML_LINK = re.compile(r"<(?:a|link|img|script|area|iframe)\b[^>]*?\s(?:href|src)=\"([^\"]*)\"", re.I)
HTML_ANCHOR = re.compile(r"\s(?:id|name)=\"([^\"]+)\"", re.I)


def heading_anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a Markdown file."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?)#* *$", FENCE.sub("", text), re.M):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        name, n = slug, 0
        while name in anchors:
            n += 1
            name = f"{slug}-{n}"
        anchors.add(name)
    return anchors | set(HTML_ANCHOR.findall(text))


class Pages:
    """Pages read so far, and their errors."""

    def __init__(self, tree: list[str] | None = None, words: set[str] | None = None) -> None:
        self.tree = tree or []
        self.words = words or set()
        self.anchors: dict[Path, set[str]] = {}
        self.problems: list[str] = []
        self.links = 0

    def anchors_of(self, path: Path) -> set[str]:
        if path not in self.anchors:
            text = path.read_text(encoding="utf-8")
            self.anchors[path] = (heading_anchors(text) if path.suffix == ".md"
                                  else {html.unescape(a) for a in HTML_ANCHOR.findall(text)})
        return self.anchors[path]

    def check(self, page: Path, link: str, line: int) -> None:
        if ELSEWHERE.match(link) or not link:
            return
        self.links += 1
        where, _, anchor = link.partition("#")
        target = (page.parent / unquote(where)).resolve() if where else page.resolve()
        if not target.exists():
            self.problems.append(f"{page}:{line}: {link}: there is no such file")
        elif anchor and target.suffix in (".md", ".html") and \
                unquote(anchor) not in self.anchors_of(target):
            self.problems.append(f"{page}:{line}: {link}: there is no such heading or anchor")

    def check_path(self, page: Path, path: str, line: int) -> None:
        """A path that is given from the root, from the headers, from the tests, or by its end."""
        self.links += 1
        if not any(("/" + known).endswith("/" + path.rstrip("/")) for known in self.tree):
            self.problems.append(f"{page}:{line}: {path}: there is no such file or folder")

    def check_name(self, page: Path, name: str, line: int) -> None:
        for word in re.findall(r"[A-Za-z]\w+", name):
            if "_" not in word or word.startswith("MPI_"):
                continue
            self.links += 1
            if word not in self.words:
                self.problems.append(f"{page}:{line}: {word}: the sources have no such name")

    def check_markdown(self, page: Path) -> None:
        text = self.text_of(page)
        if not any(name in HISTORY for name in page.parts):
            for match in MD_PATH.finditer(text):
                self.check_path(page, match[1], text.count("\n", 0, match.start()) + 1)
            for match in MD_NAME.finditer(text):
                self.check_name(page, match[1], text.count("\n", 0, match.start()) + 1)
        self.check_links(page)

    @staticmethod
    def text_of(page: Path) -> str:
        return FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), page.read_text(encoding="utf-8"))

    def check_links(self, page: Path) -> None:
        text = re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), self.text_of(page))
        # A link's text may be code: the address is what counts.
        for match in MD_LINK.finditer(text):
            self.check(page, match[1], text.count("\n", 0, match.start()) + 1)

    def check_html(self, page: Path) -> None:
        text = page.read_text(encoding="utf-8")
        for match in HTML_LINK.finditer(text):
            self.check(page, html.unescape(match[1]), text.count("\n", 0, match.start()) + 1)


def files_of(root: Path) -> list[str]:
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    names = names or [str(p.relative_to(root)) for p in root.rglob("*")]
    return sorted(n for n in names if (root / n).is_file() and not n.startswith("build/"))


def with_folders(files: list[str]) -> list[str]:
    return sorted({str(p) for name in files for p in (Path(name), *Path(name).parents)})


def words_of(root: Path, files: list[str]) -> set[str]:
    words: set[str] = set()
    for name in files:
        if name.startswith(SOURCES) and not name.endswith((".md", ".svg", ".mtx")):
            words |= set(re.findall(r"\w+", (root / name).read_text(encoding="utf-8", errors="ignore")))
            words.add(Path(name).name.partition(".")[0])  # As ctest calls it.
    return words


def self_test() -> None:
    """A link checker that finds nothing must not pass for a tree without faults."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.md")
        page.write_text("# One `two`: three\n[a](#one-two-three) [b](#four) [c](none.md) [`d`](page.md#x)\n"
                        "```\n[e](none.md)\n```\n`b/c.hpp` `c.py` `b/` `x::a_b()` `c_d`\n", encoding="utf-8")
        pages = Pages(with_folders(["a/b/c.hpp", "page.md"]), {"a_b"})
        pages.check_markdown(page)
        found = [p.split(": ")[1] for p in pages.problems]
        assert sorted(found) == ["#four", "c.py", "c_d", "none.md", "page.md#x"], pages.problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, help="check the HTML pages of this folder instead")
    parser.add_argument("--installed", type=Path, help="check the links of the documents there instead")
    parser.add_argument("root", type=Path, nargs="?", default=Path("."))
    arguments = parser.parse_args()
    self_test()
    pages = Pages()
    if arguments.html:
        files = sorted(arguments.html.rglob("*.html"))
        for page in files:
            pages.check_html(page)
    elif arguments.installed:
        files = sorted(arguments.installed.rglob("*.md"))
        for page in files:
            pages.check_links(page)
    else:
        names = files_of(arguments.root)
        pages = Pages(with_folders(names), words_of(arguments.root, names))
        files = [arguments.root / name for name in names if name.endswith(".md")]
        for page in files:
            pages.check_markdown(page)
    print("\n".join(pages.problems))
    print(f"{pages.links} links and names in {len(files)} files, {len(pages.problems)} of them broken")
    if not files or not pages.links:
        print("nothing to check: that cannot be right")
        return 1
    return 1 if pages.problems else 0


if __name__ == "__main__":
    sys.exit(main())
