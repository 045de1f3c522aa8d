// SPDX-License-Identifier: BSL-1.0
// A program that has macros of common names before it includes mpx: all of them are there, and mean
// the same, after each header that documents name. Compiled as stacks.cpp is.
// clang-format off
#define A 100
#define B 100
#define C 100
#define D 100
#define E 100
#define F 100
#define G 100
#define H 100
#define I 100
#define J 100
#define K 100
#define L 100
#define M 100
#define N 100
#define O 100
#define P 100
#define Q 100
#define R 100
#define S 100
#define T 100
#define U 100
#define V 100
#define W 100
#define X 100
#define Y 100
#define Z 100
#define a 100
#define b 100
#define c 100
#define d 100
#define e 100
#define f 100
#define g 100
#define h 100
#define i 100
#define j 100
#define k 100
#define l 100
#define m 100
#define n 100
#define o 100
#define p 100
#define q 100
#define r 100
#define s 100
#define t 100
#define u 100
#define v 100
#define w 100
#define x 100
#define y 100
#define z 100
#define DEBUG 100
#define ERROR 100
#define INFO 100
#define WARN 100
#define WARNING 100
#define TRACE 100
#define TRUE 100
#define FALSE 100
#define OK 100
#define FAIL 100
#define SUCCESS 100
#define PI 100
#define EPS 100
#define SIZE 100
#define LENGTH 100
#define WIDTH 100
#define HEIGHT 100
#define NX 100
#define NY 100
#define NZ 100
#define ROWS 100
#define COLS 100
#define TAG 100
#define ROOT 100
#define RANK 100
#define MASTER 100
#define BLOCK 100
#define IN 100
#define OUT 100
#define far 100
#define near 100
#define small 100
#define interface 100
#define Always 100
#define Bool 100
#define False 100
#define None 100
#define Status 100
#define Success 100
#define True 100
#define packed 100
#define root 100
#define self 100
#define step 100
#define up 100
#define down 100
#define left 100
#define right 100
#define next 100
#define word 100
#define major 100
#define minor 100
#define interrupt 100
#define MIN(x) 100
#define MAX(x) 100
#define ABS(x) 100
#define SWAP(x) 100
#define ASSERT(x) 100
#define CHECK(x) 100
#define LOG(x) 100
#define CONCAT(x) 100
#define abs(x) 100
#define check(x) 100
#define debug(x) 100
#define error(x) 100
#define expect(x) 100
#define fail(x) 100
#define fatal(x) 100
#define info(x) 100
#define likely(x) 100
#define log(x) 100
#define max(x) 100
#define min(x) 100
#define panic(x) 100
#define print(x) 100
#define raise(x) 100
#define require(x) 100
#define signal(x) 100
#define swap(x) 100
#define test(x) 100
#define trace(x) 100
#define unlikely(x) 100
#define verify(x) 100
#define wait(x) 100
#define warn(x) 100
#define assert(x) 100  // <cassert> replaces it, wherever it is included.
// clang-format on

#include <mpx/attributes.hpp>
#include <mpx/bootstrap/pmi1.hpp>
#include <mpx/checks.hpp>
#include <mpx/core/group_sets.hpp>
#include <mpx/coroutine.hpp>
#include <mpx/intercommunicator.hpp>
#include <mpx/mpx.hpp>
#include <mpx/partitioned.hpp>
#include <mpx/portals.hpp>
#include <mpx/rdma.hpp>
#include <mpx/rma.hpp>
#include <mpx/topology.hpp>
#include <mpx/transport/rdma/sim.hpp>
#include <mpx/transport/rdma/via.hpp>

#if __has_include(<boost/pfr.hpp>)
#include <mpx/datatype.hpp>
#endif
#ifdef MPX_USERS_TCP
#include <mpx/cluster.hpp>
#include <mpx/transport/tcp.hpp>
#include <mpx/transport/tcp_streams.hpp>
#endif
#ifdef MPX_USERS_TLS
#include <mpx/tls.hpp>
#include <mpx/transport/tls.hpp>
#endif
#ifdef MPX_USERS_SIM
#include <mpx/sim.hpp>
#endif
#ifdef MPX_USERS_ASIO
#include <mpx/asio.hpp>
#endif
#ifdef MPX_USERS_PMIX
#include <mpx/bootstrap/pmix.hpp>
#endif
#ifdef MPX_USERS_LIBFABRIC
#include <mpx/transport/rdma/libfabric.hpp>
#endif

// clang-format off
static_assert(true
              && A == 100 && B == 100 && C == 100 && D == 100 && E == 100 && F == 100 && G == 100 && H == 100
              && I == 100 && J == 100 && K == 100 && L == 100 && M == 100 && N == 100 && O == 100 && P == 100
              && Q == 100 && R == 100 && S == 100 && T == 100 && U == 100 && V == 100 && W == 100 && X == 100
              && Y == 100 && Z == 100 && a == 100 && b == 100 && c == 100 && d == 100 && e == 100 && f == 100
              && g == 100 && h == 100 && i == 100 && j == 100 && k == 100 && l == 100 && m == 100 && n == 100
              && o == 100 && p == 100 && q == 100 && r == 100 && s == 100 && t == 100 && u == 100 && v == 100
              && w == 100 && x == 100 && y == 100 && z == 100 && DEBUG == 100 && ERROR == 100 && INFO == 100 && WARN == 100
              && WARNING == 100 && TRACE == 100 && TRUE == 100 && FALSE == 100 && OK == 100 && FAIL == 100 && SUCCESS == 100 && PI == 100
              && EPS == 100 && SIZE == 100 && LENGTH == 100 && WIDTH == 100 && HEIGHT == 100 && NX == 100 && NY == 100 && NZ == 100
              && ROWS == 100 && COLS == 100 && TAG == 100 && ROOT == 100 && RANK == 100 && MASTER == 100 && BLOCK == 100 && IN == 100
              && OUT == 100 && far == 100 && near == 100 && small == 100 && interface == 100 && Always == 100 && Bool == 100 && False == 100
              && None == 100 && Status == 100 && Success == 100 && True == 100 && packed == 100 && root == 100 && self == 100 && step == 100
              && up == 100 && down == 100 && left == 100 && right == 100 && next == 100 && word == 100 && major == 100 && minor == 100
              && interrupt == 100
              && MIN(0) == 100 && MAX(0) == 100 && ABS(0) == 100 && SWAP(0) == 100 && ASSERT(0) == 100 && CHECK(0) == 100
              && LOG(0) == 100 && CONCAT(0) == 100 && abs(0) == 100 && check(0) == 100 && debug(0) == 100 && error(0) == 100
              && expect(0) == 100 && fail(0) == 100 && fatal(0) == 100 && info(0) == 100 && likely(0) == 100 && log(0) == 100
              && max(0) == 100 && min(0) == 100 && panic(0) == 100 && print(0) == 100 && raise(0) == 100 && require(0) == 100
              && signal(0) == 100 && swap(0) == 100 && test(0) == 100 && trace(0) == 100 && unlikely(0) == 100 && verify(0) == 100
              && wait(0) == 100 && warn(0) == 100);
// clang-format on

int main() {
  mpx::environment<> env;
  env.world().barrier();
}
