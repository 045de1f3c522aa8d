// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators between two groups: each rank talks to those of the other group. Not in the
// umbrella.

#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include "mpx/comm/intercommunicator.hpp"
#include "mpx/communicator.hpp"

namespace mpx::inline v0 {

/// Says, in a broadcast across an intercommunicator, that this rank is the one that sends.
inline constexpr rank_t this_root = -3;

/// Two groups of ranks that talk to each other. A light handle: copy it freely.
///
/// In point-to-point calls `to` and `from` are ranks of the remote group; rank() is this process's
/// in the local one. Collectives across: both groups call them, in the same order.
/// Errors of those that are made here: errc::communicator, errc::peer_lost, errc::no_resources.
/// Source: MPI 4.1, 7.6.
template <class Stack = stack<>>
class intercommunicator : public detail::point_to_point<Stack>,
                          public detail::mpi_names<intercommunicator<Stack>> {
  using base = detail::point_to_point<Stack>;
  using site = std::source_location;

 public:
  using stack_type = Stack;                           ///< Its policies.
  using request_type = request<Stack>;                ///< What mpx::start gives.
  using persistent_type = persistent_request<Stack>;  ///< What mpx::prepare gives.
  using message_type = message<Stack>;                ///< What mprobe gives.

  /// Empty.
  intercommunicator() = default;
  /// Connects the groups of two communicators. Collective over both; `local_leader` is a rank of
  /// `local`, and both leaders are ranks of `peer`, where `remote_leader` is the other one's rank.
  /// `peer`, `remote_leader` and `tag` count at the leader; calls with other tags do not meet.
  /// Errors: errc::argument if the groups overlap; errc::rank, errc::tag.
  static intercommunicator connect(const communicator<Stack>& local, rank_t local_leader,
                                   const communicator<Stack>& peer, rank_t remote_leader,
                                   tag_t tag = 0, site where = site::current()) {
    intercommunicator made;
    made.local_ = local.dup({}, where);
    detail::between_header h;
    std::vector<peer_id> theirs;
    if (local_leader < 0 || local_leader >= local.size())
      h.why = static_cast<int>(errc::rank);
    else if (local.rank() == local_leader)
      h = detail::meet(peer, local.group(), remote_leader, tag, theirs);
    if (local_leader >= 0 && local_leader < local.size()) {
      made.local_.bcast(h, local_leader);
      if (h.why == 0) {
        theirs.resize(static_cast<std::size_t>(h.size));
        made.local_.bcast(theirs, local_leader);
      }
    }
    if (h.why != 0) {
      const errc why = static_cast<errc>(h.why);
      made.local_.free();
      throw error(why,
                  detail::formatted("connect on rank %d, tag %d%s", local.rank(), tag,
                                    why == errc::argument ? ": the groups overlap" : ""),
                  where);
    }
    made.open(h.context, group::table(std::span<const peer_id>(theirs), made.local_.group().self()),
              where);
    return made;
  }

  /// False of an empty one.
  explicit operator bool() const noexcept { return this->endpoint_ != nullptr; }
  /// Ranks of the local group.
  rank_t size() const noexcept { return local_.size(); }
  /// Ranks of the remote one.
  rank_t remote_size() const noexcept { return this->size_; }
  /// The group of rank().
  mpx::group group_here() const { return local_.group(); }
  /// The group that `to` and `from` name ranks of.
  mpx::group remote_group(site where = site::current()) const {
    this->check_exists(where);
    return this->state_->ranks->copy().numbered(proc_null);
  }
  /// A communicator of the local group, of its own.
  const communicator<Stack>& local() const noexcept { return local_; }

  /// The same groups; messages never meet this one's. Collective over both.
  intercommunicator dup(site where = site::current()) const {
    this->check_exists(where);
    intercommunicator made;
    made.local_ = local_.dup({}, where);
    detail::between_header h = agreed_context(false, where);
    made.open(h.context, this->state_->ranks->copy().numbered(proc_null), where);
    return made;
  }
  /// One communicator of both groups. The ranks of the group that says `high` come last; if both
  /// say the same, those come first whose rank 0 does in the world. Collective over both.
  communicator<Stack> merge(bool high, site where = site::current()) const {
    this->check_exists(where);
    const detail::between_header h = agreed_context(high, where);
    const mpx::group remote = remote_group(where);
    const mpx::group here = local_.group();
    const bool first = high == (h.size != 0) ? here.peer_of(0) < remote.peer_of(0) : !high;
    mpx::group all = first ? union_of(here, remote) : union_of(remote, here);
    const rank_t rank = all.rank();
    const rank_t size = all.size();
    detail::communicator_state* const s = this->endpoint_->with_communicators(
        [&](auto& of) { return of.make(h.context, std::move(all)); });
    if (s == nullptr) detail::throw_out_of_memory();
    return {*this->endpoint_, *s, h.context, rank, size};
  }

  // --- Collectives across ------------------------------------------------------------------------

  /// Returns when every rank of both groups has entered.
  void barrier(site where = site::current()) const {
    this->check_exists(where);
    local_.barrier({}, where);
    detail::between_header h;
    if (rank() == 0) h = swap_first(h);
    told(h, "barrier", where);
  }
  /// What `root` sends, a rank of the remote group; there, who sends says mpx::this_root, and the
  /// others mpx::proc_null. Requires: the same size everywhere. Errors: errc::root, errc::count.
  template <class B>
  requires ReceiveBuffer<B&&>
  void bcast(B&& buffer, rank_t root, site where = site::current()) const {
    this->check_exists(where);
    const tag_t tag = next_tag();
    const detail::own_messages<Stack> own(*this, true);
    const auto bytes = detail::writable_bytes_of(buffer);
    detail::between_header h;
    if (root == proc_null) return;
    if (root == this_root) {
      h.why = static_cast<int>(own.send(bytes, 0, tag));
    } else if (root < 0 || root >= remote_size()) {
      h.why = static_cast<int>(errc::root);
    } else {
      if (rank() == 0) h.why = static_cast<int>(own.receive(bytes, root, tag));
      local_.bcast(h, 0, {}, where);
      if (h.why == 0) local_.bcast(bytes, 0, {}, where);
    }
    if (h.why != 0) fail(static_cast<errc>(h.why), "bcast", where);
  }
  /// What `op` makes of the values of the remote group, in the order of its ranks.
  template <class T, class Op>
  requires Transferable<T>
  T allreduce(const T& value, Op op, site where = site::current()) const {
    this->check_exists(where);
    T mine = local_.reduce(value, op, 0, {}, where);
    return swapped(mine, "allreduce", where);
  }
  /// The values of the remote group, by its ranks.
  template <class T>
  requires Transferable<T>
  std::vector<T> allgather(const T& value, site where = site::current()) const {
    this->check_exists(where);
    const tag_t tag = next_tag();
    std::vector<T> mine(static_cast<std::size_t>(size()));
    std::vector<T> theirs(static_cast<std::size_t>(remote_size()));
    local_.gather(value, mine, 0, {}, where);
    detail::between_header h;
    if (rank() == 0)
      h.why = static_cast<int>(swap_bytes(std::as_bytes(std::span(mine)),
                                          std::as_writable_bytes(std::span(theirs)), tag));
    local_.bcast(h, 0, {}, where);
    if (h.why != 0) fail(static_cast<errc>(h.why), "allgather", where);
    local_.bcast(theirs, 0, {}, where);
    return theirs;
  }

  /// As communicator::free.
  void free(site where = site::current()) {
    this->check_exists(where);
    detail::free_communicator(*this->endpoint_, *this->state_);
    local_.free(where);
    *this = intercommunicator();
  }
  using base::rank;

 private:
  intercommunicator(const base& b, const communicator<Stack>& local) noexcept
      : base(b), local_(local) {}

  void open(context_id context, mpx::group&& remote, site where) {
    const detail::communicator_access<Stack> a(local_, where);
    const rank_t size = remote.size();
    detail::communicator_state* const s = a.at().with_communicators([&](auto& of) {
      mpx::group all = union_of(detail::group_of(a.at(), a.state()), remote);
      return of.make_between(context, std::move(remote).numbered(local_.rank()), std::move(all));
    });
    if (s == nullptr) detail::throw_out_of_memory();
    static_cast<base&>(*this) = base(a.at(), *s, context, local_.rank(), size);
  }
  tag_t next_tag() const noexcept {
    return static_cast<tag_t>(this->state_->agreements++ & 0x7fff'ffffu);
  }
  /// The groups' first ranks swap what they have. One sends first: what is long does not cross.
  errc swap_bytes(std::span<const std::byte> out, std::span<std::byte> in, tag_t tag) const {
    const detail::own_messages<Stack> own(*this, true);
    const bool first = this->endpoint_->self() < this->peer_of(0);
    errc why = first ? own.send(out, 0, tag) : own.receive(in, 0, tag);
    if (why == errc{}) why = first ? own.receive(in, 0, tag) : own.send(out, 0, tag);
    return why;
  }
  detail::between_header swap_first(const detail::between_header& mine) const {
    detail::between_header theirs;
    const errc why = swap_bytes(std::as_bytes(std::span(&mine, 1)),
                                std::as_writable_bytes(std::span(&theirs, 1)), next_tag_of_first());
    if (why != errc{}) theirs.why = static_cast<int>(why);
    return theirs;
  }
  tag_t next_tag_of_first() const noexcept { return next_tag(); }
  /// Rank 0 tells its group.
  void told(detail::between_header& h, const char* what, site where) const {
    if (rank() != 0) next_tag();
    local_.bcast(h, 0, {}, where);
    if (h.why != 0) fail(static_cast<errc>(h.why), what, where);
  }
  template <class T>
  T swapped(const T& mine, const char* what, site where) const {
    const tag_t tag = next_tag();
    struct {
      T value;
      int why;
    } got{mine, 0};
    if (rank() == 0)
      got.why = static_cast<int>(swap_bytes(std::as_bytes(std::span(&mine, 1)),
                                            std::as_writable_bytes(std::span(&got.value, 1)), tag));
    local_.bcast(got, 0, {}, where);
    if (got.why != 0) fail(static_cast<errc>(got.why), what, where);
    return got.value;
  }
  /// A context of both groups: of the two first ranks the lower one in the world takes it.
  /// `size` of what comes back: whether the other group is to be the high one.
  detail::between_header agreed_context(bool high, site where) const {
    detail::between_header h;
    if (rank() == 0) {
      h.size = high ? 1 : 0;
      const bool leads = this->endpoint_->self() < this->peer_of(0);
      errc none{};
      if (leads)
        h.context = this->endpoint_->with_communicators([&](auto& of) { return of.lead(none); });
      h.why = static_cast<int>(none);
      const detail::between_header mine = h;
      h = swap_first(mine);
      if (leads) h.context = mine.context;
      if (mine.why != 0) h.why = mine.why;
    }
    told(h, "a new context", where);
    return h;
  }
  [[noreturn, gnu::noinline, gnu::cold]] void fail(errc why, const char* what, site where) const {
    detail::raise_error(*this->endpoint_, this->state_,
                        error(why,
                              detail::formatted("%s on rank %d, intercommunicator %u", what, rank(),
                                                number_of(this->context_)),
                              where));
  }
  static constexpr context_id no_context = detail::no_context;

  communicator<Stack> local_;
};

}  // namespace mpx::inline v0
