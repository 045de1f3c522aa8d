// SPDX-License-Identifier: BSL-1.0
// Made by mpi/generate.py. Do not edit.
// clang-format off
#include "entry.hpp"
#include "functions.hpp"

using namespace mpx_mpi;

extern "C" {
int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result) {
  try {
    need_running();
    auto& group1_ = need_group(group1);
    auto& group2_ = need_group(group2);
    need_place(result, "result");
    mpx_mpi::Group_compare(group1_, group2_, result);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_compare");
  }
}
MPX_MPI_ALIAS(MPI_Group_compare)
int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  try {
    need_running();
    auto& group1_ = need_group(group1);
    auto& group2_ = need_group(group2);
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_difference(group1_, group2_, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_difference");
  }
}
MPX_MPI_ALIAS(MPI_Group_difference)
int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_count(n, "n");
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_excl(group_, n, ranks, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_excl");
  }
}
MPX_MPI_ALIAS(MPI_Group_excl)
int PMPI_Group_free(MPI_Group *group) {
  try {
    need_running();
    need_place(group, "group");
    mpx_mpi::Group_free(group);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_free");
  }
}
MPX_MPI_ALIAS(MPI_Group_free)
int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_count(n, "n");
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_incl(group_, n, ranks, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_incl");
  }
}
MPX_MPI_ALIAS(MPI_Group_incl)
int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  try {
    need_running();
    auto& group1_ = need_group(group1);
    auto& group2_ = need_group(group2);
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_intersection(group1_, group2_, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_intersection");
  }
}
MPX_MPI_ALIAS(MPI_Group_intersection)
int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_count(n, "n");
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_range_excl(group_, n, ranges, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_range_excl");
  }
}
MPX_MPI_ALIAS(MPI_Group_range_excl)
int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_count(n, "n");
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_range_incl(group_, n, ranges, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_range_incl");
  }
}
MPX_MPI_ALIAS(MPI_Group_range_incl)
int PMPI_Group_rank(MPI_Group group, int *rank) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_place(rank, "rank");
    mpx_mpi::Group_rank(group_, rank);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_rank");
  }
}
MPX_MPI_ALIAS(MPI_Group_rank)
int PMPI_Group_size(MPI_Group group, int *size) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_place(size, "size");
    mpx_mpi::Group_size(group_, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_size");
  }
}
MPX_MPI_ALIAS(MPI_Group_size)
int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  try {
    need_running();
    auto& group1_ = need_group(group1);
    need_count(n, "n");
    auto& group2_ = need_group(group2);
    mpx_mpi::Group_translate_ranks(group1_, n, ranks1, group2_, ranks2);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_translate_ranks");
  }
}
MPX_MPI_ALIAS(MPI_Group_translate_ranks)
int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  try {
    need_running();
    auto& group1_ = need_group(group1);
    auto& group2_ = need_group(group2);
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_union(group1_, group2_, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_union");
  }
}
MPX_MPI_ALIAS(MPI_Group_union)
int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result) {
  try {
    need_running();
    auto& comm1_ = need_comm(comm1);
    auto& comm2_ = need_comm(comm2);
    need_place(result, "result");
    mpx_mpi::Comm_compare(comm1_, comm2_, result);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_compare", comm1);
  }
}
MPX_MPI_ALIAS(MPI_Comm_compare)
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& group_ = need_group(group);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_create(comm_, group_, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_create", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_create)
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    auto& group_ = need_group(group);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_create_group(comm_, group_, tag, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_create_group", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_create_group)
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_dup(comm_, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_dup", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_dup)
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_dup_with_info(comm_, info, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_dup_with_info", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_dup_with_info)
int PMPI_Comm_free(MPI_Comm *comm) {
  try {
    need_running();
    need_place(comm, "comm");
    mpx_mpi::Comm_free(comm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_free", comm == nullptr ? MPI_COMM_NULL : *comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_free)
int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(info_used, "info_used");
    mpx_mpi::Comm_get_info(comm_, info_used);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_get_info", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_get_info)
int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen) {
  try {
    need_running();
    need_place(comm_name, "comm_name");
    need_place(resultlen, "resultlen");
    mpx_mpi::Comm_get_name(comm, comm_name, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_get_name");
  }
}
MPX_MPI_ALIAS(MPI_Comm_get_name)
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(group, "group");
    mpx_mpi::Comm_group(comm_, group);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_group", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_group)
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(newcomm, "newcomm");
    need_place(request, "request");
    mpx_mpi::Comm_idup(comm_, newcomm, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_idup", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_idup)
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(newcomm, "newcomm");
    need_place(request, "request");
    mpx_mpi::Comm_idup_with_info(comm_, info, newcomm, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_idup_with_info", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_idup_with_info)
int PMPI_Comm_rank(MPI_Comm comm, int *rank) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(rank, "rank");
    mpx_mpi::Comm_rank(comm_, rank);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_rank", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_rank)
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(group, "group");
    mpx_mpi::Comm_remote_group(comm_, group);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_remote_group", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_remote_group)
int PMPI_Comm_remote_size(MPI_Comm comm, int *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(size, "size");
    mpx_mpi::Comm_remote_size(comm_, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_remote_size", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_remote_size)
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    mpx_mpi::Comm_set_info(comm_, info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_set_info", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_set_info)
int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(comm_name, "comm_name");
    mpx_mpi::Comm_set_name(comm_, comm_name);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_set_name", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_set_name)
int PMPI_Comm_size(MPI_Comm comm, int *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(size, "size");
    mpx_mpi::Comm_size(comm_, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_size", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_size)
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_split(comm_, color, key, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_split", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_split)
int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_split_type(comm_, split_type, key, info, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_split_type", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_split_type)
int PMPI_Comm_test_inter(MPI_Comm comm, int *flag) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(flag, "flag");
    mpx_mpi::Comm_test_inter(comm_, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_test_inter", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_test_inter)
int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newintercomm) {
  try {
    need_running();
    auto& local_comm_ = need_comm(local_comm);
    need_place(newintercomm, "newintercomm");
    mpx_mpi::Intercomm_create(local_comm_, local_leader, peer_comm, remote_leader, tag, newintercomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Intercomm_create", local_comm);
  }
}
MPX_MPI_ALIAS(MPI_Intercomm_create)
int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm) {
  try {
    need_running();
    auto& intercomm_ = need_comm(intercomm);
    need_place(newintracomm, "newintracomm");
    mpx_mpi::Intercomm_merge(intercomm_, high, newintracomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Intercomm_merge", intercomm);
  }
}
MPX_MPI_ALIAS(MPI_Intercomm_merge)
int PMPI_Attr_delete(MPI_Comm comm, int keyval) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Attr_delete(comm_, keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Attr_delete", comm);
  }
}
MPX_MPI_ALIAS(MPI_Attr_delete)
int PMPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(attribute_val, "attribute_val");
    need_place(flag, "flag");
    mpx_mpi::Attr_get(comm_, keyval, attribute_val, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Attr_get", comm);
  }
}
MPX_MPI_ALIAS(MPI_Attr_get)
int PMPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Attr_put(comm_, keyval, attribute_val);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Attr_put", comm);
  }
}
MPX_MPI_ALIAS(MPI_Attr_put)
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn, MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state) {
  try {
    need_running();
    need_place(comm_keyval, "comm_keyval");
    mpx_mpi::Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_create_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Comm_create_keyval)
int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Comm_delete_attr(comm_, comm_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_delete_attr", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_delete_attr)
int PMPI_Comm_free_keyval(int *comm_keyval) {
  try {
    need_running();
    need_place(comm_keyval, "comm_keyval");
    mpx_mpi::Comm_free_keyval(comm_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_free_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Comm_free_keyval)
int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(attribute_val, "attribute_val");
    need_place(flag, "flag");
    mpx_mpi::Comm_get_attr(comm_, comm_keyval, attribute_val, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_get_attr", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_get_attr)
int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Comm_set_attr(comm_, comm_keyval, attribute_val);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_set_attr", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_set_attr)
int PMPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state) {
  try {
    need_running();
    need_place(keyval, "keyval");
    mpx_mpi::Keyval_create(copy_fn, delete_fn, keyval, extra_state);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Keyval_create");
  }
}
MPX_MPI_ALIAS(MPI_Keyval_create)
int PMPI_Keyval_free(int *keyval) {
  try {
    need_running();
    need_place(keyval, "keyval");
    mpx_mpi::Keyval_free(keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Keyval_free");
  }
}
MPX_MPI_ALIAS(MPI_Keyval_free)
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn, MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval, void *extra_state) {
  try {
    need_running();
    need_place(type_keyval, "type_keyval");
    mpx_mpi::Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_create_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Type_create_keyval)
int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  try {
    need_running();
    mpx_mpi::Type_delete_attr(datatype, type_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_delete_attr");
  }
}
MPX_MPI_ALIAS(MPI_Type_delete_attr)
int PMPI_Type_free_keyval(int *type_keyval) {
  try {
    need_running();
    need_place(type_keyval, "type_keyval");
    mpx_mpi::Type_free_keyval(type_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_free_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Type_free_keyval)
int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag) {
  try {
    need_running();
    auto& datatype_ = need_any_type(datatype);
    need_place(attribute_val, "attribute_val");
    need_place(flag, "flag");
    mpx_mpi::Type_get_attr(datatype_, type_keyval, attribute_val, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_get_attr");
  }
}
MPX_MPI_ALIAS(MPI_Type_get_attr)
int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val) {
  try {
    need_running();
    mpx_mpi::Type_set_attr(datatype, type_keyval, attribute_val);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Type_set_attr");
  }
}
MPX_MPI_ALIAS(MPI_Type_set_attr)
int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(maxdims, "maxdims");
    mpx_mpi::Cart_coords(comm_, rank, maxdims, coords);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_coords", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_coords)
int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart) {
  try {
    need_running();
    auto& comm_old_ = need_comm(comm_old);
    need_count(ndims, "ndims");
    need_place(comm_cart, "comm_cart");
    mpx_mpi::Cart_create(comm_old_, ndims, dims, periods, reorder, comm_cart);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_create", comm_old);
  }
}
MPX_MPI_ALIAS(MPI_Cart_create)
int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(maxdims, "maxdims");
    mpx_mpi::Cart_get(comm_, maxdims, dims, periods, coords);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_get", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_get)
int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(ndims, "ndims");
    need_place(newrank, "newrank");
    mpx_mpi::Cart_map(comm_, ndims, dims, periods, newrank);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_map", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_map)
int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(rank, "rank");
    mpx_mpi::Cart_rank(comm_, coords, rank);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_rank", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_rank)
int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(rank_source, "rank_source");
    need_place(rank_dest, "rank_dest");
    mpx_mpi::Cart_shift(comm_, direction, disp, rank_source, rank_dest);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_shift", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_shift)
int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(newcomm, "newcomm");
    mpx_mpi::Cart_sub(comm_, remain_dims, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cart_sub", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cart_sub)
int PMPI_Cartdim_get(MPI_Comm comm, int *ndims) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(ndims, "ndims");
    mpx_mpi::Cartdim_get(comm_, ndims);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cartdim_get", comm);
  }
}
MPX_MPI_ALIAS(MPI_Cartdim_get)
int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  try {
    need_running();
    need_count(nnodes, "nnodes");
    need_count(ndims, "ndims");
    mpx_mpi::Dims_create(nnodes, ndims, dims);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Dims_create");
  }
}
MPX_MPI_ALIAS(MPI_Dims_create)
int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) {
  try {
    need_running();
    auto& comm_old_ = need_comm(comm_old);
    need_count(n, "n");
    need_hints(info);
    need_place(comm_dist_graph, "comm_dist_graph");
    mpx_mpi::Dist_graph_create(comm_old_, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Dist_graph_create", comm_old);
  }
}
MPX_MPI_ALIAS(MPI_Dist_graph_create)
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph) {
  try {
    need_running();
    auto& comm_old_ = need_comm(comm_old);
    need_count(indegree, "indegree");
    need_count(outdegree, "outdegree");
    need_hints(info);
    need_place(comm_dist_graph, "comm_dist_graph");
    mpx_mpi::Dist_graph_create_adjacent(comm_old_, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Dist_graph_create_adjacent", comm_old);
  }
}
MPX_MPI_ALIAS(MPI_Dist_graph_create_adjacent)
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(maxindegree, "maxindegree");
    need_count(maxoutdegree, "maxoutdegree");
    mpx_mpi::Dist_graph_neighbors(comm_, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Dist_graph_neighbors", comm);
  }
}
MPX_MPI_ALIAS(MPI_Dist_graph_neighbors)
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(indegree, "indegree");
    need_place(outdegree, "outdegree");
    need_place(weighted, "weighted");
    mpx_mpi::Dist_graph_neighbors_count(comm_, indegree, outdegree, weighted);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Dist_graph_neighbors_count", comm);
  }
}
MPX_MPI_ALIAS(MPI_Dist_graph_neighbors_count)
int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *comm_graph) {
  try {
    need_running();
    auto& comm_old_ = need_comm(comm_old);
    need_count(nnodes, "nnodes");
    need_place(comm_graph, "comm_graph");
    mpx_mpi::Graph_create(comm_old_, nnodes, indx, edges, reorder, comm_graph);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graph_create", comm_old);
  }
}
MPX_MPI_ALIAS(MPI_Graph_create)
int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(maxindex, "maxindex");
    need_count(maxedges, "maxedges");
    mpx_mpi::Graph_get(comm_, maxindex, maxedges, indx, edges);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graph_get", comm);
  }
}
MPX_MPI_ALIAS(MPI_Graph_get)
int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(nnodes, "nnodes");
    need_place(newrank, "newrank");
    mpx_mpi::Graph_map(comm_, nnodes, indx, edges, newrank);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graph_map", comm);
  }
}
MPX_MPI_ALIAS(MPI_Graph_map)
int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(maxneighbors, "maxneighbors");
    mpx_mpi::Graph_neighbors(comm_, rank, maxneighbors, neighbors);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graph_neighbors", comm);
  }
}
MPX_MPI_ALIAS(MPI_Graph_neighbors)
int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(nneighbors, "nneighbors");
    mpx_mpi::Graph_neighbors_count(comm_, rank, nneighbors);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graph_neighbors_count", comm);
  }
}
MPX_MPI_ALIAS(MPI_Graph_neighbors_count)
int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(nnodes, "nnodes");
    need_place(nedges, "nedges");
    mpx_mpi::Graphdims_get(comm_, nnodes, nedges);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Graphdims_get", comm);
  }
}
MPX_MPI_ALIAS(MPI_Graphdims_get)
int PMPI_Topo_test(MPI_Comm comm, int *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(status, "status");
    mpx_mpi::Topo_test(comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Topo_test", comm);
  }
}
MPX_MPI_ALIAS(MPI_Topo_test)
MPI_Comm PMPI_Comm_fromint(int comm) {
  return mpx_mpi::Comm_fromint(comm);
}
MPX_MPI_ALIAS(MPI_Comm_fromint)
int PMPI_Comm_toint(MPI_Comm comm) {
  return mpx_mpi::Comm_toint(comm);
}
MPX_MPI_ALIAS(MPI_Comm_toint)
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return mpx_mpi::Errhandler_fromint(errhandler);
}
MPX_MPI_ALIAS(MPI_Errhandler_fromint)
int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return mpx_mpi::Errhandler_toint(errhandler);
}
MPX_MPI_ALIAS(MPI_Errhandler_toint)
MPI_Group PMPI_Group_fromint(int group) {
  return mpx_mpi::Group_fromint(group);
}
MPX_MPI_ALIAS(MPI_Group_fromint)
int PMPI_Group_toint(MPI_Group group) {
  return mpx_mpi::Group_toint(group);
}
MPX_MPI_ALIAS(MPI_Group_toint)
MPI_Info PMPI_Info_fromint(int info) {
  return mpx_mpi::Info_fromint(info);
}
MPX_MPI_ALIAS(MPI_Info_fromint)
int PMPI_Info_toint(MPI_Info info) {
  return mpx_mpi::Info_toint(info);
}
MPX_MPI_ALIAS(MPI_Info_toint)
MPI_Message PMPI_Message_fromint(int message) {
  return mpx_mpi::Message_fromint(message);
}
MPX_MPI_ALIAS(MPI_Message_fromint)
int PMPI_Message_toint(MPI_Message message) {
  return mpx_mpi::Message_toint(message);
}
MPX_MPI_ALIAS(MPI_Message_toint)
MPI_Op PMPI_Op_fromint(int op) {
  return mpx_mpi::Op_fromint(op);
}
MPX_MPI_ALIAS(MPI_Op_fromint)
int PMPI_Op_toint(MPI_Op op) {
  return mpx_mpi::Op_toint(op);
}
MPX_MPI_ALIAS(MPI_Op_toint)
MPI_Request PMPI_Request_fromint(int request) {
  return mpx_mpi::Request_fromint(request);
}
MPX_MPI_ALIAS(MPI_Request_fromint)
int PMPI_Request_toint(MPI_Request request) {
  return mpx_mpi::Request_toint(request);
}
MPX_MPI_ALIAS(MPI_Request_toint)
MPI_Session PMPI_Session_fromint(int session) {
  return mpx_mpi::Session_fromint(session);
}
MPX_MPI_ALIAS(MPI_Session_fromint)
int PMPI_Session_toint(MPI_Session session) {
  return mpx_mpi::Session_toint(session);
}
MPX_MPI_ALIAS(MPI_Session_toint)
MPI_Datatype PMPI_Type_fromint(int datatype) {
  return mpx_mpi::Type_fromint(datatype);
}
MPX_MPI_ALIAS(MPI_Type_fromint)
int PMPI_Type_toint(MPI_Datatype datatype) {
  return mpx_mpi::Type_toint(datatype);
}
MPX_MPI_ALIAS(MPI_Type_toint)
MPI_Win PMPI_Win_fromint(int win) {
  return mpx_mpi::Win_fromint(win);
}
MPX_MPI_ALIAS(MPI_Win_fromint)
int PMPI_Win_toint(MPI_Win win) {
  return mpx_mpi::Win_toint(win);
}
MPX_MPI_ALIAS(MPI_Win_toint)
int PMPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_target(target_rank, win_);
    mpx_mpi::Accumulate(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Accumulate", win);
  }
}
MPX_MPI_ALIAS(MPI_Accumulate)
int PMPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_target(target_rank, win_);
    mpx_mpi::Accumulate(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Accumulate_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Accumulate_c)
int PMPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    auto& datatype_ = need_type(datatype);
    need_target(target_rank, win_);
    mpx_mpi::Compare_and_swap(origin_addr, compare_addr, result_addr, datatype_, target_rank, target_disp, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Compare_and_swap", win);
  }
}
MPX_MPI_ALIAS(MPI_Compare_and_swap)
int PMPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    auto& datatype_ = need_type(datatype);
    auto& op_ = need_op(op);
    need_target(target_rank, win_);
    mpx_mpi::Fetch_and_op(origin_addr, result_addr, datatype_, target_rank, target_disp, op_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Fetch_and_op", win);
  }
}
MPX_MPI_ALIAS(MPI_Fetch_and_op)
int PMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_target(target_rank, win_);
    mpx_mpi::Get(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get", win);
  }
}
MPX_MPI_ALIAS(MPI_Get)
int PMPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_target(target_rank, win_);
    mpx_mpi::Get(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Get_c)
int PMPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(result_count, "result_count");
    auto& result_datatype_ = need_type(result_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_target(target_rank, win_);
    mpx_mpi::Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_accumulate", win);
  }
}
MPX_MPI_ALIAS(MPI_Get_accumulate)
int PMPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(result_count, "result_count");
    auto& result_datatype_ = need_type(result_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_target(target_rank, win_);
    mpx_mpi::Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_accumulate_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Get_accumulate_c)
int PMPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_target(target_rank, win_);
    mpx_mpi::Put(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Put", win);
  }
}
MPX_MPI_ALIAS(MPI_Put)
int PMPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_target(target_rank, win_);
    mpx_mpi::Put(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Put_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Put_c)
int PMPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Raccumulate(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Raccumulate", win);
  }
}
MPX_MPI_ALIAS(MPI_Raccumulate)
int PMPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Raccumulate(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Raccumulate_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Raccumulate_c)
int PMPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rget(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rget", win);
  }
}
MPX_MPI_ALIAS(MPI_Rget)
int PMPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rget(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rget_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Rget_c)
int PMPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(result_count, "result_count");
    auto& result_datatype_ = need_type(result_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rget_accumulate", win);
  }
}
MPX_MPI_ALIAS(MPI_Rget_accumulate)
int PMPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(result_count, "result_count");
    auto& result_datatype_ = need_type(result_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    auto& op_ = need_op(op);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype_, target_rank, target_disp, target_count, target_datatype_, op_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rget_accumulate_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Rget_accumulate_c)
int PMPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rput(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rput", win);
  }
}
MPX_MPI_ALIAS(MPI_Rput)
int PMPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_count(origin_count, "origin_count");
    auto& origin_datatype_ = need_type(origin_datatype);
    need_count(target_count, "target_count");
    auto& target_datatype_ = need_type(target_datatype);
    need_place(request, "request");
    need_target(target_rank, win_);
    mpx_mpi::Rput(origin_addr, origin_count, origin_datatype_, target_rank, target_disp, target_count, target_datatype_, win_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rput_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Rput_c)
