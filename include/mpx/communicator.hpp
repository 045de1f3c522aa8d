// SPDX-License-Identifier: BSL-1.0
#pragma once
// The communicator: a group of ranks and a context of their own, with point-to-point in all modes
// and collectives. A light handle: copy it freely; the environment outlives it. This is the roof:
// it puts together what comm/ and coll/ have.

#include <concepts>
#include <source_location>
#include <span>

#include "mpx/coll/calls.hpp"
#include "mpx/coll/new_context.hpp"
#include "mpx/comm/collective_channel.hpp"
#include "mpx/comm/message.hpp"
#include "mpx/comm/mpi_names.hpp"
#include "mpx/comm/point_to_point.hpp"
#include "mpx/datatype/buffer.hpp"
#include "mpx/engine/wait_many.hpp"

namespace mpx::inline v0 {

namespace detail {

struct communicator_access;

}  // namespace detail

/// Ranks 0 .. size() - 1 that talk to each other and to nobody else.
///
/// How a call ends is its last argument: nothing (it throws mpx::error), a std::error_code, and
/// where it can be started mpx::start, mpx::prepare or a token (engine/forms.hpp).
/// `to` and `from` are ranks, or mpx::proc_null; receives also take mpx::any_source and
/// mpx::any_tag. Buffers are transferable values or contiguous ranges of them; a receive may be
/// longer than its message, and gets errc::truncate if it is shorter. Threads: as the stack's
/// thread model says.
template <class Stack = stack<>>
class communicator : public detail::point_to_point<Stack>,
                     public detail::mpi_names<communicator<Stack>>,
                     public detail::collectives<communicator<Stack>, Stack> {
  using base = detail::point_to_point<Stack>;
  using channel = detail::collective_channel<Stack>;

 public:
  using stack_type = Stack;                           ///< Its policies.
  using request_type = request<Stack>;                ///< What mpx::start gives.
  using persistent_type = persistent_request<Stack>;  ///< What mpx::prepare gives.
  using message_type = message<Stack>;                ///< What mprobe gives.

  using base::base;
  using base::rank;
  using base::size;

  /// Whether both are the same communicator, or copies of one handle. (A `dup` is another one.)
  friend bool operator==(const communicator& a, const communicator& b) noexcept {
    return a.endpoint_ == b.endpoint_ && a.context_ == b.context_;
  }

  /// A communicator of the same ranks whose messages never meet this one's. Collective.
  /// Returns: with `ec` set, this one. Errors: errc::communicator when rank 0 has led as many as it
  /// may; errc::peer_lost; errc::no_resources.
  template <class How = detail::throws_t>
  requires detail::BlockingForm<How>
  communicator dup(How&& how = {},
                   std::source_location where = std::source_location::current()) const
      noexcept(detail::is_code<How>) {
    channel c(*this, {"dup", where});
    context_id context = 0;
    errc why = coll::new_context(c, context);
    detail::communicator_state* const state = why == errc{} ? c.new_state() : nullptr;
    if (why == errc{} && state == nullptr) why = c.no_memory();
    if (!finish(c, why, how) || state == nullptr) return *this;
    return {*this->endpoint_, *state, context, rank(), size()};
  }

 private:
  friend detail::communicator_access;

  template <class How>
  static bool finish(const channel& c, errc why, How& how) {
    if constexpr (detail::is_code<How&>) {
      detail::store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      c.raise();
    }
    return why == errc{};
  }
};

namespace detail {

struct communicator_access {
  /// `comm`'s context for other ranks: those of `ranks`, of which this process is one. Every member
  /// makes it, with an equal group, and nobody uses `comm` any more. Errors: errc::no_resources.
  template <class Stack>
  static communicator<Stack> regroup(const communicator<Stack>& comm, group&& ranks) {
    communicator_state& state = comm.endpoint_->new_communicator_state();
    const rank_t rank = ranks.rank();
    const rank_t size = ranks.size();
    if (ranks.how() != group::kind::identity)
      state.ranks = state.own = new kept_group(std::move(ranks));
    return {*comm.endpoint_, state, comm.context_, rank, size};
  }
};

}  // namespace detail

}  // namespace mpx::inline v0
