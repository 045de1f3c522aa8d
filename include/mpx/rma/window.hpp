// SPDX-License-Identifier: BSL-1.0
#pragma once
// Windows: memory of each rank of a communicator that the other ranks put to, get from and
// accumulate to, within epochs. Part of mpx/rma.hpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string>
#include <utility>

#include "mpx/rma/sync.hpp"

namespace mpx::inline v0 {

namespace rma {
template <class Window>
class reference;
template <class Window>
class span;
}  // namespace rma
template <class Stack>
class byte_window;

/// Memory of each rank of a communicator, made of elements of T, that the other ranks access within
/// epochs. Move-only. Made by allocate_window, shared_window, window_over and dynamic_window;
/// `free` is collective. A window that is destroyed without `free` is abandoned: accesses by other
/// ranks then fail with errc::window, or reach memory that stays allocated until the job ends (for
/// window_over: the program's own memory).
///
/// Displacements count elements of T; in a dynamic window they are addresses in bytes. An access
/// returns at once. Its effect and its result are guaranteed after the call that closes the epoch,
/// or after a flush. Until then result buffers, and source buffers longer than
/// rma::copied_bytes_max, must stay valid; shorter values may be temporaries. After a thrown
/// errc::peer_lost the buffers are the program's again: results still outstanding are discarded.
/// With mpx::start an access gives a request, which waits until the epoch allows the access, and
/// completes once its buffer may be reused or holds the result.
///
/// Protocol: chosen by Policy for each put and get; a protocol given when the window is made holds
/// for all accesses. Accumulates, fetches and swaps of this rank to one target all use one
/// protocol, so that they keep their order. Each element is updated atomically with regard to all
/// other ranks: the target's service and ranks that map the memory use the same instructions, or
/// the same lock of the element.
///
/// Memory model: unified if every rank accesses the memory of every rank directly; else the owner
/// sees remote accesses after a synchronisation call, or any call that makes progress. See
/// memory_model.
///
/// Errors:     of accesses errc::rma_sync, errc::rma_range, errc::rank, errc::window,
///             errc::peer_lost; errc::rma_range of a dynamic window is reported by the call that
///             closes the epoch.
/// Threads:    as the stack's thread model allows.
/// Source:     MPI 4.1, 12.
template <class T, class Stack = stack<>, rma::ProtocolPolicy Policy = rma::by_reach>
class [[nodiscard]] window : public detail::window_calls<window<T, Stack, Policy>, Stack> {
  static_assert(Transferable<T> && sizeof(T) <= rma::element_bytes_max,
                "elements of a window have 256 bytes at most");
  using site = std::source_location;
  using throws_t = detail::throws_t;
  using base = detail::window_calls<window, Stack>;
  using state = detail::window_state<Stack>;
  using maker = detail::window_maker<Stack>;

 public:
  using value_type = T;      ///< Element type.
  using stack_type = Stack;  ///< Policies of the environment.

  /// Constructs an empty window.
  window() = default;
  /// Takes over the window of `other`, which is empty afterwards.
  window(window&& other) noexcept = default;
  /// Takes over the window of `other`, which is empty afterwards; abandons the window held before.
  window& operator=(window&& other) noexcept = default;
  ~window() {
    if (state_ != nullptr) maker::end(*state_, maker::ending::left);
    delete state_;
  }
  /// False for an empty window.
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// Returns this rank's own memory; empty for a dynamic or an empty window.
  [[nodiscard]] std::span<T> local(site where = site::current()) const noexcept {
    if (seen(where) == nullptr) return {};
    return {reinterpret_cast<T*>(state_->base), std::size_t{state_->bytes / sizeof(T)}};
  }
  /// Returns the number of elements of rank `of`.
  /// Requires:   the window is not empty; 0 <= of < size().
  [[nodiscard]] std::uint64_t elements(rank_t of, site where = site::current()) const noexcept {
    return target_at(of, where).elements;
  }
  /// Returns the memory of rank `of` as mapped by this rank; empty if it is not mapped. Loads and
  /// stores there under a lock need a shared_window or a byte_window, whose `lock` waits for it.
  /// Requires:   the window is not empty; 0 <= of < size().
  [[nodiscard]] std::span<T> part(rank_t of, site where = site::current()) const noexcept {
    const detail::rma_target& t = target_at(of, where);
    if (t.base == nullptr) return {};
    return {reinterpret_cast<T*>(t.base), static_cast<std::size_t>(t.elements)};
  }
  /// Returns when owners see remote accesses to their memory: unified if all ranks access all parts
  /// by loads, stores and atomic instructions; separate for every other protocol and for dynamic
  /// windows. The result is the same at all ranks. Accesses that name a protocol themselves are not
  /// considered.
  /// Requires:   the window is not empty.
  /// Source:     MPI 4.1, 12.4; MPI_WIN_MODEL.
  [[nodiscard]] rma::memory_model memory_model(site where = site::current()) const noexcept {
    assert_full(where);
    const rma::protocol by = state_->chosen == rma::protocol::automatic && puts_directly
                                 ? rma::protocol::direct
                                 : state_->chosen;
    return by == rma::protocol::direct && state_->all_reached ? rma::memory_model::unified
                                                              : rma::memory_model::separate;
  }

