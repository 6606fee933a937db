#ifndef PARHELION_MEMORY_FILE_H
#define PARHELION_MEMORY_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>

/* A file in memory, such as a database or its log: its bytes, SQLite's locks on it, and the index
 * of its log. It exists as long as it has a path or a user. */
typedef struct MemoryFile {
  struct MemoryFile *next;
  /* NULL after the file was removed. The mutex of all files guards `next`, `path` and `users`. */
  char *path;
  int users;

  /* Guards all following members. */
  pthread_mutex_t mutex;
  unsigned char *bytes;
  int64_t size;
  int64_t room;

  /* The number of connections with a shared lock or a higher one. */
  int sharers;
  /* The connection with the reserved, pending or exclusive lock, and that lock. */
  void *writer;
  int writerLevel;

  unsigned char **regions;
  int regionCount;
  int indexUsers;
  /* For each lock of the index: the number of its shared holders, or -1 for an exclusive one. */
  int indexLocks[SQLITE_SHM_NLOCK];
} MemoryFile;

/* Opens the file at a path for a user, and creates it if `creates` is not 0. Returns NULL if there
 * is no file or no memory. */
MemoryFile *memory_file_open(const char *path, int creates);

/* Ends the use that `memory_file_open` began. */
void memory_file_close(MemoryFile *file);

/* Removes a file from its path; its users keep it. Returns 0 if there is no file at the path. */
int memory_file_remove(const char *path);

/* The size of the file at a path, or -1 if there is none. */
int64_t memory_file_size(const char *path);

/* Copies at most `count` bytes that begin at `place`. Returns the number of copied bytes. */
int64_t memory_file_read(MemoryFile *file, void *bytes, int64_t count, int64_t place);

/* Writes bytes; zeros fill a gap after the old end. Returns 0 if there is no memory. */
int memory_file_write(MemoryFile *file, const void *bytes, int64_t count, int64_t place);

/* Cuts the file or appends zeros. Returns 0 if there is no memory. */
int memory_file_resize(MemoryFile *file, int64_t size);

#endif
