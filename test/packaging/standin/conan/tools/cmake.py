# SPDX-License-Identifier: BSL-1.0
import subprocess
from pathlib import Path


def cmake_layout(conanfile, src_folder="."):
    base = Path(conanfile.base_folder)
    conanfile.source_folder = str(base / src_folder)
    conanfile.build_folder = str(Path(conanfile.scratch) / "build")
    conanfile.generators_folder = str(Path(conanfile.scratch) / "generators")
    conanfile.cpp = type("Cpp", (), {"build": type("Build", (), {"bindir": "."})})


class CMakeToolchain:
    def __init__(self, conanfile):
        self.conanfile = conanfile
        self.cache_variables = {}

    def generate(self):
        lines = [f'set({name} "{value}" CACHE STRING "")' for name, value in self.cache_variables.items()]
        lines += [f'list(PREPEND CMAKE_PREFIX_PATH "{self.conanfile.generators_folder}")', "set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)"]
        folder = Path(self.conanfile.generators_folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "conan_toolchain.cmake").write_text("\n".join(lines) + "\n")


class CMakeDeps:
    """Writes the package files of CMake from what package_info tells: a target for each component."""

    def __init__(self, conanfile):
        self.conanfile = conanfile

    def generate(self):
        folder = Path(self.conanfile.generators_folder)
        folder.mkdir(parents=True, exist_ok=True)
        for dependency in self.conanfile.dependencies.values():
            name = dependency.cpp_info.properties["cmake_file_name"]
            (folder / f"{name}Config.cmake").write_text(config(dependency, self.conanfile.dependencies))
            (folder / f"{name}ConfigVersion.cmake").write_text(
                f'set(PACKAGE_VERSION "{dependency.version}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n')


def target(dependency, component, dependencies):
    if "::" in component:
        other, component = component.split("::")
        dependency = dependencies[other]
    if component not in dependency.cpp_info.components:
        raise KeyError(f"{dependency.name} has no component {component}")
    return dependency.cpp_info.components[component].properties["cmake_target_name"]


def config(dependency, dependencies):
    lines = []
    for other in {word.split("::")[0] for it in dependency.cpp_info.components.values() for word in it.requires if "::" in word}:
        lines.append(f"find_package({dependencies[other].cpp_info.properties['cmake_file_name']} REQUIRED CONFIG)")
    for component, it in dependency.cpp_info.components.items():
        name = target(dependency, component, dependencies)
        lines += [f"if(NOT TARGET {name})", f"add_library({name} INTERFACE IMPORTED)", "endif()"]
        for folder in it.includedirs:
            lines.append(f'target_include_directories({name} INTERFACE "{dependency.package_folder}/{folder}")')
        for folder in it.libdirs:
            lines.append(f'target_link_directories({name} INTERFACE "{dependency.package_folder}/{folder}")')
        linked = [target(dependency, word, dependencies) for word in it.requires] + it.libs + it.system_libs
        lines += [f"target_link_libraries({name} INTERFACE {' '.join(linked)})"] if linked else []
        lines += [f"target_compile_definitions({name} INTERFACE {' '.join(it.defines)})"] if it.defines else []
    return "\n".join(lines) + "\n"


class CMake:
    def __init__(self, conanfile):
        self.conanfile = conanfile

    def configure(self, variables=None):
        it = self.conanfile
        given = [f"-D{name}={value}" for name, value in (variables or {}).items()]
        self.cmake("-S", it.source_folder, "-B", it.build_folder, *it.cmake_options,
                   f"-DCMAKE_TOOLCHAIN_FILE={it.generators_folder}/conan_toolchain.cmake", *given)

    def build(self):
        self.cmake("--build", self.conanfile.build_folder)

    def install(self):
        self.cmake("--install", self.conanfile.build_folder, "--prefix", self.conanfile.package_folder)

    @staticmethod
    def cmake(*words):
        subprocess.run(["cmake", *map(str, words)], check=True, stdout=subprocess.DEVNULL)
