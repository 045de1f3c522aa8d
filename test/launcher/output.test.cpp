// SPDX-License-Identifier: BSL-1.0
// Bytes of ranks on their way through mpxrun.

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../../tools/mpxrun/output.hpp"

namespace {

/// The file that mpxrun writes to.
struct kept {
  launcher::descriptor file{::memfd_create("kept", 0)};
  launcher::sink sink{file.get()};

  /// Returns what has been written since the last call.
  std::string more() {
    sink.flush();
    const auto end = static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END));
    std::string read(end - seen, '\0');
    const ssize_t n = ::pread(file.get(), read.data(), read.size(), static_cast<off_t>(seen));
    REQUIRE(n == static_cast<ssize_t>(read.size()));
    seen = end;
    return read;
  }

  std::size_t seen = 0;
};

/// A rank, which writes to a pipe that mpxrun reads.
struct rank {
  explicit rank(launcher::sink& to, const std::string& label = "") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
    from = launcher::source{launcher::descriptor{ends[0]}, to, label};
    write_end = launcher::descriptor{ends[1]};
  }

  void writes(std::string_view text, std::int64_t now_ns = 0) {
    while (!text.empty()) {
      const ssize_t n = ::write(write_end.get(), text.data(), text.size());
      REQUIRE(n > 0);
      text.remove_prefix(static_cast<std::size_t>(n));
      read(now_ns);
    }
  }
  void read(std::int64_t now_ns = 0) { from.read(buffer.data(), buffer.size(), now_ns); }
  /// Time passes in which it writes nothing.
  void is_silent() {
    if (from.pending()) from.show_pending();
  }
  void ends() {
    write_end.reset();
    while (from.open()) read();
  }

  launcher::source from;
  launcher::descriptor write_end;
  std::vector<char> buffer = std::vector<char>(launcher::line_bytes_max);
};

constexpr std::size_t longest = launcher::line_bytes_max;

}  // namespace

TEST_CASE("a line that passes in pieces gets no bytes") {
  kept out;
  rank first{out.sink}, second{out.sink};

  first.writes("unfinished");
  CHECK(out.more() == "");
  first.is_silent();
  second.writes("whole\n");
  first.writes(" and finished\n");
  CHECK(out.more() == "unfinishedwhole\n and finished\n");

  first.writes(std::string(longest, 'x'));
  second.writes("whole\n");
  first.writes("\n");
  CHECK((out.more() == std::string(longest, 'x') + "whole\n\n"));

  first.writes("no end");
  first.ends();
  second.writes("nor");
  second.ends();
  CHECK(out.more() == "no endnor");
}

TEST_CASE("lines of up to 64 KiB stay whole") {
  kept out;
  rank first{out.sink}, second{out.sink};
  const std::string line = std::string(longest - 1, 'x') + "\n";
  first.writes(line.substr(0, longest / 2));
  second.writes("between\n");
  first.writes(line.substr(longest / 2));
  CHECK((out.more() == "between\n" + line));
}

TEST_CASE("\\r ends a line, and \\r\\n is not split") {
  kept out;
  rank first{out.sink}, second{out.sink};
  first.writes("10%\r");
  second.writes("between\n");
  first.writes("20%\r");  // Only now is it known that no \n follows.
  CHECK(out.more() == "between\n10%\r");
  first.is_silent();
  CHECK(out.more() == "20%\r");
  first.writes("line\r");
  second.writes("between\n");
  first.writes("\n\r\n\r");
  CHECK(out.more() == "between\nline\r\n\r\n");
  first.ends();
  CHECK(out.more() == "\r");
}

TEST_CASE("labels begin lines, and end those of others") {
  kept out;
  rank first{out.sink, "[0] "}, second{out.sink, "[1] "};
  first.writes("unfinished");
  first.is_silent();
  second.writes("whole\n");
  first.writes(" and finished\n");
  second.writes("no end");
  second.ends();
  CHECK(out.more() == "[0] unfinished\n[1] whole\n[0]  and finished\n[1] no end\n");
}

TEST_CASE("text of mpxrun has lines of its own") {
  kept out;
  rank first{out.sink};
  first.writes("prompt? ");
  first.is_silent();
  out.sink.append(&out, "mpxrun: news\n");
  out.sink.append(&out, "mpxrun: more\n");
  CHECK(out.more() == "prompt? \nmpxrun: news\nmpxrun: more\n");
}

TEST_CASE("every byte of every rank is printed once, in its order") {
  // Each of the ranks has bytes of its own; newlines are counted.
  constexpr std::size_t ranks = 4;
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    kept out;
    std::vector<rank> all;
    for (std::size_t i = 0; i < ranks; ++i) all.emplace_back(out.sink);
    std::array<std::string, ranks> written, seen;
    std::size_t newlines_written = 0, newlines_seen = 0;
    for (int turn = 0; turn < 60; ++turn) {
      const std::size_t who = random() % ranks;
      const std::size_t longest_now = std::array<std::size_t, 3>{100, 5'000, 90'000}[random() % 3];
      std::string text(random() % longest_now, '\0');
      for (char& c : text) {
        c = static_cast<char>(random() % 64 * ranks + who);
        if (c == '\n') c = static_cast<char>(who);
        written[who] += c;
      }
      if (random() % 2 == 0) {
        text += '\n';
        ++newlines_written;
      }
      all[who].writes(text);
      if (random() % 8 == 0) all[random() % ranks].is_silent();
    }
    for (auto& it : all) it.ends();
    for (const char c : out.more()) {
      if (c == '\n')
        ++newlines_seen;
      else
        seen[static_cast<unsigned char>(c) % ranks] += c;
    }
    CHECK(newlines_seen == newlines_written);
    for (std::size_t i = 0; i < ranks; ++i) CHECK((seen[i] == written[i]));
  }
}
