// SPDX-License-Identifier: BSL-1.0
#pragma once
// The objects of libfabric that a card opens, and the choice of a provider.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "mpx/core/atomic_access.hpp"
#include "mpx/core/error.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/core/numbers.hpp"
#include "mpx/transport/rdma/libfabric/calls.hpp"

namespace mpx::inline v0::nic {

/// Naming of registered memory: see fi_mr(3).
enum class fabric_memory : std::uint8_t {
  any,       ///< The provider's choice.
  basic,     ///< Virtual addresses and keys chosen by the provider.
  scalable,  ///< Offsets and keys chosen by the card.
};

/// Use of remote reads by a card.
enum class fabric_reads : std::uint8_t {
  never,    ///< None.
  if_told,  ///< Available; used for long messages if the options or the environment say so.
  always,   ///< Available; used for long messages.
};

/// Use of the provider's atomic accesses (FI_ATOMIC).
enum class fabric_atomics : std::uint8_t {
  if_told,   ///< As MPX_FABRIC_ATOMICS says; none if it is unset.
  none,      ///< None.
  alone,     ///< Available, without a promise about the CPU's atomic instructions.
  with_cpu,  ///< Available; the user promises atomic_set::with_cpu, which libfabric does not tell.
};

/// Options of a card over libfabric. Unset ones are taken from the environment.
struct libfabric_options {
  /// Default: MPX_FABRIC_PROVIDER, or the first in libfabric's order that can be opened.
  std::string_view provider;
  bool between_hosts = false;                 ///< No provider of one host, unless it is named.
  fabric_memory memory = fabric_memory::any;  ///< Default: MPX_FABRIC_MEMORY (see ENVIRONMENT.md).
  bool waits = true;                          ///< Sleep on a descriptor if the provider has one.
  /// Time for which a destructor polls for peers that have not received all, in ms. Less than 0:
  /// MPX_FABRIC_LEAVING_MS, or 500.
  int leaving_ms = -1;
  /// Long messages are read by the receiver (1) or written by the sender (0). Less than 0:
  /// MPX_FABRIC_READS, or 0.
  int reads = -1;
  fabric_atomics atomics = fabric_atomics::if_told;
};

namespace detail {

/// Errors: errc::argument.
inline std::int64_t leaving_ms(const libfabric_options& options) {
  constexpr std::uint64_t most = 3'600'000;
  std::uint64_t ms = 500;
  const char* const said = std::getenv("MPX_FABRIC_LEAVING_MS");
  if (options.leaving_ms >= 0) return options.leaving_ms;
  if (said != nullptr && *said != 0 && !mpx::detail::parse_number(said, most, ms))
    mpx::detail::throw_error(errc::argument,
                             "MPX_FABRIC_LEAVING_MS is '%s': milliseconds, at most an hour", said);
  return static_cast<std::int64_t>(ms);
}

/// Errors: errc::argument.
inline bool fetches_long(const libfabric_options& options) {
  const char* const said = std::getenv("MPX_FABRIC_READS");
  if (options.reads >= 0) return options.reads != 0;
  if (said == nullptr || *said == 0) return false;
  const std::string_view word(said);
  if (word != "0" && word != "1")
    mpx::detail::throw_error(errc::argument,
                             "MPX_FABRIC_READS is '%s': 1, long messages are fetched, or 0", said);
  return word == "1";
}

/// Errors: errc::argument.
inline fabric_atomics atomics_of(const libfabric_options& options) {
  const char* const said = std::getenv("MPX_FABRIC_ATOMICS");
  if (options.atomics != fabric_atomics::if_told) return options.atomics;
  if (said == nullptr || *said == 0) return fabric_atomics::none;
  const std::string_view word(said);
  if (word == "1") return fabric_atomics::alone;
  if (word == "cpu") return fabric_atomics::with_cpu;
  if (word != "0")
    mpx::detail::throw_error(
        errc::argument,
        "MPX_FABRIC_ATOMICS is '%s': 0, 1 (the provider's atomic accesses are used), or cpu (they "
        "are also atomic with regard to the CPU)",
        said);
  return fabric_atomics::none;
}

/// libfabric's names of atomic_operation, in its order.
inline constexpr ::fi_op fabric_operations[atomic_operations] = {
    FI_SUM, FI_BAND, FI_BOR, FI_BXOR, FI_ATOMIC_WRITE, FI_CSWAP};
constexpr ::fi_datatype fabric_word_type(std::size_t bytes) noexcept {
  return bytes == 8 ? FI_UINT64 : FI_UINT32;
}

/// The libfabric objects of one card. `Calls` is fabric_calls, or derives from it.
template <class Calls>
struct fabric_resources {
  static constexpr std::uint64_t wanted_caps = FI_MSG | FI_RMA;
  static constexpr std::size_t address_bytes_max = 128;

