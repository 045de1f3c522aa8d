// SPDX-License-Identifier: BSL-1.0
#pragma once
// Point-to-point communication of a communicator: sends in the four modes, receives, probes, and
// their nonblocking and persistent forms. Typed forms turn buffers into bytes; the byte forms do
// the work.

#include <cstring>
#include <new>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "mpx/comm/message.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/request.hpp"

namespace mpx::inline v0 {

/// How a send completes.
enum class mode : std::uint8_t {
  standard,     ///< When the buffer may be used again.
  synchronous,  ///< When the receiver has started to receive.
  buffered,     ///< At once, from memory that was attached to the environment.
  ready,        ///< As standard, but the receive must be posted already, or it is errc::not_ready.
};

template <class Stack>
class persistent_request;

namespace detail {

/// Runs `f`; what it throws becomes `ec`. Returns what f returns, or a default on failure.
template <class F>
auto caught(std::error_code& ec, F&& f) noexcept -> decltype(f()) {
  ec.clear();
  try {
    return f();
  } catch (const error& e) {
    ec = e.code();
  } catch (const std::bad_alloc&) {
    ec = errc::no_resources;
  }
  return decltype(f())();
}

template <class Stack>
class point_to_point {
 public:
  /// For the library.
  point_to_point(endpoint<Stack>& e, communicator_state& state, context_id context, rank_t rank,
                 rank_t size) noexcept
      : endpoint_(&e), size_(size), context_(context), rank_(rank), state_(&state) {}

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return size_; }
  /// The number that keeps this communicator's messages apart, for reports.
  context_id context() const noexcept { return context_ >> 1; }
  /// What can tell why this rank waits, for tools and tests.
  endpoint<Stack>& endpoint_for_reports() const noexcept { return *endpoint_; }

  // --- Blocking sends ----------------------------------------------------------------------------

  /// Sends `buffer` to rank `to`, in standard mode.
  /// Requires: 0 <= to < size() or proc_null; 0 <= tag <= tag_max. `buffer` may be a temporary.
  /// Effects:  tiny and short messages are copied, long ones return when the receiver has the data.
  /// Errors:   errc::rank, errc::tag, errc::peer_lost. Cost: tiny: one packet, no allocation.
  /// Source:   MPI 4.1, 3.2.1.
  template <SendBuffer B>
  [[gnu::always_inline]] void send(const B& buffer, rank_t to, tag_t tag = 0,
                                   std::source_location where = std::source_location::current()) {
    send_bytes<mode::standard>(bytes_of(buffer), to, tag, where);
  }
  /// Synchronous mode: returns when the receiver has started to receive. Source: MPI 4.1, 3.4.
  template <SendBuffer B>
  void ssend(const B& buffer, rank_t to, tag_t tag = 0,
             std::source_location where = std::source_location::current()) {
    send_bytes<mode::synchronous>(bytes_of(buffer), to, tag, where);
  }
  /// Buffered mode: returns at once. Errors: errc::buffer when the memory attached to the
  /// environment cannot hold the message.
  template <SendBuffer B>
  void bsend(const B& buffer, rank_t to, tag_t tag = 0,
             std::source_location where = std::source_location::current()) {
    send_bytes<mode::buffered>(bytes_of(buffer), to, tag, where);
  }
  /// Ready mode: the receive must be posted. Errors: errc::not_ready, here and at the receiver's
  /// next matching receive. Cost: an answer by the receiver.
  template <SendBuffer B>
  void rsend(const B& buffer, rank_t to, tag_t tag = 0,
             std::source_location where = std::source_location::current()) {
    send_bytes<mode::ready>(bytes_of(buffer), to, tag, where);
  }
  template <SendBuffer B>
  void send(const B& buffer, rank_t to, tag_t tag, std::error_code& ec,
            std::source_location where = std::source_location::current()) noexcept {
    send_bytes<mode::standard>(bytes_of(buffer), to, tag, ec, where);
  }
  template <SendBuffer B>
  void ssend(const B& buffer, rank_t to, tag_t tag, std::error_code& ec,
             std::source_location where = std::source_location::current()) noexcept {
    send_bytes<mode::synchronous>(bytes_of(buffer), to, tag, ec, where);
  }
  template <SendBuffer B>
  void bsend(const B& buffer, rank_t to, tag_t tag, std::error_code& ec,
             std::source_location where = std::source_location::current()) noexcept {
    send_bytes<mode::buffered>(bytes_of(buffer), to, tag, ec, where);
  }
  template <SendBuffer B>
  void rsend(const B& buffer, rank_t to, tag_t tag, std::error_code& ec,
             std::source_location where = std::source_location::current()) noexcept {
    send_bytes<mode::ready>(bytes_of(buffer), to, tag, ec, where);
  }

