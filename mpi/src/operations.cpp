// SPDX-License-Identifier: BSL-1.0
// Operations of reductions. The data that mpx combines is packed: a user's function gets elements at
// their extent.
#include "operations.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "functions.hpp"
#include "requests.hpp"

namespace mpx_mpi {

namespace {

using function = mpx::any_operation::function;

template <class T, class Op>
void combine(void*, std::byte* out, const std::byte* left, const std::byte* right,
             std::size_t bytes) {
  T* const c = reinterpret_cast<T*>(out);
  const T* const a = reinterpret_cast<const T*>(left);
  const T* const b = reinterpret_cast<const T*>(right);
  for (std::size_t i = 0; i < bytes / sizeof(T); ++i) c[i] = static_cast<T>(Op()(a[i], b[i]));
}
struct sum_of {
  template <class T>
  auto operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {  // Wraps around.
      using natural = std::make_unsigned_t<T>;
      return static_cast<natural>(a) + static_cast<natural>(b);
    } else {
      return a + b;
    }
  }
};
struct product_of {
  template <class T>
  auto operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      using natural = std::conditional_t<sizeof(T) < 4, unsigned, std::make_unsigned_t<T>>;
      return static_cast<natural>(a) * static_cast<natural>(b);
    } else {
      return a * b;
    }
  }
};
struct and_of {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a != T() && b != T();
  }
};
struct or_of {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a != T() || b != T();
  }
};
struct xor_of {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return (a != T()) != (b != T());
  }
};

/// Classes of predefined datatypes, as MPI 5.0, 6.9.2 groups them.
template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
function arithmetic(std::uint32_t op) {
  if constexpr (is_number<T>) {
    switch (op) {
      case 0x22: return combine<T, mpx::min_t>;
      case 0x23: return combine<T, mpx::max_t>;
      default: break;
    }
  }
  if constexpr (!std::is_same_v<T, bool>) {
    if (op == 0x21) return combine<T, sum_of>;
    if (op == 0x24) return combine<T, product_of>;
  }
  return nullptr;
}
template <class T>
function logical(std::uint32_t op) {
  switch (op) {
    case 0x30: return combine<T, and_of>;
    case 0x31: return combine<T, or_of>;
    case 0x32: return combine<T, xor_of>;
    default: return nullptr;
  }
}
template <class T>
function bitwise(std::uint32_t op) {
  switch (op) {
    case 0x28: return combine<T, std::bit_and<>>;
    case 0x29: return combine<T, std::bit_or<>>;
    case 0x2a: return combine<T, std::bit_xor<>>;
    default: return nullptr;
  }
}
template <class T>
function integer(std::uint32_t op) {
  if (const function f = arithmetic<T>(op); f != nullptr) return f;
  if (const function f = logical<T>(op); f != nullptr) return f;
  return bitwise<T>(op);
}
function integer_of(std::size_t bytes, bool with_sign, std::uint32_t op) {
  switch (bytes) {
    case 1: return with_sign ? integer<std::int8_t>(op) : integer<std::uint8_t>(op);
    case 2: return with_sign ? integer<std::int16_t>(op) : integer<std::uint16_t>(op);
    case 4: return with_sign ? integer<std::int32_t>(op) : integer<std::uint32_t>(op);
    case 8: return with_sign ? integer<std::int64_t>(op) : integer<std::uint64_t>(op);
    default: return nullptr;
  }
}
/// Packed pairs of a value and an index, without the padding of the C struct.
template <class Value, class Index, bool Max>
void combine_pairs(void*, std::byte* out, const std::byte* left, const std::byte* right,
                   std::size_t bytes) {
  constexpr std::size_t unit = sizeof(Value) + sizeof(Index);
  for (std::size_t at = 0; at + unit <= bytes; at += unit) {
    Value a, b;
    Index i, j;
    std::memcpy(&a, left + at, sizeof a);
    std::memcpy(&i, left + at + sizeof a, sizeof i);
    std::memcpy(&b, right + at, sizeof b);
    std::memcpy(&j, right + at + sizeof b, sizeof j);
    const bool second = Max ? a < b : b < a;
    const bool equal = !(a < b) && !(b < a);
    if (second || (equal && j < i)) {
      a = b;
      i = j;
    }
    std::memcpy(out + at, &a, sizeof a);
    std::memcpy(out + at + sizeof a, &i, sizeof i);
  }
}
template <class Value, class Index = int>
function located(std::uint32_t op) {
  if (op == 0x38) return combine_pairs<Value, Index, false>;
  return op == 0x39 ? combine_pairs<Value, Index, true> : nullptr;
}
template <bool Second>
void take_one(void*, std::byte* out, const std::byte* left, const std::byte* right,
              std::size_t bytes) {
  const std::byte* const from = Second ? right : left;
  if (bytes != 0 && from != out) std::memmove(out, from, bytes);
}

