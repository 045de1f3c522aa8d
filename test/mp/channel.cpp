// SPDX-License-Identifier: BSL-1.0
// ranks: 1 3
// timeout: 120
// sanitizers: none
// Ranks that are processes, over channel devices one after the other: messages, floods, windows by
// packets, collectives by every algorithm, and an idle wait.

#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <mpx/transport/channel/blocking.hpp>
#include <mpx/transport/channel/files.hpp>
#include <mpx/transport/channel/pipes.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <variant>

#include "mp/collectives.hpp"
#include "mp/harness.hpp"
#include "mp/over_sockets.hpp"
#include "rma/programs.hpp"

namespace {

namespace device = mpx::device;

/// One of several devices, so that the engine is compiled once. All count packets, as one of them
/// asks for that.
class any_device {
 public:
  static constexpr std::string_view name = "any";
  static constexpr device::traits traits = device::blocking::traits;
  static inline int kind = 0;

  template <class B>
  requires(!std::derived_from<B, any_device>) && mpx::Bootstrap<B>
  explicit any_device(B& b) {
    switch (kind) {
      case 0:
        one_.emplace<std::unique_ptr<device::pipes>>(std::make_unique<device::pipes>(b));
        break;
      case 1:
        one_.emplace<std::unique_ptr<device::sockets>>(std::make_unique<device::sockets>(b));
        break;
      case 2:
        one_.emplace<std::unique_ptr<device::blocking>>(std::make_unique<device::blocking>(b));
        break;
      default:
        one_.emplace<std::unique_ptr<device::files>>(std::make_unique<device::files>(b));
        break;
    }
  }
  bool control_available() noexcept {
    return std::visit([](auto& d) { return d->control_available(); }, one_);
  }
  device::arrival receive_any_control(std::span<std::byte> into) noexcept {
    return std::visit([&](auto& d) { return d->receive_any_control(into); }, one_);
  }
  bool send_control(mpx::peer_id peer, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    return std::visit([&](auto& d) { return d->send_control(peer, control, channel_bytes); }, one_);
  }
  std::size_t send_channel(mpx::peer_id peer, std::span<const std::byte> data) noexcept {
    return std::visit([&](auto& d) { return d->send_channel(peer, data); }, one_);
  }
  std::size_t receive_channel(mpx::peer_id peer, std::span<std::byte> into) noexcept {
    return std::visit([&](auto& d) { return d->receive_channel(peer, into); }, one_);
  }

 private:
  std::variant<std::unique_ptr<device::pipes>, std::unique_ptr<device::sockets>,
               std::unique_ptr<device::blocking>, std::unique_ptr<device::files>>
      one_;
};
static_assert(mpx::BlockingDevice<any_device>);

/// Messages of every protocol to and from all ranks; some are truncated.
template <class World>
void exchange(World world) {
  over_sockets::exchange(world);
  over_sockets::drop(world);
  std::vector<int> out(50'000, world.rank());
  std::vector<int> in(10);
  auto cut = world.irecv(in, mpx::any_source, 9);
  auto sent = world.isend(out, (world.rank() + 1) % world.size(), 9);
  std::error_code ec;
  cut.wait(ec);
  harness::check(ec == mpx::errc::truncate, "a message was not cut");
  sent.wait();
}

}  // namespace

int main() {
  using stack =
      mpx::stack<mpx::transport::channel<any_device>,
                 mpx::protocol::tiny_short_long<40, 1024, mpx::long_path::packets, 16 * 1024>>;
  const harness::watchdog guard("channel", std::chrono::seconds(100));
  for (any_device::kind = 0; any_device::kind < 4; ++any_device::kind) {
    mpx::environment<stack> env;
    auto world = env.world();
    exchange(world);
    if (any_device::kind == 0) over_sockets::flood(world);
    if (any_device::kind == 1) {
      constexpr std::size_t some[] = {700};
      collectives::run(world, some, 100);
    }
    for (programs::word seed = 1; seed <= 3; ++seed)
      harness::check(
          programs::play(world, seed,
                         programs::all_protocols[seed % std::size(programs::all_protocols)], false,
                         5),
          "the program of seed " + std::to_string(seed));
    if (any_device::kind == 3) over_sockets::idle(world);
  }
}
