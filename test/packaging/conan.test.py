#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 300
# sanitizers: none
# release: all
"""The recipe of Conan: its package has the files and the components that it should, and its test_package is built
against it and runs. By Conan itself if `conan` is a program here, else by the stand-in of standin/.

Boost and OpenSSL are those of this machine (system/), so that nothing is downloaded. SCRIPT MPXRUN [name of a
test...]; `built`, which compiles the tools and mpx::compiled, runs only by its name (scripts/release does that).
"""

import importlib.util

from packages import *  # noqa: F403

HERE = Path(__file__).resolve().parent
RECIPE = SOURCE / "packaging/conan"
CONAN = shutil.which("conan")
SETTINGS = {"os": "Linux", "compiler_cppstd": "20", "build_type": "Release"}


def expected_problems(prefix, parts):
    """Files that a package lacks, or should not have."""
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    files -= {"conaninfo.txt", "conanmanifest.txt"}
    wanted = {"include/mpx/mpx.hpp", "include/mpx/version.hpp", "licenses/LICENSE", "share/mpx/modules/mpx.cppm"}
    wanted |= {"lib/libmpx_compiled.a"} if "compiled" in parts else set()
    wanted |= {"bin/mpxrun", "bin/mpxinfo"} if "tools" in parts else set()
    allowed = r"include/mpx/|licenses/|share/(mpx|man|zsh|fish|bash-completion)/"
    bad = [f"{name} is missing" for name in sorted(wanted - files)]
    return bad + [f"{name}: no place for a file" for name in sorted(files - wanted) if not re.match(allowed, name)]


# --- by Conan itself ---

def by_conan(work, *parts):
    env = {**CLEAN, "CONAN_HOME": str(work / "home")}

    def conan(*words, **more):
        return run(CONAN, *words, env=env, **more)

    if not (work / "home").exists():
        conan("profile", "detect")
        for name in ("boost", "doctest", "openssl"):
            conan("create", HERE / "system" / name)
    recipe = work / "packaging"
    if not recipe.exists():  # The test package is built beside its recipe: not in the tree.
        copy_tree(work)
    conan("create", work / "tree/packaging/conan", "-s", "compiler.cppstd=20",
          *(word for part in parts for word in ("-o", f"mpx/*:{part}=True")))
    listed = json.loads(conan("list", f"mpx/{VERSION}:*", "--format=json", stderr=subprocess.DEVNULL))
    package = sorted(next(iter(next(iter(listed.values())).values()))["revisions"].values(), key=str)[-1]["packages"]
    reference = f"mpx/{VERSION}:{next(iter(package))}"
    return Path(conan("cache", "path", reference, stderr=subprocess.DEVNULL).strip())


def copy_tree(work):
    names = run("git", "-C", SOURCE, "ls-files") if (SOURCE / ".git").exists() else ""
    every = (path.relative_to(SOURCE) for path in SOURCE.rglob("*") if path.is_file())
    for name in names.splitlines() or [path for path in every if path.parts[0] != "build"]:
        if (SOURCE / name).is_file():
            target = work / "tree" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, target)


# --- by the stand-in ---

def recipe_of(folder, settings=SETTINGS, **options):
    """The recipe of a folder, as far as Conan goes before it builds."""
    sys.path.insert(0, str(HERE / "standin"))
    from conan import ConanFile
    spec = importlib.util.spec_from_file_location(f"recipe_{folder.parent.name}_{folder.name}", folder / "conanfile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = next(value for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, ConanFile) and value is not ConanFile)
    it = made(folder, settings, **options)
    it.cmake_options = ["-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG"]
    if hasattr(it, "set_version"):
        it.set_version()
    it.configure()
    it.requirements()
    it.validate()
    return it


def by_standin(work, *parts):
    it = recipe_of(RECIPE, **dict.fromkeys(parts, True))
    for reference in it.required:
        name = reference.split("/")[0]
        other = recipe_of(HERE / "system" / name)
        other.package_folder = ""
        other.package_info()
        it.dependencies[name] = other
    it.scratch = work
    it.export_sources_folder = it.base_folder = str(work / "export")
    it.export_sources()
    it.package_folder = str(work / "package")
    it.layout()
    it.generate()
    it.build()
    it.package()
    it.package_id()
    expect(it.info.is_clear == (not {"tools", "compiled"} & set(parts)), f"{parts}: the identity of the package is wrong")
    it.package_info()
    shutil.rmtree(work / "export")  # The package stands alone.
    test_package(it, work)
    return Path(it.package_folder)


def test_package(package, work):
    test = recipe_of_test(package, work)
    test.layout()
    for name in test.generators:
        if name.startswith("CMake"):
            module = __import__("conan.tools.cmake", fromlist=[name])
            getattr(module, name)(test).generate()
    test.build()
    test.run_path = [f"{package.package_folder}/{folder}" for it in package.cpp_info.components.values() for folder in it.bindirs]
    test.test()


def recipe_of_test(package, work):
    from conan import ConanFile
    ConanFile.tested_reference_str = f"mpx/{package.version}"
    test = recipe_of(RECIPE / "test_package")
    expect(test.required == [f"mpx/{VERSION}"], f"the test package requires {test.required}")
    test.dependencies = {**package.dependencies, "mpx": package}
    test.base_folder = RECIPE / "test_package"
    test.scratch = work / "test"
    return test


def create(work, *parts):
    prefix = by_conan(work, *parts) if CONAN else by_standin(work, *parts)
    problems = expected_problems(prefix, parts)
    expect(not problems, "\n".join(problems))
    return prefix


def headers(work):
    create(work, "tcp", "tls", "sim", "asio")


def built(work):
    create(work, "tools", "compiled", "tcp", "tls")


def refused(work):
    """Settings and options that cannot work."""
    if CONAN:
        copy_tree(work)
        env = {**CLEAN, "CONAN_HOME": str(work / "home")}
        run(CONAN, "profile", "detect", env=env)
        for name in ("boost", "doctest", "openssl"):
            run(CONAN, "create", HERE / "system" / name, env=env)
        for words in (("-s", "compiler.cppstd=17"), ("-s", "compiler.cppstd=20", "-o", "mpx/*:tls=True")):
            run(CONAN, "create", work / "tree/packaging/conan", *words, env=env, fails=True)
        return
    recipe_of(RECIPE)
    for settings, options in (({"compiler_cppstd": "17"}, {}), ({"os": "Windows"}, {}), ({}, {"tls": True})):
        try:
            recipe_of(RECIPE, {**SETTINGS, **settings}, **options)
        except Exception as why:  # pylint: disable=broad-except
            expect(type(why).__name__ == "ConanInvalidConfiguration", f"{settings} {options}: {why!r}")
        else:
            expect(False, f"{settings} {options}: not refused")


def options(_):
    """Each component of CMake is an option."""
    text = (RECIPE / "conanfile.py").read_text(encoding="utf-8")
    told = re.findall(r'"(\w+)"', re.search(r"^HEADER_PARTS = \((.*?)\)", text, re.M | re.S)[1])
    expect(sorted(told) == components(), f"the options are {told}; cmake/components has {components()}")


if not shutil.which("cmake"):
    skip("cmake is needed")
print(f"by {CONAN}" if CONAN else "by the stand-in: no conan is here")
named = sys.argv[2:]
in_order(options, refused, headers, *((built,) if named else ()))
