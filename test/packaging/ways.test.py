#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
"""Ways in which a program is built with mpx, beside those of test/consumer: translation units apart and as one, static
and with LTO, without RTTI, inside of a shared library that hides it, by a single header of what it includes, as CUDA by
clang. SCRIPT MPXRUN [name of a test...]"""

from packages import *  # noqa: F403

MPXRUN = Path(sys.argv[1]).resolve()
STRICT = ("-std=c++20", "-O0", "-pthread", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
INCLUDE = f"-I{SOURCE / 'include'}"
CLANGS = ("clang++-19", "clang++-18", "clang++-17", "clang++-16")

# The environment is in one file, and calls are in both.
MAIN = """#include <mpx/mpx.hpp>
int total(mpx::communicator<>& world, int mine);
int main() {
  mpx::environment<> env;
  auto world = env.world();
  const int all = total(world, world.rank() + 1);
  world.barrier();
  return all == world.size() * (world.size() + 1) / 2 ? 0 : 1;
}
"""
PART = """#include <functional>
#include <mpx/mpx.hpp>
int total(mpx::communicator<>& world, int mine);
int total(mpx::communicator<>& world, int mine) { return world.allreduce(mine, std::plus<>{}); }
"""
LIBRARY = """#include <mpx/mpx.hpp>
extern "C" __attribute__((visibility("default"))) int ranks_of_job(void);
extern "C" int ranks_of_job(void) {
  mpx::environment<> env;
  auto world = env.world();
  world.barrier();
  return world.size();
}
"""
CALLER = """extern "C" int ranks_of_job(void);
int main() { return ranks_of_job() == 2 ? 0 : 1; }
"""
PARTS = """#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#if MPX_FEATURE_RMA < 202611 || MPX_VERSION < 100
#error "feature-test macros"
#endif
int main() {
  mpx::environment<> env;
  auto world = env.world();
  auto window = mpx::allocate_window<int>(world, 1);
  window.fence();
  window.put(world.rank() + 1, world.rank(), 0);
  window.fence();
  const bool good = window.local()[0] == world.rank() + 1;
  window.free();
  return good ? 0 : 1;
}
"""


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.cpp").write_text(text, encoding="utf-8")


def job(program):
    run(MPXRUN, "-n", "2", "--timeout", "120", program)


def link_time_optimisation():
    """Its options for the compiler and for the linker; none, and a line that says so, where clang has no linker for it."""
    if "clang" not in Path(CXX).name:
        return ("-flto",), ("-flto",)
    version = re.search(r"-(\d+)$", CXX)
    linker = (version and shutil.which(f"ld.lld-{version[1]}")) or shutil.which("ld.lld")
    if linker is None:
        print("no lld: nothing is optimised at link time")
        return (), ()
    return ("-flto",), ("-flto", f"--ld-path={linker}")


def together_and_apart(work):
    """Two translation units, also as one; statically linked, with link-time optimisation, without RTTI."""
    write(work, main=MAIN, part=PART, unity='#include "main.cpp"\n#include "part.cpp"\n')
    compiling, linking = link_time_optimisation()
    for name in ("main", "part"):
        run(CXX, *STRICT, "-fno-rtti", *compiling, INCLUDE, "-c", work / f"{name}.cpp", "-o", work / f"{name}.o")
    run(CXX, *STRICT, "-static", *linking, work / "main.o", work / "part.o", "-o", work / "apart")
    job(work / "apart")
    # (C++23 by the name that each compiler has.)
    run(CXX, *STRICT, "-std=c++2b", INCLUDE, work / "unity.cpp", "-o", work / "together")
    job(work / "together")


def hidden(work):
    """A shared library that uses mpx shows none of it, and its program needs nothing of mpx."""
    write(work, library=LIBRARY, caller=CALLER)
    run(CXX, *STRICT, INCLUDE, "-fvisibility=hidden", "-shared", "-fPIC", work / "library.cpp", "-o", work / "liblibrary.so")
    run(CXX, *STRICT, work / "caller.cpp", "-o", work / "caller", f"-L{work}", "-llibrary", "-Wl,-rpath,$ORIGIN")
    shown = run("nm", "-D", "-C", "--defined-only", work / "liblibrary.so")
    expect("ranks_of_job" in shown, shown)
    of_mpx = [line for line in shown.splitlines() if re.search(r"[TWBDRu] (\S* )?mpx::", line)]
    expect(not of_mpx, "the library shows " + "\n".join(of_mpx[:5]))
    job(work / "caller")


def single(work):
    """The single header of what a program includes."""
    write(work, parts=PARTS)
    said = run(sys.executable, SOURCE / "tools/amalgamate.py", "--for", work / "parts.cpp", "--out", work / "own/mpx/mpx.hpp")
    expect("rma.hpp, topology.hpp" in said, said)
    expect(sorted(p.name for p in (work / "own/mpx").iterdir()) == ["mpx.hpp", "rma.hpp", "topology.hpp", "version.hpp"], said)
    run(CXX, *STRICT, f"-I{work / 'own'}", work / "parts.cpp", "-o", work / "parts")
    job(work / "parts")
    write(work, wrong="#include <mpx/nothing.hpp>\n")
    said = run(sys.executable, SOURCE / "tools/amalgamate.py", "--for", work / "wrong.cpp", "--out", work / "own/mpx/mpx.hpp",
               fails=True)
    expect("there is no mpx/nothing.hpp" in said, said)


def version(work):
    """mpx/version.hpp includes nothing, declares nothing, and agrees with mpx.hpp; C may include it, too."""
    write(work, version='#include <mpx/version.hpp>\nMPX_VERSION MPX_VERSION_STRING MPX_ABI_VERSION\n')
    said = run(CXX, "-std=c++20", "-E", "-H", INCLUDE, work / "version.cpp")
    expect([line for line in said.splitlines() if line.startswith(".")] == [f". {SOURCE}/include/mpx/version.hpp"], said)
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith(("#", "."))
             and "include guards" not in line]
    major, minor, patch = map(int, VERSION.split("."))
    expect(len(lines) == 1 and f'"{VERSION}"' in lines[0], said)
    told = eval(lines[0].split('"')[0], {"__builtins__": {}})  # pylint: disable=eval-used  # Numbers of a header here.
    expect(told == 10000 * major + 100 * minor + patch, f"MPX_VERSION is {told}")
    (work / "c.c").write_text("#include <mpx/version.hpp>\nint version = MPX_VERSION;\n")
    run(CXX, "-x", "c", "-Wall", "-Werror", INCLUDE, "-c", work / "c.c", "-o", work / "c.o")


