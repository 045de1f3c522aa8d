// SPDX-License-Identifier: BSL-1.0
#pragma once
// Send side of the endpoint: queues of sends in order, control packets, credit to be returned, the
// number of outstanding announcements, and memory attached for buffered sends. A message that the
// transport takes at once leaves no state here.

#include <cstring>
#include <span>

#include "mpx/core/exchange.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/offset_allocator.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/engine/axes/long_path.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/posting.hpp"
#include "mpx/engine/components/peer_record.hpp"
#include "mpx/flow/concepts.hpp"
#include "mpx/protocol/tiny_short_long.hpp"
#include "mpx/protocol/wire.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::detail {

/// Type of the posted work that a completion of the transport belongs to: a packet, or a get or
/// put.
enum class cookie_kind : std::uint8_t { packet, copy };
/// Returns the cookie that names `op` to the transport. Cookie 0 names no operation.
inline cookie_t cookie_of(const operation& op, cookie_kind kind) noexcept {
  return cookie_t{static_cast<std::uint8_t>(kind)} << 32 | op.ticket;
}

/// Requires of `Endpoint`: transport(), flow(), protocol(), trace(), pool(); finish(op, why),
/// end(op, why), give(op); quiet_slow(peer), which calls the one here; failure_in(context),
/// the failure of a revoked communicator; peers() and rendezvous().
template <class Stack, class Endpoint>
class outbox_component {
  using transport_type = typename Stack::transport_type;
  using protocol_type = typename Stack::protocol_type;
  static constexpr std::uint32_t allowance_max = 1u << 31;
  static constexpr std::uint32_t controls_max = 1u << 17;
  static constexpr std::size_t tiny_prepaid_max =
      lesser(protocol_type::tiny_bytes_max, transport_type::traits.inline_bytes_max);
  /// Longest message sent with prepaid credit, in bytes. The cost of longer ones is mostly the
  /// copy.
  static constexpr std::size_t prepaid_max =
      lesser(std::size_t{1024}, transport_type::traits.packet_bytes_max);

 public:
  explicit outbox_component(std::uint32_t announced_max) noexcept
      : allowance_first_(announced_max) {}
  outbox_component(const outbox_component&) = delete;
  outbox_component& operator=(const outbox_component&) = delete;
  ~outbox_component() { platform::deallocate(staging_); }

  /// Size of the buffer in which non-contiguous data is packed, piece by piece, in bytes.
  static constexpr std::size_t staging_bytes =
      greater(greater(protocol_type::short_bytes_ceiling, 2 * protocol_type::fragment_bytes_max),
              greater(far_part_t<protocol_type>::short_bytes_ceiling,
                      far_part_t<protocol_type>::fragment_bytes_max));

  /// True if a message of this size is announced, not sent eagerly. The first comparison lets the
  /// compiler drop the second one for messages that are known to be tiny.
  [[MPX_ALWAYS_INLINE]] bool is_long(std::size_t bytes) noexcept {
    return bytes > protocol_type::tiny_bytes_max && bytes > ep().protocol().short_bytes_max();
  }

  /// True if a message of this size to peer `to` is announced; far peers may have another
  /// threshold.
  bool is_long(std::size_t bytes, [[maybe_unused]] peer_id to) noexcept {
    if constexpr (NearFarTransport<transport_type> && NearFarProtocol<protocol_type>) {
      if (!ep().transport().is_near(to)) return bytes > ep().protocol().far().short_bytes_max();
    }
    return is_long(bytes);
  }

  /// Size of the fragments of long messages to this peer, in bytes.
  std::size_t fragment_bytes_to([[maybe_unused]] peer_id peer) noexcept {
    if constexpr (NearFarTransport<transport_type>) {
      auto& t = ep().transport();
      return lesser(t.is_near(peer) ? protocol_type::fragment_bytes_max
                                    : far_part_t<protocol_type>::fragment_bytes_max,
                    t.packet_bytes_max(peer));
    }
    return lesser(protocol_type::fragment_bytes_max, transport_type::traits.packet_bytes_max);
  }

  /// True if this stack sends small messages with prepaid credit.
  static constexpr bool prepays = PrepaidTransport<transport_type> &&
                                  PrepaidFlowControl<typename Stack::flow_type> &&
                                  (!posts_pend<transport_type> || NearFarTransport<transport_type>);

