// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transport between ranks that are threads of one process. Rings lie in anonymous memory. Every
// rank can use every address, so that a long message is one memcpy by the receiver.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/aligned.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/offset_allocator.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/bell.hpp"
#include "mpx/transport/detail/exposures.hpp"
#include "mpx/transport/detail/members.hpp"
#include "mpx/transport/detail/ring_fabric.hpp"

namespace mpx::inline v0::transport {

namespace detail {

/// Reference-counted anonymous memory. The last user, in any thread, unmaps it.
class shared_mapping {
 public:
  shared_mapping() = default;
  /// Maps `bytes` bytes, with room for `bells` descriptors.
  /// Errors:     errc::no_resources.
  shared_mapping(std::size_t bytes, std::size_t bells) : block_(new block(bytes, bells)) {}
  shared_mapping(const shared_mapping& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->users.fetch_add(1, platform::memory_order_relaxed);
  }
  shared_mapping(shared_mapping&& other) noexcept
      : block_(mpx::detail::exchange(other.block_, nullptr)) {}
  shared_mapping& operator=(shared_mapping other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared_mapping() {
    if (block_ != nullptr && block_->users.fetch_sub(1, platform::memory_order_acq_rel) == 1)
      delete block_;
  }
  std::byte* data() const noexcept { return block_->memory.data(); }
  std::size_t size() const noexcept { return block_->memory.size(); }

  /// Returns the bell at `place`, created on demand; -1 if the kernel refuses one. It stays open as
  /// long as the memory exists, so that a late ring cannot reach another file.
  int make_bell(std::size_t place) const noexcept {
    const auto word = bell_word(place);
    if (word.load() == 0) word.store(make_event_bell() + 1);
    return word.load() - 1;
  }
  void ring_bell(std::size_t place) const noexcept {
    if (const int fd = bell_word(place).load() - 1; fd >= 0) ring_event_bell(fd);
  }

  /// Identifies the memory within this process.
  std::uintptr_t name() const noexcept { return reinterpret_cast<std::uintptr_t>(block_); }
  /// Requires:   at least one user still holds the memory.
  static shared_mapping named(std::uintptr_t name) noexcept {
    shared_mapping m;
    m.block_ = reinterpret_cast<block*>(name);
    m.block_->users.fetch_add(1, platform::memory_order_relaxed);
    return m;
  }

 private:
  platform::atomic_ref<int> bell_word(std::size_t place) const noexcept {
    return platform::atomic_ref<int>(block_->bells[place]);
  }
  struct block : mpx::detail::allocated {
    block(std::size_t bytes, std::size_t places) : memory(bytes), bells(places) {}
    ~block() {
      for (const int word : bells)
        if (word != 0) ::close(word - 1);
    }
    mapping memory;
    platform::atomic<std::uint32_t> users{1};
    plain_array<int> bells;  // Each is a descriptor + 1.
  };
  block* block_ = nullptr;
};

/// Dimensions of a segment.
struct inproc_shape {
  peer_id capacity;  ///< Number of slots, that is, of members at one time.
  peer_id founders;  ///< Number of members that start together.
  ring_geometry geometry;
};

/// Inboxes and channels of a job of threads in memory that all of them share, as seen by one
/// member, which knows its own slot and those of its peers.
class inproc_segment {
 public:
  /// Requires:   `me` has taken its slot. `peers` is the number of members that it knows, itself
  ///             included: all founders, or 1.
  inproc_segment(shared_mapping memory, const inproc_shape& shape, const member& me, peer_id peers)
      : memory_(std::move(memory)),
        shape_(shape),
        me_(me),
        table_(members_of(memory_, shape)),
        slots_(peers),
        peers_(shape.capacity) {
    for (peer_id& peer : peers_) peer = no_peer;
    for (peer_id peer = 0; peer < peers; ++peer) set(peer, peers == 1 ? me.slot : peer);
  }

