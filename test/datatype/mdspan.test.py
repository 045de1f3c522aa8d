#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# timeout: 120
"""A std::mdspan is packed and unpacked as any strided array, where a compiler here has one: clang++
has from 17 on, with libc++."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(os.environ["MPX_SOURCE"]) / "include"
PROGRAM = r"""
#include <array>
#include <mdspan>
#include <vector>

#include "mpx/data/pack.hpp"
#include "mpx/data/strided.hpp"

template <class M>
std::vector<int> packed(const M& m) {
  std::vector<int> out(m.bytes() / sizeof(int));
  mpx::pack(m, std::as_writable_bytes(std::span(out)));
  return out;
}
int main() {
  std::vector<int> a(24), b(24, -1);
  for (int i = 0; i < 24; ++i) a[static_cast<std::size_t>(i)] = i;
  const std::mdspan m(a.data(), 4, 6);
  if (packed(mpx::strided(m)) != a) return 1;
  if (packed(mpx::column(m, 2)) != std::vector{2, 8, 14, 20}) return 2;
  if (packed(mpx::sub_block(m, {1, 4}, {2, 2})) != std::vector{10, 11, 16, 17}) return 3;
  // Columns first: what is unpacked row by row lies transposed.
  const std::mdspan<int, std::extents<int, 4, 6>, std::layout_left> left(b.data());
  mpx::unpack(std::as_bytes(std::span(a)), mpx::strided(left));
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 6; ++k)
      if (b[static_cast<std::size_t>(k * 4 + i)] != i * 6 + k) return 4;
  const std::mdspan<const int, std::dextents<long, 3>, std::layout_stride> every(
      a.data() + 1, {std::dextents<long, 3>(2, 2, 3), std::array<long, 3>{12, 6, 2}});
  if (packed(mpx::strided(every)) != std::vector{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}) return 5;
  static_assert(!decltype(mpx::strided(every))::writable && decltype(mpx::strided(left))::writable);
  static_assert(mpx::StridedArray<decltype(left)> && !mpx::StridedArray<std::vector<int>>);
  static_assert(!mpx::StridedArray<std::mdspan<int, std::dextents<int, 4>>>);
}
"""


def ways():
    for name in ("clang++-19", "clang++-20", "clang++-18", "clang++"):
        if shutil.which(name):
            yield [name, "-std=c++23", "-stdlib=libc++"]
    for name in ("g++", "g++-15", "g++-16"):
        if shutil.which(name):
            yield [name, "-std=c++23"]


def has_mdspan(way):
    r = subprocess.run([*way, "-x", "c++", "-E", "-"], input="#include <mdspan>\n__cpp_lib_mdspan\n",
                       capture_output=True, text=True)
    return r.returncode == 0 and not r.stdout.rstrip().endswith("__cpp_lib_mdspan")


def main():
    way = next((w for w in ways() if has_mdspan(w)), None)
    if way is None:
        print("skipped: no compiler here has <mdspan>; clang++ has it with libc++-19-dev")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "p.cpp", Path(folder) / "p"
        source.write_text(PROGRAM)
        subprocess.run([*way, "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", "-pthread", source, "-o",
                        program], check=True)
        code = subprocess.run([program], timeout=100).returncode
    assert code == 0, f"{' '.join(way)}: check {code} failed"
    print(f"{' '.join(way)}: all tests passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
