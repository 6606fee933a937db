/// The amount that a query, a feed or a listing may read, per transaction and per request.
///
/// A long read proceeds in slices. Other requests run between two slices.
package struct ReadingLimits: Hashable, Sendable {
  /// Entries read in one slice.
  package var entriesPerSlice = 2_000
  /// The duration of one slice.
  ///
  /// With ten long reads running, another request waits for about ten slices.
  package var sliceDuration = Duration.milliseconds(10)
  /// Entries after which a response ends with a token or a continuation marker, even with few
  /// results.
  package var entriesPerPage = 100_000
  /// The time after which a response ends in the same way.
  package var pageDuration = Duration.seconds(5)
  /// Entries after which the server rejects a query whose result cannot be split into pages.
  package var entriesPerRequest = 2_000_000
  /// The time after which the server rejects such a query.
  ///
  /// Clients do not wait longer.
  package var requestDuration = Duration.seconds(30)
  /// Bytes that all requests together may keep in memory between slices.
  package var pausedBytes = 256 << 20
  /// Bytes that one request may always keep, regardless of other requests.
  package var pausedBytesOfOne = 256 << 10

  package init() {}
}
