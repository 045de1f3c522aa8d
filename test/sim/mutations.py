# SPDX-License-Identifier: BSL-1.0
"""Faults to plant in the engine, one at a time: the explorer must find every one of them.

Each is (name, header below include/mpx/, text that occurs in it once, what replaces it).
"""

FINISH = "engine/detail/endpoint_finish.hpp"
SEND = "engine/detail/endpoint_send.hpp"
RECEIVE = "engine/detail/endpoint_receive.hpp"
CONTROL = "engine/detail/endpoint_control.hpp"
ENDPOINT = "engine/endpoint.hpp"

MUTATIONS = [
    # Flow control.
    ("credit is lost: a block of each message is never given back", "flow/credits.hpp",
     "p.released += blocks(bytes);", "p.released += blocks(bytes) - 1;"),
    ("credit is given back twice", "flow/credits.hpp",
     "p.released += blocks(bytes);", "p.released += 2 * blocks(bytes);"),
    ("credit is not returned when a packet was not posted", SEND,
     "    flow_.restore(op.peer, op.bytes);\n    return false;", "    return false;"),
    ("the peer is never told of its credit", SEND,
     "  if (post(peer, {.kind = wire::kind::credit}, {}) == outcome::done) {", "  if (true) {"),
    ("a blocked receiver lets no more announcements in", FINISH,
     "  while (!stalled_.empty()) {", "  while (false) {"),
    ("off by one: a sender announces a message too many", SEND,
     "if (l.announced >= l.allowance) return false;", "if (l.announced > l.allowance) return false;"),
    # Matching.
    ("wrong sequence comparison: a later wildcard goes first", "matching/hashed.hpp",
     "hit->sequence < w.sequence", "hit->sequence > w.sequence"),
    ("a wildcard receive takes the newest message", "matching/hashed.hpp",
     "    arrivals_.push_back(m);\n", "    arrivals_.push_front(m);\n"),
    ("late unexpected queue: an early message meets no later receive", RECEIVE,
     "  if (unexpected_message* m = matcher_.match_receive(op->want); m != nullptr) [[unlikely]] {",
     "  if (unexpected_message* m = matcher_.match_receive(op->want); m != nullptr && m->is.tag != 2) {"),
    ("an announcement meets no posted receive", CONTROL,
     "if (posted_receive* r = matcher_.match_arrival(m.is); r != nullptr) {",
     "if (posted_receive* r = matcher_.match_arrival(m.is); r != nullptr && m.bytes != 1024) {"),
    ("a cancelled receive stays posted", FINISH,
     "  matcher_.cancel(op);\n  op.cancelled = true;", "  op.cancelled = true;"),
    # Order.
    ("a send overtakes those that wait", ENDPOINT,
     "return l == nullptr || (l->backlog.empty() && l->failure == errc{});",
     "return l == nullptr || l->failure == errc{};"),
    ("the last of the waiting sends goes first", SEND,
     "  l.backlog.push_back(*op);", "  l.backlog.push_front(*op);"),
    # Protocol.
    ("off by one: a message is short up to a byte over the threshold", ENDPOINT,
     "bytes > protocol_.short_bytes_max();", "bytes > protocol_.short_bytes_max() + 1;"),
    ("off by one: the last fragment is a byte short", SEND,
     "    op.moved += n;\n", "    op.moved += n + (op.moved + n + 1 == op.limit);\n"),
    ("a long message may be longer than its receive", CONTROL,
     "op.limit = lesser<std::uint64_t>(m.bytes, op.bytes);", "op.limit = m.bytes;"),
    ("a truncated message is reported as whole", RECEIVE,
     "return n < payload.size() ? errc::truncate : errc{};", "return errc{};"),
    ("a synchronous send does not wait", SEND,
     "  if (op.flags == 0) {\n    finish(op, errc{});", "  if (op.flags != 9) {\n    finish(op, errc{});"),
    ("an early synchronous message is never acknowledged", RECEIVE,
     "  if (synchronous) answer(source, {.kind = wire::kind::matched, .ticket = ticket});\n", ""),
    ("a ready send that came too early is not told", RECEIVE,
     "  answer(source, {.kind = wire::kind::unready, .ticket = h.ticket});\n", ""),
    ("an answer that does not fit the channel is dropped", SEND,
     "  l.control.push_back(*op);\n", "  if (h.ticket % 3 == 0) return give(*op);\n  l.control.push_back(*op);\n"),
    ("what waits for room is not sent when there is some", SEND,
     "  busy_.push_back(l);\n", ""),
    ("a put is never announced as delivered", CONTROL,
     "      return receive_done(*op, h.kind);\n    }\n    case",
     "      return;\n    }\n    case"),
    # Requests.
    ("a dropped send keeps the user's buffer", FINISH,
     "    op.buffer = op.owned;\n", ""),
    ("a dropped send's buffer can still be fetched from", FINISH,
     "    if (!withdraw(op)) return false;\n    // Without", "    // Without"),
    ("a dropped receive's buffer can still be stored to", FINISH,
     "    if (!withdraw(op)) return false;\n    op.buffer = nullptr;", "    op.buffer = nullptr;"),
    ("a buffer is given back while a network card is at it", FINISH,
     "  if (op.pending) return false;\n", ""),
    ("memory that has been taken back counts as open when its word is used again",
     "transport/detail/exposures.hpp", "return version << version_shift | open;", "return open;"),
    ("wait_any names the wrong request", "engine/wait_many.hpp",
     "      if (auto s = r.test(how)) return completion{i, *s};",
     "      if (auto s = r.test(how)) return completion{0, *s};"),
    # Waiting and failures.
    ("missed wake-up: a rank sleeps although it has news", FINISH,
     "      if (done()) break;  // Its peer is lost", "      // Its peer is lost"),
    ("a death ends nothing that waits for it", FINISH,
     "      fail_peer_locked(peer, errc::peer_lost);\n", "      continue;\n"),
    ("receives from any source outlive a loss", FINISH,
     "    if (op.want.source != peer && op.want.source != any_peer) return;",
     "    if (op.want.source != peer) return;"),
    # Collectives.
    ("who gives a collective up tells nobody", FINISH,
     "  if (is_revoked(call) || orphaned()) return;", "  if (true) return;"),
    ("who gives a collective up ends the next one too", FINISH,
     "    if (r.context == call.context && r.serial == call.serial) return true;",
     "    if (r.context == call.context) return true;"),
    ("communicators share a context", "coll/algorithms.hpp",
     "    context = serial << 1;", "    context = serial == 0 ? 0 : 2;"),
    ("collectives share the context of messages", "comm/collective_channel.hpp",
     "    this->context_ |= 1;\n", ""),
    ("barrier lets a rank pass early", "coll/algorithms.hpp",
     "for (rank_t step = 1; step < n; step *= 2)", "for (rank_t step = 1; 2 * step < n; step *= 2)"),
]
