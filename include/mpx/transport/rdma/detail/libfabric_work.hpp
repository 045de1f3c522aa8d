// SPDX-License-Identifier: BSL-1.0
#pragma once
// The slow paths of a card over libfabric: remote writes and reads, set-up and end of connections.

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "mpx/transport/rdma/libfabric.hpp"
#include "mpx/transport/rdma/libfabric/record.hpp"

namespace mpx::inline v0::nic {

template <class Calls, fabric_reads Reads>
basic_libfabric<Calls, Reads>::~basic_libfabric() {
  // Posts that are `done` may still be under way. The end of a connection is a message behind all
  // of them whose departure is reported, and a peer that has answered it has received all. (Over
  // shm all data is in the peer's memory by now; in 1.17 that provider follows pointers to
  // endpoints of this process that may be closed.)
  const bool far = std::string_view(provider()) != "shm";
  out_ = {};
  for (link* v : made_)
    if (far && !v->stage.lost) end(*v, nic_status::ok);
  const std::int64_t begin = platform::now_ns();
  const auto some_wait = [&] {
    const std::int64_t waited = platform::now_ns() - begin;
    for (const link* v : made_) {
      if (v->stage.lost || v->left) continue;
      if ((v->owes_end || v->sending != 0) && waited < patience_ns) return true;
      if (far && v->stage.my_end && waited < leaving_patience_ns_ && !is_gone(v->peer)) return true;
    }
    return false;
  };
  while (some_wait()) progress();
  fabric_.close_endpoint();
  for (link* v : made_) lines_.end(v->lifeline);
}

template <class Calls, fabric_reads Reads>
typename basic_libfabric<Calls, Reads>::link* basic_libfabric<Calls, Reads>::make_link(
    peer_id peer) noexcept {
  std::byte address[detail::fabric_resources<Calls>::address_bytes_max]{};
  try {
    const std::string record = record_of_(bootstrap_, world_rank(peer));
    if (detail::parse_hex(detail::fabric_record(record).address, address, sizeof address) == 0)
      return nullptr;
  } catch (...) {
    return nullptr;
  }
  ::fi_addr_t there = FI_ADDR_UNSPEC;
  const int inserted = Calls::av_insert(fabric_.av, address, &there);
  if (inserted != 1) note("fi_av_insert", inserted < 0 ? inserted : -FI_EADDRNOTAVAIL);
  if (inserted != 1) return nullptr;
  auto* const made = new (std::nothrow) link(peer, there);
  if (made == nullptr) return nullptr;
  if (!made->receives.try_reserve(receive_depth) ||
      !ready_.try_reserve((made_.size() + 1) * events_of_a_link) ||
      !busy_.try_reserve(made_.size() + 1) || !made_.try_push_back(made)) {
    delete made;
    return nullptr;
  }
  links_.put(peer, made);
  return made;
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::sleep(std::int64_t timeout_ns) noexcept {
  const std::int64_t most = wait_max_ns();
  if (most == 0) return static_cast<void>(::sched_yield());
  ::pollfd all[2] = {{bell_.fd, POLLIN, 0}, {fabric_.wait_fd, POLLIN, 0}};
  const ::timespec t{0, static_cast<long>(timeout_ns < 0 || timeout_ns > most ? most : timeout_ns)};
  static_cast<void>(::ppoll(all, fabric_.wait_fd < 0 ? 1 : 2, &t, nullptr));
  if ((all[0].revents & POLLIN) != 0) quiet_bell();
}

/// Returns a descriptor that is readable if the bell or the provider's descriptor is; -1 if the
/// kernel refuses one.
template <class Calls, fabric_reads Reads>
int basic_libfabric<Calls, Reads>::make_descriptor() noexcept {
  int both = ::epoll_create1(EPOLL_CLOEXEC);
  const int parts[] = {bell_.fd, fabric_.wait_fd};
  for (const int fd : parts) {
    ::epoll_event readable{};
    readable.events = EPOLLIN;
    if (both >= 0 && fd >= 0 && ::epoll_ctl(both, EPOLL_CTL_ADD, fd, &readable) != 0)
      ::close(std::exchange(both, -1));
  }
  return both;
}

// --- What goes out -------------------------------------------------------------------------------

template <class Calls, fabric_reads Reads>
long basic_libfabric<Calls, Reads>::ship_long(link& v, const head& h,
                                              std::span<const std::byte> payload) noexcept {
  detail::fabric_message_slot* const s = free_sends_;
  if (s == nullptr) return -FI_EAGAIN;
  std::memcpy(s->data, &h, sizeof h);
  if (!payload.empty()) std::memcpy(s->data + sizeof h, payload.data(), payload.size());
  s->to = &v;
  const long result = Calls::send(fabric_.ep, s->data, sizeof h + payload.size(),
                                  buffer_descriptor_, v.address, &s->context);
  if (result != 0) return note("fi_send", result);
  free_sends_ = s->next;
  ++v.sending;
  return 0;
}

template <class Calls, fabric_reads Reads>
outcome basic_libfabric<Calls, Reads>::post_write_then(peer_id peer, std::uint64_t handle,
                                                       std::span<const std::byte> from,
                                                       const remote_memory& to,
                                                       std::uint64_t offset, const nic_tail& tail,
                                                       cookie_t cookie) noexcept {
  link* const v = peer < peers() ? links_[peer] : nullptr;
  order o{
      .head = head_of(word::arrival, tail.immediate, {tail.to.address + tail.offset, tail.to.key}),
      .said = tail.from,
      .moved = from,
      .there = {to.address + offset, to.key},
      .cookie = cookie};
  if (v == nullptr || !v->up || from.empty() || tail.from.empty() ||
      tail.from.size() > payload_max || from.size() > transfer_bytes_max_ - tail.from.size())
    return outcome::refused;
  if (!regions_.holds(handle, from, o.moved_descriptor) ||
      !regions_.holds(tail.handle, tail.from, o.said_descriptor))
    return outcome::refused;
  return keep(*v, o);
}

template <class Calls, fabric_reads Reads>
outcome basic_libfabric<Calls, Reads>::post_atomic(peer_id peer, std::uint64_t handle,
                                                   std::span<std::byte> into,
                                                   const remote_memory& to, std::uint64_t offset,
                                                   const atomic_access& what,
                                                   cookie_t cookie) noexcept {
  link* const v = peer < peers() ? links_[peer] : nullptr;
  order o{.head = head_of(word::write, 0, {}),
          .moved = into,
          .there = {to.address + offset, to.key},
          .cookie = cookie,
          .reads = true,
          .atomic = true,
          .access = what,
          .placed = true};
  if (v == nullptr || !v->up || !atomics().has(what.operation, into.size()) ||
      !regions_.holds(handle, into, o.moved_descriptor))
    return outcome::refused;
  return keep(*v, o);
}

/// The operands lie in the card's own buffers, which are registered, until the access has ended.
template <class Calls, fabric_reads Reads>
long basic_libfabric<Calls, Reads>::issue_atomic(detail::fabric_work& w) noexcept {
  const order& o = w.order;
  detail::fabric_message_slot* const s = free_sends_;
  if (s == nullptr) return -FI_EAGAIN;
  std::memcpy(s->data, &o.access.operand, sizeof o.access.operand);
  std::memcpy(s->data + 8, &o.access.comparand, sizeof o.access.comparand);
  ::fi_ioc operand{s->data, 1};
  ::fi_ioc comparand{s->data + 8, 1};
  ::fi_ioc result{const_cast<std::byte*>(o.moved.data()), 1};
  ::fi_rma_ioc there{o.there.address, 1, o.there.key - 1};
  void* own = buffer_descriptor_;
  void* result_descriptor = o.moved_descriptor;
  ::fi_msg_atomic what{};
  what.msg_iov = &operand;
  what.desc = &own;
  what.iov_count = what.rma_iov_count = 1;
  what.addr = w.of->address;
  what.rma_iov = &there;
  what.datatype = detail::fabric_word_type(o.moved.size());
  what.op = detail::fabric_operations[static_cast<unsigned>(o.access.operation)];
  what.context = &w.context;
  const bool compares = o.access.operation == atomic_operation::compare_exchange;
  const long went = compares ? Calls::compare_atomicmsg(fabric_.ep, &what, &comparand, &own,
                                                        &result, &result_descriptor, FI_COMPLETION)
                             : Calls::fetch_atomicmsg(fabric_.ep, &what, &result,
                                                      &result_descriptor, FI_COMPLETION);
  if (went != 0) return note(compares ? "fi_compare_atomicmsg" : "fi_fetch_atomicmsg", went);
  free_sends_ = s->next;
  w.operands = s;
  return 0;
}

template <class Calls, fabric_reads Reads>
outcome basic_libfabric<Calls, Reads>::keep(link& v, const order& o) noexcept {
  if (v.posted - v.first == link::depth) return outcome::retry;
  detail::fabric_work& w = v.at(v.posted++);
  w.order = o;
  w.accessed = !o.accesses();
  w.tells = w.accessed || o.head.what != word::write;
  w.status = nic_status::ok;
  if (!advance(v)) note_busy(v);
  return outcome::pending;
}

template <class Calls, fabric_reads Reads>
long basic_libfabric<Calls, Reads>::issue(detail::fabric_work& w) noexcept {
  if (accesses_ == accesses_max) return -FI_EAGAIN;
  const order& o = w.order;
  const bool together = keeps_order_ && w.of->untold == 0 && o.moved.size() <= together_bytes_max;
  const bool tells = together && w.tells;
  const auto iov = [](std::span<const std::byte> m) {
    return ::iovec{const_cast<std::byte*>(m.data()), m.size()};
  };
  ::iovec here[2] = {iov(o.moved), iov(o.said)};
  void* descriptors[2] = {o.moved_descriptor, o.said_descriptor};
  ::fi_rma_iov there[2] = {{o.there.address, o.moved.size(), o.there.key - 1},
                           {o.head.address, o.said.size(), o.head.key - 1}};
  ::fi_msg_rma what{};
  what.msg_iov = here;
  what.desc = descriptors;
  what.iov_count = what.rma_iov_count = tells && !o.said.empty() ? 2 : 1;
  what.addr = w.of->address;
  what.rma_iov = there;
  what.context = &w.context;
  what.data = detail::fabric_note::pack(job_, self_, o.head.immediate);
  long result = 0;
  if (o.atomic) {
    result = issue_atomic(w);
    if (result != 0) return result;
  } else if (o.reads) {
    if constexpr (Reads != fabric_reads::never)
      result = Calls::readmsg(fabric_.ep, &what, FI_COMPLETION);
  } else {
    const bool placed = o.placed || !together;
    result = Calls::writemsg(fabric_.ep, &what,
                             FI_COMPLETION | (tells ? FI_REMOTE_CQ_DATA : std::uint64_t{0}) |
                                 (placed ? FI_DELIVERY_COMPLETE : std::uint64_t{0}));
  }
  if (result != 0) return note(o.reads ? "fi_readmsg" : "fi_writemsg", result);
  w.tells = w.tells && !tells;
  ++accesses_;
  ++w.of->outstanding;
  w.of->reading += o.reads ? 1 : 0;
  return 0;
}

template <class Calls, fabric_reads Reads>
bool basic_libfabric<Calls, Reads>::advance(link& v) noexcept {
  bool goes = true;
  bool refused = false;
  const auto say = [&](detail::fabric_work& w) {
    const long result = ship(v, w.order.head, w.order.said);
    goes = result != -FI_EAGAIN;
    v.cut = v.cut || (goes && result != 0);
    w.tells = result != 0;
    return result == 0;
  };
  for (; v.issued != v.posted; ++v.issued) {
    detail::fabric_work& w = v.at(v.issued);
    if (w.order.accesses()) {
      const long result = issue(w);
      goes = result != -FI_EAGAIN;
      if (!goes) break;
      if (result != 0) {
        w.accessed = true;
        w.status = detail::is_refusal(static_cast<int>(-result)) ? nic_status::refused
                                                                 : nic_status::flushed;
        v.cut = v.cut || w.status == nic_status::flushed;
      }
    } else if (keeps_order_ && v.untold == 0 && !say(w)) {
      break;
    }
    w.counted = w.tells;
    v.untold += w.counted ? 1 : 0;
  }
  while (v.first != v.issued && v.at(v.first).accessed && !v.cut) {
    detail::fabric_work& w = v.at(v.first);
    if (w.tells && w.status == nic_status::ok && !say(w)) break;
    v.untold -= w.counted ? 1 : 0;
    refused = refused || w.status == nic_status::refused;
    tell(v, nic_event_kind::sent, w.status, w.order.cookie);
    ++v.first;
  }
  if (refused) end(v, nic_status::refused);
  return goes && !v.cut;
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::ended(detail::fabric_work& w, nic_status status) noexcept {
  link& v = *w.of;
  --accesses_;
  --v.outstanding;
  v.reading -= w.order.reads ? 1 : 0;
  if (w.operands != nullptr) {
    w.operands->next = free_sends_;
    free_sends_ = std::exchange(w.operands, nullptr);
  }
  w.accessed = true;
  w.status = status;
  if (!v.up) {  // Of an ended connection, whose report waits for it.
    if (v.untold_end && v.reading == 0) tell_end(v);
    return;
  }
  if (status == nic_status::flushed) static_cast<void>(cut(v));
  if (!advance(v)) note_busy(v);
}

template <class Calls, fabric_reads Reads>
bool basic_libfabric<Calls, Reads>::push_some(link& v) noexcept {
  const auto say = [&](word what, std::uint32_t value, std::span<const std::byte> payload) {
    const head h{.job = job_, .what = what, .source = self_, .immediate = value};
    const long result = ship_long(v, h, payload);
    v.cut = v.cut || (result != 0 && result != -FI_EAGAIN);
    return result != -FI_EAGAIN;
  };
  if (v.owes_begin) {
    if (!say(word::begin, 0, {v.my_data, v.my_data_bytes})) return false;
    v.owes_begin = false;
  }
  if (v.up && !advance(v)) return false;
  if (v.owes_end) {
    if (v.outstanding != 0) return false;  // The end must not overtake them.
    if (!say(word::end, static_cast<std::uint32_t>(v.end_status), {})) return false;
    v.owes_end = false;
    v.stage.over();
  }
  return true;
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::push_all() noexcept {
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    link& v = *busy_[i];
    const bool all = push_some(v);
    if (v.cut) lose(v, nic_status::peer_lost);
    if (v.untold_end && v.stage.lost && platform::now_ns() > v.tell_at) tell_end(v);
    if (v.ends_at != 0 && platform::now_ns() > v.ends_at) lose(v, nic_status::peer_lost);
    v.busy =
        v.untold_end || (!v.stage.lost && (!all || v.owes_begin || v.owes_end || v.ends_at != 0));
  }
  busy_.erase_if([](const link* v) { return !v->busy; });
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::end(link& v, nic_status why) noexcept {
  if (!v.stage.end()) return;
  v.up = false;
  v.owes_begin = false;
  v.owes_end = true;
  v.end_status = why;
  v.untold_end = true;
  v.tell_at = platform::now_ns() + patience_ns;
  if (v.reading != 0) return note_busy(v);
  tell_end(v);
  push(v);
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::tell_end(link& v) noexcept {
  v.untold_end = false;
  for (; v.first != v.posted; ++v.first) {
    const detail::fabric_work& w = v.at(v.first);
    const bool is_known = w.status == nic_status::refused || (w.order.reads && w.accessed);
    tell(v, nic_event_kind::sent, is_known ? w.status : nic_status::flushed, w.order.cookie);
  }
  v.issued = v.posted;
  v.untold = 0;
  for (; !v.receives.empty(); v.receives.pop())
    tell(v, nic_event_kind::received, nic_status::flushed, v.receives.front().cookie);
  if (v.stage.concerned) tell(v, nic_event_kind::disconnected, v.end_status, 0);
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::lose(link& v, nic_status why) noexcept {
  if (v.stage.lost) return;
  v.silent = why != nic_status::protocol;
  end(v, why);
  v.stage.lost = true;
  v.owes_begin = false;
  if (v.silent) v.owes_end = false;
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::note_gone() noexcept {
  for (link* v : made_) v->gone = v->gone || is_gone(v->peer);
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::note_failures(std::uint32_t epoch, bool heard_all) noexcept {
  constexpr std::uint32_t unheard_max = 1024;
  if (!heard_all && ++unheard_ < unheard_max) return;
  unheard_ = 0;
  known_ = epoch;
  const bool far = std::string_view(provider()) != "shm";
  for (link* v : made_) {
    if (v->dead || !v->gone) continue;
    v->dead = true;
    if (far && v->up && state_of_(bootstrap_, world_rank(v->peer)) == rank_state::finished) {
      v->ends_at = platform::now_ns() + patience_ns;  // Its end message follows.
      note_busy(*v);
    } else {
      lose(*v, nic_status::peer_lost);
    }
  }
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::begin_line(link& v) noexcept {
  v.had_line = true;
  if (state_of_ != nullptr || v.peer == self_) return;
  try {
    const std::string record = record_of_(bootstrap_, world_rank(v.peer));
    v.lifeline = lines_.begin(v.peer, detail::fabric_record(record).lifeline);
  } catch (...) {  // Then there is no lifeline.
    return;
  }
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::look_at_lines() noexcept {
  using fate = detail::fabric_lifelines::fate;
  lines_.look([this](peer_id peer) { return links_[peer]->lifeline; },
              [this](peer_id peer, fate how) {
                link& v = *links_[peer];
                lines_.end(v.lifeline);
                if (how == fate::unanswered && v.up) return;  // The peer is reachable.
                v.ends_at = platform::now_ns() + patience_ns;
                note_busy(v);
              });
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::break_down(const char* call, long result) noexcept {
  note(call, result);
  if (std::exchange(broken_, true)) return;
  for (link* v : made_) lose(*v, nic_status::peer_lost);
}

template <class Calls, fabric_reads Reads>
std::string basic_libfabric<Calls, Reads>::failure() const {
  if (failed_call_ == nullptr) return {};
  return fabric_.failure(failed_call_, failed_result_);
}

}  // namespace mpx::inline v0::nic
