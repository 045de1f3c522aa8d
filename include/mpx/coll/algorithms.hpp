// SPDX-License-Identifier: BSL-1.0
#pragma once
// The first collectives: correct for any number of ranks and any associative operation, in a
// logarithmic number of rounds. Each call has a context of its own and a serial number, so that
// nothing mixes.

#include <exception>
#include <span>
#include <string>
#include <utility>

#include "mpx/comm/communicator.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::coll {

/// What collectives of one communicator send and receive through: its collective context, with the
/// call's serial number as the tag.
template <class Comm>
class channel : public detail::point_to_point<typename Comm::stack_type> {
  using base = detail::point_to_point<typename Comm::stack_type>;

 public:
  /// Begins the next collective call of `comm`.
  channel(const Comm& comm, detail::call_site site) noexcept
      : base(comm),
        site_(site),
        serial_(static_cast<tag_t>(this->state_->collective_serial++ & 0x7fff'ffffu)),
        exceptions_(std::uncaught_exceptions()) {
    this->context_ |= 1;
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  /// Who leaves a collective that it has begun tells the others, or they would wait for it.
  ~channel() {
    if (begun_ && std::uncaught_exceptions() > exceptions_)
      this->endpoint_->give_up_collective(call());
  }

  /// From here on the others wait for this rank. Sending and receiving begin by themselves.
  void begin() {
    if (std::exchange(begun_, true)) return;
    if (!this->endpoint_->begin_collective(call())) lost();
  }
  void send(std::span<const std::byte> data, rank_t to) {
    begin();
    finish(this->isend_bytes(data, to, serial_));
  }
  status receive(std::span<std::byte> into, rank_t from) {
    begin();
    return finish(this->irecv_bytes(into, from, serial_));
  }
  void exchange(std::span<const std::byte> out, rank_t to, std::span<std::byte> in, rank_t from) {
    begin();
    auto receiving = this->irecv_bytes(in, from, serial_);
    finish(this->isend_bytes(out, to, serial_));
    finish(std::move(receiving));
  }
  /// All messages of this call have been sent and received: nobody waits for this rank any more.
  void over() noexcept { begun_ = false; }
  std::uint32_t lead() const { return this->endpoint_->take_context_serial(); }
  Comm make(context_id context) const {
    return Comm(*this->endpoint_, this->endpoint_->new_communicator_state(), context, this->rank_,
                this->size_);
  }
  void check_root(rank_t root, const char* what) const {
    if (root >= 0 && root < this->size_) return;
    throw error(errc::root, std::string(what) + " on rank " + std::to_string(this->rank_) +
                                " with root " + std::to_string(root) + ", communicator " +
                                std::to_string(this->context_ >> 1) + ": ranks here are 0 .. " +
                                std::to_string(this->size_ - 1));
  }

 private:
  detail::collective_call call() const noexcept { return {this->context_, serial_}; }
  status finish(request<typename Comm::stack_type> r) {
    if (!r.wait_in_collective(site_, call())) lost();
    return r.wait_as(site_);
  }
  [[noreturn, gnu::noinline, gnu::cold]] void lost() const {
    throw error(errc::peer_lost, std::string(site_.name) + " on rank " +
                                     std::to_string(this->rank_) + ", communicator " +
                                     std::to_string(this->context_ >> 1) +
                                     ": a rank of it is lost, or has left this call with an error");
  }

  detail::call_site site_;
  tag_t serial_;
  int exceptions_;
  bool begun_ = false;
};

template <class Comm>
struct algorithms {
  using site_type = detail::call_site;  // What a report of a hang calls it.

  /// Dissemination: in round k each rank tells the rank 2^k above. Source: Hensgen, Finkel, Manber
  /// 1988.
  static void barrier(const Comm& comm, site_type site) {
    channel<Comm> c(comm, site);
    const rank_t n = c.size();
    for (rank_t step = 1; step < n; step *= 2)
      c.exchange({}, (c.rank() + step) % n, {}, (c.rank() - step % n + n) % n);
  }

  /// A binomial tree from the root.
  static void bcast(const Comm& comm, std::span<std::byte> data, rank_t root, site_type site) {
    channel<Comm> c(comm, site);
    c.check_root(root, "bcast");
    from_root(c, data, root);
  }

  /// A binomial tree to rank 0 that keeps rank order, then one message to the root: right for
  /// operations that do not commute.
  template <class T, class Op>
  static void reduce(const Comm& comm, std::span<T> values, Op& op, rank_t root, site_type site) {
    channel<Comm> c(comm, site);
    c.check_root(root, "reduce");
    to_first(c, values, op);
    if (root == 0) return;
    const auto bytes = std::as_writable_bytes(values);
    if (c.rank() == 0) c.send(bytes, root);
    if (c.rank() == root) c.receive(bytes, 0);
  }

  /// reduce, then bcast: every rank gets the same bits.
  template <class T, class Op>
  static void allreduce(const Comm& comm, std::span<T> values, Op& op, site_type site) {
    channel<Comm> c(comm, site);  // Of both halves: who leaves the first leaves the second.
    to_first(c, values, op);
    from_root(c, std::as_writable_bytes(values), 0);
  }

  /// Rank 0 numbers the new communicator: its own number and a serial are unique in the job.
  static Comm dup(const Comm& comm, site_type site) {
    channel<Comm> c(comm, site);
    context_id context = 0;
    if (c.rank() == 0) {
      const std::uint32_t serial = c.lead();
      context = serial << 1;
    }
    from_root(c, std::as_writable_bytes(std::span(&context, 1)), 0);
    c.over();
    if (context == 0)
      throw error(errc::communicator, "dup on rank " + std::to_string(c.rank()) +
                                          ": the limit of communicators is reached");
    return c.make(context);
  }

 private:
  static void from_root(channel<Comm>& c, std::span<std::byte> data, rank_t root) {
    const rank_t n = c.size();
    const rank_t me = (c.rank() - root + n) % n;  // The root is 0 in the tree.
    rank_t bit = 1;
    while (bit < n && (me & bit) == 0) bit *= 2;
    if (me != 0) {
      const status s = c.receive(data, (me - bit + root) % n);
      if (s.bytes() != data.size())
        throw error(errc::count, "bcast on rank " + std::to_string(c.rank()) + " expected " +
                                     std::to_string(data.size()) + " bytes, but its parent sent " +
                                     std::to_string(s.bytes()) + ": sizes must agree on all ranks");
    }
    for (bit /= 2; bit > 0; bit /= 2)
      if (me + bit < n) c.send(data, (me + bit + root) % n);
  }

  template <class T, class Op>
  static void to_first(channel<Comm>& c, std::span<T> values, Op& op) {
    const rank_t n = c.size();
    c.begin();  // If there is no memory, the others learn of it.
    const bool receives = c.rank() % 2 == 0 && c.rank() + 1 < n;
    const scratch<T> theirs(receives ? values.size() : 0);
    const std::span<T> received(theirs.data(), receives ? values.size() : 0);
    for (rank_t bit = 1; bit < n; bit *= 2) {
      if ((c.rank() & bit) != 0) return c.send(std::as_bytes(values), c.rank() - bit);
      if (c.rank() + bit >= n) continue;
      const status s = c.receive(std::as_writable_bytes(received), c.rank() + bit);
      if (s.bytes() != values.size_bytes())
        throw error(errc::count, "reduce on rank " + std::to_string(c.rank()) + " expected " +
                                     std::to_string(values.size_bytes()) + " bytes from rank " +
                                     std::to_string(c.rank() + bit) + ", which sent " +
                                     std::to_string(s.bytes()) + ": sizes must agree on all ranks");
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = op(values[i], received[i]);
    }
  }
};

}  // namespace mpx::inline v0::coll
