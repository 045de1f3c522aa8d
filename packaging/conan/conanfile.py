# SPDX-License-Identifier: BSL-1.0
"""Recipe of mpx for Conan 2: `conan create packaging/conan`. It packages the source tree that it lies in.

Without the options `compiled` and `tools` the package is headers alone: one for all settings. Each other
option is a component of the same name, which CMake knows as mpx::<name>. libfabric and libpmix are those
of the system.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"

HEADER_PARTS = ("asio", "libfabric", "pmix", "sim", "tcp", "testing", "tls")
BUILT_PARTS = ("compiled", "tools")
EXPORTED = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "cmake/*", "include/*",
            "modules/*", "single_include/*", "src/*", "tools/*", "docs/*", "examples/*", "test/kit/*", "test/*.hpp")


class MpxConan(ConanFile):
    name = "mpx"
    description = "Message passing for HPC programs: header-only C++20, the stack is a template argument"
    license = "BSL-1.0"
    topics = ("hpc", "message-passing", "mpi", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {part: [True, False] for part in HEADER_PARTS + BUILT_PARTS}
    default_options = {part: False for part in HEADER_PARTS + BUILT_PARTS}
    no_copy_source = True

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._tree, "include", "mpx", "version.hpp"))
        self.version = re.search(r'MPX_VERSION_STRING "(.*)"', header)[1]

    def export_sources(self):
        for pattern in EXPORTED:
            copy(self, pattern, self._tree, self.export_sources_folder, excludes="*__pycache__*")

    def configure(self):
        if self.options.compiled:
            self.package_type = "static-library"
        elif self.options.tools:
            self.package_type = "unknown"

    def requirements(self):
        self.requires("boost/[>=1.81 <2]", transitive_headers=True)
        if self.options.tcp:
            self.requires("openssl/[>=3 <4]", transitive_headers=True)
        if self.options.testing:
            self.requires("doctest/[>=2.4 <3]", transitive_headers=True)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("mpx is for Linux")
        if self.options.tls and not self.options.tcp:
            raise ConanInvalidConfiguration("the option tls needs the option tcp")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self, src_folder=".")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "BENCH", "EXAMPLES"):
            toolchain.cache_variables[f"MPX_BUILD_{name}"] = "OFF"
        toolchain.cache_variables["MPX_BUILD_COMPILED"] = "ON" if self.options.compiled else "OFF"
        toolchain.cache_variables["MPX_BUILD_MPXRUN"] = "ON" if self.options.tools else "OFF"
        # Consumers get components from package_info; mpxinfo tells of sockets.
        for name in os.listdir(os.path.join(self.source_folder, "cmake", "components")):
            part = name.removesuffix(".cmake")
            wanted = part in ("tcp", "tls") and getattr(self.options, part)
            toolchain.cache_variables[f"MPX_WITH_{part.upper()}"] = "ON" if wanted else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for folder in ("cmake", "pkgconfig", "doc"):  # Conan writes the first two for each consumer.
            rmdir(self, os.path.join(self.package_folder, "share", folder))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_id(self):
        if not any(self.info.options.get_safe(part) for part in BUILT_PARTS):
            self.info.clear()  # Headers alone: the same for all settings.

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "mpx")
        self.cpp_info.set_property("cmake_target_name", "mpx::all")
        self._component("mpx", ["boost::headers"])
        self.cpp_info.components["mpx"].system_libs = ["pthread"]
        if self.options.tools:
            self.cpp_info.components["mpx"].bindirs = ["bin"]
        if self.options.asio:
            self._component("asio", ["mpx"])
        if self.options.sim:
            self._component("sim", ["mpx", "boost::context"])
        if self.options.tcp:
            self._component("tcp", ["mpx", "openssl::crypto"])
        if self.options.testing:
            self._component("testing", ["mpx", "doctest::doctest"])
            self.cpp_info.components["testing"].includedirs = ["include", "include/mpx/testing"]
        if self.options.tls:
            self._component("tls", ["tcp", "openssl::ssl"])
        for part, library in (("libfabric", "fabric"), ("pmix", "pmix")):
            if getattr(self.options, part):
                self._component(part, ["mpx"])
                self.cpp_info.components[part].system_libs = [library]
        if self.options.compiled:
            self._component("compiled", ["mpx"])
            compiled = self.cpp_info.components["compiled"]
            compiled.libdirs = ["lib"]
            compiled.libs = ["mpx_compiled"]
            compiled.defines = ["MPX_COMPILED=1"]

    def _component(self, name, requires):
        it = self.cpp_info.components[name]
        it.set_property("cmake_target_name", f"mpx::{name}")
        it.set_property("pkg_config_name", "mpx" if name == "mpx" else f"mpx-{name}")
        it.requires = requires
        it.bindirs = []
        it.libdirs = []
