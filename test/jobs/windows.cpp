// SPDX-License-Identifier: BSL-1.0
// Program of rma_kill9.test.py and rma_jobs.test.py: windows in shared memory.

#include "jobs/windows.hpp"
#include "instances/job.hpp"

int main(int argc, char** argv) { return windows::main<mpx::stack<>>("windows", argc, argv); }
