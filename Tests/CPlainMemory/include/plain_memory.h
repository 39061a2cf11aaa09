#ifndef PLAIN_MEMORY_H
#define PLAIN_MEMORY_H

/* Tells that this file is part of the program. With FUZZING, libsodium's guarded memory comes
 * from the allocator, which is a hundred times faster. AddressSanitizer then sees every byte
 * beyond the end, while guard pages see only those on one side. */
int plain_memory_is_used(void);

#endif
