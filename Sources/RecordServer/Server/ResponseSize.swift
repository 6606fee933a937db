import CloudRecords

/// Adds up what an answer of several items comes to, before it is made.
struct ResponseSize {
  private let limits: ServiceLimits
  private let most: Int
  private var items = 0
  private var bytes = 0

  /// - Parameter times: How many times an answer may be added up.
  init(_ limits: ServiceLimits, times: Int = 1) {
    self.limits = limits
    most = limits.answerBytes * times
  }

  /// - Throws: Where the answer is too long with one more item, unless it is the first.
  mutating func add(_ count: Int) throws(CloudError) {
    (items, bytes) = (items + 1, bytes + count)
    guard items == 1 || bytes <= most else { throw limits.answerTooLong }
  }
}
