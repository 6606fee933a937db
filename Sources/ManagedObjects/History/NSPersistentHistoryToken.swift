public import Foundation

/// A place in the histories of one or several stores: after one transaction and before the next.
///
/// Keep the token of the latest transaction that you have processed, and ask for the history after
/// it. Tokens can be archived:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
/// let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
/// ```
// Sendable: immutable.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The number of the latest transaction that lies behind, by the UUID of its store.
  let numbers: [String: Int64]

  package init(numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// Reads a token from an archive, or gives nil where the archive holds none.
  public required init?(coder: NSCoder) {
    let archived = coder.decodeObject(
      of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.numbersKey)
    guard let archived = archived as? [String: NSNumber] else { return nil }
    numbers = archived.mapValues(\.int64Value)
    super.init()
  }

  /// Writes the token into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(numbers.mapValues(NSNumber.init(value:)) as NSDictionary, forKey: Self.numbersKey)
  }

  private static let numbersKey = "NSPersistentHistoryTokenNumbers"

  /// True: a token holds texts and numbers only.
  public static var supportsSecureCoding: Bool { true }

  /// The token itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Tokens are equal when they are the same place in the same stores.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  /// Equal tokens have equal hashes.
  open override var hash: Int { numbers.hashValue }

  /// The number of the latest transaction that lies behind, for each store.
  open override var description: String {
    let places = numbers.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    return "<NSPersistentHistoryToken: {\(places.joined(separator: "; "))}>"
  }
}
