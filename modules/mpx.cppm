// SPDX-License-Identifier: BSL-1.0
// `import mpx;`: the names that a program uses, as a C++20 module. Macros do not come with it: a
// program that asks for a version includes mpx/config.hpp.
module;

#include <mpx/mpx.hpp>

export module mpx;

export namespace mpx {

// Joining a job, talking.
using mpx::allocator;
using mpx::communicator;
using mpx::environment;
using mpx::group;
using mpx::message;
using mpx::mode;
using mpx::run_threads;
using mpx::status;
using mpx::wire_version;

// Ranks, tags.
using mpx::any_source;
using mpx::any_tag;
using mpx::context_id;
using mpx::proc_null;
using mpx::rank_t;
using mpx::tag_max;
using mpx::tag_t;

// Errors.
using mpx::category;
using mpx::errc;
using mpx::error;
using mpx::make_error_code;

// Ways to end a call, requests.
using mpx::all_of;
using mpx::any_completion;
using mpx::completer;
using mpx::completion;
using mpx::CompletionToken;
using mpx::generalized_operation;
using mpx::once;
using mpx::persistent_request;
using mpx::prepare;
using mpx::request;
using mpx::RequestRange;
using mpx::start;
using mpx::start_all;
using mpx::test_all;
using mpx::test_any;
using mpx::test_some;
using mpx::wait_all;
using mpx::wait_all_statuses;
using mpx::wait_any;
using mpx::wait_some;

// Reductions and collectives.
using mpx::commutative;
using mpx::in_place;
using mpx::is_commutative;
using mpx::located;
using mpx::reduce_local;

using mpx::bit_and;
using mpx::bit_or;
using mpx::bit_xor;
using mpx::logical_and;
using mpx::logical_or;
using mpx::logical_xor;
using mpx::max;
using mpx::maxloc;
using mpx::min;
using mpx::minloc;
using mpx::no_op;
using mpx::prod;
using mpx::replace;
using mpx::sum;

// Buffers.
using mpx::BufferOutlivesCall;
using mpx::ContiguousBuffer;
using mpx::ReceiveBuffer;
using mpx::SendBuffer;
using mpx::Transferable;

// The stack: its axes, their concepts and policies.
using mpx::Bootstrap;
using mpx::CheckingThreadModel;
using mpx::CollectivePolicy;
using mpx::event;
using mpx::FlowControl;
using mpx::HashedCollectivePolicy;
using mpx::LivenessBootstrap;
using mpx::long_path;
using mpx::Matcher;
using mpx::Protocol;
using mpx::SharedMemoryBootstrap;
using mpx::stack;
using mpx::StackPolicy;
using mpx::ThreadModel;
using mpx::Trace;
using mpx::Transport;
using mpx::WaitPolicy;

namespace bootstrap {
using mpx::bootstrap::any;
using mpx::bootstrap::detect;
using mpx::bootstrap::mpxrun;
using mpx::bootstrap::singleton;
using mpx::bootstrap::thread_job;
using mpx::bootstrap::threads;
}  // namespace bootstrap

namespace coll {
using mpx::coll::algorithm;
using mpx::coll::by_size;
using mpx::coll::choice;
using mpx::coll::operation;
using mpx::coll::question;
}  // namespace coll

namespace flow {
using mpx::flow::credits;
using mpx::flow::unlimited;
using mpx::flow::zeno;
}  // namespace flow

namespace matching {
using mpx::matching::hashed;
using mpx::matching::list;
}  // namespace matching

namespace protocol {
using mpx::protocol::tiny_short_long;
}

namespace threading {
using mpx::threading::multiple;
using mpx::threading::serialized;
using mpx::threading::single;
}  // namespace threading

namespace trace {
using mpx::trace::counters;
using mpx::trace::none;
}  // namespace trace

namespace transport {
using mpx::transport::basic_inproc;
using mpx::transport::basic_shm;
using mpx::transport::copy_path;
using mpx::transport::inproc;
using mpx::transport::shm;
}  // namespace transport

namespace waiting {
using mpx::waiting::sleep;
using mpx::waiting::spin;
using mpx::waiting::spin_then_sleep;
}  // namespace waiting

}  // namespace mpx
