// SPDX-License-Identifier: BSL-1.0
#pragma once
// Point-to-point communication of a communicator, each operation declared once. The send mode is a
// template argument; the last argument selects how the call ends. MPI's names are in mpi_names.hpp.

#include <cstring>
#include <new>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "mpx/comm/detail/modes.hpp"
#include "mpx/comm/finish.hpp"
#include "mpx/comm/message.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/engine/requests/compose.hpp"
#include "mpx/engine/requests/request.hpp"

namespace mpx::inline v0::detail {

/// Calls on buffers with a layout (comm/layouts.hpp, part of mpx/datatype.hpp).
template <class Stack>
struct layout_calls;

/// Point-to-point communication in all modes and forms: a base of the communicator.
template <class Stack>
class point_to_point {
  using mark_type = type_mark<Stack::checks_type::compares_types>;

 public:
  point_to_point() = default;  ///< Empty.
  /// For the library.
  point_to_point(endpoint<Stack>& e, communicator_state& state, context_id context, rank_t rank,
                 rank_t size) noexcept
      : endpoint_(&e),
        direct_size_(state.ranks == nullptr ? size : 0),
        context_(context),
        rank_(rank),
        size_(size),
        state_(&state),
        lifetime_(e.lifetime()) {}

  /// Rank of this process: 0 <= rank() < size(); proc_null of an empty communicator.
  [[nodiscard]] rank_t rank() const noexcept { return rank_; }
  [[nodiscard]] rank_t size() const noexcept { return size_; }  ///< Number of ranks.
  /// Number that separates this communicator's messages from all others, for reports.
  [[nodiscard]] context_id context() const noexcept { return number_of(context_); }
  /// The endpoint, which reports why this rank waits; for tools and tests.
  [[nodiscard]] endpoint<Stack>& endpoint_for_reports() const noexcept { return *endpoint_; }
  /// Makes progress on all communication of this rank.
  void progress() const { endpoint_->progress(); }

  /// Sends `buffer` to rank `to`.
  /// Requires:   0 <= to < size() or proc_null; 0 <= tag <= tag_max. Blocking forms also take a
  ///             temporary.
  /// Effects:    Tiny and short messages are copied. A blocking send of a long message returns when
  ///             the receiver has the data. A synchronous send completes when the receiver has
  ///             started to receive, a buffered send at once.
  /// Errors:     At the start: errc::rank, errc::tag, errc::no_resources. errc::peer_lost.
  ///             errc::buffer if the memory attached to the environment cannot hold a buffered
  ///             message. errc::not_ready for a ready send without a posted receive, here and at
  ///             the receiver's next matching receive.
  /// Completion: mpx::start: `buffer` must stay unchanged until the request is complete.
  /// Cost:       Tiny: 1 packet, no allocation. Synchronous and ready: also an answer by the
  ///             receiver.
  /// Source:     MPI 4.1, 3.2.1, 3.4, 3.7.2, 3.9.
  template <mode M = mode::standard, class B, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferFits<B&&, How>
  [[MPX_ALWAYS_INLINE]] auto send(B&& buffer, rank_t to, tag_t tag = 0, How&& how = {},
                                  std::source_location where = std::source_location::current())
      const noexcept(stores_errors<How>) {
    check_exists(where);
    return finish_as(std::forward<How>(how), send_call_of<M>(buffer, to, tag), where);
  }

  /// Sends `buffer` if it can leave at once, else does nothing: `progress` makes room.
  /// Returns:    true if it has been sent; never for a long message.
  /// Errors:     errc::rank, errc::tag.
  /// Cost:       Less than `send`: there is nothing to wait for, and no request.
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && (!LayoutBuffer<std::remove_cvref_t<B>>)
  [[nodiscard, MPX_ALWAYS_INLINE]] bool try_send(
      const B& buffer, rank_t to, tag_t tag = 0,
      std::source_location where = std::source_location::current()) const {
    check_exists(where);
    const std::span<const std::byte> data = bytes_of(buffer);
    const auto type = mark_type::template of<B>();
    if (!is_direct(to, tag)) [[unlikely]]
      return try_send_slow(data.data(), data.size(), to, tag, type, where);
    return try_send_to(data.data(), data.size(), world_peer(to), tag, type);
  }

