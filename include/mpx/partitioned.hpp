// SPDX-License-Identifier: BSL-1.0
#pragma once
// Partitioned communication: a message whose partitions are sent as they become ready, by any
// thread, and whose arrival can be tested one by one. A program includes this header in addition to
// mpx.hpp.

#include "mpx/macros/begin.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <system_error>

#include "mpx/coll/arguments.hpp"
#include "mpx/coll/layout/linear_layout.hpp"
#include "mpx/comm/partitioned.hpp"
#include "mpx/communicator.hpp"

namespace mpx::inline v0 {

namespace detail {

/// A communicator with the operations needed below.
template <class Stack>
class partitioned_communicator : public communicator<Stack> {
  using base = communicator<Stack>;
  using parts = compounds<Stack>;
  using mark = type_mark<Stack::checks_type::compares_types>;

 public:
  explicit partitioned_communicator(const base& comm) noexcept : base(comm) {}
  using base::check_exists;

  started send(const memory& buffer, std::size_t elements, std::size_t partitions, rank_t to,
               tag_t tag) const noexcept {
    if (const errc why = this->check_send(to, tag); why != errc{}) return {nullptr, why};
    if (!fits(elements, partitions)) return {nullptr, errc::count};
    const partitioned_call c = call(buffer, partitions, to, tag);
    std::uint32_t first = 0;
    if (to != proc_null && !take_tags(c.partitions, first)) return {nullptr, errc::no_resources};
    auto* const made =
        make([&] { return new partitioned_sender<Stack>(*this->endpoint_, c, first); });
    const started s = adopt(made);
    if (s.op == nullptr || to == proc_null) return s;
    const partitioned_offer offer{buffer.bytes, c.partitions, first};
    const started told =
        this->endpoint_->send({std::as_bytes(std::span(&offer, 1)), c.peer, c.context,
                               partitioned_tag(static_cast<std::uint32_t>(tag))});
    if (told.op != nullptr)  // Completes by itself, from a copy.
      static_cast<void>(request_access::make(*this->endpoint_, told.op));
    if (told.failure == errc{}) return s;
    parts::abandon(*this->endpoint_, *s.op);
    return told;
  }
  started receive(const memory& buffer, std::size_t elements, std::size_t partitions, rank_t from,
                  tag_t tag) const noexcept {
    if (tag == any_tag || tag < 0) return {nullptr, errc::tag};
    if (const errc why = this->check_send(from, tag); why != errc{}) return {nullptr, why};
    if (!fits(elements, partitions)) return {nullptr, errc::count};
    auto* const made = make([&] {
      return new partitioned_receiver<Stack>(*this->endpoint_, call(buffer, partitions, from, tag));
    });
    const started s = adopt(made);
    if (s.op == nullptr) return s;
    const errc why = made->expect();
    if (why == errc{}) return s;
    parts::abandon(*this->endpoint_, *s.op);
    return {nullptr, why};
  }