  /// Fast path of a contiguous send. With prepaid credit it sends messages of up to
  /// `tiny_prepaid_max` bytes, without it any message that `send_without_operation` accepts.
  /// Returns false, without effect, if the message cannot leave now; another path may still send
  /// it.
  bool send_tiny_fast(const send_call& c) noexcept;
  /// Sends a contiguous message of up to `prepaid_max` bytes with prepaid credit. Returns false,
  /// without effect, if that is not possible.
  bool send_short_prepaid(const send_call& c) noexcept;
  /// Slow path of the two above, with prepaid credit: sends the message if it can leave at once,
  /// and buys credit ahead for later messages. Returns false if the message has to be queued.
  bool send_and_buy_credit(const send_call& c) noexcept;

  /// Sends a contiguous message if it can leave at once. Returns false if it has to be queued.
  bool send_without_operation(const send_call& c) noexcept {
    // A pending post needs an operation for its completion.
    if constexpr (posts_pend<transport_type> && !NearFarTransport<transport_type>) return false;
    const std::size_t bytes = c.data.bytes;
    if (is_long(bytes) || !quiet(c.to)) [[unlikely]]
      return false;
    if (!acquire(c.to, bytes)) [[unlikely]]
      return false;
    const frame_header f = wire::plain_eager_frame(c.bits, ep().flow().outgoing(c.to));
    if (post_at_once(ep().transport(), c.to, f, {c.data.base, bytes}) != outcome::done)
        [[unlikely]] {
      ep().flow().restore(c.to, bytes);
      return false;
    }
    ep().trace().on(event::packets_sent, 1);
    ep().trace().on(event::eager_sent, 1);
    ep().trace().on(event::eager_bytes, bytes);
    return true;
  }

  /// Sends a message of any size behind earlier sends to the same peer, eagerly or by an
  /// announcement.
  /// Errors: errc::no_resources if no operation is available; the call has no effect then.
  [[gnu::noinline]] started send(const send_call& c, std::uint8_t flags) {
    peer_record* const known = ep().peers().find_or_make(c.to);
    operation* op = known == nullptr ? nullptr : new_send(c, flags);
    if (op == nullptr) return {nullptr, errc::no_resources};
    peer_record& r = *known;
    const errc refused = ep().failure_in(c.context());
    if (const errc why = refused != errc{} ? refused : r.failure(); why != errc{}) {
      ep().finish(*op, why);
      return {op};
    }
    r.backlog_.push_back(*op);
    flush(r);
    if (op->stage == stage::queued) ep().peers().set_busy(r);
    return {op};
  }

  /// Sends from the attached buffer; complete on return.
  /// Errors: errc::buffer if the attached buffer has no room; errc::no_resources; the failure of
  /// the peer.
  errc send_buffered(const send_call& c) {
    if (!has_attached_) return errc::buffer;
    const std::uint64_t at = attached_space_.allocate(c.data.bytes, 1);
    if (at == offset_allocator::none) return errc::buffer;
    if (c.data.contiguous() && send_without_operation(c)) {
      attached_space_.deallocate(at);
      return errc{};
    }
    std::byte* const copy = attached_.data() + at;
    c.data.read(0, {copy, c.data.bytes});
    const auto [op, failure] = send({{copy, c.data.bytes}, c.to, c.bits}, 0);
    if (op == nullptr) {
      attached_space_.deallocate(at);
      return failure;
    }
    op->owns(copy);
    op->owned_by_attached = true;
    op->holder = holder::nobody;
    if (!op->done()) return errc{};
    const errc why = op->failure;
    ep().give(*op);
    return why;
  }

  errc attach(std::span<std::byte> piece) {
    if (has_attached_) return errc::buffer;
    attached_space_ = offset_allocator(piece.size());
    attached_ = piece;
    has_attached_ = true;
    return errc{};
  }
  /// True if no part of the attached memory is in use.
  bool attached_is_free() const noexcept { return attached_space_.empty(); }
  /// Detaches and returns the attached memory.
  /// Requires: attached_is_free().
  std::span<std::byte> detach() noexcept {
    has_attached_ = false;
    return detail::exchange(attached_, {});
  }
  /// Frees the copy of its data, or the reference to its layout, that `op` owns.
  [[gnu::noinline]] void free_copy(operation& op) noexcept {
    std::byte* copy = detail::exchange(op.owned, nullptr);
    if (copy == op.layout_mark()) {
      op.data.how->drop();
      op.data.how = nullptr;
    } else if (op.owned_by_attached) {
      attached_space_.deallocate(static_cast<std::uint64_t>(copy - attached_.data()));
    } else {
      platform::deallocate(copy);
    }
  }

