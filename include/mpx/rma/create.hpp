// SPDX-License-Identifier: BSL-1.0
#pragma once
// Collective creation of a window, and its end.

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "mpx/comm/detail/create.hpp"
#include "mpx/core/aligned.hpp"
#include "mpx/core/sanitizer.hpp"
#include "mpx/engine/base/posting.hpp"
#include "mpx/rma/epochs.hpp"

namespace mpx::inline v0::detail {

/// Memory of a window. `joined`: shared, the parts of all ranks one behind the other.
enum class rma_memory : std::uint8_t { allocated, shared, joined, given, dynamic };

/// A rank's contribution when a window is made.
struct rma_part {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // Address of its memory, for ranks that share the address space.
  std::uint64_t memory_block = 0;
  std::uint64_t control_address = 0;
  std::uint64_t control_block = 0;
  std::uint64_t element_bytes = 0;
  std::uint64_t unit = 0;    // Bytes per unit of displacement in its memory.
  std::uint64_t offset = 0;  // Offset of a part of joined memory.
  std::int32_t why = 0;
  std::uint32_t exposes = 0;  // Its transport gives remote access to its memory.
  // `bytes` is a number of elements, too large for any memory.
  std::uint32_t too_many = 0;
  std::uint32_t barrier = 0;  // Heavy barriers of other ranks reach this rank.
  // It has the atomic accesses that the locks of all other ranks need.
  std::uint32_t card_locks = 0;
  std::uint32_t reserved = 0;
};

template <class Stack>
struct window_maker {
  using state = window_state<Stack>;
  using os = one_sided<Stack>;
  using blocks = shared_blocks<Stack>;

  struct plan {
    rma_memory how;
    void* base;
    std::uint64_t bytes;
    const rma::element_type* type;
    rma::protocol chosen;
    std::uint64_t count;  // Number of elements; may be too large for `bytes`.
    const char* call;     // Name of the program's call.
    type_code elements;   // Type code of the elements.
    // The call throws errc::call_mismatch with a text.
    bool throws;
    std::uint64_t unit = 0;  // Bytes per unit of displacement at this rank; 0: an element's.
    // See window_data.
    const rma::element_type* (*numbered)(std::uint16_t) noexcept = nullptr;
    bool zeroes = true;  // Memory that mpx allocates is zeroed.
  };
  /// Parts of joined memory, one behind the other.
  struct joint {
    std::uint64_t offset = 0;  // Of this rank's part.
    std::uint64_t bytes = 0;   // Of all.
  };
  /// Reason why a window could not be made.
  struct fault {
    errc why{};
    rank_t too_many = proc_null;  // Rank that asked for more elements than memory can hold,
    std::uint64_t count = 0;      // and their number.
  };
  /// Maximum size of a rank's memory: leaves room for rounding up to lines and pages.
  static constexpr std::uint64_t bytes_max = (~std::uint64_t{0} >> 1) - (std::uint64_t{1} << 30);
  static bool asks_too_much(const plan& p) noexcept {
    return p.how != rma_memory::dynamic && p.count > bytes_max / p.type->bytes;
  }