  // --- Elements and runs of elements: mpx/rma/reference.hpp --------------------------------------

  /// Returns a reference to an element of `target`, which can be assigned to and loaded. Nothing is
  /// accessed or checked until it is used.
  rma::reference<window> at(rank_t target, std::uint64_t displacement) noexcept {
    return {*this, target, displacement};
  }
  /// Returns a view of `n` elements of `target` from displacement `first` on. Nothing is accessed
  /// or checked until it is used.
  rma::span<window> span(rank_t target, std::uint64_t first, std::uint64_t n) noexcept {
    return {*this, target, first, n};
  }

  // --- Accesses ----------------------------------------------------------------------------------

  /// Stores `value` at displacement `at` of `target`.
  template <rma::protocol By = rma::protocol::automatic, class How = throws_t>
  [[gnu::always_inline]] auto put(const T& value, rank_t target, std::uint64_t at, How&& how = {},
                                  site where = site::current()) {
    if constexpr (By == rma::protocol::automatic && loads && detail::BlockingForm<How>) {
      if (std::byte* const there = fast(target, at, 1, where); there != nullptr) [[likely]] {
        targets_[target].note_store();
        std::memcpy(there, &value, sizeof(T));
        return well(how);
      }
    }
    if constexpr (By == rma::protocol::automatic && goes_on_at_once && detail::BlockingForm<How>) {
      if (continues(target, at)) {
        std::memcpy(targets_[target].lengthen(sizeof(T)), &value, sizeof(T));
        return well(how);
      }
    }
    return put_slow<By>(std::span(&value, 1), target, at, std::forward<How>(how), where);
  }
  template <rma::protocol By = rma::protocol::automatic, std::floating_point U, class... Rest>
  requires std::integral<T>
  /// Would truncate the fraction: convert explicitly.
  void put(U, rank_t, std::uint64_t, Rest&&...) = delete;
  /// Stores a contiguous range of T, or the data of a layout, from displacement `at` of `target`
  /// on.
  template <rma::protocol By = rma::protocol::automatic, class B, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> &&
           (!std::convertible_to<B, const T&>)
  auto put(B&& data, rank_t target, std::uint64_t at, How&& how = {},
           site where = site::current()) {
    if constexpr (By == rma::protocol::automatic && loads && detail::BlockingForm<How> &&
                  !LayoutBuffer<B>) {
      const auto bytes = detail::bytes_of(data);
      if (std::byte* const there = fast(target, at, bytes.size() / sizeof(T), where);
          there != nullptr) {
        targets_[target].note_store();
        if (!bytes.empty()) std::memcpy(there, bytes.data(), bytes.size());
        return well(how);
      }
    }
    return put_slow<By>(data, target, at, std::forward<How>(how), where);
  }
  /// Loads elements of `target` from displacement `at` on into `into`.
  template <rma::protocol By = rma::protocol::automatic, class B, class How = throws_t>
  requires ReceiveBuffer<B&&>
  [[gnu::always_inline]] auto get(B&& into, rank_t target, std::uint64_t at, How&& how = {},
                                  site where = site::current()) {
    if constexpr (By == rma::protocol::automatic && loads && detail::BlockingForm<How> &&
                  !LayoutBuffer<B>) {
      const auto bytes = detail::writable_bytes_of(into);
      if (std::byte* const there = fast(target, at, bytes.size() / sizeof(T), where);
          there != nullptr) [[likely]] {
        targets_[target].note_load();
        if (!bytes.empty()) std::memcpy(bytes.data(), there, bytes.size());
        return well(how);
      }
    }
    return finish<rma::action::get>(memory_of(into, true), target, at, By, std::forward<How>(how),
                                    where);
  }
  /// Combines elements of `target` from displacement `at` on with those of `data`: each becomes
  /// `target op given`. Accumulates of one rank to one location of a target take effect in program
  /// order.
  template <class B, class Op, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && rma::Operation<Op, T>
  auto accumulate(const B& data, rank_t target, std::uint64_t at, Op, How&& how = {},
                  site where = site::current()) {
    return finish<rma::action::accumulate>(memory_of(data, false), target, at,
                                           rma::protocol::automatic, std::forward<How>(how), where,
                                           nullptr, number<Op>());
  }
  /// As accumulate; also stores the previous values of the target's elements to `result`, which is
  /// contiguous and as long as `data`.
  template <class B, class R, class Op, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && ReceiveBuffer<R&&> &&
           (!LayoutBuffer<R>) && rma::Operation<Op, T>
  auto get_accumulate(const B& data, R&& result, rank_t target, std::uint64_t at, Op,
                      How&& how = {}, site where = site::current()) {
    detail::assert_elements<T, R>();
    const auto into = detail::writable_bytes_of(result);
    return finish<rma::action::fetch>(fetched(data, into, number<Op>()), target, at,
                                      rma::protocol::automatic, std::forward<How>(how), where,
                                      into.data(), number<Op>());
  }
  /// As get_accumulate, of one element.
  template <class Op, class How = throws_t>
  requires rma::Operation<Op, T>
  auto fetch_and_op(const T& value, T& result, rank_t target, std::uint64_t at, Op, How&& how = {},
                    site where = site::current()) {
    if constexpr (loads && detail::BlockingForm<How> &&
                  !std::is_void_v<rma::detail::atomic_word<T>>) {
      if (this->at_once(fast(target, at, 1, where), target, [&](std::byte* there, auto&&... with) {
            result = rma::detail::combine_one<T>(rma::detail::number_of<std::remove_cvref_t<Op>>(),
                                                 there, reinterpret_cast<const std::byte*>(&value),
                                                 with...);
          }))
        return well(how);
    }
    const std::span into(reinterpret_cast<std::byte*>(&result), sizeof(T));
    return finish<rma::action::fetch, true>(
        fetched(std::span(&value, 1), into, number<Op>()), target, at, rma::protocol::automatic,
        std::forward<How>(how), where, into.data(), number<Op>());
  }
  /// Replaces the element at `at` by `value` if it is equal to `compare`, byte for byte. Stores its
  /// previous value to `result`.
  template <class How = throws_t>
  auto compare_and_swap(const T& compare, const T& value, T& result, rank_t target,
                        std::uint64_t at, How&& how = {}, site where = site::current()) {
    const T both[2] = {compare, value};
    auto* const bytes = reinterpret_cast<std::byte*>(const_cast<T*>(both));
    if constexpr (loads && detail::BlockingForm<How> &&
                  !std::is_void_v<rma::detail::atomic_word<T>>) {
      if (this->at_once(fast(target, at, 1, where), target, [&](std::byte* there, auto&&... with) {
            result = rma::detail::swap_one<T>(there, bytes, bytes + sizeof(T), with...);
          }))
        return well(how);
    }
    taken m{memory(bytes, 2 * sizeof(T)), errc{}};
    return finish<rma::action::swap>(m, target, at, rma::protocol::automatic,
                                     std::forward<How>(how), where,
                                     reinterpret_cast<std::byte*>(&result));
  }

