// The rules, and their effect on calls.
#include "failing_fs.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static struct rule *rules;

static const struct { const char *name; int value; } errors[] = {
    {"EPERM", EPERM},         {"ENOENT", ENOENT},   {"EINTR", EINTR},       {"EIO", EIO},
    {"ENXIO", ENXIO},         {"EAGAIN", EAGAIN},   {"ENOMEM", ENOMEM},     {"EACCES", EACCES},
    {"EBUSY", EBUSY},         {"EEXIST", EEXIST},   {"EXDEV", EXDEV},       {"ENODEV", ENODEV},
    {"ENOTDIR", ENOTDIR},     {"EISDIR", EISDIR},   {"EINVAL", EINVAL},     {"EMFILE", EMFILE},
    {"ETXTBSY", ETXTBSY},     {"EFBIG", EFBIG},     {"ENOSPC", ENOSPC},     {"EROFS", EROFS},
    {"EDEADLK", EDEADLK},     {"ENOSYS", ENOSYS},   {"ELOOP", ELOOP},       {"EDQUOT", EDQUOT},
    {"ENAMETOOLONG", ENAMETOOLONG},                 {"ENODATA", ENODATA},   {"ESTALE", ESTALE},
    {"EOPNOTSUPP", EOPNOTSUPP},                     {"ETIMEDOUT", ETIMEDOUT},
    {"ECONNABORTED", ECONNABORTED},                 {"ENOTCONN", ENOTCONN}, {"EREMOTEIO", EREMOTEIO},
    {"EHOSTDOWN", EHOSTDOWN}, {"ENETUNREACH", ENETUNREACH},
};

int errno_named(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strcasecmp(errors[i].name, name) == 0) return errors[i].value;
  char *end;
  long value = strtol(name, &end, 10);
  return *name && !*end && value >= 0 && value < 4096 ? (int)value : -1;
}

static const char *const known_ops[] = {
    "any",    "getattr", "open",   "create",  "read",  "write",    "opendir", "readdir", "mkdir",
    "unlink", "rmdir",   "rename", "link",    "mknod", "symlink",  "readlink", "truncate",
    "chmod",  "utimens", "fsync",  "fsyncdir", "statfs", "release",
};

static bool is_known(const char *op) {
  for (size_t i = 0; i < sizeof known_ops / sizeof *known_ops; i++)
    if (strcmp(known_ops[i], op) == 0) return true;
  return false;
}

static bool copy_word(char *to, size_t room, const char *from) {
  if (strlen(from) >= room) return false;
  strcpy(to, from);
  return true;
}

static bool fits(const struct rule *rule, const char *op, const char *path, const char *flags) {
  if (strcmp(rule->op, "any") != 0 && strcmp(rule->op, op) != 0) return false;
  if (*rule->flags && strcmp(rule->flags, flags) != 0) return false;
  const char *last = strrchr(path, '/');
  return fnmatch(rule->name, path + 1, 0) == 0 ||
         (last && fnmatch(rule->name, last + 1, 0) == 0);
}

/// How often the rules were cleared.
static _Atomic unsigned long clears;

static void pause_for(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {}
}

struct verdict enter_call(const char *op, const char *path, const char *flags) {
  struct verdict verdict = {.truncate = -1, .partial = -1};
  long delay = 0;
  bool hang = false;
  pthread_mutex_lock(&big_lock);
  verdict.error = dead_errno;
  for (struct rule *rule = rules; rule && !dead_errno; rule = rule->next) {
    if (!fits(rule, op, path ? path : "/", flags)) continue;
    rule->seen++;
    if (rule->seen < rule->nth) continue;
    if (rule->times >= 0 && rule->seen >= rule->nth + rule->times) continue;
    delay += rule->delay;
    hang |= rule->hang;
    if (rule->error && !verdict.error) verdict.error = rule->error;
    if (rule->truncate >= 0) verdict.truncate = rule->truncate;
    if (rule->partial >= 0) verdict.partial = rule->partial;
    if (rule->twice) verdict.twice = true;
    if (rule->stale) verdict.listing = rule, verdict.stale = true;
  }
  if (delay > 0 || hang) {
    unsigned long before = clears;
    // A rule's listings must outlive the wait: rules are never freed.
    pthread_mutex_unlock(&big_lock);
    pause_for(delay);
    while (hang && clears == before) pause_for(10);
    pthread_mutex_lock(&big_lock);
  }
  return verdict;
}

