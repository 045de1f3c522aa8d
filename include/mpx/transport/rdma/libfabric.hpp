// SPDX-License-Identifier: BSL-1.0
#pragma once
// A card over libfabric 1.17 or later: one reliable datagram endpoint, with any provider. Programs
// that include this header link mpx::libfabric.
//
// Immediates, sends, and short writes that only promise that the local memory is free again are
// sent as one message; the target's card checks the key and copies the data to its place. All other
// writes are remote writes with FI_DELIVERY_COMPLETE; an immediate follows as a message once that
// write and all before it are in place. So a provider needs only ordered messages and remote
// writes. It needs neither remote CQ data nor an order between writes and messages, in which
// providers differ. A card that reads needs remote reads, too. If the provider has both for certain
// (fabric_resources::keeps_order), an immediate travels with its write, if that is not very long,
// and later posts do not wait.
//
// A provider may drop a remote write with a wrong key silently, and may go on with a write whose
// reception has begun after the registration is closed. So limits().checks_keys is false, and a
// rank that takes memory back from peers that may be writing disconnects them first.

#include "mpx/macros/begin.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/concepts.hpp"
#include "mpx/core/group.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/core/plain_array.hpp"
#include "mpx/core/platform.hpp"
#include "mpx/transport/rdma/libfabric/link.hpp"
#include "mpx/transport/rdma/libfabric/liveness_connections.hpp"
#include "mpx/transport/rdma/libfabric/regions.hpp"
#include "mpx/transport/rdma/libfabric/resources.hpp"
#include "mpx/transport/rdma/nic.hpp"

namespace mpx::inline v0::nic {

/// A card over libfabric. `Calls` is fabric_calls, or derives from it. `Reads`: determines if the
/// card models ReadingNic, and if it reports that long messages are best read. With most providers
/// a peer serves reads by its own polls.
template <class Calls = fabric_calls, fabric_reads Reads = fabric_reads::if_told>
class basic_libfabric {
  static constexpr std::uint32_t regions_max = 4096;
  static constexpr std::uint32_t receives_max = 128;  // At the provider, for all peers.
  static constexpr std::uint32_t spent_max = 16;      // Used receives not posted again.
  static constexpr std::uint32_t sends_max = 64;
  static constexpr std::uint32_t accesses_max = 256;
  static constexpr std::size_t together_bytes_max = 512 * 1024;  // Larger writes gain by pacing.
  static constexpr std::size_t payload_max =
      detail::fabric_buffer_bytes - sizeof(detail::fabric_head);

 public:
  using policy_axis = nic_axis;
  static constexpr std::string_view name = "libfabric";
  static constexpr nic_traits traits{.reads = Reads != fabric_reads::never,
                                     .arrivals_in_order = true,
                                     .writes_before_arrivals = true,
                                     .survives_refusals = false};

  /// Collective over the ranks of `b`, which outlives the card.
  /// Errors: errc::argument: an option or a variable of the environment has an invalid value;
  ///         errc::no_resources: a missing feature of libfabric, by its text; errc::stack_mismatch:
  ///         the ranks have different providers.
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, basic_libfabric>) && Bootstrap<B>
  [[gnu::noinline, gnu::cold]] explicit basic_libfabric(B& b, const libfabric_options& options = {})
      : self_(world_peer(b.rank())),
        peers_(world_peer(b.size())),
        links_(static_cast<std::size_t>(b.size())),
        buffers_((receives_max + sends_max) * detail::fabric_buffer_bytes),
        slots_(receives_max + sends_max),
        leaving_patience_ns_(detail::leaving_ms(options) * 1'000'000),
        fetches_(Reads == fabric_reads::always ||
                 (Reads == fabric_reads::if_told && detail::fetches_long(options))),
        fabric_(options, receives_max + sends_max + accesses_max + 64),
        regions_(fabric_, regions_max, ~std::uint64_t{0}),
        bootstrap_(&b),
        record_of_([](void* job, rank_t rank) {
          return static_cast<B*>(job)->get(rank, record_key).value_or("");
        }) {
    if constexpr (LivenessBootstrap<B>) {
      const platform::atomic<std::uint32_t>& changes = b.failure_word();
      failure_word_ = &changes;
      state_of_ = [](const void* job, rank_t rank) noexcept {
        return static_cast<const B*>(job)->state(rank);
      };
    } else if (peers_ > 1) {
      lines_.listen(fabric_.address, fabric_.address_bytes);
    }
    start();
    b.put(record_key, own_record(b.host()));
    b.fence([this] { progress(); });
    meet();
  }
  basic_libfabric(const basic_libfabric&) = delete;
  basic_libfabric& operator=(const basic_libfabric&) = delete;
  ~basic_libfabric();

