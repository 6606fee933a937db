#ifndef PARHELION_THREAD_SANITIZER_H
#define PARHELION_THREAD_SANITIZER_H

#include <stdbool.h>

/// Whether this program runs under the thread sanitizer.
bool parhelion_thread_sanitizer_is_on(void);

/// The number of times that a thread of this program had to wait for a mutex.
///
/// The count rises before the thread waits, and only under the thread sanitizer.
unsigned long parhelion_contended_locks(void);

#endif
