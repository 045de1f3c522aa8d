// SPDX-License-Identifier: BSL-1.0
// For tcp_leaves.test.py: tcp_leaves STACK HOW WHAT [CODE]

#include <string>

#include "instances/job.hpp"
#include "instances/job_cluster.hpp"
#include "instances/job_tcp.hpp"
#include "jobs/leaves.hpp"

int main(int, char** argv) {
  const std::string stack = argv[1];
  if (stack == "shm") return leaves::main<mpx::stack<>>(argv + 2);
  if (stack == "tcp") return leaves::main<mpx::tcp_stack>(argv + 2);
  return leaves::main<mpx::cluster_stack>(argv + 2);
}
