package import Foundation

/// Decides when an engine looks whether its subscription is still there.
///
/// Every program of the user's, on whichever device, can end subscriptions and make others under
/// their names: an engine whose subscription is gone hears nothing, as if nothing happened.
/// Parhelion's servers tell devices that listen, and others nobody. So it looks where it is told,
/// by the server or by its own program, each hour on a server of others, in each launch, when its
/// device has come to listen again, and at times beside what it does anyhow.
package struct SubscriptionWatch: Sendable {
  private var lastLook: Date?
  /// Whether the device has begun to listen since.
  private var hasListenedAnew = false

  package init() {}

  /// The device listens, for the first time or again.
  package mutating func listens() { hasListenedAnew = true }

  /// The server has said that a subscription ended.
  package mutating func isInDoubt() { lastLook = nil }

  /// Whether it is time to look.
  package func isDue(at now: Date) -> Bool {
    guard let lastLook else { return true }
    let pause = hasListenedAnew ? SyncLimits.shortestTrust : SyncLimits.longestTrust
    // A clock that was put back says nothing.
    return !(lastLook...lastLook + pause.seconds).contains(now)
  }

  /// The subscription was there, or was made.
  ///
  /// - Parameter date: When the server was asked.
  package mutating func looked(at date: Date) { (lastLook, hasListenedAnew) = (date, false) }
}
