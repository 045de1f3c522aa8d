# SPDX-License-Identifier: BSL-1.0
from conan.errors import ConanInvalidConfiguration


def check_min_cppstd(conanfile, wanted):
    has = int(str(conanfile.settings.compiler_cppstd).removeprefix("gnu"))
    if has < wanted:
        raise ConanInvalidConfiguration(f"C++{wanted} is needed, this is C++{has}")


def can_run(_):
    return True
