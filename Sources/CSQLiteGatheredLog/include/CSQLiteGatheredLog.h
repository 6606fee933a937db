#ifndef PARHELION_CSQLITE_GATHERED_LOG_H
#define PARHELION_CSQLITE_GATHERED_LOG_H

/* A VFS that gathers the writes to the write-ahead log. It is C because SQLite calls it through
 * tables of functions. */

/// The name of the VFS for `sqlite3_open_v2`.
#define PARHELION_GATHERED_LOG "parhelion-gathered-log"

/// Registers the VFS with SQLite under its name. Call it once. Returns SQLite's result code.
int parhelion_gathered_log_register(void);

#endif
