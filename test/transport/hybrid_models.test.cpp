// SPDX-License-Identifier: BSL-1.0
// The models of each refinement of Transport, among all transports.

#include <doctest/doctest.h>

#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/inproc.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/via.hpp>
#include <mpx/transport/shm.hpp>
#include <mpx/transport/sim.hpp>
#include <mpx/transport/tcp.hpp>
#include <set>
#include <string>

#include "memory_device.hpp"
#include "models.hpp"

namespace {

using namespace transport_models;  // NOLINT(google-build-using-namespace)
using transport::sim_rma;
using pulling = transport::channel<memory_device::nonblocking<>>;
using without_atomics = transport::rdma<nic::basic_via<nic::via_options{.atomics = false}>>;

TEST_CASE("hybrid_models: each transport models what the table in docs/TRANSPORT.md says") {
  CHECK(modelled<transport::inproc>() == "Rma SharedMemory Prepaid Elastic Pollable Fetch");
  CHECK(modelled<transport::shm>() == "Rma CpuCopy SharedMemory Prepaid Pollable Fetch");
  CHECK(modelled<transport::tcp>() == "Connection Stream Node Pollable");
  CHECK(modelled<transport::rdma<nic::via>>() ==
        "Rma Registered Immediate Connection Pollable Atomic Fetch");
  CHECK(modelled<without_atomics>() == "Rma Registered Immediate Connection Pollable Fetch");
  CHECK(modelled<transport::hybrid<transport::shm, transport::tcp>>() ==
        "Rma CpuCopy SharedMemory Connection Stream Prepaid Node NearFar Pollable Fetch");
  CHECK(modelled<transport::hybrid<transport::shm, transport::rdma<nic::via>>>() ==
        "Rma CpuCopy Registered Immediate SharedMemory Connection Prepaid Node NearFar Pollable "
        "Atomic Fetch");
  CHECK(modelled<transport::basic_sim<sim_rma::none>>() == "Prepaid Node");
  CHECK(modelled<transport::basic_sim<sim_rma::cpu>>() == "Rma CpuCopy Prepaid Node Fetch");
  CHECK(modelled<pulling>() == "Stream Fetch");
  CHECK(modelled<transport::sim>() == "Rma Immediate Prepaid Node Fetch");
}

template <class... T>
std::set<std::string> columns() {
  std::set<std::string> all;
  for (std::size_t i = 0; i < refinements.size(); ++i)
    all.insert((std::string() + ... + (models<T>[i] ? 'x' : '-')));
  return all;
}

// Two concepts with the same models would be one concept.
TEST_CASE("hybrid_models: no two refinements have the same models") {
  const auto all =
      columns<transport::inproc, transport::shm, transport::tcp, transport::rdma<nic::via>,
              transport::hybrid<transport::shm, transport::tcp>, transport::sim,
              transport::basic_sim<sim_rma::cpu>, without_atomics, pulling>();
  CHECK(all.size() == refinements.size());
  CHECK(all.count("-------") == 0);  // Each has one.
}

}  // namespace
