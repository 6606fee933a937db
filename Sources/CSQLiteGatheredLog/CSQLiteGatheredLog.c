/* SQLite writes each frame of its write-ahead log in two calls, 24 bytes and a page. This VFS
 * gathers the frames of a transaction in memory and writes thirty at a time to the system's file.
 *
 *     xWrite ─▶ gathered ─┬─ flush ───▶ one xWrite of the system's file
 *                         └─ failure ─▶ the frames are discarded, and SQLite gets the error
 *
 * A flush happens before xSync, xFileSize, xTruncate, xFileControl and xClose, before a read of
 * gathered bytes, before a write at another place or without room for it, before others see the
 * frames, and before the write lock is released.
 *
 * No frame is lost or visible too early: a connection whose `synchronous` is FULL syncs the log at
 * each commit before others see the frames, and the sync flushes them. Only such connections may
 * use these files: with a lower setting, a failed write would be noticed too late.
 *
 * No frame is written too late: frames without a commit belong to a transaction that is rolled
 * back, and another process may soon use their places in the log. So they are flushed while the
 * write lock is held, as SQLite itself would have written them. The lock belongs to the database
 * file, so that file is wrapped too.
 *
 * The disk starts to write the first frames of a long transaction while the last ones are still
 * being gathered, so the sync at its end waits for less. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sync_file_range */
#endif

#include "CSQLiteGatheredLog.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Thirty frames. SQLite's own files write at most 131,071 bytes at once: they drop the higher bits
 * of greater lengths. */
enum { ROOM = 31 * 4096 };

/* The disk is asked to start writing after so many bytes. For a transaction of a million bytes, a
 * start after each third saved 0.2 ms of 1.1 ms for writing and syncing. Smaller parts cost more
 * calls than they save. */
enum { EARLY_WRITE_BYTES = 3 * 30 * 4096 };

/* The number of the write lock among the locks of the log's index: SQLite's WAL_WRITE_LOCK. */
enum { WRITE_LOCK = 0 };

/* A log or its database file. The system's own file follows it in memory. */
typedef struct Gathered Gathered;
struct Gathered {
  sqlite3_file file;
  sqlite3_file *real;
  /* Only for a log: the bytes that are not yet written, and their place in the file. */
  unsigned char *bytes;
  int count;
  sqlite3_int64 place;
  /* Only for a log: the part written since the last sync that the disk was not yet asked to write,
   * and a descriptor of the file for calls that SQLite's files do not have, or -1. */
  sqlite3_int64 waitingPlace;
  int waitingCount;
  int descriptor;
  /* The database file of a log, or the log of a database file; null if that one is not open. */
  Gathered *other;
};

static sqlite3_file *real(sqlite3_file *file) { return ((Gathered *)file)->real; }

/* ---- The log ---- */

/* Asks the disk to start writing once enough bytes were written to the file. Nothing depends on
 * it: if the system has no such call, or the call fails, the sync waits for all bytes. */
static void startEarlyWrite(Gathered *log, sqlite3_int64 place, int count) {
  if (place != log->waitingPlace + log->waitingCount) {
    log->waitingPlace = place;
    log->waitingCount = 0;
  }
  log->waitingCount += count;
  if (log->waitingCount < EARLY_WRITE_BYTES) return;
#if defined(__linux__)
  if (log->descriptor >= 0) {
    (void)sync_file_range(log->descriptor, log->waitingPlace, log->waitingCount,
                          SYNC_FILE_RANGE_WRITE);
  }
#endif
  log->waitingPlace += log->waitingCount;
  log->waitingCount = 0;
}

/* Writes the gathered bytes to the system's file. If that fails, the bytes are discarded, and the
 * error makes SQLite roll back. */
static int flush(sqlite3_file *file) {
  Gathered *log = (Gathered *)file;
  int count = log->count;
  if (count == 0) return SQLITE_OK;
  log->count = 0;
  int code = log->real->pMethods->xWrite(log->real, log->bytes, count, log->place);
  if (code == SQLITE_OK) startEarlyWrite(log, log->place, count);
  return code;
}

static int logWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
  Gathered *log = (Gathered *)file;
  int continues = log->count > 0 && place == log->place + log->count && count <= ROOM - log->count;
  if (!continues) {
    int code = flush(file);
    if (code != SQLITE_OK) return code;
    if (count > ROOM) return log->real->pMethods->xWrite(log->real, bytes, count, place);
    log->place = place;
  }
  memcpy(log->bytes + log->count, bytes, (size_t)count);
  log->count += count;
  return SQLITE_OK;
}

