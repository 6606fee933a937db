#ifndef PARHELION_CSIMULATED_DISK_H
#define PARHELION_CSIMULATED_DISK_H

#include <stdint.h>

/* A VFS with the files of simulated devices: they are in memory, found by path, and a listener is
 * called before each write. It is C because SQLite calls it through tables of functions. */

/// The name of the VFS for `sqlite3_open_v2`.
#define PARHELION_SIMULATED_DISK "parhelion-simulated-disk"

/// Functions that are called for database files and their logs.
typedef struct {
  /// A file was opened. Returns the handle that the other functions get for it, or NULL to ignore
  /// the file.
  void *_Nullable (*_Nonnull opened)(const char *_Nonnull path);
  /// Bytes are about to be written.
  void (*_Nonnull writes)(void *_Nonnull file, int64_t place, const void *_Nonnull bytes,
                          int64_t count);
  /// The file's size is about to change.
  void (*_Nonnull resizes)(void *_Nonnull file, int64_t size);
  /// All earlier writes are on the disk.
  void (*_Nonnull synced)(void *_Nonnull file);
  /// A connection released the write lock: its transaction was committed or rolled back.
  void (*_Nonnull ended)(void *_Nonnull file);
  /// The file was closed. Its handle is not used again.
  void (*_Nonnull closed)(void *_Nonnull file);
} parhelion_disk_listener;

/// Registers the VFS with SQLite under its name. Call it once, before the name is used. Returns
/// SQLite's result code.
int parhelion_simulated_disk_register(parhelion_disk_listener listener);

/// The size of the file at a path in bytes, or -1 if there is none.
int64_t parhelion_disk_size(const char *_Nonnull path);

/// Copies at most the first `count` bytes of a file. Returns the number of copied bytes, or -1 if
/// there is no file.
int64_t parhelion_disk_read(const char *_Nonnull path, void *_Nonnull bytes, int64_t count);

/// Creates a file or replaces its contents. Returns 0 if there is no memory.
int parhelion_disk_put(const char *_Nonnull path, const void *_Nullable bytes, int64_t count);

/// Removes a file from its path; open connections keep it. Returns 0 if there is no file.
int parhelion_disk_remove(const char *_Nonnull path);

/// Removes all files in a folder from their paths.
void parhelion_disk_remove_folder(const char *_Nonnull folder);

/// Copies all files in a folder to another one, under the same names. Returns 0 if there is no
/// memory.
int parhelion_disk_copy_folder(const char *_Nonnull folder, const char *_Nonnull destination);

#endif
