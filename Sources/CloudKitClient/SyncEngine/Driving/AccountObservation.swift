import Foundation

/// Hears of it when somebody signs in or out, for as long as it lives.
final class AccountObservation: @unchecked Sendable {
  // Sendable: the token never changes, and the notification centre may be told of it on any thread.
  private let token: any NSObjectProtocol

  /// - Parameter container: Whose accounts are meant: others are somebody else's.
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
