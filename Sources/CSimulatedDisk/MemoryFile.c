/* All files in memory, by path. They are few at a time, so a list is enough. */
#include "MemoryFile.h"

#include <stdlib.h>
#include <string.h>

#include "CSimulatedDisk.h"

static MemoryFile *files;
static pthread_mutex_t filesMutex = PTHREAD_MUTEX_INITIALIZER;

enum { LEAST_ROOM = 32768 };

/* MARK: One file */

static int makeRoom(MemoryFile *file, int64_t size) {
  if (size <= file->room) return 1;
  int64_t room = file->room < LEAST_ROOM ? LEAST_ROOM : file->room;
  while (room < size) room *= 2;
  unsigned char *bytes = realloc(file->bytes, (size_t)room);
  if (!bytes) return 0;
  file->bytes = bytes;
  file->room = room;
  return 1;
}

static int resize(MemoryFile *file, int64_t size) {
  if (!makeRoom(file, size)) return 0;
  if (size > file->size) memset(file->bytes + file->size, 0, (size_t)(size - file->size));
  file->size = size;
  return 1;
}

int64_t memory_file_read(MemoryFile *file, void *bytes, int64_t count, int64_t place) {
  pthread_mutex_lock(&file->mutex);
  int64_t available = file->size - place;
  if (available < 0) available = 0;
  if (available > count) available = count;
  if (available > 0) memcpy(bytes, file->bytes + place, (size_t)available);
  pthread_mutex_unlock(&file->mutex);
  return available;
}

int memory_file_write(MemoryFile *file, const void *bytes, int64_t count, int64_t place) {
  pthread_mutex_lock(&file->mutex);
  int isDone = makeRoom(file, place + count) && (place <= file->size || resize(file, place));
  if (isDone && count > 0) {
    memcpy(file->bytes + place, bytes, (size_t)count);
    if (place + count > file->size) file->size = place + count;
  }
  pthread_mutex_unlock(&file->mutex);
  return isDone;
}

int memory_file_resize(MemoryFile *file, int64_t size) {
  pthread_mutex_lock(&file->mutex);
  int isDone = resize(file, size);
  pthread_mutex_unlock(&file->mutex);
  return isDone;
}

/* MARK: All files; the static functions require the mutex */

static MemoryFile *fileAt(const char *path) {
  MemoryFile *file = files;
  while (file && strcmp(file->path, path) != 0) file = file->next;
  return file;
}

static MemoryFile *make(const char *path) {
  MemoryFile *file = calloc(1, sizeof *file);
  char *copy = strdup(path);
  if (!file || !copy) {
    free(file);
    free(copy);
    return 0;
  }
  pthread_mutex_init(&file->mutex, 0);
  file->path = copy;
  file->next = files;
  files = file;
  return file;
}

static void freeIfUnused(MemoryFile *file) {
  if (file->path || file->users > 0) return;
  for (int region = 0; region < file->regionCount; region++) free(file->regions[region]);
  free(file->regions);
  free(file->bytes);
  pthread_mutex_destroy(&file->mutex);
  free(file);
}

static void removeFromList(MemoryFile *file) {
  MemoryFile **place = &files;
  while (*place != file) place = &(*place)->next;
  *place = file->next;
  free(file->path);
  file->path = 0;
  freeIfUnused(file);
}

MemoryFile *memory_file_open(const char *path, int creates) {
  pthread_mutex_lock(&filesMutex);
  MemoryFile *file = fileAt(path);
  if (!file && creates) file = make(path);
  if (file) file->users++;
  pthread_mutex_unlock(&filesMutex);
  return file;
}

void memory_file_close(MemoryFile *file) {
  pthread_mutex_lock(&filesMutex);
  file->users--;
  freeIfUnused(file);
  pthread_mutex_unlock(&filesMutex);
}

int memory_file_remove(const char *path) {
  pthread_mutex_lock(&filesMutex);
  MemoryFile *file = fileAt(path);
  if (file) removeFromList(file);
  pthread_mutex_unlock(&filesMutex);
  return file != 0;
}

int64_t memory_file_size(const char *path) {
  MemoryFile *file = memory_file_open(path, 0);
  if (!file) return -1;
  pthread_mutex_lock(&file->mutex);
  int64_t size = file->size;
  pthread_mutex_unlock(&file->mutex);
  memory_file_close(file);
  return size;
}

/* MARK: Functions for Swift */

int64_t parhelion_disk_size(const char *path) { return memory_file_size(path); }

int64_t parhelion_disk_read(const char *path, void *bytes, int64_t count) {
  MemoryFile *file = memory_file_open(path, 0);
  if (!file) return -1;
  int64_t available = memory_file_read(file, bytes, count, 0);
  memory_file_close(file);
  return available;
}

int parhelion_disk_put(const char *path, const void *bytes, int64_t count) {
  MemoryFile *file = memory_file_open(path, 1);
  if (!file) return 0;
  int isDone = memory_file_resize(file, 0) && memory_file_write(file, bytes, count, 0);
  memory_file_close(file);
  return isDone;
}

int parhelion_disk_remove(const char *path) { return memory_file_remove(path); }

/* The part of a path after its folder; NULL if the path is not in the folder. */
static const char *nameIn(const char *folder, const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : 0;
}

void parhelion_disk_remove_folder(const char *folder) {
  pthread_mutex_lock(&filesMutex);
  for (MemoryFile *file = files, *next; file; file = next) {
    next = file->next;
    if (nameIn(folder, file->path)) removeFromList(file);
  }
  pthread_mutex_unlock(&filesMutex);
}

int parhelion_disk_copy_folder(const char *folder, const char *destination) {
  int isDone = 1;
  pthread_mutex_lock(&filesMutex);
  for (MemoryFile *file = files; file && isDone; file = file->next) {
    const char *name = nameIn(folder, file->path);
    if (!name) continue;
    char *path = malloc(strlen(destination) + strlen(name) + 2);
    if (path) strcat(strcat(strcpy(path, destination), "/"), name);
    MemoryFile *former = path ? fileAt(path) : 0;
    if (former) removeFromList(former);
    /* New files are at the front of the list, so the loop does not see them. */
    MemoryFile *copy = path ? make(path) : 0;
    free(path);
    pthread_mutex_lock(&file->mutex);
    isDone = copy && memory_file_write(copy, file->bytes, file->size, 0);
    pthread_mutex_unlock(&file->mutex);
  }
  pthread_mutex_unlock(&filesMutex);
  return isDone;
}
