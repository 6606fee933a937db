#ifndef PARHELION_CSIMULATED_DISK_H
#define PARHELION_CSIMULATED_DISK_H

#include <stdint.h>

/* SQLite's files as a simulated device has them: in memory, by path, and what is written is told before it is. C, since SQLite calls it through
 * tables of functions. */

/// The name by which `sqlite3_open_v2` finds these files.
#define PARHELION_SIMULATED_DISK "parhelion-simulated-disk"

/// Who hears of database files and their logs.
typedef struct {
  /// A file was opened. Gives what stands for it from now on; NULL where nobody wants to hear of it.
  void *_Nullable (*_Nonnull opened)(const char *_Nonnull path);
  /// Bytes are about to be written.
  void (*_Nonnull writes)(void *_Nonnull file, int64_t place, const void *_Nonnull bytes, int64_t count);
  /// The file is about to get another length.
  void (*_Nonnull resizes)(void *_Nonnull file, int64_t size);
  /// What was written before is on the disk.
  void (*_Nonnull synced)(void *_Nonnull file);
  /// A connection has let go of the right to write that it had: a transaction was committed, or rolled back.
  void (*_Nonnull ended)(void *_Nonnull file);
  /// Nobody asks for it any more through what `opened` gave.
  void (*_Nonnull closed)(void *_Nonnull file);
} parhelion_disk_listener;

/// Makes the name known to SQLite; called once, before any file is opened so.
///
/// A code of SQLite is returned.
int parhelion_simulated_disk_register(parhelion_disk_listener listener);

/// How many bytes the file at a path has; -1 where there is none.
int64_t parhelion_disk_size(const char *_Nonnull path);

/// Copies a file's first bytes, as many as there are and as may be; returns how many, -1 where there is no file.
int64_t parhelion_disk_read(const char *_Nonnull path, void *_Nonnull bytes, int64_t count);

/// Makes a file, or replaces what it has. Returns 0 without memory.
int parhelion_disk_put(const char *_Nonnull path, const void *_Nullable bytes, int64_t count);

/// Takes a file's path away; who has it open keeps it. Returns 0 where there is none.
int parhelion_disk_remove(const char *_Nonnull path);

/// The same of all files in a folder.
void parhelion_disk_remove_folder(const char *_Nonnull folder);

/// Copies all files in a folder to another one, under the same names. Returns 0 without memory.
int parhelion_disk_copy_folder(const char *_Nonnull folder, const char *_Nonnull destination);

#endif