 private:
  static bool fits(std::size_t elements, std::size_t partitions) noexcept {
    return partitions > 0 && partitions <= partitions_max && elements % partitions == 0;
  }
  partitioned_call call(const memory& buffer, std::size_t partitions, rank_t other,
                        tag_t tag) const noexcept {
    return {buffer,       static_cast<std::uint32_t>(partitions),
            other,        this->peer_of(other),
            tag,          this->context_,
            this->rank_,  this->state_->ranks,
            mark::ignored};
  }
  /// Takes tags that no other send of this rank in this communicator has used.
  bool take_tags(std::uint32_t count, std::uint32_t& first) const noexcept {
    const platform::atomic_ref<std::uint32_t> taken(this->state_->partitions);
    first = taken.load(platform::memory_order_relaxed);
    while (count <= partitions_max - first)
      if (taken.compare_exchange_weak(first, first + count, platform::memory_order_relaxed))
        return true;
    return false;
  }
  template <class Make>
  static auto make(Make&& f) noexcept -> decltype(f()) try {
    return f();
  } catch (const std::exception&) {
    return nullptr;
  }
  /// Makes the operation of `made`, and takes ownership of `made`, which is nullptr if memory was
  /// exhausted.
  started adopt(partitioned_operation* made) const noexcept {
    if (made == nullptr) return {nullptr, errc::no_resources};
    // It names its context, so that the state of a freed communicator lives as long as the request.
    const started s =
        parts::make(*this->endpoint_, {.kind = compound_kind::extended,
                                       .again = true,
                                       .want = pattern::exactly(this->context_, null_peer, 0),
                                       .ranks = this->state_->ranks,
                                       .more = made});
    if (s.op == nullptr) delete made;
    if (s.op != nullptr) made->op = s.op;
    return s;
  }
};

/// An init call in the form that finish_as takes. `B`: its buffer.
template <class Stack, bool Sends, class B>
struct partitioned_init {
  using stack_type = Stack;
  using value_type = nothing;
  static constexpr const char* name = Sends ? "psend_init" : "precv_init";
  static constexpr const char* start_name = name;
  static constexpr const char* prepare_name = name;

  partitioned_communicator<Stack> on;
  const B& buffer;
  std::size_t partitions;
  rank_t other;
  tag_t tag;

  endpoint<Stack>& endpoint_of() const noexcept { return on.endpoint_for_reports(); }
  started prepare() const noexcept {
    memory m;
    if constexpr (LayoutBuffer<B>) {
      if (const errc why = buffer.fault(!Sends); why != errc{}) return {nullptr, why};
      m = buffer.borrow();
      if (!m.contiguous()) {
        const coll::linear_layout* const made = coll::linear_layout::make(m, true);
        if (made == nullptr) return {nullptr, errc::no_resources};
        m = made->whole(m.bytes);
      }
    } else {
      m = bytes_of(buffer);
    }
    const started s = Sends ? on.send(m, elements(), partitions, other, tag)
                            : on.receive(m, elements(), partitions, other, tag);
    take_back(m, {});  // The prepared operation has a layout of its own.
    return s;
  }
  [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, nothing, const char* what,
                                                    std::source_location where) const {
    if constexpr (LayoutBuffer<B>)
      if (why == errc::datatype) buffer.raise_fault(what, !Sends, where);
    std::string s = describe(what, on.rank(), Sends ? " to rank " : " from rank ", other, tag,
                             on.context() << 1, bytes());
    append(s, ", %zu elements in %zu partitions", elements(), partitions);
    if (why == errc::rank) append(s, ": ranks here are 0 .. %d", on.size() - 1);
    if (why == errc::count && (partitions == 0 || partitions > partitions_max))
      append(s, ": give 1 to %u partitions", partitions_max);
    else if (why == errc::count)
      s += ": give a number of elements that is a multiple of the partitions";
    if (why == errc::no_resources)
      append(s, ": memory is out, or the %u partitions of all sends of a communicator are used up",
             partitions_max);
    throw error(why, s, where);
  }

 private:
  std::size_t bytes() const noexcept {
    if constexpr (LayoutBuffer<B>) {
      return buffer.bytes();
    } else {
      return bytes_of(buffer).size();
    }
  }
  std::size_t elements() const noexcept {
    if constexpr (requires { buffer.element_bytes(); }) {
      return coll::units_in(bytes(), buffer.element_bytes());
    } else {
      return bytes() / sizeof(element_of_t<const B>);
    }
  }
};

/// Returns the partitioned operation of a request; nullptr if it is another kind.
template <class Stack>
partitioned_operation* partitioned_of(const request<Stack>& r) noexcept {
  operation* const op = request_access::operation_of(r);
  if (op == nullptr || op->role != role::compound) return nullptr;
  extension* const more = compound_of(*op).more;
  if (more == nullptr || more->kind != extension_kind::partitions) return nullptr;
  return static_cast<partitioned_operation*>(more);
}
template <class Stack>
partitioned_sender<Stack>* sender_of(const request<Stack>& r) noexcept {
  partitioned_operation* const p = partitioned_of(r);
  return p != nullptr && p->sends() ? static_cast<partitioned_sender<Stack>*>(p) : nullptr;
}
/// Partitions `first` to `last`, inclusive. If `last` < `first`: one partition that no send has,
/// which is reported as an error.
struct partition_range {
  static constexpr std::size_t none = std::size_t(-1);
  std::size_t first;
  std::size_t last;

