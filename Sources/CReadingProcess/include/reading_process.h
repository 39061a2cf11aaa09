// A process that reads a folder for another one, so that a read that never returns blocks
// only this process. A thread that waits for a FUSE program's answer can be neither
// interrupted nor killed, and its process could not end.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
  KEYBACKUP_OPEN_FOLDER = 1,     // at a path: answers with a descriptor
  KEYBACKUP_OPEN_SUBFOLDER = 2,  // in the folder sent along: the same
  KEYBACKUP_READ_FILE = 3,       // in the folder sent along: `count` and this many bytes
  KEYBACKUP_LIST = 4,            // the folder sent along: `count` and this many bytes of
                                 // getdents64(2), again and again until `count` is 0
  KEYBACKUP_LOOK = 5,            // whether a name is in the folder sent along
  KEYBACKUP_OPEN_FILE = 6,       // in the folder sent along: answers with a descriptor
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

/// Sends bytes and optionally a descriptor; returns 0 or -1.
int keybackup_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives exactly `count` bytes, and the descriptor sent with them; returns 0 or -1.
int keybackup_receive(int socket, void *bytes, size_t count, int *descriptor);

/// Starts a process that reads on request.
///
/// It keeps no descriptor except its end of the socket. So a program that waits for our
/// end does not wait for it. Memory marked MADV_DONTFORK is not in it.
///
/// \param socket receives our end.
/// \returns its process ID, or -1.
int keybackup_start_reading_process(int *socket);