  // --- Nonblocking sends -------------------------------------------------------------------------

  /// Starts a send. Completion: `buffer` stays as it is until the request is complete; temporaries
  /// are rejected. Errors: errc::rank and errc::tag here, the rest through the request.
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  [[gnu::always_inline]] request<Stack> isend(B&& buffer, rank_t to, tag_t tag = 0) {
    return isend_bytes<mode::standard>(bytes_of(buffer), to, tag);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> issend(B&& buffer, rank_t to, tag_t tag = 0) {
    return isend_bytes<mode::synchronous>(bytes_of(buffer), to, tag);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> ibsend(B&& buffer, rank_t to, tag_t tag = 0) {
    return isend_bytes<mode::buffered>(bytes_of(buffer), to, tag);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> irsend(B&& buffer, rank_t to, tag_t tag = 0) {
    return isend_bytes<mode::ready>(bytes_of(buffer), to, tag);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> isend(B&& buffer, rank_t to, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return isend(buffer, to, tag); });
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> issend(B&& buffer, rank_t to, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return issend(buffer, to, tag); });
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> ibsend(B&& buffer, rank_t to, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return ibsend(buffer, to, tag); });
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  request<Stack> irsend(B&& buffer, rank_t to, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return irsend(buffer, to, tag); });
  }

  // --- Receives ----------------------------------------------------------------------------------

  /// Receives into `buffer` from rank `from`.
  /// Requires: `from` a rank, any_source or proc_null; `tag` a tag or any_tag.
  /// Returns:  source, tag and length of the message. Errors: errc::rank, errc::tag, errc::truncate
  /// (what fits has been received), errc::not_ready (the data is there), errc::peer_lost.
  /// Cost:     one copy of eager data. Source: MPI 4.1, 3.2.4.
  template <class B>
  requires ReceiveBuffer<B&&>
  [[gnu::always_inline]] status recv(B&& buffer, rank_t from = any_source, tag_t tag = any_tag,
                                     std::source_location where = std::source_location::current()) {
    return recv_bytes(writable_bytes_of(buffer), from, tag, where);
  }
  template <class B>
  requires ReceiveBuffer<B&&>
  status recv(B&& buffer, rank_t from, tag_t tag, std::error_code& ec,
              std::source_location where = std::source_location::current()) noexcept {
    auto r = caught(ec, [&] { return irecv_bytes(writable_bytes_of(buffer), from, tag); });
    return ec ? status{} : r.wait_as(ec, {"recv", where});
  }
  /// Receives one value.
  template <Transferable T>
  requires std::default_initializable<T>
  T recv(rank_t from = any_source, tag_t tag = any_tag,
         std::source_location where = std::source_location::current()) {
    T value{};
    recv(value, from, tag, where);
    return value;
  }

