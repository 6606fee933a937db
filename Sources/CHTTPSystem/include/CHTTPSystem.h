#ifndef PARHELION_HTTP_SYSTEM_H
#define PARHELION_HTTP_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls of Linux that the Glibc module does not show. Each returns what the call returns, or the negative error number.

/// What a descriptor is ready for, and what was registered with it.
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

/// A counter that can be polled: writing to it wakes whoever waits.
int parhelion_wake_create(void);

/// Accepts a connection that neither blocks nor is inherited; the address is a sockaddr of at least `capacity` bytes.
int parhelion_accept(int listener, void *address, uint32_t capacity);

/// Sends bytes of a file; the place moves behind them.
ssize_t parhelion_send_file(int socket, int file, int64_t *place, size_t count);

/// Keeps up to so many freed bytes of each part of the heap for the next use, instead of giving them to the system at once.
void parhelion_keep_memory(int bytes);

/// What `errno` is on this thread. Swift's view of it is a macro.
int parhelion_error(void);

#endif
