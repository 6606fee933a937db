#ifndef PARHELION_CSQLITE_SHIM_H
#define PARHELION_CSQLITE_SHIM_H
#include <sqlite3.h>

/* Wrappers of what Swift cannot import from sqlite3.h: variadic functions and function-pointer
 * constants. */

/// Sets one on/off option of a connection (`SQLITE_DBCONFIG_…`).
static inline int parhelion_sqlite3_db_config_set(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

/// Sets an option of the virtual table that is being connected (`SQLITE_VTAB_INNOCUOUS`,
/// `SQLITE_VTAB_DIRECTONLY`).
static inline int parhelion_sqlite3_vtab_config(sqlite3 *connection, int option) {
  return sqlite3_vtab_config(connection, option);
}

/// The destructor that makes SQLite copy bytes before the call returns.
static inline sqlite3_destructor_type parhelion_sqlite3_transient(void) { return SQLITE_TRANSIENT; }
#endif
