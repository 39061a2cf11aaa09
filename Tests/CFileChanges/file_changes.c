#define _GNU_SOURCE
#include "file_changes.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread struct {
  int counts;
  int kinds;
  int crashed;
  /* Of a failure: the reported error, and how often. */
  int error;
  int forever;
  long failures;
  long left;
  long made;
} state;

void file_changes_begin(long until) {
  state.counts = 1;
  state.kinds = FILE_CHANGES;
  state.crashed = 0;
  state.error = 0;
  state.left = until;
  state.made = 0;
}

void file_changes_fail(long until, int kinds, int error, long times) {
  file_changes_begin(until);
  state.kinds = kinds;
  state.error = error;
  state.failures = times;
  state.forever = times == 0;
}

int file_changes_crashed(void) { return state.crashed; }

long file_changes_end(void) {
  state.counts = 0;
  return state.made;
}

enum verdict { GOES_ON, CRASHES_NOW, IS_DEAD };

static enum verdict next(int kind) {
  if (!state.counts || !(state.kinds & kind))
    return GOES_ON;
  if (state.crashed && (!state.error || state.forever || state.failures > 0)) {
    state.failures--;
    return IS_DEAD;
  }
  if (state.left == 0 && !state.crashed) {
    state.crashed = 1;
    state.failures--;
    return state.error ? IS_DEAD : CRASHES_NOW;
  }
  if (!state.crashed)
    state.left--;
  state.made++;
  return GOES_ON;
}

#define REAL(name)                                                                                 \
  static __typeof__(&name) real;                                                                   \
  if (real == NULL)                                                                                \
  real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int told(void) { return state.error ? state.error : EIO; }

#define COUNT(kind)                                                                                \
  if (next(kind) != GOES_ON) {                                                                     \
    errno = told();                                                                                \
    return -1;                                                                                     \
  }
#define CHANGE COUNT(FILE_CHANGES)

int openat(int directory, const char *path, int flags, ...) {
  REAL(openat);
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    CHANGE
  } else {
    COUNT(FILE_READS)
  }
  return real(directory, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  switch (next(FILE_CHANGES)) {
  case GOES_ON:
    return real(file, bytes, count);
  case CRASHES_NOW:
    (void)!real(file, bytes, count / 2);
    break;
  case IS_DEAD:
    break;
  }
  errno = told();
  return -1;
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  REAL(pread);
  COUNT(FILE_READS)
  return real(file, bytes, count, offset);
}

int fsync(int file) {
  REAL(fsync);
  COUNT(FILE_SYNCS)
  return real(file);
}

int syncfs(int file) {
  REAL(syncfs);
  COUNT(FILE_SYNCS)
  return real(file);
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  CHANGE return real(path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  REAL(mkdirat);
  CHANGE return real(directory, path, mode);
}

int unlinkat(int directory, const char *path, int flags) {
  REAL(unlinkat);
  CHANGE return real(directory, path, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  REAL(linkat);
  CHANGE return real(from, old, to, new, flags);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  REAL(renameat2);
  CHANGE return real(from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
  REAL(renameat);
  CHANGE return real(from, old, to, new);
}

long syscall(long number, ...) {
  REAL(syscall);
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (int place = 0; place < 6; place++)
    a[place] = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_renameat2) {
    CHANGE
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