  // --- Packing of non-contiguous data ------------------------------------------------------------

  bool prepare_staging() noexcept {
    if (staging_ == nullptr) staging_ = static_cast<std::byte*>(platform::allocate(staging_bytes));
    return staging_ != nullptr;
  }
  /// Buffer for one packed piece, valid until the next call.
  /// Requires: prepare_staging() returned true.
  std::span<std::byte> staging() noexcept {
    staged_ = nullptr;
    return {staging_, staging_bytes};
  }
  /// Returns bytes offset .. offset + n - 1 of the data that `op` sends, contiguous.
  /// Requires: `op` has data; n <= staging_bytes if the data has a layout.
  [[MPX_ALWAYS_INLINE]] std::span<const std::byte> piece(const operation& op, std::size_t offset,
                                                         std::size_t n) noexcept {
    if (op.data.contiguous()) [[likely]]
      return op.data.piece(offset, n);
    return packed_piece(op, offset, n);
  }

  // --- Packets -----------------------------------------------------------------------------------

  /// Posts a packet. Returns false if it has to be posted again later. If the post is pending, the
  /// transport reads `payload` until a completion of `op`, which counts it.
  /// Requires: `payload` is empty if `op` is nullptr.
  [[gnu::noinline]] bool post(peer_id to, wire::header h, std::span<const std::byte> payload,
                              operation* op) noexcept {
    h.credit = ep().flow().outgoing(to);
    if (op != nullptr && op->pending == pending_max) return false;
    const outcome o = ep().transport().post(
        to, wire::pack(h), payload, op != nullptr ? cookie_of(*op, cookie_kind::packet) : 0);
    if (o == outcome::refused) [[unlikely]]
      ep().peers().refuse(to);
    if (o == outcome::pending && op != nullptr) ++op->pending;
    const bool taken = o == outcome::done || o == outcome::pending;
    ep().trace().on(taken ? event::packets_sent : event::posts_retried, 1);
    return taken;
  }

  /// Sends a control packet without a payload, now or as soon as the channel takes it.
  void send_control(peer_id to, const wire::header& h) { send_control(to, h, {}, nullptr); }
  /// Sends a control packet with the payload in `of.control`.
  void send_control(const wire::header& h, operation& of) {
    send_control(of.peer, h, {of.control, of.control_bytes}, &of);
  }
  /// Sends a control packet with a payload of at most 40 bytes, which is copied. Returns false if
  /// the peer is lost.
  bool send_control_copy(peer_id to, const wire::header& h, std::span<const std::byte> payload) {
    peer_record& r = ep().peers().of(to);
    if (r.failure() != errc{}) return false;
    operation* const op = new_control(r, h, payload);
    if (op == nullptr) return false;
    queue_control(r, *op);
    flush(r);
    if (op->stage == stage::queued) ep().peers().set_busy(r);
    return true;
  }

  /// Sends a control packet with a payload of up to one packet. Returns false if the peer is lost.
  /// Cost: a copy unless the channel takes the packet now.
  bool send_control_long(peer_id to, const wire::header& h,
                         std::span<const std::byte> payload) noexcept;
  /// Number of control packets that wait for room in the peer's channel.
  std::uint32_t controls_waiting(peer_id peer) noexcept {
    const peer_record* const r = ep().peers().find(peer);
    return r == nullptr ? 0 : r->controls_;
  }

  /// Returns credit: tells the peer, now or later, how many of its bytes have left this process's
  /// memory.
  [[gnu::noinline]] void owe_credit(peer_id peer) {
    peer_record& r = ep().peers().of(peer);
    if (r.failure() != errc{}) return;
    if (post(peer, {.kind = wire::kind::credit}, {}, nullptr)) {
      ep().trace().on(event::credits_sent, 1);
      return;
    }
    r.owes_credit_ = true;
    ep().peers().set_busy(r);
  }

