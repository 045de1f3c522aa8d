// SPDX-License-Identifier: BSL-1.0
#pragma once
// Gives the ranks of a job shared memory if the launcher gives them none: rank 0 makes it and
// passes it on over a socket. A rank finds by trial that it shares a host with rank 0: the
// published socket name is visible exactly where memory can be shared.

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/fd_passing.hpp"
#include "mpx/bootstrap/detail/job_segment.hpp"
#include "mpx/bootstrap/detail/launcher.hpp"
#include "mpx/bootstrap/detail/memory_file.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/plain_array.hpp"

namespace mpx::inline v0::bootstrap::detail {

/// The shared memory of a job whose ranks all run on one host. Every rank performs the same steps.
/// Cost:       two fences; rank 0 publishes one value, which each other rank reads.
class host_rendezvous {
 public:
  /// Obtains the memory.
  /// Errors:     errc::bootstrap, naming the hosts if there are several; errc::no_resources, and
  ///             those of the launcher.
  [[gnu::noinline, gnu::cold]] explicit host_rendezvous(launcher& job) : job_(job) {
    if (job_.size() < 1 || job_.size() > ranks_max)
      mpx::detail::throw_error(errc::bootstrap, "a job of %d ranks: 1 to %d are possible on a host",
                               job_.size(), ranks_max);
    if (job_.rank() == 0) {
      open();
    } else {
      attend();
    }
  }

  mapping take_map() noexcept { return std::move(map_); }
  /// Returns a duplicate of the shared file.
  /// Errors:     errc::no_resources.
  memory_file shared() const { return memory_file::duplicate(shared_.view()); }

  /// Called after the segment has been joined: waits until all ranks have joined it. Returns true
  /// if all ranks use the same pid namespace.
  /// Errors:     as for the constructor.
  [[gnu::noinline, gnu::cold]] bool confirm() {
    job_.fence([this] { serve(); });
    char verdict = apart;
    if (job_.rank() == 0) {
      serve();
      verdict = there_ + 1 < job_.size() ? apart : strange_ ? strangers : together;
      for (const guest& g : guests_)
        if (g.fd >= 0) [[maybe_unused]]
          const auto sent = ::send(g.fd, &verdict, 1, MSG_NOSIGNAL);
    } else if (!hear_answer(rank_0_.get(), verdict)) {
      mpx::detail::throw_error(errc::bootstrap, "rank 0 was lost while the ranks of this host met");
    }
    if (verdict == apart) tell_hosts();
    return verdict == together;
  }

  ~host_rendezvous() {
    for (const guest& g : guests_)
      if (g.fd >= 0) ::close(g.fd);
    for (const int fd : callers_) ::close(fd);
  }
  host_rendezvous(const host_rendezvous&) = delete;
  host_rendezvous& operator=(const host_rendezvous&) = delete;

 private:
  static constexpr char together = '+', strangers = '=', apart = '-';
  static constexpr const char* key = "mpx.meet";

  /// State of another rank at rank 0: its connection, if it has called, and true in `met` once it
  /// has confirmed that it has the memory.
  struct guest {
    int fd = -1;
    bool met = false;
  };

  // --- Rank 0 ---

  /// Makes the memory and publishes the address, or the error if that fails, since the other ranks
  /// wait.
  [[gnu::noinline, gnu::cold]] void open() {
    std::string said;
    try {
      if (job_.size() > 1) {
        place_ = fd_passing_address::drawn();
        door_ = listen_for_fd_requests(place_, job_.size());
        guests_ = plain_array<guest>(static_cast<std::size_t>(job_.size()));
        for (guest& g : guests_) g = guest{};
      }
      control_ = memory_file("mpx-job");
      shared_ = memory_file("mpx-shared");
      map_ = job_segment::create(control_, shared_, job_.size(),
                                 static_cast<std::int32_t>(::getpid()));
      said = "+" + std::string(reinterpret_cast<const char*>(&place_), sizeof place_);
    } catch (const error& e) {
      said = "-" + std::string(e.what()).substr(0, 400);
    }
    job_.put(key, said);
    job_.fence([] {});
    if (said[0] == '-') refused(said);
  }

