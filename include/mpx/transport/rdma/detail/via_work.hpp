// SPDX-License-Identifier: BSL-1.0
#pragma once
// The slow paths of the software card: staged writes, set-up and end of connections, and packets of
// peers that are not trusted.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/transport/rdma/via.hpp"

namespace mpx::inline v0::nic {

template <via_options Options, class Wire>
typename basic_via<Options, Wire>::way basic_via<Options, Wire>::copy_marked(
    detail::via_link& v, const detail::send_descriptor& d,
    const detail::shared_region& there) noexcept {
  detail::region_place p;
  std::uint64_t offset = 0;
  const auto wanted = d.atomic ? nic_access::remote_read_write : nic_access::remote_write;
  if (!there.read(d.key, p) || !p.grants(d.address, d.bytes, wanted, v.their_tag, offset))
    return way::refused;
  if (Options.stages_all) return way::staged;
  if (p.block != 0) {
    if (p.block_offset > ~std::uint64_t{0} - p.bytes) return way::refused;
    std::byte* const to = wire_.block_at(v.peer, p.block, p.block_offset + p.bytes);
    if (to == nullptr) return way::refused;
    if (d.atomic) {
      std::byte* const word = to + p.block_offset + offset;
      if (!mpx::detail::is_atomic_word(reinterpret_cast<std::uintptr_t>(word), d.into().size()))
        return way::refused;
      mpx::detail::carry_out(d.access, word, d.into());
      return way::copied;
    }
    std::memcpy(to + p.block_offset + offset, d.from, d.bytes);
    // A sequential writer gets ownership of the next line before its next write. (The line lies in
    // the block; otherwise the prefetch has no effect.)
    if (asks_early_) platform::prefetch_to_write(to + p.block_offset + offset + d.bytes + 63);
    counters_.shared_bytes += d.bytes;
    return way::copied;
  }
  if (!v.kernel || d.atomic) return way::staged;
  errno = 0;
  if (wire_.put(v.peer, v.whole, d.address, {d.from, d.bytes}, 0) == outcome::done) {
    counters_.kernel_bytes += d.bytes;
    return way::copied;
  }
  if (errno == 0 || errno == EFAULT) return way::refused;
  v.kernel = false;  // The peer has died, which is reported later, or the kernel refuses now.
  return way::staged;
}

template <via_options Options, class Wire>
bool basic_via<Options, Wire>::stage_access(detail::via_link& v,
                                            detail::send_descriptor& d) noexcept {
  const detail::staged_access a{d.key,
                                d.address,
                                d.access.operand,
                                d.access.comparand,
                                static_cast<std::uint32_t>(d.bytes),
                                static_cast<std::uint32_t>(d.access.operation)};
  return ship(v, packet::atomic, 0, std::as_bytes(std::span(&a, 1)));
}

template <via_options Options, class Wire>
bool basic_via<Options, Wire>::stage(detail::via_link& v, detail::send_descriptor& d) noexcept {
  if (d.atomic) return stage_access(v, d);
  if (d.sent == 0) {
    std::byte first[staged_first_bytes];
    const detail::staged_write w{d.key, d.address, d.bytes, d.has_immediate ? 1u : 0u};
    const std::size_t n = d.bytes < sizeof first - sizeof w ? d.bytes : sizeof first - sizeof w;
    std::memcpy(first, &w, sizeof w);
    std::memcpy(first + sizeof w, d.from, n);
    if (!ship(v, packet::write, d.immediate, {first, sizeof w + n})) return false;
    d.sent = n;
  }
  while (d.sent < d.bytes) {
    const std::uint64_t left = d.bytes - d.sent;
    const std::size_t n = left < packet_bytes_max ? left : packet_bytes_max;
    if (!ship(v, packet::more, 0, {d.from + d.sent, n})) return false;
    d.sent += n;
  }
  counters_.staged_bytes += d.bytes;
  return true;
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::settle(detail::via_link& v) noexcept {
  bool refused = false;
  while (v.issued != 0 && v.sends.front().done) {
    const detail::send_descriptor& d = v.sends.front();
    refused = refused || d.status == nic_status::refused;
    tell(v, nic_event_kind::sent, d.status, d.cookie);
    v.sends.pop();
    --v.issued;
  }
  if (!refused || Options.survives_refusals || v.breaks != 0) return;
  v.up = false;
  v.breaks = 1;
  ++breaking_;
  note_busy(v);
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::push(link& v) noexcept {
  if (!push_some(v)) note_busy(v);
  if (v.cut) lose(v.peer, nic_status::peer_lost);
}
template <via_options Options, class Wire>
bool basic_via<Options, Wire>::push_some(detail::via_link& v) noexcept {
  if (v.owes_begin) {
    detail::greeting g{.table = table_,
                       .marks = marks_,
                       .whole = v.my_whole,
                       .regions = Options.regions_max,
                       .tag = v.tag,
                       .receive_depth = Options.receive_depth,
                       .data_bytes = static_cast<std::uint32_t>(v.my_data_bytes),
                       .data = {}};
    std::memcpy(g.data, v.my_data, v.my_data_bytes);
    if (!ship(v, packet::begin, 0, std::as_bytes(std::span(&g, 1)))) return false;
    v.owes_begin = false;
  }
  for (; !v.acks.empty(); v.acks.pop()) {
    const detail::staged_end& e = v.acks.front();
    const auto value = std::as_bytes(std::span(&e.value, 1)).first(e.value_bytes);
    if (!ship(v, packet::ack, static_cast<std::uint32_t>(e.status), value)) return false;
  }
  while (v.breaks == 0 && v.issued != v.sends.size()) {
    if (!issue(v, v.sends[v.issued])) return false;
    ++v.issued;
    settle(v);
  }
  if (v.owes_end) {
    if (!ship(v, packet::end, static_cast<std::uint32_t>(v.end_status), {})) return false;
    v.owes_end = false;
    v.stage.over();
  }
  return true;
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::push_all(bool heard_all) noexcept {
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    link& v = *busy_[i];
    if (v.breaks != 0 && (heard_all || ++v.breaks > unheard_max)) end(v, nic_status::refused);
    push(v);
  }
  busy_.erase_if([](detail::via_link* v) { return !(v->busy = v->owes()); });
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::connected(detail::via_link& v) noexcept {
  v.up = v.hears = true;
  tell(v, nic_event_kind::connected, nic_status::ok, 0);
}
template <via_options Options, class Wire>
void basic_via<Options, Wire>::end(detail::via_link& v, nic_status why) noexcept {
  if (!v.stage.end()) return;
  v.up = v.hears = false;
  breaking_ -= std::exchange(v.breaks, 0) != 0 ? 1 : 0;
  while (!v.sends.empty()) {
    const detail::send_descriptor d = v.sends.front();
    v.sends.pop();
    tell(v, nic_event_kind::sent, d.done ? d.status : nic_status::flushed, d.cookie);
  }
  v.issued = 0;
  for (; !v.receives.empty(); v.receives.pop())
    tell(v, nic_event_kind::received, nic_status::flushed, v.receives.front().cookie);
  v.incoming.under_way = false;
  v.owes_begin = false;
  v.owes_end = true;
  v.end_status = why;
  if (v.stage.concerned) tell(v, nic_event_kind::disconnected, why, 0);
  push(v);
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::lose(peer_id peer, nic_status why) noexcept {
  detail::via_link* const v = link_of(peer);
  if (v == nullptr || v->stage.lost) return;
  end(*v, why);
  v->stage.lost = true;
  if (why == nic_status::protocol) return;
  v->owes_end = false;  // The peer does not read it.
  v->acks.clear();
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::note_gone() noexcept {
  for (detail::via_link* v : made_) v->gone = v->gone || is_gone(v->peer);
}
template <via_options Options, class Wire>
void basic_via<Options, Wire>::note_failures(std::uint32_t epoch, bool heard_all) noexcept {
  if (!heard_all && ++unheard_ < unheard_max) return;
  unheard_ = 0;
  known_ = epoch;
  for (detail::via_link* v : made_) {
    if (v->dead || !v->gone) continue;
    v->dead = true;
    lose(v->peer, nic_status::peer_lost);
  }
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::take_work(detail::via_link& v, const frame_header& header,
                                         std::span<const std::byte> payload) noexcept {
  switch (static_cast<packet>(header.word[0])) {
    case packet::write: return take_write(v, header.word[1], payload);
    case packet::more: return copy_in(v, payload);
    case packet::ack: return take_ack(v, header.word[1], payload);
    case packet::atomic: return take_access(v, payload);
    default: return take_stage(v.peer, header, payload);
  }
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::take_stage(peer_id source, const frame_header& header,
                                          std::span<const std::byte> payload) noexcept {
  detail::via_link* const v = link_of(source);
  if (v == nullptr || v->stage.lost) return;
  const auto what = static_cast<packet>(header.word[0]);
  if (what == packet::begin && !v->stage.theirs && !v->stage.their_end) {
    if (!greet(*v, payload)) lose(source, nic_status::protocol);
  } else if (what == packet::end && !v->stage.their_end &&
             header.word[1] <= static_cast<std::uint32_t>(nic_status::protocol)) {
    v->stage.their_end = true;
    end(*v, static_cast<nic_status>(header.word[1]));
    if (!v->owes_end) v->stage.over();
  } else if (!v->stage.my_end || !v->stage.theirs) {
    lose(source, nic_status::protocol);
  }
}

template <via_options Options, class Wire>
bool basic_via<Options, Wire>::greet(detail::via_link& v,
                                     std::span<const std::byte> payload) noexcept {
  detail::greeting g;
  if (payload.size() != sizeof g) return false;
  std::memcpy(&g, payload.data(), sizeof g);
  if (g.data_bytes > nic_connect_bytes_max || g.receive_depth != Options.receive_depth ||
      g.regions != Options.regions_max)
    return false;
  const std::byte* const table =
      wire_.block_at(v.peer, g.table, Options.regions_max * sizeof(detail::shared_region));
  const std::byte* const marks =
      wire_.block_at(v.peer, g.marks, peers() * sizeof(detail::copy_mark));
  if (table == nullptr || marks == nullptr) return false;
  v.table = reinterpret_cast<const detail::shared_region*>(table);
  v.regions = g.regions;
  v.their_mark = &reinterpret_cast<const detail::copy_mark*>(marks)[self()];
  v.their_tag = g.tag;
  v.whole = g.whole;
  v.kernel = !Options.stages_all && g.whole.key != 0 &&
             wire_.get_cost_hint(v.peer, g.whole, detail::page_bytes) != cost_hint::never;
  const auto told = v.stage.begun({g.data, g.data_bytes});
  if (told == detail::session::told::asked) tell(v, nic_event_kind::asked, nic_status::ok, 0);
  if (told == detail::session::told::connected) connected(v);
  return true;
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::take_write(detail::via_link& v, std::uint32_t immediate,
                                          std::span<const std::byte> payload) noexcept {
  detail::staged_write w;
  if (v.incoming.under_way || payload.size() <= sizeof w) return lose(v.peer, nic_status::protocol);
  std::memcpy(&w, payload.data(), sizeof w);
  const bool may =
      regions_.at({w.address, w.key}, 0, w.bytes, nic_access::remote_write, v.tag) != nullptr;
  v.incoming = {.under_way = true,
                .status = may ? nic_status::ok : nic_status::refused,
                .to = {w.address, w.key},
                .left = w.bytes,
                .has_immediate = w.has_immediate != 0,
                .immediate = immediate};
  copy_in(v, payload.subspan(sizeof w));
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::copy_in(detail::via_link& v,
                                       std::span<const std::byte> data) noexcept {
  auto& in = v.incoming;
  if (!in.under_way || data.empty() || data.size() > in.left)
    return lose(v.peer, nic_status::protocol);
  if (in.status == nic_status::ok) {
    std::byte* const to = regions_.at(in.to, 0, data.size(), nic_access::remote_write, v.tag);
    if (to != nullptr) std::memcpy(to, data.data(), data.size());
    in.status = to != nullptr ? nic_status::ok : nic_status::refused;
  }
  in.to.address += data.size();
  in.left -= data.size();
  if (in.left != 0) return;
  in.under_way = false;
  if (v.acks.size() >= Options.send_depth || !v.acks.try_push({.status = in.status}))
    return lose(v.peer, nic_status::protocol);
  push(v);
  if (in.status != nic_status::ok) {
    if (!Options.survives_refusals) end(v, nic_status::refused);
  } else if (in.has_immediate) {
    use_receive(v, in.immediate, {});
  }
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::take_access(detail::via_link& v,
                                           std::span<const std::byte> payload) noexcept {
  detail::staged_access a;
  if (v.incoming.under_way || payload.size() != sizeof a) return lose(v.peer, nic_status::protocol);
  std::memcpy(&a, payload.data(), sizeof a);
  if ((a.bytes != 4 && a.bytes != 8) || a.operation >= atomic_operations ||
      v.acks.size() >= Options.send_depth)
    return lose(v.peer, nic_status::protocol);
  std::byte* const there =
      mpx::detail::is_atomic_word(a.address, a.bytes)
          ? regions_.at({a.address, a.key}, 0, a.bytes, nic_access::remote_read_write, v.tag)
          : nullptr;
  detail::staged_end e;
  if (there == nullptr) {
    e.status = nic_status::refused;
  } else {
    e.value_bytes = a.bytes;
    mpx::detail::carry_out({static_cast<atomic_operation>(a.operation), a.operand, a.comparand},
                           there, std::as_writable_bytes(std::span(&e.value, 1)).first(a.bytes));
  }
  if (!v.acks.try_push(e)) return lose(v.peer, nic_status::protocol);
  push(v);
  if (there == nullptr && !Options.survives_refusals) end(v, nic_status::refused);
}

template <via_options Options, class Wire>
void basic_via<Options, Wire>::take_ack(detail::via_link& v, std::uint32_t status,
                                        std::span<const std::byte> value) noexcept {
  constexpr auto went_well = static_cast<std::uint32_t>(nic_status::ok);
  if (v.issued == 0 ||
      (status != went_well && status != static_cast<std::uint32_t>(nic_status::refused)))
    return lose(v.peer, nic_status::protocol);
  detail::send_descriptor& d = v.sends.front();
  const bool brings = d.atomic && status == went_well;
  if (value.size() != (brings ? d.bytes : 0)) return lose(v.peer, nic_status::protocol);
  if (brings) std::memcpy(d.into().data(), value.data(), value.size());
  d.done = true;
  d.status = static_cast<nic_status>(status);
  settle(v);
}

}  // namespace mpx::inline v0::nic
