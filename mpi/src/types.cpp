// SPDX-License-Identifier: BSL-1.0
// Datatypes: predefined ones, constructors, queries, names, packing.
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>

#include "functions.hpp"
#include "mpx/core/error.hpp"
#include "mpx/data/pack.hpp"
#include "requests.hpp"
#include "startup.hpp"

namespace mpx_mpi {

namespace {

constexpr std::size_t first_type = library::first_type;
constexpr std::size_t predefined_count = library::predefined_count;

std::shared_ptr<type_part> part_of(mpx::datatype type) {
  auto p = std::make_shared<type_part>();
  p->bytes = type.size();
  p->extent = type.extent();
  p->dense = type.blocks() <= 1 && type.size() == type.extent() && type.lower_bound() == 0 &&
             (type.size() == 0 || type.true_lower_bound() == 0);
  p->type = std::move(type);
  return p;
}
type_t& define(MPI_Datatype handle, const char* name, mpx::datatype type) {
  type_t& t = lib().predefined[value_of(handle) - first_type];
  auto p = part_of(std::move(type));
  p->element = handle;
  t.part = std::move(p);
  t.committed = t.predefined = true;
  t.name.set(name);
  return t;
}
template <class T>
void define(MPI_Datatype handle, const char* name) {
  define(handle, name, mpx::datatype::of<T>());
}
/// A value followed by an index, as a C struct of both.
template <class Value, class Index>
void define_pair(MPI_Datatype handle, const char* name, MPI_Datatype value, MPI_Datatype index) {
  struct both {
    Value value;
    Index index;
  };
  const mpx::datatype types[] = {mpx::datatype::of<Value>(), mpx::datatype::of<Index>()};
  const std::int64_t lengths[] = {1, 1};
  const std::int64_t at[] = {0, offsetof(both, index)};
  type_t& t =
      define(handle, name,
             mpx::datatype::resized(mpx::datatype::structure(lengths, at, types), 0, sizeof(both)));
  const_cast<type_part&>(*t.part).pair = {value, index};
}
/// An optional type that this machine does not have.
void define_absent(MPI_Datatype handle, const char* name) {
  define<std::byte>(handle, name);
  type_t& t = lib().predefined[value_of(handle) - first_type];
  t.committed = false;
  t.absent = true;
}

void define_c_types() {
  using complex_float = std::complex<float>;
  using complex_double = std::complex<double>;
  using complex_long = std::complex<long double>;
#define MPX_MPI_TYPE(name, ...) define<__VA_ARGS__>(name, #name);
  MPX_MPI_TYPE(MPI_AINT, MPI_Aint)
  MPX_MPI_TYPE(MPI_COUNT, MPI_Count)
  MPX_MPI_TYPE(MPI_OFFSET, MPI_Offset)
  MPX_MPI_TYPE(MPI_PACKED, std::byte)
  MPX_MPI_TYPE(MPI_SHORT, short)
  MPX_MPI_TYPE(MPI_INT, int)
  MPX_MPI_TYPE(MPI_LONG, long)
  define<long long>(MPI_LONG_LONG, "MPI_LONG_LONG_INT");
  MPX_MPI_TYPE(MPI_UNSIGNED_SHORT, unsigned short)
  MPX_MPI_TYPE(MPI_UNSIGNED, unsigned)
  MPX_MPI_TYPE(MPI_UNSIGNED_LONG, unsigned long)
  MPX_MPI_TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long)
  MPX_MPI_TYPE(MPI_FLOAT, float)
  define<complex_float>(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX");  // Its older name.
  MPX_MPI_TYPE(MPI_CXX_FLOAT_COMPLEX, complex_float)
  MPX_MPI_TYPE(MPI_DOUBLE, double)
  MPX_MPI_TYPE(MPI_C_DOUBLE_COMPLEX, complex_double)
  MPX_MPI_TYPE(MPI_CXX_DOUBLE_COMPLEX, complex_double)
  MPX_MPI_TYPE(MPI_LONG_DOUBLE, long double)
  MPX_MPI_TYPE(MPI_C_LONG_DOUBLE_COMPLEX, complex_long)
  MPX_MPI_TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, complex_long)
  MPX_MPI_TYPE(MPI_C_BOOL, bool)
  MPX_MPI_TYPE(MPI_CXX_BOOL, bool)
  MPX_MPI_TYPE(MPI_WCHAR, wchar_t)
  MPX_MPI_TYPE(MPI_INT8_T, std::int8_t)
  MPX_MPI_TYPE(MPI_UINT8_T, std::uint8_t)
  MPX_MPI_TYPE(MPI_CHAR, char)
  MPX_MPI_TYPE(MPI_SIGNED_CHAR, signed char)
  MPX_MPI_TYPE(MPI_UNSIGNED_CHAR, unsigned char)
  MPX_MPI_TYPE(MPI_BYTE, std::byte)
  MPX_MPI_TYPE(MPI_INT16_T, std::int16_t)
  MPX_MPI_TYPE(MPI_UINT16_T, std::uint16_t)
  MPX_MPI_TYPE(MPI_INT32_T, std::int32_t)
  MPX_MPI_TYPE(MPI_UINT32_T, std::uint32_t)
  MPX_MPI_TYPE(MPI_INT64_T, std::int64_t)
  MPX_MPI_TYPE(MPI_UINT64_T, std::uint64_t)
  // Fortran, with the sizes that its compilers here have by default.
  MPX_MPI_TYPE(MPI_LOGICAL, int)
  MPX_MPI_TYPE(MPI_INTEGER, int)
  MPX_MPI_TYPE(MPI_REAL, float)
  MPX_MPI_TYPE(MPI_COMPLEX, complex_float)
  MPX_MPI_TYPE(MPI_DOUBLE_PRECISION, double)
  MPX_MPI_TYPE(MPI_DOUBLE_COMPLEX, complex_double)
  MPX_MPI_TYPE(MPI_CHARACTER, char)
  MPX_MPI_TYPE(MPI_LOGICAL1, std::int8_t)
  MPX_MPI_TYPE(MPI_INTEGER1, std::int8_t)
  MPX_MPI_TYPE(MPI_LOGICAL2, std::int16_t)
  MPX_MPI_TYPE(MPI_INTEGER2, std::int16_t)
  MPX_MPI_TYPE(MPI_LOGICAL4, std::int32_t)
  MPX_MPI_TYPE(MPI_INTEGER4, std::int32_t)
  MPX_MPI_TYPE(MPI_REAL4, float)
  MPX_MPI_TYPE(MPI_LOGICAL8, std::int64_t)
  MPX_MPI_TYPE(MPI_INTEGER8, std::int64_t)
  MPX_MPI_TYPE(MPI_REAL8, double)
  MPX_MPI_TYPE(MPI_COMPLEX8, complex_float)
  MPX_MPI_TYPE(MPI_COMPLEX16, complex_double)
#undef MPX_MPI_TYPE
}

}  // namespace

