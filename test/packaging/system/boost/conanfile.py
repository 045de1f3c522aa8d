# SPDX-License-Identifier: BSL-1.0
"""The Boost of this machine as a package of Conan, for tests without a network."""

import re

from conan import ConanFile
from conan.tools.files import load


class SystemBoost(ConanFile):
    name = "boost"
    package_type = "unknown"

    def set_version(self):
        header = load(self, "/usr/include/boost/version.hpp")
        self.version = re.search(r'BOOST_LIB_VERSION "([\d_]+)"', header)[1].replace("_", ".")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Boost")
        for name, libraries in (("headers", []), ("context", ["boost_context"])):
            it = self.cpp_info.components[name]
            it.set_property("cmake_target_name", f"Boost::{name}")
            it.includedirs = it.libdirs = it.bindirs = []
            it.system_libs = libraries
