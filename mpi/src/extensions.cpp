// SPDX-License-Identifier: BSL-1.0
// The functions of mpi-ext.h: revoke, agree and shrink after the failure of a process (ULFM).
#include "extensions.hpp"

#include <mpi-ext.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>

#include "errors.hpp"
#include "mpx/core/group_sets.hpp"
#include "survivors_port.hpp"

namespace mpx_mpi {

namespace {

/// A call on a communicator of one group, and its fault tolerance.
template <class Use>
int on_survivors(const char* call, MPI_Comm comm, Use&& use) noexcept {
  try {
    need_running();
    comm_t& c = need_comm(comm);
    need_one_group(c);
    use(c, *c.port->survivors());
    return MPI_SUCCESS;
  } catch (...) {
    return failed(call, comm);
  }
}
/// Guards failed_ranks and acknowledged of all communicators.
std::mutex known_lock;
/// Adds the failed ranks that this rank has learned of.
void learn(comm_t& c, const mpx::group& failed) {
  const mpx::group all = c.port->group();
  for (int i = 0; i < failed.size(); ++i) {
    const int rank = all.rank_of(failed.peer_of(i));
    if (std::find(c.failed_ranks.begin(), c.failed_ranks.end(), rank) == c.failed_ranks.end())
      c.failed_ranks.push_back(rank);
  }
}
MPI_Group group_of_failed(const comm_t& c, std::size_t count) {
  const std::span<const int> ranks(c.failed_ranks.data(), count);
  return put_in<MPI_Group>(lib().groups, "groups", mpx::include(c.port->group(), ranks));
}
/// Acknowledges the first `count` failures that are known.
void acknowledge(comm_t& c, survivors_port& s, std::size_t count) {
  c.acknowledged = std::max(c.acknowledged, static_cast<int>(count));
  s.acknowledge(c.acknowledged);
}
bool has_acknowledged(const comm_t& c, const mpx::group& failed) {
  const mpx::group all = c.port->group();
  const auto known = c.failed_ranks.begin();
  for (int i = 0; i < failed.size(); ++i) {
    const int rank = all.rank_of(failed.peer_of(i));
    if (std::find(known, known + c.acknowledged, rank) == known + c.acknowledged) return false;
  }
  return true;
}

int comm_revoke(MPI_Comm comm) noexcept {
  return on_survivors("MPIX_Comm_revoke", comm, [](comm_t&, survivors_port& s) { s.revoke(); });
}
int comm_is_revoked(MPI_Comm comm, int* flag) noexcept {
  return on_survivors("MPIX_Comm_is_revoked", comm, [&](comm_t&, survivors_port& s) {
    need_place(flag, "flag");
    *flag = s.is_revoked();
  });
}
int comm_shrink(MPI_Comm comm, MPI_Comm* newcomm) noexcept {
  return on_survivors("MPIX_Comm_shrink", comm, [&](comm_t& c, survivors_port& s) {
    need_place(newcomm, "newcomm");
    *newcomm = add_comm(s.shrink(), &c);
  });
}
int comm_ishrink(MPI_Comm comm, MPI_Comm* /*newcomm*/, MPI_Request* /*request*/) noexcept {
  return not_built("MPIX_Comm_ishrink", comm);
}
int comm_agree(MPI_Comm comm, int* flag) noexcept {
  return on_survivors("MPIX_Comm_agree", comm, [&](comm_t& c, survivors_port& s) {
    need_place(flag, "flag");
    const agreed_value all = s.agree(*flag);
    *flag = all.value;
    if (all.failed.size() == 0) return;
    bool acknowledged = false;
    {
      const std::lock_guard guard(known_lock);
      learn(c, all.failed);
      acknowledged = has_acknowledged(c, all.failed);
    }
    // All ranks have the same failed ranks, so that all take part in a second agreement.
    if (s.agree(acknowledged ? 1 : 0).value == 1) return;
    fail(MPIX_ERR_PROC_FAILED, "%d ranks have failed, and some rank has not acknowledged that",
         all.failed.size());
  });
}
int comm_iagree(MPI_Comm comm, int* /*flag*/, MPI_Request* /*request*/) noexcept {
  return not_built("MPIX_Comm_iagree", comm);
}
int comm_failure_ack(MPI_Comm comm) noexcept {
  return on_survivors("MPIX_Comm_failure_ack", comm, [](comm_t& c, survivors_port& s) {
    const mpx::group failed = s.failed();
    const std::lock_guard guard(known_lock);
    learn(c, failed);
    acknowledge(c, s, c.failed_ranks.size());
  });
}
int comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp) noexcept {
  return on_survivors("MPIX_Comm_failure_get_acked", comm, [&](comm_t& c, survivors_port&) {
    need_place(failedgrp, "failedgrp");
    const std::lock_guard guard(known_lock);
    *failedgrp = group_of_failed(c, static_cast<std::size_t>(c.acknowledged));
  });
}
int comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp) noexcept {
  return on_survivors("MPIX_Comm_get_failed", comm, [&](comm_t& c, survivors_port& s) {
    need_place(failedgrp, "failedgrp");
    const mpx::group failed = s.failed();
    const std::lock_guard guard(known_lock);
    learn(c, failed);
    *failedgrp = group_of_failed(c, c.failed_ranks.size());
  });
}
int comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked) noexcept {
  return on_survivors("MPIX_Comm_ack_failed", comm, [&](comm_t& c, survivors_port& s) {
    need_place(num_acked, "num_acked");
    need_count(num_to_ack, "num_to_ack");
    const mpx::group failed = s.failed();
    const std::lock_guard guard(known_lock);
    learn(c, failed);
    acknowledge(c, s, std::min(static_cast<std::size_t>(num_to_ack), c.failed_ranks.size()));
    *num_acked = c.acknowledged;
  });
}

constexpr MPX_Extensions table = {10,
                                  comm_revoke,
                                  comm_is_revoked,
                                  comm_shrink,
                                  comm_ishrink,
                                  comm_agree,
                                  comm_iagree,
                                  comm_failure_ack,
                                  comm_failure_get_acked,
                                  comm_get_failed,
                                  comm_ack_failed};

}  // namespace

std::string address_of_extensions() {
  char text[32];
  std::snprintf(text, sizeof text, "%p", static_cast<const void*>(&table));
  return text;
}

}  // namespace mpx_mpi
