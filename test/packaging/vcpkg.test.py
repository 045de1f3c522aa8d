#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
# release: all
"""The port of vcpkg: vcpkg.cmake runs its portfile with stand-ins for vcpkg's functions, the tree that comes
out keeps the rules that vcpkg checks after a build, and the consumer program is built against it.

With --scripts DIR, a checkout of vcpkg, its own functions run the portfile instead. SCRIPT MPXRUN [name of a
test...]; `tools` and `compiled`, which compile both, run only by their names (scripts/release does that).
"""

import sys

VCPKG = None
if "--scripts" in sys.argv:
    at = sys.argv.index("--scripts")
    VCPKG = sys.argv[at + 1]
    del sys.argv[at:at + 2]

from packages import *  # noqa: E402,F403

PORT = SOURCE / "packaging/vcpkg/mpx"
HERE = Path(__file__).resolve().parent
PLACES = re.compile(r"include/mpx/|share/(mpx|bash-completion|zsh|fish|man/man\d)/|share/pkgconfig/[\w-]+\.pc$|tools/mpx/\w+$|"
                    r"(debug/)?lib/(pkgconfig/[\w-]+\.pc|libmpx_compiled\.a)$")
TEXTS = (".cmake", ".pc", ".hpp", ".cppm", "")


def build(port, work, *features):
    """Runs the portfile; returns the package's prefix."""
    if VCPKG:
        return build_by_vcpkg(port, work, features)
    run("cmake", f"-DPORT_DIR={port}", f"-DFEATURES=core;{';'.join(features)}", f"-DWORK={work}/work", f"-DCXX={CXX}",
        f"-DGENERATOR={GENERATOR}", "-P", HERE / "vcpkg.cmake")
    return work / "work/packages"


def build_by_vcpkg(port, work, features):
    root = Path(VCPKG)
    share = work / "work/installed/x64-linux/share"
    configs = []
    for helper in ("vcpkg-cmake", "vcpkg-cmake-config"):
        shutil.copytree(root / "ports" / helper, share / helper)
        configs.append(str(share / helper / "vcpkg-port-config.cmake"))
    packages = work / "work/packages"
    downloads = work / "work/downloads"
    downloads.mkdir()
    version = json.loads((port / "vcpkg.json").read_text())["version-semver"]
    if archive := re.search(r'URLS "file://(.*)"', (port / "portfile.cmake").read_text()):  # Downloads are the real tool's.
        shutil.copy(archive[1], downloads / f"mpx-{version}.tar.gz")
    run("cmake", "-DCMD=BUILD", "-DPORT=mpx", f"-DFEATURES=core;{';'.join(features)}", "-DTARGET_TRIPLET=x64-linux",
        f"-DTARGET_TRIPLET_FILE={root}/triplets/x64-linux.cmake", "-D_HOST_TRIPLET=x64-linux", f"-DVERSION={version}",
        f"-DALL_FEATURES={';'.join(features)}", f"-DCURRENT_PORT_DIR={port}",
        f"-DCURRENT_BUILDTREES_DIR={work}/work/buildtrees/mpx", f"-DCURRENT_PACKAGES_DIR={packages}",
        f"-D_VCPKG_INSTALLED_DIR={work}/work/installed", f"-DDOWNLOADS={downloads}", f"-DVCPKG_ROOT_DIR={root}",
        f"-DBUILDTREES_DIR={work}/work/buildtrees", f"-DPACKAGES_DIR={work}/work", "-DVCPKG_CONCURRENCY=2",
        f"-DNINJA={shutil.which('ninja')}", "-DVCPKG_FIXUP_ELF_RPATH=OFF",
        "-DVCPKG_BASE_VERSION=2099-01-01",  # Of the tool, which is not needed here.
        f"-DVCPKG_CHAINLOAD_TOOLCHAIN_FILE={root}/scripts/toolchains/linux.cmake",
        f"-DVCPKG_PORT_CONFIGS={';'.join(configs)}", "-P", root / "scripts/ports.cmake")
    (packages / "BUILD_INFO").unlink(missing_ok=True)
    return packages


def files_of(prefix):
    return sorted(path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file())


def broken_rules(prefix, work, features):
    """The rules that vcpkg checks after a build, as its manual lists them."""
    files = files_of(prefix)
    bad = [f"{name}: no place for a file" for name in files if not PLACES.match(name)]
    bad += [f"{name}: CMake files are in share/mpx" for name in files
            if name.endswith(".cmake") and not name.startswith("share/mpx/")]
    bad += [f"{name} is missing" for name in ("share/mpx/copyright", "share/mpx/usage", "share/mpx/mpxConfig.cmake",
                                              "include/mpx/mpx.hpp") if name not in files]
    bad += [f"{path}: an empty folder" for path in prefix.rglob("*") if path.is_dir() and not any(path.iterdir())]
    libraries = [name for name in files if name.endswith(".a")]
    wanted = ["debug/lib/libmpx_compiled.a", "lib/libmpx_compiled.a"] if "compiled" in features else []
    bad += [] if libraries == wanted else [f"libraries: {libraries}, not {wanted}"]
    programs = [name for name in files if name.startswith("tools/mpx/")]
    wanted = ["tools/mpx/mpxinfo", "tools/mpx/mpxrun"] if "tools" in features else []
    bad += [] if programs == wanted else [f"programs: {programs}, not {wanted}"]
    for name in files:
        path = prefix / name
        if path.suffix in TEXTS and not name.startswith("tools/") and path.suffix != ".a":
            text = path.read_text(encoding="utf-8")
            bad += [f"{name} holds the path {place}" for place in (work, SOURCE) if str(place) in text]
    return bad


