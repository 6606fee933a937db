package import SyncKernel

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

  /// How long changes are collected before they are sent, so that a loop of saves becomes one
  /// batch.
  package static let collecting = Duration.milliseconds(100)

  /// The back-off after failures, unless the server asks for a longer one.
  package static let backOff = BackOff(first: .seconds(2), longest: .seconds(300))
}
