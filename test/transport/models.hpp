// SPDX-License-Identifier: BSL-1.0
#pragma once
// The refinements of Transport, and which of them a class models.

#include <array>
#include <mpx/transport/concepts.hpp>
#include <string>
#include <string_view>

namespace transport_models {

using namespace mpx;  // NOLINT(google-build-using-namespace)

inline constexpr std::array<std::string_view, 14> refinements{
    "Rma",     "CpuCopy", "Registered", "Immediate", "SharedMemory", "Connection", "Stream",
    "Prepaid", "Node",    "NearFar",    "Elastic",   "Pollable",     "Atomic",     "Fetch"};
template <class T>
inline constexpr std::array<bool, 14> models{
    RmaTransport<T>,          CpuCopyTransport<T>,    RegisteredTransport<T>, ImmediateTransport<T>,
    SharedMemoryTransport<T>, ConnectionTransport<T>, StreamTransport<T>,     PrepaidTransport<T>,
    NodeTransport<T>,         NearFarTransport<T>,    ElasticTransport<T>,    PollableTransport<T>,
    AtomicTransport<T>,       FetchTransport<T>};

/// The refinements that T models. See docs/TRANSPORT.md.
template <Transport T>
std::string modelled() {
  std::string names;
  for (std::size_t i = 0; i < refinements.size(); ++i)
    if (models<T>[i]) names.append(names.empty() ? "" : " ").append(refinements[i]);
  return names;
}

}  // namespace transport_models
