// SPDX-License-Identifier: BSL-1.0
#pragma once
// A type-erased bootstrap, for code that is compiled once and runs when a rank joins.

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/hang_table.hpp"
#include "mpx/core/function_ref.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Interface of a Bootstrap; see there.
class launcher {
 public:
  launcher() = default;
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;
  virtual ~launcher() = default;

  virtual rank_t rank() const noexcept = 0;
  virtual rank_t size() const noexcept = 0;
  virtual std::string_view host() const = 0;
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual std::optional<std::string> get(rank_t rank, std::string_view key) = 0;
  virtual void fence(mpx::detail::function_ref<void()> idle) = 0;
  virtual void abort(int code, std::string_view why) = 0;
  /// Tells the other ranks that this rank has left, cleanly or not, if the bootstrap can.
  virtual void leave(bool well) noexcept = 0;
  /// Returns a table without a segment if the bootstrap is not a WatchedBootstrap.
  virtual hang_table hangs() const noexcept = 0;
};

/// A bootstrap that is told before its rank leaves.
///
/// - `leave(well)`: the rank is about to leave, cleanly if `well` is true.
template <class B>
concept LeavingBootstrap = Bootstrap<B> && requires(B& b) {
  { b.leave(true) } noexcept;
};

/// Implements launcher over a bootstrap that it owns. `launcher_of<B&>` refers to a bootstrap of
/// another owner, which leaves the job itself.
template <class B>
requires Bootstrap<std::remove_reference_t<B>>
class launcher_of final : public launcher {
 public:
  explicit launcher_of(B&& b) : b_(static_cast<B&&>(b)) {}

  rank_t rank() const noexcept override { return b_.rank(); }
  rank_t size() const noexcept override { return b_.size(); }
  std::string_view host() const override { return b_.host(); }
  void put(std::string_view key, std::string_view value) override { b_.put(key, value); }
  std::optional<std::string> get(rank_t rank, std::string_view key) override {
    return b_.get(rank, key);
  }
  void fence(mpx::detail::function_ref<void()> idle) override {
    b_.fence([&idle] { idle(); });
  }
  void abort(int code, std::string_view why) override { b_.abort(code, why); }
  void leave([[maybe_unused]] bool well) noexcept override {
    if constexpr (!std::is_reference_v<B>) {
      if constexpr (LivenessBootstrap<B>) {
        well ? b_.mark_finished() : b_.mark_failed();
      } else if constexpr (LeavingBootstrap<B>) {
        b_.leave(well);
      }
    }
  }
  hang_table hangs() const noexcept override {
    if constexpr (WatchedBootstrap<std::remove_reference_t<B>>) {
      return b_.hangs();
    } else {
      return {};
    }
  }

 private:
  B b_;
};

/// Owns a launcher allocated by `new`. Move-only.
class launcher_owner {
 public:
  explicit launcher_owner(launcher* one) noexcept : one_(one) {}
  launcher_owner(launcher_owner&& other) noexcept : one_(std::exchange(other.one_, nullptr)) {}
  launcher_owner& operator=(launcher_owner&& other) noexcept {
    std::swap(one_, other.one_);
    return *this;
  }
  ~launcher_owner() { delete one_; }
  launcher& operator*() const noexcept { return *one_; }
  launcher* operator->() const noexcept { return one_; }
  explicit operator bool() const noexcept { return one_ != nullptr; }

 private:
  launcher* one_;
};

}  // namespace mpx::inline v0::bootstrap::detail
