/// How much a query, a feed or a list may read, in one transaction and in one request.
///
/// A request that reads for long does so in slices, between which other requests get their turn.
package struct ReadingLimits: Hashable, Sendable {
  /// Entries of one slice.
  package var entriesPerSlice = 2_000
  /// The time of one slice.
  ///
  /// Ten requests that read for long let another request wait for about as many slices.
  package var sliceDuration = Duration.milliseconds(10)
  /// Entries after which an answer ends with a token or a marker, however few results it has.
  package var entriesPerPage = 100_000
  /// The time after which an answer ends likewise.
  package var pageDuration = Duration.seconds(5)
  /// Entries after which a query is refused whose results have no order in which an answer could
  /// end.
  package var entriesPerRequest = 2_000_000
  /// The time after which such a query is refused: a client does not wait for longer.
  package var requestDuration = Duration.seconds(30)
  /// Bytes that all requests together may keep in memory from one slice to the next.
  package var pausedBytes = 256 << 20
  /// Bytes that one request may keep, however much the others do.
  package var pausedBytesOfOne = 256 << 10

  package init() {}
}
