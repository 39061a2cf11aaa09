#ifndef FILE_CHANGES_H
#define FILE_CHANGES_H

/* A crash at a given change of the file system, or a failure of a given call, within one thread
 * of this process. After a crash, that change and all later ones do not reach the disk. A process
 * that is killed at that moment leaves the same files behind; this takes microseconds. In every
 * program that links this, its functions replace those of glibc that change files. */

/* Begins counting on this thread. After `until` changes, the next one and all later ones fail
 * with EIO and do nothing (a write does half). Negative: never. */
void file_changes_begin(long until);

/* Kinds of calls. */
enum { FILE_CHANGES = 1, FILE_SYNCS = 2, FILE_READS = 4 };

/* Begins counting calls of some `kinds` on this thread. After `until` of them, the next `times`
 * (0: all later ones) do nothing and fail with `error`; the thread continues. */
void file_changes_fail(long until, int kinds, int error, long times);

/* Whether the crash, or a failure, has happened. */
int file_changes_crashed(void);

/* Ends counting; returns the number of changes that were made. */
long file_changes_end(void);

#endif