void make_predefined_types() {
  const std::lock_guard guard(lib().lock);
  if (find_type(MPI_INT) != nullptr) return;
  define_c_types();
  define_pair<float, int>(MPI_FLOAT_INT, "MPI_FLOAT_INT", MPI_FLOAT, MPI_INT);
  define_pair<double, int>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", MPI_DOUBLE, MPI_INT);
  define_pair<long, int>(MPI_LONG_INT, "MPI_LONG_INT", MPI_LONG, MPI_INT);
  define_pair<int, int>(MPI_2INT, "MPI_2INT", MPI_INT, MPI_INT);
  define_pair<short, int>(MPI_SHORT_INT, "MPI_SHORT_INT", MPI_SHORT, MPI_INT);
  define_pair<long double, int>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE,
                                MPI_INT);
  define_pair<float, float>(MPI_2REAL, "MPI_2REAL", MPI_REAL, MPI_REAL);
  define_pair<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", MPI_DOUBLE_PRECISION,
                              MPI_DOUBLE_PRECISION);
  define_pair<int, int>(MPI_2INTEGER, "MPI_2INTEGER", MPI_INTEGER, MPI_INTEGER);
  define_absent(MPI_REAL2, "MPI_REAL2");
  define_absent(MPI_COMPLEX4, "MPI_COMPLEX4");
  define_absent(MPI_LOGICAL16, "MPI_LOGICAL16");
  define_absent(MPI_INTEGER16, "MPI_INTEGER16");
  define_absent(MPI_REAL16, "MPI_REAL16");
  define_absent(MPI_COMPLEX32, "MPI_COMPLEX32");
  for (std::size_t i = 0; i < library::predefined_count; ++i) {
    const type_t& t = lib().predefined[i];
    const bool simple = t.part != nullptr && t.committed && t.part->dense;
    lib().dense_bytes[i] = simple ? static_cast<std::int32_t>(t.part->bytes) : -1;
  }
}

