import Foundation

/// Observes account changes of a container until it is released.
final class AccountObservation: @unchecked Sendable {
  // Sendable: the token is immutable, and observers may be removed on any thread.
  private let token: any NSObjectProtocol

  /// Starts observing.
  ///
  /// - Parameter container: The container whose account is observed.
  init(of container: CKContainer, _ handler: @escaping @Sendable () -> Void) {
    token = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) {
      notification in
      if container.isConcerned(by: notification) { handler() }
    }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
