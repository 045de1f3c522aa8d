#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
"""The recipe of Spack: its installation has the components that its variants say, and no other, and find_package finds
them. By the stand-in of standin/, with the libraries of this machine. SCRIPT MPXRUN [name of a test...]; `built`, which
compiles, runs only by its name (scripts/release does that)."""

import importlib.util

from packages import *  # noqa: F403

sys.path.insert(0, str(Path(__file__).resolve().parent / "standin"))
REPOSITORY = SOURCE / "packaging/spack/spack_repo/mpx"
RECIPE = REPOSITORY / "packages/mpx/package.py"
# The package of Spack that has what a component needs, beside Boost.
LINKED = {"asio": set(), "libfabric": {"libfabric"}, "pmix": {"pmix"}, "sim": set(), "tcp": {"openssl"},
          "testing": {"doctest"}, "tls": set()}
CONSUMER = """cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(mpx %s EXACT REQUIRED COMPONENTS mpx %s)
foreach(part IN ITEMS %s)
  if(TARGET mpx::${part})
    message(FATAL_ERROR "mpx::${part} is there by chance")
  endif()
endforeach()
add_executable(consumer "%s")
target_link_libraries(consumer PRIVATE mpx::mpx %s)
"""


def load():
    spec = importlib.util.spec_from_file_location("recipe", RECIPE)
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    return recipe


recipe = load()
from spack.package import directives  # noqa: E402


def package(work, **chosen):
    options = ("-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG")
    return recipe.Mpx(work / "stage", work / "prefix", *options, **chosen)


def consume(work, *parts):
    """Configures a program against the installation at another place."""
    moved = work / "moved"
    (work / "prefix").rename(moved)
    (work / "use").mkdir()
    others = sorted(set(components()) - set(parts))
    (work / "use/CMakeLists.txt").write_text(CONSUMER % (
        VERSION, " ".join(parts), " ".join(others), SOURCE / "test/consumer/main.cpp", " ".join(f"mpx::{part}" for part in parts)))
    run("cmake", "-G", GENERATOR, "-S", work / "use", "-B", work / "use/build", f"-DCMAKE_PREFIX_PATH={moved}", f"-DCMAKE_CXX_COMPILER={CXX}")
    return moved


def directions(work):
    """What Spack reads before it builds."""
    told = {kind: [(name, more) for also, name, more in directives if also == kind] for kind, _, _ in directives}
    expect([name for name, _ in told["version"]] == [VERSION], f"{told['version']}")
    expect(re.search(r"^  namespace: mpx$", (REPOSITORY / "repo.yaml").read_text(encoding="utf-8"), re.M), "the namespace")
    variants = [name for name, _ in told["variant"]]
    expect(sorted(variants) == sorted([*components(), "compiled", "tools"]), f"the variants are {variants}")
    expect(sorted(recipe.COMPONENTS) == components(), f"the components are {recipe.COMPONENTS}")
    expect(not recipe.Mpx.has_code and recipe.Mpx.root_cmakelists_dir == str(SOURCE), "the tree is not that of the recipe")
    expect(package(work, tls=True).conflicts() == ["the variant tls needs the variant tcp"], "tls without tcp is not refused")
    expect(not package(work, tls=True, tcp=True).conflicts(), "tls with tcp is refused")
    for part, linked in LINKED.items():
        have = package(work, **{part: True}).dependencies()
        expect(have == {"boost", *linked}, f"with {part} it depends on {have}")


def headers(work):
    it = package(work, tools=False, sim=True, tcp=True, tls=True)
    it.install()
    prefix = consume(work, "sim", "tcp", "tls")
    expect(not (prefix / "bin").exists() and not list(prefix.rglob("*.a")), "something was compiled")
    modules = {path.stem for path in prefix.rglob("*.pc")}
    expect(modules == {"mpx", "mpx-sim", "mpx-tcp", "mpx-tls"}, f"{modules}")


def built(work):
    package(work, compiled=True).install()
    prefix = consume(work, "compiled")
    run("cmake", "--build", work / "use/build")
    run(prefix / "bin/mpxrun", "-n", "2", work / "use/build/consumer")
    expect((prefix / "share/man/man1/mpxrun.1").exists(), "no manual page")


if not shutil.which("cmake"):
    skip("cmake is needed")
named = sys.argv[2:]
in_order(directions, headers, *((built,) if named else ()))
