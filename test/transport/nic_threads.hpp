// SPDX-License-Identifier: BSL-1.0
#pragma once
// The suite of cards on threads: a rank each, with a card of its own.

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <mpx/bootstrap/detect.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nic_contract.hpp"

namespace nic_contract {

/// A barrier of threads that is faster than a bootstrap's fences.
class meeting_place {
 public:
  explicit meeting_place(peer_id ranks) : ranks_(ranks) {}
  meeting of(peer_id self) {
    return {[this](const std::function<void()>& idle) { fence(idle); },
            [this, self](const std::string& key, const std::string& value) {
              const std::lock_guard lock(mutex_);
              said_[{self, key}] = value;
            },
            [this](peer_id peer, const std::string& key) {
              const std::lock_guard lock(mutex_);
              return said_[{peer, key}];
            }};
  }
  void fail() { failed_ = true; }

 private:
  void fence(const std::function<void()>& idle) {
    const unsigned round = round_;
    if (++here_ == ranks_) {
      here_ = 0;
      ++round_;
    }
    while (round_ == round) {
      require(!failed_, "another rank has failed");
      idle();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  const peer_id ranks_;
  std::atomic<unsigned> round_ = 0;
  std::atomic<peer_id> here_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::map<std::pair<peer_id, std::string>, std::string> said_;
};

/// Runs a check on threads with a card of type N each. Throws what the first of them threw.
template <class N>
void run(const check& what, peer_id ranks) {
  mpx::bootstrap::thread_job job(static_cast<mpx::rank_t>(ranks));
  meeting_place place(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::jthread> threads;
  for (peer_id r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        mpx::bootstrap::any me(mpx::bootstrap::threads(job, static_cast<mpx::rank_t>(r)));
        card_of<N> own(me);
        me.fence([] {});
        player p(own, place.of(r));
        what.run(p);
        p.fence();
        me.mark_finished();
      } catch (...) {
        place.fail();
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  }
  threads.clear();
  if (first) std::rethrow_exception(first);
}

}  // namespace nic_contract
