// SPDX-License-Identifier: BSL-1.0
// mpxinfo: what a program of mpx finds where it is started, and why it does not find the rest.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mpx/bootstrap/anywhere.hpp>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/config.hpp>
#include <mpx/core/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fabric.hpp"
#include "machine.hpp"
#include "sockets.hpp"

namespace {

using mpxinfo::finding;

constexpr const char* help =
    "Says what a program of mpx finds where it is started: how it joins a job and why not in "
    "another\n"
    "way, what its transports can do there, and the limits that matter. Start it as the program "
    "would\n"
    "be started; of several ranks the first one speaks:\n\n"
    "  mpxinfo\n"
    "  mpxrun -n 4 mpxinfo\n"
    "  srun --mpi=pmi2 -N 2 -n 4 mpxinfo\n"
    "  mpiexec -n 4 mpxinfo\n\n"
    "Usage: mpxinfo [OPTIONS]\n\n"
    "Options:\n"
    "  -h, --help     Print this\n"
    "  -V, --version  Print the version\n\n"
    "The exit code is 0 if a program of the default stack can join.\n";

void print(const char* title, const std::vector<finding>& lines) {
  std::printf("\n%s\n", title);
  for (const finding& f : lines) {
    std::printf("  %-28s %s\n", f.name.c_str(), f.value.c_str());
    if (!f.meaning.empty()) std::printf("  %-28s   %s\n", "", f.meaning.c_str());
  }
}

/// A job as a launcher has it, whatever its hosts.
struct job {
  mpx::rank_t rank = 0;
  mpx::rank_t size = 1;
  std::string hosts;  // At rank 0.
};

/// "n1: ranks 0-3, n2: ranks 4-7".
std::string hosts_text(const std::vector<std::string>& host_of) {
  std::string all;
  for (std::size_t first = 0, next = 0; first < host_of.size(); first = next) {
    while (next < host_of.size() && host_of[next] == host_of[first]) ++next;
    all += (first == 0 ? "" : ", ") + host_of[first] + ": rank" + (next - first > 1 ? "s " : " ") +
           std::to_string(first);
    if (next - first > 1) all += "-" + std::to_string(next - 1);
  }
  return all;
}

/// Ranks tell rank 0 where they are.
template <class Bootstrap>
job meet(Bootstrap& b) {
  job found{b.rank(), b.size(), {}};
  b.put("mpxinfo.host", b.host());
  b.fence([] {});
  if (b.rank() == 0) {
    std::vector<std::string> host_of;
    host_of.reserve(static_cast<std::size_t>(b.size()));
    for (mpx::rank_t r = 0; r < b.size(); ++r)
      host_of.push_back(b.get(r, "mpxinfo.host").value_or("?"));
    found.hosts = hosts_text(host_of);
  }
  b.fence([] {});
  return found;
}

std::vector<finding> ways(const char* chosen) {
  std::vector<finding> all;
  mpx::bootstrap::each_way_to_join([&](const auto& way, const std::string& refusal) {
    const bool taken = chosen != nullptr && std::string_view(chosen) == way.name;
    const bool alone = std::string_view(way.name) == "alone";
    all.push_back({way.name,
                   taken              ? "chosen"
                   : !refusal.empty() ? "no: " + refusal
                   : alone            ? "not needed"
                                      : "possible, but not the first",
                   ""});
  });
  if (mpx::bootstrap::detail::added_joiners == nullptr)
    all.push_back({"pmix", "no: this mpxinfo was built without libpmix", ""});
  const char* const forced = std::getenv("MPX_BOOTSTRAP");
  all.push_back(
      {"MPX_BOOTSTRAP", forced != nullptr ? forced : "not set: the first that is possible", ""});
  return all;
}

int tell() {
  const char* chosen = nullptr;
  std::string refused;  // Why the default stack cannot join.
  job here;
  try {
    chosen = mpx::bootstrap::choose_way_to_join().name;
    mpx::bootstrap::anywhere hosts;
    here = meet(hosts);
    mpx::bootstrap::any together;
    together.fence([] {});
    together.mark_finished();
  } catch (const mpx::error& e) {
    refused = e.what();
  }
  if (here.rank != 0) return refused.empty() ? 0 : 1;

  std::printf("mpx %s\n", MPX_VERSION_STRING);
  print("How this program joins a job", ways(chosen));
  if (!here.hosts.empty())
    std::printf("  %d rank%s; %s\n", here.size, here.size == 1 ? "" : "s", here.hosts.c_str());
  std::vector<finding> transports;
  transports.push_back(
      {"shm", refused.empty() ? "yes: all ranks share memory" : "no: " + refused, ""});
  transports.push_back({"inproc", "for threads of one process (mpx::run_threads)", ""});
#ifdef MPXINFO_SOCKETS
  for (const finding& f : mpxinfo::sockets()) transports.push_back(f);
#else
  for (const char* const name : {"tcp", "tls", "hybrid"})
    transports.push_back({name, "no: this mpxinfo was built without OpenSSL", ""});
#endif
#ifdef MPXINFO_FABRIC
  for (const finding& f : mpxinfo::fabric()) transports.push_back(f);
#else
  transports.push_back({"fabric", "no: this mpxinfo was built without libfabric", ""});
#endif
  print("Transports", transports);
  print("Limits", mpxinfo::limits());
  print("Kernel", mpxinfo::kernel());
  return refused.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1) {
    const std::string_view word = argv[1];
    const bool version = word == "--version" || word == "-V";
    const bool asked = word == "--help" || word == "-h" || version;
    std::fputs(version ? "mpxinfo (mpx) " MPX_VERSION_STRING "\n" : help, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  return tell();
} catch (const std::exception& e) {
  std::fprintf(stderr, "mpxinfo: %s\n", e.what());
  return 1;
}
