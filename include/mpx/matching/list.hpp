// SPDX-License-Identifier: BSL-1.0
#pragma once
// Matching by two lists in order of posting and arrival. Linear cost, and simple enough to be the
// test oracle of every other matcher.

#include "mpx/matching/concepts.hpp"

namespace mpx::inline v0::matching {

/// Cost: O(pending receives) to match a message, O(unexpected messages) to match a receive.
class list {
 public:
  using policy_axis = matching_axis;
  static constexpr std::string_view name = "list";

  bool nothing_posted() const noexcept { return posted_.empty(); }
  std::uint32_t stored() const noexcept { return unexpected_.empty() ? 0 : 1; }

  posted_receive* match_arrival(const envelope& is) noexcept {
    for (posted_receive& r : posted_) {
      if (!r.want.matches(is)) continue;
      posted_.erase(r);
      return &r;
    }
    return nullptr;
  }

  unexpected_message* match_receive(const pattern& want) noexcept {
    unexpected_message* m = find(want);
    if (m != nullptr) withdraw(*m);
    return m;
  }

  unexpected_message* find(const pattern& want) noexcept {
    for (unexpected_message& m : unexpected_)
      if (want.matches(m.is)) return &m;
    return nullptr;
  }

  void post(posted_receive& r) noexcept { posted_.push_back(r); }
  void store(unexpected_message& m) noexcept { unexpected_.push_back(m); }
  void cancel(posted_receive& r) noexcept { posted_.erase(r); }
  void withdraw(unexpected_message& m) noexcept { unexpected_.erase(m); }

  template <class F>
  void for_each(F&& f) {
    for (auto it = unexpected_.begin(); it != unexpected_.end();) f(*it++);
  }
  template <class F>
  void for_each_newest(F&& f) {
    for (auto at = --unexpected_.end(); at != unexpected_.end();) {
      unexpected_message& m = *at;
      --at;
      if (!f(m)) return;
    }
  }

 private:
  linked_list<posted_receive, match_tag> posted_;
  linked_list<unexpected_message, match_tag> unexpected_;
};

}  // namespace mpx::inline v0::matching