  /// Bounded, but large enough to include a partition that the send does not have.
  std::size_t size() const noexcept {
    return last < first ? 1 : std::min<std::size_t>(last - first, partitions_max) + 1;
  }
  std::size_t operator[](std::size_t i) const noexcept { return last < first ? none : first + i; }
};

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_partition(errc why, const char* what,
                                                                   const partitioned_operation* on,
                                                                   std::size_t partition,
                                                                   std::source_location where) {
  std::string s = what;
  if (partition != partition_range::none) append(s, " of partition %zu", partition);
  if (on == nullptr) throw error(why, s + ": the request is not of this kind", where);
  s += " of a " + on->describe();
  if (why == errc::request) s += ": it is ready already, or the send has not been started";
  if (why == errc::argument)
    append(s, ": they are 0 .. %u, each named once, a range from its first to its last",
           on->call().partitions - 1);
  throw error(why, s, where);
}

/// Marks the partitions listed in `named` as ready.
template <class Stack, class Named, class How>
void make_ready(const request<Stack>& r, const char* what, const Named& named, How& how,
                std::source_location where) {
  request_access::check(r, where);
  partitioned_sender<Stack>* const s = sender_of(r);
  std::size_t wrong = 0;
  const errc why = s == nullptr ? errc::request : s->ready(named, wrong);
  if constexpr (is_code<How&>) {
    store(how, why);
  } else if (why != errc{}) {
    raise_partition(why, what, s, wrong, where);
  }
}

}  // namespace detail

/// Prepares a persistent send of `buffer` to rank `to`, in `partitions` partitions of equally many
/// elements. In each round, a partition is sent as soon as `pready` has named it, and the request
/// is complete when all have been sent.
///
/// Only `precv_init` receives it: the first one with this rank and tag in this communicator matches
/// the first send, in the order of the init calls on both sides. The receiver may divide the same
/// number of bytes differently. A layout buffer is divided by its elements; the layout is copied,
/// so that views and datatypes may be destroyed.
/// Effects:    the receiver is notified. Does not wait.
/// Errors:     errc::rank, errc::tag; errc::datatype for a layout; errc::count if the elements are
///             not a multiple of the partitions, or there is no partition; errc::no_resources, also
///             after 2^30 - 1 partitions in all sends of this rank in this communicator. Of the
///             request: errc::peer_lost.
/// Completion: `buffer` must exist as long as the request; a partition must not be written between
///             its `pready` and the end of the round. A request that is dropped before all
///             partitions are ready sends no more; its receiver waits until it drops its own
///             request.
/// Cost:       a message for each partition, on the path for its size; 4 bytes of memory each.
/// Source:     MPI 4.1, 4.2.
template <class Stack, class B, class How = detail::prepare_t>
requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> &&
         detail::OwnForm<How, detail::prepare_t>
request<Stack> psend_init(
    const communicator<Stack>& comm, B&& buffer, std::size_t partitions, rank_t to, tag_t tag = 0,
    How&& how = {},
    std::source_location where =
        std::source_location::current()) noexcept(detail::stores_errors<How>) {
  const detail::partitioned_init<Stack, true, std::remove_cvref_t<B>> call{
      detail::partitioned_communicator<Stack>(comm), buffer, partitions, to, tag};
  call.on.check_exists(where);
  return detail::finish_as(detail::as_form<detail::prepare_t>(how), call, where);
}

/// Prepares a persistent receive of a partitioned send of rank `from`, in `partitions` partitions
/// of `buffer`. Each round is complete when all partitions have arrived; `parrived` tests each
/// partition before.
/// Requires:   no wildcards.
/// Errors:     as of psend_init. Of the request: errc::count if the sender has another number of
///             bytes (nothing is written then), errc::peer_lost.
/// Completion: a partition of `buffer` must not be used from the start of a round until it has
///             arrived.
/// Cost:       a receive for each partition of the sender.
/// Source:     MPI 4.1, 4.2.
template <class Stack, class B, class How = detail::prepare_t>
requires ReceiveBuffer<B&&> && BufferOutlivesCall<B> && detail::OwnForm<How, detail::prepare_t>
request<Stack> precv_init(
    const communicator<Stack>& comm, B&& buffer, std::size_t partitions, rank_t from, tag_t tag = 0,
    How&& how = {},
    std::source_location where =
        std::source_location::current()) noexcept(detail::stores_errors<How>) {
  const detail::partitioned_init<Stack, false, std::remove_cvref_t<B>> call{
      detail::partitioned_communicator<Stack>(comm), buffer, partitions, from, tag};
  call.on.check_exists(where);
  return detail::finish_as(detail::as_form<detail::prepare_t>(how), call, where);
}

/// Marks partition `partition` of a started send as ready: its data may be sent.
/// Errors:     errc::request if `send` is not a partitioned send, has not been started, or this
///             partition is ready already; errc::argument if there is no such partition;
///             errc::no_resources: may be tried again.
/// Threads:    any, concurrently, under threading::multiple.
/// Cost:       a send; no allocation if the message is eager or the queue to its peer is short.
/// Source:     MPI 4.1, 4.2.2.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready(const request<Stack>& send, std::size_t partition, How&& how = {},
            std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready", detail::partition_range{partition, partition}, how, where);
}
/// As pready, for partitions `first` to `last`, inclusive: at least one. If any of them is invalid,
/// none is marked.
/// Errors:     also errc::argument if `last` < `first`.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready_range(const request<Stack>& send, std::size_t first, std::size_t last, How&& how = {},
                  std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready_range", detail::partition_range{first, last}, how, where);
}
/// As pready, for the listed partitions; the list may be empty. If any of them is invalid, none is
/// marked.
/// Errors:     also errc::argument if a partition occurs twice.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready_list(const request<Stack>& send, std::span<const std::size_t> partitions,
                 How&& how = {}, std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready_list", partitions, how, where);
}

