// SPDX-License-Identifier: BSL-1.0
#pragma once
// The weak name of a function, for the generated entries.

#include "errors.hpp"

// NOLINTNEXTLINE(*-macro-usage): a declaration cannot name itself
#define MPX_MPI_ALIAS(name) \
  extern __attribute__((weak, alias("P" #name), visibility("default"))) decltype(P##name) name;
