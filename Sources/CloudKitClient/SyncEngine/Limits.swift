/// The limits of the sync engine.
package enum SyncLimits {
  /// The records and deletions in a batch: the protocol's limit for one request.
  package static let changesPerBatch = 200

  /// The approximate bytes of a batch: a quarter of the server's limit, because strings grow in
  /// JSON.
  package static let bytesPerBatch = 4 << 20

  /// The changes in a page.
  ///
  /// A fetch keeps one page in memory, and its assets on disk.
  package static let changesPerPage = 200

  /// How long an engine assumes that its subscription exists.
  ///
  /// One request per hour is cheap.
  package static let longestTrust = Duration.seconds(3_600)

  /// How long an engine assumes it after a device has reconnected, which happens often on bad
  /// networks.
  package static let shortestTrust = Duration.seconds(60)

  /// How long changes are collected before they are sent, so that a loop of saves becomes one
  /// batch.
  package static let collecting = Duration.milliseconds(100)

  /// The first back-off.
  ///
  /// It doubles with each failure.
  package static let firstRetry = Duration.seconds(2)

  /// The longest back-off, unless the server specifies one.
  package static let longestRetry = Duration.seconds(300)
}
