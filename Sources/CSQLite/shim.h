// libsqlite3, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <sqlite3.h>

#define KEYBACKUP_SQLITE(USE) \
  USE(sqlite3_open_v2) USE(sqlite3_close_v2) USE(sqlite3_busy_timeout) \
  USE(sqlite3_prepare_v2) USE(sqlite3_step) USE(sqlite3_finalize) \
  USE(sqlite3_column_count) USE(sqlite3_column_type) USE(sqlite3_column_int64) \
  USE(sqlite3_column_blob) USE(sqlite3_column_bytes) USE(sqlite3_bind_int64) \
  USE(sqlite3_serialize) USE(sqlite3_deserialize) USE(sqlite3_malloc64) USE(sqlite3_free) \
  USE(sqlite3_limit) USE(sqlite3_progress_handler) USE(sqlite3_column_text)

/// The functions in use, with the types that libsqlite3's header gives them.
struct keybackup_sqlite {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_SQLITE(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_sqlite(const char *library, struct keybackup_sqlite *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_SQLITE(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
