#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Every test of a build has a time limit that a busy machine does not reach.

A limit is for hangs alone, and at least LEAST_S. Tests of which ctest knows, from runs before, that they
took more than a tenth of their limit are listed: on an idle machine their limit is to be raised.

usage: check_limits.py CTEST BUILD
"""

import json
import subprocess
import sys
from pathlib import Path

LEAST_S = 300


def limits_of(listing):
    """The limit of each test, None where there is none."""
    return {test["name"]: next((p["value"] for p in test.get("properties", []) if p["name"] == "TIMEOUT"), None)
            for test in listing["tests"]}


def costs_of(text):
    """Average times of tests, from the lines `name runs seconds`."""
    words = [line.split() for line in text.partition("\n---")[0].splitlines()]
    return {name: float(seconds) for name, runs, seconds in (w for w in words if len(w) == 3) if int(runs)}


def problems(limits):
    return [f"{name}: {'no limit' if limit is None else f'a limit of {limit:.0f} s'}; at least {LEAST_S} s are needed"
            for name, limit in limits.items() if limit is None or limit < LEAST_S]


def tight(limits, costs):
    return [f"{name}: took {costs[name]:.0f} s, its limit is {limit:.0f} s"
            for name, limit in limits.items() if limit and costs.get(name, 0) * 10 > limit]


def main():
    ctest, build = sys.argv[1:3]
    listing = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                             text=True, timeout=300).stdout
    limits = limits_of(json.loads(listing))
    costs = Path(build, "Testing/Temporary/CTestCostData.txt")
    for line in tight(limits, costs_of(costs.read_text()) if costs.exists() else {}):
        print("note:", line)
    found = problems(limits)
    print("\n".join([*found, f"{len(limits)} tests, {len(found)} problems"]))
    return 1 if found or not limits else 0


if __name__ == "__main__":
    sys.exit(main())