  /// Does not compile, and explains the order of arguments.
  template <mode M = mode::standard, class B, class How, class... Rest>
  requires NonblockingOrCode<How>
  void send(B&&, How&&, Rest&&...) const {
    static_assert(is_last_argument<How>,
                  "the form of a call (mpx::start, mpx::prepare, a std::error_code) is its last "
                  "argument: send(buffer, to, tag, mpx::start)");
  }
  /// Does not compile, and explains the order of arguments.
  template <class B, class How, class... Rest>
  requires NonblockingOrCode<How>
  void recv(B&&, How&&, Rest&&...) const {
    static_assert(is_last_argument<How>,
                  "the form of a call (mpx::start, mpx::prepare, a std::error_code) is its last "
                  "argument: recv(buffer, from, tag, mpx::start)");
  }

  /// Receives into `buffer` from rank `from`.
  /// Requires:   `from` is a rank, any_source or proc_null; `tag` is a tag or any_tag.
  /// Returns:    Source, tag and length of the message.
  /// Errors:     errc::rank, errc::tag, errc::peer_lost; errc::truncate, after the part that fits
  ///             has been received; errc::not_ready, with the data received.
  /// Completion: mpx::start: `buffer` must not be accessed until the request is complete.
  /// Cost:       1 copy of eager data.
  /// Source:     MPI 4.1, 3.2.4, 3.7.2, 3.9.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BufferFits<B&&, How>
  [[MPX_ALWAYS_INLINE]] auto recv(
      B&& buffer, rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
      std::source_location where = std::source_location::current()) const
      noexcept(stores_errors<How>) {
    check_exists(where);
    return finish_as(std::forward<How>(how), receive_call_of(buffer, from, tag), where);
  }
  /// Receives one value; T{} from proc_null.
  /// Errors:     As above; errc::count if the message is shorter than a T.
  template <Transferable T, class How = throws_t>
  requires std::default_initializable<T> && BlockingForm<How>
  T recv(rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
         std::source_location where = std::source_location::current()) const
      noexcept(is_code<How>) {
    T value{};
    const status got = recv(value, from, tag, std::forward<How>(how), where);
    if (got.bytes() == sizeof(T) || got.source() == proc_null) [[likely]]
      return value;
    if constexpr (is_code<How>) {
      if (!how) store(how, errc::count);
    } else {
      raise_receive(errc::count, receiving::name, from, tag, sizeof(T), got.source(), got.tag(),
                    got.bytes(), where);
    }
    return value;
  }

  /// Sends and receives at the same time, so that a ring of ranks cannot deadlock. If the peer of
  /// one half is lost, the call does not wait for the other half.
  /// Requires:   The buffers do not overlap.
  template <class S, class R, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<S>> && ReceiveBuffer<R&&> && BlockingForm<How>
  status sendrecv(S&& out, rank_t to, tag_t send_tag, R&& in, rank_t from = any_source,
                  tag_t receive_tag = any_tag, How&& how = {},
                  std::source_location where = std::source_location::current()) const
      noexcept(is_code<How>) {
    check_exists(where);
    return finish_as(std::forward<How>(how),
                     both(send_call_of<mode::standard>(out, to, send_tag),
                          receive_call_of(in, from, receive_tag)),
                     where);
  }
  /// Sends `buffer`, and replaces it by the message received.
  /// Cost:       1 copy of the buffer.
  template <class B, class How = throws_t>
  requires ReceiveBuffer<B&&> && BlockingForm<How>
  status sendrecv_replace(B&& buffer, rank_t to, tag_t send_tag, rank_t from = any_source,
                          tag_t receive_tag = any_tag, How&& how = {},
                          std::source_location where = std::source_location::current()) const
      noexcept(is_code<How>) {
    check_exists(where);
    auto in = receive_call_of(buffer, from, receive_tag);
    const memory room = in.lent();
    const scratch_bytes copy(room.bytes, std::nothrow);
    if (copy.data() != nullptr) room.read(0, {copy.data(), room.bytes});
    in.give_back(room);
    const sending<mode::standard> out{*this, {copy.data(), room.bytes}, to, send_tag, in.type};
    return finish_as(std::forward<How>(how),
                     both(out, in, "sendrecv_replace", copy.data() == nullptr), where);
  }

