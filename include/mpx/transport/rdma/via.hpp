// SPDX-License-Identifier: BSL-1.0
#pragma once
// The Virtual Interface Architecture in software, between processes or threads of one machine: a
// card that refuses everything that real hardware refuses.
//
// The target's memory determines how the data of a write moves. Memory allocated by the target's
// card (`allocate`) is shared: the origin copies straight into it, at memory speed. Into other
// memory the kernel copies (process_vm_writev: one copy, one system call per write). If the kernel
// refuses that, data goes in packets through the rings, and the target's card copies it on when it
// polls: two copies, the second on the target's core. In all three cases the side that copies first
// checks the key, the range, the access and the protection tag. Atomic accesses to shared memory
// are instructions of the origin's CPU; those to other memory are carried out by the target's card
// when it polls. Both are atomic with regard to each other.
//
// Source: Compaq, Intel, Microsoft: Virtual Interface Architecture Specification 1.0, 1997;
//         reliable reception. There is no RDMA read, as in M-VIA. Atomic accesses are an addition.

#include "mpx/macros/begin.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/rdma/detail/via_link.hpp"
#include "mpx/transport/rdma/nic.hpp"
#include "mpx/transport/shm.hpp"

namespace mpx::inline v0::nic {

/// Limits and features of a software card.
struct via_options {
  std::uint64_t registered_bytes_max = ~std::uint64_t{0};  ///< In whole pages.
  std::uint64_t transfer_bytes_max = 1 << 20;              ///< Of a write.
  std::uint32_t regions_max = 4096;     ///< Simultaneous registrations; 65,536 at most.
  std::uint32_t send_bytes_max = 4096;  ///< Of a send; 256 or more.
  std::uint32_t send_depth = 64;        ///< Of a connection.
  std::uint32_t receive_depth = 512;    ///< Of a connection.
  bool stages_all = false;         ///< Sends all data in packets, as if no memory could be shared.
  bool atomics = true;             ///< It has atomic accesses.
  bool survives_refusals = false;  ///< If true: differs from the specification.
};

/// Bytes written by each of the three ways; for tests and measurements.
struct via_counters {
  std::uint64_t shared_bytes = 0;
  std::uint64_t kernel_bytes = 0;
  std::uint64_t staged_bytes = 0;
};

/// A software card. `Wire` carries its packets and provides the shared memory.
template <via_options Options = via_options{}, class Wire = transport::shm>
class basic_via {
  static_assert(SharedMemoryTransport<Wire> && !posts_pend<Wire>);
  static_assert(Options.regions_max >= 1 && Options.regions_max <= 1u << 16);
  static_assert(Options.send_bytes_max >= 256 && Options.send_depth >= 2);
  static_assert(Options.receive_depth >= 2 && Options.transfer_bytes_max >= 1);
  static constexpr std::size_t packet_bytes_max = Wire::traits.packet_bytes_max;
  static_assert(Options.send_bytes_max <= packet_bytes_max && packet_bytes_max >= 1024);

 public:
  using policy_axis = nic_axis;
  static constexpr std::string_view name = "via";
  static constexpr nic_traits traits{.reads = false,
                                     .arrivals_in_order = true,
                                     .writes_before_arrivals = true,
                                     .survives_refusals = Options.survives_refusals,
                                     .short_send_bytes = Wire::traits.inline_bytes_max};

