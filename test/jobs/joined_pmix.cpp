// SPDX-License-Identifier: BSL-1.0
// libraries: mpx::pmix
// sanitizers: none
// As joined.cpp, of a program that joins by PMIx, too.

#include <mpx/bootstrap/pmix.hpp>

#include "jobs/joined.hpp"

int main(int argc, char** argv) { return joined::main(argc, argv); }
