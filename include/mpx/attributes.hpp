// SPDX-License-Identifier: BSL-1.0
#pragma once
// Attributes of communicators and windows: values of the program's types, found by a key, and hints
// as pairs of strings. A program includes this header in addition to mpx.hpp.

#include "mpx/macros/begin.hpp"

#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/communicator.hpp"
#include "mpx/core/platform.hpp"

namespace mpx::inline v0 {

namespace detail {

/// Number of keys made by this shared object. Its address distinguishes the keys of shared objects.
/// NOLINTNEXTLINE(*-avoid-non-const-global-variables): keys are older than environments.
inline constinit platform::native::atomic<std::uint64_t> attribute_keys_made{0};

inline attribute_id next_attribute_id() noexcept {
  return {&attribute_keys_made,
          attribute_keys_made.fetch_add(1, platform::memory_order_relaxed) + 1};
}
/// Identical in all shared objects.
inline constexpr attribute_id info_id{nullptr, 1};

/// A window (mpx/rma.hpp), which has attributes as a communicator has.
template <class T>
concept HoldsAttributes =
    requires(const T& on, std::source_location where) { on.attributes_holder(where); };

}  // namespace detail

/// Key of an attribute of type T. Values stay attached to their communicators or windows after the
/// key is destroyed. A window has attributes of its own; `free` drops them.
///
/// `copy` makes the value of a duplicate communicator, or none; without `copy` a duplicate has no
/// value. `drop` is called before a value is destroyed: when it is replaced or erased, or when its
/// communicator or the environment ends. Both run in the thread that causes the event. A value
/// contains code of the shared object that attached it, which must stay loaded until the value is
/// destroyed.
/// Threads:    one at a time for each communicator.
/// Source:     MPI 4.1, 7.7.
template <class T>
class attribute_key {
 public:
  /// Makes the value of a duplicate.
  using copy_function = std::optional<T> (*)(const T&);
  /// Called with a value before it is destroyed.
  using drop_function = void (*)(T&);

  /// `copy`: makes the value of a duplicate communicator; `drop`: called before the value is
  /// destroyed.
  explicit attribute_key(copy_function copy = nullptr, drop_function drop = nullptr) noexcept
      : attribute_key(detail::next_attribute_id(), copy, drop) {}
  /// Makes a key whose values are copied to duplicates.
  static attribute_key copied(drop_function drop = nullptr) noexcept {
    return attribute_key([](const T& value) { return std::optional<T>(value); }, drop);
  }
  attribute_key(const attribute_key&) = delete;
  attribute_key& operator=(const attribute_key&) = delete;
  /// For the library.
  attribute_key(detail::attribute_id id, copy_function copy, drop_function drop) noexcept
      : id_(id), copy_(copy), drop_(drop) {}

  /// Attaches `value`; replaces an existing one.
  /// Errors:     errc::no_resources; exceptions of T.
  template <class Stack>
  T& set(const communicator<Stack>& on, T value,
         std::source_location where = std::source_location::current()) const {
    const detail::communicator_access<Stack> a(on, where);
    auto* const made = new attribute(std::move(value), copy_, drop_);
    made->key = id_;
    delete a.state().attributes.take(id_);
    a.state().attributes.add(made);
    return made->value;
  }
  /// Attaches `value` to a window.
  template <class Window>
  requires detail::HoldsAttributes<Window>
  T& set(const Window& on, T value,
         std::source_location where = std::source_location::current()) const {
    return set(on.attributes_holder(where), std::move(value), where);
  }
  /// Returns the value, or nullptr.
  template <class Stack>
  [[nodiscard]] T* get(const communicator<Stack>& on,
                       std::source_location where = std::source_location::current()) const {
    const detail::communicator_access<Stack> a(on, where);
    detail::attribute_base* const found = a.state().attributes.find(id_);
    return found == nullptr ? nullptr : &static_cast<attribute*>(found)->value;
  }
  /// Returns the value of a window, or nullptr.
  template <class Window>
  requires detail::HoldsAttributes<Window>
  [[nodiscard]] T* get(const Window& on,
                       std::source_location where = std::source_location::current()) const {
    return get(on.attributes_holder(where), where);
  }
  /// Removes the value.
  /// Returns:    true if there was one.
  template <class Stack>
  bool erase(const communicator<Stack>& on,
             std::source_location where = std::source_location::current()) const {
    const detail::communicator_access<Stack> a(on, where);
    detail::attribute_base* const found = a.state().attributes.take(id_);
    delete found;
    return found != nullptr;
  }
  /// Removes the value of a window.
  /// Returns:    true if there was one.
  template <class Window>
  requires detail::HoldsAttributes<Window>
  bool erase(const Window& on, std::source_location where = std::source_location::current()) const {
    return erase(on.attributes_holder(where), where);
  }

 private:
  struct attribute final : detail::attribute_base {
    attribute(T&& v, copy_function c, drop_function d) : value(std::move(v)), copy(c), drop(d) {}
    ~attribute() override {
      if (drop != nullptr) drop(value);
    }
    detail::attribute_base* copied() const override {
      if (copy == nullptr) return nullptr;
      std::optional<T> made = copy(value);
      return made ? new attribute(std::move(*made), copy, drop) : nullptr;
    }
    T value;
    copy_function copy;
    drop_function drop;
  };

  detail::attribute_id id_;
  copy_function copy_;
  drop_function drop_;
};

/// Hints: strings by name, in the order of insertion. Source: MPI 4.1, 10.
class info {
 public:
  /// Adds or replaces a value.
  /// Errors:     errc::argument if the key is empty.
  void set(std::string_view key, std::string_view value,
           std::source_location where = std::source_location::current()) {
    if (key.empty()) throw error(errc::argument, "info: a key is empty", where);
    for (auto& p : pairs_)
      if (p.first == key) {
        p.second = value;
        return;
      }
    pairs_.emplace_back(key, value);
  }
  /// Returns the value of `key`, or nothing.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const {
    for (const auto& p : pairs_)
      if (p.first == key) return p.second;
    return std::nullopt;
  }
  /// Removes the value of `key`.
  /// Returns:    true if there was one.
  bool erase(std::string_view key) {
    for (auto at = pairs_.begin(); at != pairs_.end(); ++at)
      if (at->first == key) {
        pairs_.erase(at);
        return true;
      }
    return false;
  }
  /// Number of hints.
  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }
  [[nodiscard]] auto begin() const noexcept { return pairs_.begin(); }  ///< Pairs of key and value.
  [[nodiscard]] auto end() const noexcept { return pairs_.end(); }      ///< Past the last pair.
  friend bool operator==(const info&, const info&) = default;           ///< Compares in order.

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

namespace detail {
inline const attribute_key<info>& info_key() {
  static const attribute_key<info> key(
      info_id, [](const info& i) { return std::optional<info>(i); }, nullptr);
  return key;
}
}  // namespace detail

/// Attaches hints; replaces existing ones. A `dup` copies them.
template <class Stack>
void set_info(const communicator<Stack>& on, info hints,
              std::source_location where = std::source_location::current()) {
  detail::info_key().set(on, std::move(hints), where);
}
/// Returns the hints of a communicator; empty if there are none.
template <class Stack>
[[nodiscard]] info info_of(const communicator<Stack>& on,
                           std::source_location where = std::source_location::current()) {
  const info* const found = detail::info_key().get(on, where);
  return found == nullptr ? info() : *found;
}

}  // namespace mpx::inline v0

#include "mpx/macros/end.hpp"