function pairs(MPI_Datatype t, std::uint32_t op) {
  if (t == MPI_FLOAT_INT) return located<float>(op);
  if (t == MPI_DOUBLE_INT) return located<double>(op);
  if (t == MPI_LONG_INT) return located<long>(op);
  if (t == MPI_2INT || t == MPI_2INTEGER) return located<int>(op);
  if (t == MPI_SHORT_INT) return located<short>(op);
  if (t == MPI_LONG_DOUBLE_INT) return located<long double>(op);
  if (t == MPI_2REAL) return located<float, float>(op);
  if (t == MPI_2DOUBLE_PRECISION) return located<double, double>(op);
  return nullptr;
}
/// Returns the function of a predefined operation; nullptr if it does not work on the datatype.
function predefined_function(std::uint32_t op, MPI_Datatype t, const mpx::basic_type& basic) {
  if (op == 0x3c) return take_one<true>;
  if (op == 0x3d) return take_one<false>;
  if (op == 0x38 || op == 0x39) return pairs(t, op);
  if (t == MPI_BYTE || t == MPI_PACKED) return t == MPI_BYTE ? bitwise<std::uint8_t>(op) : nullptr;
  if (t == MPI_LOGICAL || t == MPI_LOGICAL4) return logical<std::int32_t>(op);
  if (t == MPI_LOGICAL1) return logical<std::int8_t>(op);
  if (t == MPI_LOGICAL2) return logical<std::int16_t>(op);
  if (t == MPI_LOGICAL8) return logical<std::int64_t>(op);
  if (t == MPI_WCHAR) return nullptr;
  if (t == MPI_CHAR || t == MPI_CHARACTER) return integer<char>(op);  // As other MPIs.
  switch (basic.kind) {
    case mpx::basic_kind::boolean: return logical<bool>(op);
    case mpx::basic_kind::integer: return integer_of(basic.size, true, op);
    case mpx::basic_kind::natural: return integer_of(basic.size, false, op);
    case mpx::basic_kind::real: {
      function f = nullptr;
      if (basic.size == sizeof(float))
        f = arithmetic<float>(op) != nullptr ? arithmetic<float>(op) : logical<float>(op);
      else if (basic.size == sizeof(double))
        f = arithmetic<double>(op) != nullptr ? arithmetic<double>(op) : logical<double>(op);
      else
        f = arithmetic<long double>(op) != nullptr ? arithmetic<long double>(op)
                                                   : logical<long double>(op);
      return f;
    }
    case mpx::basic_kind::complex:
      if (basic.size == 8) return arithmetic<std::complex<float>>(op);
      if (basic.size == 16) return arithmetic<std::complex<double>>(op);
      return arithmetic<std::complex<long double>>(op);
    default: return nullptr;
  }
}
const char* op_name(std::uint32_t op) {
  switch (op) {
    case 0x21: return "MPI_SUM";
    case 0x22: return "MPI_MIN";
    case 0x23: return "MPI_MAX";
    case 0x24: return "MPI_PROD";
    case 0x28: return "MPI_BAND";
    case 0x29: return "MPI_BOR";
    case 0x2a: return "MPI_BXOR";
    case 0x30: return "MPI_LAND";
    case 0x31: return "MPI_LOR";
    case 0x32: return "MPI_LXOR";
    case 0x38: return "MPI_MINLOC";
    case 0x39: return "MPI_MAXLOC";
    case 0x3c: return "MPI_REPLACE";
    case 0x3d: return "MPI_NO_OP";
    default: return nullptr;
  }
}

// --- The program's own ---------------------------------------------------------------------------

/// A user's function on elements of one datatype.
struct user_call {
  std::shared_ptr<const op_body> body;
  std::shared_ptr<const type_part> part;
  MPI_Datatype given;         // That of the call.
  type_t* counted = nullptr;  // Its object, unless it is predefined.

  user_call(const op_t& op, MPI_Datatype of, const type_t& type)
      : body(op.body), part(type.part), given(of) {
    if (type.predefined) return;
    counted = find_type(of);
    const std::lock_guard guard(lib().lock);
    ++counted->operations;
  }
  user_call(const user_call&) = delete;
  user_call& operator=(const user_call&) = delete;
  ~user_call() {
    if (counted == nullptr) return;
    const std::lock_guard guard(lib().lock);
    if (--counted->operations == 0 && counted->freed) lib().types.erase(value_of(given), *counted);
  }