void clear_rules(void) {
  rules = NULL;
  clears++;
}

long count_rules(void) {
  long count = 0;
  for (struct rule *rule = rules; rule; rule = rule->next) count++;
  return count;
}

/// Keeps the names of a folder and of all folders in it.
static void keep_listings(struct rule *rule, const char *path) {
  char full[4096];
  if (snprintf(full, sizeof full, "%s%s", backing_path, path) >= (int)sizeof full) return;
  DIR *folder = opendir(full);
  if (!folder) return;
  struct listing *listing = calloc(1, sizeof *listing);
  listing->path = strdup(*path ? path : "/");
  listing->next = rule->listings;
  rule->listings = listing;
  struct dirent *found;
  while ((found = readdir(folder))) {
    listing->names = realloc(listing->names, (listing->count + 1) * sizeof(char *));
    listing->names[listing->count++] = strdup(found->d_name);
    if (found->d_type != DT_DIR || found->d_name[0] == '.') continue;
    char below[4096];
    if (snprintf(below, sizeof below, "%s/%s", path, found->d_name) < (int)sizeof below)
      keep_listings(rule, below);
  }
  closedir(folder);
}

const struct listing *stale_listing(const struct rule *rule, const char *path) {
  for (struct listing *listing = rule->listings; listing; listing = listing->next)
    if (strcmp(listing->path, path) == 0) return listing;
  return NULL;
}

static const char *set_key(struct rule *rule, const char *key, const char *value) {
  char *end;
  long number = value ? strtol(value, &end, 10) : 0;
  bool is_number = value && *value && !*end && number >= 0;
  if (!value) {
    if (strcmp(key, "stale") == 0) return rule->stale = true, NULL;
    if (strcmp(key, "twice") == 0) return rule->twice = true, NULL;
    if (strcmp(key, "hang") == 0) return rule->hang = true, NULL;
    return "a key without a value";
  }
  if (strcmp(key, "op") == 0)
    return is_known(value) && copy_word(rule->op, sizeof rule->op, value) ? NULL : "unknown op";
  if (strcmp(key, "name") == 0)
    return copy_word(rule->name, sizeof rule->name, value) ? NULL : "too long a name";
  if (strcmp(key, "flags") == 0)
    return copy_word(rule->flags, sizeof rule->flags, value) ? NULL : "unknown flags";
  if (strcmp(key, "errno") == 0)
    return (rule->error = errno_named(value)) > 0 ? NULL : "unknown errno";
  if (!is_number) return "not a number";
  if (strcmp(key, "nth") == 0) return rule->nth = number, NULL;
  if (strcmp(key, "times") == 0) return rule->times = number, NULL;
  if (strcmp(key, "delay") == 0) return rule->delay = number, NULL;
  if (strcmp(key, "truncate") == 0) return rule->truncate = number, NULL;
  if (strcmp(key, "partial") == 0) return rule->partial = number, NULL;
  return "unknown key";
}

const char *add_rule(char *words) {
  struct rule *rule = calloc(1, sizeof *rule);
  *rule = (struct rule){.op = "any", .name = "*", .nth = 1, .times = -1, .truncate = -1,
                        .partial = -1};
  char *rest = NULL;
  for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    const char *wrong = set_key(rule, word, value);
    if (wrong) return free(rule), wrong;
  }
  if (rule->stale) keep_listings(rule, "");
  rule->next = rules;
  rules = rule;
  return NULL;
}
