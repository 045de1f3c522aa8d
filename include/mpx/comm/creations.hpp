// SPDX-License-Identifier: BSL-1.0
#pragma once
// Communicators made of communicators, and given back. What the calls do is in
// comm/detail/create.hpp.

#include <exception>
#include <source_location>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/comm/detail/start_dup.hpp"
#include "mpx/core/exchange.hpp"
#include "mpx/core/group_sets.hpp"
#include "mpx/engine/forms.hpp"

namespace mpx::inline v0 {

/// The color of a rank that is to be in no part of a split.
inline constexpr int undefined = -32766;

/// What the ranks of a part have in common.
enum class split_by : std::uint8_t {
  /// Memory that all of them can load from and store to: shared_window over them succeeds. Ranks of
  /// one machine over `shm`, `inproc` and `hybrid`; over other transports each rank is alone.
  shared_memory,
};

namespace detail {

/// What makes communicators out of `Communicator`, and ends it: a base of it.
template <class Communicator, class Stack>
class creations {
 public:
  /// Its ranks. Cost: none, of a table 8 bytes a member. Errors: errc::no_resources.
  mpx::group group() const {
    return with_state([](auto& e, auto& s, auto) { return group_of(e, s); });
  }

  /// A communicator of the same ranks whose messages never meet this one's, with copies of its
  /// attributes and its error handler, which other communicators made of this one have, too.
  /// Collective. What a copy of an attribute throws passes through; what the others get is revoked.
  /// Returns: of this and the following, with `ec` set, an empty communicator.
  /// Errors: of this and the following, errc::communicator when the new rank 0 leads as many
  /// communicators as it may (8,191, less in jobs of over 16,384 ranks), errc::peer_lost,
  /// errc::revoked, errc::no_resources. At that limit rank 0 waits for 5 s at most until the other
  /// members have freed one of those that it has freed itself, also in a call that starts.
  /// Threads: as other calls; on different communicators they overlap.
  /// Cost: a packet from each rank to at most log2(size) others. Source: MPI 4.1, 7.4.2.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator dup(How&& how = {},
                   std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"dup", where});
    return ended(m, m.dup(), how);
  }

  /// The same, started: `into` is the new communicator once the request is complete, and is left
  /// alone until then. The others start it, too.
  /// Errors: errc::no_resources of the start, and errc::operation where a copy of an attribute
  /// throws; the others through the request.
  template <class How>
  requires is_form<How, start_t>
  request<Stack> dup(Communicator& into, How&& how,
                     std::source_location where = std::source_location::current()) const {
    return started_dup<Stack>(self(), into, how, where);
  }
  /// The same, by MPI's name.
  request<Stack> idup(Communicator& into,
                      std::source_location where = std::source_location::current()) const {
    return dup(into, mpx::start, where);
  }

  /// One communicator for each color, of the ranks that give it, in the order of their keys, and
  /// where those are equal of their ranks. Collective.
  /// Requires: color >= 0, or mpx::undefined: that rank gets an empty one.
  /// Errors: errc::argument, for all then. Cost: log2(size) rounds; 16 bytes a rank while it runs.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator split(int color, int key = 0, How&& how = {},
                     std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"split", where});
    if (color < 0 && color != undefined) return ended(m, m.wrong_color(), how);
    return ended(m, m.split(color == undefined ? -1 : color, key), how);
  }
  /// As `split`, by what ranks share.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator split(split_by, int key = 0, How&& how = {},
                     std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"split", where});
    return ended(m, m.split_by_memory(key), how);
  }

  /// A communicator of `members`, empty on ranks that are none of them. Collective over all ranks
  /// of this one; all members of a group give an equal one, and groups given at once are disjoint.
  /// Errors: errc::argument if a member is no rank of this one.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator create(const mpx::group& members, How&& how = {},
                      std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"create", where});
    return ended(m, m.create(members), how);
  }
  /// The same, collective over `members` alone. `tag` tells calls apart that threads make at once.
  /// Errors: errc::argument if this rank is none of them; errc::tag of a negative one: those that
  /// depend on this rank have that, too, and what the others get is revoked. Requires: of calls
  /// that threads make at once none has a negative one: nobody can tell which of them that is.
  template <class How = throws_t>
  requires BlockingForm<How>
  Communicator create_group(const mpx::group& members, tag_t tag = 0, How&& how = {},
                            std::source_location where = std::source_location::current()) const {
    maker<Stack> m(self(), {"create_group", where}, false);
    return ended(m, m.create_group(members, tag), how);
  }

  /// identical: copies of one handle; else what the groups say, congruent where they are the same.
  comparison compare(const Communicator& other) const {
    if (self() == other) return comparison::identical;
    if (!self() || !other) return comparison::unequal;
    const comparison is = mpx::compare(group(), other.group());
    return is == comparison::identical ? comparison::congruent : is;
  }

  /// Gives the communicator back: no copy of this handle may be used any more. All ranks do so, but
  /// none waits for another. What is under way goes on; its context is used again when all have
  /// freed it. Messages that nobody has received are thrown away.
  /// Requires: it is not the world. Source: MPI 4.1, 7.4.3.
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

/// A communicator that is freed when this goes: all ranks let it go, and none waits for another.
template <class Communicator>
class [[nodiscard]] scoped_communicator {
 public:
  /// Empty.
  scoped_communicator() = default;
  /// Owns `c`, which may be empty.
  explicit scoped_communicator(Communicator c) noexcept : owned_(std::move(c)) {}
  /// Takes over; `other` is empty afterwards.
  scoped_communicator(scoped_communicator&& other) noexcept : owned_(other.release()) {}
  /// The same; what was owned before is freed.
  scoped_communicator& operator=(scoped_communicator&& other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~scoped_communicator() {
    if (owned_) owned_.free(std::source_location());  // A destructor knows no line.
  }
  /// False of an empty one.
  explicit operator bool() const noexcept { return static_cast<bool>(owned_); }
  /// The communicator; copies of it are void once this is gone.
  const Communicator& operator*() const noexcept { return owned_; }
  const Communicator* operator->() const noexcept { return &owned_; }  ///< The same.
  /// It is not freed by this any more.
  Communicator release() noexcept { return detail::exchange(owned_, Communicator()); }

 private:
  Communicator owned_;
};

}  // namespace mpx::inline v0
