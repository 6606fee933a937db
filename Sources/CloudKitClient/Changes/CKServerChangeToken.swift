public import Foundation

// Sendable: immutable.
/// A position in the changes of a database or of a record zone.
///
/// Store the token together with the data that it belongs to, and pass it to the next fetch to get
/// the changes since then. It is valid only for the database or zone that issued it.
public final class CKServerChangeToken: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The token as the server issued it.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Creates a token from an archive; nil if the archive contains none.
  public convenience init?(coder: NSCoder) {
    guard let text = coder.text(Self.key) else { return nil }
    self.init(text)
  }

  /// Encodes the token into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: Self.key)
  }

  private static let key = "ChangeToken"

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the token itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two tokens denote the same position.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.text == text
  }

  /// A hash that is the same for equal tokens.
  public override var hash: Int { text.hashValue }

  /// The token's text.
  public override var description: String { "<CKServerChangeToken: \(text)>" }
}
