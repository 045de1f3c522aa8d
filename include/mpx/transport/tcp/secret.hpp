// SPDX-License-Identifier: BSL-1.0
#pragma once
// The secret of a job, 256 bits, and proofs of its possession. A proof is an HMAC-SHA256 over a
// challenge of the verifier, so that no proof is valid twice.

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "mpx/core/error.hpp"
#include "mpx/core/types.hpp"

namespace mpx::inline v0::transport::detail {

using tcp_bytes32 = std::array<std::byte, 32>;

/// Fills `into` with random bytes of the kernel. Returns false if the kernel grants none.
inline bool draw_random(tcp_bytes32& into) noexcept {
  std::size_t have = 0;
  while (have < into.size()) {
    const ssize_t n = ::getrandom(into.data() + have, into.size() - have, 0);
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

/// True if the proofs are equal. The time does not depend on where they differ.
inline bool same_proof(const tcp_bytes32& a, const tcp_bytes32& b) noexcept {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// The secret of a job.
class tcp_secret {
 public:
  tcp_secret() = default;
  explicit tcp_secret(const tcp_bytes32& bytes) noexcept : bytes_(bytes) {}
  ~tcp_secret() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
  tcp_secret(const tcp_secret&) = default;
  tcp_secret& operator=(const tcp_secret&) = default;

  /// Errors: errc::no_resources.
  static tcp_secret drawn() {
    tcp_secret s;
    if (!draw_random(s.bytes_)) throw error(errc::no_resources, "getrandom gives no secret");
    return s;
  }
  /// As 64 hexadecimal digits, the form in which it is published at start-up.
  std::string text() const {
    std::string s;
    for (const std::byte b : bytes_)
      for (const int shift : {4, 0})
        s.push_back("0123456789abcdef"[std::to_integer<unsigned>(b) >> shift & 15]);
    return s;
  }
  /// Parses text(). Errors: errc::bootstrap: `text` is malformed.
  static tcp_secret read(std::string_view text) {
    tcp_secret s;
    bool whole = text.size() == 2 * s.bytes_.size();
    for (std::size_t i = 0; whole && i < text.size(); ++i) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(text[i]);
      whole = digit < 16;
      std::byte& b = s.bytes_[i / 2];
      b = b << 4 | static_cast<std::byte>(digit);
    }
    if (!whole) throw error(errc::bootstrap, "rank 0 has published no secret for transport tcp");
    return s;
  }

  /// Proof of the statement `label` for a connection from rank `from` to rank `to`, bound to the
  /// challenges that the two have drawn and to `more`.
  tcp_bytes32 prove(std::string_view label, peer_id from, peer_id to, const tcp_bytes32& from_drew,
                    const tcp_bytes32& to_drew, const tcp_bytes32& more = {}) const noexcept {
    std::array<std::byte, 16 + 8 + 96> said{};
    std::byte* at = said.data();
    std::memcpy(at, label.data(), label.size() < 16 ? label.size() : 16);
    std::memcpy(at + 16, &from, 4);
    std::memcpy(at + 20, &to, 4);
    std::memcpy(at + 24, from_drew.data(), 32);
    std::memcpy(at + 56, to_drew.data(), 32);
    std::memcpy(at + 88, more.data(), 32);
    tcp_bytes32 proof{};
    unsigned bytes = 0;
    const auto* const text = reinterpret_cast<const unsigned char*>(said.data());
    if (::HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()), text, said.size(),
               reinterpret_cast<unsigned char*>(proof.data()), &bytes) == nullptr)
      static_cast<void>(draw_random(proof));  // Memory is out: random bytes, which no peer accepts.
    return proof;
  }

 private:
  tcp_bytes32 bytes_{};
};

}  // namespace mpx::inline v0::transport::detail