static int logRead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place) {
  Gathered *log = (Gathered *)file;
  if (log->count > 0 && place < log->place + log->count && place + count > log->place) {
    int code = flush(file);
    if (code != SQLITE_OK) return code;
  }
  return log->real->pMethods->xRead(log->real, bytes, count, place);
}

static int logTruncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = flush(file);
  return code != SQLITE_OK ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int logSync(sqlite3_file *file, int flags) {
  int code = flush(file);
  ((Gathered *)file)->waitingCount = 0;
  return code != SQLITE_OK ? code : real(file)->pMethods->xSync(real(file), flags);
}

static int logFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  int code = flush(file);
  return code != SQLITE_OK ? code : real(file)->pMethods->xFileSize(real(file), size);
}

static int logFileControl(sqlite3_file *file, int operation, void *argument) {
  int code = flush(file);
  if (code != SQLITE_OK) return code;
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int logClose(sqlite3_file *file) {
  Gathered *log = (Gathered *)file;
  int given = flush(file);
  if (log->other) log->other->other = 0;
  free(log->bytes);
  log->bytes = 0;
  if (log->descriptor >= 0) (void)close(log->descriptor);
  int code = log->real->pMethods->xClose(log->real);
  return given != SQLITE_OK ? given : code;
}

/* ---- Calls that both files forward ---- */

static int lock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}
static int unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}
static int checkReservedLock(sqlite3_file *file, int *answer) {
  return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}
