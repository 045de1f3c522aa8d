// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <mpx/protocol/wire.hpp>
#include <type_traits>
#include <vector>

namespace {

namespace wire = mpx::wire;

// Sizes and offsets on the wire; a change of them is a new wire version.
static_assert(sizeof(wire::header) == 20);
static_assert(offsetof(wire::header, kind) == 0 && offsetof(wire::header, flags) == 1);
static_assert(offsetof(wire::header, reserved) == 2 && offsetof(wire::header, tag) == 4);
static_assert(offsetof(wire::header, context) == 8 && offsetof(wire::header, credit) == 12);
static_assert(offsetof(wire::header, ticket) == 16);
static_assert(sizeof(wire::announcement) == 24 && sizeof(wire::clearance) == 40);
static_assert(sizeof(mpx::remote_memory) == 16);
static_assert(std::is_trivially_copyable_v<wire::header>);
static_assert(std::has_unique_object_representations_v<wire::header>);  // No padding leaks memory.
static_assert(std::has_unique_object_representations_v<wire::announcement>);
static_assert(std::has_unique_object_representations_v<wire::clearance>);

TEST_CASE("wire: pack and unpack are inverse") {
  for (std::uint8_t k = 1; k <= wire::kind_last; ++k) {
    for (std::uint8_t flags = 0; flags <= wire::flags_all; ++flags) {
      const wire::header h{.kind = static_cast<wire::kind>(k),
                           .flags = flags,
                           .tag = 0x7fff'fff0 + flags,
                           .context = 0x0102'0304u + k,
                           .credit = 0xdead'beefu - k,
                           .ticket = 0x8000'0001u + flags};
      const wire::header back = wire::unpack(wire::pack(h));
      CHECK(back.kind == h.kind);
      CHECK(back.flags == h.flags);
      CHECK(back.reserved == 0);
      CHECK(back.context == h.context);
      CHECK(back.tag == h.tag);
      CHECK(back.credit == h.credit);
      CHECK(back.ticket == h.ticket);
    }
  }
}

TEST_CASE("wire: the words of a frame") {
  const mpx::frame_header f = wire::pack({.kind = wire::kind::data,
                                          .flags = wire::flag_ready,
                                          .tag = -12,
                                          .context = 11,
                                          .credit = 13,
                                          .ticket = 14});
  CHECK(f.word[wire::word_context] == 11);
  CHECK(static_cast<mpx::tag_t>(f.word[wire::word_tag]) == -12);
  CHECK(f.word[wire::word_credit] == 13);
  CHECK(f.word[wire::word_ticket] == 14);
  CHECK(wire::pack({.kind = wire::kind::eager}).word[wire::word_kind] == wire::plain_eager);
  CHECK(wire::pack({.kind = wire::kind::eager, .flags = wire::flag_synchronous})
            .word[wire::word_kind] != wire::plain_eager);
  CHECK(wire::pack({.kind = wire::kind::announce}).word[wire::word_kind] != wire::plain_eager);
}

TEST_CASE("wire: any twenty bytes can be unpacked") {
  mpx::frame_header f;
  std::memset(&f, 0xff, sizeof f);
  const wire::header h = wire::unpack(f);
  CHECK(static_cast<std::uint8_t>(h.kind) > wire::kind_last);
  CHECK((h.flags & ~wire::flags_all) != 0);
  CHECK(h.reserved != 0);
}

template <class T>
void check_read() {
  std::array<std::byte, 64> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 1);
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    // From odd places too: payloads are not aligned.
    const std::vector<std::byte> exact(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(n));
    T got;
    const bool read = wire::read(exact, got);
    CHECK(read == (n == sizeof(T)));
    if (read) CHECK(std::memcmp(&got, bytes.data(), sizeof(T)) == 0);
  }
  T odd;
  REQUIRE(wire::read(std::span(bytes).subspan(1, sizeof(T)), odd));
  CHECK(std::memcmp(&odd, bytes.data() + 1, sizeof(T)) == 0);
  CHECK(!wire::read({}, odd));
}

TEST_CASE("wire: a control payload of another length is refused") {
  check_read<wire::announcement>();
  check_read<wire::clearance>();
  check_read<mpx::remote_memory>();
}

}  // namespace
