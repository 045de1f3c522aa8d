// SPDX-License-Identifier: BSL-1.0
#pragma once
// The portals of a window: at each rank a put portal and a get portal, each with one entry over the
// rank's part. Their packets have the window's context, and so the order of its records.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

#include "mpx/portals/engine.hpp"
#include "mpx/rma/target.hpp"

namespace mpx::inline v0::detail {

/// A rank's portals of one window. All functions require the endpoint's lock.
/// Source:     Puma, section 4.1 and figure 11.
template <class Stack>
class window_portals final : portals::detail::link, public allocated {
  using os = one_sided<Stack>;
  using outgoing = portals::detail::outgoing;

 public:
  /// Accesses of this rank that are under way, at most: gets, puts longer than a packet, and puts
  /// behind such a put.
  static constexpr std::size_t operations_max = 64;

  /// Errors:     errc::no_resources.
  explicit window_portals(window_data<Stack>& w)
      : w_(w),
        memory_(std::span(w.base, static_cast<std::size_t>(w.bytes))),
        run_(*this, w.rank, w.size, w.least_room, limits_for(w.size)) {
    add(put_portal, {}, put_);
    add(get_portal, {.direction = portals::access::read_only}, get_);
    for (rank_t r = 0; r < w.size; ++r) {
      const errc why = w.targets[r].failure;
      if (why == errc::peer_lost || why == errc::window) run_.on_loss(r, why);
    }
  }
  window_portals(const window_portals&) = delete;
  window_portals& operator=(const window_portals&) = delete;
  ~window_portals() {
    run_.remove(put_);
    run_.remove(get_);
  }

  enum class begun : std::uint8_t {
    yes,
    later,   ///< Retry after progress.
    failed,  ///< Memory is exhausted.
  };
  /// Puts `data` to offset `at` of a target. Takes over `data.how` unless it returns `later`.
  begun put(rma_target& t, std::uint64_t at, const memory& data) noexcept {
    if (os::waiting_locked(w_.e, t.peer) > w_.backlog_max) return begun::later;
    const portals::message m{
        .bits = bits(), .offset = at, .length = data.bytes, .portal = put_portal};
    if (run_.send_now(m, t.rank, data)) {
      if (data.how != nullptr) data.how->drop();
    } else if (const begun b = start(t, m, data, false); b != begun::yes) {
      return b;
    }
    ++t.unacknowledged;
    t.moved = true;
    return begun::yes;
  }
  /// Gets the bytes from offset `at` of a target on. Takes over `into.how` unless it returns
  /// `later`.
  begun get(rma_target& t, std::uint64_t at, const memory& into) noexcept {
    const portals::message m{.bits = bits(),
                             .offset = at,
                             .return_length = into.bytes,
                             .portal = get_portal,
                             .kind = portals::message_kind::get};
    return start(t, m, into, true);
  }

  /// Handles a packet of another rank.
  /// Errors:     errc::protocol if no sender makes it.
  errc on_packet(rank_t from, std::span<const std::byte> packet) noexcept {
    const std::uint64_t before = run_.counted().told_dropped;
    const errc why = run_.on_packet(from, packet);
    rma_target& t = w_.targets[from];
    if (run_.counted().told_dropped != before && t.has_not_failed()) t.failure = errc::rma_range;
    return why;
  }
  /// Nothing more will come from a rank.
  void lose(rank_t r, errc why) noexcept { run_.on_loss(r, why); }
  /// Ends the accesses of this rank that use the program's memory: it is free afterwards, and
  /// epochs that lack data because of this fail. `all`: ends the other ones, too.
  void forsake(bool all) noexcept {
    for (access& a : accesses_) {
      if (a.is == nullptr || (a.copy != nullptr && !all)) continue;
      a.target->note_dropped_data();
      run_.abandon(*a.is);
      end(a);
    }
  }

 private:
  static constexpr portals::index put_portal = 0;
  static constexpr portals::index get_portal = 1;
  /// Match bits: the window's context, and a tag that marks one-sided messages.
  match_bits bits() const noexcept { return match_bits_of(w_.context, one_sided_tag); }
  static constexpr tag_t one_sided_tag = 0x524d;

  /// An access that is under way.
  struct access {
    outgoing* is = nullptr;  // nullptr: a free place.
    rma_target* target = nullptr;
    const layout* how = nullptr;
    std::byte* copy = nullptr;
  };

