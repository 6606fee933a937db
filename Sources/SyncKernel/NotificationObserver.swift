package import Foundation

/// Observes notifications until it is released.
// Sendable: the token is immutable, and observers may be removed on any thread.
package final class NotificationObserver: @unchecked Sendable {
  private let token: any NSObjectProtocol

  /// Starts to observe.
  package init(
    _ name: Notification.Name, _ handler: @escaping @Sendable (Notification) -> Void
  ) {
    token = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: nil, using: handler)
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
