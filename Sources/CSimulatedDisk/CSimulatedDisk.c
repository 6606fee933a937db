/* The VFS that SQLite calls. Databases, their logs and journals are files in the memory of this
 * process. Only files without a name are the system's. */
#include "CSimulatedDisk.h"

#include <stdlib.h>
#include <string.h>

#include "MemoryFile.h"

/* The number of the write lock among the locks of the log's index: SQLite's WAL_WRITE_LOCK. */
enum { WRITE_LOCK = 0 };

/* The sector size: the default of SQLite's own files. */
enum { SECTOR_BYTES = 4096 };

static parhelion_disk_listener theListener;
static sqlite3_vfs *theSystem;
static sqlite3_vfs simulated;

/* An open file. */
typedef struct {
  sqlite3_file base;
  MemoryFile *file;
  /* The listener's handle for this file; NULL if the listener ignores the file. */
  void *handle;
  /* The lock of this connection on the database, and its locks on the index. */
  int level;
  unsigned sharedLocks;
  unsigned ownLocks;
  int hasIndex;
} Open;

/* MARK: Bytes */

static int readBytes(sqlite3_file *opened, void *bytes, int count, sqlite3_int64 place) {
  int64_t available = memory_file_read(((Open *)opened)->file, bytes, count, place);
  if (available == count) return SQLITE_OK;
  memset((char *)bytes + available, 0, (size_t)(count - available));
  return SQLITE_IOERR_SHORT_READ;
}

static int writeBytes(sqlite3_file *opened, const void *bytes, int count, sqlite3_int64 place) {
  Open *open = (Open *)opened;
  if (open->handle) theListener.writes(open->handle, place, bytes, count);
  return memory_file_write(open->file, bytes, count, place) ? SQLITE_OK : SQLITE_FULL;
}

static int resizeFile(sqlite3_file *opened, sqlite3_int64 size) {
  Open *open = (Open *)opened;
  if (open->handle) theListener.resizes(open->handle, size);
  return memory_file_resize(open->file, size) ? SQLITE_OK : SQLITE_FULL;
}

static int syncFile(sqlite3_file *opened, int flags) {
  (void)flags;
  if (((Open *)opened)->handle) theListener.synced(((Open *)opened)->handle);
  return SQLITE_OK;
}

static int sizeOfFile(sqlite3_file *opened, sqlite3_int64 *size) {
  MemoryFile *file = ((Open *)opened)->file;
  pthread_mutex_lock(&file->mutex);
  *size = file->size;
  pthread_mutex_unlock(&file->mutex);
  return SQLITE_OK;
}

/* MARK: Locks of the database */

static int canWrite(const MemoryFile *file, const Open *open) {
  return !file->writer || file->writer == open;
}

