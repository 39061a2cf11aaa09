// libzip, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <zip.h>

#define KEYBACKUP_ZIP(USE)                                                          \
  USE(zip_open_from_source) USE(zip_source_buffer_create) USE(zip_source_free)      \
  USE(zip_source_keep) USE(zip_source_open) USE(zip_source_read)                    \
  USE(zip_source_close) USE(zip_source_seek) USE(zip_source_tell)                   \
  USE(zip_close) USE(zip_discard) USE(zip_fopen_index) USE(zip_fread)               \
  USE(zip_fclose) USE(zip_file_add) USE(zip_set_file_compression)                   \
  USE(zip_source_buffer)

/// The functions in use, with the types that libzip's header gives them.
struct keybackup_zip {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_ZIP(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_zip(const char *library, struct keybackup_zip *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_ZIP(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
