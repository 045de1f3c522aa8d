// SPDX-License-Identifier: BSL-1.0
// A server whose sockets and whose job share one io_context: rank 0 answers "primes N" to each
// client, and has all ranks count for it; coroutines await sockets and messages alike, and no rank
// uses CPU time while nothing arrives. From the root of the tree, with or without CMake (it uses
// CLI11, fmt, and Boost.Asio 1.81):
//
//   cmake --preset release && cmake --build --preset release --target async mpxrun
//   build/release/bin/mpxrun -n 4 build/release/bin/async
//
//   g++ -std=c++20 -O2 -Iinclude examples/async/*.cpp -o async -pthread -lfmt
//   mpxrun -n 4 ./async
//
// With --serve --port 4711 it serves until one says stop: `nc 127.0.0.1 4711` elsewhere.
//
// Without --serve the last rank is the clients, in an io_context of its own, and checks every
// answer. Exits with 1 if any is wrong. "stop" ends the job, once all clients have left. It listens
// on the loopback only.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <mpx/asio.hpp>
#include <mpx/mpx.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using communicator = mpx::communicator<mpx::stack<>>;
using service = mpx::asio_service<mpx::stack<>>;

constexpr mpx::tag_t share_tag = 0;  // A share of a question; answers have tags of their own.
constexpr int number_max = 50'000'000;
constexpr std::size_t line_bytes_max = 80;

/// Part of a question, for one rank. `answer_tag` 0: there will be no more.
struct share {
  int begin = 0;
  int end = 0;
  mpx::tag_t answer_tag = 0;
};

bool is_prime(int n) {
  if (n < 4) return n > 1;
  if (n % 2 == 0) return false;
  for (int d = 3; d <= n / d; d += 2)
    if (n % d == 0) return false;
  return true;
}
int primes_in(int begin, int end) {
  int count = 0;
  for (int n = begin; n < end; ++n) count += is_prime(n) ? 1 : 0;
  return count;
}

/// Parses a request: N of "primes N", or nothing.
int number_in(std::string_view line) {
  constexpr std::string_view verb = "primes ";
  int n = -1;
  if (!line.starts_with(verb)) return -1;
  const char* const end = line.data() + line.size();
  const auto [at, wrong] = std::from_chars(line.data() + verb.size(), end, n);
  return wrong == std::errc{} && at == end && n >= 0 && n <= number_max ? n : -1;
}

void rethrow(const std::exception_ptr& e) {
  if (e) std::rethrow_exception(e);
}

/// One line, without its end; empty at the end of the stream, and for one that is too long.
asio::awaitable<std::string> next_line(tcp::socket& socket, std::string& buffer) {
  boost::system::error_code ec;
  const std::size_t bytes =
      co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer, line_bytes_max), '\n',
                                      asio::redirect_error(use_awaitable, ec));
  if (ec) co_return std::string();
  std::string line = buffer.substr(0, bytes - 1);
  buffer.erase(0, bytes);
  if (line.ends_with('\r')) line.pop_back();
  co_return line;
}

/// Rank 0: sockets on one side, the job on the other.
class server {
 public:
  server(asio::io_context& io, communicator world, const service& mpx, unsigned short port)
      : world_(std::move(world)),
        mpx_(mpx),
        acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), port)) {}

  int port() const { return acceptor_.local_endpoint().port(); }
  int questions() const noexcept { return questions_; }

  asio::awaitable<void> run() {
    for (;;) {
      boost::system::error_code ec;
      tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(use_awaitable, ec));
      if (!acceptor_.is_open()) break;
      if (!ec) asio::co_spawn(acceptor_.get_executor(), session(std::move(socket)), rethrow);
    }
    for (mpx::rank_t r = 1; r < world_.size(); ++r) {
      const share end;
      co_await world_.send(end, r, share_tag, mpx_.throwing(use_awaitable));
    }
  }

 private:
  asio::awaitable<void> session(tcp::socket socket) {
    std::string buffer;
    for (;;) {
      const std::string line = co_await next_line(socket, buffer);
      if (line.empty()) co_return;
      std::string answer = "what?\n";
      if (line == "stop") {
        answer = "bye\n";
        acceptor_.close();
      } else if (const int n = number_in(line); n >= 0) {
        answer = fmt::format("{} primes below {}\n", co_await count(n), n);
      }
      boost::system::error_code gone;  // It does not concern the others.
      co_await asio::async_write(socket, asio::buffer(answer),
                                 asio::redirect_error(use_awaitable, gone));
      if (gone || line == "stop") co_return;
    }
  }

  /// Has the other ranks count, or does so itself if it is alone.
  asio::awaitable<int> count(int n) {
    ++questions_;
    if (world_.size() == 1) co_return primes_in(0, n);
    const mpx::tag_t tag = ++last_tag_;  // Several sessions may ask at once.
    const auto workers = static_cast<std::size_t>(world_.size() - 1);
    std::vector<share> shares(workers);
    std::vector<int> counts(workers, 0);
    std::vector<mpx::request<mpx::stack<>>> answers;
    for (std::size_t i = 0; i < workers; ++i) {
      const auto bound = [&](std::size_t k) {
        return static_cast<int>(static_cast<std::uint64_t>(n) * k / workers);
      };
      shares[i] = {bound(i), bound(i + 1), tag};
      const auto worker = static_cast<mpx::rank_t>(i + 1);
      answers.push_back(world_.irecv(counts[i], worker, tag));
      co_await world_.send(shares[i], worker, share_tag, mpx_.throwing(use_awaitable));
    }
    auto all = mpx::all_of(answers);
    co_await mpx_.async_wait(all, use_awaitable);
    int sum = 0;
    for (const int c : counts) sum += c;
    co_return sum;
  }

  communicator world_;
  const service& mpx_;
  tcp::acceptor acceptor_;
  mpx::tag_t last_tag_ = 0;
  int questions_ = 0;
};

