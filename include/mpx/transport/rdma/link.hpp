// SPDX-License-Identifier: BSL-1.0
#pragma once
// What transport rdma keeps of a peer: a ring in this rank's registered memory that the peer
// writes, and a copy of the ring that this rank writes there. Nothing that a peer says is used
// before it is checked.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "mpx/core/frame.hpp"
#include "mpx/core/intrusive.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/types.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::transport::rdma_detail {

/// Rings are counted in blocks.
inline constexpr std::uint32_t block_bytes = 64;
/// Credit messages use receives of their own: see `link`.
inline constexpr std::uint32_t reserved_receives = 4;

/// What one side may use of the other's: receives, and blocks of the ring.
struct credit {
  std::uint32_t receives = 0;
  std::uint32_t blocks = 0;
};

/// What a packet begins with, in the ring: the payload follows, and fills the last block but for
/// `slack` bytes. Word: slack in 6 bits, then the credit that it returns in 10 and 16.
struct record_head {
  static constexpr std::uint32_t receives_max = 0x3ff;
  std::uint32_t word;
  frame_header header;

  static constexpr std::uint32_t pack(std::uint32_t slack, credit c) noexcept {
    return slack | c.receives << 6 | c.blocks << 16;
  }
  static constexpr std::uint32_t slack(std::uint32_t word) noexcept { return word & 0x3f; }
  static constexpr credit returned(std::uint32_t word) noexcept {
    return {word >> 6 & receives_max, word >> 16};
  }
  /// By words, as the header was made: what is stored small and loaded wide again is not at hand
  /// before it has left the store buffer.
  [[gnu::always_inline]] static void write(std::byte* at, std::uint32_t word,
                                           const frame_header& h) noexcept {
    const std::uint64_t words[3] = {word | std::uint64_t{h.word[0]} << 32,
                                    h.word[1] | std::uint64_t{h.word[2]} << 32,
                                    h.word[3] | std::uint64_t{h.word[4]} << 32};
    std::memcpy(at, &words[0], 8);
    std::memcpy(at + 8, &words[1], 8);
    std::memcpy(at + 16, &words[2], 8);
  }
};
static_assert(sizeof(record_head) == 24);

constexpr std::uint32_t blocks_for(std::size_t payload_bytes) noexcept {
  return static_cast<std::uint32_t>((sizeof(record_head) + payload_bytes + block_bytes - 1) /
                                    block_bytes);
}

/// The immediate of every notice. A packet's: 0, the low 14 bits of its number on this link, its
/// blocks. A credit message's: 1, receives, blocks. That of a packet that comes as a send: 2, the
/// same number.
struct notice {
  static constexpr std::uint32_t numbers = 1u << 14;
  static constexpr std::uint32_t packet(std::uint32_t number, std::uint32_t blocks) noexcept {
    return number % numbers << 16 | blocks;
  }
  static constexpr std::uint32_t credits(credit c) noexcept {
    return 1u << 30 | c.receives << 16 | c.blocks;
  }
  static constexpr std::uint32_t sent(std::uint32_t number) noexcept {
    return 2u << 30 | number % numbers << 16;
  }
  static constexpr std::uint32_t kind(std::uint32_t n) noexcept { return n >> 30; }
  static constexpr std::uint32_t middle(std::uint32_t n) noexcept { return n >> 16 & 0x3fff; }
  static constexpr std::uint32_t blocks(std::uint32_t n) noexcept { return n & 0xffff; }
};

/// What a side says of its ring when it connects.
struct ring_offer {
  static constexpr std::uint64_t magic_word = 0x3261'6d64'7278'706d;
  std::uint64_t magic = magic_word;
  remote_memory ring;
  std::uint32_t blocks = 0;
  std::uint32_t receives = 0;  ///< For packets: the reserved ones are not counted.
};
static_assert(sizeof(ring_offer) <= nic_connect_bytes_max);

enum class link_state : std::uint8_t {
  idle,        ///< Not connected, and without registered memory.
  connecting,  ///< With a ring.
  open,
  left,     ///< The peer has disconnected.
  lost,     ///< The connection broke, or the peer broke the rules.
  dropped,  ///< This side wants to hear no more.
};

/// A packet that has been composed.
struct out_record {
  std::uint32_t at = 0;     ///< Its first block.
  std::uint32_t bytes = 0;  ///< To write from there.
  std::uint16_t blocks = 0;
  std::uint16_t room = 0;  ///< With the blocks in front of it that were left out.
  std::uint16_t body = 0;  ///< The piece, + 1, that writes its payload from the user's memory.
  bool body_posted = false;
  bool done = false;  ///< The card does not read it any more.
};

