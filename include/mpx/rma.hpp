// SPDX-License-Identifier: BSL-1.0
#pragma once
// One-sided communication: windows, their epochs and their protocols. A program includes this
// header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include "mpx/rma/concepts.hpp"   // IWYU pragma: export
#include "mpx/rma/instances.hpp"  // IWYU pragma: export
#include "mpx/rma/make.hpp"       // IWYU pragma: export
#include "mpx/rma/reference.hpp"  // IWYU pragma: export

#include "mpx/macros/end.hpp"
