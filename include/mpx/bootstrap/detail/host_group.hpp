// SPDX-License-Identifier: BSL-1.0
#pragma once
// Groups the ranks of a job that share memory, and gives each group its memory. A rank finds its
// group by trial: each rank publishes the name of a socket and joins the lowest rank that it
// reaches, the leader, which makes the memory and passes it on. Host names are not used: they
// differ for nodes that share one kernel, and are equal for containers that share nothing.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/bootstrap/detail/death_watch.hpp"
#include "mpx/bootstrap/detail/fd_passing.hpp"
#include "mpx/bootstrap/detail/job_segment.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/detail/member.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// Returns the host of MPX_PRETEND_HOSTS that this rank pretends to run on; 0 if the variable is
/// not set.
/// Errors:     errc::argument.
[[gnu::noinline, gnu::cold]] inline std::uint32_t pretended_host(rank_t rank) {
  const char* const told = std::getenv("MPX_PRETEND_HOSTS");
  if (told == nullptr) return 0;
  std::vector<std::uint32_t> hosts;
  for (std::string_view rest = told;;) {
    const std::size_t end = rest.find(',');
    std::uint64_t n = 0;
    if (!mpx::detail::parse_number(rest.substr(0, end), 1'000'000, n))
      mpx::detail::throw_error(
          errc::argument,
          "MPX_PRETEND_HOSTS=%s: give the host of rank 0, of rank 1, and so on, as numbers from 0 "
          "to 1000000 with commas between; it begins anew where it ends",
          told);
    hosts.push_back(static_cast<std::uint32_t>(n));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return hosts[static_cast<std::size_t>(rank) % hosts.size()];
}

/// Finds the ranks with which a rank shares memory.
/// Cost:       each rank publishes a value of 80 bytes, which some of the ranks above it read, and
///             a number, which all ranks read; one fence.
class host_group {
 public:
  /// Publishes the address of this rank. `meet` must follow, after a fence. `job` outlives this
  /// object.
  /// Errors:     errc::argument, those of the launcher.
  [[gnu::noinline, gnu::cold]] explicit host_group(launcher_owner job)
      : job_(std::move(job)), host_(pretended_host(job_->rank())) {
    const std::string boot = boot_id();
    std::memcpy(mine_.boot, boot.data(), boot.size());
    mine_.host = host_;
    try {
      mine_.at = fd_passing_address::drawn();
      door_ = listen_for_fd_requests(mine_.at, job_->size());
      mine_.open = 1;
    } catch (const error&) {
      mine_.open = 0;  // Higher ranks cannot join this rank. It may still join a lower one.
    }
    job_->put(key, std::string_view(reinterpret_cast<const char*>(&mine_), sizeof mine_));
  }
  host_group(const host_group&) = delete;
  host_group& operator=(const host_group&) = delete;
  ~host_group() {
    for (const int fd : callers_) ::close(fd);
  }

  /// Forms the groups. Collective over the job, after a fence that follows the constructor.
  /// Errors:     errc::bootstrap, errc::no_resources, those of the launcher.
  [[gnu::noinline, gnu::cold]] void meet() {
    for (rank_t r = 0; r < job_->rank() && !leader_fd_; ++r) try_to_join(r);
    if (leader_fd_) {
      door_ = owned_fd();
    } else {
      leader_ = job_->rank();
    }
    job_->put(leader_key, mpx::detail::formatted("%d", leader_));
    job_->fence([this] { serve(); });
    if (leader_fd_) {
      take();
    } else {
      serve();
      lead();
    }
    for (rank_t r = 0; r < job_->size(); ++r) {
      std::uint64_t leader = 0;
      const std::optional<std::string> said = job_->get(r, leader_key);
      if (!said || !mpx::detail::parse_number(*said, static_cast<std::uint64_t>(r), leader))
        mpx::detail::throw_error(errc::protocol, "rank %d does not tell which host it is on", r);
      leaders_.push_back(static_cast<rank_t>(leader));
    }
  }

  /// By rank: the lowest rank of its host.
  const std::vector<rank_t>& leaders() const noexcept { return leaders_; }

  /// The ranks that share memory with this one, itself included, in ascending order.
  const std::vector<rank_t>& ranks() const noexcept { return ranks_; }
  /// This rank's index in ranks().
  rank_t index() const noexcept { return index_; }
  /// True if all of them use the same pid namespace.
  bool knows_pids() const noexcept { return !strange_; }
  mapping take_map() noexcept { return std::move(map_); }
  memory_file take_shared() noexcept { return std::move(shared_); }

 private:
  static constexpr const char* key = "mpx.near";
  static constexpr const char* leader_key = "mpx.node";

  struct card {
    char magic[8] = {'m', 'p', 'x', 'n', 'e', 'a', 'r', '1'};
    std::uint32_t open = 0;
    std::uint32_t host = 0;
    char boot[40] = {};
    fd_passing_address at{};
  };
  struct guest {
    int fd;
    rank_t rank;
  };
  struct roster_head {
    std::uint32_t strange;
    std::int32_t ranks;
  };

  /// Equal on two ranks only if they run under the same kernel.
  [[gnu::noinline, gnu::cold]] static std::string boot_id() {
    char text[37] = {};
    std::FILE* const f = std::fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f == nullptr) return {};
    const std::size_t n = std::fread(text, 1, 36, f);
    std::fclose(f);
    return std::string(text, n);
  }

  [[gnu::noinline, gnu::cold]] void try_to_join(rank_t leader) {
    const std::optional<std::string> said = job_->get(leader, key);
    card there;
    if (!said || said->size() != sizeof there)
      mpx::detail::throw_error(errc::protocol,
                               "rank %d publishes no place for the ranks of its host to meet: "
                               "build all ranks from one mpx",
                               leader);
    std::memcpy(&there, said->data(), sizeof there);
    if (std::memcmp(there.magic, mine_.magic, sizeof there.magic) != 0 || there.open == 0 ||
        there.host != host_ || std::memcmp(there.boot, mine_.boot, sizeof there.boot) != 0)
      return;
    owned_fd fd = request_descriptors(there.at, fd_request(there.at, job_->rank(), job_->size()));
    char yes = 0;  // A rank that has joined another one meanwhile closes the connection.
    if (!fd || !hear_answer(fd.get(), yes)) return;
    leader_fd_ = std::move(fd);
    leader_ = leader;
  }

  // --- The leader ---

  [[gnu::noinline, gnu::cold]] void serve() {
    if (!door_) return;
    let_in(door_.get(), callers_);
    callers_.erase_if([this](int fd) { return heard(fd); });
  }
  /// Handles a caller's first message. Returns true if the caller is done: accepted as a guest, or
  /// rejected.
  [[gnu::noinline, gnu::cold]] bool heard(int fd) {
    fd_request said;
    const ssize_t bytes = ::recv(fd, &said, sizeof said, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const fd_request mine(mine_.at, job_->rank(), job_->size());
    bool known = bytes == sizeof said && mine.admits(said);
    for (const guest& g : guests_) known = known && g.rank != said.rank;
    if (!known || ::send(fd, "+", 1, MSG_NOSIGNAL) != 1) {
      ::close(fd);
      return true;
    }
    strange_ = strange_ || said.pid_namespace != mine.pid_namespace;
    guests_.push_back({fd, said.rank});
    doors_.emplace_back(fd);
    return true;
  }
  [[gnu::noinline, gnu::cold]] void lead() {
    ranks_.push_back(job_->rank());
    for (const guest& g : guests_) ranks_.push_back(g.rank);
    std::sort(ranks_.begin(), ranks_.end());
    const memory_file control("mpx-job");
    shared_ = memory_file("mpx-shared");
    map_ = job_segment::create(control, shared_, static_cast<rank_t>(ranks_.size()),
                               static_cast<std::int32_t>(::getpid()));
    const roster_head head{strange_, static_cast<std::int32_t>(ranks_.size())};
    std::string text(reinterpret_cast<const char*>(&head), sizeof head);
    text.append(reinterpret_cast<const char*>(ranks_.data()), ranks_.size() * sizeof(rank_t));
    for (const guest& g : guests_)
      if (!hand_over(g.fd, control.fd(), shared_.fd(), text.data(), text.size()))
        mpx::detail::throw_error(errc::bootstrap, "rank %d cannot hand memory to rank %d (%s)",
                                 job_->rank(), g.rank, std::strerror(errno));
    index_ = 0;
  }

  // --- Ranks that join a leader ---

  [[gnu::noinline, gnu::cold]] void take() {
    owned_fd control, shared;
    std::vector<std::byte> text(sizeof(roster_head) + sizeof(rank_t) * ranks_max);
    const std::size_t n = take_over(leader_fd_.get(), control, shared, text.data(), text.size());
    if (n == 0 && !descriptors_are_left())
      mpx::detail::throw_error(errc::no_resources,
                               "rank %d cannot take the memory of its host's ranks: Too many open "
                               "files: raise `ulimit -n`",
                               job_->rank());
    roster_head head{};
    if (n >= sizeof head) std::memcpy(&head, text.data(), sizeof head);
    if (head.ranks < 2 || n != sizeof head + static_cast<std::size_t>(head.ranks) * sizeof(rank_t))
      mpx::detail::throw_error(errc::bootstrap, "rank %d was lost while the ranks of its host met",
                               leader_);
    ranks_.resize(static_cast<std::size_t>(head.ranks));
    std::memcpy(ranks_.data(), text.data() + sizeof head, n - sizeof head);
    strange_ = head.strange != 0;
    for (index_ = 0; ranks_[static_cast<std::size_t>(index_)] != job_->rank(); ++index_)
      if (index_ + 1 == head.ranks)
        mpx::detail::throw_error(errc::protocol, "rank %d does not know who has joined it",
                                 leader_);
    map_ = job_segment::open(control.get(), head.ranks);
    shared_ = memory_file::duplicate(file_view(shared.get(), job_segment(map_).shared_identity()));
  }

  launcher_owner job_;
  std::uint32_t host_;
  card mine_;
  owned_fd door_;
  owned_fd leader_fd_;  // Connection to the leader that this rank has joined, if any.
  rank_t leader_ = 0;
  std::vector<rank_t> leaders_;
  plain_array<int> callers_;  // Accepted, but without a first message yet.
  std::vector<guest> guests_;
  std::vector<owned_fd> doors_;  // Owns the descriptors of the guests.
  bool strange_ = false;         // True if some of them have another pid namespace.
  std::vector<rank_t> ranks_;
  rank_t index_ = 0;
  mapping map_;
  memory_file shared_;
};

/// This rank's membership of its host's group: a SharedMemoryBootstrap whose ranks are those of
/// host_group::ranks(), by index.
class host_seat : public member {
 public:
  /// `threads` is true if all ranks of the job are threads of this process. `watches` is true if
  /// failed ranks must be detected here, by a sleeping thread, since the launcher does not report
  /// them.
  /// Errors:     errc::no_resources.
  [[gnu::noinline, gnu::cold]] host_seat(host_group& g, bool threads, bool watches)
      : member(g.take_map(), g.take_shared(), g.index(),
               threads ? ending::thread : ending::process) {
    if (!watches || threads || !g.knows_pids() || size() < 2) return;
    fence([] {});  // A rank that has not joined yet could not be watched.
    auto* const kept = new watcher;
    keep(kept);
    kept->watch.emplace(segment(), rank(), environment());
  }

 private:
  struct watcher final : aide {
    void abort(int, std::string_view) noexcept override {}
    std::optional<death_watch> watch;
  };
};

}  // namespace mpx::inline v0::bootstrap::detail
