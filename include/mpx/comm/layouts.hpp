// SPDX-License-Identifier: BSL-1.0
#pragma once
// Point-to-point calls on buffers with layouts, in all forms. A buffer that is contiguous in spite
// of its layout takes the path of plain buffers.

#include <source_location>
#include <string>
#include <system_error>

#include "mpx/comm/finish.hpp"
#include "mpx/comm/message.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/data/memory.hpp"

namespace mpx::inline v0::detail {

/// Calls in the form that finish_as takes. `buffer` is a copy: a completion token may run a call
/// later.
template <class Stack>
struct layout_calls {
  using on_type = point_to_point<Stack>;
  using mark_type = type_mark<Stack::checks_type::compares_types>;

  static void drop(const memory& m) noexcept {
    if (m.how != nullptr) m.how->drop();
  }
  /// True if there was no memory to keep the layout: `kept` has bytes, but no address.
  static bool out_of_memory(const memory& kept) noexcept {
    return kept.bytes != 0 && !kept.exists();
  }
  template <class B>
  static mark_type mark_of() noexcept {
    return mark_type::template of<typename B::layout_buffer>();
  }

  template <mode M, class B>
  struct sending {
    using stack_type = Stack;
    using value_type = nothing;
    static constexpr const char* name = name_of(M);
    static constexpr const char* start_name = name;
    static constexpr const char* prepare_name = "send_init";

    const on_type& on;
    B buffer;
    rank_t to;
    tag_t tag;

    endpoint<Stack>& endpoint_of() const noexcept { return *on.endpoint_; }
    errc run(nothing&, std::source_location where) const {
      if (const errc why = check(); why != errc{}) return why;
      if (to == proc_null) return on.pass(), errc{};
      const started s = begin(buffer.lend());
      if (s.op == nullptr) return s.failure;
      endpoint_of().wait(*s.op, {name, where});
      const errc why = s.op->failure;
      endpoint_of().release(*s.op);
      return why;
    }
    started start() const {
      if (const errc why = check(); why != errc{}) return {nullptr, why};
      if (to == proc_null) return on.pass(), started{};
      const memory m = buffer.keep();
      if (out_of_memory(m)) return {nullptr, errc::no_resources};
      return begin(m);
    }
    started prepare() const noexcept {
      if (const errc why = check(); why != errc{}) return {nullptr, why};
      const memory m = buffer.keep();
      if (out_of_memory(m)) return {nullptr, errc::no_resources};
      const started s =
          on.prepared(to == proc_null ? starts_as::nothing : start_of(M), m, to, tag, mark_of<B>());
      if (s.op == nullptr) drop(m);
      return s;
    }
    [[noreturn]] void raise(errc why, nothing, const char* what, std::source_location where) const {
      if (why == errc::datatype) buffer.raise_fault(what, false, where);
      on.raise(why, what, " to rank ", to, tag, buffer.bytes(), 0, where);
    }

   private:
    errc check() const noexcept {
      if (const errc why = on.check_send(to, tag); why != errc{}) return why;
      return buffer.fault(false);
    }
    started begin(const memory& m) const {
      const started s = on.template post<M>({m, on.peer_of(to), mark_of<B>().in(on.context_), tag});
      if (s.op == nullptr) {
        drop(m);
      } else {
        s.op->ranks = on.state_->ranks;
      }
      return s;
    }
  };

  template <class B>
  struct receiving {
    using stack_type = Stack;
    using value_type = status;
    static constexpr const char* name = "recv";
    static constexpr const char* start_name = "receive";
    static constexpr const char* prepare_name = "recv_init";

    const on_type& on;
    B buffer;
    rank_t from;
    tag_t tag;
    [[no_unique_address]] mark_type type = mark_of<B>();

    memory lent() const noexcept { return buffer.fault(true) == errc{} ? buffer.lend() : memory{}; }
    void give_back(const memory& m) const noexcept { drop(m); }
    endpoint<Stack>& endpoint_of() const noexcept { return *on.endpoint_; }
    errc run(status& got, std::source_location where) const {
      if (const errc why = check(); why != errc{}) return why;
      if (from == proc_null) return on.pass(), errc{};
      return wait(begin(buffer.lend()), got, where);
    }
    started start() const {
      if (const errc why = check(); why != errc{}) return {nullptr, why};
      if (from == proc_null) return endpoint_of().receive_nothing();
      const memory m = buffer.keep();
      if (out_of_memory(m)) return {nullptr, errc::no_resources};
      return begin(m);
    }
    started prepare() const noexcept {
      if (const errc why = check(); why != errc{}) return {nullptr, why};
      const memory m = buffer.keep();
      if (out_of_memory(m)) return {nullptr, errc::no_resources};
      const started s = on.prepared(from == proc_null ? starts_as::nothing : starts_as::receive, m,
                                    from, tag, type);
      if (s.op == nullptr) drop(m);
      return s;
    }
    [[noreturn]] void raise(errc why, const status& got, const char* what,
                            std::source_location where) const {
      if (why == errc::datatype) buffer.raise_fault(what, true, where);
      on.raise_receive(why, what, from, tag, buffer.bytes(), got.source(), got.tag(), got.bytes(),
                       where, type);
    }

   private:
    errc check() const noexcept {
      if (const errc why = on.check_receive(from, tag); why != errc{}) return why;
      return buffer.fault(true);
    }
    started begin(const memory& m) const {
      const started s = endpoint_of().receive(m, on.matching(on.peer_of(from), tag, type));
      if (s.op == nullptr) {
        drop(m);
      } else if (on.state_->ranks != nullptr) {
        s.op->ranks = on.state_->ranks;
        s.op->flags = 1;
      }
      return s;
    }
    errc wait(const started& s, status& got, std::source_location where) const {
      if (s.op == nullptr) return s.failure;
      auto r = request_access::make(endpoint_of(), s.op);
      std::error_code ec;
      got = request_access::wait_as(r, {name, where}, ec);
      return static_cast<errc>(ec.value());
    }
  };

  /// Receives a message that a matched probe has taken out of matching.
  template <class Message, class B>
  struct message_receiving {
    using stack_type = Stack;
    using value_type = status;
    using plain = typename Message::receiving;
    static constexpr const char* name = plain::name;
    static constexpr const char* start_name = name;
    static constexpr const char* prepare_name = name;

    Message& of;
    B buffer;

    endpoint<Stack>& endpoint_of() const noexcept { return *of.endpoint_; }
    errc run(status& got, std::source_location where) const {
      const auto [op, why] = start();
      if (why != errc{}) return why;
      auto r = request_access::make(endpoint_of(), op);
      std::error_code ec;
      got = request_access::wait_as(r, {name, where}, ec);
      return static_cast<errc>(ec.value());
    }
    started start() const {
      if (const errc why = buffer.fault(true); why != errc{}) return {nullptr, why};
      const memory m = buffer.keep();
      if (out_of_memory(m)) return {nullptr, errc::no_resources};
      const started s = of.start(m);
      if (s.op == nullptr || s.op->data.how != m.how) drop(m);  // Complete, or from proc_null.
      return s;
    }
    started prepare() const noexcept { return {nullptr, errc::request}; }
    [[noreturn]] void raise(errc why, const status& got, const char* what,
                            std::source_location where) const {
      if (why == errc::datatype) buffer.raise_fault(what, true, where);
      plain{of, {nullptr, buffer.bytes()}}.raise(why, got, what, where);
    }
  };
};

}  // namespace mpx::inline v0::detail
