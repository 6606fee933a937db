import CloudRecords

/// How many records may still go along with those that a request deletes, in all of its zones.
final class CascadeLedger {
  private let most: Int
  private(set) var left: Int

  init(most: Int) {
    self.most = most
    left = most
  }

  /// Forgets what went.
  func startOver() { left = most }

  /// Notes that so many went, of those that are left.
  func take(_ count: Int) { left -= count }

  /// What whoever deletes more is told.
  var exceeded: CloudError {
    CloudError(
      .badRequest,
      "More than \(most) records go with those of the request, which is the most. Delete what refers to them in several requests first.",
      extension: .limitExceeded)
  }
}