  /// Accepts callers and passes the memory to those that know the secret. Collects the
  /// confirmations of ranks that have taken it, which were sent before the fence in which this is
  /// called.
  [[gnu::noinline, gnu::cold]] void serve() {
    if (!door_) return;
    let_in(door_.get(), callers_);
    callers_.erase_if([this](int fd) { return heard(fd); });
    for (guest& g : guests_) {
      char said = 0;
      if (g.fd < 0 || g.met || ::recv(g.fd, &said, 1, MSG_DONTWAIT) != 1) continue;
      g.met = true;
      ++there_;
    }
  }
  /// Handles a caller's first message. Returns true if the caller is done: accepted as a guest, or
  /// rejected.
  [[gnu::noinline, gnu::cold]] bool heard(int fd) {
    fd_request said;
    const ssize_t bytes = ::recv(fd, &said, sizeof said, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const fd_request mine(place_, job_.rank(), job_.size());
    const bool known = bytes == sizeof said && mine.admits(said) &&
                       guests_[static_cast<std::size_t>(said.rank)].fd < 0;
    if (!known || !hand_over(fd, control_.fd(), shared_.fd(), &together, 1)) {
      ::close(fd);
      return true;
    }
    guests_[static_cast<std::size_t>(said.rank)].fd = fd;
    strange_ = strange_ || said.pid_namespace != mine.pid_namespace;
    return true;
  }

  // --- The other ranks ---

  [[gnu::noinline, gnu::cold]] void attend() {
    job_.fence([] {});
    const std::optional<std::string> said = job_.get(0, key);
    if (said && said->starts_with('-')) refused(*said);
    if (!said || said->size() != 1 + sizeof place_)
      mpx::detail::throw_error(errc::protocol,
                               "rank 0 publishes no place for the ranks of its host to meet: build "
                               "all ranks from one mpx");
    std::memcpy(&place_, said->data() + 1, sizeof place_);
    rank_0_ = request_descriptors(place_, fd_request(place_, job_.rank(), job_.size()));
    if (rank_0_ && take()) return;
    if (!descriptors_are_left()) lack_ = "Too many open files: raise `ulimit -n`";
    job_.fence([] {});  // Matches the fence of the ranks that have taken it.
    tell_hosts();
  }
  /// Takes the memory and confirms that. Keeps the reason of a failure for the other ranks, which
  /// wait for it.
  [[gnu::noinline, gnu::cold]] bool take() try {
    owned_fd control, shared;
    char byte = 0;
    if (take_over(rank_0_.get(), control, shared, &byte, 1) != 1) return false;
    map_ = job_segment::open(control.get(), job_.size());
    const file_view view(shared.get(), job_segment(map_).shared_identity());
    shared_ = memory_file::duplicate(view);
    return ::send(rank_0_.get(), &together, 1, MSG_NOSIGNAL) == 1;
  } catch (const error& e) {
    lack_ = std::string(e.what()).substr(0, 200);
    return false;
  }

  // --- All ranks ---

  [[noreturn, gnu::noinline, gnu::cold]] void refused(const std::string& said) {
    job_.leave(true);  // All ranks do so: none of them waits.
    mpx::detail::throw_error(errc::no_resources, "rank 0 cannot make the job's memory: %s",
                             said.c_str() + 1);
  }

  /// Rank 0's report on a job that could not share memory: the rank that lacks a resource (preceded
  /// by '!'), or the hosts of all ranks.
  [[gnu::noinline, gnu::cold]] std::string why_apart() const {
    for (rank_t r = 1; r < job_.size(); ++r)
      if (!has_met(r))
        if (const std::optional<std::string> lack = job_.get(r, "mpx.lack"))
          return mpx::detail::formatted("!rank %d cannot take the job's memory: %s", r,
                                        lack->c_str());
    std::string text;
    for (rank_t r = 0; r < job_.size() && text.size() < 250; ++r) {
      const std::optional<std::string> host = job_.get(r, "mpx.host");
      text += mpx::detail::formatted("%srank %d on %s%s", r == 0 ? "" : ", ", r,
                                     host ? host->c_str() : "?", has_met(r) ? "" : " (apart)");
    }
    if (text.size() >= 250) text += ", ...";
    return text;
  }
  bool has_met(rank_t r) const { return r == 0 || guests_[static_cast<std::size_t>(r)].met; }

  /// Throws on all ranks the reason why they do not share memory.
  [[noreturn, gnu::noinline, gnu::cold]] void tell_hosts() {
    job_.put("mpx.host", job_.host());
    if (!lack_.empty()) job_.put("mpx.lack", lack_);
    job_.fence([] {});
    if (job_.rank() == 0) job_.put("mpx.hosts", why_apart());
    job_.fence([] {});
    const std::string text = mpx::detail::printable(job_.get(0, "mpx.hosts").value_or(""), 4096);
    job_.leave(true);  // All ranks do so: none of them waits.
    if (text.starts_with('!')) mpx::detail::throw_error(errc::no_resources, "%s", text.c_str() + 1);
    mpx::detail::throw_error(
        errc::bootstrap,
        "not all ranks of this job share memory with rank 0: %s; this stack's transport joins "
        "ranks "
        "of one host: start all of them on one (`mpiexec -hosts HOST`, `srun -N 1`), or choose a "
        "transport between hosts; ranks of one host in containers need one network namespace",
        text.c_str());
  }

  launcher& job_;
  fd_passing_address place_{};
  memory_file control_;
  memory_file shared_;  // Duplicated for later users as well.
  mapping map_;
  owned_fd door_;              // At rank 0.
  owned_fd rank_0_;            // At the other ranks.
  plain_array<int> callers_;   // Accepted, but without a first message yet.
  plain_array<guest> guests_;  // By rank.
  std::string lack_;           // The reason if this rank cannot take the memory.
  rank_t there_ = 0;
  bool strange_ = false;  // True if some ranks have another pid namespace.
};

}  // namespace mpx::inline v0::bootstrap::detail
