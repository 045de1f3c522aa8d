// SPDX-License-Identifier: BSL-1.0
#pragma once
// What the generated entries need: the weak name of a function.

#include "errors.hpp"

// NOLINTNEXTLINE(*-macro-usage): a declaration cannot name itself
#define MPX_MPI_ALIAS(name) \
  extern __attribute__((weak, alias("P" #name), visibility("default"))) decltype(P##name) name;
