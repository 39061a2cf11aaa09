// Linux calls that Swift cannot import: variadic functions, and functions hidden
// behind _GNU_SOURCE. Each has one static inline wrapper.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/keyctl.h>
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace, /proc/self owned by root.
static inline int keybackup_set_not_dumpable(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(PR_GET_DUMPABLE): 0 when nobody may read the process's memory.
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

/// The name in a directory entry: a char array of variable size.
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

/// The magic number of the file system that holds an open file, or -1.
static inline long keybackup_file_system_type(int file) {
  struct statfs status;
  return fstatfs(file, &status) == 0 ? (long)status.f_type : -1;
}

/// posix_spawn_file_actions_addclosefrom_np(3), which glibc declares for
/// _GNU_SOURCE only: the new process starts without the descriptors from `first` on.
/// The actions are a `posix_spawn_file_actions_t`. Including <spawn.h> here would add
/// types that Swift then finds in two modules.
extern int keybackup_spawn_close_from(void *actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

// keyrings(7). The calls are made by number, as libkeyutils does: for six of them it
// would be one more library to load. A ring or key is given by its serial number, or by
// a negative KEY_SPEC_ one. Each call returns -1 with errno set when it fails.

/// add_key(2) of type "user": puts a key with a copy of the bytes into a ring.
static inline int keybackup_add_key(const char *name, const void *bytes, size_t size, int ring) {
  return (int)syscall(SYS_add_key, "user", name, bytes, size, ring);
}

/// KEYCTL_SEARCH: finds a "user" key below a ring, and links it to another ring (0: none).
static inline int keybackup_find_key(int ring, const char *name, int link_to) {
  return (int)syscall(SYS_keyctl, KEYCTL_SEARCH, (long)ring, "user", name, (long)link_to);
}

/// KEYCTL_READ: returns the number of bytes in a key or ring; copies them if they fit.
static inline long keybackup_read_key(int key, void *bytes, size_t size) {
  return syscall(SYS_keyctl, KEYCTL_READ, (long)key, bytes, size, 0L);
}

/// KEYCTL_DESCRIBE: gives "type;user;group;permissions;name" with a final zero; returns
/// the size it needs.
static inline long keybackup_describe_key(int key, char *text, size_t size) {
  return syscall(SYS_keyctl, KEYCTL_DESCRIBE, (long)key, text, size, 0L);
}

/// KEYCTL_SET_TIMEOUT: sets the seconds from now until the kernel destroys the key.
static inline int keybackup_expire_key(int key, unsigned int seconds) {
  return (int)syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, (long)key, (long)seconds, 0L, 0L);
}

/// KEYCTL_LINK: puts a key into a ring, replacing one with the same name.
static inline int keybackup_link_key(int key, int ring) {
  return (int)syscall(SYS_keyctl, KEYCTL_LINK, (long)key, (long)ring, 0L, 0L);
}

/// KEYCTL_UNLINK: removes a key from a ring.
static inline int keybackup_unlink_key(int key, int ring) {
  return (int)syscall(SYS_keyctl, KEYCTL_UNLINK, (long)key, (long)ring, 0L, 0L);
}

/// KEYCTL_REVOKE: wipes a key's bytes, wherever it is linked.
static inline int keybackup_revoke_key(int key) {
  return (int)syscall(SYS_keyctl, KEYCTL_REVOKE, (long)key, 0L, 0L, 0L);
}

/// The user at the other end of a Unix socket, or -1. The three numbers are
/// `struct ucred`, which glibc declares for _GNU_SOURCE only.
static inline long keybackup_peer_user(int socket) {
  unsigned int credentials[3] = {0, 0, 0};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, credentials, &size) != 0) return -1;
  return (long)credentials[1];
}
