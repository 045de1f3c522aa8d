# SPDX-License-Identifier: BSL-1.0
"""Recipe of mpx for Spack 1.0 and later: `spack repo add packaging/spack/spack_repo/mpx`. It packages the source tree
that it lies in. Each variant but `compiled` and `tools` is a component of the same name, which CMake knows as
mpx::<name>."""

import os
import re

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))
COMPONENTS = ("asio", "libfabric", "pmix", "sim", "tcp", "testing", "tls")


def version_of_tree():
    with open(os.path.join(TREE, "include", "mpx", "version.hpp"), encoding="utf-8") as header:
        return re.search(r'MPX_VERSION_STRING "(.*)"', header.read())[1]


class Mpx(CMakePackage):
    """Message passing for HPC programs: header-only C++20, the stack is a template argument."""

    license("BSL-1.0")

    # Nothing is fetched: the sources are here.
    has_code = False
    root_cmakelists_dir = TREE
    version(version_of_tree())

    variant("asio", default=False, description="mpx::asio: completions by Boost.Asio")
    variant("compiled", default=False, description="mpx::compiled: the default stack as a library")
    variant("libfabric", default=False, description="mpx::libfabric: cards that libfabric reaches")
    variant("pmix", default=False, description="mpx::pmix: jobs of launchers that speak PMIx")
    variant("sim", default=False, description="mpx::sim: simulated jobs")
    variant("tcp", default=False, description="mpx::tcp: sockets")
    variant("testing", default=False, description="mpx::testing: contract suites for transports and other policies")
    variant("tls", default=False, description="mpx::tls: encrypted sockets")
    variant("tools", default=True, description="mpxrun, mpxinfo, and their manual pages")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build", when="+tools")
    depends_on("boost@1.74:")
    depends_on("boost@1.81:", when="+asio")
    depends_on("boost+context", when="+sim")
    depends_on("doctest", when="+testing")
    depends_on("libfabric@1.17:", when="+libfabric")
    depends_on("openssl@3:", when="+tcp")
    depends_on("pkgconfig", type="build", when="+libfabric")
    depends_on("pmix", when="+pmix")

    conflicts("%gcc@:11", msg="mpx needs g++ 12 or newer")
    conflicts("%clang@:15", msg="mpx needs clang 16 or newer")
    conflicts("+tls~tcp", msg="the variant tls needs the variant tcp")
    conflicts("platform=darwin", msg="mpx is for Linux")
    conflicts("platform=windows", msg="mpx is for Linux")

    def cmake_args(self):
        # No component is there because the machine happens to have what it needs.
        return [
            self.define("MPX_INSTALL", True),
            self.define_from_variant("MPX_BUILD_COMPILED", "compiled"),
            self.define_from_variant("MPX_BUILD_MPXRUN", "tools"),
            *(self.define(f"MPX_BUILD_{name}", False) for name in ("BENCH", "EXAMPLES", "TESTS")),
            *(self.define_from_variant(f"MPX_WITH_{name.upper()}", name) for name in COMPONENTS),
        ]
