// SPDX-License-Identifier: BSL-1.0
// raw_devices: latency and bandwidth of channel devices beside the pipe or socket that each uses,
// between two ranks. The best of many short batches, so that other programs matter little.
//    mpxrun -n 2 raw_devices [--json FILE]

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mpx/mpx.hpp>
#include <mpx/transport/channel/blocking.hpp>
#include <mpx/transport/channel/files.hpp>
#include <mpx/transport/channel/pipes.hpp>
#include <mpx/transport/channel/sockets.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t sizes[] = {8, 1024, 16 * 1024, 256 * 1024, 4 * 1024 * 1024};

/// Microseconds of one way of a ping-pong between two ranks.
template <class Send, class Receive>
double one_way_us(int rank, std::size_t bytes, int batches, Send send, Receive receive) {
  const int rounds = bytes < 10'000 ? 50 : bytes < 1'000'000 ? 10 : 2;
  double best = 1e12;
  for (int batch = 0; batch < batches; ++batch) {
    const std::int64_t begin = mpx::platform::now_ns();
    for (int i = 0; i < rounds; ++i) {
      if (rank == 0) send();
      receive();
      if (rank == 1) send();
    }
    const auto ns = static_cast<double>(mpx::platform::now_ns() - begin);
    best = std::min(best, ns / rounds / 2000);
  }
  return best;
}

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// Two descriptors that do not block, one to write to and one to read from.
struct raw {
  int out;
  int in;

  void send(std::span<const std::byte> data) const {
    while (!data.empty()) {
      const ssize_t n = ::write(out, data.data(), data.size());
      check(n >= 0 || errno == EAGAIN, "write");
      if (n > 0) data = data.subspan(static_cast<std::size_t>(n));
    }
  }
  void receive(std::span<std::byte> into) const {
    while (!into.empty()) {
      const ssize_t n = ::read(in, into.data(), into.size());
      check(n > 0 || (n < 0 && errno == EAGAIN), "read");
      if (n > 0) into = into.subspan(static_cast<std::size_t>(n));
    }
  }
};

/// Names of the job, in a directory that rank 0 makes.
template <class World>
std::string directory(World world) {
  std::array<char, 64> name{"/tmp/raw_devices.XXXXXX"};
  if (world.rank() == 0) check(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  world.bcast(name, 0);
  return name.data();
}

template <class World>
raw pipes(World world, const std::string& in) {
  const std::string names[] = {in + "/0", in + "/1"};
  if (world.rank() == 0)
    for (const std::string& n : names) check(::mkfifo(n.c_str(), 0600) == 0, "mkfifo");
  world.barrier();
  int fds[2];
  for (int i = 0; i < 2; ++i) {
    fds[i] = ::open(names[i].c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    check(fds[i] >= 0, "open");
  }
  world.barrier();
  if (world.rank() == 0)
    for (const std::string& n : names) ::unlink(n.c_str());
  return {fds[world.rank()], fds[1 - world.rank()]};
}

template <class World>
raw sockets(World world, const std::string& in) {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  const std::string name = in + "/s";
  name.copy(a.sun_path, sizeof a.sun_path - 1);
  const auto* const address = reinterpret_cast<const sockaddr*>(&a);
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "socket");
  if (world.rank() == 0) {
    check(::bind(fd, address, sizeof a) == 0 && ::listen(fd, 1) == 0, "bind");
    world.barrier();
    const int to = ::accept(fd, nullptr, nullptr);
    ::close(fd);
    fd = to;
    check(fd >= 0, "accept");
    ::unlink(name.c_str());
  } else {
    world.barrier();
    check(::connect(fd, address, sizeof a) == 0, "connect");
  }
  check(::fcntl(fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
  return {fd, fd};
}

/// Measures one device beside `below`, if that is not nullptr.
template <class Device>
void measure(nlohmann::json& rows, const raw* below, int batches) {
  using stack = mpx::stack<mpx::transport::channel<Device>>;
  mpx::environment<stack> env;
  auto world = env.world();
  const int other = 1 - world.rank();
  for (const std::size_t bytes : sizes) {
    if (below == nullptr && bytes > 16 * 1024) break;
    std::vector<std::byte> out(bytes);
    std::vector<std::byte> in(bytes);
    world.barrier();
    const double bare = below == nullptr
                            ? 0
                            : one_way_us(
                                  world.rank(), bytes, batches, [&] { below->send(out); },
                                  [&] { below->receive(in); });
    world.barrier();
    const double own = one_way_us(
        world.rank(), bytes, batches, [&] { world.send(out, other, 1); },
        [&] { world.recv(in, other, 1); });
    if (world.rank() != 0) continue;
    fmt::print("{:<10} {:>8} bytes: raw {:>10.2f} us, mpx over it {:>10.2f} us\n", Device::name,
               bytes, bare, own);
    rows.push_back({{"device", Device::name}, {"bytes", bytes}, {"raw_us", bare}, {"us", own}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Latency and bandwidth of channel devices, beside a raw pipe or socket.");
  std::string json;
  int batches = 200;
  app.add_option("--json", json, "file for the results");
  app.add_option("--batches", batches, "batches, of which the best counts");
  CLI11_PARSE(app, argc, argv);

  mpx::environment<> env;
  auto world = env.world();
  if (world.size() != 2) throw std::runtime_error("raw_devices runs on two ranks");
  const std::string in = directory(world);
  const raw pipe = pipes(world, in);
  const raw socket = sockets(world, in);
  if (world.rank() == 0) ::rmdir(in.c_str());
  nlohmann::json rows = nlohmann::json::array();
  measure<mpx::device::pipes>(rows, &pipe, batches);
  measure<mpx::device::sockets>(rows, &socket, batches);
  measure<mpx::device::blocking>(rows, &socket, batches);
  measure<mpx::device::files>(rows, nullptr, std::min(batches, 2));
  if (world.rank() == 0 && !json.empty()) std::ofstream(json) << rows.dump(1) << '\n';
  return 0;
}
