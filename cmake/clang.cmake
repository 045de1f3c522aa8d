# SPDX-License-Identifier: BSL-1.0
# Toolchain of the presets clang and single: the newest clang++ that mpx is known to work with.
# clang 15 and older fail on the <ranges> of libstdc++.
find_program(MPX_CLANGXX NAMES clang++-19 clang++-20 clang++-18 clang++-17 clang++-16 clang++ REQUIRED)
set(CMAKE_CXX_COMPILER "${MPX_CLANGXX}")