  peer_id self() const noexcept { return self_; }
  peer_id peers() const noexcept { return peers_; }
  bool oversubscribed() const noexcept { return oversubscribed_; }
  nic_limits limits() const noexcept {
    return {.registered_bytes_max = ~std::uint64_t{0},
            .transfer_bytes_max = transfer_bytes_max_,
            .page_bytes = detail::page_bytes,
            .regions_max = regions_max,
            .send_bytes_max = payload_max,
            .send_depth = detail::fabric_link::depth,
            .receive_depth = receive_depth,
            .checks_keys = false,
            .leaves_by_polls = true,
            .piece_bytes = 4 << 20,
            .follows_memory = fabric_.follows_memory(),
            .reads_pay = fetches_};
  }
  /// Properties of the provider, for error texts and tests.
  const char* provider() const noexcept { return fabric_.provider(); }
  /// A line for each provider that libfabric offered first and that could not be used: its name and
  /// the reason.
  const std::string& refused_providers() const noexcept { return fabric_.refused; }
  bool names_by_address() const noexcept { return fabric_.names_by_address(); }
  bool waits_on_descriptor() const noexcept { return fabric_.wait_fd >= 0; }
  /// The text of the first call that has failed since the card was made (calls to be repeated do
  /// not count): its name, the provider, libfabric's words and advice; "" if there is none. A call
  /// that fails for one peer ends that connection; if nothing can be received any more, all
  /// connections end.
  [[gnu::noinline, gnu::cold]] std::string failure() const;

  // --- Memory ---

  errc register_memory(std::span<std::byte> memory, nic_access access,
                       nic_region& region) noexcept {
    int result = 0;
    const errc e = regions_.add(memory, access, region, result);
    if (result != 0) [[unlikely]]
      note("fi_mr_reg", result);
    return e;
  }
  outcome deregister(std::uint64_t handle) noexcept { return regions_.remove(handle); }
  std::uint64_t registered_bytes() const noexcept { return regions_.registered_bytes(); }
  std::byte* allocate(std::size_t bytes) noexcept { return detail::zeroed_pages(bytes); }
  void deallocate(std::byte* p) noexcept { platform::deallocate(p); }

  // --- Connections ---

  errc connect(peer_id peer, std::span<const std::byte> data) noexcept {
    if (peer >= peers() || data.size() > nic_connect_bytes_max) return errc::argument;
    link* const v = link_of(peer);
    if (v == nullptr) return errc::no_resources;
    if (broken_ || is_gone(peer)) lose(*v, nic_status::peer_lost);
    if (const errc e = v->stage.begin(); e != errc{}) return e;
    v->my_data_bytes = data.size();
    if (!data.empty()) std::memcpy(v->my_data, data.data(), data.size());
    v->owes_begin = true;
    push(*v);
    if (v->stage.connected()) connected(*v);
    if (!v->had_line) begin_line(*v);
    return errc{};
  }
  std::span<const std::byte> peer_data(peer_id peer) const noexcept {
    const link* const v = links_[peer];
    return v == nullptr ? std::span<const std::byte>{} : v->stage.peer_data();
  }
  /// See Nic.
  /// Cost: waits for posts, since a provider cannot cancel them and copies of them may count as
  ///       sent: up to libfabric_options::leaving_ms, or 2 s if there are reads, less if the peer
  ///       is known to be gone. The memory of a read that the peer has not served by then is the
  ///       caller's once its event has come.
  void disconnect(peer_id peer) noexcept {
    if (peer >= peers() || links_[peer] == nullptr) return;
    link& v = *links_[peer];
    const std::int64_t begin = platform::now_ns();
    while (((v.up && !v.idle()) || v.outstanding != 0) && !v.stage.lost &&
           platform::now_ns() - begin < patience_with(v))
      progress();
    end(v, nic_status::ok);
  }

