// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// The program that mpxrun.test.py starts: joins the job by the bootstrap alone and then works, or
// fails in the way that its argument names.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpx/bootstrap/detect.hpp>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using bootstrap = mpx::bootstrap::any;

const auto nothing = [] {};

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// Publishes, waits in a fence, reads the values of the others. Prints one line.
int hello() {
  bootstrap job = mpx::bootstrap::detect();
  job.put("name", "rank-" + std::to_string(job.rank()));
  job.fence(nothing);
  int right = 0;
  for (mpx::rank_t r = 0; r < job.size(); ++r)
    right += job.get(r, "name") == "rank-" + std::to_string(r) ? 1 : 0;
  std::printf("rank %d of %d knows %d\n", job.rank(), job.size(), right);
  job.fence(nothing);
  job.mark_finished();
  return 0;
}

/// One rank leaves its environment by an exception, and ends only after the others have done so.
int unwind(mpx::rank_t who, int code) {
  mpx::rank_t rank = -1;
  try {
    bootstrap job = mpx::bootstrap::detect();
    rank = job.rank();
    job.fence(nothing);
    if (rank == who) throw mpx::error(mpx::errc::argument, "no more cheese");
    job.fence(nothing);
  } catch (const mpx::error& e) {
    std::printf("rank %d: %s\n", rank, e.what());
    std::fflush(stdout);
  }
  if (rank != who) return 0;
  sleep_ms(300);
  return code;
}

/// One rank leaves its environment by an exception, and reports it only when the others, which fail
/// for that, have ended. `ms`: the time that this takes.
int last_word(mpx::rank_t who, int ms) {
  mpx::rank_t rank = -1;
  try {
    bootstrap job = mpx::bootstrap::detect();
    rank = job.rank();
    job.fence(nothing);
    if (rank == who) throw mpx::error(mpx::errc::argument, "no more cheese");
    job.fence(nothing);
  } catch (const mpx::error& e) {
    if (rank == who) sleep_ms(ms);
    std::printf("rank %d: %s\n", rank, e.what());
    std::fflush(stdout);
    if (rank != who) return 4;
  }
  return 3;
}

/// One rank ends as `how` says; the others wait for it in a fence and report the error, and the
/// time.
int die(mpx::rank_t who, const std::string& how) {
  bootstrap job = mpx::bootstrap::detect();
  job.fence(nothing);
  const auto begin = std::chrono::steady_clock::now();
  if (job.rank() == who) {
    sleep_ms(100);
    if (how == "kill" || how == "part") ::raise(SIGKILL);
    if (how == "segv") {
      ::signal(SIGSEGV, SIG_DFL);
      ::raise(SIGSEGV);
    }
    if (how == "abort") job.abort(7, "no more cheese");
    if (how == "quit") std::_Exit(0);
    if (how == "leave" || how == "leave_kill") {
      job.mark_finished();
      if (how == "leave_kill") std::abort();
      std::_Exit(5);
    }
    std::_Exit(3);
  }
  try {
    if (how == "leave" || how == "leave_kill") {
      sleep_ms(500);
      std::printf("rank %d goes on\n", job.rank());
      job.mark_finished();
      return 0;
    }
    job.fence(nothing);
  } catch (const mpx::error& e) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    std::printf("rank %d: %s after %d ms: %s\n", job.rank(),
                e.code() == mpx::errc::peer_lost ? "peer_lost" : "other",
                static_cast<int>(ms.count()), e.what());
    std::fflush(stdout);
    if (how == "part") return job.rank() == 0 ? 0 : 5;  // as after a loss that is not handled
    job.mark_finished();
    return 0;
  }
  return 9;
}

/// Long lines, whole or not, as fast as possible.
int lines(int count) {
  bootstrap job = mpx::bootstrap::detect();
  job.fence(nothing);
  const std::string text(100, static_cast<char>('a' + job.rank() % 26));
  for (int i = 0; i < count; ++i) std::printf("%d %d %s\n", job.rank(), i, text.c_str());
  std::fflush(stdout);
  job.mark_finished();
  return 0;
}

