// Makes the state that a power loss would leave.
#include "failing_fs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[LOSS_KINDS] = {"all", "data", "zeros", "entries", "random"};

int loss_named(const char *name) {
  for (int i = 0; i < LOSS_KINDS; i++)
    if (strcmp(kinds[i], name) == 0) return i;
  return -1;
}

/// One walk over the tree: hashes the state that is left, and writes it unless `folder` is -1.
struct walk {
  enum loss loss;
  uint64_t random, hash;
  int error;
};

static uint64_t next_random(struct walk *walk) {
  // SplitMix64.
  uint64_t mixed = walk->random += 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

static void hash(struct walk *walk, const void *bytes, size_t size) {
  // FNV-1a.
  for (const unsigned char *byte = bytes; size; size--, byte++)
    walk->hash = (walk->hash ^ *byte) * 0x100000001B3;
}

/// The bytes that are left of a file; the caller frees them.
static char *remaining_bytes(struct walk *walk, const struct node *node, size_t *size) {
  enum { DURABLE, ZEROS, LIVE, PART } what = DURABLE;
  if (walk->loss == LOSS_ZEROS) what = ZEROS;
  if (walk->loss == LOSS_ENTRIES) what = LIVE;
  if (walk->loss == LOSS_RANDOM) what = next_random(walk) % 4;
  if (!node->dirty || what == LIVE) {
    *size = node->live.size;
    char *copy = malloc(*size + 1);
    if (*size) memcpy(copy, node->live.bytes, *size);
    return copy;
  }
  *size = what == DURABLE ? node->durable.size : node->live.size;
  if (what == PART && *size) *size = next_random(walk) % *size;
  char *bytes = calloc(1, *size + 1);
  if (what == DURABLE && *size) memcpy(bytes, node->durable.bytes, *size);
  if (what == PART && *size) memcpy(bytes, node->live.bytes, *size);
  return bytes;
}

static void leave_folder(struct walk *walk, const struct node *node, int folder);

static void leave_entry(struct walk *walk, const struct entry *entry, int folder) {
  const struct node *node = entry->node;
  hash(walk, entry->name, strlen(entry->name) + 1);
  hash(walk, &node->mode, sizeof node->mode);
  if (node->is_folder) {
    int below = -1;
    if (folder >= 0) {
      if (mkdirat(folder, entry->name, node->mode & 07777) != 0) walk->error = errno;
      below = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (below < 0) walk->error = errno;
    }
    leave_folder(walk, node, below);
    if (below >= 0) close(below);
  } else if (node->link) {
    hash(walk, node->link, strlen(node->link));
    if (folder >= 0 && symlinkat(node->link, folder, entry->name) != 0) walk->error = errno;
  } else if (S_ISREG(node->mode)) {
    size_t size;
    char *bytes = remaining_bytes(walk, node, &size);
    hash(walk, &size, sizeof size);
    hash(walk, bytes, size);
    if (folder >= 0) {
      int file = openat(folder, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        node->mode & 07777);
      if (file < 0 || write(file, bytes, size) != (ssize_t)size) walk->error = errno ? errno : EIO;
      if (file >= 0) close(file);
    }
    free(bytes);
  }
  hash(walk, "", 1);
}

/// The number of a folder's pending changes that survive.
static size_t surviving_changes(struct walk *walk, const struct node *node) {
  size_t count = 0;
  for (struct entry *entry = node->pending; entry; entry = entry->next) count++;
  if (walk->loss == LOSS_DATA || walk->loss == LOSS_ZEROS) return count;
  return walk->loss == LOSS_RANDOM ? next_random(walk) % (count + 1) : 0;
}

static void leave_folder(struct walk *walk, const struct node *node, int folder) {
  // The durable names with some of the changes since.
  const struct entry *left[4096];
  size_t count = 0, changed = surviving_changes(walk, node);
  for (struct entry *entry = node->durable_entries; entry && count < 4096; entry = entry->next)
    left[count++] = entry;
  bool is_joined = false;
  for (struct entry *change = node->pending; change; change = change->next) {
    if (changed == 0 && !is_joined) break;
    if (changed > 0) changed--;
    is_joined = change->joined;
    size_t at = 0;
    while (at < count && strcmp(left[at]->name, change->name) != 0) at++;
    if (change->node) {
      if (at == 4096) continue;
      left[at] = change;
      if (at == count) count++;
    } else if (at < count) {
      memmove(left + at, left + at + 1, (--count - at) * sizeof *left);
    }
  }
  for (size_t i = 0; i < count; i++) leave_entry(walk, left[i], folder);
}

static int leave(int folder, enum loss loss, uint64_t seed, uint64_t *hash) {
  struct walk walk = {.loss = loss, .random = seed, .hash = 0xCBF29CE484222325};
  leave_folder(&walk, model_root, folder);
  if (hash) *hash = walk.hash;
  return walk.error;
}

int write_remains(const char *path, enum loss loss, uint64_t seed) {
  if (mkdir(path, 0755) != 0) return errno;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  int error = leave(folder, loss, seed, NULL);
  close(folder);
  return error;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type;
  return walk->level == 0 ? 0 : remove(path);
}

int lose_power(enum loss loss, uint64_t seed) {
  if (nftw(backing_path, remove_one, 32, FTW_DEPTH | FTW_PHYS) != 0) return errno;
  int error = leave(backing, loss, seed, NULL);
  model_begin();
  return error;
}

long changes, snapshots;
static char *snapshot_folder;
static bool wanted[LOSS_KINDS];
static uint64_t *known[LOSS_KINDS];
static size_t known_count[LOSS_KINDS];

int begin_snapshots(const char *folder, const char *list) {
  bool chosen[LOSS_KINDS] = {false};
  char *copy = strdup(list), *rest = NULL;
  for (char *kind = strtok_r(copy, ",", &rest); kind; kind = strtok_r(NULL, ",", &rest)) {
    int loss = loss_named(kind);
    if (loss < 0) return free(copy), EINVAL;
    chosen[loss] = true;
  }
  free(copy);
  memcpy(wanted, chosen, sizeof wanted);
  memset(known_count, 0, sizeof known_count);
  snapshot_folder = strdup(folder);
  changes = -1;  // the present state is no change
  snapshots = 0;
  take_snapshots();
  return 0;
}

static bool is_known(int kind, uint64_t hash) {
  for (size_t i = 0; i < known_count[kind]; i++)
    if (known[kind][i] == hash) return true;
  known[kind] = realloc(known[kind], (known_count[kind] + 1) * sizeof(uint64_t));
  known[kind][known_count[kind]++] = hash;
  return false;
}

void take_snapshots(void) {
  changes++;
  for (int kind = 0; snapshot_folder && kind < LOSS_KINDS; kind++) {
    if (!wanted[kind]) continue;
    uint64_t hash;
    leave(-1, (enum loss)kind, (uint64_t)changes, &hash);
    if (is_known(kind, hash)) continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%05ld-%s", snapshot_folder, changes, kinds[kind]);
    if (write_remains(path, (enum loss)kind, (uint64_t)changes) == 0) snapshots++;
  }
}
