// SPDX-License-Identifier: BSL-1.0
#pragma once
// Table of trace::profile: one record for each kind of call on each source line, and the report
// over the records of all ranks.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpx/core/error.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/types.hpp"
#include "mpx/watch/trace.hpp"

namespace mpx::inline v0::trace::detail {

/// Statistics of one kind of call on one source line.
struct profile_record {
  const char* name = nullptr;  ///< Name of the call, such as "recv".
  const char* file = nullptr;  ///< Source file.
  std::uint32_t line = 0;      ///< 0: all calls on lines for which no record was left.
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;    ///< Time in these calls.
  std::int64_t waited_ns = 0;   ///< Part of it in which there was nothing to do.
  std::int64_t longest_ns = 0;  ///< Longest call.

  void add(std::int64_t ns) noexcept {
    ++calls;
    total_ns += ns;
    if (ns > longest_ns) longest_ns = ns;
  }
};

/// A record as sent between ranks.
struct profile_row {
  char name[28];  // Zero-terminated, like file.
  char file[52];  // End of a long name.
  std::uint32_t line;
  rank_t rank;
  std::uint64_t calls;
  std::int64_t total_ns;
  std::int64_t waited_ns;
  std::int64_t longest_ns;
};

/// Totals of a rank.
struct profile_summary {
  rank_t rank = 0;
  std::int64_t elapsed_ns = 0;  // From joining to leaving.
  std::array<std::uint64_t, static_cast<std::size_t>(event::count_)> events{};
};

/// Records by the address of the file name, and the line. A fixed table, so that a call never
/// allocates. If it is full, further lines share one record.
class profile_table {
 public:
  static constexpr std::size_t records_max = 509;  // Prime: spreads the lines of a file well.

  profile_record& at(const char* name, const std::source_location& where) noexcept {
    const auto line = static_cast<std::uint32_t>(where.line());
    const std::size_t hash = reinterpret_cast<std::uintptr_t>(where.file_name()) * 31 + line;
    for (std::size_t i = 0; i < tries_max; ++i) {
      std::uint16_t& slot = slots_[(hash + i) % records_max];
      if (slot == 0) {
        records_[used_] = {name, where.file_name(), line};
        slot = static_cast<std::uint16_t>(++used_);
      }
      profile_record& r = records_[slot - 1u];
      if (r.line == line && r.file == where.file_name() &&
          (r.name == name || std::strcmp(r.name, name) == 0))
        return r;
    }
    others_.name = "other calls";
    others_.file = "";
    return others_;
  }
  /// Excludes the shared record.
  std::span<const profile_record> records() const noexcept { return {records_.data(), used_}; }

  /// Returns all records for sending, as those of `rank`.
  std::vector<profile_row> rows(rank_t rank) const {
    std::vector<profile_row> made;
    made.reserve(used_ + 1);
    for (const profile_record& r : records()) made.push_back(row_of(r, rank));
    if (others_.calls != 0) made.push_back(row_of(others_, rank));
    return made;
  }

 private:
  static constexpr std::size_t tries_max = 64;

  static profile_row row_of(const profile_record& r, rank_t rank) noexcept {
    profile_row row{};
    std::strncpy(row.name, r.name, sizeof row.name - 1);
    const std::size_t length = std::strlen(r.file);
    constexpr std::size_t room = sizeof row.file - 1;
    std::strcpy(row.file, r.file + (length > room ? length - room : 0));
    row.line = r.line;
    row.rank = rank;
    row.calls = r.calls;
    row.total_ns = r.total_ns;
    row.waited_ns = r.waited_ns;
    row.longest_ns = r.longest_ns;
    return row;
  }

