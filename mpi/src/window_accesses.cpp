// SPDX-License-Identifier: BSL-1.0
// Accesses of windows: MPI's datatypes and operations as elements of an mpx::byte_window.
#include <optional>

#include "functions.hpp"
#include "operations.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

using mpx::rma::combine;
using mpx::rma::element;

std::optional<combine> combine_of(const op_t& op) {
  switch (op.predefined) {
    case 0x21: return combine::sum;
    case 0x22: return combine::min;
    case 0x23: return combine::max;
    case 0x24: return combine::prod;
    case 0x28: return combine::bit_and;
    case 0x29: return combine::bit_or;
    case 0x2a: return combine::bit_xor;
    case 0x30: return combine::logical_and;
    case 0x31: return combine::logical_or;
    case 0x32: return combine::logical_xor;
    case 0x38: return combine::minloc;
    case 0x39: return combine::maxloc;
    case 0x3c: return combine::replace;
    case 0x3d: return combine::no_op;
    default: return std::nullopt;
  }
}
std::optional<element> pair_of(MPI_Datatype t) {
  if (t == MPI_FLOAT_INT) return element::pair<float, int>();
  if (t == MPI_DOUBLE_INT) return element::pair<double, int>();
  if (t == MPI_LONG_INT) return element::pair<long, int>();
  if (t == MPI_2INT || t == MPI_2INTEGER) return element::pair<int, int>();
  if (t == MPI_SHORT_INT) return element::pair<short, int>();
  if (t == MPI_LONG_DOUBLE_INT) return element::pair<long double, int>();
  if (t == MPI_2REAL) return element::pair<float, float>();
  if (t == MPI_2DOUBLE_PRECISION) return element::pair<double, double>();
  return std::nullopt;
}
element integer_of(std::size_t bytes, bool with_sign) {
  switch (bytes) {
    case 2: return with_sign ? element::of<std::int16_t>() : element::of<std::uint16_t>();
    case 4: return with_sign ? element::of<std::int32_t>() : element::of<std::uint32_t>();
    case 8: return with_sign ? element::of<std::int64_t>() : element::of<std::uint64_t>();
    default: return with_sign ? element::of<std::int8_t>() : element::of<std::uint8_t>();
  }
}
element real_of(std::size_t bytes) {
  if (bytes == sizeof(float)) return element::of<float>();
  return bytes == sizeof(double) ? element::of<double>() : element::of<long double>();
}
element complex_of(std::size_t bytes) {
  if (bytes == 2 * sizeof(float)) return element::of<std::complex<float>>();
  if (bytes == 2 * sizeof(double)) return element::of<std::complex<double>>();
  return element::of<std::complex<long double>>();
}
/// The element type of a predefined datatype.
element element_of(MPI_Datatype predefined) {
  if (const auto pair = pair_of(predefined); pair) return *pair;
  const type_t& type = need_any_type(predefined);
  const mpx::basic_type& basic = type.part->type.description()->basics->of;
  switch (basic.kind) {
    case mpx::basic_kind::boolean: return element::of<bool>();
    case mpx::basic_kind::real: return real_of(basic.size);
    case mpx::basic_kind::complex: return complex_of(basic.size);
    case mpx::basic_kind::natural:
    case mpx::basic_kind::byte: return integer_of(basic.size, false);
    default: return integer_of(basic.size, true);
  }
}