  /// Blocks until a matching message can be received, and describes it. With mpx::once it checks
  /// once, and returns nothing if there is no message. A message longer than a packet is found by
  /// its announcement.
  /// Errors:     errc::rank, errc::tag, errc::peer_lost.
  /// Source:     MPI 4.1, 3.8.1.
  template <class How = throws_t>
  requires ProbingForm<How>
  auto probe(rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
             std::source_location where = std::source_location::current()) const
      noexcept(stores_errors<How>) {
    check_exists(where);
    [[maybe_unused]] const timed_call<typename Stack::trace_type> timed(endpoint_, "probe", where);
    if constexpr (is_form<How, once_t>) {
      if (is_direct(from, tag)) [[likely]] {
        errc why{};
        const auto p = endpoint_->probe(exactly(world_peer(from), tag, {}), why);
        if (why == errc{}) [[likely]] {
          if constexpr (stores_errors<How>) how.code->clear();
          return p ? std::optional<status>(std::in_place, from, tag, p->bytes) : std::nullopt;
        }
      }
    }
    const seen s = probe_slow<is_form<How, once_t>>(from, tag, where);
    return finish_probe<status>(how, s.failure, s.got, "probe", "iprobe", from, tag, where);
  }
  /// Probes, and takes the message out of matching, so that no other receive can get it.
  /// Source:     MPI 4.1, 3.8.2.
  template <class How = throws_t>
  requires ProbingForm<How>
  auto mprobe(rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
              std::source_location where = std::source_location::current()) const
      noexcept(stores_errors<How>) {
    check_exists(where);
    [[maybe_unused]] const timed_call<typename Stack::trace_type> timed(endpoint_, "mprobe", where);
    pattern want;
    std::optional<message<Stack>> found;
    errc why = translate(from, tag, want);
    if (why == errc{}) {
      arrived_message* const m =
          is_form<How, once_t> ? endpoint_->take_by_probe(want, why)
                               : endpoint_->wait_and_take_by_probe(want, {"mprobe", where}, why);
      if (m != nullptr)
        found = message<Stack>(*endpoint_, m, state_->ranks, context_,
                               status{rank_of(m->is.source), m->is.tag(), m->bytes});
    } else if (why == nobody) {
      pass();
      why = errc{};
      found = message<Stack>(*endpoint_, nullptr, nullptr, context_, {});
    }
    return finish_probe<message<Stack>>(how, why, std::move(found), "mprobe", "improbe", from, tag,
                                        where);
  }

  /// Makes a request that completes when the program says so, and can be waited for with others.
  /// Errors:     errc::no_resources.
  /// Source:     MPI 4.1, 13.2.
  template <class How = throws_t>
  requires BlockingForm<How>
  generalized_operation<Stack> generalized(
      How&& how = {}, std::source_location where = std::source_location::current()) const
      noexcept(is_code<How>) {
    check_exists(where);
    generalized_operation<Stack> made;
    const errc why = generalized_access::make(*endpoint_, state_->ranks, made);
    if constexpr (is_code<How>) {
      store(how, why);
    } else if (why != errc{}) {
      throw error(why, "generalized on rank " + std::to_string(rank_) + endpoint_->limit_text(),
                  where);
    }
    return made;
  }

 protected:
  friend layout_calls<Stack>;
  // --- Calls in the form that finish_as takes ----------------------------------------------------

  template <mode M, class B>
  [[MPX_ALWAYS_INLINE]] auto send_call_of(const B& buffer, rank_t to, tag_t tag) const noexcept {
    if constexpr (LayoutBuffer<B>) {
      return typename layout_calls<Stack>::template sending<M, B>{*this, buffer, to, tag};
    } else {
      return sending<M>{*this, bytes_of(buffer), to, tag, mark_type::template of<B>()};
    }
  }
  template <class B>
  [[MPX_ALWAYS_INLINE]] auto receive_call_of(B& buffer, rank_t from, tag_t tag) const noexcept {
    if constexpr (LayoutBuffer<B>) {
      using buffer_type = std::remove_cvref_t<B>;
      return
          typename layout_calls<Stack>::template receiving<buffer_type>{*this, buffer, from, tag};
    } else {
      return receiving{*this, writable_bytes_of(buffer), from, tag, mark_type::template of<B>()};
    }
  }

  template <mode M>
  struct sending {
    using stack_type = Stack;
    using value_type = nothing;
    static constexpr const char* name = name_of(M);
    static constexpr const char* start_name = name;
    static constexpr const char* prepare_name = "send_init";

    const point_to_point& on;
    std::span<const std::byte> data;
    rank_t to;
    tag_t tag;
    [[no_unique_address]] mark_type type{};

