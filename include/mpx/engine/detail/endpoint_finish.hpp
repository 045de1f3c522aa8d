// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress, waiting, and what ends operations out of turn: abandoning, cancelling, the death of a
// peer. Included by endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
endpoint<Stack>::~endpoint() {
  matcher_.for_each([this](unexpected_message& m) {
    matcher_.withdraw(m);
    forget(static_cast<arrived_message*>(&m));
  });
  while (!claimed_.empty()) {
    arrived_message& m = claimed_.front();
    claimed_.pop_front();
    forget(&m);
  }
  pool_.for_each([this](operation& op) {
    if (op.owned != nullptr && !op.owned_by_attached) free_copy(op);
  });
  for (peer_id peer = 0; peer < transport_.peers(); ++peer)
    if (links_[peer] == &gone_ || links_[peer] == &broken_) links_.drop(peer);
}

/// Also notices what has become of the other ranks.
template <class Stack>
[[gnu::noinline]] std::size_t endpoint<Stack>::progress_locked() {
  if (vital_->calm != news_.load(std::memory_order_relaxed)) [[unlikely]]
    return progress_troubled();
  return progress_inlined();
}

template <class Stack>
[[gnu::noinline]] std::size_t endpoint<Stack>::progress_troubled() {
  check_failures();
  if (orphaned()) return 0;
  const std::uint64_t before = completions_;
  sink s{*this};
  std::size_t n = transport_.poll(s);
  if (troubles_ != 0) n += flush_busy();
  if constexpr (concurrent) {
    if (completions_ != before && (followers_ != 0 || leader_)) rouse();
  }
  return n;
}

/// One look by a call that does not block. Many in a row are a way of blocking: they owe the same.
template <class Stack>
void endpoint<Stack>::look_locked() {
  if (progress_locked() == 0 && ++looks_ % looks_per_check == 0) before_sleep();
}

