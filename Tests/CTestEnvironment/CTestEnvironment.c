// Enables checks that are off by default.
//
// The function below runs when the tests are loaded, in each of their processes, before any code
// reads the environment. A variable that is already set keeps its value.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CTestEnvironment.h"

#include <stdlib.h>

__attribute__((constructor)) static void prepare(void) {
  setenv("com_apple_CoreData_ConcurrencyDebug", "1", 0);
}