const mpx::datatype& byte_type() { return need_any_type(MPI_BYTE).part->type; }

MPI_Datatype add_type(std::shared_ptr<const type_part> part, bool committed) {
  type_t t;
  t.part = std::move(part);
  t.committed = committed;
  return put_in<MPI_Datatype>(lib().types, "datatypes", std::move(t));
}
MPI_Datatype handle_of_part(MPI_Datatype predefined, const std::shared_ptr<const type_part>& part) {
  return part == nullptr ? predefined : add_type(part, true);
}

void pack_data(const buffer& from, std::span<std::byte> into) {
  if (from.dense) {
    if (from.bytes != 0) std::memcpy(into.data(), from.data, from.bytes);
    return;
  }
  mpx::pack(mpx::buffer(static_cast<const void*>(from.base), from.count, *from.type), into);
}
void unpack_data(std::span<const std::byte> from, const buffer& into) {
  if (into.dense) {
    if (into.bytes != 0) std::memcpy(into.data, from.data(), into.bytes);
    return;
  }
  mpx::unpack(from, mpx::buffer(into.base, into.count, *into.type));
}
std::optional<std::int64_t> bytes_of_elements(const type_part& part, std::int64_t count) {
  const std::int64_t each = part.type.elements();
  if (count == 0) return 0;
  if (each == 0) return std::nullopt;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count / each, part.bytes, &bytes)) return std::nullopt;
  const std::int64_t rest = count % each;
  // Elements of one type at the start of another: as many bytes as get_elements counts so.
  for (std::int64_t more = 0; rest != 0 && more <= part.bytes; ++more) {
    const auto n = mpx::get_elements(mpx::status(0, 0, static_cast<std::size_t>(more)), part.type);
    if (n && *n == rest) return bytes + more;
  }
  return rest == 0 ? std::optional(bytes) : std::nullopt;
}

// --- Constructors --------------------------------------------------------------------------------

namespace {

/// A datatype that a constructor makes, with the constructor's arguments.
struct making {
  std::shared_ptr<type_part> part;

  using list = std::vector<std::int64_t>;
  bool large = false;

  /// `large`: by the form NAME_c, whose counts and addresses are large counts.
  making(int how, bool large_form, mpx::datatype type)
      : part(part_of(std::move(type))), large(large_form) {
    part->envelope.combiner = how;
  }
  making(int how, mpx::datatype type) : making(how, false, std::move(type)) {}
  /// Integers in both forms.
  making& plain(const list& values) { return add(part->envelope.integers, values); }
  making& ints(const list& values) {
    return add(large ? part->envelope.counts : part->envelope.integers, values);
  }
  making& addresses(const list& values) {
    return add(large ? part->envelope.counts : part->envelope.addresses, values);
  }
  making& of(MPI_Datatype handle, const type_t& t) {
    part->envelope.types.push_back(t.predefined ? handle : MPI_DATATYPE_NULL);
    part->parts.push_back(t.predefined ? nullptr : t.part);
    if (part->envelope.types.size() == 1) part->element = t.part->element;
    if (part->envelope.types.size() > 1 && part->element != t.part->element)
      part->element = nullptr;
    return *this;
  }
  MPI_Datatype done() { return add_type(std::move(part)); }

 private:
  making& add(list& to, const list& values) {
    to.insert(to.end(), values.begin(), values.end());
    return *this;
  }
};
MPI_Datatype handle_for(const type_t& t) {
  // Only predefined handles are asked for: `of` keeps the part of all others.
  for (std::size_t i = 0; i < predefined_count; ++i)
    if (&lib().predefined[i] == &t) return handle_of<MPI_Datatype>(first_type + i);
  return MPI_DATATYPE_NULL;
}
std::vector<std::int64_t> list_of(const numbers& of, std::int64_t n, const char* name) {
  if (n > 0 && !of) fail(MPI_ERR_ARG, "argument %s is a null pointer", name);
  return of ? of.copy(static_cast<std::size_t>(n)) : std::vector<std::int64_t>();
}
void need_lengths(const std::vector<std::int64_t>& all) {
  for (const std::int64_t n : all)
    if (n < 0) bad_number(MPI_ERR_ARG, "block length", n);
}

}  // namespace

