public import Foundation

/// A notification's identifier; also available as `CKNotification.ID`.
public final class CKNotificationID: NSObject, NSCopying, NSSecureCoding, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Creates an identifier from an archive; nil if the archive contains none.
  public convenience init?(coder: NSCoder) {
    guard let text = coder.text(Self.key) else { return nil }
    self.init(text)
  }

  /// Encodes the identifier into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: Self.key)
  }

  private static let key = "NotificationID"

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the identifier itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two identifiers denote the same notification.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKNotificationID)?.text == text
  }

  /// A hash that is the same for equal identifiers.
  public override var hash: Int { text.hashValue }

  /// The class and the identifier's text.
  public override var description: String { "<CKNotificationID: \(text)>" }
}
