#define _GNU_SOURCE
#include "CHTTPSystem.h"

#include <errno.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

_Static_assert(PARHELION_INPUT == EPOLLIN, "must equal EPOLLIN");
_Static_assert(PARHELION_OUTPUT == EPOLLOUT, "must equal EPOLLOUT");
_Static_assert(PARHELION_ERROR == EPOLLERR, "must equal EPOLLERR");
_Static_assert(PARHELION_HANG_UP == EPOLLHUP, "must equal EPOLLHUP");
_Static_assert(PARHELION_PEER_CLOSED == EPOLLRDHUP, "must equal EPOLLRDHUP");

static int result(int value) { return value < 0 ? -errno : value; }

int parhelion_poll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int poll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data = {.u64 = token}};
  return result(epoll_ctl(poll, operation, descriptor, &event));
}

int parhelion_poll_add(int poll, int descriptor, uint32_t events, uint64_t token) {
  return control(poll, EPOLL_CTL_ADD, descriptor, events, token);
}

int parhelion_poll_change(int poll, int descriptor, uint32_t events, uint64_t token) {
  return control(poll, EPOLL_CTL_MOD, descriptor, events, token);
}

int parhelion_poll_remove(int poll, int descriptor) {
  return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

enum { LARGEST_BATCH = 256 };

int parhelion_poll_wait(int poll, parhelion_ready *ready, int capacity, int timeout_milliseconds) {
  struct epoll_event events[LARGEST_BATCH];
  if (capacity > LARGEST_BATCH) capacity = LARGEST_BATCH;
  int count = epoll_wait(poll, events, capacity, timeout_milliseconds);
  if (count < 0) return -errno;
  for (int index = 0; index < count; index++) {
    ready[index].token = events[index].data.u64;
    ready[index].events = events[index].events;
  }
  return count;
}

int parhelion_wake_create(void) { return result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int parhelion_accept(int listener, void *address, uint32_t capacity) {
  socklen_t length = capacity;
  return result(accept4(listener, address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

ssize_t parhelion_send_file(int socket, int file, int64_t *place, size_t count) {
  off_t offset = *place;
  ssize_t sent = sendfile(socket, file, &offset, count);
  if (sent < 0) return -errno;
  *place = offset;
  return sent;
}

int parhelion_error(void) { return errno; }

void parhelion_keep_memory(int bytes) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, bytes);
  mallopt(M_TRIM_THRESHOLD, bytes);
#else
  (void)bytes;
#endif
}
