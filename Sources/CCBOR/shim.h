// libcbor, opened when it is first used: `keybackup` is not linked to it (docs/decisions/0044).
//
// Its streaming decoder allocates nothing and copies nothing. (The other one, cbor_load, allocates
// as much as a crafted header announces: docs/decisions/0010.)
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <cbor.h>

/// What one step of the decoder found.
enum keybackup_cbor_kind {
  keybackup_cbor_other,
  keybackup_cbor_number,
  keybackup_cbor_bytes,
  keybackup_cbor_text,
  keybackup_cbor_array,
  keybackup_cbor_map
};

struct keybackup_cbor_item {
  enum keybackup_cbor_kind kind;
  /// The number; or how many bytes, elements or pairs.
  uint64_t value;
};

static inline void keybackup_cbor_set(
    void *context, enum keybackup_cbor_kind kind, uint64_t value) {
  struct keybackup_cbor_item *item = context;
  item->kind = kind;
  item->value = value;
}

static inline void keybackup_cbor_on_8(void *context, uint8_t value) {
  keybackup_cbor_set(context, keybackup_cbor_number, value);
}
static inline void keybackup_cbor_on_16(void *context, uint16_t value) {
  keybackup_cbor_set(context, keybackup_cbor_number, value);
}
static inline void keybackup_cbor_on_32(void *context, uint32_t value) {
  keybackup_cbor_set(context, keybackup_cbor_number, value);
}
static inline void keybackup_cbor_on_64(void *context, uint64_t value) {
  keybackup_cbor_set(context, keybackup_cbor_number, value);
}
static inline void keybackup_cbor_on_bytes(void *context, cbor_data start, uint64_t count) {
  keybackup_cbor_set(context, keybackup_cbor_bytes, count);
}
static inline void keybackup_cbor_on_text(void *context, cbor_data start, uint64_t count) {
  keybackup_cbor_set(context, keybackup_cbor_text, count);
}
static inline void keybackup_cbor_on_array(void *context, uint64_t count) {
  keybackup_cbor_set(context, keybackup_cbor_array, count);
}
static inline void keybackup_cbor_on_map(void *context, uint64_t count) {
  keybackup_cbor_set(context, keybackup_cbor_map, count);
}

/// The decoder, and what it calls for each kind of item.
struct keybackup_cbor {
  __typeof__(cbor_stream_decode) *cbor_stream_decode;
  struct cbor_callbacks callbacks;
};

/// Finds the functions in a shared library, which then stays open; 0 if it lacks one or is
/// not there.
static inline int keybackup_open_cbor(const char *library, struct keybackup_cbor *found) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  found->cbor_stream_decode =
      (__typeof__(cbor_stream_decode) *)dlsym(handle, "cbor_stream_decode");
  const struct cbor_callbacks *empty = dlsym(handle, "cbor_empty_callbacks");
  if (!found->cbor_stream_decode || !empty) return 0;
  found->callbacks = *empty;
  found->callbacks.uint8 = keybackup_cbor_on_8;
  found->callbacks.uint16 = keybackup_cbor_on_16;
  found->callbacks.uint32 = keybackup_cbor_on_32;
  found->callbacks.uint64 = keybackup_cbor_on_64;
  found->callbacks.byte_string = keybackup_cbor_on_bytes;
  found->callbacks.string = keybackup_cbor_on_text;
  found->callbacks.array_start = keybackup_cbor_on_array;
  found->callbacks.map_start = keybackup_cbor_on_map;
  return 1;
}

/// Reads one item at the start of `source`.
///
/// Returns its size in bytes, 0 if it is damaged or not all there. Of an array or a map that is
/// the size of its header: the elements follow as items.
static inline size_t keybackup_cbor_next(
    const struct keybackup_cbor *cbor, const unsigned char *source, size_t size,
    struct keybackup_cbor_item *item) {
  item->kind = keybackup_cbor_other;
  item->value = 0;
  struct cbor_decoder_result result =
      cbor->cbor_stream_decode(source, size, &cbor->callbacks, item);
  return result.status == CBOR_DECODER_FINISHED ? result.read : 0;
}

/// Reads `count` items that are numbers of one byte into `output`.
///
/// Returns their size in bytes, 0 if one is not there or is something else.
static inline size_t keybackup_cbor_numbers(
    const struct keybackup_cbor *cbor, const unsigned char *source, size_t size,
    unsigned char *output, size_t count) {
  size_t position = 0;
  for (size_t index = 0; index < count; index += 1) {
    struct keybackup_cbor_item item;
    size_t read = keybackup_cbor_next(cbor, source + position, size - position, &item);
    if (!read || item.kind != keybackup_cbor_number || item.value > 255) return 0;
    output[index] = (unsigned char)item.value;
    position += read;
  }
  return position;
}
