# SPDX-License-Identifier: BSL-1.0
"""A package that CMake builds: the phases cmake, build and install, with the arguments that Spack gives."""

import re
import subprocess

from spack.package import directives


class CMakePackage:
    has_code = True
    root_cmakelists_dir = None

    def __init__(self, stage, prefix, *more, **chosen):
        """Variants by name; `more` are further arguments for CMake, such as the generator."""
        variants = {name: more["default"] for kind, name, more in directives if kind == "variant"}
        if unknown := set(chosen) - set(variants):
            raise AttributeError(f"there are no variants {unknown}")
        self.variants = {**variants, **chosen}
        self.stage, self.prefix, self.more = stage, prefix, more

    def satisfies(self, spec):
        """If all variants are as `spec` says, such as "+tls~tcp"; what else a spec may say is not known here."""
        words = re.findall(r"([+~])(\w+)", spec)
        return "".join(a + b for a, b in words) == spec and all(self.variants[name] == (sign == "+") for sign, name in words)

    def conflicts(self):
        return [more["msg"] for kind, spec, more in directives if kind == "conflicts" and self.satisfies(spec)]

    def dependencies(self):
        return {re.match(r"\w+", spec)[0] for kind, spec, more in directives
                if kind == "depends_on" and self.satisfies(more["when"]) and "link" in more["type"]}

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value}"

    def define_from_variant(self, name, variant=None):
        return self.define(name, self.variants[variant or name.lower()])

    def install(self):
        for command in (["-S", self.root_cmakelists_dir, "-B", self.stage,
                         self.define("CMAKE_INSTALL_PREFIX", self.prefix), self.define("CMAKE_BUILD_TYPE", "Release"),
                         self.define("CMAKE_FIND_USE_PACKAGE_REGISTRY", False), *self.more, *self.cmake_args()],
                        ["--build", self.stage], ["--install", self.stage]):
            subprocess.run(["cmake", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
