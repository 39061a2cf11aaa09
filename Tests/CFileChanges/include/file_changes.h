#ifndef FILE_CHANGES_H
#define FILE_CHANGES_H

/* A crash at a given change of the file system, within one thread of this
 * process: that change and all later ones do not reach the disk. A process that
 * is killed at that moment leaves the same files behind; this takes
 * microseconds. The calls of the C library that change files stand in for
 * glibc's in whatever program this is linked into. */

/* Begins counting on this thread. After `until` changes the next one fails with
 * EIO and does nothing (a write does half), as do all that follow; negative: never. */
void file_changes_begin(long until);

/* Whether the crash has happened. */
int file_changes_crashed(void);

/* Ends counting: returns the number of changes that were made. */
long file_changes_end(void);

#endif
