#pragma once
#include <fido.h>
#include <fido/credman.h>
#include <fido/es256.h>

// dladdr(3) and its structure, which glibc declares for _GNU_SOURCE only.
typedef struct {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
} keybackup_dl_info;
extern int keybackup_dladdr(const void *address, keybackup_dl_info *info) __asm__("dladdr");

/// The file that libfido2 was loaded from, or NULL.
static inline const char *keybackup_fido_path(void) {
  keybackup_dl_info info = {0};
  return keybackup_dladdr((const void *)fido_init, &info) ? info.file : 0;
}
