// SPDX-License-Identifier: BSL-1.0
// sanitizers: none
// For the tests of launchers: joins by whatever there is, exchanges messages of all sizes, several
// environments after each other, then ends in the way that the command line names.

#include "jobs/joined.hpp"

int main(int argc, char** argv) { return joined::main(argc, argv); }
