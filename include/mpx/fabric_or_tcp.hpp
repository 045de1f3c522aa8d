// SPDX-License-Identifier: BSL-1.0
#pragma once
// For programs that run on clusters with a fabric and on those without: a program over
// mpx::fabric_stack where a fabric works on all hosts, else over mpx::cluster_stack.

#include "mpx/macros/begin.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/cluster.hpp"
#include "mpx/fabric.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Tells if a provider of libfabric goes through the kernel's sockets or one host's memory.
inline bool is_no_fabric(std::string_view provider) noexcept {
  for (const std::string_view kind :
       {std::string_view("tcp"), std::string_view("udp"), std::string_view("sockets"),
        std::string_view("net"), std::string_view("shm")})
    if (provider.substr(0, provider.find(';')) == kind) return true;
  return false;
}

/// Returns the reason why this process has no fabric, on one line; empty if it has one. A provider
/// that MPX_FABRIC_PROVIDER names is a fabric.
[[gnu::noinline, gnu::cold]] inline std::string why_no_fabric() {
  std::string why;
  try {
    nic::libfabric_options options;
    options.between_hosts = true;
    constexpr std::size_t queue_entries = 64;
    const nic::detail::fabric_resources<nic::fabric_calls> opened(options, queue_entries);
    const char* const named = std::getenv("MPX_FABRIC_PROVIDER");
    if ((named != nullptr && *named != '\0') || !is_no_fabric(opened.provider())) return why;
    why = "only " + std::string(opened.provider()) + " can be opened, which is not a fabric; " +
          opened.refused;
  } catch (const std::exception& e) {
    why = e.what();
  }
  while (why.ends_with('\n') || why.ends_with(' ') || why.ends_with(';')) why.pop_back();
  for (char& c : why)
    if (c == '\n') c = ';';
  return why;
}

/// Returns the reason why the job has no fabric, the same at all ranks: that of the lowest rank
/// without one. Empty if all ranks have one.
template <Bootstrap Job>
[[gnu::noinline, gnu::cold]] std::string why_no_fabric(Job& job) {
  job.put("mpx.no_fabric", why_no_fabric());
  job.fence([] {});
  if (job.rank() == 0) {
    std::string all;
    for (rank_t r = 0; r < job.size() && all.empty(); ++r)
      if (const auto why = job.get(r, "mpx.no_fabric"); why && !why->empty())
        all = formatted("rank %d: %s", r, printable(*why).c_str());
    job.put("mpx.job_has_no_fabric", all);
  }
  job.fence([] {});
  return job.get(0, "mpx.job_has_no_fabric").value_or(std::string());
}

}  // namespace detail

/// Joins the job and calls `body(env)`: with an mpx::environment<mpx::fabric_stack>& if every rank
/// can open a provider of a fabric; else with an mpx::environment<mpx::cluster_stack>&, over TCP.
/// Rank 0 then writes the reason to standard error. A provider over sockets is one of a fabric only
/// if MPX_FABRIC_PROVIDER names it. Collective over all ranks.
/// Returns:    the result of `body`, of one type for both.
/// Errors:     those of the constructor of environment; errc::no_resources instead of TCP if
///             MPX_FABRIC_FALLBACK is 0.
/// Cost:       `body` is compiled for both stacks. Nothing at run time.
template <class Body>
decltype(auto) run_over_fabric_or_tcp(Body&& body) {
  bootstrap::anywhere job;
  const std::string why = detail::why_no_fabric(job);
  if (why.empty()) {
    environment<fabric_stack> env(std::move(job));
    return std::forward<Body>(body)(env);
  }
  const char* const allowed = std::getenv("MPX_FABRIC_FALLBACK");
  if (allowed != nullptr && std::string_view(allowed) == "0")
    detail::throw_error(errc::no_resources, "no fabric, and MPX_FABRIC_FALLBACK=0 forbids TCP: %s",
                        why.c_str());
  if (job.rank() == 0)
    std::fprintf(stderr,
                 "mpx: messages between hosts go over TCP, since there is no fabric: %s\n"
                 "mpx: MPX_FABRIC_PROVIDER names a provider, MPX_FABRIC_FALLBACK=0 forbids TCP\n",
                 why.c_str());
  environment<cluster_stack> env(std::move(job));
  return std::forward<Body>(body)(env);
}

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