  /// Every access that other ranks may have under way is served: none is dropped.
  static portals::limits limits_for(rank_t ranks) noexcept {
    constexpr auto each = static_cast<std::uint32_t>(operations_max);
    return {.portals = 2,
            .entries = 2,
            .operations = each,
            .replies = each * static_cast<std::uint32_t>(ranks)};
  }
  void add(portals::index portal, const portals::options& how, portals::detail::entry_name& made) {
    const portals::criteria want{.bits = bits()};
    const portals::detail::continuation on[3]{};
    const errc why = run_.add({.portal = portal,
                               .want = &want,
                               .memory = &memory_,
                               .how = how,
                               .events = nullptr,
                               .call = {},
                               .on = on,
                               .label = 0,
                               .active = true,
                               .before = {}},
                              made);
    if (why == errc{}) return;
    run_.remove(put_);  // No destructor does it.
    throw_out_of_memory();
  }
  begun start(rma_target& t, const portals::message& m, const memory& data, bool gets) noexcept {
    access* a = accesses_.begin();
    while (a != accesses_.end() && a->is != nullptr) ++a;
    if (a == accesses_.end()) return begun::later;
    memory from = gets ? memory() : data;
    if (!gets && data.bytes <= rma::copied_bytes_max) {  // It may be a temporary.
      a->copy = static_cast<std::byte*>(platform::allocate(data.bytes));
      if (a->copy == nullptr) return begun::failed;
      data.read(0, std::span<std::byte>(a->copy, data.bytes));
      from = {a->copy, data.bytes};
    }
    a->is = run_.start(m, t.rank, from, gets ? data : memory(), gets);
    if (a->is == nullptr) {
      platform::deallocate(detail::exchange(a->copy, nullptr));
      return begun::failed;
    }
    a->is->waiter = a;
    a->target = &t;
    a->how = data.how;
    ++t.moves;
    run_.push(t.rank);
    return begun::yes;
  }
  void end(access& a) noexcept {
    --a.target->moves;
    platform::deallocate(a.copy);
    if (a.how != nullptr) a.how->drop();
    a = {};
  }

  // --- The link of the engine --------------------------------------------------------------------

  bool send(rank_t to, std::span<const std::byte> packet) noexcept override {
    return os::send_locked(w_.e, w_.peer_of(to), w_.context, packet);
  }
  std::uint32_t waiting(rank_t to) noexcept override {
    return os::waiting_locked(w_.e, w_.peer_of(to));
  }
  peer_id peer_of(rank_t r) const noexcept override { return w_.peer_of(r); }
  void complete(void* waiter, errc why) noexcept override {
    access& a = *static_cast<access*>(waiter);
    rma_target& t = *a.target;
    if (why != errc{} && t.has_not_failed())
      t.failure = why == errc::not_ready ? errc::rma_range : why;
    run_.release(*a.is);
    end(a);
  }
  void noticed() noexcept override { os::noticed_locked(w_.e); }

  window_data<Stack>& w_;
  std::array<access, operations_max> accesses_{};
  portals::single_block memory_;
  portals::detail::engine run_;
  portals::detail::entry_name put_{};
  portals::detail::entry_name get_{};
};

/// The portals of a window, made when they are first used: by an access of this rank, or by a
/// packet. Returns nullptr if memory is exhausted.
template <class Stack>
window_portals<Stack>* portals_of(window_data<Stack>& w) noexcept {
  if (w.by_portals == nullptr) try {
      w.by_portals = new (std::nothrow) window_portals<Stack>(w);
    } catch (...) {  // Memory is out.
    }
  return w.by_portals;
}

/// Puts and gets by portals: one message for each contiguous run at the target. Puts to one target
/// take effect in the order in which they were started.
template <class Stack>
struct portals_protocol {
  static constexpr std::string_view name = "portals";
  static constexpr rma::protocol is = rma::protocol::portals;
  static constexpr bool queues = false;
  window_data<Stack>& w;

  /// A dynamic window has no block of memory that an entry could name. Results of requests come by
  /// records, and so does data that has a layout on both sides. The header has to fit a packet.
  bool takes(const rma_target&, const rma::transfer& x) const noexcept {
    return w.least_room > portals::detail::begin_bytes && x.what <= rma::action::get &&
           !w.dynamic && x.waiter == nullptr && (x.runs == nullptr || x.data.contiguous());
  }
  bool start(rma_target& t, rma::transfer& x) noexcept {
    using begun = typename window_portals<Stack>::begun;
    if (t.failure == errc::peer_lost || t.failure == errc::window) return dropped(x);
    window_portals<Stack>* const by = portals_of(w);
    if (by == nullptr) return lacks(t, x);
    t.stir();
    while (x.begun < x.bytes) {
      const std::size_t n = x.left_there(x.bytes);
      const memory piece = x.runs == nullptr ? x.data : memory(x.data.base + x.begun, n);
      const begun b =
          x.what == rma::action::put ? by->put(t, x.place(), piece) : by->get(t, x.place(), piece);
      if (b == begun::later) return false;
      if (b == begun::failed) return lacks(t, x);
      x.advance(n);
    }
    return true;
  }
  bool push(rma_target&) noexcept { return true; }
  bool settled(const rma_target& t) const noexcept { return t.moves == 0; }
  bool placed(const rma_target& t) const noexcept { return t.unacknowledged == 0; }
  void lost(rma_target&) noexcept {}

 private:
  static bool lacks(rma_target& t, rma::transfer& x) noexcept {
    t.failure = errc::no_resources;
    return dropped(x);
  }
  static bool dropped(rma::transfer& x) noexcept {
    x.drop();
    return true;
  }
};

}  // namespace mpx::inline v0::detail
