// SPDX-License-Identifier: BSL-1.0
#pragma once
// Joins the values that several components publish at start-up into one value a rank between two
// fences: launchers answer one get after the other, and over a network.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// A Bootstrap over another one, which outlives this object and has no other user in the
/// environment. A put is published by the next fence. Each key may be put once. A value that does
/// not fit the bundle is put by itself.
template <Bootstrap B>
class bundled {
 public:
  explicit bundled(B& b) noexcept : b_(&b) {}

  rank_t rank() const noexcept { return b_->rank(); }
  rank_t size() const noexcept { return b_->size(); }
  std::string_view host() const { return b_->host(); }

  void put(std::string_view key, std::string_view value) {
    std::string item{static_cast<char>(key.size()), static_cast<char>(value.size() & 0xff),
                     static_cast<char>(value.size() >> 8)};
    item.append(key).append(value);
    if (next_.size() + item.size() > bytes_max) return b_->put(key, value);
    next_ += item;
  }
  std::optional<std::string> get(rank_t rank, std::string_view key) {
    for (unsigned k = 0; k < fences_; ++k) {
      if (rank != read_of_ || k != read_) {
        std::optional<std::string> all = b_->get(rank, name_of(k));
        read_of_ = rank;
        read_ = k;
        text_ = all ? std::move(*all) : std::string();
      }
      if (std::optional<std::string> found = find(text_, key)) return found;
    }
    return b_->get(rank, key);
  }
  template <class Idle>
  void fence(Idle&& idle) {
    if (!next_.empty()) b_->put(name_of(fences_), std::exchange(next_, {}));
    ++fences_;
    b_->fence(std::forward<Idle>(idle));
  }
  void abort(int code, std::string_view why) { b_->abort(code, why); }

 private:
  static constexpr std::size_t bytes_max = 512;  // Every Bootstrap accepts a value of this size.

  static std::string name_of(unsigned k) { return "mpx.all." + std::to_string(k); }
  static std::optional<std::string> find(std::string_view all, std::string_view key) {
    const auto byte = [&all](std::size_t i) { return static_cast<unsigned char>(all[i]); };
    while (all.size() >= 3) {
      const std::size_t name = byte(0);
      const std::size_t value = byte(1) | std::size_t{byte(2)} << 8;
      // Not a bundle: published by another version of mpx.
      if (3 + name + value > all.size()) return {};
      if (all.substr(3, name) == key) return std::string(all.substr(3 + name, value));
      all.remove_prefix(3 + name + value);
    }
    return {};
  }

  B* b_;
  unsigned fences_ = 0;
  std::string next_;
  rank_t read_of_ = -1;  // Rank and fence of the bundle that was read last.
  unsigned read_ = 0;
  std::string text_;
};

}  // namespace mpx::inline v0::bootstrap::detail
