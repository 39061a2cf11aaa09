#ifndef PLAIN_MEMORY_H
#define PLAIN_MEMORY_H

/* Says that this file is part of the program. Built with FUZZING, libsodium's
 * guarded memory is the allocator's: a hundred times faster, and AddressSanitizer
 * sees every byte beyond the end, where guard pages see only those on one side. */
int plain_memory_is_used(void);

#endif