  /// Makes a window. Collective.
  /// Returns:    nullptr on failure. `f.why` is the same at all ranks, unless a rank is lost.
  static state* make(const communicator<Stack>& over, const plan& p, fault& f,
                     std::source_location where) {
    errc& why = f.why;
    std::error_code ec;
    maker<Stack> dup(over, {p.call, where});
    why = dup.dup(p.elements, false);  // A window has attributes of its own.
    if (why == errc::call_mismatch && p.throws) dup.raise();
    if (why != errc{}) return nullptr;
    communicator<Stack> own = dup.template made<communicator<Stack>>();
    const communicator_access<Stack> a(own, where);
    const communicator_access<Stack> outer(over, where);
    const auto within = [&a](const communicator_state* in) {
      a.at().with_communicators([&](auto& all) { all.make_within(a.state(), in); });
    };
    within(&outer.state());
    joint memory;
    if (p.how == rma_memory::joined) why = join(own, p, memory, where);
    auto* const w = new (std::nothrow) state(a.at());
    rma_part mine;
    if (w == nullptr) {
      mine.why = static_cast<std::int32_t>(errc::no_resources);
    } else {
      w->comm = own;
      w->made_at = where;
      w->together = {p.call, where};
      w->context = a.plain_context();
      w->own = &a.state();
      w->rank = own.rank();
      w->size = own.size();
      w->ranks = a.state().ranks;
      w->type = p.type;
      w->dynamic = p.how == rma_memory::dynamic;
      w->unit = w->dynamic ? 1 : p.type->bytes;
      w->chosen = p.chosen;
      w->numbered = p.numbered;
      w->shared = p.how == rma_memory::shared || p.how == rma_memory::joined;
      mine = prepare(*w, p, memory);
    }
    std::vector<rma_part> all = own.allgather(mine, ec, where);
    if (ec && why == errc{}) why = static_cast<errc>(ec.value());
    for (const rma_part& part : all) {
      if (why == errc{} && part.too_many != 0) {
        f.too_many = static_cast<rank_t>(&part - all.data());
        f.count = part.bytes;
      }
      if (why == errc{}) why = static_cast<errc>(part.why);
      if (why == errc{} && part.element_bytes != p.type->bytes) why = errc::type;
    }
    if (why == errc{}) why = meet(*w, p, memory, all, where);
    within(nullptr);
    if (why == errc{}) {
      const auto guard = os::lock(w->e);
      w->alive = true;
      w->together = {};
      return w;
    }
    if (w != nullptr) {
      // Some ranks may have made their window, if the communicator was revoked just now.
      end(*w, why == errc::revoked ? ending::failed : ending::together);
    } else {
      own.free(where);
    }
    delete w;
    return nullptr;
  }

  enum class ending : std::uint8_t {
    together,  ///< No rank accesses it any more.
    /// A call failed; other ranks learn of it from the rank that caused it.
    failed,
    left,  ///< The other ranks have to be told.
  };
  /// Releases this rank's part of a window.
  static void end(state& w, ending how) noexcept {
    MPX_ASSERT_AT(w.e.is_there() && w.lifetime == w.e.lifetime(),
                  "the environment of this window is gone: let windows go before it", w.made_at);
    const bool together = how == ending::together;
    w.alive = false;
    w.drop_locks();
    {
      const auto guard = os::lock(w.e);
      if (w.by_portals != nullptr) w.by_portals->forsake(true);
    }
    w.wait_for_moves();
    w.abandon_locks();
    {
      const auto guard = os::lock(w.e);
      if (how == ending::left) w.tell_leaving();
      os::windows_locked(w.e).remove(w);
      delete detail::exchange(w.by_portals, nullptr);
      for (std::size_t i = 0; i < w.replies.size(); ++i)
        if (w.replies[i].used) w.end_reply(w.replies[i], errc::window);
    }
    const bool reached = !withdraw(w, w.exposed) && !together;
    const bool words_reached = !withdraw(w, w.exposed_words) && !together;
    // A rank that does not know that the window is gone may still access the memory: it stays
    // allocated until the job ends.
    if (together) {
      if constexpr (os::has_blocks) {
        if (w.memory_block != 0) blocks::free(w.e, w.memory_block);
        if (w.control_block != 0) blocks::free(w.e, w.control_block);
      }
    }
    if (!reached && (together || !os::shares_addresses)) {
      free_aligned(w.memory_owned);
      to_transport(w, w.memory_of_transport, greater<std::size_t>(w.bytes, 1));
    }
    if (!words_reached && (together || !os::shares_addresses)) {
      free_aligned(w.control_owned);
      to_transport(w, w.control_of_transport, rma::control_block::bytes(w.size));
    }
    if (w.comm) w.comm.free();
  }

