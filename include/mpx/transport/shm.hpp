// SPDX-License-Identifier: BSL-1.0
#pragma once
// Transport between the processes of one machine. Packets travel through rings in an inherited
// memory file. A long message is read from a shared arena, copied by process_vm_readv, or sent as
// packets through the pool of the ring.

#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/file_identity.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/mapping.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/offset_allocator.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/transport/concepts.hpp"
#include "mpx/transport/detail/bell.hpp"
#include "mpx/transport/detail/exposures.hpp"
#include "mpx/transport/detail/hugepage_promoter.hpp"
#include "mpx/transport/detail/ring_fabric.hpp"

namespace mpx::inline v0::transport {

/// Path of a long message from ordinary memory between two processes.
enum class copy_path : std::uint8_t {
  automatic,  ///< One copy by the kernel if ranks outnumber cores, which saves CPU of the sender;
              ///< otherwise the faster of the two paths below, measured by size.
  single,     ///< One copy by process_vm_readv wherever the kernel allows it.
  pipelined,  ///< Two copies through the ring's pool; sender and receiver copy at the same time.
};

/// Choice of the program memory that the transport asks the kernel to put on huge pages.
enum class huge_pages : std::uint8_t {
  /// Memory that peers have copied from repeatedly: later copies are up to twice as fast. Costs
  /// memory to fill whole pages of 2 MiB, and time of the rank that owns the memory: 0.5 ms a page,
  /// spent only after peers have copied for longer than that. Not used if the system setting is
  /// `never`, nor for memory that the program exempts (MADV_NOHUGEPAGE, PR_SET_THP_DISABLE).
  exposed,
  never,  ///< No memory.
};

namespace detail {

/// Proof that a process is the expected rank. It lies in private memory, where peers read it by
/// process_vm_readv.
struct process_mark {
  std::uint64_t word = 0;  // Random; 0 if the kernel supplied none.
  std::uint64_t rank = 0;
};

/// Data that a process publishes about itself: how to reach its memory, and the mark to find there.
struct alignas(cache_line_bytes) peer_card {
  platform::atomic<std::int64_t> pid;
  platform::atomic<std::uint64_t> mark_address;
  platform::atomic<std::uint64_t> mark_word;
  // Network namespace in which it can ring named bells.
  platform::atomic<std::uint64_t> bell_domain;
  platform::atomic<std::uint64_t> bell;  // The name of its bell; 0 if it has none.
};

/// Layout of a job's shared file, from `base` on: inboxes, cards, channels, arenas, exposure
/// tables. The file is sparse: untouched parts take no memory. A part of up to `mapped_bytes_max`
/// is mapped at once, so that no later mapping can fail; a larger one is mapped piece by piece.
class shm_segment {
 public:
  /// Grows the file to the size of the layout, and maps the whole or its front part.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] shm_segment(const bootstrap::file_view& file, std::uint64_t base,
                                           peer_id self, peer_id peers, ring_geometry geometry,
                                           std::uint64_t arena_bytes,
                                           std::uint64_t mapped_bytes_max)
      : file_(file),
        base_(base),
        self_(self),
        peers_(peers),
        geometry_(geometry),
        arena_bytes_(arena_bytes) {
    file_.grow(base_ + bytes());
    if (bytes() <= mapped_bytes_max) whole_ = try_map(0, bytes());
    if (!whole_) front_ = file_.map(base_, front_bytes());
  }

  /// True if nothing has to be mapped later.
  bool is_whole() const noexcept { return static_cast<bool>(whole_); }

  [[gnu::noinline]] doorbell_control& doorbell(peer_id peer) const noexcept {
    return *reinterpret_cast<doorbell_control*>(front() + peer * doorbell_control::bytes(peers_));
  }
  [[gnu::noinline]] peer_card& card(peer_id peer) const noexcept {
    return reinterpret_cast<peer_card*>(front() + peers_ * doorbell_control::bytes(peers_))[peer];
  }
  // Creates the descriptor to sleep on. Returns -1 unless all ranks can ring it.
  int make_bell() noexcept {
    const std::uint64_t domain = card(self_).bell_domain.load();
    for (peer_id peer = 0; peer < peers_; ++peer)
      if (domain == 0 || card(peer).bell_domain.load() != domain) return -1;
    std::uint64_t name = 0;
    bell_ = make_named_bell(name);
    if (bell_.fd() >= 0) card(self_).bell.store(name);
    return bell_.fd();
  }
  /// Rings a rank's bell.
  /// Threads:    one thread at a time; a rank's own bell may be rung by any thread.
  void ring_bell(peer_id peer) noexcept {
    if (peer != self_ && ringer_.fd() < 0) ringer_ = make_ringer();
    ring_named_bell(peer == self_ ? bell_.fd() : ringer_.fd(), card(peer).bell.load());
  }
  bool wait_bell(std::int64_t timeout_ns) const noexcept {
    return wait_for_bell(bell_.fd(), timeout_ns);
  }
  void quiet_bell() const noexcept { detail::quiet_bell(bell_.fd()); }

