#ifndef PARHELION_CSQLITE_REFERENCE_H
#define PARHELION_CSQLITE_REFERENCE_H
#include <stddef.h>
#include <stdint.h>

/* The workloads of the benchmarks as plain calls of SQLite's C interface: the reference to which
 * the times of the driver are compared. */

/// A text or blob with its length, as C code would hold it.
typedef struct parhelion_reference_bytes {
  const char *bytes;
  int32_t count;
} parhelion_reference_bytes;

/// An open database of the reference.
typedef struct parhelion_reference parhelion_reference;

/// Opens a database in memory as the driver does, without SQLite's mutex. Returns null on failure.
parhelion_reference *parhelion_reference_open(void);

/// Closes a database. Null is allowed.
void parhelion_reference_close(parhelion_reference *reference);

/// Runs a script. Returns SQLite's result code.
int parhelion_reference_execute(parhelion_reference *reference, const char *sql);

/// Inserts `rows` rows of eight columns in one transaction. Texts and blobs repeat after `variety`
/// rows. Returns SQLite's result code.
int parhelion_reference_insert(
  parhelion_reference *reference, const char *sql, int64_t rows,
  const parhelion_reference_bytes *names, const parhelion_reference_bytes *notes,
  const parhelion_reference_bytes *blobs, int64_t variety);

/// Reads all eight columns of all rows, without copies. Returns SQLite's result code.
int parhelion_reference_read(parhelion_reference *reference, const char *sql, int64_t *checksum);

/* The workloads of the benchmarks of managed objects, also in plain C, on tables with the layout of
 * a store. */

/// Opens a database file as a store does, in WAL mode. Returns null on failure.
parhelion_reference *parhelion_objects_open(const char *path);

/// The contents of rows; they repeat after `variety` rows.
typedef struct parhelion_objects_values {
  const parhelion_reference_bytes *titles;
  const parhelion_reference_bytes *bodies;
  const parhelion_reference_bytes *marks;
  int64_t variety;
} parhelion_objects_values;

/// Inserts rows with the keys from 1, all in one transaction.
///
/// The parameters of `sql` are key, flag, count, number, date, score, body, title, mark and, if
/// `per_parent` is not 0, parent. `history`, if it is not null, is run after each row with the
/// parameters change key and row key. Returns SQLite's result code.
int parhelion_objects_insert(
  parhelion_reference *reference, const char *sql, const char *history, int64_t rows,
  int64_t per_parent, const parhelion_objects_values *values);

/// Runs a query and reads all columns of its rows.
///
/// The columns are key, version, flag, count, number, date, score, body, title and mark. If
/// `lookups` is above 0, the query is run that many times, and its parameter counts up from 0.
/// Returns SQLite's result code.
int parhelion_objects_read(
  parhelion_reference *reference, const char *sql, int64_t lookups, int64_t *rows,
  int64_t *checksum);

/// Runs a statement for each key from 1, in one transaction. Its parameters are value, new version,
/// key and old version. Returns SQLite's result code.
int parhelion_objects_update(
  parhelion_reference *reference, const char *sql, int64_t rows, int64_t version);

/// Runs a statement for each key from 1, in the caller's transaction. Its parameters are key and
/// version. Returns SQLite's result code.
int parhelion_objects_delete(parhelion_reference *reference, const char *sql, int64_t rows);

/// The number of bytes in use on the heap, including large blocks.
int64_t parhelion_heap_bytes(void);
#endif
