# SPDX-License-Identifier: BSL-1.0
"""The OpenSSL of this machine as a package of Conan, for tests without a network."""

from conan import ConanFile


class SystemOpenssl(ConanFile):
    name = "openssl"
    version = "3.0.0"
    package_type = "unknown"

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "OpenSSL")
        for name, target in (("crypto", "Crypto"), ("ssl", "SSL")):
            it = self.cpp_info.components[name]
            it.set_property("cmake_target_name", f"OpenSSL::{target}")
            it.includedirs = it.libdirs = it.bindirs = []
            it.system_libs = [name]
