// SPDX-License-Identifier: BSL-1.0
#pragma once
// Descriptions of calls and operations for the texts of errors.

#include <cstddef>
#include <source_location>
#include <string>

#include "mpx/core/group.hpp"
#include "mpx/engine/axes/checks.hpp"
#include "mpx/engine/base/calls.hpp"
#include "mpx/engine/base/operation.hpp"
#include "mpx/engine/endpoint/compound.hpp"
#include "mpx/engine/endpoint/schedule.hpp"

namespace mpx::inline v0::detail {

/// A send, receive or probe that has failed.
struct failed_call {
  errc why{};
  const char* what = nullptr;       // Name of the call.
  const char* direction = nullptr;  // " to rank " or " from rank ".
  rank_t other = proc_null;
  tag_t tag = 0;
  std::size_t bytes = 0;
  std::size_t got = 0;  // Length of the message, if it does not fit.
  rank_t rank = proc_null;
  rank_t size = 0;
  context_id context = no_context;
  const communicator_state* of = nullptr;
  type_code sent = 0;  // These two, if the types differ.
  type_code expected = 0;
};

inline rank_t rank_of(peer_id peer, const group* ranks) noexcept {
  return ranks == nullptr ? world_rank(peer) : ranks->rank_of(peer);
}

/// Describes a call for the text of an error: "irecv on rank 1 from rank any, tag 7, communicator
/// 0, 8 bytes". If ranks are not those of the world: "rank 1 (world rank 5)".
inline std::string describe(const char* what, rank_t self, const char* direction, rank_t other,
                            tag_t tag, context_id context, std::size_t bytes,
                            const group* ranks = nullptr, const char* name = nullptr) {
  std::string s = formatted("%s on rank %d%s", what, self, direction);
  if (other == any_source) {
    append(s, "any");
  } else {
    append(s, "%d", other);
  }
  append(s, "%s", world_rank_text(ranks, other).c_str());
  if (tag == any_tag) {
    append(s, ", tag any");
  } else {
    append(s, ", tag %d", tag);
  }
  add_communicator(s, context, name);
  append(s, ", %zu bytes", bytes);
  return s;
}

inline const group* ranks_of(const operation& op) noexcept {
  return op.role == role::receive && op.flags == 0 ? nullptr : op.ranks;
}
inline void add_types(std::string& s, type_code sent, type_code expected) {
  append(s, " of %s for a message of %s", name_of_type(expected).c_str(),
         sent == 0 ? "another type" : name_of_type(sent).c_str());
}

inline std::string describe(const operation& op, peer_id self_peer, context_id context_mask,
                            const char* name) {
  const group* const ranks = ranks_of(op);
  const rank_t self = ranks == nullptr ? world_rank(self_peer) : ranks->rank();
  if (op.role == role::compound) {
    const compound& c = compound_of(op);
    if (c.more != nullptr) return c.more->describe();
    if (c.failed != nullptr && c.failed != &op)
      return describe(*c.failed, self_peer, context_mask, name);
    if (const schedule* const p = c.plan; p != nullptr)
      return describe(p->failure, p->name, self, p->size(), p->id(), ranks, name);
    return formatted("a generalized operation on rank %d", self);
  }
  const bool receive = op.role == role::receive;
  std::string s = describe(receive ? "receive" : "send", self,
                           receive ? " from rank " : " to rank ", rank_of(op.peer, ranks), op.tag,
                           (receive ? op.want.context() : op.context) & context_mask, op.data.bytes,
                           ranks, name);
  if (receive && op.failure == errc::truncate)
    append(s, " of room for a message of %zu", op.message_bytes);
  if (receive && op.failure == errc::type)
    add_types(s, type_in(op.want.bits), type_in(op.want.ignore));
  return s;
}
/// The peer whose loss made `op` fail, or null_peer.
inline peer_id culprit(const operation& op) noexcept {
  if (op.role != role::compound) return op.peer;
  if (const schedule* const p = compound_of(op).plan; p != nullptr)
    return p->failure.names_lost() ? p->peer_of(p->failure.other) : null_peer;
  const operation* const failed = compound_of(op).failed;
  return failed == nullptr ? null_peer : culprit(*failed);
}

}  // namespace mpx::inline v0::detail
