// Declarations for the parts of failing-fs. main.c explains its purpose and use.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define FUSE_USE_VERSION 312
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dirent.h>
#include <errno.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#define CONTROL_NAME ".failing-fs"
#define CONTROL_PATH "/" CONTROL_NAME

/// Held while a call is carried out, but not during its delay.
extern pthread_mutex_t big_lock;
/// The folder that is passed through.
extern int backing;
extern char *backing_path;
/// Set by `dead`: every call fails with it.
extern int dead_errno;
/// Set by `fold`: names that differ in case are one.
extern bool is_folding;
/// Set by `modes`: what every file and folder shows; 0: its own.
extern mode_t shown_mode;

// rules.c: the rules, and their effect on calls.

struct rule {
  struct rule *next;
  char op[16];
  char name[256];   // fnmatch(3) pattern of the path, without leading slash
  char flags[16];   // of a rename
  long nth, times;  // from the nth match on, this many times (-1: always)
  long seen;
  int error;
  long delay;       // milliseconds
  long truncate;    // -1: not
  long partial;     // -1: not
  bool stale, twice, hang;
  struct listing *listings;
};

/// The names of a folder at an earlier time.
struct listing {
  struct listing *next;
  char *path;
  char **names;
  size_t count;
};

/// The decision of the rules about one call.
struct verdict {
  int error;
  long truncate, partial;
  bool stale, twice, hang;
  struct rule *listing;  // whose listings are stale
};

/// Judges a call, waits as long as the rules say, takes big_lock and returns.
/// The caller unlocks.
struct verdict enter_call(const char *op, const char *path, const char *flags);
/// Adds a rule made of `key=value` words; returns NULL, or the error.
const char *add_rule(char *words);
void clear_rules(void);
long count_rules(void);
const struct listing *stale_listing(const struct rule *rule, const char *path);
int errno_named(const char *name);

// control.c: the file that takes commands.

int control_write(const char *text, size_t size);
/// The report for a reader of the file; the caller must free(3) it.
char *control_report(size_t *size);
void trace(const char *op, const char *path, const char *other, int result);

// model.c: the state that a power loss would leave.

struct node;
/// An entry of a folder, or a pending change of one.
struct entry {
  struct entry *next;
  char *name;
  struct node *node;  // NULL in a pending change: removed
  bool joined;        // pending: takes effect together with the next one
};

struct node {
  bool is_folder, dirty, ever_synced;
  mode_t mode;
  char *link;
  struct { char *bytes; size_t size, room; } live, durable;
  struct entry *entries;          // live
  struct entry *durable_entries;
  struct entry *pending;          // changes of the folder since its fsync
};

extern bool is_volatile;
extern struct node *model_root;
/// Considers the backing folder durable as it is, and follows it from now on.
void model_begin(void);
struct node *model_find(const char *path);
void model_made(const char *path, mode_t mode, const char *link);
void model_removed(const char *path);
void model_renamed(const char *from, const char *to, unsigned int flags);
void model_linked(const char *from, const char *to);
void model_written(struct node *node, const char *bytes, size_t size, off_t at);
void model_truncated(struct node *node, off_t size);
void model_synced(struct node *node);

// power_loss.c: makes the state that a power loss would leave.

/// The parts of unsynced changes that a power loss leaves.
enum loss { LOSS_ALL, LOSS_DATA, LOSS_ZEROS, LOSS_ENTRIES, LOSS_RANDOM, LOSS_KINDS };
int loss_named(const char *name);
/// Writes the state that would be left into the new folder `path`.
int write_remains(const char *path, enum loss loss, uint64_t seed);
/// From now on, after every call that changes something, writes the state that would be left
/// into `folder/<number>-<kind>`, if it differs from the one before.
int begin_snapshots(const char *folder, const char *kinds);
void take_snapshots(void);
extern long changes, snapshots;
/// Replaces the backing folder's content by the state that would be left.
int lose_power(enum loss loss, uint64_t seed);

extern const struct fuse_operations operations;
