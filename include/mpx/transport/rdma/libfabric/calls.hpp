// SPDX-License-Identifier: BSL-1.0
#pragma once
// The calls of libfabric that nic::libfabric makes, in one place: tests derive from it and make
// calls fail.

#if __has_include(<rdma/fabric.h>)
#include <rdma/fabric.h>
#else
#error mpx: nic::libfabric needs libfabric 1.17 or later: install libfabric-dev, link mpx::libfabric
#endif
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <cstdint>

namespace mpx::inline v0::nic {

/// The calls, named as in libfabric without its prefix. All return 0 or a negative error, unless
/// stated otherwise.
struct fabric_calls {
  static std::uint32_t version() noexcept { return ::fi_version(); }
  static const char* strerror(int e) noexcept { return ::fi_strerror(e); }
  static int getinfo(const char* node, std::uint64_t flags, const ::fi_info* hints,
                     ::fi_info** found) noexcept {
    return ::fi_getinfo(FI_VERSION(1, 17), node, nullptr, flags, hints, found);
  }
  static int fabric(::fi_info* info, ::fid_fabric** made) noexcept {
    return ::fi_fabric(info->fabric_attr, made, nullptr);
  }
  static int domain(::fid_fabric* f, ::fi_info* info, ::fid_domain** made) noexcept {
    return ::fi_domain(f, info, made, nullptr);
  }
  static int av_open(::fid_domain* d, ::fi_av_attr* attr, ::fid_av** made) noexcept {
    return ::fi_av_open(d, attr, made, nullptr);
  }
  static int cq_open(::fid_domain* d, ::fi_cq_attr* attr, ::fid_cq** made) noexcept {
    return ::fi_cq_open(d, attr, made, nullptr);
  }
  static int endpoint(::fid_domain* d, ::fi_info* info, ::fid_ep** made) noexcept {
    return ::fi_endpoint(d, info, made, nullptr);
  }
  static int ep_bind(::fid_ep* e, ::fid* to, std::uint64_t flags) noexcept {
    return ::fi_ep_bind(e, to, flags);
  }
  static int enable(::fid_ep* e) noexcept { return ::fi_enable(e); }
  static int getname(::fid_ep* e, void* into, std::size_t* bytes) noexcept {
    return ::fi_getname(&e->fid, into, bytes);
  }
  /// Returns how many addresses were inserted, or a negative error.
  static int av_insert(::fid_av* a, const void* address, ::fi_addr_t* made) noexcept {
    return ::fi_av_insert(a, address, 1, made, 0, nullptr);
  }
  static int mr_reg(::fid_domain* d, const void* memory, std::size_t bytes, std::uint64_t access,
                    std::uint64_t key, ::fid_mr** made) noexcept {
    return ::fi_mr_reg(d, memory, bytes, access, 0, key, 0, made, nullptr);
  }
  static int mr_bind(::fid_mr* m, ::fid* to) noexcept { return ::fi_mr_bind(m, to, 0); }
  static int mr_enable(::fid_mr* m) noexcept { return ::fi_mr_enable(m); }
  static int close(::fid* what) noexcept { return ::fi_close(what); }
  /// Gets the descriptor on which to wait for the queue.
  static int wait_descriptor(::fid_cq* q, int* made) noexcept {
    return ::fi_control(&q->fid, FI_GETWAIT, made);
  }
  static int trywait(::fid_fabric* f, ::fid_cq* q) noexcept {
    ::fid* one = &q->fid;
    return ::fi_trywait(f, &one, 1);
  }

  static std::ptrdiff_t recv(::fid_ep* e, void* into, std::size_t bytes, void* desc,
                             void* context) noexcept {
    return ::fi_recv(e, into, bytes, desc, FI_ADDR_UNSPEC, context);
  }
  static std::ptrdiff_t send(::fid_ep* e, const void* from, std::size_t bytes, void* desc,
                             ::fi_addr_t to, void* context) noexcept {
    return ::fi_send(e, from, bytes, desc, to, context);
  }
  static std::ptrdiff_t inject(::fid_ep* e, const void* from, std::size_t bytes,
                               ::fi_addr_t to) noexcept {
    return ::fi_inject(e, from, bytes, to);
  }
  static std::ptrdiff_t writemsg(::fid_ep* e, const ::fi_msg_rma* what,
                                 std::uint64_t flags) noexcept {
    return ::fi_writemsg(e, what, flags);
  }
  static std::ptrdiff_t readmsg(::fid_ep* e, const ::fi_msg_rma* what,
                                std::uint64_t flags) noexcept {
    return ::fi_readmsg(e, what, flags);
  }
  static int fetch_valid(::fid_ep* e, ::fi_datatype t, ::fi_op o, std::size_t* count) noexcept {
    return ::fi_fetch_atomicvalid(e, t, o, count);
  }
  static int compare_valid(::fid_ep* e, ::fi_datatype t, ::fi_op o, std::size_t* count) noexcept {
    return ::fi_compare_atomicvalid(e, t, o, count);
  }
  static std::ptrdiff_t fetch_atomicmsg(::fid_ep* e, const ::fi_msg_atomic* what, ::fi_ioc* result,
                                        void** desc, std::uint64_t flags) noexcept {
    return ::fi_fetch_atomicmsg(e, what, result, desc, 1, flags);
  }
  static std::ptrdiff_t compare_atomicmsg(::fid_ep* e, const ::fi_msg_atomic* what,
                                          const ::fi_ioc* compare, void** compare_desc,
                                          ::fi_ioc* result, void** desc,
                                          std::uint64_t flags) noexcept {
    return ::fi_compare_atomicmsg(e, what, compare, compare_desc, 1, result, desc, 1, flags);
  }
  /// Returns how many entries were read, or a negative error.
  static std::ptrdiff_t cq_read(::fid_cq* q, ::fi_cq_data_entry* into, std::size_t n) noexcept {
    return ::fi_cq_read(q, into, n);
  }
  static std::ptrdiff_t cq_readerr(::fid_cq* q, ::fi_cq_err_entry* into) noexcept {
    return ::fi_cq_readerr(q, into, 0);
  }
};

}  // namespace mpx::inline v0::nic
