// Linux calls that Swift cannot import as they are: variadic functions and
// functions hidden behind _GNU_SOURCE. One static inline wrapper each.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace, /proc/self owned by root.
static inline int keybackup_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// renameat2(2) with the given RENAME_* flags; errno as the kernel set it.
static inline int keybackup_renameat2(int from_dir, const char *from, int to_dir,
                                      const char *to, unsigned int flags) {
  return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}