/// Operation and elements of an access that combines.
void set_operation(window_access& a, const op_t& op, const type_t& type, bool fetches) {
  const auto how = combine_of(op);
  if (!how)
    fail(MPI_ERR_OP, "an operation of the program does not work on windows: take a predefined one");
  if (*how == combine::no_op && !fetches)
    fail(MPI_ERR_OP, "MPI_NO_OP is an operation of calls that fetch");
  a.op = *how;
  const MPI_Datatype e = type.part->element;
  const bool moves = *how == combine::replace || *how == combine::no_op;
  if (e == nullptr && !moves)
    fail(MPI_ERR_TYPE, "the datatype %s has elements of different types", name_of(type).c_str());
  if (e == nullptr) return;  // Bytes are moved.
  if (!moves && !applies(op, e))
    fail(MPI_ERR_OP, "the operation does not work on the datatype %s", name_of(type).c_str());
  a.type = element_of(e);
}
/// Where the data lies at the target.
void set_place(window_access& a, int rank, MPI_Aint disp, std::int64_t count, const type_t& type,
               const win_t& win) {
  if (disp < 0 && count != 0 && rank != MPI_PROC_NULL &&
      win.values.flavor != MPI_WIN_FLAVOR_DYNAMIC)
    bad_number(MPI_ERR_DISP, "target displacement", disp);
  a.target = rank == MPI_PROC_NULL ? static_cast<int>(mpx::rank_t{mpx::proc_null}) : rank;
  // Nothing is accessed: any place will do.
  a.at = count == 0 ? 0 : static_cast<std::uint64_t>(disp);
  a.count = count;
  if (!type.part->dense) a.there = &type.part->type;
}
void need_equal(const buffer& origin, std::int64_t count, const type_t& type) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, type.part->bytes, &bytes) ||
      static_cast<std::uint64_t>(bytes) != origin.bytes)
    fail(MPI_ERR_TYPE, "the origin has %zu bytes, the target %lld elements of %lld bytes",
         origin.bytes, static_cast<long long>(count), static_cast<long long>(type.part->bytes));
}
/// Carries an access out, or starts it.
void go(win_t& win, const window_access& a, MPI_Request* request) {
  if (request == nullptr) return win.port->access(a, nullptr);
  request_cell cell;
  win.port->access(a, &cell);
  *request = add_request_of(cell, win.self, false, false);
}

struct origin {
  const void* at;
  MPI_Count count;
  const type_t& type;
};
struct place {
  int rank;
  MPI_Aint disp;
  MPI_Count count;
  const type_t& type;
};
/// Returns how many of the `count` elements of the receiving side `bytes` bytes fill. It may have
/// more: the rest is unchanged.
std::int64_t filled_by(std::size_t bytes, std::int64_t count, const type_t& type) {
  const auto each = static_cast<std::size_t>(type.part->bytes);
  if (bytes == 0) return 0;
  if (each == 0 || bytes % each != 0 || bytes / each > static_cast<std::size_t>(count))
    fail(MPI_ERR_TYPE, "%zu bytes are not a part of %lld elements of %zu bytes", bytes,
         static_cast<long long>(count), each);
  return static_cast<std::int64_t>(bytes / each);
}
void put(const origin& from, place to, win_t& win, MPI_Request* request) {
  window_access a;
  a.what = mpx::rma::action::put;
  a.data = data_of(from.at, from.count, from.type);
  to.count = filled_by(a.data.bytes, to.count, to.type);
  set_place(a, to.rank, to.disp, to.count, to.type, win);
  go(win, a, request);
}
void get(const origin& into, const place& from, win_t& win, MPI_Request* request) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(from.count, from.type.part->bytes, &bytes))
    fail(MPI_ERR_COUNT, "%lld elements of %lld bytes exceed memory",
         static_cast<long long>(from.count), static_cast<long long>(from.type.part->bytes));
  window_access a;
  a.what = mpx::rma::action::get;
  a.data = data_of(into.at, filled_by(static_cast<std::size_t>(bytes), into.count, into.type),
                   into.type);
  set_place(a, from.rank, from.disp, from.count, from.type, win);
  go(win, a, request);
}
void accumulate(const origin& from, const place& to, const op_t& op, win_t& win,
                MPI_Request* request) {
  window_access a;
  a.what = mpx::rma::action::accumulate;
  a.data = data_of(from.at, from.count, from.type);
  need_equal(a.data, to.count, to.type);
  set_operation(a, op, to.type, false);
  set_place(a, to.rank, to.disp, to.count, to.type, win);
  go(win, a, request);
}
/// `from`: not looked at if the operation is MPI_NO_OP.
void fetch(const void* from, MPI_Count count, MPI_Datatype type, const origin& result,
           const place& to, const op_t& op, win_t& win, MPI_Request* request) {
  window_access a;
  a.what = mpx::rma::action::fetch;
  set_operation(a, op, to.type, true);
  if (a.op != combine::no_op) {
    need_count(count, "origin_count");
    a.data = data_of(from, count, need_type(type));
    need_equal(a.data, to.count, to.type);
  }
  a.result = data_of(result.at, result.count, result.type);
  need_equal(a.result, to.count, to.type);
  set_place(a, to.rank, to.disp, to.count, to.type, win);
  go(win, a, request);
}

}  // namespace

