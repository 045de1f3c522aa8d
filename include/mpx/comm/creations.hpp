// SPDX-License-Identifier: BSL-1.0
#pragma once
// Operations that make communicators out of a communicator, and free them. They are implemented in
// comm/detail/create.hpp.

#include <exception>
#include <source_location>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/start_dup.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group_sets.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

/// The color of a rank that takes part in no communicator of a split.
inline constexpr int undefined = -32766;

/// The property that the ranks of one part share.
enum class split_by : std::uint8_t {
  /// Memory that all of them can load from and store to, so that shared_window succeeds. The ranks
  /// of one machine over `shm`, `inproc` and `hybrid`; over other transports each rank is alone.
  shared_memory,
};

namespace detail {

/// Creates communicators from a `Communicator`, and frees it; a base of it.
template <class Communicator, class Stack>
class creations {
 public:
  /// Returns the group of its ranks.
  /// Errors:     errc::no_resources.
  /// Cost:       None; for a group stored as a table, a copy of 8 bytes a member.
  mpx::group group() const {
    return with_state([](auto& e, auto& s, auto) { return group_of(e, s); });
  }

  /// Makes a communicator of the same ranks, whose messages never match this one's. Collective. It
  /// gets copies of the attributes, and the error handler. Only the error handler is passed on by
  /// the other functions that make communicators. An exception of an attribute's copy function is
  /// passed on; the communicator that the other ranks get is then revoked.
  /// Returns:    The new communicator. With `ec` set, an empty one, as of all functions below.
  /// Errors:     Also of all functions below: errc::communicator if the new rank 0 leads as many
  ///             communicators as it may (8,191, fewer in jobs of more than 16,384 ranks);
  ///             errc::peer_lost, errc::revoked, errc::no_resources. At that limit rank 0 waits up
  ///             to 5 s for other members to free a communicator that it has freed itself, also in
  ///             a started call.
  /// Threads:    As other calls; calls on different communicators may overlap.
  /// Cost:       Each rank sends a packet to at most log2(size) others.
  /// Source:     MPI 4.1, 7.4.2.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator dup(How&& how = {},
                   std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"dup", where});
    return ended(m, m.dup(), how);
  }

  /// Starts a duplication. All ranks start it. `into` is the new communicator once the request is
  /// complete, and must not be accessed before.
  /// Errors:     At the start: errc::no_resources, and errc::operation if the copy function of an
  ///             attribute throws. Others through the request.
  template <class How>
  requires is_form<How, start_t>
  request<Stack> dup(Communicator& into, How&& how,
                     std::source_location where = std::source_location::current()) const {
    return started_dup<Stack>(self(), into, how, where);
  }
  /// MPI's name for a started dup.
  request<Stack> idup(Communicator& into,
                      std::source_location where = std::source_location::current()) const {
    return dup(into, mpx::start, where);
  }

  /// Makes one communicator for each color, of the ranks that pass that color. They are ordered by
  /// key, and by rank where keys are equal. Collective.
  /// Requires:   color >= 0, or mpx::undefined, for which the rank gets an empty communicator.
  /// Errors:     errc::argument at all ranks if one of them passes another negative color.
  /// Cost:       log2(size) rounds; 16 bytes a rank during the call.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator split(int color, int key = 0, How&& how = {},
                     std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"split", where});
    if (color < 0 && color != undefined) return ended(m, m.wrong_color(), how);
    return ended(m, m.split(color == undefined ? -1 : color, key), how);
  }
  /// Splits as above, by a property that ranks share.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator split(split_by, int key = 0, How&& how = {},
                     std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"split", where});
    return ended(m, m.split_by_memory(key), how);
  }

  /// Makes a communicator of `members`; an empty one at ranks that are no members. Collective over
  /// all ranks of this communicator. All members of a group pass equal groups, and the groups
  /// passed in one call are disjoint.
  /// Errors:     errc::argument if a member is no rank of this communicator.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator create(const mpx::group& members, How&& how = {},
                      std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"create", where});
    return ended(m, m.create(members), how);
  }
  /// Makes a communicator of `members`; collective over `members` alone. `tag` separates calls that
  /// several threads make at the same time.
  /// Requires:   Of calls made at the same time by several threads, none has a negative tag, as
  ///             that could belong to any of them.
  /// Errors:     errc::argument if this rank is no member. errc::tag for a negative tag; the ranks
  ///             that depend on this rank get it as well, and the communicator that others get is
  ///             revoked.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator create_group(const mpx::group& members, tag_t tag = 0, How&& how = {},
                            std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"create_group", where}, false);
    return ended(m, m.create_group(members, tag), how);
  }

  /// Returns identical for copies of one handle, congruent for equal groups in equal order, else
  /// the result of comparing the groups.
  comparison compare(const Communicator& other) const {
    if (self() == other) return comparison::identical;
    if (!self() || !other) return comparison::unequal;
    const comparison is = mpx::compare(group(), other.group());
    return is == comparison::identical ? comparison::congruent : is;
  }

  /// Frees the communicator: no copy of this handle may be used any more. All ranks call it, and
  /// none waits for another. Operations in progress continue. The context is used again after all
  /// ranks have freed it. Messages that have not been received are discarded.
  /// Requires:   It is not the world.
  /// Source:     MPI 4.1, 7.4.3.
  void free(std::source_location where = std::source_location::current()) {
    MPX_ASSERT_AT(self().context() != 0, "the world is not freed: its environment ends it", where);
    with_state([](auto& e, auto& s, auto) { free_communicator(e, s); }, where);
    self() = Communicator();
  }

 private:
  Communicator& self() noexcept { return static_cast<Communicator&>(*this); }
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
  template <class F>
  auto with_state(F&& f, std::source_location where = std::source_location::current()) const {
    return communicator_access<Stack>(self(), where).use(f);
  }
  template <class How>
  static Communicator ended(maker<Stack>& m, errc why, How& how) {
    if constexpr (is_code<How&>) {
      store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      m.raise();
    }
    return m.template made<Communicator>();
  }
};

}  // namespace detail

/// Owns a communicator and frees it on destruction. All ranks destroy theirs, and none waits.
template <class Communicator>
class [[nodiscard]] scoped_communicator {
 public:
  /// Owns nothing.
  scoped_communicator() = default;
  /// Owns `c`, which may be empty.
  explicit scoped_communicator(Communicator c) noexcept : owned_(std::move(c)) {}
  /// Takes over; `other` is empty afterwards.
  scoped_communicator(scoped_communicator&& other) noexcept : owned_(other.release()) {}
  /// Swaps the communicators: `other` frees the one that was owned before.
  scoped_communicator& operator=(scoped_communicator&& other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~scoped_communicator() {
    if (owned_) owned_.free(std::source_location());  // No source line is known here.
  }
  /// False if it owns nothing.
  explicit operator bool() const noexcept { return static_cast<bool>(owned_); }
  /// The communicator. Copies of the handle are invalid after this object is destroyed.
  [[nodiscard]] const Communicator& operator*() const noexcept { return owned_; }
  /// Access to its members.
  [[nodiscard]] const Communicator* operator->() const noexcept { return &owned_; }
  /// Gives up ownership: returns the communicator, which is not freed.
  Communicator release() noexcept { return detail::exchange(owned_, Communicator()); }

 private:
  Communicator owned_;
};

}  // namespace mpx::inline v0
