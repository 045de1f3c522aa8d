#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""A program that runs over a fabric, or over TCP if one of its ranks has none."""

from jobs import contains, equal, helper, main, run

HOSTS = ("-n", 4, "-x", "MPX_PRETEND_HOSTS=0,0,1,1")
SOCKETS = "tcp;ofi_rxm"  # As a fabric, where it is named.


def play(*options, rank_3=""):
    """Rank 3 has `rank_3` in its environment."""
    shell = f'[ "$MPX_RANK" = 3 ] && export {rank_3}; exec "$0"' if rank_3 else 'exec "$0"'
    done = run(*HOSTS, *options, "sh", "-c", shell, helper("libfabric_or_tcp"))
    return done.returncode, done.stdout, done.stderr


def test_a_named_provider():
    equal(play("-x", f"MPX_FABRIC_PROVIDER={SOCKETS}"), (0, "over a fabric\n", ""))


def test_one_rank_has_none():
    code, out, err = play("-x", f"MPX_FABRIC_PROVIDER={SOCKETS}",
                          rank_3="MPX_FABRIC_PROVIDER=nonsense")
    equal((code, out), (0, "over TCP\n"))
    for part in ("there is no fabric: rank 3: ", "nonsense", "MPX_FABRIC_FALLBACK=0 forbids TCP"):
        contains(err, part)


def test_it_is_forbidden():
    code, out, err = play("-x", "MPX_FABRIC_PROVIDER=nonsense", "-x", "MPX_FABRIC_FALLBACK=0")
    equal((code, out), (3, ""))
    for part in ("refused: ", "MPX_FABRIC_FALLBACK=0", "rank 0: ", "nonsense"):
        contains(err, part)


main(globals())
