#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
# release: all
"""Debian packages, made by CPack of the build that this test belongs to: their files, and installation, use, upgrade
and removal in a root that holds nothing else. SCRIPT MPXRUN [name of a test...]

scripts/release runs lintian, and does the same in fresh Debian and Ubuntu systems, where dependencies count, too.
"""

from packages import *  # noqa: F403

EPOCH = "1764288000"
# Files that each package has, among others.
FILES = {
    "libmpx-dev": ("include/mpx/mpx.hpp", "share/cmake/mpx/mpxConfig.cmake", "share/pkgconfig/mpx.pc",
                   "share/mpx/single_include/mpx/mpx.hpp", "share/doc/libmpx-dev/changelog.gz"),
    "mpx-tools": ("bin/mpxrun", "bin/mpxinfo", "bin/mpx-perf", "share/man/man1/mpxrun.1.gz",
                  "share/man/man7/mpx-environment.7.gz", "share/zsh/vendor-completions/_mpxrun",
                  "share/bash-completion/completions/mpx-perf", "share/fish/vendor_completions.d/mpxinfo.fish"),
    "libmpx-compiled-dev": ("share/cmake/mpx/mpxCompiledTargets.cmake",),
}
PACKAGES = tuple(FILES)


def make(work, *options):
    """The packages by their names."""
    run("cpack", "-G", "DEB", "-B", work, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", *options, cwd=BUILD,
        env={**CLEAN, "SOURCE_DATE_EPOCH": EPOCH})
    found = {run("dpkg-deb", "-f", path, "Package").strip(): path for path in work.glob("*.deb")}
    expect(sorted(found) == sorted(PACKAGES), f"there are {sorted(found)}")
    return found


def files_in(package):
    names = [line.split(maxsplit=5)[5] for line in run("dpkg-deb", "-c", package).splitlines()]
    return {name[2:] for name in names if not name.endswith("/")}


class Root:
    """A root with an empty database of dpkg."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("info", "updates", "triggers"):
            (folder / "var/lib/dpkg" / name).mkdir(parents=True)
        for name in ("status", "available"):
            (folder / "var/lib/dpkg" / name).touch()

    def dpkg(self, *words):
        return run("dpkg", f"--root={self.folder}", "--force-not-root", "--force-script-chrootless", "--force-depends",
                   "--force-bad-path", "--log=/dev/null", *words)

    def files(self):
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")
                if path.is_file() and not path.is_relative_to(self.folder / "var/lib/dpkg")}


def packages(work):
    made = make(work / "one")
    for package, wanted in FILES.items():
        files = files_in(made[package])
        documents = tuple(f"share/doc/{package}/{name}" for name in ("copyright", "changelog.Debian.gz"))
        lacking = [name for name in wanted + documents if f"usr/{name}" not in files]
        expect(not lacking, f"{package} lacks {lacking}")
    together = [name for path in made.values() for name in files_in(path)]
    expect(len(together) == len(set(together)), "two packages have the same file")
    libraries = [name for name in together if name.endswith("libmpx_compiled.a")]
    expect(len(libraries) == 1, f"libraries: {libraries}")

    installed_is_packaged(work, set(together))

    def field(package, name):
        return run("dpkg-deb", "-f", made[package], name).strip()

    expect(field("libmpx-dev", "Architecture") == "all" and "boost" in field("libmpx-dev", "Depends"), "libmpx-dev: fields")
    expect(f"libmpx-dev (= {VERSION}-1)" in field("libmpx-compiled-dev", "Depends"),
           "libmpx-compiled-dev accepts another libmpx-dev")
    expect("libc6" in field("mpx-tools", "Depends"), f"mpx-tools depends on {field('mpx-tools', 'Depends')}")
    again = make(work / "two")
    for name, path in made.items():
        expect(path.read_bytes() == again[name].read_bytes(), f"{name} is another file when it is made again")


def installed_is_packaged(work, packaged):
    """Nothing is installed that no package has, but for the MPI library: see docs/PACKAGING.md."""
    run("cmake", "--install", BUILD, "--prefix", work / "installed")
    run("cmake", "--install", BUILD, "--prefix", work / "mpi", "--component", "mpi")
    for path in (work / "installed").rglob("*"):
        if not path.is_file() or os.path.lexists(work / "mpi" / path.relative_to(work / "installed")):
            continue
        name = path.relative_to(work / "installed").as_posix()
        for here, there in (("share/doc/mpx/", "share/doc/libmpx-dev/"), ("zsh/site-functions/", "zsh/vendor-completions/")):
            name = name.replace(here, there)
        name += ".gz" if name.startswith("share/man/") else ""
        expect(f"usr/{name}" in packaged, f"{name} is installed, and in no package: give it a COMPONENT of cmake/MpxPackages.cmake")


def life(work):
    """Installation, use, upgrade and removal."""
    if os.geteuid() != 0 and not shutil.which("fakeroot"):
        print("not root, and fakeroot is not here: nothing is installed")
        return
    made = make(work / "old")
    newer = make(work / "new", "-D", "CPACK_DEBIAN_PACKAGE_RELEASE=2")
    root = Root(work / "root")
    root.dpkg("--install", *made.values())
    expect({name for path in made.values() for name in files_in(path)} <= root.files(), "files are missing")
    use(work, root)
    root.dpkg("--install", *newer.values())
    told = run("dpkg-query", f"--admindir={root.folder}/var/lib/dpkg", "-W", "-f=${Package} ${Version} ${db:Status-Abbrev}\\n")
    expect(sorted(told.split("\n")) == sorted(["", *(f"{name} {VERSION}-2 ii " for name in PACKAGES)]), told)
    root.dpkg("--purge", *PACKAGES)
    expect(root.files() == set(), f"purged, these are left: {sorted(root.files())[:5]}")


def use(work, root):
    prefix = root.folder / "usr"
    run("cmake", "-G", GENERATOR, "-S", SOURCE / "test/consumer/find_package", "-B", work / "use", f"-DCMAKE_CXX_COMPILER={CXX}",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DVERSION={VERSION}", "-DCOMPONENTS=mpx;compiled;mpxrun", "-DCOMPILED=OFF")
    run("cmake", "--build", work / "use")
    run("ctest", "--test-dir", work / "use", "--no-tests=error")
    expect(f"mpxrun (mpx) {VERSION}" in run(prefix / "bin/mpxrun", "--version"), "mpxrun is of another version")
    modules = {**CLEAN, "PKG_CONFIG_PATH": f"{prefix}/share/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": ""}
    expect(str(prefix) in str(Path(run("pkg-config", "--variable=includedir", "mpx", env=modules).strip()).resolve()), "mpx.pc")
    if shutil.which("man"):
        page = run("man", "-l", prefix / "share/man/man1/mpxrun.1.gz", env={**CLEAN, "MANPAGER": "cat", "MANWIDTH": "80"})
        expect("--bind-to" in page, page)


for wanted in (BIN / "mpx-perf", BUILD / "libmpx_compiled.a", BUILD / "CPackConfig.cmake"):
    if not wanted.exists():
        skip(f"this build has no {wanted.name}: the packages are not whole")
for program in ("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps", "pkg-config"):
    if not shutil.which(program):
        skip(f"there is no {program}")
in_order(packages, life)
