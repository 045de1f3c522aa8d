// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <memory>
#include <mpx/core/function_ref.hpp>
#include <type_traits>
#include <utility>

namespace {

using mpx::detail::function_ref;

static_assert(sizeof(function_ref<void()>) == 2 * sizeof(void*));
static_assert(std::is_trivially_copyable_v<function_ref<int(int)>>);
static_assert(!std::is_constructible_v<function_ref<void(int)>, int>);
static_assert(!std::is_default_constructible_v<function_ref<void()>>);

int twice(function_ref<int(int)> f) { return f(f(1)); }

TEST_CASE("function_ref: calls the referenced function, whose state it shares") {
  int calls = 0;
  const auto add = [&calls](int n) {
    ++calls;
    return n + 10;
  };
  CHECK(twice(add) == 21);
  CHECK(calls == 2);
  auto counts = [n = 0]() mutable { return ++n; };
  const function_ref<int()> a(counts);
  const function_ref<int()> b = a;  // NOLINT(*-copy-initialization): a copy is meant.
  CHECK(a() == 1);
  CHECK(b() == 2);
  CHECK(counts() == 3);
  int (*pointer)(int) = [](int n) { return -n; };
  CHECK(twice(pointer) == 1);
}

TEST_CASE("function_ref: passes move-only arguments, and drops unused results") {
  int seen = 0;
  const auto take = [&seen](std::unique_ptr<int> p) { return seen = *p; };
  const function_ref<void(std::unique_ptr<int>)> f(take);
  f(std::make_unique<int>(7));
  CHECK(seen == 7);
}

}  // namespace
