// The calls: judged by the rules, passed to the backing folder, noted in the model.
#include "failing_fs.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/statvfs.h>
#include <unistd.h>

/// An open file or folder. libfuse gives no path for it (nullpath_ok), as it may no
/// longer have one.
struct handle {
  int file;
  struct node *node;
  char *path;  // when it was opened
  // For a folder: its names when it was last read from the start.
  char **names;
  size_t count;
  long counted;  // without . and ..
  int error;  // after the last name
};

static struct handle *handle_of(struct fuse_file_info *info) {
  return (struct handle *)(uintptr_t)info->fh;
}

/// The control file has no handle once it is open.
static bool is_control(const char *path, struct fuse_file_info *info) {
  return info ? !handle_of(info) : path && strcmp(path, CONTROL_PATH) == 0;
}

/// Puts the name that a folder has for `name`, whatever its case, in the place of `name`.
static void fold_name(const char *folder, char *name) {
  int own = openat(backing, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own < 0 ? NULL : fdopendir(own);
  if (!stream) return;
  char other[256] = "";
  struct dirent *found;
  while ((found = readdir(stream))) {
    if (strcmp(found->d_name, name) == 0) break;
    if (strcasecmp(found->d_name, name) == 0) strcpy(other, found->d_name);
  }
  if (!found && *other) memcpy(name, other, strlen(name));
  closedir(stream);
}

/// The path from the backing folder on. It holds until the call after the next one.
static const char *below(const char *path) {
  static __thread char folded[2][4096];
  static __thread int turn;
  if (!path[1]) return ".";
  if (!is_folding || strlen(path) >= sizeof *folded) return path + 1;
  char *text = strcpy(folded[turn = !turn], path + 1), *step = text;
  while (true) {
    char *slash = strchr(step, '/');
    if (slash) *slash = 0;
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", step == text ? 1 : (int)(step - text),
             step == text ? "." : text);
    fold_name(folder, step);
    if (!slash) return text;
    *slash = '/';
    step = slash + 1;
  }
}

/// Ends a call that began with enter_call.
static int leave_call(const char *op, const char *path, const char *other, int result,
                      bool is_change) {
  if (result == -1) result = -errno;
  if (is_change && result >= 0) take_snapshots();
  trace(op, path, other, result);
  pthread_mutex_unlock(&big_lock);
  return result;
}

/// A call that a rule lets fail.
#define REFUSED(verdict) ((verdict).error ? (errno = (verdict).error, true) : false)

static int fs_getattr(const char *path, struct stat *status, struct fuse_file_info *info) {
  if (is_control(path, info)) {
    *status = (struct stat){.st_mode = S_IFREG | 0600, .st_nlink = 1, .st_uid = getuid(),
                            .st_gid = getgid()};
    return 0;
  }
  struct verdict verdict = enter_call("getattr", path, "");
  int result = -1;
  if (!REFUSED(verdict))
    result = info ? fstat(handle_of(info)->file, status)
                  : fstatat(backing, below(path), status, AT_SYMLINK_NOFOLLOW);
  if (result == 0 && shown_mode) status->st_mode = (status->st_mode & S_IFMT) | shown_mode;
  return leave_call("getattr", path, NULL, result, false);
}

static int keep_handle(int file, const char *path, struct fuse_file_info *info) {
  struct handle *handle = calloc(1, sizeof *handle);
  handle->file = file;
  handle->path = strdup(path);
  handle->node = model_find(path);
  info->fh = (uintptr_t)handle;
  info->direct_io = 1;
  return 0;
}

static int fs_open(const char *path, struct fuse_file_info *info) {
  if (is_control(path, NULL)) return info->fh = 0, info->direct_io = 1, 0;
  struct verdict verdict = enter_call("open", path, "");
  int file = REFUSED(verdict)
                 ? -1
                 : openat(backing, below(path), (info->flags & ~O_CREAT) | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0) {
    keep_handle(file, path, info);
    if (info->flags & O_TRUNC) model_truncated(handle_of(info)->node, 0);
  }
  return leave_call("open", path, NULL, file < 0 ? -1 : 0,
                    (info->flags & O_TRUNC) != 0);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *info) {
  struct verdict verdict = enter_call("create", path, "");
  int file = REFUSED(verdict) ? -1
                              : openat(backing, below(path),
                                       info->flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file >= 0) {
    if (!model_find(path)) model_made(path, S_IFREG | (mode & 07777), NULL);
    keep_handle(file, path, info);
  }
  return leave_call("create", path, NULL, file < 0 ? -1 : 0, true);
}

