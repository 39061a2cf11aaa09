// zlib, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <zlib.h>

#define KEYBACKUP_ZLIB(USE) USE(inflateInit2_) USE(inflate) USE(inflateEnd)

/// The functions in use, with the types that zlib's header gives them.
struct keybackup_zlib {
#define KEYBACKUP_USE(name) __typeof__(name) *name;
  KEYBACKUP_ZLIB(KEYBACKUP_USE)
#undef KEYBACKUP_USE
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_zlib(const char *library, struct keybackup_zlib *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEYBACKUP_USE(name) \
  found->name = (__typeof__(name) *)dlsym(handle, #name); \
  if (!found->name) return 0;
  KEYBACKUP_ZLIB(KEYBACKUP_USE)
#undef KEYBACKUP_USE
  return 1;
}

/// The caller's memory for zlib's state and window, which hold pieces of the text.
struct keybackup_zlib_room {
  unsigned char *start;
  size_t size, used;
};

static inline void *keybackup_zlib_take(void *opaque, unsigned count, unsigned size) {
  struct keybackup_zlib_room *room = opaque;
  size_t wanted = ((size_t)count * size + 63) & ~(size_t)63;
  if (wanted > room->size - room->used) return NULL;
  room->used += wanted;
  return room->start + room->used - wanted;
}

static inline void keybackup_zlib_give(void *opaque, void *address) {}

/// Unpacks one gzip member that is all of the input and fills all of the output; 1 if it does,
/// and its checksum and length are right.
static inline int keybackup_gunzip(
    const struct keybackup_zlib *zlib, struct keybackup_zlib_room *room,
    const unsigned char *input, unsigned input_size, unsigned char *output, unsigned output_size) {
  z_stream stream = {0};
  stream.zalloc = keybackup_zlib_take;
  stream.zfree = keybackup_zlib_give;
  stream.opaque = room;
  stream.next_in = (unsigned char *)input;
  stream.avail_in = input_size;
  stream.next_out = output;
  stream.avail_out = output_size;
  /* 16: a gzip header and nothing else. */
  if (zlib->inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, (int)sizeof stream) != Z_OK)
    return 0;
  int ended = zlib->inflate(&stream, Z_FINISH) == Z_STREAM_END;
  zlib->inflateEnd(&stream);
  return ended && stream.avail_in == 0 && stream.avail_out == 0;
}
