// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <mpx/core/error.hpp>
#include <ostream>
#include <set>
#include <string>

namespace {

using mpx::errc;

TEST_CASE("errc: every value has a text of its own") {
  std::set<std::string> texts;
  const int last = static_cast<int>(errc::broken_promise);
  for (int value = 1; value <= last; ++value) {
    const std::string text = mpx::category().message(value);
    CAPTURE(value);
    CHECK(text != "unknown mpx error");
    CHECK(!text.empty());
    texts.insert(text);
  }
  CHECK(texts.size() == static_cast<std::size_t>(last));
  for (const int none : {-1, 0, last + 1, 12345})
    CHECK(mpx::category().message(none) == "unknown mpx error");
}

TEST_CASE("errc: it is an error_code of one category") {
  const std::error_code code = errc::truncate;
  CHECK(code);
  CHECK(code == errc::truncate);
  CHECK(code != errc::tag);
  CHECK(code.value() == static_cast<int>(errc::truncate));
  CHECK(&code.category() == &mpx::category());
  CHECK(std::string(code.category().name()) == "mpx");
  CHECK(code != std::error_code(code.value(), std::generic_category()));
  CHECK(!std::error_code(errc{}));
}

TEST_CASE("error: it carries the code and the context") {
  const auto check = [](const mpx::error& e) {
    CHECK(e.code() == errc::rank);
    const std::string what = e.what();
    CHECK(what.find("send on rank 3") != std::string::npos);
    CHECK(what.find("rank out of range") != std::string::npos);
  };
  check(mpx::error(errc::rank, "send on rank 3"));
  check(mpx::error(make_error_code(errc::rank), "send on rank 3"));
  CHECK_THROWS_AS(throw mpx::error(errc::rank, "x"), std::system_error);
}

}  // namespace
