// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of bootstraps: bootstrap_contract::check_meeting, check_idle, check_memory,
// check_disconnecting, check_leaving, check_loss, check_forked.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include <mpx/mpx.hpp>

#include "bootstrap/contract.hpp"