  /// Collective over the ranks of `b`, which outlives the card. Errors: errc::no_resources.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_via>) && SharedMemoryBootstrap<B>
  [[gnu::noinline, gnu::cold]] explicit basic_via(B& b)
      : wire_(b),
        links_(wire_.peers()),
        regions_(Options.regions_max, Options.registered_bytes_max, detail::random_version()),
        failure_word_(&b.failure_word()),
        bootstrap_(&b),
        state_of_([](const void* job, rank_t rank) noexcept {
          return static_cast<const B*>(job)->state(rank);
        }) {
    const std::size_t table_bytes = Options.regions_max * sizeof(detail::shared_region);
    const std::size_t mark_bytes = wire_.peers() * sizeof(detail::copy_mark);
    table_ = wire_.make_block(table_bytes);
    marks_ = wire_.make_block(mark_bytes);
    std::byte* const table = table_ ? wire_.block_at(self(), table_, table_bytes) : nullptr;
    std::byte* const marks = marks_ ? wire_.block_at(self(), marks_, mark_bytes) : nullptr;
    if (table == nullptr || marks == nullptr) mpx::detail::throw_out_of_memory();
    my_table_ = reinterpret_cast<detail::shared_region*>(table);
    my_marks_ = reinterpret_cast<detail::copy_mark*>(marks);
  }
  basic_via(const basic_via&) = delete;
  basic_via& operator=(const basic_via&) = delete;
  ~basic_via() = default;  // Peers may still use the shared memory.

  peer_id self() const noexcept { return wire_.self(); }
  peer_id peers() const noexcept { return wire_.peers(); }
  bool oversubscribed() const noexcept { return wire_.oversubscribed(); }
  nic_limits limits() const noexcept {
    return {.registered_bytes_max = Options.registered_bytes_max,
            .transfer_bytes_max = Options.transfer_bytes_max,
            .page_bytes = detail::page_bytes,
            .regions_max = Options.regions_max,
            .send_bytes_max = Options.send_bytes_max,
            .send_depth = Options.send_depth,
            .receive_depth = Options.receive_depth,
            .checks_keys = true};
  }
  const via_counters& counters() const noexcept { return counters_; }
  Wire& wire() noexcept { return wire_; }

  // --- Memory ---

  /// See Nic. `tag`: protection tag: only connections with that tag may access the memory; 0: all
  /// may.
  errc register_memory(std::span<std::byte> memory, nic_access access, nic_region& region,
                       std::uint32_t tag = 0) noexcept {
    if (memory.empty() || !detail::is_mapped(memory)) return errc::argument;
    detail::region_place place{.address = reinterpret_cast<std::uintptr_t>(memory.data()),
                               .bytes = memory.size(),
                               .access = static_cast<std::uint32_t>(access),
                               .tag = tag};
    for (const block& b : blocks_) {
      const std::uint64_t offset = place.address - reinterpret_cast<std::uintptr_t>(b.data);
      if (offset < b.bytes && memory.size() <= b.bytes - offset) {
        place.block = b.named;
        place.block_offset = offset;
      }
    }
    return regions_.add(place, region, [&](std::uint32_t entry, std::uint64_t key) {
      my_table_[entry].open(key, place);
    });
  }
  outcome deregister(std::uint64_t handle) noexcept {
    return regions_.remove(
        handle, [this](std::uint32_t entry) { my_table_[entry].close(); },
        [this](std::uint32_t entry) {
          for (const detail::via_link* v : made_)
            if (v->their_mark != nullptr && !v->stage.lost &&
                v->their_mark->load(platform::memory_order_seq_cst) == entry + std::uint64_t{1})
              return true;
          return false;
        });
  }
  std::uint64_t registered_bytes() const noexcept { return regions_.registered_bytes(); }

  /// Allocates from memory that all peers share. See Nic.
  std::byte* allocate(std::size_t bytes) noexcept {
    if (bytes > std::size_t{1} << 46) return nullptr;
    const std::size_t taken = bytes + detail::page_bytes;
    const std::uint64_t made_name = wire_.make_block(taken);
    if (made_name == 0) return nullptr;
    std::byte* const base = wire_.block_at(self(), made_name, taken);
    if (base == nullptr || !blocks_.try_push_back({made_name, base, taken})) {
      wire_.free_block(made_name);
      return nullptr;
    }
    std::byte* const made = page_of(base);
    std::memset(made, 0, bytes);
    return made;
  }
  void deallocate(std::byte* p) noexcept {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (page_of(blocks_[i].data) != p) continue;
      wire_.free_block(blocks_[i].named);
      return blocks_.erase(i);
    }
  }

