#ifndef PARHELION_CSQLITE_REFERENCE_H
#define PARHELION_CSQLITE_REFERENCE_H
#include <stddef.h>
#include <stdint.h>

/* The benchmarks' workloads as plain calls of SQLite's C interface: what the driver is measured against. */

/// A text or blob with its length, as C code would hold it.
typedef struct parhelion_reference_bytes {
  const char *bytes;
  int32_t count;
} parhelion_reference_bytes;

/// An open database of the reference.
typedef struct parhelion_reference parhelion_reference;

/// Opens a database in memory as the driver does, without SQLite's mutex. Null on failure.
parhelion_reference *parhelion_reference_open(void);

/// Closes it. Null is allowed.
void parhelion_reference_close(parhelion_reference *reference);

/// Runs a script. Returns SQLite's result code.
int parhelion_reference_execute(parhelion_reference *reference, const char *sql);

/// Inserts `rows` rows of eight columns in one transaction, taking texts and blobs in turn. Returns SQLite's result code.
int parhelion_reference_insert(
  parhelion_reference *reference, const char *sql, int64_t rows, const parhelion_reference_bytes *names,
  const parhelion_reference_bytes *notes, const parhelion_reference_bytes *blobs, int64_t variety);

/// Steps through all rows and reads all eight columns in place. Returns SQLite's result code.
int parhelion_reference_read(parhelion_reference *reference, const char *sql, int64_t *checksum);

/* The workloads of the object graph's benchmarks as plain calls of SQLite's C interface, on tables of the same layout. */

/// Opens a database file as a store does, in WAL mode. Null on failure.
parhelion_reference *parhelion_objects_open(const char *path);

/// The contents of rows; they repeat after `variety` rows.
typedef struct parhelion_objects_values {
  const parhelion_reference_bytes *titles;
  const parhelion_reference_bytes *bodies;
  const parhelion_reference_bytes *marks;
  int64_t variety;
} parhelion_objects_values;

/// Inserts rows with the keys from 1, all in one transaction. `sql` has the parameters key, flag, count, number, date,
/// score, body, title, mark, and, where `perParent` is not 0, parent. `history`, if it is not null, is run for every row
/// with the parameters change key and row key. Returns SQLite's result code.
int parhelion_objects_insert(
  parhelion_reference *reference, const char *sql, const char *history, int64_t rows, int64_t perParent,
  const parhelion_objects_values *values);

/// Steps through the rows of a query that selects key, version, flag, count, number, date, score, body, title, mark, and
/// reads all columns. With `lookups` above 0 the query is run that many times, with the numbers from 0 in turn as its
/// parameter. Returns SQLite's result code.
int parhelion_objects_read(
  parhelion_reference *reference, const char *sql, int64_t lookups, int64_t *rows, int64_t *checksum);

/// Runs a statement with the parameters value, new version, key, old version for the keys from 1, in one transaction.
int parhelion_objects_update(parhelion_reference *reference, const char *sql, int64_t rows, int64_t version);

/// Runs a statement with the parameters key and version for the keys from 1, in the transaction of the caller.
int parhelion_objects_delete(parhelion_reference *reference, const char *sql, int64_t rows);

/// The bytes of the heap that are in use, large blocks included.
int64_t parhelion_heap_bytes(void);
#endif
