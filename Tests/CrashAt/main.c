/*
  crash-at [OPTIONS] -- COMMAND [ARGUMENT...]

  Runs COMMAND and kills it (SIGKILL, all its threads) as it enters its Nth
  system call that counts, before the call does anything; or lets that call fail.
  Calls of all threads and child processes are counted together, which strace's
  fault injection does not do. Ends as COMMAND did, with 137 when it was killed.

    --at N         which call, from 1 on; 0 or absent: only counts
    --under PATH   calls count that change something below this path (several
                   are possible; none: everywhere)
    --all          every call counts from the first that touches something
                   below one of those paths, also those that change nothing
    --only NAMES   only calls of these names count: create, mkdir, unlink, rename,
                   link, write, fsync, syncfs, sync_file_range, flock, truncate,
                   fallocate, chmod, utimens, close (of what was written)
    --errno NAME   the call does not happen and fails with this error instead
    --times N      and so do the N-1 next ones that count (0: all)
    --half         a write first writes half of its bytes, and the program is
                   killed then
    --report FILE  writes a line for every call that counted, then `count N`

  A program that makes itself undumpable would hide its paths from a tracer that
  is not root; that one call (prctl PR_SET_DUMPABLE) is passed over.
*/
#include "crash_at.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
  long at, times;
  const char *under[8];
  size_t under_count;
  const char *only;
  bool all, half;
  int error;
  FILE *report;
} options = {.times = 1};

static long counted;
static bool has_begun;

/// An action for the end of the call that a thread is in.
struct pending {
  pid_t thread;
  enum { NOTHING, FAIL, SUCCEED, KILL } what;
};
static struct pending pending[512];

static struct pending *pending_of(pid_t thread) {
  struct pending *free_place = NULL;
  for (size_t i = 0; i < 512; i++) {
    if (pending[i].thread == thread) return &pending[i];
    if (!pending[i].thread && !free_place) free_place = &pending[i];
  }
  if (!free_place) exit(70);
  *free_place = (struct pending){.thread = thread};
  return free_place;
}

static bool is_below(const char *path) {
  for (size_t i = 0; i < options.under_count; i++) {
    size_t size = strlen(options.under[i]);
    if (strncmp(path, options.under[i], size) == 0 && (path[size] == '/' || !path[size]))
      return true;
  }
  return options.under_count == 0;
}

static bool is_wanted(const char *name) {
  if (!options.only) return true;
  size_t size = strlen(name);
  for (const char *found = options.only; (found = strstr(found, name)); found += size)
    if ((found == options.only || found[-1] == ',') && (!found[size] || found[size] == ','))
      return true;
  return false;
}

/// Whether the call counts; describes it in `subject`.
static bool counts(const struct call *call, struct subject *subject) {
  describe(call, subject);
  bool is_change = subject->name && (is_below(subject->path) || is_below(subject->other));
  if (!options.all) return is_change && is_wanted(subject->name);
  if (!has_begun && call->number == SYS_openat && !subject->name) {
    // Opening a file for reading also begins the count.
    struct call opening = *call;
    opening.arguments[2] = O_CREAT;
    struct subject opened;
    describe(&opening, &opened);
    has_begun = is_below(opened.path);
  }
  if (is_change) has_begun = true;
  if (!has_begun) return false;
  if (!subject->name) subject->name = "other";
  return true;
}


static void at_entry(pid_t program, const struct call *call) {
  struct pending *after = pending_of(call->thread);
  after->what = NOTHING;
  if (call->number == SYS_prctl && call->arguments[0] == PR_SET_DUMPABLE) {
    skip_call(call->thread);
    after->what = SUCCEED;
    return;
  }
  static struct subject subject;
  if (!counts(call, &subject)) return;
  counted++;
  if (options.report)
    fprintf(options.report, "%ld %s %ld %s %s\n", counted, subject.name, call->number, subject.path,
            subject.other);
  if (options.at == 0 || counted < options.at) return;
  if (options.error) {
    if (options.times > 0 && counted >= options.at + options.times) return;
    skip_call(call->thread);
    after->what = FAIL;
  } else if (counted == options.at) {
    if (options.half && strcmp(subject.name, "write") == 0 && call->arguments[2] > 1) {
      set_third_argument(call->thread, call->arguments[2] / 2);
      after->what = KILL;
    } else {
      kill(program, SIGKILL);
    }
  }
}

static void at_exit_of_call(pid_t program, pid_t thread) {
  struct pending *after = pending_of(thread);
  switch (after->what) {
  case NOTHING: break;
  case FAIL: set_result(thread, -options.error); break;
  case SUCCEED: set_result(thread, 0); break;
  case KILL: kill(program, SIGKILL); break;
  }
  after->what = NOTHING;
}

/// Follows the program to its end; returns its exit code.
static int follow(pid_t program) {
  int code = 70, status;
  pid_t thread;
  const long follow_all = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                          PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
  while ((thread = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
    if (thread < 0) continue;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      pending_of(thread)->thread = 0;
      if (thread == program)
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      struct call call;
      if (entered_call(thread, &call))
        at_entry(program, &call);
      else if (is_leaving_call(thread))
        at_exit_of_call(program, thread);
      signal = 0;
    } else if (signal == SIGTRAP && status >> 16) {
      signal = 0;  // a clone, a fork or an exec
    } else if (signal == SIGSTOP || signal == SIGTRAP) {
      // The first stop of the program or of a new thread.
      static bool is_set;
      if (thread == program && !is_set) {
        is_set = true;
        ptrace(PTRACE_SETOPTIONS, thread, NULL, (void *)follow_all);
      }
      signal = 0;
    }
    ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(long)signal);
  }
  return code;
}

static long number(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value < 0) exit(64);
  return value;
}

static void read_options(int count, char **arguments) {
  static const struct option known[] = {
      {"at", 1, NULL, 'a'},    {"under", 1, NULL, 'u'}, {"all", 0, NULL, 'l'},
      {"only", 1, NULL, 'o'},  {"errno", 1, NULL, 'e'}, {"times", 1, NULL, 't'},
      {"half", 0, NULL, 'h'},  {"report", 1, NULL, 'r'}, {0},
  };
  int found;
  while ((found = getopt_long(count, arguments, "+", known, NULL)) != -1) {
    switch (found) {
    case 'a': options.at = number(optarg); break;
    case 'u':
      if (options.under_count == 8) exit(64);
      char *real = realpath(optarg, NULL);
      options.under[options.under_count++] = real ? real : optarg;
      break;
    case 'l': options.all = true; break;
    case 'o': options.only = optarg; break;
    case 'e':
      options.error = errno_named(optarg);
      if (options.error < 0) exit(64);
      break;
    case 't': options.times = number(optarg); break;
    case 'h': options.half = true; break;
    case 'r':
      options.report = fopen(optarg, "we");
      if (!options.report) exit(73);
      break;
    default: exit(64);
    }
  }
  if (optind == count) {
    fprintf(stderr, "crash-at [OPTIONS] -- COMMAND [ARGUMENT...]\n");
    exit(64);
  }
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  pid_t program = fork();
  if (program < 0) return 71;
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(arguments[optind], arguments + optind);
    perror(arguments[optind]);
    _exit(127);
  }
  int code = follow(program);
  if (options.report) {
    fprintf(options.report, "count %ld\n", counted);
    fclose(options.report);
  }
  return code;
}
