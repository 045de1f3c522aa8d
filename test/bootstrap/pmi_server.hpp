// SPDX-License-Identifier: BSL-1.0
#pragma once
// The launcher's side of PMI-1, played in a thread.

#include <mpx/bootstrap/one_host.hpp>
#include <mpx/bootstrap/pmi1.hpp>

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bootstrap_contract {

using mpx::rank_t;
using mpx::bootstrap::one_host;
using mpx::bootstrap::pmi1;
using mpx::bootstrap::detail::pmi_connection;

/// A launcher of `ranks` ranks, in a thread; it shows what is put at the next fence, as Hydra does,
/// and refuses a second put of a key.
class pmi_server {
 public:
  explicit pmi_server(rank_t ranks, std::size_t value_bytes_max = 1024)
      : value_bytes_max_(value_bytes_max), ends_(static_cast<std::size_t>(ranks)) {
    for (auto& end : ends_) {
      int both[2];
      REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0);
      end.mine = both[0];
      end.theirs = both[1];
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  pmi_server(const pmi_server&) = delete;
  pmi_server& operator=(const pmi_server&) = delete;
  ~pmi_server() {
    connections_.clear();
    thread_.request_stop();
    thread_.join();
    for (const auto& end : ends_)
      if (end.mine >= 0) ::close(end.mine);
  }

  rank_t size() const { return static_cast<rank_t>(ends_.size()); }
  /// Connects all ranks.
  void connect() {
    for (rank_t r = 0; r < size(); ++r)
      connections_.push_back(
          std::make_unique<pmi_connection>(ends_[static_cast<std::size_t>(r)].theirs, r, size()));
  }
  pmi_connection& of(rank_t rank) { return *connections_[static_cast<std::size_t>(rank)]; }
  std::vector<pmi1> join() {
    std::vector<pmi1> ranks;
    for (rank_t r = 0; r < size(); ++r) ranks.emplace_back(of(r));
    return ranks;
  }
  std::vector<one_host<pmi1>> join_on_one_host() {
    std::vector<std::optional<one_host<pmi1>>> joined(ends_.size());
    std::vector<std::jthread> threads;
    for (rank_t r = 0; r < size(); ++r)
      threads.emplace_back([&, r] {
        try {
          joined[static_cast<std::size_t>(r)].emplace(pmi1(of(r)));
        } catch (const std::exception& e) {
          MESSAGE(e.what());
        }
      });
    threads.clear();
    std::vector<one_host<pmi1>> ranks;
    for (auto& one : joined) {
      REQUIRE(one);
      ranks.push_back(std::move(*one));
    }
    return ranks;
  }
  int finalized() const { return finalized_; }
  int puts() const { return puts_; }
  int gets() const { return gets_; }
  int aborted() const { return aborted_; }
  /// Leaves as a launcher that was killed does.
  void hang_up(rank_t rank) { hang_up_ = rank; }
  /// The same, of all ranks: a rank that waits for one that has failed waits no longer.
  void hang_up_all() { hang_up_ = size(); }
  /// Disconnects the ranks.
  void disconnect() { connections_.clear(); }

 private:
  struct end {
    int mine = -1;
    int theirs = -1;
    std::string read;
  };

  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> ready;
      for (const auto& end : ends_) ready.push_back({end.mine, POLLIN, 0});
      if (::poll(ready.data(), ready.size(), 2) < 0) return;
      for (std::size_t r = 0; r < ends_.size(); ++r) {
        end& e = ends_[r];
        if ((hang_up_ == static_cast<rank_t>(r) || hang_up_ == size()) && e.mine >= 0) {
          ::shutdown(e.mine, SHUT_RDWR);
          ::close(std::exchange(e.mine, -1));
          continue;
        }
        if ((ready[r].revents & (POLLIN | POLLHUP)) == 0) continue;
        std::array<char, 4096> some;
        const ssize_t n = ::read(e.mine, some.data(), some.size());
        if (n <= 0) {
          ::close(std::exchange(e.mine, -1));
          continue;
        }
        e.read.append(some.data(), static_cast<std::size_t>(n));
        for (std::size_t at; (at = e.read.find('\n')) != std::string::npos; e.read.erase(0, at + 1))
          answer(e, e.read.substr(0, at));
      }
    }
  }
  static std::string field(const std::string& line, const std::string& name) {
    const auto at = line.find(" " + name + "=");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 2;
    return line.substr(begin, line.find(' ', begin) - begin);
  }
  void answer(const end& e, const std::string& line) {
    const std::string what = line.substr(0, line.find(' '));
    const std::string value = field(line, "value");
    std::string said;
    if (what == "cmd=init") {
      said = "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1";
    } else if (what == "cmd=get_maxes") {
      said =
          "cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=" + std::to_string(value_bytes_max_);
    } else if (what == "cmd=get_my_kvsname") {
      said = "cmd=my_kvsname kvsname=kvs_7";
    } else if (what == "cmd=put") {
      ++puts_;
      const bool good = field(line, "kvsname") == "kvs_7" && field(line, "key").size() < 64 &&
                        value.size() < value_bytes_max_ && value.find('=') == std::string::npos &&
                        put_.emplace(field(line, "key"), value).second;
      said = good ? "cmd=put_result rc=0 msg=success" : "cmd=put_result rc=-1 msg=bad";
    } else if (what == "cmd=get") {
      ++gets_;
      const auto it = known_.find(field(line, "key"));
      said = it == known_.end() ? "cmd=get_result rc=-1 msg=key_not_found value=unknown"
                                : "cmd=get_result rc=0 msg=success value=" + it->second;
    } else if (what == "cmd=barrier_in") {
      if (++arrived_ < ends_.size()) return;
      arrived_ = 0;
      known_.insert(put_.begin(), put_.end());
      for (const auto& one : ends_) say(one, "cmd=barrier_out rc=0");
      return;
    } else if (what == "cmd=finalize") {
      ++finalized_;
      said = "cmd=finalize_ack rc=0";
    } else if (what == "cmd=abort") {
      aborted_ = std::stoi(field(line, "exitcode"));
      return;
    } else {
      return;  // Never an answer.
    }
    say(e, said);
  }
  static void say(const end& e, const std::string& line) {
    [[maybe_unused]] const auto n =
        ::send(e.mine, (line + "\n").data(), line.size() + 1, MSG_NOSIGNAL);
  }

  std::size_t value_bytes_max_;
  std::vector<end> ends_;
  std::vector<std::unique_ptr<pmi_connection>> connections_;
  std::map<std::string, std::string> put_, known_;
  std::size_t arrived_ = 0;
  std::atomic<int> finalized_ = 0, puts_ = 0, gets_ = 0, aborted_ = 0;
  std::atomic<rank_t> hang_up_ = -1;
  std::jthread thread_;
};

}  // namespace bootstrap_contract
