# SPDX-License-Identifier: BSL-1.0
"""Builds the consumer program against the package, and runs it; by mpxrun too if the package has the tools."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class MpxTestPackage(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain", "VirtualRunEnv"
    test_type = "explicit"

    def requirements(self):
        self.requires(self.tested_reference_str, run=True)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        options = self.dependencies["mpx"].options
        parts = [part for part in ("asio", "compiled", "sim", "tcp", "tls") if options.get_safe(part)]
        cmake.configure(variables={"PARTS": ";".join(parts)})
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        consumer = os.path.join(self.cpp.build.bindir, "consumer")
        self.run(consumer, env="conanrun")
        if self.dependencies["mpx"].options.tools:
            self.run(f"mpxrun -n 2 {consumer}", env="conanrun")