void Type_contiguous(MPI_Count count, type_t& oldtype, MPI_Datatype* newtype, bool large) {
  *newtype =
      making(MPI_COMBINER_CONTIGUOUS, large, mpx::datatype::contiguous(count, oldtype.part->type))
          .ints({count})
          .of(handle_for(oldtype), oldtype)
          .done();
}
void Type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, type_t& oldtype,
                 MPI_Datatype* newtype, bool large) {
  *newtype = making(MPI_COMBINER_VECTOR, large,
                    mpx::datatype::vector(count, blocklength, stride, oldtype.part->type))
                 .ints({count, blocklength, stride})
                 .of(handle_for(oldtype), oldtype)
                 .done();
}
void Type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, type_t& oldtype,
                         MPI_Datatype* newtype, bool large) {
  *newtype = making(MPI_COMBINER_HVECTOR, large,
                    mpx::datatype::hvector(count, blocklength, stride, oldtype.part->type))
                 .ints({count, blocklength})
                 .addresses({stride})
                 .of(handle_for(oldtype), oldtype)
                 .done();
}
void Type_indexed(MPI_Count count, numbers array_of_blocklengths, numbers array_of_displacements,
                  type_t& oldtype, MPI_Datatype* newtype, bool large) {
  const auto lengths = list_of(array_of_blocklengths, count, "array_of_blocklengths");
  const auto at = list_of(array_of_displacements, count, "array_of_displacements");
  need_lengths(lengths);
  *newtype =
      making(MPI_COMBINER_INDEXED, large, mpx::datatype::indexed(lengths, at, oldtype.part->type))
          .ints({count})
          .ints(lengths)
          .ints(at)
          .of(handle_for(oldtype), oldtype)
          .done();
}
void Type_create_hindexed(MPI_Count count, numbers array_of_blocklengths,
                          numbers array_of_displacements, type_t& oldtype, MPI_Datatype* newtype,
                          bool large) {
  const auto lengths = list_of(array_of_blocklengths, count, "array_of_blocklengths");
  const auto at = list_of(array_of_displacements, count, "array_of_displacements");
  need_lengths(lengths);
  *newtype =
      making(MPI_COMBINER_HINDEXED, large, mpx::datatype::hindexed(lengths, at, oldtype.part->type))
          .ints({count})
          .ints(lengths)
          .addresses(at)
          .of(handle_for(oldtype), oldtype)
          .done();
}
void Type_create_indexed_block(MPI_Count count, MPI_Count blocklength,
                               numbers array_of_displacements, type_t& oldtype,
                               MPI_Datatype* newtype, bool large) {
  const auto at = list_of(array_of_displacements, count, "array_of_displacements");
  *newtype = making(MPI_COMBINER_INDEXED_BLOCK, large,
                    mpx::datatype::indexed_block(blocklength, at, oldtype.part->type))
                 .ints({count, blocklength})
                 .ints(at)
                 .of(handle_for(oldtype), oldtype)
                 .done();
}
void Type_create_hindexed_block(MPI_Count count, MPI_Count blocklength,
                                numbers array_of_displacements, type_t& oldtype,
                                MPI_Datatype* newtype, bool large) {
  const auto at = list_of(array_of_displacements, count, "array_of_displacements");
  *newtype = making(MPI_COMBINER_HINDEXED_BLOCK, large,
                    mpx::datatype::hindexed_block(blocklength, at, oldtype.part->type))
                 .ints({count, blocklength})
                 .addresses(at)
                 .of(handle_for(oldtype), oldtype)
                 .done();
}
void Type_create_struct(MPI_Count count, numbers array_of_blocklengths,
                        numbers array_of_displacements, const MPI_Datatype array_of_types[],
                        MPI_Datatype* newtype, bool large) {
  const auto lengths = list_of(array_of_blocklengths, count, "array_of_blocklengths");
  const auto at = list_of(array_of_displacements, count, "array_of_displacements");
  if (count > 0) need_place(array_of_types, "array_of_types");
  need_lengths(lengths);
  std::vector<mpx::datatype> types;
  for (std::int64_t i = 0; i < count; ++i)
    types.push_back(need_any_type(array_of_types[i]).part->type);
  making m(MPI_COMBINER_STRUCT, large, mpx::datatype::structure(lengths, at, types));
  m.ints({count}).ints(lengths).addresses(at);
  for (std::int64_t i = 0; i < count; ++i)
    m.of(array_of_types[i], need_any_type(array_of_types[i]));
  *newtype = m.done();
}
namespace {
mpx::array_order order_of(int order) {
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) bad_number(MPI_ERR_ARG, "order", order);
  return order == MPI_ORDER_C ? mpx::array_order::c : mpx::array_order::fortran;
}
}  // namespace
void Type_create_subarray(int ndims, numbers array_of_sizes, numbers array_of_subsizes,
                          numbers array_of_starts, int order, type_t& oldtype,
                          MPI_Datatype* newtype, bool large) {
  const auto sizes = list_of(array_of_sizes, ndims, "array_of_sizes");
  const auto parts = list_of(array_of_subsizes, ndims, "array_of_subsizes");
  const auto starts = list_of(array_of_starts, ndims, "array_of_starts");
  if (ndims < 1) bad_number(MPI_ERR_ARG, "number of dimensions", ndims);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || parts[i] < 1 || starts[i] < 0 || parts[i] > sizes[i] ||
        starts[i] > sizes[i] - parts[i])
      fail(MPI_ERR_ARG, "dimension %zu: a part of %lld from %lld on does not lie in %lld", i,
           static_cast<long long>(parts[i]), static_cast<long long>(starts[i]),
           static_cast<long long>(sizes[i]));
  *newtype =
      making(MPI_COMBINER_SUBARRAY, large,
             mpx::datatype::subarray(sizes, parts, starts, order_of(order), oldtype.part->type))
          .plain({ndims})
          .ints(sizes)
          .ints(parts)
          .ints(starts)
          .plain({order})
          .of(handle_for(oldtype), oldtype)
          .done();
}
void Type_create_darray(int size, int rank, int ndims, numbers array_of_gsizes,
                        const int array_of_distribs[], const int array_of_dargs[],
                        const int array_of_psizes[], int order, type_t& oldtype,
                        MPI_Datatype* newtype, bool large) {
  const auto sizes = list_of(array_of_gsizes, ndims, "array_of_gsizes");
  const auto given = list_of(numbers(array_of_distribs), ndims, "array_of_distribs");
  const auto arguments = list_of(numbers(array_of_dargs), ndims, "array_of_dargs");
  const auto grid = list_of(numbers(array_of_psizes), ndims, "array_of_psizes");
  std::vector<mpx::distribution> how;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    switch (static_cast<int>(given[i])) {
      case MPI_DISTRIBUTE_NONE: how.push_back(mpx::distribution::none); break;
      case MPI_DISTRIBUTE_BLOCK: how.push_back(mpx::distribution::block); break;
      case MPI_DISTRIBUTE_CYCLIC: how.push_back(mpx::distribution::cyclic); break;
      default: bad_number(MPI_ERR_ARG, "distribution", given[i]);
    }
    lengths.push_back(arguments[i] == MPI_DISTRIBUTE_DFLT_DARG ? mpx::distribution_default
                                                               : arguments[i]);
  }
  *newtype = making(MPI_COMBINER_DARRAY, large,
                    mpx::datatype::darray(size, rank, sizes, how, lengths, grid, order_of(order),
                                          oldtype.part->type))
                 .plain({size, rank, ndims})
                 .ints(sizes)
                 .plain(given)
                 .plain(arguments)
                 .plain(grid)
                 .plain({order})
                 .of(handle_for(oldtype), oldtype)
                 .done();
}
void Type_create_resized(type_t& oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype,
                         bool large) {
  *newtype =
      making(MPI_COMBINER_RESIZED, large, mpx::datatype::resized(oldtype.part->type, lb, extent))
          .addresses({lb, extent})
          .of(handle_for(oldtype), oldtype)
          .done();
}
void Type_dup(MPI_Datatype datatype, MPI_Datatype* newtype) {
  const type_t& oldtype = need_any_type(datatype);
  making m(MPI_COMBINER_DUP, oldtype.part->type);
  m.part->pair = oldtype.part->pair;
  m.of(handle_for(oldtype), oldtype);
  m.part->element = oldtype.part->element;
  *newtype = m.done();
  type_t& made = need_any_type(*newtype);
  made.committed = oldtype.committed;
  try {
    copy_attributes(oldtype.attributes, made.attributes, datatype);
  } catch (...) {
    lib().types.erase(value_of(*newtype));
    *newtype = MPI_DATATYPE_NULL;
    throw;
  }
}
void Type_commit(MPI_Datatype* datatype) {
  type_t& t = need_any_type(*datatype);
  if (t.absent) bad_type(t);
  t.committed = true;
}
void Type_free(MPI_Datatype* datatype) {
  type_t& t = need_any_type(*datatype);
  if (t.predefined || t.unnamed)
    fail(MPI_ERR_TYPE, "the predefined datatype %s is not freed", t.name.get().c_str());
  drop_attributes(t.attributes, *datatype);
  const std::lock_guard guard(lib().lock);
  if (t.freed) bad_handle(MPI_ERR_TYPE, "datatype", *datatype, MPI_DATATYPE_NULL);
  t.freed = true;
  if (t.operations == 0) lib().types.erase(value_of(*datatype));
  *datatype = MPI_DATATYPE_NULL;
}