static int fs_read(const char *path, char *bytes, size_t size, off_t at,
                   struct fuse_file_info *info) {
  if (is_control(path, info)) {
    pthread_mutex_lock(&big_lock);
    size_t total;
    char *report = control_report(&total);
    pthread_mutex_unlock(&big_lock);
    size_t start = (size_t)at < total ? (size_t)at : total;
    size_t count = total - start < size ? total - start : size;
    memcpy(bytes, report + start, count);
    free(report);
    return (int)count;
  }
  struct handle *handle = handle_of(info);
  struct verdict verdict = enter_call("read", handle->path, "");
  if (verdict.truncate >= 0) {
    size_t rest = verdict.truncate > at ? (size_t)(verdict.truncate - at) : 0;
    if (size > rest) size = rest;
  }
  int result = REFUSED(verdict) ? -1 : (int)pread(handle->file, bytes, size, at);
  return leave_call("read", handle->path, NULL, result, false);
}

static int fs_write(const char *path, const char *bytes, size_t size, off_t at,
                    struct fuse_file_info *info) {
  if (is_control(path, info)) {
    pthread_mutex_lock(&big_lock);
    int result = control_write(bytes, size);
    pthread_mutex_unlock(&big_lock);
    return result;
  }
  struct handle *handle = handle_of(info);
  struct verdict verdict = enter_call("write", handle->path, "");
  int result = REFUSED(verdict) ? -1 : (int)pwrite(handle->file, bytes, size, at);
  if (result > 0) model_written(handle->node, bytes, (size_t)result, at);
  return leave_call("write", handle->path, NULL, result, true);
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *info) {
  if (is_control(path, info)) return 0;
  struct verdict verdict = enter_call("truncate", path, "");
  int result = -1;
  if (!REFUSED(verdict)) {
    int file = info ? handle_of(info)->file : openat(backing, below(path), O_WRONLY | O_CLOEXEC);
    if (file >= 0) result = ftruncate(file, size);
    if (!info && file >= 0) close(file);
  }
  if (result == 0) model_truncated(info ? handle_of(info)->node : model_find(path), size);
  return leave_call("truncate", path, NULL, result, true);
}

static int fs_release(const char *path, struct fuse_file_info *info) {
  if (is_control(path, info)) return 0;
  struct handle *handle = handle_of(info);
  struct verdict verdict = enter_call("release", handle->path, "");
  (void)verdict;
  close(handle->file);
  int result = leave_call("release", handle->path, NULL, 0, false);
  for (size_t i = 0; i < handle->count; i++) free(handle->names[i]);
  free(handle->names);
  free(handle->path);
  free(handle);
  return result;
}

static int sync_handle(const char *op, struct fuse_file_info *info) {
  struct handle *handle = handle_of(info);
  struct verdict verdict = enter_call(op, handle->path, "");
  // Syncing the test's own disk is unnecessary, and slow.
  int result = REFUSED(verdict) ? -1 : 0;
  if (result == 0) model_synced(handle->node);
  return leave_call(op, handle->path, NULL, result, true);
}

static int fs_fsync(const char *path, int data_only, struct fuse_file_info *info) {
  (void)data_only;
  return is_control(path, info) ? 0 : sync_handle("fsync", info);
}

static int fs_fsyncdir(const char *path, int data_only, struct fuse_file_info *info) {
  (void)path, (void)data_only;
  return sync_handle("fsyncdir", info);
}

static int fs_opendir(const char *path, struct fuse_file_info *info) {
  struct verdict verdict = enter_call("opendir", path, "");
  int file = REFUSED(verdict)
                 ? -1
                 : openat(backing, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) keep_handle(file, path, info);
  return leave_call("opendir", path, NULL, file < 0 ? -1 : 0, false);
}

static void add_name(struct handle *handle, const char *name, const struct verdict *verdict) {
  bool is_own = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
  if (verdict->partial >= 0 && !is_own && handle->counted++ >= verdict->partial) return;
  handle->names = realloc(handle->names, (handle->count + 1) * sizeof(char *));
  handle->names[handle->count++] = strdup(name);
}

/// Reads a folder from its start.
static int list_names(struct handle *handle, struct verdict *verdict) {
  for (size_t i = 0; i < handle->count; i++) free(handle->names[i]);
  handle->count = 0;
  handle->counted = 0;
  handle->error = verdict->partial >= 0 ? verdict->error : 0;
  if (verdict->error && verdict->partial < 0) return errno = verdict->error, -1;
  const struct listing *stale =
      verdict->stale ? stale_listing(verdict->listing, handle->path) : NULL;
  if (stale) {
    for (size_t i = 0; i < stale->count; i++) add_name(handle, stale->names[i], verdict);
    return 0;
  }
  int own = openat(handle->file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own < 0 ? NULL : fdopendir(own);
  if (!stream) return -1;
  struct dirent *found;
  while ((found = readdir(stream)))
    for (int times = verdict->twice && found->d_name[0] != '.' ? 2 : 1; times > 0; times--)
      add_name(handle, found->d_name, verdict);
  closedir(stream);
  return 0;
}

static int fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t at,
                      struct fuse_file_info *info, enum fuse_readdir_flags flags) {
  (void)path, (void)flags;
  struct handle *handle = handle_of(info);
  if (at == 0) {
    struct verdict verdict = enter_call("readdir", handle->path, "");
    int result = leave_call("readdir", handle->path, NULL, list_names(handle, &verdict), false);
    if (result < 0) return result;
  }
  size_t next = (size_t)at;
  if (next >= handle->count) return -handle->error;
  while (next < handle->count &&
         fill(buffer, handle->names[next], NULL, (off_t)next + 1, (enum fuse_fill_dir_flags)0) == 0)
    next++;
  return 0;
}

