// SPDX-License-Identifier: BSL-1.0
#pragma once
// Which error something throws.

#include <mpx/core/error.hpp>
#include <string>

namespace ranks {

/// The errc that `body` throws, or errc{}.
template <class Body>
mpx::errc errc_of(Body body) {
  try {
    body();
  } catch (const mpx::error& e) {
    return static_cast<mpx::errc>(e.code().value());
  }
  return mpx::errc{};
}

/// The text of the mpx::error that `body` throws, or "".
template <class Body>
std::string text_of(Body body) {
  try {
    body();
  } catch (const mpx::error& e) {
    return e.what();
  }
  return {};
}

}  // namespace ranks
