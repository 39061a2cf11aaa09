// Declarations for the parts of crash-at. main.c explains its purpose and use.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A system call at its entry.
struct call {
  pid_t thread;
  long number;
  uint64_t arguments[6];
};

/// The description of a call that may count.
struct subject {
  const char *name;      // NULL: this call never counts
  char path[8192];       // the file that it changes
  char other[8192];      // the other path of a rename or link, or empty
};

// calls.c

/// Finds out what a call does; `name` is NULL unless it may change a file.
void describe(const struct call *call, struct subject *subject);
/// The descriptor's path, as the kernel knows it; empty if there is none.
void path_of_descriptor(pid_t thread, int descriptor, char *path, size_t room);
int errno_named(const char *name);

// registers.c

/// The call of a thread that has stopped at one; false if it is not entering one.
bool entered_call(pid_t thread, struct call *call);
/// Whether a thread has stopped at the end of a call.
bool is_leaving_call(pid_t thread);
/// Prevents the call that is being entered.
void skip_call(pid_t thread);
/// Changes the third argument of the call that is being entered.
void set_third_argument(pid_t thread, uint64_t value);
/// Sets the result of the call that is ending.
void set_result(pid_t thread, long value);
