// SPDX-License-Identifier: BSL-1.0
// release: tsan
// own_headers: yes
// sanitizers: thread
// Two members that link, exchange packets and unlink repeatedly under all kinds of schedules: each
// link begins with empty rings, and no packet of an earlier one arrives in a later one.

#include "explore.hpp"

#include <mpx/transport/detail/members.hpp>
#include <mpx/transport/detail/ring_fabric.hpp>

#include <vector>

#include "search.hpp"

namespace {

using namespace mpx::transport::detail;
using mpx::errc;
using mpx::outcome;
using mpx::peer_id;

/// Planted errors that the search must find.
enum class flaw : std::uint8_t {
  none,
  not_emptied,   // The last to let go does not empty the rings.
  no_handshake,  // A link begins before the other has released the last.
};

constexpr ring_geometry link_geometry{4, 4096};
constexpr peer_id two = 2;

/// Two inboxes, four rings and the words of both members, in zeroed memory.
class link_memory {
 public:
  link_memory() : bytes_(new(std::align_val_t{64}) std::byte[size]()) {}
  doorbell_control& doorbell(peer_id slot) const {
    return *reinterpret_cast<doorbell_control*>(bytes_.get() + slot * doorbell_control::bytes(two));
  }
  std::byte* channel(peer_id source, peer_id destination) const {
    return bytes_.get() + two * doorbell_control::bytes(two) +
           (std::size_t{destination} * two + source) * link_geometry.bytes();
  }
  member_table members() const {
    return {bytes_.get() + two * doorbell_control::bytes(two) + 4 * link_geometry.bytes(), two, 0};
  }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  static constexpr std::size_t size =
      two * doorbell_control::bytes(two) + 4 * link_geometry.bytes() + member_table::bytes(two);
  std::unique_ptr<std::byte[], release> bytes_;
};

/// The segment as a member sees it: itself as peer 0, the other as peer 1.
class link_segment {
 public:
  link_segment(const link_memory& m, peer_id slot)
      : memory_(&m), table_(m.members()), slot_(slot) {}
  doorbell_control& doorbell(peer_id slot) const noexcept { return memory_->doorbell(slot); }
  std::byte* channel(peer_id from, peer_id to) const noexcept { return memory_->channel(from, to); }
  peer_id slots() const noexcept { return two; }
  peer_id slot_of(peer_id peer) const noexcept { return peer == 0 ? slot_ : 1 - slot_; }
  peer_id peer_of(peer_id slot) const noexcept {
    if (slot == slot_) return 0;
    return linked ? 1 : no_peer;
  }
  void use(peer_id peer) noexcept {
    if (peer == 1) table_.use(slot_, 1 - slot_);
  }
  member_table& table() noexcept { return table_; }
  bool linked = false;

 private:
  const link_memory* memory_;
  member_table table_;
  peer_id slot_;
};

class link_fabric : public ring_fabric<link_segment> {
 public:
  link_fabric(const link_memory& m, peer_id slot)
      : ring_fabric(link_segment(m, slot), 0, 1, link_geometry) {}
  using ring_fabric::admit;
  using ring_fabric::dismiss;
  using ring_fabric::make_room;
};

class linking {
 public:
  static constexpr std::size_t threads = two;
  static constexpr std::uint32_t rounds = 3;

  explicit linking(explore::scheduler& s, flaw f = flaw::none) : scheduler_(s), flaw_(f) {
    s.cores = 64;
    for (peer_id slot = 0; slot < two; ++slot) {
      members_[slot] = memory_.members().enter().value();
      sides_.push_back(std::make_unique<side>(*this, slot));
    }
  }

  void thread(std::size_t i) {
    side& me = *sides_[i];
    for (me.round = 1; me.round <= rounds; ++me.round) {
      if (!link(me)) return;
      talk(me);
      unlink(me);
    }
  }
  std::string wrong() {
    for (auto& s : sides_)
      if (!s->failure.empty()) return s->failure;
    return "";
  }

 private:
  struct side {
    side(linking& l, peer_id self) : owner(l), slot(self), fabric(l.memory_, self) {}
    void packet(peer_id source, const mpx::frame_header& h, std::span<const std::byte>) noexcept {
      if (source != 1 || !fabric.segment().linked) failure = "a packet of an unlinked member";
      if (heard_round != 0 && h.word[0] != heard_round) failure = "two rounds in one link";
      if (heard_round == 0 && h.word[0] <= heard_last) failure = "an earlier round in a later link";
      if (h.word[1] != heard) failure = "a packet is not the next of its link";
      heard_round = heard_last = h.word[0];
      ++heard;
    }
    std::span<std::byte> place(peer_id, const mpx::frame_header&, std::size_t) noexcept {
      return {};
    }
    void complete(mpx::cookie_t, bool) noexcept {}
    void malformed(peer_id) noexcept { failure = "malformed"; }
    void unreachable(peer_id) noexcept { failure = "unreachable"; }

