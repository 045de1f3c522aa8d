// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a card over libfabric does off its fast paths: remote writes and reads, the stages of
// connections, and what comes from peers that need not be honest.

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
namespace detail {

/// What a peer's end of a write says of the peer: it refused it, or is not there.
constexpr bool is_refusal(int e) noexcept {
  return e == FI_EACCES || e == FI_EPERM || e == FI_EFAULT || e == FI_EINVAL || e == FI_EIO ||
         e == FI_ENOKEY || e == FI_EKEYREJECTED;
}

}  // namespace detail

template <class Calls, bool Reads>
basic_libfabric<Calls, Reads>::~basic_libfabric() {
  // What is done may still be on its way. The end of a connection goes behind all else, as a
  // message whose leaving is told; and who has answered it has all. (Over shm all is in the peer's
  // memory by now; in 1.17 it follows pointers to endpoints of this process that may be closed.)
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

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::sleep(std::int64_t timeout_ns) noexcept {
  // No peer's progress may depend for long on a provider that tells of nothing.
  constexpr std::int64_t unasked_ns = 10'000'000;
  constexpr std::int64_t short_ns = 100'000;
  // Who is told of nothing wakes late; so in the midst of traffic it looks on.
  if (restless_) return static_cast<void>(::sched_yield());
  ::pollfd all[2] = {{bell_.fd, POLLIN, 0}, {fabric_.wait_fd, POLLIN, 0}};
  const std::int64_t most = impatient_ || fabric_.wait_fd < 0 ? short_ns : unasked_ns;
  const std::int64_t ns = timeout_ns < 0 || timeout_ns > most ? most : timeout_ns;
  const ::timespec t{0, static_cast<long>(ns)};
  static_cast<void>(::ppoll(all, fabric_.wait_fd < 0 ? 1 : 2, &t, nullptr));
  std::uint64_t rung = 0;
  if ((all[0].revents & POLLIN) != 0) static_cast<void>(!::read(bell_.fd, &rung, sizeof rung));
}

// --- What goes out -------------------------------------------------------------------------------

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
outcome basic_libfabric<Calls, Reads>::keep(link& v, const head& h, std::span<const std::byte> from,
                                            void* descriptor, bool accesses, cookie_t cookie,
                                            bool reads) noexcept {
  if (v.posted - v.first == link::depth) return outcome::retry;
  detail::fabric_work& w = v.at(v.posted++);
  w.from = from.data();
  w.bytes = from.size();
  w.descriptor = descriptor;
  w.cookie = cookie;
  w.head = h;
  w.accesses = accesses;
  w.reads = reads;
  w.tells = !accesses || h.what != word::write;
  w.carries = !accesses;
  w.accessed = !accesses;
  w.status = nic_status::ok;
  if (!advance(v)) note_busy(v);
  return outcome::pending;
}

template <class Calls, bool Reads>
long basic_libfabric<Calls, Reads>::issue(detail::fabric_work& w) noexcept {
  if (accesses_ == accesses_max) return -FI_EAGAIN;
  ::iovec here{const_cast<std::byte*>(w.from), w.bytes};
  ::fi_rma_iov there{w.head.address, w.bytes, w.head.key - 1};
  ::fi_msg_rma what{};
  what.msg_iov = &here;
  what.desc = &w.descriptor;
  what.iov_count = 1;
  what.addr = w.of->address;
  what.rma_iov = &there;
  what.rma_iov_count = 1;
  what.context = &w.context;
  long result = 0;
  if (w.reads) {
    if constexpr (Reads) result = Calls::readmsg(fabric_.ep, &what, FI_COMPLETION);
  } else {
    result = Calls::writemsg(fabric_.ep, &what, FI_DELIVERY_COMPLETE | FI_COMPLETION);
  }
  if (result != 0) return note(w.reads ? "fi_readmsg" : "fi_writemsg", result);
  ++accesses_;
  ++w.of->outstanding;
  w.of->reading += w.reads ? 1 : 0;
  return 0;
}

template <class Calls, bool Reads>
bool basic_libfabric<Calls, Reads>::advance(link& v) noexcept {
  bool goes = true;
  bool refused = false;
  for (; v.issued != v.posted; ++v.issued) {
    detail::fabric_work& w = v.at(v.issued);
    if (!w.accesses) continue;
    const long result = issue(w);
    goes = result != -FI_EAGAIN;
    if (!goes) break;
    if (result == 0) continue;
    w.accessed = true;
    w.status =
        detail::is_refusal(static_cast<int>(-result)) ? nic_status::refused : nic_status::flushed;
    v.cut = v.cut || w.status == nic_status::flushed;
  }
  while (v.first != v.issued && v.at(v.first).accessed && !v.cut) {
    const detail::fabric_work& w = v.at(v.first);
    if (w.tells && w.status == nic_status::ok) {
      const long result =
          ship(v, w.head, w.carries ? std::span(w.from, w.bytes) : std::span<const std::byte>{});
      if (result == -FI_EAGAIN) {
        goes = false;
        break;
      }
      v.cut = result != 0;
      if (v.cut) break;
    }
    refused = refused || w.status == nic_status::refused;
    tell(v, nic_event_kind::sent, w.status, w.cookie);
    ++v.first;
  }
  if (refused) end(v, nic_status::refused);
  return goes && !v.cut;
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::ended(detail::fabric_work& w, nic_status status) noexcept {
  link& v = *w.of;
  --accesses_;
  --v.outstanding;
  v.reading -= w.reads ? 1 : 0;
  w.accessed = true;
  w.status = status;
  if (!v.up) {  // Of a connection that has ended: its end waits for this.
    if (v.untold_end && v.reading == 0) tell_end(v);
    return;
  }
  if (status == nic_status::flushed) static_cast<void>(cut(v));
  if (!advance(v)) note_busy(v);
}

template <class Calls, bool Reads>
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
    if (v.outstanding != 0) return false;  // Else it might come before them.
    if (!say(word::end, static_cast<std::uint32_t>(v.end_status), {})) return false;
    v.owes_end = false;
    v.stage.over();
  }
  return true;
}

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::tell_end(link& v) noexcept {
  v.untold_end = false;
  for (; v.first != v.posted; ++v.first) {
    const detail::fabric_work& w = v.at(v.first);
    const bool is_known = w.status == nic_status::refused || (w.reads && w.accessed);
    tell(v, nic_event_kind::sent, is_known ? w.status : nic_status::flushed, w.cookie);
  }
  v.issued = v.posted;
  for (; !v.receives.empty(); v.receives.pop())
    tell(v, nic_event_kind::received, nic_status::flushed, v.receives.front().cookie);
  if (v.stage.concerned) tell(v, nic_event_kind::disconnected, v.end_status, 0);
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::lose(link& v, nic_status why) noexcept {
  if (v.stage.lost) return;
  v.silent = why != nic_status::protocol;
  end(v, why);
  v.stage.lost = true;
  v.owes_begin = false;
  if (v.silent) v.owes_end = false;
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::note_gone() noexcept {
  for (link* v : made_) v->gone = v->gone || is_gone(v->peer);
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::hear_news(std::uint32_t epoch, bool heard_all) noexcept {
  constexpr std::uint32_t unheard_max = 1024;
  if (!heard_all && ++unheard_ < unheard_max) return;
  unheard_ = 0;
  known_ = epoch;
  const bool far = std::string_view(provider()) != "shm";
  for (link* v : made_) {
    if (v->dead || !v->gone) continue;
    v->dead = true;
    if (far && v->up && state_of_(bootstrap_, world_rank(v->peer)) == rank_state::finished) {
      v->ends_at = platform::now_ns() + patience_ns;  // Its end is on its way, behind all else.
      note_busy(*v);
    } else {
      lose(*v, nic_status::peer_lost);
    }
  }
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::begin_line(link& v) noexcept {
  v.had_line = true;
  if (state_of_ != nullptr || v.peer == self_) return;
  try {
    const std::string record = record_of_(bootstrap_, world_rank(v.peer));
    v.lifeline = lines_.begin(v.peer, detail::fabric_record(record).lifeline);
  } catch (...) {  // Without one.
    return;
  }
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::look_at_lines() noexcept {
  using fate = detail::fabric_lifelines::fate;
  lines_.look([this](peer_id peer) { return links_[peer]->lifeline; },
              [this](peer_id peer, fate how) {
                link& v = *links_[peer];
                lines_.end(v.lifeline);
                if (how == fate::unanswered && v.up) return;  // The peer is there.
                v.ends_at = platform::now_ns() + patience_ns;
                note_busy(v);
              });
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::break_down(const char* call, long result) noexcept {
  note(call, result);
  if (std::exchange(broken_, true)) return;
  for (link* v : made_) lose(*v, nic_status::peer_lost);
}

template <class Calls, bool Reads>
std::string basic_libfabric<Calls, Reads>::failure() const {
  if (failed_call_ == nullptr) return {};
  return fabric_.failure(failed_call_, failed_result_);
}

// --- What comes ----------------------------------------------------------------------------------

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::progress() noexcept {
  constexpr std::size_t at_once = 16;
  constexpr int rounds_max = 8;
  bool heard = false;
  const std::uint32_t epoch = news();
  if (epoch != known_) [[unlikely]]
    note_gone();  // Before it looks.
  for (int round = 0; round < rounds_max; ++round) {
    const std::size_t room =
        out_.empty() ? at_once : mpx::detail::lesser(out_.size() - told_, at_once);
    if (room == 0) break;
    ::fi_cq_msg_entry found[at_once];
    const std::ptrdiff_t n = Calls::cq_read(fabric_.cq, found, room);
    if (n == -FI_EAVAIL) {
      take_error();
      continue;
    }
    if (n < 0 && n != -FI_EAGAIN && n != -FI_EINTR) [[unlikely]]
      break_down("fi_cq_read", n);
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
    hear_news(epoch, !heard);
  constexpr std::uint32_t looks_apart = 1024;  // Who sleeps looks more often: see arm.
  if (lines_.any() && ++looks_ % looks_apart == 0) look_at_lines();
}

template <class Calls, bool Reads>
bool basic_libfabric<Calls, Reads>::post_slot(detail::fabric_message_slot& s) noexcept {
  const long result =
      Calls::recv(fabric_.ep, s.data, detail::fabric_buffer_bytes, buffer_descriptor_, &s.context);
  if (result != 0) static_cast<void>(unposted_.try_push_back(&s));  // Room was made for all.
  if (result != 0) note("fi_recv", result);
  deaf_ = result != 0 && result != -FI_EAGAIN;
  return result == 0;
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::take(const ::fi_cq_msg_entry& e) noexcept {
  using kind_of = detail::fabric_slot::kind_of;
  auto* const slot = static_cast<detail::fabric_slot*>(e.op_context);
  if (slot == nullptr) return;
  if (slot->kind == kind_of::access)
    return ended(static_cast<detail::fabric_work&>(*slot), nic_status::ok);
  auto& s = static_cast<detail::fabric_message_slot&>(*slot);
  if (s.kind == kind_of::receive) {
    take_message(s.data, e.len);
    post_slot(s);
  } else {
    s.next = free_sends_;
    free_sends_ = &s;
    --s.to->sending;
  }
}

template <class Calls, bool Reads>
void basic_libfabric<Calls, Reads>::take_error() noexcept {
  using kind_of = detail::fabric_slot::kind_of;
  ::fi_cq_err_entry e{};
  const std::ptrdiff_t n = Calls::cq_readerr(fabric_.cq, &e);
  if (n < 0 && n != -FI_EAGAIN) return break_down("fi_cq_readerr", n);
  if (n <= 0 || e.op_context == nullptr) return;
  note("an operation", -e.err);
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

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
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

template <class Calls, bool Reads>
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