  /// Returns nullptr if the machine is out of mappings, or if the shared file is lost.
  [[gnu::noinline, gnu::cold]] std::byte* channel(peer_id source, peer_id destination) noexcept {
    if (source == self_ && destination == self_) return own_channel();
    const std::uint64_t index = std::uint64_t{destination} * peers_ + source;
    return at(front_bytes() + index * channel_stride(), channel_stride());
  }
  /// Throws the reason why `channel` or `arena` has returned nullptr.
  /// Errors:     errc::no_resources.
  [[noreturn]] void throw_unmapped(const char* what) const {
    file_.check();
    mpx::detail::throw_error(
        errc::no_resources, "%s could not be mapped: check `ulimit -v` and vm.max_map_count", what);
  }
  /// Returns nullptr in the same cases as `channel`.
  [[gnu::noinline, gnu::cold]] std::byte* arena(peer_id owner) noexcept {
    const std::uint64_t offset = arenas() + owner * arena_bytes_;
    if (owner == self_ && whole_)  // The arena holds user data, which belongs in a core dump.
      whole_.set_dumped(true, offset, arena_bytes_);
    return at(offset, arena_bytes_);
  }
  [[gnu::noinline, gnu::cold]] exposure_word* exposed(peer_id owner) noexcept {
    return reinterpret_cast<exposure_word*>(
        at(arenas() + peers_ * arena_bytes_ + owner * exposure_key::table_bytes,
           exposure_key::table_bytes));
  }

 private:
  struct piece : mpx::detail::allocated {
    explicit piece(mapping made) noexcept : map(std::move(made)) {}
    mapping map;
  };

  std::byte* at(std::uint64_t offset, std::size_t bytes) noexcept {
    return whole_ ? whole_.data() + offset : keep(try_map(offset, bytes));
  }
  /// The channel of a rank to itself lies in private memory: no peer may read it.
  [[gnu::noinline, gnu::cold]] std::byte* own_channel() noexcept {
    if (own_channel_ == nullptr)
      own_channel_ = keep(attempt([this] { return mapping::of_own(channel_stride()); }));
    return own_channel_;
  }
  [[gnu::noinline, gnu::cold]] mapping try_map(std::uint64_t offset,
                                               std::size_t bytes) const noexcept {
    mapping made = attempt([&] { return file_.map(base_ + offset, bytes); });
    if (made) made.set_dumped(false);
    return made;
  }
  template <class Make>
  static mapping attempt(Make&& make) noexcept try {
    return make();
  } catch (const std::exception&) {
    return {};
  }
  [[gnu::noinline, gnu::cold]] std::byte* keep(mapping made) noexcept {
    if (!made) return nullptr;
    piece* const kept = pieces_.try_add(new (std::nothrow) piece(std::move(made)));
    return kept == nullptr ? nullptr : kept->map.data();
  }
  std::byte* front() const noexcept { return whole_ ? whole_.data() : front_.data(); }
  [[gnu::noinline]] std::size_t front_bytes() const noexcept {
    return page_up(peers_ * (doorbell_control::bytes(peers_) + sizeof(peer_card)));
  }
  std::uint64_t bytes() const noexcept {
    return arenas() + peers_ * (arena_bytes_ + exposure_key::table_bytes);
  }
  std::size_t channel_stride() const noexcept { return page_up(geometry_.bytes()); }
  static std::size_t page_up(std::size_t n) noexcept { return (n + 4095) / 4096 * 4096; }

  [[gnu::noinline]] std::uint64_t arenas() const noexcept {
    return front_bytes() + std::uint64_t{peers_} * peers_ * channel_stride();
  }

  bootstrap::file_view file_;
  std::uint64_t base_;
  peer_id self_;
  peer_id peers_;
  ring_geometry geometry_;
  std::uint64_t arena_bytes_;
  mapping whole_;
  mapping front_;  // Mapped if `whole_` is not.
  std::byte* own_channel_ = nullptr;
  owning_table<piece> pieces_;
  bell bell_;
  bell ringer_;
};

}  // namespace detail

