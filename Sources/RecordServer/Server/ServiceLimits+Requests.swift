import CloudRecords

extension ServiceLimits {
  /// Refuses a request that names more than one request may.
  ///
  /// - Parameter what: What it names, such as “zones”.
  func check(_ count: Int, _ what: String) throws(CloudError) {
    try Self.check(count, what, most: operationsPerRequest, "operations")
  }

  /// Refuses a request for more records than an answer has.
  func checkWanted(_ count: Int) throws(CloudError) {
    try Self.check(count, "records", most: recordsPerResponse, "records")
  }

  /// Refuses a filter that compares with more values or words than one filter may.
  func check(_ filter: RecordFilter) throws(CloudError) {
    guard filter.valueCount > valuesPerFilter else { return }
    let what = filter.comparator.searchesWords ? "words" : "values"
    throw CloudError(
      .badRequest,
      "The filter \(filter.comparator.rawValue) on \(filter.subject) has \(filter.valueCount) \(what); \(valuesPerFilter) is the most (the limit “filter-values”). Send several queries.",
      extension: .limitExceeded)
  }

  /// What whoever asks for too much at once is told.
  var answerTooLong: CloudError {
    CloudError(
      .badRequest,
      "The answer would have more than \(answerBytes) bytes, which is the most (the limit “answer-bytes”). Name less in each request, or ask for fewer fields.",
      extension: .limitExceeded)
  }

  private static func check(_ count: Int, _ what: String, most: Int, _ limit: String)
    throws(CloudError)
  {
    guard count > most else { return }
    throw CloudError(
      .badRequest,
      "The request names \(count) \(what); \(most) is the most (the limit “\(limit)”). Send several requests.",
      extension: .limitExceeded)
  }
}