  /// Handles `matched` or `unready`. Returns false if the packet violates the protocol.
  bool on_answer(operation* op, const wire::header& h) {
    if (op == nullptr || op->stage != stage::answer || op->half_and_half) return false;
    if (op->announced && h.kind == wire::kind::matched) return false;  // For eager sends only.
    if (op->announced) announcement_answered(op->peer);
    ep().rendezvous().end_exposure(*op);
    ep().end(*op, h.kind == wire::kind::unready ? errc::not_ready : errc{});
    return true;
  }
  /// Cancels a send, or asks its receiver to drop the message. `on_cancelled` follows if the
  /// receiver has; else the send ends as usual. Returns false, without effect, if the receiver has
  /// matched the message, as far as this rank knows.
  [[gnu::noinline, gnu::cold]] bool cancel(operation& op) {
    if (op.stage == stage::queued) {
      ep().peers().of(op.peer).backlog_.erase(op);
      end_cancelled(op);
      return true;
    }
    const bool may_be = op.stage == stage::answer || op.stage == stage::pushing;
    if (!may_be || op.half_and_half || op.cancels) return false;
    op.cancels = true;
    send_control(op.peer, {.kind = wire::kind::cancel, .ticket = op.ticket});
    return true;
  }
  /// Handles `cancelled`. Returns false if the packet violates the protocol.
  bool on_cancelled(operation* op) {
    if (op == nullptr || op->stage != stage::answer || op->half_and_half || !op->cancels)
      return false;
    if (op->announced) announcement_answered(op->peer);
    end_cancelled(*op);
    return true;
  }
  /// Handles `kept`: the receiver asks for the data of `op` when a receive has matched.
  static errc on_kept(const operation* op) noexcept {
    const bool may_be = pushes_long<protocol_type> && op != nullptr && op->stage == stage::answer &&
                        op->announced && !op->half_and_half;
    return may_be ? errc{} : errc::protocol;
  }
  bool on_allow(peer_id source, const wire::header& h) {
    if (h.tag <= 0) return false;
    peer_record& r = ep().peers().of(source);
    r.allowance_ = static_cast<std::uint32_t>(lesser<std::uint64_t>(
        std::uint64_t{r.allowance_} + static_cast<std::uint32_t>(h.tag), allowance_max));
    return true;
  }
  /// Gives back the credit that the peer asks for, with the prepaid part of it. Returns false if
  /// the packet violates the protocol.
  bool on_reclaim([[maybe_unused]] peer_id source, [[maybe_unused]] const wire::header& h) {
    if constexpr (ReassigningFlowControl<typename Stack::flow_type>) {
      if (h.tag < 0) return false;
      refund_prepaid(source);
      const std::uint32_t units = ep().flow().give_back(source, static_cast<std::uint32_t>(h.tag));
      send_control(source, {.kind = wire::kind::returned, .tag = static_cast<tag_t>(units)});
      return true;
    }
    return false;
  }
  [[gnu::noinline]] void announcement_answered(peer_id peer) { --ep().peers().of(peer).announced_; }

  bool has_announced(const peer_record& r) const noexcept { return r.announced_ != 0; }

  // --- Flushing ----------------------------------------------------------------------------------

  /// True if no earlier send to this peer waits, and it has not failed. Control packets that wait
  /// are not examined.
  [[MPX_ALWAYS_INLINE]] bool quiet(peer_id to) noexcept {
    return ep().peers().fast_path_allowed() || ep().quiet_slow(to);
  }

  /// Slow path of `quiet`, which reaches it by way of the endpoint.
  [[gnu::noinline]] bool quiet_slow(peer_id to) noexcept {
    ep().peers().check();
    if (ep().peers().any_revoked()) return false;
    const peer_record* r = ep().peers().find(to);
    return r == nullptr || (r->backlog_.empty() && r->failure() == errc{});
  }

  /// Flushes the queues of all busy peers. Returns 0 if nothing was sent or
  /// copied.
  std::size_t flush_busy() {
    std::size_t sent = 0;
    ep().peers().for_each_busy([&](peer_record& r) {
      sent += flush(r);
      sent += ep().rendezvous().move(r);  // Announcements and control packets go first.
      return r.control_.empty() && r.backlog_.empty() && !r.owes_credit_ &&
             ep().rendezvous().idle(r);
    });
    return sent;
  }

