// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of transports: transport_contract::check_packets, check_traffic, check_waiting,
// check_many_peers, and of refinements: check_rma, check_shared_memory, check_parting,
// check_elastic, check_pollable, check_immediate.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include "transport/contract.hpp"
#include "transport/elastic.hpp"
#include "transport/immediate.hpp"
#include "transport/pollable.hpp"
