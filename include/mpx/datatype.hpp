// SPDX-License-Identifier: BSL-1.0
#pragma once
// Messages whose data is not contiguous: datatypes made at run time, strided views, aggregates
// without padding, and packing. A program includes this header in addition to mpx.hpp. Needs
// Boost.PFR.

#include "mpx/macros/begin.hpp"

#include "mpx/coll/layout_call.hpp"   // IWYU pragma: export
#include "mpx/comm/layouts.hpp"       // IWYU pragma: export
#include "mpx/data/fields.hpp"        // IWYU pragma: export
#include "mpx/data/memory_of.hpp"     // IWYU pragma: export
#include "mpx/data/pack.hpp"          // IWYU pragma: export
#include "mpx/data/strided.hpp"       // IWYU pragma: export
#include "mpx/data/type.hpp"          // IWYU pragma: export
#include "mpx/data/typed_buffer.hpp"  // IWYU pragma: export

#include "mpx/macros/end.hpp"
