#ifndef PARHELION_TEST_ENVIRONMENT_H
#define PARHELION_TEST_ENVIRONMENT_H

// Linking this target is enough: see CTestEnvironment.c.

#endif
