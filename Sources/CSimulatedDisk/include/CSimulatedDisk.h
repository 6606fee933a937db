#ifndef PARHELION_CSIMULATED_DISK_H
#define PARHELION_CSIMULATED_DISK_H

#include <stdint.h>

/* SQLite's files as a simulated device has them: what is written is told before it is, and nobody waits for a real disk. C, since SQLite calls it
 * through tables of functions. */

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

#endif
