// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the generated entries need: the weak name of a function, and its checks.

#include "errors.hpp"
#include "quick.hpp"

// NOLINTNEXTLINE(*-macro-usage): a declaration cannot name itself
#define MPX_MPI_ALIAS(name) \
  extern __attribute__((weak, alias("P" #name), visibility("default"))) decltype(P##name) name;