  // --- Work ---

  outcome post_receive(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                       cookie_t cookie) noexcept {
    link* const v = peer < peers() ? link_of(peer) : nullptr;
    void* descriptor = nullptr;
    if (v == nullptr || v->stage.lost) return outcome::refused;
    if (!into.empty() && !regions_.holds(handle, into, descriptor)) return outcome::refused;
    if (v->receives.size() == receive_depth) return outcome::retry;
    return v->receives.try_push({into.data(), into.size(), cookie}) ? outcome::pending
                                                                    : outcome::retry;
  }
  outcome post_send(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                    std::uint32_t immediate, cookie_t cookie) noexcept {
    if (from.size() > payload_max) return outcome::refused;
    return post(peer, handle, from, {}, 0, detail::fabric_word::send, immediate, false, cookie);
  }
  outcome post_write(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                     const remote_memory& to, std::uint64_t offset, nic_until until,
                     cookie_t cookie) noexcept {
    return post(peer, handle, from, to, offset, detail::fabric_word::write, 0,
                until == nic_until::placed, cookie);
  }
  outcome post_write_immediate(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                               const remote_memory& to, std::uint64_t offset, nic_until until,
                               std::uint32_t immediate, cookie_t cookie) noexcept {
    return post(peer, handle, from, to, offset, detail::fabric_word::arrival, immediate,
                until == nic_until::placed, cookie);
  }
  outcome post_write_then(peer_id peer, std::uint64_t handle, std::span<const std::byte> from,
                          const remote_memory& to, std::uint64_t offset, const nic_tail& tail,
                          cookie_t cookie) noexcept;
  outcome post_read(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                    const remote_memory& from, std::uint64_t offset, cookie_t cookie) noexcept
      requires(Reads != fabric_reads::never)
  {
    return post(peer, handle, into, from, offset, detail::fabric_word::write, 0, true, cookie,
                true);
  }

  /// See AtomicNic. None unless the options or MPX_FABRIC_ATOMICS say so: a provider may be slower
  /// if they are enabled.
  atomic_set atomics() const noexcept { return fabric_.atomics; }
  outcome post_atomic(peer_id peer, std::uint64_t handle, std::span<std::byte> into,
                      const remote_memory& to, std::uint64_t offset, const atomic_access& what,
                      cookie_t cookie) noexcept;

  // --- The completion queue ---