  // --- Connections ---

  /// Sets the protection tag of the connections with `peer`. Call it before connect.
  errc set_tag(peer_id peer, std::uint32_t tag) noexcept {
    detail::via_link* const v = link_of(peer);
    if (v == nullptr) return errc::no_resources;
    v->tag = tag;
    return errc{};
  }
  errc connect(peer_id peer, std::span<const std::byte> data) noexcept {
    if (peer >= peers() || data.size() > nic_connect_bytes_max) return errc::argument;
    detail::via_link* const v = link_of(peer);
    if (v == nullptr) return errc::no_resources;
    if (v->my_whole.key == 0) v->my_whole = wire_.expose(peer, {});
    if (is_gone(peer)) lose(peer, nic_status::peer_lost);
    if (v->breaks != 0) return errc::pending;
    if (const errc e = v->stage.begin(); e != errc{}) return e;
    v->my_data_bytes = data.size();
    if (!data.empty()) std::memcpy(v->my_data, data.data(), data.size());
    v->owes_begin = true;
    push(*v);
    if (v->stage.connected()) connected(*v);
    return errc{};
  }
  std::span<const std::byte> peer_data(peer_id peer) const noexcept {
    const detail::via_link* const v = links_[peer];
    return v == nullptr ? std::span<const std::byte>{} : v->stage.peer_data();
  }
  void disconnect(peer_id peer) noexcept {
    if (peer < peers() && links_[peer] != nullptr) end(*links_[peer], nic_status::ok);
  }

  // --- Work ---

  outcome post_receive(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                       cookie_t cookie) noexcept {
    link* const v = peer < peers() && links_[peer] != nullptr ? links_[peer] : link_of(peer);
    if (v == nullptr || v->stage.lost) return outcome::refused;
    if (!into.empty() && !regions_.holds(handle, into, v->tag)) return outcome::refused;
    if (v->receives.size() == Options.receive_depth) return outcome::retry;
    return v->receives.try_push({into.data(), into.size(), cookie}) ? outcome::pending
                                                                    : outcome::retry;
  }
  outcome post_send(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                    std::uint32_t immediate, cookie_t cookie) noexcept {
    if (from.size() > Options.send_bytes_max) return outcome::refused;
    const link* const v = peer < peers() ? links_[peer] : nullptr;
    if (v != nullptr && v->up && v->sends.empty() && !from.empty() &&
        regions_.holds(handle, from, v->tag) &&
        wire_.post(peer, {{word(packet::send), immediate}}, from, 0) == outcome::done) [[likely]]
      return outcome::done;
    return post_any(peer, handle, from,
                    {.cookie = cookie, .immediate = immediate, .sends = true, .in_place = true});
  }
  outcome post_write(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                     const remote_memory& to, std::uint64_t offset, nic_until,
                     cookie_t cookie) noexcept {
    return post(peer, handle, from,
                {.address = to.address + offset, .key = to.key, .cookie = cookie});
  }
  outcome post_write_immediate(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                               const remote_memory& to, std::uint64_t offset, nic_until,
                               std::uint32_t immediate, cookie_t cookie) noexcept {
    return post(peer, handle, from,
                {.address = to.address + offset,
                 .key = to.key,
                 .cookie = cookie,
                 .immediate = immediate,
                 .has_immediate = true});
  }

  /// See AtomicNic.
  atomic_set atomics() const noexcept requires(Options.atomics)
  {
    return atomic_set::all(true);
  }
  outcome post_atomic(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                      const remote_memory& to, std::uint64_t offset, const atomic_access& what,
                      cookie_t cookie) noexcept requires(Options.atomics)
  {
    if (!atomics().has(what.operation, into.size())) return outcome::refused;
    return post_any(peer, handle, into,
                    {.address = to.address + offset,
                     .key = to.key,
                     .cookie = cookie,
                     .atomic = true,
                     .access = what});
  }

