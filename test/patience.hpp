// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Limits of tests are for hangs alone: so many times what would do on an idle machine, as the limits
/// of ctest (mpx_busy_slowdown in cmake/MpxTest.cmake), which come last.
inline constexpr int busy_slowdown = 5;
