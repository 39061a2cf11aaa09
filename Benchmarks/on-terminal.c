// Runs a program on a terminal of its own, types a PIN when it asks for one,
// and prints one line of JSON: wall time, peak memory, processor time, exit
// code. The time counts from fork to exit, the same for every program.
//
//   on-terminal PIN OUTPUT-FILE PROGRAM ARGUMENT...
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  int output = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int terminal;
  double start = now();
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0 || output < 0) return 71;
  if (child == 0) {
    // The prompt goes to the terminal, the result to the file.
    dup2(output, 1);
    execvp(arguments[3], arguments + 3);
    _exit(127);
  }
  char seen[8192];
  size_t size = 0;
  int typed = 0;
  for (;;) {
    ssize_t got = read(terminal, seen + size, sizeof seen - 1 - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += (size_t)got;
    seen[size] = 0;
    // A prompt ends in a colon and a space and waits; everything before it, such
    // as the tries left, may mention the PIN too.
    if (!typed && size > 2 && strstr(seen, "PIN") && memcmp(seen + size - 2, ": ", 2) == 0) {
      dprintf(terminal, "%s\n", arguments[1]);
      typed = 1;
    }
    if (size > sizeof seen / 2) size = 0;
  }
  int status;
  struct rusage usage;
  wait4(child, &status, 0, &usage);
  double end = now();
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0) fprintf(stderr, "%s\n", seen);
  printf("{\"seconds\": %.6f, \"kib\": %ld, \"processor\": %.6f, \"code\": %d}\n", end - start,
         usage.ru_maxrss,
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
         code);
  return 0;
}
