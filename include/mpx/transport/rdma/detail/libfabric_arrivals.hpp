// SPDX-License-Identifier: BSL-1.0
#pragma once
// Incoming completions and messages of a card over libfabric; peers are not trusted.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "mpx/transport/rdma/libfabric.hpp"

namespace mpx::inline v0::nic {

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::progress() noexcept {
  constexpr std::size_t at_once = 16;
  constexpr int rounds_max = 8;
  bool heard = false;
  const std::uint32_t epoch = failure_epoch();
  if (epoch != known_) [[unlikely]]
    note_gone();  // Before completions are read.
  if (spent_ != nullptr) post_spent();
  for (int round = 0; round < rounds_max; ++round) {
    const std::size_t room =
        out_.empty() ? at_once : mpx::detail::lesser(out_.size() - told_, at_once);
    if (room == 0) break;
    ::fi_cq_data_entry found[at_once];
    const std::ptrdiff_t n = Calls::cq_read(fabric_.cq, found, room);
    if (n == -FI_EAVAIL) {
      take_error();
      continue;
    }
    if (n < 0 && n != -FI_EAGAIN && n != -FI_EINTR) [[unlikely]]
      break_down("fi_cq_read", n);
    if (n <= 0 && unnamed_) [[unlikely]]
      end_readers();
    if (n <= 0) break;
    heard = true;
    for (std::ptrdiff_t i = 0; i < n; ++i) take(found[i]);
    if (static_cast<std::size_t>(n) < room) break;
  }
  heard_ = heard_ || heard;
  if (!unposted_.empty()) [[unlikely]] {
    const std::size_t n = unposted_.size();
    for (std::size_t i = n; i != 0; --i) {
      detail::fabric_message_slot* const s = unposted_[i - 1];
      unposted_.erase(i - 1);
      if (!post_slot(*s)) break;
    }
    if (unposted_.size() == receives_max && deaf_) break_down("fi_recv", -FI_EOPBADSTATE);
  }
  if (!busy_.empty()) push_all();
  if (epoch != known_) [[unlikely]]
    note_failures(epoch, !heard);
  constexpr std::uint32_t look_interval = 1024;  // A sleeping rank looks in arm().
  if (lines_.any() && ++looks_ % look_interval == 0) look_at_lines();
}

template <class Calls, fabric_reads Reads>
bool basic_libfabric<Calls, Reads>::post_slot(detail::fabric_message_slot& s) noexcept {
  const long result =
      Calls::recv(fabric_.ep, s.data, detail::fabric_buffer_bytes, buffer_descriptor_, &s.context);
  if (result != 0) static_cast<void>(unposted_.try_push_back(&s));  // Room was made for all.
  if (result != 0) note("fi_recv", result);
  deaf_ = result != 0 && result != -FI_EAGAIN;
  return result == 0;
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::post_spent() noexcept {
  spent_count_ = 0;
  while (spent_ != nullptr) post_slot(*std::exchange(spent_, spent_->next));
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::take(const ::fi_cq_data_entry& e) noexcept {
  using kind_of = detail::fabric_slot::kind_of;
  if ((e.flags & (FI_REMOTE_CQ_DATA | FI_RECV)) == FI_REMOTE_CQ_DATA) return take_note(e.data);
  auto* const slot = static_cast<detail::fabric_slot*>(e.op_context);
  if (slot == nullptr) return;
  if (slot->kind == kind_of::access)
    return ended(static_cast<detail::fabric_work&>(*slot), nic_status::ok);
  auto& s = static_cast<detail::fabric_message_slot&>(*slot);
  if (s.kind == kind_of::receive) {
    take_message(s.data, e.len);
    s.next = spent_;
    spent_ = &s;
    if (++spent_count_ == spent_max) post_spent();
  } else {
    s.next = free_sends_;
    free_sends_ = &s;
    --s.to->sending;
  }
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::take_error() noexcept {
  using kind_of = detail::fabric_slot::kind_of;
  ::fi_cq_err_entry e{};
  const std::ptrdiff_t n = Calls::cq_readerr(fabric_.cq, &e);
  if (n < 0 && n != -FI_EAGAIN) return break_down("fi_cq_readerr", n);
  if (n <= 0) return;
  note("an operation", -e.err);
  if (e.op_context == nullptr) {
    unnamed_ = fabric_.reads_at_once();
    return;
  }
  auto* const slot = static_cast<detail::fabric_slot*>(e.op_context);
  if (slot->kind == kind_of::access)
    return ended(static_cast<detail::fabric_work&>(*slot),
                 detail::is_refusal(e.err) ? nic_status::refused : nic_status::flushed);
  auto& s = static_cast<detail::fabric_message_slot&>(*slot);
  if (s.kind == kind_of::receive) {
    static_cast<void>(unposted_.try_push_back(&s));
  } else {
    static_cast<void>(cut(*s.to));
    s.next = free_sends_;
    free_sends_ = &s;
    --s.to->sending;
  }
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::end_readers() noexcept {
  unnamed_ = false;
  for (link* v : made_)
    if (v->reading != 0) static_cast<void>(cut(*v));
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::take_message(const std::byte* data,
                                                 std::size_t bytes) noexcept {
  head h;
  if (bytes < sizeof h || bytes > detail::fabric_buffer_bytes) return;
  std::memcpy(&h, data, sizeof h);
  if (h.job != job_ || h.source >= peers()) return;
  const std::span payload(data + sizeof h, bytes - sizeof h);
  link* const v = links_[h.source];
  if (v == nullptr || !v->up || h.what < word::send || h.what > word::write) [[unlikely]]
    return take_stage(h, payload);
  if (h.what == word::send) return use_receive(*v, h.immediate, payload);
  if (!payload.empty()) {
    std::byte* const to = regions_.at(h.key, h.address, payload.size(), v->guess);
    if (to == nullptr) return end(*v, nic_status::refused);
    std::memcpy(to, payload.data(), payload.size());
  }
  if (h.what == word::arrival) use_receive(*v, h.immediate, {});
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::take_note(std::uint64_t note) noexcept {
  const peer_id source = detail::fabric_note::source(note);
  if (!detail::fabric_note::is_of(job_, note) || source >= peers()) return;
  link* const v = links_[source];
  if (v != nullptr && v->up) use_receive(*v, detail::fabric_note::immediate(note), {});
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::take_stage(const head& h,
                                               std::span<const std::byte> payload) noexcept {
  link* const v = link_of(static_cast<peer_id>(h.source));
  if (v == nullptr || v->stage.lost) return;
  if (h.what == word::begin && !v->stage.theirs && !v->stage.their_end &&
      payload.size() <= nic_connect_bytes_max) {
    v->left = false;
    const auto told = v->stage.begun(payload);
    if (told == detail::session::told::asked) tell(*v, nic_event_kind::asked, nic_status::ok, 0);
    if (told == detail::session::told::connected) connected(*v);
  } else if (h.what == word::end && !v->stage.their_end &&
             h.immediate <= static_cast<std::uint32_t>(nic_status::protocol)) {
    v->stage.their_end = v->left = true;
    end(*v, static_cast<nic_status>(h.immediate));
    if (!v->owes_end) v->stage.over();
  } else if (!v->stage.my_end || !v->stage.theirs) {
    lose(*v, nic_status::protocol);
  }
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::use_receive(link& v, std::uint32_t immediate,
                                                std::span<const std::byte> data) noexcept {
  if (v.receives.empty()) return end(v, nic_status::no_descriptor);
  const detail::receive_descriptor d = v.receives.front();
  v.receives.pop();
  const nic_event e = detail::received(d, v.peer, immediate, data);
  tell(e);
  if (e.status != nic_status::ok) end(v, e.status);
}

}  // namespace mpx::inline v0::nic