  static std::size_t bytes(const inproc_shape& s) noexcept {
    return blocks_at(s) + s.capacity * block_bytes;
  }
  static member_table members_of(const shared_mapping& memory, const inproc_shape& s) noexcept {
    return {memory.data() + s.capacity * doorbell_control::bytes(s.capacity), s.capacity,
            s.founders};
  }
  doorbell_control& doorbell(peer_id slot) const noexcept {
    return *reinterpret_cast<doorbell_control*>(memory_.data() +
                                                slot * doorbell_control::bytes(shape_.capacity));
  }
  std::byte* channel(peer_id source, peer_id destination) const noexcept {
    if (source == no_peer || destination == no_peer) return nullptr;
    return memory_.data() + channels_at(shape_) +
           (std::size_t{destination} * shape_.capacity + source) * stride(shape_.geometry);
  }
  /// Room for blocks, for each slot.
  static constexpr std::uint64_t block_bytes = std::uint64_t{8} << 20;
  std::byte* blocks(peer_id slot) const noexcept {
    if (slot == no_peer) return nullptr;
    return memory_.data() + blocks_at(shape_) + slot * block_bytes;
  }
  exposure_word* exposed(peer_id slot) const noexcept {
    if (slot == no_peer) return nullptr;
    return reinterpret_cast<exposure_word*>(memory_.data() + exposures_at(shape_) +
                                            slot * exposure_key::table_bytes);
  }

  // Returns the descriptor to sleep on.
  int make_bell() const noexcept { return memory_.make_bell(me_.slot); }
  void ring_bell(peer_id slot) const noexcept { memory_.ring_bell(slot); }
  bool wait_bell(std::int64_t timeout_ns) const noexcept {
    return wait_for_bell(make_bell(), timeout_ns);
  }
  void quiet_bell() const noexcept { detail::quiet_bell(make_bell()); }

  // Mapping between peers and slots.
  peer_id slots() const noexcept { return shape_.capacity; }
  peer_id slot_of(peer_id peer) const noexcept {
    return peer < slots_.size() ? slots_[peer] : no_peer;
  }
  peer_id peer_of(peer_id slot) const noexcept { return peers_[slot]; }
  void use(peer_id peer) noexcept {
    const peer_id slot = slot_of(peer);
    if (slot != me_.slot && slot != no_peer) table_.use(me_.slot, slot);
  }

  const shared_mapping& memory() const noexcept { return memory_; }
  const inproc_shape& shape() const noexcept { return shape_; }
  const member& me() const noexcept { return me_; }
  bool make_room(peer_id peer) noexcept {
    return peer < slots_.size() || slots_.try_push_back(no_peer);
  }
  errc link(peer_id peer, const member& other) noexcept {
    const errc e = table_.link(me_.slot, other, [&] { empty(other.slot); });
    if (e == errc{}) set(peer, other.slot);
    return e;
  }
  void unlink(peer_id peer) noexcept {
    const peer_id slot = mpx::detail::exchange(slots_[peer], no_peer);
    peers_[slot] = no_peer;
    table_.unlink(me_.slot, slot, [&] { empty(slot); });
  }
  /// Requires:   no links are left.
  void leave(bool has_talked_to_itself) noexcept {
    if (has_talked_to_itself) empty(channel(me_.slot, me_.slot));
    doorbell(me_.slot).sleeping.store(0);
    table_.leave(me_.slot);
  }

