// SPDX-License-Identifier: BSL-1.0
#pragma once
// Threads without <thread>, which takes long to compile.

#include <pthread.h>

#include <system_error>

#include "mpx/core/memory.hpp"

namespace mpx::inline v0::platform {

/// Runs `body(argument)` in a thread; the destructor joins it.
/// Requires:   `body` outlives this object and does not throw.
/// Errors:     errc::no_resources.
template <class Body>
class joined_thread : public mpx::detail::allocated {
 public:
  joined_thread(const Body& body, int argument) : body_(body), argument_(argument) {
    if (const int why = ::pthread_create(&id_, nullptr, &joined_thread::run, this); why != 0)
      mpx::detail::throw_error(errc::no_resources, "pthread_create failed (%s)",
                               std::system_category().message(why).c_str());
  }
  joined_thread(const joined_thread&) = delete;
  joined_thread& operator=(const joined_thread&) = delete;
  ~joined_thread() { ::pthread_join(id_, nullptr); }

 private:
  static void* run(void* self) {
    const auto& me = *static_cast<const joined_thread*>(self);
    me.body_(me.argument_);
    return nullptr;
  }

  const Body& body_;
  int argument_;
  pthread_t id_{};
};

}  // namespace mpx::inline v0::platform
