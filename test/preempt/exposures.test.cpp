// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// Memory that is exposed and withdrawn under all kinds of schedules: while a peer copies, it is not
// withdrawn; after that no peer copies from it, nor from later data there under another key; and
// its owner learns whether a peer has copied.

#include "explore.hpp"

#include <mpx/transport/detail/exposures.hpp>

#include <atomic>

#include "search.hpp"

namespace {

using namespace mpx::transport::detail;

constexpr std::uint32_t pieces = 6;

/// Planted errors that the search must find.
enum class flaw : std::uint8_t {
  none,
  copies_unheld,   // The peer looks, but does not hold.
  frees_too_soon,  // The owner does not ask again.
  one_version,     // The peer takes a place for what it was before.
};

/// One rank exposes one piece after the other at the same place and withdraws each at any time; its
/// peer copies the last announced piece, in two parts, as often as it can.
class lending {
 public:
  static constexpr std::size_t threads = 2;

  explicit lending(explore::scheduler& s, flaw f = flaw::none)
      : scheduler_(s), flaw_(f), table_(new exposure_word[exposure_key::slots]()) {}

  void thread(std::size_t i) { i == 0 ? lend() : copy(); }
  std::string wrong() { return copied_ > 2 * pieces ? "a piece was copied too often" : ""; }

 private:
  void lend() {
    for (std::uint32_t n = 1; n <= pieces; ++n) {
      const auto key = mine_.open(table_.get());
      if (!key) return scheduler_.fail("no word is free");
      lies_there_ = n;
      copied_now_ = 0;
      heard_.store(key->pack() << 8 | n, std::memory_order_release);
      for (std::uint32_t work = 0; work < n % 3; ++work) explore::relax();
      closed_exposure closed = mine_.close(table_.get(), *key);
      while (!closed && flaw_ != flaw::frees_too_soon) {
        explore::relax();
        closed = mine_.close(table_.get(), *key);
      }
      if (copying_ != 0) scheduler_.fail("taken back while it was copied");
      lies_there_ = 0;
      if (closed && (closed.copied_bytes != 0) != (copied_now_ != 0))
        scheduler_.fail("the owner learned wrongly whether a peer has copied");
      if (!closed) break;  // The word is lost with the flaw.
    }
    over_.store(1, std::memory_order_release);
  }
  void copy() {
    std::uint64_t last = 0;
    while (over_.load(std::memory_order_acquire) == 0) {
      const std::uint64_t heard = heard_.load(std::memory_order_acquire);
      if (heard == last || heard == 0) {
        explore::relax();
        continue;
      }
      exposure_key key = exposure_key::unpack(heard >> 8);
      // The memory may have been withdrawn since, and its place used again.
      for (std::uint64_t late = heard & 1; late > 0; --late) explore::relax();
      if (flaw_ == flaw::one_version)
        key.version = table_[key.slot].load(std::memory_order_acquire) >> 16;
      if (flaw_ == flaw::copies_unheld) {
        if (table_[key.slot].load(std::memory_order_acquire) == key.opened()) read(heard & 0xff);
      } else {
        for (int part = 0; part < 2; ++part)
          if (const pinned_exposure held(table_.get(), key); held) read(heard & 0xff);
      }
      last = heard;
    }
  }
  void read(std::uint64_t wanted) {
    copying_ = 1;
    scheduler_.point("copying", this);
    if (lies_there_ != wanted) scheduler_.fail("copied data is not the exposed data");
    copying_ = 0;
    ++copied_;
    ++copied_now_;
  }

  explore::scheduler& scheduler_;
  flaw flaw_;
  std::unique_ptr<exposure_word[]> table_;
  exposures mine_;
  mpx::platform::atomic<std::uint64_t> heard_{0};
  mpx::platform::atomic<std::uint32_t> over_{0};
  std::uint64_t lies_there_ = 0;  // Plain: what protects it is on trial.
  std::uint32_t copying_ = 0;
  std::uint32_t copied_ = 0;
  std::uint32_t copied_now_ = 0;
};

TEST_CASE("preempt: memory that is exposed and withdrawn") {
  explore::check_sound("exposures", explore::search<lending>(3000), 1500);
}

TEST_CASE("preempt: faults of lending are found" * doctest::skip(explore::sampled)) {
  using explore::search;
  explore::check_found("a copy that does not hold", search<lending>(2000, flaw::copies_unheld));
  explore::check_found("an owner that does not wait", search<lending>(2000, flaw::frees_too_soon));
  explore::check_found("a place without versions", search<lending>(2000, flaw::one_version));
}

}  // namespace
