// SPDX-License-Identifier: BSL-1.0
// timeout: 240
// The contract of cards over libfabric, with each provider that is here, under both ways of naming
// memory; and error texts if libfabric fails.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <map>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/transport/rdma/libfabric.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "nic_threads.hpp"

namespace nic_libfabric_test {

using namespace nic_contract;
using mpx::nic::fabric_memory;
using mpx::nic::libfabric;
using mpx::nic::libfabric_options;

libfabric_options chosen;  // By a test, for all cards that it makes.

struct card_here : libfabric {
  template <class B>
  explicit card_here(B& b) : libfabric(b, chosen) {}
};
static_assert(mpx::Nic<card_here> && mpx::ChainingNic<card_here> && mpx::ReadingNic<card_here>);
static_assert(!mpx::ReadingNic<mpx::nic::writing_libfabric>);
static_assert(mpx::ReadingNic<mpx::nic::reading_libfabric>);

/// True if libfabric has this provider here; else prints the reason.
bool is_here(const libfabric_options& options) {
  try {
    mpx::nic::detail::fabric_resources<mpx::nic::fabric_calls> all(options, 64);
    return true;
  } catch (const mpx::error& e) {
    if (e.code() != mpx::errc::no_resources) throw;
    std::printf("[skip] %s\n", e.what());
    return false;
  }
}

void run_all(const char* provider, fabric_memory memory) {
  // With atomic accesses in one of the ways to name memory.
  const auto atomics = memory == fabric_memory::any ? mpx::nic::fabric_atomics::alone
                                                    : mpx::nic::fabric_atomics::none;
  chosen = {.provider = provider, .memory = memory, .atomics = atomics};
  if (!is_here(chosen)) return;
  CAPTURE(std::string(provider));
  CAPTURE(static_cast<int>(memory));
  for (const check& what : nic_contract::checks) {
    CAPTURE(std::string(what.name));
    const peer_id ranks = what.ranks != 0 ? what.ranks : 3;
    CHECK_NOTHROW(run<card_here>(what, ranks));
  }
}

/// libfabric's own threads are not seen by ThreadSanitizer, and mpx does the same for each
/// provider.
#ifdef MPX_TEST_REPEATED
constexpr const char* in_both_ways[] = {"tcp;ofi_rxm"};
#else
constexpr const char* in_both_ways[] = {"tcp;ofi_rxm", "shm", "sockets", "net"};
#endif

TEST_CASE("nic::libfabric: the contract over tcp") { run_all("tcp;ofi_rxm", fabric_memory::any); }
TEST_CASE("nic::libfabric: the contract over shm") { run_all("shm", fabric_memory::any); }
TEST_CASE("nic::libfabric: the contract over sockets") { run_all("sockets", fabric_memory::any); }
TEST_CASE("nic::libfabric: the contract over net") { run_all("net", fabric_memory::any); }
TEST_CASE("nic::libfabric: virtual addresses and the provider's keys") {
  for (const char* provider : in_both_ways) run_all(provider, fabric_memory::basic);
}
TEST_CASE("nic::libfabric: offsets and own keys") {
  for (const char* provider : in_both_ways) run_all(provider, fabric_memory::scalable);
}

// --- What libfabric lacks, and where it fails --------------------------------------------------

/// libfabric, but for one call.
struct failing : mpx::nic::fabric_calls {
  using real = mpx::nic::fabric_calls;
  static inline std::string call;  // The one that fails,
  static inline int result = 0;    // and how.
  static inline int objects = 0;   // Opened, and not closed.
  static bool fails(const char* name) { return call == name; }
  static int counted(int opened) {
    objects += opened == 0 ? 1 : 0;
    return opened;
  }

