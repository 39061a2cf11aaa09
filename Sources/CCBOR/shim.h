// libcbor, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <cbor.h>

#define KEYBACKUP_CBOR(USE)                                                         \
  USE(cbor_load) USE(cbor_decref)

/// The functions in use, with the types that libcbor's header gives them.
struct keybackup_cbor {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_CBOR(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_cbor(const char *library, struct keybackup_cbor *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_CBOR(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}
