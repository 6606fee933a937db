#ifndef PARHELION_CSQLITE_SHIM_H
#define PARHELION_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
