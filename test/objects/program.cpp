// SPDX-License-Identifier: BSL-1.0
// The program, which makes the environment.
//   program PLUGIN

#include <dlfcn.h>
#include <sys/mman.h>

#include <cinttypes>
#include <cstring>
#include <mpx/rma.hpp>
#include <utility>

#include "objects.hpp"

extern "C" {
void library_uses(const objects::world& world);
void library_looks(const objects::world& world);
void library_throws(const objects::world& world);
void library_fails(const objects::world& world, std::error_code& ec);
}

namespace {

using range = std::pair<std::uintptr_t, std::uintptr_t>;

/// Range at which this process has mapped `path`; {0, 0}: nowhere.
range mapped(const char* path) {
  range where{0, 0};
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  MPX_TEST_REQUIRE(maps != nullptr);
  char line[4096];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0, end = 0;
    if (std::strstr(line, path) == nullptr ||
        std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2)
      continue;
    if (where.first == 0) where.first = begin;
    where.second = end;
  }
  std::fclose(maps);
  return where;
}

void use_library(const objects::world& world) {
  const mpx::attribute_key<double> numbers;
  library_uses(world);
  MPX_TEST_REQUIRE(numbers.get(world) == nullptr);
  numbers.set(world, 2.5);
  library_looks(world);
  MPX_TEST_REQUIRE(*numbers.get(world) == 2.5);
  MPX_TEST_REQUIRE(mpx::info_of(world).get("made by") == "the library");
  std::error_code ec;
  library_fails(world, ec);
  MPX_TEST_REQUIRE(ec == mpx::errc::rank && ec != mpx::errc::tag);
  bool caught = false;
  try {
    library_throws(world);
  } catch (const mpx::error& e) {
    caught = e.code() == mpx::errc::rank;
  }
  MPX_TEST_REQUIRE(caught);
}

/// The plugin's addresses are not mapped any more: a jump to them ends the program.
void unload(void* plugin, const char* path) {
  const auto [begin, end] = mapped(path);
  MPX_TEST_REQUIRE(begin != 0);
  MPX_TEST_REQUIRE(dlclose(plugin) == 0);
  MPX_TEST_REQUIRE(mapped(path).first == 0);
  void* const at = reinterpret_cast<void*>(begin);
  MPX_TEST_REQUIRE(mmap(at, end - begin, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
                        0) == at);
}

void use_what_is_left(mpx::environment<>& env, objects::handed_over& h) {
  const objects::world world = env.world();
  const int other = 1 - world.rank();
  const std::vector<int> out(4, world.rank());
  for (const int tag : {10, 11, 12, 13}) world.send(out, other, tag);
  std::vector<double> in(h.out.size());
  world.recv(in, other, 14);
  MPX_TEST_REQUIRE(in.back() == 1.5);
  h.receive->wait();
  MPX_TEST_REQUIRE(h.plain[3] == other);
  h.persistent->wait();
  MPX_TEST_REQUIRE(h.again[3] == other);
  h.persistent->start();
  world.bsend(out, other, 11);
  h.persistent->wait();
  h.both->wait();
  MPX_TEST_REQUIRE(h.parts[1][3] == other);
  h.send->wait();
  h.receive.reset();
  h.persistent.reset();
  h.both.reset();
  h.send.reset();

  MPX_TEST_REQUIRE(world.allreduce(1, std::plus<>{}) == 2);
  auto dup = world.dup();
  dup.barrier();
  dup.free();
  std::vector<double, mpx::allocator<double>> arena(1000, 1.0, env.allocator<double>());
  auto w = mpx::allocate_window<int>(world, 4);
  w.fence();
  w.put(other, other, 0);
  w.fence();
  w.free();
  std::error_code ec;
  world.send(1, 17, 1, ec);
  MPX_TEST_REQUIRE(ec == mpx::errc::rank);
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  MPX_TEST_REQUIRE(argc == 2);
  std::vector<std::byte> buffer(4096);
  mpx::environment<> env;
  MPX_TEST_REQUIRE(env.size() == 2);
  env.attach_buffer(buffer);
  use_library(env.world());

  objects::handed_over h;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  MPX_TEST_REQUIRE(plugin != nullptr);
  const auto use = reinterpret_cast<void (*)(mpx::environment<>&, objects::handed_over&)>(
      dlsym(plugin, "plugin_uses"));
  MPX_TEST_REQUIRE(use != nullptr);
  use(env, h);
  unload(plugin, argv[1]);
  use_what_is_left(env, h);
  env.detach_buffer();
  std::printf("all is well\n");
}