def abi(work):
    """Files that were compiled with headers of two ABI numbers do not link if they share a name of mpx."""
    tree = work / "tree"
    for name in ("include", "packaging", "CHANGELOG.md"):
        (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, tree / name)
    number = int(re.search(r"MPX_ABI_VERSION (\d+)", (tree / "include/mpx/version.hpp").read_text())[1])
    run(sys.executable, SOURCE / "tools/version.py", "--root", tree, "--set", "77.0.0", "--abi", number + 1)
    function = "#include <mpx/mpx.hpp>\nint rank_of(mpx::communicator<>& world);\n"
    write(work, caller=function + "int (*used)(mpx::communicator<>&) = rank_of;\nint main() { return used == nullptr; }\n",
          called=function + "int rank_of(mpx::communicator<>& world) { return world.rank(); }\n")
    for output, source, folder in (("caller", "caller", SOURCE), ("same", "called", SOURCE), ("other", "called", tree)):
        run(CXX, *STRICT, f"-I{folder / 'include'}", "-c", work / f"{source}.cpp", "-o", work / f"{output}.o")
    run(CXX, work / "caller.o", work / "same.o", "-o", work / "good")
    said = run(CXX, work / "caller.o", work / "other.o", "-o", work / "bad", fails=True)
    expect(f"mpx::v{number}::communicator" in said, said)


def cuda(work):
    """clang reads every header that a CUDA program includes as code for a device; CUDA itself is not needed for that."""
    clang = next(filter(None, map(shutil.which, CLANGS)), None)
    if clang is None:
        print("no clang++: not compiled as CUDA")
        return
    text = (SOURCE / "test/users/device.cu").read_text(encoding="utf-8")
    head = text[:text.index("__global__")]
    expect("mpx/rma.hpp" in head, "device.cu includes no headers")
    (work / "device.cu").write_text(head + "__attribute__((global)) void scale(double* at) { *at *= 2; }\n"
                                    "int main() { mpx::environment<> env; env.world().barrier(); }\n")
    # The standard headers of g++ 14 would use a type that no device has: macros of the host say that it is there.
    without_float128 = ("-U__SIZEOF_FLOAT128__", "-U__FLOAT128__")
    run(clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-std=c++20",
        "-Wno-unknown-cuda-version", "-fsyntax-only", *without_float128, "-include", "stdlib.h", "-D__host__=__attribute__((host))",
        "-D__device__=__attribute__((device))", "-isystem", SOURCE / "include", work / "device.cu")


in_order(*((together_and_apart, hidden) if FOR_RELEASE else ()), single, version, abi, cuda)
