import CloudRecords

/// The remaining number of records that a request may delete by cascades, in all of its zones.
final class CascadeLedger {
  private let most: Int
  private(set) var left: Int

  init(most: Int) {
    self.most = most
    left = most
  }

  /// Resets the count.
  func startOver() { left = most }

  /// Subtracts deleted records.
  func take(_ count: Int) { left -= count }

  /// The error if the limit is exceeded.
  var exceeded: CloudError {
    CloudError(
      .badRequest,
      "More than \(most) records would be deleted with those of the request. Delete the records that refer to them in several requests first.",
      extension: .limitExceeded)
  }
}