int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(baseptr, "baseptr");
    need_place(win, "win");
    mpx_mpi::Win_allocate(size, disp_unit, info, comm_, baseptr, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_allocate", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_allocate)
int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(baseptr, "baseptr");
    need_place(win, "win");
    mpx_mpi::Win_allocate(size, disp_unit, info, comm_, baseptr, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_allocate_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_allocate_c)
int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(baseptr, "baseptr");
    need_place(win, "win");
    mpx_mpi::Win_allocate_shared(size, disp_unit, info, comm_, baseptr, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_allocate_shared", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_allocate_shared)
int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(baseptr, "baseptr");
    need_place(win, "win");
    mpx_mpi::Win_allocate_shared(size, disp_unit, info, comm_, baseptr, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_allocate_shared_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_allocate_shared_c)
int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_attach(win_, base, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_attach", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_attach)
int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_call_errhandler(win_, errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_call_errhandler", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_call_errhandler)
int PMPI_Win_complete(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_complete(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_complete", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_complete)
int PMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(win, "win");
    mpx_mpi::Win_create(base, size, disp_unit, info, comm_, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_create", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_create)
int PMPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(win, "win");
    mpx_mpi::Win_create(base, size, disp_unit, info, comm_, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_create_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_create_c)
int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_hints(info);
    need_place(win, "win");
    mpx_mpi::Win_create_dynamic(info, comm_, win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_create_dynamic", comm);
  }
}
MPX_MPI_ALIAS(MPI_Win_create_dynamic)
int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler) {
  try {
    need_place(errhandler, "errhandler");
    mpx_mpi::Win_create_errhandler(win_errhandler_fn, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_create_errhandler");
  }
}
MPX_MPI_ALIAS(MPI_Win_create_errhandler)
int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn, MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval, void *extra_state) {
  try {
    need_running();
    need_place(win_keyval, "win_keyval");
    mpx_mpi::Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_create_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Win_create_keyval)
int PMPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_delete_attr(win_, win_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_delete_attr", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_delete_attr)
int PMPI_Win_detach(MPI_Win win, const void *base) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_detach(win_, base);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_detach", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_detach)
int PMPI_Win_fence(int assert, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_fence(assert, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_fence", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_fence)
int PMPI_Win_flush(int rank, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_target(rank, win_);
    mpx_mpi::Win_flush(rank, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_flush", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_flush)
int PMPI_Win_flush_all(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_flush_all(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_flush_all", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_flush_all)
int PMPI_Win_flush_local(int rank, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_target(rank, win_);
    mpx_mpi::Win_flush_local(rank, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_flush_local", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_flush_local)
int PMPI_Win_flush_local_all(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_flush_local_all(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_flush_local_all", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_flush_local_all)
int PMPI_Win_free(MPI_Win *win) {
  try {
    need_running();
    need_place(win, "win");
    mpx_mpi::Win_free(win);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_free", win == nullptr ? MPI_WIN_NULL : *win);
  }
}
MPX_MPI_ALIAS(MPI_Win_free)
int PMPI_Win_free_keyval(int *win_keyval) {
  try {
    need_running();
    need_place(win_keyval, "win_keyval");
    mpx_mpi::Win_free_keyval(win_keyval);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_free_keyval");
  }
}
MPX_MPI_ALIAS(MPI_Win_free_keyval)
int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(attribute_val, "attribute_val");
    need_place(flag, "flag");
    mpx_mpi::Win_get_attr(win_, win_keyval, attribute_val, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_get_attr", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_get_attr)
int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(errhandler, "errhandler");
    mpx_mpi::Win_get_errhandler(win_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_get_errhandler", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_get_errhandler)
int PMPI_Win_get_group(MPI_Win win, MPI_Group *group) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(group, "group");
    mpx_mpi::Win_get_group(win_, group);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_get_group", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_get_group)
int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(info_used, "info_used");
    mpx_mpi::Win_get_info(win_, info_used);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_get_info", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_get_info)
int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen) {
  try {
    need_running();
    need_place(win_name, "win_name");
    need_place(resultlen, "resultlen");
    mpx_mpi::Win_get_name(win, win_name, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_get_name", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_get_name)
int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_target(rank, win_);
    mpx_mpi::Win_lock(lock_type, rank, assert, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_lock", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_lock)
int PMPI_Win_lock_all(int assert, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_lock_all(assert, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_lock_all", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_lock_all)
int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    auto& group_ = need_group(group);
    mpx_mpi::Win_post(group_, assert, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_post", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_post)
int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_set_attr(win_, win_keyval, attribute_val);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_set_attr", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_set_attr)
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_set_errhandler(win_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_set_errhandler", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_set_errhandler)
int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_hints(info);
    mpx_mpi::Win_set_info(win_, info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_set_info", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_set_info)
int PMPI_Win_set_name(MPI_Win win, const char *win_name) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(win_name, "win_name");
    mpx_mpi::Win_set_name(win_, win_name);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_set_name", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_set_name)
int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(size, "size");
    need_place(disp_unit, "disp_unit");
    need_place(baseptr, "baseptr");
    need_target(rank, win_);
    mpx_mpi::Win_shared_query(win_, rank, size, number_place(disp_unit), baseptr);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_shared_query", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_shared_query)
int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(size, "size");
    need_place(disp_unit, "disp_unit");
    need_place(baseptr, "baseptr");
    need_target(rank, win_);
    mpx_mpi::Win_shared_query(win_, rank, size, number_place(disp_unit), baseptr);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_shared_query_c", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_shared_query_c)
int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    auto& group_ = need_group(group);
    mpx_mpi::Win_start(group_, assert, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_start", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_start)
int PMPI_Win_sync(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_sync(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_sync", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_sync)
int PMPI_Win_test(MPI_Win win, int *flag) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_place(flag, "flag");
    mpx_mpi::Win_test(win_, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_test", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_test)
int PMPI_Win_unlock(int rank, MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    need_target(rank, win_);
    mpx_mpi::Win_unlock(rank, win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_unlock", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_unlock)
int PMPI_Win_unlock_all(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_unlock_all(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_unlock_all", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_unlock_all)
int PMPI_Win_wait(MPI_Win win) {
  try {
    need_running();
    auto& win_ = need_win(win);
    mpx_mpi::Win_wait(win_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Win_wait", win);
  }
}
MPX_MPI_ALIAS(MPI_Win_wait)
int PMPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm) {
  try {
    need_running();
    auto& group_ = need_group(group);
    need_place(stringtag, "stringtag");
    need_hints(info);
    need_place(newcomm, "newcomm");
    mpx_mpi::Comm_create_from_group(group_, stringtag, info, errhandler, newcomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_create_from_group", errhandler);
  }
}
MPX_MPI_ALIAS(MPI_Comm_create_from_group)
int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(pset_name, "pset_name");
    need_place(newgroup, "newgroup");
    mpx_mpi::Group_from_session_pset(session_, pset_name, newgroup);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Group_from_session_pset", session);
  }
}
MPX_MPI_ALIAS(MPI_Group_from_session_pset)
int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm) {
  try {
    need_running();
    auto& local_group_ = need_group(local_group);
    auto& remote_group_ = need_group(remote_group);
    need_place(stringtag, "stringtag");
    need_hints(info);
    need_place(newintercomm, "newintercomm");
    mpx_mpi::Intercomm_create_from_groups(local_group_, local_leader, remote_group_, remote_leader, stringtag, info, errhandler, newintercomm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Intercomm_create_from_groups", errhandler);
  }
}
MPX_MPI_ALIAS(MPI_Intercomm_create_from_groups)
int PMPI_Session_attach_buffer(MPI_Session session, void *buffer, int size) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_count(size, "size");
    mpx_mpi::Session_attach_buffer(session_, buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_attach_buffer", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_attach_buffer)
int PMPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_count(size, "size");
    mpx_mpi::Session_attach_buffer(session_, buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_attach_buffer_c", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_attach_buffer_c)
int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  try {
    need_running();
    auto& session_ = need_session(session);
    mpx_mpi::Session_call_errhandler(session_, errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_call_errhandler", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_call_errhandler)
int PMPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn, MPI_Errhandler *errhandler) {
  try {
    need_place(errhandler, "errhandler");
    mpx_mpi::Session_create_errhandler(session_errhandler_fn, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_create_errhandler");
  }
}
MPX_MPI_ALIAS(MPI_Session_create_errhandler)
int PMPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Session_detach_buffer(session_, buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_detach_buffer", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_detach_buffer)
int PMPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Session_detach_buffer(session_, buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_detach_buffer_c", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_detach_buffer_c)
int PMPI_Session_finalize(MPI_Session *session) {
  try {
    need_running();
    need_place(session, "session");
    mpx_mpi::Session_finalize(session);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_finalize", session == nullptr ? MPI_SESSION_NULL : *session);
  }
}
MPX_MPI_ALIAS(MPI_Session_finalize)
int PMPI_Session_flush_buffer(MPI_Session session) {
  try {
    need_running();
    auto& session_ = need_session(session);
    mpx_mpi::Session_flush_buffer(session_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_flush_buffer", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_flush_buffer)
int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(errhandler, "errhandler");
    mpx_mpi::Session_get_errhandler(session_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_get_errhandler", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_get_errhandler)
int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(info_used, "info_used");
    mpx_mpi::Session_get_info(session_, info_used);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_get_info", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_get_info)
int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_hints(info);
    need_place(pset_len, "pset_len");
    mpx_mpi::Session_get_nth_pset(session_, info, n, pset_len, pset_name);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_get_nth_pset", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_get_nth_pset)
int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_hints(info);
    need_place(npset_names, "npset_names");
    mpx_mpi::Session_get_num_psets(session_, info, npset_names);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_get_num_psets", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_get_num_psets)
int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(pset_name, "pset_name");
    need_place(info, "info");
    mpx_mpi::Session_get_pset_info(session_, pset_name, info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_get_pset_info", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_get_pset_info)
int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request) {
  try {
    need_running();
    auto& session_ = need_session(session);
    need_place(request, "request");
    mpx_mpi::Session_iflush_buffer(session_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_iflush_buffer", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_iflush_buffer)
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
  try {
    need_hints(info);
    need_place(session, "session");
    mpx_mpi::Session_init(info, errhandler, session);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_init", errhandler);
  }
}
MPX_MPI_ALIAS(MPI_Session_init)
int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  try {
    need_running();
    auto& session_ = need_session(session);
    mpx_mpi::Session_set_errhandler(session_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Session_set_errhandler", session);
  }
}
MPX_MPI_ALIAS(MPI_Session_set_errhandler)
int PMPI_Close_port(const char *port_name) {
  (void)port_name;
  return not_built("MPI_Close_port");
}
MPX_MPI_ALIAS(MPI_Close_port)
int PMPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
  (void)port_name;
  (void)info;
  (void)root;
  (void)comm;
  (void)newcomm;
  return not_built("MPI_Comm_accept", comm);
}
MPX_MPI_ALIAS(MPI_Comm_accept)
int PMPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
  (void)port_name;
  (void)info;
  (void)root;
  (void)comm;
  (void)newcomm;
  return not_built("MPI_Comm_connect", comm);
}
MPX_MPI_ALIAS(MPI_Comm_connect)
int PMPI_Comm_disconnect(MPI_Comm *comm) {
  try {
    need_running();
    need_place(comm, "comm");
    mpx_mpi::Comm_disconnect(comm);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_disconnect", comm == nullptr ? MPI_COMM_NULL : *comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_disconnect)
int PMPI_Comm_get_parent(MPI_Comm *parent) {
  try {
    need_running();
    need_place(parent, "parent");
    mpx_mpi::Comm_get_parent(parent);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_get_parent");
  }
}
MPX_MPI_ALIAS(MPI_Comm_get_parent)
int PMPI_Comm_join(int fd, MPI_Comm *intercomm) {
  (void)fd;
  (void)intercomm;
  return not_built("MPI_Comm_join");
}
MPX_MPI_ALIAS(MPI_Comm_join)
int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) {
  (void)command;
  (void)argv;
  (void)maxprocs;
  (void)info;
  (void)root;
  (void)comm;
  (void)intercomm;
  (void)array_of_errcodes;
  return not_built("MPI_Comm_spawn", comm);
}
MPX_MPI_ALIAS(MPI_Comm_spawn)
int PMPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]) {
  (void)count;
  (void)array_of_commands;
  (void)array_of_argv;
  (void)array_of_maxprocs;
  (void)array_of_info;
  (void)root;
  (void)comm;
  (void)intercomm;
  (void)array_of_errcodes;
  return not_built("MPI_Comm_spawn_multiple", comm);
}
MPX_MPI_ALIAS(MPI_Comm_spawn_multiple)
int PMPI_Lookup_name(const char *service_name, MPI_Info info, char *port_name) {
  (void)service_name;
  (void)info;
  (void)port_name;
  return not_built("MPI_Lookup_name");
}
MPX_MPI_ALIAS(MPI_Lookup_name)
int PMPI_Open_port(MPI_Info info, char *port_name) {
  (void)info;
  (void)port_name;
  return not_built("MPI_Open_port");
}
MPX_MPI_ALIAS(MPI_Open_port)
int PMPI_Publish_name(const char *service_name, MPI_Info info, const char *port_name) {
  (void)service_name;
  (void)info;
  (void)port_name;
  return not_built("MPI_Publish_name");
}
MPX_MPI_ALIAS(MPI_Publish_name)
int PMPI_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name) {
  (void)service_name;
  (void)info;
  (void)port_name;
  return not_built("MPI_Unpublish_name");
}
MPX_MPI_ALIAS(MPI_Unpublish_name)
int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  (void)fh;
  (void)errorcode;
  return not_built("MPI_File_call_errhandler", as_file);
}
MPX_MPI_ALIAS(MPI_File_call_errhandler)
int PMPI_File_close(MPI_File *fh) {
  (void)fh;
  return not_built("MPI_File_close", as_file);
}
MPX_MPI_ALIAS(MPI_File_close)
int PMPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler) {
  try {
    need_place(errhandler, "errhandler");
    mpx_mpi::File_create_errhandler(file_errhandler_fn, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_File_create_errhandler", as_file);
  }
}
MPX_MPI_ALIAS(MPI_File_create_errhandler)
int PMPI_File_delete(const char *filename, MPI_Info info) {
  (void)filename;
  (void)info;
  return not_built("MPI_File_delete", as_file);
}
MPX_MPI_ALIAS(MPI_File_delete)
int PMPI_File_get_amode(MPI_File fh, int *amode) {
  (void)fh;
  (void)amode;
  return not_built("MPI_File_get_amode", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_amode)
int PMPI_File_get_atomicity(MPI_File fh, int *flag) {
  (void)fh;
  (void)flag;
  return not_built("MPI_File_get_atomicity", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_atomicity)
int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp) {
  (void)fh;
  (void)offset;
  (void)disp;
  return not_built("MPI_File_get_byte_offset", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_byte_offset)
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler) {
  (void)file;
  (void)errhandler;
  return not_built("MPI_File_get_errhandler", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_errhandler)
int PMPI_File_get_group(MPI_File fh, MPI_Group *group) {
  (void)fh;
  (void)group;
  return not_built("MPI_File_get_group", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_group)
int PMPI_File_get_info(MPI_File fh, MPI_Info *info_used) {
  (void)fh;
  (void)info_used;
  return not_built("MPI_File_get_info", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_info)
int PMPI_File_get_position(MPI_File fh, MPI_Offset *offset) {
  (void)fh;
  (void)offset;
  return not_built("MPI_File_get_position", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_position)
int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset) {
  (void)fh;
  (void)offset;
  return not_built("MPI_File_get_position_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_position_shared)
int PMPI_File_get_size(MPI_File fh, MPI_Offset *size) {
  (void)fh;
  (void)size;
  return not_built("MPI_File_get_size", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_size)
int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent) {
  (void)fh;
  (void)datatype;
  (void)extent;
  return not_built("MPI_File_get_type_extent", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_type_extent)
int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent) {
  (void)fh;
  (void)datatype;
  (void)extent;
  return not_built("MPI_File_get_type_extent_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_type_extent_c)
int PMPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep) {
  (void)fh;
  (void)disp;
  (void)etype;
  (void)filetype;
  (void)datarep;
  return not_built("MPI_File_get_view", as_file);
}
MPX_MPI_ALIAS(MPI_File_get_view)
int PMPI_File_iread(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread)
int PMPI_File_iread_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_c)
int PMPI_File_iread_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_all)
int PMPI_File_iread_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_all_c)
int PMPI_File_iread_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_at", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_at)
int PMPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_at_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_at_c)
int PMPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_at_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_at_all)
int PMPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_at_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_at_all_c)
int PMPI_File_iread_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_shared)
int PMPI_File_iread_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iread_shared_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iread_shared_c)
int PMPI_File_iwrite(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite)
int PMPI_File_iwrite_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_c)
int PMPI_File_iwrite_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_all)
int PMPI_File_iwrite_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_all_c)
int PMPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_at", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_at)
int PMPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_at_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_at_c)
int PMPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_at_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_at_all)
int PMPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_at_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_at_all_c)
int PMPI_File_iwrite_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_shared)
int PMPI_File_iwrite_shared_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)request;
  return not_built("MPI_File_iwrite_shared_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_iwrite_shared_c)
int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh) {
  (void)comm;
  (void)filename;
  (void)amode;
  (void)info;
  (void)fh;
  return not_built("MPI_File_open", comm);
}
MPX_MPI_ALIAS(MPI_File_open)
int PMPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  (void)fh;
  (void)size;
  return not_built("MPI_File_preallocate", as_file);
}
MPX_MPI_ALIAS(MPI_File_preallocate)
int PMPI_File_read(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read", as_file);
}
MPX_MPI_ALIAS(MPI_File_read)
int PMPI_File_read_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_c)
int PMPI_File_read_all(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_all)
int PMPI_File_read_all_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_all_c)
int PMPI_File_read_all_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_all_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_all_begin)
int PMPI_File_read_all_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_all_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_all_begin_c)
int PMPI_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_read_all_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_all_end)
int PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_at", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at)
int PMPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_at_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_c)
int PMPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_at_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_all)
int PMPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_at_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_all_c)
int PMPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_at_all_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_all_begin)
int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_at_all_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_all_begin_c)
int PMPI_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_read_at_all_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_at_all_end)
int PMPI_File_read_ordered(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_ordered", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_ordered)
int PMPI_File_read_ordered_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_ordered_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_ordered_c)
int PMPI_File_read_ordered_begin(MPI_File fh, void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_ordered_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_ordered_begin)
int PMPI_File_read_ordered_begin_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_read_ordered_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_ordered_begin_c)
int PMPI_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_read_ordered_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_ordered_end)
int PMPI_File_read_shared(MPI_File fh, void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_shared)
int PMPI_File_read_shared_c(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_read_shared_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_read_shared_c)
int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  (void)fh;
  (void)offset;
  (void)whence;
  return not_built("MPI_File_seek", as_file);
}
MPX_MPI_ALIAS(MPI_File_seek)
int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  (void)fh;
  (void)offset;
  (void)whence;
  return not_built("MPI_File_seek_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_seek_shared)
int PMPI_File_set_atomicity(MPI_File fh, int flag) {
  (void)fh;
  (void)flag;
  return not_built("MPI_File_set_atomicity", as_file);
}
MPX_MPI_ALIAS(MPI_File_set_atomicity)
int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  (void)file;
  (void)errhandler;
  return not_built("MPI_File_set_errhandler", as_file);
}
MPX_MPI_ALIAS(MPI_File_set_errhandler)
int PMPI_File_set_info(MPI_File fh, MPI_Info info) {
  (void)fh;
  (void)info;
  return not_built("MPI_File_set_info", as_file);
}
MPX_MPI_ALIAS(MPI_File_set_info)
int PMPI_File_set_size(MPI_File fh, MPI_Offset size) {
  (void)fh;
  (void)size;
  return not_built("MPI_File_set_size", as_file);
}
MPX_MPI_ALIAS(MPI_File_set_size)
int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info) {
  (void)fh;
  (void)disp;
  (void)etype;
  (void)filetype;
  (void)datarep;
  (void)info;
  return not_built("MPI_File_set_view", as_file);
}
MPX_MPI_ALIAS(MPI_File_set_view)
int PMPI_File_sync(MPI_File fh) {
  (void)fh;
  return not_built("MPI_File_sync", as_file);
}
MPX_MPI_ALIAS(MPI_File_sync)
int PMPI_File_write(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write", as_file);
}
MPX_MPI_ALIAS(MPI_File_write)
int PMPI_File_write_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_c)
int PMPI_File_write_all(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_all)
int PMPI_File_write_all_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_all_c)
int PMPI_File_write_all_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_all_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_all_begin)
int PMPI_File_write_all_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_all_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_all_begin_c)
int PMPI_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_write_all_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_all_end)
int PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_at", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at)
int PMPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_at_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_c)
int PMPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_at_all", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_all)
int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_at_all_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_all_c)
int PMPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_at_all_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_all_begin)
int PMPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)offset;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_at_all_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_all_begin_c)
int PMPI_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_write_at_all_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_at_all_end)
int PMPI_File_write_ordered(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_ordered", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_ordered)
int PMPI_File_write_ordered_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_ordered_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_ordered_c)
int PMPI_File_write_ordered_begin(MPI_File fh, const void *buf, int count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_ordered_begin", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_ordered_begin)
int PMPI_File_write_ordered_begin_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  return not_built("MPI_File_write_ordered_begin_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_ordered_begin_c)
int PMPI_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)status;
  return not_built("MPI_File_write_ordered_end", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_ordered_end)
int PMPI_File_write_shared(MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_shared", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_shared)
int PMPI_File_write_shared_c(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status) {
  (void)fh;
  (void)buf;
  (void)count;
  (void)datatype;
  (void)status;
  return not_built("MPI_File_write_shared_c", as_file);
}
MPX_MPI_ALIAS(MPI_File_write_shared_c)
int PMPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn, MPI_Datarep_conversion_function *write_conversion_fn, MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state) {
  (void)datarep;
  (void)read_conversion_fn;
  (void)write_conversion_fn;
  (void)dtype_file_extent_fn;
  (void)extra_state;
  return not_built("MPI_Register_datarep", as_file);
}
MPX_MPI_ALIAS(MPI_Register_datarep)
int PMPI_Register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn, MPI_Datarep_conversion_function_c *write_conversion_fn, MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state) {
  (void)datarep;
  (void)read_conversion_fn;
  (void)write_conversion_fn;
  (void)dtype_file_extent_fn;
  (void)extra_state;
  return not_built("MPI_Register_datarep_c", as_file);
}
MPX_MPI_ALIAS(MPI_Register_datarep_c)
MPI_File PMPI_File_fromint(int file) {
  return mpx_mpi::File_fromint(file);
}
MPX_MPI_ALIAS(MPI_File_fromint)
int PMPI_File_toint(MPI_File file) {
  return mpx_mpi::File_toint(file);
}
MPX_MPI_ALIAS(MPI_File_toint)
}