  // --- The completion queue ---

  std::size_t poll(std::span<nic_event> events) noexcept {
    out_ = events;
    told_ = 0;
    while (!ready_.empty() && told_ < out_.size()) {
      out_[told_++] = ready_.front();
      ready_.pop();
    }
    if (told_ < out_.size() || out_.empty()) {
      const std::uint32_t epoch = failure_word_->load(platform::memory_order_acquire);
      if (epoch != known_) [[unlikely]]
        note_gone();  // Before the wire is polled: then all that these peers have sent is on it.
      taker sink{*this};
      const std::size_t taken = wire_.poll(sink);
      if (!busy_.empty()) push_all(taken == 0);
      if (epoch != known_) [[unlikely]]
        note_failures(epoch, taken == 0);
    }
    out_ = {};
    return std::exchange(told_, 0);
  }
  bool arm() noexcept {
    return ready_.empty() && breaking_ == 0 &&
           failure_word_->load(platform::memory_order_acquire) == known_ && wire_.arm();
  }
  void sleep(std::int64_t timeout_ns) noexcept { wire_.sleep(timeout_ns); }
  void disarm() noexcept { wire_.disarm(); }
  void wake() noexcept { wire_.wake(); }
  int descriptor() noexcept requires PollableTransport<Wire>
  {
    return wire_.descriptor();
  }

 private:
  using link = detail::via_link;
  using packet = detail::via_packet;
  struct block {
    std::uint64_t named;
    std::byte* data;
    std::size_t bytes;
  };
  /// The sink of the wire's polls.
  struct taker {
    basic_via& card;
    [[gnu::always_inline]] void packet(peer_id source, const frame_header& header,
                                       std::span<const std::byte> payload) noexcept {
      card.take(source, header, payload);
    }
    std::span<std::byte> place(peer_id, const frame_header&, std::size_t) noexcept { return {}; }
    void complete(cookie_t, bool) noexcept {}
    void malformed(peer_id source) noexcept { card.lose(source, nic_status::protocol); }
    void unreachable(peer_id source) noexcept { card.lose(source, nic_status::peer_lost); }
  };
  enum class way : std::uint8_t { copied, refused, staged };

