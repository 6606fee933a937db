#ifndef PARHELION_CSODIUM_SHIM_H
#define PARHELION_CSODIUM_SHIM_H
#include <sodium.h>
#endif
