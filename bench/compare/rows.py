# SPDX-License-Identifier: BSL-1.0
"""The rows of the comparison: what is run for each."""

from dataclasses import dataclass, field

from compare import BANDWIDTH_SIZES, BOTH_WAYS_SIZES, KIB, LONG_SIZES, MIB, human, libraries

MEDIAN, LOWER_QUARTILE, WORST = "median", "lower quartile", "worst"
BEYOND = "beyond"  # The median of the time that is not a program's own work.


@dataclass(frozen=True)
class Test:
    """One row: what to run, and the test's name with each contender; no name, no figure. A
    contender "mpx/x" is mpx with other arguments: its figures make a row of their own, name_x."""

    name: str
    size: int
    ranks: int
    unit: str
    programs: dict
    args: tuple = ()
    args_of: dict = field(default_factory=dict, hash=False)
    pinned: bool = True
    lower_is_better: bool = True
    by_slots: bool = False
    timed_by_mode: bool = True  # Without, ranks are not probed either, which moves them.
    rounds_max: int = 1000
    jobs: int = 0  # At least so many in all rounds together; 0: one a round.
    figures: tuple = (("", MEDIAN),)  # The ending of the row's name, and what of the samples.
    cores: int = None  # Of those that we may use; None: all.
    loaded: bool = False  # A process of ours keeps the first core busy meanwhile.
    quick: bool = True
    on_demand: bool = False  # Only if it is asked for by name.
    yields: bool = False  # The MPIs are told to give the core away while they wait.
    sockets: bool = False  # The MPIs are told to use TCP over loopback, and have to.
    on_hosts: bool = False  # The same, over a link between two network namespaces.
    environment: dict = field(default_factory=dict, hash=False)
    provider: str = None  # Of libfabric, which is needed; raw is fabric_raw then.
    whole_program: bool = False  # One of bench/programs, which says how long its own work took.
    times_job: bool = False  # The figure is the time of the whole job: bench/start.cpp, mpi_start.c.

    @property
    def key(self):
        return (self.name, self.size, self.ranks)

    @property
    def label(self):
        ranks = f", {self.ranks} ranks" if self.ranks > 2 else ""
        return f"{self.name} {human(self.size)}{ranks}"

    @property
    def samples_needed(self):
        """Undisturbed ones, to be judged by: jobs differ, samples of a job hardly."""
        return max(self.jobs // (4 if self.timed_by_mode else 2), 1)

    @property
    def row_names(self):
        """Of all rows that come of it."""
        return ([self.name + ending for ending, _ in self.figures]
                + [f"{self.name}_{c.partition('/')[2]}" for c in self.programs if "/" in c])


def same(name, raw=None):
    programs = dict.fromkeys(libraries(), name)
    return programs | ({"raw": raw} if raw else {})


def beside_bare(name, args, raw, raw_args):
    """The programs of a row and their arguments, where those of the bare one are others."""
    return dict(programs=same(name, raw),
                args_of=dict.fromkeys(same(name), args) | {"raw": raw_args})


def rate_tests():
    """A window of 8 bytes; then with its receives posted before it is sent."""
    windows = ("--iters", 2000, "--warmup", 200, "--samples", 7)
    ways = (("rate", ()), ("rate_posted", ()), ("rate_tags4", ("--tags", 4)),
            ("rate_tags16", ("--tags", 16)), ("rate_any", ("--recv-any",)),
            ("rate_reverse", ("--reverse",)))
    for name, args in ways:
        posted = () if name == "rate" else ("--posted",)
        every = {c: (*posted, *args) for c in libraries()}
        yield Test(name, 8, 2, "M/s", same("rate", "ring_rate"), windows,
                   args_of=every | {"raw": ("--iters", 10000)}, lower_is_better=False,
                   quick=name in ("rate", "rate_posted"))


def bandwidth_tests():
    iters = dict(zip(BANDWIDTH_SIZES, ((2000, 200),) * 3 + ((1000, 100), (800, 80), (400, 40),
                                                            (30, 4), (4, 1), (2, 1))))
    for size, (timed, warmup) in iters.items():
        args = ("--iters", timed, "--warmup", warmup, "--samples", 5)
        common = dict(size=size, ranks=2, unit="GB/s", args=args, lower_is_better=False)
        yield Test("bw", programs=same("bw", "copy"), quick=size in LONG_SIZES, **common)
        if size not in LONG_SIZES:
            continue
        yield Test("bw_arena", programs={"mpx": "bw", "raw": "copy"}, args_of={"mpx": ("--arena",)},
                   quick=False, **common)
        yield Test("copy_ring", programs={"raw": "copy_ring"}, quick=False, **common)


def both_ways_tests():
    """Both directions at once, each message of a window in a buffer of its own. For as long as what
    a job learns at its start, or has the kernel do, does not weigh: that is fresh_bw's matter."""
    iters = dict(zip(BOTH_WAYS_SIZES, ((400, 40), (200, 20), (100, 10), (100, 10), (40, 4),
                                       (12, 2))))
    for size, (timed, warmup) in iters.items():
        for name, order in (("bibw", "receives"), ("bibw_sends", "sends"),
                            ("bibw_sendrecv", "sendrecv")):
            orders = {c: ("--order", order, "--buffers", 16) for c in libraries()}
            yield Test(name, size, 2, "GB/s", same("bibw", "copy_both" if name == "bibw" else None),
                       ("--iters", timed, "--warmup", warmup, "--samples", 4, "--window", 16),
                       args_of=orders, lower_is_better=False, quick=False)


def fresh_tests():
    """Tests of a job that has just begun."""
    paths = ("get", "put", "packets")
    yield Test("fresh_bw", 4 * MIB, 2, "GB/s",
               {"mpx": "bw"} | {f"mpx/{p}": "bw" for p in paths},
               ("--iters", 4, "--warmup", 1), jobs=20,
               args_of={f"mpx/{p}": ("--long-path", p) for p in paths}, lower_is_better=False,
               figures=(("", MEDIAN), ("_quartile", LOWER_QUARTILE)), quick=False)
    for name, loaded in (("unpinned", False), ("unpinned_loaded", True)):
        pinned = {} if loaded else {"mpx/if_pinned": "exchange"}
        yield Test(name, 8, 2, "us", same("exchange") | pinned,
                   ("--iters", 2000, "--seconds", 0.3), args_of={"mpx/if_pinned": ("--pin",)},
                   pinned=False, timed_by_mode=False, jobs=20, loaded=loaded,
                   figures=(("", MEDIAN), ("_worst", WORST)), quick=False)


def oversubscribed_tests():
    """More ranks than cores, of which they get two: blocked ranks, and ranks that poll."""
    for_a_while = ("--iters", 1 << 40, "--seconds", 0.15, "--samples", 4)
    of_two = dict(pinned=False, cores=2)
    common = dict(args=for_a_while, **of_two)

    def bare_ring(ranks, args):
        return beside_bare("ring", args, "oversubscribed_token",
                           ("--iters", 5000, "--samples", 2, "--ranks", ranks))

    yield Test("ring", 8, 8, "us", **bare_ring(8, for_a_while), **of_two)
    yield Test("ring_slots", 8, 8, "us", same("ring"), by_slots=True, **common)
    yield Test("allreduce", 8, 2, "us", same("allreduce"), for_a_while)
    yield Test("allreduce", 8, 4, "us", same("allreduce"), **common)
    few = dict(common, args=("--iters", 1 << 40, "--seconds", 0.1, "--samples", 3), quick=False)
    for ranks in (4, 8):
        if ranks == 4:
            yield Test("ring", 8, ranks, "us", **bare_ring(ranks, few["args"]), quick=False,
                       **of_two)  # What polls is held to.
        for name in ("poll_test", "poll_probe", "poll_any"):
            yield Test(name, 8, ranks, "us", same(name), **few)
        yield Test("poll_slots", 8, ranks, "us", same("poll_test"), by_slots=True, **few)


def pack_tests():
    """Packing what lies apart, on each rank alone."""
    for name in ("pack_column", "pack_record", "pack_indexed", "pack_face"):
        for size, iters in ((8 * KIB, 20000), (512 * KIB, 200)):
            yield Test(name, size, 2, "GB/s", same(name), ("--iters", iters, "--samples", 5),
                       lower_is_better=False, timed_by_mode=False, quick=False)


def socket_tests():
    """Over TCP and loopback: what ranks on several hosts would use. Ranks of a cluster stack pretend
    to be on two of them. Then the same over two network namespaces."""
    stacks = {"mpx": "tcp", "mpx/cluster": "cluster", "mpx/tls": "tls"}
    common = dict(ranks=2, quick=False, sockets=True, environment={"MPX_PRETEND_HOSTS": "0,1"})
    hosts = dict(ranks=2, quick=False, sockets=True, on_hosts=True, on_demand=True,
                 environment={"MPX_TCP_INTERFACE": "10.213.0.0/24"})

    def of(name, raw=None, **more):
        chosen = stacks | more
        return dict(programs=same(name, raw) | dict.fromkeys(chosen, name),
                    args_of={c: ("--stack", s) for c, s in chosen.items()})

    for where, how in (("tcp", common), ("hosts", hosts)):
        yield Test(f"{where}_latency", 8, unit="us",
                   args=("--iters", 5000, "--warmup", 500, "--samples", 5),
                   **of("latency", "socket_latency"), **how)
        yield Test(f"{where}_rate", 8, unit="M/s",
                   args=("--iters", 1000, "--warmup", 100, "--samples", 5), lower_is_better=False,
                   **of("rate"), **how)
        for size, window, iters in ((64 * KIB, 64, 20), (MIB, 16, 8), (16 * MIB, 4, 3)):
            yield Test(f"{where}_bw", size, unit="GB/s", lower_is_better=False,
                       args=("--iters", iters, "--warmup", 2, "--window", window, "--samples", 4),
                       **of("bw", "socket_stream", **{"mpx/streams": "tcp_streams"}), **how)


def card_tests():
    """Over registered memory in software, beside its bare card and shared memory."""
    common = dict(ranks=2, quick=False)
    over = {"mpx": ("--stack", "rdma")}
    for size in (8, KIB, 16 * KIB, 64 * KIB, MIB):
        yield Test("rdma_latency", size, unit="us", args_of=over,
                   programs={"mpx": "latency", "mpx/nic": "nic_latency", "mpx/shm": "latency"},
                   args=("--iters", 5000 if size <= KIB else 200, "--samples", 5), **common)
    for size in (64 * KIB, MIB, 4 * MIB):
        yield Test("rdma_bw", size, unit="GB/s", args_of=over, lower_is_better=False,
                   programs={"mpx": "bw", "mpx/nic": "nic_bw"},
                   args=("--iters", 8, "--window", 16, "--samples", 5), **common)
    for size in COLLECTIVE_SIZES:
        yield Test("rdma_bcast", size, unit="us", args_of=over,
                   programs={"mpx": "coll_bcast", "mpx/shm": "coll_bcast"},
                   args=("--seconds", 0.05, "--samples", 4), **common)
    for size in (4 * KIB, 64 * KIB, MIB, 4 * MIB):
        yield Test("rdma_register", size, unit="us",
                   programs={"mpx": "nic_register", "mpx/copy": "nic_copy"},
                   args=("--iters", 20, "--samples", 5), **common)


def overlap_tests():
    """Communication while the program makes no call, with progress threads and without; and the cost
    of these."""
    stacks = {"mpx": "progress", "mpx/on_call": "default"}
    yield Test("progress_latency", 8, 2, "us", dict.fromkeys(stacks, "latency"),
               ("--iters", 10000, "--warmup", 1000, "--samples", 7),
               args_of={c: ("--stack", s) for c, s in stacks.items()}, quick=False)
    for where, names in (("", stacks), ("tcp_", {"mpx": "tcp_progress", "mpx/on_call": "tcp"})):
        for test in ("overlap_send", "overlap_put", "overlap_allreduce"):
            yield Test(f"{where}{test}", MIB, 2, "%", same(test) | dict.fromkeys(names, test),
                       ("--samples", 3), args_of={c: ("--stack", s) for c, s in names.items()},
                       lower_is_better=False, timed_by_mode=False, quick=False,
                       sockets=where != "")


FABRICS = {"shm": "shm", "tcp": "tcp;ofi_rxm"}
FABRIC_SIZES = (64 * KIB, MIB, 4 * MIB)


def fabric_tests():
    """Over providers of libfabric, beside their own messages."""
    common = dict(ranks=2, quick=False, args_of={"mpx": ("--stack", "libfabric"),
                                                 "mpx/hosts": ("--stack", "fabric")})
    for short, provider in FABRICS.items():
        reads = "1" if provider == "shm" else "0"  # The better way: see docs/rdma.md.
        of_it = dict(common, provider=provider, environment={"MPX_FABRIC_PROVIDER": provider,
                                                             "MPX_FABRIC_READS": reads,
                                                             "MPX_PRETEND_HOSTS": "0,1"})
        yield Test(f"fabric_{short}_latency", 8, unit="us",
                   programs={"mpx": "latency", "mpx/hosts": "latency", "raw": "latency"},
                   args=("--iters", 20000, "--warmup", 2000, "--samples", 5), **of_it)
        for size in FABRIC_SIZES:
            yield Test(f"fabric_{short}_bw", size, unit="GB/s", lower_is_better=False,
                       programs={"mpx": "bw", "mpx/hosts": "bw", "raw": "bw"},
                       args=("--iters", 12 * MIB // size, "--warmup", 2, "--window", 16,
                             "--samples", 5), **of_it)


def host_tests():
    """On two network namespaces: a halo of 8 ranks, 4 on each. Broadcasts of 4 ranks that pretend to
    be on 4 hosts."""
    args = ("--seconds", 0.2, "--samples", 3)
    over = {"mpx": ("--stack", "cluster"), "mpx/fabric": ("--stack", "fabric")}
    fabric = {"MPX_FABRIC_PROVIDER": FABRICS["tcp"], "MPX_TCP_INTERFACE": "10.213.0.0/24"}
    for size in (KIB, 16 * KIB, 256 * KIB):
        yield Test("hosts_halo", size, 8, "us", args=args, args_of=over, pinned=False, cores=2,
                   timed_by_mode=False, quick=False, on_hosts=True, on_demand=True, yields=True,
                   programs=same("coll_neighbor_alltoall")
                   | dict.fromkeys(over, "coll_neighbor_alltoall"), environment=fabric)
    for size in (8, 16 * KIB, MIB):
        yield Test("bcast_4_hosts", size, 4, "us", args=args, pinned=False, cores=2,
                   timed_by_mode=False, quick=False, on_demand=True, args_of=over,
                   programs=dict.fromkeys(over, "coll_bcast"),
                   environment={"MPX_PRETEND_HOSTS": "0,1,2,3",
                                "MPX_FABRIC_PROVIDER": FABRICS["tcp"]})


ONE_SIDED = {"rma_put": "a put and a flush", "rma_get": "a get and a flush",
             "rma_accumulate": "an accumulate and a flush",
             "rma_fetch_and_op": "a fetch_and_op and a flush",
             "rma_compare_and_swap": "a compare_and_swap and a flush",
             "rma_put_fence": "a put and a fence", "rma_put_pscw": "a put, by start and post",
             "rma_get_fence": "a get and a fence", "rma_get_pscw": "a get, by start and post",
             "rma_accumulate_fence": "an accumulate and a fence",
             "rma_accumulate_pscw": "an accumulate, by start and post"}
ONE_SIDED_BANDWIDTH = {"rma_put_bw": "puts", "rma_get_bw": "gets",
                       "rma_put_pscw_bw": "puts, by start and post",
                       "rma_get_pscw_bw": "gets, by start and post",
                       "rma_accumulate_bw": "accumulates"}
ONE_SIDED_WORDS = {"rma_fetch_and_op_bw": "fetch_and_ops",
                   "rma_compare_and_swap_bw": "compare_and_swaps"}
ONE_SIDED_SIZES = (8, 64, 512, KIB, 8 * KIB, 64 * KIB, 512 * KIB, 4 * MIB)
GHOSTS = {"rma_ghost": "a put a side", "rma_ghost_elements": "a put an element",
          "rma_ghost_pscw": "a put a side, by start and post"}
GHOST_SIZES = (512, 8 * KIB)


def one_sided_tests():
    """Windows: a rank accesses the memory of the other one; ghost cells by each protocol."""
    for_a_while = ("--seconds", 0.05, "--samples", 5)
    common = dict(ranks=2, args=for_a_while, quick=False)
    bare = {"rma_put": "store", "rma_get": "load"}
    of_each = dict.fromkeys(libraries(), for_a_while)
    of_each["raw"] = ("--iters", 1000000, "--samples", 5)
    for name in ONE_SIDED:
        yield Test(name, 8, unit="us", programs=same(name, bare.get(name)), args_of=of_each,
                   **dict(common, args=()))
    for name in (*ONE_SIDED_BANDWIDTH, *ONE_SIDED_WORDS):
        for size in ONE_SIDED_SIZES[:1] if name in ONE_SIDED_WORDS else ONE_SIDED_SIZES:
            yield Test(name, size, unit="GB/s", programs=same(name), lower_is_better=False,
                       **dict(common, args=(*for_a_while, "--window", 16)))
    protocols = ("rdma", "buffered", "send_recv", "portals")
    for name in GHOSTS:
        for size in GHOST_SIZES:
            yield Test(name, size, unit="us",
                       programs=same(name) | {f"mpx/{p}": name for p in protocols},
                       args_of={f"mpx/{p}": ("--protocol", p) for p in protocols}, **common)


COLLECTIVES = ("barrier", "bcast", "allreduce", "allgather", "alltoall", "reduce_scatter",
               "neighbor_alltoall")
COLLECTIVE_SIZES = (8, KIB, 64 * KIB, MIB)


def collective_tests():
    """Two pinned ranks; then more ranks than cores, of which they get two, where the MPIs are told
    to yield, and where they have their defaults."""
    def sizes_of(operation, sizes):
        return sizes[:1] if operation == "barrier" else sizes

    pair = ("--iters", 1 << 40, "--seconds", 0.05, "--samples", 4)
    rounds = ("--iters", 200000, "--samples", 4)
    oversubscribed = ("--iters", 1 << 40, "--seconds", 0.1, "--samples", 2)
    common = dict(pinned=False, cores=2, quick=False)
    for operation in COLLECTIVES:
        name = f"coll_{operation}"
        bare = "turns" if operation == "bcast" else "meet"
        bare_oversubscribed = {"bcast": "oversubscribed_turns",
                               "neighbor_alltoall": "oversubscribed_ring"}.get(operation, "oversubscribed")
        for size in sizes_of(operation, COLLECTIVE_SIZES):
            # Of two ranks on a ring each gives the other a block on either side.
            given = 2 * size if operation == "neighbor_alltoall" else size
            yield Test(name, size, 2, "us", quick=False,
                       on_demand=operation not in ("barrier", "allreduce"),
                       **beside_bare(name, pair, bare if size <= KIB else None,
                                     (*rounds, "--size", given)))
        for ranks in (4, 8, 16):
            for size in sizes_of(operation, COLLECTIVE_SIZES[:2]):
                often = operation in ("barrier", "allreduce") and ranks == 4
                meetings = ("--iters", 5000, "--samples", 2, "--ranks", ranks)
                yield Test(f"coll_oversubscribed_{operation}", size, ranks, "us", yields=True,
                           on_demand=not often, **common,
                           **beside_bare(name, oversubscribed, bare_oversubscribed, meetings))
                yield Test(f"coll_slots_{operation}", size, ranks, "us", same(name), oversubscribed,
                           by_slots=True, on_demand=True, **common)


WHOLE_PROGRAMS = ("cg", "particles", "transpose", "wavefront", "bfs", "stencil")
# name -> the steps of a sample, of which a program with additional work in each needs few.
UNEVEN_STEPS = {"cg": 3, "particles": 100, "transpose": 100, "wavefront": 12, "bfs": 12,
                "stencil": 100}
PROGRAM_SETTINGS = {"": "even", "_uneven": "0.2 ms more work a step, the last rank 50 % more of it"}


def program_tests():
    """Whole programs: two ranks pinned and not, and more ranks than cores, of which they get two,
    where the MPIs are told to yield, and where they have their defaults."""
    places = {"": dict(ranks=2, pinned=True), "_unpinned": dict(ranks=2, pinned=False),
              "_4": dict(ranks=4, pinned=False, cores=2), "_8": dict(ranks=8, pinned=False, cores=2)}
    for ending, how in PROGRAM_SETTINGS.items():
        for program in WHOLE_PROGRAMS:
            args = ("--samples", 3)
            if how != "even":
                args += ("--steps", UNEVEN_STEPS[program], "--work", 200, "--uneven", 50)
            for place, where in places.items():
                for yields in (True, False) if where["ranks"] > 2 else (True,):
                    name = f"programs_{program}{ending}{place}{'' if yields else '_spin'}"
                    figures = (("", MEDIAN), ("_beyond", BEYOND)) if where["ranks"] == 2 else (
                        ("", MEDIAN),)
                    yield Test(name, 0, unit="ms", programs=same(program), args=args,
                               timed_by_mode=False, whole_program=True, yields=yields,
                               by_slots=not yields, jobs=6 if where["ranks"] == 2 else 3,
                               figures=figures, quick=False, on_demand=True, **where)


def make_tests():
    ping_pong = ("--iters", 10000, "--warmup", 1000, "--samples", 7)
    tests = [
        Test("latency", 8, 2, "us", same("latency", "bounce"), ping_pong),
        *rate_tests(),
        *bandwidth_tests(),
        *oversubscribed_tests(),
        *both_ways_tests(),
        *fresh_tests(),
        *socket_tests(),
        *pack_tests(),
        *collective_tests(),
        *one_sided_tests(),
        *card_tests(),
        *overlap_tests(),
        *program_tests(),
        *fabric_tests(),
        *host_tests(),
        Test("start", 0, 4, "ms", same("start"), pinned=False, timed_by_mode=False, cores=2, jobs=6,
             times_job=True, quick=False),
        Test("ring_latency", 8, 2, "us", {"raw": "ring_latency"}, ping_pong, quick=False),
        Test("bounce_one_line", 8, 2, "us", {"raw": "bounce_one_line"}, ping_pong, quick=False),
        Test("idle_cpu", 1, 2, "s", same("idle_cpu"), ("--seconds", 5, "--samples", 1),
             pinned=False, timed_by_mode=False, rounds_max=1, quick=False),
    ]
    # Tests that the targets need come first, since the time may run out.
    return sorted(tests, key=lambda t: not t.quick)
