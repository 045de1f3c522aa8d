// SPDX-License-Identifier: BSL-1.0
// The launcher's side of PMI-1 is played (pmi_server.hpp); launchers themselves are tested in
// test/jobs.

#include <mpx/bootstrap/detect.hpp>
#include <mpx/bootstrap/one_host.hpp>
#include <mpx/bootstrap/pmi1.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "contract.hpp"
#include "pmi_server.hpp"

namespace {

using namespace bootstrap_contract;
using mpx::errc;
using mpx::bootstrap::detail::published;

TEST_CASE("pmi1: the contract") {
  for (const rank_t n : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(n);
    pmi_server server(n);
    server.connect();
    auto ranks = server.join();
    check_meeting(ranks);
    check_idle(ranks);
    auto next = server.join();  // Another environment, with keys of its own.
    check_meeting(next);
    CHECK(errc_of([&] { ranks[0].get(n, "k"); }) == errc::rank);
    CHECK(errc_of([&] { ranks[0].get(-1, "k"); }) == errc::rank);
    CHECK(errc_of([&] { ranks[0].put("", "v"); }) == errc::argument);
    server.disconnect();
    CHECK(server.finalized() == n);
  }
}

TEST_CASE("pmi1: values of any bytes and any allowed length, one for each fence") {
  for (const std::size_t value_bytes_max : {64u, 1024u, 100'000u}) {
    CAPTURE(value_bytes_max);
    pmi_server server(2, value_bytes_max);
    server.connect();
    auto ranks = server.join();
    std::string all;
    for (int c = 0; c < 512; ++c) all += static_cast<char>(c);
    for (const std::size_t bytes : {0u, 1u, 50u, 63u, 64u, 512u, 4096u}) {
      CAPTURE(bytes);
      const std::string value = std::string(bytes, '=') + (bytes == 512 ? all : "");
      const std::string key = "a key = \n with " + std::to_string(bytes);
      const int puts = server.puts();
      ranks[0].put(key, value.substr(0, 4096));
      ranks[0].put("another", "one");
      CHECK(server.puts() == puts);
      REQUIRE(on_all(ranks, [](pmi1& b) {
                b.fence(idle);
                return true;
              }) == 2);
      if (bytes <= 64 && value_bytes_max > 64) CHECK(server.puts() == puts + 1);
      CHECK(ranks[1].get(0, key) == value.substr(0, 4096));
      CHECK(ranks[0].get(0, "another") == "one");
      CHECK(!ranks[0].get(1, key));
    }
    ranks[0].put("k", std::string(4096, '\0'));
    for (int i = 0; i < 14; ++i) ranks[0].put("k", std::string(4096, '\n'));
    CHECK(errc_of([&] { ranks[0].put("k", std::string(4096, 'x')); }) == errc::no_resources);
  }
}

TEST_CASE("pmi1: a lost launcher ends fences and all other calls") {
  pmi_server server(2);
  server.connect();
  auto ranks = server.join();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    server.hang_up(1);
  });
  CHECK(errc_of([&] { ranks[1].fence(idle); }) == errc::aborted);
  CHECK(errc_of([&] { ranks[1].fence(idle); }) == errc::aborted);
  CHECK(errc_of([&] { server.of(1).get("k"); }) == errc::aborted);
}

/// Number of ranks, of two, that have told the launcher that they end in good order. `act`, the
/// life of the first one, ends by an exception or not.
template <class Act>
int finalized_after(Act act) {
  pmi_server server(2);
  server.connect();
  try {
    act(server.of(0));
  } catch (const std::exception& e) {
    CHECK(std::string(e.what()) == "had enough");
  }
  server.disconnect();
  return server.finalized();
}

TEST_CASE("pmi1: a rank that leaves by an exception does not end in good order") {
  using mpx::bootstrap::detail::launcher_of;
  using mpx::bootstrap::detail::launcher_owner;
  const auto fail = [](pmi_connection& c) {
    const pmi1 b(c);
    throw std::runtime_error("had enough");
  };
  CHECK(finalized_after(fail) == 1);
  CHECK(finalized_after([](pmi_connection& c) { const pmi1 b(c); }) == 2);
  CHECK(finalized_after([](pmi_connection& c) {
          const launcher_owner job(new launcher_of<pmi1>(pmi1(c)));
          throw std::runtime_error("had enough");
        }) == 1);
  CHECK(finalized_after([](pmi_connection& c) {
          const auto leave = [](pmi1 b) {
            const launcher_owner job(new launcher_of<pmi1>(std::move(b)));
            job->leave(true);  // The others know already.
            throw std::runtime_error("had enough");
          };
          leave(pmi1(c));  // An object that was moved from while the exception passes says nothing.
        }) == 2);
  CHECK(finalized_after([](pmi_connection& c) {
          const launcher_owner job(new launcher_of<pmi1>(pmi1(c)));
          job->leave(false);
        }) == 1);
  CHECK(finalized_after([&](pmi_connection& c) {
          CHECK_THROWS(fail(c));
          const pmi1 again(c);
        }) == 2);
}

