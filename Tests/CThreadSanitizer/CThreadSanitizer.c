// Shows contended mutexes to the thread sanitizer.
//
// `Synchronization.Mutex` locks and unlocks with atomic operations that are inlined into its users,
// where the sanitizer sees them. Under contention it calls the library instead: the kernel passes
// the mutex from one thread to the other (`FUTEX_LOCK_PI`), the library is not instrumented, and
// every access under the mutex looks like a race. The two functions below replace the library's
// functions, call them, and report the event for that mutex. Nothing is suppressed: unsynchronized
// accesses are still races, which tests prove.
//
// A program's definition of a symbol takes precedence over that of a shared library, so it is
// enough to link this file.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CThreadSanitizer.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(IS_SANITIZED) && defined(__linux__)

#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

typedef METHOD void lock_method(uint32_t thread, SELF);
typedef METHOD void unlock_method(SELF);

METHOD void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
METHOD void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static unsigned long contended = 0;

/// Returns the library's function with a name, cached in `remembered`.
static void *original(const char *name, void **remembered) {
  void *function = __atomic_load_n(remembered, __ATOMIC_RELAXED);
  if (function != NULL) {
    return function;
  }
  function = dlsym(RTLD_NEXT, name);
  if (function == NULL) {
    fprintf(stderr, "Parhelion: Swift's Synchronization library has no function %s.\n", name);
    abort();
  }
  __atomic_store_n(remembered, function, __ATOMIC_RELAXED);
  return function;
}

METHOD void lock_slow(uint32_t thread, SELF) {
  static void *remembered;
  lock_method *lock = (lock_method *)original(LOCK_SLOW, &remembered);
  __atomic_add_fetch(&contended, 1, __ATOMIC_RELAXED);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

METHOD void unlock_slow(SELF) {
  static void *remembered;
  unlock_method *unlock = (unlock_method *)original(UNLOCK_SLOW, &remembered);
  __tsan_release(mutex);
  unlock(mutex);
}

bool parhelion_thread_sanitizer_is_on(void) { return true; }

unsigned long parhelion_contended_locks(void) {
  return __atomic_load_n(&contended, __ATOMIC_RELAXED);
}

#else

bool parhelion_thread_sanitizer_is_on(void) { return false; }

unsigned long parhelion_contended_locks(void) { return 0; }

#endif