def use(prefix, work, features, *options, fails=False):
    """Configures, builds and runs the consumer against a copy of the package at another place."""
    moved = work / "moved"
    if not moved.exists():
        shutil.copytree(prefix, moved)
    configure = ["cmake", "-G", GENERATOR, "-S", SOURCE / "test/consumer/find_package", "-B", work / "consumer",
                 f"-DCMAKE_PREFIX_PATH={moved}", f"-DCMAKE_CXX_COMPILER={CXX}", f"-DVERSION={VERSION}",
                 f"-DCOMPONENTS=mpx;{';'.join(features)}", "-DCOMPILED=OFF", *options]
    said = run(*configure, fails=fails)
    if fails:
        return " ".join(said.split())
    run("cmake", "--build", work / "consumer")
    expect("got 42" in run(work / "consumer/consumer"), "the consumer did not run")
    if any((moved / "tools").glob("*/mpxrun")):
        run("ctest", "--test-dir", work / "consumer", "--no-tests=error")
        expect(run("pkg-config", "--variable=mpxrun", moved / "share/pkgconfig/mpx.pc").strip().endswith("/tools/mpx/mpxrun"),
               "mpx.pc names mpxrun at another place")
    return said


def manifest(_):
    """vcpkg.json has a feature for each component, and what usage says is there."""
    told = json.loads((PORT / "vcpkg.json").read_text(encoding="utf-8"))
    expect(told["version-semver"] == VERSION, f"vcpkg.json: the version is {told['version-semver']}, not {VERSION}")
    features = sorted(told["features"])
    expect(features == sorted([*components(), "compiled", "tools"]),
           f"vcpkg.json: the features are {features}; cmake/components has {components()}")
    usage = (PORT / "usage").read_text(encoding="utf-8")
    lacking = [name for name in [*components(), "compiled"] if f"mpx::{name}" not in usage]
    expect(not lacking, f"usage does not say mpx::{lacking}")


def headers(work):
    """Two components, and nothing that was only found: asio, libfabric and pmix are off."""
    prefix = build(PORT, work, "tcp", "sim")
    broken = broken_rules(prefix, work, ("tcp", "sim"))
    expect(not broken, "\n".join(broken))
    use(prefix, work, ("tcp", "sim"))
    for name in ("asio", "libfabric", "pmix", "tls", "compiled"):
        text = use(prefix, work, (name,), fails=True)
        expect(f"this installation of mpx has no mpx::{name}" in text, text)
    # A component that the package was made for is never left out in silence.
    text = use(prefix, work, (), "-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON", fails=True)
    expect("mpx::tcp needs OpenSSL 3" in text, text)
    # The rules are checked: each of these breaks one.
    for name in ("debug/include/x.hpp", "bin/mpxrun", "lib/cmake/mpx/x.cmake", "share/mpx/x.cmake"):
        path = prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(work))
        expect(len(broken_rules(prefix, work, ("tcp", "sim"))) > 0, f"{name} is not noticed")
        path.unlink()


def registry(work):
    """The port for a registry takes the tree from a tarball."""
    folder = f"mpx-{VERSION}"
    tarball = work / "release.tar.gz"
    names = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "cmake", "include", "modules", "src",
             "single_include", "docs", "examples", "test", "tools")
    run("tar", "-czf", tarball, "-C", SOURCE, f"--transform=s,^,{folder}/,", "--exclude=__pycache__", *names)
    run(sys.executable, SOURCE / "tools/registry_port.py", "--tarball", tarball, "--url", f"file://{tarball}", work / "ports")
    prefix = build(work / "ports/mpx", work)
    broken = broken_rules(prefix, work, ())
    expect(not broken, "\n".join(broken))
    if VCPKG:
        return
    tarball.write_bytes(tarball.read_bytes() + b"x")
    run("cmake", f"-DPORT_DIR={work}/ports/mpx", "-DFEATURES=core", f"-DWORK={work}/again", f"-DCXX={CXX}",
        f"-DGENERATOR={GENERATOR}", "-P", HERE / "vcpkg.cmake", fails=True)


def tools(work):
    prefix = build(PORT, work, "tools", "tcp", "tls")
    broken = broken_rules(prefix, work, ("tools", "tcp", "tls"))
    expect(not broken, "\n".join(broken))
    use(prefix, work, ("tls", "mpxrun"))


def compiled(work):
    prefix = build(PORT, work, "compiled")
    broken = broken_rules(prefix, work, ("compiled",))
    expect(not broken, "\n".join(broken))
    use(prefix, work, ("compiled",), "-DCMAKE_BUILD_TYPE=Debug")


if not shutil.which("cmake") or not shutil.which("pkg-config"):
    skip("cmake and pkg-config are needed")
named = sys.argv[2:]
in_order(manifest, headers, registry, *((tools, compiled) if named else ()))