TEST_CASE("pmi1: a rank that aborts the job waits until its output was read, for a limited time") {
  using clock = std::chrono::steady_clock;
  using mpx::bootstrap::detail::wait_until_read;
  constexpr std::int64_t long_ns = 60'000'000'000;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const auto say = [&] { REQUIRE(::write(ends[1], "last words", 10) == 10); };
  say();
  std::atomic<bool> read = false;
  std::jthread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    read = true;
    char words[10];
    CHECK(::read(ends[0], words, sizeof words) == 10);
  });
  wait_until_read(ends[1], long_ns);
  CHECK(read);
  reader.join();
  say();
  const auto start = clock::now();
  wait_until_read(ends[1], 20'000'000);  // No process reads.
  CHECK(clock::now() - start >= std::chrono::milliseconds(20));
  ::close(ends[0]);
  wait_until_read(ends[1], 20'000'000);  // No process will read.
  ::close(ends[1]);
  wait_until_read(ends[1], long_ns);
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);  // It has bytes, but is no pipe.
  wait_until_read(file, long_ns);
  ::close(file);
}

TEST_CASE("pmi1: a malformed reply of the launcher is an error, never a crash") {
  const std::string good[] = {"cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1",
                              "cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=1024",
                              "cmd=my_kvsname kvsname=kvs"};
  const std::string bad[] = {"",
                             "cmd=",
                             " ",
                             "cmd=response_to_init rc=-1",
                             "cmd=response_to_init rc=0 pmi_version=2",
                             "cmd=my_kvsname kvsname=",
                             "cmd=barrier_out rc=1 msg=no",
                             std::string(5000, 'x')};
  for (std::size_t at = 0; at < 3; ++at)
    for (const std::string& line : bad) {
      CAPTURE(at);
      CAPTURE(line);
      int both[2];
      REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0);
      std::string said;
      for (std::size_t i = 0; i < at; ++i) said += good[i] + "\n";
      said += line + "\n";
      REQUIRE(::send(both[0], said.data(), said.size(), 0) == static_cast<ssize_t>(said.size()));
      ::shutdown(both[0], SHUT_WR);
      CHECK(errc_of([&] { const pmi_connection c(both[1], 0, 1); }) == errc::bootstrap);
      ::close(both[0]);
    }
}

/// Error text for a descriptor that is refused.
std::string pmi_refusal(int fd, std::int64_t greeting_ns = 50'000'000) {
  try {
    const pmi_connection c(fd, 0, 2, greeting_ns);
  } catch (const mpx::error& e) {
    CHECK(e.code() == errc::bootstrap);
    return e.what();
  }
  return "";
}

TEST_CASE("pmi1: a descriptor behind which no launcher is") {
  const auto says = [](const std::string& text, const char* why) {
    CAPTURE(text);
    CHECK(text.find("but no launcher answers there (" + std::string(why)) != std::string::npos);
    CHECK(text.find("unset it, or") != std::string::npos);
    CHECK(text.find("aborted") == std::string::npos);
  };
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) >= 0) says(pmi_refusal(fd), "it is a standard stream");
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  says(pmi_refusal(ends[1]), "it is no socket");
  char c;
  CHECK(::read(ends[0], &c, 1) == -1);
  CHECK(errno == EAGAIN);  // Nothing was written, and it is open still.
  for (const int end : ends) ::close(end);
  CHECK(pmi_refusal(ends[0]).find("which is not open") != std::string::npos);
  // A socket that is something else's.
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  says(pmi_refusal(ends[0]), "nothing comes back to cmd=init pmi_version=1 pmi_subversion=1)");
  ::close(ends[1]);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  ::close(ends[1]);
  says(pmi_refusal(ends[0]), "its other end is closed");
}