  static std::byte* page_of(std::byte* base) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(base);
    return base + (detail::page_bytes - at % detail::page_bytes) % detail::page_bytes;
  }
  link* link_of(peer_id peer) noexcept {
    if (peer >= peers()) return nullptr;
    if (links_[peer] == nullptr) {
      auto* const made = new (std::nothrow) link(peer);
      if (made == nullptr) return nullptr;
      if (!made->sends.try_reserve(Options.send_depth) ||
          !made->receives.try_reserve(Options.receive_depth) ||
          !ready_.try_reserve((made_.size() + 1) * events_of_a_link) ||
          !busy_.try_reserve(made_.size() + 1) || !made_.try_push_back(made)) {
        delete made;
        return nullptr;
      }
      made->my_mark = &my_marks_[peer];
      links_.put(peer, made);
    }
    return links_[peer];
  }
  void tell(const nic_event& e) noexcept {
    if (told_ < out_.size() && ready_.empty()) {
      out_[told_++] = e;
    } else {
      static_cast<void>(ready_.try_push(e));  // Room was made with the link.
    }
  }
  void tell(const link& v, nic_event_kind kind, nic_status status, cookie_t cookie) noexcept {
    tell({.kind = kind, .status = status, .peer = v.peer, .cookie = cookie});
  }

  [[gnu::always_inline]] outcome post(peer_id peer, std::uint64_t handle,
                                      std::span<const std::byte> from,
                                      detail::send_descriptor d) noexcept {
    link* const v = peer < peers() ? links_[peer] : nullptr;
    if (v == nullptr || !v->up || from.size() > Options.transfer_bytes_max) return outcome::refused;
    if (!from.empty() && !regions_.holds(handle, from, v->tag)) return outcome::refused;
    if (v->sends.size() >= Options.send_depth) return outcome::retry;
    d.from = from.data();
    d.bytes = from.size();
    const bool left = v->issued == v->sends.size() && issue(*v, d);
    if (left && d.done && d.status == nic_status::ok) return outcome::done;
    return keep(*v, d, left);
  }
  [[gnu::noinline]] outcome post_any(peer_id peer, std::uint64_t handle,
                                     std::span<const std::byte> from,
                                     const detail::send_descriptor& d) noexcept {
    return post(peer, handle, from, d);
  }
  /// Queues a descriptor that has not completed, or that the peer's card has refused.
  [[gnu::noinline]] outcome keep(link& v, const detail::send_descriptor& d, bool left) noexcept {
    static_cast<void>(v.sends.try_push(d));  // Room was made with the link.
    v.issued += left ? 1 : 0;
    if (!left || v.cut) note_busy(v);
    settle(v);
    return outcome::pending;
  }

  /// Advances a descriptor. Returns false if the wire is full; else it has ended or waits for the
  /// peer's acknowledgement.
  bool issue(link& v, detail::send_descriptor& d) noexcept {
    if (!d.in_place) {
      const way w = d.bytes == 0 ? way::copied : d.sent != 0 ? way::staged : copy(v, d);
      if (w == way::staged) return stage(v, d);
      if (w == way::refused) d.status = nic_status::refused;
      d.in_place = w == way::copied;
      d.done = !d.in_place || !d.has_immediate;
      if (d.done) return true;
    }
    const frame_header h{{word(d.sends ? packet::send : packet::arrival), d.immediate}};
    const outcome o = wire_.post(
        v.peer, h, d.sends ? std::span(d.from, d.bytes) : std::span<const std::byte>{}, 0);
    if (o == outcome::refused) {
      d.status = nic_status::flushed;
      v.cut = true;
    }
    d.done = o != outcome::retry;
    return d.done;
  }

  /// Copies the data to the peer's memory if that can be done from here.
  way copy(link& v, const detail::send_descriptor& d) noexcept {
    const std::uint32_t entry = detail::entry_of(d.key);
    if (entry >= v.regions || d.key == 0) return way::refused;
    v.my_mark->store(entry + std::uint64_t{1}, platform::memory_order_seq_cst);
    const way w = copy_marked(v, d, v.table[entry]);
    v.my_mark->store(0, platform::memory_order_release);
    return w;
  }
  way copy_marked(link& v, const detail::send_descriptor& d,
                  const detail::shared_region& there) noexcept;
  /// Sends the data in packets, or asks for the access. Returns false if the wire is full.
  bool stage(link& v, detail::send_descriptor& d) noexcept;
  bool stage_access(link& v, detail::send_descriptor& d) noexcept;
  bool ship(link& v, packet what, std::uint32_t value,
            std::span<const std::byte> payload) noexcept {
    const outcome o = wire_.post(v.peer, {{word(what), value}}, payload, 0);
    v.cut = v.cut || o == outcome::refused;
    return o != outcome::retry;
  }
  static constexpr std::uint32_t word(packet what) noexcept {
    return static_cast<std::uint32_t>(what);
  }

  /// Removes completed descriptors from the send queue, in order, and reports them.
  void settle(link& v) noexcept;
  void note_busy(link& v) noexcept {
    if (v.busy) return;
    v.busy = true;
    static_cast<void>(busy_.try_push_back(&v));  // Room was made with the link.
  }
  /// Sends what waits for room on the wire.
  void push(link& v) noexcept;
  bool push_some(link& v) noexcept;
  void push_all(bool heard_all) noexcept;

  void connected(link& v) noexcept;
  /// Ends the connection from this side: flushes posts, and informs the user and the peer.
  [[gnu::noinline, gnu::cold]] void end(link& v, nic_status why) noexcept;
  /// Ends all connections with the peer, for ever.
  [[gnu::noinline, gnu::cold]] void lose(peer_id peer, nic_status why) noexcept;
  bool is_gone(peer_id peer) const noexcept {
    const rank_state s = state_of_(bootstrap_, world_rank(peer));
    return s == rank_state::failed || s == rank_state::finished;
  }
  /// note_gone() marks the peers that have died or left. note_failures() ends their connections
  /// once everything that they had sent was taken.
  [[gnu::noinline, gnu::cold]] void note_gone() noexcept;
  [[gnu::noinline, gnu::cold]] void note_failures(std::uint32_t epoch, bool heard_all) noexcept;

  // --- What comes from a peer ---

  [[gnu::always_inline]] void take(peer_id source, const frame_header& header,
                                   std::span<const std::byte> payload) noexcept {
    link* const v = links_[source];
    if (v != nullptr && v->hears) [[likely]] {
      const std::uint32_t what = header.word[0];
      if (what == word(packet::arrival) || what == word(packet::send)) [[likely]]
        return use_receive(*v, header.word[1], payload);
      return take_work(*v, header, payload);
    }
    take_stage(source, header, payload);
  }
  [[gnu::noinline]] void take_work(link& v, const frame_header& header,
                                   std::span<const std::byte> payload) noexcept;
  /// Handles begin and end packets; any other packet is late or a violation.
  [[gnu::noinline, gnu::cold]] void take_stage(peer_id source, const frame_header& header,
                                               std::span<const std::byte> payload) noexcept;
  /// Handles the peer's greeting. Returns false if it is invalid.
  bool greet(link& v, std::span<const std::byte> payload) noexcept;

  [[gnu::always_inline]] void use_receive(link& v, std::uint32_t immediate,
                                          std::span<const std::byte> data) noexcept {
    if (v.receives.empty()) return end(v, nic_status::no_descriptor);
    const detail::receive_descriptor d = v.receives.front();
    v.receives.pop();
    if (told_ < out_.size() && ready_.empty()) [[likely]] {
      detail::receive(d, v.peer, immediate, data, out_[told_++]);
    } else {
      tell(detail::received(d, v.peer, immediate, data));
    }
    if (data.size() > d.bytes) [[unlikely]]
      end(v, nic_status::length);
  }
  void take_write(link& v, std::uint32_t immediate, std::span<const std::byte> payload) noexcept;
  void copy_in(link& v, std::span<const std::byte> data) noexcept;
  void take_ack(link& v, std::uint32_t status, std::span<const std::byte> value) noexcept;
  void take_access(link& v, std::span<const std::byte> payload) noexcept;

  static constexpr std::size_t events_of_a_link = Options.send_depth + Options.receive_depth + 32;
  static constexpr std::size_t staged_first_bytes = 1024;
  static constexpr std::uint32_t unheard_max = 1024;

  Wire wire_;
  owning_table<link> links_;
  plain_array<link*> made_;
  plain_array<link*> busy_;
  detail::region_table regions_;
  detail::queue<nic_event> ready_;
  std::span<nic_event> out_;  // Of the poll in progress.
  std::size_t told_ = 0;
  plain_array<block> blocks_;
  detail::shared_region* my_table_ = nullptr;
  detail::copy_mark* my_marks_ = nullptr;
  std::uint64_t table_ = 0;
  std::uint64_t marks_ = 0;
  const platform::atomic<std::uint32_t>* failure_word_;
  const void* bootstrap_;
  rank_state (*state_of_)(const void*, rank_t) noexcept;
  bool asks_early_ = platform::owning_early_pays();
  std::uint32_t known_ = 0;
  std::uint32_t unheard_ = 0;
  std::uint32_t breaking_ = 0;  // Connections that take the peer's last packets before they break.
  via_counters counters_;
};

/// A software card with the default limits, between processes or threads.
using via = basic_via<>;

}  // namespace mpx::inline v0::nic

#include "mpx/transport/rdma/detail/via_work.hpp"

#include "mpx/macros/end.hpp"
