# SPDX-License-Identifier: BSL-1.0
"""Stand-in for the part of Conan 2 that the recipes of packaging/conan use; test/packaging/conan.test.py drives it.
Another attribute, method or argument than those here is an error."""

import subprocess


class Closed:
    """Attributes that were given when it was made, and no other."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError(f"there is no {name}; there are {', '.join(self.__dict__)}")
        self.__dict__[name] = value

    def __getattr__(self, name):
        raise AttributeError(f"there is no {name}; there are {', '.join(self.__dict__)}")

    def get_safe(self, name):
        return self.__dict__.get(name)


class Component(Closed):
    def __init__(self):
        super().__init__(includedirs=["include"], libdirs=["lib"], bindirs=["bin"], libs=[], system_libs=[], defines=[],
                         requires=[], properties={})

    def set_property(self, name, value):
        if name not in ("cmake_target_name", "pkg_config_name"):
            raise AttributeError(f"a component has no property {name}")
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        self[name] = Component()
        return self[name]


class CppInfo(Closed):
    def __init__(self):
        super().__init__(components=Components(), properties={})

    def set_property(self, name, value):
        if name not in ("cmake_file_name", "cmake_target_name"):
            raise AttributeError(f"a package has no property {name}")
        self.properties[name] = value


class Info(Closed):
    """The identity of a package."""

    def __init__(self, settings, options):
        super().__init__(options=options, settings=settings, is_clear=False)

    def clear(self):
        self.is_clear = True


class ConanFile:
    name = version = package_type = None
    options = {}
    default_options = {}
    generators = ()
    TRAITS = {"transitive_headers", "run"}

    def __init__(self, recipe_folder, settings, **chosen):
        self.recipe_folder = str(recipe_folder)
        self.settings = Closed(**settings)
        unknown = set(chosen) - set(self.options)
        if unknown:
            raise AttributeError(f"{self.name} has no options {unknown}")
        self.options = Closed(**{**self.default_options, **chosen})
        self.cpp_info = CppInfo()
        self.info = Info(self.settings, self.options)
        self.required = []
        self.dependencies = {}
        self.run_path = []
        self.source_folder = self.build_folder = self.package_folder = self.generators_folder = None

    def requires(self, reference, **traits):
        if set(traits) - self.TRAITS:
            raise TypeError(f"requires: the stand-in does not know {set(traits) - self.TRAITS}")
        self.required.append(reference)

    def run(self, command, env=""):
        path = ":".join(self.run_path) + ":" if env == "conanrun" else ""
        subprocess.run(f'PATH="{path}$PATH" {command}', shell=True, check=True, cwd=self.build_folder)

    # A recipe may leave these out.
    def configure(self): ...
    def requirements(self): ...
    def validate(self): ...
    def layout(self): ...
    def generate(self): ...
    def build(self): ...
    def package(self): ...
    def package_id(self): ...
    def package_info(self): ...
