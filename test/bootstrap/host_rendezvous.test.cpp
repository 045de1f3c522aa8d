// SPDX-License-Identifier: BSL-1.0
// Rendezvous of the ranks of a host if their launcher has only a store and fences, disturbed by
// signals and strangers. The launcher is simulated.

#include <mpx/bootstrap/detail/host_group.hpp>
#include <mpx/bootstrap/detail/host_rendezvous.hpp>

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "contract.hpp"
#include "pmi_server.hpp"

namespace {

using namespace bootstrap_contract;
using namespace mpx::bootstrap::detail;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Interrupts the calls of threads repeatedly, by a signal whose handler restarts none.
class nuisance {
 public:
  explicit nuisance(std::size_t threads) : threads_(threads) {
    struct sigaction ours{};
    ours.sa_handler = [](int) {};
    ::sigaction(SIGUSR2, &ours, &before_);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        for (const std::atomic<pid_t>& tid : threads_)
          if (tid != 0) ::syscall(SYS_tgkill, ::getpid(), tid.load(), SIGUSR2);
        std::this_thread::sleep_for(microseconds(50));
      }
    });
  }
  nuisance(const nuisance&) = delete;
  nuisance& operator=(const nuisance&) = delete;
  ~nuisance() {
    thread_.request_stop();
    thread_.join();
    ::sigaction(SIGUSR2, &before_, nullptr);
  }
  /// Disturbs this thread until what is returned ends.
  [[nodiscard]] auto disturb(std::size_t at) {
    struct disturbed {
      explicit disturbed(std::atomic<pid_t>& its) : tid(its) {
        tid = static_cast<pid_t>(::syscall(SYS_gettid));
      }
      disturbed(const disturbed&) = delete;
      disturbed& operator=(const disturbed&) = delete;
      ~disturbed() { tid = 0; }
      std::atomic<pid_t>& tid;
    };
    return disturbed(threads_[at]);
  }

 private:
  std::vector<std::atomic<pid_t>> threads_;
  struct sigaction before_{};
  std::jthread thread_;
};

/// Members of each rank's group; empty if the start failed.
using groups = std::vector<std::vector<rank_t>>;

/// One rank's way through a start of transport hybrid. The lowest is late.
std::vector<rank_t> meet_as(pmi_server& server, rank_t r) {
  pmi1 b(server.of(r));
  host_group g(launcher_owner(new launcher_of<pmi1&>(b)));
  b.fence(idle);
  if (r == 0) std::this_thread::sleep_for(milliseconds(3));
  g.meet();
  return g.ranks();
}
/// The same, of the usual transport.
std::vector<rank_t> start_as(pmi_server& server, rank_t r) {
  one_host<pmi1> b{pmi1(server.of(r))};
  b.mark_finished();
  return std::vector<rank_t>(1, b.size());
}
template <class Meet>
groups meet_all(pmi_server& server, Meet meet) {
  const rank_t n = server.size();
  groups all(static_cast<std::size_t>(n));
  std::vector<std::jthread> threads;
  for (rank_t r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      try {
        all[static_cast<std::size_t>(r)] = meet(r);
      } catch (const std::exception& e) {
        MESSAGE(std::string(e.what()));
        server.hang_up_all();
      }
    });
  threads.clear();
  return all;
}
/// The same, disturbed by signals.
template <class Meet>
groups meet_disturbed(rank_t n, Meet meet) {
  pmi_server server(n);
  server.connect();
  nuisance signals(static_cast<std::size_t>(n));
  return meet_all(server, [&](rank_t r) {
    const auto guard = signals.disturb(static_cast<std::size_t>(r));
    return meet(server, r);
  });
}
groups one_group(rank_t n) {
  std::vector<rank_t> ranks;
  for (rank_t r = 0; r < n; ++r) ranks.push_back(r);
  return groups(static_cast<std::size_t>(n), ranks);
}

TEST_CASE("host_group: signals do not part the ranks of a host") {
  for (const rank_t n : {2, 3, 4, 8}) {
    CAPTURE(n);
    for (int round = 0; round < 5; ++round) CHECK(meet_disturbed(n, meet_as) == one_group(n));
  }
}

