// SPDX-License-Identifier: BSL-1.0
#pragma once
// State of transport rdma for one peer: a ring in this rank's registered memory, which the peer
// writes, and a copy of the ring in the peer's memory, which this rank writes. Numbers that the
// peer sends are checked before they are used.

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

/// Unit in which rings are counted.
inline constexpr std::uint32_t block_bytes = 64;
/// Receives reserved for credit messages: see `link`.
inline constexpr std::uint32_t reserved_receives = 4;

/// Credit: receives and ring blocks of a peer that this side may use.
struct credit {
  std::uint32_t receives = 0;
  std::uint32_t blocks = 0;
};

/// Header of a packet in the ring. The payload follows and fills the last block but for `slack`
/// bytes. `word` holds the slack in 6 bits, then the returned receives in 10 bits and the returned
/// blocks in 16.
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
  /// Stores whole words, as the header was made: narrow stores that are loaded wide again are not
  /// forwarded and have to leave the store buffer first.
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

/// Encoding of the 32-bit immediates. A packet: 0, the low 14 bits of its number on this link, its
/// blocks. A credit message: 1, receives, blocks. A packet that arrives as a send: 2, the low 14
/// bits of its number.
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

/// Description of a side's ring, sent when it connects.
struct ring_offer {
  static constexpr std::uint64_t magic_word = 0x3261'6d64'7278'706d;
  std::uint64_t magic = magic_word;
  remote_memory ring;
  std::uint32_t blocks = 0;
  std::uint32_t receives = 0;  ///< For packets: the reserved ones are not counted.
};
static_assert(sizeof(ring_offer) <= nic_connect_bytes_max);

enum class link_state : std::uint8_t {
  idle,        ///< Not connected, without registered memory.
  connecting,  ///< The ring exists, and the peer is asked to connect.
  open,
  left,     ///< The peer has disconnected.
  lost,     ///< The connection broke, or the peer violated the protocol.
  dropped,  ///< This side has dropped the peer.
};

/// A composed packet in the copy of the peer's ring.
struct out_record {
  std::uint32_t at = 0;     ///< Its first block.
  std::uint32_t bytes = 0;  ///< Bytes to write from there.
  std::uint16_t blocks = 0;
  std::uint16_t room = 0;  ///< Its blocks and those skipped in front of it.
  std::uint16_t body = 0;  ///< 1 + the index of the piece that writes its payload; 0: none.
  bool body_posted = false;
  bool done = false;  ///< The card has finished reading it.
};

struct ready_tag {};
struct busy_tag {};
struct telling_tag {};

