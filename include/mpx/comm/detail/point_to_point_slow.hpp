// SPDX-License-Identifier: BSL-1.0
#pragma once
// Slow paths of point-to-point calls: waiting for messages, and errors. Included by
// point_to_point.hpp.

#include "mpx/comm/point_to_point.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
[[noreturn, gnu::noinline, gnu::cold]] void point_to_point<Stack>::raise(
    errc why, const char* what, const char* direction, rank_t other, tag_t tag, std::size_t bytes,
    std::size_t got, std::source_location where, [[maybe_unused]] mark_type type) const {
  failed_call call{.why = why,
                   .what = what,
                   .direction = direction,
                   .other = other,
                   .tag = tag,
                   .bytes = bytes,
                   .got = got,
                   .rank = rank_,
                   .size = size_,
                   .context = context_,
                   .of = state_};
  if constexpr (Stack::checks_type::compares_types) {
    call.sent = type.sent;
    call.expected = type.code;
  }
  endpoint_->raise(call, where);
}

/// Completes a receive whose message has not arrived yet, that has failed, or that is not direct.
template <class Stack>
[[gnu::noinline]] auto point_to_point<Stack>::receive_rest(direct_receive& d, rank_t from,
                                                           tag_t tag, mark_type type,
                                                           std::source_location where) const
    -> received {
  if (d.failure == indirect) {
    const errc why = translate(from, tag, d.want, type);
    if (why == nobody) return pass(), received{{}, errc{}};
    if (why != errc{}) return {{}, why};
    endpoint_->receive_now(d);
  }
  if (d.failure == undecided) endpoint_->receive_rest(d, {receiving::name, where});
  if (d.failure == errc::no_resources)
    return {{rank_of(d.want.source), d.want.tag(), 0, static_cast<int>(d.failure)}, d.failure};
  return {{rank_of(d.want.source), tag_of(d.want.bits), d.bytes, static_cast<int>(d.failure)},
          d.failure};
}

/// Reports the source and tag of the message if they are known, else those of the receive.
template <class Stack>
[[noreturn, gnu::noinline, gnu::cold]] void point_to_point<Stack>::raise_receive(
    errc why, const char* what, rank_t from, tag_t tag, std::size_t room, rank_t source,
    tag_t its_tag, std::size_t bytes, std::source_location where, mark_type type) const {
  const bool known = source != proc_null || its_tag != any_tag;
  raise(why, what, " from rank ", known ? source : from, known ? its_tag : tag, room, bytes, where,
        type);
}

template <class Stack>
template <bool Once>
[[gnu::noinline]] auto point_to_point<Stack>::probe_slow(rank_t from, tag_t tag,
                                                         std::source_location where) const -> seen {
  pattern want;
  errc why = translate(from, tag, want);
  if (why == nobody) return pass(), seen{errc{}, status()};
  std::optional<probe_result> p;
  if (why == errc{}) {
    if constexpr (Once) {
      p = endpoint_->probe(want, why);
    } else {
      p = endpoint_->wait_probe(want, {"probe", where}, why);
    }
  }
  if (!p || why != errc{}) return {why, {}};
  return {errc{}, status(rank_of(p->source), p->tag, p->bytes)};
}

template <class Stack>
[[gnu::noinline]] started point_to_point<Stack>::start_receive_slow(std::byte* into,
                                                                    std::size_t bytes, rank_t from,
                                                                    tag_t tag,
                                                                    mark_type type) const {
  if (const errc why = check_receive(from, tag); why != errc{}) return {nullptr, why};
  if (from == proc_null) return endpoint_->receive_nothing();
  const started s = endpoint_->receive({into, bytes}, matching(peer_of(from), tag, type));
  if (s.op != nullptr && state_->ranks != nullptr) {
    s.op->ranks = state_->ranks;
    s.op->flags = 1;
  }
  return s;
}

template <class Stack>
started point_to_point<Stack>::prepared(starts_as way, const memory& buffer, rank_t other,
                                        tag_t tag, mark_type type) const noexcept {
  return compounds<Stack>::make(*endpoint_, {.kind = compound_kind::persistent,
                                             .start = way,
                                             .again = true,
                                             .buffer = buffer.base,
                                             .bytes = buffer.bytes,
                                             .how = buffer.how,
                                             .want = matching(peer_of(other), tag, type),
                                             .ranks = state_->ranks});
}

template <class Stack>
[[gnu::noinline]] errc point_to_point<Stack>::translate(rank_t from, tag_t tag, pattern& want,
                                                        mark_type type) const noexcept {
  if (const errc why = check_receive(from, tag); why != errc{}) return why;
  want = matching(peer_of(from), tag, type);
  return from == proc_null ? nobody : errc{};
}

template <class Stack>
template <class Out, class In>
struct point_to_point<Stack>::exchanging {
  using stack_type = Stack;
  using value_type = status;
  static constexpr const char* name = "sendrecv";

  Out out;
  In in;
  const char* what = name;
  bool no_memory = false;

  endpoint<Stack>& endpoint_of() const noexcept { return in.endpoint_of(); }
  const char* name_in_texts() const noexcept { return what; }
  errc run(status& got, std::source_location where) const {
    const call_site site{what, where};
    if (const errc why = in.on.check_receive(in.from, in.tag); why != errc{}) return why;
    if (const errc why = out.on.check_send(out.to, out.tag); why != errc{}) return why;
    if (no_memory) return errc::no_resources;
    endpoint<Stack>& e = in.endpoint_of();
    const started r = in.start();
    if (r.failure != errc{}) return r.failure;
    auto receive = request_access::make(e, r.op);
    const started s = out.start();
    if (s.failure != errc{}) return s.failure;
    auto send = request_access::make(e, s.op);
    std::error_code ec;
    if (request_access::wait_unless(send, site,
                                    [&] { return request_access::lost_locked(receive); })) {
      request_access::wait_as(send, site, ec);
      if (ec) return static_cast<errc>(ec.value());  // `got` has no error: the send failed.
    }
    got = request_access::wait_as(receive, site, ec);
    return static_cast<errc>(ec.value());
  }
  [[noreturn]] void raise(errc why, const status& got, const char*,
                          std::source_location where) const {
    if (got.error() || in.on.check_receive(in.from, in.tag) != errc{})
      in.raise(why, got, In::start_name, where);
    if constexpr (requires { in.buffer; }) {
      if (why == errc::datatype && in.buffer.fault(true) != errc{}) in.raise(why, got, what, where);
    }
    out.raise(why, {}, out.name, where);
  }
};

}  // namespace mpx::inline v0::detail