// --- Queries -------------------------------------------------------------------------------------

namespace {
std::int64_t size_of(const type_t& t) {
  return t.absent ? std::int64_t{MPI_UNDEFINED} : t.part->bytes;
}
}  // namespace
void Type_size(type_t& datatype, number_place size) { size.set(size_of(datatype)); }
void Type_size_x(type_t& datatype, MPI_Count* size) { *size = size_of(datatype); }
void Type_get_extent(type_t& datatype, number_place lb, number_place extent) {
  lb.set(datatype.part->type.lower_bound());
  extent.set(datatype.part->extent);
}
void Type_get_extent_x(type_t& datatype, MPI_Count* lb, MPI_Count* extent) {
  *lb = datatype.part->type.lower_bound();
  *extent = datatype.part->extent;
}
void Type_get_true_extent(type_t& datatype, number_place true_lb, number_place true_extent) {
  true_lb.set(datatype.part->type.true_lower_bound());
  true_extent.set(datatype.part->type.true_extent());
}
void Type_get_true_extent_x(type_t& datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  *true_lb = datatype.part->type.true_lower_bound();
  *true_extent = datatype.part->type.true_extent();
}
namespace {
template <class Place>
void copy_list(const std::vector<std::int64_t>& from, std::int64_t room, Place into[],
               const char* what) {
  if (room < 0 || static_cast<std::uint64_t>(room) < from.size())
    fail(MPI_ERR_ARG, "there is room for %lld %s of %zu", static_cast<long long>(room), what,
         from.size());
  if (!from.empty()) need_place(into, what);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = static_cast<Place>(from[i]);
}
const type_envelope& need_envelope(const type_t& datatype) {
  if (datatype.predefined) fail(MPI_ERR_TYPE, "a predefined datatype has no constructor");
  return datatype.part->envelope;
}
/// Stores the datatypes of the arguments: predefined ones, or new handles.
void copy_types(const type_t& datatype, std::int64_t room, MPI_Datatype into[]) {
  const type_envelope& e = datatype.part->envelope;
  if (room < 0 || static_cast<std::uint64_t>(room) < e.types.size())
    fail(MPI_ERR_ARG, "there is room for %lld datatypes of %zu", static_cast<long long>(room),
         e.types.size());
  if (!e.types.empty()) need_place(into, "array_of_datatypes");
  for (std::size_t i = 0; i < e.types.size(); ++i)
    into[i] = handle_of_part(e.types[i], datatype.part->parts[i]);
}
void need_small(const type_t& datatype, const char* use) {
  if (!datatype.part->envelope.counts.empty())
    fail(MPI_ERR_TYPE, "the datatype was made with large counts: call %s", use);
}
}  // namespace
void Type_get_envelope(type_t& datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                       int* combiner) {
  const type_envelope& e = datatype.part->envelope;
  need_small(datatype, "MPI_Type_get_envelope_c");
  *num_integers = static_cast<int>(e.integers.size());
  *num_addresses = static_cast<int>(e.addresses.size());
  *num_datatypes = static_cast<int>(e.types.size());
  *combiner = datatype.predefined ? MPI_COMBINER_NAMED : e.combiner;
}
void Type_get_envelope_c(type_t& datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                         MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  const type_envelope& e = datatype.part->envelope;
  *num_integers = static_cast<MPI_Count>(e.integers.size());
  *num_addresses = static_cast<MPI_Count>(e.addresses.size());
  *num_large_counts = static_cast<MPI_Count>(e.counts.size());
  *num_datatypes = static_cast<MPI_Count>(e.types.size());
  *combiner = datatype.predefined ? MPI_COMBINER_NAMED : e.combiner;
}
void Type_get_contents(type_t& datatype, int max_integers, int max_addresses, int max_datatypes,
                       int array_of_integers[], MPI_Aint array_of_addresses[],
                       MPI_Datatype array_of_datatypes[]) {
  const type_envelope& e = need_envelope(datatype);
  need_small(datatype, "MPI_Type_get_contents_c");
  copy_list(e.integers, max_integers, array_of_integers, "integers");
  copy_list(e.addresses, max_addresses, array_of_addresses, "addresses");
  copy_types(datatype, max_datatypes, array_of_datatypes);
}
void Type_get_contents_c(type_t& datatype, MPI_Count max_integers, MPI_Count max_addresses,
                         MPI_Count max_large_counts, MPI_Count max_datatypes,
                         int array_of_integers[], MPI_Aint array_of_addresses[],
                         MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[]) {
  const type_envelope& e = need_envelope(datatype);
  copy_list(e.integers, max_integers, array_of_integers, "integers");
  copy_list(e.addresses, max_addresses, array_of_addresses, "addresses");
  copy_list(e.counts, max_large_counts, array_of_large_counts, "large counts");
  copy_types(datatype, max_datatypes, array_of_datatypes);
}
void Type_set_name(type_t& datatype, const char* type_name) {
  datatype.name.set(std::string(type_name).substr(0, MPI_MAX_OBJECT_NAME - 1));
}
void Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  const std::string name =
      datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : need_any_type(datatype).name.get();
  *resultlen = std::snprintf(type_name, MPI_MAX_OBJECT_NAME, "%s", name.c_str());
}
void Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  struct row {
    int of, size;
    MPI_Datatype type;
  };
  const row rows[] = {{MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
                      {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
                      {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
                      {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
                      {MPI_TYPECLASS_REAL, 4, MPI_REAL4},
                      {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
                      {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
                      {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
                      {MPI_TYPECLASS_REAL, sizeof(long double), MPI_LONG_DOUBLE},
                      {MPI_TYPECLASS_COMPLEX, 2 * sizeof(long double), MPI_C_LONG_DOUBLE_COMPLEX}};
  for (const row& r : rows)
    if (r.of == typeclass && r.size == size) {
      *datatype = r.type;
      return;
    }
  fail(MPI_ERR_ARG, "there is no datatype of class %d with %d bytes", typeclass, size);
}
void Type_get_value_index(type_t& value_type, type_t& index_type, MPI_Datatype* pair_type) {
  *pair_type = MPI_DATATYPE_NULL;
  for (std::size_t i = 0; i < predefined_count; ++i) {
    const type_t& t = lib().predefined[i];
    if (t.part == nullptr || t.part->pair.value == nullptr) continue;
    if (t.part->pair.value == handle_for(value_type) &&
        t.part->pair.index == handle_for(index_type)) {
      *pair_type = handle_of<MPI_Datatype>(first_type + i);
      return;
    }
  }
}
namespace {
/// A datatype of a decimal precision and range, the same one for the same arguments. It is never
/// freed, as if it were predefined.
MPI_Datatype f90_type(int combiner, std::vector<std::int64_t> arguments, MPI_Datatype of) {
  library& l = lib();
  const std::lock_guard guard(l.lock);
  auto key = arguments;
  key.push_back(combiner);
  const auto found = l.f90_types.find(key);
  if (found != l.f90_types.end()) return found->second;
  const type_t& base = need_any_type(of);
  making m(combiner, base.part->type);
  m.ints(arguments);
  m.part->element = of;
  const MPI_Datatype made = add_type(std::move(m.part), true);
  need_any_type(made).unnamed = true;
  l.f90_types[std::move(key)] = made;
  return made;
}
/// Returns 4 or 8, the bytes of a real number with so many decimal digits and so large an exponent.
int f90_real_bytes(int p, int r) {
  const bool fits4 = (p == MPI_UNDEFINED || p <= 6) && (r == MPI_UNDEFINED || r <= 37);
  const bool fits8 = (p == MPI_UNDEFINED || p <= 15) && (r == MPI_UNDEFINED || r <= 307);
  if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
    fail(MPI_ERR_ARG, "one of precision and range is to be given");
  if (!fits8) fail(MPI_ERR_ARG, "no real number here has precision %d and range %d", p, r);
  return fits4 ? 4 : 8;
}
}  // namespace
void Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  const int bytes = f90_real_bytes(p, r);
  *newtype = f90_type(MPI_COMBINER_F90_REAL, {p, r}, bytes == 4 ? MPI_REAL4 : MPI_REAL8);
}
void Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  const int bytes = f90_real_bytes(p, r);
  *newtype = f90_type(MPI_COMBINER_F90_COMPLEX, {p, r}, bytes == 4 ? MPI_COMPLEX8 : MPI_COMPLEX16);
}
void Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  if (r > 18) fail(MPI_ERR_ARG, "no integer here has range %d", r);
  const MPI_Datatype of = r <= 2   ? MPI_INTEGER1
                          : r <= 4 ? MPI_INTEGER2
                          : r <= 9 ? MPI_INTEGER4
                                   : MPI_INTEGER8;
  *newtype = f90_type(MPI_COMBINER_F90_INTEGER, {r}, of);
}
void Get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
}
MPI_Aint Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(disp));
}
MPI_Aint Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) -
                               static_cast<std::uintptr_t>(addr2));
}

