# SPDX-License-Identifier: BSL-1.0
"""Description of the tree of mpx for the tools: layers, backends, optional headers, include lines."""

import re
from dataclasses import dataclass
from pathlib import Path

# Include downward only: a folder may include itself and the folders of lower levels. A folder inside
# of another one that is named here has a level of its own.
LEVELS = {
    "macros": 0,
    "version.hpp": 0,
    "config.hpp": 0.1,
    "core": 1,
    "data": 2,
    "bootstrap": 2,
    "transport": 3,
    "matching": 3,
    "flow": 3,
    "protocol": 4,
    "watch": 4,
    "engine/axes": 5,
    "engine/base": 5.1,
    "engine/components": 5.2,
    "engine/communicators": 5.2,
    "engine/compounds": 5.2,
    "engine/endpoint": 5.3,
    "engine/requests": 5.4,
    "comm": 6,
    "coll/algorithms": 7,
    "coll/node": 7.1,
    "coll/layout": 7.15,
    "coll": 7.2,
    "coll/checks": 7.3,
    "coll/inter": 7.3,
    "coll/neighbor": 7.3,
    "checks.hpp": 8,
    "profile.hpp": 8,
    "communicator.hpp": 8,
    "datatype.hpp": 8,
    "environment.hpp": 9,
    "topology": 9,
    "partitioned.hpp": 9,
    "attributes.hpp": 9,
    "intercommunicator.hpp": 9,
    "portals": 8.5,
    "rma": 9,
    "instances.hpp": 10,
    "run_threads.hpp": 10,
    "topology.hpp": 10,
    "rma.hpp": 10,
    "byte_window.hpp": 11,
    "portals.hpp": 10,
    "coroutine.hpp": 10,
    "mpx.hpp": 11,
    "sim.hpp": 11,
    "asio": 9,
    "asio.hpp": 12,
    "cluster.hpp": 12,
    "fabric.hpp": 12,
    "fabric_or_tcp.hpp": 13,
    "rdma.hpp": 12,
    "tls.hpp": 13,
}

# In these folders every header is one policy (a backend), except the shared ones named below.
POLICY_FOLDERS = ("transport", "matching", "flow")
SHARED_STEMS = {"concept", "concepts", "traits", "types", "detail"}
# The bootstraps share their plumbing; these are the policies, and headers choose among them.
# Transport tls is tcp with another stream.
BOOTSTRAPS = {"singleton", "mpi", "mpxrun", "threads", "pmi1", "pmix", "sim"}
CHOOSERS = {"bootstrap/detect.hpp", "bootstrap/anywhere.hpp", "transport/tls.hpp",
            "transport/tcp_streams.hpp", "transport/rdma/via.hpp"}

# Headers that need a library beyond Boost.Intrusive, or that few programs need: not in the umbrella
# nor in the single header.
OPTIONAL = ("coll/layout", "coll/layout_call", "datatype.hpp",
            "comm/layouts", "data/detail", "data/fields", "data/pack",
            "data/strided", "data/type", "data/typed_buffer",
            "coroutine", "asio", "engine/requests/awaiting", "engine/endpoint/one_sided",
            "profile", "watch/profile_table",
            "checks", "coll/checks",
            "attributes", "intercommunicator", "comm/intercommunicator",
            "coll/inter",
            "transport/channel", "bootstrap/mpi",
            "transport/tcp", "transport/tcp_streams", "transport/tls", "transport/hybrid",
            "transport/detail/near_sink",
            "protocol/near_far", "cluster", "fabric", "fabric_or_tcp", "tls", "transport/rdma", "core/linked_tree", "rdma",
            "transport/sim", "transport/detail/interfaces", "transport/detail/queue",
            "transport/detail/replay",
            "transport/detail/sim_port", "bootstrap/pmix", "bootstrap/anywhere",
            "bootstrap/pmi1", "bootstrap/one_host", "bootstrap/detail/joiner_by",
            "bootstrap/detail/launcher", "bootstrap/detail/host_rendezvous",
            "bootstrap/detail/host_group", "bootstrap/detail/fd_passing",
            "bootstrap/detail/bundled",
            "bootstrap/detail/death_watch", "bootstrap/detail/pmi_connection",
            "bootstrap/detail/published", "bootstrap/detail/client_member",
            "bootstrap/sim", "bootstrap/detail/sim_fiber", "bootstrap/detail/sim_random",
            "bootstrap/detail/sim_scheduler", "bootstrap/detail/sim_world", "sim",
            "topology", "comm/topology", "coll/neighbor",
            "comm/detail/check_call", "partitioned", "comm/partitioned", "rma", "byte_window", "portals")

