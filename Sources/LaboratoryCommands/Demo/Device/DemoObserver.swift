import Foundation

// Sendable: the centre may be told of an observer on any thread.
/// Hears of notifications for as long as it lives.
final class DemoObserver: @unchecked Sendable {
  private let observer: any NSObjectProtocol

  init(_ name: Notification.Name, _ body: @escaping @Sendable (Notification) -> Void) {
    observer = NotificationCenter.default.addObserver(
      forName: name, object: nil, queue: nil, using: body)
  }

  deinit { NotificationCenter.default.removeObserver(observer) }
}
