import Foundation

// Sendable: the notification center accepts observers on any thread.
/// Observes notifications during its lifetime.
final class DemoObserver: @unchecked Sendable {
  private let observer: any NSObjectProtocol

  init(_ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
    observer = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: nil, using: body)
  }

  deinit { NotificationCenter.default.removeObserver(observer) }
}
