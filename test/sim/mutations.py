# SPDX-License-Identifier: BSL-1.0
"""Faults to plant in the engine, one at a time: the explorer must find every one of them.

Each is (name, header below include/mpx/, text that occurs in it once, what replaces it). Where a
fifth member follows, it is the file below test/ whose test cases find the fault: programs of the
explorer end too soon for it. A header "test/..." is the transport's own fault.
"""

ENDS = "engine/detail/endpoint_ends.hpp"
PEERS = "engine/rooms/peers.hpp"
OUTBOX = "engine/rooms/outbox.hpp"
INBOX = "engine/rooms/inbox.hpp"
MOVER = "engine/rooms/mover.hpp"
STORED = "engine/rooms/detail/inbox_stored.hpp"
PROGRESS = "engine/rooms/progress.hpp"
ENDPOINT = "engine/endpoint.hpp"
COLLECTIVES = "engine/detail/endpoint_collectives.hpp"
PACKETS = "engine/detail/endpoint_packets.hpp"
PLACED = "engine/rooms/detail/inbox_placed.hpp"
LATE = "test/transport/late.hpp"
LATE_TEST = "engine/late.test.cpp"
CHECKS_TEST = "sim/checks.test.cpp"
REVOCATIONS = "engine/revocations.hpp"
LAYOUTS = "coll/layouts.hpp"
SCHEDULES = "engine/detail/endpoint_schedules.hpp"

