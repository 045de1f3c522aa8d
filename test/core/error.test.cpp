// SPDX-License-Identifier: BSL-1.0

#include <doctest/doctest.h>

#include <mpx/core/error.hpp>
#include <ostream>
#include <set>
#include <source_location>
#include <string>

namespace {

using mpx::errc;

TEST_CASE("errc: every value has a text of its own") {
  std::set<std::string> texts;
  const int last = static_cast<int>(errc::rma_conflict);
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

TEST_CASE("errc: is an error_code of one category") {
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

TEST_CASE("error: foreign text is quoted in printable ASCII, with a limited length") {
  using mpx::detail::printable;
  CHECK(printable("").empty());
  CHECK(printable("eth0: all of it!~") == "eth0: all of it!~");
  CHECK(printable(std::string_view("a\n\x1b[2J\0\x7f\x80\xff\\", 11)) ==
        "a\\x0a\\x1b[2J\\x00\\x7f\\x80\\xff\\x5c");
  CHECK(printable("12345", 5) == "12345");
  CHECK(printable("123456", 5) == "12345... (6 bytes)");
}

}  // namespace

TEST_CASE("error: its text ends with the line of the call, where it is known") {
  const auto here = std::source_location::current();
  const std::string end =
      ", at " + std::string(here.file_name()) + ":" + std::to_string(here.line());
  const mpx::error bare(errc::rank, "send");
  CHECK(bare.what() == std::string("send: rank out of range"));
  CHECK(bare.where().line() == 0);
  const mpx::error located(errc::rank, "send", here);
  CHECK(located.what() == bare.what() + end);
  CHECK(located.what_went_wrong() == std::string(bare.what()));
  static_assert(std::is_nothrow_copy_constructible_v<mpx::error>);
  const auto caught = [&](const mpx::error& first) {
    try {
      try {
        throw first;
      } catch (const mpx::error& e) {
        mpx::detail::rethrow_at(e, here);
      }
    } catch (const mpx::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(caught(bare) == bare.what() + end);
  CHECK(caught(mpx::error(bare, here)) == bare.what() + end);  // Once is enough.
}