 private:
  /// Returns true if no other rank reaches what was registered as `exposed`.
  static bool withdraw([[maybe_unused]] state& w,
                       [[maybe_unused]] plain_array<remote_memory>& exposed) noexcept {
    if constexpr (os::has_rdma) {
      const auto take_back = [&] {
        bool all = true;
        for (std::size_t r = 0; r < exposed.size(); ++r) {
          if (exposed[r].key == 0) continue;
          if (blocks::withdraw(w.e, w.peer_of(static_cast<rank_t>(r)), exposed[r])) {
            exposed[r] = {};
          } else {
            all = false;
          }
        }
        return all;
      };
      // Peers may share a registration, which is withdrawn with the last of them.
      return take_back() || (blocks::retires && take_back());
    }
    return true;
  }
  /// Adds up the lengths of all parts.
  /// Errors:     errc::no_resources, at all ranks, if memory cannot hold them.
  static errc join(const communicator<Stack>& own, const plan& p, joint& of,
                   std::source_location where) {
    std::error_code ec;
    const std::uint64_t mine = asks_too_much(p) ? 0 : p.bytes;
    const std::vector<std::uint64_t> all = own.allgather(mine, ec, where);
    if (ec) return static_cast<errc>(ec.value());
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (r == static_cast<std::size_t>(own.rank())) of.offset = of.bytes;
      if (__builtin_add_overflow(of.bytes, all[r], &of.bytes) || of.bytes > bytes_max) {
        of = {};
        return errc::no_resources;
      }
    }
    return errc{};
  }
  /// Allocates this rank's memory, and registers with the service before other ranks can address
  /// it.
  static rma_part prepare(state& w, const plan& p, const joint& joined) noexcept {
    rma_part mine;
    mine.element_bytes = p.type->bytes;
    mine.unit = p.unit;
    mine.offset = joined.offset;
    mine.bytes = p.how == rma_memory::dynamic ? 0 : p.bytes;
    const auto fails = [&](errc why) {
      mine.why = static_cast<std::int32_t>(why);
      return mine;
    };
    if (asks_too_much(p)) {
      mine.too_many = 1;
      mine.bytes = p.count;
      return fails(errc::argument);
    }
    if (!w.make_targets()) return fails(errc::no_resources);
    if (w.out_room < sizeof(rma::record) + 2 * p.type->bytes) return fails(errc::argument);
    const std::size_t control_bytes = rma::control_block::bytes(w.size);
    void* control = block(w, control_bytes, w.control_block);
    if (control == nullptr && card_lock<Stack>::reaches(w.e, w.e.self()))
      control = w.control_of_transport =
          from_transport(w, control_bytes, alignof(rma::control_block));
    if (control == nullptr) control = w.control_owned = own(control_bytes);
    if (control == nullptr) return fails(errc::no_resources);
    std::memset(control, 0, control_bytes);
    w.control = rma::control_block::make(control);
    w.bytes = mine.bytes;
    w.base = static_cast<std::byte*>(p.base);
    if (p.how == rma_memory::given) check_readable(w.base, mine.bytes);
    const bool holds_all = p.how == rma_memory::joined && w.rank == 0;
    if (p.how == rma_memory::allocated || p.how == rma_memory::shared || holds_all) {
      const std::size_t n = greater<std::size_t>(holds_all ? joined.bytes : mine.bytes, 1);
      w.base = part_of(block(w, part_block_bytes(n, *p.type), w.memory_block), *p.type);
      if (w.base == nullptr && !holds_all && card_atomics<Stack>::suits(*p.type) &&
          card_atomics<Stack>::reaches(w.e, w.e.self(), p.type->bytes))
        w.memory_of_transport = w.base = from_transport(w, n, p.type->alignment);
      if (w.base == nullptr)
        w.memory_owned = w.base = static_cast<std::byte*>(own(n, p.type->alignment));
      if (w.base == nullptr) return fails(errc::no_resources);
      if (p.zeroes) std::memset(w.base, 0, n);
    }
    if (p.how == rma_memory::given &&
        reinterpret_cast<std::uintptr_t>(w.base) % p.type->alignment != 0)
      return fails(errc::argument);
    // From here on this rank sets its flag when it combines elements: see bulk_lock. No rank takes
    // the bulk lock yet.
    w.locks = {.words = w.control->elements,
               .base = w.base,
               .is_dead = &is_dead,
               .with = &w,
               .bulk = &w.control->bulk,
               .few_of = &few_of,
               .few = &w.control->few,
               .threads = endpoint<Stack>::concurrent};
    mine.barrier = os::has_blocks && platform::register_heavy_barrier() ? 1 : 0;
    mine.address = reinterpret_cast<std::uintptr_t>(w.base);
    mine.control_address = reinterpret_cast<std::uintptr_t>(control);
    mine.memory_block = w.memory_block;
    mine.control_block = w.control_block;
    if (os::has_rdma && !w.dynamic && mine.bytes != 0 && !os::shares_addresses &&
        p.how != rma_memory::joined)
      for (rank_t r = 0; r < w.size; ++r)
        if (exposes_to(w, p, r)) mine.exposes = 1;
    if (os::shares_addresses && os::has_rdma && p.chosen == rma::protocol::rdma &&
        mine.bytes != 0 && !w.dynamic && p.how != rma_memory::joined)
      mine.exposes = 1;
    mine.card_locks = os::has_atomics && w.size > 1 ? 1 : 0;
    for (rank_t r = 0; r < w.size; ++r)
      if (r != w.rank && !card_lock<Stack>::reaches(w.e, w.peer_of(r))) mine.card_locks = 0;
    if (p.chosen != rma::protocol::automatic && p.chosen != rma::protocol::rdma)
      mine.card_locks = 0;
    const auto guard = os::lock(w.e);
    w.locks_held = os::windows_locked(w.e).add(w);
    return mine;
  }
  /// Offset of a rank's part in its block, which begins with a page. A processor takes a load that
  /// follows a store to the same offset of another page for a dependent one, and stalls (4K
  /// aliasing). Copies between page-aligned memory and large allocations, which malloc places 16
  /// bytes behind a page boundary, take up to 1.5 times as long for it.
  static constexpr std::size_t part_offset = 512;
  /// Returns where the part begins. The block is aligned to a cache line, at the same offset of a
  /// page in every mapping; greater alignments, which are less than a page, are added.
  static std::byte* part_of(void* block, const rma::element_type& type) noexcept {
    static_assert(rma::element_bytes_max <= 4096);  // No alignment is greater.
    if (block == nullptr) return nullptr;
    const auto at = reinterpret_cast<std::uintptr_t>(block) + part_offset;
    return static_cast<std::byte*>(block) + part_offset + (0 - at) % type.alignment;
  }
  static std::uint64_t part_block_bytes(std::uint64_t n, const rma::element_type& type) noexcept {
    return part_offset + n + (type.alignment > cache_line_bytes ? type.alignment : 0);
  }
  /// True if the transport allocates memory that the card prefers, where its atomic accesses need
  /// the least help.
  static constexpr bool has_card_memory =
      os::has_atomics && !os::has_blocks && RegisteredTransport<typename os::transport_type>;
  /// Allocates such memory; nullptr: none.
  static std::byte* from_transport([[maybe_unused]] state& w, [[maybe_unused]] std::size_t n,
                                   [[maybe_unused]] std::size_t alignment) noexcept {
    if constexpr (has_card_memory) {
      const auto guard = os::lock(w.e);
      try {
        auto* const p = static_cast<std::byte*>(
            w.e.transport().allocate(n, greater(alignment, cache_line_bytes)));
        return p;
      } catch (...) {  // Memory is out.
        return nullptr;
      }
    }
    return nullptr;
  }
  static void to_transport([[maybe_unused]] state& w, [[maybe_unused]] void* p,
                           [[maybe_unused]] std::size_t n) noexcept {
    if constexpr (has_card_memory) {
      const auto guard = os::lock(w.e);
      if (p != nullptr) w.e.transport().deallocate(p, n);
    }
  }
  static void* own(std::size_t n, std::size_t alignment = cache_line_bytes) noexcept {
    const std::size_t step = greater(alignment, cache_line_bytes);
    return platform::allocate_aligned((n + step - 1) / step * step, step);
  }
  /// Allocates a block that other ranks can map; nullptr: none.
  static void* block([[maybe_unused]] state& w, [[maybe_unused]] std::size_t n,
                     [[maybe_unused]] std::uint64_t& name) noexcept {
    if constexpr (os::has_blocks) {
      name = blocks::make(w.e, n);
      void* const at = blocks::at(w.e, w.e.self(), name, n);
      if (at == nullptr && name != 0) blocks::free(w.e, std::exchange(name, 0));
      return at;
    }
    return nullptr;
  }
  /// See element_locks.
  static bool is_dead(void* with, std::uint32_t who) noexcept {
    auto& w = *static_cast<state*>(with);
    os::check_locked(w.e);
    return static_cast<rank_t>(who) < w.size &&
           os::failure_locked(w.e, w.peer_of(static_cast<rank_t>(who))) != errc{};
  }

