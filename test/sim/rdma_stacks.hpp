// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks over transport rdma on simulated cards: with reads and without, with little registered
// memory or much, in order or not, short of receives and of room.

#include <mpx/protocol/near_far.hpp>
#include <mpx/sim.hpp>
#include <mpx/transport/hybrid.hpp>
#include <mpx/transport/rdma.hpp>
#include <mpx/transport/rdma/sim.hpp>

#include "../transport/scripted_nic.hpp"
#include "sim/explorer_stacks.hpp"

namespace explorer {

using mpx::nic::sim_options;
using mpx::transport::basic_rdma;

template <sim_options Options>
using card = mpx::nic::basic_sim<Options>;

/// All that a card can have. Packets of up to 24 bytes go as sends.
constexpr sim_options all{.short_send_bytes = 48};
using rich = mpx::stack<basic_rdma<card<all>, 32768, 64>, mpx::waiting::sleep,
                        sized<40, 1024, long_path::automatic, 2048>>;
/// No reads; 12 KiB are left for long messages, which come in pieces of 700 bytes; packets of 488
/// bytes, four at a time. What the peer refuses breaks the connection.
constexpr sim_options scarce{.registered_bytes_max = 128 * 1024,
                             .transfer_bytes_max = 700,
                             .send_depth = 2,
                             .receive_depth = 8,
                             .reads = false,
                             .survives_refusals = false};
using poor = mpx::stack<basic_rdma<card<scarce>, 2048, 8, 488, 488, 16 * 1024>, mpx::waiting::sleep,
                        sized<40, 400, long_path::put, 488>>;
/// A card that reads, and whose connections break over refusals.
constexpr sim_options fragile{.survives_refusals = false};
using reader = mpx::stack<basic_rdma<card<fragile>, 8192, 16>, mpx::waiting::sleep,
                          sized<40, 1024, long_path::get, 1024>>;
/// As the poor one, with queues that are full now and then, and completions that come late.
struct busy_card : nic_contract::scripted_nic<card<scarce>> {
  using bootstrap_type = mpx::bootstrap::sim;
  using scripted_nic::scripted_nic;
  void compute(std::int64_t ns) noexcept { inner().compute(ns); }
};
using busy = mpx::stack<basic_rdma<busy_card, 2048, 8, 488, 488, 16 * 1024>, mpx::waiting::sleep,
                        sized<40, 400, long_path::put, 488>>;
/// Whatever may overtake does so. It could read, and says that writes are better.
constexpr sim_options wild{.receive_depth = 16, .reads_pay = false, .in_order = false};
using unordered = mpx::stack<basic_rdma<card<wild>, 8192, 16>, mpx::waiting::sleep,
                             sized<40, 1024, long_path::automatic, 1024>>;

/// Cards between nodes; within a node the kernel copies. Both have all they want, or little.
using hosts = mpx::stack<
    mpx::transport::hybrid<basic_sim<sim_rma::cpu, 4096, 8>, basic_rdma<card<all>, 32768, 64>>,
    mpx::waiting::sleep,
    mpx::protocol::near_far<sized<40, 1024, long_path::automatic, 2048>,
                            sized<40, 1024, long_path::automatic, 2048>>>;
using poor_hosts =
    mpx::stack<mpx::transport::hybrid<basic_sim<sim_rma::cpu, 512, 2>,
                                      basic_rdma<card<scarce>, 2048, 8, 488, 488, 16 * 1024>>,
               mpx::waiting::sleep,
               mpx::protocol::near_far<sized<40, 400, long_path::put, 488>,
                                       sized<40, 400, long_path::put, 488>>,
               mpx::flow::credits<16384, 4096, 16>>;
static_assert(mpx::RegisteredTransport<hosts::transport_type> &&
              mpx::CpuCopyTransport<hosts::transport_type>);

}  // namespace explorer
