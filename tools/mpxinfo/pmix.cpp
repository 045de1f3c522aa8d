// SPDX-License-Identifier: BSL-1.0
// Lets mpxinfo join by PMIx. Compiled where libpmix is there.

#include <mpx/bootstrap/pmix.hpp>