    endpoint<Stack>& endpoint_of() const noexcept { return *on.endpoint_; }
    [[MPX_ALWAYS_INLINE]] errc run(nothing&, std::source_location where) const {
      if (on.is_direct(to, tag)) [[likely]]
        return on.template send_to<M>(data.data(), data.size(), world_peer(to), tag, type, where);
      return on.template send_slow<M>(data.data(), data.size(), to, tag, type, where);
    }
    [[MPX_ALWAYS_INLINE]] started start() const {
      if (on.is_direct(to, tag)) [[likely]]
        return on.template start_to<M>(data.data(), data.size(), world_peer(to), tag, type);
      return on.template start_slow<M>(data.data(), data.size(), to, tag, type);
    }
    started prepare() const noexcept {
      if (const errc why = on.check_send(to, tag); why != errc{}) return {nullptr, why};
      return on.prepared(to == proc_null ? starts_as::nothing : start_of(M), data, to, tag, type);
    }
    [[noreturn, MPX_ALWAYS_INLINE]] void raise(errc why, nothing, const char* what,
                                               std::source_location where) const {
      on.raise(why, what, " to rank ", to, tag, data.size(), 0, where);
    }
  };

  struct receiving {
    using stack_type = Stack;
    using value_type = status;
    static constexpr const char* name = "recv";
    static constexpr const char* start_name = "receive";
    static constexpr const char* prepare_name = "recv_init";

    const point_to_point& on;
    std::span<std::byte> into;
    rank_t from;
    tag_t tag;
    [[no_unique_address]] mark_type type{};

    memory lent() const noexcept { return into; }
    void give_back(const memory&) const noexcept {}
    endpoint<Stack>& endpoint_of() const noexcept { return *on.endpoint_; }
    [[MPX_ALWAYS_INLINE]] errc run(status& got, std::source_location where) const {
      const bool direct = on.is_direct(from, tag);
      direct_receive d(into.data(), into.size(), type.in(on.context_), world_peer(from),
                       direct ? tag : 0);
      if constexpr (Stack::checks_type::compares_types) d.want.ignore = mark_type::ignored;
      if (direct) [[likely]] {
        on.endpoint_->receive_now(d);
      } else {
        d.failure = indirect;
      }
      if (d.failure != errc{}) [[unlikely]] {
        const received r = on.receive_rest(d, from, tag, type, where);
        got = r.got;
        return wrong_type(d) ? errc::type : r.failure;
      }
      got = status(from, tag, d.bytes);
      return wrong_type(d) ? errc::type : errc{};
    }
    [[MPX_ALWAYS_INLINE]] bool wrong_type([[maybe_unused]] const direct_receive& d) const noexcept {
      if constexpr (Stack::checks_type::compares_types) {
        if (d.failure != errc{} && d.failure != errc::type) return false;
        if (type_in(d.want.bits) != 0) type.sent = type_in(d.want.bits);
        return differ(type.sent, type.code);
      }
      return false;
    }
    [[MPX_ALWAYS_INLINE]] started start() const {
      if (on.is_direct(from, tag) || on.is_direct_from_any(from, tag)) [[likely]]
        return on.endpoint_->receive(into, on.exactly(world_peer(from), tag, type));
      return on.start_receive_slow(into.data(), into.size(), from, tag, type);
    }
    started prepare() const noexcept {
      if (const errc why = on.check_receive(from, tag); why != errc{}) return {nullptr, why};
      return on.prepared(from == proc_null ? starts_as::nothing : starts_as::receive, into, from,
                         tag, type);
    }
    [[noreturn, MPX_ALWAYS_INLINE]] void raise(errc why, const status& got, const char* what,
                                               std::source_location where) const {
      on.raise_receive(why, what, from, tag, into.size(), got.source(), got.tag(), got.bytes(),
                       where, type);
    }
  };

  /// Send and receive at the same time (detail/point_to_point_slow.hpp).
  template <class Out, class In>
  struct exchanging;
  template <class Out, class In>
  static exchanging<Out, In> both(const Out& out, const In& in, const char* what = "sendrecv",
                                  bool no_memory = false) noexcept {
    return {out, in, what, no_memory};
  }

  /// Reports a handle that is empty, or has outlived its environment or its communicator, before
  /// these are accessed; and a thread that may not make calls.
  void check_exists([[maybe_unused]] std::source_location where) const noexcept {
    MPX_ASSERT_AT(
        endpoint_ != nullptr,
        "this communicator is empty: it was freed or moved from, or this rank has no part in it",
        where);
    MPX_ASSERT_AT(endpoint_->is_there() && endpoint_->lifetime() == lifetime_,
                  "the environment of this communicator is gone: let communicators go before it",
                  where);
    MPX_ASSERT_AT(state_->of_handles == (context_ & of_handles),
                  "this communicator has been freed: free it when nobody uses it any more", where);
    MPX_ASSERT_AT(endpoint_->misuse() == nullptr, endpoint_->misuse(), where);
  }

