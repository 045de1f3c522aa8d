// SPDX-License-Identifier: BSL-1.0
// Reports of rank 0 on a job that no process monitors.

#include <mpx/mpx.hpp>
#include <mpx/watch/hang_collection.hpp>
#include <utility>
#include <vector>

#include "comm/ranks.hpp"
#include "watch/waiting.hpp"

namespace {

using namespace mpx::detail;
using mpx::errc;
using ranks::contains;
using said::in_state;
using said::waiting;
using collection = hang_collection<>;

struct piece {
  mpx::tag_t at;
  std::vector<std::byte> bytes;
};
std::vector<piece> pieces_of(const hang_info& info) {
  std::vector<piece> all;
  hang_pieces::for_each(info, [&](mpx::tag_t at, std::span<const std::byte> bytes) {
    all.push_back({at, {bytes.begin(), bytes.end()}});
  });
  return all;
}
errc take_all(collection& into, mpx::rank_t from, const hang_info& info) {
  for (const piece& p : pieces_of(info))
    if (const errc why = into.take(from, p.at, p.bytes); why != errc{}) return why;
  return errc{};
}

TEST_CASE("hang collection: a state arrives as it was sent, without its zeros") {
  hang_info out = waiting(1, 0);
  out.names_kept = 1;
  copy_head(out.names[0].text, "halo");
  out.unexpected.add({.peer = 2, .tag = 8, .context = 0, .stage = hang_stage::arrived});
  const std::vector<piece> all = pieces_of(out);
  CHECK(all.size() < sizeof out / hang_pieces::bytes_max);
  hang_info in = waiting(2, 2);
  bool complete = false;
  for (const piece& p : all) {
    CHECK(!complete);
    CHECK(hang_pieces::add(in, complete, p.at, p.bytes) == errc{});
  }
  CHECK(complete);
  CHECK(std::memcmp(&in, &out, sizeof in) == 0);
}

TEST_CASE("hang collection: pieces that no rank makes are refused") {
  collection all(3);
  const std::vector<std::byte> full(hang_pieces::bytes_max);
  const auto short_piece = std::span(full).first(hang_pieces::bytes_max - 1);
  CHECK(all.take(1, 0, full) == errc{});
  CHECK(all.take(1, 1, full) == errc::protocol);
  CHECK(all.take(1, -2, full) == errc::protocol);
  CHECK(all.take(1, hang_pieces::withdrawn, full) == errc::protocol);
  CHECK(all.take(1, 0, short_piece) == errc::protocol);
  CHECK(all.take(1, 0, {}) == errc::protocol);
  CHECK(all.take(1, INT32_MAX / 40 * 40, full) == errc::protocol);
  CHECK(all.take(0, 0, full) == errc::protocol);
  CHECK(all.take(3, 0, full) == errc::protocol);
  CHECK(all.take(-1, 0, full) == errc::protocol);
  constexpr std::size_t last = (sizeof(hang_info) - 1) / hang_pieces::bytes_max;
  constexpr std::size_t rest = sizeof(hang_info) - last * hang_pieces::bytes_max;
  const auto at = static_cast<mpx::tag_t>(last * hang_pieces::bytes_max);
  CHECK(all.take(1, at, std::span(full).first(rest)) == errc{});
  CHECK(all.take(1, at + 40, full) == errc::protocol);
}

TEST_CASE("hang_collection: the report waits for all ranks, and names those without a state") {
  collection all(3);
  const hang_info own = waiting(0, 1);
  CHECK(all.report(own, 500'000'000, false).empty());
  CHECK(contains(all.report(own, 1'000'000'000, true), "mpx: hang report: 1 of 3 ranks have "));
  CHECK(take_all(all, 2, waiting(2, 0)) == errc{});
  CHECK(all.report(own, 500'000'000, false).empty());
  const std::string some = all.report(own, 1'000'000'000, true);
  CHECK(contains(some, "mpx: hang report: 2 of 3 ranks have waited for 1 s or longer\n"));
  CHECK(contains(some, "  rank 1 has joined, and does not say what it is doing"));
  CHECK(take_all(all, 1, waiting(1, 2)) == errc{});
  const std::string whole = all.report(own, 500'000'000, false);
  CHECK(contains(whole, "nothing has moved for 0.5 s in this job of 3 ranks\n"));
  CHECK(contains(whole, "cycle: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0\n"));
}

TEST_CASE("hang_collection: a report follows only if there is news") {
  collection all(2);
  const hang_info own = waiting(0, 1);
  CHECK(all.has_unreported());
  CHECK(!all.report(own, 1, true).empty());
  CHECK(!all.has_unreported());
  CHECK(take_all(all, 1, waiting(1, 0)) == errc{});
  CHECK(all.has_unreported());
  CHECK(!all.report(own, 1, false).empty());
  CHECK(!all.has_unreported());
  CHECK(all.take(1, hang_pieces::withdrawn, {}) == errc{});
  CHECK(!all.has_unreported());
  all.go_on();  // Rank 0 does.
  CHECK(all.has_unreported());
}

TEST_CASE("hang_collection: a rank that continues, is lost or sends a part is left out") {
  collection all(2);
  const hang_info own = waiting(0, 1);
  CHECK(all.take(1, hang_pieces::withdrawn, {}) == errc{});
  all.forget(1);
  const auto is_known = [&] { return !all.report(own, 1, false).empty(); };
  CHECK(take_all(all, 1, waiting(1, 0)) == errc{});
  CHECK(is_known());
  CHECK(all.take(1, hang_pieces::withdrawn, {}) == errc{});
  CHECK(!is_known());
  CHECK(take_all(all, 1, waiting(1, 0)) == errc{});
  CHECK(is_known());
  all.forget(1);
  CHECK(!is_known());
  CHECK(take_all(all, 1, waiting(1, 0)) == errc{});
  const piece first = pieces_of(waiting(1, 0)).front();
  CHECK(all.take(1, first.at, first.bytes) == errc{});
  CHECK(!is_known());
}

TEST_CASE("hang collection: a state is not trusted") {
  collection all(2);
  hang_info bad = waiting(1, 0);
  bad.posted.kept = UINT32_MAX;
  CHECK(take_all(all, 1, bad) == errc{});
  CHECK(contains(all.report(waiting(0, 1), 1, false), "  rank 1 cannot be understood\n"));
  hang_info other = waiting(1, 0);
  other.rank = 77;
  other.environment = 5;
  CHECK(take_all(all, 1, other) == errc{});
  CHECK(
      contains(all.report(waiting(0, 1), 1, false), "rank 0 waits for rank 1, rank 1 for rank 0"));
}

}  // namespace
