// The file that takes commands, and its report.
#include "failing_fs.h"

#include <stdlib.h>
#include <string.h>

static char last_error[256];
static bool is_tracing;
static char *traced;
static size_t traced_size, traced_room;

void trace(const char *op, const char *path, const char *other, int result) {
  if (!is_tracing) return;
  char line[9000];
  int size = snprintf(line, sizeof line, "%s %s%s%s = %d\n", op, path ? path : "-",
                      other ? " " : "", other ? other : "", result < 0 ? -result : 0);
  if (size < 0 || (size_t)size >= sizeof line) return;
  if (traced_size + (size_t)size > traced_room) {
    traced_room = (traced_size + (size_t)size) * 2;
    traced = realloc(traced, traced_room);
  }
  memcpy(traced + traced_size, line, (size_t)size);
  traced_size += (size_t)size;
}

static const char *system_error(int code) {
  static char text[128];
  return code == 0 ? NULL : (snprintf(text, sizeof text, "errno %d", code), text);
}

/// `KIND [SEED]`.
static const char *read_loss(const char *kind, const char *seed, enum loss *loss, uint64_t *number) {
  int found = kind ? loss_named(kind) : -1;
  if (found < 0) return "unknown kind of loss";
  *loss = (enum loss)found;
  *number = seed ? strtoull(seed, NULL, 10) : 1;
  return is_volatile ? NULL : "say `volatile` first";
}

static const char *carry_out(char *line) {
  char *rest = NULL;
  char *verb = strtok_r(line, " ", &rest);
  if (!verb) return NULL;
  if (strcmp(verb, "rule") == 0) return add_rule(rest);
  if (strcmp(verb, "clear") == 0) return clear_rules(), NULL;
  char *first = strtok_r(NULL, " ", &rest);
  if (strcmp(verb, "volatile") == 0) return model_begin(), NULL;
  if (!first) return "unknown command, or a word is missing";
  if (strcmp(verb, "trace") == 0) {
    is_tracing = strcmp(first, "on") == 0;
    if (is_tracing) traced_size = 0;
    return NULL;
  }
  if (strcmp(verb, "modes") == 0) return shown_mode = (mode_t)strtoul(first, NULL, 8), NULL;
  if (strcmp(verb, "fold") == 0) return is_folding = strcmp(first, "on") == 0, NULL;
  if (strcmp(verb, "dead") == 0) {
    int code = errno_named(first);
    return code < 0 ? "unknown errno" : (dead_errno = code, NULL);
  }
  char *second = strtok_r(NULL, " ", &rest), *third = strtok_r(NULL, " ", &rest);
  enum loss loss;
  uint64_t seed;
  if (strcmp(verb, "power-loss") == 0) {
    const char *wrong = read_loss(first, second, &loss, &seed);
    return wrong ? wrong : system_error(lose_power(loss, seed));
  }
  if (strcmp(verb, "remains") == 0) {
    const char *wrong = read_loss(second, third, &loss, &seed);
    return wrong ? wrong : system_error(write_remains(first, loss, seed));
  }
  if (strcmp(verb, "snapshots") == 0 && second) {
    if (!is_volatile) model_begin();
    return system_error(begin_snapshots(first, second));
  }
  return "unknown command, or a word is missing";
}

int control_write(const char *text, size_t size) {
  char *copy = strndup(text, size), *rest = NULL;
  const char *wrong = NULL;
  for (char *line = strtok_r(copy, "\n", &rest); line && !wrong; line = strtok_r(NULL, "\n", &rest))
    wrong = carry_out(line);
  snprintf(last_error, sizeof last_error, "%s", wrong ? wrong : "");
  free(copy);
  return wrong ? -EINVAL : (int)size;
}

char *control_report(size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  fprintf(out, "changes %ld\nsnapshots %ld\nrules %ld\nerror %s\n", changes, snapshots, count_rules(),
          last_error);
  fwrite(traced, 1, traced_size, out);
  fclose(out);
  return text;
}