TEST_CASE("pmi1: error texts quote a launcher's reply in printable characters") {
  const std::string good[] = {"cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n",
                              "cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=1024\n",
                              "cmd=my_kvsname kvsname=kvs\n"};
  const std::string raw("cmd=\x1b[2J\x07\0\r\\\x9b\xff", 14);
  const std::string told = R"(cmd=\x1b[2J\x07\x00\x0d\x5c\x9b\xff)";
  const auto after = [&](std::size_t lines, const std::string& last, auto&& use) -> std::string {
    int both[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0);
    std::string all;
    for (std::size_t i = 0; i < lines; ++i) all += good[i];
    all += last + "\n";
    REQUIRE(::send(both[0], all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
    ::shutdown(both[0], SHUT_WR);
    std::string text;
    try {
      pmi_connection c(both[1], 0, 1);
      use(c);
    } catch (const mpx::error& e) {
      text = e.what();
    }
    ::close(both[0]);
    return text;
  };
  const auto nothing = [](pmi_connection&) {};
  const auto put = [](pmi_connection& c) { c.put("key", "value"); };
  const auto fence = [](pmi_connection& c) { c.fence([] {}); };
  for (const std::string& text :
       {after(0, raw, nothing), after(1, raw, nothing), after(2, raw, nothing), after(3, raw, put),
        after(3, "cmd=put_result rc=1 " + raw, put), after(3, "cmd=barrier_out rc=1 " + raw, fence),
        after(0, "cmd=response_to_init rc=1 " + raw, nothing)}) {
    CAPTURE(text);
    CHECK(text.find(told) != std::string::npos);
    CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
  const std::string text = after(0, std::string(100'000, 'x'), nothing);
  CHECK(text.find("xx... (100000 bytes)") != std::string::npos);
  CHECK(text.size() < 1000);
}

TEST_CASE("published: damage is an error, never a crash") {
  published p;
  p.put("key", "value");
  p.put("other", std::string(300, '='));
  const std::string good = p.take();
  CHECK(p.empty());
  CHECK(published::find(good, "other") == std::string(300, '='));
  CHECK(!published::find(good, "nothing"));
  CHECK(published::unescaped(published::escaped(good)) == good);
  std::uint32_t seed = 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (int i = 0; i < 3; ++i) {
      seed = seed * 1664525 + 1013904223;
      text[(seed >> 8) % text.size()] = static_cast<char>(seed >> 24);
    }
    text.resize((seed >> 4) % (text.size() + 1));
    const auto code = errc_of([&] { published::find(text, "other"); });
    CHECK((code == errc{} || code == errc::protocol));
    const auto why = errc_of([&] { published::unescaped(text); });
    CHECK((why == errc{} || why == errc::protocol));
  }
}

TEST_CASE("one_host: the contract of shared memory, over a launcher that has none") {
  for (const rank_t n : {1, 2, 3, 4, 7, 8}) {
    CAPTURE(n);
    pmi_server server(n);
    server.connect();
    auto ranks = server.join_on_one_host();
    CHECK(server.puts() == 1);
    CHECK(server.gets() == n - 1);
    check_meeting(ranks);
    check_arguments(ranks.back());
    check_memory(ranks);
    check_idle(ranks);
    check_disconnecting(ranks);
    for (const auto& b : ranks) CHECK(!b.one_process());
    if (n == 3) check_forked(ranks);
    check_leaving(ranks);
    ranks.clear();
    ranks = server.join_on_one_host();
    check_memory(ranks);
    mpx::bootstrap::any any(std::move(ranks.back()));  // Keeps what the rank needs.
    CHECK(any.rank() == n - 1);
    any.mark_finished();
  }
}

TEST_CASE("one_host: the launcher does not end survivors of a rank that leaves by an exception") {
  pmi_server server(2);
  server.connect();
  try {
    const auto ranks = server.join_on_one_host();
    throw std::runtime_error("had enough");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()) == "had enough");
  }
  server.disconnect();
  CHECK(server.finalized() == 2);
}

TEST_CASE("one_host: a rank that leaves alone is lost to the other ranks") {
  pmi_server server(3);
  server.connect();
  auto ranks = server.join_on_one_host();
  check_loss(ranks, errc::peer_lost, mpx::rank_state::failed,
             [](one_host<pmi1>& b) { b.mark_failed(); });
}

/// A process is a rank's, until it is killed.
TEST_CASE("one_host: a rank whose process dies is lost to the others") {
  const mpx::bootstrap::memory_file control("test-job"), shared("test-shared");
  const mpx::mapping map =
      mpx::bootstrap::job_segment::create(control, shared, 4, static_cast<int>(::getpid()));
  const mpx::bootstrap::job_segment job(map);
  pid_t children[2];
  for (rank_t r = 0; r < 4; ++r) {
    pid_t pid = ::getpid();
    if (r > 1) {
      pid = ::fork();
      if (pid == 0) {
        ::pause();
        ::_exit(0);
      }
      children[r - 2] = pid;
    }
    job.join(r, static_cast<int>(pid), shared.view());
  }
  const mpx::bootstrap::detail::death_watch watches[] = {{job, 0, 0}, {job, 1, 0}};
  const auto lost = [&job](rank_t r) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (job.state(r, 0) != mpx::rank_state::failed) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(job.state(2, 0) == mpx::rank_state::joined);
  ::kill(children[0], SIGKILL);
  CHECK(lost(2));
  CHECK(job.state(3, 0) == mpx::rank_state::joined);
  ::kill(children[1], SIGKILL);  // Watched by rank 2 before, by rank 1 now.
  CHECK(lost(3));
  CHECK(job.loss_text(3, 0).find("was lost: died") != std::string::npos);
  CHECK(job.state(0, 0) == mpx::rank_state::joined);
  for (const pid_t pid : children) ::waitpid(pid, nullptr, 0);
}

TEST_CASE("one_host: strangers are sent away") {
  pmi_server server(2);
  server.connect();
  // Knocks at every door that /proc/net/unix shows, with nonsense and with silence.
  std::atomic<bool> over = false;
  std::atomic<int> knocks = 0;
  std::jthread stranger([&] {
    std::vector<int> silent;
    while (!over) {
      std::ifstream list("/proc/net/unix");
      for (std::string line; std::getline(list, line);) {
        const auto at = line.find("@mpx-");
        if (at == std::string::npos || line.size() - at != 37) continue;
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::memcpy(name.sun_path + 1, line.data() + at + 1, 36);
        const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (::connect(fd, reinterpret_cast<sockaddr*>(&name),
                      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 37)) == 0) {
          ++knocks;
          if (silent.size() % 2 == 0) ::send(fd, "mpxmeet1 let me in", 18, MSG_NOSIGNAL);
        }
        silent.push_back(fd);
        if (silent.size() == 40) {
          for (const int s : silent) ::close(s);
          silent.clear();
        }
      }
    }
    for (const int s : silent) ::close(s);
  });
  for (int round = 0; round < 20; ++round) {
    auto ranks = server.join_on_one_host();
    check_memory(ranks);
    for (auto& b : ranks) b.mark_finished();
  }
  over = true;
  CHECK(knocks > 0);
}

/// Sets variables, and takes them away again.
class variables {
 public:
  variables(std::initializer_list<std::pair<const char*, std::string>> all) {
    for (const auto& [name, value] : all) {
      ::setenv(name, value.c_str(), 1);
      names_.push_back(name);
    }
  }
  variables(const variables&) = delete;
  variables& operator=(const variables&) = delete;
  ~variables() {
    for (const char* name : names_) ::unsetenv(name);
  }

 private:
  std::vector<const char*> names_;
};

/// Why `any` does not join; "" if it does.
std::string refusal() {
  try {
    const mpx::bootstrap::any b;
  } catch (const mpx::error& e) {
    CHECK(e.code() == errc::bootstrap);
    return e.what();
  }
  return {};
}
bool refused_for(const std::string& part) {
  const std::string why = refusal();
  INFO(why);
  return why.find(part) != std::string::npos;
}

TEST_CASE("detect: a launcher's variables that make no sense are refused by name") {
  {
    const variables v{{"PMI_FD", "987"}, {"PMI_RANK", "0"}};
    CHECK(refused_for("PMI_SIZE is '(not set)'"));
  }
  {
    const variables v{{"PMI_FD", "987"}, {"PMI_SIZE", "2"}, {"PMI_RANK", "2"}};
    CHECK(refused_for("PMI_RANK is '2', not a number from 0 to 1"));
  }
  {
    const variables v{{"PMI_FD", "987"}, {"PMI_SIZE", "2"}, {"PMI_RANK", "1"}};
    CHECK(refused_for("PMI_FD is '987', which is not open"));
    CHECK(refused_for("MPX_BOOTSTRAP=alone"));
  }
  const variables v{{"PMI_PORT", "host:1"}, {"MPX_BOOTSTRAP", "pmi1"}};
  CHECK(refused_for("start mpiexec without -pmi-port"));
}

TEST_CASE("detect: MPX_BOOTSTRAP chooses") {
  for (const char* name : {"", "mpi", "Alone", "pmix"}) {
    const variables v{{"MPX_BOOTSTRAP", name}};
    CHECK(refused_for(std::string("MPX_BOOTSTRAP is '") + name +
                      "': this program has mpxrun, pmi1, alone"));
  }
  {
    const variables v{{"MPX_BOOTSTRAP", "pmi1"}};
    CHECK(refused_for("MPX_BOOTSTRAP is 'pmi1', but PMI_FD is not set"));
  }
  {
    const variables v{{"MPX_BOOTSTRAP", "mpxrun"}};
    CHECK(refused_for("MPX_BOOTSTRAP is 'mpxrun', but MPX_JOB_FD is not set"));
  }
  {
    const variables v{{"MPX_BOOTSTRAP", "alone"}, {"PMI_FD", "987"}};
    CHECK(refusal().empty());
  }
  {
    const variables v{{"MPX_ALONE", "1"}, {"PMI_FD", "987"}};
    CHECK(refusal().empty());
  }
}

}  // namespace
