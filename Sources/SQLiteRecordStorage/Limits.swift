internal import SQLiteDriver

/// The bounds of this module, each with its reason.
package enum Limits {
  /// The longest value that is kept beside its key.
  ///
  /// The tree of keys has entries in its inner nodes too: with long ones it would be deep.
  /// `DESIGN.md` has the measurements.
  static let inlineBytes = 256

  /// Transactions of one commit.
  ///
  /// The cost of a commit is spread over some dozens of small writes; more only make all of them
  /// wait.
  package static let groupCount = 256

  /// For how long a group takes further transactions.
  ///
  /// The first of a group waits for the last: this is about what a commit costs on a slow disk.
  package static let groupDuration = Duration.milliseconds(10)

  /// Connections that read at the same time, unless the options say otherwise.
  package static let readers = 4

  /// How long a lock of another process is waited for.
  ///
  /// Tools beside a server hold the lock for one transaction. Everybody else's writes wait
  /// meanwhile.
  package static let busyTimeout = Duration.seconds(5)

  /// Frames in the log that start a checkpoint: 16 megabytes.
  ///
  /// Long enough that a page which changes often is carried over once for many changes, short
  /// enough that recovery after a crash takes a moment.
  package static let checkpointFrames = 4_000

  /// Frames that the writer itself may carry over, after the others were carried over beside it.
  static let framesLeftToWriter = 400

  /// How often a checkpoint beside the writer begins again to get that far, the round behind its
  /// sync included.
  static let checkpointRounds = 6

  /// Bytes that the log's file keeps when it begins anew, so that it does not have to grow again.
  static let logBytes: Int64 = 64 << 20

  /// Bytes of the disk that are kept for deletions: room in the log for a thousand pages, about as
  /// many as a large request changes.
  package static let reservedBytes = 4 << 20

  /// How many times the reserved bytes the disk has to have before they are taken from it.
  static let reserveShare: Int64 = 4

  /// Kibibytes of pages that the writer keeps, as SQLite counts them.
  ///
  /// Names and indexes are written all over their trees, whose pages should not be read for each.
  static let writerCacheKibibytes: Int64 = -65_536

  /// Kibibytes of pages that each reader keeps: a reader goes through runs of pages, which the
  /// system's cache holds too.
  static let readerCacheKibibytes: Int64 = -8_192

  /// Pages that a backup copies between two looks at whether it was cancelled: four megabytes.
  static let backupPages = SQLiteDriver.Limits.backupPagesPerStep
}
