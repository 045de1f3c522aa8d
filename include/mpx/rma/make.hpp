// SPDX-License-Identifier: BSL-1.0
#pragma once
// Functions that make windows. Part of mpx/rma.hpp.

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <system_error>

#include "mpx/rma/window.hpp"

namespace mpx::inline v0 {

namespace detail {

template <class Fault>
[[gnu::noinline, gnu::cold]] std::string why_not_made(const char* name, rank_t rank,
                                                      rma_memory kind, const Fault& f,
                                                      std::uint64_t count, std::size_t bytes) {
  std::string s = formatted("%s on rank %d", name, rank);
  if (f.why == errc::no_resources)
    append(s, ": there is no memory for %llu bytes at this rank, or for what another one asks for",
           static_cast<unsigned long long>(count * bytes));
  if (f.why == errc::type) s += ": ranks have given elements of different sizes";
  if (f.why != errc::argument) return s;
  if (f.too_many != proc_null) {
    if (f.too_many != rank) append(s, ": rank %d asks for", f.too_many);
    append(s, "%s %llu elements of %zu bytes%s more than memory can hold%s",
           f.too_many == rank ? ":" : "", static_cast<unsigned long long>(f.count), bytes,
           f.too_many == rank ? " are" : ",", f.count >> 63 != 0 ? " (a negative number?)" : "");
  } else {
    const bool shared = kind == rma_memory::shared || kind == rma_memory::joined;
    s += shared ? ": the ranks do not share memory (those of a "
                  "split(mpx::split_by::shared_memory) do), or no room is left in it"
                : ": memory is not aligned, or an element exceeds a packet";
  }
  return s;
}

template <class T, class Policy, class Stack, class How>
window<T, Stack, Policy> make_window(const communicator<Stack>& comm, rma_memory kind, void* base,
                                     std::uint64_t count, rma::protocol chosen, const char* name,
                                     How& how, std::source_location where) {
  typename window_maker<Stack>::fault f;
  window<T, Stack, Policy> made(comm,
                                {kind, base, count * sizeof(T), &rma::detail::type_of<T>, chosen,
                                 count, name, code_of<T>(), !is_code<How&>},
                                f, where);
  if constexpr (is_code<How&>) {
    store(how, f.why);
  } else if (f.why != errc{}) {
    throw error(f.why, why_not_made(name, comm.rank(), kind, f, count, sizeof(T)), where);
  }
  return made;
}

}  // namespace detail

/// Makes a window of `count` elements at this rank, zeroed, in memory that other ranks of the node
/// map if there is such memory. Collective. `by`: protocol of all accesses.
/// Errors:     of this and the following functions: errc::peer_lost, errc::revoked; errc::type if
///             elements differ between ranks; errc::argument if an element is longer than a packet;
///             errc::no_resources.
/// Cost:       a dup of the communicator, two collectives; some 200 bytes for each pair of ranks.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack,
          class How = detail::throws_t>
requires detail::BlockingForm<How>
window<T, Stack, Policy> allocate_window(
    const communicator<Stack>& comm, std::uint64_t count,
    rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  return detail::make_window<T, Policy>(comm, detail::rma_memory::allocated, nullptr, count, by,
                                        "allocate_window", how, where);
}
/// As above, by the protocol that the policy chooses.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack>
window<T, Stack, Policy> allocate_window(
    const communicator<Stack>& comm, std::uint64_t count, std::error_code& ec,
    std::source_location where = std::source_location::current()) {
  return allocate_window<T, Policy>(comm, count, rma::protocol::automatic, ec, where);
}
/// As allocate_window, in memory that every rank maps: window::part gives each rank's part.
/// Errors:     also errc::argument if the ranks do not share memory, or no room is left in it.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack,
          class How = detail::throws_t>
requires detail::BlockingForm<How>
window<T, Stack, Policy> shared_window(
    const communicator<Stack>& comm, std::uint64_t count,
    rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  return detail::make_window<T, Policy>(comm, detail::rma_memory::shared, nullptr, count, by,
                                        "shared_window", how, where);
}
/// As above, by the protocol that the policy chooses.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack>
window<T, Stack, Policy> shared_window(
    const communicator<Stack>& comm, std::uint64_t count, std::error_code& ec,
    std::source_location where = std::source_location::current()) {
  return shared_window<T, Policy>(comm, count, rma::protocol::automatic, ec, where);
}
/// Makes a window over the program's own memory. Collective.
/// Completion: `memory` must stay valid until the window is freed.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack,
          class How = detail::throws_t>
requires detail::BlockingForm<How>
window<T, Stack, Policy> window_over(const communicator<Stack>& comm, std::span<T> memory,
                                     rma::protocol by = rma::protocol::automatic, How&& how = {},
                                     std::source_location where = std::source_location::current()) {
  return detail::make_window<T, Policy>(comm, detail::rma_memory::given, memory.data(),
                                        memory.size(), by, "window_over", how, where);
}
/// As above, by the protocol that the policy chooses.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack>
window<T, Stack, Policy> window_over(const communicator<Stack>& comm, std::span<T> memory,
                                     std::error_code& ec,
                                     std::source_location where = std::source_location::current()) {
  return window_over<T, Policy>(comm, memory, rma::protocol::automatic, ec, where);
}
/// Makes a window without memory: window::attach adds it later. Collective.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack,
          class How = detail::throws_t>
requires detail::BlockingForm<How>
window<T, Stack, Policy> dynamic_window(
    const communicator<Stack>& comm, rma::protocol by = rma::protocol::automatic, How&& how = {},
    std::source_location where = std::source_location::current()) {
  return detail::make_window<T, Policy>(comm, detail::rma_memory::dynamic, nullptr, 0, by,
                                        "dynamic_window", how, where);
}
/// As above, by the protocol that the policy chooses.
template <class T, rma::ProtocolPolicy Policy = rma::by_reach, class Stack>
window<T, Stack, Policy> dynamic_window(
    const communicator<Stack>& comm, std::error_code& ec,
    std::source_location where = std::source_location::current()) {
  return dynamic_window<T, Policy>(comm, rma::protocol::automatic, ec, where);
}

}  // namespace mpx::inline v0
