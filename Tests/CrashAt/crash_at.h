// What the parts of crash-at share. main.c says what it is and how it is used.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A system call as it is entered.
struct call {
  pid_t thread;
  long number;
  uint64_t arguments[6];
};

/// What is known of a call that may count.
struct subject {
  const char *name;      // NULL: this call never counts
  char path[8192];       // what it is about
  char other[8192];      // the other path of a rename or link, or empty
};

// calls.c

/// Finds out what a call does; `name` is NULL unless it may change a file.
void describe(const struct call *call, struct subject *subject);
/// The descriptor's path, as the kernel knows it; empty if there is none.
void path_of_descriptor(pid_t thread, int descriptor, char *path, size_t room);
int errno_named(const char *name);

// registers.c

/// What a thread that has stopped at a call is calling; false if it is not
/// entering one.
bool entered_call(pid_t thread, struct call *call);
/// Whether a thread has stopped at the end of a call.
bool is_leaving_call(pid_t thread);
/// Lets the call that is entered not happen.
void skip_call(pid_t thread);
/// Changes the third argument of the call that is entered.
void set_third_argument(pid_t thread, uint64_t value);
/// Sets what the call that ends has returned.
void set_result(pid_t thread, long value);