# Headers that documents name: around all that they read, macros of the program are set aside.
MACROS_BEGIN, MACROS_END = "macros/begin.hpp", "macros/end.hpp"
ENTRANCES = tuple(f"{stem}.hpp" for stem in (
    "asio", "attributes", "byte_window", "checks", "cluster", "coroutine", "datatype", "fabric", "fabric_or_tcp",
    "intercommunicator", "mpx",
    "partitioned", "portals", "profile", "rdma", "rma", "sim", "tls", "topology", "bootstrap/pmi1", "bootstrap/pmix",
    "bootstrap/mpi", "core/group_sets", "transport/channel", "transport/channel/blocking",
    "transport/channel/files", "transport/channel/mpi", "transport/channel/pipes", "transport/channel/sockets",
    "transport/tcp", "transport/tcp_streams", "transport/tls", "transport/rdma/libfabric", "transport/rdma/sim", "transport/rdma/via"))

# Third-party include prefix -> the places in include/mpx/ that may use it.
THIRD_PARTY = {
    "boost/intrusive/": ("core/",),
    "boost/asio": ("transport/tcp", "asio"),
    "boost/system": ("asio",),
    "boost/pfr": ("data/",),
    "boost/context/": ("bootstrap/detail/sim_fiber",),
    "boost/": (),
    "rdma/": ("transport/rdma/libfabric",),
    "infiniband/": (),
    "openssl/": ("transport/tcp",),
    "pmix": ("bootstrap/pmix",),
    "mpi.h": ("bootstrap/mpi", "transport/channel/mpi"),
    "fmt/": (),
    "CLI/": (),
    "nlohmann/": (),
    "doctest/": (),
    "benchmark/": (),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def is_optional(relative: str) -> bool:
    """`relative` is a path below include/mpx/."""
    return any(relative in (p, f"{p}.hpp") or relative.startswith(p + "/") for p in OPTIONAL)


def folder_of(relative: str) -> str:
    """The key into LEVELS of a header below include/mpx/."""
    parts = relative.split("/")
    inner = "/".join(parts[:2])
    return inner if len(parts) > 2 and inner in LEVELS else parts[0]


def policy_of(relative: str) -> str | None:
    """The backend that a header belongs to, as "transport/shm"; None where it is shared."""
    folder, _, rest = relative.partition("/")
    stem = rest.split("/", 1)[0].removesuffix(".hpp")
    if folder == "bootstrap":
        is_policy = stem in BOOTSTRAPS
    else:
        is_policy = folder in POLICY_FOLDERS and stem not in SHARED_STEMS
    return f"{folder}/{stem}" if is_policy else None


def is_part_of(part: str, whole: str) -> bool:
    """True if `part` is detail/<name>_*.hpp or <name>_*.hpp beside <name>.hpp: it defines members of its
    class. The whole includes its parts at its end, and each part includes the whole, so that it stands alone."""
    folder, _, name = whole.removesuffix(".hpp").rpartition("/")
    return part.startswith(f"{folder}/detail/{name}_") or (whole in SPLIT and part.startswith(f"{folder}/{name}_"))


# A class in several files that lie beside each other.
SPLIT = ("engine/endpoint/endpoint.hpp",)
# The endpoint's components, by the header whose members belong to one.
COMPONENTS = {"peers": "peers", "outbox": "outbox", "inbox": "inbox", "unexpected_messages": "inbox",
              "rendezvous": "rendezvous", "progress": "progress"}


def component_of(relative: str) -> str | None:
    """The component whose members a header may name; None where no component's members are declared. The
    record of a peer declares a part for each component, and so belongs to none."""
    if relative.startswith("engine/components/"):
        return COMPONENTS.get(relative.removeprefix("engine/components/").removesuffix(".hpp"))
    if relative == "engine/endpoint/endpoint.hpp" or is_part_of(relative, "engine/endpoint/endpoint.hpp"):
        return "endpoint"
    return None


def strip_block_comments(text: str) -> str:
    """Blanks /* ... */ but keeps the line structure."""
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


@dataclass
class Include:
    line: int
    quoted: bool
    target: str
    conditional: bool
    late: bool  # After the first line of code.

    @property
    def mpx(self) -> str | None:
        """The path below include/mpx/ when this names a header of mpx."""
        return self.target.removeprefix("mpx/") if self.target.startswith("mpx/") else None


def includes_of(text: str) -> list[Include]:
    found, depth, late = [], 0, False
    for number, line in enumerate(strip_block_comments(text).splitlines(), 1):
        if re.match(r"\s*#\s*if", line):
            depth += 1
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1
        elif match := INCLUDE.match(line):
            found.append(Include(number, match[1] == '"', match[2], depth > 0, late))
        elif line.strip() and not re.match(r"\s*(#|//)", line):
            late = True
    return found


def headers(root: Path) -> dict[str, str]:
    """Every header below root/include/mpx/, as relative path -> text, sorted."""
    base = root / "include" / "mpx"
    return {
        p.relative_to(base).as_posix(): p.read_text(encoding="utf-8")
        for p in sorted(base.rglob("*"))
        if p.is_file() and p.suffix in (".hpp", ".h", ".ipp")
    }
