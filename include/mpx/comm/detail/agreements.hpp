// SPDX-License-Identifier: BSL-1.0
#pragma once
// The agreements that a communicator starts: on a value, and on the surviving ranks.

#include <utility>

#include "mpx/comm/agreed.hpp"
#include "mpx/comm/detail/agreement.hpp"
#include "mpx/comm/detail/create.hpp"

namespace mpx::inline v0::detail {

/// An agreement of the program's values.
template <class Stack>
class value_agreement final : public agreement<Stack> {
  using base = agreement<Stack>;

 public:
  value_agreement(const communicator_access<Stack>& on, int value, agreed& into)
      : base(on, "agree"), value_(value), into_(&into) {}
  bool outlives_request_locked() noexcept override {
    into_ = nullptr;
    return true;
  }

 private:
  bool use_locked(errc why) noexcept override {
    if (why != errc{} || into_ == nullptr) return true;
    try {
      const contribution c = this->get();
      group failed = those_of(this->on(), [&](rank_t r) { return this->failed(r); });
      const rank_t lost = failed.size();
      if (lost > this->state().agreed_lost) this->state().agreed_lost = lost;
      *into_ = {c.value, std::move(failed), c.acknowledged >= lost};
    } catch (...) {
      this->fails(errc::no_resources);
    }
    return true;
  }
  void contribute_locked() noexcept override {
    contribution c = this->get();
    c.value = value_;
    c.acknowledged = this->state().acknowledged;
    this->put(c);
  }

  int value_;
  agreed* into_;  // nullptr once the request was dropped.
};

/// An agreement on the surviving ranks and the context of their communicator, which it makes.
template <class Communicator, class Stack>
class shrinking final : public agreement<Stack> {
  using base = agreement<Stack>;

 public:
  shrinking(const communicator_access<Stack>& on, Communicator& into)
      : base(on, "shrink"), into_(&into) {}
  /// Takes a context for this rank to propose, if it has to. May wait (endpoint::lead).
  void lead(call_site site) {
    errc none{};
    if (this->at().with_communicators([this](auto&) { return this->is_lowest_locked(); }))
      led_ = this->at().lead(none, site);
  }
  bool outlives_request_locked() noexcept override {
    into_ = nullptr;
    return true;
  }

 private:
  void contribute_locked() noexcept override {
    if (!this->is_lowest_locked()) return;
    errc none{};
    if (led_ == no_context) led_ = this->at().communicators_locked().lead(none);
    contribution c = this->get();
    c.proposer = this->rank();
    c.proposed = led_;
    this->put(c);
  }
  bool use_locked(errc why) noexcept override {
    const contribution c = this->get();
    if (led_ != no_context && (why != errc{} || c.proposed != led_))
      this->at().communicators_locked().abandon(led_);
    led_ = no_context;
    if (why != errc{}) return true;
    if (c.proposer == contribution().proposer) {  // No rank knew that it was the lowest.
      why = this->repeat_locked();
      if (why == errc{}) return false;
    } else {
      why = c.proposed == no_context ? errc::communicator : make_locked(c.proposed);
    }
    this->fails(why);
    return true;
  }
  /// Makes the communicator. If that fails, it revokes it at the others, which would wait for this
  /// rank; also if the request was dropped.
  errc make_locked(context_id context) noexcept {
    auto& all = this->at().communicators_locked();
    communicator_state* made = nullptr;
    rank_t size = 0;
    rank_t rank = proc_null;
    try {
      group living = those_of(this->on(), [&](rank_t r) { return !this->failed(r); });
      size = living.size();
      rank = living.rank();
      if (rank == proc_null) return errc::peer_lost;
      made = all.make(context, std::move(living));
    } catch (...) {
      all.never_made(context);
    }
    if (made == nullptr) {
      for (rank_t r = 0; r < this->state().size; ++r)
        if (!this->failed(r)) all.revoke_at(all.peer_of(this->state(), r), context);
      return errc::no_resources;
    }
    if (into_ != nullptr) {
      *into_ = {this->at(), *made, context, rank, size};
    } else {
      all.revoke(*made);
      all.free(*made);
    }
    return errc{};
  }

  Communicator* into_;  // nullptr once the request was dropped.
  context_id led_ = no_context;
};

}  // namespace mpx::inline v0::detail
