/*
  failing-fs [--until-eof] [-o OPTIONS] BACKING MOUNTPOINT

  A file system for tests that passes everything through to the folder BACKING
  and can be told to fail. It stays in the foreground and ends when it is
  unmounted (fusermount3 -u -z MOUNTPOINT), with --until-eof also when its
  standard input ends: calls that wait then fail with ENOTCONN. Needs /dev/fuse;
  as an ordinary user also fusermount3. Nothing is cached: every call of a
  program arrives here.

  Commands are written to MOUNTPOINT/.failing-fs, one a line; the write fails
  with EINVAL if one of them is wrong. That file is in no listing. Reading it
  gives `key value` lines (changes, snapshots, rules, error) and the trace.

    rule KEY=VALUE ...     adds a rule; every rule that fits a call applies
    clear                  forgets all rules, and lets the calls that hang go on
    trace on|off           `op path [other] = errno` for each call, in the report
    volatile               from now on keeps track of what is synced
    power-loss KIND [SEED] drops what was not synced, in BACKING
    snapshots FOLDER KIND[,KIND...]
                           from now on, after every changing call, writes what a
                           power loss would leave to FOLDER/<call>-<kind>, unless
                           it left the same before; FOLDER lies elsewhere
    remains FOLDER KIND [SEED]
                           writes what a power loss would leave now
    dead ERRNO             from now on every call fails (0: no longer)
    fold on|off            a name means also one that differs from it in case
    modes OCTAL            every file and folder shows this mode, as on exFAT (0: its own)

  Keys of a rule:
    op=NAME      getattr open create read write readdir mkdir unlink rmdir rename
                 link symlink truncate fsync fsyncdir statfs release; `any`
    name=GLOB    fits the path below the mount point, or its last part; `*`
                 matches slashes too. Default: all
    flags=F      of a rename: exchange, noreplace, plain
    nth=N        only from the Nth call that fits on (1, 2, ...)
    times=N      only so many calls
    errno=NAME   fails with EIO, ESTALE, EDEADLK, EBUSY, ENOSPC, a number, ...
    delay=MS     waits first
    hang         waits first, until `clear`, or SIGUSR1: a rule for any call hangs the way to the commands, too
    truncate=N   a read sees only the first N bytes (the size stays)
    partial=N    a listing ends after N names; with errno= it then fails
    stale        a listing shows the names that were there when the rule was set
    twice        a listing shows every name twice

  Power loss. A file's bytes are durable after fsync of that file, a folder's
  names after fsync of that folder; nothing else makes anything durable (the
  kernel passes no syncfs on to FUSE). A rename happens entirely or not at all.
  KIND says what becomes of the rest:
    all      nothing that was not synced is left
    data     all names are as they were, bytes that were not synced are gone:
             what a journal of names alone does
    zeros    the same, but such files have their size and hold zeros
    entries  all bytes are there, names that were not synced are gone
    random   each folder lost some of its last changes, each file some bytes
*/
#include "failing_fs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

pthread_mutex_t big_lock = PTHREAD_MUTEX_INITIALIZER;
int backing;
char *backing_path;
int dead_errno;
bool is_folding;
mode_t shown_mode;

static void clear_by_signal(int signal) {
  (void)signal;
  clear_rules();
}

static char *mount_point;
static bool until_eof;

/// Waits for the end of standard input, then unmounts the file system, even if programs
/// use it.
static void *wait_for_end(void *unused) {
  char byte;
  ssize_t got;
  while ((got = read(STDIN_FILENO, &byte, 1)) > 0 || (got < 0 && errno == EINTR)) {}
  if (umount2(mount_point, MNT_DETACH) != 0) {
    pid_t helper = fork();
    if (helper == 0) {
      execlp("fusermount3", "fusermount3", "-u", "-z", mount_point, (char *)NULL);
      _exit(127);
    }
    while (helper > 0 && waitpid(helper, NULL, 0) < 0 && errno == EINTR) {}
  }
  _exit(0);
  return unused;
}

static int take_argument(void *data, const char *argument, int key, struct fuse_args *rest) {
  (void)data, (void)rest;
  if (strcmp(argument, "--until-eof") == 0) return until_eof = true, 0;
  if (key != FUSE_OPT_KEY_NONOPT) return 1;
  if (!backing_path) return (backing_path = realpath(argument, NULL)) ? 0 : -1;
  if (!mount_point) return (mount_point = realpath(argument, NULL)) ? 0 : -1;
  return -1;
}

int main(int count, char **arguments) {
  struct fuse_args args = FUSE_ARGS_INIT(count, arguments);
  if (fuse_opt_parse(&args, NULL, NULL, take_argument) != 0 || !mount_point) {
    fprintf(stderr, "failing-fs [--until-eof] [-o OPTIONS] BACKING MOUNTPOINT\n");
    return 64;
  }
  backing = open(backing_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (backing < 0) {
    perror(backing_path);
    return 66;
  }
  umask(0);
  // The kernel checks the modes.
  fuse_opt_add_arg(&args, "-odefault_permissions,fsname=failing-fs,subtype=failing-fs");
  struct fuse *fuse = fuse_new(&args, &operations, sizeof operations, NULL);
  if (!fuse || fuse_mount(fuse, mount_point) != 0) return 69;
  struct sigaction clear = {.sa_handler = clear_by_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &clear, NULL);
  // Whoever starts this may block all signals, as the threads of a Swift program do.
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGUSR1);
  sigprocmask(SIG_UNBLOCK, &taken, NULL);
  pthread_t watcher;
  if (until_eof && pthread_create(&watcher, NULL, wait_for_end, NULL) != 0) return 70;
  fuse_set_signal_handlers(fuse_get_session(fuse));
  // Each delayed call occupies a thread.
  struct fuse_loop_config *loop = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(loop, 64);
  int code = fuse_loop_mt(fuse, loop);
  fuse_loop_cfg_destroy(loop);
  fuse_unmount(fuse);
  fuse_destroy(fuse);
  fuse_opt_free_args(&args);
  return code ? 70 : 0;
}