  ::fi_info* info = nullptr;
  ::fid_fabric* fabric = nullptr;
  ::fid_domain* domain = nullptr;
  ::fid_av* av = nullptr;
  ::fid_cq* cq = nullptr;
  ::fid_ep* ep = nullptr;
  int wait_fd = -1;
  std::size_t address_bytes = 0;
  std::byte address[address_bytes_max]{};
  std::string refused;   // A line for each provider that was tried in vain.
  atomic_set atomics{};  // That the endpoint has, if they are wanted.

  /// Errors: errc::argument: a variable of the environment has an invalid value;
  ///         errc::no_resources: the provider does not exist, lacks a feature or fails: the text
  ///         names it.
  explicit fabric_resources(const libfabric_options& options, std::size_t queue_entries) {
    try {
      open_first(options, queue_entries);
    } catch (...) {
      close();
      throw;
    }
  }
  fabric_resources(const fabric_resources&) = delete;
  fabric_resources& operator=(const fabric_resources&) = delete;
  ~fabric_resources() { close(); }

  const char* provider() const noexcept { return info->fabric_attr->prov_name; }
  bool names_by_address() const noexcept {
    return (info->domain_attr->mr_mode & (FI_MR_BASIC | FI_MR_VIRT_ADDR)) != 0;
  }
  bool gives_keys() const noexcept {
    return (info->domain_attr->mr_mode & (FI_MR_BASIC | FI_MR_PROV_KEY)) != 0;
  }
  bool wants_local() const noexcept {
    return (info->domain_attr->mr_mode & (FI_MR_BASIC | FI_MR_LOCAL)) != 0 ||
           (info->mode & FI_LOCAL_MR) != 0;
  }
  bool enables_memory() const noexcept {
    return (info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0;
  }
  /// True if writes and messages to a peer keep their order, and a write of two parts can carry 8
  /// bytes to the queue there. It is assumed only of providers that are a byte stream: `sockets`
  /// claims it too, and does not keep it.
  bool keeps_order() const noexcept {
    constexpr std::uint64_t order = FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_WAS | FI_ORDER_WAW;
    const std::string_view name = provider();
    return (name == "tcp;ofi_rxm" || name == "net") &&
           (info->tx_attr->msg_order & info->rx_attr->msg_order & order) == order &&
           info->tx_attr->iov_limit >= 2 && info->tx_attr->rma_iov_limit >= 2 &&
           info->domain_attr->cq_data_size >= 8;
  }
  /// True if the CPU moves the data, through the addresses that a registration names.
  bool follows_memory() const noexcept {
    const std::string_view name = provider();
    return name == "tcp;ofi_rxm" || name == "net" || name == "sockets" || name == "shm";
  }
  /// True if a read copies within its post, on the CPU of the reader.
  bool reads_at_once() const noexcept { return std::string_view(provider()) == "shm"; }
  /// The error text for a call that has failed.
  std::string failure(const char* call, long result) const {
    std::string text = "libfabric provider '";
    text += info != nullptr ? provider() : "";
    text += "': ";
    text += call;
    text += " fails: ";
    text += Calls::strerror(static_cast<int>(-result));
    text += " (" + std::to_string(-result);
    text += "); FI_LOG_LEVEL=warn tells more, MPX_FABRIC_PROVIDER names another (fi_info -l)";
    return text;
  }
  /// Closes the endpoint and ends its operations; their memory is free then.
  void close_endpoint() noexcept { shut(ep); }

 private:
  [[noreturn, gnu::noinline, gnu::cold]] void fail(const char* call, long result) {
    mpx::detail::throw_error(errc::no_resources, "%s", failure(call, result).c_str());
  }
  void need(const char* call, long result) {
    if (result < 0) fail(call, result);
  }
  static fabric_memory memory_from_environment(fabric_memory otherwise) {
    const char* const said = std::getenv("MPX_FABRIC_MEMORY");
    if (otherwise != fabric_memory::any || said == nullptr || *said == 0) return otherwise;
    const std::string_view word(said);
    if (word == "basic") return fabric_memory::basic;
    if (word == "scalable") return fabric_memory::scalable;
    if (word != "any")
      mpx::detail::throw_error(errc::argument, "MPX_FABRIC_MEMORY is '%s': any, basic or scalable",
                               said);
    return otherwise;
  }
  /// The names of all providers with reliable datagram endpoints.
  static std::string all_providers() {
    std::string names;
    ::fi_info* const hints = ::fi_dupinfo(nullptr);
    ::fi_info* found = nullptr;
    if (hints == nullptr) return names;
    hints->ep_attr->type = FI_EP_RDM;
    hints->mode = ~std::uint64_t{0};
    if (Calls::getinfo(nullptr, 0, hints, &found) != 0) found = nullptr;
    for (const ::fi_info* i = found; i != nullptr; i = i->next) {
      const std::string name = i->fabric_attr->prov_name;
      if ((", " + names + ", ").find(", " + name + ", ") != std::string::npos) continue;
      names += (names.empty() ? "" : ", ") + name;
    }
    if (found != nullptr) ::fi_freeinfo(found);
    ::fi_freeinfo(hints);
    return names;
  }
  /// Returns the provider that the options or the environment name; "" if none.
  static std::string named(const libfabric_options& options) {
    const char* const said = std::getenv("MPX_FABRIC_PROVIDER");
    return options.provider.empty() && said != nullptr ? said : std::string(options.provider);
  }
  /// Returns what libfabric offers, best first. Owned by the caller.
  static ::fi_info* find(const libfabric_options& options) {
    if (Calls::version() < FI_VERSION(1, 17))
      mpx::detail::throw_error(errc::no_resources, "libfabric is %u.%u: 1.17 or later is needed",
                               FI_MAJOR(Calls::version()), FI_MINOR(Calls::version()));
    const std::string name = named(options);
    ::fi_info* const hints = ::fi_dupinfo(nullptr);
    if (hints == nullptr) mpx::detail::throw_out_of_memory();
    hints->caps = wanted_caps;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    constexpr int all_modes =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    switch (memory_from_environment(options.memory)) {
      case fabric_memory::any: hints->domain_attr->mr_mode = all_modes; break;
      case fabric_memory::basic: hints->domain_attr->mr_mode = FI_MR_BASIC; break;
      case fabric_memory::scalable: hints->domain_attr->mr_mode = 0; break;
    }
    if (!name.empty()) hints->fabric_attr->prov_name = ::strdup(name.c_str());
    ::fi_info* found = nullptr;
    const int result = Calls::getinfo(nullptr, 0, hints, &found);
    ::fi_freeinfo(hints);
    if (result == 0 && found != nullptr) return found;
    mpx::detail::throw_error(
        errc::no_resources,
        "libfabric has no provider%s%s%s with reliable datagram endpoints, FI_MSG, FI_RMA and "
        "FI_ORDER_SAS, and this way of naming memory: %s (%d); providers here: %s",
        name.empty() ? "" : " '", name.c_str(), name.empty() ? "" : "'", Calls::strerror(-result),
        -result, all_providers().c_str());
  }
  /// Returns the same provider with FI_ATOMIC, owned by the caller; nullptr if it has none.
  static ::fi_info* find_with_atomics(const ::fi_info* plain) {
    ::fi_info* const hints = ::fi_dupinfo(plain);
    if (hints == nullptr) mpx::detail::throw_out_of_memory();
    hints->caps = wanted_caps | FI_ATOMIC;
    // It may keep less order then, and inject less: over tcp;ofi_rxm.
    hints->tx_attr->caps = hints->rx_attr->caps = hints->domain_attr->caps = 0;
    hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->tx_attr->comp_order = hints->rx_attr->comp_order = FI_ORDER_NONE;
    hints->tx_attr->inject_size = 0;
    ::fi_info* found = nullptr;
    const int result = Calls::getinfo(nullptr, 0, hints, &found);
    ::fi_freeinfo(hints);
    if (result != 0 || found == nullptr) return nullptr;
    ::fi_info* const first = ::fi_dupinfo(found);
    ::fi_freeinfo(found);
    return first;
  }
  /// Asks the endpoint for each operation and size.
  void find_operations(bool with_cpu) noexcept {
    if ((info->caps & FI_ATOMIC) == 0) return;
    for (std::uint32_t o = 0; o < atomic_operations; ++o) {
      const auto is_there = [&](std::size_t bytes) {
        std::size_t count = 0;
        const ::fi_datatype type = fabric_word_type(bytes);
        const int result = fabric_operations[o] == FI_CSWAP
                               ? Calls::compare_valid(ep, type, FI_CSWAP, &count)
                               : Calls::fetch_valid(ep, type, fabric_operations[o], &count);
        return result == 0 && count != 0;
      };
      const auto bit = static_cast<std::uint8_t>(1u << o);
      if (is_there(4)) atomics.on_4_bytes |= bit;
      if (is_there(8)) atomics.on_8_bytes |= bit;
    }
    atomics.with_cpu = with_cpu && !atomics.empty();
  }
  /// Opens the first provider that can be opened.
  void open_first(const libfabric_options& options, std::size_t queue_entries) {
    struct list {
      ::fi_info* first;
      ~list() { ::fi_freeinfo(first); }
    } const offered{find(options)};
    const bool one_host_too = !options.between_hosts || !named(options).empty();
    std::string tried = ",";
    for (const ::fi_info* i = offered.first; i != nullptr; i = i->next) {
      const std::string name = i->fabric_attr->prov_name;
      if (tried.find("," + name + ",") != std::string::npos) continue;
      tried += name + ",";
      if (name == "shm" && !one_host_too) {
        refused += "shm: it connects ranks of one host only\n";
        continue;
      }
      info = atomics_of(options) != fabric_atomics::none ? find_with_atomics(i) : nullptr;
      if (info == nullptr) info = ::fi_dupinfo(i);
      if (info == nullptr) mpx::detail::throw_out_of_memory();
      try {
        return open(options, queue_entries);
      } catch (const error& e) {
        close();
        refused += name + ": " + e.what() + "\n";
      }
    }
    mpx::detail::throw_error(errc::no_resources, "no provider of libfabric can be used:\n%s",
                             refused.c_str());
  }
  void open(const libfabric_options& options, std::size_t queue_entries) {
    need("fi_fabric", Calls::fabric(info, &fabric));
    need("fi_domain", Calls::domain(fabric, info, &domain));
    ::fi_av_attr av_attr{};
    av_attr.type = info->domain_attr->av_type;
    need("fi_av_open", Calls::av_open(domain, &av_attr, &av));
    ::fi_cq_attr cq_attr{};
    cq_attr.size = queue_entries;
    cq_attr.format = FI_CQ_FORMAT_DATA;
    cq_attr.wait_obj = FI_WAIT_FD;
    if (!options.waits || Calls::cq_open(domain, &cq_attr, &cq) != 0 ||
        Calls::wait_descriptor(cq, &wait_fd) != 0) {
      shut(cq);
      wait_fd = -1;
      cq_attr.wait_obj = FI_WAIT_NONE;
      need("fi_cq_open", Calls::cq_open(domain, &cq_attr, &cq));
    }
    need("fi_endpoint", Calls::endpoint(domain, info, &ep));
    need("fi_ep_bind of the address vector", Calls::ep_bind(ep, &av->fid, 0));
    need("fi_ep_bind of the completion queue", Calls::ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
    need("fi_enable", Calls::enable(ep));
    const fabric_atomics wanted = atomics_of(options);
    if (wanted != fabric_atomics::none) find_operations(wanted == fabric_atomics::with_cpu);
    address_bytes = sizeof address;
    need("fi_getname", Calls::getname(ep, address, &address_bytes));
    if (address_bytes > sizeof address)
      mpx::detail::throw_error(errc::no_resources,
                               "libfabric provider '%s': addresses of %zu bytes: %zu are possible",
                               provider(), address_bytes, sizeof address);
  }
  template <class Object>
  static void shut(Object*& what) noexcept {
    if (what != nullptr) static_cast<void>(Calls::close(&what->fid));
    what = nullptr;
  }
  void close() noexcept {
    shut(ep);
    shut(cq);
    shut(av);
    shut(domain);
    shut(fabric);
    if (info != nullptr) ::fi_freeinfo(info);
    info = nullptr;
  }
};

}  // namespace detail
}  // namespace mpx::inline v0::nic
