// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device over named pipes, for ranks of one machine: one pipe for each ordered pair. The
// names exist while the job starts only.

#include "mpx/macros/begin.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/transport/channel.hpp"
#include "mpx/transport/channel/directory.hpp"
#include "mpx/transport/channel/streams.hpp"

namespace mpx::inline v0::device {

/// Pipes between processes or threads of one machine and user. A rank has two descriptors for each
/// other rank. The kernel buffers 64 KiB of a pair.
class pipes : public detail::streams {
 public:
  static constexpr std::string_view name = "pipes";

  /// Errors:     errc::no_resources: no directory, pipe or descriptor could be made.
  template <class B>
  requires(!std::derived_from<B, pipes>) && Bootstrap<B>
  explicit pipes(B& b) : streams(static_cast<std::size_t>(b.size()), false) {
    join(b);
  }

 private:
  template <class B>
  void join(B& b) {
    const detail::directory place(b, "mpx.pipes");
    const auto name_of = [&](rank_t from, rank_t to) {
      return place.path() + '/' + std::to_string(from) + '-' + std::to_string(to);
    };
    std::vector<detail::owned_fd> in(static_cast<std::size_t>(b.size()));
    for (rank_t r = 0; r < b.size(); ++r) {
      if (r == b.rank()) continue;
      const std::string at = name_of(r, b.rank());
      detail::require(::mkfifo(at.c_str(), 0600) == 0, "mkfifo", at);
      in[static_cast<std::size_t>(r)] = opened(at, O_RDONLY);
    }
    b.fence([] {});  // All pipes are there.
    for (rank_t r = 0; r < b.size(); ++r) {
      if (r == b.rank()) continue;
      // For both: then it is no error, and raises no signal, if its reader has gone.
      detail::owned_fd out = opened(name_of(b.rank(), r), O_RDWR);
      detail::require(
          connect(world_peer(r), std::move(in[static_cast<std::size_t>(r)]), std::move(out)),
          "epoll_ctl", place.path());
    }
    b.fence([] {});  // All are open: their names can go.
    for (rank_t r = 0; r < b.size(); ++r) ::unlink(name_of(r, b.rank()).c_str());
    b.fence([] {});
  }
  static detail::owned_fd opened(const std::string& at, int how) {
    detail::owned_fd fd(::open(at.c_str(), how | O_NONBLOCK | O_CLOEXEC));
    detail::require(fd.fd() >= 0, "open", at);
    return fd;
  }
};

}  // namespace mpx::inline v0::device

#include "mpx/macros/end.hpp"
