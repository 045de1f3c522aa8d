// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <limits>
#include <mpx/core/frame.hpp>
#include <mpx/core/types.hpp>
#include <type_traits>

namespace {

static_assert(sizeof(mpx::rank_t) == 4 && std::is_signed_v<mpx::rank_t>);
static_assert(mpx::tag_max == std::numeric_limits<mpx::tag_t>::max());
static_assert(std::is_convertible_v<decltype(mpx::any_source), mpx::rank_t>);
static_assert(std::is_convertible_v<decltype(mpx::any_tag), mpx::tag_t>);
static_assert(!std::is_same_v<decltype(mpx::any_source), decltype(mpx::proc_null)>);

TEST_CASE("types: wildcards are no ranks and no tags") {
  CHECK(mpx::rank_t{mpx::any_source} < 0);
  CHECK(mpx::rank_t{mpx::proc_null} < 0);
  CHECK(mpx::rank_t{mpx::any_source} != mpx::rank_t{mpx::proc_null});
  CHECK(mpx::tag_t{mpx::any_tag} < 0);
}

TEST_CASE("types: a header leaves forty bytes of a line") {
  CHECK(sizeof(mpx::frame_header) + sizeof(std::uint32_t) + 40 == mpx::cache_line_bytes);
}

}  // namespace
