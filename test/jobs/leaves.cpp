// SPDX-License-Identifier: BSL-1.0
// For leaves.test.py: leaves HOW WHAT [CODE]

#include "jobs/leaves.hpp"

#include "instances/job.hpp"

int main(int, char** argv) { return leaves::main<mpx::stack<>>(argv + 1); }
