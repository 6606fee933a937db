/// The sizes and times of the files' keeper, each with its reason.
enum Limits {
  /// How much of an upload is gathered before the disk gets it: a visit to another thread for each
  /// piece of a socket would cost more than the writing.
  static let gatheredBytes = 256 << 10

  /// How much is written before the system is asked to begin with bringing it to the disk, so that
  /// the end of a large upload does not wait for all of it.
  static let writebackBytes: Int64 = 8 << 20

  /// How much of a file is read at a time when it is copied or checked.
  static let readBytes = 256 << 10

  /// Uploads whose connections broke and that wait for their clients: each has a part of a file,
  /// open, and its digest in memory.
  static let waitingUploads = 256

  /// Uploads of one user that wait: nobody's broken connections push out other people's.
  ///
  /// Where many users have as many as that, those go first who have the most.
  static let waitingUploadsOfUser = 8

  /// Uploads that have ended and whose receipts are remembered for a while: a kilobyte each at
  /// most.
  static let finishedUploads = 1_000

  /// Threads that wait for disks.
  ///
  /// An upload keeps to one; a slow `fsync` holds up the others on it, and nobody else.
  static let workers = 8

  /// What an upload leaves of the disk, for the database beside it.
  static let reservedBytes: Int64 = 256 << 20

  /// Entries that one transaction of a collection looks at: others write in between.
  static let collectedAtOnce = 100

  /// How long a copy keeps files from being collected without saying that it still goes on.
  static let pinSeconds: Int64 = 3_600

  /// Within how many days daily backups look into all files of their folder: each reads a part of
  /// them, so that it costs little more than what is new.
  ///
  /// A prime: backups that are some days apart look into all files within as many backups, unless
  /// it divides these days.
  static let daysOfLooking: Int64 = 31

  /// After how many files a copy says that it still goes on.
  static let filesPerPin = 256
}
