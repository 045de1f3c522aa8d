// SPDX-License-Identifier: BSL-1.0
#pragma once
// A stream encrypted by TLS 1.3: bytes between the hosts can be neither read nor changed. There are
// no certificates. Each connection has an external PSK of its own, derived from the job's secret
// and the random numbers of both ends, and a Diffie-Hellman exchange (psk_dhe_ke), so that the
// secret does not decrypt recorded traffic later. Needs OpenSSL's libssl.

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "mpx/core/error.hpp"
#include "mpx/core/memory.hpp"
#include "mpx/transport/detail/queue.hpp"
#include "mpx/transport/tcp/stream.hpp"

namespace mpx::inline v0::transport::detail {

/// State of one TLS connection. OpenSSL writes into `out`, and reads the socket.
struct tls_state : mpx::detail::allocated {
  ~tls_state() {
    ::SSL_free(ssl);
    ::OPENSSL_cleanse(key.data(), key.size());
  }
  ::SSL* ssl = nullptr;
  int fd = -1;
  bool drained = false;       // The socket had fewer bytes than asked for.
  bool broken = false;        // Nothing more can be written.
  bool ended = false;         // Nothing more can be read.
  std::size_t held = 0;       // Bytes encrypted in `out`, not yet reported as taken.
  std::uint64_t records = 0;  // Written since the key was changed.
  flat_queue<std::byte> out;  // Encrypted bytes to send.
  tcp_bytes32 key{};
};

/// OpenSSL's context for all connections of a rank.
class tls_context {
 public:
  static constexpr std::size_t record_bytes_max = 16 * 1024;

  /// Errors: errc::no_resources.
  tls_context() : lower_(made()), method_(::BIO_meth_new(BIO_TYPE_SOURCE_SINK, "mpx")) {
    ::SSL_CTX* const c = lower_.native_handle();
    const bool set =
        method_ != nullptr && ::SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256") == 1 &&
        SSL_CTX_set1_groups_list(c, "X25519:P-256") == 1 && ::SSL_CTX_set_num_tickets(c, 0) == 1 &&
        ::BIO_meth_set_read(method_.get(), read) == 1 &&
        ::BIO_meth_set_write(method_.get(), write) == 1 &&
        ::BIO_meth_set_ctrl(method_.get(), control) == 1;
    if (!set) throw error(errc::no_resources, "OpenSSL cannot do what transport tls needs");
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(c, 1);
    ::SSL_CTX_set_default_read_buffer_len(c, read_bytes);
    ::SSL_CTX_set_psk_use_session_callback(c, use);
    ::SSL_CTX_set_psk_find_session_callback(c, find);
  }

  /// Makes the state of a new connection. Returns an empty pointer if memory is out.
  std::unique_ptr<tls_state> make(int fd, tcp_role role, const tcp_bytes32& key) noexcept {
    std::unique_ptr<tls_state> s(new (std::nothrow) tls_state);
    if (s == nullptr) return s;
    s->fd = fd;
    s->key = key;
    s->ssl = ::SSL_new(lower_.native_handle());
    ::BIO* const bio = ::BIO_new(method_.get());
    if (s->ssl == nullptr || bio == nullptr) {
      ::BIO_free(bio);
      return nullptr;
    }
    ::BIO_set_data(bio, s.get());
    ::BIO_set_init(bio, 1);
    ::SSL_set_bio(s->ssl, bio, bio);
    SSL_set_app_data(s->ssl, s.get());
    if (role == tcp_role::accepts) {
      ::SSL_set_accept_state(s->ssl);
    } else {
      ::SSL_set_connect_state(s->ssl);
      ::SSL_set_verify(s->ssl, SSL_VERIFY_PEER, nullptr);  // Every certificate is refused.
    }
    return s;
  }
  /// Buffer in which small pieces are joined to one record; used by one connection at a time.
  std::array<std::byte, record_bytes_max>& scratch() noexcept { return scratch_; }
  /// Records encrypted with one key: far below the 24 million after which RFC 8446 (5.5) asks for a
  /// new one.
  std::uint64_t records_a_key = std::uint64_t{1} << 23;

 private:
  static constexpr std::size_t read_bytes = 64 * 1024;
  static constexpr std::string_view identity = "mpx";
  struct free_method {
    void operator()(::BIO_METHOD* m) const noexcept { ::BIO_meth_free(m); }
  };

  static boost::asio::ssl::context made() {
    try {
      return boost::asio::ssl::context(boost::asio::ssl::context::tlsv13);
    } catch (const std::exception& e) {
      mpx::detail::throw_error(errc::no_resources, "OpenSSL has no TLS 1.3: %s", e.what());
    }
  }