/// The first look of a call that waits: most often it finds it, so nothing more is set up before.
template <class Stack>
[[gnu::noinline]] bool endpoint<Stack>::look_for(const operation& op) {
  const std::lock_guard lock(threading_);
  progress_inlined();
  return op.done();
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::wait_slow(operation& op, call_site site) {
  wait_until(site, {wait_kind::all, awaited::form::one, &op}, [&op] { return op.done(); });
}

template <class Stack>
template <class Lost>
bool endpoint<Stack>::wait_unless(operation& op, call_site site, Lost&& lost) {
  if (look(op)) return true;
  bool done = false;
  wait_until(site, {wait_kind::all, awaited::form::one, &op}, [&] {
    done = op.done();
    return done || (failures_ != 0 && lost());
  });
  return done;
}

template <class Stack>
inline std::size_t endpoint<Stack>::progress_inlined() {
  if (vital_->calm == 0) [[unlikely]]
    return progress_troubled();
  const std::uint64_t before = completions_;
  sink s{*this};
  const std::size_t n = transport_.poll(s);
  if constexpr (concurrent) {
    if (completions_ != before && (followers_ != 0 || leader_)) rouse();
  }
  return n;
}

template <class Stack>
template <class Done>
[[gnu::noinline]] void endpoint<Stack>::wait_until(call_site site, awaited on, Done&& done) {
  std::unique_lock lock(threading_);
  if (done()) return;
  const blocked_scope scope(*this, site, on);
  typename Stack::wait_type::pace pace(transport_.oversubscribed());
  for (unsigned looks = 1;; ++looks) {
    if (progress_locked() > 0) {
      ++moves_;
      if (done()) break;
      pace.reset();
      continue;
    }
    if (looks % looks_per_check == 0) [[unlikely]] {
      before_sleep();
      if (done()) break;
    }
    if constexpr (concurrent) lock.unlock();
    const bool tired = pace.should_sleep();
    if constexpr (concurrent) {
      lock.lock();
      if (done()) break;
    }
    if (tired) {
      before_sleep();
      if (done()) break;  // Its peer is lost: nobody would wake this thread for that any more.
      sleep(lock);
      if (done()) break;
    }
  }
  if constexpr (concurrent) {
    if (followers_ != 0 && !leader_) rouse();  // Somebody else must look now.
  }
}

/// What a blocked rank owes to the others, and what it must know, before it rests.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::before_sleep() {
  check_failures();
  if (step_ != nullptr) [[unlikely]]
    step_(*this);
  if (stalled_.empty() || (matcher_.nothing_posted() && probing_ == 0)) return;
  // The message that this rank waits for may be behind those that a peer may not announce: let it.
  while (!stalled_.empty()) {
    link& l = stalled_.front();
    stalled_.pop_front();
    l.peer_stalled = false;
    l.granted = lesser(l.granted + announced_max_, allowance_max);
    answer(l.peer, {.kind = wire::kind::allow, .tag = static_cast<tag_t>(announced_max_)});
  }
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::sleep(
    std::unique_lock<typename Stack::threading_type>& lock) {
  if constexpr (concurrent) {
    if (leader_) return follow(lock);
  }
  if (news_.load(std::memory_order_acquire) != failure_epoch_ || !transport_.arm()) return;
  trace_.on(event::sleeps, 1);
  leader_ = true;
  if constexpr (concurrent) lock.unlock();
  transport_.sleep(Stack::wait_type::sleep_ns_max);
  if constexpr (concurrent) lock.lock();
  leader_ = false;
  transport_.disarm();
}

template <class Stack>
void endpoint<Stack>::follow(std::unique_lock<typename Stack::threading_type>& lock) {
  ++followers_;
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  lock.unlock();
  platform::futex_wait(epoch_, epoch, Stack::wait_type::sleep_ns_max);
  lock.lock();
  --followers_;
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::rouse() noexcept {
  if (followers_ != 0) {
    epoch_.fetch_add(1, std::memory_order_relaxed);
    platform::futex_wake(epoch_, static_cast<int>(followers_));
  }
  if (leader_) transport_.wake();
}

template <class Stack>
void endpoint<Stack>::drain() noexcept {
  std::lock_guard lock(threading_);
  const auto look = [this] {  // Who leaves meanwhile is no loss.
    sink s{*this};
    return orphaned() ? 0 : transport_.poll(s) + (troubles_ != 0 ? flush_busy() : 0);
  };
  for (unsigned looks = 0; looks < drain_looks_max && look() > 0; ++looks) ++moves_;
  if (step_ != nullptr) step_(*this);
}

template <class Stack>
void endpoint<Stack>::send_last(std::int64_t patience_ns) noexcept {
  std::lock_guard lock(threading_);
  const std::int64_t until_ns = now_ns() + patience_ns;
  const auto all_out = [this] {
    bool out = busy_.empty();
    pool_.for_each([&out](const operation& op) {
      out = out && (op.role != role::send || op.done() || op.holder != holder::nobody);
    });
    return out;
  };
  while (!orphaned() && !all_out() && now_ns() < until_ns)
    if (progress_locked() == 0) ::sched_yield();
}

template <class Stack>
bool endpoint<Stack>::cancel(operation& op) {
  std::lock_guard lock(threading_);
  if (op.role != role::receive || op.stage != stage::posted) return false;
  matcher_.cancel(op);
  op.cancelled = true;
  op.message_bytes = 0;
  op.peer = op.want.source;
  op.tag = op.want.tag;
  finish(op, errc{});
  return true;
}

/// Parts an operation from its request: when this returns true, nothing touches its buffer any
/// more, whether the operation goes on or not. False: the transport, or a copy that the peer has
/// begun, is at it right now.
template <class Stack>
bool endpoint<Stack>::detach_locked(operation& op) {
  if (orphaned()) check_failures();
  if (op.done()) {
    give(op);
    return true;
  }
  if (op.pending) return false;
  if (op.role == role::receive) {
    if (op.stage == stage::posted) {
      matcher_.cancel(op);
      give(op);
      return true;
    }
    if (!withdraw(op)) return false;
    op.buffer = nullptr;  // The rest arrives, and is dropped.
  } else if (op.stage != stage::answer || (op.announced && !op.split)) {
    if (op.owned == nullptr) {
      op.owned = static_cast<std::byte*>(platform::allocate(op.bytes));
      if (op.owned != nullptr && op.bytes > 0) std::memcpy(op.owned, op.buffer, op.bytes);
    }
    // A receiver that knows of the old place finds it closed, and asks for packets.
    if (!withdraw(op)) return false;
    // Without memory the data is lost: to wait for the receiver might be to wait for ever.
    op.buffer = op.owned;
  } else if (!withdraw(op)) {  // The data is out, or the receiver is about to have fetched it.
    return false;
  }
  op.holder = holder::nobody;
  return true;
}

template <class Stack>
void endpoint<Stack>::abandon(operation& op) {
  {
    std::lock_guard lock(threading_);
    if (detach_locked(op)) return;
  }
  wait_until({"the end of a dropped request"}, {wait_kind::all, awaited::form::one, &op},
             [&] { return detach_locked(op); });
}

/// Why nothing more will come from `peer`, as the job knows it.
template <class Stack>
errc endpoint<Stack>::loss_of(peer_id peer) const noexcept {
  const auto rank = static_cast<rank_t>(peer);
  if (rank >= job_.size()) return errc{};
  if (job_.state(rank) >= rank_state::finished) return errc::peer_lost;
  return job_.renounced_by(rank) != errc{} ? errc::peer_lost : errc{};
}

template <class Stack>
[[gnu::noinline, gnu::cold]] std::string endpoint<Stack>::loss_text(peer_id peer, errc why) const {
  const auto rank = static_cast<rank_t>(peer);
  if (why != errc::peer_lost || rank < 0 || rank >= job_.size()) return {};
  const errc given_up = job_.renounced_by(rank);
  std::string s = ": rank " + std::to_string(rank);
  if (given_up == errc::protocol)
    return s + " has given this rank up, whose packets make no sense to it";
  if (given_up != errc{}) return s + " has given this rank up, for lack of memory or mappings";
  if constexpr (requires { job_.loss_text(rank); }) {
    s = job_.loss_text(rank);
    return s.empty() ? s : ": " + s;
  }
  return {};
}

/// Looks whether ranks have gone since the last look, and ends what waits for them.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::check_failures() {
  if (orphaned()) [[unlikely]] {  // A forked child has no peers, and is nobody's.
    for (peer_id peer = 0; peer < transport_.peers(); ++peer)
      fail_peer_locked(peer, errc::not_a_rank);
    return;
  }
  for (std::uint32_t epoch; (epoch = news_.load(std::memory_order_acquire)) != failure_epoch_;) {
    failure_epoch_ = epoch;
    bool looked = false;
    for (peer_id peer = 0; peer < transport_.peers(); ++peer) {
      if (links_[peer] != nullptr && links_[peer]->failure != errc{}) continue;
      if (loss_of(peer) == errc{}) continue;
      if (!looked) last_look();
      looked = true;
      deaths_ += job_.state(static_cast<rank_t>(peer)) >= rank_state::finished;
      fail_peer_locked(peer, errc::peer_lost);
    }
    set_calm();
  }
}

/// Takes what those who are gone have sent before: it is all here, and nothing more will come.
template <class Stack>
void endpoint<Stack>::last_look() {
  sink s{*this};
  for (unsigned looks = 0; looks < last_looks_max && transport_.poll(s) > 0; ++looks) {
  }
}

/// Notes down that a peer is lost. Needs no memory.
template <class Stack>
void endpoint<Stack>::mark_lost(peer_id peer, errc why) noexcept {
  link* l = links_[peer];
  if (l == nullptr) {
    l = &gone_;
    if (why != errc::peer_lost && !orphaned()) {
      l = new (std::nothrow) link(peer);
      if (l == nullptr) l = &broken_;
    }
    if (l == &broken_) why = errc::no_resources;
    links_.put(peer, l);
  }
  l->failure = why;
  ++troubles_;
  ++failures_;
  set_calm();
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::fail_peer_locked(peer_id peer, errc why) {
  if (links_[peer] != nullptr && links_[peer]->failure != errc{}) return;
  if (direct_ != nullptr) post_direct();
  mark_lost(peer, why);
  link& l = *links_[peer];
  // The peer is alive, and would wait for this rank.
  if (is_fault(why) && static_cast<rank_t>(peer) < job_.size())
    job_.renounce(static_cast<rank_t>(peer), why);
  pool_.for_each([&](operation& op) { fail_operation(op, peer, why); });
  l.control.clear();
  l.backlog.clear();
  l.streams.clear();
  l.answers = 0;
  l.owes_credit = false;
  if (l.peer_stalled) stalled_.erase(stalled_.iterator_to(l));
  l.peer_stalled = false;
  if constexpr (concurrent) {
    ++completions_;
    rouse();
  }
}

/// Ends one operation if it depends on `peer`; its links into the peer's queues are dropped by the
/// caller.
template <class Stack>
void endpoint<Stack>::fail_operation(operation& op, peer_id peer, errc why) {
  if (op.done()) return;
  if (op.role == role::receive && op.stage == stage::posted) {
    if (op.want.source != peer && op.want.source != any_peer) return;
    matcher_.cancel(op);
    op.peer = op.want.source;
    op.tag = op.want.tag;
    op.message_bytes = 0;
    return finish(op, why);
  }
  if (op.peer != peer) return;
  if (op.role == role::control) return give(op);
  if (op.pending) {  // The transport is still at its buffer: what it says of it ends this.
    op.failure = why;
    return;
  }
  if (!orphaned()) end_exposure(op);
  finish(op, why);
}

// --- Collectives that fail -------------------------------------------------------------------

template <class Stack>
bool endpoint<Stack>::wait_in_collective(operation& op, call_site site, collective_call call) {
  if (look(op)) return true;
  bool done = false;
  wait_until(site, {wait_kind::all, awaited::form::one, &op}, [&] {
    done = op.done();
    return done || failures_ != 0 || is_revoked(call);
  });
  return done;
}

template <class Stack>
bool endpoint<Stack>::begin_collective(collective_call call) {
  std::lock_guard lock(threading_);
  if (orphaned()) check_failures();
  revoked_.erase_if([call](collective_call old) {  // This rank has got past those.
    return old.context == call.context &&
           static_cast<std::int32_t>(static_cast<std::uint32_t>(old.serial - call.serial) << 1) < 0;
  });
  return failures_ == 0;  // What others have left may have got here what it needs before.
}

template <class Stack>
bool endpoint<Stack>::is_revoked(collective_call call) const noexcept {
  for (const collective_call& r : revoked_)
    if (r.context == call.context && r.serial == call.serial) return true;
  return false;
}

template <class Stack>
bool endpoint<Stack>::mark_revoked(collective_call call) noexcept try {
  if (is_revoked(call)) return true;
  if (revoked_.size() == revoked_max) return false;
  revoked_.push_back(call);
  if constexpr (concurrent) ++completions_;
  return true;
} catch (const std::exception&) {
  return false;
}

template <class Stack>
void endpoint<Stack>::give_up_collective(collective_call call) noexcept {
  std::lock_guard lock(threading_);
  if (is_revoked(call) || orphaned()) return;
  if (deaths_ != 0) return;  // Everybody knows, and leaves as well.
  for (peer_id peer = 0; peer < transport_.peers(); ++peer)
    if (peer != self())
      answer(peer, {.kind = wire::kind::revoke, .context = call.context, .tag = call.serial});
}

}  // namespace mpx::inline v0::detail
