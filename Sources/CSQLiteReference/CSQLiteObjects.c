#include "CSQLiteReference.h"

#include <malloc.h>
#include <sqlite3.h>

static sqlite3 *handle(parhelion_reference *reference) { return (sqlite3 *)reference; }

parhelion_reference *parhelion_objects_open(const char *path) {
  sqlite3 *opened = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    | SQLITE_OPEN_EXRESCODE;
  const char *settings =
    "PRAGMA journal_mode=wal; PRAGMA cache_size=1000; PRAGMA recursive_triggers=1";
  if (sqlite3_open_v2(path, &opened, flags, NULL) != SQLITE_OK
      || sqlite3_exec(opened, settings, NULL, NULL, NULL) != SQLITE_OK) {
    sqlite3_close(opened);
    return NULL;
  }
  return (parhelion_reference *)opened;
}

static int prepare(sqlite3 *connection, const char *sql, sqlite3_stmt **statement) {
  return sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

/* Commits if the code is SQLITE_OK, and rolls back otherwise. Returns the first error. */
static int finish(sqlite3 *connection, int code) {
  if (code == SQLITE_OK) return sqlite3_exec(connection, "COMMIT", NULL, NULL, NULL);
  sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
  return code;
}

static int bind_row(
  sqlite3_stmt *statement, int64_t row, int64_t per_parent,
  const parhelion_objects_values *values) {
  int64_t turn = row % values->variety;
  const parhelion_reference_bytes *body = &values->bodies[turn], *title = &values->titles[turn];
  const parhelion_reference_bytes *mark = &values->marks[turn];
  int code = sqlite3_bind_int64(statement, 1, row + 1);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, row & 1);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 3, turn);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 4, row);
  if (code == SQLITE_OK) code = sqlite3_bind_double(statement, 5, (double)row);
  if (code == SQLITE_OK) code = sqlite3_bind_double(statement, 6, (double)row * 0.5);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(statement, 7, body->bytes, body->count, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(statement, 8, title->bytes, title->count, SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_blob(statement, 9, mark->bytes, mark->count, SQLITE_STATIC);
  if (code == SQLITE_OK && per_parent > 0)
    code = sqlite3_bind_int64(statement, 10, row / per_parent + 1);
  return code;
}

static int step_and_reset(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  return code == SQLITE_DONE ? sqlite3_reset(statement) : code;
}

int parhelion_objects_insert(
  parhelion_reference *reference, const char *sql, const char *history, int64_t rows,
  int64_t per_parent, const parhelion_objects_values *values) {
  sqlite3 *connection = handle(reference);
  int code = sqlite3_exec(connection, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *statement = NULL, *change = NULL;
  code = prepare(connection, sql, &statement);
  if (code == SQLITE_OK && history) code = prepare(connection, history, &change);
  for (int64_t row = 0; row < rows && code == SQLITE_OK; row++) {
    code = bind_row(statement, row, per_parent, values);
    if (code == SQLITE_OK) code = step_and_reset(statement);
    if (code != SQLITE_OK || !change) continue;
    code = sqlite3_bind_int64(change, 1, row + 1);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(change, 2, row + 1);
    if (code == SQLITE_OK) code = step_and_reset(change);
  }
  sqlite3_finalize(statement);
  sqlite3_finalize(change);
  return finish(connection, code);
}

/* Uses the first byte and the length, so that the bytes are read but not processed. */
static int64_t touch(const unsigned char *bytes, int count) {
  return count > 0 ? bytes[0] + count : 0;
}

static int64_t read_row(sqlite3_stmt *statement) {
  int64_t sum = sqlite3_column_int64(statement, 0) + sqlite3_column_int64(statement, 1);
  sum += sqlite3_column_int64(statement, 2) + sqlite3_column_int64(statement, 3)
    + sqlite3_column_int64(statement, 4);
  sum += (int64_t)(sqlite3_column_double(statement, 5) + sqlite3_column_double(statement, 6));
  const unsigned char *body = sqlite3_column_text(statement, 7);
  sum += touch(body, sqlite3_column_bytes(statement, 7));
  const unsigned char *title = sqlite3_column_text(statement, 8);
  sum += touch(title, sqlite3_column_bytes(statement, 8));
  const unsigned char *mark = sqlite3_column_blob(statement, 9);
  return sum + touch(mark, sqlite3_column_bytes(statement, 9));
}

int parhelion_objects_read(
  parhelion_reference *reference, const char *sql, int64_t lookups, int64_t *rows,
  int64_t *checksum) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(handle(reference), sql, &statement);
  int64_t count = 0, sum = 0;
  for (int64_t turn = 0; turn < (lookups > 0 ? lookups : 1) && code == SQLITE_OK; turn++) {
    if (lookups > 0) code = sqlite3_bind_int64(statement, 1, turn);
    if (code != SQLITE_OK) break;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      sum += read_row(statement);
      count++;
    }
    if (code == SQLITE_DONE) code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  *rows = count;
  *checksum = sum;
  return code;
}

int parhelion_objects_update(
  parhelion_reference *reference, const char *sql, int64_t rows, int64_t version) {
  sqlite3 *connection = handle(reference);
  int code = sqlite3_exec(connection, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *statement = NULL;
  code = prepare(connection, sql, &statement);
  for (int64_t row = 0; row < rows && code == SQLITE_OK; row++) {
    code = sqlite3_bind_int64(statement, 1, row + version);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, version + 1);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 3, row + 1);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 4, version);
    if (code == SQLITE_OK) code = step_and_reset(statement);
  }
  sqlite3_finalize(statement);
  return finish(connection, code);
}

int parhelion_objects_delete(parhelion_reference *reference, const char *sql, int64_t rows) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(handle(reference), sql, &statement);
  for (int64_t row = 0; row < rows && code == SQLITE_OK; row++) {
    code = sqlite3_bind_int64(statement, 1, row + 1);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, 1);
    if (code == SQLITE_OK) code = step_and_reset(statement);
  }
  sqlite3_finalize(statement);
  return code;
}

int64_t parhelion_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}
