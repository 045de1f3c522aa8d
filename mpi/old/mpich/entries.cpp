// SPDX-License-Identifier: BSL-1.0
// Made by mpi/generate.py. Do not edit.
// clang-format off
#include "entries.hpp"

namespace mpx_mpi_old {

extern const char *const our_names[] = {
  "PMPI_Abort",
  "PMPI_Alloc_mem",
  "PMPI_Finalize",
  "PMPI_Finalized",
  "PMPI_Free_mem",
  "PMPI_Get_hw_resource_info",
  "PMPI_Get_library_version",
  "PMPI_Get_processor_name",
  "PMPI_Get_version",
  "PMPI_Init",
  "PMPI_Init_thread",
  "PMPI_Initialized",
  "PMPI_Is_thread_main",
  "PMPI_Pcontrol",
  "PMPI_Query_thread",
  "PMPI_Wtick",
  "PMPI_Wtime",
  "PMPI_Add_error_class",
  "PMPI_Add_error_code",
  "PMPI_Add_error_string",
  "PMPI_Comm_call_errhandler",
  "PMPI_Comm_create_errhandler",
  "PMPI_Comm_get_errhandler",
  "PMPI_Comm_set_errhandler",
  "PMPI_Errhandler_free",
  "PMPI_Error_class",
  "PMPI_Error_string",
  "PMPI_Remove_error_class",
  "PMPI_Remove_error_code",
  "PMPI_Remove_error_string",
  "PMPI_Info_create",
  "PMPI_Info_create_env",
  "PMPI_Info_delete",
  "PMPI_Info_dup",
  "PMPI_Info_free",
  "PMPI_Info_get",
  "PMPI_Info_get_nkeys",
  "PMPI_Info_get_nthkey",
  "PMPI_Info_get_string",
  "PMPI_Info_get_valuelen",
  "PMPI_Info_set",
  "PMPI_Bsend",
  "PMPI_Bsend_c",
  "PMPI_Bsend_init",
  "PMPI_Bsend_init_c",
  "PMPI_Buffer_attach",
  "PMPI_Buffer_attach_c",
  "PMPI_Buffer_detach",
  "PMPI_Buffer_detach_c",
  "PMPI_Buffer_flush",
  "PMPI_Buffer_iflush",
  "PMPI_Comm_attach_buffer",
  "PMPI_Comm_attach_buffer_c",
  "PMPI_Comm_detach_buffer",
  "PMPI_Comm_detach_buffer_c",
  "PMPI_Comm_flush_buffer",
  "PMPI_Comm_iflush_buffer",
  "PMPI_Ibsend",
  "PMPI_Ibsend_c",
  "PMPI_Improbe",
  "PMPI_Imrecv",
  "PMPI_Imrecv_c",
  "PMPI_Iprobe",
  "PMPI_Irecv",
  "PMPI_Irecv_c",
  "PMPI_Irsend",
  "PMPI_Irsend_c",
  "PMPI_Isend",
  "PMPI_Isend_c",
  "PMPI_Isendrecv",
  "PMPI_Isendrecv_c",
  "PMPI_Isendrecv_replace",
  "PMPI_Isendrecv_replace_c",
  "PMPI_Issend",
  "PMPI_Issend_c",
  "PMPI_Mprobe",
  "PMPI_Mrecv",
  "PMPI_Mrecv_c",
  "PMPI_Probe",
  "PMPI_Recv",
  "PMPI_Recv_c",
  "PMPI_Recv_init",
  "PMPI_Recv_init_c",
  "PMPI_Rsend",
  "PMPI_Rsend_c",
  "PMPI_Rsend_init",
  "PMPI_Rsend_init_c",
  "PMPI_Send",
  "PMPI_Send_c",
  "PMPI_Send_init",
  "PMPI_Send_init_c",
  "PMPI_Sendrecv",
  "PMPI_Sendrecv_c",
  "PMPI_Sendrecv_replace",
  "PMPI_Sendrecv_replace_c",
  "PMPI_Ssend",
  "PMPI_Ssend_c",
  "PMPI_Ssend_init",
  "PMPI_Ssend_init_c",
  "PMPI_Cancel",
  "PMPI_Get_count",
  "PMPI_Get_count_c",
  "PMPI_Get_elements",
  "PMPI_Get_elements_c",
  "PMPI_Get_elements_x",
  "PMPI_Grequest_complete",
  "PMPI_Grequest_start",
  "PMPI_Request_free",
  "PMPI_Request_get_status",
  "PMPI_Request_get_status_all",
  "PMPI_Request_get_status_any",
  "PMPI_Request_get_status_some",
  "PMPI_Start",
  "PMPI_Startall",
  "PMPI_Status_get_error",
  "PMPI_Status_get_source",
  "PMPI_Status_get_tag",
  "PMPI_Status_set_cancelled",
  "PMPI_Status_set_elements",
  "PMPI_Status_set_elements_c",
  "PMPI_Status_set_elements_x",
  "PMPI_Status_set_error",
  "PMPI_Status_set_source",
  "PMPI_Status_set_tag",
  "PMPI_Test",
  "PMPI_Test_cancelled",
  "PMPI_Testall",
  "PMPI_Testany",
  "PMPI_Testsome",
  "PMPI_Wait",
  "PMPI_Waitall",
  "PMPI_Waitany",
  "PMPI_Waitsome",
  "PMPI_Get_address",
  "PMPI_Pack",
  "PMPI_Pack_c",
  "PMPI_Pack_external",
  "PMPI_Pack_external_c",
  "PMPI_Pack_external_size",
  "PMPI_Pack_external_size_c",
  "PMPI_Pack_size",
  "PMPI_Pack_size_c",
  "PMPI_Type_commit",
  "PMPI_Type_contiguous",
  "PMPI_Type_contiguous_c",
  "PMPI_Type_create_darray",
  "PMPI_Type_create_darray_c",
  "PMPI_Type_create_f90_complex",
  "PMPI_Type_create_f90_integer",
  "PMPI_Type_create_f90_real",
  "PMPI_Type_create_hindexed",
  "PMPI_Type_create_hindexed_c",
  "PMPI_Type_create_hindexed_block",
  "PMPI_Type_create_hindexed_block_c",
  "PMPI_Type_create_hvector",
  "PMPI_Type_create_hvector_c",
  "PMPI_Type_create_indexed_block",
  "PMPI_Type_create_indexed_block_c",
  "PMPI_Type_create_resized",
  "PMPI_Type_create_resized_c",
  "PMPI_Type_create_struct",
  "PMPI_Type_create_struct_c",
  "PMPI_Type_create_subarray",
  "PMPI_Type_create_subarray_c",
  "PMPI_Type_dup",
  "PMPI_Type_free",
  "PMPI_Type_get_contents",
  "PMPI_Type_get_contents_c",
  "PMPI_Type_get_envelope",
  "PMPI_Type_get_envelope_c",
  "PMPI_Type_get_extent",
  "PMPI_Type_get_extent_c",
  "PMPI_Type_get_extent_x",
  "PMPI_Type_get_name",
  "PMPI_Type_get_true_extent",
  "PMPI_Type_get_true_extent_c",
  "PMPI_Type_get_true_extent_x",
  "PMPI_Type_get_value_index",
  "PMPI_Type_indexed",
  "PMPI_Type_indexed_c",
  "PMPI_Type_match_size",
  "PMPI_Type_set_name",
  "PMPI_Type_size",
  "PMPI_Type_size_c",
  "PMPI_Type_size_x",
  "PMPI_Type_vector",
  "PMPI_Type_vector_c",
  "PMPI_Unpack",
  "PMPI_Unpack_c",
  "PMPI_Unpack_external",
  "PMPI_Unpack_external_c",
  "PMPI_Aint_add",
  "PMPI_Aint_diff",
  "PMPI_Op_commutative",
  "PMPI_Op_create",
  "PMPI_Op_create_c",
  "PMPI_Op_free",
  "PMPI_Reduce_local",
  "PMPI_Reduce_local_c",
  "PMPI_Allgather",
  "PMPI_Allgather_c",
  "PMPI_Allgather_init",
  "PMPI_Allgather_init_c",
  "PMPI_Allgatherv",
  "PMPI_Allgatherv_c",
  "PMPI_Allgatherv_init",
  "PMPI_Allgatherv_init_c",
  "PMPI_Allreduce",
  "PMPI_Allreduce_c",
  "PMPI_Allreduce_init",
  "PMPI_Allreduce_init_c",
  "PMPI_Alltoall",
  "PMPI_Alltoall_c",
  "PMPI_Alltoall_init",
  "PMPI_Alltoall_init_c",
  "PMPI_Alltoallv",
  "PMPI_Alltoallv_c",
  "PMPI_Alltoallv_init",
  "PMPI_Alltoallv_init_c",
  "PMPI_Alltoallw",
  "PMPI_Alltoallw_c",
  "PMPI_Alltoallw_init",
  "PMPI_Alltoallw_init_c",
  "PMPI_Barrier",
  "PMPI_Barrier_init",
  "PMPI_Bcast",
  "PMPI_Bcast_c",
  "PMPI_Bcast_init",
  "PMPI_Bcast_init_c",
  "PMPI_Exscan",
  "PMPI_Exscan_c",
  "PMPI_Exscan_init",
  "PMPI_Exscan_init_c",
  "PMPI_Gather",
  "PMPI_Gather_c",
  "PMPI_Gather_init",
  "PMPI_Gather_init_c",
  "PMPI_Gatherv",
  "PMPI_Gatherv_c",
  "PMPI_Gatherv_init",
  "PMPI_Gatherv_init_c",
  "PMPI_Iallgather",
  "PMPI_Iallgather_c",
  "PMPI_Iallgatherv",
  "PMPI_Iallgatherv_c",
  "PMPI_Iallreduce",
  "PMPI_Iallreduce_c",
  "PMPI_Ialltoall",
  "PMPI_Ialltoall_c",
  "PMPI_Ialltoallv",
  "PMPI_Ialltoallv_c",
  "PMPI_Ialltoallw",
  "PMPI_Ialltoallw_c",
  "PMPI_Ibarrier",
  "PMPI_Ibcast",
  "PMPI_Ibcast_c",
  "PMPI_Iexscan",
  "PMPI_Iexscan_c",
  "PMPI_Igather",
  "PMPI_Igather_c",
  "PMPI_Igatherv",
  "PMPI_Igatherv_c",
  "PMPI_Ineighbor_allgather",
  "PMPI_Ineighbor_allgather_c",
  "PMPI_Ineighbor_allgatherv",
  "PMPI_Ineighbor_allgatherv_c",
  "PMPI_Ineighbor_alltoall",
  "PMPI_Ineighbor_alltoall_c",
  "PMPI_Ineighbor_alltoallv",
  "PMPI_Ineighbor_alltoallv_c",
  "PMPI_Ineighbor_alltoallw",
  "PMPI_Ineighbor_alltoallw_c",
  "PMPI_Ireduce",
  "PMPI_Ireduce_c",
  "PMPI_Ireduce_scatter",
  "PMPI_Ireduce_scatter_c",
  "PMPI_Ireduce_scatter_block",
  "PMPI_Ireduce_scatter_block_c",
  "PMPI_Iscan",
  "PMPI_Iscan_c",
  "PMPI_Iscatter",
  "PMPI_Iscatter_c",
  "PMPI_Iscatterv",
  "PMPI_Iscatterv_c",
  "PMPI_Neighbor_allgather",
  "PMPI_Neighbor_allgather_c",
  "PMPI_Neighbor_allgather_init",
  "PMPI_Neighbor_allgather_init_c",
  "PMPI_Neighbor_allgatherv",
  "PMPI_Neighbor_allgatherv_c",
  "PMPI_Neighbor_allgatherv_init",
  "PMPI_Neighbor_allgatherv_init_c",
  "PMPI_Neighbor_alltoall",
  "PMPI_Neighbor_alltoall_c",
  "PMPI_Neighbor_alltoall_init",
  "PMPI_Neighbor_alltoall_init_c",
  "PMPI_Neighbor_alltoallv",
  "PMPI_Neighbor_alltoallv_c",
  "PMPI_Neighbor_alltoallv_init",
  "PMPI_Neighbor_alltoallv_init_c",
  "PMPI_Neighbor_alltoallw",
  "PMPI_Neighbor_alltoallw_c",
  "PMPI_Neighbor_alltoallw_init",
  "PMPI_Neighbor_alltoallw_init_c",
  "PMPI_Reduce",
  "PMPI_Reduce_c",
  "PMPI_Reduce_init",
  "PMPI_Reduce_init_c",
  "PMPI_Reduce_scatter",
  "PMPI_Reduce_scatter_c",
  "PMPI_Reduce_scatter_block",
  "PMPI_Reduce_scatter_block_c",
  "PMPI_Reduce_scatter_block_init",
  "PMPI_Reduce_scatter_block_init_c",
  "PMPI_Reduce_scatter_init",
  "PMPI_Reduce_scatter_init_c",
  "PMPI_Scan",
  "PMPI_Scan_c",
  "PMPI_Scan_init",
  "PMPI_Scan_init_c",
  "PMPI_Scatter",
  "PMPI_Scatter_c",
  "PMPI_Scatter_init",
  "PMPI_Scatter_init_c",
  "PMPI_Scatterv",
  "PMPI_Scatterv_c",
  "PMPI_Scatterv_init",
  "PMPI_Scatterv_init_c",
  "PMPI_Group_compare",
  "PMPI_Group_difference",
  "PMPI_Group_excl",
  "PMPI_Group_free",
  "PMPI_Group_incl",
  "PMPI_Group_intersection",
  "PMPI_Group_range_excl",
  "PMPI_Group_range_incl",
  "PMPI_Group_rank",
  "PMPI_Group_size",
  "PMPI_Group_translate_ranks",
  "PMPI_Group_union",
  "PMPI_Comm_compare",
  "PMPI_Comm_create",
  "PMPI_Comm_create_group",
  "PMPI_Comm_dup",
  "PMPI_Comm_dup_with_info",
  "PMPI_Comm_free",
  "PMPI_Comm_get_info",
  "PMPI_Comm_get_name",
  "PMPI_Comm_group",
  "PMPI_Comm_idup",
  "PMPI_Comm_idup_with_info",
  "PMPI_Comm_rank",
  "PMPI_Comm_remote_group",
  "PMPI_Comm_remote_size",
  "PMPI_Comm_set_info",
  "PMPI_Comm_set_name",
  "PMPI_Comm_size",
  "PMPI_Comm_split",
  "PMPI_Comm_split_type",
  "PMPI_Comm_test_inter",
  "PMPI_Intercomm_create",
  "PMPI_Intercomm_merge",
  "PMPI_Attr_delete",
  "PMPI_Attr_get",
  "PMPI_Attr_put",
  "PMPI_Comm_create_keyval",
  "PMPI_Comm_delete_attr",
  "PMPI_Comm_free_keyval",
  "PMPI_Comm_get_attr",
  "PMPI_Comm_set_attr",
  "PMPI_Keyval_create",
  "PMPI_Keyval_free",
  "PMPI_Type_create_keyval",
  "PMPI_Type_delete_attr",
  "PMPI_Type_free_keyval",
  "PMPI_Type_get_attr",
  "PMPI_Type_set_attr",
  "PMPI_Cart_coords",
  "PMPI_Cart_create",
  "PMPI_Cart_get",
  "PMPI_Cart_map",
  "PMPI_Cart_rank",
  "PMPI_Cart_shift",
  "PMPI_Cart_sub",
  "PMPI_Cartdim_get",
  "PMPI_Dims_create",
  "PMPI_Dist_graph_create",
  "PMPI_Dist_graph_create_adjacent",
  "PMPI_Dist_graph_neighbors",
  "PMPI_Dist_graph_neighbors_count",
  "PMPI_Graph_create",
  "PMPI_Graph_get",
  "PMPI_Graph_map",
  "PMPI_Graph_neighbors",
  "PMPI_Graph_neighbors_count",
  "PMPI_Graphdims_get",
  "PMPI_Topo_test",
  "PMPI_Parrived",
  "PMPI_Pready",
  "PMPI_Pready_list",
  "PMPI_Pready_range",
  "PMPI_Precv_init",
  "PMPI_Precv_init_c",
  "PMPI_Psend_init",
  "PMPI_Psend_init_c",
  "PMPI_Accumulate",
  "PMPI_Accumulate_c",
  "PMPI_Compare_and_swap",
  "PMPI_Fetch_and_op",
  "PMPI_Get",
  "PMPI_Get_c",
  "PMPI_Get_accumulate",
  "PMPI_Get_accumulate_c",
  "PMPI_Put",
  "PMPI_Put_c",
  "PMPI_Raccumulate",
  "PMPI_Raccumulate_c",
  "PMPI_Rget",
  "PMPI_Rget_c",
  "PMPI_Rget_accumulate",
  "PMPI_Rget_accumulate_c",
  "PMPI_Rput",
  "PMPI_Rput_c",
  "PMPI_Win_allocate",
  "PMPI_Win_allocate_c",
  "PMPI_Win_allocate_shared",
  "PMPI_Win_allocate_shared_c",
  "PMPI_Win_attach",
  "PMPI_Win_call_errhandler",
  "PMPI_Win_complete",
  "PMPI_Win_create",
  "PMPI_Win_create_c",
  "PMPI_Win_create_dynamic",
  "PMPI_Win_create_errhandler",
  "PMPI_Win_create_keyval",
  "PMPI_Win_delete_attr",
  "PMPI_Win_detach",
  "PMPI_Win_fence",
  "PMPI_Win_flush",
  "PMPI_Win_flush_all",
  "PMPI_Win_flush_local",
  "PMPI_Win_flush_local_all",
  "PMPI_Win_free",
  "PMPI_Win_free_keyval",
  "PMPI_Win_get_attr",
  "PMPI_Win_get_errhandler",
  "PMPI_Win_get_group",
  "PMPI_Win_get_info",
  "PMPI_Win_get_name",
  "PMPI_Win_lock",
  "PMPI_Win_lock_all",
  "PMPI_Win_post",
  "PMPI_Win_set_attr",
  "PMPI_Win_set_errhandler",
  "PMPI_Win_set_info",
  "PMPI_Win_set_name",
  "PMPI_Win_shared_query",
  "PMPI_Win_shared_query_c",
  "PMPI_Win_start",
  "PMPI_Win_sync",
  "PMPI_Win_test",
  "PMPI_Win_unlock",
  "PMPI_Win_unlock_all",
  "PMPI_Win_wait",
  "PMPI_Comm_create_from_group",
  "PMPI_Group_from_session_pset",
  "PMPI_Intercomm_create_from_groups",
  "PMPI_Session_attach_buffer",
  "PMPI_Session_attach_buffer_c",
  "PMPI_Session_call_errhandler",
  "PMPI_Session_create_errhandler",
  "PMPI_Session_detach_buffer",
  "PMPI_Session_detach_buffer_c",
  "PMPI_Session_finalize",
  "PMPI_Session_flush_buffer",
  "PMPI_Session_get_errhandler",
  "PMPI_Session_get_info",
  "PMPI_Session_get_nth_pset",
  "PMPI_Session_get_num_psets",
  "PMPI_Session_get_pset_info",
  "PMPI_Session_iflush_buffer",
  "PMPI_Session_init",
  "PMPI_Session_set_errhandler",
  "PMPI_Close_port",
  "PMPI_Comm_accept",
  "PMPI_Comm_connect",
  "PMPI_Comm_disconnect",
  "PMPI_Comm_get_parent",
  "PMPI_Comm_join",
  "PMPI_Comm_spawn",
  "PMPI_Comm_spawn_multiple",
  "PMPI_Lookup_name",
  "PMPI_Open_port",
  "PMPI_Publish_name",
  "PMPI_Unpublish_name",
  "PMPI_File_call_errhandler",
  "PMPI_File_close",
  "PMPI_File_create_errhandler",
  "PMPI_File_delete",
  "PMPI_File_get_amode",
  "PMPI_File_get_atomicity",
  "PMPI_File_get_byte_offset",
  "PMPI_File_get_errhandler",
  "PMPI_File_get_group",
  "PMPI_File_get_info",
  "PMPI_File_get_position",
  "PMPI_File_get_position_shared",
  "PMPI_File_get_size",
  "PMPI_File_get_type_extent",
  "PMPI_File_get_type_extent_c",
  "PMPI_File_get_view",
  "PMPI_File_iread",
  "PMPI_File_iread_c",
  "PMPI_File_iread_all",
  "PMPI_File_iread_all_c",
  "PMPI_File_iread_at",
  "PMPI_File_iread_at_c",
  "PMPI_File_iread_at_all",
  "PMPI_File_iread_at_all_c",
  "PMPI_File_iread_shared",
  "PMPI_File_iread_shared_c",
  "PMPI_File_iwrite",
  "PMPI_File_iwrite_c",
  "PMPI_File_iwrite_all",
  "PMPI_File_iwrite_all_c",
  "PMPI_File_iwrite_at",
  "PMPI_File_iwrite_at_c",
  "PMPI_File_iwrite_at_all",
  "PMPI_File_iwrite_at_all_c",
  "PMPI_File_iwrite_shared",
  "PMPI_File_iwrite_shared_c",
  "PMPI_File_open",
  "PMPI_File_preallocate",
  "PMPI_File_read",
  "PMPI_File_read_c",
  "PMPI_File_read_all",
  "PMPI_File_read_all_c",
  "PMPI_File_read_all_begin",
  "PMPI_File_read_all_begin_c",
  "PMPI_File_read_all_end",
  "PMPI_File_read_at",
  "PMPI_File_read_at_c",
  "PMPI_File_read_at_all",
  "PMPI_File_read_at_all_c",
  "PMPI_File_read_at_all_begin",
  "PMPI_File_read_at_all_begin_c",
  "PMPI_File_read_at_all_end",
  "PMPI_File_read_ordered",
  "PMPI_File_read_ordered_c",
  "PMPI_File_read_ordered_begin",
  "PMPI_File_read_ordered_begin_c",
  "PMPI_File_read_ordered_end",
  "PMPI_File_read_shared",
  "PMPI_File_read_shared_c",
  "PMPI_File_seek",
  "PMPI_File_seek_shared",
  "PMPI_File_set_atomicity",
  "PMPI_File_set_errhandler",
  "PMPI_File_set_info",
  "PMPI_File_set_size",
  "PMPI_File_set_view",
  "PMPI_File_sync",
  "PMPI_File_write",
  "PMPI_File_write_c",
  "PMPI_File_write_all",
  "PMPI_File_write_all_c",
  "PMPI_File_write_all_begin",
  "PMPI_File_write_all_begin_c",
  "PMPI_File_write_all_end",
  "PMPI_File_write_at",
  "PMPI_File_write_at_c",
  "PMPI_File_write_at_all",
  "PMPI_File_write_at_all_c",
  "PMPI_File_write_at_all_begin",
  "PMPI_File_write_at_all_begin_c",
  "PMPI_File_write_at_all_end",
  "PMPI_File_write_ordered",
  "PMPI_File_write_ordered_c",
  "PMPI_File_write_ordered_begin",
  "PMPI_File_write_ordered_begin_c",
  "PMPI_File_write_ordered_end",
  "PMPI_File_write_shared",
  "PMPI_File_write_shared_c",
  "PMPI_Register_datarep",
  "PMPI_Register_datarep_c",
  "PMPI_File_fromint",
  "PMPI_File_toint",
  "PMPI_Comm_fromint",
  "PMPI_Comm_toint",
  "PMPI_Errhandler_fromint",
  "PMPI_Errhandler_toint",
  "PMPI_Group_fromint",
  "PMPI_Group_toint",
  "PMPI_Info_fromint",
  "PMPI_Info_toint",
  "PMPI_Message_fromint",
  "PMPI_Message_toint",
  "PMPI_Op_fromint",
  "PMPI_Op_toint",
  "PMPI_Request_fromint",
  "PMPI_Request_toint",
  "PMPI_Session_fromint",
  "PMPI_Session_toint",
  "PMPI_Type_fromint",
  "PMPI_Type_toint",
  "PMPI_Win_fromint",
  "PMPI_Win_toint",
};
void *our[607];
extern const std::size_t our_count = 607;
extern const int fn_Abort = 0;
extern const int fn_Alloc_mem = 1;
extern const int fn_Finalize = 2;
extern const int fn_Finalized = 3;
extern const int fn_Free_mem = 4;
extern const int fn_Get_hw_resource_info = 5;
extern const int fn_Get_library_version = 6;
extern const int fn_Get_processor_name = 7;
extern const int fn_Get_version = 8;
extern const int fn_Init = 9;
extern const int fn_Init_thread = 10;
extern const int fn_Initialized = 11;
extern const int fn_Is_thread_main = 12;
extern const int fn_Pcontrol = 13;
extern const int fn_Query_thread = 14;
extern const int fn_Wtick = 15;
extern const int fn_Wtime = 16;
extern const int fn_Add_error_class = 17;
extern const int fn_Add_error_code = 18;
extern const int fn_Add_error_string = 19;
extern const int fn_Comm_call_errhandler = 20;
extern const int fn_Comm_create_errhandler = 21;
extern const int fn_Comm_get_errhandler = 22;
extern const int fn_Comm_set_errhandler = 23;
extern const int fn_Errhandler_free = 24;
extern const int fn_Error_class = 25;
extern const int fn_Error_string = 26;
extern const int fn_Remove_error_class = 27;
extern const int fn_Remove_error_code = 28;
extern const int fn_Remove_error_string = 29;
extern const int fn_Info_create = 30;
extern const int fn_Info_create_env = 31;
extern const int fn_Info_delete = 32;
extern const int fn_Info_dup = 33;
extern const int fn_Info_free = 34;
extern const int fn_Info_get = 35;
extern const int fn_Info_get_nkeys = 36;
extern const int fn_Info_get_nthkey = 37;
extern const int fn_Info_get_string = 38;
extern const int fn_Info_get_valuelen = 39;
extern const int fn_Info_set = 40;
extern const int fn_Bsend = 41;
extern const int fn_Bsend_c = 42;
extern const int fn_Bsend_init = 43;
extern const int fn_Bsend_init_c = 44;
extern const int fn_Buffer_attach = 45;
extern const int fn_Buffer_attach_c = 46;
extern const int fn_Buffer_detach = 47;
extern const int fn_Buffer_detach_c = 48;
extern const int fn_Buffer_flush = 49;
extern const int fn_Buffer_iflush = 50;
extern const int fn_Comm_attach_buffer = 51;
extern const int fn_Comm_attach_buffer_c = 52;
extern const int fn_Comm_detach_buffer = 53;
extern const int fn_Comm_detach_buffer_c = 54;
extern const int fn_Comm_flush_buffer = 55;
extern const int fn_Comm_iflush_buffer = 56;
extern const int fn_Ibsend = 57;
extern const int fn_Ibsend_c = 58;
extern const int fn_Improbe = 59;
extern const int fn_Imrecv = 60;
extern const int fn_Imrecv_c = 61;
extern const int fn_Iprobe = 62;
extern const int fn_Irecv = 63;
extern const int fn_Irecv_c = 64;
extern const int fn_Irsend = 65;
extern const int fn_Irsend_c = 66;
extern const int fn_Isend = 67;
extern const int fn_Isend_c = 68;
extern const int fn_Isendrecv = 69;
extern const int fn_Isendrecv_c = 70;
extern const int fn_Isendrecv_replace = 71;
extern const int fn_Isendrecv_replace_c = 72;
extern const int fn_Issend = 73;
extern const int fn_Issend_c = 74;
extern const int fn_Mprobe = 75;
extern const int fn_Mrecv = 76;
extern const int fn_Mrecv_c = 77;
extern const int fn_Probe = 78;
extern const int fn_Recv = 79;
extern const int fn_Recv_c = 80;
extern const int fn_Recv_init = 81;
extern const int fn_Recv_init_c = 82;
extern const int fn_Rsend = 83;
extern const int fn_Rsend_c = 84;
extern const int fn_Rsend_init = 85;
extern const int fn_Rsend_init_c = 86;
extern const int fn_Send = 87;
extern const int fn_Send_c = 88;
extern const int fn_Send_init = 89;
extern const int fn_Send_init_c = 90;
extern const int fn_Sendrecv = 91;
extern const int fn_Sendrecv_c = 92;
extern const int fn_Sendrecv_replace = 93;
extern const int fn_Sendrecv_replace_c = 94;
extern const int fn_Ssend = 95;
extern const int fn_Ssend_c = 96;
extern const int fn_Ssend_init = 97;
extern const int fn_Ssend_init_c = 98;
extern const int fn_Cancel = 99;
extern const int fn_Get_count = 100;
extern const int fn_Get_count_c = 101;
extern const int fn_Get_elements = 102;
extern const int fn_Get_elements_c = 103;
extern const int fn_Get_elements_x = 104;
extern const int fn_Grequest_complete = 105;
extern const int fn_Grequest_start = 106;
extern const int fn_Request_free = 107;
extern const int fn_Request_get_status = 108;
extern const int fn_Request_get_status_all = 109;
extern const int fn_Request_get_status_any = 110;
extern const int fn_Request_get_status_some = 111;
extern const int fn_Start = 112;
extern const int fn_Startall = 113;
extern const int fn_Status_get_error = 114;
extern const int fn_Status_get_source = 115;
extern const int fn_Status_get_tag = 116;
extern const int fn_Status_set_cancelled = 117;
extern const int fn_Status_set_elements = 118;
extern const int fn_Status_set_elements_c = 119;
extern const int fn_Status_set_elements_x = 120;
extern const int fn_Status_set_error = 121;
extern const int fn_Status_set_source = 122;
extern const int fn_Status_set_tag = 123;
extern const int fn_Test = 124;
extern const int fn_Test_cancelled = 125;
extern const int fn_Testall = 126;
extern const int fn_Testany = 127;
extern const int fn_Testsome = 128;
extern const int fn_Wait = 129;
extern const int fn_Waitall = 130;
extern const int fn_Waitany = 131;
extern const int fn_Waitsome = 132;
extern const int fn_Get_address = 133;
extern const int fn_Pack = 134;
extern const int fn_Pack_c = 135;
extern const int fn_Pack_external = 136;
extern const int fn_Pack_external_c = 137;
extern const int fn_Pack_external_size = 138;
extern const int fn_Pack_external_size_c = 139;
extern const int fn_Pack_size = 140;
extern const int fn_Pack_size_c = 141;
extern const int fn_Type_commit = 142;
extern const int fn_Type_contiguous = 143;
extern const int fn_Type_contiguous_c = 144;
extern const int fn_Type_create_darray = 145;
extern const int fn_Type_create_darray_c = 146;
extern const int fn_Type_create_f90_complex = 147;
extern const int fn_Type_create_f90_integer = 148;
extern const int fn_Type_create_f90_real = 149;
extern const int fn_Type_create_hindexed = 150;
extern const int fn_Type_create_hindexed_c = 151;
extern const int fn_Type_create_hindexed_block = 152;
extern const int fn_Type_create_hindexed_block_c = 153;
extern const int fn_Type_create_hvector = 154;
extern const int fn_Type_create_hvector_c = 155;
extern const int fn_Type_create_indexed_block = 156;
extern const int fn_Type_create_indexed_block_c = 157;
extern const int fn_Type_create_resized = 158;
extern const int fn_Type_create_resized_c = 159;
extern const int fn_Type_create_struct = 160;
extern const int fn_Type_create_struct_c = 161;
extern const int fn_Type_create_subarray = 162;
extern const int fn_Type_create_subarray_c = 163;
extern const int fn_Type_dup = 164;
extern const int fn_Type_free = 165;
extern const int fn_Type_get_contents = 166;
extern const int fn_Type_get_contents_c = 167;
extern const int fn_Type_get_envelope = 168;
extern const int fn_Type_get_envelope_c = 169;
extern const int fn_Type_get_extent = 170;
extern const int fn_Type_get_extent_c = 171;
extern const int fn_Type_get_extent_x = 172;
extern const int fn_Type_get_name = 173;
extern const int fn_Type_get_true_extent = 174;
extern const int fn_Type_get_true_extent_c = 175;
extern const int fn_Type_get_true_extent_x = 176;
extern const int fn_Type_get_value_index = 177;
extern const int fn_Type_indexed = 178;
extern const int fn_Type_indexed_c = 179;
extern const int fn_Type_match_size = 180;
extern const int fn_Type_set_name = 181;
extern const int fn_Type_size = 182;
extern const int fn_Type_size_c = 183;
extern const int fn_Type_size_x = 184;
extern const int fn_Type_vector = 185;
extern const int fn_Type_vector_c = 186;
extern const int fn_Unpack = 187;
extern const int fn_Unpack_c = 188;
extern const int fn_Unpack_external = 189;
extern const int fn_Unpack_external_c = 190;
extern const int fn_Aint_add = 191;
extern const int fn_Aint_diff = 192;
extern const int fn_Op_commutative = 193;
extern const int fn_Op_create = 194;
extern const int fn_Op_create_c = 195;
extern const int fn_Op_free = 196;
extern const int fn_Reduce_local = 197;
extern const int fn_Reduce_local_c = 198;
extern const int fn_Allgather = 199;
extern const int fn_Allgather_c = 200;
extern const int fn_Allgather_init = 201;
extern const int fn_Allgather_init_c = 202;
extern const int fn_Allgatherv = 203;
extern const int fn_Allgatherv_c = 204;
extern const int fn_Allgatherv_init = 205;
extern const int fn_Allgatherv_init_c = 206;
extern const int fn_Allreduce = 207;
extern const int fn_Allreduce_c = 208;
extern const int fn_Allreduce_init = 209;
extern const int fn_Allreduce_init_c = 210;
extern const int fn_Alltoall = 211;
extern const int fn_Alltoall_c = 212;
extern const int fn_Alltoall_init = 213;
extern const int fn_Alltoall_init_c = 214;
extern const int fn_Alltoallv = 215;
extern const int fn_Alltoallv_c = 216;
extern const int fn_Alltoallv_init = 217;
extern const int fn_Alltoallv_init_c = 218;
extern const int fn_Alltoallw = 219;
extern const int fn_Alltoallw_c = 220;
extern const int fn_Alltoallw_init = 221;
extern const int fn_Alltoallw_init_c = 222;
extern const int fn_Barrier = 223;
extern const int fn_Barrier_init = 224;
extern const int fn_Bcast = 225;
extern const int fn_Bcast_c = 226;
extern const int fn_Bcast_init = 227;
extern const int fn_Bcast_init_c = 228;
extern const int fn_Exscan = 229;
extern const int fn_Exscan_c = 230;
extern const int fn_Exscan_init = 231;
extern const int fn_Exscan_init_c = 232;
extern const int fn_Gather = 233;
extern const int fn_Gather_c = 234;
extern const int fn_Gather_init = 235;
extern const int fn_Gather_init_c = 236;
extern const int fn_Gatherv = 237;
extern const int fn_Gatherv_c = 238;
extern const int fn_Gatherv_init = 239;
extern const int fn_Gatherv_init_c = 240;
extern const int fn_Iallgather = 241;
extern const int fn_Iallgather_c = 242;
extern const int fn_Iallgatherv = 243;
extern const int fn_Iallgatherv_c = 244;
extern const int fn_Iallreduce = 245;
extern const int fn_Iallreduce_c = 246;
extern const int fn_Ialltoall = 247;
extern const int fn_Ialltoall_c = 248;
extern const int fn_Ialltoallv = 249;
extern const int fn_Ialltoallv_c = 250;
extern const int fn_Ialltoallw = 251;
extern const int fn_Ialltoallw_c = 252;
extern const int fn_Ibarrier = 253;
extern const int fn_Ibcast = 254;
extern const int fn_Ibcast_c = 255;
extern const int fn_Iexscan = 256;
extern const int fn_Iexscan_c = 257;
extern const int fn_Igather = 258;
extern const int fn_Igather_c = 259;
extern const int fn_Igatherv = 260;
extern const int fn_Igatherv_c = 261;
extern const int fn_Ineighbor_allgather = 262;
extern const int fn_Ineighbor_allgather_c = 263;
extern const int fn_Ineighbor_allgatherv = 264;
extern const int fn_Ineighbor_allgatherv_c = 265;
extern const int fn_Ineighbor_alltoall = 266;
extern const int fn_Ineighbor_alltoall_c = 267;
extern const int fn_Ineighbor_alltoallv = 268;
extern const int fn_Ineighbor_alltoallv_c = 269;
extern const int fn_Ineighbor_alltoallw = 270;
extern const int fn_Ineighbor_alltoallw_c = 271;
extern const int fn_Ireduce = 272;
extern const int fn_Ireduce_c = 273;
extern const int fn_Ireduce_scatter = 274;
extern const int fn_Ireduce_scatter_c = 275;
extern const int fn_Ireduce_scatter_block = 276;
extern const int fn_Ireduce_scatter_block_c = 277;
extern const int fn_Iscan = 278;
extern const int fn_Iscan_c = 279;
extern const int fn_Iscatter = 280;
extern const int fn_Iscatter_c = 281;
extern const int fn_Iscatterv = 282;
extern const int fn_Iscatterv_c = 283;
extern const int fn_Neighbor_allgather = 284;
extern const int fn_Neighbor_allgather_c = 285;
extern const int fn_Neighbor_allgather_init = 286;
extern const int fn_Neighbor_allgather_init_c = 287;
extern const int fn_Neighbor_allgatherv = 288;
extern const int fn_Neighbor_allgatherv_c = 289;
extern const int fn_Neighbor_allgatherv_init = 290;
extern const int fn_Neighbor_allgatherv_init_c = 291;
extern const int fn_Neighbor_alltoall = 292;
extern const int fn_Neighbor_alltoall_c = 293;
extern const int fn_Neighbor_alltoall_init = 294;
extern const int fn_Neighbor_alltoall_init_c = 295;
extern const int fn_Neighbor_alltoallv = 296;
extern const int fn_Neighbor_alltoallv_c = 297;
extern const int fn_Neighbor_alltoallv_init = 298;
extern const int fn_Neighbor_alltoallv_init_c = 299;
extern const int fn_Neighbor_alltoallw = 300;
extern const int fn_Neighbor_alltoallw_c = 301;
extern const int fn_Neighbor_alltoallw_init = 302;
extern const int fn_Neighbor_alltoallw_init_c = 303;
extern const int fn_Reduce = 304;
extern const int fn_Reduce_c = 305;
extern const int fn_Reduce_init = 306;
extern const int fn_Reduce_init_c = 307;
extern const int fn_Reduce_scatter = 308;
extern const int fn_Reduce_scatter_c = 309;
extern const int fn_Reduce_scatter_block = 310;
extern const int fn_Reduce_scatter_block_c = 311;
extern const int fn_Reduce_scatter_block_init = 312;
extern const int fn_Reduce_scatter_block_init_c = 313;
extern const int fn_Reduce_scatter_init = 314;
extern const int fn_Reduce_scatter_init_c = 315;
extern const int fn_Scan = 316;
extern const int fn_Scan_c = 317;
extern const int fn_Scan_init = 318;
extern const int fn_Scan_init_c = 319;
extern const int fn_Scatter = 320;
extern const int fn_Scatter_c = 321;
extern const int fn_Scatter_init = 322;
extern const int fn_Scatter_init_c = 323;
extern const int fn_Scatterv = 324;
extern const int fn_Scatterv_c = 325;
extern const int fn_Scatterv_init = 326;
extern const int fn_Scatterv_init_c = 327;
extern const int fn_Group_compare = 328;
extern const int fn_Group_difference = 329;
extern const int fn_Group_excl = 330;
extern const int fn_Group_free = 331;
extern const int fn_Group_incl = 332;
extern const int fn_Group_intersection = 333;
extern const int fn_Group_range_excl = 334;
extern const int fn_Group_range_incl = 335;
extern const int fn_Group_rank = 336;
extern const int fn_Group_size = 337;
extern const int fn_Group_translate_ranks = 338;
extern const int fn_Group_union = 339;
extern const int fn_Comm_compare = 340;
extern const int fn_Comm_create = 341;
extern const int fn_Comm_create_group = 342;
extern const int fn_Comm_dup = 343;
extern const int fn_Comm_dup_with_info = 344;
extern const int fn_Comm_free = 345;
extern const int fn_Comm_get_info = 346;
extern const int fn_Comm_get_name = 347;
extern const int fn_Comm_group = 348;
extern const int fn_Comm_idup = 349;
extern const int fn_Comm_idup_with_info = 350;
extern const int fn_Comm_rank = 351;
extern const int fn_Comm_remote_group = 352;
extern const int fn_Comm_remote_size = 353;
extern const int fn_Comm_set_info = 354;
extern const int fn_Comm_set_name = 355;
extern const int fn_Comm_size = 356;
extern const int fn_Comm_split = 357;
extern const int fn_Comm_split_type = 358;
extern const int fn_Comm_test_inter = 359;
extern const int fn_Intercomm_create = 360;
extern const int fn_Intercomm_merge = 361;
extern const int fn_Attr_delete = 362;
extern const int fn_Attr_get = 363;
extern const int fn_Attr_put = 364;
extern const int fn_Comm_create_keyval = 365;
extern const int fn_Comm_delete_attr = 366;
extern const int fn_Comm_free_keyval = 367;
extern const int fn_Comm_get_attr = 368;
extern const int fn_Comm_set_attr = 369;
extern const int fn_Keyval_create = 370;
extern const int fn_Keyval_free = 371;
extern const int fn_Type_create_keyval = 372;
extern const int fn_Type_delete_attr = 373;
extern const int fn_Type_free_keyval = 374;
extern const int fn_Type_get_attr = 375;
extern const int fn_Type_set_attr = 376;
extern const int fn_Cart_coords = 377;
extern const int fn_Cart_create = 378;
extern const int fn_Cart_get = 379;
extern const int fn_Cart_map = 380;
extern const int fn_Cart_rank = 381;
extern const int fn_Cart_shift = 382;
extern const int fn_Cart_sub = 383;
extern const int fn_Cartdim_get = 384;
extern const int fn_Dims_create = 385;
extern const int fn_Dist_graph_create = 386;
extern const int fn_Dist_graph_create_adjacent = 387;
extern const int fn_Dist_graph_neighbors = 388;
extern const int fn_Dist_graph_neighbors_count = 389;
extern const int fn_Graph_create = 390;
extern const int fn_Graph_get = 391;
extern const int fn_Graph_map = 392;
extern const int fn_Graph_neighbors = 393;
extern const int fn_Graph_neighbors_count = 394;
extern const int fn_Graphdims_get = 395;
extern const int fn_Topo_test = 396;
extern const int fn_Parrived = 397;
extern const int fn_Pready = 398;
extern const int fn_Pready_list = 399;
extern const int fn_Pready_range = 400;
extern const int fn_Precv_init = 401;
extern const int fn_Precv_init_c = 402;
extern const int fn_Psend_init = 403;
extern const int fn_Psend_init_c = 404;
extern const int fn_Accumulate = 405;
extern const int fn_Accumulate_c = 406;
extern const int fn_Compare_and_swap = 407;
extern const int fn_Fetch_and_op = 408;
extern const int fn_Get = 409;
extern const int fn_Get_c = 410;
extern const int fn_Get_accumulate = 411;
extern const int fn_Get_accumulate_c = 412;
extern const int fn_Put = 413;
extern const int fn_Put_c = 414;
extern const int fn_Raccumulate = 415;
extern const int fn_Raccumulate_c = 416;
extern const int fn_Rget = 417;
extern const int fn_Rget_c = 418;
extern const int fn_Rget_accumulate = 419;
extern const int fn_Rget_accumulate_c = 420;
extern const int fn_Rput = 421;
extern const int fn_Rput_c = 422;
extern const int fn_Win_allocate = 423;
extern const int fn_Win_allocate_c = 424;
extern const int fn_Win_allocate_shared = 425;
extern const int fn_Win_allocate_shared_c = 426;
extern const int fn_Win_attach = 427;
extern const int fn_Win_call_errhandler = 428;
extern const int fn_Win_complete = 429;
extern const int fn_Win_create = 430;
extern const int fn_Win_create_c = 431;
extern const int fn_Win_create_dynamic = 432;
extern const int fn_Win_create_errhandler = 433;
extern const int fn_Win_create_keyval = 434;
extern const int fn_Win_delete_attr = 435;
extern const int fn_Win_detach = 436;
extern const int fn_Win_fence = 437;
extern const int fn_Win_flush = 438;
extern const int fn_Win_flush_all = 439;
extern const int fn_Win_flush_local = 440;
extern const int fn_Win_flush_local_all = 441;
extern const int fn_Win_free = 442;
extern const int fn_Win_free_keyval = 443;
extern const int fn_Win_get_attr = 444;
extern const int fn_Win_get_errhandler = 445;
extern const int fn_Win_get_group = 446;
extern const int fn_Win_get_info = 447;
extern const int fn_Win_get_name = 448;
extern const int fn_Win_lock = 449;
extern const int fn_Win_lock_all = 450;
extern const int fn_Win_post = 451;
extern const int fn_Win_set_attr = 452;
extern const int fn_Win_set_errhandler = 453;
extern const int fn_Win_set_info = 454;
extern const int fn_Win_set_name = 455;
extern const int fn_Win_shared_query = 456;
extern const int fn_Win_shared_query_c = 457;
extern const int fn_Win_start = 458;
extern const int fn_Win_sync = 459;
extern const int fn_Win_test = 460;
extern const int fn_Win_unlock = 461;
extern const int fn_Win_unlock_all = 462;
extern const int fn_Win_wait = 463;
extern const int fn_Comm_create_from_group = 464;
extern const int fn_Group_from_session_pset = 465;
extern const int fn_Intercomm_create_from_groups = 466;
extern const int fn_Session_attach_buffer = 467;
extern const int fn_Session_attach_buffer_c = 468;
extern const int fn_Session_call_errhandler = 469;
extern const int fn_Session_create_errhandler = 470;
extern const int fn_Session_detach_buffer = 471;
extern const int fn_Session_detach_buffer_c = 472;
extern const int fn_Session_finalize = 473;
extern const int fn_Session_flush_buffer = 474;
extern const int fn_Session_get_errhandler = 475;
extern const int fn_Session_get_info = 476;
extern const int fn_Session_get_nth_pset = 477;
extern const int fn_Session_get_num_psets = 478;
extern const int fn_Session_get_pset_info = 479;
extern const int fn_Session_iflush_buffer = 480;
extern const int fn_Session_init = 481;
extern const int fn_Session_set_errhandler = 482;
extern const int fn_Close_port = 483;
extern const int fn_Comm_accept = 484;
extern const int fn_Comm_connect = 485;
extern const int fn_Comm_disconnect = 486;
extern const int fn_Comm_get_parent = 487;
extern const int fn_Comm_join = 488;
extern const int fn_Comm_spawn = 489;
extern const int fn_Comm_spawn_multiple = 490;
extern const int fn_Lookup_name = 491;
extern const int fn_Open_port = 492;
extern const int fn_Publish_name = 493;
extern const int fn_Unpublish_name = 494;
extern const int fn_File_call_errhandler = 495;
extern const int fn_File_close = 496;
extern const int fn_File_create_errhandler = 497;
extern const int fn_File_delete = 498;
extern const int fn_File_get_amode = 499;
extern const int fn_File_get_atomicity = 500;
extern const int fn_File_get_byte_offset = 501;
extern const int fn_File_get_errhandler = 502;
extern const int fn_File_get_group = 503;
extern const int fn_File_get_info = 504;
extern const int fn_File_get_position = 505;
extern const int fn_File_get_position_shared = 506;
extern const int fn_File_get_size = 507;
extern const int fn_File_get_type_extent = 508;
extern const int fn_File_get_type_extent_c = 509;
extern const int fn_File_get_view = 510;
extern const int fn_File_iread = 511;
extern const int fn_File_iread_c = 512;
extern const int fn_File_iread_all = 513;
extern const int fn_File_iread_all_c = 514;
extern const int fn_File_iread_at = 515;
extern const int fn_File_iread_at_c = 516;
extern const int fn_File_iread_at_all = 517;
extern const int fn_File_iread_at_all_c = 518;
extern const int fn_File_iread_shared = 519;
extern const int fn_File_iread_shared_c = 520;
extern const int fn_File_iwrite = 521;
extern const int fn_File_iwrite_c = 522;
extern const int fn_File_iwrite_all = 523;
extern const int fn_File_iwrite_all_c = 524;
extern const int fn_File_iwrite_at = 525;
extern const int fn_File_iwrite_at_c = 526;
extern const int fn_File_iwrite_at_all = 527;
extern const int fn_File_iwrite_at_all_c = 528;
extern const int fn_File_iwrite_shared = 529;
extern const int fn_File_iwrite_shared_c = 530;
extern const int fn_File_open = 531;
extern const int fn_File_preallocate = 532;
extern const int fn_File_read = 533;
extern const int fn_File_read_c = 534;
extern const int fn_File_read_all = 535;
extern const int fn_File_read_all_c = 536;
extern const int fn_File_read_all_begin = 537;
extern const int fn_File_read_all_begin_c = 538;
extern const int fn_File_read_all_end = 539;
extern const int fn_File_read_at = 540;
extern const int fn_File_read_at_c = 541;
extern const int fn_File_read_at_all = 542;
extern const int fn_File_read_at_all_c = 543;
extern const int fn_File_read_at_all_begin = 544;
extern const int fn_File_read_at_all_begin_c = 545;
extern const int fn_File_read_at_all_end = 546;
extern const int fn_File_read_ordered = 547;
extern const int fn_File_read_ordered_c = 548;
extern const int fn_File_read_ordered_begin = 549;
extern const int fn_File_read_ordered_begin_c = 550;
extern const int fn_File_read_ordered_end = 551;
extern const int fn_File_read_shared = 552;
extern const int fn_File_read_shared_c = 553;
extern const int fn_File_seek = 554;
extern const int fn_File_seek_shared = 555;
extern const int fn_File_set_atomicity = 556;
extern const int fn_File_set_errhandler = 557;
extern const int fn_File_set_info = 558;
extern const int fn_File_set_size = 559;
extern const int fn_File_set_view = 560;
extern const int fn_File_sync = 561;
extern const int fn_File_write = 562;
extern const int fn_File_write_c = 563;
extern const int fn_File_write_all = 564;
extern const int fn_File_write_all_c = 565;
extern const int fn_File_write_all_begin = 566;
extern const int fn_File_write_all_begin_c = 567;
extern const int fn_File_write_all_end = 568;
extern const int fn_File_write_at = 569;
extern const int fn_File_write_at_c = 570;
extern const int fn_File_write_at_all = 571;
extern const int fn_File_write_at_all_c = 572;
extern const int fn_File_write_at_all_begin = 573;
extern const int fn_File_write_at_all_begin_c = 574;
extern const int fn_File_write_at_all_end = 575;
extern const int fn_File_write_ordered = 576;
extern const int fn_File_write_ordered_c = 577;
extern const int fn_File_write_ordered_begin = 578;
extern const int fn_File_write_ordered_begin_c = 579;
extern const int fn_File_write_ordered_end = 580;
extern const int fn_File_write_shared = 581;
extern const int fn_File_write_shared_c = 582;
extern const int fn_Register_datarep = 583;
extern const int fn_Register_datarep_c = 584;
extern const int fn_File_fromint = 585;
extern const int fn_File_toint = 586;
extern const int fn_Comm_fromint = 587;
extern const int fn_Comm_toint = 588;
extern const int fn_Errhandler_fromint = 589;
extern const int fn_Errhandler_toint = 590;
extern const int fn_Group_fromint = 591;
extern const int fn_Group_toint = 592;
extern const int fn_Info_fromint = 593;
extern const int fn_Info_toint = 594;
extern const int fn_Message_fromint = 595;
extern const int fn_Message_toint = 596;
extern const int fn_Op_fromint = 597;
extern const int fn_Op_toint = 598;
extern const int fn_Request_fromint = 599;
extern const int fn_Request_toint = 600;
extern const int fn_Session_fromint = 601;
extern const int fn_Session_toint = 602;
extern const int fn_Type_fromint = 603;
extern const int fn_Type_toint = 604;
extern const int fn_Win_fromint = 605;
extern const int fn_Win_toint = 606;

int error_to_new(int v) noexcept {
  switch (v) {
    case 0: return MPI_SUCCESS;
    case 1: return MPI_ERR_BUFFER;
    case 2: return MPI_ERR_COUNT;
    case 3: return MPI_ERR_TYPE;
    case 4: return MPI_ERR_TAG;
    case 5: return MPI_ERR_COMM;
    case 6: return MPI_ERR_RANK;
    case 19: return MPI_ERR_REQUEST;
    case 7: return MPI_ERR_ROOT;
    case 8: return MPI_ERR_GROUP;
    case 9: return MPI_ERR_OP;
    case 10: return MPI_ERR_TOPOLOGY;
    case 11: return MPI_ERR_DIMS;
    case 12: return MPI_ERR_ARG;
    case 13: return MPI_ERR_UNKNOWN;
    case 14: return MPI_ERR_TRUNCATE;
    case 15: return MPI_ERR_OTHER;
    case 16: return MPI_ERR_INTERN;
    case 18: return MPI_ERR_PENDING;
    case 17: return MPI_ERR_IN_STATUS;
    case 20: return MPI_ERR_ACCESS;
    case 21: return MPI_ERR_AMODE;
    case 53: return MPI_ERR_ASSERT;
    case 22: return MPI_ERR_BAD_FILE;
    case 46: return MPI_ERR_BASE;
    case 23: return MPI_ERR_CONVERSION;
    case 52: return MPI_ERR_DISP;
    case 24: return MPI_ERR_DUP_DATAREP;
    case 25: return MPI_ERR_FILE_EXISTS;
    case 26: return MPI_ERR_FILE_IN_USE;
    case 27: return MPI_ERR_FILE;
    case 29: return MPI_ERR_INFO_KEY;
    case 31: return MPI_ERR_INFO_NOKEY;
    case 30: return MPI_ERR_INFO_VALUE;
    case 28: return MPI_ERR_INFO;
    case 32: return MPI_ERR_IO;
    case 48: return MPI_ERR_KEYVAL;
    case 47: return MPI_ERR_LOCKTYPE;
    case 33: return MPI_ERR_NAME;
    case 34: return MPI_ERR_NO_MEM;
    case 35: return MPI_ERR_NOT_SAME;
    case 36: return MPI_ERR_NO_SPACE;
    case 37: return MPI_ERR_NO_SUCH_FILE;
    case 38: return MPI_ERR_PORT;
    case 39: return MPI_ERR_QUOTA;
    case 40: return MPI_ERR_READ_ONLY;
    case 56: return MPI_ERR_RMA_ATTACH;
    case 49: return MPI_ERR_RMA_CONFLICT;
    case 55: return MPI_ERR_RMA_RANGE;
    case 57: return MPI_ERR_RMA_SHARED;
    case 50: return MPI_ERR_RMA_SYNC;
    case 41: return MPI_ERR_SERVICE;
    case 51: return MPI_ERR_SIZE;
    case 42: return MPI_ERR_SPAWN;
    case 43: return MPI_ERR_UNSUPPORTED_DATAREP;
    case 44: return MPI_ERR_UNSUPPORTED_OPERATION;
    case 45: return MPI_ERR_WIN;
    case 58: return MPI_ERR_RMA_FLAVOR;
    case 76: return MPI_ERR_PROC_ABORTED;
    case 77: return MPI_ERR_VALUE_TOO_LARGE;
    case 75: return MPI_ERR_SESSION;
    case 61: return MPI_T_ERR_CANNOT_INIT;
    case 60: return MPI_T_ERR_NOT_INITIALIZED;
    case 78: return MPI_T_ERR_NOT_SUPPORTED;
    case 59: return MPI_T_ERR_MEMORY;
    case 74: return MPI_T_ERR_INVALID;
    case 62: return MPI_T_ERR_INVALID_INDEX;
    case 63: return MPI_T_ERR_INVALID_ITEM;
    case 67: return MPI_T_ERR_INVALID_SESSION;
    case 64: return MPI_T_ERR_INVALID_HANDLE;
    case 73: return MPI_T_ERR_INVALID_NAME;
    case 65: return MPI_T_ERR_OUT_OF_HANDLES;
    case 66: return MPI_T_ERR_OUT_OF_SESSIONS;
    case 68: return MPI_T_ERR_CVAR_SET_NOT_NOW;
    case 69: return MPI_T_ERR_CVAR_SET_NEVER;
    case 71: return MPI_T_ERR_PVAR_NO_WRITE;
    case 70: return MPI_T_ERR_PVAR_NO_STARTSTOP;
    case 72: return MPI_T_ERR_PVAR_NO_ATOMIC;
    case 0x3fffffff: return MPI_ERR_LASTCODE;
    default: return other_error_to_new(v);
  }
}
int error_to_old(int v) noexcept {
  switch (v) {
    case MPI_SUCCESS: return 0;
    case MPI_ERR_BUFFER: return 1;
    case MPI_ERR_COUNT: return 2;
    case MPI_ERR_TYPE: return 3;
    case MPI_ERR_TAG: return 4;
    case MPI_ERR_COMM: return 5;
    case MPI_ERR_RANK: return 6;
    case MPI_ERR_REQUEST: return 19;
    case MPI_ERR_ROOT: return 7;
    case MPI_ERR_GROUP: return 8;
    case MPI_ERR_OP: return 9;
    case MPI_ERR_TOPOLOGY: return 10;
    case MPI_ERR_DIMS: return 11;
    case MPI_ERR_ARG: return 12;
    case MPI_ERR_UNKNOWN: return 13;
    case MPI_ERR_TRUNCATE: return 14;
    case MPI_ERR_OTHER: return 15;
    case MPI_ERR_INTERN: return 16;
    case MPI_ERR_PENDING: return 18;
    case MPI_ERR_IN_STATUS: return 17;
    case MPI_ERR_ACCESS: return 20;
    case MPI_ERR_AMODE: return 21;
    case MPI_ERR_ASSERT: return 53;
    case MPI_ERR_BAD_FILE: return 22;
    case MPI_ERR_BASE: return 46;
    case MPI_ERR_CONVERSION: return 23;
    case MPI_ERR_DISP: return 52;
    case MPI_ERR_DUP_DATAREP: return 24;
    case MPI_ERR_FILE_EXISTS: return 25;
    case MPI_ERR_FILE_IN_USE: return 26;
    case MPI_ERR_FILE: return 27;
    case MPI_ERR_INFO_KEY: return 29;
    case MPI_ERR_INFO_NOKEY: return 31;
    case MPI_ERR_INFO_VALUE: return 30;
    case MPI_ERR_INFO: return 28;
    case MPI_ERR_IO: return 32;
    case MPI_ERR_KEYVAL: return 48;
    case MPI_ERR_LOCKTYPE: return 47;
    case MPI_ERR_NAME: return 33;
    case MPI_ERR_NO_MEM: return 34;
    case MPI_ERR_NOT_SAME: return 35;
    case MPI_ERR_NO_SPACE: return 36;
    case MPI_ERR_NO_SUCH_FILE: return 37;
    case MPI_ERR_PORT: return 38;
    case MPI_ERR_QUOTA: return 39;
    case MPI_ERR_READ_ONLY: return 40;
    case MPI_ERR_RMA_ATTACH: return 56;
    case MPI_ERR_RMA_CONFLICT: return 49;
    case MPI_ERR_RMA_RANGE: return 55;
    case MPI_ERR_RMA_SHARED: return 57;
    case MPI_ERR_RMA_SYNC: return 50;
    case MPI_ERR_SERVICE: return 41;
    case MPI_ERR_SIZE: return 51;
    case MPI_ERR_SPAWN: return 42;
    case MPI_ERR_UNSUPPORTED_DATAREP: return 43;
    case MPI_ERR_UNSUPPORTED_OPERATION: return 44;
    case MPI_ERR_WIN: return 45;
    case MPI_ERR_RMA_FLAVOR: return 58;
    case MPI_ERR_PROC_ABORTED: return 76;
    case MPI_ERR_VALUE_TOO_LARGE: return 77;
    case MPI_ERR_SESSION: return 75;
    case MPI_T_ERR_CANNOT_INIT: return 61;
    case MPI_T_ERR_NOT_INITIALIZED: return 60;
    case MPI_T_ERR_NOT_SUPPORTED: return 78;
    case MPI_T_ERR_MEMORY: return 59;
    case MPI_T_ERR_INVALID: return 74;
    case MPI_T_ERR_INVALID_INDEX: return 62;
    case MPI_T_ERR_INVALID_ITEM: return 63;
    case MPI_T_ERR_INVALID_SESSION: return 67;
    case MPI_T_ERR_INVALID_HANDLE: return 64;
    case MPI_T_ERR_INVALID_NAME: return 73;
    case MPI_T_ERR_OUT_OF_HANDLES: return 65;
    case MPI_T_ERR_OUT_OF_SESSIONS: return 66;
    case MPI_T_ERR_CVAR_SET_NOT_NOW: return 68;
    case MPI_T_ERR_CVAR_SET_NEVER: return 69;
    case MPI_T_ERR_PVAR_NO_WRITE: return 71;
    case MPI_T_ERR_PVAR_NO_STARTSTOP: return 70;
    case MPI_T_ERR_PVAR_NO_ATOMIC: return 72;
    case MPI_ERR_LASTCODE: return 0x3fffffff;
    default: return other_error_to_old(v);
  }
}
int thread_to_new(int v) noexcept {
  switch (v) {
    case 0: return MPI_THREAD_SINGLE;
    case 1: return MPI_THREAD_FUNNELED;
    case 2: return MPI_THREAD_SERIALIZED;
    case 3: return MPI_THREAD_MULTIPLE;
    default: return v;
  }
}
int thread_to_old(int v) noexcept {
  switch (v) {
    case MPI_THREAD_SINGLE: return 0;
    case MPI_THREAD_FUNNELED: return 1;
    case MPI_THREAD_SERIALIZED: return 2;
    case MPI_THREAD_MULTIPLE: return 3;
    default: return v;
  }
}
int compare_to_new(int v) noexcept {
  switch (v) {
    case 0: return MPI_IDENT;
    case 1: return MPI_CONGRUENT;
    case 2: return MPI_SIMILAR;
    case 3: return MPI_UNEQUAL;
    default: return v;
  }
}
int compare_to_old(int v) noexcept {
  switch (v) {
    case MPI_IDENT: return 0;
    case MPI_CONGRUENT: return 1;
    case MPI_SIMILAR: return 2;
    case MPI_UNEQUAL: return 3;
    default: return v;
  }
}
int topology_to_new(int v) noexcept {
  switch (v) {
    case 2: return MPI_CART;
    case 1: return MPI_GRAPH;
    case 3: return MPI_DIST_GRAPH;
    default: return v;
  }
}
int topology_to_old(int v) noexcept {
  switch (v) {
    case MPI_CART: return 2;
    case MPI_GRAPH: return 1;
    case MPI_DIST_GRAPH: return 3;
    default: return v;
  }
}
int rank_to_new(int v) noexcept {
  switch (v) {
    case -2: return MPI_ANY_SOURCE;
    case -1: return MPI_PROC_NULL;
    case -3: return MPI_ROOT;
    case MPI_ROOT: return no_value;
    default: return v;
  }
}
int rank_to_old(int v) noexcept {
  switch (v) {
    case MPI_ANY_SOURCE: return -2;
    case MPI_PROC_NULL: return -1;
    case MPI_ROOT: return -3;
    default: return v;
  }
}
int tag_to_new(int v) noexcept {
  switch (v) {
    case -1: return MPI_ANY_TAG;
    case MPI_ANY_TAG: return no_value;
    default: return v;
  }
}
int tag_to_old(int v) noexcept {
  switch (v) {
    case MPI_ANY_TAG: return -1;
    default: return v;
  }
}
int order_to_new(int v) noexcept {
  switch (v) {
    case 56: return MPI_ORDER_C;
    case 57: return MPI_ORDER_FORTRAN;
    default: return v;
  }
}
int order_to_old(int v) noexcept {
  switch (v) {
    case MPI_ORDER_C: return 56;
    case MPI_ORDER_FORTRAN: return 57;
    default: return v;
  }
}
int distribution_to_new(int v) noexcept {
  switch (v) {
    case 123: return MPI_DISTRIBUTE_NONE;
    case 121: return MPI_DISTRIBUTE_BLOCK;
    case 122: return MPI_DISTRIBUTE_CYCLIC;
    default: return v;
  }
}
int distribution_to_old(int v) noexcept {
  switch (v) {
    case MPI_DISTRIBUTE_NONE: return 123;
    case MPI_DISTRIBUTE_BLOCK: return 121;
    case MPI_DISTRIBUTE_CYCLIC: return 122;
    default: return v;
  }
}
int argument_to_new(int v) noexcept {
  switch (v) {
    case -49767: return MPI_DISTRIBUTE_DFLT_DARG;
    default: return v;
  }
}
int argument_to_old(int v) noexcept {
  switch (v) {
    case MPI_DISTRIBUTE_DFLT_DARG: return -49767;
    default: return v;
  }
}
int combiner_to_new(int v) noexcept {
  switch (v) {
    case 1: return MPI_COMBINER_NAMED;
    case 2: return MPI_COMBINER_DUP;
    case 3: return MPI_COMBINER_CONTIGUOUS;
    case 4: return MPI_COMBINER_VECTOR;
    case 6: return MPI_COMBINER_HVECTOR;
    case 7: return MPI_COMBINER_INDEXED;
    case 9: return MPI_COMBINER_HINDEXED;
    case 10: return MPI_COMBINER_INDEXED_BLOCK;
    case 19: return MPI_COMBINER_HINDEXED_BLOCK;
    case 12: return MPI_COMBINER_STRUCT;
    case 13: return MPI_COMBINER_SUBARRAY;
    case 14: return MPI_COMBINER_DARRAY;
    case 15: return MPI_COMBINER_F90_REAL;
    case 16: return MPI_COMBINER_F90_COMPLEX;
    case 17: return MPI_COMBINER_F90_INTEGER;
    case 18: return MPI_COMBINER_RESIZED;
    default: return v;
  }
}
int combiner_to_old(int v) noexcept {
  switch (v) {
    case MPI_COMBINER_NAMED: return 1;
    case MPI_COMBINER_DUP: return 2;
    case MPI_COMBINER_CONTIGUOUS: return 3;
    case MPI_COMBINER_VECTOR: return 4;
    case MPI_COMBINER_HVECTOR: return 6;
    case MPI_COMBINER_INDEXED: return 7;
    case MPI_COMBINER_HINDEXED: return 9;
    case MPI_COMBINER_INDEXED_BLOCK: return 10;
    case MPI_COMBINER_HINDEXED_BLOCK: return 19;
    case MPI_COMBINER_STRUCT: return 12;
    case MPI_COMBINER_SUBARRAY: return 13;
    case MPI_COMBINER_DARRAY: return 14;
    case MPI_COMBINER_F90_REAL: return 15;
    case MPI_COMBINER_F90_COMPLEX: return 16;
    case MPI_COMBINER_F90_INTEGER: return 17;
    case MPI_COMBINER_RESIZED: return 18;
    default: return v;
  }
}
int typeclass_to_new(int v) noexcept {
  switch (v) {
    case 2: return MPI_TYPECLASS_INTEGER;
    case 1: return MPI_TYPECLASS_REAL;
    case 3: return MPI_TYPECLASS_COMPLEX;
    default: return v;
  }
}
int typeclass_to_old(int v) noexcept {
  switch (v) {
    case MPI_TYPECLASS_INTEGER: return 2;
    case MPI_TYPECLASS_REAL: return 1;
    case MPI_TYPECLASS_COMPLEX: return 3;
    default: return v;
  }
}
int split_to_new(int v) noexcept {
  switch (v) {
    case 1: return MPI_COMM_TYPE_SHARED;
    case 3: return MPI_COMM_TYPE_HW_UNGUIDED;
    case 2: return MPI_COMM_TYPE_HW_GUIDED;
    default: return v;
  }
}
int split_to_old(int v) noexcept {
  switch (v) {
    case MPI_COMM_TYPE_SHARED: return 1;
    case MPI_COMM_TYPE_HW_UNGUIDED: return 3;
    case MPI_COMM_TYPE_HW_GUIDED: return 2;
    default: return v;
  }
}
int lock_to_new(int v) noexcept {
  switch (v) {
    case 234: return MPI_LOCK_EXCLUSIVE;
    case 235: return MPI_LOCK_SHARED;
    default: return v;
  }
}
int lock_to_old(int v) noexcept {
  switch (v) {
    case MPI_LOCK_EXCLUSIVE: return 234;
    case MPI_LOCK_SHARED: return 235;
    default: return v;
  }
}
int assertion_to_new(int v) noexcept {
  int made = 0;
  if ((v & 1024) != 0) made |= MPI_MODE_NOCHECK;
  if ((v & 8192) != 0) made |= MPI_MODE_NOPRECEDE;
  if ((v & 4096) != 0) made |= MPI_MODE_NOPUT;
  if ((v & 2048) != 0) made |= MPI_MODE_NOSTORE;
  if ((v & 16384) != 0) made |= MPI_MODE_NOSUCCEED;
  if ((v & ~(1024 | 8192 | 4096 | 2048 | 16384)) != 0) made |= no_bit;
  return made;
}
int assertion_to_old(int v) noexcept {
  int made = 0;
  if ((v & MPI_MODE_NOCHECK) != 0) made |= 1024;
  if ((v & MPI_MODE_NOPRECEDE) != 0) made |= 8192;
  if ((v & MPI_MODE_NOPUT) != 0) made |= 4096;
  if ((v & MPI_MODE_NOSTORE) != 0) made |= 2048;
  if ((v & MPI_MODE_NOSUCCEED) != 0) made |= 16384;
  return made;
}
int mode_to_new(int v) noexcept {
  int made = 0;
  if ((v & 128) != 0) made |= MPI_MODE_APPEND;
  if ((v & 1) != 0) made |= MPI_MODE_CREATE;
  if ((v & 16) != 0) made |= MPI_MODE_DELETE_ON_CLOSE;
  if ((v & 64) != 0) made |= MPI_MODE_EXCL;
  if ((v & 2) != 0) made |= MPI_MODE_RDONLY;
  if ((v & 8) != 0) made |= MPI_MODE_RDWR;
  if ((v & 256) != 0) made |= MPI_MODE_SEQUENTIAL;
  if ((v & 32) != 0) made |= MPI_MODE_UNIQUE_OPEN;
  if ((v & 4) != 0) made |= MPI_MODE_WRONLY;
  if ((v & ~(128 | 1 | 16 | 64 | 2 | 8 | 256 | 32 | 4)) != 0) made |= no_bit;
  return made;
}
int mode_to_old(int v) noexcept {
  int made = 0;
  if ((v & MPI_MODE_APPEND) != 0) made |= 128;
  if ((v & MPI_MODE_CREATE) != 0) made |= 1;
  if ((v & MPI_MODE_DELETE_ON_CLOSE) != 0) made |= 16;
  if ((v & MPI_MODE_EXCL) != 0) made |= 64;
  if ((v & MPI_MODE_RDONLY) != 0) made |= 2;
  if ((v & MPI_MODE_RDWR) != 0) made |= 8;
  if ((v & MPI_MODE_SEQUENTIAL) != 0) made |= 256;
  if ((v & MPI_MODE_UNIQUE_OPEN) != 0) made |= 32;
  if ((v & MPI_MODE_WRONLY) != 0) made |= 4;
  return made;
}
int whence_to_new(int v) noexcept {
  switch (v) {
    case 602: return MPI_SEEK_CUR;
    case 604: return MPI_SEEK_END;
    case 600: return MPI_SEEK_SET;
    default: return v;
  }
}
int whence_to_old(int v) noexcept {
  switch (v) {
    case MPI_SEEK_CUR: return 602;
    case MPI_SEEK_END: return 604;
    case MPI_SEEK_SET: return 600;
    default: return v;
  }
}
int flavor_to_new(int v) noexcept {
  switch (v) {
    case 1: return MPI_WIN_FLAVOR_CREATE;
    case 2: return MPI_WIN_FLAVOR_ALLOCATE;
    case 3: return MPI_WIN_FLAVOR_DYNAMIC;
    case 4: return MPI_WIN_FLAVOR_SHARED;
    default: return v;
  }
}
int flavor_to_old(int v) noexcept {
  switch (v) {
    case MPI_WIN_FLAVOR_CREATE: return 1;
    case MPI_WIN_FLAVOR_ALLOCATE: return 2;
    case MPI_WIN_FLAVOR_DYNAMIC: return 3;
    case MPI_WIN_FLAVOR_SHARED: return 4;
    default: return v;
  }
}
int model_to_new(int v) noexcept {
  switch (v) {
    case 2: return MPI_WIN_UNIFIED;
    case 1: return MPI_WIN_SEPARATE;
    default: return v;
  }
}
int model_to_old(int v) noexcept {
  switch (v) {
    case MPI_WIN_UNIFIED: return 2;
    case MPI_WIN_SEPARATE: return 1;
    default: return v;
  }
}
int keyval_to_new(int v) noexcept {
  switch (v) {
    case 0x24000000: return MPI_KEYVAL_INVALID;
    case 0x64400001: return MPI_TAG_UB;
    case 0x64400005: return MPI_IO;
    case 0x64400003: return MPI_HOST;
    case 0x64400007: return MPI_WTIME_IS_GLOBAL;
    case 0x6440000d: return MPI_APPNUM;
    case 0x6440000b: return MPI_LASTUSEDCODE;
    case 0x64400009: return MPI_UNIVERSE_SIZE;
    case 0x66000001: return MPI_WIN_BASE;
    case 0x66000005: return MPI_WIN_DISP_UNIT;
    case 0x66000003: return MPI_WIN_SIZE;
    case 0x66000007: return MPI_WIN_CREATE_FLAVOR;
    case 0x66000009: return MPI_WIN_MODEL;
    default: return other_keyval_to_new(v);
  }
}
int keyval_to_old(int v) noexcept {
  switch (v) {
    case MPI_KEYVAL_INVALID: return 0x24000000;
    case MPI_TAG_UB: return 0x64400001;
    case MPI_IO: return 0x64400005;
    case MPI_HOST: return 0x64400003;
    case MPI_WTIME_IS_GLOBAL: return 0x64400007;
    case MPI_APPNUM: return 0x6440000d;
    case MPI_LASTUSEDCODE: return 0x6440000b;
    case MPI_UNIVERSE_SIZE: return 0x64400009;
    case MPI_WIN_BASE: return 0x66000001;
    case MPI_WIN_DISP_UNIT: return 0x66000005;
    case MPI_WIN_SIZE: return 0x66000003;
    case MPI_WIN_CREATE_FLAVOR: return 0x66000007;
    case MPI_WIN_MODEL: return 0x66000009;
    default: return other_keyval_to_old(v);
  }
}

namespace {
const predefined handles[] = {
  {0x18000000, 0x20},  // MPI_OP_NULL
  {0x58000003, 0x21},  // MPI_SUM
  {0x58000002, 0x22},  // MPI_MIN
  {0x58000001, 0x23},  // MPI_MAX
  {0x58000004, 0x24},  // MPI_PROD
  {0x58000006, 0x28},  // MPI_BAND
  {0x58000008, 0x29},  // MPI_BOR
  {0x5800000a, 0x2a},  // MPI_BXOR
  {0x58000005, 0x30},  // MPI_LAND
  {0x58000007, 0x31},  // MPI_LOR
  {0x58000009, 0x32},  // MPI_LXOR
  {0x5800000b, 0x38},  // MPI_MINLOC
  {0x5800000c, 0x39},  // MPI_MAXLOC
  {0x5800000d, 0x3c},  // MPI_REPLACE
  {0x5800000e, 0x3d},  // MPI_NO_OP
  {0x04000000, 0x100},  // MPI_COMM_NULL
  {0x44000000, 0x101},  // MPI_COMM_WORLD
  {0x44000001, 0x102},  // MPI_COMM_SELF
  {0x08000000, 0x108},  // MPI_GROUP_NULL
  {0x48000000, 0x109},  // MPI_GROUP_EMPTY
  {0x20000000, 0x110},  // MPI_WIN_NULL
  {0x38000000, 0x120},  // MPI_SESSION_NULL
  {0x2c000000 | message_key, 0x128},  // MPI_MESSAGE_NULL
  {0x6c000000 | message_key, 0x129},  // MPI_MESSAGE_NO_PROC
  {0x1c000000, 0x130},  // MPI_INFO_NULL
  {0x5c000001, 0x131},  // MPI_INFO_ENV
  {0x14000000, 0x140},  // MPI_ERRHANDLER_NULL
  {0x54000000, 0x141},  // MPI_ERRORS_ARE_FATAL
  {0x54000003, 0x142},  // MPI_ERRORS_ABORT
  {0x54000001, 0x143},  // MPI_ERRORS_RETURN
  {0x2c000000, 0x180},  // MPI_REQUEST_NULL
  {0x0c000000, 0x200},  // MPI_DATATYPE_NULL
  {0x4c000843, 0x201},  // MPI_AINT
  {0x4c000845, 0x202},  // MPI_COUNT
  {0x4c000844, 0x203},  // MPI_OFFSET
  {0x4c00010f, 0x207},  // MPI_PACKED
  {0x4c000203, 0x208},  // MPI_SHORT
  {0x4c000405, 0x209},  // MPI_INT
  {0x4c000807, 0x20a},  // MPI_LONG
  {0x4c000809, 0x20b},  // MPI_LONG_LONG
  {0x4c000204, 0x20c},  // MPI_UNSIGNED_SHORT
  {0x4c000406, 0x20d},  // MPI_UNSIGNED
  {0x4c000808, 0x20e},  // MPI_UNSIGNED_LONG
  {0x4c000819, 0x20f},  // MPI_UNSIGNED_LONG_LONG
  {0x4c00040a, 0x210},  // MPI_FLOAT
  {0x4c000840, 0x212},  // MPI_C_FLOAT_COMPLEX
  {0x4c000834, 0x213},  // MPI_CXX_FLOAT_COMPLEX
  {0x4c00080b, 0x214},  // MPI_DOUBLE
  {0x4c001041, 0x216},  // MPI_C_DOUBLE_COMPLEX
  {0x4c001035, 0x217},  // MPI_CXX_DOUBLE_COMPLEX
  {0x4c00041d, 0x218},  // MPI_LOGICAL
  {0x4c00041b, 0x219},  // MPI_INTEGER
  {0x4c00041c, 0x21a},  // MPI_REAL
  {0x4c00081e, 0x21b},  // MPI_COMPLEX
  {0x4c00081f, 0x21c},  // MPI_DOUBLE_PRECISION
  {0x4c001022, 0x21d},  // MPI_DOUBLE_COMPLEX
  {0x4c00011a, 0x21e},  // MPI_CHARACTER
  {0x4c00100c, 0x220},  // MPI_LONG_DOUBLE
  {0x4c002042, 0x224},  // MPI_C_LONG_DOUBLE_COMPLEX
  {0x4c002036, 0x225},  // MPI_CXX_LONG_DOUBLE_COMPLEX
  {0x8c000000, 0x228},  // MPI_FLOAT_INT
  {0x8c000001, 0x229},  // MPI_DOUBLE_INT
  {0x8c000002, 0x22a},  // MPI_LONG_INT
  {0x4c000816, 0x22b},  // MPI_2INT
  {0x8c000003, 0x22c},  // MPI_SHORT_INT
  {0x8c000004, 0x22d},  // MPI_LONG_DOUBLE_INT
  {0x4c000821, 0x230},  // MPI_2REAL
  {0x4c001023, 0x231},  // MPI_2DOUBLE_PRECISION
  {0x4c000820, 0x232},  // MPI_2INTEGER
  {0x4c00013f, 0x238},  // MPI_C_BOOL
  {0x4c000133, 0x239},  // MPI_CXX_BOOL
  {0x4c00040e, 0x23c},  // MPI_WCHAR
  {0x4c000137, 0x240},  // MPI_INT8_T
  {0x4c00013b, 0x241},  // MPI_UINT8_T
  {0x4c000101, 0x243},  // MPI_CHAR
  {0x4c000118, 0x244},  // MPI_SIGNED_CHAR
  {0x4c000102, 0x245},  // MPI_UNSIGNED_CHAR
  {0x4c00010d, 0x247},  // MPI_BYTE
  {0x4c000238, 0x248},  // MPI_INT16_T
  {0x4c00023c, 0x249},  // MPI_UINT16_T
  {0x4c000439, 0x250},  // MPI_INT32_T
  {0x4c00043d, 0x251},  // MPI_UINT32_T
  {0x4c00083a, 0x258},  // MPI_INT64_T
  {0x4c00083e, 0x259},  // MPI_UINT64_T
  {0x4c00012d, 0x2c1},  // MPI_INTEGER1
  {0x4c00022f, 0x2c9},  // MPI_INTEGER2
  {0x4c000430, 0x2d1},  // MPI_INTEGER4
  {0x4c000427, 0x2d2},  // MPI_REAL4
  {0x4c000831, 0x2d9},  // MPI_INTEGER8
  {0x4c000829, 0x2da},  // MPI_REAL8
  {0x4c000828, 0x2db},  // MPI_COMPLEX8
  {0x4c00102b, 0x2e2},  // MPI_REAL16
  {0x4c00102a, 0x2e3},  // MPI_COMPLEX16
  {0x4c00202c, 0x2eb},  // MPI_COMPLEX32
  {0x4c000010, lb_value},  // MPI_LB
  {0x4c000011, ub_value},  // MPI_UB
};
}  // namespace
predefined predefined_at(std::size_t i) noexcept { return handles[i]; }
extern const std::size_t predefined_count = sizeof handles / sizeof handles[0];

}  // namespace mpx_mpi_old