  void on_new_record(peer_record& r) noexcept { r.allowance_ = allowance_first_; }
  /// Empties the queues of a lost peer. Their operations have been ended before.
  void on_loss(peer_record& r) noexcept {
    r.control_.clear();
    r.backlog_.clear();
    r.controls_ = 0;
    r.owes_credit_ = false;
  }

 private:
  static constexpr std::uint8_t pending_max = 255;
  Endpoint& ep() noexcept { return static_cast<Endpoint&>(*this); }
  void end_cancelled(operation& op) {
    ep().rendezvous().end_exposure(op);
    op.cancelled = true;
    ep().end(op, errc{});
  }

  [[MPX_ALWAYS_INLINE]] bool acquire(peer_id to, std::size_t bytes) noexcept {
    return ep().flow().try_acquire(to, bytes) || acquire_after_refund(to, bytes);
  }
  bool acquire_after_refund(peer_id to, std::size_t bytes) noexcept;
  bool refund_prepaid(peer_id to) noexcept;
  bool try_send_prepaid(const send_call& c) noexcept;

  operation* new_send(const send_call& c, std::uint8_t flags) {
    operation* op = ep().pool().take();
    if (op == nullptr) return nullptr;
    op->begin(role::send, stage::queued, flags);
    op->announced = op->owned_by_attached = op->half_and_half = op->copying = op->cancels = false;
    op->first_half = first_half::open;
    op->peer = c.to;
    op->tag = c.tag();
    op->context = c.context();
    op->data = c.data;
    op->limit = op->transferred = 0;
    op->own.key = 0;
    op->ranks = nullptr;
    return c.data.contiguous() ? op : hold_spread(*op);
  }
  operation* hold_spread(operation& op) noexcept;
  std::span<const std::byte> packed_piece(const operation& op, std::size_t offset,
                                          std::size_t n) noexcept;

  [[gnu::noinline]] operation* new_control(peer_record& r, const wire::header& h,
                                           std::span<const std::byte> payload) {
    operation* op = r.controls_ < controls_max ? ep().pool().take() : nullptr;
    if (op == nullptr) {
      ep().peers().lose(r.peer, errc::no_resources);
      return nullptr;
    }
    op->begin(role::control, stage::queued, 0);
    op->holder = holder::nobody;
    op->peer = r.peer;
    op->header = h;
    op->control_bytes = static_cast<std::uint8_t>(payload.size());
    if (!payload.empty()) std::memcpy(op->control, payload.data(), payload.size());
    return op;
  }
  void queue_control(peer_record& r, operation& op) {
    ++r.controls_;
    r.control_.push_back(op);
  }

  [[gnu::noinline]] void send_control(peer_id to, const wire::header& h,
                                      std::span<const std::byte> payload, operation* of) {
    peer_record& r = ep().peers().of(to);
    if (r.failure() != errc{}) return;
    if (r.control_.empty() && post(to, h, payload, of)) return;
    operation* const op = new_control(r, h, payload);
    if (op == nullptr) return;
    queue_control(r, *op);
    ep().peers().set_busy(r);
  }

  /// Flushes the queues of one peer: first control packets, then credit, then sends in order, then
  /// long data. Returns 0 if nothing was sent.
  [[gnu::noinline]] std::size_t flush(peer_record& r) {
    std::size_t sent = 0;
    while (!r.control_.empty()) {
      operation& op = r.control_.front();
      // A control packet with an owned copy carries that copy as its payload.
      const std::span<const std::byte> payload =
          op.special == 0 ? std::span<const std::byte>(op.control, op.control_bytes)
                          : std::span<const std::byte>(op.owned, op.limit);
      if (!post(r.peer, op.header, payload, payload.empty() ? nullptr : &op)) return sent;
      r.control_.pop_front();
      --r.controls_;
      ep().end(op, errc{});
      ++sent;
    }
    if (r.owes_credit_) {
      if (!post(r.peer, {.kind = wire::kind::credit}, {}, nullptr)) return sent;
      r.owes_credit_ = false;
      ++sent;
    }
    while (!r.backlog_.empty() && push(r, r.backlog_.front())) ++sent;
    return sent + ep().rendezvous().flush(r);
  }

