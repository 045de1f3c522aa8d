// SPDX-License-Identifier: BSL-1.0
// Made by mpi/generate.py. Do not edit.
// clang-format off
#include "entry.hpp"
#include "functions.hpp"

using namespace mpx_mpi;

extern "C" {
int PMPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set) {
  try {
    need_place(logical_true, "logical_true");
    need_place(logical_false, "logical_false");
    need_place(is_set, "is_set");
    mpx_mpi::Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_get_fortran_booleans");
  }
}
MPX_MPI_ALIAS(MPI_Abi_get_fortran_booleans)
int PMPI_Abi_get_fortran_info(MPI_Info *info) {
  try {
    need_place(info, "info");
    mpx_mpi::Abi_get_fortran_info(info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_get_fortran_info");
  }
}
MPX_MPI_ALIAS(MPI_Abi_get_fortran_info)
int PMPI_Abi_get_info(MPI_Info *info) {
  try {
    need_place(info, "info");
    mpx_mpi::Abi_get_info(info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_get_info");
  }
}
MPX_MPI_ALIAS(MPI_Abi_get_info)
int PMPI_Abi_get_version(int *abi_major, int *abi_minor) {
  try {
    need_place(abi_major, "abi_major");
    need_place(abi_minor, "abi_minor");
    mpx_mpi::Abi_get_version(abi_major, abi_minor);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_get_version");
  }
}
MPX_MPI_ALIAS(MPI_Abi_get_version)
int PMPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false) {
  try {
    need_place(logical_true, "logical_true");
    need_place(logical_false, "logical_false");
    mpx_mpi::Abi_set_fortran_booleans(logical_size, logical_true, logical_false);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_set_fortran_booleans");
  }
}
MPX_MPI_ALIAS(MPI_Abi_set_fortran_booleans)
int PMPI_Abi_set_fortran_info(MPI_Info info) {
  try {
    need_hints(info);
    mpx_mpi::Abi_set_fortran_info(info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abi_set_fortran_info");
  }
}
MPX_MPI_ALIAS(MPI_Abi_set_fortran_info)
int PMPI_Abort(MPI_Comm comm, int errorcode) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Abort(comm_, errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Abort", comm);
  }
}
MPX_MPI_ALIAS(MPI_Abort)
int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr) {
  try {
    need_running();
    need_hints(info);
    need_place(baseptr, "baseptr");
    mpx_mpi::Alloc_mem(size, info, baseptr);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Alloc_mem");
  }
}
MPX_MPI_ALIAS(MPI_Alloc_mem)
int PMPI_Finalize(void) {
  try {
    need_running();
    mpx_mpi::Finalize();
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Finalize");
  }
}
MPX_MPI_ALIAS(MPI_Finalize)
int PMPI_Finalized(int *flag) {
  try {
    need_place(flag, "flag");
    mpx_mpi::Finalized(flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Finalized");
  }
}
MPX_MPI_ALIAS(MPI_Finalized)
int PMPI_Free_mem(void *base) {
  try {
    need_running();
    mpx_mpi::Free_mem(base);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Free_mem");
  }
}
MPX_MPI_ALIAS(MPI_Free_mem)
int PMPI_Get_hw_resource_info(MPI_Info *hw_info) {
  try {
    need_running();
    need_place(hw_info, "hw_info");
    mpx_mpi::Get_hw_resource_info(hw_info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_hw_resource_info");
  }
}
MPX_MPI_ALIAS(MPI_Get_hw_resource_info)
int PMPI_Get_library_version(char *version, int *resultlen) {
  try {
    need_place(version, "version");
    need_place(resultlen, "resultlen");
    mpx_mpi::Get_library_version(version, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_library_version");
  }
}
MPX_MPI_ALIAS(MPI_Get_library_version)
int PMPI_Get_processor_name(char *name, int *resultlen) {
  try {
    need_running();
    need_place(name, "name");
    need_place(resultlen, "resultlen");
    mpx_mpi::Get_processor_name(name, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_processor_name");
  }
}
MPX_MPI_ALIAS(MPI_Get_processor_name)
int PMPI_Get_version(int *version, int *subversion) {
  try {
    need_place(version, "version");
    need_place(subversion, "subversion");
    mpx_mpi::Get_version(version, subversion);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_version");
  }
}
MPX_MPI_ALIAS(MPI_Get_version)
int PMPI_Init(int *argc, char ***argv) {
  try {
    mpx_mpi::Init(argc, argv);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Init");
  }
}
MPX_MPI_ALIAS(MPI_Init)
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  try {
    need_place(provided, "provided");
    mpx_mpi::Init_thread(argc, argv, required, provided);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Init_thread");
  }
}
MPX_MPI_ALIAS(MPI_Init_thread)
int PMPI_Initialized(int *flag) {
  try {
    need_place(flag, "flag");
    mpx_mpi::Initialized(flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Initialized");
  }
}
MPX_MPI_ALIAS(MPI_Initialized)
int PMPI_Is_thread_main(int *flag) {
  try {
    need_running();
    need_place(flag, "flag");
    mpx_mpi::Is_thread_main(flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Is_thread_main");
  }
}
MPX_MPI_ALIAS(MPI_Is_thread_main)
int PMPI_Pcontrol(const int level, ...) {
  try {
    need_running();
    mpx_mpi::Pcontrol(level);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pcontrol");
  }
}
MPX_MPI_ALIAS(MPI_Pcontrol)
int PMPI_Query_thread(int *provided) {
  try {
    need_running();
    need_place(provided, "provided");
    mpx_mpi::Query_thread(provided);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Query_thread");
  }
}
MPX_MPI_ALIAS(MPI_Query_thread)
double PMPI_Wtick(void) {
  return mpx_mpi::Wtick();
}
MPX_MPI_ALIAS(MPI_Wtick)
double PMPI_Wtime(void) {
  return mpx_mpi::Wtime();
}
MPX_MPI_ALIAS(MPI_Wtime)
int PMPI_Add_error_class(int *errorclass) {
  try {
    need_place(errorclass, "errorclass");
    mpx_mpi::Add_error_class(errorclass);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Add_error_class");
  }
}
MPX_MPI_ALIAS(MPI_Add_error_class)
int PMPI_Add_error_code(int errorclass, int *errorcode) {
  try {
    need_place(errorcode, "errorcode");
    mpx_mpi::Add_error_code(errorclass, errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Add_error_code");
  }
}
MPX_MPI_ALIAS(MPI_Add_error_code)
int PMPI_Add_error_string(int errorcode, const char *string) {
  try {
    need_place(string, "string");
    mpx_mpi::Add_error_string(errorcode, string);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Add_error_string");
  }
}
MPX_MPI_ALIAS(MPI_Add_error_string)
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Comm_call_errhandler(comm_, errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_call_errhandler", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_call_errhandler)
int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler) {
  try {
    need_place(errhandler, "errhandler");
    mpx_mpi::Comm_create_errhandler(comm_errhandler_fn, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_create_errhandler");
  }
}
MPX_MPI_ALIAS(MPI_Comm_create_errhandler)
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(errhandler, "errhandler");
    mpx_mpi::Comm_get_errhandler(comm_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_get_errhandler", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_get_errhandler)
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Comm_set_errhandler(comm_, errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_set_errhandler", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_set_errhandler)
int PMPI_Errhandler_free(MPI_Errhandler *errhandler) {
  try {
    need_place(errhandler, "errhandler");
    mpx_mpi::Errhandler_free(errhandler);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Errhandler_free");
  }
}
MPX_MPI_ALIAS(MPI_Errhandler_free)
int PMPI_Error_class(int errorcode, int *errorclass) {
  try {
    need_place(errorclass, "errorclass");
    mpx_mpi::Error_class(errorcode, errorclass);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Error_class");
  }
}
MPX_MPI_ALIAS(MPI_Error_class)
int PMPI_Error_string(int errorcode, char *string, int *resultlen) {
  try {
    need_place(string, "string");
    need_place(resultlen, "resultlen");
    mpx_mpi::Error_string(errorcode, string, resultlen);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Error_string");
  }
}
MPX_MPI_ALIAS(MPI_Error_string)
int PMPI_Remove_error_class(int errorclass) {
  try {
    mpx_mpi::Remove_error_class(errorclass);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Remove_error_class");
  }
}
MPX_MPI_ALIAS(MPI_Remove_error_class)
int PMPI_Remove_error_code(int errorcode) {
  try {
    mpx_mpi::Remove_error_code(errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Remove_error_code");
  }
}
MPX_MPI_ALIAS(MPI_Remove_error_code)
int PMPI_Remove_error_string(int errorcode) {
  try {
    mpx_mpi::Remove_error_string(errorcode);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Remove_error_string");
  }
}
MPX_MPI_ALIAS(MPI_Remove_error_string)
int PMPI_Info_create(MPI_Info *info) {
  try {
    need_place(info, "info");
    mpx_mpi::Info_create(info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_create");
  }
}
MPX_MPI_ALIAS(MPI_Info_create)
int PMPI_Info_create_env(int argc, char *argv[], MPI_Info *info) {
  try {
    need_place(info, "info");
    mpx_mpi::Info_create_env(argc, argv, info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_create_env");
  }
}
MPX_MPI_ALIAS(MPI_Info_create_env)
int PMPI_Info_delete(MPI_Info info, const char *key) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    mpx_mpi::Info_delete(info_, key);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_delete");
  }
}
MPX_MPI_ALIAS(MPI_Info_delete)
int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo) {
  try {
    auto& info_ = need_info(info);
    need_place(newinfo, "newinfo");
    mpx_mpi::Info_dup(info_, newinfo);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_dup");
  }
}
MPX_MPI_ALIAS(MPI_Info_dup)
int PMPI_Info_free(MPI_Info *info) {
  try {
    need_place(info, "info");
    mpx_mpi::Info_free(info);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_free");
  }
}
MPX_MPI_ALIAS(MPI_Info_free)
int PMPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    need_place(value, "value");
    need_place(flag, "flag");
    mpx_mpi::Info_get(info_, key, valuelen, value, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_get");
  }
}
MPX_MPI_ALIAS(MPI_Info_get)
int PMPI_Info_get_nkeys(MPI_Info info, int *nkeys) {
  try {
    auto& info_ = need_info(info);
    need_place(nkeys, "nkeys");
    mpx_mpi::Info_get_nkeys(info_, nkeys);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_get_nkeys");
  }
}
MPX_MPI_ALIAS(MPI_Info_get_nkeys)
int PMPI_Info_get_nthkey(MPI_Info info, int n, char *key) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    mpx_mpi::Info_get_nthkey(info_, n, key);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_get_nthkey");
  }
}
MPX_MPI_ALIAS(MPI_Info_get_nthkey)
int PMPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    need_place(flag, "flag");
    mpx_mpi::Info_get_string(info_, key, buflen, value, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_get_string");
  }
}
MPX_MPI_ALIAS(MPI_Info_get_string)
int PMPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    need_place(valuelen, "valuelen");
    need_place(flag, "flag");
    mpx_mpi::Info_get_valuelen(info_, key, valuelen, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_get_valuelen");
  }
}
MPX_MPI_ALIAS(MPI_Info_get_valuelen)
int PMPI_Info_set(MPI_Info info, const char *key, const char *value) {
  try {
    auto& info_ = need_info(info);
    need_place(key, "key");
    need_place(value, "value");
    mpx_mpi::Info_set(info_, key, value);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Info_set");
  }
}
MPX_MPI_ALIAS(MPI_Info_set)
int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Bsend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bsend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bsend)
int PMPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Bsend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bsend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bsend_c)
int PMPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Bsend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bsend_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bsend_init)
int PMPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Bsend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Bsend_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Bsend_init_c)
int PMPI_Buffer_attach(void *buffer, int size) {
  try {
    need_running();
    need_count(size, "size");
    mpx_mpi::Buffer_attach(buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_attach");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_attach)
int PMPI_Buffer_attach_c(void *buffer, MPI_Count size) {
  try {
    need_running();
    need_count(size, "size");
    mpx_mpi::Buffer_attach(buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_attach_c");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_attach_c)
int PMPI_Buffer_detach(void *buffer_addr, int *size) {
  try {
    need_running();
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Buffer_detach(buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_detach");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_detach)
int PMPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size) {
  try {
    need_running();
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Buffer_detach(buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_detach_c");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_detach_c)
int PMPI_Buffer_flush(void) {
  try {
    need_running();
    mpx_mpi::Buffer_flush();
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_flush");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_flush)
int PMPI_Buffer_iflush(MPI_Request *request) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Buffer_iflush(request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Buffer_iflush");
  }
}
MPX_MPI_ALIAS(MPI_Buffer_iflush)
int PMPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(size, "size");
    mpx_mpi::Comm_attach_buffer(comm_, buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_attach_buffer", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_attach_buffer)
int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(size, "size");
    mpx_mpi::Comm_attach_buffer(comm_, buffer, size);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_attach_buffer_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_attach_buffer_c)
int PMPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Comm_detach_buffer(comm_, buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_detach_buffer", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_detach_buffer)
int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(buffer_addr, "buffer_addr");
    need_place(size, "size");
    mpx_mpi::Comm_detach_buffer(comm_, buffer_addr, number_place(size));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_detach_buffer_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_detach_buffer_c)
int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    mpx_mpi::Comm_flush_buffer(comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_flush_buffer", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_flush_buffer)
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_place(request, "request");
    mpx_mpi::Comm_iflush_buffer(comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Comm_iflush_buffer", comm);
  }
}
MPX_MPI_ALIAS(MPI_Comm_iflush_buffer)
int PMPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Ibsend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ibsend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ibsend)
int PMPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Ibsend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ibsend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ibsend_c)
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_any_tag(tag);
    need_place(flag, "flag");
    need_place(message, "message");
    need_source(source, comm_);
    mpx_mpi::Improbe(source, tag, comm_, flag, message, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Improbe", comm);
  }
}
MPX_MPI_ALIAS(MPI_Improbe)
int PMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
  try {
    need_running();
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(message, "message");
    need_place(request, "request");
    mpx_mpi::Imrecv(buf, count, datatype_, message, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Imrecv");
  }
}
MPX_MPI_ALIAS(MPI_Imrecv)
int PMPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {
  try {
    need_running();
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(message, "message");
    need_place(request, "request");
    mpx_mpi::Imrecv(buf, count, datatype_, message, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Imrecv_c");
  }
}
MPX_MPI_ALIAS(MPI_Imrecv_c)
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_any_tag(tag);
    need_place(flag, "flag");
    need_source(source, comm_);
    mpx_mpi::Iprobe(source, tag, comm_, flag, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Iprobe", comm);
  }
}
MPX_MPI_ALIAS(MPI_Iprobe)
[[gnu::noinline]] static int every_MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_place(request, "request");
    need_source(source, comm_);
    mpx_mpi::Irecv(buf, count, datatype_, source, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Irecv", comm);
  }
}
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  return quick_Irecv<every_MPI_Irecv>("MPI_Irecv", buf, count, datatype, source, tag, comm, request);
}
MPX_MPI_ALIAS(MPI_Irecv)
int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_place(request, "request");
    need_source(source, comm_);
    mpx_mpi::Irecv(buf, count, datatype_, source, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Irecv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Irecv_c)
int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Irsend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Irsend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Irsend)
int PMPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Irsend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Irsend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Irsend_c)
[[gnu::noinline]] static int every_MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Isend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isend", comm);
  }
}
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  return quick_Isend<every_MPI_Isend>("MPI_Isend", buf, count, datatype, dest, tag, comm, request);
}
MPX_MPI_ALIAS(MPI_Isend)
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Isend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Isend_c)
int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(sendcount, "sendcount");
    auto& sendtype_ = need_type(sendtype);
    need_tag(sendtag);
    need_count(recvcount, "recvcount");
    auto& recvtype_ = need_type(recvtype);
    need_any_tag(recvtag);
    need_place(request, "request");
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Isendrecv(sendbuf, sendcount, sendtype_, dest, sendtag, recvbuf, recvcount, recvtype_, source, recvtag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isendrecv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Isendrecv)
int PMPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(sendcount, "sendcount");
    auto& sendtype_ = need_type(sendtype);
    need_tag(sendtag);
    need_count(recvcount, "recvcount");
    auto& recvtype_ = need_type(recvtype);
    need_any_tag(recvtag);
    need_place(request, "request");
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Isendrecv(sendbuf, sendcount, sendtype_, dest, sendtag, recvbuf, recvcount, recvtype_, source, recvtag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isendrecv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Isendrecv_c)
int PMPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(sendtag);
    need_any_tag(recvtag);
    need_place(request, "request");
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Isendrecv_replace(buf, count, datatype_, dest, sendtag, source, recvtag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isendrecv_replace", comm);
  }
}
MPX_MPI_ALIAS(MPI_Isendrecv_replace)
int PMPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(sendtag);
    need_any_tag(recvtag);
    need_place(request, "request");
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Isendrecv_replace(buf, count, datatype_, dest, sendtag, source, recvtag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Isendrecv_replace_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Isendrecv_replace_c)
int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Issend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Issend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Issend)
int PMPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Issend(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Issend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Issend_c)
int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_any_tag(tag);
    need_place(message, "message");
    need_source(source, comm_);
    mpx_mpi::Mprobe(source, tag, comm_, message, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Mprobe", comm);
  }
}
MPX_MPI_ALIAS(MPI_Mprobe)
int PMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
  try {
    need_running();
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(message, "message");
    mpx_mpi::Mrecv(buf, count, datatype_, message, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Mrecv");
  }
}
MPX_MPI_ALIAS(MPI_Mrecv)
int PMPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {
  try {
    need_running();
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_place(message, "message");
    mpx_mpi::Mrecv(buf, count, datatype_, message, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Mrecv_c");
  }
}
MPX_MPI_ALIAS(MPI_Mrecv_c)
int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_any_tag(tag);
    need_source(source, comm_);
    mpx_mpi::Probe(source, tag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Probe", comm);
  }
}
MPX_MPI_ALIAS(MPI_Probe)
[[gnu::noinline]] static int every_MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_source(source, comm_);
    mpx_mpi::Recv(buf, count, datatype_, source, tag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Recv", comm);
  }
}
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  return quick_Recv<every_MPI_Recv>("MPI_Recv", buf, count, datatype, source, tag, comm, status);
}
MPX_MPI_ALIAS(MPI_Recv)
int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_source(source, comm_);
    mpx_mpi::Recv(buf, count, datatype_, source, tag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Recv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Recv_c)