  // --- Accesses to memory that is not contiguous at the target: rma::typed, rma::strided ---------

  /// As put; `data` fills the layout `at` at the target, block by block.
  /// Errors:     errc::argument if the lengths of `data` and `at` differ; errc::datatype if `at`
  ///             contains a location twice.
  template <rma::protocol By = rma::protocol::automatic, class B, rma::TargetLayout P,
            class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B>
  auto put(B&& data, rank_t target, const P& at, How&& how = {}, site where = site::current()) {
    return finish_spread<rma::action::put>(memory_of(data, false), target, at, By,
                                           std::forward<How>(how), where);
  }
  /// As get; `into` receives the layout `at` of the target, block by block.
  template <rma::protocol By = rma::protocol::automatic, class B, rma::TargetLayout P,
            class How = throws_t>
  requires ReceiveBuffer<B&&>
  auto get(B&& into, rank_t target, const P& at, How&& how = {}, site where = site::current()) {
    return finish_spread<rma::action::get>(memory_of(into, true), target, at, By,
                                           std::forward<How>(how), where);
  }
  /// As accumulate, to the layout `at`.
  /// Errors:     also errc::datatype if `at` does not consist of whole elements of T.
  template <class B, rma::TargetLayout P, class Op, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && rma::Operation<Op, T>
  auto accumulate(const B& data, rank_t target, const P& at, Op, How&& how = {},
                  site where = site::current()) {
    return finish_spread<rma::action::accumulate>(memory_of(data, false), target, at,
                                                  rma::protocol::automatic, std::forward<How>(how),
                                                  where, nullptr, number<Op>());
  }
  /// As get_accumulate, of the layout `at`.
  template <class B, class R, rma::TargetLayout P, class Op, class How = throws_t>
  requires SendBuffer<std::remove_cvref_t<B>> && ReceiveBuffer<R&&> &&
           (!LayoutBuffer<R>) && rma::Operation<Op, T>
  auto get_accumulate(const B& data, R&& result, rank_t target, const P& at, Op, How&& how = {},
                      site where = site::current()) {
    detail::assert_elements<T, R>();
    const auto into = detail::writable_bytes_of(result);
    return finish_spread<rma::action::fetch>(fetched(data, into, number<Op>()), target, at,
                                             rma::protocol::automatic, std::forward<How>(how),
                                             where, into.data(), number<Op>());
  }