TEST_CASE("one_host: signals do not break a start") {
  for (const rank_t n : {2, 3, 4, 8}) {
    CAPTURE(n);
    const groups all(static_cast<std::size_t>(n), {n});
    for (int round = 0; round < 10; ++round) CHECK(meet_disturbed(n, start_as) == all);
  }
}

/// A rank that comes for the memory and does not take it, and continues as such a rank does.
void come_in_vain(pmi_server& server, rank_t r) {
  pmi1 b(server.of(r));
  b.fence(idle);
  const std::string said = b.get(0, "mpx.meet").value_or("");
  fd_passing_address there{};
  REQUIRE(said.size() == 1 + sizeof there);
  std::memcpy(&there, said.data() + 1, sizeof there);
  const owned_fd call = request_descriptors(there, fd_request(there, r, b.size()));
  CHECK(call);
  b.fence(idle);
  b.put("mpx.host", "here");
  b.put("mpx.lack", "it has no room");
  b.fence(idle);
  b.fence(idle);
}

TEST_CASE(
    "one_host: if a rank cannot map the memory, the start fails at all ranks with the reason") {
  pmi_server server(3);
  server.connect();
  std::jthread lacking([&] {
    try {
      come_in_vain(server, 2);
    } catch (const mpx::error& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  });
  std::string said[2];
  {
    std::vector<std::jthread> threads;
    for (rank_t r = 0; r < 2; ++r)
      threads.emplace_back([&, r] {
        said[r] = ranks::text_of([&] { start_as(server, r); });
        if (said[r].empty()) server.hang_up_all();  // The last rank would wait for ever.
      });
  }
  for (const std::string& text : said) {
    CAPTURE(text);
    CHECK(text.find("rank 2 cannot take the job's memory: it has no room") != std::string::npos);
  }
}

TEST_CASE("fd_passing: signals do not give a call more time") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  nuisance signals(1);
  const auto guard = signals.disturb(0);
  char c = 0;
  const auto wait = [&] {
    return undisturbed(ends[0], 30'000'000, [&] { return ::recv(ends[0], &c, 1, 0); });
  };
  const auto begin = std::chrono::steady_clock::now();
  CHECK(wait() == -1);
  CHECK(errno == EAGAIN);
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(20));
  REQUIRE(::send(ends[1], "x", 1, 0) == 1);
  CHECK(wait() == 1);
  for (const int end : ends) ::close(end);
}

/// Of this thread alone. Requires: it is root's.
bool become_another() {
  constexpr uid_t nobody = 65534;
  return ::syscall(SYS_setresuid, nobody, nobody, nobody) == 0;
}

