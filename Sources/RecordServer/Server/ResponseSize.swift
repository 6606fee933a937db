import CloudRecords

/// Measures a response of several items before it is created.
struct ResponseSize {
  private let limits: ServiceLimits
  private let most: Int
  private var items = 0
  private var bytes = 0

  /// Starts to count a response's bytes.
  ///
  /// - Parameter times: The multiple of the size limit that the total may reach.
  init(_ limits: ServiceLimits, times: Int = 1) {
    self.limits = limits
    most = limits.answerBytes * times
  }

  /// Adds the bytes of an item.
  ///
  /// - Throws: If the item makes the response too long, unless it is the first item.
  mutating func add(_ count: Int) throws(CloudError) {
    (items, bytes) = (items + 1, bytes + count)
    guard items == 1 || bytes <= most else { throw limits.answerTooLong }
  }
}
