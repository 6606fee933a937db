/* Files of the system's own kind, whose table of methods has some replaced; what this needs to know of a file lies behind it in memory. */
#include "CSimulatedDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

/* The place of the write lock among the locks of the log's index: WAL_WRITE_LOCK. */
enum { WRITE_LOCK = 0 };

/* The system has one table for files with locks and one for those without; others are not expected. */
enum { MOST_TABLES = 4 };

static parhelion_disk_listener heard;
static sqlite3_vfs *theSystem;
static sqlite3_vfs simulated;

/* A table of the system's, and ours in its place. */
typedef struct {
  const sqlite3_io_methods *real;
  sqlite3_io_methods told;
} Table;
static Table tables[MOST_TABLES];
static pthread_mutex_t tablesMutex = PTHREAD_MUTEX_INITIALIZER;

/* What lies behind a file. */
typedef struct {
  const sqlite3_io_methods *real;
  void *number;
} Behind;

static Behind *behind(sqlite3_file *file) { return (Behind *)((char *)file + (theSystem->szOsFile + 7) / 8 * 8); }

static int writeTold(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
  heard.writes(behind(file)->number, place, bytes, count);
  return behind(file)->real->xWrite(file, bytes, count, place);
}

static int truncateTold(sqlite3_file *file, sqlite3_int64 size) {
  heard.resizes(behind(file)->number, size);
  return behind(file)->real->xTruncate(file, size);
}

/* What a world writes need not outlive its process. */
static int syncTold(sqlite3_file *file, int flags) {
  (void)flags;
  heard.synced(behind(file)->number);
  return SQLITE_OK;
}

static int shmLockTold(sqlite3_file *file, int first, int count, int flags) {
  int code = behind(file)->real->xShmLock(file, first, count, flags);
  int letsGo = (flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE);
  if (code == SQLITE_OK && letsGo && first == WRITE_LOCK && count == 1) heard.ended(behind(file)->number);
  return code;
}

static int closeTold(sqlite3_file *file) {
  heard.closed(behind(file)->number);
  return behind(file)->real->xClose(file);
}

/* NULL where the system has more tables than it has. */
static const sqlite3_io_methods *toldTable(const sqlite3_io_methods *real) {
  pthread_mutex_lock(&tablesMutex);
  Table *table = tables;
  while (table < tables + MOST_TABLES && table->real && table->real != real) table++;
  if (table == tables + MOST_TABLES) {
    pthread_mutex_unlock(&tablesMutex);
    return 0;
  }
  if (!table->real) {
    table->real = real;
    table->told = *real;
    table->told.xClose = closeTold;
    table->told.xWrite = writeTold;
    table->told.xTruncate = truncateTold;
    table->told.xSync = syncTold;
    if (real->xShmLock) table->told.xShmLock = shmLockTold;
  }
  pthread_mutex_unlock(&tablesMutex);
  return &table->told;
}

static int openTold(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags, int *given) {
  int code = theSystem->xOpen(files, name, file, flags, given);
  if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) return code;
  const sqlite3_io_methods *told = toldTable(file->pMethods);
  if (!told) {
    file->pMethods->xClose(file);
    file->pMethods = 0;
    return SQLITE_CANTOPEN;
  }
  behind(file)->number = heard.opened(name);
  if (!behind(file)->number) return SQLITE_OK;
  behind(file)->real = file->pMethods;
  file->pMethods = told;
  return SQLITE_OK;
}

int parhelion_simulated_disk_register(parhelion_disk_listener listener) {
  int code = sqlite3_initialize();
  theSystem = sqlite3_vfs_find(0);
  if (code != SQLITE_OK || !theSystem) return code != SQLITE_OK ? code : SQLITE_ERROR;
  heard = listener;
  simulated = *theSystem;
  simulated.pNext = 0;
  simulated.zName = PARHELION_SIMULATED_DISK;
  simulated.szOsFile = (theSystem->szOsFile + 7) / 8 * 8 + (int)sizeof(Behind);
  simulated.xOpen = openTold;
  return sqlite3_vfs_register(&simulated, 0);
}
