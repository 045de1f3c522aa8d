// SPDX-License-Identifier: BSL-1.0
#pragma once
// The door from the fast paths of an endpoint to its slow ones: one table of functions. A source
// file that sends and receives, but makes no environment, compiles the fast paths only.

#include <cstddef>
#include <source_location>
#include <string>

#include "mpx/core/function_ref.hpp"
#include "mpx/engine/base/blocked_call.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/engine/components/progress.hpp"
#include "mpx/engine/components/unexpected_messages.hpp"
#include "mpx/engine/endpoint/describe.hpp"
#include "mpx/engine/endpoint/schedule.hpp"
#include "mpx/watch/call_site.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
class endpoint;  // endpoint.hpp
template <class Stack>
struct cold_paths;  // endpoint_cold.hpp
template <class Stack>
struct compounds;  // endpoint_compound.hpp
template <class Stack>
struct schedules;  // endpoint_schedules.hpp

/// The slow functions of block_paths (endpoint_blocks.hpp).
template <class Stack>
struct block_calls {
  using endpoint_type = endpoint<Stack>;

  std::uint64_t (*make)(endpoint_type& e, std::size_t bytes) noexcept;
  std::byte* (*at)(endpoint_type& e, peer_id owner, std::uint64_t name, std::size_t bytes) noexcept;
  void (*free)(endpoint_type& e, std::uint64_t name) noexcept;
  bool (*withdraw)(endpoint_type& e, peer_id peer, const remote_memory& m) noexcept;
  bool (*yield)(endpoint_type& e) noexcept;
  void (*wake)(endpoint_type& e, const group* ranks, std::uint64_t mask) noexcept;
};

/// The slow paths of an endpoint (endpoint_cold.hpp). The endpoint has the table from its
/// construction, as the shared object that made the environment has compiled it: a shared object
/// that starts an operation may be unloaded before its end.
/// Threads: those named `_locked`, and `poll`, are called under the lock.
template <class Stack>
struct cold_calls {
  using endpoint_type = endpoint<Stack>;

  // Messages: see the functions of the endpoint, the inbox and the outbox with these names.
  started (*send_locked)(endpoint_type& e, std::byte* base, std::size_t bytes, const layout* how,
                         peer_id to, match_bits bits);
  started (*send_queued_locked)(endpoint_type& e, const send_call& c, std::uint8_t flags);
  errc (*send_buffered_locked)(endpoint_type& e, const send_call& c);
  bool (*quiet_locked)(endpoint_type& e, peer_id to) noexcept;
  void (*receive_slow_locked)(endpoint_type& e, direct_receive& d);
  void (*receive_stored_locked)(endpoint_type& e, direct_receive& d);
  bool (*met_or_unmatchable_locked)(endpoint_type& e, operation& op);
  started (*receive_nothing_locked)(endpoint_type& e);
  void (*owe_credit_locked)(endpoint_type& e, peer_id source);
  void (*receive_rest)(endpoint_type& e, direct_receive& d, call_site site);

  // Progress and waiting.
  std::size_t (*poll)(endpoint_type& e, polling how);
  void (*poll_overdue)(endpoint_type& e) noexcept;
  void (*progress)(endpoint_type& e);
  bool (*test)(endpoint_type& e, operation& op);
  void (*wait_slow)(endpoint_type& e, operation& op, call_site site);
  bool (*wait_unless)(endpoint_type& e, operation& op, call_site site, function_ref<bool()> lost);
  void (*wait_until)(endpoint_type& e, call_site site, awaited on, function_ref<bool()> done);

  // Probes.
  bool (*polled_in_vain_locked)(endpoint_type& e);
  struct found {
    arrived_message* message;
    errc failure;
  };
  /// Takes a copy, so that the caller's pattern can stay in registers.
  found (*find_locked)(endpoint_type& e, pattern want) noexcept;
  probe_result (*wait_probe)(endpoint_type& e, const pattern& want, call_site site, errc& failure);
  arrived_message* (*take_by_probe)(endpoint_type& e, const pattern& want, errc& failure);
  arrived_message* (*wait_and_take_by_probe)(endpoint_type& e, const pattern& want, call_site site,
                                             errc& failure);
  started (*receive_probed)(endpoint_type& e, arrived_message* m, const memory& into);
  void (*discard)(endpoint_type& e, arrived_message* m) noexcept;

  // Collectives.
  bool (*begin_collective)(endpoint_type& e, collective_call call);
  bool (*wait_in_collective)(endpoint_type& e, operation& op, call_site site, collective_call call,
                             bool by_messages);
  void (*give_up_collective)(endpoint_type& e, collective_call call, errc why) noexcept;
  collective_failure (*failure_of_collective)(endpoint_type& e, collective_call call);
  bool (*collective_lost_locked)(endpoint_type& e, collective_call call) noexcept;
  bool (*wait_for_flag)(endpoint_type& e, call_site site, awaited on, const flag_watch& w);
  const block_calls<Stack>* blocks;  // nullptr if the transport has no blocks.
  void (*start_schedule)(endpoint_type& e, operation& op) noexcept;

  // The end of operations.
  void (*finished_locked)(endpoint_type& e, operation& op) noexcept;
  void (*give_special_locked)(endpoint_type& e, operation& op) noexcept;
  void (*abandon)(endpoint_type& e, operation& op);
  void (*release_compound)(endpoint_type& e, operation& op);
  void (*abandon_compound)(endpoint_type& e, operation& op);

  // Errors. Those named `raise` do not return.
  void (*raise_call)(endpoint_type& e, const failed_call& call, std::source_location where);
  void (*raise_operation)(endpoint_type*& e, operation*& op, std::source_location where);
  void (*raise_collective)(endpoint_type& e, const collective_failure& f, rank_t rank, rank_t size,
                           collective_call call, call_site site);
  std::string (*loss_text)(endpoint_type& e, peer_id peer, errc why);
  void (*abort_job)(endpoint_type& e, const char* why);
};

}  // namespace mpx::inline v0::detail
