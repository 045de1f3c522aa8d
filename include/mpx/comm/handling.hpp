// SPDX-License-Identifier: BSL-1.0
#pragma once
// Name, error handler and preferred peers of a communicator.

#include <cstring>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>

#include "mpx/comm/detail/create.hpp"
#include "mpx/core/exchange.hpp"

namespace mpx::inline v0 {

/// Handling of errors in calls that throw.
enum class on_error : std::uint8_t {
  throws,   ///< mpx::error is thrown. The default.
  returns,  ///< As `throws`; marks communicators of wrappers that return codes to their callers.
  aborts,   ///< The job is aborted.
  calls,    ///< A function of the program is called; if it returns, mpx::error is thrown.
};

namespace detail {

/// Name, error handler and preferred peers; a base of a communicator.
template <class Communicator, class Stack>
class handling {
 public:
  /// Sets the name of this communicator at this rank, which appears in errors. Names are cut to 63
  /// characters.
  /// Errors:     errc::no_resources.
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
  /// Returns the name, or an empty one; valid until the next set_name or until the communicator is
  /// freed.
  std::string_view name(std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    return a.state().name == nullptr ? std::string_view() : std::string_view(a.state().name);
  }

  /// Sets the error handling of calls that throw, at this rank. Calls that store a code ignore it.
  /// Communicators made of this one later inherit it.
  /// Requires:   `how` is not on_error::calls.
  /// Source:     MPI 4.1, 9.3.
  void set_error_handler(on_error how,
                         std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    MPX_ASSERT_AT(how != on_error::calls, "give the function to be called", where);
    a.state().on_error = {static_cast<error_handling::kind>(how)};
  }
  /// Sets a function that is called on errors: `function(error, with)`. If it throws, its exception
  /// is passed on instead.
  void set_error_handler(void (*function)(const error&, void*), void* with = nullptr,
                         std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    a.state().on_error = {error_handling::kind::calls, function, with};
  }
  /// Returns the error handling in effect.
  on_error error_handler(std::source_location where = std::source_location::current()) const {
    return static_cast<on_error>(communicator_access<Stack>(self(), where).state().on_error.is);
  }

  /// Says that this rank expects many messages of `ranks`: they keep the largest shares of its
  /// unexpected memory, in this order, until the next call on any communicator of the environment.
  /// Does nothing if the stack's flow control has equal shares.
  /// Requires:   0 <= r < size() for each r of `ranks`.
  /// Errors:     errc::no_resources.
  /// Cost:       with flow::zeno, at most two packets for each of them.
  /// Source:     Gropp and Lusk, 5.2.
  void prefer(std::span<const rank_t> ranks,
              std::source_location where = std::source_location::current()) const {
    const communicator_access<Stack> a(self(), where);
    plain_array<peer_id> peers;
    for (const rank_t r : ranks) {
      MPX_ASSERT_AT(r >= 0 && r < a.size(), "prefer takes ranks of this communicator", where);
      peers.push_back(a.peer_of(r));
    }
    a.at().prefer({peers.begin(), peers.size()});
  }
  void prefer(std::initializer_list<rank_t> ranks,
              std::source_location where = std::source_location::current()) const {
    prefer(std::span<const rank_t>(ranks.begin(), ranks.size()), where);
  }

 private:
  const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

}  // namespace detail
}  // namespace mpx::inline v0
