// libargon2, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <argon2.h>

#define KEYBACKUP_ARGON2(USE) \
  USE(argon2_ctx)

/// The functions in use, with the types that libargon2's header gives them.
struct keybackup_argon2 {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_ARGON2(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_argon2(const char *library, struct keybackup_argon2 *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_ARGON2(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
