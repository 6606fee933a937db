/// The bounds of the sync engine, each with its reason.
package enum SyncLimits {
  /// Records and deletions in one batch: as many as the protocol allows in one request.
  package static let changesPerBatch = 200

  /// Bytes of the values in one batch, about: a quarter of what a server takes, since texts grow on
  /// the wire.
  package static let bytesPerBatch = 4 << 20

  /// Changes that are asked for at once: what a fetch keeps in memory is one page, and the files of
  /// its assets lie on the disk.
  package static let changesPerPage = 200

  /// How long an engine takes for granted that its subscription is there: a request in an hour
  /// costs nobody anything.
  package static let longestTrust = Duration.seconds(3_600)

  /// The same, where its device has come to listen again: in bad networks devices do so all the
  /// time.
  package static let shortestTrust = Duration.seconds(60)

  /// How long changes are collected before they are sent: a loop that saves a hundred objects is
  /// one batch, and nobody sees the delay.
  package static let collecting = Duration.milliseconds(100)

  /// The wait after the first failure; each further one is twice as long.
  package static let firstRetry = Duration.seconds(2)

  /// The longest wait after a failure that says nothing itself: a server that is back is found
  /// within minutes.
  package static let longestRetry = Duration.seconds(300)
}
