// SPDX-License-Identifier: BSL-1.0
#pragma once
// Windows of bytes whose accesses name types and operations at run time. A program includes this
// header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include "mpx/rma.hpp"              // IWYU pragma: export
#include "mpx/rma/byte_window.hpp"  // IWYU pragma: export

#include "mpx/macros/end.hpp"
