// SPDX-License-Identifier: BSL-1.0
// The tables of tool_variables.hpp.
#include "tool_variables.hpp"

#include <array>
#include <cstdlib>

#include "errors.hpp"
#include "startup.hpp"

namespace mpx_mpi {

namespace {

constexpr auto number_count = static_cast<std::size_t>(tool_number::count_);
/// Counters of the jobs that have ended. Guarded by lib().job_lock.
std::array<std::uint64_t, number_count>& kept() noexcept {
  static std::array<std::uint64_t, number_count> all{};
  return all;
}
/// A counter of this process, of all jobs that it has joined.
template <tool_number Which>
std::uint64_t counted() {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  const std::uint64_t now = l.job == nullptr ? 0 : l.job->number(Which);
  return kept()[static_cast<std::size_t>(Which)] + now;
}
/// A number of the job. Throws MPI_T_ERR_NOT_ACCESSIBLE if there is none: the stack is not chosen.
template <tool_number Which>
std::uint64_t of_job() {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  if (l.job == nullptr) fail(MPI_T_ERR_NOT_ACCESSIBLE, "known between MPI_Init and MPI_Finalize");
  return l.job->number(Which);
}
template <tool_number Which>
std::uint64_t of_job_now() {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  return l.job == nullptr ? 0 : l.job->number(Which);
}

constexpr tool_enum::item levels[] = {{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                                      {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                                      {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                                      {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}};
constexpr tool_enum enums[] = {{"mpx_thread_levels", levels}};

std::uint64_t thread_level() { return static_cast<std::uint64_t>(lib().provided); }
std::string stack_name() {
  const char* const text = std::getenv("MPX_MPI_STACK");
  return text != nullptr ? text : built_stacks().front().name;
}
void limit_eager(std::uint64_t bytes) {
  library& l = lib();
  const std::lock_guard guard(l.job_lock);
  if (l.job == nullptr) fail(MPI_T_ERR_CVAR_SET_NOT_NOW, "set MPX_SHORT_BYTES_MAX before MPI_Init");
  if (bytes > l.job->number(tool_number::short_bytes_ceiling))
    fail(MPI_T_ERR_INVALID, "more than the stack's own limit");
  l.job->limit_eager(bytes);
}
std::uint64_t objects_max() { return decltype(library::requests)::slots_max; }

constexpr tool_category_text categories[] = {
    {"mpx", "All variables of mpx"},
    {"mpx_job", "The stack that this process uses, and its threads"},
    {"mpx_messages", "Messages by the way that their data takes"},
    {"mpx_memory", "Memory of messages that nobody has received yet, and of objects"},
    {"mpx_sockets", "Connections between hosts"},
};

using cvar = control_variable;
using cat = tool_category;
using num = tool_number;
constexpr int basic = MPI_T_VERBOSITY_USER_BASIC;
constexpr int detail = MPI_T_VERBOSITY_USER_DETAIL;
constexpr int tuner = MPI_T_VERBOSITY_TUNER_BASIC;
constexpr int counter = MPI_T_PVAR_CLASS_COUNTER;
constexpr int sum = MPI_T_PVAR_CLASS_AGGREGATE;

constexpr cvar controls[] = {
    {"mpx_stack", "Stack of this process. Chosen by the environment variable MPX_MPI_STACK",
     cat::job, cvar::kind::text, basic, MPI_T_SCOPE_READONLY, nullptr, nullptr, stack_name},
    {"mpx_thread_level", "Thread level that MPI provides", cat::job, cvar::kind::integer, basic,
     MPI_T_SCOPE_READONLY, &enums[0], thread_level, nullptr},
    {"mpx_spin_ns", "Time that a blocked call polls before it sleeps, in ns. Set by MPX_SPIN",
     cat::job, cvar::kind::number, tuner, MPI_T_SCOPE_READONLY, nullptr, of_job<num::spin_ns>,
     nullptr},
    {"mpx_tiny_bytes_max", "Messages up to this length are eager in any case", cat::messages,
     cvar::kind::number, tuner, MPI_T_SCOPE_READONLY, nullptr, of_job<num::tiny_bytes_max>,
     nullptr},
    {"mpx_short_bytes_max",
     "Messages up to this length are sent whole at once (within a host, if there are hosts). Its "
     "value at the start is set by MPX_SHORT_BYTES_MAX",
     cat::messages, cvar::kind::number, tuner, MPI_T_SCOPE_LOCAL, nullptr,
     of_job<num::short_bytes_max>, nullptr, limit_eager},
    {"mpx_packet_bytes_max", "Data of one packet", cat::messages, cvar::kind::number, tuner,
     MPI_T_SCOPE_READONLY, nullptr, of_job<num::packet_bytes_max>, nullptr},
    {"mpx_unexpected_bytes_max", "Bound on memory of eager messages that nobody has received yet",
     cat::memory, cvar::kind::number, basic, MPI_T_SCOPE_READONLY, nullptr,
     of_job<num::unexpected_bytes_max>, nullptr},
    {"mpx_objects_max", "Objects of each kind (requests, datatypes, ...) that exist at once",
     cat::memory, cvar::kind::number, detail, MPI_T_SCOPE_CONSTANT, nullptr, objects_max, nullptr},
};

constexpr performance_variable measures[] = {
    {"mpx_packets_sent", "Packets given to the transport", cat::messages, basic, counter,
     counted<num::packets_sent>},
    {"mpx_posts_retried", "Packets that the transport could not take at once", cat::messages,
     detail, counter, counted<num::posts_retried>},
    {"mpx_eager_messages", "Messages sent whole at once", cat::messages, basic, counter,
     counted<num::eager_sent>},
    {"mpx_eager_bytes", "Bytes of messages sent whole at once", cat::messages, basic, sum,
     counted<num::eager_bytes>},
    {"mpx_announced_messages", "Messages announced first", cat::messages, basic, counter,
     counted<num::announced>},
    {"mpx_credit_waits", "Short messages that were announced first, since there was no credit",
     cat::messages, basic, counter, counted<num::announced_for_flow>},
    {"mpx_credit_packets", "Packets that carry credit alone", cat::messages, detail, counter,
     counted<num::credits_sent>},
    {"mpx_bytes_got", "Bytes of long messages that this rank has fetched as their receiver",
     cat::messages, basic, sum, counted<num::bytes_got>},
    {"mpx_bytes_put", "Bytes of long messages that this rank has stored as their sender",
     cat::messages, basic, sum, counted<num::bytes_put>},
    {"mpx_bytes_streamed", "Bytes of long messages that this rank has sent in packets",
     cat::messages, basic, sum, counted<num::bytes_streamed>},
    {"mpx_sleeps", "Sleeps of blocked calls", cat::job, detail, counter, counted<num::sleeps>},
    {"mpx_unexpected_messages", "Messages that arrived before their receive", cat::memory, basic,
     counter, counted<num::unexpected>},
    {"mpx_unexpected_bytes", "Bytes of eager messages that arrived before their receive",
     cat::memory, basic, sum, counted<num::unexpected_bytes>},
    {"mpx_unexpected_memory", "Memory of eager messages that nobody has received yet, now",
     cat::memory, basic, MPI_T_PVAR_CLASS_LEVEL, of_job_now<num::unexpected_bytes_now>},
    {"mpx_connections", "Connections that became open", cat::sockets, detail, counter,
     counted<num::connections_opened>},
    {"mpx_connections_broken", "Connections that ended without a goodbye", cat::sockets, basic,
     counter, counted<num::connections_broken>},
    {"mpx_packets_resent", "Packets sent again over the next connection", cat::sockets, basic,
     counter, counted<num::packets_resent>},
};

}  // namespace

std::span<const tool_enum> tool_enums() noexcept { return enums; }
std::span<const tool_category_text> tool_categories() noexcept { return categories; }
std::span<const control_variable> control_variables() noexcept { return controls; }
std::span<const performance_variable> performance_variables() noexcept { return measures; }

void keep_tool_counters() {
  if (lib().job == nullptr) return;
  for (std::size_t i = 0; i < number_count; ++i)
    kept()[i] += lib().job->number(static_cast<tool_number>(i));
}

}  // namespace mpx_mpi
