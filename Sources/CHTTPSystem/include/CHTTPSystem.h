#ifndef PARHELION_HTTP_SYSTEM_H
#define PARHELION_HTTP_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls of Linux that the Glibc module lacks. A call that can fail returns its result or the
// negative error number.

/// The events that a descriptor is ready for, and the token that was registered with it.
typedef struct {
  uint64_t token;
  uint32_t events;
} parhelion_ready;

enum {
  PARHELION_INPUT = 0x001,
  PARHELION_OUTPUT = 0x004,
  PARHELION_ERROR = 0x008,
  PARHELION_HANG_UP = 0x010,
  PARHELION_PEER_CLOSED = 0x2000,
};

int parhelion_poll_create(void);
int parhelion_poll_add(int poll, int descriptor, uint32_t events, uint64_t token);
int parhelion_poll_change(int poll, int descriptor, uint32_t events, uint64_t token);
int parhelion_poll_remove(int poll, int descriptor);
int parhelion_poll_wait(int poll, parhelion_ready *ready, int capacity, int timeout_milliseconds);

/// Creates a counter that can be polled. A write to it wakes the waiting thread.
int parhelion_wake_create(void);

/// Accepts a connection that does not block and that child processes do not inherit. `address` is a
/// sockaddr of `capacity` bytes.
int parhelion_accept(int listener, void *address, uint32_t capacity);

/// Sends `count` bytes of a file or fewer, and advances `place` by the number of sent bytes.
ssize_t parhelion_send_file(int socket, int file, int64_t *place, size_t count);

/// Keeps up to `bytes` freed bytes of each arena of the heap for the next use, instead of returning
/// them to the system at once.
void parhelion_keep_memory(int bytes);

/// The value of `errno`, which is a macro in C, on this thread.
int parhelion_error(void);

#endif
