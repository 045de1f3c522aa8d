// SPDX-License-Identifier: BSL-1.0
#pragma once
// The first collectives: correct for any number of ranks and any associative operation, in a
// logarithmic number of rounds. Each call has a context of its own and a serial number, so that
// nothing mixes.

#include <span>
#include <string>
#include <vector>

#include "mpx/comm/communicator.hpp"

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
        serial_(static_cast<tag_t>(this->state_->collective_serial++ & 0x7fff'ffffu)) {
    this->context_ |= 1;
  }
  void send(std::span<const std::byte> data, rank_t to) {
    this->send_bytes(data, to, serial_, site_.where, site_.name);
  }
  status receive(std::span<std::byte> into, rank_t from) {
    return this->irecv_bytes(into, from, serial_).wait_as(site_);
  }
  void exchange(std::span<const std::byte> out, rank_t to, std::span<std::byte> in, rank_t from) {
    this->sendrecv_bytes(out, to, serial_, in, from, serial_, site_);
  }
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
  detail::call_site site_;
  tag_t serial_;
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
    {
      channel<Comm> c(comm, site);
      to_first(c, values, op);
    }
    bcast(comm, std::as_writable_bytes(values), 0, site);
  }

  /// Rank 0 numbers the new communicator: its own number and a serial are unique in the job.
  static Comm dup(const Comm& comm, site_type site) {
    channel<Comm> c(comm, site);
    context_id context = 0;
    if (c.rank() == 0) {
      const std::uint32_t serial = c.lead();
      context = serial << 1;
    }
    bcast(comm, std::as_writable_bytes(std::span(&context, 1)), 0, site);
    if (context == 0)
      throw error(errc::communicator, "dup on rank " + std::to_string(c.rank()) +
                                          ": the limit of communicators is reached");
    return c.make(context);
  }

 private:
  template <class T, class Op>
  static void to_first(channel<Comm>& c, std::span<T> values, Op& op) {
    const rank_t n = c.size();
    struct element {  // A vector of bool would not be made of bools.
      T value;
    };
    std::vector<element> theirs;
    for (rank_t bit = 1; bit < n; bit *= 2) {
      if ((c.rank() & bit) != 0) return c.send(std::as_bytes(values), c.rank() - bit);
      if (c.rank() + bit >= n) continue;
      if (theirs.empty())
        for (const T& value : values) theirs.push_back({value});
      const status s =
          c.receive(std::as_writable_bytes(std::span<element>(theirs)), c.rank() + bit);
      if (s.bytes() != values.size_bytes())
        throw error(errc::count, "reduce on rank " + std::to_string(c.rank()) + " expected " +
                                     std::to_string(values.size_bytes()) + " bytes from rank " +
                                     std::to_string(c.rank() + bit) + ", which sent " +
                                     std::to_string(s.bytes()) + ": sizes must agree on all ranks");
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = op(values[i], theirs[i].value);
    }
  }
};

}  // namespace mpx::inline v0::coll
