package import Foundation

/// Decides when an engine checks that its subscription exists.
///
/// Any app of the user on any device can delete subscriptions. An engine without a subscription
/// receives no notifications, and cannot tell that from silence. Parhelion's servers report
/// deletions to listening devices; other servers do not. So the engine checks at launch, when a
/// change of subscriptions is reported, after a reconnect, and at intervals.
package struct SubscriptionWatch: Sendable {
  private var lastLook: Date?
  /// The number of times that the device began to listen, and how many the last check covers.
  private var connections = 0
  private var checkedConnections = 0
  /// The number of reports that a subscription has ended.
  private var reports = 0

  package init() {}

  /// Handles the start of listening, the first time or after a reconnect.
  package mutating func listens() { connections += 1 }

  /// Handles the report that a subscription has ended.
  package mutating func isInDoubt() {
    lastLook = nil
    reports += 1
  }

  /// Whether a check is due.
  package func isDue(at now: Date) -> Bool {
    guard let lastLook else { return true }
    let hasReconnected = connections > checkedConnections
    let pause = hasReconnected ? KernelLimits.shortestTrust : KernelLimits.longestTrust
    // If the clock was set back, a check is due.
    return !(lastLook...lastLook + pause / .seconds(1)).contains(now)
  }

  /// Records a successful check.
  ///
  /// - Parameters:
  ///   - date: The time of the request.
  ///   - before: The watch before the request. If a subscription was reported as ended since then,
  ///     another check is due; after a reconnect, it is due soon.
  package mutating func looked(at date: Date, asOf before: Self) {
    guard before.reports == reports else { return }
    (lastLook, checkedConnections) = (date, before.connections)
  }
}