  /// Sends the first message of a backlog, eagerly or by its announcement. Returns false if it has
  /// to wait.
  bool push(peer_record& r, operation& op) {
    const std::size_t bytes = op.data.bytes;
    if (!is_long(bytes, op.peer) && !op.data_lost() && acquire(op.peer, bytes)) {
      if (push_eager(r, op)) return true;
      ep().flow().restore(op.peer, bytes);
      return false;
    }
    return push_announcement(r, op);
  }

  bool push_eager(peer_record& r, operation& op) {
    const wire::header h{.kind = wire::kind::eager,
                         .flags = op.flags,
                         .tag = op.tag,
                         .context = op.context,
                         .ticket = op.flags != 0 ? op.ticket : 0};
    if (!post(op.peer, h, piece(op, 0, op.data.bytes), &op)) return false;
    r.backlog_.pop_front();
    ep().trace().on(event::eager_sent, 1);
    ep().trace().on(event::eager_bytes, op.data.bytes);
    if (op.flags == 0) {
      ep().end(op, errc{});
    } else {
      op.stage = stage::answer;
    }
    return true;
  }

  [[gnu::noinline]] bool push_announcement(peer_record& r, operation& op) {
    if (r.announced_ >= r.allowance_) return false;
    const wire::announcement a{.bytes = op.data.bytes, .memory = ep().rendezvous().offer(op)};
    op.control_bytes = sizeof a;
    std::memcpy(op.control, &a, sizeof a);
    const bool last = r.announced_ + 1 == r.allowance_;
    const bool pushes =
        pushes_long<protocol_type> && is_long(op.data.bytes, op.peer) && !op.data_lost();
    const wire::header h{
        .kind = wire::kind::announce,
        .flags = static_cast<std::uint8_t>(op.flags | (last ? wire::flag_last : 0) |
                                           (pushes ? wire::flag_pushed : 0)),
        .tag = op.tag,
        .context = op.context,
        .ticket = op.ticket};
    if (!post(op.peer, h, {op.control, sizeof a}, &op)) return false;
    r.backlog_.pop_front();
    ++r.announced_;
    op.announced = true;
    op.recalls = false;
    op.stage = stage::answer;
    ep().trace().on(event::announced, 1);
    if (!is_long(op.data.bytes, op.peer)) ep().trace().on(event::announced_for_flow, 1);
    if constexpr (pushes_long<protocol_type>) {
      if (pushes) ep().rendezvous().push(op);
    }
    return true;
  }

  std::uint32_t allowance_first_;
  std::span<std::byte> attached_{};
  offset_allocator attached_space_;
  bool has_attached_ = false;
  std::byte* staging_ = nullptr;
  const operation* staged_ = nullptr;  // The operation whose piece is in `staging_`, and its range.
  std::size_t staged_offset_ = 0;
  std::size_t staged_count_ = 0;
};

template <class Stack, class Endpoint>
[[gnu::noinline]] bool outbox_component<Stack, Endpoint>::send_control_long(
    peer_id to, const wire::header& h, std::span<const std::byte> payload) noexcept {
  peer_record& r = ep().peers().of(to);
  if (r.failure() != errc{}) return false;
  if (r.control_.empty() && !may_pend(ep().transport(), to) && post(to, h, payload, nullptr))
    return true;
  auto* const copy = static_cast<std::byte*>(platform::allocate(payload.size()));
  operation* const op = copy == nullptr ? nullptr : new_control(r, h, {});
  if (op == nullptr) {
    if (copy == nullptr) ep().peers().lose(to, errc::no_resources);
    platform::deallocate(copy);
    return false;
  }
  std::memcpy(copy, payload.data(), payload.size());
  op->owned_by_attached = false;
  op->data = {};
  op->limit = payload.size();
  op->owns(copy);
  queue_control(r, *op);
  flush(r);
  if (op->stage == stage::queued) ep().peers().set_busy(r);
  return true;
}

template <class Stack, class Endpoint>
[[MPX_ALWAYS_INLINE]] inline bool outbox_component<Stack, Endpoint>::try_send_prepaid(
    const send_call& c) noexcept {
  if constexpr (prepays) {
    if (!ep().peers().fast_path_allowed()) [[unlikely]]
      return false;
    auto& flow = ep().flow();
    const std::uint32_t count = flow.count(c.to);
    const frame_header f = wire::plain_eager_frame(c.bits, count);
    const std::span<const std::byte> payload{c.data.base, c.data.bytes};
    if (!ep().transport().try_post_prepaid(c.to, f, payload, flow.price(payload.size())))
        [[unlikely]]
      return false;
    flow.credit_advertised(c.to, count);
    ep().trace().on(event::packets_sent, 1);
    ep().trace().on(event::eager_sent, 1);
    ep().trace().on(event::eager_bytes, payload.size());
    return true;
  }
  return false;
}

