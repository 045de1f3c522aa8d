# SPDX-License-Identifier: BSL-1.0
"""Stand-in for the part of Spack that the recipe of packaging/spack uses; test/packaging/spack.test.py drives it. The
directives of a class are taken down in the order in which they stand; an argument that is not here is an error."""

__all__ = ["conflicts", "depends_on", "license", "variant", "version"]

directives = []  # (name, argument, further arguments)


def version(text):
    directives.append(("version", text, {}))


def variant(name, default, description):
    directives.append(("variant", name, {"default": default, "description": description}))


def depends_on(spec, type=("build", "link"), when=""):  # pylint: disable=redefined-builtin  # As in Spack.
    directives.append(("depends_on", spec, {"type": type, "when": when}))


def conflicts(spec, when="", msg=""):
    directives.append(("conflicts", spec, {"when": when, "msg": msg}))


def license(name):  # pylint: disable=redefined-builtin  # As in Spack.
    directives.append(("license", name, {}))
