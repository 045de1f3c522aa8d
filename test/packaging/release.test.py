#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# sanitizers: none
"""scripts/release in a repository that holds a copy of the tree: what it refuses, what it remembers, and the tag. The
steps that build are left out, or said to have passed. SCRIPT MPXRUN [name of a test...]"""

import hashlib

from packages import *  # noqa: F403

NEXT = "77.0.0"
GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@y")
LEFT_OUT = ("test", "demo", "reference", "packages", "vcpkg", "conan", "spack", "debian", "ubuntu")


class Copy:
    def __init__(self, work):
        self.root = work / "tree"
        self.out = work / "out"
        for name in run("git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard").splitlines():
            if (SOURCE / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(SOURCE / name, self.root / name)
        self.git("init", "-q")
        run(sys.executable, self.root / "tools/amalgamate.py")
        self.commit("A copy")

    def git(self, *words):
        return run(*GIT, "-C", self.root, *words)

    def commit(self, what):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", what)

    def release(self, *words, **more):
        names = {"GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@y"}
        return run(sys.executable, self.root / "scripts/release", NEXT, "--out", self.out, *words, env={**CLEAN, **names}, **more)

    def set_version(self, *words):
        run(sys.executable, self.root / "tools/version.py", *words)


def ready(work):
    """A copy whose version is fit to be released."""
    copy = Copy(work)
    copy.set_version("--set", NEXT, "--date", "2077-01-02")
    changes = copy.root / "CHANGELOG.md"
    wire = re.search(r"wire_version = (\d+);", (copy.root / "include/mpx/config.hpp").read_text())[1]
    changes.write_text(changes.read_text().replace("] - 2077-01-02\n", "] - 2077-01-02\n\n- A change.\n\n### Wire format\n\n"
                                                   f"- Version {wire}: a packet.\n\n### Added\n"))
    run(sys.executable, copy.root / "tools/amalgamate.py")
    copy.commit("release")
    return copy


def refusals(work):
    copy = Copy(work)
    copy.set_version("--set", NEXT)
    expect("has no date" in copy.release("--only", "version", fails=True), "an undated section is released")
    for words, why in ((("--only", "tst"), "no step tst"), (("--skip", "test"), "a reason is needed"),
                       (("--skip", "tree=dirty"), "never left out")):
        expect(why in copy.release(*words, fails=True), f"{words} is not refused")
    expect("changes that are in no commit" in copy.release("--only", "tree", fails=True), "changes are released")
    document = copy.root / "docs/RELEASING.md"
    document.write_text(document.read_text().replace("**demo**: ", "**show**: "))
    expect("has the steps" in copy.release("--only", "version", fails=True), "another checklist is not noticed")


def passing(work):
    copy = ready(work)
    copy.release("--only", "version,tree")
    expect("== version: passed" in copy.release("--only", "version"), "a step that has passed is repeated")
    expect("neither passed nor been left out" in copy.release("--only", "tag", fails=True), "a tag without tests")
    skips = [word for name in LEFT_OUT for word in ("--skip", f"{name}=a trial")]
    commit = copy.git("rev-parse", "HEAD").strip()
    (copy.out / "steps/tarball").write_text(f"{commit}\npassed\n")  # It would compile.
    (copy.out / f"mpx-{NEXT}.tar.gz").write_bytes(b"packed")
    expect("a key is needed" in copy.release("--only", "sums", fails=True), "without a key nobody says: unsigned")
    copy.release("--only", ",".join(("version", "tree", *LEFT_OUT, "tarball", "sums", "tag")), *skips, "--unsigned")
    digest = hashlib.sha256(b"packed").hexdigest()
    expect((copy.out / "SHA256SUMS").read_text() == f"{digest}  mpx-{NEXT}.tar.gz\n", "the checksums")
    expect(copy.git("tag", "--list").strip() == f"v{NEXT}", "there is no tag")
    report = (copy.out / "report.md").read_text()
    expect("| test | left out: a trial |" in report and "without a signature" in report and "| version | passed" in report, report)
    expect("is tagged already" in copy.release("--only", "tree", "--again", fails=True), "it is tagged twice")
    (copy.root / "README.md").write_text("changed\n")
    copy.commit("later")
    expect("neither passed nor been left out" in copy.release("--only", "tag", fails=True), "results of another commit count")


if not shutil.which("git") or subprocess.run(["git", "-C", SOURCE, "rev-parse"], capture_output=True, check=False).returncode:
    skip("this is no repository of git")
in_order(refusals, passing)
