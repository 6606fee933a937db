import Foundation
import ManagedObjectModel
import ObjectRows

/// The references of a store's rows, and the keys that represent them in the object graph.
///
/// A reference is any value that the store's class chose: a number, a string, a UUID. Keys are
/// assigned from 1 upward for each root entity, and are never reused.
final class ReferenceTable: RowNames {
  fileprivate struct Entry {
    var reference: Any
    /// The name of the most specific entity that the reference was used with.
    var entity: String
    let name: String
    /// Whether the reference was read from a URI, which does not contain its type.
    var isFromURI: Bool
  }

  fileprivate struct Root {
    /// The entries by key, starting with key 1.
    var entries: [Entry] = []
    var keys: [AnyHashable: Int64] = [:]
    var keysByName: [String: Int64] = [:]
  }

  private let roots = LockedBox<[String: Root]>([:])

  /// The key of a reference, which is assigned when it is first used.
  func key(of reference: Any, _ layout: RowLayout) -> Int64 {
    let hashed = Self.hashable(reference)
    return roots.withLock { roots in
      roots[layout.rootName, default: Root()].key(of: reference, hashed, layout.entity)
    }
  }

  /// The key for a name in a URI.
  ///
  /// An unknown name becomes a reference: a number if it is one, or else a string.
  func key(named name: String, _ layout: RowLayout) -> Int64 {
    roots.withLock { roots in
      if let key = roots[layout.rootName]?.keysByName[name] { return key }
      let reference: Any =
        Int64(name).flatMap { String($0) == name ? NSNumber(value: $0) : nil } ?? name
      return roots[layout.rootName, default: Root()].add(
        Entry(
          reference: reference, entity: layout.entity.name ?? "", name: name, isFromURI: true),
        Self.hashable(reference))
    }
  }

  /// The reference that a key represents, or nil for an unknown key.
  func reference(of key: Int64, root: String) -> Any? { entry(key, root)?.reference }

  /// The name of the entity of a key's object, or nil for an unknown key.
  func entityName(of key: Int64, root: String) -> String? { entry(key, root)?.entity }

  func name(of key: Int64, root: String) -> String? { entry(key, root)?.name }

  private func entry(_ key: Int64, _ root: String) -> Entry? {
    roots.withLock { roots in
      guard let entries = roots[root]?.entries, key > 0, key <= entries.count else { return nil }
      return entries[Int(key) - 1]
    }
  }

  // MARK: References

  /// A value that is equal for equal references, whether they are Swift's or Foundation's.
  private static func hashable(_ reference: Any) -> AnyHashable {
    let normalized = AttributeValue.normalized(reference)
    return normalized as? AnyHashable ?? AnyHashable(name(of: reference))
  }

  /// The text that represents a reference in a URI.
  fileprivate static func name(of reference: Any) -> String {
    switch AttributeValue.normalized(reference) {
    case let number as NSNumber: number.stringValue
    case let text as String: text
    case let data as Data:
      data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
    case let identifier as UUID: identifier.uuidString
    case let url as URL: url.absoluteString
    case let other: String(describing: other)
    }
  }
}

extension ReferenceTable.Root {
  /// The key of a reference, which is added if it is unknown.
  fileprivate mutating func key(
    of reference: Any, _ hashed: AnyHashable, _ entity: NSEntityDescription
  ) -> Int64 {
    if let key = keys[hashed] {
      // A class may first use a reference with a superentity: that of a relationship's destination.
      let known = entries[Int(key) - 1].entity
      if entity.lineage.contains(where: { $0.name == known }) {
        entries[Int(key) - 1].entity = entity.name ?? ""
      }
      return key
    }
    let entry = ReferenceTable.Entry(
      reference: reference, entity: entity.name ?? "", name: ReferenceTable.name(of: reference),
      isFromURI: false)
    if let key = keysByName[entry.name], entries[Int(key) - 1].isFromURI {
      entries[Int(key) - 1] = entry
      keys[hashed] = key
      return key
    }
    return add(entry, hashed)
  }

  /// Adds a reference, and returns its key.
  fileprivate mutating func add(_ entry: ReferenceTable.Entry, _ hashed: AnyHashable) -> Int64 {
    entries.append(entry)
    let key = Int64(entries.count)
    keys[hashed] = keys[hashed] ?? key
    keysByName[entry.name] = keysByName[entry.name] ?? key
    return key
  }
}
