// SPDX-License-Identifier: BSL-1.0
#pragma once
// All of mpx except the optional headers. A program includes this, makes an mpx::environment, and
// communicates through its world.

#include "mpx/macros/begin.hpp"

#include "mpx/bootstrap/detect.hpp"              // IWYU pragma: export
#include "mpx/coll/calls.hpp"                    // IWYU pragma: export
#include "mpx/communicator.hpp"                  // IWYU pragma: export
#include "mpx/config.hpp"                        // IWYU pragma: export
#include "mpx/core/error.hpp"                    // IWYU pragma: export
#include "mpx/core/group.hpp"                    // IWYU pragma: export
#include "mpx/core/status.hpp"                   // IWYU pragma: export
#include "mpx/core/types.hpp"                    // IWYU pragma: export
#include "mpx/data/buffer.hpp"                   // IWYU pragma: export
#include "mpx/engine/axes/stack.hpp"             // IWYU pragma: export
#include "mpx/engine/base/allocator.hpp"         // IWYU pragma: export
#include "mpx/engine/requests/compose.hpp"       // IWYU pragma: export
#include "mpx/engine/requests/forms.hpp"         // IWYU pragma: export
#include "mpx/engine/requests/not_included.hpp"  // IWYU pragma: export
#include "mpx/engine/requests/request.hpp"       // IWYU pragma: export
#include "mpx/engine/requests/wait_many.hpp"     // IWYU pragma: export
#include "mpx/environment.hpp"                   // IWYU pragma: export
#include "mpx/flow/credits.hpp"                  // IWYU pragma: export
#include "mpx/flow/unlimited.hpp"                // IWYU pragma: export
#include "mpx/flow/zeno.hpp"                     // IWYU pragma: export
#include "mpx/instances.hpp"                     // IWYU pragma: export
#include "mpx/matching/hashed.hpp"               // IWYU pragma: export
#include "mpx/matching/list.hpp"                 // IWYU pragma: export
#include "mpx/matching/portals.hpp"              // IWYU pragma: export
#include "mpx/protocol/tiny_short_long.hpp"      // IWYU pragma: export
#include "mpx/run_threads.hpp"                   // IWYU pragma: export
#include "mpx/transport/detail/declared.hpp"     // IWYU pragma: export
#include "mpx/transport/inproc.hpp"              // IWYU pragma: export
#include "mpx/transport/shm.hpp"                 // IWYU pragma: export

#include "mpx/macros/end.hpp"