  std::array<profile_record, records_max> records_{};
  std::array<std::uint16_t, records_max> slots_{};  // Number of a record + 1; 0: none.
  std::size_t used_ = 0;
  profile_record others_;
};

/// True if MPX_PROFILE is 1.
/// Errors:     errc::argument if it is neither 0 nor 1.
[[gnu::noinline, gnu::cold]] inline bool profile_is_wanted() {
  const char* const text = std::getenv("MPX_PROFILE");
  std::uint64_t wanted = 0;
  if (text != nullptr && !mpx::detail::parse_number(text, 1, wanted))
    mpx::detail::throw_error(errc::argument,
                             "MPX_PROFILE=%s: give 1 for a report when the job ends, or 0", text);
  return wanted != 0;
}

/// A kind of call on one line, over all ranks.
struct profile_line {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t waited_ns = 0;
  std::int64_t longest_ns = 0;
  std::map<rank_t, std::int64_t> waited_by;
};

/// Formats a time in at most seven characters.
[[gnu::noinline, gnu::cold]] inline std::string profile_time(std::int64_t ns) {
  const auto t = static_cast<double>(ns);
  if (t < 1e3) return mpx::detail::formatted("%.0f ns", t);
  if (t < 1e6) return mpx::detail::formatted("%.3g us", t / 1e3);
  if (t < 1e9) return mpx::detail::formatted("%.3g ms", t / 1e6);
  return mpx::detail::formatted("%.2f s", t / 1e9);
}

/// Formats the report: calls by total time, the longest first, then ranks.
[[gnu::noinline, gnu::cold]] inline std::string profile_report(
    std::span<const profile_summary> ranks, std::span<const profile_row> rows) {
  using mpx::detail::append;
  constexpr std::size_t lines_max = 40;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, profile_line> merged;
  // Time in mpx, and the part of it spent waiting.
  std::map<rank_t, std::pair<std::int64_t, std::int64_t>> of_rank;
  std::int64_t elapsed = 0, total = 0, waited = 0;
  for (const profile_row& r : rows) {
    profile_line& l = merged[{r.file, r.line, r.name}];
    l.calls += r.calls;
    l.total_ns += r.total_ns;
    l.waited_ns += r.waited_ns;
    l.longest_ns = std::max(l.longest_ns, r.longest_ns);
    l.waited_by[r.rank] += r.waited_ns;
    of_rank[r.rank].first += r.total_ns;
    of_rank[r.rank].second += r.waited_ns;
    total += r.total_ns;
    waited += r.waited_ns;
  }
  for (const profile_summary& s : ranks) elapsed += s.elapsed_ns;
  const auto percent = [&](std::int64_t ns) {
    return elapsed == 0 ? 0.0 : 100.0 * static_cast<double>(ns) / static_cast<double>(elapsed);
  };
  std::string text;
  append(text,
         "mpx profile: %zu ranks, %s. Of the ranks' time %.1f %% was in mpx: %.1f %% waiting, %.1f "
         "%% working.\n\n%-20s %-28s %10s %9s %9s %9s   %s\n",
         ranks.size(),
         profile_time(ranks.empty() ? 0 : elapsed / std::int64_t(ranks.size())).c_str(),
         percent(total), percent(waited), percent(total - waited), "call", "line", "calls", "time",
         "waiting", "longest", "waited least .. most");
  std::vector<std::pair<std::int64_t, const decltype(merged)::value_type*>> order;
  for (const auto& entry : merged)
    if (entry.second.calls != 0) order.emplace_back(-entry.second.total_ns, &entry);
  std::sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < order.size() && i < lines_max; ++i) {
    const auto& [key, l] = *order[i].second;
    std::string file = std::get<0>(key);
    file.erase(0, file.rfind('/') + 1);
    if (std::get<1>(key) != 0) append(file, ":%u", std::get<1>(key));
    const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::minmax_element(l.waited_by.begin(), l.waited_by.end(), by_time);
    append(text, "%-20s %-28s %10llu %9s %9s %9s   %s (rank %d) .. %s (rank %d)\n",
           std::get<2>(key).c_str(), file.c_str(), static_cast<unsigned long long>(l.calls),
           profile_time(l.total_ns).c_str(), profile_time(l.waited_ns).c_str(),
           profile_time(l.longest_ns).c_str(), profile_time(least->second).c_str(), least->first,
           profile_time(most->second).c_str(), most->first);
  }
  if (order.size() > lines_max) append(text, "and %zu more lines\n", order.size() - lines_max);
  append(text, "\n%-6s %9s %9s %9s %8s %10s %10s %9s %9s %9s\n", "rank", "own work", "waiting",
         "working", "sleeps", "eager", "announced", "got", "put", "streamed");
  for (const profile_summary& s : ranks) {
    const auto count = [&s](event e) {
      return static_cast<unsigned long long>(s.events[static_cast<std::size_t>(e)]);
    };
    const auto [in_mpx, waits] = of_rank[s.rank];
    append(text, "%-6d %9s %9s %9s %8llu %10llu %10llu %6llu MB %6llu MB %6llu MB\n", s.rank,
           profile_time(s.elapsed_ns - in_mpx).c_str(), profile_time(waits).c_str(),
           profile_time(in_mpx - waits).c_str(), count(event::sleeps), count(event::eager_sent),
           count(event::announced), count(event::bytes_got) / 1'000'000,
           count(event::bytes_put) / 1'000'000, count(event::bytes_streamed) / 1'000'000);
  }
  return text;
}

}  // namespace mpx::inline v0::trace::detail
