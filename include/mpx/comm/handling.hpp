// SPDX-License-Identifier: BSL-1.0
#pragma once
// What a communicator is called, and what becomes of its errors.

#include <cstring>
#include <source_location>
#include <string_view>

#include "mpx/comm/detail/create.hpp"
#include "mpx/core/exchange.hpp"

namespace mpx::inline v0 {

/// What becomes of an error of a call that throws, before it does.
enum class on_error : std::uint8_t {
  throws,   ///< Nothing: mpx::error is thrown. The default.
  returns,  ///< The same; who wraps these calls for callers that want codes keeps it here.
  aborts,   ///< The job ends.
  calls,    ///< A function of the program is called; when it returns, mpx::error is thrown.
};

namespace detail {

/// A base of a communicator.
template <class Communicator, class Stack>
class handling {
 public:
  /// The name of this communicator at this rank: errors tell it. Its first 63 characters count.
  /// Errors: errc::no_resources.
  void set_name(std::string_view name,
                std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    const std::size_t n = lesser<std::size_t>(name.size(), 63);
    auto* const made = static_cast<char*>(platform::allocate(n + 1));
    if (made == nullptr) throw_out_of_memory();
    if (n != 0) std::memcpy(made, name.data(), n);
    made[n] = 0;
    platform::deallocate(detail::exchange(a.state().name, made));
  }
  /// Empty if it has none; valid until the next one, or the communicator is freed.
  std::string_view name(std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    return a.state().name == nullptr ? std::string_view() : std::string_view(a.state().name);
  }

  /// What becomes of errors of calls that throw, at this rank. Calls that store a code do just
  /// that. Communicators made of this one later begin with the same. Requires: not `calls`.
  /// Source: MPI 4.1, 9.3.
  void set_error_handler(on_error how,
                         std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    MPX_ASSERT_AT(how != on_error::calls, "give the function to be called", where);
    a.state().on_error = {static_cast<error_handling::kind>(how)};
  }
  /// The same: `function(error, with)` is called. What it throws goes on instead.
  void set_error_handler(void (*function)(const error&, void*), void* with = nullptr,
                         std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    a.state().on_error = {error_handling::kind::calls, function, with};
  }
  /// What has been set.
  on_error error_handler(std::source_location where = std::source_location::current()) const {
    return static_cast<on_error>(communicator_access<Stack>(self(), where).state().on_error.is);
  }

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace detail
}  // namespace mpx::inline v0
