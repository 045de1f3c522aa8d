// SPDX-License-Identifier: BSL-1.0
#pragma once
// Calls of a table that send messages, in all forms: blocking, started, and by completion tokens.

#include <cstdint>
#include <source_location>

#include "mpx/comm/finish.hpp"
#include "mpx/portals/state.hpp"

namespace mpx::inline v0::portals::detail {

/// Answer that a call waits for.
enum class asks : std::uint8_t {
  nothing,          ///< A put.
  acknowledgement,  ///< A put whose acknowledgement completes it.
  data,             ///< A get.
  reply,            ///< A get whose reply goes to a portal of the program.
};

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_entry(errc why, index portal,
                                                               const limits& most) {
  std::string s = mpx::detail::formatted("an entry at portal %u", unsigned{portal});
  if (why == errc::no_resources)
    mpx::detail::append(s, ": all %u entries of the table are in use, or memory is out",
                        most.entries);
  if (why == errc::rank) s += ": its criteria name a rank that does not exist";
  if (why == errc::argument)
    mpx::detail::append(s,
                        ": there are portals 0 to %u; a portal has either one descriptor or match "
                        "entries; and a block takes the options that docs/portals.md lists",
                        most.portals - 1u);
  throw error(why, s);
}

/// One put or get.
template <class Stack>
struct portal_call {
  using stack_type = Stack;
  using value_type = mpx::detail::nothing;
  using state = table_state<Stack>;
  using os = typename state::os;
  static constexpr const char* name = "portals::table::put or get";
  static constexpr const char* start_name = name;
  static constexpr const char* prepare_name = name;

  portal_call(state& of, asks answer, const mpx::memory& from, const mpx::memory& to_memory,
              rank_t target, const address& there, const answer_to& back, receipt* r) noexcept
      : table(of), what(answer), data(from), into(to_memory), to(target), result(r) {
    const bool gets = what == asks::data || what == asks::reply;
    m = {.bits = there.bits,
         .offset = there.offset,
         .length = data.bytes,
         .return_bits = back.bits,
         .return_offset = back.offset,
         .return_length = into.bytes,
         .portal = there.portal,
         .return_portal = back.portal,
         .user = back.user,
         .source = proc_null,
         .kind = gets ? message_kind::get : message_kind::put};
  }

  auto& endpoint_of() const noexcept { return table.e; }

  errc run(value_type&, std::source_location where) const {
    if (const errc why = check(); why != errc{} || to == proc_null) return why;
    table.e.pass_without_poll();
    outgoing* o = nullptr;
    errc why{};
    bool waits = false;
    // A call that has returned leaves nothing to be sent by later calls.
    const auto has_left = [&] {
      return (o == nullptr || engine::is_done(*o)) &&
             (table.waiting(to) == 0 || table.run.failure_of(to) != errc{});
    };
    {
      const auto guard = os::lock(table.e);
      why = begin(o);
      waits = !has_left();
    }
    if (waits) table.wait({name, where}, to, has_left);
    if (o == nullptr) return why;
    const auto guard = os::lock(table.e);
    why = o->failure;
    if (result != nullptr) *result = o->result;
    table.run.release(*o);
    return why;
  }

  mpx::detail::started start() const {
    if (const errc why = check(); why != errc{} || to == proc_null) return {nullptr, why};
    table.e.pass_without_poll();
    {
      const auto guard = os::lock(table.e);
      if (const errc why = table.run.failure_of(to); why != errc{}) return {nullptr, why};
      if (table.waiting(to) >= state::waiting_started_max) return {nullptr, errc::no_resources};
      if (!awaits() && table.run.send_now(m, to, data)) return {};
    }
    return table.make(name, [this](portal_request& r) {
      outgoing* o = nullptr;
      if (const errc why = table.run.failure_of(to); why != errc{}) return why;
      o = table.run.start(m, to, data, into, awaits());
      if (o == nullptr) return errc::no_resources;
      o->waiter = &r;
      r.message = o;
      r.result = result;
      table.run.push(to);
      return errc{};
    });
  }

  [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, const value_type&, const char*,
                                                    std::source_location where) const {
    const bool gets = m.kind == message_kind::get;
    std::string s = mpx::detail::formatted(
        "%s of %llu bytes on rank %d, portal %u of rank %d, match bits %#llx", gets ? "get" : "put",
        static_cast<unsigned long long>(gets ? m.return_length : m.length), table.run.self(),
        unsigned{m.portal}, to, static_cast<unsigned long long>(m.bits));
    if (why == errc::argument)
      mpx::detail::append(s, ": there is no return portal %u here", unsigned{m.return_portal});
    if (why == errc::no_resources)
      mpx::detail::append(s, ": all %u operations of the table are in use: complete some first",
                          table.run.most().operations);
    if (why == errc::not_ready) s += ": the target has dropped it: no entry took it";
    if (why == errc::window) s += ": that rank has destroyed its table";
    throw error(why, s, where);
  }

  bool awaits() const noexcept { return what == asks::acknowledgement || what == asks::data; }
  errc check() const noexcept {
    if (to != proc_null && (to < 0 || to >= table.run.size())) return errc::rank;
    const bool own_portal = m.return_portal < table.run.most().portals;
    if (!awaits() && !own_portal && (m.return_portal != no_portal || what == asks::reply))
      return errc::argument;
    return errc{};
  }
  /// Sends the message at once, or as the operation `o`.
  errc begin(outgoing*& o) const noexcept {
    if (const errc why = table.run.failure_of(to); why != errc{}) return why;
    if (!awaits() && table.run.send_now(m, to, data)) return errc{};
    o = table.run.start(m, to, data, into, awaits());
    if (o == nullptr) return errc::no_resources;
    table.run.push(to);
    return errc{};
  }

  state& table;
  asks what;
  mpx::memory data;
  mpx::memory into;
  rank_t to;
  receipt* result;
  message m;
};

}  // namespace mpx::inline v0::portals::detail
