// SPDX-License-Identifier: BSL-1.0
#pragma once
// Finds the name that the author of a misspelt name may have meant.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace launcher {

/// Number of letters that have to be inserted, deleted, replaced or exchanged with their neighbour
/// to make `a` of `b`.
inline std::size_t edits(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t k = 0; k <= b.size(); ++k) {
      std::size_t& here = cost[i * width + k];
      if (i == 0 || k == 0) {
        here = i + k;
        continue;
      }
      const bool same = a[i - 1] == b[k - 1];
      here = std::min({cost[(i - 1) * width + k] + 1, cost[i * width + k - 1] + 1,
                       cost[(i - 1) * width + k - 1] + (same ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        here = std::min(here, cost[(i - 2) * width + k - 2] + 1);
    }
  return cost.back();
}

/// Keeps that one of the names it is offered which is most like `given`.
class nearest {
 public:
  explicit nearest(std::string_view given) : given_(given), least_(given.size() / 4 + 1) {}

  /// `means`: what to answer if `name` is it.
  void offer(std::string_view name, std::string_view means) {
    if (name.size() < 3 || given_.size() < 3) return;  // Everything short is like everything short.
    const std::size_t n = name.starts_with(given_) ? 1 : edits(given_, name);
    if (n > least_ || (n == least_ && !found_.empty())) return;
    least_ = n;
    found_ = means;
  }
  /// "" if none is like it.
  std::string_view found() const noexcept { return found_; }

 private:
  std::string_view given_;
  std::size_t least_;
  std::string_view found_;
};

}  // namespace launcher