/// Makes progress, and returns true if partition `partition` of a receive has arrived. Also true
/// for an inactive request, and for a failed one, whose error `wait` reports.
/// Errors:     errc::request if `receive` is not a partitioned receive; errc::argument if there is
///             no such partition.
/// Threads:    any, under threading::multiple.
/// Source:     MPI 4.1, 4.2.3.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
bool parrived(const request<Stack>& receive, std::size_t partition, How&& how = {},
              std::source_location where = std::source_location::current()) {
  detail::request_access::check(receive, where);
  auto* const p = detail::partitioned_of(receive);
  errc why{};
  if (p == nullptr || p->sends()) {
    why = errc::request;
  } else if (partition >= p->call().partitions) {
    why = errc::argument;
  }
  bool arrived = false;
  if (why == errc{}) {
    const auto& r = *static_cast<detail::partitioned_receiver<Stack>*>(p);
    detail::endpoint<Stack>& e = *detail::request_access::endpoint_of(receive);
    const auto look = [&] { return r.has_arrived_locked(partition); };
    arrived = detail::compounds<Stack>::look(e, look);
    if (arrived) {
      e.pass_without_poll();
    } else {
      e.progress();
      arrived = detail::compounds<Stack>::look(e, look);
    }
  }
  if constexpr (detail::is_code<How>) {
    detail::store(how, why);
  } else if (why != errc{}) {
    detail::raise_partition(why, "parrived", p != nullptr && p->sends() ? nullptr : p, partition,
                            where);
  }
  return arrived;
}

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
