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
#endif
