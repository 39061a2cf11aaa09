// umockdev's testbed, and calls that Swift cannot import because they are variadic.
#pragma once
#include <spawn.h>
#include <sys/prctl.h>
#include <umockdev.h>

/// prctl(PR_CAPBSET_DROP): programs started from here on cannot have this capability.
static inline int virtual_key_drop_capability(unsigned long capability) {
  return prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

/// g_object_unref: takes the testbed's folder away with it.
static inline void virtual_key_free_testbed(UMockdevTestbed *testbed) {
  g_object_unref(testbed);
}

// Hidden behind _GNU_SOURCE.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
