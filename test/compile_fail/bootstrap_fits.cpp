// expect: BootstrapFits
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

/// All that a Bootstrap needs, and no memory to share.
struct minimal {
  using policy_axis = mpx::bootstrap_axis;
  mpx::rank_t rank() const noexcept;
  mpx::rank_t size() const noexcept;
  std::string_view host() const;
  void put(std::string_view key, std::string_view value);
  std::optional<std::string> get(mpx::rank_t rank, std::string_view key);
  void fence(std::invocable auto&& idle);
  [[noreturn]] void abort(int code, std::string_view why);
};

#ifdef MPX_CONTROL
using chosen = mpx::stack<minimal, mpx::transport::inproc>;
#else
using chosen = mpx::stack<minimal, mpx::transport::shm>;
#endif
using type = chosen::transport_type;