template <class Stack, class Endpoint>
[[MPX_ALWAYS_INLINE]] inline bool outbox_component<Stack, Endpoint>::send_tiny_fast(
    const send_call& c) noexcept {
  if constexpr (!prepays) return send_without_operation(c);
  return c.data.bytes <= tiny_prepaid_max && try_send_prepaid(c);
}

template <class Stack, class Endpoint>
[[MPX_ALWAYS_INLINE]] inline bool outbox_component<Stack, Endpoint>::send_short_prepaid(
    const send_call& c) noexcept {
  return c.data.bytes <= prepaid_max && !is_long(c.data.bytes) && try_send_prepaid(c);
}

template <class Stack, class Endpoint>
bool outbox_component<Stack, Endpoint>::send_and_buy_credit(const send_call& c) noexcept {
  if constexpr (prepays) {
    if (!send_without_operation(c)) return false;
    std::uint32_t* const prepaid_credit = ep().transport().prepaid_credit(c.to);
    if (c.data.bytes <= prepaid_max && prepaid_credit != nullptr &&
        *prepaid_credit < ep().flow().price(prepaid_max))
      *prepaid_credit += ep().flow().prepay(c.to);
    return true;
  }
  return false;  // Without prepaid credit this path does not send: the caller queues the message.
}

/// Returns unused prepaid credit to the flow control. Returns false if there is none.
template <class Stack, class Endpoint>
bool outbox_component<Stack, Endpoint>::refund_prepaid([[maybe_unused]] peer_id to) noexcept {
  if constexpr (prepays) {
    std::uint32_t* const prepaid_credit = ep().transport().prepaid_credit(to);
    if (prepaid_credit == nullptr || *prepaid_credit == 0) return false;
    ep().flow().refund(to, detail::exchange(*prepaid_credit, 0u));
    return true;
  }
  return false;
}

/// Acquires credit after the unused prepaid credit of the peer has been given back.
template <class Stack, class Endpoint>
[[gnu::noinline]] bool outbox_component<Stack, Endpoint>::acquire_after_refund(
    peer_id to, std::size_t bytes) noexcept {
  return refund_prepaid(to) && ep().flow().try_acquire(to, bytes);
}

/// Prepares a send of non-contiguous data. Transports take contiguous bytes: if they have read them
/// when a post returns, each piece is packed as it leaves; else all data is copied at once. Returns
/// nullptr if memory is exhausted.
template <class Stack, class Endpoint>
[[gnu::noinline]] operation* outbox_component<Stack, Endpoint>::hold_spread(
    operation& op) noexcept {
  std::byte* copy = op.layout_mark();
  const bool whole = may_pend(ep().transport(), op.peer);
  if (whole) {
    copy = static_cast<std::byte*>(platform::allocate(op.data.bytes));
  } else if (!prepare_staging()) {
    copy = nullptr;
  }
  if (copy == nullptr) {
    op.data.how = nullptr;
    ep().pool().give(&op);
    return nullptr;
  }
  if (whole) {
    op.data.read(0, {copy, op.data.bytes});
    op.drop_layout();
    op.data.base = copy;
  }
  op.owns(copy);
  if (staged_ == &op) staged_ = nullptr;  // It belonged to an earlier operation.
  return &op;
}

template <class Stack, class Endpoint>
[[gnu::noinline]] std::span<const std::byte> outbox_component<Stack, Endpoint>::packed_piece(
    const operation& op, std::size_t offset, std::size_t n) noexcept {
  const std::span<std::byte> into(staging_, n);
  // The piece is still packed if the channel was full.
  if (staged_ != &op || staged_offset_ != offset || staged_count_ != n) {
    op.data.read(offset, into);
    staged_ = &op;
    staged_offset_ = offset;
    staged_count_ = n;
  }
  return into;
}

}  // namespace mpx::inline v0::detail