  static tls_state& state_of(const ::SSL* s) noexcept {
    return *static_cast<tls_state*>(SSL_get_app_data(s));
  }
  /// A session that holds the connection's key: the form in which OpenSSL takes a PSK.
  static ::SSL_SESSION* session(::SSL* ssl) noexcept {
    const tcp_bytes32& key = state_of(ssl).key;
    const unsigned char aes_128_gcm_sha256[] = {0x13, 0x01};
    const ::SSL_CIPHER* const cipher = ::SSL_CIPHER_find(ssl, aes_128_gcm_sha256);
    ::SSL_SESSION* const s = ::SSL_SESSION_new();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(key.data());
    if (s != nullptr && cipher != nullptr &&
        ::SSL_SESSION_set1_master_key(s, bytes, key.size()) == 1 &&
        ::SSL_SESSION_set_cipher(s, cipher) == 1 &&
        ::SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION) == 1)
      return s;
    ::SSL_SESSION_free(s);
    return nullptr;
  }
  static int use(::SSL* ssl, const ::EVP_MD*, const unsigned char** id, std::size_t* id_bytes,
                 ::SSL_SESSION** to) noexcept {
    *id = reinterpret_cast<const unsigned char*>(identity.data());
    *id_bytes = identity.size();
    *to = session(ssl);
    return *to != nullptr ? 1 : 0;
  }
  static int find(::SSL* ssl, const unsigned char* id, std::size_t id_bytes,
                  ::SSL_SESSION** to) noexcept {
    *to = nullptr;
    if (std::string_view(reinterpret_cast<const char*>(id), id_bytes) != identity) return 1;
    *to = session(ssl);
    return *to != nullptr ? 1 : 0;
  }

  static int read(::BIO* b, char* into, int bytes) noexcept {
    auto& s = *static_cast<tls_state*>(::BIO_get_data(b));
    BIO_clear_retry_flags(b);
    ssize_t n = -1;
    if (!s.drained) {
      iovec piece{into, static_cast<std::size_t>(bytes)};
      n = tcp_read(s.fd, &piece, 1);
      s.drained = n < bytes;
      if (n > 0) return static_cast<int>(n);
      if (n < 0) return 0;  // The end, which OpenSSL reports as a truncation.
    }
    BIO_set_retry_read(b);
    return -1;
  }
  static int write(::BIO* b, const char* from, int bytes) noexcept {
    auto& s = *static_cast<tls_state*>(::BIO_get_data(b));
    BIO_clear_retry_flags(b);
    const auto n = static_cast<std::size_t>(bytes);
    if (!s.out.reserve(n)) return -1;
    s.out.append(reinterpret_cast<const std::byte*>(from), n);
    return bytes;
  }
  static long control(::BIO*, int what, long, void*) noexcept {
    return what == BIO_CTRL_FLUSH ? 1 : 0;
  }

  boost::asio::ssl::context lower_;
  std::unique_ptr<::BIO_METHOD, free_method> method_;
  std::array<std::byte, record_bytes_max> scratch_{};
};

/// A socket, with TLS on it once it has begun.
class tls_stream {
 public:
  static constexpr std::string_view name = "tls";
  static constexpr std::uint64_t layout = 0x746c'7300'0000'0001;
  static constexpr unsigned lanes = 1;
  static constexpr bool secures = true;
  using context = tls_context;

  tls_stream() = default;
  explicit tls_stream(tcp_descriptor s) noexcept : socket_(std::move(s)) {}
  int fd() const noexcept { return socket_.fd(); }
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  void close() noexcept {
    state_.reset();
    socket_.close();
  }

  template <class Key>
  bool begin(context& c, tcp_role role, const tcp_site&, Key&& key) noexcept {
    context_ = &c;
    state_ = c.make(socket_.fd(), role, key());
    return state_ != nullptr;
  }
  tcp_secured secure() noexcept {
    tls_state& s = *state_;
    s.drained = false;
    ::ERR_clear_error();
    const int done = ::SSL_do_handshake(s.ssl);
    const bool waits = done != 1 && ::SSL_get_error(s.ssl, done) == SSL_ERROR_WANT_READ;
    // The handshake sends some hundred bytes on a new connection: a full kernel buffer is an error.
    if (!flush() || (done != 1 && !waits)) return tcp_secured::broken;
    if (waits) return tcp_secured::waits;
    return ::SSL_session_reused(s.ssl) == 1 ? tcp_secured::yes : tcp_secured::broken;
  }

