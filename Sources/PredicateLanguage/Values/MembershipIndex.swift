import Foundation
import TextMatching

/// An index of a collection for repeated membership tests, in constant time for plain values.
struct MembershipIndex {
  /// A hashable key for values whose equality can be hashed.
  fileprivate enum Key: Hashable {
    case null
    case number(Number)
    case text([UInt8])
    case reference(Double)
    case bytes(Data)
    case identifier(UUID)
    case address(String)
    case object(NSObject)
  }

  private let keys: Set<Key>
  /// The values without a key: nested collections, and values whose equality cannot be hashed.
  private let others: [Value]
  private let folding: TextFolding?

  /// Indexes the values; with a folding, texts are equal if their folded forms are.
  init(_ values: [Any?], folding: TextFolding?) {
    var keys: Set<Key> = []
    var others: [Value] = []
    for value in values {
      let value = Value(value)
      if let key = Self.key(of: value, folding) { keys.insert(key) } else { others.append(value) }
    }
    self.keys = keys
    self.others = others
    self.folding = folding
  }

  /// Whether the collection contains the value.
  func contains(_ value: Value) -> Bool {
    if let key = Self.key(of: value, folding) { return keys.contains(key) }
    return others.contains { value.isEqual(to: $0) }
  }

  fileprivate static func key(of value: Value, _ folding: TextFolding?) -> Key? {
    switch value {
    case .null: return .null
    case .number(let number): return .number(number)
    case .string(let text): return .text(Array((folding?.fold(text) ?? text).utf8))
    case .date(let date): return .reference(date.timeIntervalSinceReferenceDate)
    case .data(let data): return .bytes(data)
    case .uuid(let uuid): return .identifier(uuid)
    case .url(let url): return .address(url.absoluteString)
    case .other(let object as NSObject) where type(of: object as Any) is AnyClass:
      return .object(object)
    case .collection, .other: return nil
    }
  }
}

/// A growing collection that detects duplicates.
struct GrowingMembership {
  private var keys: Set<MembershipIndex.Key> = []
  private var others: [Value] = []

  /// Adds the value; returns false if the collection already contains it.
  mutating func insert(_ value: Value) -> Bool {
    if let key = MembershipIndex.key(of: value, nil) { return keys.insert(key).inserted }
    guard !others.contains(where: { value.isEqual(to: $0) }) else { return false }
    others.append(value)
    return true
  }
}
