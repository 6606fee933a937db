import CloudRecords

extension ServiceLimits {
  /// Throws if a request has too many items.
  ///
  /// - Parameter what: The name of the items, such as “zones”.
  func check(_ count: Int, _ what: String) throws(CloudError) {
    try Self.check(count, what, most: operationsPerRequest, "operations")
  }

  /// Throws if a request names more records than a response may have.
  func checkWanted(_ count: Int) throws(CloudError) {
    try Self.check(count, "records", most: recordsPerResponse, "records")
  }

  /// Throws if a filter has too many values or words.
  func check(_ filter: RecordFilter) throws(CloudError) {
    guard filter.valueCount > valuesPerFilter else { return }
    let what = filter.comparator.searchesWords ? "words" : "values"
    throw CloudError(
      .badRequest,
      "The filter \(filter.comparator.rawValue) on \(filter.subject) has \(filter.valueCount) \(what); at most \(valuesPerFilter) are allowed (the limit “filter-values”). Send several queries.",
      extension: .limitExceeded)
  }

  /// The error for a response that would be too long.
  var answerTooLong: CloudError {
    CloudError(
      .badRequest,
      "The response would have more than the maximum of \(answerBytes) bytes (the limit “answer-bytes”). Request less at once, or fewer fields.",
      extension: .limitExceeded)
  }

  private static func check(_ count: Int, _ what: String, most: Int, _ limit: String)
    throws(CloudError)
  {
    guard count > most else { return }
    throw CloudError(
      .badRequest,
      "The request names \(count) \(what); at most \(most) are allowed (the limit “\(limit)”). Send several requests.",
      extension: .limitExceeded)
  }
}