  /// Lets the other ranks reach this rank's lock by the transport's atomic accesses, and gets to
  /// reach theirs. Collective.
  /// Returns:    true if each other rank is reached so, and in no other way.
  static bool reach_locks([[maybe_unused]] state& w, [[maybe_unused]] std::error_code& ec,
                          [[maybe_unused]] std::source_location where) {
    bool all = false;
    if constexpr (os::has_atomics) {
      const auto n = static_cast<std::size_t>(w.size);
      std::vector<remote_memory> keys(n);
      static_assert(alignof(card_lock<Stack>) <= alignof(std::max_align_t));
      if (w.exposed_words.try_extend(n))
        w.card_locks =
            static_cast<card_lock<Stack>*>(platform::allocate(n * sizeof(card_lock<Stack>)));
      all = w.card_locks != nullptr;
      if (all) {
        for (std::size_t i = 0; i < n; ++i)
          ::new (&w.card_locks[i]) card_lock<Stack>(w, w.targets[i]);
        const std::span<std::byte> words(reinterpret_cast<std::byte*>(w.control),
                                         rma::control_block::bytes(w.size));
        for (rank_t r = 0; r < w.size; ++r)
          if (r != w.rank && w.targets[r].control == nullptr)
            keys[static_cast<std::size_t>(r)] = w.exposed_words[static_cast<std::size_t>(r)] =
                blocks_expose(w, r, words);
      }
      keys = w.comm.alltoall(keys, ec, where);
      for (rank_t r = 0; all && !ec && r < w.size; ++r) {
        w.card_locks[r].words = keys[static_cast<std::size_t>(r)];
        all = r == w.rank || keys[static_cast<std::size_t>(r)].key != 0;
      }
    }
    return all && !ec;
  }
  /// Maps the memory of the other ranks. `all` is the same at all ranks.
  static errc meet(state& w, const plan& p, const joint& joined, const std::vector<rma_part>& all,
                   std::source_location where) {
    bool exposes = false;
    const bool one_block = p.how == rma_memory::joined;
    std::byte* const whole = one_block ? joined_memory(w, p, joined, all[0]) : nullptr;
    for (rank_t r = 0; r < w.size; ++r) {
      const rma_part& part = all[static_cast<std::size_t>(r)];
      rma_target& t = w.targets[r];
      exposes = exposes || part.exposes != 0;
      t.bytes = part.bytes;
      t.elements = part.bytes / p.type->bytes;
      t.unit = part.unit;
      t.threads = t.stored = endpoint<Stack>::concurrent;
      const bool mine = r == w.rank;
      if (mine || os::shares_addresses) {
        t.base = reinterpret_cast<std::byte*>(part.address);
        t.control = reinterpret_cast<rma::control_block*>(part.control_address);
      } else if constexpr (os::has_blocks) {
        t.base =
            part_of(blocks::at(w.e, t.peer, part.memory_block,
                               part_block_bytes(greater<std::uint64_t>(part.bytes, 1), *p.type)),
                    *p.type);
        t.control = reinterpret_cast<rma::control_block*>(
            blocks::at(w.e, t.peer, part.control_block, rma::control_block::bytes(w.size)));
      }
      if (one_block) t.base = whole == nullptr ? nullptr : whole + part.offset;
      if (t.control == nullptr || w.dynamic) t.base = nullptr;  // Accesses need its element locks.
      if (t.control != nullptr) {
        t.locks = w.locks;
        t.locks.words = t.control->elements;
        t.locks.base = t.base;
        t.locks.bulk = &t.control->bulk;
      }
    }
    if (one_block) w.locks.base = w.base = w.targets[w.rank].base;
    errc why{};
    bool shares_words = os::has_blocks && w.size <= 64;
    bool reached = true;
    for (rank_t r = 0; r < w.size; ++r) {
      shares_words = shares_words && w.targets[r].control != nullptr;
      reached = reached && (w.targets[r].base != nullptr || w.targets[r].bytes == 0);
    }
    if constexpr (os::has_blocks) w.oversubscribed = blocks::oversubscribed(w.e);
    if (w.shared)
      for (rank_t r = 0; r < w.size; ++r)
        if (w.targets[r].base == nullptr) why = errc::argument;
    std::error_code ec;
    if constexpr (os::has_rdma) {
      if (exposes) {
        std::vector<remote_memory> keys(all.size());
        if (!w.exposed.try_extend(all.size())) why = errc::no_resources;
        for (std::size_t r = 0; r < w.exposed.size(); ++r)
          if (all[static_cast<std::size_t>(w.rank)].exposes != 0 &&
              exposes_to(w, p, static_cast<rank_t>(r)))
            keys[r] = w.exposed[r] = blocks_expose(w, static_cast<rank_t>(r),
                                                   {w.base, static_cast<std::size_t>(w.bytes)});
        keys = w.comm.alltoall(keys, ec, where);
        for (rank_t r = 0; !ec && r < w.size; ++r)
          w.targets[r].remote = keys[static_cast<std::size_t>(r)];
      }
    }
    bool card_locks = true;
    for (const rma_part& part : all) card_locks = card_locks && part.card_locks != 0;
    if (card_locks && !ec) card_locks = reach_locks(w, ec, where);
    // No rank uses what another rank failed to make.
    if (ec) return static_cast<errc>(ec.value());
    const int mine[] = {static_cast<int>(why),         shares_words ? 0 : 1,
                        reached && !w.dynamic ? 0 : 1, hears_all(w, all) ? 0 : 1,
                        combines_by_card(w) ? 0 : 1,   card_locks ? 0 : 1};
    int worst[6] = {};
    w.comm.allreduce(mine, worst, mpx::max, ec, where);
    w.shares_words = !ec && worst[1] == 0;
    w.all_reached = !ec && worst[2] == 0;
    const auto guard = os::lock(w.e);
    w.by_card = !ec && worst[4] == 0;
    if (ec || worst[5] != 0) platform::deallocate(std::exchange(w.card_locks, nullptr));
    for (rank_t r = 0; r < w.size; ++r)
      w.targets[r].by_card = w.by_card && w.targets[r].remote.key != 0;
    // The card does not ask for the bulk lock.
    if (!ec) use_bulk(w, worst[3] == 0 && !w.by_card);
    return ec ? static_cast<errc>(ec.value()) : static_cast<errc>(worst[0]);
  }
  /// Returns the memory of all ranks, which rank 0 holds; nullptr: not reached from here.
  static std::byte* joined_memory(state& w, const plan& p, const joint& joined,
                                  const rma_part& holder) noexcept {
    if (w.rank == 0) return w.base;
    if constexpr (os::shares_addresses) {
      return reinterpret_cast<std::byte*>(holder.address);
    } else if constexpr (os::has_blocks) {
      const std::uint64_t n = part_block_bytes(greater<std::uint64_t>(joined.bytes, 1), *p.type);
      return part_of(blocks::at(w.e, w.targets[0].peer, holder.memory_block, n), *p.type);
    }
    return nullptr;
  }
  /// True if this rank sees the flags of all ranks that may combine elements where it does: see
  /// bulk_lock.
  static bool hears_all(const state& w, const std::vector<rma_part>& all) noexcept {
    if constexpr (os::has_blocks) {
      for (rank_t r = 0; r < w.size; ++r) {
        const bool reached = w.targets[r].control != nullptr;
        if (all[static_cast<std::size_t>(r)].barrier == 0 || reached != is_near(w, r)) return false;
      }
    }
    return os::has_blocks;
  }
  /// True if this rank can combine single elements of all other ranks by the transport's atomic
  /// accesses. Ranks that combine elements of each other directly use a lock for many elements,
  /// which a card would not respect: then the program has to ask for the transport's way.
  static bool combines_by_card(const state& w) noexcept {
    if (w.dynamic || !card_atomics<Stack>::suits(*w.type)) return false;
    if (w.chosen != rma::protocol::automatic && w.chosen != rma::protocol::rdma) return false;
    for (rank_t r = 0; r < w.size; ++r) {
      const rma_target& t = w.targets[r];
      if (r == w.rank) continue;
      if (t.base != nullptr && w.chosen != rma::protocol::rdma) return false;
      if (t.bytes != 0 && t.base == nullptr &&
          (t.remote.key == 0 || !card_atomics<Stack>::reaches(w.e, t.peer, w.type->bytes)))
        return false;
    }
    return w.size > 1 && os::has_atomics;
  }
  static bool is_near([[maybe_unused]] const state& w, [[maybe_unused]] rank_t r) noexcept {
    if constexpr (NodeTransport<typename os::transport_type>)
      return blocks::node_of(w.e, w.peer_of(r)) == blocks::node_of(w.e, w.peer_of(w.rank));
    return true;
  }
  static platform::atomic<std::uint32_t>* few_of(void* with, std::uint32_t who) noexcept {
    rma::control_block* const c = static_cast<state*>(with)->targets[who].control;
    return c == nullptr ? nullptr : &c->few;
  }
  /// Enables or disables the bulk lock, as agreed by all ranks.
  static void use_bulk(state& w, bool yes) noexcept {
    const auto use = [&](rma::element_locks& locks) {
      locks.ranks = static_cast<std::uint32_t>(w.size);
      if (!yes) locks.bulk = nullptr;
    };
    for (rank_t r = 0; r < w.size; ++r) use(w.targets[r].locks);
    use(w.locks);
  }
  /// True if rank r may need this rank's memory exposed: nothing else lets it reach the memory, or
  /// the program has chosen the transport's put and get.
  static bool exposes_to(const state& w, const plan& p, rank_t r) noexcept {
    return w.memory_block == 0 || p.chosen == rma::protocol::rdma ||
           registers_for(w.e.transport(), w.peer_of(r));
  }
  static remote_memory blocks_expose(state& w, rank_t r, std::span<std::byte> what) noexcept {
    const auto guard = os::lock(w.e);
    return w.e.transport().expose(w.peer_of(r), what, true);
  }
};

}  // namespace mpx::inline v0::detail
