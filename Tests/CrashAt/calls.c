// Finds the calls that may change a file, and the file.
#include "crash_at.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int errno_named(const char *name) {
  static const struct { const char *name; int value; } errors[] = {
      {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EBUSY", EBUSY},
      {"EACCES", EACCES}, {"EPERM", EPERM},   {"EINTR", EINTR},   {"EROFS", EROFS},
      {"EINVAL", EINVAL}, {"ESTALE", ESTALE}, {"ENOSYS", ENOSYS},
  };
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strcmp(errors[i].name, name) == 0) return errors[i].value;
  return -1;
}

void path_of_descriptor(pid_t thread, int descriptor, char *path, size_t room) {
  char link[64];
  if (descriptor == AT_FDCWD)
    snprintf(link, sizeof link, "/proc/%d/cwd", thread);
  else
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, descriptor);
  ssize_t size = readlink(link, path, room - 1);
  path[size > 0 ? size : 0] = 0;
}

/// Reads a C string of the traced program.
static void read_text(pid_t thread, uint64_t address, char *text, size_t room) {
  size_t done = 0;
  text[0] = 0;
  while (done + 1 < room) {
    // Never across a page at once: the next one may be unmapped.
    size_t step = 4096 - (address + done) % 4096;
    if (step > room - 1 - done) step = room - 1 - done;
    struct iovec own = {text + done, step};
    struct iovec other = {(void *)(uintptr_t)(address + done), step};
    ssize_t got = process_vm_readv(thread, &own, 1, &other, 1, 0);
    if (got <= 0) break;
    if (memchr(text + done, 0, (size_t)got)) return;
    done += (size_t)got;
  }
  text[done] = 0;
}

static void path_at(pid_t thread, uint64_t folder, uint64_t name, char *path) {
  char text[4096];
  read_text(thread, name, text, sizeof text);
  if (text[0] == '/') {
    snprintf(path, 8192, "%s", text);
    return;
  }
  path_of_descriptor(thread, (int)folder, path, 4096);
  size_t size = strlen(path);
  snprintf(path + size, 8192 - size, "/%s", text);
}

/// Whether a descriptor is open for writing.
static bool is_written(pid_t thread, int descriptor) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", thread, descriptor);
  FILE *file = fopen(path, "r");
  unsigned flags = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "flags: %o", &flags) == 1) break;
  if (file) fclose(file);
  return (flags & O_ACCMODE) != O_RDONLY;
}

enum shape { DESCRIPTOR, WRITTEN, AT, OPEN_AT, PATH, OPEN, TWO_AT, TWO_PATHS };

static const struct { long number; const char *name; enum shape shape; } known[] = {
    {SYS_openat, "create", OPEN_AT},     {SYS_mkdirat, "mkdir", AT},
    {SYS_unlinkat, "unlink", AT},        {SYS_fchmodat, "chmod", AT},
    {SYS_utimensat, "utimens", AT},      {SYS_renameat2, "rename", TWO_AT},
    {SYS_renameat, "rename", TWO_AT},    {SYS_linkat, "link", TWO_AT},
    {SYS_write, "write", DESCRIPTOR},    {SYS_pwrite64, "write", DESCRIPTOR},
    {SYS_writev, "write", DESCRIPTOR},   {SYS_pwritev, "write", DESCRIPTOR},
    {SYS_fsync, "fsync", DESCRIPTOR},    {SYS_fdatasync, "fsync", DESCRIPTOR},
    {SYS_syncfs, "syncfs", DESCRIPTOR},  {SYS_sync_file_range, "sync_file_range", DESCRIPTOR},
    {SYS_flock, "flock", DESCRIPTOR},    {SYS_ftruncate, "truncate", DESCRIPTOR},
    {SYS_fallocate, "fallocate", DESCRIPTOR}, {SYS_fchmod, "chmod", DESCRIPTOR},
    {SYS_close, "close", WRITTEN},
#if defined(__x86_64__)
    {SYS_open, "create", OPEN},          {SYS_mkdir, "mkdir", PATH},
    {SYS_rmdir, "unlink", PATH},         {SYS_unlink, "unlink", PATH},
    {SYS_chmod, "chmod", PATH},          {SYS_rename, "rename", TWO_PATHS},
    {SYS_link, "link", TWO_PATHS},
#endif
};

void describe(const struct call *call, struct subject *subject) {
  subject->name = NULL;
  subject->path[0] = subject->other[0] = 0;
  const uint64_t *a = call->arguments;
  pid_t thread = call->thread;
  const uint64_t here = (uint64_t)AT_FDCWD;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].number != call->number) continue;
    switch (known[i].shape) {
    case WRITTEN:
      if (!is_written(thread, (int)a[0])) return;
      // fall through
    case DESCRIPTOR: path_of_descriptor(thread, (int)a[0], subject->path, 8192); break;
    case OPEN_AT:
      if (!(a[2] & (O_CREAT | O_TRUNC))) return;
      // fall through
    case AT: path_at(thread, a[0], a[1], subject->path); break;
    case OPEN:
      if (!(a[1] & (O_CREAT | O_TRUNC))) return;
      // fall through
    case PATH: path_at(thread, here, a[0], subject->path); break;
    case TWO_AT:
      path_at(thread, a[0], a[1], subject->other);
      path_at(thread, a[2], a[3], subject->path);
      break;
    case TWO_PATHS:
      path_at(thread, here, a[0], subject->other);
      path_at(thread, here, a[1], subject->path);
      break;
    }
    subject->name = known[i].name;
    return;
  }
}