  static std::uint32_t version() noexcept {
    return fails("fi_version") ? FI_VERSION(1, 12) : real::version();
  }
  static int getinfo(const char* node, std::uint64_t flags, const ::fi_info* hints,
                     ::fi_info** found) noexcept {
    return fails("fi_getinfo") ? result : real::getinfo(node, flags, hints, found);
  }
  static int fabric(::fi_info* info, ::fid_fabric** made) noexcept {
    return fails("fi_fabric") ? result : counted(real::fabric(info, made));
  }
  static int domain(::fid_fabric* f, ::fi_info* info, ::fid_domain** made) noexcept {
    return fails("fi_domain") ? result : counted(real::domain(f, info, made));
  }
  static int av_open(::fid_domain* d, ::fi_av_attr* attr, ::fid_av** made) noexcept {
    return fails("fi_av_open") ? result : counted(real::av_open(d, attr, made));
  }
  static int cq_open(::fid_domain* d, ::fi_cq_attr* attr, ::fid_cq** made) noexcept {
    return fails("fi_cq_open") ? result : counted(real::cq_open(d, attr, made));
  }
  static int endpoint(::fid_domain* d, ::fi_info* info, ::fid_ep** made) noexcept {
    return fails("fi_endpoint") ? result : counted(real::endpoint(d, info, made));
  }
  static int ep_bind(::fid_ep* e, ::fid* to, std::uint64_t flags) noexcept {
    return fails("fi_ep_bind") ? result : real::ep_bind(e, to, flags);
  }
  static int enable(::fid_ep* e) noexcept { return fails("fi_enable") ? result : real::enable(e); }
  static int getname(::fid_ep* e, void* into, std::size_t* bytes) noexcept {
    return fails("fi_getname") ? result : real::getname(e, into, bytes);
  }
  static int av_insert(::fid_av* a, const void* address, ::fi_addr_t* made) noexcept {
    return fails("fi_av_insert") ? result : real::av_insert(a, address, made);
  }
  static int mr_reg(::fid_domain* d, const void* memory, std::size_t bytes, std::uint64_t access,
                    std::uint64_t key, ::fid_mr** made) noexcept {
    return fails("fi_mr_reg") ? result : counted(real::mr_reg(d, memory, bytes, access, key, made));
  }
  static int mr_bind(::fid_mr* m, ::fid* to) noexcept {
    return fails("fi_mr_bind") ? result : real::mr_bind(m, to);
  }
  static int mr_enable(::fid_mr* m) noexcept {
    return fails("fi_mr_enable") ? result : real::mr_enable(m);
  }
  static int close(::fid* what) noexcept {
    const int closed = real::close(what);
    objects -= closed == 0 ? 1 : 0;
    return closed;
  }
  static int trywait(::fid_fabric* f, ::fid_cq* q) noexcept {
    return fails("fi_trywait") ? result : real::trywait(f, q);
  }
  static int wait_descriptor(::fid_cq* q, int* made) noexcept {
    return fails("fi_control") ? result : real::wait_descriptor(q, made);
  }
  static std::ptrdiff_t recv(::fid_ep* e, void* into, std::size_t bytes, void* desc,
                             void* context) noexcept {
    return fails("fi_recv") ? result : real::recv(e, into, bytes, desc, context);
  }
  static std::ptrdiff_t send(::fid_ep* e, const void* from, std::size_t bytes, void* desc,
                             ::fi_addr_t to, void* context) noexcept {
    return fails("fi_send") ? result : real::send(e, from, bytes, desc, to, context);
  }
  static std::ptrdiff_t inject(::fid_ep* e, const void* from, std::size_t bytes,
                               ::fi_addr_t to) noexcept {
    return fails("fi_send") ? result : real::inject(e, from, bytes, to);
  }
  static std::ptrdiff_t writemsg(::fid_ep* e, const ::fi_msg_rma* what,
                                 std::uint64_t flags) noexcept {
    return fails("fi_writemsg") ? result : real::writemsg(e, what, flags);
  }
  static std::ptrdiff_t readmsg(::fid_ep* e, const ::fi_msg_rma* what,
                                std::uint64_t flags) noexcept {
    return fails("fi_readmsg") ? result : real::readmsg(e, what, flags);
  }
  static std::ptrdiff_t cq_read(::fid_cq* q, ::fi_cq_data_entry* into, std::size_t n) noexcept {
    if (fails("fi_cq_readerr")) return -FI_EAVAIL;
    return fails("fi_cq_read") ? result : real::cq_read(q, into, n);
  }
  static std::ptrdiff_t cq_readerr(::fid_cq* q, ::fi_cq_err_entry* into) noexcept {
    return fails("fi_cq_readerr") ? result : real::cq_readerr(q, into);
  }
};
struct failing_card : mpx::nic::basic_libfabric<failing> {
  template <class B>
  explicit failing_card(B& b) : basic_libfabric(b, chosen) {}
};

/// Error text of a card that cannot be made; "" if it can.
std::string refusal() {
  mpx::bootstrap::thread_job job(1);
  mpx::bootstrap::any me(mpx::bootstrap::threads(job, 0));
  std::string text;
  try {
    const failing_card card(me);
  } catch (const mpx::error& e) {
    CHECK(e.code() == mpx::errc::no_resources);
    text = e.what();
  }
  me.mark_finished();
  return text;
}
bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

TEST_CASE("nic::libfabric: errors name missing abilities and failed calls") {
  failing::call = "";
  chosen = {.provider = "nonesuch"};
  const std::string missing = refusal();
  CHECK(says(missing, "'nonesuch'"));
  CHECK(says(missing, "FI_RMA"));
  CHECK(says(missing, "providers here: "));
  chosen = {.provider = "sockets"};
  if (!is_here(chosen)) return;
  failing::result = -FI_ENOMEM;
  for (const char* name : {"fi_fabric", "fi_domain", "fi_av_open", "fi_cq_open", "fi_endpoint",
                           "fi_ep_bind", "fi_enable", "fi_getname", "fi_recv"}) {
    CAPTURE(std::string(name));
    failing::call = name;
    const std::string text = refusal();
    CHECK(says(text, name));
    CHECK(says(text, "sockets"));
    CHECK(says(text, ::fi_strerror(FI_ENOMEM)));
    CHECK(says(text, "MPX_FABRIC_PROVIDER"));
    CHECK(failing::objects == 0);
  }
  failing::call = "fi_version";
  CHECK(says(refusal(), "1.12: 1.17 or later"));
  failing::call = "fi_getinfo";
  CHECK(says(refusal(), "no provider 'sockets'"));
  failing::call = "fi_control";  // It sleeps for a little at a time.
  CHECK(refusal() == "");
  failing::call = "fi_trywait";
  CHECK(refusal() == "");
  failing::call = "";
  CHECK(refusal() == "");
  CHECK(failing::objects == 0);
}

/// A rank with itself.
struct alone {
  mpx::bootstrap::thread_job job{1};
  mpx::bootstrap::any me{mpx::bootstrap::threads(job, 0)};
  std::optional<card_of<failing_card>> own;
  std::optional<player> p;
  alone() {
    failing::call = "";
    own.emplace(me);
    p.emplace(*own, meeting{});
  }
  alone(const alone&) = delete;
  alone& operator=(const alone&) = delete;
  ~alone() {
    failing::call = "";
    p.reset();
    own.reset();
    me.mark_finished();
  }
  outcome signal() {
    return own->nic.post_write_immediate(0, 0, {}, {}, 0, nic_until::taken, 7, p->next++);
  }
};

TEST_CASE("nic::libfabric: whether long messages are fetched") {
  chosen = {.provider = "tcp;ofi_rxm"};
  if (!is_here(chosen)) return;
  failing::call = "";
  CHECK(!alone().own->nic.limits().reads_pay);
  ::setenv("MPX_FABRIC_READS", "1", 1);
  CHECK(alone().own->nic.limits().reads_pay);
  chosen.reads = 0;
  CHECK(!alone().own->nic.limits().reads_pay);
  chosen.reads = -1;
  ::setenv("MPX_FABRIC_READS", "yes", 1);
  CHECK_THROWS_WITH_AS(alone(), doctest::Contains("MPX_FABRIC_READS is 'yes': 1"), mpx::error);
  ::unsetenv("MPX_FABRIC_READS");
}

TEST_CASE("nic::libfabric: atomic accesses, if they are asked for") {
  using mpx::nic::fabric_atomics;
  using resources = mpx::nic::detail::fabric_resources<mpx::nic::fabric_calls>;
  for (const char* provider : {"tcp;ofi_rxm", "sockets", "shm"}) {
    libfabric_options o{.provider = provider};
    if (!is_here(o)) continue;
    CAPTURE(std::string(provider));
    const auto found = [&] { return resources(o, 64).atomics; };
    CHECK(found().empty());
    o.atomics = fabric_atomics::alone;
    CHECK(found() == mpx::atomic_set::all(false));
    o.atomics = fabric_atomics::with_cpu;
    CHECK(found() == mpx::atomic_set::all(true));
    o.atomics = fabric_atomics::if_told;
    ::setenv("MPX_FABRIC_ATOMICS", "cpu", 1);
    CHECK(found().with_cpu);
    ::setenv("MPX_FABRIC_ATOMICS", "0", 1);
    CHECK(found().empty());
    ::setenv("MPX_FABRIC_ATOMICS", "yes", 1);
    CHECK_THROWS_WITH_AS(found(), doctest::Contains("MPX_FABRIC_ATOMICS is 'yes': 0, 1"),
                         mpx::error);
    ::unsetenv("MPX_FABRIC_ATOMICS");
  }
}

TEST_CASE("nic::libfabric: calls that fail later") {
  for (const char* provider : {"shm", "tcp;ofi_rxm"}) {
    chosen = {.provider = provider};
    if (!is_here(chosen)) continue;
    CAPTURE(std::string(provider));
    std::vector<std::byte> memory(100'000);
    nic_region r;
    {
      alone a;
      failing::result = -FI_ENOMEM;
      failing::call = "fi_av_insert";
      CHECK(a.p->c.connect(0, {}) == errc::no_resources);
      failing::call = "fi_mr_reg";
      CHECK(a.p->c.register_memory(memory, nic_access::remote_write, r) == errc::no_resources);
      CHECK(a.p->c.registered_bytes() == 0);
      failing::call = "";
      a.p->connect(0);
      failing::call = "fi_send";
      failing::result = -FI_EAGAIN;
      CHECK(a.signal() == outcome::retry);
      failing::call = "";
      a.p->post_receive(0, 1);
      CHECK(a.signal() == outcome::done);
      a.p->until_received(1);
      CHECK(a.p->received[0].immediate == 7);
      failing::call = "fi_send";
      failing::result = -FI_ENOTCONN;
      CHECK(a.signal() == outcome::refused);
      a.p->until_disconnected(0, 1, nic_status::peer_lost);
      CHECK(a.p->c.connect(0, {}) == errc::peer_lost);
    }
    for (const char* name : {"fi_cq_read", "fi_cq_readerr", "fi_recv"}) {
      CAPTURE(std::string(name));
      alone a;  // It gets nothing any more: all connections end, with the reason.
      a.p->connect(0);
      CHECK(a.own->nic.failure() == "");
      failing::result = -FI_EIO;
      failing::call = name;
      for (int i = 0; i < 200 && a.p->links[0].disconnected == 0; ++i) {
        a.p->post_receive(0, 1);
        (void)a.signal();
        a.p->step();
      }
      a.p->until_disconnected(0, 1, nic_status::peer_lost);
      CHECK(a.p->c.connect(0, {}) == errc::peer_lost);
      CHECK(says(a.own->nic.failure(), name));
      CHECK(says(a.own->nic.failure(), provider));
      CHECK(says(a.own->nic.failure(), "MPX_FABRIC_PROVIDER"));
    }
    for (const bool refused : {true, false}) {
      alone a;
      a.p->connect(0);
      r = a.p->region(memory, nic_access::remote_read_write);
      failing::result = refused ? -FI_EACCES : -FI_ECONNRESET;
      failing::call = "fi_readmsg";
      std::vector<std::byte> into(50'000);
      const nic_region l = a.p->region(into, nic_access::local);
      const auto s = a.p->read(0, l, into, r.remote, 0);
      CHECK(s == (refused ? nic_status::refused : nic_status::flushed));
      a.p->until_disconnected(0, 1, refused ? nic_status::refused : nic_status::peer_lost);
      CHECK(says(a.own->nic.failure(), "fi_readmsg"));
    }
    CHECK(failing::objects == 0);
    if (provider == std::string_view("shm")) {  // Which does not say what has failed.
      alone a;
      a.p->connect(0);
      r = a.p->region(memory, nic_access::remote_read);
      CHECK(a.p->read(0, r, std::span(memory).first(50'000), {4096, r.remote.key}, 0) ==
            nic_status::flushed);
      a.p->until_disconnected(0, 1, nic_status::peer_lost);
      CHECK(says(a.own->nic.failure(), "an operation"));
    }
    for (const bool refused : {true, false}) {
      alone a;
      a.p->connect(0);
      r = a.p->region(memory, nic_access::remote_write);
      failing::result = refused ? -FI_EACCES : -FI_ECONNRESET;
      failing::call = "fi_writemsg";
      const auto s = a.p->write(0, r, const_bytes(memory).first(50'000), r.remote, 50'000);
      CHECK(s == (refused ? nic_status::refused : nic_status::flushed));
      a.p->until_disconnected(0, 1, refused ? nic_status::refused : nic_status::peer_lost);
      failing::call = "";
      if (refused) a.p->connect(0);
    }
  }
}

}  // namespace nic_libfabric_test
