// SPDX-License-Identifier: BSL-1.0
// Made by mpi/generate.py. Do not edit.
// clang-format off
#include "entry.hpp"
#include "functions.hpp"

using namespace mpx_mpi;

extern "C" {
int PMPI_T_category_changed(int *update_number) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_changed(update_number);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_changed)
int PMPI_T_category_get_categories(int cat_index, int len, int indices[]) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_categories(cat_index, len, indices);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_categories)
int PMPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_cvars(cat_index, len, indices);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_cvars)
int PMPI_T_category_get_events(int cat_index, int len, int indices[]) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_events(cat_index, len, indices);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_events)
int PMPI_T_category_get_index(const char *name, int *cat_index) {
  try {
    const auto held = need_tools();
    need_place(name, "name");
    mpx_mpi::T_category_get_index(name, cat_index);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_index)
int PMPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars, int *num_pvars, int *num_categories) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_info(cat_index, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_info)
int PMPI_T_category_get_num(int *num_cat) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_num(num_cat);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_num)
int PMPI_T_category_get_num_events(int cat_index, int *num_events) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_num_events(cat_index, num_events);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_num_events)
int PMPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_category_get_pvars(cat_index, len, indices);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_category_get_pvars)
int PMPI_T_cvar_get_index(const char *name, int *cvar_index) {
  try {
    const auto held = need_tools();
    need_place(name, "name");
    mpx_mpi::T_cvar_get_index(name, cvar_index);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_get_index)
int PMPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_get_info(cvar_index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_get_info)
int PMPI_T_cvar_get_num(int *num_cvar) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_get_num(num_cvar);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_get_num)
int PMPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_handle_alloc(cvar_index, obj_handle, handle, count);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_handle_alloc)
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_handle_free(handle);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_handle_free)
int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_read(handle, buf);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_read)
int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_cvar_write(handle, buf);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_cvar_write)
int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_enum_get_info(enumtype, num, name, name_len);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_enum_get_info)
int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_enum_get_item(enumtype, indx, value, name, name_len);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_enum_get_item)
int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info *info_used) {
  try {
    const auto held = need_tools();
    need_place(info_used, "info_used");
    mpx_mpi::T_event_callback_get_info(event_registration, cb_safety, info_used);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_callback_get_info)
int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info) {
  try {
    const auto held = need_tools();
    need_hints(info);
    mpx_mpi::T_event_callback_set_info(event_registration, cb_safety, info);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_callback_set_info)
int PMPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_copy(event_instance, buffer);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_copy)
int PMPI_T_event_get_index(const char *name, int *event_index) {
  try {
    const auto held = need_tools();
    need_place(name, "name");
    mpx_mpi::T_event_get_index(name, event_index);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_get_index)
int PMPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_get_info(event_index, name, name_len, verbosity, array_of_datatypes, array_of_displacements, num_elements, enumtype, info, desc, desc_len, bind);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_get_info)
int PMPI_T_event_get_num(int *num_events) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_get_num(num_events);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_get_num)
int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_get_source(event_instance, source_index);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_get_source)
int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp) {
  try {
    const auto held = need_tools();
    need_place(event_timestamp, "event_timestamp");
    mpx_mpi::T_event_get_timestamp(event_instance, event_timestamp);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_get_timestamp)
int PMPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration) {
  try {
    const auto held = need_tools();
    need_hints(info);
    mpx_mpi::T_event_handle_alloc(event_index, obj_handle, info, event_registration);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_handle_alloc)
int PMPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data, MPI_T_event_free_cb_function free_cb_function) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_handle_free(event_registration, user_data, free_cb_function);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_handle_free)
int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used) {
  try {
    const auto held = need_tools();
    need_place(info_used, "info_used");
    mpx_mpi::T_event_handle_get_info(event_registration, info_used);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_handle_get_info)
int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info) {
  try {
    const auto held = need_tools();
    need_hints(info);
    mpx_mpi::T_event_handle_set_info(event_registration, info);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_handle_set_info)
int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_read(event_instance, element_index, buffer);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_read)
int PMPI_T_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function) {
  try {
    const auto held = need_tools();
    need_hints(info);
    mpx_mpi::T_event_register_callback(event_registration, cb_safety, info, user_data, event_cb_function);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_register_callback)
int PMPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration, MPI_T_event_dropped_cb_function dropped_cb_function) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_event_set_dropped_handler(event_registration, dropped_cb_function);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_event_set_dropped_handler)
int PMPI_T_finalize(void) {
  try {
    const auto held = lock_tools();
    mpx_mpi::T_finalize();
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_finalize)
int PMPI_T_init_thread(int required, int *provided) {
  try {
    const auto held = lock_tools();
    mpx_mpi::T_init_thread(required, provided);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_init_thread)
int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index) {
  try {
    const auto held = need_tools();
    need_place(name, "name");
    mpx_mpi::T_pvar_get_index(name, var_class, pvar_index);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_get_index)
int PMPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous, int *atomic) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_get_info(pvar_index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind, readonly, continuous, atomic);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_get_info)
int PMPI_T_pvar_get_num(int *num_pvar) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_get_num(num_pvar);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_get_num)
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle, int *count) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_handle_alloc(session, pvar_index, obj_handle, handle, count);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_handle_alloc)
int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_handle_free(session, handle);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_handle_free)
int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_read(session, handle, buf);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_read)
int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_readreset(session, handle, buf);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_readreset)
int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_reset(session, handle);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_reset)
int PMPI_T_pvar_session_create(MPI_T_pvar_session *session) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_session_create(session);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_session_create)
int PMPI_T_pvar_session_free(MPI_T_pvar_session *session) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_session_free(session);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_session_free)
int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_start(session, handle);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_start)
int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_stop(session, handle);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_stop)
int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_pvar_write(session, handle, buf);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_pvar_write)
int PMPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len, MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_source_get_info(source_index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, info);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_source_get_info)
int PMPI_T_source_get_num(int *num_sources) {
  try {
    const auto held = need_tools();
    mpx_mpi::T_source_get_num(num_sources);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_source_get_num)
int PMPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp) {
  try {
    const auto held = need_tools();
    need_place(timestamp, "timestamp");
    mpx_mpi::T_source_get_timestamp(source_index, timestamp);
    return MPI_SUCCESS;
  } catch (...) {
    return tool_failed();
  }
}
MPX_MPI_ALIAS(MPI_T_source_get_timestamp)
}