struct ready_tag {};
struct busy_tag {};
struct telling_tag {};

/// One peer.
///
/// Packets. Packet k of a side lies in the peer's ring behind packet k - 1, in one piece: where the
/// end of the ring is too near, it begins at the front. It is composed in the copy of that ring, at
/// the same place, and written from there with an immediate; the receiver hands it over in place.
/// It uses a receive and its blocks, and leaves only while the peer has both: so neither is ever
/// missing. Both come back once it has been handed over, in
/// the next packet that goes the other way, or by a credit message when half of either is owed.
///
/// Where the card's short sends are fast, a packet that fits one goes as a send: its block stays
/// unused, and it lies in the memory of the receive that it met, a slot, until it has been handed
/// over. Nothing else is different: it takes its turn, and returns its credit.
///
/// Credit messages use receives too, which are reserved for them. Each returns (n + 1) / 2 of n
/// receives or half of the blocks at least, and what it returns is used again only after it has
/// come: so four at most are under way, in whatever order they arrive.
struct link : mpx::detail::allocated,
              list_node<ready_tag>,
              list_node<busy_tag>,
              list_node<telling_tag> {
  explicit link(peer_id other) noexcept : peer(other) {}

  peer_id peer;
  link_state state = link_state::idle;
  bool is_ready = false;  ///< On the list of those with a packet at hand.
  bool is_busy = false;   ///< On the list of those with something to post.
  bool telling = false;   ///< On the list of those whose end is to be told.
  bool told = false;
  bool malformed = false;       ///< That is what is told; else that it is lost, or nothing.
  bool refused_a_post = false;  ///< Somebody may be waiting to post.
  bool wants_ring = false;      ///< The peer has asked, and there was no memory.
  bool wants_connect = false;   ///< The card said: ask again.
  bool disconnected = false;    ///< The card knows nothing of it any more.

  /// The peer's ring here, this rank's copy of the one there, and the slots.
  std::byte* memory = nullptr;
  nic_region region{};
  std::uint32_t ring_blocks = 0;
  std::uint32_t mask = 0;     // Of the tables by number.
  std::uint32_t granted = 0;  // Receives that the peer may use here.

  // What goes out.
  remote_memory there{};
  plain_array<out_record> out;  // By number.
  std::uint32_t out_at = 0;     // Where the next record begins.
  std::uint32_t composed = 0;   // Numbers.
  std::uint32_t posted = 0;
  std::uint32_t completed = 0;   // All below are done.
  std::uint32_t free_there = 0;  // Blocks.
  std::uint32_t free_here = 0;
  std::uint32_t receives = 0;      // That may be used there,
  std::uint32_t receives_max = 0;  // of so many.

  // What comes in.
  // The blocks of each that has arrived, by number; or in_slot | its slot; 0: not yet.
  plain_array<std::uint16_t> in;
  std::uint32_t in_at = 0;
  std::uint32_t taken = 0;  // The number of the next to hand over.
  credit owed{};
  credit much{};                     // When it is time to return it.
  std::uint32_t receives_due = 0;    // Used, and to be posted again.
  plain_array<std::uint16_t> slots;  // Those of the receives that are due.

  // Puts that carry a packet, in the order of their calls: no other packet goes before theirs.
  std::uint32_t carriers = 0;      // Begun, ever.
  std::uint32_t carriers_out = 0;  // Of them, those whose packet has left, or will not.
  std::uint64_t full_in_look = 0;  // At transfers: the card took no piece for this peer in it.

  bool up() const noexcept { return state == link_state::open; }
  bool over() const noexcept { return state > link_state::open; }
  /// Whether the card has yet to take some of what was posted.
  bool has_unsent() const noexcept {
    return !over() && (completed != composed || carriers != carriers_out);
  }
  /// Whether no packet may be composed now: others go first.
  bool queues() const noexcept { return posted != composed || carriers != carriers_out; }
  /// Whether a packet of one block may leave, with nothing under way before it.
  [[gnu::always_inline]] bool may_post_small() const noexcept {
    return up() && completed == composed && carriers == carriers_out && receives != 0 &&
           free_there != 0;
  }
  /// The same, with some under way.
  bool has_room_for_one() const noexcept {
    return posted == composed && receives != 0 && free_there != 0 && free_here != 0 &&
           composed - completed <= mask;
  }
  std::byte* copy() const noexcept { return memory + std::size_t{ring_blocks} * block_bytes; }
  std::byte* slot(std::uint32_t i) const noexcept {
    return memory + (2 * std::size_t{ring_blocks} + i) * block_bytes;
  }
  out_record& record(std::uint32_t number) noexcept { return out[number & mask]; }

  /// Makes the tables for a ring of `blocks` and `n` receives. False: memory is out.
  bool make_room(std::uint32_t blocks, std::uint32_t n, bool has_slots) noexcept {
    const std::uint32_t places = std::bit_ceil(n);
    if (!out.try_extend(places) || !in.try_extend(places)) return false;
    if (has_slots && !slots.try_extend(n + reserved_receives)) return false;
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::uint16_t>(i);
    mask = places - 1;
    granted = n;
    much = {(n + 1) / 2, blocks / 2};
    ring_blocks = free_there = free_here = blocks;
    return true;
  }

  /// What the peer says of its ring. False: this is not for such a one.
  bool accept(std::span<const std::byte> said) noexcept {
    ring_offer offer;
    if (said.size() != sizeof offer) return false;
    std::memcpy(&offer, said.data(), sizeof offer);
    if (offer.magic != ring_offer::magic_word || offer.blocks != ring_blocks ||
        offer.receives == 0 || offer.receives > record_head::receives_max)
      return false;
    there = offer.ring;
    receives = receives_max = offer.receives;
    return true;
  }

  // --- Composing -------------------------------------------------------------------------------

  /// A record of `n` blocks, whose head and payload are to be filled in; nullptr: there is no room.
  out_record* compose(std::uint32_t n) noexcept {
    const std::uint32_t skipped = out_at + n > ring_blocks ? ring_blocks - out_at : 0;
    const std::uint32_t room = n + skipped;
    if (room > free_there || room > free_here || composed - completed > mask) return nullptr;
    free_there -= room;
    free_here -= room;
    out_record& r = record(composed++);
    r = {.at = skipped != 0 ? 0 : out_at,
         .blocks = static_cast<std::uint16_t>(n),
         .room = static_cast<std::uint16_t>(room)};
    out_at = r.at + n;
    if (out_at == ring_blocks) out_at = 0;
    return &r;
  }
  /// `body`: the piece, + 1, that writes the payload; 0: it is copied here.
  void fill(out_record& r, const frame_header& header, std::span<const std::byte> payload,
            std::uint16_t body) noexcept {
    std::byte* const at = place(r);
    const std::size_t used = sizeof(record_head) + payload.size();
    // The slack; what credit it returns is known when it leaves.
    const std::uint32_t word = r.blocks * block_bytes - static_cast<std::uint32_t>(used);
    record_head::write(at, word, header);
    r.bytes = static_cast<std::uint32_t>(used);
    r.body = body;
    if (body != 0) {
      r.bytes = sizeof(record_head);
    } else if (payload.size() == 8) {  // The commonest, without a call.
      std::memcpy(at + sizeof(record_head), payload.data(), 8);
    } else if (!payload.empty()) {
      std::memcpy(at + sizeof(record_head), payload.data(), payload.size());
    }
  }
  /// The last record has not left, and is not to. Requires: posted != composed.
  void forget_last() noexcept {
    const out_record& r = record(--composed);
    free_there += r.room;
    free_here += r.room;
    const std::uint32_t skipped = r.room - std::uint32_t{r.blocks};
    out_at = skipped != 0 ? ring_blocks - skipped : r.at;
  }
  std::byte* place(const out_record& r) const noexcept {
    return copy() + std::size_t{r.at} * block_bytes;
  }
  /// A packet of one block has left from where the next record begins. Requires: may_post_small().
  [[gnu::always_inline]] void posted_small(std::uint32_t bytes, bool done) noexcept {
    const std::uint32_t number = composed;
    composed = posted = number + 1;
    --receives;
    --free_there;
    if (done) [[likely]] {
      completed = composed;
    } else {
      record(number) = {.at = out_at, .bytes = bytes, .blocks = 1, .room = 1};
      --free_here;
    }
    if (++out_at == ring_blocks) out_at = 0;
  }
  /// The card is done with record `number`. False: there is none such.
  bool finish(std::uint32_t number) noexcept {
    if (number - completed >= posted - completed || record(number).done) return false;
    record(number).done = true;
    free_finished();
    return true;
  }
  void free_finished() noexcept {
    while (completed != posted && record(completed).done) free_here += record(completed++).room;
  }
  /// The credit for the next message to the peer; `gave` says that it has left. Receives that have
  /// yet to be posted again are not given.
  [[gnu::always_inline]] credit to_give() const noexcept {
    if (owed.receives <= receives_due) return {};
    const std::uint32_t n = owed.receives - receives_due;
    return {n < record_head::receives_max ? n : record_head::receives_max, owed.blocks};
  }
  /// Writes that credit into the head of a packet that is about to leave, and returns it.
  credit stamp(std::byte* at) const noexcept {
    const credit c = to_give();
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    word = record_head::pack(record_head::slack(word), c);
    std::memcpy(at, &word, sizeof word);
    return c;
  }
  void gave(credit c) noexcept {
    owed.receives -= c.receives;
    owed.blocks -= c.blocks;
  }
  /// The next record has left, with that credit.
  void posted_next(credit c) noexcept {
    gave(c);
    ++posted;
    --receives;
  }
  bool owes_much() const noexcept {
    return owed.receives >= much.receives || owed.blocks >= much.blocks;
  }

  // --- Taking; each returns false if the peer broke the rules ------------------------------------

  bool may_get(credit c) const noexcept {
    return c.receives <= receives_max - receives && c.blocks <= ring_blocks - free_there;
  }
  /// Requires: may_get(c).
  void got(credit c) noexcept {
    receives += c.receives;
    free_there += c.blocks;
  }
  bool arrived(std::uint32_t number_low, std::uint32_t blocks, std::uint32_t blocks_max) noexcept {
    const std::uint32_t ahead = (number_low - taken) % notice::numbers;
    if (ahead >= granted || blocks == 0 || blocks > blocks_max) return false;
    std::uint16_t& place = in[(taken + ahead) & mask];
    if (place != 0) return false;
    place = static_cast<std::uint16_t>(blocks);
    return true;
  }
  /// The same for one that came as a send.
  bool arrived_in(std::uint32_t i, std::uint32_t number_low, std::uint32_t bytes) noexcept {
    const std::uint32_t ahead = (number_low - taken) % notice::numbers;
    std::uint16_t& place = in[(taken + ahead) & mask];
    if (ahead >= granted || place != 0) return false;
    std::uint32_t word;
    std::memcpy(&word, slot(i), sizeof word);
    if (bytes < sizeof(record_head) || bytes != block_bytes - record_head::slack(word))
      return false;
    place = static_cast<std::uint16_t>(in_slot | i);
    return true;
  }
  bool has_packet() noexcept { return in.size() != 0 && in[taken & mask] != 0; }

  struct packet {
    frame_header header;
    std::span<const std::byte> payload;
    credit returned{};
    std::uint32_t room = 0;  // 0: it makes no sense.
  };
  /// The packet at hand, whose credit is for `got`; `took` says that it has been handed over.
  /// Requires: has_packet().
  packet next() noexcept {
    const std::uint32_t is = in[taken & mask];
    const std::uint32_t blocks = is >= in_slot ? 1 : is;
    const std::uint32_t skipped = in_at + blocks > ring_blocks ? ring_blocks - in_at : 0;
    const std::byte* const at = is >= in_slot
                                    ? slot(is - in_slot)
                                    : memory + std::size_t{skipped != 0 ? 0 : in_at} * block_bytes;
    record_head head;
    std::memcpy(&head, at, sizeof head);
    const std::size_t used = std::size_t{blocks} * block_bytes - record_head::slack(head.word);
    const credit returned = record_head::returned(head.word);
    // What is under way of the peer's ring fits into it.
    if (used < sizeof head || owed.blocks + blocks + skipped > ring_blocks || !may_get(returned))
      return {};
    return {head.header, {at + sizeof head, used - sizeof head}, returned, blocks + skipped};
  }
  /// The same, if the packet at hand is one block and makes sense; else nullptr.
  [[gnu::always_inline]] const std::byte* next_small(record_head& head,
                                                     std::size_t& used) noexcept {
    const std::uint32_t is = in[taken & mask];
    if (is != 1 && is < in_slot) return nullptr;
    const std::byte* const at =
        is >= in_slot ? slot(is - in_slot) : memory + std::size_t{in_at} * block_bytes;
    std::memcpy(&head, at, sizeof head);
    used = block_bytes - record_head::slack(head.word);
    if (used < sizeof head || owed.blocks >= ring_blocks ||
        !may_get(record_head::returned(head.word))) [[unlikely]]
      return nullptr;
    return at;
  }
  [[gnu::always_inline]] void took_small() noexcept {
    if (++in_at == ring_blocks) in_at = 0;
    took_next();
    ++owed.blocks;
  }
  void took(const packet& p) noexcept {
    in_at += p.room;
    if (in_at >= ring_blocks) in_at -= ring_blocks;
    took_next();
    owed.blocks += p.room;
  }

 private:
  static constexpr std::uint32_t in_slot = 1u << 15;

  [[gnu::always_inline]] void took_next() noexcept {
    const std::uint32_t is = std::exchange(in[taken++ & mask], std::uint16_t{0});
    if (is >= in_slot) slots[receives_due++] = static_cast<std::uint16_t>(is - in_slot);
    ++owed.receives;
  }
};

}  // namespace mpx::inline v0::transport::rdma_detail