// --- Packing -------------------------------------------------------------------------------------

namespace {
void need_native(const char* datarep) {
  need_place(datarep, "datarep");
  if (std::strcmp(datarep, "external32") != 0)
    fail(MPI_ERR_ARG, "the data representation '%s' is not known: external32 is", datarep);
}
/// Bytes of `room` from `position` on, for data of `bytes` bytes.
template <class Byte>
std::span<Byte> rest_of(Byte* base, std::int64_t room, std::int64_t position, std::size_t bytes) {
  if (bytes != 0) need_memory(base, 0, *need_type(MPI_BYTE).part);
  if (room < 0) bad_number(MPI_ERR_ARG, "size of the packed data", room);
  if (position < 0 || position > room) bad_number(MPI_ERR_ARG, "position", position);
  return {base + position, static_cast<std::size_t>(room - position)};
}
}  // namespace
void Pack(const void* inbuf, MPI_Count incount, const type_t& datatype, void* outbuf,
          MPI_Count outsize, number_place position, comm_t& /*comm*/) {
  const buffer data = data_of(inbuf, incount, datatype);
  const auto room = rest_of(static_cast<std::byte*>(outbuf), outsize, position.get(), data.bytes);
  if (data.bytes > room.size())
    fail(MPI_ERR_TRUNCATE, "%zu bytes of room for %zu", room.size(), data.bytes);
  pack_data(data, room);
  position.set(position.get() + static_cast<std::int64_t>(data.bytes));
}
void Unpack(const void* inbuf, MPI_Count insize, number_place position, void* outbuf,
            MPI_Count outcount, const type_t& datatype, comm_t& /*comm*/) {
  const buffer data = data_of(outbuf, outcount, datatype);
  const auto from =
      rest_of(static_cast<const std::byte*>(inbuf), insize, position.get(), data.bytes);
  if (data.bytes > from.size())
    fail(MPI_ERR_TRUNCATE, "%zu packed bytes for %zu", from.size(), data.bytes);
  unpack_data(from, data);
  position.set(position.get() + static_cast<std::int64_t>(data.bytes));
}
void Pack_size(MPI_Count incount, type_t& datatype, comm_t& /*comm*/, number_place size) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(incount, datatype.part->bytes, &bytes))
    fail(MPI_ERR_COUNT, "the data exceeds memory");
  size.set(bytes);
}
void Pack_external(const char datarep[], const void* inbuf, MPI_Count incount,
                   const type_t& datatype, void* outbuf, MPI_Count outsize, number_place position) {
  need_native(datarep);
  const buffer data = data_of(inbuf, incount, datatype);
  const auto room = rest_of(static_cast<std::byte*>(outbuf), outsize, position.get(), data.bytes);
  const auto n = mpx::pack_external(mpx::buffer(inbuf, data.count, *data.type), room);
  position.set(position.get() + static_cast<std::int64_t>(n));
}
void Unpack_external(const char datarep[], const void* inbuf, MPI_Count insize,
                     number_place position, void* outbuf, MPI_Count outcount,
                     const type_t& datatype) {
  need_native(datarep);
  const buffer data = data_of(outbuf, outcount, datatype);
  const auto from =
      rest_of(static_cast<const std::byte*>(inbuf), insize, position.get(), data.bytes);
  const auto n = mpx::unpack_external(from, mpx::buffer(outbuf, data.count, *data.type));
  position.set(position.get() + static_cast<std::int64_t>(n));
}
void Pack_external_size(const char datarep[], MPI_Count incount, type_t& datatype,
                        number_place size) {
  need_native(datarep);
  size.set(static_cast<std::int64_t>(mpx::pack_external_size(
      mpx::buffer(static_cast<const void*>(nullptr), incount, datatype.part->type))));
}

}  // namespace mpx_mpi
