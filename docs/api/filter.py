#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What Doxygen reads instead of a header: the same lines, without what only the library needs.

Gone are the inline namespace, attributes, the argument that carries the line of the caller, and the
members by which the engine drives a policy. The bases of a communicator are shown in it. A word of
the doc comments that opens a paragraph (Errors:, Cost:, ...) becomes one.

usage: filter.py HEADER
"""

import re
import sys
from pathlib import Path

# Their public members are what a concept asks for, and are explained there.
POLICIES = ("transport", "matching", "flow", "protocol", "bootstrap", "watch")
BASES = ("comm/point_to_point.hpp", "comm/mpi_names.hpp", "comm/message.hpp", "communicator.hpp",
         "comm/creations.hpp", "comm/handling.hpp", "comm/survivors.hpp", "coll/calls.hpp",
         "coll/names.hpp", "coll/neighbor/neighbor.hpp", "topology/communicators.hpp")
# What only those who write a matcher meet, and what only tests do.
DROPPED = (r"\w+_archetype|envelope|pattern|posted_receive|unexpected_message|unmarked_call|"
           r"neighbor_blocks|neighbor_call")
WORDS = "Requires|Effects|Returns|Errors|Completion|Threads|Cost|Source"


def blank(match: re.Match) -> str:
    """Nothing, on as many lines."""
    return "\n" * match[0].count("\n")


def paragraph(match: re.Match) -> str:
    return f"{match[1]}<br><b>{match[2]}:</b> "


def documented(line: str) -> str:
    """A line of a doc comment, as Markdown."""
    head, slashes, text = line.partition("///")
    if not slashes:
        return line
    text = text.replace(" .. ", " to ")  # A full stop would end the brief.
    return head + slashes + re.sub(rf"(^| )({WORDS}):\s+", paragraph, text)


def filtered(name: str, text: str) -> str:
    text = re.sub(r"mpx::inline v\d+", "mpx", text)
    text = re.sub(r",\s*(std::source_location|site) where =\s*(std::source_location|site)::current\(\)",
                  blank, text)
    text = re.sub(r"(?<=\()\s*std::source_location where =\s*std::source_location::current\(\)",
                  blank, text)
    # So that definitions outside of a class are still those of its members.
    text = re.sub(r"(,\s*|(?<=\())std::source_location where(?=\))", blank, text)
    text = re.sub(r"\[\[gnu::[^\]]*\]\] ?|\[\[nodiscard\]\] ?|\[\[no_unique_address\]\] ?", "", text)
    text = re.sub(r"\s*noexcept\((detail::)?(is_code|stores_errors|stored)<[^()]*>\)", blank, text)
    text = text.replace("detail::throws_t", "throws_t")
    # Doxygen takes the shift in an argument of a template for the template's end.
    text = re.sub(r"std::uint64_t\{(\d+)\} << (\d+)", lambda m: str(int(m[1]) << int(m[2])), text)
    text = re.sub(rf"(^///[^\n]*\n)*^struct ({DROPPED})\b[^;{{]*\{{.*?^\}};", blank, text,
                  flags=re.M | re.S)
    if name.endswith(BASES):
        text = text.replace("namespace mpx::detail", "namespace mpx").replace("protected:", "private:")
        text = re.sub(r"  using base::.*;", "", text)
        text = re.sub(r"detail::(point_to_point|mpi_names|message_mpi_names|creations|handling|survivors|"
                      r"neighbor_collectives|collectives)<",
                      r"\1<", text)
    if "mpi_names" in name:
        text = text.replace("namespace detail {", "").replace("}  // namespace detail", "")
        text = re.sub(r"^template[^\n]*\n(inline )?auto as_form\(.*?^}", blank, text, flags=re.M | re.S)
    if name.endswith("coll/calls.hpp"):  # What `with` returns.
        text = re.sub(r"^///[^\n]*\ntemplate <class Stack>\nclass forced_algorithm.*?^\};", blank, text,
                      flags=re.M | re.S)
    if name.endswith("core/error.hpp"):
        text = text[:text.index("template <>")]  # Doxygen stumbles over a specialisation in std.
    text = text.replace("  using policy_axis =", " private: using policy_axis =")
    folder = Path(name).parent.name
    if folder in POLICIES and "concepts" not in name:
        text = text.replace("public:", "private:")
    return "\n".join(documented(line) for line in text.split("\n"))


if __name__ == "__main__":
    sys.stdout.write(filtered(sys.argv[1], Path(sys.argv[1]).read_text(encoding="utf-8")))