  /// Encrypted bytes are sent before further bytes are taken. While some are left, the last byte is
  /// not reported as taken, so that the caller calls again.
  ssize_t write(iovec* pieces, std::size_t count) noexcept {
    tls_state& s = *state_;
    if (!flush()) return s.broken ? -1 : 0;
    // If the connection breaks during the call, all bytes that may have been sent count as taken;
    // the next call returns -1.
    std::size_t taken = std::exchange(s.held, 0);
    iovec* at = pieces;
    iovec* const end = pieces + count;
    skip(at, end, taken);
    while (at != end) {
      std::size_t encrypted = 0;
      while (at != end && s.out.size() < batch_bytes) {
        const std::size_t n = encrypt(at, end);
        if (n == 0) break;
        encrypted += n;
      }
      taken += encrypted;
      if (!s.broken && flush()) continue;
      if (s.broken) return taken == 0 ? -1 : static_cast<ssize_t>(taken);
      s.held = 1;
      return static_cast<ssize_t>(taken - 1);
    }
    s.out.trim();
    return static_cast<ssize_t>(taken);
  }
  ssize_t read(iovec* pieces, std::size_t count) noexcept {
    tls_state& s = *state_;
    std::size_t got = 0;
    s.drained = false;
    if (s.ended) return -1;
    ::ERR_clear_error();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t have = 0; have < pieces[i].iov_len;) {
        std::size_t n = 0;
        auto* const to = static_cast<std::byte*>(pieces[i].iov_base) + have;
        const int done = ::SSL_read_ex(s.ssl, to, pieces[i].iov_len - have, &n);
        have += n;
        got += n;
        if (done == 1) continue;
        s.ended = ::SSL_get_error(s.ssl, done) != SSL_ERROR_WANT_READ;
        if (s.ended && got == 0) return -1;
        return static_cast<ssize_t>(got);
      }
    }
    return static_cast<ssize_t>(got);
  }

  void want_room(tcp_watch& watch, peer_id peer, bool wanted) noexcept {
    watch.change(socket_.fd(), {tcp_watch::kind::link, peer}, wanted);
  }
  void shut() noexcept { ::shutdown(socket_.fd(), SHUT_RDWR); }
  void leave() noexcept { tcp_leave(socket_.fd()); }
  template <class F>
  void for_each_fd(F&& f) const noexcept {
    f(socket_.fd());
  }

 private:
  static constexpr std::size_t batch_bytes = 64 * 1024;        // Per system call.
  static constexpr std::size_t gathered_bytes_max = 4 * 1024;  // Longer pieces are not joined.

  /// Sends encrypted bytes. Returns false if some are left or the connection is broken.
  bool flush() noexcept {
    tls_state& s = *state_;
    while (!s.out.empty() && !s.broken) {
      iovec piece = piece_of(s.out.data(), s.out.size());
      const ssize_t n = tcp_write(s.fd, &piece, 1);
      if (n == 0) return false;
      s.broken = n < 0;
      if (n > 0) s.out.pop(static_cast<std::size_t>(n));
    }
    return !s.broken;
  }
  static void skip(iovec*& at, iovec* end, std::size_t bytes) noexcept {
    while (at != end && bytes >= at->iov_len) bytes -= (at++)->iov_len;
    if (bytes == 0 || at == end) return;
    at->iov_base = static_cast<std::byte*>(at->iov_base) + bytes;
    at->iov_len -= bytes;
  }
  /// Encrypts the next record from the pieces at `at` and skips its bytes. Returns their number; 0:
  /// broken.
  std::size_t encrypt(iovec*& at, iovec* end) noexcept {
    auto& scratch = context_->scratch();
    const void* from = at->iov_base;
    std::size_t n = at->iov_len < scratch.size() ? at->iov_len : scratch.size();
    if (at->iov_len <= gathered_bytes_max && at + 1 != end) {
      n = 0;
      for (const iovec* p = at;
           p != end && p->iov_len <= gathered_bytes_max && n + p->iov_len <= scratch.size(); ++p) {
        if (p->iov_len != 0) std::memcpy(scratch.data() + n, p->iov_base, p->iov_len);
        n += p->iov_len;
      }
      from = scratch.data();
    }
    tls_state& s = *state_;
    std::size_t written = 0;
    ::ERR_clear_error();
    if (++s.records >= context_->records_a_key) {
      s.records = 0;
      if (::SSL_key_update(s.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1) s.broken = true;
    }
    if (s.broken || ::SSL_write_ex(s.ssl, from, n, &written) != 1 || written != n) {
      s.broken = true;
      return 0;
    }
    skip(at, end, n);
    return n;
  }

  tcp_descriptor socket_;
  std::unique_ptr<tls_state> state_;
  context* context_ = nullptr;
};
static_assert(TcpStream<tls_stream>);

}  // namespace mpx::inline v0::transport::detail