  // --- Dynamic windows: attach and detach memory -------------------------------------------------

  /// Makes `memory` accessible to the other ranks of a dynamic window.
  /// Returns:    its displacement.
  /// Errors:     errc::argument if the window is not dynamic; errc::no_resources.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  std::uint64_t attach(std::span<T> memory, How&& how = {}, site where = site::current()) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    errc why = seen(where) == nullptr ? errc::window : state_->dynamic ? errc{} : errc::argument;
    if (why == errc{}) {
      const auto guard = detail::one_sided<Stack>::lock(state_->e);
      if (!state_->pieces.try_push_back({at, memory.size_bytes()})) why = errc::no_resources;
    }
    ended(how, why, "attach", proc_null, where);
    return at;
  }
  /// Ends the access of other ranks to `memory`.
  /// Requires:   no rank accesses it any more.
  /// Errors:     errc::argument if it is not attached.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  void detach(std::span<T> memory, How&& how = {}, site where = site::current()) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    errc why = seen(where) == nullptr ? errc::window : errc::argument;
    if (state_ != nullptr) {
      const auto guard = detail::one_sided<Stack>::lock(state_->e);
      state_->pieces.erase_if([&](const detail::rma_piece& p) {
        const bool is = why != errc{} && p.at == at && p.bytes == memory.size_bytes();
        if (is) why = errc{};
        return is;
      });
    }
    ended(how, why, "detach", proc_null, where);
  }

  /// Ends the window. Collective; waits for all ranks.
  /// Errors:     errc::rma_sync if an epoch of lock, start or post is open. The window is gone all
  ///             the same.
  template <class How = throws_t>
  requires detail::BlockingForm<How>
  void free(How&& how = {}, site where = site::current()) {
    if (const errc e = this->unusable(where); e != errc{})
      return ended(how, e, "free", proc_null, where);
    if (!base::goes_together("free of a window", {}, how, where)) return;
    targets_ = nullptr;
    size_ = 0;
    std::string text;
    const errc why = detail::free_window(std::exchange(state_, nullptr),
                                         detail::is_code<How&> ? nullptr : &text, where);
    if constexpr (detail::is_code<How&>) {
      detail::store(how, why);
    } else if (why != errc{}) {
      throw error(why, text, where);
    }
  }

  /// For the library: makes the window.
  window(const communicator<Stack>& comm, const typename maker::plan& p, typename maker::fault& f,
         site where) {
    if (auto* const made = maker::make(comm, p, f, where); made != nullptr) this->hold(*made);
  }

 private:
  using base::assert_full;
  using base::countdown_;
  using base::ended;
  using base::seen;
  using base::size_;
  using base::state_;
  using base::target_at;
  using base::targets_;
  static constexpr bool puts_directly =
      Policy::choose({rma::action::put, sizeof(T), true, true, 4096}) == rma::protocol::direct;
  static constexpr bool loads =
      !detail::compares_accesses<Stack> && !CallTrace<typename Stack::trace_type> && puts_directly;
  template <class>
  friend class rma::reference;
  template <class>
  friend class rma::span;
  template <class>
  friend class byte_window;
  static constexpr auto no_op = static_cast<std::uint8_t>(rma::combine::no_op);

  struct taken {
    memory what;
    errc wrong;
  };
  template <class Op>
  static constexpr std::uint8_t number() noexcept {
    return static_cast<std::uint8_t>(rma::detail::number_of<std::remove_cvref_t<Op>>());
  }
  template <class B>
  static taken memory_of(const B& buffer, bool received) noexcept {
    if constexpr (!LayoutBuffer<std::remove_cvref_t<B>>)
      detail::assert_elements<T, std::remove_cvref_t<B>>();
    const taken t = bytes_of(buffer, received);
    if (t.wrong != errc{} || t.what.bytes % sizeof(T) == 0) return t;
    if (t.what.how != nullptr) t.what.how->drop();
    return {{}, errc::datatype};
  }
  /// As memory_of, for elements of any type.
  template <class B>
  static taken bytes_of(const B& buffer, bool received) noexcept {
    if constexpr (LayoutBuffer<std::remove_cvref_t<B>>) {
      if (const errc why = buffer.fault(received); why != errc{}) return {{}, why};
      const memory m = buffer.keep();
      if (!m.exists() && m.bytes != 0) return {{}, errc::no_resources};
      return {m, errc{}};
    } else {
      return {memory(detail::bytes_of(buffer)), errc{}};
    }
  }
  /// A put that starts where the last buffered put ended only has to be copied behind it.
  static constexpr bool goes_on_at_once = sizeof(T) % 8 == 0 &&
                                          !detail::endpoint<Stack>::concurrent &&
                                          !detail::compares_accesses<Stack>;
  bool continues(rank_t target, std::uint64_t at) const noexcept {
    if (static_cast<std::uint32_t>(target) >= static_cast<std::uint32_t>(size_)) return false;
    return at < targets_[target].elements && targets_[target].continues(at * sizeof(T), sizeof(T));
  }
  /// Returns the mapped address of `n` elements at `at` if plain loads and stores may access them
  /// now; else nullptr.
  [[gnu::always_inline]] std::byte* fast(rank_t target, std::uint64_t at, std::uint64_t n,
                                         site where) const noexcept {
    std::byte* const there = reached(target, at, n, where);
    // The slow path is taken in a forked child and if a poll is due, as periodically on every path.
    return there == nullptr || !countdown_->passes(detail::call_weight::access) ? nullptr : there;
  }
  [[gnu::always_inline]] std::byte* reached(rank_t target, std::uint64_t at, std::uint64_t n,
                                            site where) const noexcept {
    seen(where);
    if (static_cast<std::uint32_t>(target) >= static_cast<std::uint32_t>(size_)) return nullptr;
    const detail::rma_target& t = targets_[target];
    if (at > t.elements || n > t.elements - at) return nullptr;
    std::byte* const first = t.fast.load(platform::memory_order_acquire);
    return first == nullptr ? nullptr : first + at * sizeof(T);
  }
  template <class How>
  [[gnu::always_inline]] static void well([[maybe_unused]] How& how) noexcept {
    if constexpr (detail::is_code<How&>) how.clear();
  }
  template <rma::protocol By, class B, class How>
  [[gnu::noinline]] auto put_slow(const B& data, rank_t target, std::uint64_t at, How&& how,
                                  site where) {
    return finish<rma::action::put>(memory_of(data, false), target, at, By, std::forward<How>(how),
                                    where);
  }
  /// Returns the data of an access that stores the previous values to `into`.
  template <class B>
  static taken fetched(const B& data, std::span<std::byte> into, std::uint8_t op) noexcept {
    taken m = memory_of(data, false);
    if (op == no_op) {
      if (m.what.how != nullptr) m.what.how->drop();
      m.what = {nullptr, into.size()};
    } else if (m.wrong == errc{} && into.size() != m.what.bytes) {
      m.wrong = errc::argument;
    }
    return m;
  }
  template <rma::action What, rma::TargetLayout P, class How>
  auto finish_spread(taken m, rank_t target, const P& at, rma::protocol by, How&& how, site where,
                     std::byte* result = nullptr, std::uint8_t op = 0) {
    const bool written = What != rma::action::get && (What == rma::action::put || op != no_op);
    rma::detail::spread_limits fits_in{.bytes = m.what.bytes};
    if (target >= 0 && target < size_ && !state_->dynamic) {
      const std::uint64_t elements = targets_[target].elements;
      fits_in.room = at.at < elements ? (elements - at.at) * sizeof(T) : 0;
    }
    rma::spread there = rma::detail::spread_of(at, sizeof(T), written, fits_in);
    if (m.wrong == errc{}) m.wrong = there.wrong;
    return finish<What>(m, target, there.at, by, std::forward<How>(how), where, result, op,
                        std::move(there.runs));
  }
  template <rma::action What, bool Single = false, class How>
  auto finish(const taken& m, rank_t target, std::uint64_t at, rma::protocol by, How&& how,
              site where, std::byte* result = nullptr, std::uint8_t op = 0,
              rma::runs_reference runs = {}) {
    std::uint64_t offset = 0;
    errc wrong = this->unusable(where);
    if (wrong == errc{}) [[likely]]
      wrong = __builtin_mul_overflow(at, state_->unit, &offset) ? errc::rma_range : m.wrong;
    if (wrong != errc{} && m.what.how != nullptr) m.what.how->drop();
    const bool swaps = What == rma::action::swap;
    const rma::run_list* const pieces = runs.get();
    const std::size_t piece =
        pieces == nullptr || pieces->size() == 0 ? m.what.bytes : m.what.bytes / pieces->size();
    const detail::rma_call<Stack, What, Single> call{
        state_,
        {.what = What,
         .op = op,
         .at = offset,
         .bytes = swaps ? sizeof(T) : m.what.bytes,
         .data = m.what,
         .result = {result, swaps ? sizeof(T) : m.what.bytes},
         .type = &rma::detail::type_of<T>,
         .runs = pieces},
        target,
        by == rma::protocol::automatic ? policy(target, What, piece) : by,
        wrong,
        std::move(runs),
        at};
    return detail::finish_as(std::forward<How>(how), call, where);
  }
  std::uint64_t unit() const noexcept { return state_ == nullptr ? 1 : state_->unit; }
  /// Fails with errc::argument: the length of the data differs from that of the span.
  template <rma::action What, class How>
  auto refuse(std::size_t bytes, rank_t target, std::uint64_t at, How&& how, site where) {
    return finish<What>({memory(static_cast<std::byte*>(nullptr), bytes), errc::argument}, target,
                        at, rma::protocol::automatic, std::forward<How>(how), where);
  }
  /// Waits for the results of all accesses to `target`; the last access was at `at`.
  template <rma::action What, class How>
  [[gnu::always_inline]] void arrive(rank_t target, std::uint64_t at, std::size_t bytes, How& how,
                                     site where) {
    if constexpr (detail::is_code<How&>)
      if (how) return;
    if constexpr (loads)
      if (reached(target, at, bytes / sizeof(T), where) != nullptr) [[likely]]
        return;  // Results of direct accesses have arrived already.
    arrive_slow<What>(target, at, bytes, how, where);
  }
  template <rma::action What, class How>
  [[gnu::noinline]] void arrive_slow(rank_t target, std::uint64_t at, std::size_t bytes,
                                     [[maybe_unused]] How& how, site where) {
    errc why = this->unusable(where);
    if (why == errc{}) why = state_->arrive(target, {detail::name_of(What), where});
    if constexpr (detail::is_code<How&>) {
      detail::store(how, why);
    } else if (why != errc{}) [[unlikely]] {
      if (state_ == nullptr) detail::raise_empty(detail::name_of(What), where);
      const detail::rma_given x{at, bytes};
      // In a dynamic window an earlier access may have failed; the state knows which.
      const bool this_one = why != errc::rma_range;
      detail::raise_window(*state_, why, detail::name_of(What), target, this_one ? &x : nullptr,
                           where);
    }
  }
  rma::protocol policy(rank_t target, rma::action what, std::size_t bytes) const noexcept {
    if (target < 0 || target >= size_) return rma::protocol::buffered;
    const detail::rma_target& t = targets_[target];
    const bool alone =
        t.epoch >= detail::rma_epoch::shared && (t.no_check || this->state_->card_locks != nullptr);
    return Policy::choose({what, bytes, t.base != nullptr, t.remote.key != 0, t.room, alone});
  }
};

}  // namespace mpx::inline v0
