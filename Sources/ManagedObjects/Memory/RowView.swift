import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The identity of a row, as predicates compare it.
class RowIdentity: NSObject {
  let key: Int64
  let root: Int

  init(key: Int64, root: Int) {
    self.key = key
    self.root = root
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? RowIdentity else { return false }
    return key == other.key && root == other.root
  }

  override var hash: Int { key.hashValue }
}

/// A row of an in-memory store, as predicates, expressions and sort descriptors read it.
final class RowView: RowIdentity, KeyValueCoding {
  let stored: StoredRow
  private let contents: MemoryContents

  init(_ stored: StoredRow, in contents: MemoryContents) {
    self.stored = stored
    self.contents = contents
    super.init(key: stored.row.key, root: stored.layout.rootIndex)
  }

  func hasValue(forKey key: String) -> Bool {
    if let ordinal = stored.layout.ordinal(of: key) {
      return !stored.layout.properties[ordinal].isTransient
    }
    // A fetch may name properties that only some entities have. The others have no value for them.
    return Self.plainKeys.contains(key)
      || contents.layouts.hasProperty(key, inFamilyOf: stored.layout)
  }

  func value(forKey key: String) -> Any? {
    guard let ordinal = stored.layout.ordinal(of: key) else { return plainValue(key) }
    switch stored.layout.slot(ordinal).kind {
    case .none: return members(ordinal)
    case .toOne: return contents.destination(ordinal, of: stored).map { RowView($0, in: contents) }
    case .boxed: return stored.layout.openedValue(ordinal, in: stored.row)
    default: return stored.layout.value(ofAttribute: ordinal, in: stored.row)
    }
  }

  private func members(_ ordinal: Int) -> [Any] {
    contents.members(ordinal, of: stored).compactMap { key in
      contents.row(key).map { RowView($0, in: contents) }
    }
  }

  private static let plainKeys: Set<String> = ["self", "objectID", "entity"]

  private func plainValue(_ key: String) -> Any? {
    switch key {
    case "self", "objectID": self
    case "entity": stored.layout.entity
    default: nil
    }
  }
}

extension RowLayout {
  /// The value in a boxed slot, with bytes as `Data`.
  func openedValue(_ ordinal: Int, in row: RowReference) -> Any? {
    switch slots[ordinal].load(from: row, as: BoxedValue?.self) {
    case let encoded as EncodedValue: encoded.data
    case let decoded as DecodedValue: decoded.value
    case let binary as BinaryValue: binary.data
    case let external as ExternalValue: try? external.data()
    default: nil
    }
  }
}