  std::size_t poll(std::span<nic_event> events) noexcept {
    out_ = events;
    told_ = 0;
    while (!ready_.empty() && told_ < out_.size()) {
      out_[told_++] = ready_.front();
      ready_.pop();
    }
    if (told_ < out_.size() || out_.empty()) progress();
    out_ = {};
    return std::exchange(told_, 0);
  }
  bool arm() noexcept {
    constexpr int looks_max = 4;
    bool quiet = false;  // Else the descriptor may never signal, or always.
    if (lines_.any()) look_at_lines();
    for (int looks = 0; looks < looks_max && !quiet; ++looks) {
      if (looks != 0) progress();
      if (!ready_.empty() || failure_epoch_changed()) return false;
      quiet = fabric_.wait_fd < 0 ||
              (Calls::trywait(fabric_.fabric, fabric_.cq) == 0 && !is_readable(fabric_.wait_fd));
    }
    impatient_ = std::exchange(stalled_, false) || !quiet || !busy_.empty() || !unposted_.empty();
    restless_ = fabric_.wait_fd < 0 && heard_lately();
    return true;
  }
  void sleep(std::int64_t timeout_ns) noexcept;
  /// The longest sleep: a provider may not signal that a peer needs progress.
  std::int64_t wait_max_ns() const noexcept {
    // Without a descriptor a sleeping rank wakes late, so it keeps polling while there is traffic.
    if (restless_) return 0;
    return impatient_ || fabric_.wait_fd < 0 ? 100'000 : 10'000'000;
  }
  void disarm() noexcept {
    if (both_.fd >= 0) quiet_bell();
  }
  /// See PollableTransport.
  int descriptor() noexcept {
    if (both_.fd < 0) both_.fd = make_descriptor();
    return both_.fd;
  }
  void wake() noexcept {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(bell_.fd, &one, sizeof one));
  }

 private:
  using link = detail::fabric_link;
  using head = detail::fabric_head;
  using word = detail::fabric_word;
  using order = detail::fabric_order;
  struct owned_descriptor {
    int fd = -1;
    explicit owned_descriptor(int owned) noexcept : fd(owned) {}
    owned_descriptor(const owned_descriptor&) = delete;
    owned_descriptor& operator=(const owned_descriptor&) = delete;
    ~owned_descriptor() {
      if (fd >= 0) ::close(fd);
    }
  };
  int make_descriptor() noexcept;
  void quiet_bell() noexcept {
    std::uint64_t rung = 0;
    static_cast<void>(!::read(bell_.fd, &rung, sizeof rung));
  }
  static bool is_readable(int fd) noexcept {
    ::pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
  }
  static constexpr const char* record_key = "libfabric";
  static constexpr std::uint32_t receive_depth = 512;
  static constexpr std::size_t events_of_a_link = detail::fabric_link::depth + receive_depth + 32;
  static constexpr std::int64_t patience_ns = 50'000'000;
  static constexpr std::int64_t reading_patience_ns = 2'000'000'000;
  static constexpr std::size_t scratch_bytes = 512;

  // --- Making it ---

  void start();
  std::int64_t patience_with(const link& v) const noexcept {
    if (is_gone(v.peer)) return patience_ns;
    return v.reading != 0 ? reading_patience_ns : leaving_patience_ns_;
  }
  /// True if an event was read within the last millisecond.
  bool heard_lately() noexcept {
    constexpr std::int64_t lately_ns = 1'000'000;
    const std::int64_t now = platform::now_ns();
    if (std::exchange(heard_, false)) heard_at_ns_ = now;
    return now - heard_at_ns_ < lately_ns;
  }
  std::string own_record(std::string_view host) const;
  void meet();
  link* link_of(peer_id peer) noexcept {
    if (peer >= peers()) return nullptr;
    return links_[peer] != nullptr ? links_[peer] : make_link(peer);
  }
  [[gnu::noinline, gnu::cold]] link* make_link(peer_id peer) noexcept;

  void tell(const nic_event& e) noexcept {
    if (told_ < out_.size() && ready_.empty()) {
      out_[told_++] = e;
    } else {
      static_cast<void>(ready_.try_push(e));  // Room was made with the link.
    }
  }
  void tell(const link& v, nic_event_kind kind, nic_status status, cookie_t cookie) noexcept {
    tell({.kind = kind, .status = status, .peer = v.peer, .cookie = cookie});
  }

  // --- What goes out ---

  [[gnu::always_inline]] outcome post(peer_id peer, std::uint64_t handle,
                                      std::span<const std::byte> from, const remote_memory& to,
                                      std::uint64_t offset, word what, std::uint32_t immediate,
                                      bool placed, cookie_t cookie, bool reads = false) noexcept {
    link* const v = peer < peers() ? links_[peer] : nullptr;
    void* descriptor = nullptr;
    if (v == nullptr || !v->up || from.size() > transfer_bytes_max_) return outcome::refused;
    if (!from.empty() && !regions_.holds(handle, from, descriptor)) return outcome::refused;
    if (from.empty() && what == word::write) return outcome::done;
    const head h = head_of(what, immediate, {to.address + offset, to.key});
    const bool accesses = (placed || from.size() > payload_max) && !from.empty();
    if (!accesses && (v->idle() || (keeps_order_ && v->may_tell()))) [[likely]] {
      const long result = ship(*v, h, from);
      if (result == 0) [[likely]]
        return outcome::done;
      if (result != -FI_EAGAIN) return cut(*v);
      stalled_ = true;
      return outcome::retry;
    }
    order o{.head = h, .cookie = cookie, .reads = reads, .placed = placed};
    (accesses ? o.moved : o.said) = from;
    o.moved_descriptor = descriptor;
    o.there = {h.address, h.key};
    return keep(*v, o);
  }
  head head_of(word what, std::uint32_t immediate, const remote_memory& to) const noexcept {
    return {.job = job_,
            .what = what,
            .source = self_,
            .immediate = immediate,
            .address = to.address,
            .key = to.key};
  }
  [[gnu::noinline]] outcome keep(link& v, const order& o) noexcept;
  /// Passes a message to the provider. Returns 0, or the provider's error.
  [[gnu::always_inline]] long ship(link& v, const head& h,
                                   std::span<const std::byte> payload) noexcept {
    const std::size_t bytes = sizeof h + payload.size();
    if (bytes > inject_max_) return ship_long(v, h, payload);
    alignas(head) std::byte message[scratch_bytes];
    std::memcpy(message, &h, sizeof h);
    if (!payload.empty()) std::memcpy(message + sizeof h, payload.data(), payload.size());
    const long result = Calls::inject(fabric_.ep, message, bytes, v.address);
    if (result != 0) [[unlikely]]
      note("fi_inject", result);
    return result;
  }
  [[gnu::noinline]] long ship_long(link& v, const head& h,
                                   std::span<const std::byte> payload) noexcept;
  /// Marks the peer as unreachable. The next poll ends the link.
  [[gnu::noinline, gnu::cold]] outcome cut(link& v) noexcept {
    v.cut = true;
    note_busy(v);
    return outcome::refused;
  }
  /// Advances posts as far as the provider takes them. Returns false if it takes no more now.
  bool advance(link& v) noexcept;
  long issue(detail::fabric_work& w) noexcept;
  long issue_atomic(detail::fabric_work& w) noexcept;
  void note_busy(link& v) noexcept {
    if (v.busy) return;
    v.busy = true;
    static_cast<void>(busy_.try_push_back(&v));  // Room was made with the link.
  }
  void push(link& v) noexcept {
    if (v.silent) return;
    if (!push_some(v)) note_busy(v);
    if (v.cut) lose(v, nic_status::peer_lost);
  }
  bool push_some(link& v) noexcept;
  void push_all() noexcept;

  void connected(link& v) noexcept {
    v.up = true;
    tell(v, nic_event_kind::connected, nic_status::ok, 0);
  }
  [[gnu::noinline, gnu::cold]] void end(link& v, nic_status why) noexcept;
  [[gnu::noinline, gnu::cold]] void tell_end(link& v) noexcept;
  [[gnu::noinline, gnu::cold]] void lose(link& v, nic_status why) noexcept;
  bool is_gone(peer_id peer) const noexcept {
    if (state_of_ == nullptr) return false;
    const rank_state s = state_of_(bootstrap_, world_rank(peer));
    return s == rank_state::failed || s == rank_state::finished;
  }
  std::uint32_t failure_epoch() const noexcept {
    return failure_word_ != nullptr ? failure_word_->load(platform::memory_order_acquire) : known_;
  }
  bool failure_epoch_changed() const noexcept { return failure_epoch() != known_; }
  [[gnu::noinline, gnu::cold]] void note_gone() noexcept;
  [[gnu::noinline, gnu::cold]] void note_failures(std::uint32_t epoch, bool heard_all) noexcept;
  [[gnu::noinline, gnu::cold]] void begin_line(link& v) noexcept;
  [[gnu::noinline]] void look_at_lines() noexcept;
  /// Records the first call that has failed.
  long note(const char* call, long result) noexcept {
    if (result == -FI_EAGAIN || failed_call_ != nullptr) return result;
    failed_call_ = call;
    failed_result_ = result;
    return result;
  }
  /// Nothing can be received any more: all links are lost.
  [[gnu::noinline, gnu::cold]] void break_down(const char* call, long result) noexcept;

  // --- What comes ---

  /// Reads completions as far as there is room for events, and posts work that had to wait.
  void progress() noexcept;
  [[gnu::noinline, gnu::cold]] void take_error() noexcept;
  /// An operation has failed and the provider did not name it: ends all links with pending reads,
  /// once every completed read was reported.
  [[gnu::noinline, gnu::cold]] void end_readers() noexcept;
  void take(const ::fi_cq_data_entry& e) noexcept;
  void ended(detail::fabric_work& w, nic_status status) noexcept;
  bool post_slot(detail::fabric_message_slot& s) noexcept;
  /// Posts used receives again; this is done at the next look, after the messages were handled.
  void post_spent() noexcept;
  void take_message(const std::byte* data, std::size_t bytes) noexcept;
  [[gnu::noinline, gnu::cold]] void take_stage(const head& h,
                                               std::span<const std::byte> payload) noexcept;
  void take_note(std::uint64_t note) noexcept;
  void use_receive(link& v, std::uint32_t immediate, std::span<const std::byte> data) noexcept;

  peer_id self_;
  peer_id peers_;
  owning_table<link> links_;  // libfabric uses memory in it: destroyed last.
  plain_array<std::byte> buffers_;
  plain_array<detail::fabric_message_slot> slots_;
  std::int64_t leaving_patience_ns_;
  bool fetches_;
  detail::fabric_lifelines lines_;  // Without a LivenessBootstrap.
  detail::fabric_resources<Calls> fabric_;
  detail::fabric_regions<Calls> regions_;
  void* buffer_descriptor_ = nullptr;
  detail::fabric_message_slot* free_sends_ = nullptr;
  detail::fabric_message_slot* spent_ = nullptr;
  std::uint32_t spent_count_ = 0;
  plain_array<detail::fabric_message_slot*> unposted_;
  plain_array<link*> made_;
  plain_array<link*> busy_;
  detail::queue<nic_event> ready_;
  std::span<nic_event> out_;  // Of the poll in progress.
  std::size_t told_ = 0;
  std::size_t inject_max_ = 0;
  std::uint64_t transfer_bytes_max_ = 0;
  std::uint32_t job_ = 0;
  std::uint32_t accesses_ = 0;    // At the provider, for all peers.
  bool stalled_ = false;          // A post has returned `retry`, and no event will signal room.
  bool impatient_ = false;        // At the last arm(): something must be retried soon.
  bool restless_ = false;         // At the last arm(): recent traffic, and no descriptor signals
                                  // more.
  bool heard_ = false;            // An event was read since the last arm().
  std::int64_t heard_at_ns_ = 0;  // Time of the arm() before which an event was read.
  bool oversubscribed_ = false;
  bool keeps_order_ = false;
  bool broken_ = false;
  bool unnamed_ = false;  // The provider has reported a failure without its operation.
  bool deaf_ = false;     // The last posted receive was refused.
  const char* failed_call_ = nullptr;
  long failed_result_ = 0;
  owned_descriptor bell_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  owned_descriptor both_{-1};  // Readable if the bell or the provider's descriptor is.
  void* bootstrap_;
  std::string (*record_of_)(void*, rank_t);
  const platform::atomic<std::uint32_t>* failure_word_ = nullptr;
  rank_state (*state_of_)(const void*, rank_t) noexcept = nullptr;
  std::uint32_t known_ = 0;
  std::uint32_t unheard_ = 0;
  std::uint32_t looks_ = 0;
};

