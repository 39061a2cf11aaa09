// The durable and the pending state, in memory: a tree beside the backing folder.
#include "failing_fs.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_volatile;
struct node *model_root;

static struct entry *find_entry(struct entry *list, const char *name) {
  while (list && strcmp(list->name, name) != 0) list = list->next;
  return list;
}

static struct entry *new_entry(const char *name, struct node *node) {
  struct entry *entry = calloc(1, sizeof *entry);
  entry->name = strdup(name);
  entry->node = node;
  return entry;
}

static void append(struct entry **list, struct entry *entry) {
  while (*list) list = &(*list)->next;
  *list = entry;
}

static void drop(struct entry **list, const char *name) {
  for (; *list; list = &(*list)->next) {
    if (strcmp((*list)->name, name) != 0) continue;
    struct entry *gone = *list;
    *list = gone->next;
    free(gone->name);
    free(gone);
    return;
  }
}

static void drop_all(struct entry **list) {
  while (*list) drop(list, (*list)->name);
}

static void set(struct entry **list, const char *name, struct node *node) {
  struct entry *entry = find_entry(*list, name);
  if (entry)
    entry->node = node;
  else
    append(list, new_entry(name, node));
}

struct node *model_find(const char *path) {
  if (!is_volatile || !path) return NULL;
  struct node *node = model_root;
  char *copy = strdup(path), *rest = NULL;
  for (char *name = strtok_r(copy, "/", &rest); name && node; name = strtok_r(NULL, "/", &rest)) {
    struct entry *entry = find_entry(node->entries, name);
    node = entry ? entry->node : NULL;
  }
  free(copy);
  return node;
}

/// The folder that `path` lies in, and its name there.
static struct node *parent_of(const char *path, const char **name) {
  const char *last = strrchr(path, '/');
  *name = last + 1;
  char *folder = strndup(path, (size_t)(last - path));
  struct node *node = model_find(folder);
  free(folder);
  return node;
}

static void change(struct node *folder, const char *name, struct node *node, bool joined) {
  if (node)
    set(&folder->entries, name, node);
  else
    drop(&folder->entries, name);
  struct entry *pending = new_entry(name, node);
  pending->joined = joined;
  append(&folder->pending, pending);
}

static void reserve(struct node *node, size_t size) {
  if (size <= node->live.room) return;
  node->live.room = size * 2;
  node->live.bytes = realloc(node->live.bytes, node->live.room);
}

void model_written(struct node *node, const char *bytes, size_t size, off_t at) {
  if (!node) return;
  size_t end = (size_t)at + size;
  if (end > node->live.size) model_truncated(node, (off_t)end);
  memcpy(node->live.bytes + at, bytes, size);
  node->dirty = true;
}

void model_truncated(struct node *node, off_t size) {
  if (!node) return;
  reserve(node, (size_t)size + 1);
  if ((size_t)size > node->live.size)
    memset(node->live.bytes + node->live.size, 0, (size_t)size - node->live.size);
  node->live.size = (size_t)size;
  node->dirty = true;
}

void model_synced(struct node *node) {
  if (!node) return;
  if (node->is_folder) {
    drop_all(&node->pending);
    drop_all(&node->durable_entries);
    for (struct entry *entry = node->entries; entry; entry = entry->next)
      append(&node->durable_entries, new_entry(entry->name, entry->node));
    return;
  }
  node->durable.bytes = realloc(node->durable.bytes, node->live.size + 1);
  if (node->live.size) memcpy(node->durable.bytes, node->live.bytes, node->live.size);
  node->durable.size = node->live.size;
  node->dirty = false;
  node->ever_synced = true;
}

static struct node *new_node(mode_t mode, const char *link) {
  struct node *node = calloc(1, sizeof *node);
  node->mode = mode;
  node->is_folder = S_ISDIR(mode);
  node->dirty = S_ISREG(mode);
  node->link = link ? strdup(link) : NULL;
  return node;
}

void model_made(const char *path, mode_t mode, const char *link) {
  if (!is_volatile) return;
  const char *name;
  struct node *folder = parent_of(path, &name);
  if (folder) change(folder, name, new_node(mode, link), false);
}

void model_removed(const char *path) {
  if (!is_volatile) return;
  const char *name;
  struct node *folder = parent_of(path, &name);
  if (folder) change(folder, name, NULL, false);
}

void model_linked(const char *from, const char *to) {
  if (!is_volatile) return;
  const char *name;
  struct node *node = model_find(from), *folder = parent_of(to, &name);
  if (folder && node) change(folder, name, node, false);
}

void model_renamed(const char *from, const char *to, unsigned int flags) {
  if (!is_volatile) return;
  const char *old_name, *new_name;
  struct node *old_folder = parent_of(from, &old_name), *new_folder = parent_of(to, &new_name);
  struct node *moved = model_find(from), *other = model_find(to);
  if (!old_folder || !new_folder || !moved) return;
  change(old_folder, old_name, flags & RENAME_EXCHANGE ? other : NULL, old_folder == new_folder);
  change(new_folder, new_name, moved, false);
}

/// Considers the content of an open folder durable.
static void scan(struct node *node, int folder) {
  DIR *stream = fdopendir(folder);
  if (!stream) return;
  struct dirent *found;
  while ((found = readdir(stream))) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    struct stat status;
    if (fstatat(folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    char link[4096] = "";
    if (S_ISLNK(status.st_mode) &&
        readlinkat(folder, found->d_name, link, sizeof link - 1) < 0) continue;
    struct node *child = new_node(status.st_mode, S_ISLNK(status.st_mode) ? link : NULL);
    append(&node->entries, new_entry(found->d_name, child));
    int opened = child->is_folder || S_ISREG(status.st_mode)
                     ? openat(folder, found->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
                     : -1;
    if (opened < 0) continue;
    if (child->is_folder) {
      scan(child, opened);
      continue;
    }
    reserve(child, (size_t)status.st_size + 1);
    ssize_t got = pread(opened, child->live.bytes, (size_t)status.st_size, 0);
    child->live.size = got > 0 ? (size_t)got : 0;
    close(opened);
    model_synced(child);
  }
  closedir(stream);
  model_synced(node);
}

void model_begin(void) {
  // The earlier tree leaks, as handles of open files point into it.
  model_root = new_node(S_IFDIR | 0755, NULL);
  is_volatile = true;
  int folder = openat(backing, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) scan(model_root, folder);
}
