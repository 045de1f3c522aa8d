// SPDX-License-Identifier: BSL-1.0
#pragma once
// Construction of a card over libfabric, and the exchange of addresses.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "mpx/transport/rdma/libfabric.hpp"
#include "mpx/transport/rdma/libfabric/record.hpp"

namespace mpx::inline v0::nic {

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::start() {
  inject_max_ = mpx::detail::lesser(fabric_.info->tx_attr->inject_size, scratch_bytes);
  transfer_bytes_max_ = mpx::detail::lesser(std::uint64_t{fabric_.info->ep_attr->max_msg_size},
                                            std::uint64_t{16} << 20);
  keeps_order_ = fabric_.keeps_order() && peers_ <= detail::fabric_note::sources_max;
  buffer_descriptor_ = regions_.pin({buffers_.begin(), buffers_.size()});
  unposted_.reserve(receives_max);
  std::size_t posted = 0;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    detail::fabric_message_slot& s = slots_[i];
    s.data = buffers_.begin() + i * detail::fabric_buffer_bytes;
    if (i < receives_max) {
      s.kind = detail::fabric_slot::kind_of::receive;
      posted += post_slot(s) ? 1 : 0;
    } else {
      s.kind = detail::fabric_slot::kind_of::send;
      s.next = free_sends_;
      free_sends_ = &s;
    }
  }
  if (posted == 0) mpx::detail::throw_error(errc::no_resources, "%s", failure().c_str());
}

template <class Calls, fabric_reads Reads>
std::string basic_libfabric<Calls, Reads>::own_record(std::string_view host) const {
  const auto bytes_of = [](const std::uint64_t& number) {
    return reinterpret_cast<const std::byte*>(&number);
  };
  std::uint64_t place = 0xcbf2'9ce4'8422'2325u;
  for (const char c : host) place = (place ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3u;
  const std::uint64_t job = detail::random_version();
  std::string s = provider();
  s += ' ';
  detail::append_hex(s, bytes_of(job), sizeof job_);
  s += ' ';
  detail::append_hex(s, bytes_of(place), sizeof place);
  s += ' ';
  detail::append_hex(s, fabric_.address, fabric_.address_bytes);
  return s + ' ' + lines_.address();
}

template <class Calls, fabric_reads Reads>
void basic_libfabric<Calls, Reads>::meet() {
  const std::string first = record_of_(bootstrap_, 0);
  const detail::fabric_record zero(first);
  std::byte job[sizeof job_];
  if (detail::parse_hex(zero.job, job, sizeof job) != sizeof job)
    mpx::detail::throw_error(errc::bootstrap, "rank 0 has published no address of libfabric");
  std::memcpy(&job_, job, sizeof job);
  if (zero.provider != provider())
    mpx::detail::throw_error(errc::stack_mismatch,
                             "libfabric provider '%s' here, '%s' on rank 0: MPX_FABRIC_PROVIDER "
                             "chooses one for all",
                             provider(), mpx::detail::printable(zero.provider).c_str());
  if (peers() <= static_cast<peer_id>(platform::usable_cores())) return;
  const std::string own = record_of_(bootstrap_, world_rank(self_));
  int neighbours = 0;
  for (peer_id r = 0; r < peers(); ++r) {
    const std::string record = record_of_(bootstrap_, world_rank(r));
    neighbours += detail::fabric_record(record).host == detail::fabric_record(own).host ? 1 : 0;
  }
  oversubscribed_ = neighbours > platform::usable_cores();
}

}  // namespace mpx::inline v0::nic
