// expect: CompletionToken
// SPDX-License-Identifier: BSL-1.0
#include <mpx/mpx.hpp>

struct token {
#ifdef MPX_CONTROL
  template <class Call>
  void launch(Call&&) {}
#endif
};

void use(mpx::communicator<mpx::stack<>>& world, int& x) { world.recv(x, 0, 0, token{}); }
