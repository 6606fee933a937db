import CloudRecords

/// How many results an answer has.
enum ResultsLimit {
  /// - Parameters:
  ///   - wanted: What the request says, if anything.
  ///   - most: What there is room for.
  /// - Throws: `BAD_REQUEST` for none: who asks for the next page until there is no more would do
  ///   so for ever.
  static func count(_ wanted: Int?, most: Int) throws(CloudError) -> Int {
    let count = min(wanted ?? most, most)
    guard count > 0 else {
      throw CloudError(.badRequest, "resultsLimit is 0: ask for one at least.")
    }
    return count
  }
}