/// A card with the provider that the environment selects. Transport rdma then writes long messages,
/// or has the receiver read them if MPX_FABRIC_READS says so. A send that the receiver reads holds
/// its memory until then: dropping its request asks the receiver, and waits until that rank makes
/// any call.
using libfabric = basic_libfabric<>;
/// As `libfabric`, of the providers that connect hosts: not libfabric's shm, unless
/// MPX_FABRIC_PROVIDER names it.
class libfabric_between_hosts : public basic_libfabric<> {
 public:
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, libfabric_between_hosts>) && Bootstrap<B>
  explicit libfabric_between_hosts(B& b) : basic_libfabric(b, options()) {}

 private:
  static libfabric_options options() noexcept {
    libfabric_options o;
    o.between_hosts = true;
    return o;
  }
};
/// A card whose long messages are read by the receiver, with any provider.
using reading_libfabric = basic_libfabric<fabric_calls, fabric_reads::always>;
/// A card whose long messages are written by the sender, with any provider.
using writing_libfabric = basic_libfabric<fabric_calls, fabric_reads::never>;

}  // namespace mpx::inline v0::nic

#include "mpx/transport/rdma/detail/libfabric_arrivals.hpp"
#include "mpx/transport/rdma/detail/libfabric_start.hpp"
#include "mpx/transport/rdma/detail/libfabric_work.hpp"

#include "mpx/macros/end.hpp"
