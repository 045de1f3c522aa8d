#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""bench/tune.py makes a policy of measurements that compiles, and that says what was
fastest."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BIN = Path(os.environ["MPX_SOURCE"]), Path(os.environ["MPX_BIN"])

MEASURED = """\
operation,ranks,bytes,algorithm,us
barrier,2,0,dissemination,2.0
barrier,2,0,shared,1.0
allreduce,4,8,recursive_doubling,1.0
allreduce,4,8,ring,9.0
allreduce,4,4096,recursive_doubling,9.0
allreduce,4,4096,ring,1.0
allreduce,4,65536,recursive_doubling,9.8
allreduce,4,65536,ring,10.0
allreduce,4,1048576,recursive_halving,1.0
allreduce,4,1048576,ring,10.0
"""
OTHER = MEASURED.replace("barrier,2,0,shared,1.0", "barrier,2,0,shared,3.0")
PROGRAM = """\
#include "mpx_tuned.hpp"
#define mpx_tuned other_tuned
#include "other.hpp"
#undef mpx_tuned
using namespace mpx::coll;
constexpr algorithm of(operation o, std::size_t bytes, mpx::rank_t ranks, bool near = true) {
  return mpx_tuned::choose({o, bytes, ranks, true, true, near, near}).by;
}
static_assert(of(operation::allreduce, 8, 4) == algorithm::recursive_doubling);
static_assert(of(operation::allreduce, 181, 3) == algorithm::recursive_doubling);
static_assert(of(operation::allreduce, 182, 3) == algorithm::ring);
static_assert(of(operation::allreduce, 65536, 4) == algorithm::ring);  // Hardly slower.
static_assert(of(operation::allreduce, 1 << 24, 4) == algorithm::recursive_halving);
static_assert(of(operation::barrier, 0, 2) == algorithm::shared);
static_assert(of(operation::barrier, 0, 2, false) == by_size::choose({operation::barrier, 0, 2}).by);
static_assert(of(operation::allreduce, 8, 5) ==
              by_size::choose({operation::allreduce, 8, 5, true, true, true, true}).by);
using stack = mpx::stack<mpx_tuned>;
static_assert(std::same_as<stack::collective_type, mpx_tuned>);
static_assert(of(operation::barrier, 0, 2) != other_tuned::choose({operation::barrier, 0, 2}).by);
int main() {
  // Two of one name do not collide.
  if (mpx_tuned::name != other_tuned::name) std::abort();
  if (stack::fingerprint() == mpx::stack<other_tuned>::fingerprint()) std::abort();
  mpx::run_threads<stack>(2, [](auto& env) {
    auto world = env.world();
    world.barrier();
    if (world.allreduce(1, mpx::sum) != 2) std::abort();
  });
}
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured = folder / "measured.csv"
        measured.write_text(MEASURED)
        other = folder / "other.csv"
        other.write_text(OTHER)
        if (BIN / "mpx-tune").exists():
            ran = subprocess.run([BIN / "mpxrun", "-n", "2", BIN / "mpx-tune", "--seconds", "0",
                                  "--samples", "1", "--size-max", "512"], check=True,
                                 capture_output=True, text=True, timeout=300).stdout
            for said in ("barrier,2,0,shared,", "alltoall,2,512,pairwise,", "scan,2,8,linear,"):
                if said not in ran:
                    sys.exit(f"mpx-tune has not measured {said}: {ran}")
        for header, of in (("mpx_tuned.hpp", measured), ("other.hpp", other)):
            subprocess.run([sys.executable, SOURCE / "bench/tune.py", "--out", folder / header, of],
                           check=True)
        (folder / "tuned.cpp").write_text(PROGRAM)
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{folder}",
                        f"-I{SOURCE / 'include'}", folder / "tuned.cpp", "-o", folder / "tuned",
                        "-pthread"], check=True, timeout=500)
        subprocess.run([folder / "tuned"], check=True, timeout=100)


if __name__ == "__main__":
    main()
