// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device over a directory of files. It is the slowest one imaginable: whatever works over
// it works over any interconnect.

#include "mpx/macros/begin.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/transport/channel.hpp"
#include "mpx/transport/channel/directory.hpp"
#include "mpx/transport/channel/streams.hpp"

namespace mpx::inline v0::device {

/// Files in a folder for each rank, of one user. A control message is a file; the data that belongs
/// to it is another one. A file gets its name when it is complete. At most 64 control messages of a
/// pair exist at a time. A rank that dies leaves its files behind.
class files {
 public:
  static constexpr std::string_view name = "files";
  static constexpr device::traits traits{.control_bytes_max = 4096,
                                         .packet_bytes_max = 1024 * 1024};

  /// Errors:     errc::no_resources: no directory could be made.
  template <class B>
  requires(!std::derived_from<B, files>) && Bootstrap<B>
  explicit files(B& b)
      : place_(std::make_unique<detail::directory>(b, "mpx.files")),
        self_(world_peer(b.rank())),
        peers_(static_cast<std::size_t>(b.size())) {
    join(b);
  }
  files(const files&) = delete;
  ~files() {
    char path[path_bytes_max];
    ::rewinddir(inbox_.get());
    while (const dirent* const e = ::readdir(inbox_.get())) {
      std::snprintf(path, sizeof path, "%s/%u/%s", place_->path().c_str(), self_, e->d_name);
      ::unlink(path);
    }
    std::snprintf(path, sizeof path, "%s/%u", place_->path().c_str(), self_);
    ::rmdir(path);
    ::rmdir(place_->path().c_str());  // The last rank succeeds.
  }

  bool control_available() noexcept {
    if (ready_.empty()) look();
    return !ready_.empty();
  }
  arrival receive_any_control(std::span<std::byte> into) noexcept {
    const peer_id source = ready_.back();
    ready_.pop_back();
    peer& from = peers_[source];
    const path_of at(*this, self_, source, from.received++, 'c');
    const detail::owned_fd fd(::open(at.text, O_RDONLY | O_CLOEXEC));
    std::uint32_t channel_bytes = 0;
    std::array<iovec, 2> parts{
        {{&channel_bytes, sizeof channel_bytes}, {into.data(), into.size()}}};
    const ssize_t n = ::readv(fd.fd(), parts.data(), 2);
    ::unlink(at.text);
    from.unread = channel_bytes;
    const auto whole = static_cast<std::size_t>(n);
    return {source,
            n < static_cast<ssize_t>(sizeof channel_bytes) ? 0 : whole - sizeof channel_bytes};
  }
  bool send_control(peer_id to, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    peer& p = peers_[to];
    if (p.sent >= controls_max) {
      const path_of old(*this, to, self_, p.sent - controls_max, 'c');
      if (::access(old.text, F_OK) == 0) return false;
    }
    const auto bytes = static_cast<std::uint32_t>(channel_bytes);
    std::array<iovec, 2> parts{{{const_cast<std::uint32_t*>(&bytes), sizeof bytes},
                                {const_cast<std::byte*>(control.data()), control.size()}}};
    if (!write(to, p.sent, 'c', parts.data(), 2, sizeof bytes + control.size())) return false;
    ++p.sent;
    return true;
  }
  std::size_t send_channel(peer_id to, std::span<const std::byte> data) noexcept {
    iovec part{const_cast<std::byte*>(data.data()), data.size()};
    return write(to, peers_[to].sent - 1, 'd', &part, 1, data.size()) ? data.size() : 0;
  }
  std::size_t receive_channel(peer_id source, std::span<std::byte> into) noexcept {
    peer& from = peers_[source];
    const path_of at(*this, self_, source, from.received - 1, 'd');
    const detail::owned_fd fd(::open(at.text, O_RDONLY | O_CLOEXEC));
    if (fd.fd() < 0) return 0;
    const ssize_t n = ::pread(fd.fd(), into.data(), into.size(), from.offset);
    if (n <= 0) return 0;
    from.offset += n;
    from.unread -=
        static_cast<std::uint32_t>(n) < from.unread ? static_cast<std::uint32_t>(n) : from.unread;
    if (from.unread == 0) {
      ::unlink(at.text);
      from.offset = 0;
    }
    return static_cast<std::size_t>(n);
  }

 private:
  static constexpr std::uint32_t controls_max = 64;
  static constexpr std::size_t path_bytes_max = 512;

  struct peer {
    std::uint32_t sent = 0;  // Control messages, modulo 2^32.
    std::uint32_t received = 0;
    std::uint32_t unread = 0;  // Data of the last one that was received,
    off_t offset = 0;          // from here on in its file.
  };
  template <class B>
  void join(B& b) {
    const std::string mine = place_->path() + '/' + std::to_string(self_);
    detail::require(::mkdir(mine.c_str(), 0700) == 0, "mkdir", mine);
    inbox_.reset(::opendir(mine.c_str()));
    detail::require(inbox_ != nullptr, "opendir", mine);
    ready_.reserve(peers_.size());
    b.fence([] {});  // All folders are there.
  }

  struct closes {
    void operator()(DIR* d) const noexcept { ::closedir(d); }
  };
  struct path_of {
    char text[path_bytes_max];
    path_of(const files& f, peer_id to, peer_id from, std::uint32_t serial, char kind) noexcept {
      std::snprintf(text, sizeof text, "%s/%u/%u.%u%c", f.place_->path().c_str(), to, from, serial,
                    kind);
    }
  };

  /// Looks for the next control message of each source.
  void look() noexcept {
    ::rewinddir(inbox_.get());
    while (const dirent* const e = ::readdir(inbox_.get())) {
      unsigned source = 0;
      unsigned serial = 0;
      char kind = 0;
      char more = 0;
      if (std::sscanf(e->d_name, "%u.%u%c%c", &source, &serial, &kind, &more) != 3) continue;
      if (kind != 'c' || source >= peers_.size() || ready_.size() == peers_.size()) continue;
      const peer& from = peers_[source];
      if (serial == from.received && from.unread == 0) ready_.push_back(source);
    }
  }
  /// Makes a file, whole or not at all.
  bool write(peer_id to, std::uint32_t serial, char kind, const iovec* parts, int count,
             std::size_t bytes) noexcept {
    const path_of hidden(*this, to, self_, serial, '_');
    const path_of at(*this, to, self_, serial, kind);
    const detail::owned_fd fd(::open(hidden.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (fd.fd() < 0) return errno == ENOENT;  // Its rank has left: nobody misses the message.
    if (::writev(fd.fd(), parts, count) == static_cast<ssize_t>(bytes) &&
        ::rename(hidden.text, at.text) == 0)
      return true;
    ::unlink(hidden.text);  // The file system is full.
    return false;
  }

  std::unique_ptr<detail::directory> place_;
  peer_id self_;
  std::vector<peer> peers_;
  std::unique_ptr<DIR, closes> inbox_;
  std::vector<peer_id> ready_;
};

}  // namespace mpx::inline v0::device

#include "mpx/macros/end.hpp"