/// The link to one peer.
///
/// Packets. Packet k of a side lies in the peer's ring behind packet k - 1, contiguously: if the
/// end of the ring is too near, it begins at the front. It is composed at the same place in the
/// copy of that ring and written from there with an immediate; the receiver hands it to the sink in
/// place. It uses a receive and its blocks, and is posted only if the peer has granted both, so
/// that neither is ever missing. Both are returned once the packet was handed over: in the next
/// packet in the other direction, or by a credit message when half of either is owed.
///
/// If the card's short sends are fast, a packet that fits one is posted as a send: its block in the
/// ring stays unused, and it lies in the memory of the receive that it met (a slot) until it was
/// handed over. Order and credit are the same.
///
/// Credit messages use receives that are reserved for them. Each returns at least (n + 1) / 2 of n
/// receives or half of the blocks, and returned credit is used again only after it has arrived. So
/// at most four are under way, in any order of arrival.
struct link : mpx::detail::allocated,
              list_node<ready_tag>,
              list_node<busy_tag>,
              list_node<telling_tag> {
  explicit link(peer_id other) noexcept : peer(other) {}

  peer_id peer;
  link_state state = link_state::idle;
  bool is_ready = false;  ///< On the list of links with a packet to deliver.
  bool is_busy = false;   ///< On the list of links with something to post.
  bool telling = false;   ///< On the list of links whose end is to be reported.
  bool told = false;
  bool malformed = false;       ///< The end is reported as a protocol violation, else as a loss.
  bool refused_a_post = false;  ///< A post has returned `retry`.
  bool wants_ring = false;      ///< The peer has asked to connect, and there was no memory.
  bool wants_connect = false;   ///< The card returned errc::pending: connect again.
  bool disconnected = false;    ///< The card has reported `disconnected`.

  /// The peer's ring, this rank's copy of the ring there, and the slots.
  std::byte* memory = nullptr;
  nic_region region{};
  std::uint32_t ring_blocks = 0;
  std::uint32_t mask = 0;     // For indexing the tables by packet number.
  std::uint32_t granted = 0;  // Receives granted to the peer.

  // Outgoing packets.
  remote_memory there{};
  plain_array<out_record> out;  // Indexed by packet number.
  std::uint32_t out_at = 0;     // Block at which the next record begins.
  std::uint32_t composed = 0;   // Number of the next packet to compose.
  std::uint32_t posted = 0;
  std::uint32_t completed = 0;   // All packets below this number are done.
  std::uint32_t free_there = 0;  // Free blocks of the peer's ring.
  std::uint32_t free_here = 0;
  std::uint32_t receives = 0;      // Receives at the peer that may be used now,
  std::uint32_t receives_max = 0;  // and in all.

  // Incoming packets. For each, by number: its blocks, or in_slot | its slot; 0: not arrived.
  plain_array<std::uint16_t> in;
  std::uint32_t in_at = 0;
  std::uint32_t taken = 0;  // Number of the next packet to hand over.
  credit owed{};
  credit much{};                     // Thresholds at which credit is returned.
  std::uint32_t receives_due = 0;    // Used receives to be posted again.
  plain_array<std::uint16_t> slots;  // The slots of these receives.

  // Puts that carry a packet, in the order of their calls: other packets wait until theirs have
  // left.
  std::uint32_t carriers = 0;      // Puts begun, in all.
  std::uint32_t carriers_out = 0;  // Of these, puts whose packet has left or never will.
  std::uint64_t full_in_look = 0;  // The last look at transfers in which the card was full.

  bool up() const noexcept { return state == link_state::open; }
  bool over() const noexcept { return state > link_state::open; }
  /// True if a packet was posted that the card has not finished.
  bool has_unsent() const noexcept {
    return !over() && (completed != composed || carriers != carriers_out);
  }
  /// True if a new packet has to wait behind others.
  bool queues() const noexcept { return posted != composed || carriers != carriers_out; }
  /// True if a packet of one block may be posted, with no earlier one pending.
  [[gnu::always_inline]] bool may_post_small() const noexcept {
    return up() && completed == composed && carriers == carriers_out && receives != 0 &&
           free_there != 0;
  }
  /// True if a packet of one block may be posted, possibly with earlier ones pending at the card.
  bool has_room_for_one() const noexcept {
    return posted == composed && receives != 0 && free_there != 0 && free_here != 0 &&
           composed - completed <= mask;
  }
  std::byte* copy() const noexcept { return memory + std::size_t{ring_blocks} * block_bytes; }
  std::byte* slot(std::uint32_t i) const noexcept {
    return memory + (2 * std::size_t{ring_blocks} + i) * block_bytes;
  }
  out_record& record(std::uint32_t number) noexcept { return out[number & mask]; }

  /// Allocates the tables for a ring of `blocks` and `n` receives. Returns false if memory is out.
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

  /// Reads the peer's ring_offer. Returns false if it does not fit this side's ring.
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

  /// Reserves a record of `n` blocks, to be filled by fill(). Returns nullptr if there is no room.
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
  /// Writes the header and payload of a record. `body`: 1 + the index of the piece that writes the
  /// payload; 0: it is copied here.
  void fill(out_record& r, const frame_header& header, std::span<const std::byte> payload,
            std::uint16_t body) noexcept {
    std::byte* const at = place(r);
    const std::size_t used = sizeof(record_head) + payload.size();
    // The slack only; stamp() adds the credit when the packet is posted.
    const std::uint32_t word = r.blocks * block_bytes - static_cast<std::uint32_t>(used);
    record_head::write(at, word, header);
    r.bytes = static_cast<std::uint32_t>(used);
    r.body = body;
    if (body != 0) {
      r.bytes = sizeof(record_head);
    } else if (payload.size() == 8) {  // The most frequent size: no call.
      std::memcpy(at + sizeof(record_head), payload.data(), 8);
    } else if (!payload.empty()) {
      std::memcpy(at + sizeof(record_head), payload.data(), payload.size());
    }
  }
  /// Undoes the last compose(). Requires: posted != composed.
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
  /// Accounts for a one-block packet that was posted from where the next record begins. Requires:
  /// may_post_small().
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
  /// Marks record `number` as done by the card. Returns false if no such record is pending.
  bool finish(std::uint32_t number) noexcept {
    if (number - completed >= posted - completed || record(number).done) return false;
    record(number).done = true;
    free_finished();
    return true;
  }
  void free_finished() noexcept {
    while (completed != posted && record(completed).done) free_here += record(completed++).room;
  }
  /// The credit to return with the next message to the peer; call gave() once it was posted.
  /// Receives that still have to be posted again are not included.
  [[gnu::always_inline]] credit to_give() const noexcept {
    if (owed.receives <= receives_due) return {};
    const std::uint32_t n = owed.receives - receives_due;
    return {n < record_head::receives_max ? n : record_head::receives_max, owed.blocks};
  }
  /// Writes to_give() into the header of a packet that is posted next, and returns it.
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
  /// Accounts for the next record, which was posted with credit `c`.
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
  /// Records a packet that arrived as a write. Returns false if it is invalid.
  bool arrived(std::uint32_t number_low, std::uint32_t blocks, std::uint32_t blocks_max) noexcept {
    const std::uint32_t ahead = (number_low - taken) % notice::numbers;
    if (ahead >= granted || blocks == 0 || blocks > blocks_max) return false;
    std::uint16_t& place = in[(taken + ahead) & mask];
    if (place != 0) return false;
    place = static_cast<std::uint16_t>(blocks);
    return true;
  }
  /// Records a packet that arrived as a send, in slot `i`. Returns false if it is invalid.
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
    std::uint32_t room = 0;  // 0: the packet is invalid.
  };
  /// The next packet to hand over. Its credit is for got(); call took() once it was handed over.
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
    // The peer's unreturned blocks must fit the ring.
    if (used < sizeof head || owed.blocks + blocks + skipped > ring_blocks || !may_get(returned))
      return {};
    return {head.header, {at + sizeof head, used - sizeof head}, returned, blocks + skipped};
  }
  /// The next packet's header and position if it is one valid block, else nullptr. `used`: the
  /// bytes of header and payload.
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