static int sectorSize(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int deviceCharacteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static const sqlite3_io_methods logMethods = {
    .iVersion = 1,
    .xClose = logClose,
    .xRead = logRead,
    .xWrite = logWrite,
    .xTruncate = logTruncate,
    .xSync = logSync,
    .xFileSize = logFileSize,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = checkReservedLock,
    .xFileControl = logFileControl,
    .xSectorSize = sectorSize,
    .xDeviceCharacteristics = deviceCharacteristics,
};

/* ---- The database file ---- */

static int dataClose(sqlite3_file *file) {
  Gathered *data = (Gathered *)file;
  if (data->other) data->other->other = 0;
  return data->real->pMethods->xClose(data->real);
}
static int dataRead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place) {
  return real(file)->pMethods->xRead(real(file), bytes, count, place);
}
static int dataWrite(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
  return real(file)->pMethods->xWrite(real(file), bytes, count, place);
}
static int dataTruncate(sqlite3_file *file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}
static int dataSync(sqlite3_file *file, int flags) {
  return real(file)->pMethods->xSync(real(file), flags);
}
static int dataFileSize(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int dataFileControl(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int dataShmMap(sqlite3_file *file, int region, int size, int extends,
                      void volatile **memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extends, memory);
}

static int dataShmLock(sqlite3_file *file, int first, int count, int flags) {
  Gathered *log = ((Gathered *)file)->other;
  int releases = (flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE);
  /* Frames that are still gathered belong to a transaction that is rolled back, so it is harmless
   * if they cannot be written. */
  if (log && releases && first <= WRITE_LOCK && WRITE_LOCK < first + count) (void)flush(&log->file);
  return real(file)->pMethods->xShmLock(real(file), first, count, flags);
}

/* SQLite calls this between its two writes of the index's header, among others. After the second
 * write, other connections see the new frames. */
static void dataShmBarrier(sqlite3_file *file) {
  Gathered *log = ((Gathered *)file)->other;
  if (log) (void)flush(&log->file);
  real(file)->pMethods->xShmBarrier(real(file));
}

static int dataShmUnmap(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}
static int dataFetch(sqlite3_file *file, sqlite3_int64 place, int count, void **memory) {
  return real(file)->pMethods->xFetch(real(file), place, count, memory);
}
static int dataUnfetch(sqlite3_file *file, sqlite3_int64 place, void *memory) {
  return real(file)->pMethods->xUnfetch(real(file), place, memory);
}

static const sqlite3_io_methods dataMethods = {
    .iVersion = 3,
    .xClose = dataClose,
    .xRead = dataRead,
    .xWrite = dataWrite,
    .xTruncate = dataTruncate,
    .xSync = dataSync,
    .xFileSize = dataFileSize,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = checkReservedLock,
    .xFileControl = dataFileControl,
    .xSectorSize = sectorSize,
    .xDeviceCharacteristics = deviceCharacteristics,
    .xShmMap = dataShmMap,
    .xShmLock = dataShmLock,
    .xShmBarrier = dataShmBarrier,
    .xShmUnmap = dataShmUnmap,
    .xFetch = dataFetch,
    .xUnfetch = dataUnfetch,
};

/* ---- Opening ---- */

static sqlite3_vfs *theSystem(sqlite3_vfs *files) { return files->pAppData; }

static int openReal(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                    int *given) {
  Gathered *opened = (Gathered *)file;
  memset(opened, 0, sizeof *opened);
  opened->real = (sqlite3_file *)(opened + 1);
  opened->real->pMethods = 0;
  int code = theSystem(files)->xOpen(theSystem(files), name, opened->real, flags, given);
  if (code != SQLITE_OK && opened->real->pMethods) opened->real->pMethods->xClose(opened->real);
  return code;
}

static int openLog(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                   int *given) {
  int code = openReal(files, name, file, flags, given);
  if (code != SQLITE_OK) return code;
  Gathered *log = (Gathered *)file;
  log->bytes = malloc(ROOM);
  if (!log->bytes) {
    log->real->pMethods->xClose(log->real);
    return SQLITE_NOMEM;
  }
  /* Closing a descriptor releases the process's locks of the file; SQLite takes none on a log. */
  log->descriptor = open(name, O_RDONLY | O_CLOEXEC);
  log->other = (Gathered *)sqlite3_database_file_object(name);
  log->other->other = log;
  file->pMethods = &logMethods;
  return SQLITE_OK;
}

static int openData(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                    int *given) {
  int code = openReal(files, name, file, flags, given);
  if (code != SQLITE_OK) return code;
  if (((Gathered *)file)->real->pMethods->iVersion < dataMethods.iVersion) {
    dataClose(file);
    return SQLITE_CANTOPEN;
  }
  file->pMethods = &dataMethods;
  return SQLITE_OK;
}

static int openFile(sqlite3_vfs *files, const char *name, sqlite3_file *file, int flags,
                    int *given) {
  file->pMethods = 0;
  if (flags & SQLITE_OPEN_WAL) return openLog(files, name, file, flags, given);
  if (flags & SQLITE_OPEN_MAIN_DB) return openData(files, name, file, flags, given);
  return theSystem(files)->xOpen(theSystem(files), name, file, flags, given);
}

/* ---- Calls that are forwarded to the system's VFS ---- */

static int delete(sqlite3_vfs *files, const char *name, int syncs) {
  return theSystem(files)->xDelete(theSystem(files), name, syncs);
}
static int isAccessible(sqlite3_vfs *files, const char *name, int flags, int *answer) {
  return theSystem(files)->xAccess(theSystem(files), name, flags, answer);
}
static int fullPathname(sqlite3_vfs *files, const char *name, int count, char *path) {
  return theSystem(files)->xFullPathname(theSystem(files), name, count, path);
}
static int randomness(sqlite3_vfs *files, int count, char *bytes) {
  return theSystem(files)->xRandomness(theSystem(files), count, bytes);
}
static int pauseFor(sqlite3_vfs *files, int microseconds) {
  return theSystem(files)->xSleep(theSystem(files), microseconds);
}
static int currentTime(sqlite3_vfs *files, double *time) {
  return theSystem(files)->xCurrentTime(theSystem(files), time);
}
static int currentTimeInt64(sqlite3_vfs *files, sqlite3_int64 *time) {
  return theSystem(files)->xCurrentTimeInt64(theSystem(files), time);
}
static int lastError(sqlite3_vfs *files, int count, char *text) {
  return theSystem(files)->xGetLastError(theSystem(files), count, text);
}

int parhelion_gathered_log_register(void) {
  static sqlite3_vfs files;
  int code = sqlite3_initialize();
  sqlite3_vfs *system = sqlite3_vfs_find(0);
  if (code != SQLITE_OK || !system || system->iVersion < 2) {
    return code != SQLITE_OK ? code : SQLITE_ERROR;
  }
  files = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(Gathered) + system->szOsFile,
      .mxPathname = system->mxPathname,
      .zName = PARHELION_GATHERED_LOG,
      .pAppData = system,
      .xOpen = openFile,
      .xDelete = delete,
      .xAccess = isAccessible,
      .xFullPathname = fullPathname,
      .xRandomness = randomness,
      .xSleep = pauseFor,
      .xCurrentTime = currentTime,
      .xGetLastError = lastError,
      .xCurrentTimeInt64 = currentTimeInt64,
  };
  return sqlite3_vfs_register(&files, 0);
}
