/* SPDX-License-Identifier: BSL-1.0 */
/* User-level failure mitigation (ULFM): extensions of MPI in mpx. The standard ABI lets its library
 * export the functions of MPI alone, so the functions below find those of mpx through a key of
 * MPI_Abi_get_info. With the library of another MPI they return MPI_ERR_UNSUPPORTED_OPERATION. */
#ifndef MPX_MPI_EXT_H
#define MPX_MPI_EXT_H
#include <mpi.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Error classes, with MPICH's values. */
enum {
  MPIX_ERR_PROC_FAILED = 101,         /* A process that the call needs has failed. */
  MPIX_ERR_PROC_FAILED_PENDING = 102, /* Never raised: such a receive is over (PROC_FAILED). */
  MPIX_ERR_REVOKED = 103              /* A process has revoked the communicator. */
};

/* Functions of the library. Later versions add members at the end, and raise `count`. */
struct MPX_Extensions {
  int count;
  int (*comm_revoke)(MPI_Comm comm);
  int (*comm_is_revoked)(MPI_Comm comm, int *flag);
  int (*comm_shrink)(MPI_Comm comm, MPI_Comm *newcomm);
  int (*comm_ishrink)(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
  int (*comm_agree)(MPI_Comm comm, int *flag);
  int (*comm_iagree)(MPI_Comm comm, int *flag, MPI_Request *request);
  int (*comm_failure_ack)(MPI_Comm comm);
  int (*comm_failure_get_acked)(MPI_Comm comm, MPI_Group *failedgrp);
  int (*comm_get_failed)(MPI_Comm comm, MPI_Group *failedgrp);
  int (*comm_ack_failed)(MPI_Comm comm, int num_to_ack, int *num_acked);
};

static inline const struct MPX_Extensions *MPX_Extensions_find(void) {
  static const struct MPX_Extensions *found;
  const struct MPX_Extensions *now = __atomic_load_n(&found, __ATOMIC_RELAXED);
  char text[32];
  int length = (int)sizeof text, flag = 0;
  MPI_Info info;
  if (now != 0) return now;
  if (PMPI_Abi_get_info(&info) != MPI_SUCCESS) return 0;
  if (PMPI_Info_get_string(info, "mpx_extensions", &length, text, &flag) == MPI_SUCCESS && flag)
    now = (const struct MPX_Extensions *)strtoull(text, 0, 16);
  PMPI_Info_free(&info);
  __atomic_store_n(&found, now, __ATOMIC_RELAXED);
  return now;
}
#define MPX_EXTENSION(call)                                                          \
  const struct MPX_Extensions *const mpx_found = MPX_Extensions_find();              \
  return mpx_found == 0 ? MPI_ERR_UNSUPPORTED_OPERATION : mpx_found->call

/* All calls on the communicator end with MPIX_ERR_REVOKED, here and soon at all ranks; agree and
 * shrink go on working. One rank is enough. */
static inline int MPIX_Comm_revoke(MPI_Comm comm) { MPX_EXTENSION(comm_revoke(comm)); }
static inline int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag) {
  MPX_EXTENSION(comm_is_revoked(comm, flag));
}
/* Makes a communicator of the surviving ranks, in their order. Collective over them. */
static inline int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm) {
  MPX_EXTENSION(comm_shrink(comm, newcomm));
}
/* Starts a shrink. `newcomm` is not used before the request is complete. */
static inline int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
  MPX_EXTENSION(comm_ishrink(comm, newcomm, request));
}
/* All surviving ranks get the bitwise and of the flags. Returns MPIX_ERR_PROC_FAILED, at all of
 * them and with the flag, if ranks have failed that some surviving rank has not acknowledged. */
static inline int MPIX_Comm_agree(MPI_Comm comm, int *flag) {
  MPX_EXTENSION(comm_agree(comm, flag));
}
/* Starts an agreement; flag is set, and the error raised, when the request completes. */
static inline int MPIX_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request) {
  MPX_EXTENSION(comm_iagree(comm, flag, request));
}
/* Receives from MPI_ANY_SOURCE wait again, for the remaining ranks. */
static inline int MPIX_Comm_failure_ack(MPI_Comm comm) {
  MPX_EXTENSION(comm_failure_ack(comm));
}
static inline int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgrp) {
  MPX_EXTENSION(comm_failure_get_acked(comm, failedgrp));
}
/* The failed ranks that this rank knows, in the order in which it learned of them. */
static inline int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgrp) {
  MPX_EXTENSION(comm_get_failed(comm, failedgrp));
}
/* Acknowledges the first `num_to_ack` ranks of MPIX_Comm_get_failed. num_acked: all so far. */
static inline int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked) {
  MPX_EXTENSION(comm_ack_failed(comm, num_to_ack, num_acked));
}
#undef MPX_EXTENSION

#ifdef __cplusplus
}
#endif
#endif
