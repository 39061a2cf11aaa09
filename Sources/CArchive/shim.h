// libarchive, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <archive.h>
#include <archive_entry.h>

#define KEYBACKUP_ARCHIVE(USE)                                                      \
  USE(archive_read_new) USE(archive_read_free) USE(archive_read_support_format_tar) \
  USE(archive_read_open_memory) USE(archive_read_next_header)                       \
  USE(archive_read_data_block) USE(archive_entry_pathname)                          \
  USE(archive_entry_filetype) USE(archive_entry_hardlink)

/// The functions in use, with the types that libarchive's header gives them.
struct keybackup_archive {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_ARCHIVE(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_archive(const char *library, struct keybackup_archive *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_ARCHIVE(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