  /// Starts a receive. Completion: nobody else uses `buffer` until the request is complete.
  template <class B>
  requires ReceiveBuffer<B&&>
  [[gnu::always_inline]] request<Stack> irecv(B&& buffer, rank_t from = any_source,
                                              tag_t tag = any_tag) {
    return irecv_bytes(writable_bytes_of(buffer), from, tag);
  }
  template <class B>
  requires ReceiveBuffer<B&&>
  request<Stack> irecv(B&& buffer, rank_t from, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return irecv(buffer, from, tag); });
  }

  // --- Both at once ------------------------------------------------------------------------------

  /// Sends and receives at once, so that a ring of ranks cannot deadlock. The buffers must not
  /// overlap.
  template <SendBuffer S, class R>
  requires ReceiveBuffer<R&&>
  status sendrecv(const S& out, rank_t to, tag_t send_tag, R&& in, rank_t from = any_source,
                  tag_t receive_tag = any_tag,
                  std::source_location where = std::source_location::current()) {
    return sendrecv_bytes(bytes_of(out), to, send_tag, writable_bytes_of(in), from, receive_tag,
                          {"sendrecv", where});
  }
  template <SendBuffer S, class R>
  requires ReceiveBuffer<R&&>
  status sendrecv(const S& out, rank_t to, tag_t send_tag, R&& in, rank_t from, tag_t receive_tag,
                  std::error_code& ec,
                  std::source_location where = std::source_location::current()) noexcept {
    return caught(ec, [&] { return sendrecv(out, to, send_tag, in, from, receive_tag, where); });
  }
  /// The same with one buffer: what is sent is replaced by what is received. Cost: a copy of the
  /// buffer unless the send is complete at once.
  template <class B>
  requires ReceiveBuffer<B&&>
  status sendrecv_replace(B&& buffer, rank_t to, tag_t send_tag, rank_t from = any_source,
                          tag_t receive_tag = any_tag,
                          std::source_location where = std::source_location::current()) {
    const auto bytes = writable_bytes_of(buffer);
    const scratch_bytes copy(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    return sendrecv_bytes(std::span<const std::byte>(copy.data(), bytes.size()), to, send_tag,
                          bytes, from, receive_tag, {"sendrecv_replace", where});
  }
  template <class B>
  requires ReceiveBuffer<B&&>
  status sendrecv_replace(B&& buffer, rank_t to, tag_t send_tag, rank_t from, tag_t receive_tag,
                          std::error_code& ec,
                          std::source_location where = std::source_location::current()) noexcept {
    return caught(ec,
                  [&] { return sendrecv_replace(buffer, to, send_tag, from, receive_tag, where); });
  }

  // --- Probes ------------------------------------------------------------------------------------

  /// Blocks until a matching message can be received, and tells about it. Errors: errc::rank,
  /// errc::tag, errc::peer_lost. A message longer than a packet is known by its announcement.
  status probe(rank_t from = any_source, tag_t tag = any_tag,
               std::source_location where = std::source_location::current()) {
    if (from == proc_null) return {};
    errc why = check_receive(from, tag);
    probe_result p;
    if (why == errc{}) p = endpoint_->wait_probe(want(from, tag), {"probe", where}, why);
    if (why != errc{}) raise(why, "probe", " from rank ", from, tag, 0);
    return {rank_of(p.source), p.tag, p.bytes};
  }
  status probe(rank_t from, tag_t tag, std::error_code& ec,
               std::source_location where = std::source_location::current()) noexcept {
    return caught(ec, [&] { return probe(from, tag, where); });
  }
  /// Looks once.
  std::optional<status> iprobe(rank_t from = any_source, tag_t tag = any_tag) {
    if (from == proc_null) return status{};
    errc why = check_receive(from, tag);
    std::optional<probe_result> p;
    if (why == errc{}) p = endpoint_->probe(want(from, tag), why);
    if (why != errc{}) raise(why, "iprobe", " from rank ", from, tag, 0);
    if (!p) return std::nullopt;
    return status{rank_of(p->source), p->tag, p->bytes};
  }
  std::optional<status> iprobe(rank_t from, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return iprobe(from, tag); });
  }
  /// Blocks until a matching message can be received, and takes it out of matching: no other
  /// receive can get it. Source: MPI 4.1, 3.8.2.
  message<Stack> mprobe(rank_t from = any_source, tag_t tag = any_tag,
                        std::source_location where = std::source_location::current()) {
    if (from == proc_null) return {*endpoint_, nullptr, {}, true};
    errc why = check_receive(from, tag);
    arrived_message* m = nullptr;
    if (why == errc{}) m = endpoint_->wait_claim(want(from, tag), {"mprobe", where}, why);
    if (why != errc{}) raise(why, "mprobe", " from rank ", from, tag, 0);
    return held(m);
  }
  message<Stack> mprobe(rank_t from, tag_t tag, std::error_code& ec,
                        std::source_location where = std::source_location::current()) noexcept {
    return caught(ec, [&] { return mprobe(from, tag, where); });
  }
  /// Looks once.
  std::optional<message<Stack>> improbe(rank_t from = any_source, tag_t tag = any_tag) {
    if (from == proc_null) return message<Stack>{*endpoint_, nullptr, {}, true};
    errc why = check_receive(from, tag);
    arrived_message* m = nullptr;
    if (why == errc{}) m = endpoint_->claim(want(from, tag), why);
    if (why != errc{}) raise(why, "improbe", " from rank ", from, tag, 0);
    if (m == nullptr) return std::nullopt;
    return held(m);
  }
  std::optional<message<Stack>> improbe(rank_t from, tag_t tag, std::error_code& ec) noexcept {
    return caught(ec, [&] { return improbe(from, tag); });
  }

  // --- Bytes: what the typed forms stand on ------------------------------------------------------

  template <mode M = mode::standard>
  [[gnu::always_inline]] void send_bytes(
      std::span<const std::byte> data, rank_t to, tag_t tag,
      std::source_location where = std::source_location::current(), const char* name = name_of(M)) {
    if (const errc why = send_core<M>(data, to, tag, {name, where}); why != errc{}) [[unlikely]]
      raise(why, name_of(M), " to rank ", to, tag, data.size());
  }
  template <mode M = mode::standard>
  void send_bytes(std::span<const std::byte> data, rank_t to, tag_t tag, std::error_code& ec,
                  std::source_location where = std::source_location::current()) noexcept {
    const errc why = caught(ec, [&] { return send_core<M>(data, to, tag, {name_of(M), where}); });
    if (why != errc{}) ec = why;
  }
  template <mode M = mode::standard>
  [[gnu::always_inline]] request<Stack> isend_bytes(std::span<const std::byte> data, rank_t to,
                                                    tag_t tag) {
    if (const errc why = check_send(to, tag); why != errc{}) [[unlikely]]
      raise(why, name_of(M), " to rank ", to, tag, data.size());
    if (to == proc_null) [[unlikely]]
      return {*endpoint_, nullptr};
    if constexpr (M == mode::buffered) {
      if (const errc why = endpoint_->send_buffered(call(data, to, tag)); why != errc{})
        raise(why, name_of(M), " to rank ", to, tag, data.size());
      return {*endpoint_, nullptr};
    } else {
      const auto [op, why] = start<M>(data, to, tag);
      if (why != errc{}) [[unlikely]]
        raise(why, name_of(M), " to rank ", to, tag, data.size());
      return {*endpoint_, op};
    }
  }
  [[gnu::always_inline]] status recv_bytes(
      std::span<std::byte> into, rank_t from, tag_t tag,
      std::source_location where = std::source_location::current()) {
    if (const errc why = check_receive(from, tag); why != errc{}) [[unlikely]]
      raise(why, "recv", " from rank ", from, tag, into.size());
    if (from == proc_null) [[unlikely]]
      return {};
    direct_receive d;
    d.want = want(from, tag);
    d.buffer = into.data();
    d.capacity = into.size();
    endpoint_->receive_now(d);
    if (d.failure != errc{}) [[unlikely]]
      finish_receive(d, {"recv", where});
    return {rank_of(d.want.source), tag_of(d.want.bits), d.bytes};
  }
  [[gnu::always_inline]] request<Stack> irecv_bytes(std::span<std::byte> into, rank_t from,
                                                    tag_t tag) {
    if (const errc why = check_receive(from, tag); why != errc{}) [[unlikely]]
      raise(why, "receive", " from rank ", from, tag, into.size());
    if (from == proc_null) [[unlikely]]
      return {*endpoint_, endpoint_->receive_nothing().op};
    const auto [op, why] = endpoint_->receive(into, want(from, tag));
    if (why != errc{}) [[unlikely]]
      raise(why, "receive", " from rank ", from, tag, into.size());
    return {*endpoint_, op};
  }

  /// If the peer of either half is lost, the other half is not waited for.
  status sendrecv_bytes(std::span<const std::byte> out, rank_t to, tag_t send_tag,
                        std::span<std::byte> in, rank_t from, tag_t receive_tag, call_site site) {
    auto receiving = irecv_bytes(in, from, receive_tag);
    auto sending = isend_bytes(out, to, send_tag);
    if (sending.wait_unless(site, [&] { return receiving.lost_locked(); })) sending.wait_as(site);
    return receiving.wait_as(site);
  }

  // --- Persistent --------------------------------------------------------------------------------

  /// Makes a send that can be started again and again. Arguments are checked here, once.
  /// Source: MPI 4.1, 3.9.
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  persistent_request<Stack> send_init(B&& buffer, rank_t to, tag_t tag = 0) {
    return init(bytes_of(buffer), to, tag, mode::standard);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  persistent_request<Stack> ssend_init(B&& buffer, rank_t to, tag_t tag = 0) {
    return init(bytes_of(buffer), to, tag, mode::synchronous);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  persistent_request<Stack> bsend_init(B&& buffer, rank_t to, tag_t tag = 0) {
    return init(bytes_of(buffer), to, tag, mode::buffered);
  }
  template <class B>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B&&>
  persistent_request<Stack> rsend_init(B&& buffer, rank_t to, tag_t tag = 0) {
    return init(bytes_of(buffer), to, tag, mode::ready);
  }
  /// Makes a receive that can be started again and again.
  template <class B>
  requires ReceiveBuffer<B&&>
  persistent_request<Stack> recv_init(B&& buffer, rank_t from = any_source, tag_t tag = any_tag) {
    if (const errc why = check_receive(from, tag); why != errc{})
      raise(why, "recv_init", " from rank ", from, tag, writable_bytes_of(buffer).size());
    return {*this, writable_bytes_of(buffer), from, tag};
  }

 protected:
  template <class>
  friend class mpx::v0::persistent_request;

  static constexpr const char* name_of(mode m) noexcept {
    switch (m) {
      case mode::standard: return "send";
      case mode::synchronous: return "ssend";
      case mode::buffered: return "bsend";
      case mode::ready: return "rsend";
    }
    return "send";
  }

  [[gnu::always_inline]] errc check_send(rank_t to, tag_t tag) const noexcept {
    if (static_cast<std::uint32_t>(to) < static_cast<std::uint32_t>(size_) && tag >= 0) [[likely]]
      return errc{};
    return tag < 0 ? errc::tag : to == proc_null ? errc{} : errc::rank;
  }
  [[gnu::always_inline]] errc check_receive(rank_t from, tag_t tag) const noexcept {
    if (static_cast<std::uint32_t>(from) < static_cast<std::uint32_t>(size_) && tag >= 0) [[likely]]
      return errc{};
    if (tag < 0 && tag != any_tag) return errc::tag;
    return from < size_ && from >= proc_null ? errc{} : errc::rank;
  }
  [[noreturn, gnu::noinline, gnu::cold]] void raise(errc why, const char* what,
                                                    const char* direction, rank_t other, tag_t tag,
                                                    std::size_t bytes) const {
    std::string s = describe(what, rank_, direction, other, tag, context_, bytes);
    if (why == errc::rank) s.append(": ranks here are 0 .. ").append(std::to_string(size_ - 1));
    if (why == errc::tag) s.append(": tag ").append(std::to_string(tag)).append(" is negative");
    s.append(endpoint_->loss_text(static_cast<peer_id>(other), why));
    if (why == errc::no_resources) s.append(endpoint_->limit_text());
    if (why == errc::buffer) s.append(": attach more memory with environment::attach_buffer");
    throw error(why, s);
  }
  /// A receive whose message has not come yet, or that has failed.
  [[gnu::noinline]] void finish_receive(direct_receive& d, call_site site) const {
    if (d.failure == undecided) endpoint_->receive_rest(d, site);
    if (d.failure != errc{}) raise_receive(d);
  }
  [[noreturn, gnu::noinline, gnu::cold]] void raise_receive(const direct_receive& r) const {
    std::string s = describe("recv", rank_, " from rank ", rank_of(r.want.source), r.want.tag(),
                             context_, r.capacity);
    if (r.failure == errc::truncate)
      s.append(" of room for a message of ").append(std::to_string(r.bytes));
    s.append(endpoint_->loss_text(r.want.source, r.failure));
    if (r.failure == errc::no_resources) s.append(endpoint_->limit_text());
    throw error(r.failure, s);
  }
  pattern want(rank_t from, tag_t tag) const noexcept {
    return {context_, static_cast<peer_id>(from), tag};  // any_source is any_peer, bit for bit.
  }
  static_assert(static_cast<peer_id>(rank_t{any_source}) == any_peer);
  send_call call(std::span<const std::byte> data, rank_t to, tag_t tag) const noexcept {
    return {data, static_cast<peer_id>(to), context_, tag};
  }
  template <mode M>
  [[gnu::always_inline]] started start(std::span<const std::byte> data, rank_t to, tag_t tag) {
    if constexpr (M == mode::standard) return endpoint_->send(call(data, to, tag));
    return endpoint_->send_flagged(
        call(data, to, tag), M == mode::synchronous ? wire::flag_synchronous : wire::flag_ready);
  }
  template <mode M>
  [[gnu::always_inline]] errc send_core(std::span<const std::byte> data, rank_t to, tag_t tag,
                                        call_site site) {
    if (const errc why = check_send(to, tag); why != errc{}) [[unlikely]]
      return why;
    if (to == proc_null) [[unlikely]]
      return errc{};
    if constexpr (M == mode::buffered) {
      return endpoint_->send_buffered(call(data, to, tag));
    } else {
      const auto [op, failure] = start<M>(data, to, tag);
      if (op == nullptr) [[likely]]
        return failure;
      endpoint_->wait(*op, site);
      const errc why = op->failure;
      endpoint_->release(*op);
      return why;
    }
  }
  message<Stack> held(arrived_message* m) const noexcept {
    return {*endpoint_, m, status{rank_of(m->is.source), m->is.tag(), m->bytes}};
  }
  persistent_request<Stack> init(std::span<const std::byte> data, rank_t to, tag_t tag, mode m) {
    if (const errc why = check_send(to, tag); why != errc{})
      raise(why, "send_init", " to rank ", to, tag, data.size());
    return {*this, data, to, tag, m};
  }

  endpoint<Stack>* endpoint_;
  rank_t size_;
  context_id context_;
  rank_t rank_;
  communicator_state* state_;
};

}  // namespace detail
}  // namespace mpx::inline v0
