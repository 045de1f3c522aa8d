// SPDX-License-Identifier: BSL-1.0
// Made by mpi/generate.py. Do not edit.
// clang-format off
#include "entry.hpp"
#include "functions.hpp"

using namespace mpx_mpi;

extern "C" {
int PMPI_Get_address(const void *location, MPI_Aint *address) {
  try {
    need_running();
    need_place(address, "address");
    mpx_mpi::Get_address(location, address);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_address");
  }
}
MPX_MPI_ALIAS(MPI_Get_address)
int PMPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize, int *position, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(incount, "incount");
    auto& datatype_ = need_type(datatype);
    need_count(outsize, "outsize");
    need_place(position, "position");
    mpx_mpi::Pack(inbuf, incount, datatype_, outbuf, outsize, number_place(position), comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack", comm);
  }
}
MPX_MPI_ALIAS(MPI_Pack)
int PMPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(incount, "incount");
    auto& datatype_ = need_type(datatype);
    need_count(outsize, "outsize");
    need_place(position, "position");
    mpx_mpi::Pack(inbuf, incount, datatype_, outbuf, outsize, number_place(position), comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Pack_c)
int PMPI_Pack_external(const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position) {
  try {
    need_running();
    need_place(datarep, "datarep");
    need_count(incount, "incount");
    auto& datatype_ = need_type(datatype);
    need_place(position, "position");
    mpx_mpi::Pack_external(datarep, inbuf, incount, datatype_, outbuf, outsize, number_place(position));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_external");
  }
}
MPX_MPI_ALIAS(MPI_Pack_external)
int PMPI_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position) {
  try {
    need_running();
    need_place(datarep, "datarep");
    need_count(incount, "incount");
    auto& datatype_ = need_type(datatype);
    need_place(position, "position");
    mpx_mpi::Pack_external(datarep, inbuf, incount, datatype_, outbuf, outsize, number_place(position));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_external_c");
  }
}
MPX_MPI_ALIAS(MPI_Pack_external_c)
int PMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size) {
  try {
    need_running();
    need_place(datarep, "datarep");
    need_count(incount, "incount");
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Pack_external_size(datarep, incount, datatype_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_external_size");
  }
}
MPX_MPI_ALIAS(MPI_Pack_external_size)
int PMPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size) {
  try {
    need_running();
    need_place(datarep, "datarep");
    need_count(incount, "incount");
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Pack_external_size(datarep, incount, datatype_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_external_size_c");
  }
}
MPX_MPI_ALIAS(MPI_Pack_external_size_c)
int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(incount, "incount");
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Pack_size(incount, datatype_, comm_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_size", comm);
  }
}
MPX_MPI_ALIAS(MPI_Pack_size)
int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(incount, "incount");
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Pack_size(incount, datatype_, comm_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pack_size_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Pack_size_c)
int PMPI_Type_commit(MPI_Datatype *datatype) {
  try {
    need_running();
    need_place(datatype, "datatype");
    mpx_mpi::Type_commit(datatype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_commit");
  }
}
MPX_MPI_ALIAS(MPI_Type_commit)
int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_contiguous(count, oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_contiguous");
  }
}
MPX_MPI_ALIAS(MPI_Type_contiguous)
int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_contiguous(count, oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_contiguous_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_contiguous_c)
int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(ndims, "ndims");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_darray(size, rank, ndims, numbers(array_of_gsizes), array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_darray");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_darray)
int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(ndims, "ndims");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_darray(size, rank, ndims, numbers(array_of_gsizes), array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_darray_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_darray_c)
int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype) {
  try {
    need_running();
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_f90_complex(p, r, newtype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_f90_complex");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_f90_complex)
int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype) {
  try {
    need_running();
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_f90_integer(r, newtype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_f90_integer");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_f90_integer)
int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype) {
  try {
    need_running();
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_f90_real(p, r, newtype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_f90_real");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_f90_real)
int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hindexed(count, numbers(array_of_blocklengths), numbers(array_of_displacements), oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hindexed");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hindexed)
int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hindexed(count, numbers(array_of_blocklengths), numbers(array_of_displacements), oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hindexed_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hindexed_c)
int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hindexed_block(count, blocklength, numbers(array_of_displacements), oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hindexed_block");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hindexed_block)
int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hindexed_block(count, blocklength, numbers(array_of_displacements), oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hindexed_block_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hindexed_block_c)
int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hvector(count, blocklength, stride, oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hvector");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hvector)
int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_hvector(count, blocklength, stride, oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_hvector_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_hvector_c)
int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_indexed_block(count, blocklength, numbers(array_of_displacements), oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_indexed_block");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_indexed_block)
int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_indexed_block(count, blocklength, numbers(array_of_displacements), oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_indexed_block_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_indexed_block_c)
int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype) {
  try {
    need_running();
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_resized(oldtype_, lb, extent, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_resized");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_resized)
int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype) {
  try {
    need_running();
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_resized(oldtype_, lb, extent, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_resized_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_resized_c)
int PMPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_struct(count, numbers(array_of_blocklengths), numbers(array_of_displacements), array_of_types, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_struct");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_struct)
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[], MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_struct(count, numbers(array_of_blocklengths), numbers(array_of_displacements), array_of_types, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_struct_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_struct_c)
int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(ndims, "ndims");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_subarray(ndims, numbers(array_of_sizes), numbers(array_of_subsizes), numbers(array_of_starts), order, oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_subarray");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_subarray)
int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(ndims, "ndims");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_create_subarray(ndims, numbers(array_of_sizes), numbers(array_of_subsizes), numbers(array_of_starts), order, oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_subarray_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_subarray_c)
int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_place(newtype, "newtype");
    mpx_mpi::Type_dup(oldtype, newtype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_dup");
  }
}
MPX_MPI_ALIAS(MPI_Type_dup)
int PMPI_Type_free(MPI_Datatype *datatype) {
  try {
    need_running();
    need_place(datatype, "datatype");
    mpx_mpi::Type_free(datatype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_free");
  }
}
MPX_MPI_ALIAS(MPI_Type_free)
int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    mpx_mpi::Type_get_contents(datatype_, max_integers, max_addresses, max_datatypes, array_of_integers, array_of_addresses, array_of_datatypes);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_contents");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_contents)
int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[]) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    mpx_mpi::Type_get_contents_c(datatype_, max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_contents_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_contents_c)
int PMPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(num_integers, "num_integers");
    need_place(num_addresses, "num_addresses");
    need_place(num_datatypes, "num_datatypes");
    need_place(combiner, "combiner");
    mpx_mpi::Type_get_envelope(datatype_, num_integers, num_addresses, num_datatypes, combiner);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_envelope");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_envelope)
int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers, MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(num_integers, "num_integers");
    need_place(num_addresses, "num_addresses");
    need_place(num_large_counts, "num_large_counts");
    need_place(num_datatypes, "num_datatypes");
    need_place(combiner, "combiner");
    mpx_mpi::Type_get_envelope_c(datatype_, num_integers, num_addresses, num_large_counts, num_datatypes, combiner);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_envelope_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_envelope_c)
int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(lb, "lb");
    need_place(extent, "extent");
    mpx_mpi::Type_get_extent(datatype_, number_place(lb), number_place(extent));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_extent");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_extent)
int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(lb, "lb");
    need_place(extent, "extent");
    mpx_mpi::Type_get_extent(datatype_, number_place(lb), number_place(extent));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_extent_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_extent_c)
int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(lb, "lb");
    need_place(extent, "extent");
    mpx_mpi::Type_get_extent_x(datatype_, lb, extent);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_extent_x");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_extent_x)
int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen) {
  try {
    need_running();
    need_place(type_name, "type_name");
    need_place(resultlen, "resultlen");
    mpx_mpi::Type_get_name(datatype, type_name, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_name");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_name)
int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(true_lb, "true_lb");
    need_place(true_extent, "true_extent");
    mpx_mpi::Type_get_true_extent(datatype_, number_place(true_lb), number_place(true_extent));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_true_extent");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_true_extent)
int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(true_lb, "true_lb");
    need_place(true_extent, "true_extent");
    mpx_mpi::Type_get_true_extent(datatype_, number_place(true_lb), number_place(true_extent));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_true_extent_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_true_extent_c)
int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(true_lb, "true_lb");
    need_place(true_extent, "true_extent");
    mpx_mpi::Type_get_true_extent_x(datatype_, true_lb, true_extent);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_true_extent_x");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_true_extent_x)
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type) {
  try {
    need_running();
    auto& value_type_ = need_any_type(value_type);
    auto& index_type_ = need_any_type(index_type);
    need_place(pair_type, "pair_type");
    mpx_mpi::Type_get_value_index(value_type_, index_type_, pair_type);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_value_index");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_value_index)
int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_indexed(count, numbers(array_of_blocklengths), numbers(array_of_displacements), oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_indexed");
  }
}
MPX_MPI_ALIAS(MPI_Type_indexed)
int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_indexed(count, numbers(array_of_blocklengths), numbers(array_of_displacements), oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_indexed_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_indexed_c)
int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype) {
  try {
    need_running();
    need_place(datatype, "datatype");
    mpx_mpi::Type_match_size(typeclass, size, datatype);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_match_size");
  }
}
MPX_MPI_ALIAS(MPI_Type_match_size)
int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(type_name, "type_name");
    mpx_mpi::Type_set_name(datatype_, type_name);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_set_name");
  }
}
MPX_MPI_ALIAS(MPI_Type_set_name)
int PMPI_Type_size(MPI_Datatype datatype, int *size) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Type_size(datatype_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_size");
  }
}
MPX_MPI_ALIAS(MPI_Type_size)
int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Type_size(datatype_, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_size_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_size_c)
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(size, "size");
    mpx_mpi::Type_size_x(datatype_, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_size_x");
  }
}
MPX_MPI_ALIAS(MPI_Type_size_x)
int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_vector(count, blocklength, stride, oldtype_, newtype, false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_vector");
  }
}
MPX_MPI_ALIAS(MPI_Type_vector)
int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  try {
    need_running();
    need_count(count, "count");
    need_count(blocklength, "blocklength");
    auto& oldtype_ = need_any_type(oldtype);
    need_place(newtype, "newtype");
    mpx_mpi::Type_vector(count, blocklength, stride, oldtype_, newtype, true);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_vector_c");
  }
}
MPX_MPI_ALIAS(MPI_Type_vector_c)
int PMPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(insize, "insize");
    need_place(position, "position");
    need_count(outcount, "outcount");
    auto& datatype_ = need_type(datatype);
    mpx_mpi::Unpack(inbuf, insize, number_place(position), outbuf, outcount, datatype_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Unpack", comm);
  }
}
MPX_MPI_ALIAS(MPI_Unpack)
int PMPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(insize, "insize");
    need_place(position, "position");
    need_count(outcount, "outcount");
    auto& datatype_ = need_type(datatype);
    mpx_mpi::Unpack(inbuf, insize, number_place(position), outbuf, outcount, datatype_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Unpack_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Unpack_c)
int PMPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype) {
  try {
    need_running();
    need_place(position, "position");
    need_count(outcount, "outcount");
    auto& datatype_ = need_type(datatype);
    mpx_mpi::Unpack_external(datarep, inbuf, insize, number_place(position), outbuf, outcount, datatype_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Unpack_external");
  }
}
MPX_MPI_ALIAS(MPI_Unpack_external)
int PMPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype) {
  try {
    need_running();
    need_place(position, "position");
    need_count(outcount, "outcount");
    auto& datatype_ = need_type(datatype);
    mpx_mpi::Unpack_external(datarep, inbuf, insize, number_place(position), outbuf, outcount, datatype_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Unpack_external_c");
  }
}
MPX_MPI_ALIAS(MPI_Unpack_external_c)
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return mpx_mpi::Aint_add(base, disp);
}
MPX_MPI_ALIAS(MPI_Aint_add)
MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return mpx_mpi::Aint_diff(addr1, addr2);
}
MPX_MPI_ALIAS(MPI_Aint_diff)
int PMPI_Op_commutative(MPI_Op op, int *commute) {
  try {
    need_running();
    auto& op_ = need_op(op);
    need_place(commute, "commute");
    mpx_mpi::Op_commutative(op_, commute);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Op_commutative");
  }
}
MPX_MPI_ALIAS(MPI_Op_commutative)
int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op) {
  try {
    need_running();
    need_place(op, "op");
    mpx_mpi::Op_create(user_fn, commute, op);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Op_create");
  }
}
MPX_MPI_ALIAS(MPI_Op_create)
int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op) {
  try {
    need_running();
    need_place(op, "op");
    mpx_mpi::Op_create_c(user_fn, commute, op);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Op_create_c");
  }
}
MPX_MPI_ALIAS(MPI_Op_create_c)
int PMPI_Op_free(MPI_Op *op) {
  try {
    need_running();
    need_place(op, "op");
    mpx_mpi::Op_free(op);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Op_free");
  }
}
MPX_MPI_ALIAS(MPI_Op_free)
int PMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  try {
    need_running();
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_local(inbuf, inoutbuf, count, datatype, op_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_local");
  }
}
MPX_MPI_ALIAS(MPI_Reduce_local)
int PMPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  try {
    need_running();
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_local(inbuf, inoutbuf, count, datatype, op_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_local_c");
  }
}
MPX_MPI_ALIAS(MPI_Reduce_local_c)
int PMPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgather)
int PMPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgather_c)
int PMPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgather_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgather_init)
int PMPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgather_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgather_init_c)
int PMPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgatherv)
int PMPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgatherv_c)
int PMPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgatherv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgatherv_init)
int PMPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allgatherv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allgatherv_init_c)
int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Allreduce(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allreduce", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allreduce)
int PMPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Allreduce(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allreduce_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allreduce_c)
int PMPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allreduce_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allreduce_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allreduce_init)
int PMPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Allreduce_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Allreduce_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Allreduce_init_c)
int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoall", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoall)
int PMPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoall_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoall_c)
int PMPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoall_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoall_init)
int PMPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoall_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoall_init_c)
int PMPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallv)
int PMPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallv_c)
int PMPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoallv_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallv_init)
int PMPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoallv_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallv_init_c)
int PMPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallw", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallw)
int PMPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallw_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallw_c)
int PMPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoallw_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallw_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallw_init)
int PMPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Alltoallw_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alltoallw_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Alltoallw_init_c)
int PMPI_Barrier(MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Barrier(comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Barrier", comm);
  }
}
MPX_MPI_ALIAS(MPI_Barrier)
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Barrier_init(comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Barrier_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Barrier_init)
int PMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_root(root, comm_);
    mpx_mpi::Bcast(buffer, count, datatype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bcast", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bcast)
int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_root(root, comm_);
    mpx_mpi::Bcast(buffer, count, datatype_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bcast_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bcast_c)
int PMPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Bcast_init(buffer, count, datatype_, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bcast_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bcast_init)
int PMPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Bcast_init(buffer, count, datatype_, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bcast_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bcast_init_c)
int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Exscan(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Exscan", comm);
  }
}
MPX_MPI_ALIAS(MPI_Exscan)
int PMPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Exscan(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Exscan_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Exscan_c)
int PMPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Exscan_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Exscan_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Exscan_init)
int PMPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Exscan_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Exscan_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Exscan_init_c)
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gather)
int PMPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gather_c)
int PMPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gather_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gather_init)
int PMPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gather_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gather_init_c)
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Gatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gatherv)
int PMPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Gatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gatherv_c)
int PMPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gatherv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gatherv_init)
int PMPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Gatherv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Gatherv_init_c)
int PMPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallgather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallgather)
int PMPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallgather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallgather_c)
int PMPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallgatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallgatherv)
int PMPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallgatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallgatherv_c)
int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iallreduce(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallreduce", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallreduce)
int PMPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iallreduce(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iallreduce_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iallreduce_c)
int PMPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoall", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoall)
int PMPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoall_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoall_c)
int PMPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoallv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoallv)
int PMPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoallv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoallv_c)
int PMPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoallw", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoallw)
int PMPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ialltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ialltoallw_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ialltoallw_c)
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ibarrier(comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ibarrier", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ibarrier)
int PMPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Ibcast(buffer, count, datatype_, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ibcast", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ibcast)
int PMPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Ibcast(buffer, count, datatype_, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ibcast_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ibcast_c)
int PMPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iexscan(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iexscan", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iexscan)
int PMPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iexscan(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iexscan_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iexscan_c)
int PMPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Igather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Igather)
int PMPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Igather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Igather_c)
int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Igatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Igatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Igatherv)
int PMPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Igatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Igatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Igatherv_c)
int PMPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_allgather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_allgather)
int PMPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_allgather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_allgather_c)
int PMPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_allgatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_allgatherv)
int PMPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_allgatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_allgatherv_c)
int PMPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoall", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoall)
int PMPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoall_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoall_c)
int PMPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoallv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoallv)
int PMPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoallv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoallv_c)
int PMPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoallw", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoallw)
int PMPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Ineighbor_alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ineighbor_alltoallw_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ineighbor_alltoallw_c)
int PMPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Ireduce(sendbuf, recvbuf, count, datatype, op_, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce)
int PMPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Ireduce(sendbuf, recvbuf, count, datatype, op_, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce_c)
int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Ireduce_scatter(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce_scatter", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce_scatter)
int PMPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Ireduce_scatter(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce_scatter_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce_scatter_c)
int PMPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce_scatter_block", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce_scatter_block)
int PMPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ireduce_scatter_block_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ireduce_scatter_block_c)
int PMPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iscan(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscan", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscan)
int PMPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_place(request, "request");
    mpx_mpi::Iscan(sendbuf, recvbuf, count, datatype, op_, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscan_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscan_c)
int PMPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscatter", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscatter)
int PMPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscatter_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscatter_c)
int PMPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Iscatterv(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscatterv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscatterv)
int PMPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Iscatterv(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iscatterv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iscatterv_c)
int PMPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgather", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgather)
int PMPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgather_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgather_c)
int PMPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgather_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgather_init)
int PMPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgather_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgather_init_c)
int PMPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgatherv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgatherv)
int PMPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgatherv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgatherv_c)
int PMPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgatherv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgatherv_init)
int PMPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, numbers(recvcounts), numbers(displs), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_allgatherv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_allgatherv_init_c)
int PMPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoall", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoall)
int PMPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoall_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoall_c)
int PMPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoall_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoall_init)
int PMPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoall_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoall_init_c)
int PMPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallv)
int PMPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoallv(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallv_c)
int PMPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoallv_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallv_init)
int PMPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoallv_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtype, recvbuf, numbers(recvcounts), numbers(rdispls), recvtype, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallv_init_c)
int PMPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallw", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallw)
int PMPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Neighbor_alltoallw(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallw_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallw_c)
int PMPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoallw_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallw_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallw_init)
int PMPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Neighbor_alltoallw_init(sendbuf, numbers(sendcounts), numbers(sdispls), sendtypes, recvbuf, numbers(recvcounts), numbers(rdispls), recvtypes, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Neighbor_alltoallw_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Neighbor_alltoallw_init_c)
int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_root(root, comm_);
    mpx_mpi::Reduce(sendbuf, recvbuf, count, datatype, op_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce)
int PMPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_root(root, comm_);
    mpx_mpi::Reduce(sendbuf, recvbuf, count, datatype, op_, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_c)
int PMPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Reduce_init(sendbuf, recvbuf, count, datatype, op_, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_init)
int PMPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Reduce_init(sendbuf, recvbuf, count, datatype, op_, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_init_c)
int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_scatter(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter)
int PMPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_scatter(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_c)
int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_block", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_block)
int PMPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    mpx_mpi::Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_block_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_block_c)
int PMPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_block_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_block_init)
int PMPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_block_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_block_init_c)
int PMPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Reduce_scatter_init(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_init)
int PMPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Reduce_scatter_init(sendbuf, recvbuf, numbers(recvcounts), datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Reduce_scatter_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Reduce_scatter_init_c)
int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Scan(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scan", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scan)
int PMPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    mpx_mpi::Scan(sendbuf, recvbuf, count, datatype, op_, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scan_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scan_c)
int PMPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Scan_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scan_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scan_init)
int PMPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& op_ = need_op(op);
    need_hints(info);
    need_place(request, "request");
    mpx_mpi::Scan_init(sendbuf, recvbuf, count, datatype, op_, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scan_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scan_init_c)
int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatter", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatter)
int PMPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatter_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatter_c)
int PMPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatter_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatter_init)
int PMPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatter_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatter_init_c)
int PMPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Scatterv(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatterv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatterv)
int PMPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_root(root, comm_);
    mpx_mpi::Scatterv(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatterv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatterv_c)
int PMPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Scatterv_init(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatterv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatterv_init)
int PMPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(request, "request");
    need_root(root, comm_);
    mpx_mpi::Scatterv_init(sendbuf, numbers(sendcounts), numbers(displs), sendtype, recvbuf, recvcount, recvtype, root, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Scatterv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Scatterv_init_c)
}