int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_place(request, "request");
    need_source(source, comm_);
    mpx_mpi::Recv_init(buf, count, datatype_, source, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Recv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Recv_init)
int PMPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_any_tag(tag);
    need_place(request, "request");
    need_source(source, comm_);
    mpx_mpi::Recv_init(buf, count, datatype_, source, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Recv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Recv_init_c)
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Rsend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rsend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Rsend)
int PMPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Rsend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rsend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Rsend_c)
int PMPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Rsend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rsend_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Rsend_init)
int PMPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Rsend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Rsend_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Rsend_init_c)
[[gnu::noinline]] static int every_MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Send(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Send", comm);
  }
}
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return quick_Send<every_MPI_Send>("MPI_Send", buf, count, datatype, dest, tag, comm);
}
MPX_MPI_ALIAS(MPI_Send)
int PMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Send(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Send_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Send_c)
int PMPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Send_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Send_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Send_init)
int PMPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Send_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Send_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Send_init_c)
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(sendcount, "sendcount");
    auto& sendtype_ = need_type(sendtype);
    need_tag(sendtag);
    need_count(recvcount, "recvcount");
    auto& recvtype_ = need_type(recvtype);
    need_any_tag(recvtag);
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Sendrecv(sendbuf, sendcount, sendtype_, dest, sendtag, recvbuf, recvcount, recvtype_, source, recvtag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Sendrecv", comm);
  }
}
MPX_MPI_ALIAS(MPI_Sendrecv)
int PMPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(sendcount, "sendcount");
    auto& sendtype_ = need_type(sendtype);
    need_tag(sendtag);
    need_count(recvcount, "recvcount");
    auto& recvtype_ = need_type(recvtype);
    need_any_tag(recvtag);
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Sendrecv(sendbuf, sendcount, sendtype_, dest, sendtag, recvbuf, recvcount, recvtype_, source, recvtag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Sendrecv_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Sendrecv_c)
int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(sendtag);
    need_any_tag(recvtag);
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Sendrecv_replace(buf, count, datatype_, dest, sendtag, source, recvtag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Sendrecv_replace", comm);
  }
}
MPX_MPI_ALIAS(MPI_Sendrecv_replace)
int PMPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(sendtag);
    need_any_tag(recvtag);
    need_destination(dest, comm_);
    need_source(source, comm_);
    mpx_mpi::Sendrecv_replace(buf, count, datatype_, dest, sendtag, source, recvtag, comm_, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Sendrecv_replace_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Sendrecv_replace_c)
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Ssend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ssend", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ssend)
int PMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_destination(dest, comm_);
    mpx_mpi::Ssend(buf, count, datatype_, dest, tag, comm_);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ssend_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ssend_c)
int PMPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Ssend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ssend_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ssend_init)
int PMPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Ssend_init(buf, count, datatype_, dest, tag, comm_, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Ssend_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Ssend_init_c)
int PMPI_Cancel(MPI_Request *request) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Cancel(request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Cancel");
  }
}
MPX_MPI_ALIAS(MPI_Cancel)
int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_place(count, "count");
    mpx_mpi::Get_count(status, datatype_, number_place(count));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_count");
  }
}
MPX_MPI_ALIAS(MPI_Get_count)
int PMPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_place(count, "count");
    mpx_mpi::Get_count(status, datatype_, number_place(count));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_count_c");
  }
}
MPX_MPI_ALIAS(MPI_Get_count_c)
int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_place(count, "count");
    mpx_mpi::Get_elements(status, datatype_, number_place(count));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_elements");
  }
}
MPX_MPI_ALIAS(MPI_Get_elements)
int PMPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_place(count, "count");
    mpx_mpi::Get_elements(status, datatype_, number_place(count));
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_elements_c");
  }
}
MPX_MPI_ALIAS(MPI_Get_elements_c)
int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_place(count, "count");
    mpx_mpi::Get_elements_x(status, datatype_, count);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Get_elements_x");
  }
}
MPX_MPI_ALIAS(MPI_Get_elements_x)
int PMPI_Grequest_complete(MPI_Request request) {
  try {
    need_running();
    mpx_mpi::Grequest_complete(request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Grequest_complete");
  }
}
MPX_MPI_ALIAS(MPI_Grequest_complete)
int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Grequest_start");
  }
}
MPX_MPI_ALIAS(MPI_Grequest_start)
int PMPI_Request_free(MPI_Request *request) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Request_free(request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Request_free");
  }
}
MPX_MPI_ALIAS(MPI_Request_free)
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  try {
    need_running();
    need_place(flag, "flag");
    mpx_mpi::Request_get_status(request, flag, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Request_get_status");
  }
}
MPX_MPI_ALIAS(MPI_Request_get_status)
int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(count, "count");
    need_place(flag, "flag");
    mpx_mpi::Request_get_status_all(count, array_of_requests, flag, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Request_get_status_all");
  }
}
MPX_MPI_ALIAS(MPI_Request_get_status_all)
int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) {
  try {
    need_running();
    need_count(count, "count");
    need_place(indx, "indx");
    need_place(flag, "flag");
    mpx_mpi::Request_get_status_any(count, array_of_requests, indx, flag, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Request_get_status_any");
  }
}
MPX_MPI_ALIAS(MPI_Request_get_status_any)
int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(incount, "incount");
    need_place(outcount, "outcount");
    mpx_mpi::Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Request_get_status_some");
  }
}
MPX_MPI_ALIAS(MPI_Request_get_status_some)
int PMPI_Start(MPI_Request *request) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Start(request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Start");
  }
}
MPX_MPI_ALIAS(MPI_Start)
int PMPI_Startall(int count, MPI_Request array_of_requests[]) {
  try {
    need_running();
    need_count(count, "count");
    mpx_mpi::Startall(count, array_of_requests);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Startall");
  }
}
MPX_MPI_ALIAS(MPI_Startall)
int PMPI_Status_get_error(const MPI_Status *status, int *error) {
  try {
    need_running();
    need_place(status, "status");
    need_place(error, "error");
    mpx_mpi::Status_get_error(status, error);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_get_error");
  }
}
MPX_MPI_ALIAS(MPI_Status_get_error)
int PMPI_Status_get_source(const MPI_Status *status, int *source) {
  try {
    need_running();
    need_place(status, "status");
    need_place(source, "source");
    mpx_mpi::Status_get_source(status, source);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_get_source");
  }
}
MPX_MPI_ALIAS(MPI_Status_get_source)
int PMPI_Status_get_tag(const MPI_Status *status, int *tag) {
  try {
    need_running();
    need_place(status, "status");
    need_place(tag, "tag");
    mpx_mpi::Status_get_tag(status, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_get_tag");
  }
}
MPX_MPI_ALIAS(MPI_Status_get_tag)
int PMPI_Status_set_cancelled(MPI_Status *status, int flag) {
  try {
    need_running();
    need_place(status, "status");
    mpx_mpi::Status_set_cancelled(status, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_cancelled");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_cancelled)
int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_count(count, "count");
    mpx_mpi::Status_set_elements(status, datatype_, count);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_elements");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_elements)
int PMPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    need_count(count, "count");
    mpx_mpi::Status_set_elements(status, datatype_, count);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_elements_c");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_elements_c)
int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count) {
  try {
    need_running();
    need_place(status, "status");
    auto& datatype_ = need_any_type(datatype);
    mpx_mpi::Status_set_elements_x(status, datatype_, count);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_elements_x");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_elements_x)
int PMPI_Status_set_error(MPI_Status *status, int error) {
  try {
    need_running();
    need_place(status, "status");
    mpx_mpi::Status_set_error(status, error);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_error");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_error)
int PMPI_Status_set_source(MPI_Status *status, int source) {
  try {
    need_running();
    need_place(status, "status");
    mpx_mpi::Status_set_source(status, source);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_source");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_source)
int PMPI_Status_set_tag(MPI_Status *status, int tag) {
  try {
    need_running();
    need_place(status, "status");
    mpx_mpi::Status_set_tag(status, tag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Status_set_tag");
  }
}
MPX_MPI_ALIAS(MPI_Status_set_tag)
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  try {
    need_running();
    need_place(request, "request");
    need_place(flag, "flag");
    mpx_mpi::Test(request, flag, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Test");
  }
}
MPX_MPI_ALIAS(MPI_Test)
int PMPI_Test_cancelled(const MPI_Status *status, int *flag) {
  try {
    need_running();
    need_place(status, "status");
    need_place(flag, "flag");
    mpx_mpi::Test_cancelled(status, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Test_cancelled");
  }
}
MPX_MPI_ALIAS(MPI_Test_cancelled)
int PMPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(count, "count");
    need_place(flag, "flag");
    mpx_mpi::Testall(count, array_of_requests, flag, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Testall");
  }
}
MPX_MPI_ALIAS(MPI_Testall)
int PMPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) {
  try {
    need_running();
    need_count(count, "count");
    need_place(indx, "indx");
    need_place(flag, "flag");
    mpx_mpi::Testany(count, array_of_requests, indx, flag, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Testany");
  }
}
MPX_MPI_ALIAS(MPI_Testany)
int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(incount, "incount");
    need_place(outcount, "outcount");
    mpx_mpi::Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Testsome");
  }
}
MPX_MPI_ALIAS(MPI_Testsome)
[[gnu::noinline]] static int every_MPI_Wait(MPI_Request *request, MPI_Status *status) {
  try {
    need_running();
    need_place(request, "request");
    mpx_mpi::Wait(request, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Wait");
  }
}
int PMPI_Wait(MPI_Request *request, MPI_Status *status) {
  return quick_Wait<every_MPI_Wait>("MPI_Wait", request, status);
}
MPX_MPI_ALIAS(MPI_Wait)
int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(count, "count");
    mpx_mpi::Waitall(count, array_of_requests, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Waitall");
  }
}
MPX_MPI_ALIAS(MPI_Waitall)
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status) {
  try {
    need_running();
    need_count(count, "count");
    need_place(indx, "indx");
    mpx_mpi::Waitany(count, array_of_requests, indx, status);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Waitany");
  }
}
MPX_MPI_ALIAS(MPI_Waitany)
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[], MPI_Status *array_of_statuses) {
  try {
    need_running();
    need_count(incount, "incount");
    need_place(outcount, "outcount");
    mpx_mpi::Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Waitsome");
  }
}
MPX_MPI_ALIAS(MPI_Waitsome)
int PMPI_Parrived(MPI_Request request, int partition, int *flag) {
  try {
    need_running();
    need_place(flag, "flag");
    mpx_mpi::Parrived(request, partition, flag);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Parrived");
  }
}
MPX_MPI_ALIAS(MPI_Parrived)
int PMPI_Pready(int partition, MPI_Request request) {
  try {
    need_running();
    mpx_mpi::Pready(partition, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pready");
  }
}
MPX_MPI_ALIAS(MPI_Pready)
int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  try {
    need_running();
    need_count(length, "length");
    mpx_mpi::Pready_list(length, array_of_partitions, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pready_list");
  }
}
MPX_MPI_ALIAS(MPI_Pready_list)
int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  try {
    need_running();
    mpx_mpi::Pready_range(partition_low, partition_high, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Pready_range");
  }
}
MPX_MPI_ALIAS(MPI_Pready_range)
int PMPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_hints(info);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Precv_init(buf, partitions, count, datatype_, dest, tag, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Precv_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Precv_init)
int PMPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_hints(info);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Precv_init(buf, partitions, count, datatype_, dest, tag, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Precv_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Precv_init_c)
int PMPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_hints(info);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Psend_init(buf, partitions, count, datatype_, dest, tag, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Psend_init", comm);
  }
}
MPX_MPI_ALIAS(MPI_Psend_init)
int PMPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  try {
    need_running();
    auto& comm_ = need_comm(comm);
    need_count(count, "count");
    auto& datatype_ = need_type(datatype);
    need_tag(tag);
    need_hints(info);
    need_place(request, "request");
    need_destination(dest, comm_);
    mpx_mpi::Psend_init(buf, partitions, count, datatype_, dest, tag, comm_, info, request);
    return MPI_SUCCESS;
  } catch (...) {
    return failed("MPI_Psend_init_c", comm);
  }
}
MPX_MPI_ALIAS(MPI_Psend_init_c)
}
