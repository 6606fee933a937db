public import Foundation

/// The name of a notification: `CKNotification.ID`.
public final class CKNotificationID: NSObject, NSCopying, NSSecureCoding, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Reads a name from an archive; nil where it holds none.
  public convenience init?(coder: NSCoder) {
    guard let text = coder.text(Self.key) else { return nil }
    self.init(text)
  }

  /// Writes the name into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: Self.key)
  }

  private static let key = "NotificationID"

  /// True: a name is a text.
  public static var supportsSecureCoding: Bool { true }

  /// The name itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Names are equal where they name the same notification.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKNotificationID)?.text == text
  }

  /// Equal names have equal hashes.
  public override var hash: Int { text.hashValue }

  /// The name.
  public override var description: String { "<CKNotificationID: \(text)>" }
}
