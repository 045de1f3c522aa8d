// SPDX-License-Identifier: BSL-1.0
#pragma once
// Partitioned communication: a message whose parts are sent as they become ready, by any thread,
// and are known to have arrived one by one. Included beside mpx.hpp by programs that use it.

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
#include "mpx/coll/linear_layout.hpp"
#include "mpx/comm/partitioned.hpp"
#include "mpx/communicator.hpp"

namespace mpx::inline v0 {

namespace detail {

/// A communicator, as the calls below see it.
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
    if (told.op != nullptr)  // It goes out by itself, from a copy.
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
  /// Tags that no other send of this rank in this communicator has had.
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
  /// An operation for `made`, which belongs to it from now on; nullptr: memory was out.
  started adopt(partitioned_operation* made) const noexcept {
    if (made == nullptr) return {nullptr, errc::no_resources};
    const started s = parts::make(*this->endpoint_, {.kind = compound_kind::extended,
                                                     .again = true,
                                                     .ranks = this->state_->ranks,
                                                     .more = made});
    if (s.op == nullptr) delete made;
    if (s.op != nullptr) made->op = s.op;
    return s;
  }
};

/// An init call, as finish_as takes it. `B`: its buffer.
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
    take_back(m, {});  // What is prepared has its own.
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

/// What is partitioned behind a request; nullptr if it is anything else.
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
/// Partitions `first` to `last`, both included; one that no send has where `last` comes before.
struct partition_range {
  static constexpr std::size_t none = std::size_t(-1);
  std::size_t first;
  std::size_t last;

  /// Of more than a send may have: enough to find one that it has not.
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

/// Makes the partitions ready that `named` lists.
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

/// Prepares a send of `buffer`, in `partitions` parts of as many elements each, to rank `to`: a
/// persistent request. Once it is started, each part goes as soon as `pready` has named it, and the
/// request is complete when all have gone.
///
/// It is received by `precv_init` and nothing else: the first that names this rank and tag in this
/// communicator goes with the first send, in the order of the init calls on both sides. The
/// receiver may part the same number of bytes differently.
/// What a layout spreads is parted by its elements; it is kept, so that views and datatypes may go.
/// Effects:  the receiver is told of it; nothing waits.
/// Errors:   errc::rank, errc::tag; errc::datatype of a layout; errc::count: the elements are no
/// multiple of the partitions, or none; errc::no_resources, also after 2^30 - 1 partitions
/// in all sends of this rank in this communicator. Of the request: errc::peer_lost.
/// Completion: `buffer` stays where it is as long as the request is there; a part is not written to
/// between its `pready` and the end of the round. A request that is dropped before all parts are
/// ready sends no more, and its receiver waits until it drops its own.
/// Cost:     a message for each partition, on the path that its size says; 4 bytes of memory each.
/// Source:   MPI 4.1, 4.2.
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

/// Prepares the receive of a partitioned send of rank `from`, in `partitions` parts of `buffer`: a
/// persistent request, complete when all has arrived; `parrived` tells of each part before.
/// Requires: no wildcards. Errors: as for psend_init; of the request errc::count if the sender has
/// another number of bytes (nothing is written then), errc::peer_lost.
/// Completion: nobody else uses a part of `buffer` from the start of a round until it has arrived.
/// Cost:     a receive for each partition of the sender. Source: MPI 4.1, 4.2.
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

/// Partition `partition` of a send that has been started holds what is to be sent.
/// Errors:  errc::request: `send` is no partitioned send, has not been started, or this partition
/// is ready already; errc::argument: it has no such partition; errc::no_resources: it can be tried
/// again.
/// Threads: any, at the same time, under threading::multiple. Cost: a send; no allocation where
/// the message is eager or its peer's queue is short. Source: MPI 4.1, 4.2.2.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready(const request<Stack>& send, std::size_t partition, How&& how = {},
            std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready", detail::partition_range{partition, partition}, how, where);
}
/// The same of partitions `first` to `last`, both included: at least one. Errors: errc::argument
/// also where `last` comes before `first`. Where any of them is wrong, none is ready then.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready_range(const request<Stack>& send, std::size_t first, std::size_t last, How&& how = {},
                  std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready_range", detail::partition_range{first, last}, how, where);
}
/// The same of those that a list names, if any. Errors: errc::argument also where it names one
/// twice.
template <class Stack, class How = detail::throws_t>
requires detail::BlockingForm<How>
void pready_list(const request<Stack>& send, std::span<const std::size_t> partitions,
                 How&& how = {}, std::source_location where = std::source_location::current()) {
  detail::make_ready(send, "pready_list", partitions, how, where);
}

/// Makes progress, and tells whether partition `partition` of a receive has arrived. True of an
/// inactive request, and of one that has failed: `wait` says why.
/// Errors:  errc::request: `receive` is no partitioned receive; errc::argument: it has no such
/// partition. Threads: any, under threading::multiple. Source: MPI 4.1, 4.2.3.
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