static int raise(MemoryFile *file, Open *open, int level) {
  if (level <= open->level) return SQLITE_OK;
  if (level == SQLITE_LOCK_SHARED) {
    if (file->writer && file->writerLevel >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    file->sharers++;
    open->level = level;
    return SQLITE_OK;
  }
  if (!canWrite(file, open)) return SQLITE_BUSY;
  file->writer = open;
  if (level == SQLITE_LOCK_EXCLUSIVE && file->sharers > 1) {
    /* The pending lock keeps new readers out, so that a later attempt of the writer succeeds. */
    file->writerLevel = open->level = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  file->writerLevel = open->level = level;
  return SQLITE_OK;
}

static int lockFile(sqlite3_file *opened, int level) {
  MemoryFile *file = ((Open *)opened)->file;
  pthread_mutex_lock(&file->mutex);
  int code = raise(file, (Open *)opened, level);
  pthread_mutex_unlock(&file->mutex);
  return code;
}

static int unlockFile(sqlite3_file *opened, int level) {
  Open *open = (Open *)opened;
  MemoryFile *file = open->file;
  if (level >= open->level) return SQLITE_OK;
  pthread_mutex_lock(&file->mutex);
  if (file->writer == open) {
    file->writer = 0;
    file->writerLevel = SQLITE_LOCK_NONE;
  }
  if (level == SQLITE_LOCK_NONE) file->sharers--;
  open->level = level;
  pthread_mutex_unlock(&file->mutex);
  return SQLITE_OK;
}

static int isReserved(sqlite3_file *opened, int *answer) {
  MemoryFile *file = ((Open *)opened)->file;
  pthread_mutex_lock(&file->mutex);
  *answer = file->writer != 0;
  pthread_mutex_unlock(&file->mutex);
  return SQLITE_OK;
}

/* MARK: The log's index */

static int growIndex(MemoryFile *file, int count, int bytes) {
  unsigned char **regions = realloc(file->regions, (size_t)count * sizeof *regions);
  if (!regions) return 0;
  file->regions = regions;
  while (file->regionCount < count) {
    unsigned char *region = calloc(1, (size_t)bytes);
    if (!region) return 0;
    regions[file->regionCount++] = region;
  }
  return 1;
}

static int mapIndex(sqlite3_file *opened, int region, int bytes, int grows, void volatile **place) {
  Open *open = (Open *)opened;
  MemoryFile *file = open->file;
  int code = SQLITE_OK;
  pthread_mutex_lock(&file->mutex);
  if (!open->hasIndex) {
    open->hasIndex = 1;
    file->indexUsers++;
  }
  if (grows && region >= file->regionCount && !growIndex(file, region + 1, bytes)) {
    code = SQLITE_NOMEM;
  }
  *place = region < file->regionCount ? file->regions[region] : 0;
  pthread_mutex_unlock(&file->mutex);
  return code;
}

/* Frees the index with its last user. The next connection starts with an empty index, and reads the
 * log. */
static int unmapIndex(sqlite3_file *opened, int isGone) {
  (void)isGone;
  Open *open = (Open *)opened;
  MemoryFile *file = open->file;
  if (!open->hasIndex) return SQLITE_OK;
  open->hasIndex = 0;
  pthread_mutex_lock(&file->mutex);
  if (--file->indexUsers == 0) {
    while (file->regionCount > 0) free(file->regions[--file->regionCount]);
  }
  pthread_mutex_unlock(&file->mutex);
  return SQLITE_OK;
}

static void unlockIndex(MemoryFile *file, Open *open, int lock) {
  unsigned bit = 1u << lock;
  if (open->ownLocks & bit) file->indexLocks[lock] = 0;
  if (open->sharedLocks & bit) file->indexLocks[lock]--;
  open->ownLocks &= ~bit;
  open->sharedLocks &= ~bit;
}

static int canLockIndex(const MemoryFile *file, const Open *open, int lock, int isExclusive) {
  if (open->ownLocks & (1u << lock)) return 1;
  return isExclusive ? file->indexLocks[lock] == 0 : file->indexLocks[lock] >= 0;
}

static void takeIndexLock(MemoryFile *file, Open *open, int lock, int isExclusive) {
  unsigned bit = 1u << lock;
  if ((open->ownLocks | open->sharedLocks) & bit) return;
  file->indexLocks[lock] = isExclusive ? -1 : file->indexLocks[lock] + 1;
  *(isExclusive ? &open->ownLocks : &open->sharedLocks) |= bit;
}

static int lockIndex(sqlite3_file *opened, int first, int count, int flags) {
  Open *open = (Open *)opened;
  MemoryFile *file = open->file;
  int isExclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  int unlocks = (flags & SQLITE_SHM_UNLOCK) != 0;
  int isFree = 1;
  pthread_mutex_lock(&file->mutex);
  for (int lock = first; lock < first + count && !unlocks; lock++) {
    isFree = isFree && canLockIndex(file, open, lock, isExclusive);
  }
  for (int lock = first; lock < first + count && isFree; lock++) {
    if (unlocks) unlockIndex(file, open, lock);
    else takeIndexLock(file, open, lock, isExclusive);
  }
  pthread_mutex_unlock(&file->mutex);
  if (open->handle && unlocks && isExclusive && first == WRITE_LOCK && count == 1) {
    theListener.ended(open->handle);
  }
  return isFree ? SQLITE_OK : SQLITE_BUSY;
}

static void indexBarrier(sqlite3_file *opened) {
  (void)opened;
  __sync_synchronize();
}

/* MARK: Files */

static int closeFile(sqlite3_file *opened) {
  Open *open = (Open *)opened;
  unlockFile(opened, SQLITE_LOCK_NONE);
  unmapIndex(opened, 0);
  if (open->handle) theListener.closed(open->handle);
  memory_file_close(open->file);
  opened->pMethods = 0;
  return SQLITE_OK;
}

static int controlFile(sqlite3_file *opened, int operation, void *value) {
  (void)opened, (void)operation, (void)value;
  return SQLITE_NOTFOUND;
}

static int sectorBytes(sqlite3_file *opened) {
  (void)opened;
  return SECTOR_BYTES;
}

static int traits(sqlite3_file *opened) {
  (void)opened;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = closeFile,
  .xRead = readBytes,
  .xWrite = writeBytes,
  .xTruncate = resizeFile,
  .xSync = syncFile,
  .xFileSize = sizeOfFile,
  .xLock = lockFile,
  .xUnlock = unlockFile,
  .xCheckReservedLock = isReserved,
  .xFileControl = controlFile,
  .xSectorSize = sectorBytes,
  .xDeviceCharacteristics = traits,
  .xShmMap = mapIndex,
  .xShmLock = lockIndex,
  .xShmBarrier = indexBarrier,
  .xShmUnmap = unmapIndex,
};

static int openFile(sqlite3_vfs *layer, const char *name, sqlite3_file *opened, int flags,
                    int *given) {
  (void)layer;
  if (!name) return theSystem->xOpen(theSystem, name, opened, flags, given);
  Open *open = (Open *)opened;
  memset(open, 0, sizeof *open);
  open->file = memory_file_open(name, flags & SQLITE_OPEN_CREATE);
  if (!open->file) return SQLITE_CANTOPEN;
  if (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) open->handle = theListener.opened(name);
  opened->pMethods = &methods;
  if (given) *given = flags;
  return SQLITE_OK;
}

static int removeFile(sqlite3_vfs *layer, const char *path, int syncs) {
  (void)layer, (void)syncs;
  return memory_file_remove(path) ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
}

/* Answers that an empty file does not exist, as the system's VFS does. */
static int canAccess(sqlite3_vfs *layer, const char *path, int how, int *answer) {
  (void)layer;
  int64_t size = memory_file_size(path);
  *answer = how == SQLITE_ACCESS_EXISTS ? size > 0 : size >= 0;
  return SQLITE_OK;
}

/* Paths must be absolute, and are used as they are. */
static int wholePath(sqlite3_vfs *layer, const char *path, int room, char *whole) {
  (void)layer;
  if (path[0] != '/' || (int)strlen(path) >= room) return SQLITE_CANTOPEN;
  strcpy(whole, path);
  return SQLITE_OK;
}

int parhelion_simulated_disk_register(parhelion_disk_listener listener) {
  /* The count of SQLite's memory is not used, and takes a lock for each allocation. If SQLite is
   * already initialized, this call fails, which does no harm. */
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  int code = sqlite3_initialize();
  theSystem = sqlite3_vfs_find(0);
  if (code != SQLITE_OK || !theSystem) return code != SQLITE_OK ? code : SQLITE_ERROR;
  theListener = listener;
  simulated = *theSystem;
  simulated.pNext = 0;
  simulated.zName = PARHELION_SIMULATED_DISK;
  if (simulated.szOsFile < (int)sizeof(Open)) simulated.szOsFile = sizeof(Open);
  simulated.xOpen = openFile;
  simulated.xDelete = removeFile;
  simulated.xAccess = canAccess;
  simulated.xFullPathname = wholePath;
  return sqlite3_vfs_register(&simulated, 0);
}
