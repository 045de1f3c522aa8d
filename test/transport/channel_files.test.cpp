// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// sanitizers: none
// The contract of transport channel over files.

#include <mpx/transport/channel/files.hpp>
#include <ostream>

#include "channel_cases.hpp"

namespace {
namespace over_files {

using namespace transport_contract;
using files = mpx::transport::channel<mpx::device::files>;
using quiet = helped_transport::helped<copied_transport::copied<files>>;

TEST_CASE("channel: files") {
  check_to_and_fro<files>(1000);
  check_identity<quiet>();
  check_self_send<quiet>();
  check_fairness<quiet>();
  check_no_starvation<quiet>();
  check_refilling_source<quiet>();
  check_arm_sees_what_is_there<quiet>();
  check_sleep_ends<quiet>();
  check_retry_during_sleep<quiet>();
  check_taking_back<files>();
  check_pending<files>();
  check_dropping<files>();
  CHECK_NOTHROW(check_all_to_all<files>(4, 100, true));
}

}  // namespace over_files
}  // namespace
