// The yardstick for `keybackup restore`: the least a plain C program does to
// read and decrypt the same wallet files with the same libsodium.
//
//   decrypt-loop NAMESPACE-FOLDER MASTER-KEY-HEX [OUT-FOLDER] [--log]
//
// No checks beyond the authentication tag, no guarded memory, no JSON parser:
// fields are found with strstr. With OUT-FOLDER the plaintexts are written
// there; with --log the operations in keybackup/log are decrypted as well, as
// restore does to know which records are current.
#include <dirent.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void hmac(unsigned char out[32], const unsigned char *key, size_t key_size,
                 const void *message, size_t size, const void *more, size_t more_size) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key, key_size);
  crypto_auth_hmacsha256_update(&state, message, size);
  crypto_auth_hmacsha256_update(&state, more, more_size);
  crypto_auth_hmacsha256_final(&state, out);
}

// HKDF-SHA-256 with one output block.
static void hkdf(unsigned char out[32], const unsigned char ikm[32], const unsigned char *salt,
                 size_t salt_size, const char *info) {
  static const unsigned char none[32], one = 1;
  unsigned char prk[32];
  hmac(prk, salt_size ? salt : none, salt_size ? salt_size : 32, ikm, 32, "", 0);
  hmac(out, prk, 32, info, strlen(info), &one, 1);
}

static char *buffer;
static size_t capacity;

static size_t read_file(int folder, const char *name) {
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail(name);
  size_t size = (size_t)status.st_size, done = 0;
  if (size + 1 > capacity) {
    capacity = 2 * size + 1;
    buffer = realloc(buffer, capacity);
  }
  while (done < size) {
    ssize_t got = read(file, buffer + done, size - done);
    if (got <= 0) fail(name);
    done += (size_t)got;
  }
  close(file);
  buffer[size] = 0;
  return size;
}

// The text of a JSON string field, up to its closing quote.
static const char *field(const char *json, const char *name, size_t *size) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\"", name);
  const char *at = strstr(json, quoted);
  if (!at || !(at = strchr(at + strlen(quoted), ':')) || !(at = strchr(at, '"'))) {
    fprintf(stderr, "no field %s\n", name);
    exit(1);
  }
  const char *end = strchr(++at, '"');
  *size = (size_t)(end - at);
  return at;
}

static size_t hex(unsigned char *out, size_t room, const char *text, size_t size) {
  size_t got = 0;
  if (sodium_hex2bin(out, room, text, size, NULL, &got, NULL) != 0) fail("hex");
  return got;
}

static unsigned char *sealed, *plain;
static size_t room;

static size_t open_ciphertext(const char *json, const unsigned char key[32], const char *data,
                              size_t data_size) {
  size_t size, count;
  unsigned char nonce[12];
  const char *text = field(json, "nonce", &size);
  hex(nonce, sizeof nonce, text, size);
  text = field(json, "ciphertext", &size);
  if (size > room) {
    room = 2 * size;
    sealed = realloc(sealed, room);
    plain = realloc(plain, room);
  }
  if (sodium_base642bin(sealed, room, text, size, NULL, &count, NULL,
                        sodium_base64_VARIANT_ORIGINAL) != 0) fail("base64");
  unsigned long long got;
  if (crypto_aead_chacha20poly1305_ietf_decrypt(plain, &got, NULL, sealed, count,
                                                (const unsigned char *)data, data_size, nonce,
                                                key) != 0) {
    fprintf(stderr, "does not authenticate\n");
    exit(1);
  }
  return (size_t)got;
}

static void write_plain(int folder, const char *name, size_t size) {
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || write(file, plain, size) != (ssize_t)size || close(file) != 0) fail(name);
}

static int is_wallet(const struct dirent *entry) {
  return strncmp(entry->d_name, "wallet-", 7) == 0;
}

static long wallets(const char *namespace, const unsigned char master[32], int out) {
  char path[4096];
  unsigned char critical[32], key[32], salt[32];
  hkdf(critical, master, NULL, 0, "cspp:v1:critical");
  snprintf(path, sizeof path, "%s/wallets", namespace);
  DIR *folder = opendir(path);
  if (!folder) fail(path);
  // By name, as keybackup does: the order makes a file system faster or slower.
  struct dirent **entries;
  int count = scandir(path, &entries, is_wallet, alphasort);
  if (count < 0) fail(path);
  for (int at = 0; at < count; at++) {
    const char *name = entries[at]->d_name;
    read_file(dirfd(folder), name);
    size_t size;
    const char *text = field(buffer, "wallet_salt", &size);
    hex(salt, sizeof salt, text, size);
    hkdf(key, critical, salt, sizeof salt, "cspp:v1:wallet");
    size = open_ciphertext(buffer, key, NULL, 0);
    if (out >= 0) write_plain(out, name, size);
    free(entries[at]);
  }
  free(entries);
  closedir(folder);
  return count;
}

static long operations(const char *namespace, const unsigned char master[32]) {
  char path[4096], info[128];
  unsigned char key[32];
  long done = 0;
  snprintf(path, sizeof path, "%s/keybackup/log", namespace);
  DIR *writers = opendir(path);
  if (!writers) fail(path);
  for (struct dirent *writer; (writer = readdir(writers));) {
    if (strlen(writer->d_name) != 32) continue;
    snprintf(path, sizeof path, "%s/keybackup/log/%s", namespace, writer->d_name);
    DIR *folder = opendir(path);
    if (!folder) fail(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
      if (entry->d_name[0] == '.') continue;
      read_file(dirfd(folder), entry->d_name);
      snprintf(info, sizeof info, "keybackup:v1:op:%s:%ld", writer->d_name,
               strtol(entry->d_name, NULL, 10));
      hkdf(key, master, NULL, 0, info);
      size_t size;
      const char *data = field(buffer, "protected", &size);
      open_ciphertext(buffer, key, data, size);
      done++;
    }
    closedir(folder);
  }
  closedir(writers);
  return done;
}

int main(int count, char **arguments) {
  unsigned char master[32];
  int log = 0, out = -1;
  if (count > 3 && strcmp(arguments[count - 1], "--log") == 0) log = count--;
  if (count < 3 || sodium_init() < 0) return 64;
  hex(master, sizeof master, arguments[2], strlen(arguments[2]));
  if (count > 3) {
    if (mkdir(arguments[3], 0700) != 0) fail(arguments[3]);
    out = open(arguments[3], O_RDONLY | O_DIRECTORY);
  }
  long opened = log ? operations(arguments[1], master) : 0;
  printf("%ld wallets, %ld operations\n", wallets(arguments[1], master, out), opened);
  return 0;
}
