// Linux calls that Swift cannot import as they are: variadic functions and
// functions hidden behind _GNU_SOURCE. One static inline wrapper each.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "reading_process.h"

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace, /proc/self owned by root.
static inline int keybackup_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(PR_GET_DUMPABLE): 0 when nobody may look into the process.
static inline int keybackup_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/// renameat2(2) with the given RENAME_* flags; errno as the kernel set it.
static inline int keybackup_renameat2(int from_dir, const char *from, int to_dir,
                                      const char *to, unsigned int flags) {
  return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

/// openat(2); Swift imports no variadic functions.
static inline int keybackup_openat(int directory, const char *name, int flags, mode_t mode) {
  return openat(directory, name, flags, mode);
}

/// The name in a directory entry: a char array of a size that varies.
static inline const char *keybackup_entry_name(const struct dirent *entry) {
  return entry->d_name;
}

/// Whether a file mode is a regular file's; S_ISREG is a macro with an argument.
static inline int keybackup_is_regular(mode_t mode) {
  return S_ISREG(mode);
}

/// sync_file_range(2), called by number because glibc hides its prototype:
/// starts writing a file's pages to the disk without waiting.
static inline int keybackup_start_sync(int file) {
  return (int)syscall(SYS_sync_file_range, file, 0L, 0L, 2u /* WRITE */);
}

/// syncfs(2), called by number because glibc hides its prototype: writes back
/// the whole file system that holds the open file.
static inline int keybackup_sync_file_system(int file) {
  return (int)syscall(SYS_syncfs, file);
}

/// What statx(2) says of a file: of what a symbolic link is, not where it leads.
/// Called by number because glibc declares it for _GNU_SOURCE only.
struct keybackup_stamp {
  unsigned long long inode;
  long long size, modified, changed;  // bytes; nanoseconds since 1970
  int is_regular;
};

static inline int keybackup_stamp(int directory, const char *name, struct keybackup_stamp *stamp) {
  struct statx status;
  const unsigned int wanted = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME;
  if (syscall(SYS_statx, directory, name, AT_SYMLINK_NOFOLLOW, wanted, &status) != 0) return -1;
  if ((status.stx_mask & wanted) != wanted) {
    errno = ENOSYS;
    return -1;
  }
  stamp->inode = status.stx_ino;
  stamp->size = (long long)status.stx_size;
  stamp->modified = status.stx_mtime.tv_sec * 1000000000LL + status.stx_mtime.tv_nsec;
  stamp->changed = status.stx_ctime.tv_sec * 1000000000LL + status.stx_ctime.tv_nsec;
  stamp->is_regular = S_ISREG(status.stx_mode);
  return 0;
}

/// The magic number of the file system that holds an open file, or -1.
static inline long keybackup_file_system_type(int file) {
  struct statfs status;
  return fstatfs(file, &status) == 0 ? (long)status.f_type : -1;
}

/// posix_spawn_file_actions_addclosefrom_np(3), which glibc declares for
/// _GNU_SOURCE only: the new process starts without the descriptors from `first` on.
/// The actions are a `posix_spawn_file_actions_t`; <spawn.h> here would bring along
/// types that Swift then finds in two modules.
extern int keybackup_spawn_close_from(void *actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
