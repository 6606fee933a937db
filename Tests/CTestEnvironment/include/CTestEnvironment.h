#ifndef PARHELION_TEST_ENVIRONMENT_H
#define PARHELION_TEST_ENVIRONMENT_H

// It is enough to link this target: see CTestEnvironment.c.

#endif
