#ifndef PARHELION_MEMORY_FILE_H
#define PARHELION_MEMORY_FILE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>

/* A file in memory, which databases and their logs are: its bytes, SQLite's locks on it, and the index of its log. It is there as long as it has
 * a path or somebody has it open. */
typedef struct MemoryFile {
  struct MemoryFile *next;
  /* NULL once it was removed. Guarded, as are `next` and `users`, by the table of all files. */
  char *path;
  int users;

  /* Guards all that follows. */
  pthread_mutex_t mutex;
  unsigned char *bytes;
  int64_t size;
  int64_t room;

  /* How many connections have a shared lock, or a higher one; which one has the reserved, pending or exclusive lock, and what it has. */
  int sharers;
  void *writer;
  int writerLevel;

  unsigned char **regions;
  int regionCount;
  int indexUsers;
  /* Of each lock of the index: how many have it, -1 where one has it alone. */
  int indexLocks[SQLITE_SHM_NLOCK];
} MemoryFile;

/* The file at a path, which its user has from now on; NULL where there is none and none is to be made. */
MemoryFile *memory_file_open(const char *path, int makes);

/* Its user needs it no more. */
void memory_file_close(MemoryFile *file);

/* Takes its path away. Returns 0 where nothing has the path. */
int memory_file_remove(const char *path);

/* The size of what has the path; -1 where nothing has. */
int64_t memory_file_size(const char *path);

/* Copies what there is from a place on, up to a count; returns how much it was. */
int64_t memory_file_read(MemoryFile *file, void *bytes, int64_t count, int64_t place);

/* Writes bytes, behind zeros where the file was shorter. Returns 0 without memory. */
int memory_file_write(MemoryFile *file, const void *bytes, int64_t count, int64_t place);

/* Returns 0 without memory. */
int memory_file_resize(MemoryFile *file, int64_t size);

#endif
