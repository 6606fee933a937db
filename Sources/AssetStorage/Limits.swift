/// The sizes and times of the asset store, each with its reason.
enum Limits {
  /// The number of an upload's bytes that are buffered before they are written.
  ///
  /// A thread switch for each piece that a socket delivers would cost more than the write.
  static let gatheredBytes = 256 << 10

  /// The number of written bytes after which writeback starts.
  ///
  /// So the sync at the end of a large upload does not have to write all of its bytes.
  static let writebackBytes: Int64 = 8 << 20

  /// The number of bytes that are read at a time when a file is copied or checked.
  static let readBytes = 256 << 10

  /// The maximum number of interrupted uploads that wait for their clients.
  ///
  /// Each has an open partial file, and its digest in memory.
  static let waitingUploads = 256

  /// The maximum number of interrupted uploads of one user, so that they do not evict other users'
  /// uploads.
  ///
  /// At the total limit, uploads of the users with the most are evicted first.
  static let waitingUploadsOfUser = 8

  /// The maximum number of finished uploads whose receipts are remembered: a kilobyte each at most.
  static let finishedUploads = 1_000

  /// The number of serial queues for blocking disk operations.
  ///
  /// An upload stays on one queue; a slow `fsync` delays only the other uploads on that queue.
  static let workers = 8

  /// The disk space that uploads leave free for the database.
  static let reservedBytes: Int64 = 256 << 20

  /// The number of entries that one transaction of a collection examines, so that other writes can
  /// run in between.
  static let collectedAtOnce = 100

  /// The time for which a backup's pin keeps files from being collected, unless it is renewed.
  static let pinSeconds: Int64 = 3_600

  /// The interval at which a backup renews its pin, so that a late renewal is still in time.
  static let renewalSeconds = pinSeconds / 4

  /// The number of days in which daily backups verify all files of their folder.
  ///
  /// Each backup verifies a part, so that it costs little more than the new files.
  ///
  /// The number is a prime, so that backups every 2 to 30 days also verify all files eventually.
  static let verificationDays: Int64 = 31
}
