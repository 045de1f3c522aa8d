// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of flow controls: flow_contract::check_traffic, check_elastic,
// check_reassigning.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include "flow/contract.hpp"
