#ifndef PARHELION_CSQLITE_GATHERED_LOG_H
#define PARHELION_CSQLITE_GATHERED_LOG_H

/* SQLite's files with the write-ahead log's writes gathered: C, since SQLite calls it through tables of functions. */

/// The name by which `sqlite3_open_v2` finds these files.
#define PARHELION_GATHERED_LOG "parhelion-gathered-log"

/// Makes the name known to SQLite; called once.
///
/// A code of SQLite is returned.
int parhelion_gathered_log_register(void);

#endif