  void call(void* in, void* inout, std::int64_t count) const {
    MPI_Datatype type = given;
    if (body->function_c != nullptr) {
      MPI_Count n = count;
      body->function_c(in, inout, &n, &type);
      return;
    }
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    for (std::int64_t done = 0; done < count; done += most) {
      int n = static_cast<int>(std::min(most, count - done));
      body->function(static_cast<std::byte*>(in) + done * part->extent,
                     static_cast<std::byte*>(inout) + done * part->extent, &n, &type);
    }
  }
  /// Calls the function on packed elements: right = left op right.
  void on_packed(const std::byte* left, std::byte* right, std::size_t bytes) const {
    const auto count = static_cast<std::int64_t>(bytes) / part->bytes;
    if (part->dense) return call(const_cast<std::byte*>(left), right, count);
    const std::int64_t span = (count - 1) * part->extent;  // From the first element to the last.
    const std::int64_t low = part->type.true_lower_bound() + std::min<std::int64_t>(span, 0);
    const std::int64_t reach = part->type.true_extent() + std::abs(span);
    std::vector<std::byte> a(static_cast<std::size_t>(reach));
    std::vector<std::byte> b(static_cast<std::size_t>(reach));
    const buffer in{a.data() - low, count, &part->type, false, nullptr, bytes};
    const buffer out{b.data() - low, count, &part->type, false, nullptr, bytes};
    unpack_data({left, bytes}, in);
    unpack_data({right, bytes}, out);
    call(in.base, out.base, count);
    pack_data(out, {right, bytes});
  }
  static void combine_packed(void* context, std::byte* out, const std::byte* left,
                             const std::byte* right, std::size_t bytes) {
    if (bytes == 0) return;
    const auto& self = *static_cast<const user_call*>(context);
    if (out == right) return self.on_packed(left, out, bytes);
    std::vector<std::byte> copy(right, right + bytes);
    self.on_packed(left, copy.data(), bytes);
    std::memcpy(out, copy.data(), bytes);
  }
};

}  // namespace

mpx::any_operation operation_for(const op_t& op, MPI_Datatype handle, const type_t& type,
                                 std::shared_ptr<void>& keep) {
  const auto unit = static_cast<std::size_t>(std::max<std::int64_t>(type.part->bytes, 1));
  if (op.predefined == 0) {
    auto made = std::make_shared<user_call>(op, handle, type);
    const mpx::any_operation f{user_call::combine_packed, made.get(), unit, op.body->commutes};
    keep = std::move(made);
    return f;
  }
  const MPI_Datatype element = type.part->element;
  const bool whole =
      type.predefined || type.unnamed || type.part->envelope.combiner == MPI_COMBINER_DUP;
  const function f =
      element == nullptr || !whole
          ? nullptr
          : predefined_function(op.predefined, element, type.part->type.description()->basics->of);
  if (f == nullptr)
    fail(MPI_ERR_OP, "%s does not work on the datatype %s", op_name(op.predefined),
         name_of(type).c_str());
  return {f, nullptr, unit, true};
}

bool applies(const op_t& op, MPI_Datatype element) {
  const type_t* const type = find_type(element);
  return type != nullptr && op.predefined != 0 &&
         predefined_function(op.predefined, element, type->part->type.description()->basics->of) !=
             nullptr;
}

op_t* find_op(MPI_Op o) noexcept {
  const std::uintptr_t v = value_of(o);
  if (v < 4096) {
    static op_t* const all = [] {
      auto* const made = new op_t[0x40];
      for (std::uint32_t i = 0; i < 0x40; ++i) made[i].predefined = i;
      return made;
    }();
    return v < 0x40 && op_name(static_cast<std::uint32_t>(v)) != nullptr ? &all[v] : nullptr;
  }
  return lib().ops.find(v);
}
void Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  if (user_fn == nullptr) fail(MPI_ERR_ARG, "the function of an operation is null");
  op_t made;
  made.body = std::make_shared<const op_body>(op_body{user_fn, nullptr, commute != 0});
  *op = put_in<MPI_Op>(lib().ops, "operations", std::move(made));
}
void Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  if (user_fn == nullptr) fail(MPI_ERR_ARG, "the function of an operation is null");
  op_t made;
  made.body = std::make_shared<const op_body>(op_body{nullptr, user_fn, commute != 0});
  *op = put_in<MPI_Op>(lib().ops, "operations", std::move(made));
}
void Op_free(MPI_Op* op) {
  if (need_op(*op).predefined != 0) fail(MPI_ERR_OP, "a predefined operation is not freed");
  lib().ops.erase(value_of(*op));
  *op = MPI_OP_NULL;
}
void Op_commutative(op_t& op, int* commute) {
  *commute = op.predefined != 0 ? 1 : op.body->commutes;
}
void Reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
                  op_t& op) {
  const type_t& type = need_type(datatype);
  std::shared_ptr<void> keep;
  const mpx::any_operation f = operation_for(op, datatype, type, keep);
  const buffer in = data_of(inbuf, count, type);
  const buffer out = data_of(inoutbuf, count, type);
  if (in.bytes != 0 && inbuf == inoutbuf)
    fail(MPI_ERR_BUFFER, "inbuf and inoutbuf are the same buffer");
  if (in.dense) return f.combine(f.context, out.data, in.data, out.data, in.bytes);
  std::vector<std::byte> left(in.bytes);
  std::vector<std::byte> right(in.bytes);
  pack_data(in, left);
  pack_data(out, right);
  f.combine(f.context, right.data(), left.data(), right.data(), right.size());
  unpack_data(right, out);
}

}  // namespace mpx_mpi
