public import Foundation

// Sendable: immutable.
/// A place in the changes of a database or of a zone: what lies behind it was fetched.
///
/// Keep it beside the data that it belongs to, and ask for what changed since. It means something
/// only to the database or zone that gave it.
public final class CKServerChangeToken: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// What the server calls the place.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Reads a token from an archive; nil where it holds none.
  public convenience init?(coder: NSCoder) {
    guard let text = coder.text(Self.key) else { return nil }
    self.init(text)
  }

  /// Writes the token into an archive.
  public func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: Self.key)
  }

  private static let key = "ChangeToken"

  /// True: a token is a text.
  public static var supportsSecureCoding: Bool { true }

  /// The token itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Tokens are equal when they are the same place.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.text == text
  }

  /// Equal tokens have equal hashes.
  public override var hash: Int { text.hashValue }

  /// What the server calls the place.
  public override var description: String { "<CKServerChangeToken: \(text)>" }
}
