# SPDX-License-Identifier: BSL-1.0
"""The doctest of this machine as a package of Conan, for tests without a network."""

from conan import ConanFile


class SystemDoctest(ConanFile):
    name = "doctest"
    version = "2.4.9"
    package_type = "unknown"

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "doctest")
        it = self.cpp_info.components["doctest"]
        it.set_property("cmake_target_name", "doctest::doctest")
        it.includedirs = it.libdirs = it.bindirs = []
