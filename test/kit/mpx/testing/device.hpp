// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of channel devices: transport_contract::check_channel. A device in memory with each
// ability of devices: memory_device.
// Needs doctest: link mpx::testing, or give the compiler the folder of this header, too.

#include "transport/channel_cases.hpp"
#include "transport/memory_device.hpp"
