// SPDX-License-Identifier: BSL-1.0
#pragma once
// The four send modes: their names, and the way in which a persistent request starts them.

#include "mpx/comm/mpi_names.hpp"
#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

constexpr const char* name_of(mode m) noexcept {
  switch (m) {
    case mode::standard: return "send";
    case mode::synchronous: return "ssend";
    case mode::buffered: return "bsend";
    case mode::ready: return "rsend";
  }
  return "send";
}

constexpr starts_as start_of(mode m) noexcept {
  switch (m) {
    case mode::standard: return starts_as::standard;
    case mode::synchronous: return starts_as::synchronous;
    case mode::buffered: return starts_as::buffered;
    case mode::ready: return starts_as::ready;
  }
  return starts_as::standard;
}

}  // namespace mpx::inline v0::detail