 private:
  static std::size_t page_up(std::size_t n) noexcept { return (n + 4095) / 4096 * 4096; }
  static std::size_t stride(ring_geometry g) noexcept {
    // Page-aligned, so that silent pairs do not share pages with busy ones.
    return page_up(g.bytes());
  }
  static std::size_t channels_at(const inproc_shape& s) noexcept {
    return page_up(s.capacity * doorbell_control::bytes(s.capacity) +
                   member_table::bytes(s.capacity));
  }
  static std::size_t exposures_at(const inproc_shape& s) noexcept {
    return channels_at(s) + std::size_t{s.capacity} * s.capacity * stride(s.geometry);
  }
  static std::size_t blocks_at(const inproc_shape& s) noexcept {
    return page_up(exposures_at(s) + s.capacity * exposure_key::table_bytes);
  }
  void set(peer_id peer, peer_id slot) noexcept {
    slots_[peer] = slot;
    peers_[slot] = peer;
  }
  /// Zeroes the channels in both directions and gives their memory back.
  void empty(peer_id slot) const noexcept {
    empty(channel(me_.slot, slot));
    empty(channel(slot, me_.slot));
  }
  /// True if MADV_REMOVE zeroes memory. Emulators of the Linux kernel may only claim that it does.
  static bool removing_zeroes() noexcept {
    static const bool it_does = [] {
      void* const page =
          ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) return false;
      auto* const first = static_cast<volatile char*>(page);
      *first = 1;
      const bool gone = ::madvise(page, 1, MADV_REMOVE) == 0 && *first == 0;
      ::munmap(page, 1);
      return gone;
    }();
    return it_does;
  }
  void empty(std::byte* channel) const noexcept {
    if (!removing_zeroes() || ::madvise(channel, stride(shape_.geometry), MADV_REMOVE) != 0)
      std::memset(channel, 0, stride(shape_.geometry));
  }

  shared_mapping memory_;
  inproc_shape shape_;
  member me_;
  member_table table_;
  plain_array<peer_id> slots_;  // By peer.
  plain_array<peer_id> peers_;  // By slot.
};

}  // namespace detail

/// Connects ranks that are threads: `mpx::run_threads<mpx::stack<mpx::transport::inproc>>(n,
/// body)`. `RingLines` and `PoolBytes` (powers of two) bound the memory of one directed pair: 64 *
/// RingLines + PoolBytes bytes, touched as they are used. `MembersMax` is the number of members
/// that may exist at a time, unless more start together; it costs address space.
template <std::uint32_t RingLines = 1024, std::uint32_t PoolBytes = 256 * 1024,
          peer_id MembersMax = 64>
class basic_inproc : public detail::ring_fabric<detail::inproc_segment> {
  using base = detail::ring_fabric<detail::inproc_segment>;
  static constexpr detail::ring_geometry geometry{RingLines, PoolBytes};
  static_assert(std::has_single_bit(RingLines) && RingLines >= 4 && RingLines <= (1u << 20));
  static_assert(std::has_single_bit(PoolBytes) && PoolBytes >= 4096 && PoolBytes <= (1u << 30));

 public:
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "inproc";
  static constexpr transport_traits traits{.inline_bytes_max = detail::line_data_bytes,
                                           .packet_bytes_max = geometry.packet_bytes_max(),
                                           .layout = (std::uint64_t{RingLines} << 32 | PoolBytes),
                                           .posts_pend = false,
                                           .peers_share_addresses = true};
  /// Collective over the ranks of `b`.
  /// Errors:     errc::bootstrap if they are not in one process.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_inproc>) && Bootstrap<B>
  explicit basic_inproc(B& b)
      : base(join(b), world_peer(b.rank()), world_peer(b.size()), geometry) {}

  /// Joins the segment of the member with this address, as a newcomer that is its own peer 0 and
  /// knows no other peer.
  /// Requires:   that member lives until the constructor has returned.
  /// Errors:     errc::argument if it is not the address of such a transport in this process;
  ///             errc::no_resources if the segment is full.
  explicit basic_inproc(std::string_view address) : base(enter(address), 0, 1, geometry) {}
  basic_inproc(basic_inproc&&) = delete;

  /// Leaves the segment. Peers still receive what this rank has sent.
  ~basic_inproc() {
    // A forked child is no member: the memory belongs to the parent.
    if (::getpid() != pid_) return;
    const bool alone = is_wired(self());
    for (peer_id peer = 0; peer < peers(); ++peer)
      if (peer != self() && segment().slot_of(peer) != detail::no_peer) cut(peer);
    segment().leave(alone);
  }

