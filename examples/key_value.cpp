// SPDX-License-Identifier: BSL-1.0
// A key-value service on portals alone: key_value [KEYS]. Each rank owns the keys that hash to it. A
// key is the match bits of two entries of its owner, one that puts write to and one that gets read
// from; the owner's program does nothing for either. Puts of new keys match neither entry: they
// arrive in the owner's heap, and the owner makes the entries when it next serves.
// From the root of the tree, with or without CMake (it uses fmt):
//
//   cmake --preset release && cmake --build --preset release --target key_value mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/key_value 1000
//
//   g++ -std=c++20 -O2 -Iinclude examples/key_value.cpp -o key_value -pthread -lfmt
//   mpxrun -n 4 ./key_value 1000

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mpx/mpx.hpp>
#include <mpx/portals.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

namespace portals = mpx::portals;

class key_value_service {
 public:
  static constexpr std::size_t value_bytes_max = 64;
  using value = std::array<char, value_bytes_max>;  // A C string.

  explicit key_value_service(const mpx::communicator<>& world) : table_(world) {
    fresh_ = table_.append(writes, {.ignore = ~mpx::match_bits{0}}, heap_,
                           {.how = {.keep = portals::saves::both}});
  }

  /// Stores a value. Returns when its owner has it.
  void put(std::string_view key, std::string_view text) {
    value v{};
    text.copy(v.data(), value_bytes_max - 1);
    portals::receipt saved;
    table_.put_acknowledged(v, owner(key), {writes, bits_of(key)}, saved);
  }
  /// Returns the value of a key that its owner has served, or nothing.
  std::optional<std::string> get(std::string_view key) {
    value v{};
    std::error_code ec;
    table_.get(v, owner(key), {reads, bits_of(key)}, ec);
    if (ec == mpx::errc::not_ready) return std::nullopt;
    if (ec) throw std::system_error(ec, "key_value_service::get");
    return std::string(v.data());
  }
  /// Makes entries for new keys.
  void serve() {
    while (auto m = table_.take(heap_, {.ignore = ~mpx::match_bits{0}})) {
      auto& made = records_[m.is().bits];
      if (!made) made = std::make_unique<record>();
      record& r = *made;
      r.store(m);
      if (r.write) continue;
      const mpx::match_bits bits = m.is().bits;
      r.read = table_.append(reads, {.bits = bits}, r.block,
                             {.how = {.direction = portals::access::read_only}});
      r.write = table_.insert(fresh_, writes, {.bits = bits}, r.block, {.active = false});
      // Later puts of this key may be in the heap. The entry takes over once there is none.
      while (auto later = table_.take_or_activate(heap_, r.write)) r.store(later);
    }
  }
  std::size_t keys() const { return records_.size(); }

 private:
  static constexpr portals::index writes = 0, reads = 1;

  /// A key's value, and the entries that reach it.
  struct record {
    value text{};
    portals::single_block block{std::span(text)};
    portals::entry<> read, write;

    void store(const portals::heap_message<>& m) {
      std::memcpy(text.data(), m.data().data(), std::min(m.data().size(), text.size()));
    }
  };

  static mpx::match_bits bits_of(std::string_view key) {
    mpx::match_bits h = 0xcbf2'9ce4'8422'2325u;  // FNV-1a.
    for (const char c : key) h = (h ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
    return h;
  }
  mpx::rank_t owner(std::string_view key) const {
    return static_cast<mpx::rank_t>((bits_of(key) >> 32) %
                                    static_cast<std::uint64_t>(table_.size()));
  }

  portals::table<> table_;
  portals::dynamic_block heap_{4 << 20};
  portals::entry<> fresh_;  // The last entry: for keys that no other entry has.
  std::unordered_map<mpx::match_bits, std::unique_ptr<record>> records_;
};

std::optional<int> parse_keys(int argc, char** argv) {
  if (argc == 1) return 1000;
  const std::string_view text = argv[1];
  int keys = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), keys);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (argc > 2 || !whole || keys < 1 || keys > 4000) return std::nullopt;
  return keys;
}

}  // namespace

int main(int argc, char** argv) {
  mpx::environment<> env;
  auto world = env.world();
  const auto keys = parse_keys(argc, argv);
  if (!keys) {
    if (world.rank() == 0) fmt::print(stderr, "usage: key_value [KEYS]   with KEYS in 1..4000\n");
    world.barrier();
    return 2;
  }
  int wrong = 0;
  {
    key_value_service service(world);
    const auto key = [](mpx::rank_t rank, int i) { return fmt::format("key {} of {}", i, rank); };
    for (int i = 0; i < *keys; ++i) service.put(key(world.rank(), i), fmt::format("value {}", i));
    world.barrier();  // All new keys are in the heaps of their owners.
    service.serve();
    world.barrier();
    // From here on no owner's program takes part.
    for (int i = 0; i < *keys; i += 2) service.put(key(world.rank(), i), fmt::format("new {}", i));
    world.barrier();
    const mpx::rank_t right = (world.rank() + 1) % world.size();
    for (int i = 0; i < *keys; ++i) {
      const std::string expected = fmt::format("{} {}", i % 2 == 0 ? "new" : "value", i);
      if (service.get(key(right, i)) != expected) ++wrong;
    }
    if (service.get("no such key")) ++wrong;
    const auto stored = world.allreduce(service.keys(), mpx::sum);
    if (stored != static_cast<std::size_t>(*keys) * static_cast<std::size_t>(world.size())) ++wrong;
    wrong = world.allreduce(wrong, mpx::sum);
    if (world.rank() == 0)
      fmt::print("key_value: {} ranks hold {} keys, {} answers wrong\n", world.size(), stored,
                 wrong);
  }
  return wrong == 0 ? 0 : 1;
}
