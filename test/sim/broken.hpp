// SPDX-License-Identifier: BSL-1.0
#pragma once
// Reports a broken promise to the explorer.

#include <stdexcept>
#include <string>

namespace explorer {

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool kept, const std::string& what) {
  if (!kept) throw broken(what);
}
/// No text is made where none is needed.
inline void require(bool kept, const char* what) {
  if (!kept) throw broken(what);
}

}  // namespace explorer
