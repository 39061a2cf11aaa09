// umockdev's testbed, and calls that Swift cannot import because they are variadic.
#pragma once
#include <spawn.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <umockdev.h>
#include <unistd.h>

/// prctl(PR_CAPBSET_DROP): programs started from here on cannot have this capability.
static inline int virtual_key_drop_capability(unsigned long capability) {
  return prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

/// g_object_unref: also deletes the testbed's folder.
static inline void virtual_key_free_testbed(UMockdevTestbed *testbed) {
  g_object_unref(testbed);
}

// Hidden behind _GNU_SOURCE.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// sched_setaffinity(2) by number, as glibc hides it. This thread, and the threads and
/// programs that it starts from here on, run on the first processor only.
static inline int virtual_key_use_one_processor(void) {
  unsigned long first = 1;
  return (int)syscall(SYS_sched_setaffinity, 0, sizeof first, &first);
}

/// sched_setscheduler(2): this thread runs before all ordinary ones.
static inline int virtual_key_go_first(void) {
  struct sched_param priority = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_FIFO, &priority);
}