  // --- Implementation ----------------------------------------------------------------------------

  /// The partner is proc_null: nothing is communicated.
  void pass() const noexcept { endpoint_->pass_without_poll(); }
  /// Fast path: ranks are peers, so this one comparison is the whole check of arguments.
  [[MPX_ALWAYS_INLINE]] bool is_direct(rank_t rank, tag_t tag) const noexcept {
    return static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(direct_size_) && tag >= 0;
  }
  /// As is_direct, for a receive from any source.
  [[MPX_ALWAYS_INLINE]] bool is_direct_from_any(rank_t from, tag_t tag) const noexcept {
    return from == any_source && direct_size_ != 0 && tag >= 0;
  }
  peer_id peer_of(rank_t rank) const noexcept {
    return state_->ranks == nullptr ? world_peer(rank) : state_->ranks->peer_of(rank);
  }
  rank_t rank_of(peer_id peer) const noexcept { return detail::rank_of(peer, state_->ranks); }
  /// Pattern of a receive; `exactly` requires a tag other than any_tag.
  pattern matching(peer_id from, tag_t tag, mark_type type) const noexcept {
    pattern want(type.in(context_), from, tag);
    want.ignore |= mark_type::ignored;
    return want;
  }
  [[MPX_ALWAYS_INLINE]] pattern exactly(peer_id from, tag_t tag, mark_type type) const noexcept {
    return pattern::of(match_bits_of(type.in(context_), tag), mark_type::ignored, from);
  }
  errc check_send(rank_t to, tag_t tag) const noexcept {
    if (tag < 0) return errc::tag;
    return (to >= 0 && to < size_) || to == proc_null ? errc{} : errc::rank;
  }
  errc check_receive(rank_t from, tag_t tag) const noexcept {
    if (tag < 0 && tag != any_tag) return errc::tag;
    return from < size_ && from >= proc_null ? errc{} : errc::rank;
  }
  [[noreturn]] void raise(errc why, const char* what, const char* direction, rank_t other,
                          tag_t tag, std::size_t bytes, std::size_t got, std::source_location where,
                          mark_type type = {}) const;

  template <mode M>
  [[MPX_ALWAYS_INLINE]] started post(const send_call& call) const {
    if constexpr (M == mode::standard) return endpoint_->send(call);
    if constexpr (M == mode::buffered) return {nullptr, endpoint_->send_buffered(call)};
    return endpoint_->send_flagged(
        call, M == mode::synchronous ? wire::flag_synchronous : wire::flag_ready);
  }
  template <mode M>
  [[MPX_ALWAYS_INLINE]] started start_to(const std::byte* data, std::size_t bytes, peer_id to,
                                         tag_t tag, mark_type type) const {
    return post<M>({{const_cast<std::byte*>(data), bytes}, to, type.in(context_), tag});
  }
  template <mode M>
  started call_to(const std::byte* data, std::size_t bytes, peer_id to, tag_t tag,
                  mark_type type) const {
    if constexpr (M == mode::standard) {
      return endpoint_->send_outlined(const_cast<std::byte*>(data), bytes, to,
                                      match_bits_of(type.in(context_), tag));
    }
    return start_to<M>(data, bytes, to, tag, type);
  }
  template <mode M>
  [[MPX_ALWAYS_INLINE]] errc send_to(const std::byte* data, std::size_t bytes, peer_id to,
                                     tag_t tag, mark_type type, std::source_location where) const {
    const auto [op, failure] = start_to<M>(data, bytes, to, tag, type);
    if (op == nullptr) [[likely]]
      return failure;
    return send_rest(*op, name_of(M), where);
  }
  [[gnu::noinline]] errc send_rest(operation& op, const char* name,
                                   std::source_location where) const {
    endpoint_->wait(op, {name, where});
    const errc why = op.failure;
    endpoint_->release(op);
    return why;
  }
  /// Slow path: invalid arguments, proc_null, and communicators whose ranks are not the peers.
  /// Arguments are passed one by one: a struct would have to be in memory on the fast path, too.
  template <mode M>
  [[gnu::noinline]] errc send_slow(const std::byte* data, std::size_t bytes, rank_t to, tag_t tag,
                                   mark_type type, std::source_location where) const {
    if (const errc why = check_send(to, tag); why != errc{}) return why;
    if (to == proc_null) return pass(), errc{};
    const auto [op, failure] = call_to<M>(data, bytes, peer_of(to), tag, type);
    return op == nullptr ? failure : send_rest(*op, name_of(M), where);
  }
  template <mode M>
  [[gnu::noinline]] started start_slow(const std::byte* data, std::size_t bytes, rank_t to,
                                       tag_t tag, mark_type type) const {
    if (const errc why = check_send(to, tag); why != errc{}) return {nullptr, why};
    if (to == proc_null) return pass(), started{};
    const started s = call_to<M>(data, bytes, peer_of(to), tag, type);
    if (s.op != nullptr) s.op->ranks = state_->ranks;
    return s;
  }
  [[MPX_ALWAYS_INLINE]] bool try_send_to(const std::byte* data, std::size_t bytes, peer_id to,
                                         tag_t tag, mark_type type) const {
    return endpoint_->try_send({{const_cast<std::byte*>(data), bytes}, to, type.in(context_), tag});
  }
  [[gnu::noinline]] bool try_send_slow(const std::byte* data, std::size_t bytes, rank_t to,
                                       tag_t tag, mark_type type,
                                       std::source_location where) const {
    if (const errc why = check_send(to, tag); why != errc{})
      raise(why, "try_send", " to rank ", to, tag, bytes, 0, where);
    if (to == proc_null) return pass(), true;
    return try_send_to(data, bytes, peer_of(to), tag, type);
  }
  started start_receive_slow(std::byte* into, std::size_t bytes, rank_t from, tag_t tag,
                             mark_type type) const;