/// Calls there as another user, says nothing, and waits until it is sent away. Returns how many
/// times it was, -1 if it was not in time.
int knock_as_another(const fd_passing_address& at, int times) {
  int sent_away = -1;
  std::jthread stranger([&] {
    if (!become_another()) return;
    sockaddr_un name;
    const socklen_t bytes = at.address(name);
    std::vector<owned_fd> calls;
    for (int i = 0; i < times; ++i) {
      calls.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      constexpr timeval patience{10, 0};
      for (const int way : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(calls.back().get(), SOL_SOCKET, way, &patience, sizeof patience);
      if (::connect(calls.back().get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0)
        return;
    }
    char c = 0;
    for (const owned_fd& fd : calls)
      if (const ssize_t n = ::recv(fd.get(), &c, 1, 0); n > 0 || (n < 0 && errno == EAGAIN)) return;
    sent_away = times;
  });
  stranger.join();
  return sent_away;
}

TEST_CASE("host_group: a process of another user is refused at once") {
  if (::geteuid() != 0) {
    MESSAGE("left out: only root can be two users");
    return;
  }
  pmi_server server(2);
  server.connect();
  int sent_away = 0;
  const groups met = meet_all(server, [&](rank_t r) {
    pmi1 b(server.of(r));
    host_group g(launcher_owner(new launcher_of<pmi1&>(b)));
    b.fence(idle);
    if (r == 1) {  // The other one serves meanwhile.
      const std::string card = b.get(0, "mpx.near").value_or("");
      fd_passing_address there{};
      REQUIRE(card.size() >= sizeof there);
      std::memcpy(&there, card.data() + card.size() - sizeof there, sizeof there);
      sent_away = knock_as_another(there, 300);
    }
    g.meet();
    return g.ranks();
  });
  CHECK(sent_away == 300);
  CHECK(met == one_group(2));
}

#ifndef MPX_TEST_SANITIZED  // UBSan needs descriptors to examine exceptions.

/// No descriptors, or so many, are left to this process while this lives.
class no_descriptors {
 public:
  explicit no_descriptors(int but = 0) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const owned_fd lowest(::dup(2));
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(lowest.get() + but);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("fd_passing: a rank without a free descriptor for a caller reports that") {
  const fd_passing_address at = fd_passing_address::drawn();
  const owned_fd door = listen_for_fd_requests(at, 2);
  const owned_fd call = request_descriptors(at, fd_request(at, 1, 2));
  REQUIRE(call);
  mpx::plain_array<int> callers;
  std::string said;
  {
    const no_descriptors here;
    said = ranks::text_of([&] { let_in(door.get(), callers); });
  }
  CAPTURE(said);
  CHECK(said.find("Too many open files") != std::string::npos);
  CHECK(said.find("raise `ulimit -n`") != std::string::npos);
  let_in(door.get(), callers);
  REQUIRE(callers.size() == 1);
  ::close(callers[0]);
}

TEST_CASE("fd_passing: a rank with room for one descriptor of two takes none, and reports that") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const owned_fd giver(ends[0]), taker(ends[1]);
  const int lowest = owned_fd(::dup(2)).get();
  for (const int room : {0, 1}) {
    CAPTURE(room);
    REQUIRE(hand_over(giver.get(), 0, 1, "x", 1));
    bool are_left = true;
    std::size_t taken = 1;
    {
      const no_descriptors here(room);
      owned_fd control, shared;
      char c = 0;
      taken = take_over(taker.get(), control, shared, &c, 1);
      are_left = descriptors_are_left();
    }
    CHECK(taken == 0);
    CHECK(!are_left);
    CHECK(owned_fd(::dup(2)).get() == lowest);
  }
  CHECK(descriptors_are_left());
}

TEST_CASE("host_group: a rank without descriptors for the memory of its host reports that") {
  pmi_server server(2);
  server.connect();
  std::string said;
  {
    const no_descriptors but_these(40);
    meet_all(server, [&](rank_t r) {
      if (r == 1) {  // Its descriptors are its own from here on, as those of a process.
        REQUIRE(::unshare(CLONE_FILES) == 0);
        const int a = ::dup(2), b = ::dup(2);  // For its door, and to call rank 0.
        while (::dup(2) >= 0) continue;
        ::close(a);
        ::close(b);
      }
      pmi1 b(server.of(r));
      host_group g(launcher_owner(new launcher_of<pmi1&>(b)));
      b.fence(idle);
      const std::string text = ranks::text_of([&] { g.meet(); });
      if (r == 1) said = text;
      return g.ranks();
    });
  }
  CAPTURE(said);
  CHECK(said.find("rank 1 cannot take the memory of its host's ranks: Too many open files: raise "
                  "`ulimit -n`") != std::string::npos);
}

#endif

/// Users without privileges have no more descriptors under way in sockets than `ulimit -n`.
TEST_CASE("fd_passing: descriptors that the kernel refuses now are passed later") {
  if (::geteuid() != 0) {
    MESSAGE("left out: only root can become a user without processes");
    return;
  }
  constexpr int times = 40;
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 32;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::atomic<int> sent = 0;
  std::jthread giver([&] {
    for (bool goes_on = become_another(); goes_on && sent < times; sent += goes_on ? 1 : 0)
      goes_on = hand_over(ends[0], 0, 1, "x", 1);
    ::shutdown(ends[0], SHUT_WR);
  });
  std::this_thread::sleep_for(milliseconds(30));
  int taken = 0;
  for (bool goes_on = true; goes_on; taken += goes_on ? 1 : 0) {
    owned_fd control, shared;
    char c = 0;
    goes_on = take_over(ends[1], control, shared, &c, 1) == 1;
  }
  giver.join();
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(sent == times);
  CHECK(taken == times);
  for (const int end : ends) ::close(end);
}

}  // namespace