    linking& owner;
    peer_id slot;
    link_fabric fabric;
    std::uint32_t round = 0;
    std::uint32_t heard_round = 0;  // Of the other, in this link.
    std::uint32_t heard_last = 0;
    std::uint32_t heard = 0;
    std::string failure;
  };

  auto emptying() {
    return [this] {
      if (flaw_ == flaw::not_emptied) return;
      for (const auto& [from, to] : {std::pair<peer_id, peer_id>{0, 1}, {1, 0}}) {
        scheduler_.point("emptying", memory_.channel(from, to));
        std::memset(memory_.channel(from, to), 0, link_geometry.bytes());
      }
    };
  }
  bool link(side& me) {
    link_segment& s = me.fabric.segment();
    if (!me.fabric.make_room(1)) return false;
    if (flaw_ != flaw::no_handshake) {
      errc e = errc::pending;
      // The other may have finished all its rounds: then this one links with none.
      while ((e = s.table().link(me.slot, members_[1 - me.slot], emptying())) == errc::pending)
        explore::relax();
      if (e != errc{}) {
        me.failure = "a link is refused";
        return false;
      }
    }
    s.linked = true;
    me.heard = me.heard_round = 0;
    me.fabric.admit(1);
    return true;
  }
  void talk(side& me) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      me.fabric.post(1, {{me.round, i, 0, 0, 0}}, {}, 0);
      me.fabric.poll(me);
    }
    for (std::size_t looks = scheduler_.draw(4); looks > 0; --looks) {
      explore::relax();
      me.fabric.poll(me);
    }
  }
  void unlink(side& me) {
    link_segment& s = me.fabric.segment();
    me.fabric.dismiss(1);
    s.linked = false;
    if (flaw_ != flaw::no_handshake) s.table().unlink(me.slot, 1 - me.slot, emptying());
  }

  explore::scheduler& scheduler_;
  flaw flaw_;
  link_memory memory_;
  member members_[two];
  std::vector<std::unique_ptr<side>> sides_;
};

/// One leaves its slot and returns as another member, while the other tries to link with a member
/// that it knows.
class returning {
 public:
  static constexpr std::size_t threads = two;
  explicit returning(explore::scheduler& s) : scheduler_(s) {
    a_ = memory_.members().enter().value();
    heard_.store(memory_.members().enter().value().generation);
  }
  void thread(std::size_t i) {
    member_table t = memory_.members();
    const auto nothing = [] {};
    if (i == 0) {  // Links with each owner of slot 1 that it learns of.
      for (int tries = 0; tries < 6; ++tries) {
        const member other{1, heard_.load()};
        const errc e = t.link(0, other, nothing);
        if (e == errc::argument) return scheduler_.fail("linked twice");
        if (e == errc{}) {
          t.use(0, 1);
          explore::relax();
          t.unlink(0, 1, [this] { emptied_.fetch_add(1); });
        }
        explore::relax();
      }
      return;
    }
    for (int owners = 0; owners < 3; ++owners) {
      errc e = errc::pending;
      while ((e = t.link(1, a_, nothing)) == errc::pending) explore::relax();
      if (e != errc{}) return scheduler_.fail("a present member is refused");
      t.use(1, 0);
      explore::relax();
      t.unlink(1, 0, [this] { emptied_.fetch_add(1); });
      t.leave(1);
      const auto again = t.enter();
      if (!again || again->slot != 1) return scheduler_.fail("its slot is not free");
      heard_.store(again->generation);
    }
  }
  /// At the end no member is linked, and both can link.
  std::string wrong() {
    member_table t = memory_.members();
    const auto nothing = [] {};
    if (t.link(0, {1, heard_.load()}, nothing) != errc{}) return "a link is left over";
    if (t.link(1, a_, nothing) != errc{}) return "a link is left over on the other side";
    return emptied_.load() == 0 ? "the rings were not emptied" : "";
  }

 private:
  explore::scheduler& scheduler_;
  link_memory memory_;
  member a_;
  mpx::platform::atomic<std::uint64_t> heard_{0};
  mpx::platform::atomic<std::uint32_t> emptied_{0};
};

}  // namespace

TEST_CASE("preempt: links begin with empty rings") {
  explore::check_sound("link, talk, unlink", explore::search<linking>(3000), 1500);
}

TEST_CASE("preempt: a slot's next owner is not taken for the last") {
  explore::check_sound("leave and enter", explore::search<returning>(3000), 1500);
}

TEST_CASE("preempt: faults of links are found" * doctest::skip(explore::sampled)) {
  explore::check_found("rings are not emptied", explore::search<linking>(5000, flaw::not_emptied));
  explore::check_found("no handshake", explore::search<linking>(5000, flaw::no_handshake));
}
