import CloudRecords

/// The number of results in a response.
enum ResultsLimit {
  /// Returns the number of results for a page.
  ///
  /// - Parameters:
  ///   - wanted: The requested number, if any.
  ///   - most: The maximum.
  /// - Throws: `BAD_REQUEST` for zero, since a client that fetches all pages would never end.
  static func count(_ wanted: Int?, most: Int) throws(CloudError) -> Int {
    let count = min(wanted ?? most, most)
    guard count > 0 else {
      throw CloudError(.badRequest, "resultsLimit is 0: request at least one.")
    }
    return count
  }
}
