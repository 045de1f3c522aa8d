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

/// The way between hosts, the same for all ranks of a job.
struct fabric_choice {
  bool fabric = false;  ///< All ranks can open one.
  bool allowed = true;  ///< TCP may be used instead.
  std::string why;      ///< The reason why there is none, that of the lowest rank without; empty if
                        ///< there is one, or all ranks are on one host.
};

/// Rank 0 decides for all ranks. Collective.
template <Bootstrap Job>
[[gnu::noinline, gnu::cold]] fabric_choice choose_fabric(Job& job) {
  constexpr std::size_t text_max = 300;  // A bootstrap may publish no more than 512 bytes.
  const std::string own = why_no_fabric();
  job.put("mpx.no_fabric", own.empty() ? own : printable(own, text_max));
  job.put("mpx.fabric_host", job.host());
  job.fence([] {});
  if (job.rank() == 0) {
    const char* const allowed = std::getenv("MPX_FABRIC_FALLBACK");
    std::string why;
    bool hosts = std::getenv("MPX_PRETEND_HOSTS") != nullptr;
    for (rank_t r = 0; r < job.size(); ++r) {
      const auto reason = job.get(r, "mpx.no_fabric");
      if (why.empty() && reason && !reason->empty())
        why = formatted("rank %d: %s", r, reason->c_str());
      hosts = hosts || job.get(r, "mpx.fabric_host") != job.host();
    }
    const bool forbids = allowed != nullptr && std::string_view(allowed) == "0";
    job.put("mpx.fabric_choice", why.empty() ? "fabric"
                                 : !hosts    ? "tcp"
                                             : (forbids ? "no " : "tcp ") + why);
  }
  job.fence([] {});
  const std::string told = job.get(0, "mpx.fabric_choice").value_or(std::string());
  const std::size_t space = told.find(' ');
  return {.fabric = told == "fabric",
          .allowed = !told.starts_with("no "),
          .why = space == std::string::npos ? std::string() : told.substr(space + 1)};
}

}  // namespace detail

/// Joins the job and calls `body(env)`: with an mpx::environment<mpx::fabric_stack>& if every rank
/// can open a provider of a fabric; else with an mpx::environment<mpx::cluster_stack>&, over TCP.
/// Rank 0 then writes the reason to standard error, unless all ranks are on one host. A provider
/// over sockets is one of a fabric only if MPX_FABRIC_PROVIDER names it. Collective over all ranks.
/// Returns:    the result of `body`, of one type for both.
/// Errors:     those of the constructor of environment; errc::no_resources instead of TCP between
///             hosts if MPX_FABRIC_FALLBACK is 0 at rank 0.
/// Cost:       `body` is compiled for both stacks. At the start each rank opens and closes a
///             provider, and there are two more fences.
template <class Body>
decltype(auto) run_over_fabric_or_tcp(Body&& body) {
  bootstrap::anywhere job;
  const detail::fabric_choice choice = detail::choose_fabric(job);
  if (choice.fabric) {
    environment<fabric_stack> env(std::move(job));
    return std::forward<Body>(body)(env);
  }
  if (!choice.allowed)
    detail::throw_error(errc::no_resources, "no fabric, and MPX_FABRIC_FALLBACK=0 forbids TCP: %s",
                        choice.why.c_str());
  if (job.rank() == 0 && !choice.why.empty())
    std::fprintf(stderr,
                 "mpx: messages between hosts go over TCP, since there is no fabric: %s\n"
                 "mpx: MPX_FABRIC_PROVIDER names a provider, MPX_FABRIC_FALLBACK=0 forbids TCP\n",
                 choice.why.c_str());
  environment<cluster_stack> env(std::move(job));
  return std::forward<Body>(body)(env);
}

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
