// Switches checks on that are off in programs unless they ask for them.
//
// It runs when the tests are loaded, in every process of theirs, before anything has looked at the environment. A
// variable that is set already stays as it is.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CTestEnvironment.h"

#include <stdlib.h>

__attribute__((constructor)) static void prepare(void) {
  setenv("com_apple_CoreData_ConcurrencyDebug", "1", 0);
}