/// The default transport. `RingLines` and `PoolBytes` (powers of two) bound the memory of one
/// directed pair that communicates: 64 * RingLines + PoolBytes bytes, touched as they are used.
/// `ArenaBytes` bounds what a rank can allocate with mpx::allocator. `Path` selects the path of
/// long messages. `Pages` selects whether memory that peers copy from is put on huge pages.
template <std::uint32_t RingLines = 1024, std::uint32_t PoolBytes = 256 * 1024,
          std::uint64_t ArenaBytes = std::uint64_t{4} << 30, copy_path Path = copy_path::automatic,
          huge_pages Pages = huge_pages::exposed>
class basic_shm : public detail::ring_fabric<detail::shm_segment> {
  using base = detail::ring_fabric<detail::shm_segment>;
  static constexpr detail::ring_geometry geometry{RingLines, PoolBytes};
  static_assert(std::has_single_bit(RingLines) && RingLines >= 4 && RingLines <= (1u << 20));
  static_assert(std::has_single_bit(PoolBytes) && PoolBytes >= 4096 && PoolBytes <= (1u << 30));
  static_assert(ArenaBytes % 4096 == 0);

 public:
  using policy_axis = transport_axis;
  static constexpr std::string_view name = "shm";
  static constexpr transport_traits traits{
      .inline_bytes_max = detail::line_data_bytes,
      .packet_bytes_max = geometry.packet_bytes_max(),
      .layout = (ArenaBytes >> 12) << 24 ^ (std::uint64_t{RingLines} << 32 | PoolBytes),
      .posts_pend = false};

  /// Collective over the ranks of `b`, which keeps the shared file open.
  /// Errors:     errc::no_resources.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_shm>) && SharedMemoryBootstrap<B>
  [[gnu::noinline, gnu::cold]] explicit basic_shm(B& b)
      : base(segment_of(b), world_peer(b.rank()), world_peer(b.size()), geometry),
        links_(static_cast<std::size_t>(b.size())),
        mark_(marks_.add(new own_mark()).is),
        one_process_(b.one_process()) {
    mark_.rank = self();
    if (::getrandom(&mark_.word, sizeof mark_.word, 0) != sizeof mark_.word) mark_.word = 0;
    detail::peer_card& mine = segment().card(self());
    mine.mark_address.store(reinterpret_cast<std::uintptr_t>(&mark_));
    mine.mark_word.store(mark_.word);
    mine.bell_domain.store(detail::bell_domain());
    mine.pid.store(::getpid());
  }

  /// See RmaTransport. Memory that the peer cannot copy by the kernel is not counted for
  /// huge pages.
  [[gnu::noinline]] remote_memory expose(peer_id peer, std::span<const std::byte> memory,
                                         bool lasts = false) noexcept {
    const auto key = exposures_.open(exposed_by(self()));
    if (!key) return {};
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto arena = reinterpret_cast<std::uintptr_t>(arena_base_);
    if (arena_base_ != nullptr && at >= arena && at - arena < ArenaBytes)
      return {at - arena, key->pack() | key_arena};
    const bool counts = !lasts && kernel_copies(peer);
    promoter_.expose(key->slot, at, counts ? memory.size() : 0);
    return {at, key->pack() | key_private};
  }
  [[gnu::noinline]] outcome withdraw(peer_id, const remote_memory& memory) noexcept {
    const detail::exposure_key key = key_of(memory);
    const auto closed = exposures_.close(exposed_by(self()), key);
    if (!closed) return outcome::retry;
    if (kind_of(memory) == key_private)
      promoter_.withdraw(key.slot, static_cast<std::uintptr_t>(memory.address),
                         closed.copied_bytes);
    return outcome::done;
  }

  /// See Transport.
  std::int64_t maintenance_ns() const noexcept { return promoter_.asked_ns(); }

  cost_hint get_cost_hint(peer_id peer, const remote_memory& memory, std::size_t) noexcept {
    if (kind_of(memory) == key_arena) return cost_hint::always;
    if (Path == copy_path::pipelined || kind_of(memory) != key_private || !kernel_copies(peer))
      return cost_hint::never;
    return Path == copy_path::single || oversubscribed() ? cost_hint::always : cost_hint::learn;
  }

  /// See CpuCopyTransport.
  [[gnu::noinline]] detail::pinned_exposure pin_exposure(peer_id peer, const remote_memory& memory,
                                                         std::size_t bytes) noexcept {
    return {exposed_by(peer), key_of(memory), bytes};
  }
  [[gnu::noinline]] bool get_held(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                                  std::span<std::byte> into) noexcept {
    if (kind_of(memory) == key_private)
      return copy_by_kernel(&::process_vm_readv, peer, memory, offset, into.data(), into.size());
    const std::byte* from = arena_at(peer, memory, offset, into.size());
    if (from != nullptr) std::memcpy(into.data(), from, into.size());
    return from != nullptr;
  }

