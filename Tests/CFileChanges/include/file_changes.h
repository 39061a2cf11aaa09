#ifndef FILE_CHANGES_H
#define FILE_CHANGES_H

/* A crash at a given change of the file system, or a failure of a given call, within one thread
 * of this process. A crash: that change and all later ones do not reach the disk. A process that
 * is killed at that moment leaves the same files behind; this takes
 * microseconds. The calls of the C library that change files stand in for
 * glibc's in whatever program this is linked into. */

/* Begins counting on this thread. After `until` changes the next one fails with
 * EIO and does nothing (a write does half), as do all that follow; negative: never. */
void file_changes_begin(long until);

/* Kinds of calls. */
enum { FILE_CHANGES = 1, FILE_SYNCS = 2, FILE_READS = 4 };

/* Begins counting calls of some `kinds` on this thread, which fail and go on: after `until` of them
 * the next `times` (0: all that follow) do nothing and fail with `error`. */
void file_changes_fail(long until, int kinds, int error, long times);

/* Whether the crash, or a failure, has happened. */
int file_changes_crashed(void);

/* Ends counting: returns the number of changes that were made. */
long file_changes_end(void);

#endif
