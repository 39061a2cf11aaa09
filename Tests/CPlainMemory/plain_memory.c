#include "plain_memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef FUZZING
void *sodium_malloc(size_t size) {
  void *memory = malloc(size);
  if (memory != NULL)
    memset(memory, 0xDB, size);
  return memory;
}

void sodium_free(void *memory) { free(memory); }

int plain_memory_is_used(void) { return 1; }
#else
int plain_memory_is_used(void) { return 0; }
#endif
