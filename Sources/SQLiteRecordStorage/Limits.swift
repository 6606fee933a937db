internal import SQLiteDriver

/// The limits of this module, each with its reason.
package enum Limits {
  /// The longest value that is stored inline with its key.
  ///
  /// Inner nodes of the tree have entries too, so long values would make it deep. `DESIGN.md` has
  /// the measurements.
  static let inlineBytes = 256

  /// The maximum number of transactions in one commit.
  ///
  /// Some dozens of small writes already amortize the cost of a commit; more would only wait
  /// longer.
  package static let groupCount = 256

  /// The time for which a group accepts further transactions.
  ///
  /// The first transaction of a group waits for the last one, so this is about the cost of a commit
  /// on a slow disk.
  package static let groupDuration = Duration.milliseconds(10)

  /// The number of concurrent reading connections, unless the options set another.
  package static let readers = 4

  /// The time to wait for a lock of another process.
  ///
  /// Command-line tools hold the lock for one transaction. All other writes wait meanwhile.
  package static let busyTimeout = Duration.seconds(5)

  /// The number of frames in the log that starts a checkpoint: 16 megabytes.
  ///
  /// A longer log coalesces more changes of one page; a shorter one recovers faster after a crash.
  package static let checkpointFrames = 4_000

  /// The number of frames left for the writer to copy after the concurrent part of a checkpoint.
  static let framesLeftToWriter = 400

  /// The maximum number of rounds of a concurrent checkpoint, including the one after its sync.
  static let checkpointRounds = 6

  /// The size to which the log's file is truncated when the log restarts, to avoid growing it
  /// again.
  static let logBytes: Int64 = 64 << 20

  /// The disk space reserved for deletions, in bytes: a thousand log pages, about one large
  /// request.
  package static let reservedBytes = 4 << 20

  /// The multiple of the reserved size that must be free on the disk before the reserve is created.
  static let reserveShare: Int64 = 4

  /// The page cache of the writer in kibibytes, which SQLite expects as a negative number.
  ///
  /// Writes of names and indexes are spread over their trees; the cache avoids reading those pages
  /// again.
  static let writerCacheKibibytes: Int64 = -65_536

  /// The page cache of each reader in kibibytes.
  ///
  /// Readers scan runs of pages, which the operating system caches too.
  static let readerCacheKibibytes: Int64 = -8_192

  /// The number of pages that a backup copies between checks for cancellation: four megabytes.
  static let backupPages = SQLiteDriver.Limits.backupPagesPerStep
}
