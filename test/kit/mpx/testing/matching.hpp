// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of matchers, and their comparison with another one over random traffic.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include "matching/comparison.hpp"
#include "matching/contract.hpp"
