// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// State that outlives connections: a log and its reader, over a wire that takes any number of bytes
// and breaks anywhere.

#include <doctest/doctest.h>

#include <deque>
#include <iterator>
#include <map>
#include <mpx/transport/detail/replay.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace mpx::transport::detail;

std::span<const std::byte> view(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

/// Sends random frames through a log, as connections and receipts come and go, and watches over
/// what it promises.
class game {
 public:
  std::size_t sent_again = 0;  // Entries, over all connections.
  explicit game(std::uint64_t seed) : random_(seed) {}

  std::string play(int steps) {
    for (int i = 0; i < steps && complaint_.empty(); ++i) step();
    // In the end a connection lives, and everything is acknowledged.
    for (int i = 0; i < 10'000 && complaint_.empty() && !(log_.empty() && held_.empty()); ++i) {
      carry(100'000);
      acknowledge(receipt_.received());
    }
    if (complaint_.empty() && got_ != sent_) complaint_ = "arrived data differs from sent data";
    if (complaint_.empty() && !held_.empty()) complaint_ = "a completion was not reported";
    if (complaint_.empty() && !log_.empty()) complaint_ = "the log keeps data without need";
    return complaint_;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void step() {
    act();
    if (log_.unwritten_bytes() != sent_.size() - log_.written())
      complaint_ = "waiting bytes are miscounted";
  }
  void act() {
    switch (below(8)) {
      case 0:
      case 1:
      case 2: return post();
      case 3:
      case 4: return carry(1 + below(400));
      case 5:
        return acknowledge(log_.acknowledged() +
                           below(receipt_.received() - log_.acknowledged() + 1));
      case 6: return move();
      default:
        if (below(4) == 0) reconnect();
    }
  }
  void post() {
    const std::string head(1 + below(24), static_cast<char>('A' + below(26)));
    std::string body(below(200), 0);
    for (char& c : body) c = static_cast<char>('a' + below(26));
    const bool copies = body.empty() || below(2) == 0;
    const std::size_t bytes = head.size() + body.size();
    if (!log_.has_room(copies ? bytes : 0) || !log_.reserve(bytes)) return;
    const mpx::cookie_t cookie = ++serial_;
    // Some have been written in part already.
    const std::size_t taken = log_.idle() ? below(bytes + 1) : 0;
    sent_ += head + body;
    const bool tells = copies ? taken != bytes && below(2) == 0 : true;
    std::string& kept = bodies_[cookie] = body;
    if (copies) {
      log_.copy(view(head), view(kept), taken, tells, cookie);
      std::fill(kept.begin(), kept.end(), '!');  // It is the caller's again.
    } else {
      log_.refer(view(head), view(kept), taken, cookie);
    }
    if (tells) held_[cookie] = copies;
    arrive(sent_.substr(sent_.size() - bytes, taken));
  }
  /// A connection takes some of what waits, and the other end gets it, or it is on its way.
  void carry(std::size_t most) {
    reserve();
    iovec pieces[5];
    std::size_t wanted = 0;
    const std::size_t count = log_.next(pieces, wanted);
    std::string taken;
    for (std::size_t i = 0; i < count; ++i)
      taken.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
    if (taken.size() != wanted) complaint_ = "the sum of the pieces is wrong";
    taken.resize(std::min(taken.size(), most));
    log_.wrote(taken.size(), told_);
    hear();
    arrive(taken);
  }
  void arrive(const std::string& bytes) {
    on_the_way_ += bytes;
    const std::size_t n = below(2) == 0 ? on_the_way_.size() : below(on_the_way_.size() + 1);
    got_ += on_the_way_.substr(0, n);
    on_the_way_.erase(0, n);
    receipt_.took(n);
    if (receipt_.received() > log_.written()) complaint_ = "more bytes arrived than were written";
  }
  void acknowledge(std::uint64_t to) {
    reserve();
    if (log_.acknowledge(log_.written() + 1, told_))
      complaint_ = "an impossible acknowledgement was accepted";
    if (!log_.acknowledge(to, told_)) complaint_ = "a receipt was not believed";
    hear();
  }
  void reconnect() {
    reserve();
    on_the_way_.clear();
    if (!log_.resume(receipt_.tell(), told_)) complaint_ = "it does not go on";
    sent_again += log_.sent_again();
    hear();
    if (log_.written() != receipt_.received()) complaint_ = "it continues at another offset";
  }
  /// A payload moves: where it was is written over.
  void move() {
    if (bodies_.empty()) return;
    const auto it = std::next(bodies_.begin(), static_cast<std::ptrdiff_t>(below(bodies_.size())));
    if (!held_.contains(it->first) || held_[it->first]) return;
    spare_.push_back(it->second);
    log_.relocate(it->first, view(it->second), view(spare_.back()).data());
    std::fill(it->second.begin(), it->second.end(), '?');
  }
  void reserve() {
    if (!told_.reserve(held_.size() + 1)) complaint_ = "no memory";
  }
  void hear() {
    for (; !told_.empty(); told_.pop()) {
      const replay_completion c = told_.front();
      if (!c.ok || held_.erase(c.cookie) == 0)
        complaint_ = "a completion was reported twice, or with an error";
      if (auto it = bodies_.find(c.cookie); it != bodies_.end())
        std::fill(it->second.begin(), it->second.end(), '#');  // Not read any more.
    }
    reserve();
  }

  std::mt19937_64 random_;
  replay_log log_;
  replay_receipt receipt_;
  replay_told told_;
  std::string sent_;
  std::string got_;
  std::string on_the_way_;
  std::map<mpx::cookie_t, std::string> bodies_;
  std::map<mpx::cookie_t, bool> held_;  // True: it was copied.
  std::deque<std::string> spare_;
  mpx::cookie_t serial_ = 0;
  std::string complaint_;
};

TEST_CASE("replay: nothing is lost or doubled, wherever connections break") {
  std::size_t sent_again = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    game one(seed);
    REQUIRE(one.play(400) == "");
    sent_again += one.sent_again;
  }
  CHECK(sent_again > 300);
}

TEST_CASE("replay: the log is bounded, and failures are reported") {
  replay_log log;
  replay_told told;
  REQUIRE(told.reserve(1000));
  const std::string body(1000, 'x');
  std::uint64_t n = 0;
  for (; log.may_keep(1000) && n < 2000; ++n) {
    REQUIRE(log.reserve(1000));
    log.copy({}, view(body), 1000, false, 0);
  }
  CHECK(n * 1000 <= replay_log::kept_bytes_max);
  CHECK(n * 1000 > replay_log::kept_bytes_max - 1000);
  REQUIRE(log.acknowledge(n * 1000 - 5, told));
  CHECK(log.may_keep(10'000'000));  // One that is longer than the bound has its turn.
  REQUIRE(log.reserve(1000));
  log.refer(view("head"), view(body), 10, 7);
  log.fail(told);
  REQUIRE(told.size() == 1);
  CHECK(told.front().cookie == 7);
  CHECK(!told.front().ok);
  CHECK(log.empty());
}

TEST_CASE("replay: receipts are due for every so many bytes, and when asked for") {
  replay_receipt r;
  CHECK(!r.due());
  r.ask();
  CHECK(r.due());
  CHECK(r.tell() == 0);
  r.took(replay_log::receipt_bytes - 1);
  CHECK(!r.due());
  r.took(1);
  CHECK(r.due());
  CHECK(r.tell() == replay_log::receipt_bytes);
  CHECK(!r.due());
}

}  // namespace