void Put(const void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype,
         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
         const type_t& target_datatype, win_t& win) {
  put({origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr);
}
void Get(void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const type_t& target_datatype, win_t& win) {
  get({origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr);
}
void Rput(const void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype,
          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
          const type_t& target_datatype, win_t& win, MPI_Request* request) {
  put({origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request);
}
void Rget(void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const type_t& target_datatype, win_t& win,
          MPI_Request* request) {
  get({origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request);
}
void Accumulate(const void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                const type_t& target_datatype, op_t& op, win_t& win) {
  accumulate({origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr);
}
void Raccumulate(const void* origin_addr, MPI_Count origin_count, const type_t& origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                 const type_t& target_datatype, op_t& op, win_t& win, MPI_Request* request) {
  accumulate({origin_addr, origin_count, origin_datatype},
             {target_rank, target_disp, target_count, target_datatype}, op, win, request);
}
void Get_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                    void* result_addr, MPI_Count result_count, const type_t& result_datatype,
                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                    const type_t& target_datatype, op_t& op, win_t& win) {
  fetch(origin_addr, origin_count, origin_datatype, {result_addr, result_count, result_datatype},
        {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr);
}
void Rget_accumulate(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                     void* result_addr, MPI_Count result_count, const type_t& result_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     const type_t& target_datatype, op_t& op, win_t& win, MPI_Request* request) {
  fetch(origin_addr, origin_count, origin_datatype, {result_addr, result_count, result_datatype},
        {target_rank, target_disp, target_count, target_datatype}, op, win, request);
}
void Fetch_and_op(const void* origin_addr, void* result_addr, const type_t& datatype,
                  int target_rank, MPI_Aint target_disp, op_t& op, win_t& win) {
  window_access a;
  a.what = mpx::rma::action::fetch;
  if (datatype.part->element == nullptr)
    fail(MPI_ERR_TYPE, "the datatype of a fetch is a predefined one");
  set_operation(a, op, datatype, true);
  if (a.type.bytes() != static_cast<std::size_t>(datatype.part->bytes))
    fail(MPI_ERR_TYPE, "the datatype of a fetch has one element, not more");
  if (a.op != combine::no_op) a.data = data_of(origin_addr, 1, datatype);
  a.result = data_of(result_addr, 1, datatype);
  a.single = datatype.part->dense;
  set_place(a, target_rank, target_disp, 1, datatype, win);
  go(win, a, nullptr);
}
void Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                      const type_t& datatype, int target_rank, MPI_Aint target_disp, win_t& win) {
  window_access a;
  a.what = mpx::rma::action::swap;
  if (datatype.part->element == nullptr || !datatype.part->dense)
    fail(MPI_ERR_TYPE, "the datatype of a compare and swap is a predefined one");
  a.type = element_of(datatype.part->element);
  const bool is_real = datatype.part->type.description()->basics->of.kind == mpx::basic_kind::real;
  if (is_real || !a.type.swaps() ||
      a.type.bytes() != static_cast<std::size_t>(datatype.part->bytes))
    fail(MPI_ERR_TYPE, "the datatype %s is not compared and swapped", name_of(datatype).c_str());
  a.data = data_of(origin_addr, 1, datatype);
  a.result = data_of(result_addr, 1, datatype);
  a.compare = data_of(compare_addr, 1, datatype).data;
  set_place(a, target_rank, target_disp, 1, datatype, win);
  go(win, a, nullptr);
}

}  // namespace mpx_mpi