MUTATIONS = [
    # Flow control.
    ("credit is lost: a block of each message is never given back", "flow/credits.hpp",
     "p.released += blocks(bytes);", "p.released += blocks(bytes) - 1;"),
    ("credit is given back twice", "flow/credits.hpp",
     "p.released += blocks(bytes);", "p.released += 2 * blocks(bytes);"),
    ("credit is not returned when a packet was not posted", OUTBOX,
     "      house().flow().restore(op.peer, bytes);\n      return false;\n    }\n    return push_announcement",
     "      return false;\n    }\n    return push_announcement"),
    ("the peer is never told of its credit", OUTBOX,
     "    if (post(peer, {.kind = wire::kind::credit}, {}, nullptr)) {", "    if (true) {"),
    ("a blocked receiver lets no more announcements in", INBOX,
     "    while (peer_record* r = house().peers().next_stalled()) {",
     "    while (peer_record* r = nullptr) {"),
    ("off by one: a sender announces a message too many", OUTBOX,
     "if (r.announced_ >= r.allowance_) return false;", "if (r.announced_ > r.allowance_) return false;"),
    # Matching.
    ("wrong sequence comparison: a later wildcard goes first", "matching/hashed.hpp",
     "hit->want.sequence < w.want.sequence", "hit->want.sequence > w.want.sequence"),
    ("a wildcard receive takes the newest message", "matching/hashed.hpp",
     "    stored_.push_back(m);\n", "    stored_.push_front(m);\n"),
    ("late unexpected queue: an early message meets no later receive", INBOX,
     "    unexpected_message* const m = matcher_.match_receive(op.want);",
     "    unexpected_message* const m = op.want.tag() == 2 ? nullptr : matcher_.match_receive(op.want);"),
    ("an announcement meets no posted receive", INBOX,
     "if (posted_receive* met = matcher_.match_arrival(m.is); met != nullptr) {",
     "if (posted_receive* met = matcher_.match_arrival(m.is); met != nullptr && m.bytes != 1024) {"),
    ("a cancelled receive stays posted", INBOX,
     "    matcher_.cancel(op);\n    op.cancelled = true;", "    op.cancelled = true;"),
    # Order.
    ("a send overtakes those that wait", OUTBOX,
     "return r == nullptr || (r->backlog_.empty() && r->failure() == errc{});",
     "return r == nullptr || r->failure() == errc{};"),
    ("the last of the waiting sends goes first", OUTBOX,
     "    r.backlog_.push_back(*op);", "    r.backlog_.push_front(*op);"),
    # Protocol.
    ("off by one: a message is short up to a byte over the threshold", OUTBOX,
     "bytes > house().protocol().short_bytes_max();",
     "bytes > house().protocol().short_bytes_max() + 1;"),
    ("off by one: the last fragment is a byte short", MOVER,
     "      op.transferred += n;\n", "    op.transferred += n + (op.transferred + n + 1 == op.limit);\n"),
    ("a long message may be longer than its receive", MOVER,
     "op.limit = lesser<std::uint64_t>(m.bytes, op.data.bytes);", "op.limit = m.bytes;"),
    ("a truncated message is reported as whole", INBOX,
     "return n < payload.size() ? errc::truncate : errc{};", "return errc{};"),
    ("a synchronous send does not wait", OUTBOX,
     "    if (op.flags == 0) {\n      house().end(op, errc{});",
     "    if (op.flags != 9) {\n      house().end(op, errc{});"),
    ("an early synchronous message is never acknowledged", INBOX,
     "    if (synchronous)\n      house().outbox().answer(source, {.kind = wire::kind::matched, .ticket = ticket});\n",
     ""),
    ("a ready send that came too early is not told", INBOX,
     "    house().outbox().answer(r.peer, {.kind = wire::kind::unready, .ticket = h.ticket});\n", ""),
    ("an answer that does not fit the channel is dropped", OUTBOX,
     "    r.control_.push_back(op);\n",
     "    if (op.header.ticket % 3 == 0) return house().give(op);\n    r.control_.push_back(op);\n"),
    ("what waits for room is not sent when there is some", PEERS,
     "    busy_.push_back(r);\n", ""),
    ("a put is never announced as delivered", MOVER,
     "    receive_done(*op, wire::kind::delivered);\n", ""),
    # Requests.
    ("a dropped send keeps the user's buffer", ENDS,
     "    op.data.base = op.owned;\n", ""),
    ("a dropped send's buffer can still be fetched from", ENDS,
     "    if (!mover().withdraw(op)) return false;\n    if (op.pending", "    if (op.pending"),
    ("a dropped receive's buffer can still be stored to", ENDS,
     "    if (!mover().withdraw(op)) return false;\n    // The rest", "    // The rest"),
    ("a buffer is given back while a network card is at it", ENDS,
     "  if (op.copying) return false;\n", ""),
    ("memory that has been taken back counts as open when its word is used again",
     "transport/detail/exposures.hpp", "return version << version_shift | open;", "return open;"),
    ("wait_any names the wrong request", "engine/wait_many.hpp",
     "return completion{i, access::wait_as(r, {\"test_any\", where}, how)};",
     "return completion{0, access::wait_as(r, {\"test_any\", where}, how)};"),
    # Waiting and failures.
    ("missed wake-up: a rank sleeps although it has news", PROGRESS,
     "        if (done()) break;  // Its peer is lost", "        // Its peer is lost"),
    ("a death ends nothing that waits for it", PEERS,
     "        lose(peer, errc::peer_lost);\n", "        continue;\n"),
    ("receives from any source outlive a loss", INBOX,
     "    if (op.want.source != peer &&\n"
     "        (op.want.source != any_peer || !house().concerns(op.want.context(), peer)))\n      return;",
     "    if (op.want.source != peer) return;"),
    # Collectives.
    ("who gives a collective up tells nobody", COLLECTIVES,
     "  if (revocations_.contains(call) || orphaned()) return;", "  if (true) return;"),
    ("who gives a collective up ends the next one too", REVOCATIONS,
     "    if (r.context == call.context && r.serial == call.serial) return true;",
     "    if (r.context == call.context) return true;"),
    ("communicators share a context", "engine/contexts.hpp",
     "(upper << serial_bits_ | serial) << 1", "(upper << serial_bits_ | (serial != 0 ? 1 : 0)) << 1"),
    ("collectives share the context of messages", "comm/collective_channel.hpp",
     "    this->context_ |= 1;\n", ""),
    ("barrier lets a rank pass early", "coll/barrier.hpp",
     "for (rank_t step = 1; step < n; step *= 2)", "for (rank_t step = 1; 2 * step < n; step *= 2)"),
    # Posts that are pending.
    ("a completion is not counted", PACKETS, "  --op->pending;\n", ""),
    ("the last completion does not end what is closing", PACKETS,
     "    return finish(*op, op->failure);\n", "    return;\n"),
    ("an operation ends before its completion", ENDPOINT,
     "    if (op.pending == 0) return finish(op, failure);\n", "    return finish(op, failure);\n"),
    ("a packet's completion counts as a copy's", PACKETS,
     "== cookie_kind::copy;\n", "!= cookie_kind::copy;\n"),
    ("a completion twice is counted twice", PACKETS,
     "op == nullptr || op->pending == 0) return;", "op == nullptr) return;", LATE_TEST),
    ("more fragments are pending than are counted", OUTBOX,
     "    if (op != nullptr && op->pending == pending_max) return false;\n", "", LATE_TEST),
    ("a loss ends what the transport still reads", ENDS,
     "  if (op.pending != 0) {  // The transport", "  if (op.pending == 255) {  // The transport",
     LATE_TEST),
    ("what is pending with a lost peer is not ended", PEERS,
     "      if (r.failure_ != errc{}) house().forget_at_transport(r.peer);\n", "", LATE_TEST),
    ("a rank that fails leaves while an answer is pending", ENDS,
     "    return out && pace().at_rest();\n", "    return out;\n", LATE_TEST),
    ("a rank leaves with the others while an answer is pending", PROGRESS,
     "      if (n == 0 && at_rest()) break;\n", "      if (n == 0) break;\n", "sim/late.test.cpp"),
    # Bodies that are placed.
    ("a placed body goes to the next receive that matches", PACKETS,
     "    return r != nullptr && inbox().has_placed(*r);\n",
     "    return r != nullptr && inbox().has_placed(*r) && false;\n"),
    ("the place of a dropped receive is not taken back", PLACED,
     "  house().cancel_place(r.peer);\n", ""),
    ("the place of a dropped fragment is not taken back", MOVER,
     "    house().cancel_place(r.peer);  // Which takes the fragment for us.\n", ""),
    ("the credit of a dropped placed message is lost", PLACED,
     "  house().end(op, errc{});\n"
     "  released(r.peer, bytes);\n",
     "  house().end(op, errc{});\n", LATE_TEST),
    ("a dropped placed synchronous message is never acknowledged", PLACED,
     "  if (r.placed_flags_ != 0)\n", "  if (r.placed_flags_ == 9)\n"),
    ("bits are compared without what a receive ignores", "matching/concepts.hpp",
     "((b ^ bits) | ignore) == ignore", "(b ^ bits) == 0"),
    # What is hashed late, and what is due.
    ("a receive beyond the first few is in no table", "matching/hashed.hpp",
     "        exact_.insert(r);\n", "        if (last_sequence_ % 8 != 5) exact_.insert(r);\n"),
    ("a message taken without an operation keeps its credit", STORED,
     "  released(source, bytes);\n", ""),
    ("a piece of what is due is left out", MOVER,
     "    op.copied += piece_of(op);\n    if (op.copied < op.limit) return defer_rest(op);\n    fetched(op);",
     "    op.copied += piece_of(op) + 8;\n    if (op.copied < op.limit) return defer_rest(op);\n    fetched(op);"),
    ("what is due is not copied by who waits", "engine/rooms/outbox.hpp",
     "      sent += house().mover().move(r);  // Announcements and answers go first.\n", ""),
    ("a dropped receive that is due is copied all the same", "engine/detail/endpoint_ends.hpp",
     "      mover().drop_due(r, op);\n", "      op.holder = holder::nobody;\n"),
    # Collectives.
    ("a prefix leaves the nearest rank out", "coll/scan.hpp",
     "    if (me < distance) continue;\n", "    if (me <= distance) continue;\n"),
    ("the operands of an allreduce change places", "coll/allreduce.hpp",
     "combine_with(s, data, theirs, other < me, op);", "combine_with(s, data, theirs, other > me, op);"),
    ("a ring passes on the block before", "coll/allgather.hpp",
     "    s.start_send(block(i), right);", "    s.start_send(block(i > 0 ? i - 1 : 0), right);"),
    ("a pair exchanges another pair's block", "coll/alltoall.hpp",
     "    s.exchange(in[to], to, out[from], from);", "    s.exchange(in[from], to, out[from], from);"),
    ("a started collective has the serial of the one before", SCHEDULES,
     "p.state->collective_serial++ & 0x7fff'ffffu", "p.state->collective_serial++ & 0x7fff'fffeu"),
    ("what is posted ahead is waited for by nobody", SCHEDULES,
     "        parts = std::exchange(p.ahead, nullptr);\n", "        parts = nullptr;\n"),
    ("a persistent collective runs once", SCHEDULES, "    p.at = 0;\n", ""),
    ("messages of a collective that was left keep their credit", COLLECTIVES,
     "    discard_left(call);\n", "    (void)call;\n"),
    ("a split does not look at keys", "comm/detail/create.hpp",
     "return key != other.key ? key < other.key : rank < other.rank;", "return rank < other.rank;"),
    ("a split does not look at colors", "comm/detail/create.hpp",
     "if (all[i].color == color && color >= 0)", "if (color >= 0)"),
    # Across intercommunicators.
    ("a block across goes to a rank that does not take it", "coll/between.hpp",
     "((std::int64_t{b} + 1) * takers - 1) / blocks", "std::int64_t{b} * takers / blocks"),
    ("an allreduce across gives each group its own result", "coll/between.hpp",
     "      s.exchange(sum, of.across(0), out, of.across(0));\n", "      s.copy(out, sum);\n"),
    ("a merge does not look at who is high", "intercommunicator.hpp",
     "if (said == 1) {", "if (said == 3) {"),
    ("a part of an intercommunicator mixes its groups", "intercommunicator.hpp",
     "made.local_.rank() + (first ? 0 : there) : 0;", "made.local_.rank() : 0;"),
    ("a duplicate across tells the wrong group its context", "intercommunicator.hpp",
     "*plan, said_here, sides().here_first,", "*plan, said_here, 0,"),
    # Collective calls that are compared.
    ("who finds that calls differ gives the call up for all", SCHEDULES,
     "if (p.failure.of != cause::mismatch) e.give_up", "e.give_up", CHECKS_TEST),
    ("of calls that differ each rank tells those that it has heard of first", "coll/claims.hpp",
     "(other.told == 0 || c.before(other))", "other.told == 0", CHECKS_TEST),
    ("what pairs send is compared with nobody's word", "coll/compare_calls.hpp",
     "!a.received[r].fits(a.expected[r])", "!a.received[r].fits(a.received[r])", CHECKS_TEST),
    # Of buffers that layouts spread.
    ("each fragment of a spread message is its first", OUTBOX,
     "      op.data.read(offset, into);\n", "      op.data.read(0, into);\n"),
    ("a dropped send of what is spread is still read there", ENDS,
     "    if (op.owned == nullptr || !op.data.contiguous()) {", "    if (op.owned == nullptr) {"),
    ("a part of a spread message is unpacked where it begins", "coll/linear_layout.hpp",
     "how_->unpack(base_, static_cast<std::size_t>(at - origin()) + offset, from);",
     "how_->unpack(base_, offset, from);"),
    ("what is passed on is received into before it has gone", LAYOUTS,
     "    return i == n - 1 ? block : slice(room[i % 3], 0, block.bytes);",
     "    return i == n - 1 ? block : slice(room[i % 2], 0, block.bytes);"),
    # Of the transport, against its contract.
    ("the transport loses a completion", LATE,
     "  fault planted = fault::none;", "  fault planted = fault::lose_completion;"),
    ("the transport writes to a place that was taken back", LATE,
     "    from.cancelled = true;\n    from.place = {};\n", ""),
]