  static constexpr errc indirect = static_cast<errc>(-2);  // Not started: see `is_direct`.
  struct received {
    status got;
    errc failure;
  };
  received receive_rest(direct_receive& d, rank_t from, tag_t tag, mark_type type,
                        std::source_location where) const;
  [[noreturn]] void raise_receive(errc why, const char* what, rank_t from, tag_t tag,
                                  std::size_t room, rank_t source, tag_t its_tag, std::size_t bytes,
                                  std::source_location where, mark_type type = {}) const;

  started prepared(starts_as way, const memory& buffer, rank_t other, tag_t tag,
                   mark_type type) const noexcept;
  /// Checks the arguments of a receive, and sets its pattern. Returns errc::rank, errc::tag, or
  /// `nobody`.
  errc translate(rank_t from, tag_t tag, pattern& want, mark_type type = {}) const noexcept;
  static constexpr errc nobody = static_cast<errc>(-3);  // The partner is proc_null.

  struct seen {
    errc failure{};
    std::optional<status> got;
  };
  template <bool Once>
  seen probe_slow(rank_t from, tag_t tag, std::source_location where) const;
  /// Returns the result of a probe: the value for a blocking form, an optional for mpx::once.
  template <class T, class How>
  [[MPX_ALWAYS_INLINE]] auto finish_probe(How& how, errc why, auto&& found, const char* name,
                                          const char* once_name, rank_t from, tag_t tag,
                                          std::source_location where) const {
    if constexpr (is_code<How&>) {
      store(how, why);
    } else if constexpr (is_form<How, once_t> && stores_errors<How>) {
      store(*how.code, why);
    } else if (why != errc{}) {
      raise(why, is_form<How, once_t> ? once_name : name, " from rank ", from, tag, 0, 0, where);
    }
    if constexpr (is_form<How, once_t>) {
      return std::optional<T>(std::forward<decltype(found)>(found));
    } else {
      return found ? T(*std::forward<decltype(found)>(found)) : T();
    }
  }

  static constexpr context_id of_handles = (endpoint<Stack>::context_mask >> 1) - 1;

  endpoint<Stack>* endpoint_ = nullptr;
  rank_t direct_size_ = 0;  // size_ if ranks are peers, else 0, which disables the fast paths.
  context_id context_ = no_context;
  rank_t rank_ = proc_null;
  rank_t size_ = 0;
  communicator_state* state_ = nullptr;
  std::uint32_t lifetime_ = 0;  // Of the endpoint; another one may be at the same address later.
};

}  // namespace mpx::inline v0::detail

#include "mpx/comm/detail/point_to_point_slow.hpp"  // IWYU pragma: keep