using namespace mpx_mpi_old;

extern "C" {
int old_Abort(old<MPI_Comm> comm, int errorcode) __asm__("PMPI_Abort") MPX_EXPORTED;
MPX_WEAK(Abort)
int old_Abort(old<MPI_Comm> comm, int errorcode) {
  return error_to_old(at<int(MPI_Comm, int)>(fn_Abort)(to_new<MPI_Comm>(comm), errorcode));
}
int old_Alloc_mem(MPI_Aint size, old<MPI_Info> info, void *baseptr) __asm__("PMPI_Alloc_mem") MPX_EXPORTED;
MPX_WEAK(Alloc_mem)
int old_Alloc_mem(MPI_Aint size, old<MPI_Info> info, void *baseptr) {
  return error_to_old(at<int(MPI_Aint, MPI_Info, void *)>(fn_Alloc_mem)(size, to_new<MPI_Info>(info), baseptr));
}
int old_Finalize(void) __asm__("PMPI_Finalize") MPX_EXPORTED;
MPX_WEAK(Finalize)
int old_Finalize(void) {
  return error_to_old(at<int()>(fn_Finalize)());
}
int old_Finalized(int *flag) __asm__("PMPI_Finalized") MPX_EXPORTED;
MPX_WEAK(Finalized)
int old_Finalized(int *flag) {
  return error_to_old(at<int(int *)>(fn_Finalized)(flag));
}
int old_Free_mem(void *base) __asm__("PMPI_Free_mem") MPX_EXPORTED;
MPX_WEAK(Free_mem)
int old_Free_mem(void *base) {
  return error_to_old(at<int(void *)>(fn_Free_mem)(buffer_to_new(base)));
}
int old_Get_hw_resource_info(old<MPI_Info> *hw_info) __asm__("PMPI_Get_hw_resource_info") MPX_EXPORTED;
MPX_WEAK(Get_hw_resource_info)
int old_Get_hw_resource_info(old<MPI_Info> *hw_info) {
  handle_places<MPI_Info> hw_info_(hw_info, 1, false);
  return error_to_old(at<int(MPI_Info *)>(fn_Get_hw_resource_info)(hw_info_.get()));
}
int old_Get_library_version(char *version, int *resultlen) __asm__("PMPI_Get_library_version") MPX_EXPORTED;
MPX_WEAK(Get_library_version)
int old_Get_library_version(char *version, int *resultlen) {
  text_place<8192> version_(version);
  const int code = at<int(char *, int *)>(fn_Get_library_version)(version_.get(), resultlen);
  version_.store(code, resultlen);
  return error_to_old(code);
}
int old_Get_processor_name(char *name, int *resultlen) __asm__("PMPI_Get_processor_name") MPX_EXPORTED;
MPX_WEAK(Get_processor_name)
int old_Get_processor_name(char *name, int *resultlen) {
  text_place<128> name_(name);
  const int code = at<int(char *, int *)>(fn_Get_processor_name)(name_.get(), resultlen);
  name_.store(code, resultlen);
  return error_to_old(code);
}
int old_Get_version(int *version, int *subversion) __asm__("PMPI_Get_version") MPX_EXPORTED;
MPX_WEAK(Get_version)
int old_Get_version(int *version, int *subversion) {
  return error_to_old(at<int(int *, int *)>(fn_Get_version)(version, subversion));
}
int old_Init(int *argc, char ***argv) __asm__("PMPI_Init") MPX_EXPORTED;
MPX_WEAK(Init)
int old_Init(int *argc, char ***argv) {
  return error_to_old(at<int(int *, char ***)>(fn_Init)(argc, argv));
}
int old_Init_thread(int *argc, char ***argv, int required, int *provided) __asm__("PMPI_Init_thread") MPX_EXPORTED;
MPX_WEAK(Init_thread)
int old_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int code = at<int(int *, char ***, int, int *)>(fn_Init_thread)(argc, argv, thread_to_new(required), provided);
  int_places<thread_to_old>(provided).store(code);
  return error_to_old(code);
}
int old_Initialized(int *flag) __asm__("PMPI_Initialized") MPX_EXPORTED;
MPX_WEAK(Initialized)
int old_Initialized(int *flag) {
  return error_to_old(at<int(int *)>(fn_Initialized)(flag));
}
int old_Is_thread_main(int *flag) __asm__("PMPI_Is_thread_main") MPX_EXPORTED;
MPX_WEAK(Is_thread_main)
int old_Is_thread_main(int *flag) {
  return error_to_old(at<int(int *)>(fn_Is_thread_main)(flag));
}
int old_Pcontrol(const int level, ...) __asm__("PMPI_Pcontrol") MPX_EXPORTED;
MPX_WEAK(Pcontrol)
int old_Pcontrol(const int level, ...) {
  return error_to_old(at<int(const int, ...)>(fn_Pcontrol)(level));
}
int old_Query_thread(int *provided) __asm__("PMPI_Query_thread") MPX_EXPORTED;
MPX_WEAK(Query_thread)
int old_Query_thread(int *provided) {
  const int code = at<int(int *)>(fn_Query_thread)(provided);
  int_places<thread_to_old>(provided).store(code);
  return error_to_old(code);
}
double old_Wtick(void) __asm__("PMPI_Wtick") MPX_EXPORTED;
MPX_WEAK(Wtick)
double old_Wtick(void) {
  return at<double()>(fn_Wtick)();
}
double old_Wtime(void) __asm__("PMPI_Wtime") MPX_EXPORTED;
MPX_WEAK(Wtime)
double old_Wtime(void) {
  return at<double()>(fn_Wtime)();
}
int old_Add_error_class(int *errorclass) __asm__("PMPI_Add_error_class") MPX_EXPORTED;
MPX_WEAK(Add_error_class)
int old_Add_error_class(int *errorclass) {
  const int code = at<int(int *)>(fn_Add_error_class)(errorclass);
  int_places<error_to_old>(errorclass).store(code);
  return error_to_old(code);
}
int old_Add_error_code(int errorclass, int *errorcode) __asm__("PMPI_Add_error_code") MPX_EXPORTED;
MPX_WEAK(Add_error_code)
int old_Add_error_code(int errorclass, int *errorcode) {
  const int code = at<int(int, int *)>(fn_Add_error_code)(error_to_new(errorclass), errorcode);
  int_places<error_to_old>(errorcode).store(code);
  return error_to_old(code);
}
int old_Add_error_string(int errorcode, const char *string) __asm__("PMPI_Add_error_string") MPX_EXPORTED;
MPX_WEAK(Add_error_string)
int old_Add_error_string(int errorcode, const char *string) {
  return error_to_old(at<int(int, const char *)>(fn_Add_error_string)(error_to_new(errorcode), string));
}
int old_Comm_call_errhandler(old<MPI_Comm> comm, int errorcode) __asm__("PMPI_Comm_call_errhandler") MPX_EXPORTED;
MPX_WEAK(Comm_call_errhandler)
int old_Comm_call_errhandler(old<MPI_Comm> comm, int errorcode) {
  return error_to_old(at<int(MPI_Comm, int)>(fn_Comm_call_errhandler)(to_new<MPI_Comm>(comm), error_to_new(errorcode)));
}
int old_Comm_create_errhandler(any_function comm_errhandler_fn, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Comm_create_errhandler") MPX_EXPORTED;
MPX_WEAK(Comm_create_errhandler)
int old_Comm_create_errhandler(any_function comm_errhandler_fn, old<MPI_Errhandler> *errhandler) {
  return error_to_old(mpx_mpi_old::Comm_create_errhandler(comm_errhandler_fn, errhandler));
}
int old_Comm_get_errhandler(old<MPI_Comm> comm, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Comm_get_errhandler") MPX_EXPORTED;
MPX_WEAK(Comm_get_errhandler)
int old_Comm_get_errhandler(old<MPI_Comm> comm, old<MPI_Errhandler> *errhandler) {
  handle_places<MPI_Errhandler> errhandler_(errhandler, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Errhandler *)>(fn_Comm_get_errhandler)(to_new<MPI_Comm>(comm), errhandler_.get()));
}
int old_Comm_set_errhandler(old<MPI_Comm> comm, old<MPI_Errhandler> errhandler) __asm__("PMPI_Comm_set_errhandler") MPX_EXPORTED;
MPX_WEAK(Comm_set_errhandler)
int old_Comm_set_errhandler(old<MPI_Comm> comm, old<MPI_Errhandler> errhandler) {
  return error_to_old(at<int(MPI_Comm, MPI_Errhandler)>(fn_Comm_set_errhandler)(to_new<MPI_Comm>(comm), to_new<MPI_Errhandler>(errhandler)));
}
int old_Errhandler_free(old<MPI_Errhandler> *errhandler) __asm__("PMPI_Errhandler_free") MPX_EXPORTED;
MPX_WEAK(Errhandler_free)
int old_Errhandler_free(old<MPI_Errhandler> *errhandler) {
  handle_places<MPI_Errhandler> errhandler_(errhandler, 1, true);
  return error_to_old(at<int(MPI_Errhandler *)>(fn_Errhandler_free)(errhandler_.get()));
}
int old_Error_class(int errorcode, int *errorclass) __asm__("PMPI_Error_class") MPX_EXPORTED;
MPX_WEAK(Error_class)
int old_Error_class(int errorcode, int *errorclass) {
  const int code = at<int(int, int *)>(fn_Error_class)(error_to_new(errorcode), errorclass);
  int_places<error_to_old>(errorclass).store(code);
  return error_to_old(code);
}
int old_Error_string(int errorcode, char *string, int *resultlen) __asm__("PMPI_Error_string") MPX_EXPORTED;
MPX_WEAK(Error_string)
int old_Error_string(int errorcode, char *string, int *resultlen) {
  text_place<512> string_(string);
  const int code = at<int(int, char *, int *)>(fn_Error_string)(error_to_new(errorcode), string_.get(), resultlen);
  string_.store(code, resultlen);
  return error_to_old(code);
}
int old_Remove_error_class(int errorclass) __asm__("PMPI_Remove_error_class") MPX_EXPORTED;
MPX_WEAK(Remove_error_class)
int old_Remove_error_class(int errorclass) {
  return error_to_old(at<int(int)>(fn_Remove_error_class)(error_to_new(errorclass)));
}
int old_Remove_error_code(int errorcode) __asm__("PMPI_Remove_error_code") MPX_EXPORTED;
MPX_WEAK(Remove_error_code)
int old_Remove_error_code(int errorcode) {
  return error_to_old(at<int(int)>(fn_Remove_error_code)(error_to_new(errorcode)));
}
int old_Remove_error_string(int errorcode) __asm__("PMPI_Remove_error_string") MPX_EXPORTED;
MPX_WEAK(Remove_error_string)
int old_Remove_error_string(int errorcode) {
  return error_to_old(at<int(int)>(fn_Remove_error_string)(error_to_new(errorcode)));
}
int old_Info_create(old<MPI_Info> *info) __asm__("PMPI_Info_create") MPX_EXPORTED;
MPX_WEAK(Info_create)
int old_Info_create(old<MPI_Info> *info) {
  handle_places<MPI_Info> info_(info, 1, false);
  return error_to_old(at<int(MPI_Info *)>(fn_Info_create)(info_.get()));
}
int old_Info_create_env(int argc, char *argv[], old<MPI_Info> *info) __asm__("PMPI_Info_create_env") MPX_EXPORTED;
MPX_WEAK(Info_create_env)
int old_Info_create_env(int argc, char *argv[], old<MPI_Info> *info) {
  handle_places<MPI_Info> info_(info, 1, false);
  return error_to_old(at<int(int, char *[], MPI_Info *)>(fn_Info_create_env)(argc, argv, info_.get()));
}
int old_Info_delete(old<MPI_Info> info, const char *key) __asm__("PMPI_Info_delete") MPX_EXPORTED;
MPX_WEAK(Info_delete)
int old_Info_delete(old<MPI_Info> info, const char *key) {
  return error_to_old(at<int(MPI_Info, const char *)>(fn_Info_delete)(to_new<MPI_Info>(info), key));
}
int old_Info_dup(old<MPI_Info> info, old<MPI_Info> *newinfo) __asm__("PMPI_Info_dup") MPX_EXPORTED;
MPX_WEAK(Info_dup)
int old_Info_dup(old<MPI_Info> info, old<MPI_Info> *newinfo) {
  handle_places<MPI_Info> newinfo_(newinfo, 1, false);
  return error_to_old(at<int(MPI_Info, MPI_Info *)>(fn_Info_dup)(to_new<MPI_Info>(info), newinfo_.get()));
}
int old_Info_free(old<MPI_Info> *info) __asm__("PMPI_Info_free") MPX_EXPORTED;
MPX_WEAK(Info_free)
int old_Info_free(old<MPI_Info> *info) {
  handle_places<MPI_Info> info_(info, 1, true);
  return error_to_old(at<int(MPI_Info *)>(fn_Info_free)(info_.get()));
}
int old_Info_get(old<MPI_Info> info, const char *key, int valuelen, char *value, int *flag) __asm__("PMPI_Info_get") MPX_EXPORTED;
MPX_WEAK(Info_get)
int old_Info_get(old<MPI_Info> info, const char *key, int valuelen, char *value, int *flag) {
  return error_to_old(at<int(MPI_Info, const char *, int, char *, int *)>(fn_Info_get)(to_new<MPI_Info>(info), key, valuelen, value, flag));
}
int old_Info_get_nkeys(old<MPI_Info> info, int *nkeys) __asm__("PMPI_Info_get_nkeys") MPX_EXPORTED;
MPX_WEAK(Info_get_nkeys)
int old_Info_get_nkeys(old<MPI_Info> info, int *nkeys) {
  return error_to_old(at<int(MPI_Info, int *)>(fn_Info_get_nkeys)(to_new<MPI_Info>(info), nkeys));
}
int old_Info_get_nthkey(old<MPI_Info> info, int n, char *key) __asm__("PMPI_Info_get_nthkey") MPX_EXPORTED;
MPX_WEAK(Info_get_nthkey)
int old_Info_get_nthkey(old<MPI_Info> info, int n, char *key) {
  text_place<255> key_(key);
  const int code = at<int(MPI_Info, int, char *)>(fn_Info_get_nthkey)(to_new<MPI_Info>(info), n, key_.get());
  key_.store(code, nullptr);
  return error_to_old(code);
}
int old_Info_get_string(old<MPI_Info> info, const char *key, int *buflen, char *value, int *flag) __asm__("PMPI_Info_get_string") MPX_EXPORTED;
MPX_WEAK(Info_get_string)
int old_Info_get_string(old<MPI_Info> info, const char *key, int *buflen, char *value, int *flag) {
  return error_to_old(at<int(MPI_Info, const char *, int *, char *, int *)>(fn_Info_get_string)(to_new<MPI_Info>(info), key, buflen, value, flag));
}
int old_Info_get_valuelen(old<MPI_Info> info, const char *key, int *valuelen, int *flag) __asm__("PMPI_Info_get_valuelen") MPX_EXPORTED;
MPX_WEAK(Info_get_valuelen)
int old_Info_get_valuelen(old<MPI_Info> info, const char *key, int *valuelen, int *flag) {
  return error_to_old(at<int(MPI_Info, const char *, int *, int *)>(fn_Info_get_valuelen)(to_new<MPI_Info>(info), key, valuelen, flag));
}
int old_Info_set(old<MPI_Info> info, const char *key, const char *value) __asm__("PMPI_Info_set") MPX_EXPORTED;
MPX_WEAK(Info_set)
int old_Info_set(old<MPI_Info> info, const char *key, const char *value) {
  return error_to_old(at<int(MPI_Info, const char *, const char *)>(fn_Info_set)(to_new<MPI_Info>(info), key, value));
}
int old_Bsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Bsend") MPX_EXPORTED;
MPX_WEAK(Bsend)
int old_Bsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm)>(fn_Bsend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Bsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Bsend_c") MPX_EXPORTED;
MPX_WEAK(Bsend_c)
int old_Bsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm)>(fn_Bsend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Bsend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Bsend_init") MPX_EXPORTED;
MPX_WEAK(Bsend_init)
int old_Bsend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Bsend_init)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Bsend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Bsend_init_c") MPX_EXPORTED;
MPX_WEAK(Bsend_init_c)
int old_Bsend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Bsend_init_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Buffer_attach(void *buffer, int size) __asm__("PMPI_Buffer_attach") MPX_EXPORTED;
MPX_WEAK(Buffer_attach)
int old_Buffer_attach(void *buffer, int size) {
  return error_to_old(at<int(void *, int)>(fn_Buffer_attach)(buffer_to_new(buffer), size));
}
int old_Buffer_attach_c(void *buffer, MPI_Count size) __asm__("PMPI_Buffer_attach_c") MPX_EXPORTED;
MPX_WEAK(Buffer_attach_c)
int old_Buffer_attach_c(void *buffer, MPI_Count size) {
  return error_to_old(at<int(void *, MPI_Count)>(fn_Buffer_attach_c)(buffer_to_new(buffer), size));
}
int old_Buffer_detach(void *buffer_addr, int *size) __asm__("PMPI_Buffer_detach") MPX_EXPORTED;
MPX_WEAK(Buffer_detach)
int old_Buffer_detach(void *buffer_addr, int *size) {
  return error_to_old(at<int(void *, int *)>(fn_Buffer_detach)(buffer_addr, size));
}
int old_Buffer_detach_c(void *buffer_addr, MPI_Count *size) __asm__("PMPI_Buffer_detach_c") MPX_EXPORTED;
MPX_WEAK(Buffer_detach_c)
int old_Buffer_detach_c(void *buffer_addr, MPI_Count *size) {
  return error_to_old(at<int(void *, MPI_Count *)>(fn_Buffer_detach_c)(buffer_addr, size));
}
int old_Buffer_flush(void) __asm__("PMPI_Buffer_flush") MPX_EXPORTED;
MPX_WEAK(Buffer_flush)
int old_Buffer_flush(void) {
  return error_to_old(at<int()>(fn_Buffer_flush)());
}
int old_Buffer_iflush(old<MPI_Request> *request) __asm__("PMPI_Buffer_iflush") MPX_EXPORTED;
MPX_WEAK(Buffer_iflush)
int old_Buffer_iflush(old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Request *)>(fn_Buffer_iflush)(request_.get()));
}
int old_Comm_attach_buffer(old<MPI_Comm> comm, void *buffer, int size) __asm__("PMPI_Comm_attach_buffer") MPX_EXPORTED;
MPX_WEAK(Comm_attach_buffer)
int old_Comm_attach_buffer(old<MPI_Comm> comm, void *buffer, int size) {
  return error_to_old(at<int(MPI_Comm, void *, int)>(fn_Comm_attach_buffer)(to_new<MPI_Comm>(comm), buffer_to_new(buffer), size));
}
int old_Comm_attach_buffer_c(old<MPI_Comm> comm, void *buffer, MPI_Count size) __asm__("PMPI_Comm_attach_buffer_c") MPX_EXPORTED;
MPX_WEAK(Comm_attach_buffer_c)
int old_Comm_attach_buffer_c(old<MPI_Comm> comm, void *buffer, MPI_Count size) {
  return error_to_old(at<int(MPI_Comm, void *, MPI_Count)>(fn_Comm_attach_buffer_c)(to_new<MPI_Comm>(comm), buffer_to_new(buffer), size));
}
int old_Comm_detach_buffer(old<MPI_Comm> comm, void *buffer_addr, int *size) __asm__("PMPI_Comm_detach_buffer") MPX_EXPORTED;
MPX_WEAK(Comm_detach_buffer)
int old_Comm_detach_buffer(old<MPI_Comm> comm, void *buffer_addr, int *size) {
  return error_to_old(at<int(MPI_Comm, void *, int *)>(fn_Comm_detach_buffer)(to_new<MPI_Comm>(comm), buffer_addr, size));
}
int old_Comm_detach_buffer_c(old<MPI_Comm> comm, void *buffer_addr, MPI_Count *size) __asm__("PMPI_Comm_detach_buffer_c") MPX_EXPORTED;
MPX_WEAK(Comm_detach_buffer_c)
int old_Comm_detach_buffer_c(old<MPI_Comm> comm, void *buffer_addr, MPI_Count *size) {
  return error_to_old(at<int(MPI_Comm, void *, MPI_Count *)>(fn_Comm_detach_buffer_c)(to_new<MPI_Comm>(comm), buffer_addr, size));
}
int old_Comm_flush_buffer(old<MPI_Comm> comm) __asm__("PMPI_Comm_flush_buffer") MPX_EXPORTED;
MPX_WEAK(Comm_flush_buffer)
int old_Comm_flush_buffer(old<MPI_Comm> comm) {
  return error_to_old(at<int(MPI_Comm)>(fn_Comm_flush_buffer)(to_new<MPI_Comm>(comm)));
}
int old_Comm_iflush_buffer(old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Comm_iflush_buffer") MPX_EXPORTED;
MPX_WEAK(Comm_iflush_buffer)
int old_Comm_iflush_buffer(old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Request *)>(fn_Comm_iflush_buffer)(to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ibsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ibsend") MPX_EXPORTED;
MPX_WEAK(Ibsend)
int old_Ibsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Ibsend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ibsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ibsend_c") MPX_EXPORTED;
MPX_WEAK(Ibsend_c)
int old_Ibsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Ibsend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Improbe(int source, int tag, old<MPI_Comm> comm, int *flag, old<MPI_Message> *message, old_status *status) __asm__("PMPI_Improbe") MPX_EXPORTED;
MPX_WEAK(Improbe)
int old_Improbe(int source, int tag, old<MPI_Comm> comm, int *flag, old<MPI_Message> *message, old_status *status) {
  handle_places<MPI_Message> message_(message, 1, false);
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *)>(fn_Improbe)(rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), flag, message_.get(), status_.get()));
}
int old_Imrecv(void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old<MPI_Request> *request) __asm__("PMPI_Imrecv") MPX_EXPORTED;
MPX_WEAK(Imrecv)
int old_Imrecv(void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old<MPI_Request> *request) {
  handle_places<MPI_Message> message_(message, 1, true);
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, MPI_Message *, MPI_Request *)>(fn_Imrecv)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), message_.get(), request_.get()));
}
int old_Imrecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old<MPI_Request> *request) __asm__("PMPI_Imrecv_c") MPX_EXPORTED;
MPX_WEAK(Imrecv_c)
int old_Imrecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old<MPI_Request> *request) {
  handle_places<MPI_Message> message_(message, 1, true);
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Request *)>(fn_Imrecv_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), message_.get(), request_.get()));
}
int old_Iprobe(int source, int tag, old<MPI_Comm> comm, int *flag, old_status *status) __asm__("PMPI_Iprobe") MPX_EXPORTED;
MPX_WEAK(Iprobe)
int old_Iprobe(int source, int tag, old<MPI_Comm> comm, int *flag, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, int, MPI_Comm, int *, MPI_Status *)>(fn_Iprobe)(rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), flag, status_.get()));
}
int old_Irecv(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Irecv") MPX_EXPORTED;
MPX_WEAK(Irecv)
int old_Irecv(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Irecv)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Irecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Irecv_c") MPX_EXPORTED;
MPX_WEAK(Irecv_c)
int old_Irecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Irecv_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Irsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Irsend") MPX_EXPORTED;
MPX_WEAK(Irsend)
int old_Irsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Irsend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Irsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Irsend_c") MPX_EXPORTED;
MPX_WEAK(Irsend_c)
int old_Irsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Irsend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isend") MPX_EXPORTED;
MPX_WEAK(Isend)
int old_Isend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Isend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isend_c") MPX_EXPORTED;
MPX_WEAK(Isend_c)
int old_Isend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Isend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isendrecv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isendrecv") MPX_EXPORTED;
MPX_WEAK(Isendrecv)
int old_Isendrecv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Isendrecv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), rank_to_new(dest), sendtag, buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isendrecv_c") MPX_EXPORTED;
MPX_WEAK(Isendrecv_c)
int old_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Isendrecv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), rank_to_new(dest), sendtag, buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isendrecv_replace(void *buf, int count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isendrecv_replace") MPX_EXPORTED;
MPX_WEAK(Isendrecv_replace)
int old_Isendrecv_replace(void *buf, int count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *)>(fn_Isendrecv_replace)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), sendtag, rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Isendrecv_replace_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Isendrecv_replace_c") MPX_EXPORTED;
MPX_WEAK(Isendrecv_replace_c)
int old_Isendrecv_replace_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *)>(fn_Isendrecv_replace_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), sendtag, rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Issend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Issend") MPX_EXPORTED;
MPX_WEAK(Issend)
int old_Issend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Issend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Issend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Issend_c") MPX_EXPORTED;
MPX_WEAK(Issend_c)
int old_Issend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Issend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Mprobe(int source, int tag, old<MPI_Comm> comm, old<MPI_Message> *message, old_status *status) __asm__("PMPI_Mprobe") MPX_EXPORTED;
MPX_WEAK(Mprobe)
int old_Mprobe(int source, int tag, old<MPI_Comm> comm, old<MPI_Message> *message, old_status *status) {
  handle_places<MPI_Message> message_(message, 1, false);
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, int, MPI_Comm, MPI_Message *, MPI_Status *)>(fn_Mprobe)(rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), message_.get(), status_.get()));
}
int old_Mrecv(void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old_status *status) __asm__("PMPI_Mrecv") MPX_EXPORTED;
MPX_WEAK(Mrecv)
int old_Mrecv(void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old_status *status) {
  handle_places<MPI_Message> message_(message, 1, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, MPI_Message *, MPI_Status *)>(fn_Mrecv)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), message_.get(), status_.get()));
}
int old_Mrecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old_status *status) __asm__("PMPI_Mrecv_c") MPX_EXPORTED;
MPX_WEAK(Mrecv_c)
int old_Mrecv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Message> *message, old_status *status) {
  handle_places<MPI_Message> message_(message, 1, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, MPI_Message *, MPI_Status *)>(fn_Mrecv_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), message_.get(), status_.get()));
}
int old_Probe(int source, int tag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Probe") MPX_EXPORTED;
MPX_WEAK(Probe)
int old_Probe(int source, int tag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, int, MPI_Comm, MPI_Status *)>(fn_Probe)(rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Recv(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Recv") MPX_EXPORTED;
MPX_WEAK(Recv)
int old_Recv(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)>(fn_Recv)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Recv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Recv_c") MPX_EXPORTED;
MPX_WEAK(Recv_c)
int old_Recv_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)>(fn_Recv_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Recv_init(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Recv_init") MPX_EXPORTED;
MPX_WEAK(Recv_init)
int old_Recv_init(void *buf, int count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Recv_init)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Recv_init_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Recv_init_c") MPX_EXPORTED;
MPX_WEAK(Recv_init_c)
int old_Recv_init_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int source, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Recv_init_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(source), tag_to_new(tag), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Rsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Rsend") MPX_EXPORTED;
MPX_WEAK(Rsend)
int old_Rsend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm)>(fn_Rsend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Rsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Rsend_c") MPX_EXPORTED;
MPX_WEAK(Rsend_c)
int old_Rsend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm)>(fn_Rsend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Rsend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Rsend_init") MPX_EXPORTED;
MPX_WEAK(Rsend_init)
int old_Rsend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Rsend_init)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Rsend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Rsend_init_c") MPX_EXPORTED;
MPX_WEAK(Rsend_init_c)
int old_Rsend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Rsend_init_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Send(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Send") MPX_EXPORTED;
MPX_WEAK(Send)
int old_Send(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm)>(fn_Send)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Send_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Send_c") MPX_EXPORTED;
MPX_WEAK(Send_c)
int old_Send_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm)>(fn_Send_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Send_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Send_init") MPX_EXPORTED;
MPX_WEAK(Send_init)
int old_Send_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Send_init)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Send_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Send_init_c") MPX_EXPORTED;
MPX_WEAK(Send_init_c)
int old_Send_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Send_init_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Sendrecv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Sendrecv") MPX_EXPORTED;
MPX_WEAK(Sendrecv)
int old_Sendrecv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)>(fn_Sendrecv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), rank_to_new(dest), sendtag, buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Sendrecv_c") MPX_EXPORTED;
MPX_WEAK(Sendrecv_c)
int old_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int source, int recvtag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *)>(fn_Sendrecv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), rank_to_new(dest), sendtag, buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Sendrecv_replace(void *buf, int count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Sendrecv_replace") MPX_EXPORTED;
MPX_WEAK(Sendrecv_replace)
int old_Sendrecv_replace(void *buf, int count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *)>(fn_Sendrecv_replace)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), sendtag, rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Sendrecv_replace_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old_status *status) __asm__("PMPI_Sendrecv_replace_c") MPX_EXPORTED;
MPX_WEAK(Sendrecv_replace_c)
int old_Sendrecv_replace_c(void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int sendtag, int source, int recvtag, old<MPI_Comm> comm, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *)>(fn_Sendrecv_replace_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), sendtag, rank_to_new(source), tag_to_new(recvtag), to_new<MPI_Comm>(comm), status_.get()));
}
int old_Ssend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Ssend") MPX_EXPORTED;
MPX_WEAK(Ssend)
int old_Ssend(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm)>(fn_Ssend)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Ssend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) __asm__("PMPI_Ssend_c") MPX_EXPORTED;
MPX_WEAK(Ssend_c)
int old_Ssend_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm)>(fn_Ssend_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm)));
}
int old_Ssend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ssend_init") MPX_EXPORTED;
MPX_WEAK(Ssend_init)
int old_Ssend_init(const void *buf, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Ssend_init)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ssend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ssend_init_c") MPX_EXPORTED;
MPX_WEAK(Ssend_init_c)
int old_Ssend_init_c(const void *buf, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *)>(fn_Ssend_init_c)(buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), request_.get()));
}
int old_Cancel(old<MPI_Request> *request) __asm__("PMPI_Cancel") MPX_EXPORTED;
MPX_WEAK(Cancel)
int old_Cancel(old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, true);
  return error_to_old(at<int(MPI_Request *)>(fn_Cancel)(request_.get()));
}
int old_Get_count(const old_status *status, old<MPI_Datatype> datatype, int *count) __asm__("PMPI_Get_count") MPX_EXPORTED;
MPX_WEAK(Get_count)
int old_Get_count(const old_status *status, old<MPI_Datatype> datatype, int *count) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, MPI_Datatype, int *)>(fn_Get_count)(is_status(status) ? &status_ : nullptr, to_new<MPI_Datatype>(datatype), count));
}
int old_Get_count_c(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) __asm__("PMPI_Get_count_c") MPX_EXPORTED;
MPX_WEAK(Get_count_c)
int old_Get_count_c(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, MPI_Datatype, MPI_Count *)>(fn_Get_count_c)(is_status(status) ? &status_ : nullptr, to_new<MPI_Datatype>(datatype), count));
}
int old_Get_elements(const old_status *status, old<MPI_Datatype> datatype, int *count) __asm__("PMPI_Get_elements") MPX_EXPORTED;
MPX_WEAK(Get_elements)
int old_Get_elements(const old_status *status, old<MPI_Datatype> datatype, int *count) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, MPI_Datatype, int *)>(fn_Get_elements)(is_status(status) ? &status_ : nullptr, to_new<MPI_Datatype>(datatype), count));
}
int old_Get_elements_c(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) __asm__("PMPI_Get_elements_c") MPX_EXPORTED;
MPX_WEAK(Get_elements_c)
int old_Get_elements_c(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, MPI_Datatype, MPI_Count *)>(fn_Get_elements_c)(is_status(status) ? &status_ : nullptr, to_new<MPI_Datatype>(datatype), count));
}
int old_Get_elements_x(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) __asm__("PMPI_Get_elements_x") MPX_EXPORTED;
MPX_WEAK(Get_elements_x)
int old_Get_elements_x(const old_status *status, old<MPI_Datatype> datatype, MPI_Count *count) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, MPI_Datatype, MPI_Count *)>(fn_Get_elements_x)(is_status(status) ? &status_ : nullptr, to_new<MPI_Datatype>(datatype), count));
}
int old_Grequest_complete(old<MPI_Request> request) __asm__("PMPI_Grequest_complete") MPX_EXPORTED;
MPX_WEAK(Grequest_complete)
int old_Grequest_complete(old<MPI_Request> request) {
  return error_to_old(at<int(MPI_Request)>(fn_Grequest_complete)(to_new<MPI_Request>(request)));
}
int old_Grequest_start(any_function query_fn, any_function free_fn, any_function cancel_fn, void *extra_state, old<MPI_Request> *request) __asm__("PMPI_Grequest_start") MPX_EXPORTED;
MPX_WEAK(Grequest_start)
int old_Grequest_start(any_function query_fn, any_function free_fn, any_function cancel_fn, void *extra_state, old<MPI_Request> *request) {
  return error_to_old(mpx_mpi_old::Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request));
}
int old_Request_free(old<MPI_Request> *request) __asm__("PMPI_Request_free") MPX_EXPORTED;
MPX_WEAK(Request_free)
int old_Request_free(old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, true);
  return error_to_old(at<int(MPI_Request *)>(fn_Request_free)(request_.get()));
}
int old_Request_get_status(old<MPI_Request> request, int *flag, old_status *status) __asm__("PMPI_Request_get_status") MPX_EXPORTED;
MPX_WEAK(Request_get_status)
int old_Request_get_status(old<MPI_Request> request, int *flag, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_Request, int *, MPI_Status *)>(fn_Request_get_status)(to_new<MPI_Request>(request), flag, status_.get()));
}
int old_Request_get_status_all(int count, const old<MPI_Request> array_of_requests[], int *flag, old_status *array_of_statuses) __asm__("PMPI_Request_get_status_all") MPX_EXPORTED;
MPX_WEAK(Request_get_status_all)
int old_Request_get_status_all(int count, const old<MPI_Request> array_of_requests[], int *flag, old_status *array_of_statuses) {
  handles_copy<MPI_Request> array_of_requests_(array_of_requests, length(count));
  status_places array_of_statuses_(array_of_statuses, count, false);
  return error_to_old(at<int(int, const MPI_Request[], int *, MPI_Status *)>(fn_Request_get_status_all)(count, array_of_requests_.get(), flag, array_of_statuses_.get()));
}
int old_Request_get_status_any(int count, const old<MPI_Request> array_of_requests[], int *indx, int *flag, old_status *status) __asm__("PMPI_Request_get_status_any") MPX_EXPORTED;
MPX_WEAK(Request_get_status_any)
int old_Request_get_status_any(int count, const old<MPI_Request> array_of_requests[], int *indx, int *flag, old_status *status) {
  handles_copy<MPI_Request> array_of_requests_(array_of_requests, length(count));
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, const MPI_Request[], int *, int *, MPI_Status *)>(fn_Request_get_status_any)(count, array_of_requests_.get(), indx, flag, status_.get()));
}
int old_Request_get_status_some(int incount, const old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) __asm__("PMPI_Request_get_status_some") MPX_EXPORTED;
MPX_WEAK(Request_get_status_some)
int old_Request_get_status_some(int incount, const old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) {
  handles_copy<MPI_Request> array_of_requests_(array_of_requests, length(incount));
  status_places array_of_statuses_(array_of_statuses, incount, false);
  return error_to_old(at<int(int, const MPI_Request[], int *, int[], MPI_Status *)>(fn_Request_get_status_some)(incount, array_of_requests_.get(), outcount, array_of_indices, array_of_statuses_.get()));
}
int old_Start(old<MPI_Request> *request) __asm__("PMPI_Start") MPX_EXPORTED;
MPX_WEAK(Start)
int old_Start(old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, true);
  return error_to_old(at<int(MPI_Request *)>(fn_Start)(request_.get()));
}
int old_Startall(int count, old<MPI_Request> array_of_requests[]) __asm__("PMPI_Startall") MPX_EXPORTED;
MPX_WEAK(Startall)
int old_Startall(int count, old<MPI_Request> array_of_requests[]) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, count, true);
  return error_to_old(at<int(int, MPI_Request[])>(fn_Startall)(count, array_of_requests_.get()));
}
int old_Status_get_error(const old_status *status, int *error) __asm__("PMPI_Status_get_error") MPX_EXPORTED;
MPX_WEAK(Status_get_error)
int old_Status_get_error(const old_status *status, int *error) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  const int code = at<int(const MPI_Status *, int *)>(fn_Status_get_error)(is_status(status) ? &status_ : nullptr, error);
  int_places<error_to_old>(error).store(code);
  return error_to_old(code);
}
int old_Status_get_source(const old_status *status, int *source) __asm__("PMPI_Status_get_source") MPX_EXPORTED;
MPX_WEAK(Status_get_source)
int old_Status_get_source(const old_status *status, int *source) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  const int code = at<int(const MPI_Status *, int *)>(fn_Status_get_source)(is_status(status) ? &status_ : nullptr, source);
  int_places<rank_to_old>(source).store(code);
  return error_to_old(code);
}
int old_Status_get_tag(const old_status *status, int *tag) __asm__("PMPI_Status_get_tag") MPX_EXPORTED;
MPX_WEAK(Status_get_tag)
int old_Status_get_tag(const old_status *status, int *tag) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  const int code = at<int(const MPI_Status *, int *)>(fn_Status_get_tag)(is_status(status) ? &status_ : nullptr, tag);
  int_places<tag_to_old>(tag).store(code);
  return error_to_old(code);
}
int old_Status_set_cancelled(old_status *status, int flag) __asm__("PMPI_Status_set_cancelled") MPX_EXPORTED;
MPX_WEAK(Status_set_cancelled)
int old_Status_set_cancelled(old_status *status, int flag) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, int)>(fn_Status_set_cancelled)(status_.get(), flag));
}
int old_Status_set_elements(old_status *status, old<MPI_Datatype> datatype, int count) __asm__("PMPI_Status_set_elements") MPX_EXPORTED;
MPX_WEAK(Status_set_elements)
int old_Status_set_elements(old_status *status, old<MPI_Datatype> datatype, int count) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, MPI_Datatype, int)>(fn_Status_set_elements)(status_.get(), to_new<MPI_Datatype>(datatype), count));
}
int old_Status_set_elements_c(old_status *status, old<MPI_Datatype> datatype, MPI_Count count) __asm__("PMPI_Status_set_elements_c") MPX_EXPORTED;
MPX_WEAK(Status_set_elements_c)
int old_Status_set_elements_c(old_status *status, old<MPI_Datatype> datatype, MPI_Count count) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, MPI_Datatype, MPI_Count)>(fn_Status_set_elements_c)(status_.get(), to_new<MPI_Datatype>(datatype), count));
}
int old_Status_set_elements_x(old_status *status, old<MPI_Datatype> datatype, MPI_Count count) __asm__("PMPI_Status_set_elements_x") MPX_EXPORTED;
MPX_WEAK(Status_set_elements_x)
int old_Status_set_elements_x(old_status *status, old<MPI_Datatype> datatype, MPI_Count count) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, MPI_Datatype, MPI_Count)>(fn_Status_set_elements_x)(status_.get(), to_new<MPI_Datatype>(datatype), count));
}
int old_Status_set_error(old_status *status, int error) __asm__("PMPI_Status_set_error") MPX_EXPORTED;
MPX_WEAK(Status_set_error)
int old_Status_set_error(old_status *status, int error) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, int)>(fn_Status_set_error)(status_.get(), error_to_new(error)));
}
int old_Status_set_source(old_status *status, int source) __asm__("PMPI_Status_set_source") MPX_EXPORTED;
MPX_WEAK(Status_set_source)
int old_Status_set_source(old_status *status, int source) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, int)>(fn_Status_set_source)(status_.get(), rank_to_new(source)));
}
int old_Status_set_tag(old_status *status, int tag) __asm__("PMPI_Status_set_tag") MPX_EXPORTED;
MPX_WEAK(Status_set_tag)
int old_Status_set_tag(old_status *status, int tag) {
  status_places status_(status, 1, true);
  return error_to_old(at<int(MPI_Status *, int)>(fn_Status_set_tag)(status_.get(), tag_to_new(tag)));
}
int old_Test(old<MPI_Request> *request, int *flag, old_status *status) __asm__("PMPI_Test") MPX_EXPORTED;
MPX_WEAK(Test)
int old_Test(old<MPI_Request> *request, int *flag, old_status *status) {
  handle_places<MPI_Request> request_(request, 1, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_Request *, int *, MPI_Status *)>(fn_Test)(request_.get(), flag, status_.get()));
}
int old_Test_cancelled(const old_status *status, int *flag) __asm__("PMPI_Test_cancelled") MPX_EXPORTED;
MPX_WEAK(Test_cancelled)
int old_Test_cancelled(const old_status *status, int *flag) {
  const MPI_Status status_ = is_status(status) ? new_status(*status) : MPI_Status{};
  return error_to_old(at<int(const MPI_Status *, int *)>(fn_Test_cancelled)(is_status(status) ? &status_ : nullptr, flag));
}
int old_Testall(int count, old<MPI_Request> array_of_requests[], int *flag, old_status *array_of_statuses) __asm__("PMPI_Testall") MPX_EXPORTED;
MPX_WEAK(Testall)
int old_Testall(int count, old<MPI_Request> array_of_requests[], int *flag, old_status *array_of_statuses) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, count, true);
  status_places array_of_statuses_(array_of_statuses, count, false);
  return error_to_old(at<int(int, MPI_Request[], int *, MPI_Status *)>(fn_Testall)(count, array_of_requests_.get(), flag, array_of_statuses_.get()));
}
int old_Testany(int count, old<MPI_Request> array_of_requests[], int *indx, int *flag, old_status *status) __asm__("PMPI_Testany") MPX_EXPORTED;
MPX_WEAK(Testany)
int old_Testany(int count, old<MPI_Request> array_of_requests[], int *indx, int *flag, old_status *status) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, count, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, MPI_Request[], int *, int *, MPI_Status *)>(fn_Testany)(count, array_of_requests_.get(), indx, flag, status_.get()));
}
int old_Testsome(int incount, old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) __asm__("PMPI_Testsome") MPX_EXPORTED;
MPX_WEAK(Testsome)
int old_Testsome(int incount, old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, incount, true);
  status_places array_of_statuses_(array_of_statuses, incount, false);
  return error_to_old(at<int(int, MPI_Request[], int *, int[], MPI_Status *)>(fn_Testsome)(incount, array_of_requests_.get(), outcount, array_of_indices, array_of_statuses_.get()));
}
int old_Wait(old<MPI_Request> *request, old_status *status) __asm__("PMPI_Wait") MPX_EXPORTED;
MPX_WEAK(Wait)
int old_Wait(old<MPI_Request> *request, old_status *status) {
  handle_places<MPI_Request> request_(request, 1, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_Request *, MPI_Status *)>(fn_Wait)(request_.get(), status_.get()));
}
int old_Waitall(int count, old<MPI_Request> array_of_requests[], old_status *array_of_statuses) __asm__("PMPI_Waitall") MPX_EXPORTED;
MPX_WEAK(Waitall)
int old_Waitall(int count, old<MPI_Request> array_of_requests[], old_status *array_of_statuses) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, count, true);
  status_places array_of_statuses_(array_of_statuses, count, false);
  return error_to_old(at<int(int, MPI_Request[], MPI_Status *)>(fn_Waitall)(count, array_of_requests_.get(), array_of_statuses_.get()));
}
int old_Waitany(int count, old<MPI_Request> array_of_requests[], int *indx, old_status *status) __asm__("PMPI_Waitany") MPX_EXPORTED;
MPX_WEAK(Waitany)
int old_Waitany(int count, old<MPI_Request> array_of_requests[], int *indx, old_status *status) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, count, true);
  status_places status_(status, 1, false);
  return error_to_old(at<int(int, MPI_Request[], int *, MPI_Status *)>(fn_Waitany)(count, array_of_requests_.get(), indx, status_.get()));
}
int old_Waitsome(int incount, old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) __asm__("PMPI_Waitsome") MPX_EXPORTED;
MPX_WEAK(Waitsome)
int old_Waitsome(int incount, old<MPI_Request> array_of_requests[], int *outcount, int array_of_indices[], old_status *array_of_statuses) {
  handle_places<MPI_Request> array_of_requests_(array_of_requests, incount, true);
  status_places array_of_statuses_(array_of_statuses, incount, false);
  return error_to_old(at<int(int, MPI_Request[], int *, int[], MPI_Status *)>(fn_Waitsome)(incount, array_of_requests_.get(), outcount, array_of_indices, array_of_statuses_.get()));
}
int old_Get_address(const void *location, MPI_Aint *address) __asm__("PMPI_Get_address") MPX_EXPORTED;
MPX_WEAK(Get_address)
int old_Get_address(const void *location, MPI_Aint *address) {
  return error_to_old(at<int(const void *, MPI_Aint *)>(fn_Get_address)(location, address));
}
int old_Pack(const void *inbuf, int incount, old<MPI_Datatype> datatype, void *outbuf, int outsize, int *position, old<MPI_Comm> comm) __asm__("PMPI_Pack") MPX_EXPORTED;
MPX_WEAK(Pack)
int old_Pack(const void *inbuf, int incount, old<MPI_Datatype> datatype, void *outbuf, int outsize, int *position, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm)>(fn_Pack)(buffer_to_new(inbuf), incount, to_new<MPI_Datatype>(datatype), buffer_to_new(outbuf), outsize, position, to_new<MPI_Comm>(comm)));
}
int old_Pack_c(const void *inbuf, MPI_Count incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Count outsize, MPI_Count *position, old<MPI_Comm> comm) __asm__("PMPI_Pack_c") MPX_EXPORTED;
MPX_WEAK(Pack_c)
int old_Pack_c(const void *inbuf, MPI_Count incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Count outsize, MPI_Count *position, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Count *, MPI_Comm)>(fn_Pack_c)(buffer_to_new(inbuf), incount, to_new<MPI_Datatype>(datatype), buffer_to_new(outbuf), outsize, position, to_new<MPI_Comm>(comm)));
}
int old_Pack_external(const char *datarep, const void *inbuf, int incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position) __asm__("PMPI_Pack_external") MPX_EXPORTED;
MPX_WEAK(Pack_external)
int old_Pack_external(const char *datarep, const void *inbuf, int incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position) {
  return error_to_old(at<int(const char *, const void *, int, MPI_Datatype, void *, MPI_Aint, MPI_Aint *)>(fn_Pack_external)(datarep, buffer_to_new(inbuf), incount, to_new<MPI_Datatype>(datatype), buffer_to_new(outbuf), outsize, position));
}
int old_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Count outsize, MPI_Count *position) __asm__("PMPI_Pack_external_c") MPX_EXPORTED;
MPX_WEAK(Pack_external_c)
int old_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount, old<MPI_Datatype> datatype, void *outbuf, MPI_Count outsize, MPI_Count *position) {
  return error_to_old(at<int(const char *, const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Count *)>(fn_Pack_external_c)(datarep, buffer_to_new(inbuf), incount, to_new<MPI_Datatype>(datatype), buffer_to_new(outbuf), outsize, position));
}
int old_Pack_external_size(const char *datarep, int incount, old<MPI_Datatype> datatype, MPI_Aint *size) __asm__("PMPI_Pack_external_size") MPX_EXPORTED;
MPX_WEAK(Pack_external_size)
int old_Pack_external_size(const char *datarep, int incount, old<MPI_Datatype> datatype, MPI_Aint *size) {
  return error_to_old(at<int(const char *, int, MPI_Datatype, MPI_Aint *)>(fn_Pack_external_size)(datarep, incount, to_new<MPI_Datatype>(datatype), size));
}
int old_Pack_external_size_c(const char *datarep, MPI_Count incount, old<MPI_Datatype> datatype, MPI_Count *size) __asm__("PMPI_Pack_external_size_c") MPX_EXPORTED;
MPX_WEAK(Pack_external_size_c)
int old_Pack_external_size_c(const char *datarep, MPI_Count incount, old<MPI_Datatype> datatype, MPI_Count *size) {
  return error_to_old(at<int(const char *, MPI_Count, MPI_Datatype, MPI_Count *)>(fn_Pack_external_size_c)(datarep, incount, to_new<MPI_Datatype>(datatype), size));
}
int old_Pack_size(int incount, old<MPI_Datatype> datatype, old<MPI_Comm> comm, int *size) __asm__("PMPI_Pack_size") MPX_EXPORTED;
MPX_WEAK(Pack_size)
int old_Pack_size(int incount, old<MPI_Datatype> datatype, old<MPI_Comm> comm, int *size) {
  return error_to_old(at<int(int, MPI_Datatype, MPI_Comm, int *)>(fn_Pack_size)(incount, to_new<MPI_Datatype>(datatype), to_new<MPI_Comm>(comm), size));
}
int old_Pack_size_c(MPI_Count incount, old<MPI_Datatype> datatype, old<MPI_Comm> comm, MPI_Count *size) __asm__("PMPI_Pack_size_c") MPX_EXPORTED;
MPX_WEAK(Pack_size_c)
int old_Pack_size_c(MPI_Count incount, old<MPI_Datatype> datatype, old<MPI_Comm> comm, MPI_Count *size) {
  return error_to_old(at<int(MPI_Count, MPI_Datatype, MPI_Comm, MPI_Count *)>(fn_Pack_size_c)(incount, to_new<MPI_Datatype>(datatype), to_new<MPI_Comm>(comm), size));
}
int old_Type_commit(old<MPI_Datatype> *datatype) __asm__("PMPI_Type_commit") MPX_EXPORTED;
MPX_WEAK(Type_commit)
int old_Type_commit(old<MPI_Datatype> *datatype) {
  handle_places<MPI_Datatype> datatype_(datatype, 1, true);
  return error_to_old(at<int(MPI_Datatype *)>(fn_Type_commit)(datatype_.get()));
}
int old_Type_contiguous(int count, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_contiguous") MPX_EXPORTED;
MPX_WEAK(Type_contiguous)
int old_Type_contiguous(int count, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, MPI_Datatype, MPI_Datatype *)>(fn_Type_contiguous)(count, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_contiguous_c(MPI_Count count, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_contiguous_c") MPX_EXPORTED;
MPX_WEAK(Type_contiguous_c)
int old_Type_contiguous_c(MPI_Count count, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, MPI_Datatype, MPI_Datatype *)>(fn_Type_contiguous_c)(count, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_darray") MPX_EXPORTED;
MPX_WEAK(Type_create_darray)
int old_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  ints_copy<distribution_to_new> array_of_distribs_(array_of_distribs, ndims);
  ints_copy<argument_to_new> array_of_dargs_(array_of_dargs, ndims);
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, int, const int[], const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_darray)(size, rank, ndims, array_of_gsizes, array_of_distribs_.get(), array_of_dargs_.get(), array_of_psizes, order_to_new(order), to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_darray_c") MPX_EXPORTED;
MPX_WEAK(Type_create_darray_c)
int old_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  ints_copy<distribution_to_new> array_of_distribs_(array_of_distribs, ndims);
  ints_copy<argument_to_new> array_of_dargs_(array_of_dargs, ndims);
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, int, const MPI_Count[], const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_darray_c)(size, rank, ndims, array_of_gsizes, array_of_distribs_.get(), array_of_dargs_.get(), array_of_psizes, order_to_new(order), to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_f90_complex(int p, int r, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_f90_complex") MPX_EXPORTED;
MPX_WEAK(Type_create_f90_complex)
int old_Type_create_f90_complex(int p, int r, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, MPI_Datatype *)>(fn_Type_create_f90_complex)(p, r, newtype_.get()));
}
int old_Type_create_f90_integer(int r, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_f90_integer") MPX_EXPORTED;
MPX_WEAK(Type_create_f90_integer)
int old_Type_create_f90_integer(int r, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, MPI_Datatype *)>(fn_Type_create_f90_integer)(r, newtype_.get()));
}
int old_Type_create_f90_real(int p, int r, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_f90_real") MPX_EXPORTED;
MPX_WEAK(Type_create_f90_real)
int old_Type_create_f90_real(int p, int r, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, MPI_Datatype *)>(fn_Type_create_f90_real)(p, r, newtype_.get()));
}
int old_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hindexed") MPX_EXPORTED;
MPX_WEAK(Type_create_hindexed)
int old_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hindexed)(count, array_of_blocklengths, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hindexed_c") MPX_EXPORTED;
MPX_WEAK(Type_create_hindexed_c)
int old_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, const MPI_Count[], const MPI_Count[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hindexed_c)(count, array_of_blocklengths, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hindexed_block") MPX_EXPORTED;
MPX_WEAK(Type_create_hindexed_block)
int old_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, const MPI_Aint[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hindexed_block)(count, blocklength, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hindexed_block_c") MPX_EXPORTED;
MPX_WEAK(Type_create_hindexed_block_c)
int old_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hindexed_block_c)(count, blocklength, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_hvector(int count, int blocklength, MPI_Aint stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hvector") MPX_EXPORTED;
MPX_WEAK(Type_create_hvector)
int old_Type_create_hvector(int count, int blocklength, MPI_Aint stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hvector)(count, blocklength, stride, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_hvector_c") MPX_EXPORTED;
MPX_WEAK(Type_create_hvector_c)
int old_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_hvector_c)(count, blocklength, stride, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_indexed_block") MPX_EXPORTED;
MPX_WEAK(Type_create_indexed_block)
int old_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, const int[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_indexed_block)(count, blocklength, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_indexed_block_c") MPX_EXPORTED;
MPX_WEAK(Type_create_indexed_block_c)
int old_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, MPI_Count, const MPI_Count[], MPI_Datatype, MPI_Datatype *)>(fn_Type_create_indexed_block_c)(count, blocklength, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_resized(old<MPI_Datatype> oldtype, MPI_Aint lb, MPI_Aint extent, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_resized") MPX_EXPORTED;
MPX_WEAK(Type_create_resized)
int old_Type_create_resized(old<MPI_Datatype> oldtype, MPI_Aint lb, MPI_Aint extent, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *)>(fn_Type_create_resized)(to_new<MPI_Datatype>(oldtype), lb, extent, newtype_.get()));
}
int old_Type_create_resized_c(old<MPI_Datatype> oldtype, MPI_Count lb, MPI_Count extent, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_resized_c") MPX_EXPORTED;
MPX_WEAK(Type_create_resized_c)
int old_Type_create_resized_c(old<MPI_Datatype> oldtype, MPI_Count lb, MPI_Count extent, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Datatype, MPI_Count, MPI_Count, MPI_Datatype *)>(fn_Type_create_resized_c)(to_new<MPI_Datatype>(oldtype), lb, extent, newtype_.get()));
}
int old_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], const old<MPI_Datatype> array_of_types[], old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_struct") MPX_EXPORTED;
MPX_WEAK(Type_create_struct)
int old_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[], const old<MPI_Datatype> array_of_types[], old<MPI_Datatype> *newtype) {
  return error_to_old(mpx_mpi_old::Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype));
}
int old_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], const old<MPI_Datatype> array_of_types[], old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_struct_c") MPX_EXPORTED;
MPX_WEAK(Type_create_struct_c)
int old_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], const old<MPI_Datatype> array_of_types[], old<MPI_Datatype> *newtype) {
  handles_copy<MPI_Datatype> array_of_types_(array_of_types, length(count));
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, const MPI_Count[], const MPI_Count[], const MPI_Datatype[], MPI_Datatype *)>(fn_Type_create_struct_c)(count, array_of_blocklengths, array_of_displacements, array_of_types_.get(), newtype_.get()));
}
int old_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_subarray") MPX_EXPORTED;
MPX_WEAK(Type_create_subarray)
int old_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[], const int array_of_starts[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_subarray)(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order_to_new(order), to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_create_subarray_c") MPX_EXPORTED;
MPX_WEAK(Type_create_subarray_c)
int old_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, const MPI_Count[], const MPI_Count[], const MPI_Count[], int, MPI_Datatype, MPI_Datatype *)>(fn_Type_create_subarray_c)(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order_to_new(order), to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_dup(old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_dup") MPX_EXPORTED;
MPX_WEAK(Type_dup)
int old_Type_dup(old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Datatype, MPI_Datatype *)>(fn_Type_dup)(to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_free(old<MPI_Datatype> *datatype) __asm__("PMPI_Type_free") MPX_EXPORTED;
MPX_WEAK(Type_free)
int old_Type_free(old<MPI_Datatype> *datatype) {
  handle_places<MPI_Datatype> datatype_(datatype, 1, true);
  return error_to_old(at<int(MPI_Datatype *)>(fn_Type_free)(datatype_.get()));
}
int old_Type_get_contents(old<MPI_Datatype> datatype, int max_integers, int max_addresses, int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], old<MPI_Datatype> array_of_datatypes[]) __asm__("PMPI_Type_get_contents") MPX_EXPORTED;
MPX_WEAK(Type_get_contents)
int old_Type_get_contents(old<MPI_Datatype> datatype, int max_integers, int max_addresses, int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], old<MPI_Datatype> array_of_datatypes[]) {
  return error_to_old(mpx_mpi_old::Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, array_of_addresses, array_of_datatypes));
}
int old_Type_get_contents_c(old<MPI_Datatype> datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], old<MPI_Datatype> array_of_datatypes[]) __asm__("PMPI_Type_get_contents_c") MPX_EXPORTED;
MPX_WEAK(Type_get_contents_c)
int old_Type_get_contents_c(old<MPI_Datatype> datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[], old<MPI_Datatype> array_of_datatypes[]) {
  return error_to_old(mpx_mpi_old::Type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts, max_datatypes, array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes));
}
int old_Type_get_envelope(old<MPI_Datatype> datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner) __asm__("PMPI_Type_get_envelope") MPX_EXPORTED;
MPX_WEAK(Type_get_envelope)
int old_Type_get_envelope(old<MPI_Datatype> datatype, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner) {
  const int code = at<int(MPI_Datatype, int *, int *, int *, int *)>(fn_Type_get_envelope)(to_new<MPI_Datatype>(datatype), num_integers, num_addresses, num_datatypes, combiner);
  int_places<combiner_to_old>(combiner).store(code);
  return error_to_old(code);
}
int old_Type_get_envelope_c(old<MPI_Datatype> datatype, MPI_Count *num_integers, MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner) __asm__("PMPI_Type_get_envelope_c") MPX_EXPORTED;
MPX_WEAK(Type_get_envelope_c)
int old_Type_get_envelope_c(old<MPI_Datatype> datatype, MPI_Count *num_integers, MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner) {
  const int code = at<int(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *, int *)>(fn_Type_get_envelope_c)(to_new<MPI_Datatype>(datatype), num_integers, num_addresses, num_large_counts, num_datatypes, combiner);
  int_places<combiner_to_old>(combiner).store(code);
  return error_to_old(code);
}
int old_Type_get_extent(old<MPI_Datatype> datatype, MPI_Aint *lb, MPI_Aint *extent) __asm__("PMPI_Type_get_extent") MPX_EXPORTED;
MPX_WEAK(Type_get_extent)
int old_Type_get_extent(old<MPI_Datatype> datatype, MPI_Aint *lb, MPI_Aint *extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Aint *, MPI_Aint *)>(fn_Type_get_extent)(to_new<MPI_Datatype>(datatype), lb, extent));
}
int old_Type_get_extent_c(old<MPI_Datatype> datatype, MPI_Count *lb, MPI_Count *extent) __asm__("PMPI_Type_get_extent_c") MPX_EXPORTED;
MPX_WEAK(Type_get_extent_c)
int old_Type_get_extent_c(old<MPI_Datatype> datatype, MPI_Count *lb, MPI_Count *extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *, MPI_Count *)>(fn_Type_get_extent_c)(to_new<MPI_Datatype>(datatype), lb, extent));
}
int old_Type_get_extent_x(old<MPI_Datatype> datatype, MPI_Count *lb, MPI_Count *extent) __asm__("PMPI_Type_get_extent_x") MPX_EXPORTED;
MPX_WEAK(Type_get_extent_x)
int old_Type_get_extent_x(old<MPI_Datatype> datatype, MPI_Count *lb, MPI_Count *extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *, MPI_Count *)>(fn_Type_get_extent_x)(to_new<MPI_Datatype>(datatype), lb, extent));
}
int old_Type_get_name(old<MPI_Datatype> datatype, char *type_name, int *resultlen) __asm__("PMPI_Type_get_name") MPX_EXPORTED;
MPX_WEAK(Type_get_name)
int old_Type_get_name(old<MPI_Datatype> datatype, char *type_name, int *resultlen) {
  text_place<128> type_name_(type_name);
  const int code = at<int(MPI_Datatype, char *, int *)>(fn_Type_get_name)(to_new<MPI_Datatype>(datatype), type_name_.get(), resultlen);
  type_name_.store(code, resultlen);
  return error_to_old(code);
}
int old_Type_get_true_extent(old<MPI_Datatype> datatype, MPI_Aint *true_lb, MPI_Aint *true_extent) __asm__("PMPI_Type_get_true_extent") MPX_EXPORTED;
MPX_WEAK(Type_get_true_extent)
int old_Type_get_true_extent(old<MPI_Datatype> datatype, MPI_Aint *true_lb, MPI_Aint *true_extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Aint *, MPI_Aint *)>(fn_Type_get_true_extent)(to_new<MPI_Datatype>(datatype), true_lb, true_extent));
}
int old_Type_get_true_extent_c(old<MPI_Datatype> datatype, MPI_Count *true_lb, MPI_Count *true_extent) __asm__("PMPI_Type_get_true_extent_c") MPX_EXPORTED;
MPX_WEAK(Type_get_true_extent_c)
int old_Type_get_true_extent_c(old<MPI_Datatype> datatype, MPI_Count *true_lb, MPI_Count *true_extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *, MPI_Count *)>(fn_Type_get_true_extent_c)(to_new<MPI_Datatype>(datatype), true_lb, true_extent));
}
int old_Type_get_true_extent_x(old<MPI_Datatype> datatype, MPI_Count *true_lb, MPI_Count *true_extent) __asm__("PMPI_Type_get_true_extent_x") MPX_EXPORTED;
MPX_WEAK(Type_get_true_extent_x)
int old_Type_get_true_extent_x(old<MPI_Datatype> datatype, MPI_Count *true_lb, MPI_Count *true_extent) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *, MPI_Count *)>(fn_Type_get_true_extent_x)(to_new<MPI_Datatype>(datatype), true_lb, true_extent));
}
int old_Type_get_value_index(old<MPI_Datatype> value_type, old<MPI_Datatype> index_type, old<MPI_Datatype> *pair_type) __asm__("PMPI_Type_get_value_index") MPX_EXPORTED;
MPX_WEAK(Type_get_value_index)
int old_Type_get_value_index(old<MPI_Datatype> value_type, old<MPI_Datatype> index_type, old<MPI_Datatype> *pair_type) {
  handle_places<MPI_Datatype> pair_type_(pair_type, 1, false);
  return error_to_old(at<int(MPI_Datatype, MPI_Datatype, MPI_Datatype *)>(fn_Type_get_value_index)(to_new<MPI_Datatype>(value_type), to_new<MPI_Datatype>(index_type), pair_type_.get()));
}
int old_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_indexed") MPX_EXPORTED;
MPX_WEAK(Type_indexed)
int old_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, const int[], const int[], MPI_Datatype, MPI_Datatype *)>(fn_Type_indexed)(count, array_of_blocklengths, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_indexed_c") MPX_EXPORTED;
MPX_WEAK(Type_indexed_c)
int old_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[], old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, const MPI_Count[], const MPI_Count[], MPI_Datatype, MPI_Datatype *)>(fn_Type_indexed_c)(count, array_of_blocklengths, array_of_displacements, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_match_size(int typeclass, int size, old<MPI_Datatype> *datatype) __asm__("PMPI_Type_match_size") MPX_EXPORTED;
MPX_WEAK(Type_match_size)
int old_Type_match_size(int typeclass, int size, old<MPI_Datatype> *datatype) {
  handle_places<MPI_Datatype> datatype_(datatype, 1, false);
  return error_to_old(at<int(int, int, MPI_Datatype *)>(fn_Type_match_size)(typeclass_to_new(typeclass), size, datatype_.get()));
}
int old_Type_set_name(old<MPI_Datatype> datatype, const char *type_name) __asm__("PMPI_Type_set_name") MPX_EXPORTED;
MPX_WEAK(Type_set_name)
int old_Type_set_name(old<MPI_Datatype> datatype, const char *type_name) {
  return error_to_old(at<int(MPI_Datatype, const char *)>(fn_Type_set_name)(to_new<MPI_Datatype>(datatype), type_name));
}
int old_Type_size(old<MPI_Datatype> datatype, int *size) __asm__("PMPI_Type_size") MPX_EXPORTED;
MPX_WEAK(Type_size)
int old_Type_size(old<MPI_Datatype> datatype, int *size) {
  return error_to_old(at<int(MPI_Datatype, int *)>(fn_Type_size)(to_new<MPI_Datatype>(datatype), size));
}
int old_Type_size_c(old<MPI_Datatype> datatype, MPI_Count *size) __asm__("PMPI_Type_size_c") MPX_EXPORTED;
MPX_WEAK(Type_size_c)
int old_Type_size_c(old<MPI_Datatype> datatype, MPI_Count *size) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *)>(fn_Type_size_c)(to_new<MPI_Datatype>(datatype), size));
}
int old_Type_size_x(old<MPI_Datatype> datatype, MPI_Count *size) __asm__("PMPI_Type_size_x") MPX_EXPORTED;
MPX_WEAK(Type_size_x)
int old_Type_size_x(old<MPI_Datatype> datatype, MPI_Count *size) {
  return error_to_old(at<int(MPI_Datatype, MPI_Count *)>(fn_Type_size_x)(to_new<MPI_Datatype>(datatype), size));
}
int old_Type_vector(int count, int blocklength, int stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_vector") MPX_EXPORTED;
MPX_WEAK(Type_vector)
int old_Type_vector(int count, int blocklength, int stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(int, int, int, MPI_Datatype, MPI_Datatype *)>(fn_Type_vector)(count, blocklength, stride, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) __asm__("PMPI_Type_vector_c") MPX_EXPORTED;
MPX_WEAK(Type_vector_c)
int old_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, old<MPI_Datatype> oldtype, old<MPI_Datatype> *newtype) {
  handle_places<MPI_Datatype> newtype_(newtype, 1, false);
  return error_to_old(at<int(MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype *)>(fn_Type_vector_c)(count, blocklength, stride, to_new<MPI_Datatype>(oldtype), newtype_.get()));
}
int old_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount, old<MPI_Datatype> datatype, old<MPI_Comm> comm) __asm__("PMPI_Unpack") MPX_EXPORTED;
MPX_WEAK(Unpack)
int old_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount, old<MPI_Datatype> datatype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, int *, void *, int, MPI_Datatype, MPI_Comm)>(fn_Unpack)(buffer_to_new(inbuf), insize, position, buffer_to_new(outbuf), outcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Comm>(comm)));
}
int old_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, old<MPI_Datatype> datatype, old<MPI_Comm> comm) __asm__("PMPI_Unpack_c") MPX_EXPORTED;
MPX_WEAK(Unpack_c)
int old_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, old<MPI_Datatype> datatype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Count *, void *, MPI_Count, MPI_Datatype, MPI_Comm)>(fn_Unpack_c)(buffer_to_new(inbuf), insize, position, buffer_to_new(outbuf), outcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Comm>(comm)));
}
int old_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, old<MPI_Datatype> datatype) __asm__("PMPI_Unpack_external") MPX_EXPORTED;
MPX_WEAK(Unpack_external)
int old_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(const char[], const void *, MPI_Aint, MPI_Aint *, void *, int, MPI_Datatype)>(fn_Unpack_external)(datarep, buffer_to_new(inbuf), insize, position, buffer_to_new(outbuf), outcount, to_new<MPI_Datatype>(datatype)));
}
int old_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, old<MPI_Datatype> datatype) __asm__("PMPI_Unpack_external_c") MPX_EXPORTED;
MPX_WEAK(Unpack_external_c)
int old_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(const char[], const void *, MPI_Count, MPI_Count *, void *, MPI_Count, MPI_Datatype)>(fn_Unpack_external_c)(datarep, buffer_to_new(inbuf), insize, position, buffer_to_new(outbuf), outcount, to_new<MPI_Datatype>(datatype)));
}
MPI_Aint old_Aint_add(MPI_Aint base, MPI_Aint disp) __asm__("PMPI_Aint_add") MPX_EXPORTED;
MPX_WEAK(Aint_add)
MPI_Aint old_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return at<MPI_Aint(MPI_Aint, MPI_Aint)>(fn_Aint_add)(base, disp);
}
MPI_Aint old_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) __asm__("PMPI_Aint_diff") MPX_EXPORTED;
MPX_WEAK(Aint_diff)
MPI_Aint old_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return at<MPI_Aint(MPI_Aint, MPI_Aint)>(fn_Aint_diff)(addr1, addr2);
}
int old_Op_commutative(old<MPI_Op> op, int *commute) __asm__("PMPI_Op_commutative") MPX_EXPORTED;
MPX_WEAK(Op_commutative)
int old_Op_commutative(old<MPI_Op> op, int *commute) {
  return error_to_old(at<int(MPI_Op, int *)>(fn_Op_commutative)(to_new<MPI_Op>(op), commute));
}
int old_Op_create(any_function user_fn, int commute, old<MPI_Op> *op) __asm__("PMPI_Op_create") MPX_EXPORTED;
MPX_WEAK(Op_create)
int old_Op_create(any_function user_fn, int commute, old<MPI_Op> *op) {
  return error_to_old(mpx_mpi_old::Op_create(user_fn, commute, op));
}
int old_Op_create_c(any_function user_fn, int commute, old<MPI_Op> *op) __asm__("PMPI_Op_create_c") MPX_EXPORTED;
MPX_WEAK(Op_create_c)
int old_Op_create_c(any_function user_fn, int commute, old<MPI_Op> *op) {
  return error_to_old(mpx_mpi_old::Op_create_c(user_fn, commute, op));
}
int old_Op_free(old<MPI_Op> *op) __asm__("PMPI_Op_free") MPX_EXPORTED;
MPX_WEAK(Op_free)
int old_Op_free(old<MPI_Op> *op) {
  handle_places<MPI_Op> op_(op, 1, true);
  return error_to_old(at<int(MPI_Op *)>(fn_Op_free)(op_.get()));
}
int old_Reduce_local(const void *inbuf, void *inoutbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op) __asm__("PMPI_Reduce_local") MPX_EXPORTED;
MPX_WEAK(Reduce_local)
int old_Reduce_local(const void *inbuf, void *inoutbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op)>(fn_Reduce_local)(buffer_to_new(inbuf), buffer_to_new(inoutbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op)));
}
int old_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op) __asm__("PMPI_Reduce_local_c") MPX_EXPORTED;
MPX_WEAK(Reduce_local_c)
int old_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op)>(fn_Reduce_local_c)(buffer_to_new(inbuf), buffer_to_new(inoutbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op)));
}
int old_Allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Allgather") MPX_EXPORTED;
MPX_WEAK(Allgather)
int old_Allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)>(fn_Allgather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Allgather_c") MPX_EXPORTED;
MPX_WEAK(Allgather_c)
int old_Allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm)>(fn_Allgather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Allgather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allgather_init") MPX_EXPORTED;
MPX_WEAK(Allgather_init)
int old_Allgather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allgather_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allgather_init_c") MPX_EXPORTED;
MPX_WEAK(Allgather_init_c)
int old_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allgather_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Allgatherv") MPX_EXPORTED;
MPX_WEAK(Allgatherv)
int old_Allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm)>(fn_Allgatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Allgatherv_c") MPX_EXPORTED;
MPX_WEAK(Allgatherv_c)
int old_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm)>(fn_Allgatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Allgatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allgatherv_init") MPX_EXPORTED;
MPX_WEAK(Allgatherv_init)
int old_Allgatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allgatherv_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allgatherv_init_c") MPX_EXPORTED;
MPX_WEAK(Allgatherv_init_c)
int old_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allgatherv_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Allreduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Allreduce") MPX_EXPORTED;
MPX_WEAK(Allreduce)
int old_Allreduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Allreduce)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Allreduce_c") MPX_EXPORTED;
MPX_WEAK(Allreduce_c)
int old_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Allreduce_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Allreduce_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allreduce_init") MPX_EXPORTED;
MPX_WEAK(Allreduce_init)
int old_Allreduce_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allreduce_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Allreduce_init_c") MPX_EXPORTED;
MPX_WEAK(Allreduce_init_c)
int old_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Allreduce_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Alltoall") MPX_EXPORTED;
MPX_WEAK(Alltoall)
int old_Alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)>(fn_Alltoall)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Alltoall_c") MPX_EXPORTED;
MPX_WEAK(Alltoall_c)
int old_Alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm)>(fn_Alltoall_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Alltoall_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoall_init") MPX_EXPORTED;
MPX_WEAK(Alltoall_init)
int old_Alltoall_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoall_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoall_init_c") MPX_EXPORTED;
MPX_WEAK(Alltoall_init_c)
int old_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoall_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Alltoallv") MPX_EXPORTED;
MPX_WEAK(Alltoallv)
int old_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm)>(fn_Alltoallv)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Alltoallv_c") MPX_EXPORTED;
MPX_WEAK(Alltoallv_c)
int old_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm)>(fn_Alltoallv_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoallv_init") MPX_EXPORTED;
MPX_WEAK(Alltoallv_init)
int old_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoallv_init)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoallv_init_c") MPX_EXPORTED;
MPX_WEAK(Alltoallv_init_c)
int old_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoallv_init_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) __asm__("PMPI_Alltoallw") MPX_EXPORTED;
MPX_WEAK(Alltoallw)
int old_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  return error_to_old(at<int(const void *, const int[], const int[], const MPI_Datatype[], void *, const int[], const int[], const MPI_Datatype[], MPI_Comm)>(fn_Alltoallw)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm)));
}
int old_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) __asm__("PMPI_Alltoallw_c") MPX_EXPORTED;
MPX_WEAK(Alltoallw_c)
int old_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm)>(fn_Alltoallw_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm)));
}
int old_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoallw_init") MPX_EXPORTED;
MPX_WEAK(Alltoallw_init)
int old_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], const MPI_Datatype[], void *, const int[], const int[], const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoallw_init)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Alltoallw_init_c") MPX_EXPORTED;
MPX_WEAK(Alltoallw_init_c)
int old_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *)>(fn_Alltoallw_init_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Barrier(old<MPI_Comm> comm) __asm__("PMPI_Barrier") MPX_EXPORTED;
MPX_WEAK(Barrier)
int old_Barrier(old<MPI_Comm> comm) {
  return error_to_old(at<int(MPI_Comm)>(fn_Barrier)(to_new<MPI_Comm>(comm)));
}
int old_Barrier_init(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Barrier_init") MPX_EXPORTED;
MPX_WEAK(Barrier_init)
int old_Barrier_init(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Info, MPI_Request *)>(fn_Barrier_init)(to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Bcast(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm) __asm__("PMPI_Bcast") MPX_EXPORTED;
MPX_WEAK(Bcast)
int old_Bcast(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(void *, int, MPI_Datatype, int, MPI_Comm)>(fn_Bcast)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Bcast_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm) __asm__("PMPI_Bcast_c") MPX_EXPORTED;
MPX_WEAK(Bcast_c)
int old_Bcast_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, MPI_Comm)>(fn_Bcast_c)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Bcast_init(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Bcast_init") MPX_EXPORTED;
MPX_WEAK(Bcast_init)
int old_Bcast_init(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Bcast_init)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Bcast_init_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Bcast_init_c") MPX_EXPORTED;
MPX_WEAK(Bcast_init_c)
int old_Bcast_init_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Bcast_init_c)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Exscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Exscan") MPX_EXPORTED;
MPX_WEAK(Exscan)
int old_Exscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Exscan)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Exscan_c") MPX_EXPORTED;
MPX_WEAK(Exscan_c)
int old_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Exscan_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Exscan_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Exscan_init") MPX_EXPORTED;
MPX_WEAK(Exscan_init)
int old_Exscan_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Exscan_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Exscan_init_c") MPX_EXPORTED;
MPX_WEAK(Exscan_init_c)
int old_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Exscan_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Gather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Gather") MPX_EXPORTED;
MPX_WEAK(Gather)
int old_Gather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm)>(fn_Gather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Gather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Gather_c") MPX_EXPORTED;
MPX_WEAK(Gather_c)
int old_Gather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm)>(fn_Gather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Gather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Gather_init") MPX_EXPORTED;
MPX_WEAK(Gather_init)
int old_Gather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Gather_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Gather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Gather_init_c") MPX_EXPORTED;
MPX_WEAK(Gather_init_c)
int old_Gather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Gather_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Gatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Gatherv") MPX_EXPORTED;
MPX_WEAK(Gatherv)
int old_Gatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, int, MPI_Comm)>(fn_Gatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Gatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Gatherv_c") MPX_EXPORTED;
MPX_WEAK(Gatherv_c)
int old_Gatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, int, MPI_Comm)>(fn_Gatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Gatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Gatherv_init") MPX_EXPORTED;
MPX_WEAK(Gatherv_init)
int old_Gatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Gatherv_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Gatherv_init_c") MPX_EXPORTED;
MPX_WEAK(Gatherv_init_c)
int old_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Gatherv_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Iallgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallgather") MPX_EXPORTED;
MPX_WEAK(Iallgather)
int old_Iallgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Iallgather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iallgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallgather_c") MPX_EXPORTED;
MPX_WEAK(Iallgather_c)
int old_Iallgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Iallgather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iallgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallgatherv") MPX_EXPORTED;
MPX_WEAK(Iallgatherv)
int old_Iallgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Iallgatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallgatherv_c") MPX_EXPORTED;
MPX_WEAK(Iallgatherv_c)
int old_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Iallgatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iallreduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallreduce") MPX_EXPORTED;
MPX_WEAK(Iallreduce)
int old_Iallreduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iallreduce)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iallreduce_c") MPX_EXPORTED;
MPX_WEAK(Iallreduce_c)
int old_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iallreduce_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoall") MPX_EXPORTED;
MPX_WEAK(Ialltoall)
int old_Ialltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ialltoall)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoall_c") MPX_EXPORTED;
MPX_WEAK(Ialltoall_c)
int old_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ialltoall_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoallv") MPX_EXPORTED;
MPX_WEAK(Ialltoallv)
int old_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ialltoallv)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoallv_c") MPX_EXPORTED;
MPX_WEAK(Ialltoallv_c)
int old_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ialltoallv_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoallw") MPX_EXPORTED;
MPX_WEAK(Ialltoallw)
int old_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], const MPI_Datatype[], void *, const int[], const int[], const MPI_Datatype[], MPI_Comm, MPI_Request *)>(fn_Ialltoallw)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ialltoallw_c") MPX_EXPORTED;
MPX_WEAK(Ialltoallw_c)
int old_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, buffer_to_new(sendbuf) == MPI_IN_PLACE ? 0 : partners(to_new<MPI_Comm>(comm)));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, partners(to_new<MPI_Comm>(comm)));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Request *)>(fn_Ialltoallw_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ibarrier(old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ibarrier") MPX_EXPORTED;
MPX_WEAK(Ibarrier)
int old_Ibarrier(old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Request *)>(fn_Ibarrier)(to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ibcast(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ibcast") MPX_EXPORTED;
MPX_WEAK(Ibcast)
int old_Ibcast(void *buffer, int count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Ibcast)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ibcast_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ibcast_c") MPX_EXPORTED;
MPX_WEAK(Ibcast_c)
int old_Ibcast_c(void *buffer, MPI_Count count, old<MPI_Datatype> datatype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Ibcast_c)(buffer_to_new(buffer), count, to_new<MPI_Datatype>(datatype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iexscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iexscan") MPX_EXPORTED;
MPX_WEAK(Iexscan)
int old_Iexscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iexscan)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iexscan_c") MPX_EXPORTED;
MPX_WEAK(Iexscan_c)
int old_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iexscan_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Igather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Igather") MPX_EXPORTED;
MPX_WEAK(Igather)
int old_Igather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Igather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Igather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Igather_c") MPX_EXPORTED;
MPX_WEAK(Igather_c)
int old_Igather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Igather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Igatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Igatherv") MPX_EXPORTED;
MPX_WEAK(Igatherv)
int old_Igatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Igatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Igatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Igatherv_c") MPX_EXPORTED;
MPX_WEAK(Igatherv_c)
int old_Igatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Igatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_allgather") MPX_EXPORTED;
MPX_WEAK(Ineighbor_allgather)
int old_Ineighbor_allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_allgather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_allgather_c") MPX_EXPORTED;
MPX_WEAK(Ineighbor_allgather_c)
int old_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_allgather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_allgatherv") MPX_EXPORTED;
MPX_WEAK(Ineighbor_allgatherv)
int old_Ineighbor_allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_allgatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_allgatherv_c") MPX_EXPORTED;
MPX_WEAK(Ineighbor_allgatherv_c)
int old_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_allgatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoall") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoall)
int old_Ineighbor_alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoall)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoall_c") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoall_c)
int old_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoall_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoallv") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoallv)
int old_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoallv)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoallv_c") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoallv_c)
int old_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoallv_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoallw") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoallw)
int old_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const MPI_Aint[], const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoallw)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ineighbor_alltoallw_c") MPX_EXPORTED;
MPX_WEAK(Ineighbor_alltoallw_c)
int old_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Request *)>(fn_Ineighbor_alltoallw_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce") MPX_EXPORTED;
MPX_WEAK(Ireduce)
int old_Ireduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request *)>(fn_Ireduce)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce_c") MPX_EXPORTED;
MPX_WEAK(Ireduce_c)
int old_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request *)>(fn_Ireduce_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce_scatter") MPX_EXPORTED;
MPX_WEAK(Ireduce_scatter)
int old_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Ireduce_scatter)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce_scatter_c") MPX_EXPORTED;
MPX_WEAK(Ireduce_scatter_c)
int old_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Ireduce_scatter_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce_scatter_block") MPX_EXPORTED;
MPX_WEAK(Ireduce_scatter_block)
int old_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Ireduce_scatter_block)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Ireduce_scatter_block_c") MPX_EXPORTED;
MPX_WEAK(Ireduce_scatter_block_c)
int old_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Ireduce_scatter_block_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscan") MPX_EXPORTED;
MPX_WEAK(Iscan)
int old_Iscan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iscan)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscan_c") MPX_EXPORTED;
MPX_WEAK(Iscan_c)
int old_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *)>(fn_Iscan_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscatter(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscatter") MPX_EXPORTED;
MPX_WEAK(Iscatter)
int old_Iscatter(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Iscatter)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscatter_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscatter_c") MPX_EXPORTED;
MPX_WEAK(Iscatter_c)
int old_Iscatter_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Iscatter_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscatterv") MPX_EXPORTED;
MPX_WEAK(Iscatterv)
int old_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Iscatterv)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) __asm__("PMPI_Iscatterv_c") MPX_EXPORTED;
MPX_WEAK(Iscatterv_c)
int old_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request *)>(fn_Iscatterv_c)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), request_.get()));
}
int old_Neighbor_allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_allgather") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgather)
int old_Neighbor_allgather(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)>(fn_Neighbor_allgather)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_allgather_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgather_c)
int old_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm)>(fn_Neighbor_allgather_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_allgather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_allgather_init") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgather_init)
int old_Neighbor_allgather_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_allgather_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_allgather_init_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgather_init_c)
int old_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_allgather_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_allgatherv") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgatherv)
int old_Neighbor_allgatherv(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm)>(fn_Neighbor_allgatherv)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_allgatherv_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgatherv_c)
int old_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm)>(fn_Neighbor_allgatherv_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_allgatherv_init") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgatherv_init)
int old_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_allgatherv_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_allgatherv_init_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_allgatherv_init_c)
int old_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_allgatherv_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, displs, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoall") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoall)
int old_Neighbor_alltoall(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm)>(fn_Neighbor_alltoall)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoall_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoall_c)
int old_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm)>(fn_Neighbor_alltoall_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoall_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoall_init") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoall_init)
int old_Neighbor_alltoall_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoall_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoall_init_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoall_init_c)
int old_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoall_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoallv") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallv)
int old_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm)>(fn_Neighbor_alltoallv)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoallv_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallv_c)
int old_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm)>(fn_Neighbor_alltoallv_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoallv_init") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallv_init)
int old_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoallv_init)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoallv_init_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallv_init_c)
int old_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], old<MPI_Datatype> sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], old<MPI_Datatype> recvtype, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoallv_init_c)(buffer_to_new(sendbuf), sendcounts, sdispls, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcounts, rdispls, to_new<MPI_Datatype>(recvtype), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoallw") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallw)
int old_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  return error_to_old(at<int(const void *, const int[], const MPI_Aint[], const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm)>(fn_Neighbor_alltoallw)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) __asm__("PMPI_Neighbor_alltoallw_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallw_c)
int old_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm)>(fn_Neighbor_alltoallw_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm)));
}
int old_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoallw_init") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallw_init)
int old_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const MPI_Aint[], const MPI_Datatype[], void *, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoallw_init)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Neighbor_alltoallw_init_c") MPX_EXPORTED;
MPX_WEAK(Neighbor_alltoallw_init_c)
int old_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const old<MPI_Datatype> sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const old<MPI_Datatype> recvtypes[], old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handles_copy<MPI_Datatype> sendtypes_(sendtypes, neighbors(to_new<MPI_Comm>(comm), false));
  handles_copy<MPI_Datatype> recvtypes_(recvtypes, neighbors(to_new<MPI_Comm>(comm), true));
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm, MPI_Info, MPI_Request *)>(fn_Neighbor_alltoallw_init_c)(buffer_to_new(sendbuf), sendcounts, sdispls, sendtypes_.get(), buffer_to_new(recvbuf), recvcounts, rdispls, recvtypes_.get(), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm) __asm__("PMPI_Reduce") MPX_EXPORTED;
MPX_WEAK(Reduce)
int old_Reduce(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm)>(fn_Reduce)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm) __asm__("PMPI_Reduce_c") MPX_EXPORTED;
MPX_WEAK(Reduce_c)
int old_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm)>(fn_Reduce_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Reduce_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_init") MPX_EXPORTED;
MPX_WEAK(Reduce_init)
int old_Reduce_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_init_c") MPX_EXPORTED;
MPX_WEAK(Reduce_init_c)
int old_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Reduce_scatter") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter)
int old_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Reduce_scatter)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Reduce_scatter_c") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_c)
int old_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Reduce_scatter_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Reduce_scatter_block") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_block)
int old_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Reduce_scatter_block)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Reduce_scatter_block_c") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_block_c)
int old_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Reduce_scatter_block_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_scatter_block_init") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_block_init)
int old_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_scatter_block_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_scatter_block_init_c") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_block_init_c)
int old_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_scatter_block_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_scatter_init") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_init)
int old_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_scatter_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Reduce_scatter_init_c") MPX_EXPORTED;
MPX_WEAK(Reduce_scatter_init_c)
int old_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Reduce_scatter_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), recvcounts, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Scan") MPX_EXPORTED;
MPX_WEAK(Scan)
int old_Scan(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Scan)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) __asm__("PMPI_Scan_c") MPX_EXPORTED;
MPX_WEAK(Scan_c)
int old_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm)>(fn_Scan_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm)));
}
int old_Scan_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scan_init") MPX_EXPORTED;
MPX_WEAK(Scan_init)
int old_Scan_init(const void *sendbuf, void *recvbuf, int count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scan_init)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scan_init_c") MPX_EXPORTED;
MPX_WEAK(Scan_init_c)
int old_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Op> op, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scan_init_c)(buffer_to_new(sendbuf), buffer_to_new(recvbuf), count, to_new<MPI_Datatype>(datatype), to_new<MPI_Op>(op), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scatter(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Scatter") MPX_EXPORTED;
MPX_WEAK(Scatter)
int old_Scatter(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm)>(fn_Scatter)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Scatter_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Scatter_c") MPX_EXPORTED;
MPX_WEAK(Scatter_c)
int old_Scatter_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm)>(fn_Scatter_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Scatter_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scatter_init") MPX_EXPORTED;
MPX_WEAK(Scatter_init)
int old_Scatter_init(const void *sendbuf, int sendcount, old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scatter_init)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scatter_init_c") MPX_EXPORTED;
MPX_WEAK(Scatter_init_c)
int old_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scatter_init_c)(buffer_to_new(sendbuf), sendcount, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Scatterv") MPX_EXPORTED;
MPX_WEAK(Scatterv)
int old_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm)>(fn_Scatterv)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) __asm__("PMPI_Scatterv_c") MPX_EXPORTED;
MPX_WEAK(Scatterv_c)
int old_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm) {
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm)>(fn_Scatterv_c)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm)));
}
int old_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scatterv_init") MPX_EXPORTED;
MPX_WEAK(Scatterv_init)
int old_Scatterv_init(const void *sendbuf, const int sendcounts[], const int displs[], old<MPI_Datatype> sendtype, void *recvbuf, int recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const int[], const int[], MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scatterv_init)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Scatterv_init_c") MPX_EXPORTED;
MPX_WEAK(Scatterv_init_c)
int old_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], old<MPI_Datatype> sendtype, void *recvbuf, MPI_Count recvcount, old<MPI_Datatype> recvtype, int root, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Scatterv_init_c)(buffer_to_new(sendbuf), sendcounts, displs, to_new<MPI_Datatype>(sendtype), buffer_to_new(recvbuf), recvcount, to_new<MPI_Datatype>(recvtype), rank_to_new(root), to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Group_compare(old<MPI_Group> group1, old<MPI_Group> group2, int *result) __asm__("PMPI_Group_compare") MPX_EXPORTED;
MPX_WEAK(Group_compare)
int old_Group_compare(old<MPI_Group> group1, old<MPI_Group> group2, int *result) {
  const int code = at<int(MPI_Group, MPI_Group, int *)>(fn_Group_compare)(to_new<MPI_Group>(group1), to_new<MPI_Group>(group2), result);
  int_places<compare_to_old>(result).store(code);
  return error_to_old(code);
}
int old_Group_difference(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) __asm__("PMPI_Group_difference") MPX_EXPORTED;
MPX_WEAK(Group_difference)
int old_Group_difference(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, MPI_Group, MPI_Group *)>(fn_Group_difference)(to_new<MPI_Group>(group1), to_new<MPI_Group>(group2), newgroup_.get()));
}
int old_Group_excl(old<MPI_Group> group, int n, const int ranks[], old<MPI_Group> *newgroup) __asm__("PMPI_Group_excl") MPX_EXPORTED;
MPX_WEAK(Group_excl)
int old_Group_excl(old<MPI_Group> group, int n, const int ranks[], old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, int, const int[], MPI_Group *)>(fn_Group_excl)(to_new<MPI_Group>(group), n, ranks, newgroup_.get()));
}
int old_Group_free(old<MPI_Group> *group) __asm__("PMPI_Group_free") MPX_EXPORTED;
MPX_WEAK(Group_free)
int old_Group_free(old<MPI_Group> *group) {
  handle_places<MPI_Group> group_(group, 1, true);
  return error_to_old(at<int(MPI_Group *)>(fn_Group_free)(group_.get()));
}
int old_Group_incl(old<MPI_Group> group, int n, const int ranks[], old<MPI_Group> *newgroup) __asm__("PMPI_Group_incl") MPX_EXPORTED;
MPX_WEAK(Group_incl)
int old_Group_incl(old<MPI_Group> group, int n, const int ranks[], old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, int, const int[], MPI_Group *)>(fn_Group_incl)(to_new<MPI_Group>(group), n, ranks, newgroup_.get()));
}
int old_Group_intersection(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) __asm__("PMPI_Group_intersection") MPX_EXPORTED;
MPX_WEAK(Group_intersection)
int old_Group_intersection(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, MPI_Group, MPI_Group *)>(fn_Group_intersection)(to_new<MPI_Group>(group1), to_new<MPI_Group>(group2), newgroup_.get()));
}
int old_Group_range_excl(old<MPI_Group> group, int n, int ranges[][3], old<MPI_Group> *newgroup) __asm__("PMPI_Group_range_excl") MPX_EXPORTED;
MPX_WEAK(Group_range_excl)
int old_Group_range_excl(old<MPI_Group> group, int n, int ranges[][3], old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, int, int[][3], MPI_Group *)>(fn_Group_range_excl)(to_new<MPI_Group>(group), n, ranges, newgroup_.get()));
}
int old_Group_range_incl(old<MPI_Group> group, int n, int ranges[][3], old<MPI_Group> *newgroup) __asm__("PMPI_Group_range_incl") MPX_EXPORTED;
MPX_WEAK(Group_range_incl)
int old_Group_range_incl(old<MPI_Group> group, int n, int ranges[][3], old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, int, int[][3], MPI_Group *)>(fn_Group_range_incl)(to_new<MPI_Group>(group), n, ranges, newgroup_.get()));
}
int old_Group_rank(old<MPI_Group> group, int *rank) __asm__("PMPI_Group_rank") MPX_EXPORTED;
MPX_WEAK(Group_rank)
int old_Group_rank(old<MPI_Group> group, int *rank) {
  return error_to_old(at<int(MPI_Group, int *)>(fn_Group_rank)(to_new<MPI_Group>(group), rank));
}
int old_Group_size(old<MPI_Group> group, int *size) __asm__("PMPI_Group_size") MPX_EXPORTED;
MPX_WEAK(Group_size)
int old_Group_size(old<MPI_Group> group, int *size) {
  return error_to_old(at<int(MPI_Group, int *)>(fn_Group_size)(to_new<MPI_Group>(group), size));
}
int old_Group_translate_ranks(old<MPI_Group> group1, int n, const int ranks1[], old<MPI_Group> group2, int ranks2[]) __asm__("PMPI_Group_translate_ranks") MPX_EXPORTED;
MPX_WEAK(Group_translate_ranks)
int old_Group_translate_ranks(old<MPI_Group> group1, int n, const int ranks1[], old<MPI_Group> group2, int ranks2[]) {
  ints_copy<rank_to_new> ranks1_(ranks1, n);
  const int code = at<int(MPI_Group, int, const int[], MPI_Group, int[])>(fn_Group_translate_ranks)(to_new<MPI_Group>(group1), n, ranks1_.get(), to_new<MPI_Group>(group2), ranks2);
  int_places<rank_to_old>(ranks2, n).store(code);
  return error_to_old(code);
}
int old_Group_union(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) __asm__("PMPI_Group_union") MPX_EXPORTED;
MPX_WEAK(Group_union)
int old_Group_union(old<MPI_Group> group1, old<MPI_Group> group2, old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Group, MPI_Group, MPI_Group *)>(fn_Group_union)(to_new<MPI_Group>(group1), to_new<MPI_Group>(group2), newgroup_.get()));
}
int old_Comm_compare(old<MPI_Comm> comm1, old<MPI_Comm> comm2, int *result) __asm__("PMPI_Comm_compare") MPX_EXPORTED;
MPX_WEAK(Comm_compare)
int old_Comm_compare(old<MPI_Comm> comm1, old<MPI_Comm> comm2, int *result) {
  const int code = at<int(MPI_Comm, MPI_Comm, int *)>(fn_Comm_compare)(to_new<MPI_Comm>(comm1), to_new<MPI_Comm>(comm2), result);
  int_places<compare_to_old>(result).store(code);
  return error_to_old(code);
}
int old_Comm_create(old<MPI_Comm> comm, old<MPI_Group> group, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_create") MPX_EXPORTED;
MPX_WEAK(Comm_create)
int old_Comm_create(old<MPI_Comm> comm, old<MPI_Group> group, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Group, MPI_Comm *)>(fn_Comm_create)(to_new<MPI_Comm>(comm), to_new<MPI_Group>(group), newcomm_.get()));
}
int old_Comm_create_group(old<MPI_Comm> comm, old<MPI_Group> group, int tag, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_create_group") MPX_EXPORTED;
MPX_WEAK(Comm_create_group)
int old_Comm_create_group(old<MPI_Comm> comm, old<MPI_Group> group, int tag, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Group, int, MPI_Comm *)>(fn_Comm_create_group)(to_new<MPI_Comm>(comm), to_new<MPI_Group>(group), tag, newcomm_.get()));
}
int old_Comm_dup(old<MPI_Comm> comm, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_dup") MPX_EXPORTED;
MPX_WEAK(Comm_dup)
int old_Comm_dup(old<MPI_Comm> comm, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Comm *)>(fn_Comm_dup)(to_new<MPI_Comm>(comm), newcomm_.get()));
}
int old_Comm_dup_with_info(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_dup_with_info") MPX_EXPORTED;
MPX_WEAK(Comm_dup_with_info)
int old_Comm_dup_with_info(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Info, MPI_Comm *)>(fn_Comm_dup_with_info)(to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), newcomm_.get()));
}
int old_Comm_free(old<MPI_Comm> *comm) __asm__("PMPI_Comm_free") MPX_EXPORTED;
MPX_WEAK(Comm_free)
int old_Comm_free(old<MPI_Comm> *comm) {
  handle_places<MPI_Comm> comm_(comm, 1, true);
  return error_to_old(at<int(MPI_Comm *)>(fn_Comm_free)(comm_.get()));
}
int old_Comm_get_info(old<MPI_Comm> comm, old<MPI_Info> *info_used) __asm__("PMPI_Comm_get_info") MPX_EXPORTED;
MPX_WEAK(Comm_get_info)
int old_Comm_get_info(old<MPI_Comm> comm, old<MPI_Info> *info_used) {
  handle_places<MPI_Info> info_used_(info_used, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Info *)>(fn_Comm_get_info)(to_new<MPI_Comm>(comm), info_used_.get()));
}
int old_Comm_get_name(old<MPI_Comm> comm, char *comm_name, int *resultlen) __asm__("PMPI_Comm_get_name") MPX_EXPORTED;
MPX_WEAK(Comm_get_name)
int old_Comm_get_name(old<MPI_Comm> comm, char *comm_name, int *resultlen) {
  text_place<128> comm_name_(comm_name);
  const int code = at<int(MPI_Comm, char *, int *)>(fn_Comm_get_name)(to_new<MPI_Comm>(comm), comm_name_.get(), resultlen);
  comm_name_.store(code, resultlen);
  return error_to_old(code);
}
int old_Comm_group(old<MPI_Comm> comm, old<MPI_Group> *group) __asm__("PMPI_Comm_group") MPX_EXPORTED;
MPX_WEAK(Comm_group)
int old_Comm_group(old<MPI_Comm> comm, old<MPI_Group> *group) {
  handle_places<MPI_Group> group_(group, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Group *)>(fn_Comm_group)(to_new<MPI_Comm>(comm), group_.get()));
}
int old_Comm_idup(old<MPI_Comm> comm, old<MPI_Comm> *newcomm, old<MPI_Request> *request) __asm__("PMPI_Comm_idup") MPX_EXPORTED;
MPX_WEAK(Comm_idup)
int old_Comm_idup(old<MPI_Comm> comm, old<MPI_Comm> *newcomm, old<MPI_Request> *request) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Comm *, MPI_Request *)>(fn_Comm_idup)(to_new<MPI_Comm>(comm), newcomm_.get(), request_.get()));
}
int old_Comm_idup_with_info(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Comm> *newcomm, old<MPI_Request> *request) __asm__("PMPI_Comm_idup_with_info") MPX_EXPORTED;
MPX_WEAK(Comm_idup_with_info)
int old_Comm_idup_with_info(old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Comm> *newcomm, old<MPI_Request> *request) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Info, MPI_Comm *, MPI_Request *)>(fn_Comm_idup_with_info)(to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), newcomm_.get(), request_.get()));
}
int old_Comm_rank(old<MPI_Comm> comm, int *rank) __asm__("PMPI_Comm_rank") MPX_EXPORTED;
MPX_WEAK(Comm_rank)
int old_Comm_rank(old<MPI_Comm> comm, int *rank) {
  return error_to_old(at<int(MPI_Comm, int *)>(fn_Comm_rank)(to_new<MPI_Comm>(comm), rank));
}
int old_Comm_remote_group(old<MPI_Comm> comm, old<MPI_Group> *group) __asm__("PMPI_Comm_remote_group") MPX_EXPORTED;
MPX_WEAK(Comm_remote_group)
int old_Comm_remote_group(old<MPI_Comm> comm, old<MPI_Group> *group) {
  handle_places<MPI_Group> group_(group, 1, false);
  return error_to_old(at<int(MPI_Comm, MPI_Group *)>(fn_Comm_remote_group)(to_new<MPI_Comm>(comm), group_.get()));
}
int old_Comm_remote_size(old<MPI_Comm> comm, int *size) __asm__("PMPI_Comm_remote_size") MPX_EXPORTED;
MPX_WEAK(Comm_remote_size)
int old_Comm_remote_size(old<MPI_Comm> comm, int *size) {
  return error_to_old(at<int(MPI_Comm, int *)>(fn_Comm_remote_size)(to_new<MPI_Comm>(comm), size));
}
int old_Comm_set_info(old<MPI_Comm> comm, old<MPI_Info> info) __asm__("PMPI_Comm_set_info") MPX_EXPORTED;
MPX_WEAK(Comm_set_info)
int old_Comm_set_info(old<MPI_Comm> comm, old<MPI_Info> info) {
  return error_to_old(at<int(MPI_Comm, MPI_Info)>(fn_Comm_set_info)(to_new<MPI_Comm>(comm), to_new<MPI_Info>(info)));
}
int old_Comm_set_name(old<MPI_Comm> comm, const char *comm_name) __asm__("PMPI_Comm_set_name") MPX_EXPORTED;
MPX_WEAK(Comm_set_name)
int old_Comm_set_name(old<MPI_Comm> comm, const char *comm_name) {
  return error_to_old(at<int(MPI_Comm, const char *)>(fn_Comm_set_name)(to_new<MPI_Comm>(comm), comm_name));
}
int old_Comm_size(old<MPI_Comm> comm, int *size) __asm__("PMPI_Comm_size") MPX_EXPORTED;
MPX_WEAK(Comm_size)
int old_Comm_size(old<MPI_Comm> comm, int *size) {
  return error_to_old(at<int(MPI_Comm, int *)>(fn_Comm_size)(to_new<MPI_Comm>(comm), size));
}
int old_Comm_split(old<MPI_Comm> comm, int color, int key, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_split") MPX_EXPORTED;
MPX_WEAK(Comm_split)
int old_Comm_split(old<MPI_Comm> comm, int color, int key, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, int, int, MPI_Comm *)>(fn_Comm_split)(to_new<MPI_Comm>(comm), color, key, newcomm_.get()));
}
int old_Comm_split_type(old<MPI_Comm> comm, int split_type, int key, old<MPI_Info> info, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_split_type") MPX_EXPORTED;
MPX_WEAK(Comm_split_type)
int old_Comm_split_type(old<MPI_Comm> comm, int split_type, int key, old<MPI_Info> info, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, int, int, MPI_Info, MPI_Comm *)>(fn_Comm_split_type)(to_new<MPI_Comm>(comm), split_to_new(split_type), key, to_new<MPI_Info>(info), newcomm_.get()));
}
int old_Comm_test_inter(old<MPI_Comm> comm, int *flag) __asm__("PMPI_Comm_test_inter") MPX_EXPORTED;
MPX_WEAK(Comm_test_inter)
int old_Comm_test_inter(old<MPI_Comm> comm, int *flag) {
  return error_to_old(at<int(MPI_Comm, int *)>(fn_Comm_test_inter)(to_new<MPI_Comm>(comm), flag));
}
int old_Intercomm_create(old<MPI_Comm> local_comm, int local_leader, old<MPI_Comm> peer_comm, int remote_leader, int tag, old<MPI_Comm> *newintercomm) __asm__("PMPI_Intercomm_create") MPX_EXPORTED;
MPX_WEAK(Intercomm_create)
int old_Intercomm_create(old<MPI_Comm> local_comm, int local_leader, old<MPI_Comm> peer_comm, int remote_leader, int tag, old<MPI_Comm> *newintercomm) {
  handle_places<MPI_Comm> newintercomm_(newintercomm, 1, false);
  return error_to_old(at<int(MPI_Comm, int, MPI_Comm, int, int, MPI_Comm *)>(fn_Intercomm_create)(to_new<MPI_Comm>(local_comm), local_leader, to_new<MPI_Comm>(peer_comm), remote_leader, tag, newintercomm_.get()));
}
int old_Intercomm_merge(old<MPI_Comm> intercomm, int high, old<MPI_Comm> *newintracomm) __asm__("PMPI_Intercomm_merge") MPX_EXPORTED;
MPX_WEAK(Intercomm_merge)
int old_Intercomm_merge(old<MPI_Comm> intercomm, int high, old<MPI_Comm> *newintracomm) {
  handle_places<MPI_Comm> newintracomm_(newintracomm, 1, false);
  return error_to_old(at<int(MPI_Comm, int, MPI_Comm *)>(fn_Intercomm_merge)(to_new<MPI_Comm>(intercomm), high, newintracomm_.get()));
}
int old_Attr_delete(old<MPI_Comm> comm, int keyval) __asm__("PMPI_Attr_delete") MPX_EXPORTED;
MPX_WEAK(Attr_delete)
int old_Attr_delete(old<MPI_Comm> comm, int keyval) {
  return error_to_old(at<int(MPI_Comm, int)>(fn_Attr_delete)(to_new<MPI_Comm>(comm), keyval_to_new(keyval)));
}
int old_Attr_get(old<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) __asm__("PMPI_Attr_get") MPX_EXPORTED;
MPX_WEAK(Attr_get)
int old_Attr_get(old<MPI_Comm> comm, int keyval, void *attribute_val, int *flag) {
  return error_to_old(mpx_mpi_old::Attr_get(comm, keyval, attribute_val, flag));
}
int old_Attr_put(old<MPI_Comm> comm, int keyval, void *attribute_val) __asm__("PMPI_Attr_put") MPX_EXPORTED;
MPX_WEAK(Attr_put)
int old_Attr_put(old<MPI_Comm> comm, int keyval, void *attribute_val) {
  return error_to_old(at<int(MPI_Comm, int, void *)>(fn_Attr_put)(to_new<MPI_Comm>(comm), keyval_to_new(keyval), attribute_val));
}
int old_Comm_create_keyval(any_function comm_copy_attr_fn, any_function comm_delete_attr_fn, int *comm_keyval, void *extra_state) __asm__("PMPI_Comm_create_keyval") MPX_EXPORTED;
MPX_WEAK(Comm_create_keyval)
int old_Comm_create_keyval(any_function comm_copy_attr_fn, any_function comm_delete_attr_fn, int *comm_keyval, void *extra_state) {
  return error_to_old(mpx_mpi_old::Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state));
}
int old_Comm_delete_attr(old<MPI_Comm> comm, int comm_keyval) __asm__("PMPI_Comm_delete_attr") MPX_EXPORTED;
MPX_WEAK(Comm_delete_attr)
int old_Comm_delete_attr(old<MPI_Comm> comm, int comm_keyval) {
  return error_to_old(at<int(MPI_Comm, int)>(fn_Comm_delete_attr)(to_new<MPI_Comm>(comm), keyval_to_new(comm_keyval)));
}
int old_Comm_free_keyval(int *comm_keyval) __asm__("PMPI_Comm_free_keyval") MPX_EXPORTED;
MPX_WEAK(Comm_free_keyval)
int old_Comm_free_keyval(int *comm_keyval) {
  int comm_keyval_ = comm_keyval == nullptr ? 0 : keyval_to_new(*comm_keyval);
  const int code = at<int(int *)>(fn_Comm_free_keyval)(comm_keyval == nullptr ? nullptr : &comm_keyval_);
  if (code == MPI_SUCCESS) *comm_keyval = keyval_to_old(comm_keyval_);
  return error_to_old(code);
}
int old_Comm_get_attr(old<MPI_Comm> comm, int comm_keyval, void *attribute_val, int *flag) __asm__("PMPI_Comm_get_attr") MPX_EXPORTED;
MPX_WEAK(Comm_get_attr)
int old_Comm_get_attr(old<MPI_Comm> comm, int comm_keyval, void *attribute_val, int *flag) {
  return error_to_old(mpx_mpi_old::Comm_get_attr(comm, comm_keyval, attribute_val, flag));
}
int old_Comm_set_attr(old<MPI_Comm> comm, int comm_keyval, void *attribute_val) __asm__("PMPI_Comm_set_attr") MPX_EXPORTED;
MPX_WEAK(Comm_set_attr)
int old_Comm_set_attr(old<MPI_Comm> comm, int comm_keyval, void *attribute_val) {
  return error_to_old(at<int(MPI_Comm, int, void *)>(fn_Comm_set_attr)(to_new<MPI_Comm>(comm), keyval_to_new(comm_keyval), attribute_val));
}
int old_Keyval_create(any_function copy_fn, any_function delete_fn, int *keyval, void *extra_state) __asm__("PMPI_Keyval_create") MPX_EXPORTED;
MPX_WEAK(Keyval_create)
int old_Keyval_create(any_function copy_fn, any_function delete_fn, int *keyval, void *extra_state) {
  return error_to_old(mpx_mpi_old::Keyval_create(copy_fn, delete_fn, keyval, extra_state));
}
int old_Keyval_free(int *keyval) __asm__("PMPI_Keyval_free") MPX_EXPORTED;
MPX_WEAK(Keyval_free)
int old_Keyval_free(int *keyval) {
  int keyval_ = keyval == nullptr ? 0 : keyval_to_new(*keyval);
  const int code = at<int(int *)>(fn_Keyval_free)(keyval == nullptr ? nullptr : &keyval_);
  if (code == MPI_SUCCESS) *keyval = keyval_to_old(keyval_);
  return error_to_old(code);
}
int old_Type_create_keyval(any_function type_copy_attr_fn, any_function type_delete_attr_fn, int *type_keyval, void *extra_state) __asm__("PMPI_Type_create_keyval") MPX_EXPORTED;
MPX_WEAK(Type_create_keyval)
int old_Type_create_keyval(any_function type_copy_attr_fn, any_function type_delete_attr_fn, int *type_keyval, void *extra_state) {
  return error_to_old(mpx_mpi_old::Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state));
}
int old_Type_delete_attr(old<MPI_Datatype> datatype, int type_keyval) __asm__("PMPI_Type_delete_attr") MPX_EXPORTED;
MPX_WEAK(Type_delete_attr)
int old_Type_delete_attr(old<MPI_Datatype> datatype, int type_keyval) {
  return error_to_old(at<int(MPI_Datatype, int)>(fn_Type_delete_attr)(to_new<MPI_Datatype>(datatype), keyval_to_new(type_keyval)));
}
int old_Type_free_keyval(int *type_keyval) __asm__("PMPI_Type_free_keyval") MPX_EXPORTED;
MPX_WEAK(Type_free_keyval)
int old_Type_free_keyval(int *type_keyval) {
  int type_keyval_ = type_keyval == nullptr ? 0 : keyval_to_new(*type_keyval);
  const int code = at<int(int *)>(fn_Type_free_keyval)(type_keyval == nullptr ? nullptr : &type_keyval_);
  if (code == MPI_SUCCESS) *type_keyval = keyval_to_old(type_keyval_);
  return error_to_old(code);
}
int old_Type_get_attr(old<MPI_Datatype> datatype, int type_keyval, void *attribute_val, int *flag) __asm__("PMPI_Type_get_attr") MPX_EXPORTED;
MPX_WEAK(Type_get_attr)
int old_Type_get_attr(old<MPI_Datatype> datatype, int type_keyval, void *attribute_val, int *flag) {
  return error_to_old(at<int(MPI_Datatype, int, void *, int *)>(fn_Type_get_attr)(to_new<MPI_Datatype>(datatype), keyval_to_new(type_keyval), attribute_val, flag));
}
int old_Type_set_attr(old<MPI_Datatype> datatype, int type_keyval, void *attribute_val) __asm__("PMPI_Type_set_attr") MPX_EXPORTED;
MPX_WEAK(Type_set_attr)
int old_Type_set_attr(old<MPI_Datatype> datatype, int type_keyval, void *attribute_val) {
  return error_to_old(at<int(MPI_Datatype, int, void *)>(fn_Type_set_attr)(to_new<MPI_Datatype>(datatype), keyval_to_new(type_keyval), attribute_val));
}
int old_Cart_coords(old<MPI_Comm> comm, int rank, int maxdims, int coords[]) __asm__("PMPI_Cart_coords") MPX_EXPORTED;
MPX_WEAK(Cart_coords)
int old_Cart_coords(old<MPI_Comm> comm, int rank, int maxdims, int coords[]) {
  return error_to_old(at<int(MPI_Comm, int, int, int[])>(fn_Cart_coords)(to_new<MPI_Comm>(comm), rank, maxdims, coords));
}
int old_Cart_create(old<MPI_Comm> comm_old, int ndims, const int dims[], const int periods[], int reorder, old<MPI_Comm> *comm_cart) __asm__("PMPI_Cart_create") MPX_EXPORTED;
MPX_WEAK(Cart_create)
int old_Cart_create(old<MPI_Comm> comm_old, int ndims, const int dims[], const int periods[], int reorder, old<MPI_Comm> *comm_cart) {
  handle_places<MPI_Comm> comm_cart_(comm_cart, 1, false);
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], int, MPI_Comm *)>(fn_Cart_create)(to_new<MPI_Comm>(comm_old), ndims, dims, periods, reorder, comm_cart_.get()));
}
int old_Cart_get(old<MPI_Comm> comm, int maxdims, int dims[], int periods[], int coords[]) __asm__("PMPI_Cart_get") MPX_EXPORTED;
MPX_WEAK(Cart_get)
int old_Cart_get(old<MPI_Comm> comm, int maxdims, int dims[], int periods[], int coords[]) {
  return error_to_old(at<int(MPI_Comm, int, int[], int[], int[])>(fn_Cart_get)(to_new<MPI_Comm>(comm), maxdims, dims, periods, coords));
}
int old_Cart_map(old<MPI_Comm> comm, int ndims, const int dims[], const int periods[], int *newrank) __asm__("PMPI_Cart_map") MPX_EXPORTED;
MPX_WEAK(Cart_map)
int old_Cart_map(old<MPI_Comm> comm, int ndims, const int dims[], const int periods[], int *newrank) {
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], int *)>(fn_Cart_map)(to_new<MPI_Comm>(comm), ndims, dims, periods, newrank));
}
int old_Cart_rank(old<MPI_Comm> comm, const int coords[], int *rank) __asm__("PMPI_Cart_rank") MPX_EXPORTED;
MPX_WEAK(Cart_rank)
int old_Cart_rank(old<MPI_Comm> comm, const int coords[], int *rank) {
  return error_to_old(at<int(MPI_Comm, const int[], int *)>(fn_Cart_rank)(to_new<MPI_Comm>(comm), coords, rank));
}
int old_Cart_shift(old<MPI_Comm> comm, int direction, int disp, int *rank_source, int *rank_dest) __asm__("PMPI_Cart_shift") MPX_EXPORTED;
MPX_WEAK(Cart_shift)
int old_Cart_shift(old<MPI_Comm> comm, int direction, int disp, int *rank_source, int *rank_dest) {
  const int code = at<int(MPI_Comm, int, int, int *, int *)>(fn_Cart_shift)(to_new<MPI_Comm>(comm), direction, disp, rank_source, rank_dest);
  int_places<rank_to_old>(rank_source).store(code);
  int_places<rank_to_old>(rank_dest).store(code);
  return error_to_old(code);
}
int old_Cart_sub(old<MPI_Comm> comm, const int remain_dims[], old<MPI_Comm> *newcomm) __asm__("PMPI_Cart_sub") MPX_EXPORTED;
MPX_WEAK(Cart_sub)
int old_Cart_sub(old<MPI_Comm> comm, const int remain_dims[], old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Comm, const int[], MPI_Comm *)>(fn_Cart_sub)(to_new<MPI_Comm>(comm), remain_dims, newcomm_.get()));
}
int old_Cartdim_get(old<MPI_Comm> comm, int *ndims) __asm__("PMPI_Cartdim_get") MPX_EXPORTED;
MPX_WEAK(Cartdim_get)
int old_Cartdim_get(old<MPI_Comm> comm, int *ndims) {
  return error_to_old(at<int(MPI_Comm, int *)>(fn_Cartdim_get)(to_new<MPI_Comm>(comm), ndims));
}
int old_Dims_create(int nnodes, int ndims, int dims[]) __asm__("PMPI_Dims_create") MPX_EXPORTED;
MPX_WEAK(Dims_create)
int old_Dims_create(int nnodes, int ndims, int dims[]) {
  return error_to_old(at<int(int, int, int[])>(fn_Dims_create)(nnodes, ndims, dims));
}
int old_Dist_graph_create(old<MPI_Comm> comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], old<MPI_Info> info, int reorder, old<MPI_Comm> *comm_dist_graph) __asm__("PMPI_Dist_graph_create") MPX_EXPORTED;
MPX_WEAK(Dist_graph_create)
int old_Dist_graph_create(old<MPI_Comm> comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], old<MPI_Info> info, int reorder, old<MPI_Comm> *comm_dist_graph) {
  handle_places<MPI_Comm> comm_dist_graph_(comm_dist_graph, 1, false);
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], const int[], const int[], MPI_Info, int, MPI_Comm *)>(fn_Dist_graph_create)(to_new<MPI_Comm>(comm_old), n, sources, degrees, destinations, weights_to_new(weights), to_new<MPI_Info>(info), reorder, comm_dist_graph_.get()));
}
int old_Dist_graph_create_adjacent(old<MPI_Comm> comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], old<MPI_Info> info, int reorder, old<MPI_Comm> *comm_dist_graph) __asm__("PMPI_Dist_graph_create_adjacent") MPX_EXPORTED;
MPX_WEAK(Dist_graph_create_adjacent)
int old_Dist_graph_create_adjacent(old<MPI_Comm> comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], old<MPI_Info> info, int reorder, old<MPI_Comm> *comm_dist_graph) {
  handle_places<MPI_Comm> comm_dist_graph_(comm_dist_graph, 1, false);
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], int, const int[], const int[], MPI_Info, int, MPI_Comm *)>(fn_Dist_graph_create_adjacent)(to_new<MPI_Comm>(comm_old), indegree, sources, weights_to_new(sourceweights), outdegree, destinations, weights_to_new(destweights), to_new<MPI_Info>(info), reorder, comm_dist_graph_.get()));
}
int old_Dist_graph_neighbors(old<MPI_Comm> comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) __asm__("PMPI_Dist_graph_neighbors") MPX_EXPORTED;
MPX_WEAK(Dist_graph_neighbors)
int old_Dist_graph_neighbors(old<MPI_Comm> comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[], int destweights[]) {
  return error_to_old(at<int(MPI_Comm, int, int[], int[], int, int[], int[])>(fn_Dist_graph_neighbors)(to_new<MPI_Comm>(comm), maxindegree, sources, weights_to_new(sourceweights), maxoutdegree, destinations, weights_to_new(destweights)));
}
int old_Dist_graph_neighbors_count(old<MPI_Comm> comm, int *indegree, int *outdegree, int *weighted) __asm__("PMPI_Dist_graph_neighbors_count") MPX_EXPORTED;
MPX_WEAK(Dist_graph_neighbors_count)
int old_Dist_graph_neighbors_count(old<MPI_Comm> comm, int *indegree, int *outdegree, int *weighted) {
  return error_to_old(at<int(MPI_Comm, int *, int *, int *)>(fn_Dist_graph_neighbors_count)(to_new<MPI_Comm>(comm), indegree, outdegree, weighted));
}
int old_Graph_create(old<MPI_Comm> comm_old, int nnodes, const int indx[], const int edges[], int reorder, old<MPI_Comm> *comm_graph) __asm__("PMPI_Graph_create") MPX_EXPORTED;
MPX_WEAK(Graph_create)
int old_Graph_create(old<MPI_Comm> comm_old, int nnodes, const int indx[], const int edges[], int reorder, old<MPI_Comm> *comm_graph) {
  handle_places<MPI_Comm> comm_graph_(comm_graph, 1, false);
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], int, MPI_Comm *)>(fn_Graph_create)(to_new<MPI_Comm>(comm_old), nnodes, indx, edges, reorder, comm_graph_.get()));
}
int old_Graph_get(old<MPI_Comm> comm, int maxindex, int maxedges, int indx[], int edges[]) __asm__("PMPI_Graph_get") MPX_EXPORTED;
MPX_WEAK(Graph_get)
int old_Graph_get(old<MPI_Comm> comm, int maxindex, int maxedges, int indx[], int edges[]) {
  return error_to_old(at<int(MPI_Comm, int, int, int[], int[])>(fn_Graph_get)(to_new<MPI_Comm>(comm), maxindex, maxedges, indx, edges));
}
int old_Graph_map(old<MPI_Comm> comm, int nnodes, const int indx[], const int edges[], int *newrank) __asm__("PMPI_Graph_map") MPX_EXPORTED;
MPX_WEAK(Graph_map)
int old_Graph_map(old<MPI_Comm> comm, int nnodes, const int indx[], const int edges[], int *newrank) {
  return error_to_old(at<int(MPI_Comm, int, const int[], const int[], int *)>(fn_Graph_map)(to_new<MPI_Comm>(comm), nnodes, indx, edges, newrank));
}
int old_Graph_neighbors(old<MPI_Comm> comm, int rank, int maxneighbors, int neighbors[]) __asm__("PMPI_Graph_neighbors") MPX_EXPORTED;
MPX_WEAK(Graph_neighbors)
int old_Graph_neighbors(old<MPI_Comm> comm, int rank, int maxneighbors, int neighbors[]) {
  return error_to_old(at<int(MPI_Comm, int, int, int[])>(fn_Graph_neighbors)(to_new<MPI_Comm>(comm), rank, maxneighbors, neighbors));
}
int old_Graph_neighbors_count(old<MPI_Comm> comm, int rank, int *nneighbors) __asm__("PMPI_Graph_neighbors_count") MPX_EXPORTED;
MPX_WEAK(Graph_neighbors_count)
int old_Graph_neighbors_count(old<MPI_Comm> comm, int rank, int *nneighbors) {
  return error_to_old(at<int(MPI_Comm, int, int *)>(fn_Graph_neighbors_count)(to_new<MPI_Comm>(comm), rank, nneighbors));
}
int old_Graphdims_get(old<MPI_Comm> comm, int *nnodes, int *nedges) __asm__("PMPI_Graphdims_get") MPX_EXPORTED;
MPX_WEAK(Graphdims_get)
int old_Graphdims_get(old<MPI_Comm> comm, int *nnodes, int *nedges) {
  return error_to_old(at<int(MPI_Comm, int *, int *)>(fn_Graphdims_get)(to_new<MPI_Comm>(comm), nnodes, nedges));
}
int old_Topo_test(old<MPI_Comm> comm, int *status) __asm__("PMPI_Topo_test") MPX_EXPORTED;
MPX_WEAK(Topo_test)
int old_Topo_test(old<MPI_Comm> comm, int *status) {
  const int code = at<int(MPI_Comm, int *)>(fn_Topo_test)(to_new<MPI_Comm>(comm), status);
  int_places<topology_to_old>(status).store(code);
  return error_to_old(code);
}
int old_Parrived(old<MPI_Request> request, int partition, int *flag) __asm__("PMPI_Parrived") MPX_EXPORTED;
MPX_WEAK(Parrived)
int old_Parrived(old<MPI_Request> request, int partition, int *flag) {
  return error_to_old(at<int(MPI_Request, int, int *)>(fn_Parrived)(to_new<MPI_Request>(request), partition, flag));
}
int old_Pready(int partition, old<MPI_Request> request) __asm__("PMPI_Pready") MPX_EXPORTED;
MPX_WEAK(Pready)
int old_Pready(int partition, old<MPI_Request> request) {
  return error_to_old(at<int(int, MPI_Request)>(fn_Pready)(partition, to_new<MPI_Request>(request)));
}
int old_Pready_list(int length, const int array_of_partitions[], old<MPI_Request> request) __asm__("PMPI_Pready_list") MPX_EXPORTED;
MPX_WEAK(Pready_list)
int old_Pready_list(int length, const int array_of_partitions[], old<MPI_Request> request) {
  return error_to_old(at<int(int, const int[], MPI_Request)>(fn_Pready_list)(length, array_of_partitions, to_new<MPI_Request>(request)));
}
int old_Pready_range(int partition_low, int partition_high, old<MPI_Request> request) __asm__("PMPI_Pready_range") MPX_EXPORTED;
MPX_WEAK(Pready_range)
int old_Pready_range(int partition_low, int partition_high, old<MPI_Request> request) {
  return error_to_old(at<int(int, int, MPI_Request)>(fn_Pready_range)(partition_low, partition_high, to_new<MPI_Request>(request)));
}
int old_Precv_init(void *buf, int partitions, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Precv_init") MPX_EXPORTED;
MPX_WEAK(Precv_init)
int old_Precv_init(void *buf, int partitions, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Precv_init)(buffer_to_new(buf), partitions, count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Precv_init_c(void *buf, int partitions, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Precv_init_c") MPX_EXPORTED;
MPX_WEAK(Precv_init_c)
int old_Precv_init_c(void *buf, int partitions, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Precv_init_c)(buffer_to_new(buf), partitions, count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Psend_init(const void *buf, int partitions, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Psend_init") MPX_EXPORTED;
MPX_WEAK(Psend_init)
int old_Psend_init(const void *buf, int partitions, int count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Psend_init)(buffer_to_new(buf), partitions, count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Psend_init_c(const void *buf, int partitions, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) __asm__("PMPI_Psend_init_c") MPX_EXPORTED;
MPX_WEAK(Psend_init_c)
int old_Psend_init_c(const void *buf, int partitions, MPI_Count count, old<MPI_Datatype> datatype, int dest, int tag, old<MPI_Comm> comm, old<MPI_Info> info, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *)>(fn_Psend_init_c)(buffer_to_new(buf), partitions, count, to_new<MPI_Datatype>(datatype), rank_to_new(dest), tag, to_new<MPI_Comm>(comm), to_new<MPI_Info>(info), request_.get()));
}
int old_Accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) __asm__("PMPI_Accumulate") MPX_EXPORTED;
MPX_WEAK(Accumulate)
int old_Accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win)>(fn_Accumulate)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win)));
}
int old_Accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) __asm__("PMPI_Accumulate_c") MPX_EXPORTED;
MPX_WEAK(Accumulate_c)
int old_Accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win)>(fn_Accumulate_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win)));
}
int old_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, old<MPI_Datatype> datatype, int target_rank, MPI_Aint target_disp, old<MPI_Win> win) __asm__("PMPI_Compare_and_swap") MPX_EXPORTED;
MPX_WEAK(Compare_and_swap)
int old_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, old<MPI_Datatype> datatype, int target_rank, MPI_Aint target_disp, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Win)>(fn_Compare_and_swap)(buffer_to_new(origin_addr), buffer_to_new(compare_addr), buffer_to_new(result_addr), to_new<MPI_Datatype>(datatype), rank_to_new(target_rank), target_disp, to_new<MPI_Win>(win)));
}
int old_Fetch_and_op(const void *origin_addr, void *result_addr, old<MPI_Datatype> datatype, int target_rank, MPI_Aint target_disp, old<MPI_Op> op, old<MPI_Win> win) __asm__("PMPI_Fetch_and_op") MPX_EXPORTED;
MPX_WEAK(Fetch_and_op)
int old_Fetch_and_op(const void *origin_addr, void *result_addr, old<MPI_Datatype> datatype, int target_rank, MPI_Aint target_disp, old<MPI_Op> op, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win)>(fn_Fetch_and_op)(buffer_to_new(origin_addr), buffer_to_new(result_addr), to_new<MPI_Datatype>(datatype), rank_to_new(target_rank), target_disp, to_new<MPI_Op>(op), to_new<MPI_Win>(win)));
}
int old_Get(void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) __asm__("PMPI_Get") MPX_EXPORTED;
MPX_WEAK(Get)
int old_Get(void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) {
  return error_to_old(at<int(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win)>(fn_Get)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win)));
}
int old_Get_c(void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) __asm__("PMPI_Get_c") MPX_EXPORTED;
MPX_WEAK(Get_c)
int old_Get_c(void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) {
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win)>(fn_Get_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win)));
}
int old_Get_accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, int result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) __asm__("PMPI_Get_accumulate") MPX_EXPORTED;
MPX_WEAK(Get_accumulate)
int old_Get_accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, int result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win)>(fn_Get_accumulate)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), buffer_to_new(result_addr), result_count, to_new<MPI_Datatype>(result_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win)));
}
int old_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, MPI_Count result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) __asm__("PMPI_Get_accumulate_c") MPX_EXPORTED;
MPX_WEAK(Get_accumulate_c)
int old_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, MPI_Count result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win)>(fn_Get_accumulate_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), buffer_to_new(result_addr), result_count, to_new<MPI_Datatype>(result_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win)));
}
int old_Put(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) __asm__("PMPI_Put") MPX_EXPORTED;
MPX_WEAK(Put)
int old_Put(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win)>(fn_Put)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win)));
}
int old_Put_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) __asm__("PMPI_Put_c") MPX_EXPORTED;
MPX_WEAK(Put_c)
int old_Put_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win) {
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win)>(fn_Put_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win)));
}
int old_Raccumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Raccumulate") MPX_EXPORTED;
MPX_WEAK(Raccumulate)
int old_Raccumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *)>(fn_Raccumulate)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win), request_.get()));
}
int old_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Raccumulate_c") MPX_EXPORTED;
MPX_WEAK(Raccumulate_c)
int old_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *)>(fn_Raccumulate_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win), request_.get()));
}
int old_Rget(void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rget") MPX_EXPORTED;
MPX_WEAK(Rget)
int old_Rget(void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request *)>(fn_Rget)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win), request_.get()));
}
int old_Rget_c(void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rget_c") MPX_EXPORTED;
MPX_WEAK(Rget_c)
int old_Rget_c(void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win, MPI_Request *)>(fn_Rget_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win), request_.get()));
}
int old_Rget_accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, int result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rget_accumulate") MPX_EXPORTED;
MPX_WEAK(Rget_accumulate)
int old_Rget_accumulate(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, int result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *)>(fn_Rget_accumulate)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), buffer_to_new(result_addr), result_count, to_new<MPI_Datatype>(result_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win), request_.get()));
}
int old_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, MPI_Count result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rget_accumulate_c") MPX_EXPORTED;
MPX_WEAK(Rget_accumulate_c)
int old_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, void *result_addr, MPI_Count result_count, old<MPI_Datatype> result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Op> op, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request *)>(fn_Rget_accumulate_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), buffer_to_new(result_addr), result_count, to_new<MPI_Datatype>(result_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Op>(op), to_new<MPI_Win>(win), request_.get()));
}
int old_Rput(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rput") MPX_EXPORTED;
MPX_WEAK(Rput)
int old_Rput(const void *origin_addr, int origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win, MPI_Request *)>(fn_Rput)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win), request_.get()));
}
int old_Rput_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) __asm__("PMPI_Rput_c") MPX_EXPORTED;
MPX_WEAK(Rput_c)
int old_Rput_c(const void *origin_addr, MPI_Count origin_count, old<MPI_Datatype> origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, old<MPI_Datatype> target_datatype, old<MPI_Win> win, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Win, MPI_Request *)>(fn_Rput_c)(buffer_to_new(origin_addr), origin_count, to_new<MPI_Datatype>(origin_datatype), rank_to_new(target_rank), target_disp, target_count, to_new<MPI_Datatype>(target_datatype), to_new<MPI_Win>(win), request_.get()));
}
int old_Win_allocate(MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) __asm__("PMPI_Win_allocate") MPX_EXPORTED;
MPX_WEAK(Win_allocate)
int old_Win_allocate(MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *)>(fn_Win_allocate)(size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), baseptr, win_.get()));
}
int old_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) __asm__("PMPI_Win_allocate_c") MPX_EXPORTED;
MPX_WEAK(Win_allocate_c)
int old_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *)>(fn_Win_allocate_c)(size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), baseptr, win_.get()));
}
int old_Win_allocate_shared(MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) __asm__("PMPI_Win_allocate_shared") MPX_EXPORTED;
MPX_WEAK(Win_allocate_shared)
int old_Win_allocate_shared(MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *)>(fn_Win_allocate_shared)(size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), baseptr, win_.get()));
}
int old_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) __asm__("PMPI_Win_allocate_shared_c") MPX_EXPORTED;
MPX_WEAK(Win_allocate_shared_c)
int old_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, void *baseptr, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void *, MPI_Win *)>(fn_Win_allocate_shared_c)(size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), baseptr, win_.get()));
}
int old_Win_attach(old<MPI_Win> win, void *base, MPI_Aint size) __asm__("PMPI_Win_attach") MPX_EXPORTED;
MPX_WEAK(Win_attach)
int old_Win_attach(old<MPI_Win> win, void *base, MPI_Aint size) {
  return error_to_old(at<int(MPI_Win, void *, MPI_Aint)>(fn_Win_attach)(to_new<MPI_Win>(win), buffer_to_new(base), size));
}
int old_Win_call_errhandler(old<MPI_Win> win, int errorcode) __asm__("PMPI_Win_call_errhandler") MPX_EXPORTED;
MPX_WEAK(Win_call_errhandler)
int old_Win_call_errhandler(old<MPI_Win> win, int errorcode) {
  return error_to_old(at<int(MPI_Win, int)>(fn_Win_call_errhandler)(to_new<MPI_Win>(win), error_to_new(errorcode)));
}
int old_Win_complete(old<MPI_Win> win) __asm__("PMPI_Win_complete") MPX_EXPORTED;
MPX_WEAK(Win_complete)
int old_Win_complete(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_complete)(to_new<MPI_Win>(win)));
}
int old_Win_create(void *base, MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) __asm__("PMPI_Win_create") MPX_EXPORTED;
MPX_WEAK(Win_create)
int old_Win_create(void *base, MPI_Aint size, int disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *)>(fn_Win_create)(buffer_to_new(base), size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), win_.get()));
}
int old_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) __asm__("PMPI_Win_create_c") MPX_EXPORTED;
MPX_WEAK(Win_create_c)
int old_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(void *, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win *)>(fn_Win_create_c)(buffer_to_new(base), size, disp_unit, to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), win_.get()));
}
int old_Win_create_dynamic(old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) __asm__("PMPI_Win_create_dynamic") MPX_EXPORTED;
MPX_WEAK(Win_create_dynamic)
int old_Win_create_dynamic(old<MPI_Info> info, old<MPI_Comm> comm, old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, false);
  return error_to_old(at<int(MPI_Info, MPI_Comm, MPI_Win *)>(fn_Win_create_dynamic)(to_new<MPI_Info>(info), to_new<MPI_Comm>(comm), win_.get()));
}
int old_Win_create_errhandler(any_function win_errhandler_fn, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Win_create_errhandler") MPX_EXPORTED;
MPX_WEAK(Win_create_errhandler)
int old_Win_create_errhandler(any_function win_errhandler_fn, old<MPI_Errhandler> *errhandler) {
  return error_to_old(mpx_mpi_old::Win_create_errhandler(win_errhandler_fn, errhandler));
}
int old_Win_create_keyval(any_function win_copy_attr_fn, any_function win_delete_attr_fn, int *win_keyval, void *extra_state) __asm__("PMPI_Win_create_keyval") MPX_EXPORTED;
MPX_WEAK(Win_create_keyval)
int old_Win_create_keyval(any_function win_copy_attr_fn, any_function win_delete_attr_fn, int *win_keyval, void *extra_state) {
  return error_to_old(mpx_mpi_old::Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state));
}
int old_Win_delete_attr(old<MPI_Win> win, int win_keyval) __asm__("PMPI_Win_delete_attr") MPX_EXPORTED;
MPX_WEAK(Win_delete_attr)
int old_Win_delete_attr(old<MPI_Win> win, int win_keyval) {
  return error_to_old(at<int(MPI_Win, int)>(fn_Win_delete_attr)(to_new<MPI_Win>(win), keyval_to_new(win_keyval)));
}
int old_Win_detach(old<MPI_Win> win, const void *base) __asm__("PMPI_Win_detach") MPX_EXPORTED;
MPX_WEAK(Win_detach)
int old_Win_detach(old<MPI_Win> win, const void *base) {
  return error_to_old(at<int(MPI_Win, const void *)>(fn_Win_detach)(to_new<MPI_Win>(win), buffer_to_new(base)));
}
int old_Win_fence(int assert, old<MPI_Win> win) __asm__("PMPI_Win_fence") MPX_EXPORTED;
MPX_WEAK(Win_fence)
int old_Win_fence(int assert, old<MPI_Win> win) {
  return error_to_old(at<int(int, MPI_Win)>(fn_Win_fence)(assertion_to_new(assert), to_new<MPI_Win>(win)));
}
int old_Win_flush(int rank, old<MPI_Win> win) __asm__("PMPI_Win_flush") MPX_EXPORTED;
MPX_WEAK(Win_flush)
int old_Win_flush(int rank, old<MPI_Win> win) {
  return error_to_old(at<int(int, MPI_Win)>(fn_Win_flush)(rank_to_new(rank), to_new<MPI_Win>(win)));
}
int old_Win_flush_all(old<MPI_Win> win) __asm__("PMPI_Win_flush_all") MPX_EXPORTED;
MPX_WEAK(Win_flush_all)
int old_Win_flush_all(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_flush_all)(to_new<MPI_Win>(win)));
}
int old_Win_flush_local(int rank, old<MPI_Win> win) __asm__("PMPI_Win_flush_local") MPX_EXPORTED;
MPX_WEAK(Win_flush_local)
int old_Win_flush_local(int rank, old<MPI_Win> win) {
  return error_to_old(at<int(int, MPI_Win)>(fn_Win_flush_local)(rank_to_new(rank), to_new<MPI_Win>(win)));
}
int old_Win_flush_local_all(old<MPI_Win> win) __asm__("PMPI_Win_flush_local_all") MPX_EXPORTED;
MPX_WEAK(Win_flush_local_all)
int old_Win_flush_local_all(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_flush_local_all)(to_new<MPI_Win>(win)));
}
int old_Win_free(old<MPI_Win> *win) __asm__("PMPI_Win_free") MPX_EXPORTED;
MPX_WEAK(Win_free)
int old_Win_free(old<MPI_Win> *win) {
  handle_places<MPI_Win> win_(win, 1, true);
  return error_to_old(at<int(MPI_Win *)>(fn_Win_free)(win_.get()));
}
int old_Win_free_keyval(int *win_keyval) __asm__("PMPI_Win_free_keyval") MPX_EXPORTED;
MPX_WEAK(Win_free_keyval)
int old_Win_free_keyval(int *win_keyval) {
  int win_keyval_ = win_keyval == nullptr ? 0 : keyval_to_new(*win_keyval);
  const int code = at<int(int *)>(fn_Win_free_keyval)(win_keyval == nullptr ? nullptr : &win_keyval_);
  if (code == MPI_SUCCESS) *win_keyval = keyval_to_old(win_keyval_);
  return error_to_old(code);
}
int old_Win_get_attr(old<MPI_Win> win, int win_keyval, void *attribute_val, int *flag) __asm__("PMPI_Win_get_attr") MPX_EXPORTED;
MPX_WEAK(Win_get_attr)
int old_Win_get_attr(old<MPI_Win> win, int win_keyval, void *attribute_val, int *flag) {
  return error_to_old(mpx_mpi_old::Win_get_attr(win, win_keyval, attribute_val, flag));
}
int old_Win_get_errhandler(old<MPI_Win> win, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Win_get_errhandler") MPX_EXPORTED;
MPX_WEAK(Win_get_errhandler)
int old_Win_get_errhandler(old<MPI_Win> win, old<MPI_Errhandler> *errhandler) {
  handle_places<MPI_Errhandler> errhandler_(errhandler, 1, false);
  return error_to_old(at<int(MPI_Win, MPI_Errhandler *)>(fn_Win_get_errhandler)(to_new<MPI_Win>(win), errhandler_.get()));
}
int old_Win_get_group(old<MPI_Win> win, old<MPI_Group> *group) __asm__("PMPI_Win_get_group") MPX_EXPORTED;
MPX_WEAK(Win_get_group)
int old_Win_get_group(old<MPI_Win> win, old<MPI_Group> *group) {
  handle_places<MPI_Group> group_(group, 1, false);
  return error_to_old(at<int(MPI_Win, MPI_Group *)>(fn_Win_get_group)(to_new<MPI_Win>(win), group_.get()));
}
int old_Win_get_info(old<MPI_Win> win, old<MPI_Info> *info_used) __asm__("PMPI_Win_get_info") MPX_EXPORTED;
MPX_WEAK(Win_get_info)
int old_Win_get_info(old<MPI_Win> win, old<MPI_Info> *info_used) {
  handle_places<MPI_Info> info_used_(info_used, 1, false);
  return error_to_old(at<int(MPI_Win, MPI_Info *)>(fn_Win_get_info)(to_new<MPI_Win>(win), info_used_.get()));
}
int old_Win_get_name(old<MPI_Win> win, char *win_name, int *resultlen) __asm__("PMPI_Win_get_name") MPX_EXPORTED;
MPX_WEAK(Win_get_name)
int old_Win_get_name(old<MPI_Win> win, char *win_name, int *resultlen) {
  text_place<128> win_name_(win_name);
  const int code = at<int(MPI_Win, char *, int *)>(fn_Win_get_name)(to_new<MPI_Win>(win), win_name_.get(), resultlen);
  win_name_.store(code, resultlen);
  return error_to_old(code);
}
int old_Win_lock(int lock_type, int rank, int assert, old<MPI_Win> win) __asm__("PMPI_Win_lock") MPX_EXPORTED;
MPX_WEAK(Win_lock)
int old_Win_lock(int lock_type, int rank, int assert, old<MPI_Win> win) {
  return error_to_old(at<int(int, int, int, MPI_Win)>(fn_Win_lock)(lock_to_new(lock_type), rank_to_new(rank), assertion_to_new(assert), to_new<MPI_Win>(win)));
}
int old_Win_lock_all(int assert, old<MPI_Win> win) __asm__("PMPI_Win_lock_all") MPX_EXPORTED;
MPX_WEAK(Win_lock_all)
int old_Win_lock_all(int assert, old<MPI_Win> win) {
  return error_to_old(at<int(int, MPI_Win)>(fn_Win_lock_all)(assertion_to_new(assert), to_new<MPI_Win>(win)));
}
int old_Win_post(old<MPI_Group> group, int assert, old<MPI_Win> win) __asm__("PMPI_Win_post") MPX_EXPORTED;
MPX_WEAK(Win_post)
int old_Win_post(old<MPI_Group> group, int assert, old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Group, int, MPI_Win)>(fn_Win_post)(to_new<MPI_Group>(group), assertion_to_new(assert), to_new<MPI_Win>(win)));
}
int old_Win_set_attr(old<MPI_Win> win, int win_keyval, void *attribute_val) __asm__("PMPI_Win_set_attr") MPX_EXPORTED;
MPX_WEAK(Win_set_attr)
int old_Win_set_attr(old<MPI_Win> win, int win_keyval, void *attribute_val) {
  return error_to_old(at<int(MPI_Win, int, void *)>(fn_Win_set_attr)(to_new<MPI_Win>(win), keyval_to_new(win_keyval), attribute_val));
}
int old_Win_set_errhandler(old<MPI_Win> win, old<MPI_Errhandler> errhandler) __asm__("PMPI_Win_set_errhandler") MPX_EXPORTED;
MPX_WEAK(Win_set_errhandler)
int old_Win_set_errhandler(old<MPI_Win> win, old<MPI_Errhandler> errhandler) {
  return error_to_old(at<int(MPI_Win, MPI_Errhandler)>(fn_Win_set_errhandler)(to_new<MPI_Win>(win), to_new<MPI_Errhandler>(errhandler)));
}
int old_Win_set_info(old<MPI_Win> win, old<MPI_Info> info) __asm__("PMPI_Win_set_info") MPX_EXPORTED;
MPX_WEAK(Win_set_info)
int old_Win_set_info(old<MPI_Win> win, old<MPI_Info> info) {
  return error_to_old(at<int(MPI_Win, MPI_Info)>(fn_Win_set_info)(to_new<MPI_Win>(win), to_new<MPI_Info>(info)));
}
int old_Win_set_name(old<MPI_Win> win, const char *win_name) __asm__("PMPI_Win_set_name") MPX_EXPORTED;
MPX_WEAK(Win_set_name)
int old_Win_set_name(old<MPI_Win> win, const char *win_name) {
  return error_to_old(at<int(MPI_Win, const char *)>(fn_Win_set_name)(to_new<MPI_Win>(win), win_name));
}
int old_Win_shared_query(old<MPI_Win> win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) __asm__("PMPI_Win_shared_query") MPX_EXPORTED;
MPX_WEAK(Win_shared_query)
int old_Win_shared_query(old<MPI_Win> win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) {
  return error_to_old(at<int(MPI_Win, int, MPI_Aint *, int *, void *)>(fn_Win_shared_query)(to_new<MPI_Win>(win), rank_to_new(rank), size, disp_unit, baseptr));
}
int old_Win_shared_query_c(old<MPI_Win> win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) __asm__("PMPI_Win_shared_query_c") MPX_EXPORTED;
MPX_WEAK(Win_shared_query_c)
int old_Win_shared_query_c(old<MPI_Win> win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) {
  return error_to_old(at<int(MPI_Win, int, MPI_Aint *, MPI_Aint *, void *)>(fn_Win_shared_query_c)(to_new<MPI_Win>(win), rank_to_new(rank), size, disp_unit, baseptr));
}
int old_Win_start(old<MPI_Group> group, int assert, old<MPI_Win> win) __asm__("PMPI_Win_start") MPX_EXPORTED;
MPX_WEAK(Win_start)
int old_Win_start(old<MPI_Group> group, int assert, old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Group, int, MPI_Win)>(fn_Win_start)(to_new<MPI_Group>(group), assertion_to_new(assert), to_new<MPI_Win>(win)));
}
int old_Win_sync(old<MPI_Win> win) __asm__("PMPI_Win_sync") MPX_EXPORTED;
MPX_WEAK(Win_sync)
int old_Win_sync(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_sync)(to_new<MPI_Win>(win)));
}
int old_Win_test(old<MPI_Win> win, int *flag) __asm__("PMPI_Win_test") MPX_EXPORTED;
MPX_WEAK(Win_test)
int old_Win_test(old<MPI_Win> win, int *flag) {
  return error_to_old(at<int(MPI_Win, int *)>(fn_Win_test)(to_new<MPI_Win>(win), flag));
}
int old_Win_unlock(int rank, old<MPI_Win> win) __asm__("PMPI_Win_unlock") MPX_EXPORTED;
MPX_WEAK(Win_unlock)
int old_Win_unlock(int rank, old<MPI_Win> win) {
  return error_to_old(at<int(int, MPI_Win)>(fn_Win_unlock)(rank_to_new(rank), to_new<MPI_Win>(win)));
}
int old_Win_unlock_all(old<MPI_Win> win) __asm__("PMPI_Win_unlock_all") MPX_EXPORTED;
MPX_WEAK(Win_unlock_all)
int old_Win_unlock_all(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_unlock_all)(to_new<MPI_Win>(win)));
}
int old_Win_wait(old<MPI_Win> win) __asm__("PMPI_Win_wait") MPX_EXPORTED;
MPX_WEAK(Win_wait)
int old_Win_wait(old<MPI_Win> win) {
  return error_to_old(at<int(MPI_Win)>(fn_Win_wait)(to_new<MPI_Win>(win)));
}
int old_Comm_create_from_group(old<MPI_Group> group, const char *stringtag, old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_create_from_group") MPX_EXPORTED;
MPX_WEAK(Comm_create_from_group)
int old_Comm_create_from_group(old<MPI_Group> group, const char *stringtag, old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(MPI_Group, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *)>(fn_Comm_create_from_group)(to_new<MPI_Group>(group), stringtag, to_new<MPI_Info>(info), to_new<MPI_Errhandler>(errhandler), newcomm_.get()));
}
int old_Group_from_session_pset(old<MPI_Session> session, const char *pset_name, old<MPI_Group> *newgroup) __asm__("PMPI_Group_from_session_pset") MPX_EXPORTED;
MPX_WEAK(Group_from_session_pset)
int old_Group_from_session_pset(old<MPI_Session> session, const char *pset_name, old<MPI_Group> *newgroup) {
  handle_places<MPI_Group> newgroup_(newgroup, 1, false);
  return error_to_old(at<int(MPI_Session, const char *, MPI_Group *)>(fn_Group_from_session_pset)(to_new<MPI_Session>(session), pset_name, newgroup_.get()));
}
int old_Intercomm_create_from_groups(old<MPI_Group> local_group, int local_leader, old<MPI_Group> remote_group, int remote_leader, const char *stringtag, old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Comm> *newintercomm) __asm__("PMPI_Intercomm_create_from_groups") MPX_EXPORTED;
MPX_WEAK(Intercomm_create_from_groups)
int old_Intercomm_create_from_groups(old<MPI_Group> local_group, int local_leader, old<MPI_Group> remote_group, int remote_leader, const char *stringtag, old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Comm> *newintercomm) {
  handle_places<MPI_Comm> newintercomm_(newintercomm, 1, false);
  return error_to_old(at<int(MPI_Group, int, MPI_Group, int, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *)>(fn_Intercomm_create_from_groups)(to_new<MPI_Group>(local_group), local_leader, to_new<MPI_Group>(remote_group), remote_leader, stringtag, to_new<MPI_Info>(info), to_new<MPI_Errhandler>(errhandler), newintercomm_.get()));
}
int old_Session_attach_buffer(old<MPI_Session> session, void *buffer, int size) __asm__("PMPI_Session_attach_buffer") MPX_EXPORTED;
MPX_WEAK(Session_attach_buffer)
int old_Session_attach_buffer(old<MPI_Session> session, void *buffer, int size) {
  return error_to_old(at<int(MPI_Session, void *, int)>(fn_Session_attach_buffer)(to_new<MPI_Session>(session), buffer_to_new(buffer), size));
}
int old_Session_attach_buffer_c(old<MPI_Session> session, void *buffer, MPI_Count size) __asm__("PMPI_Session_attach_buffer_c") MPX_EXPORTED;
MPX_WEAK(Session_attach_buffer_c)
int old_Session_attach_buffer_c(old<MPI_Session> session, void *buffer, MPI_Count size) {
  return error_to_old(at<int(MPI_Session, void *, MPI_Count)>(fn_Session_attach_buffer_c)(to_new<MPI_Session>(session), buffer_to_new(buffer), size));
}
int old_Session_call_errhandler(old<MPI_Session> session, int errorcode) __asm__("PMPI_Session_call_errhandler") MPX_EXPORTED;
MPX_WEAK(Session_call_errhandler)
int old_Session_call_errhandler(old<MPI_Session> session, int errorcode) {
  return error_to_old(at<int(MPI_Session, int)>(fn_Session_call_errhandler)(to_new<MPI_Session>(session), error_to_new(errorcode)));
}
int old_Session_create_errhandler(any_function session_errhandler_fn, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Session_create_errhandler") MPX_EXPORTED;
MPX_WEAK(Session_create_errhandler)
int old_Session_create_errhandler(any_function session_errhandler_fn, old<MPI_Errhandler> *errhandler) {
  return error_to_old(mpx_mpi_old::Session_create_errhandler(session_errhandler_fn, errhandler));
}
int old_Session_detach_buffer(old<MPI_Session> session, void *buffer_addr, int *size) __asm__("PMPI_Session_detach_buffer") MPX_EXPORTED;
MPX_WEAK(Session_detach_buffer)
int old_Session_detach_buffer(old<MPI_Session> session, void *buffer_addr, int *size) {
  return error_to_old(at<int(MPI_Session, void *, int *)>(fn_Session_detach_buffer)(to_new<MPI_Session>(session), buffer_addr, size));
}
int old_Session_detach_buffer_c(old<MPI_Session> session, void *buffer_addr, MPI_Count *size) __asm__("PMPI_Session_detach_buffer_c") MPX_EXPORTED;
MPX_WEAK(Session_detach_buffer_c)
int old_Session_detach_buffer_c(old<MPI_Session> session, void *buffer_addr, MPI_Count *size) {
  return error_to_old(at<int(MPI_Session, void *, MPI_Count *)>(fn_Session_detach_buffer_c)(to_new<MPI_Session>(session), buffer_addr, size));
}
int old_Session_finalize(old<MPI_Session> *session) __asm__("PMPI_Session_finalize") MPX_EXPORTED;
MPX_WEAK(Session_finalize)
int old_Session_finalize(old<MPI_Session> *session) {
  handle_places<MPI_Session> session_(session, 1, true);
  return error_to_old(at<int(MPI_Session *)>(fn_Session_finalize)(session_.get()));
}
int old_Session_flush_buffer(old<MPI_Session> session) __asm__("PMPI_Session_flush_buffer") MPX_EXPORTED;
MPX_WEAK(Session_flush_buffer)
int old_Session_flush_buffer(old<MPI_Session> session) {
  return error_to_old(at<int(MPI_Session)>(fn_Session_flush_buffer)(to_new<MPI_Session>(session)));
}
int old_Session_get_errhandler(old<MPI_Session> session, old<MPI_Errhandler> *errhandler) __asm__("PMPI_Session_get_errhandler") MPX_EXPORTED;
MPX_WEAK(Session_get_errhandler)
int old_Session_get_errhandler(old<MPI_Session> session, old<MPI_Errhandler> *errhandler) {
  handle_places<MPI_Errhandler> errhandler_(errhandler, 1, false);
  return error_to_old(at<int(MPI_Session, MPI_Errhandler *)>(fn_Session_get_errhandler)(to_new<MPI_Session>(session), errhandler_.get()));
}
int old_Session_get_info(old<MPI_Session> session, old<MPI_Info> *info_used) __asm__("PMPI_Session_get_info") MPX_EXPORTED;
MPX_WEAK(Session_get_info)
int old_Session_get_info(old<MPI_Session> session, old<MPI_Info> *info_used) {
  handle_places<MPI_Info> info_used_(info_used, 1, false);
  return error_to_old(at<int(MPI_Session, MPI_Info *)>(fn_Session_get_info)(to_new<MPI_Session>(session), info_used_.get()));
}
int old_Session_get_nth_pset(old<MPI_Session> session, old<MPI_Info> info, int n, int *pset_len, char *pset_name) __asm__("PMPI_Session_get_nth_pset") MPX_EXPORTED;
MPX_WEAK(Session_get_nth_pset)
int old_Session_get_nth_pset(old<MPI_Session> session, old<MPI_Info> info, int n, int *pset_len, char *pset_name) {
  return error_to_old(at<int(MPI_Session, MPI_Info, int, int *, char *)>(fn_Session_get_nth_pset)(to_new<MPI_Session>(session), to_new<MPI_Info>(info), n, pset_len, pset_name));
}
int old_Session_get_num_psets(old<MPI_Session> session, old<MPI_Info> info, int *npset_names) __asm__("PMPI_Session_get_num_psets") MPX_EXPORTED;
MPX_WEAK(Session_get_num_psets)
int old_Session_get_num_psets(old<MPI_Session> session, old<MPI_Info> info, int *npset_names) {
  return error_to_old(at<int(MPI_Session, MPI_Info, int *)>(fn_Session_get_num_psets)(to_new<MPI_Session>(session), to_new<MPI_Info>(info), npset_names));
}
int old_Session_get_pset_info(old<MPI_Session> session, const char *pset_name, old<MPI_Info> *info) __asm__("PMPI_Session_get_pset_info") MPX_EXPORTED;
MPX_WEAK(Session_get_pset_info)
int old_Session_get_pset_info(old<MPI_Session> session, const char *pset_name, old<MPI_Info> *info) {
  handle_places<MPI_Info> info_(info, 1, false);
  return error_to_old(at<int(MPI_Session, const char *, MPI_Info *)>(fn_Session_get_pset_info)(to_new<MPI_Session>(session), pset_name, info_.get()));
}
int old_Session_iflush_buffer(old<MPI_Session> session, old<MPI_Request> *request) __asm__("PMPI_Session_iflush_buffer") MPX_EXPORTED;
MPX_WEAK(Session_iflush_buffer)
int old_Session_iflush_buffer(old<MPI_Session> session, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_Session, MPI_Request *)>(fn_Session_iflush_buffer)(to_new<MPI_Session>(session), request_.get()));
}
int old_Session_init(old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Session> *session) __asm__("PMPI_Session_init") MPX_EXPORTED;
MPX_WEAK(Session_init)
int old_Session_init(old<MPI_Info> info, old<MPI_Errhandler> errhandler, old<MPI_Session> *session) {
  handle_places<MPI_Session> session_(session, 1, false);
  return error_to_old(at<int(MPI_Info, MPI_Errhandler, MPI_Session *)>(fn_Session_init)(to_new<MPI_Info>(info), to_new<MPI_Errhandler>(errhandler), session_.get()));
}
int old_Session_set_errhandler(old<MPI_Session> session, old<MPI_Errhandler> errhandler) __asm__("PMPI_Session_set_errhandler") MPX_EXPORTED;
MPX_WEAK(Session_set_errhandler)
int old_Session_set_errhandler(old<MPI_Session> session, old<MPI_Errhandler> errhandler) {
  return error_to_old(at<int(MPI_Session, MPI_Errhandler)>(fn_Session_set_errhandler)(to_new<MPI_Session>(session), to_new<MPI_Errhandler>(errhandler)));
}
int old_Close_port(const char *port_name) __asm__("PMPI_Close_port") MPX_EXPORTED;
MPX_WEAK(Close_port)
int old_Close_port(const char *port_name) {
  return error_to_old(at<int(const char *)>(fn_Close_port)(port_name));
}
int old_Comm_accept(const char *port_name, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_accept") MPX_EXPORTED;
MPX_WEAK(Comm_accept)
int old_Comm_accept(const char *port_name, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(const char *, MPI_Info, int, MPI_Comm, MPI_Comm *)>(fn_Comm_accept)(port_name, to_new<MPI_Info>(info), rank_to_new(root), to_new<MPI_Comm>(comm), newcomm_.get()));
}
int old_Comm_connect(const char *port_name, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *newcomm) __asm__("PMPI_Comm_connect") MPX_EXPORTED;
MPX_WEAK(Comm_connect)
int old_Comm_connect(const char *port_name, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *newcomm) {
  handle_places<MPI_Comm> newcomm_(newcomm, 1, false);
  return error_to_old(at<int(const char *, MPI_Info, int, MPI_Comm, MPI_Comm *)>(fn_Comm_connect)(port_name, to_new<MPI_Info>(info), rank_to_new(root), to_new<MPI_Comm>(comm), newcomm_.get()));
}
int old_Comm_disconnect(old<MPI_Comm> *comm) __asm__("PMPI_Comm_disconnect") MPX_EXPORTED;
MPX_WEAK(Comm_disconnect)
int old_Comm_disconnect(old<MPI_Comm> *comm) {
  handle_places<MPI_Comm> comm_(comm, 1, true);
  return error_to_old(at<int(MPI_Comm *)>(fn_Comm_disconnect)(comm_.get()));
}
int old_Comm_get_parent(old<MPI_Comm> *parent) __asm__("PMPI_Comm_get_parent") MPX_EXPORTED;
MPX_WEAK(Comm_get_parent)
int old_Comm_get_parent(old<MPI_Comm> *parent) {
  handle_places<MPI_Comm> parent_(parent, 1, false);
  return error_to_old(at<int(MPI_Comm *)>(fn_Comm_get_parent)(parent_.get()));
}
int old_Comm_join(int fd, old<MPI_Comm> *intercomm) __asm__("PMPI_Comm_join") MPX_EXPORTED;
MPX_WEAK(Comm_join)
int old_Comm_join(int fd, old<MPI_Comm> *intercomm) {
  handle_places<MPI_Comm> intercomm_(intercomm, 1, false);
  return error_to_old(at<int(int, MPI_Comm *)>(fn_Comm_join)(fd, intercomm_.get()));
}
int old_Comm_spawn(const char *command, char *argv[], int maxprocs, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *intercomm, int array_of_errcodes[]) __asm__("PMPI_Comm_spawn") MPX_EXPORTED;
MPX_WEAK(Comm_spawn)
int old_Comm_spawn(const char *command, char *argv[], int maxprocs, old<MPI_Info> info, int root, old<MPI_Comm> comm, old<MPI_Comm> *intercomm, int array_of_errcodes[]) {
  handle_places<MPI_Comm> intercomm_(intercomm, 1, false);
  return error_to_old(at<int(const char *, char *[], int, MPI_Info, int, MPI_Comm, MPI_Comm *, int[])>(fn_Comm_spawn)(command, argv, maxprocs, to_new<MPI_Info>(info), rank_to_new(root), to_new<MPI_Comm>(comm), intercomm_.get(), array_of_errcodes));
}
int old_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const old<MPI_Info> array_of_info[], int root, old<MPI_Comm> comm, old<MPI_Comm> *intercomm, int array_of_errcodes[]) __asm__("PMPI_Comm_spawn_multiple") MPX_EXPORTED;
MPX_WEAK(Comm_spawn_multiple)
int old_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[], const old<MPI_Info> array_of_info[], int root, old<MPI_Comm> comm, old<MPI_Comm> *intercomm, int array_of_errcodes[]) {
  handles_copy<MPI_Info> array_of_info_(array_of_info, length(count));
  handle_places<MPI_Comm> intercomm_(intercomm, 1, false);
  return error_to_old(at<int(int, char *[], char **[], const int[], const MPI_Info[], int, MPI_Comm, MPI_Comm *, int[])>(fn_Comm_spawn_multiple)(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info_.get(), rank_to_new(root), to_new<MPI_Comm>(comm), intercomm_.get(), array_of_errcodes));
}
int old_Lookup_name(const char *service_name, old<MPI_Info> info, char *port_name) __asm__("PMPI_Lookup_name") MPX_EXPORTED;
MPX_WEAK(Lookup_name)
int old_Lookup_name(const char *service_name, old<MPI_Info> info, char *port_name) {
  return error_to_old(at<int(const char *, MPI_Info, char *)>(fn_Lookup_name)(service_name, to_new<MPI_Info>(info), port_name));
}
int old_Open_port(old<MPI_Info> info, char *port_name) __asm__("PMPI_Open_port") MPX_EXPORTED;
MPX_WEAK(Open_port)
int old_Open_port(old<MPI_Info> info, char *port_name) {
  return error_to_old(at<int(MPI_Info, char *)>(fn_Open_port)(to_new<MPI_Info>(info), port_name));
}
int old_Publish_name(const char *service_name, old<MPI_Info> info, const char *port_name) __asm__("PMPI_Publish_name") MPX_EXPORTED;
MPX_WEAK(Publish_name)
int old_Publish_name(const char *service_name, old<MPI_Info> info, const char *port_name) {
  return error_to_old(at<int(const char *, MPI_Info, const char *)>(fn_Publish_name)(service_name, to_new<MPI_Info>(info), port_name));
}
int old_Unpublish_name(const char *service_name, old<MPI_Info> info, const char *port_name) __asm__("PMPI_Unpublish_name") MPX_EXPORTED;
MPX_WEAK(Unpublish_name)
int old_Unpublish_name(const char *service_name, old<MPI_Info> info, const char *port_name) {
  return error_to_old(at<int(const char *, MPI_Info, const char *)>(fn_Unpublish_name)(service_name, to_new<MPI_Info>(info), port_name));
}
int old_File_call_errhandler(old<MPI_File> fh, int errorcode) __asm__("PMPI_File_call_errhandler") MPX_EXPORTED;
MPX_WEAK(File_call_errhandler)
int old_File_call_errhandler(old<MPI_File> fh, int errorcode) {
  return error_to_old(at<int(MPI_File, int)>(fn_File_call_errhandler)(to_new<MPI_File>(fh), error_to_new(errorcode)));
}
int old_File_close(old<MPI_File> *fh) __asm__("PMPI_File_close") MPX_EXPORTED;
MPX_WEAK(File_close)
int old_File_close(old<MPI_File> *fh) {
  handle_places<MPI_File> fh_(fh, 1, true);
  return error_to_old(at<int(MPI_File *)>(fn_File_close)(fh_.get()));
}
int old_File_create_errhandler(any_function file_errhandler_fn, old<MPI_Errhandler> *errhandler) __asm__("PMPI_File_create_errhandler") MPX_EXPORTED;
MPX_WEAK(File_create_errhandler)
int old_File_create_errhandler(any_function file_errhandler_fn, old<MPI_Errhandler> *errhandler) {
  return error_to_old(mpx_mpi_old::File_create_errhandler(file_errhandler_fn, errhandler));
}
int old_File_delete(const char *filename, old<MPI_Info> info) __asm__("PMPI_File_delete") MPX_EXPORTED;
MPX_WEAK(File_delete)
int old_File_delete(const char *filename, old<MPI_Info> info) {
  return error_to_old(at<int(const char *, MPI_Info)>(fn_File_delete)(filename, to_new<MPI_Info>(info)));
}
int old_File_get_amode(old<MPI_File> fh, int *amode) __asm__("PMPI_File_get_amode") MPX_EXPORTED;
MPX_WEAK(File_get_amode)
int old_File_get_amode(old<MPI_File> fh, int *amode) {
  const int code = at<int(MPI_File, int *)>(fn_File_get_amode)(to_new<MPI_File>(fh), amode);
  int_places<mode_to_old>(amode).store(code);
  return error_to_old(code);
}
int old_File_get_atomicity(old<MPI_File> fh, int *flag) __asm__("PMPI_File_get_atomicity") MPX_EXPORTED;
MPX_WEAK(File_get_atomicity)
int old_File_get_atomicity(old<MPI_File> fh, int *flag) {
  return error_to_old(at<int(MPI_File, int *)>(fn_File_get_atomicity)(to_new<MPI_File>(fh), flag));
}
int old_File_get_byte_offset(old<MPI_File> fh, MPI_Offset offset, MPI_Offset *disp) __asm__("PMPI_File_get_byte_offset") MPX_EXPORTED;
MPX_WEAK(File_get_byte_offset)
int old_File_get_byte_offset(old<MPI_File> fh, MPI_Offset offset, MPI_Offset *disp) {
  return error_to_old(at<int(MPI_File, MPI_Offset, MPI_Offset *)>(fn_File_get_byte_offset)(to_new<MPI_File>(fh), offset, disp));
}
int old_File_get_errhandler(old<MPI_File> file, old<MPI_Errhandler> *errhandler) __asm__("PMPI_File_get_errhandler") MPX_EXPORTED;
MPX_WEAK(File_get_errhandler)
int old_File_get_errhandler(old<MPI_File> file, old<MPI_Errhandler> *errhandler) {
  handle_places<MPI_Errhandler> errhandler_(errhandler, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Errhandler *)>(fn_File_get_errhandler)(to_new<MPI_File>(file), errhandler_.get()));
}
int old_File_get_group(old<MPI_File> fh, old<MPI_Group> *group) __asm__("PMPI_File_get_group") MPX_EXPORTED;
MPX_WEAK(File_get_group)
int old_File_get_group(old<MPI_File> fh, old<MPI_Group> *group) {
  handle_places<MPI_Group> group_(group, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Group *)>(fn_File_get_group)(to_new<MPI_File>(fh), group_.get()));
}
int old_File_get_info(old<MPI_File> fh, old<MPI_Info> *info_used) __asm__("PMPI_File_get_info") MPX_EXPORTED;
MPX_WEAK(File_get_info)
int old_File_get_info(old<MPI_File> fh, old<MPI_Info> *info_used) {
  handle_places<MPI_Info> info_used_(info_used, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Info *)>(fn_File_get_info)(to_new<MPI_File>(fh), info_used_.get()));
}
int old_File_get_position(old<MPI_File> fh, MPI_Offset *offset) __asm__("PMPI_File_get_position") MPX_EXPORTED;
MPX_WEAK(File_get_position)
int old_File_get_position(old<MPI_File> fh, MPI_Offset *offset) {
  return error_to_old(at<int(MPI_File, MPI_Offset *)>(fn_File_get_position)(to_new<MPI_File>(fh), offset));
}
int old_File_get_position_shared(old<MPI_File> fh, MPI_Offset *offset) __asm__("PMPI_File_get_position_shared") MPX_EXPORTED;
MPX_WEAK(File_get_position_shared)
int old_File_get_position_shared(old<MPI_File> fh, MPI_Offset *offset) {
  return error_to_old(at<int(MPI_File, MPI_Offset *)>(fn_File_get_position_shared)(to_new<MPI_File>(fh), offset));
}
int old_File_get_size(old<MPI_File> fh, MPI_Offset *size) __asm__("PMPI_File_get_size") MPX_EXPORTED;
MPX_WEAK(File_get_size)
int old_File_get_size(old<MPI_File> fh, MPI_Offset *size) {
  return error_to_old(at<int(MPI_File, MPI_Offset *)>(fn_File_get_size)(to_new<MPI_File>(fh), size));
}
int old_File_get_type_extent(old<MPI_File> fh, old<MPI_Datatype> datatype, MPI_Aint *extent) __asm__("PMPI_File_get_type_extent") MPX_EXPORTED;
MPX_WEAK(File_get_type_extent)
int old_File_get_type_extent(old<MPI_File> fh, old<MPI_Datatype> datatype, MPI_Aint *extent) {
  return error_to_old(at<int(MPI_File, MPI_Datatype, MPI_Aint *)>(fn_File_get_type_extent)(to_new<MPI_File>(fh), to_new<MPI_Datatype>(datatype), extent));
}
int old_File_get_type_extent_c(old<MPI_File> fh, old<MPI_Datatype> datatype, MPI_Count *extent) __asm__("PMPI_File_get_type_extent_c") MPX_EXPORTED;
MPX_WEAK(File_get_type_extent_c)
int old_File_get_type_extent_c(old<MPI_File> fh, old<MPI_Datatype> datatype, MPI_Count *extent) {
  return error_to_old(at<int(MPI_File, MPI_Datatype, MPI_Count *)>(fn_File_get_type_extent_c)(to_new<MPI_File>(fh), to_new<MPI_Datatype>(datatype), extent));
}
int old_File_get_view(old<MPI_File> fh, MPI_Offset *disp, old<MPI_Datatype> *etype, old<MPI_Datatype> *filetype, char *datarep) __asm__("PMPI_File_get_view") MPX_EXPORTED;
MPX_WEAK(File_get_view)
int old_File_get_view(old<MPI_File> fh, MPI_Offset *disp, old<MPI_Datatype> *etype, old<MPI_Datatype> *filetype, char *datarep) {
  handle_places<MPI_Datatype> etype_(etype, 1, false);
  handle_places<MPI_Datatype> filetype_(filetype, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset *, MPI_Datatype *, MPI_Datatype *, char *)>(fn_File_get_view)(to_new<MPI_File>(fh), disp, etype_.get(), filetype_.get(), datarep));
}
int old_File_iread(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread") MPX_EXPORTED;
MPX_WEAK(File_iread)
int old_File_iread(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iread)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_c") MPX_EXPORTED;
MPX_WEAK(File_iread_c)
int old_File_iread_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iread_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_all(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_all") MPX_EXPORTED;
MPX_WEAK(File_iread_all)
int old_File_iread_all(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iread_all)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_all_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_all_c") MPX_EXPORTED;
MPX_WEAK(File_iread_all_c)
int old_File_iread_all_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iread_all_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_at(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_at") MPX_EXPORTED;
MPX_WEAK(File_iread_at)
int old_File_iread_at(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iread_at)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_at_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_at_c") MPX_EXPORTED;
MPX_WEAK(File_iread_at_c)
int old_File_iread_at_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iread_at_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_at_all(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_at_all") MPX_EXPORTED;
MPX_WEAK(File_iread_at_all)
int old_File_iread_at_all(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iread_at_all)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_at_all_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_at_all_c") MPX_EXPORTED;
MPX_WEAK(File_iread_at_all_c)
int old_File_iread_at_all_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iread_at_all_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_shared(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_shared") MPX_EXPORTED;
MPX_WEAK(File_iread_shared)
int old_File_iread_shared(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iread_shared)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iread_shared_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iread_shared_c") MPX_EXPORTED;
MPX_WEAK(File_iread_shared_c)
int old_File_iread_shared_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iread_shared_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite") MPX_EXPORTED;
MPX_WEAK(File_iwrite)
int old_File_iwrite(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iwrite)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_c") MPX_EXPORTED;
MPX_WEAK(File_iwrite_c)
int old_File_iwrite_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_all(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_all") MPX_EXPORTED;
MPX_WEAK(File_iwrite_all)
int old_File_iwrite_all(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_all)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_all_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_all_c") MPX_EXPORTED;
MPX_WEAK(File_iwrite_all_c)
int old_File_iwrite_all_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_all_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_at(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_at") MPX_EXPORTED;
MPX_WEAK(File_iwrite_at)
int old_File_iwrite_at(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_at)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_at_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_at_c") MPX_EXPORTED;
MPX_WEAK(File_iwrite_at_c)
int old_File_iwrite_at_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_at_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_at_all(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_at_all") MPX_EXPORTED;
MPX_WEAK(File_iwrite_at_all)
int old_File_iwrite_at_all(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_at_all)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_at_all_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_at_all_c") MPX_EXPORTED;
MPX_WEAK(File_iwrite_at_all_c)
int old_File_iwrite_at_all_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_at_all_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_shared(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_shared") MPX_EXPORTED;
MPX_WEAK(File_iwrite_shared)
int old_File_iwrite_shared(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_shared)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_iwrite_shared_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) __asm__("PMPI_File_iwrite_shared_c") MPX_EXPORTED;
MPX_WEAK(File_iwrite_shared_c)
int old_File_iwrite_shared_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old<MPI_Request> *request) {
  handle_places<MPI_Request> request_(request, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Request *)>(fn_File_iwrite_shared_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), request_.get()));
}
int old_File_open(old<MPI_Comm> comm, const char *filename, int amode, old<MPI_Info> info, old<MPI_File> *fh) __asm__("PMPI_File_open") MPX_EXPORTED;
MPX_WEAK(File_open)
int old_File_open(old<MPI_Comm> comm, const char *filename, int amode, old<MPI_Info> info, old<MPI_File> *fh) {
  handle_places<MPI_File> fh_(fh, 1, false);
  return error_to_old(at<int(MPI_Comm, const char *, int, MPI_Info, MPI_File *)>(fn_File_open)(to_new<MPI_Comm>(comm), filename, mode_to_new(amode), to_new<MPI_Info>(info), fh_.get()));
}
int old_File_preallocate(old<MPI_File> fh, MPI_Offset size) __asm__("PMPI_File_preallocate") MPX_EXPORTED;
MPX_WEAK(File_preallocate)
int old_File_preallocate(old<MPI_File> fh, MPI_Offset size) {
  return error_to_old(at<int(MPI_File, MPI_Offset)>(fn_File_preallocate)(to_new<MPI_File>(fh), size));
}
int old_File_read(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read") MPX_EXPORTED;
MPX_WEAK(File_read)
int old_File_read(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_c") MPX_EXPORTED;
MPX_WEAK(File_read_c)
int old_File_read_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_all(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_all") MPX_EXPORTED;
MPX_WEAK(File_read_all)
int old_File_read_all(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read_all)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_all_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_all_c") MPX_EXPORTED;
MPX_WEAK(File_read_all_c)
int old_File_read_all_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_all_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_all_begin(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_all_begin") MPX_EXPORTED;
MPX_WEAK(File_read_all_begin)
int old_File_read_all_begin(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype)>(fn_File_read_all_begin)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_all_begin_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_all_begin_c") MPX_EXPORTED;
MPX_WEAK(File_read_all_begin_c)
int old_File_read_all_begin_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype)>(fn_File_read_all_begin_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_all_end(old<MPI_File> fh, void *buf, old_status *status) __asm__("PMPI_File_read_all_end") MPX_EXPORTED;
MPX_WEAK(File_read_all_end)
int old_File_read_all_end(old<MPI_File> fh, void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Status *)>(fn_File_read_all_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_read_at(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_at") MPX_EXPORTED;
MPX_WEAK(File_read_at)
int old_File_read_at(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read_at)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_at_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_at_c") MPX_EXPORTED;
MPX_WEAK(File_read_at_c)
int old_File_read_at_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_at_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_at_all(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_at_all") MPX_EXPORTED;
MPX_WEAK(File_read_at_all)
int old_File_read_at_all(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read_at_all)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_at_all_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_at_all_c") MPX_EXPORTED;
MPX_WEAK(File_read_at_all_c)
int old_File_read_at_all_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_at_all_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_at_all_begin(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_at_all_begin") MPX_EXPORTED;
MPX_WEAK(File_read_at_all_begin)
int old_File_read_at_all_begin(old<MPI_File> fh, MPI_Offset offset, void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, int, MPI_Datatype)>(fn_File_read_at_all_begin)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_at_all_begin_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_at_all_begin_c") MPX_EXPORTED;
MPX_WEAK(File_read_at_all_begin_c)
int old_File_read_at_all_begin_c(old<MPI_File> fh, MPI_Offset offset, void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype)>(fn_File_read_at_all_begin_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_at_all_end(old<MPI_File> fh, void *buf, old_status *status) __asm__("PMPI_File_read_at_all_end") MPX_EXPORTED;
MPX_WEAK(File_read_at_all_end)
int old_File_read_at_all_end(old<MPI_File> fh, void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Status *)>(fn_File_read_at_all_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_read_ordered(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_ordered") MPX_EXPORTED;
MPX_WEAK(File_read_ordered)
int old_File_read_ordered(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read_ordered)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_ordered_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_ordered_c") MPX_EXPORTED;
MPX_WEAK(File_read_ordered_c)
int old_File_read_ordered_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_ordered_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_ordered_begin(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_ordered_begin") MPX_EXPORTED;
MPX_WEAK(File_read_ordered_begin)
int old_File_read_ordered_begin(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype)>(fn_File_read_ordered_begin)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_ordered_begin_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_read_ordered_begin_c") MPX_EXPORTED;
MPX_WEAK(File_read_ordered_begin_c)
int old_File_read_ordered_begin_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype)>(fn_File_read_ordered_begin_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_read_ordered_end(old<MPI_File> fh, void *buf, old_status *status) __asm__("PMPI_File_read_ordered_end") MPX_EXPORTED;
MPX_WEAK(File_read_ordered_end)
int old_File_read_ordered_end(old<MPI_File> fh, void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Status *)>(fn_File_read_ordered_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_read_shared(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_shared") MPX_EXPORTED;
MPX_WEAK(File_read_shared)
int old_File_read_shared(old<MPI_File> fh, void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, int, MPI_Datatype, MPI_Status *)>(fn_File_read_shared)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_read_shared_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_read_shared_c") MPX_EXPORTED;
MPX_WEAK(File_read_shared_c)
int old_File_read_shared_c(old<MPI_File> fh, void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_read_shared_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_seek(old<MPI_File> fh, MPI_Offset offset, int whence) __asm__("PMPI_File_seek") MPX_EXPORTED;
MPX_WEAK(File_seek)
int old_File_seek(old<MPI_File> fh, MPI_Offset offset, int whence) {
  return error_to_old(at<int(MPI_File, MPI_Offset, int)>(fn_File_seek)(to_new<MPI_File>(fh), offset, whence_to_new(whence)));
}
int old_File_seek_shared(old<MPI_File> fh, MPI_Offset offset, int whence) __asm__("PMPI_File_seek_shared") MPX_EXPORTED;
MPX_WEAK(File_seek_shared)
int old_File_seek_shared(old<MPI_File> fh, MPI_Offset offset, int whence) {
  return error_to_old(at<int(MPI_File, MPI_Offset, int)>(fn_File_seek_shared)(to_new<MPI_File>(fh), offset, whence_to_new(whence)));
}
int old_File_set_atomicity(old<MPI_File> fh, int flag) __asm__("PMPI_File_set_atomicity") MPX_EXPORTED;
MPX_WEAK(File_set_atomicity)
int old_File_set_atomicity(old<MPI_File> fh, int flag) {
  return error_to_old(at<int(MPI_File, int)>(fn_File_set_atomicity)(to_new<MPI_File>(fh), flag));
}
int old_File_set_errhandler(old<MPI_File> file, old<MPI_Errhandler> errhandler) __asm__("PMPI_File_set_errhandler") MPX_EXPORTED;
MPX_WEAK(File_set_errhandler)
int old_File_set_errhandler(old<MPI_File> file, old<MPI_Errhandler> errhandler) {
  return error_to_old(at<int(MPI_File, MPI_Errhandler)>(fn_File_set_errhandler)(to_new<MPI_File>(file), to_new<MPI_Errhandler>(errhandler)));
}
int old_File_set_info(old<MPI_File> fh, old<MPI_Info> info) __asm__("PMPI_File_set_info") MPX_EXPORTED;
MPX_WEAK(File_set_info)
int old_File_set_info(old<MPI_File> fh, old<MPI_Info> info) {
  return error_to_old(at<int(MPI_File, MPI_Info)>(fn_File_set_info)(to_new<MPI_File>(fh), to_new<MPI_Info>(info)));
}
int old_File_set_size(old<MPI_File> fh, MPI_Offset size) __asm__("PMPI_File_set_size") MPX_EXPORTED;
MPX_WEAK(File_set_size)
int old_File_set_size(old<MPI_File> fh, MPI_Offset size) {
  return error_to_old(at<int(MPI_File, MPI_Offset)>(fn_File_set_size)(to_new<MPI_File>(fh), size));
}
int old_File_set_view(old<MPI_File> fh, MPI_Offset disp, old<MPI_Datatype> etype, old<MPI_Datatype> filetype, const char *datarep, old<MPI_Info> info) __asm__("PMPI_File_set_view") MPX_EXPORTED;
MPX_WEAK(File_set_view)
int old_File_set_view(old<MPI_File> fh, MPI_Offset disp, old<MPI_Datatype> etype, old<MPI_Datatype> filetype, const char *datarep, old<MPI_Info> info) {
  return error_to_old(at<int(MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char *, MPI_Info)>(fn_File_set_view)(to_new<MPI_File>(fh), disp, to_new<MPI_Datatype>(etype), to_new<MPI_Datatype>(filetype), datarep, to_new<MPI_Info>(info)));
}
int old_File_sync(old<MPI_File> fh) __asm__("PMPI_File_sync") MPX_EXPORTED;
MPX_WEAK(File_sync)
int old_File_sync(old<MPI_File> fh) {
  return error_to_old(at<int(MPI_File)>(fn_File_sync)(to_new<MPI_File>(fh)));
}
int old_File_write(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write") MPX_EXPORTED;
MPX_WEAK(File_write)
int old_File_write(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_c") MPX_EXPORTED;
MPX_WEAK(File_write_c)
int old_File_write_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_all(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_all") MPX_EXPORTED;
MPX_WEAK(File_write_all)
int old_File_write_all(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write_all)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_all_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_all_c") MPX_EXPORTED;
MPX_WEAK(File_write_all_c)
int old_File_write_all_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_all_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_all_begin(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_all_begin") MPX_EXPORTED;
MPX_WEAK(File_write_all_begin)
int old_File_write_all_begin(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype)>(fn_File_write_all_begin)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_all_begin_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_all_begin_c") MPX_EXPORTED;
MPX_WEAK(File_write_all_begin_c)
int old_File_write_all_begin_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype)>(fn_File_write_all_begin_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_all_end(old<MPI_File> fh, const void *buf, old_status *status) __asm__("PMPI_File_write_all_end") MPX_EXPORTED;
MPX_WEAK(File_write_all_end)
int old_File_write_all_end(old<MPI_File> fh, const void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Status *)>(fn_File_write_all_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_write_at(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_at") MPX_EXPORTED;
MPX_WEAK(File_write_at)
int old_File_write_at(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write_at)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_at_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_at_c") MPX_EXPORTED;
MPX_WEAK(File_write_at_c)
int old_File_write_at_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_at_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_at_all(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_at_all") MPX_EXPORTED;
MPX_WEAK(File_write_at_all)
int old_File_write_at_all(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write_at_all)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_at_all_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_at_all_c") MPX_EXPORTED;
MPX_WEAK(File_write_at_all_c)
int old_File_write_at_all_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_at_all_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_at_all_begin(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_at_all_begin") MPX_EXPORTED;
MPX_WEAK(File_write_at_all_begin)
int old_File_write_at_all_begin(old<MPI_File> fh, MPI_Offset offset, const void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, int, MPI_Datatype)>(fn_File_write_at_all_begin)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_at_all_begin_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_at_all_begin_c") MPX_EXPORTED;
MPX_WEAK(File_write_at_all_begin_c)
int old_File_write_at_all_begin_c(old<MPI_File> fh, MPI_Offset offset, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype)>(fn_File_write_at_all_begin_c)(to_new<MPI_File>(fh), offset, buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_at_all_end(old<MPI_File> fh, const void *buf, old_status *status) __asm__("PMPI_File_write_at_all_end") MPX_EXPORTED;
MPX_WEAK(File_write_at_all_end)
int old_File_write_at_all_end(old<MPI_File> fh, const void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Status *)>(fn_File_write_at_all_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_write_ordered(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_ordered") MPX_EXPORTED;
MPX_WEAK(File_write_ordered)
int old_File_write_ordered(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write_ordered)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_ordered_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_ordered_c") MPX_EXPORTED;
MPX_WEAK(File_write_ordered_c)
int old_File_write_ordered_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_ordered_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_ordered_begin(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_ordered_begin") MPX_EXPORTED;
MPX_WEAK(File_write_ordered_begin)
int old_File_write_ordered_begin(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype)>(fn_File_write_ordered_begin)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_ordered_begin_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) __asm__("PMPI_File_write_ordered_begin_c") MPX_EXPORTED;
MPX_WEAK(File_write_ordered_begin_c)
int old_File_write_ordered_begin_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype) {
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype)>(fn_File_write_ordered_begin_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype)));
}
int old_File_write_ordered_end(old<MPI_File> fh, const void *buf, old_status *status) __asm__("PMPI_File_write_ordered_end") MPX_EXPORTED;
MPX_WEAK(File_write_ordered_end)
int old_File_write_ordered_end(old<MPI_File> fh, const void *buf, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Status *)>(fn_File_write_ordered_end)(to_new<MPI_File>(fh), buffer_to_new(buf), status_.get()));
}
int old_File_write_shared(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_shared") MPX_EXPORTED;
MPX_WEAK(File_write_shared)
int old_File_write_shared(old<MPI_File> fh, const void *buf, int count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, int, MPI_Datatype, MPI_Status *)>(fn_File_write_shared)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_File_write_shared_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) __asm__("PMPI_File_write_shared_c") MPX_EXPORTED;
MPX_WEAK(File_write_shared_c)
int old_File_write_shared_c(old<MPI_File> fh, const void *buf, MPI_Count count, old<MPI_Datatype> datatype, old_status *status) {
  status_places status_(status, 1, false);
  return error_to_old(at<int(MPI_File, const void *, MPI_Count, MPI_Datatype, MPI_Status *)>(fn_File_write_shared_c)(to_new<MPI_File>(fh), buffer_to_new(buf), count, to_new<MPI_Datatype>(datatype), status_.get()));
}
int old_Register_datarep(const char *datarep, any_function read_conversion_fn, any_function write_conversion_fn, any_function dtype_file_extent_fn, void *extra_state) __asm__("PMPI_Register_datarep") MPX_EXPORTED;
MPX_WEAK(Register_datarep)
int old_Register_datarep(const char *datarep, any_function read_conversion_fn, any_function write_conversion_fn, any_function dtype_file_extent_fn, void *extra_state) {
  return error_to_old(at<int(const char *, MPI_Datarep_conversion_function *, MPI_Datarep_conversion_function *, MPI_Datarep_extent_function *, void *)>(fn_Register_datarep)(datarep, reinterpret_cast<MPI_Datarep_conversion_function *>(read_conversion_fn), reinterpret_cast<MPI_Datarep_conversion_function *>(write_conversion_fn), reinterpret_cast<MPI_Datarep_extent_function *>(dtype_file_extent_fn), extra_state));
}
int old_Register_datarep_c(const char *datarep, any_function read_conversion_fn, any_function write_conversion_fn, any_function dtype_file_extent_fn, void *extra_state) __asm__("PMPI_Register_datarep_c") MPX_EXPORTED;
MPX_WEAK(Register_datarep_c)
int old_Register_datarep_c(const char *datarep, any_function read_conversion_fn, any_function write_conversion_fn, any_function dtype_file_extent_fn, void *extra_state) {
  return error_to_old(at<int(const char *, MPI_Datarep_conversion_function_c *, MPI_Datarep_conversion_function_c *, MPI_Datarep_extent_function *, void *)>(fn_Register_datarep_c)(datarep, reinterpret_cast<MPI_Datarep_conversion_function_c *>(read_conversion_fn), reinterpret_cast<MPI_Datarep_conversion_function_c *>(write_conversion_fn), reinterpret_cast<MPI_Datarep_extent_function *>(dtype_file_extent_fn), extra_state));
}
MPI_File old_File_fromint(int file) __asm__("PMPI_File_fromint") MPX_EXPORTED;
MPX_WEAK(File_fromint)
MPI_File old_File_fromint(int file) {
  return at<MPI_File(int)>(fn_File_fromint)(file);
}
int old_File_toint(old<MPI_File> file) __asm__("PMPI_File_toint") MPX_EXPORTED;
MPX_WEAK(File_toint)
int old_File_toint(old<MPI_File> file) {
  return at<int(MPI_File)>(fn_File_toint)(to_new<MPI_File>(file));
}
int old_Comm_c2f(old<MPI_Comm> h) __asm__("PMPI_Comm_c2f") MPX_EXPORTED;
MPX_WEAK(Comm_c2f)
int old_Comm_c2f(old<MPI_Comm> h) { return h; }
old<MPI_Comm> old_Comm_f2c(int h) __asm__("PMPI_Comm_f2c") MPX_EXPORTED;
MPX_WEAK(Comm_f2c)
old<MPI_Comm> old_Comm_f2c(int h) { return h; }
int old_Errhandler_c2f(old<MPI_Errhandler> h) __asm__("PMPI_Errhandler_c2f") MPX_EXPORTED;
MPX_WEAK(Errhandler_c2f)
int old_Errhandler_c2f(old<MPI_Errhandler> h) { return h; }
old<MPI_Errhandler> old_Errhandler_f2c(int h) __asm__("PMPI_Errhandler_f2c") MPX_EXPORTED;
MPX_WEAK(Errhandler_f2c)
old<MPI_Errhandler> old_Errhandler_f2c(int h) { return h; }
int old_Group_c2f(old<MPI_Group> h) __asm__("PMPI_Group_c2f") MPX_EXPORTED;
MPX_WEAK(Group_c2f)
int old_Group_c2f(old<MPI_Group> h) { return h; }
old<MPI_Group> old_Group_f2c(int h) __asm__("PMPI_Group_f2c") MPX_EXPORTED;
MPX_WEAK(Group_f2c)
old<MPI_Group> old_Group_f2c(int h) { return h; }
int old_Info_c2f(old<MPI_Info> h) __asm__("PMPI_Info_c2f") MPX_EXPORTED;
MPX_WEAK(Info_c2f)
int old_Info_c2f(old<MPI_Info> h) { return h; }
old<MPI_Info> old_Info_f2c(int h) __asm__("PMPI_Info_f2c") MPX_EXPORTED;
MPX_WEAK(Info_f2c)
old<MPI_Info> old_Info_f2c(int h) { return h; }
int old_Message_c2f(old<MPI_Message> h) __asm__("PMPI_Message_c2f") MPX_EXPORTED;
MPX_WEAK(Message_c2f)
int old_Message_c2f(old<MPI_Message> h) { return h; }
old<MPI_Message> old_Message_f2c(int h) __asm__("PMPI_Message_f2c") MPX_EXPORTED;
MPX_WEAK(Message_f2c)
old<MPI_Message> old_Message_f2c(int h) { return h; }
int old_Op_c2f(old<MPI_Op> h) __asm__("PMPI_Op_c2f") MPX_EXPORTED;
MPX_WEAK(Op_c2f)
int old_Op_c2f(old<MPI_Op> h) { return h; }
old<MPI_Op> old_Op_f2c(int h) __asm__("PMPI_Op_f2c") MPX_EXPORTED;
MPX_WEAK(Op_f2c)
old<MPI_Op> old_Op_f2c(int h) { return h; }
int old_Request_c2f(old<MPI_Request> h) __asm__("PMPI_Request_c2f") MPX_EXPORTED;
MPX_WEAK(Request_c2f)
int old_Request_c2f(old<MPI_Request> h) { return h; }
old<MPI_Request> old_Request_f2c(int h) __asm__("PMPI_Request_f2c") MPX_EXPORTED;
MPX_WEAK(Request_f2c)
old<MPI_Request> old_Request_f2c(int h) { return h; }
int old_Session_c2f(old<MPI_Session> h) __asm__("PMPI_Session_c2f") MPX_EXPORTED;
MPX_WEAK(Session_c2f)
int old_Session_c2f(old<MPI_Session> h) { return h; }
old<MPI_Session> old_Session_f2c(int h) __asm__("PMPI_Session_f2c") MPX_EXPORTED;
MPX_WEAK(Session_f2c)
old<MPI_Session> old_Session_f2c(int h) { return h; }
int old_Type_c2f(old<MPI_Datatype> h) __asm__("PMPI_Type_c2f") MPX_EXPORTED;
MPX_WEAK(Type_c2f)
int old_Type_c2f(old<MPI_Datatype> h) { return h; }
old<MPI_Datatype> old_Type_f2c(int h) __asm__("PMPI_Type_f2c") MPX_EXPORTED;
MPX_WEAK(Type_f2c)
old<MPI_Datatype> old_Type_f2c(int h) { return h; }
int old_Win_c2f(old<MPI_Win> h) __asm__("PMPI_Win_c2f") MPX_EXPORTED;
MPX_WEAK(Win_c2f)
int old_Win_c2f(old<MPI_Win> h) { return h; }
old<MPI_Win> old_Win_f2c(int h) __asm__("PMPI_Win_f2c") MPX_EXPORTED;
MPX_WEAK(Win_f2c)
old<MPI_Win> old_Win_f2c(int h) { return h; }
int old_File_c2f(old<MPI_File> h) __asm__("PMPI_File_c2f") MPX_EXPORTED;
MPX_WEAK(File_c2f)
int old_File_c2f(old<MPI_File> h) { return at<int(MPI_File)>(fn_File_toint)(to_new<MPI_File>(h)); }
old<MPI_File> old_File_f2c(int h) __asm__("PMPI_File_f2c") MPX_EXPORTED;
MPX_WEAK(File_f2c)
old<MPI_File> old_File_f2c(int h) { return to_old(at<MPI_File(int)>(fn_File_fromint)(h)); }
MPX_SAME(MPI, Address, Get_address)
MPX_SAME(MPI, Errhandler_create, Comm_create_errhandler)
MPX_SAME(MPI, Errhandler_set, Comm_set_errhandler)
MPX_SAME(MPI, Errhandler_get, Comm_get_errhandler)
MPX_SAME(MPI, Type_hvector, Type_create_hvector)
MPX_SAME(MPI, Type_hindexed, Type_create_hindexed)
MPX_SAME(MPI, Type_struct, Type_create_struct)
MPX_BY_NAME(MPI, T_category_changed, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_categories, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_cvars, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_events, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_index, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_num, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_num_events, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_category_get_pvars, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_get_index, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_get_num, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_handle_alloc, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_handle_free, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_read, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_cvar_write, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_enum_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_enum_get_item, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_callback_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_callback_set_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_copy, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_get_index, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_get_num, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_get_source, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_get_timestamp, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_handle_alloc, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_handle_free, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_handle_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_handle_set_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_read, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_register_callback, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_event_set_dropped_handler, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_finalize, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_init_thread, error_to_old(MPI_T_ERR_CANNOT_INIT))
MPX_BY_NAME(MPI, T_pvar_get_index, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_get_num, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_handle_alloc, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_handle_free, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_read, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_readreset, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_reset, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_session_create, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_session_free, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_start, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_stop, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_pvar_write, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_source_get_info, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_source_get_num, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPI, T_source_get_timestamp, error_to_old(MPI_T_ERR_NOT_INITIALIZED))
MPX_BY_NAME(MPIX, Allreduce_enqueue, unsupported("MPIX_Allreduce_enqueue"))
MPX_BY_NAME(MPIX, Allreduce_enqueue_c, unsupported("MPIX_Allreduce_enqueue_c"))
MPX_BY_NAME(MPIX, Comm_agree, unsupported("MPIX_Comm_agree"))
MPX_BY_NAME(MPIX, Comm_failure_ack, unsupported("MPIX_Comm_failure_ack"))
MPX_BY_NAME(MPIX, Comm_failure_get_acked, unsupported("MPIX_Comm_failure_get_acked"))
MPX_BY_NAME(MPIX, Comm_get_failed, unsupported("MPIX_Comm_get_failed"))
MPX_BY_NAME(MPIX, Comm_get_stream, unsupported("MPIX_Comm_get_stream"))
MPX_BY_NAME(MPIX, Comm_revoke, unsupported("MPIX_Comm_revoke"))
MPX_BY_NAME(MPIX, Comm_shrink, unsupported("MPIX_Comm_shrink"))
MPX_BY_NAME(MPIX, Comm_test_threadcomm, unsupported("MPIX_Comm_test_threadcomm"))
MPX_BY_NAME(MPIX, Delete_error_class, unsupported("MPIX_Delete_error_class"))
MPX_BY_NAME(MPIX, Delete_error_code, unsupported("MPIX_Delete_error_code"))
MPX_BY_NAME(MPIX, Delete_error_string, unsupported("MPIX_Delete_error_string"))
MPX_BY_NAME(MPIX, GPU_query_support, unsupported("MPIX_GPU_query_support"))
MPX_BY_NAME(MPIX, Grequest_class_allocate, unsupported("MPIX_Grequest_class_allocate"))
MPX_BY_NAME(MPIX, Grequest_class_create, unsupported("MPIX_Grequest_class_create"))
MPX_BY_NAME(MPIX, Grequest_start, unsupported("MPIX_Grequest_start"))
MPX_BY_NAME(MPIX, Info_set_hex, unsupported("MPIX_Info_set_hex"))
MPX_BY_NAME(MPIX, Irecv_enqueue, unsupported("MPIX_Irecv_enqueue"))
MPX_BY_NAME(MPIX, Irecv_enqueue_c, unsupported("MPIX_Irecv_enqueue_c"))
MPX_BY_NAME(MPIX, Isend_enqueue, unsupported("MPIX_Isend_enqueue"))
MPX_BY_NAME(MPIX, Isend_enqueue_c, unsupported("MPIX_Isend_enqueue_c"))
MPX_BY_NAME(MPIX, Query_cuda_support, 0)
MPX_BY_NAME(MPIX, Query_hip_support, 0)
MPX_BY_NAME(MPIX, Query_ze_support, 0)
MPX_BY_NAME(MPIX, Recv_enqueue, unsupported("MPIX_Recv_enqueue"))
MPX_BY_NAME(MPIX, Recv_enqueue_c, unsupported("MPIX_Recv_enqueue_c"))
MPX_BY_NAME(MPIX, Send_enqueue, unsupported("MPIX_Send_enqueue"))
MPX_BY_NAME(MPIX, Send_enqueue_c, unsupported("MPIX_Send_enqueue_c"))
MPX_BY_NAME(MPIX, Start_progress_thread, unsupported("MPIX_Start_progress_thread"))
MPX_BY_NAME(MPIX, Stop_progress_thread, unsupported("MPIX_Stop_progress_thread"))
MPX_BY_NAME(MPIX, Stream_comm_create, unsupported("MPIX_Stream_comm_create"))
MPX_BY_NAME(MPIX, Stream_comm_create_multiplex, unsupported("MPIX_Stream_comm_create_multiplex"))
MPX_BY_NAME(MPIX, Stream_create, unsupported("MPIX_Stream_create"))
MPX_BY_NAME(MPIX, Stream_free, unsupported("MPIX_Stream_free"))
MPX_BY_NAME(MPIX, Stream_irecv, unsupported("MPIX_Stream_irecv"))
MPX_BY_NAME(MPIX, Stream_irecv_c, unsupported("MPIX_Stream_irecv_c"))
MPX_BY_NAME(MPIX, Stream_isend, unsupported("MPIX_Stream_isend"))
MPX_BY_NAME(MPIX, Stream_isend_c, unsupported("MPIX_Stream_isend_c"))
MPX_BY_NAME(MPIX, Stream_progress, unsupported("MPIX_Stream_progress"))
MPX_BY_NAME(MPIX, Stream_recv, unsupported("MPIX_Stream_recv"))
MPX_BY_NAME(MPIX, Stream_recv_c, unsupported("MPIX_Stream_recv_c"))
MPX_BY_NAME(MPIX, Stream_send, unsupported("MPIX_Stream_send"))
MPX_BY_NAME(MPIX, Stream_send_c, unsupported("MPIX_Stream_send_c"))
MPX_BY_NAME(MPIX, Threadcomm_finish, unsupported("MPIX_Threadcomm_finish"))
MPX_BY_NAME(MPIX, Threadcomm_free, unsupported("MPIX_Threadcomm_free"))
MPX_BY_NAME(MPIX, Threadcomm_init, unsupported("MPIX_Threadcomm_init"))
MPX_BY_NAME(MPIX, Threadcomm_start, unsupported("MPIX_Threadcomm_start"))
MPX_BY_NAME(MPIX, Type_iov, unsupported("MPIX_Type_iov"))
MPX_BY_NAME(MPIX, Type_iov_len, unsupported("MPIX_Type_iov_len"))
MPX_BY_NAME(MPIX, Wait_enqueue, unsupported("MPIX_Wait_enqueue"))
MPX_BY_NAME(MPIX, Waitall_enqueue, unsupported("MPIX_Waitall_enqueue"))
MPX_BY_NAME(QMPI, Get_calling_address, unsupported("QMPI_Get_calling_address"))
MPX_BY_NAME(QMPI, Get_function, unsupported("QMPI_Get_function"))
MPX_BY_NAME(QMPI, Get_tool_storage, unsupported("QMPI_Get_tool_storage"))
MPX_BY_NAME(QMPI, Register_function, unsupported("QMPI_Register_function"))
MPX_BY_NAME(QMPI, Register_tool_name, unsupported("QMPI_Register_tool_name"))
MPX_BY_NAME(QMPI, Register_tool_storage, unsupported("QMPI_Register_tool_storage"))
MPX_BY_NAME(MPII, Comm_get_attr, unsupported("MPII_Comm_get_attr"))
MPX_BY_NAME(MPII, Comm_set_attr, unsupported("MPII_Comm_set_attr"))
MPX_BY_NAME(MPII, Errhandler_set_cxx, unsupported("MPII_Errhandler_set_cxx"))
MPX_BY_NAME(MPII, Grequest_set_lang_f77, unsupported("MPII_Grequest_set_lang_f77"))
MPX_BY_NAME(MPII, Keyval_set_proxy, unsupported("MPII_Keyval_set_proxy"))
MPX_BY_NAME(MPII, Op_set_cxx, unsupported("MPII_Op_set_cxx"))
MPX_BY_NAME(MPII, Type_get_attr, unsupported("MPII_Type_get_attr"))
MPX_BY_NAME(MPII, Type_set_attr, unsupported("MPII_Type_set_attr"))
MPX_BY_NAME(MPII, Win_get_attr, unsupported("MPII_Win_get_attr"))
MPX_BY_NAME(MPII, Win_set_attr, unsupported("MPII_Win_set_attr"))
}