static int fs_mkdir(const char *path, mode_t mode) {
  struct verdict verdict = enter_call("mkdir", path, "");
  int result = REFUSED(verdict) ? -1 : mkdirat(backing, below(path), mode);
  if (result == 0) model_made(path, S_IFDIR | (mode & 07777), NULL);
  return leave_call("mkdir", path, NULL, result, true);
}

static int remove_path(const char *op, const char *path, int flags) {
  struct verdict verdict = enter_call(op, path, "");
  int result = REFUSED(verdict) ? -1 : unlinkat(backing, below(path), flags);
  if (result == 0) model_removed(path);
  return leave_call(op, path, NULL, result, true);
}

static int fs_unlink(const char *path) { return remove_path("unlink", path, 0); }

static int fs_rmdir(const char *path) { return remove_path("rmdir", path, AT_REMOVEDIR); }

static int fs_rename(const char *from, const char *to, unsigned int flags) {
  const char *words = flags & RENAME_EXCHANGE    ? "exchange"
                      : flags & RENAME_NOREPLACE ? "noreplace"
                                                 : "plain";
  struct verdict verdict = enter_call("rename", to, words);
  int result =
      REFUSED(verdict) ? -1 : renameat2(backing, below(from), backing, below(to), flags);
  if (result == 0) model_renamed(from, to, flags);
  return leave_call("rename", from, to, result, true);
}

static int fs_link(const char *from, const char *to) {
  struct verdict verdict = enter_call("link", to, "");
  int result = REFUSED(verdict) ? -1 : linkat(backing, below(from), backing, below(to), 0);
  if (result == 0) model_linked(from, to);
  return leave_call("link", from, to, result, true);
}

static int fs_symlink(const char *target, const char *path) {
  struct verdict verdict = enter_call("symlink", path, "");
  int result = REFUSED(verdict) ? -1 : symlinkat(target, backing, below(path));
  if (result == 0) model_made(path, S_IFLNK | 0777, target);
  return leave_call("symlink", path, NULL, result, true);
}

static int fs_readlink(const char *path, char *target, size_t room) {
  struct verdict verdict = enter_call("readlink", path, "");
  ssize_t size = REFUSED(verdict) ? -1 : readlinkat(backing, below(path), target, room - 1);
  if (size >= 0) target[size] = 0;
  return leave_call("readlink", path, NULL, size < 0 ? -1 : 0, false);
}

static int fs_mknod(const char *path, mode_t mode, dev_t device) {
  struct verdict verdict = enter_call("mknod", path, "");
  int result = REFUSED(verdict) ? -1 : mknodat(backing, below(path), mode, device);
  if (result == 0) model_made(path, mode, NULL);
  return leave_call("mknod", path, NULL, result, true);
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *info) {
  (void)info;
  struct verdict verdict = enter_call("chmod", path, "");
  int result = REFUSED(verdict) ? -1 : fchmodat(backing, below(path), mode, 0);
  return leave_call("chmod", path, NULL, result, false);
}

static int fs_utimens(const char *path, const struct timespec times[2],
                      struct fuse_file_info *info) {
  (void)info;
  struct verdict verdict = enter_call("utimens", path, "");
  int result =
      REFUSED(verdict) ? -1 : utimensat(backing, below(path), times, AT_SYMLINK_NOFOLLOW);
  return leave_call("utimens", path, NULL, result, false);
}

static int fs_statfs(const char *path, struct statvfs *status) {
  struct verdict verdict = enter_call("statfs", path, "");
  int result = REFUSED(verdict) ? -1 : fstatvfs(backing, status);
  return leave_call("statfs", path, NULL, result, false);
}

static void *fs_init(struct fuse_conn_info *connection, struct fuse_config *config) {
  connection->want &= ~(unsigned)(FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
  config->kernel_cache = 0;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->use_ino = 1;
  config->hard_remove = 1;
  config->nullpath_ok = 1;
  return NULL;
}

const struct fuse_operations operations = {
    .init = fs_init,         .getattr = fs_getattr,   .open = fs_open,
    .create = fs_create,     .read = fs_read,         .write = fs_write,
    .truncate = fs_truncate, .release = fs_release,   .fsync = fs_fsync,
    .opendir = fs_opendir,   .readdir = fs_readdir,   .releasedir = fs_release,
    .fsyncdir = fs_fsyncdir, .mkdir = fs_mkdir,       .unlink = fs_unlink,
    .rmdir = fs_rmdir,       .rename = fs_rename,     .link = fs_link,
    .symlink = fs_symlink,   .readlink = fs_readlink, .mknod = fs_mknod,
    .chmod = fs_chmod,       .utimens = fs_utimens,   .statfs = fs_statfs,
};
