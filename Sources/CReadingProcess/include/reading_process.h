// A process that reads a folder for another one, so that a read which blocks
// blocks nobody but it: a thread that waits for a FUSE program's answer can be
// neither interrupted nor killed, and its process could not end.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
  KEYBACKUP_OPEN_FOLDER = 1,     // at a path: answers with a descriptor
  KEYBACKUP_OPEN_SUBFOLDER = 2,  // in the folder sent along: the same
  KEYBACKUP_READ_FILE = 3,       // in the folder sent along: `count`, so many bytes
  KEYBACKUP_LIST = 4,            // the folder sent along: `count` and so many bytes of
                                 // getdents64(2), again and again until `count` is 0
  KEYBACKUP_LOOK = 5,            // whether a name is in the folder sent along
};

enum {
  KEYBACKUP_NOT_REGULAR = -1,
  KEYBACKUP_TOO_LARGE = -2,
};

struct keybackup_request {
  int64_t limit;
  int32_t operation;
  int32_t length;  // of the name that follows, without a NUL
};

struct keybackup_answer {
  int64_t count;
  int32_t error;  // 0, an errno, or one of the negative numbers above
  int32_t unused;
};

/// Sends bytes and perhaps a descriptor; 0 or -1.
int keybackup_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives exactly `count` bytes, and the descriptor that came along; 0 or -1.
int keybackup_receive(int socket, void *bytes, size_t count, int *descriptor);

/// Starts a process that reads on request.
///
/// It keeps no descriptor but its end of the socket, so that nobody who waits
/// for the end of ours waits for its; memory marked MADV_DONTFORK is not in it.
///
/// \param socket receives our end.
/// \returns its process ID, or -1.
int keybackup_start_reading_process(int *socket);
