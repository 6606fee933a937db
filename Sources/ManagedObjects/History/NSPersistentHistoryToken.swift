public import Foundation

/// A position in the histories of one or several stores, after one transaction and before the next.
///
/// Keep the token of the last transaction that you have processed, and request the history after
/// it. Tokens can be archived:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
/// let token = try NSKeyedUnarchiver.unarchivedObject(
///   ofClass: NSPersistentHistoryToken.self, from: data)
/// ```
// Sendable: immutable.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The number of the latest included transaction, by store UUID.
  let numbers: [String: Int64]

  package init(numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// Creates a token from an archive, or returns nil if the archive contains none.
  public required init?(coder: NSCoder) {
    let archived = coder.decodeObject(
      of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.numbersKey)
    guard let archived = archived as? [String: NSNumber] else { return nil }
    numbers = archived.mapValues(\.int64Value)
    super.init()
  }

  /// Encodes the token.
  open func encode(with coder: NSCoder) {
    coder.encode(numbers.mapValues(NSNumber.init(value:)) as NSDictionary, forKey: Self.numbersKey)
  }

  private static let numbersKey = "NSPersistentHistoryTokenNumbers"

  /// True: a token contains only strings and numbers.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the token itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Returns whether both tokens mark the same position in the same stores.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  /// The hash, which is equal for equal tokens.
  open override var hash: Int { numbers.hashValue }

  /// The number of the latest included transaction in each store.
  open override var description: String {
    let places = numbers.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    return "<NSPersistentHistoryToken: {\(places.joined(separator: "; "))}>"
  }
}
