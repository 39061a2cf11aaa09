// sd-bus of libsystemd, opened when it is first used. A program linked to it would load it
// and five more libraries at every start (docs/decisions/0038).
#pragma once
#include <dlfcn.h>
#include <systemd/sd-bus.h>

#define KEYBACKUP_SD_BUS(USE)                                                        \
  USE(sd_bus_new) USE(sd_bus_set_fd) USE(sd_bus_set_bus_client)                      \
  USE(sd_bus_negotiate_fds) USE(sd_bus_start) USE(sd_bus_is_ready)                   \
  USE(sd_bus_get_events) USE(sd_bus_process) USE(sd_bus_send) USE(sd_bus_close)      \
  USE(sd_bus_unref)                                                                  \
  USE(sd_bus_message_new_method_call) USE(sd_bus_message_unref)                      \
  USE(sd_bus_message_sensitive) USE(sd_bus_message_seal)                             \
  USE(sd_bus_message_append_basic) USE(sd_bus_message_append_array_space)            \
  USE(sd_bus_message_open_container) USE(sd_bus_message_close_container)             \
  USE(sd_bus_message_get_type) USE(sd_bus_message_get_reply_cookie)                  \
  USE(sd_bus_message_get_error) USE(sd_bus_message_get_path)                         \
  USE(sd_bus_message_get_signature) USE(sd_bus_message_is_signal)                    \
  USE(sd_bus_message_enter_container) USE(sd_bus_message_exit_container)             \
  USE(sd_bus_message_read_basic) USE(sd_bus_message_read_array)                      \
  USE(sd_bus_message_skip) USE(sd_bus_message_rewind)

/// The functions in use, with the types that libsystemd's header gives them.
struct keybackup_sd_bus {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_SD_BUS(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_sd_bus(const char *library, struct keybackup_sd_bus *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_SD_BUS(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
