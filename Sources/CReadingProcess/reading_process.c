#define _GNU_SOURCE
#include "reading_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int keybackup_send(int socket, const void *bytes, size_t count, int descriptor) {
  const char *rest = bytes;
  while (count > 0) {
    struct iovec part = {(void *)rest, count};
    char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    memset(room, 0, sizeof room);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
      message.msg_control = room;
      message.msg_controllen = sizeof room;
      struct cmsghdr *header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    long sent = syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    rest += sent;
    count -= (size_t)sent;
    descriptor = -1;
  }
  return 0;
}

int keybackup_receive(int socket, void *bytes, size_t count, int *descriptor) {
  char *rest = bytes;
  while (count > 0) {
    struct iovec part = {rest, count};
    char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    long got = syscall(SYS_recvmsg, socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
      int received;
      memcpy(&received, CMSG_DATA(header), sizeof(int));
      if (descriptor && *descriptor < 0) *descriptor = received;
      else syscall(SYS_close, received);
    }
    rest += got;
    count -= (size_t)got;
  }
  return 0;
}

static int keybackup_answer(int socket, int error, int64_t count, int descriptor) {
  struct keybackup_answer answer = {.count = count, .error = error};
  return keybackup_send(socket, &answer, sizeof answer, descriptor);
}

static int keybackup_read_file(int socket, int folder, const char *name, int64_t limit) {
  int file = (int)syscall(
      SYS_openat, folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (file < 0) {
    int not_regular = errno == ELOOP || errno == ENXIO;
    return keybackup_answer(socket, not_regular ? KEYBACKUP_NOT_REGULAR : errno, 0, -1);
  }
  struct stat status;
  int error = fstat(file, &status) == 0 ? 0 : errno;
  if (!error && !S_ISREG(status.st_mode)) error = KEYBACKUP_NOT_REGULAR;
  if (!error && status.st_size > limit) error = KEYBACKUP_TOO_LARGE;
  // The largest size that is allowed, as the file may have grown since.
  size_t room = (size_t)limit + 1, filled = 0;
  void *memory = MAP_FAILED;
  if (!error) {
    memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  while (!error && filled < room) {
    size_t rest = room - filled;
    // In pieces: each request is for the bytes that the file seems to have left.
    size_t expected = (size_t)status.st_size + 1 > filled ? (size_t)status.st_size + 1 - filled
                                                          : 64 * 1024;
    long got = syscall(SYS_pread64, file, (char *)memory + filled,
                       rest < expected ? rest : expected, (long)filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    filled += (size_t)got;
  }
  if (!error && filled > (size_t)limit) error = KEYBACKUP_TOO_LARGE;
  int ended = keybackup_answer(socket, error, error ? 0 : (int64_t)filled, -1);
  if (!error && !ended) ended = keybackup_send(socket, memory, filled, -1);
  if (memory != MAP_FAILED) munmap(memory, room);
  syscall(SYS_close, file);
  return ended;
}

static int keybackup_list(int socket, int folder) {
  int own = (int)syscall(SYS_openat, folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (own < 0) return keybackup_answer(socket, errno, 0, -1);
  char entries[32 * 1024] __attribute__((aligned(8)));
  int ended = 0;
  while (!ended) {
    long got = syscall(SYS_getdents64, own, entries, sizeof entries);
    if (got < 0 && errno == EINTR) continue;
    ended = keybackup_answer(socket, got < 0 ? errno : 0, got < 0 ? 0 : got, -1);
    if (got <= 0) break;
    if (!ended) ended = keybackup_send(socket, entries, (size_t)got, -1);
  }
  syscall(SYS_close, own);
  return ended;
}

/// Serves requests until the other end is closed.
///
/// It uses only system calls: the process from which it was forked may have had other
/// threads, with any lock held.
static void keybackup_serve_reads(int socket) {
  char name[4096];
  struct keybackup_request request;
  for (;;) {
    int folder = -1;
    if (keybackup_receive(socket, &request, sizeof request, &folder) != 0) return;
    if (request.length < 0 || request.length >= (int)sizeof name) return;
    if (keybackup_receive(socket, name, (size_t)request.length, NULL) != 0) return;
    name[request.length] = 0;
    int ended = 0, opened = -1;
    int from = request.operation == KEYBACKUP_OPEN_FOLDER ? AT_FDCWD : folder;
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    switch (request.operation) {
      case KEYBACKUP_OPEN_FILE:
        flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;  // fall through
      case KEYBACKUP_OPEN_SUBFOLDER: flags |= O_NOFOLLOW;  // fall through
      case KEYBACKUP_OPEN_FOLDER:
        opened = (int)syscall(SYS_openat, from, name, flags, 0);
        ended = keybackup_answer(socket, opened < 0 ? errno : 0, 0, opened);
        break;
      case KEYBACKUP_READ_FILE:
        ended = keybackup_read_file(socket, folder, name, request.limit);
        break;
      case KEYBACKUP_LIST: ended = keybackup_list(socket, folder); break;
      case KEYBACKUP_LOOK: {
        struct stat status;
        int found = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
        ended = keybackup_answer(socket, found ? 0 : errno, 0, -1);
        break;
      }
      default: return;
    }
    if (opened >= 0) syscall(SYS_close, opened);
    if (folder >= 0) syscall(SYS_close, folder);
    if (ended != 0) return;
  }
}

int keybackup_start_reading_process(int *socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  int process = fork();
  if (process == 0) {
    // Sets its number first, as everything else is closed.
    int own = ends[1];
    if (own != 3) {
      syscall(SYS_dup3, own, 3, O_CLOEXEC);
      own = 3;
    }
    if (syscall(SYS_close_range, 4u, ~0u, 0u) != 0)
      for (int other = 4; other < 4096; other++) syscall(SYS_close, other);
    for (int other = 0; other < 3; other++) syscall(SYS_close, other);
    keybackup_serve_reads(own);
    for (;;) syscall(SYS_exit_group, 0);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return -1;
  }
  *socket = ends[0];
  return process;
}
