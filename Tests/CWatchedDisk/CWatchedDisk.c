/* A VFS whose files are the system's with three methods replaced. Our data about a file follows it
 * in memory. */
#include "CWatchedDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int isWatching;
static watched_event *events;
static int64_t eventCount, eventRoom;
static char *paths[MOST_FILES];
static int32_t pathCount;

static sqlite3_vfs *system_;
static sqlite3_vfs watching;

/* A method table of the system and its replacement. The system has one table for files with locks
 * and one for files without. */
typedef struct {
  const sqlite3_io_methods *real;
  sqlite3_io_methods watched;
} table;
static table tables[4];

/* Our data about a file. */
typedef struct {
  const sqlite3_io_methods *real;
  int32_t number;
} file_data;

static file_data *dataOf(sqlite3_file *file) {
  return (file_data *)((char *)file + (system_->szOsFile + 7) / 8 * 8);
}

/* Requires the mutex. */
static void append(int32_t kind, int32_t file, int64_t place, const void *bytes, int64_t count) {
  if (!isWatching) return;
  if (eventCount == eventRoom) {
    eventRoom = eventRoom ? 2 * eventRoom : 4096;
    events = realloc(events, (size_t)eventRoom * sizeof *events);
    if (!events) abort();
  }
  uint8_t *copy = 0;
  if (count > 0) {
    copy = malloc((size_t)count);
    if (!copy) abort();
    memcpy(copy, bytes, (size_t)count);
  }
  events[eventCount++] = (watched_event){kind, file, place, count, copy};
}

static int watchedWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
  pthread_mutex_lock(&mutex);
  append(WATCHED_WRITE, dataOf(file)->number, place, bytes, count);
  int code = dataOf(file)->real->xWrite(file, bytes, count, place);
  pthread_mutex_unlock(&mutex);
  return code;
}

static int watchedTruncate(sqlite3_file *file, sqlite3_int64 size) {
  pthread_mutex_lock(&mutex);
  append(WATCHED_TRUNCATE, dataOf(file)->number, size, 0, 0);
  int code = dataOf(file)->real->xTruncate(file, size);
  pthread_mutex_unlock(&mutex);
  return code;
}

/* The sync covers only the events before it began: concurrent writes may not be on the disk. */
static int watchedSync(sqlite3_file *file, int flags) {
  pthread_mutex_lock(&mutex);
  int64_t before = eventCount;
  pthread_mutex_unlock(&mutex);
  int code = dataOf(file)->real->xSync(file, flags);
  pthread_mutex_lock(&mutex);
  if (code == SQLITE_OK) append(WATCHED_SYNC, dataOf(file)->number, before, 0, 0);
  pthread_mutex_unlock(&mutex);
  return code;
}

/* Requires the mutex. */
static int32_t numberOf(const char *path) {
  for (int32_t file = 0; file < pathCount; file++)
    if (strcmp(paths[file], path) == 0) return file;
  if (pathCount == MOST_FILES) abort();
  paths[pathCount] = strdup(path);
  return pathCount++;
}

/* Requires the mutex. */
static const sqlite3_io_methods *watchedTable(const sqlite3_io_methods *real) {
  table *found = tables;
  while (found->real && found->real != real) found++;
  if (found == tables + 3) abort();
  if (!found->real) {
    found->real = real;
    found->watched = *real;
    found->watched.xWrite = watchedWrite;
    found->watched.xTruncate = watchedTruncate;
    found->watched.xSync = watchedSync;
  }
  return &found->watched;
}

static int openWatched(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                       int *given) {
  int code = system_->xOpen(files, name, file, flags, given);
  if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) return code;
  pthread_mutex_lock(&mutex);
  if (isWatching) {
    dataOf(file)->number = numberOf(name);
    dataOf(file)->real = file->pMethods;
    file->pMethods = watchedTable(file->pMethods);
  }
  pthread_mutex_unlock(&mutex);
  return code;
}

int watched_disk_install(void) {
  int code = sqlite3_initialize();
  system_ = sqlite3_vfs_find(0);
  if (code != SQLITE_OK || !system_) return code != SQLITE_OK ? code : SQLITE_ERROR;
  watching = *system_;
  watching.pNext = 0;
  watching.zName = "watched";
  watching.szOsFile = system_->szOsFile + 8 + (int)sizeof(file_data);
  watching.xOpen = openWatched;
  isWatching = 1;
  return sqlite3_vfs_register(&watching, 1);
}

void watched_disk_remove(void) {
  pthread_mutex_lock(&mutex);
  isWatching = 0;
  pthread_mutex_unlock(&mutex);
  sqlite3_vfs_register(system_, 1);
}

void watched_disk_note(int64_t number) {
  pthread_mutex_lock(&mutex);
  append(WATCHED_NOTE, -1, number, 0, 0);
  pthread_mutex_unlock(&mutex);
}

/* A read during a write would see an array that the write reallocates. What is recorded stays. */
int64_t watched_disk_event_count(void) {
  pthread_mutex_lock(&mutex);
  int64_t count = eventCount;
  pthread_mutex_unlock(&mutex);
  return count;
}

watched_event watched_disk_event(int64_t number) {
  pthread_mutex_lock(&mutex);
  watched_event event = events[number];
  pthread_mutex_unlock(&mutex);
  return event;
}

int32_t watched_disk_file_count(void) {
  pthread_mutex_lock(&mutex);
  int32_t count = pathCount;
  pthread_mutex_unlock(&mutex);
  return count;
}

const char *watched_disk_path(int32_t file) {
  pthread_mutex_lock(&mutex);
  const char *path = paths[file];
  pthread_mutex_unlock(&mutex);
  return path;
}