  /// See ElasticTransport.
  std::string address() const {
    const detail::inproc_segment& s = segment();
    std::string a = "inproc";
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(::getpid()), std::uint64_t{s.memory().name()}, traits.layout,
          std::uint64_t{s.shape().capacity}, std::uint64_t{s.shape().founders},
          std::uint64_t{s.me().slot}, s.me().generation})
      mpx::detail::append(a, " %llu", static_cast<unsigned long long>(word));
    return a;
  }
  errc add_peer(peer_id peer, std::string_view address) noexcept {
    const place p = place_of(address);
    if (p.memory != segment().memory().name() || peer > peers() ||
        segment().slot_of(peer) != detail::no_peer || p.who.slot == segment().me().slot ||
        p.who.slot >= segment().slots())
      return errc::argument;
    if (!segment().make_room(peer) || !make_room(peer)) return errc::no_resources;
    const errc e = segment().link(peer, p.who);
    if (e != errc{}) return e;
    admit(peer);
    count_members(++linked_);
    return e;
  }
  /// Requires: peer != self().
  void drop_peer(peer_id peer) noexcept {
    cut(peer);
    count_members(--linked_);
  }

  remote_memory expose(peer_id, std::span<const std::byte> memory, bool = false) noexcept {
    const auto key = exposures_.open(segment().exposed(segment().me().slot));
    if (!key) return {};
    return {reinterpret_cast<std::uintptr_t>(memory.data()), key->pack() | key_bit};
  }
  outcome withdraw(peer_id, const remote_memory& memory) noexcept {
    return exposures_.close(segment().exposed(segment().me().slot), key_of(memory))
               ? outcome::done
               : outcome::retry;
  }
  cost_hint get_cost_hint(peer_id, const remote_memory& memory, std::size_t) noexcept {
    return memory.key >> 62 == 1 ? cost_hint::always : cost_hint::never;
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t) noexcept {
    const detail::pinned_exposure held(segment().exposed(segment().slot_of(peer)), key_of(memory));
    if (!held) return outcome::refused;
    std::memcpy(into.data(), reinterpret_cast<const std::byte*>(memory.address + offset),
                into.size());
    return outcome::done;
  }
  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t) noexcept {
    const detail::pinned_exposure held(segment().exposed(segment().slot_of(peer)), key_of(memory));
    if (!held) return outcome::refused;
    std::memcpy(reinterpret_cast<std::byte*>(memory.address + offset), from.data(), from.size());
    return outcome::done;
  }

  void* allocate_shared(std::size_t bytes, std::size_t alignment) {
    return mpx::detail::allocate_aligned(bytes, alignment);
  }
  void deallocate_shared(void* p, std::size_t) noexcept { mpx::detail::free_aligned(p); }

  /// See SharedMemoryTransport. Blocks lie in the segment, which lives as long as any member uses
  /// it. A name is an offset in the owner's part of it, + 1.
  std::uint64_t make_block(std::size_t bytes) noexcept try {
    return blocks_.allocate(bytes, cache_line_bytes) + 1;  // 0 if there is no room.
  } catch (const std::exception&) {
    return 0;
  }
  std::byte* block_at(peer_id owner, std::uint64_t block_name, std::size_t bytes) noexcept {
    constexpr std::uint64_t room = detail::inproc_segment::block_bytes;
    std::byte* const first = segment().blocks(segment().slot_of(owner));
    if (first == nullptr || block_name - 1 > room || bytes > room - (block_name - 1) ||
        (block_name - 1) % cache_line_bytes != 0)
      return nullptr;
    return first + (block_name - 1);
  }
  void free_block(std::uint64_t block_name) noexcept { blocks_.deallocate(block_name - 1); }

 private:
  template <class B>
  static detail::inproc_segment join(B& b) {
    const auto peers = world_peer(b.size());
    const auto self = world_peer(b.rank());
    const detail::inproc_shape shape{peers > MembersMax ? peers : MembersMax, peers, geometry};
    detail::shared_mapping memory;
    if (b.rank() == 0) {
      memory = detail::shared_mapping(detail::inproc_segment::bytes(shape), shape.capacity);
      b.put("mpx.inproc", mpx::detail::formatted("%d %llu", static_cast<int>(::getpid()),
                                                 static_cast<unsigned long long>(memory.name())));
    }
    b.fence([] {});
    bool here = true;
    if (b.rank() != 0) {
      const std::string said = b.get(0, "mpx.inproc").value_or("0 0");
      char* end = nullptr;
      here = std::strtoll(said.c_str(), &end, 10) == ::getpid();
      if (here) memory = detail::shared_mapping::named(std::strtoull(end, nullptr, 10));
    }
    b.fence([] {});  // Now all ranks hold the memory of rank 0.
    if (!here)
      throw error(
          errc::bootstrap,
          "transport inproc connects threads of one process, but rank 0 is another process: "
          "start with mpx::run_threads, or choose mpx::transport::shm");
    const detail::member me = detail::inproc_segment::members_of(memory, shape).found(self);
    return {std::move(memory), shape, me, peers};
  }

  void cut(peer_id peer) noexcept {
    dismiss(peer);
    segment().unlink(peer);
  }

  /// Contents of an address. `memory` is 0 if it belongs to another process or to another kind of
  /// transport.
  struct place {
    std::uintptr_t memory = 0;
    peer_id capacity = 0;
    peer_id founders = 0;
    detail::member who;
  };
  static place place_of(std::string_view address) noexcept {
    constexpr std::string_view prefix = "inproc";
    if (!address.starts_with(prefix)) return {};
    std::uint64_t word[7];
    std::string_view rest = address.substr(prefix.size());
    for (std::uint64_t& w : word) {
      if (rest.empty() || rest[0] != ' ') return {};
      rest.remove_prefix(1);
      const std::string_view digits = rest.substr(0, rest.find(' '));
      if (!mpx::detail::parse_number(digits, ~std::uint64_t{0}, w)) return {};
      rest.remove_prefix(digits.size());
    }
    if (!rest.empty() || word[0] != static_cast<std::uint64_t>(::getpid()) ||
        word[2] != traits.layout)
      return {};
    const auto index = [&](int i) {
      return word[i] < detail::no_peer ? static_cast<peer_id>(word[i]) : detail::no_peer;
    };
    return {static_cast<std::uintptr_t>(word[1]), index(3), index(4), {index(5), word[6]}};
  }
  static detail::inproc_segment enter(std::string_view address) {
    const place p = place_of(address);
    if (p.memory == 0)
      mpx::detail::throw_error(
          errc::argument, "'%s' is no address of a transport inproc<%zu, %zu> in this process",
          mpx::detail::printable(address).c_str(), std::size_t{RingLines}, std::size_t{PoolBytes});
    detail::shared_mapping memory = detail::shared_mapping::named(p.memory);
    const detail::inproc_shape shape{p.capacity, p.founders, geometry};
    const auto me = detail::inproc_segment::members_of(memory, shape).enter();
    if (!me)
      mpx::detail::throw_error(
          errc::no_resources,
          "all %zu places of this transport inproc are taken: raise its MembersMax",
          std::size_t{p.capacity});
    return {std::move(memory), shape, *me, 1};
  }

  static constexpr std::uint64_t key_bit = std::uint64_t{1} << 62;  // No key is 0.
  static detail::exposure_key key_of(const remote_memory& memory) noexcept {
    return detail::exposure_key::unpack(memory.key);
  }

  detail::exposures exposures_;
  offset_allocator blocks_{detail::inproc_segment::block_bytes};
  peer_id linked_ = peers();  // Including itself.
  pid_t pid_ = ::getpid();
};

/// Connects the threads of one process, with rings of the default size.
using inproc = basic_inproc<>;

}  // namespace mpx::inline v0::transport
