// What a recovery code's derivation costs, by libsodium as the product calls it:
// one process for each cost, so that its peak memory is its own.
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

int main(void) {
  static const struct { int kib, passes; } costs[] = {
      {19456, 2}, {65536, 3}, {262144, 3}, {524288, 8},
  };
  if (sodium_init() < 0) return 1;
  puts("| memory | passes | time | processor time | peak memory |");
  puts("|---:|---:|---:|---:|---:|");
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    fflush(stdout);
    double start = now();
    pid_t child = fork();
    if (child == 0) {
      unsigned char key[32], salt[16];
      memset(salt, 0x53, sizeof salt);
      _exit(crypto_pwhash_argon2id(key, sizeof key, "01ABCDEFGHJKMNPQRSVW", 20, salt,
                                   (unsigned long long)costs[i].passes,
                                   (size_t)costs[i].kib * 1024,
                                   crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) return 1;
    double seconds = now() - start;
    double processor = usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
                       usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
    printf("| %d MiB | %d | %.2f s | %.2f s | %ld MiB |\n", costs[i].kib / 1024, costs[i].passes,
           seconds, processor, usage.ru_maxrss / 1024);
  }
  return 0;
}
