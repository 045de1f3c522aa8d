// SPDX-License-Identifier: BSL-1.0
// compilers: both

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mpx/data/buffer.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using mpx::BufferOutlivesCall;
using mpx::ContiguousBuffer;
using mpx::ReceiveBuffer;
using mpx::SendBuffer;
using mpx::Transferable;

struct point {
  double x, y;
};
struct owner {
  std::vector<int> inside;
};
struct with_virtual {
  virtual ~with_virtual() = default;
};
enum class colour : short { red, green };

// Types that hold an address, and types that only look like it.
struct node {
  int value;
  node* next;
};
struct with_node {
  int before;
  node inside;
};
struct behind_an_array {
  double matrix[3][3];
  int* p;
};
struct with_view {
  int n;
  std::span<int> s;
};
struct with_reference {
  int& r;
};
struct with_const {
  const int i;
};
struct scales {
  int* by;
  int operator()(int x) const { return x * *by; }
};
struct matrix {
  double m[3][3];
  double operator()(std::size_t i, std::size_t j) const { return m[i][j]; }
};
struct stamped {
  std::chrono::nanoseconds at;
  std::complex<double> z;
  std::array<int, 3> a;
  std::optional<int> o;
  bool b;
};
struct derived : stamped {
  int more;
};
struct bits {
  unsigned a : 3;
  unsigned b : 5;
};
union either {
  int i;
  double d;
};
struct empty {};
/// Not trivially copyable, and its program says that it is safe.
struct vec3 {
  double x, y, z;
  vec3() = default;
  vec3(const vec3& o) : x(o.x), y(o.y), z(o.z) {}
  vec3& operator=(const vec3&) = default;
};
struct unsaid {
  unsaid(const unsaid&) {}
};
int captured = 1;
[[maybe_unused]] const auto by_copy = [x = captured] { return x; };
[[maybe_unused]] const auto by_reference = [&x = captured] { return x; };
[[maybe_unused]] const auto without_captures = [] {};

}  // namespace

template <>
inline constexpr bool mpx::enable_transfer<vec3> = true;

