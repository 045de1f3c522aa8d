// SPDX-License-Identifier: BSL-1.0
// The library of mpx::compiled: what instances.hpp names.
#include <mpx/mpx.hpp>
