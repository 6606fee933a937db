#include "CSQLiteReference.h"

#include <sqlite3.h>

/* The reference is SQLite's own connection, so that no wrapper adds to the measured time. */
static sqlite3 *handle(parhelion_reference *reference) { return (sqlite3 *)reference; }

parhelion_reference *parhelion_reference_open(void) {
  sqlite3 *opened = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(":memory:", &opened, flags, NULL) != SQLITE_OK) {
    sqlite3_close(opened);
    return NULL;
  }
  return (parhelion_reference *)opened;
}

void parhelion_reference_close(parhelion_reference *reference) { sqlite3_close(handle(reference)); }

int parhelion_reference_execute(parhelion_reference *reference, const char *sql) {
  return sqlite3_exec(handle(reference), sql, NULL, NULL, NULL);
}

int parhelion_reference_insert(
  parhelion_reference *reference, const char *sql, int64_t rows,
  const parhelion_reference_bytes *names, const parhelion_reference_bytes *notes,
  const parhelion_reference_bytes *blobs, int64_t variety) {
  sqlite3 *connection = handle(reference);
  int code = sqlite3_exec(connection, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *statement = NULL;
  code = sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  for (int64_t row = 0; row < rows && code == SQLITE_OK; row++) {
    int64_t turn = row % variety;
    if ((code = sqlite3_bind_int64(statement, 1, row + 1)) != SQLITE_OK) break;
    if ((code = sqlite3_bind_int64(statement, 2, 1)) != SQLITE_OK) break;
    if ((code = sqlite3_bind_int64(statement, 3, turn)) != SQLITE_OK) break;
    code = sqlite3_bind_text(statement, 4, names[turn].bytes, names[turn].count, SQLITE_STATIC);
    if (code != SQLITE_OK) break;
    code = sqlite3_bind_text(statement, 5, notes[turn].bytes, notes[turn].count, SQLITE_STATIC);
    if (code != SQLITE_OK) break;
    if ((code = sqlite3_bind_double(statement, 6, (double)row * 0.5)) != SQLITE_OK) break;
    if ((code = sqlite3_bind_double(statement, 7, (double)row * 1.25)) != SQLITE_OK) break;
    code = sqlite3_bind_blob(statement, 8, blobs[turn].bytes, blobs[turn].count, SQLITE_STATIC);
    if (code != SQLITE_OK) break;
    if ((code = sqlite3_step(statement)) != SQLITE_DONE) break;
    code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_OK) {
    sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
    return code;
  }
  return sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
}

/* Uses the first byte and the length, so that the bytes are read but not processed. */
static int64_t touch(const unsigned char *bytes, int count) {
  return count > 0 ? bytes[0] + count : 0;
}

int parhelion_reference_read(parhelion_reference *reference, const char *sql, int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v3(
    handle(reference), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  if (code != SQLITE_OK) return code;
  int64_t integers = 0;
  double reals = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    integers += sqlite3_column_int64(statement, 0);
    integers += sqlite3_column_int64(statement, 1);
    integers += sqlite3_column_int64(statement, 2);
    const unsigned char *name = sqlite3_column_text(statement, 3);
    integers += touch(name, sqlite3_column_bytes(statement, 3));
    const unsigned char *note = sqlite3_column_text(statement, 4);
    integers += touch(note, sqlite3_column_bytes(statement, 4));
    reals += sqlite3_column_double(statement, 5);
    reals += sqlite3_column_double(statement, 6);
    const unsigned char *blob = sqlite3_column_blob(statement, 7);
    integers += touch(blob, sqlite3_column_bytes(statement, 7));
  }
  sqlite3_finalize(statement);
  *checksum = integers + (int64_t)reals;
  return code == SQLITE_DONE ? SQLITE_OK : code;
}