  /// All gets share one system call, which costs as much time as copying 8
  /// KiB.
  [[gnu::noinline]] bool get_batch(peer_id peer, const batched_get* gets,
                                   std::size_t count) noexcept {
    if (!kernel_copies(peer)) return false;
    detail::pinned_exposure held[batched_gets_max];
    iovec mine[batched_gets_max];
    iovec theirs[batched_gets_max];
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [memory, into] = gets[i];
      if (kind_of(memory) != key_private ||
          !held[i].pin(exposed_by(peer), key_of(memory), into.size()))
        return false;
      mine[i] = {into.data(), into.size()};
      theirs[i] = {reinterpret_cast<void*>(memory.address), into.size()};
      bytes += into.size();
    }
    const ssize_t n = ::process_vm_readv(links_[peer].pid, mine, count, theirs, count, 0);
    return n == static_cast<ssize_t>(bytes);
  }
  outcome get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<std::byte> into, cookie_t) noexcept {
    const auto held = pin_exposure(peer, memory, into.size());
    return held && get_held(peer, memory, offset, into) ? outcome::done : outcome::refused;
  }

  outcome put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
              std::span<const std::byte> from, cookie_t) noexcept {
    const auto held = pin_exposure(peer, memory, from.size());
    if (!held) return outcome::refused;
    if (kind_of(memory) == key_private)
      return copy_by_kernel(&::process_vm_writev, peer, memory, offset,
                            const_cast<std::byte*>(from.data()), from.size())
                 ? outcome::done
                 : outcome::refused;
    std::byte* into = arena_at(peer, memory, offset, from.size());
    if (into == nullptr) return outcome::refused;
    std::memcpy(into, from.data(), from.size());
    return outcome::done;
  }

  /// Allocates memory that peers read without the kernel's help.
  /// Errors:     errc::no_resources if ArenaBytes are used up; errc::argument if the alignment is
  ///             larger than a page.
  void* allocate_shared(std::size_t bytes, std::size_t alignment) {
    if (alignment > 4096)
      mpx::detail::throw_error(errc::argument,
                               "shared memory cannot be aligned to %zu bytes, but to 4096 at most",
                               alignment);
    if (arena_base_ == nullptr) {
      arena_ = offset_allocator(ArenaBytes);  // Created here, since few programs allocate from it.
      arena_base_ = segment().arena(self());
    }
    if (arena_base_ == nullptr) segment().throw_unmapped("the shared arena");
    const std::uint64_t at = arena_.allocate(bytes, alignment);
    if (at == offset_allocator::none)
      mpx::detail::throw_error(errc::no_resources,
                               "the shared arena has no room for %zu bytes of its %zu: raise "
                               "ArenaBytes of mpx::transport::basic_shm",
                               bytes, ArenaBytes);
    return arena_base_ + at;
  }
  void deallocate_shared(void* p, std::size_t) noexcept {
    arena_.deallocate(static_cast<std::uint64_t>(static_cast<std::byte*>(p) - arena_base_));
  }

  /// See SharedMemoryTransport. Blocks lie in the owner's arena; a name is an offset in the arena,
  /// + 1.
  std::uint64_t make_block(std::size_t bytes) noexcept try {
    auto* const block = static_cast<std::byte*>(allocate_shared(bytes, cache_line_bytes));
    return static_cast<std::uint64_t>(block - arena_base_) + 1;
  } catch (const std::exception&) {
    return 0;
  }
  std::byte* block_at(peer_id owner, std::uint64_t block_name, std::size_t bytes) noexcept {
    std::byte* const block = arena_at(owner, {block_name - 1, key_arena}, 0, bytes);
    return (block_name - 1) % cache_line_bytes == 0 ? block : nullptr;
  }
  void free_block(std::uint64_t block_name) noexcept { arena_.deallocate(block_name - 1); }

  /// Returns true if the kernel lets this process copy from `peer`, and the process reached is
  /// `peer`. Tried once, on the mark named by the peer's card: a pid names another process in
  /// another pid namespace, and a card is not trusted.
  [[gnu::noinline, gnu::cold]] bool kernel_copies(peer_id peer) noexcept {
    link& l = links_[peer];
    if (!l.probed) {
      l.probed = true;
      const detail::peer_card& card = segment().card(peer);
      const std::int64_t pid = card.pid.load();
      l.kernel = peer == self()
                     ? finds_mark(::getpid(), &mark_, mark_.word, peer)
                     : (one_process_ || !is_this_process(pid)) &&
                           finds_mark(pid, reinterpret_cast<void*>(card.mark_address.load()),
                                      card.mark_word.load(), peer);
      l.pid = peer == self() ? ::getpid() : static_cast<pid_t>(pid);
    }
    return l.kernel;
  }

 private:
  static constexpr std::uint64_t key_private = std::uint64_t{1} << 62;
  static constexpr std::uint64_t key_arena = std::uint64_t{2} << 62;
  static constexpr std::uint64_t kind_of(const remote_memory& memory) noexcept {
    return memory.key & (key_private | key_arena);
  }
  static detail::exposure_key key_of(const remote_memory& memory) noexcept {
    return detail::exposure_key::unpack(memory.key);
  }

  struct link {
    std::byte* arena = nullptr;
    detail::exposure_word* exposed = nullptr;
    pid_t pid = 0;
    bool probed = false;
    bool kernel = false;
  };

  // Upper bound of the address space that one process maps in advance.
  static constexpr std::uint64_t mapped_bytes_max = std::uint64_t{1} << 40;

  template <class B>
  static detail::shm_segment segment_of(B& b) {
    const auto peers = world_peer(b.size());
    return {bootstrap::file_view(b.shared_fd(), file_identity::of(b.shared_fd())),
            b.shared_offset(),
            world_peer(b.rank()),
            peers,
            geometry,
            ArenaBytes,
            b.one_process() ? mapped_bytes_max / peers : mapped_bytes_max};
  }

  /// True if `pid` is this process or one of its threads, which the kernel treats alike.
  static bool is_this_process(std::int64_t pid) noexcept {
    return pid == ::getpid() || ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(pid), 0) == 0;
  }
  static bool finds_mark(std::int64_t pid, void* there, std::uint64_t word, peer_id rank) noexcept {
    if (pid <= 0 || pid > 0x7fffffff || word == 0) return false;
    detail::process_mark found;
    const iovec local{&found, sizeof found};
    const iovec remote{there, sizeof found};
    return ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0) == sizeof found &&
           found.word == word && found.rank == rank;
  }

  template <class Copy>
  [[gnu::noinline]] bool copy_by_kernel(Copy copy, peer_id peer, const remote_memory& memory,
                                        std::uint64_t offset, std::byte* mine,
                                        std::size_t bytes) noexcept {
    if (!kernel_copies(peer)) return false;
    std::size_t moved = 0;
    while (moved < bytes) {
      const iovec local{mine + moved, bytes - moved};
      const iovec remote{reinterpret_cast<void*>(memory.address + offset + moved), bytes - moved};
      const ssize_t n = copy(links_[peer].pid, &local, 1, &remote, 1, 0);
      if (n <= 0) return false;
      moved += static_cast<std::size_t>(n);
    }
    return true;
  }

  /// Address of `bytes` bytes at an offset in the peer's arena. Returns nullptr unless all of them
  /// lie inside: offset and address come from the peer and are not trusted.
  [[gnu::noinline]] std::byte* arena_at(peer_id peer, const remote_memory& memory,
                                        std::uint64_t offset, std::size_t bytes) noexcept {
    const std::uint64_t address = memory.address;
    if (kind_of(memory) != key_arena || address > ArenaBytes || offset > ArenaBytes - address ||
        bytes > ArenaBytes - address - offset)
      return nullptr;
    link& l = links_[peer];
    if (l.arena == nullptr) l.arena = segment().arena(peer);
    return l.arena == nullptr ? nullptr : l.arena + address + offset;
  }

  detail::exposure_word* exposed_by(peer_id peer) noexcept {
    link& l = links_[peer];
    if (l.exposed == nullptr) [[unlikely]]
      l.exposed = segment().exposed(peer);
    return l.exposed;
  }

  std::byte* arena_base_ = nullptr;
  offset_allocator arena_;
  plain_array<link> links_;
  struct own_mark : mpx::detail::allocated {
    detail::process_mark is;
  };
  owning_table<own_mark> marks_;
  detail::process_mark& mark_;  // On the heap, since peers know its address.
  bool one_process_;
  detail::exposures exposures_;
  detail::hugepage_promoter<
      std::conditional_t<Pages == huge_pages::exposed && Path != copy_path::pipelined,
                         detail::linux_huge_pages, detail::no_huge_pages>>
      promoter_;
};

/// Connects processes, or threads, of one machine, with rings and arenas of the default size.
using shm = basic_shm<>;

}  // namespace mpx::inline v0::transport
