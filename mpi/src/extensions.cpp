// SPDX-License-Identifier: BSL-1.0
// The functions of mpi-ext.h: revoke, agree and shrink after the failure of a process (ULFM).
#include "extensions.hpp"

#include <mpi-ext.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>

#include "errors.hpp"
#include "mpx/core/group_sets.hpp"
#include "requests.hpp"
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
/// Takes the result of an agreement on `comm`, which may have been freed meanwhile.
void take(const mpx::agreed& all, MPI_Comm comm, int* flag) {
  *flag = all.value;
  comm_t* const c = find_comm(comm);
  if (c != nullptr) {
    const std::lock_guard guard(known_lock);
    learn(*c, all.failed);
  }
  if (all.acknowledged) return;
  throw failure{MPIX_ERR_PROC_FAILED,
                std::to_string(all.failed.size()) +
                    " ranks have failed, and some rank has not acknowledged that",
                comm};
}
/// A started agreement.
struct agreement_under_way {
  MPI_Comm comm = MPI_COMM_NULL;
  int* flag = nullptr;
  mpx::agreed result;
};

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
int comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) noexcept {
  return on_survivors("MPIX_Comm_ishrink", comm, [&](comm_t& c, survivors_port& s) {
    need_place(newcomm, "newcomm");
    need_place(request, "request");
    request_cell cell;
    auto port = s.ishrink(cell);
    add_comm_under_way(std::move(port), c, cell, newcomm, request);
  });
}
int comm_agree(MPI_Comm comm, int* flag) noexcept {
  return on_survivors("MPIX_Comm_agree", comm, [&](comm_t& c, survivors_port& s) {
    need_place(flag, "flag");
    take(s.agree(*flag), c.self, flag);
  });
}
int comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request) noexcept {
  return on_survivors("MPIX_Comm_iagree", comm, [&](comm_t& c, survivors_port& s) {
    need_place(flag, "flag");
    need_place(request, "request");
    const auto all = std::make_shared<agreement_under_way>();
    all->comm = c.self;
    all->flag = flag;
    request_cell cell;
    s.iagree(*flag, all->result, cell);
    try {
      *request = add_request_of(cell, c.self, false, false, all);
    } catch (...) {
      lib().job->wait(cell);  // It writes its result.
      throw;
    }
    rare_parts& rare = *lib().requests.find(value_of(*request))->rare;
    rare.finish = [](const rare_parts& of, bool good) {
      if (!good) return;
      const auto& its = *static_cast<const agreement_under_way*>(of.keep.get());
      take(its.result, its.comm, its.flag);
    };
  });
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