/// The other ranks.
asio::awaitable<void> work(communicator world, const service& mpx, int& shares) {
  for (;;) {
    share s;
    co_await world.recv(s, 0, share_tag, mpx.throwing(use_awaitable));
    if (s.answer_tag == 0) co_return;
    const int count = primes_in(s.begin, s.end);
    co_await world.send(count, 0, s.answer_tag, mpx.throwing(use_awaitable));
    ++shares;
  }
}

/// A client that asks, and knows the answers.
asio::awaitable<void> client(int port, int first, int questions, int& wrong, int& left) {
  static const std::map<int, int> known{{0, 0},         {2, 0},         {3, 1},
                                        {100, 25},      {1000, 168},    {10'000, 1229},
                                        {50'000, 5133}, {100'000, 9592}};
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(
      tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)),
      use_awaitable);
  std::string buffer;
  const auto ask = [&](std::string question) -> asio::awaitable<std::string> {
    question += '\n';
    co_await asio::async_write(socket, asio::buffer(question), use_awaitable);
    co_return co_await next_line(socket, buffer);
  };
  for (int i = 0; i < questions; ++i) {
    const auto& [n, count] =
        *std::next(known.begin(), (first + i) % static_cast<int>(known.size()));
    const std::string answer = co_await ask(fmt::format("primes {}", n));
    if (answer != fmt::format("{} primes below {}", count, n)) {
      fmt::print(stderr, "async: primes {}: '{}'\n", n, answer);
      ++wrong;
    }
  }
  if (co_await ask("primes many") != "what?") ++wrong;
  if (--left == 0 && co_await ask("stop") != "bye") ++wrong;  // The last one.
}

int run(mpx::environment<>& env, int argc, char** argv) {
  CLI::App app{"A server whose sockets and whose job share one io_context"};
  int clients = 4;
  int questions = 12;
  unsigned short port = 0;
  bool serve = false;
  app.add_option("--clients", clients, "clients that ask at once")->check(CLI::Range(1, 100));
  app.add_option("--questions", questions, "that each of them asks")->check(CLI::Range(0, 10'000));
  app.add_option("--port", port, "where rank 0 listens; 0: anywhere");
  app.add_flag("--serve", serve, "has no clients of its own, and serves until one says stop");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return env.rank() == 0 ? (app.exit(e) == 0 ? 0 : 2) : (e.get_exit_code() == 0 ? 0 : 2);
  }
  auto world = env.world();
  asio::io_context io(1);
  const service mpx(env, io.get_executor());
  std::optional<server> serving;
  int shares = 0;
  int wrong = 0;
  int at = 0;
  if (world.rank() == 0) {
    serving.emplace(io, world, mpx, port);
    at = serving->port();
    asio::co_spawn(io, serving->run(), rethrow);
    fmt::print("async: rank 0 listens on 127.0.0.1:{}\n", at);
    std::fflush(stdout);
  } else {
    asio::co_spawn(io, work(world, mpx, shares), rethrow);
  }
  world.bcast(at, 0);
  int left = clients;
  if (!serve && world.rank() == world.size() - 1)
    for (int c = 0; c < clients; ++c)
      asio::co_spawn(io, client(at, 5 * c, questions, wrong, left), rethrow);
  io.run();

  // Everybody is through: each question was counted in one share by each of the other ranks.
  wrong = world.allreduce(wrong, std::plus<>{});
  shares = world.allreduce(shares, std::plus<>{});
  if (world.rank() == 0) {
    const int asked = serving->questions();
    if (shares != asked * (world.size() - 1) || (!serve && asked != clients * questions)) ++wrong;
    fmt::print("async: {} questions, {} shares on {} ranks, {} wrong\n", asked, shares,
               world.size(), wrong);
    std::fflush(stdout);
  }
  world.bcast(wrong, 0);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  mpx::environment<> env;
  try {
    return run(env, argc, argv);
  } catch (const std::exception& e) {  // The other ranks may wait for this one.
    fmt::print(stderr, "async: rank {}: {}\n", env.rank(), e.what());
    env.abort(1);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "async: {}\n", e.what());
  return 1;
}