/// Prints lines, flushes none, and then ends as `how` says; the others wait until they are ended.
int steps(mpx::rank_t who, const std::string& how) {
  if (how == "unbuffered") std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (how == "full") std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  std::printf("begin\n");
  bootstrap job = mpx::bootstrap::detect();
  if (how == "chosen") {
    std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
    const bootstrap another = mpx::bootstrap::detect();
  }
  for (int i = 0; i < 4; ++i) std::printf("%d: step %d\n", job.rank(), i);
  if (how == "unbuffered") std::printf("unfinished");
  job.fence(nothing);
  if (job.rank() != who)
    for (;;) ::pause();
  if (how == "throw") throw std::runtime_error("no more cheese");
  if (how == "abort") std::abort();
  ::raise(SIGKILL);
  return 0;
}

volatile sig_atomic_t caught = 0;  // NOLINT(*-non-const-global-variables): a handler writes it

/// Sleeps until killed, or until a signal that it catches.
int wait_for_signal(bool catches, bool stubborn) {
  const auto note = [](int signal) { caught = signal; };
  if (catches)
    for (const int s : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}) ::signal(s, note);
  if (stubborn)
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::signal(s, SIG_IGN);
  bootstrap job = mpx::bootstrap::detect();
  job.fence(nothing);
  std::printf("pid %d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  while (caught == 0) ::usleep(10'000);
  std::printf("caught %d\n", static_cast<int>(caught));
  job.mark_finished();
  return 0;
}

/// Several environments, one after the other and at once.
int environments() {
  bool good = true;
  for (int k = 0; k < 4; ++k) {
    bootstrap a = mpx::bootstrap::detect();
    bootstrap b = mpx::bootstrap::detect();
    good = good && b.shared_offset() > a.shared_offset();
    mpx::bootstrap::grow(b.shared_fd(), b.shared_offset() + 4096);
    mpx::bootstrap::grow(a.shared_fd(), a.shared_offset() + 4096);
    const mpx::mapping mine(a.shared_fd(), a.shared_offset(), 4096);
    a.put("k", "a" + std::to_string(k));
    b.put("k", "b" + std::to_string(k));
    if (a.rank() == 0) mine.data()[0] = std::byte{1};
    a.fence(nothing);
    b.fence(nothing);
    for (mpx::rank_t r = 0; r < a.size(); ++r)
      good = good && a.get(r, "k") == "a" + std::to_string(k) &&
             b.get(r, "k") == "b" + std::to_string(k);
    good = good && mine.data()[0] == std::byte{1} && mine.data()[1] == std::byte{0};
    a.mark_finished();
    b.mark_finished();
  }
  std::printf("%s\n", good ? "good" : "bad");
  return good ? 0 : 1;
}

int parts() {
  // "one" has no end of line: it is shown after a silence, and continues afterwards.
  const char* rank = std::getenv("MPX_RANK");
  if (rank == nullptr || std::strcmp(rank, "0") != 0) return 0;
  for (const char* text : {"one", " two\n", "10%\r", "20%\r\n", "rest"}) {
    std::fputs(text, stdout);
    std::fflush(stdout);
    sleep_ms(400);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "hello";
  if (what == "hello") return hello();
  if (what == "die" && argc > 3) return die(std::atoi(argv[2]), argv[3]);
  if (what == "unwind" && argc > 3) return unwind(std::atoi(argv[2]), std::atoi(argv[3]));
  if (what == "last_word" && argc > 3) return last_word(std::atoi(argv[2]), std::atoi(argv[3]));
  if (what == "lines" && argc > 2) return lines(std::atoi(argv[2]));
  if (what == "steps" && argc > 3) return steps(std::atoi(argv[2]), argv[3]);
  if (what == "wait") return wait_for_signal(false, false);
  if (what == "catch") return wait_for_signal(true, false);
  if (what == "stubborn") return wait_for_signal(false, true);
  if (what == "environments") return environments();
  if (what == "parts") return parts();
  std::fprintf(stderr, "victim: unknown behaviour '%s'\n", what.c_str());
  return 64;
} catch (const mpx::error& e) {
  std::fprintf(stderr, "victim: %s\n", e.what());
  return e.code() == mpx::errc::bootstrap ? 70 : 71;
}