namespace {

// Elements.
static_assert(Transferable<char> && Transferable<long double> && Transferable<point>);
static_assert(Transferable<colour> && Transferable<std::array<int, 3>> && Transferable<bool>);
static_assert(Transferable<std::complex<double>> && Transferable<std::byte>);
static_assert(!Transferable<int*> && !Transferable<void (*)()> && !Transferable<int point::*>);
static_assert(!Transferable<std::error_code> && !Transferable<std::error_condition>);
static_assert(!Transferable<std::nullptr_t> && !Transferable<std::string> && !Transferable<owner>);
static_assert(!Transferable<std::unique_ptr<int>> && !Transferable<with_virtual>);

static_assert(!Transferable<std::vector<int>::iterator> && !Transferable<std::list<int>::iterator>);
static_assert(!Transferable<std::reverse_iterator<int*>>);
static_assert(!Transferable<std::reference_wrapper<int>>);
static_assert(!Transferable<decltype(by_copy)> && !Transferable<decltype(by_reference)>);
static_assert(!Transferable<decltype(without_captures)> && !Transferable<std::function<void()>>);
static_assert(!Transferable<scales> && !Transferable<with_reference> && !Transferable<with_const>);
static_assert(!Transferable<node> && !Transferable<with_node> && !Transferable<behind_an_array>);
static_assert(!Transferable<with_view> && !Transferable<std::array<int*, 3>> &&
              !Transferable<std::array<node, 2>> && !Transferable<int* [3]>);
static_assert(Transferable<matrix> && Transferable<stamped> && Transferable<derived>);
static_assert(Transferable<bits> && Transferable<either> && Transferable<empty>);
static_assert(Transferable<const int> && Transferable<double[3][3]> && Transferable<std::plus<>>);
static_assert(Transferable<std::pair<int, double>> && Transferable<std::tuple<int, char, double>>);
static_assert(Transferable<std::tuple<vec3, std::pair<int, int>>> && Transferable<vec3>);
static_assert(!Transferable<std::pair<int, int*>> && !Transferable<std::pair<int&, int>> &&
              !Transferable<std::tuple<std::string>> && !Transferable<unsaid>);

// Ranges.
static_assert(SendBuffer<std::vector<std::pair<int, double>>&> && SendBuffer<std::vector<vec3>>);
static_assert(!SendBuffer<std::vector<std::vector<int>::iterator>&> &&
              !SendBuffer<std::vector<std::array<int*, 2>>&>);
static_assert(!ReceiveBuffer<std::vector<int>::iterator&>);
static_assert(ContiguousBuffer<std::vector<int>> && ContiguousBuffer<const std::vector<point>&>);
static_assert(ContiguousBuffer<std::string> && ContiguousBuffer<std::string_view>);
static_assert(ContiguousBuffer<int (&)[4]> && ContiguousBuffer<std::span<int, 4>>);
static_assert(ContiguousBuffer<int (&)[2][3]>);
static_assert(!ContiguousBuffer<std::vector<bool>> && !ContiguousBuffer<std::deque<int>>);
static_assert(!ContiguousBuffer<std::list<int>> && !ContiguousBuffer<std::vector<std::string>>);
static_assert(!ContiguousBuffer<std::vector<int*>>);

// Sends take all of these, also const and temporary.
static_assert(SendBuffer<int> && SendBuffer<const point&> && SendBuffer<std::vector<int>>);
static_assert(SendBuffer<std::array<int, 2>> && SendBuffer<std::string_view>);
static_assert(!SendBuffer<int*> && !SendBuffer<std::vector<bool>> && !SendBuffer<owner>);
static_assert(!SendBuffer<std::deque<int>> && !SendBuffer<std::vector<owner>&>);
static_assert(!SendBuffer<std::ranges::iota_view<int, int>>);

// Receives need what can be written and is still there.
static_assert(ReceiveBuffer<int&> && ReceiveBuffer<point&> && ReceiveBuffer<std::vector<int>&>);
static_assert(ReceiveBuffer<std::span<int>> && ReceiveBuffer<std::span<int>&>);
static_assert(ReceiveBuffer<const std::span<int>&> && ReceiveBuffer<std::array<char, 2>&>);
static_assert(ReceiveBuffer<std::string&> && ReceiveBuffer<int (&)[2]>);
static_assert(!ReceiveBuffer<int> && !ReceiveBuffer<const int&> &&
              !ReceiveBuffer<std::vector<int>>);
static_assert(!ReceiveBuffer<const std::vector<int>&> && !ReceiveBuffer<std::string_view>);
static_assert(!ReceiveBuffer<std::span<const int>> && !ReceiveBuffer<const int (&)[2]>);
static_assert(!ReceiveBuffer<int*&> && !ReceiveBuffer<std::array<int, 2>>);

// Nonblocking calls need what outlives them.
static_assert(BufferOutlivesCall<int&> && BufferOutlivesCall<const int&>);
static_assert(BufferOutlivesCall<std::span<int>> && BufferOutlivesCall<std::string_view>);
static_assert(!BufferOutlivesCall<int> && !BufferOutlivesCall<std::vector<int>>);
static_assert(!BufferOutlivesCall<const std::string>);

template <class B>
void check_bytes(const B& buffer, const void* data, std::size_t bytes) {
  const std::span<const std::byte> view = mpx::detail::bytes_of(buffer);
  CHECK(static_cast<const void*>(view.data()) == data);
  CHECK(view.size() == bytes);
}

template <class B>
void check_writable(B&& buffer, const void* data, std::size_t bytes) {
  const std::span<std::byte> view = mpx::detail::writable_bytes_of(buffer);
  CHECK(static_cast<const void*>(view.data()) == data);
  CHECK(view.size() == bytes);
}

TEST_CASE("buffer: the bytes of an argument") {
  const int i = 7;
  check_bytes(i, &i, sizeof i);
  const point p{1, 2};
  check_bytes(p, &p, sizeof p);
  const std::vector<point> v(5);
  check_bytes(v, v.data(), 5 * sizeof(point));
  const std::array<short, 3> a{};
  check_bytes(a, a.data(), 6);
  const int c[4] = {};
  check_bytes(c, c, 16);
  const double matrix[2][3] = {};
  check_bytes(matrix, matrix, 48);
  const std::string s = "hello";
  check_bytes(s, s.data(), 5);
  check_bytes(std::string_view(s).substr(1, 3), s.data() + 1, 3);
  check_bytes(std::span(v).subspan(2), v.data() + 2, 3 * sizeof(point));
  const std::vector<int> none;
  CHECK(mpx::detail::bytes_of(none).empty());
}

TEST_CASE("buffer: the bytes that are received into") {
  int i = 7;
  check_writable(i, &i, sizeof i);
  std::vector<double> v(5);
  check_writable(v, v.data(), 40);
  std::array<short, 3> a{};
  check_writable(a, a.data(), 6);
  int c[4] = {};
  check_writable(c, c, 16);
  double matrix[2][3] = {};
  check_writable(matrix, matrix, 48);
  std::string s = "hello";
  check_writable(s, s.data(), 5);
  check_writable(std::span(v).first(2), v.data(), 16);
  const std::span<double> constant(v);
  check_writable(constant, v.data(), 40);
}

}  // namespace
