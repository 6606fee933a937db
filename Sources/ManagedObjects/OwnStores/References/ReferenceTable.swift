import Foundation
import ManagedObjectModel
import ObjectRows

/// The references of a store's rows, and the keys that represent them in the object graph.
///
/// A reference is any value that the store's class chose: a number, a string, a UUID. Keys are
/// assigned from 1 upward for each root entity, and never again.
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
    /// By key, starting with key 1.
    var entries: [Entry] = []
    var keys: [AnyHashable: Int64] = [:]
    var keysByName: [String: Int64] = [:]
  }

  private let roots = LockedBox<[String: Root]>([:])

  /// The key of a reference, which is assigned when it is first used.
  func key(of reference: Any, _ layout: RowLayout) -> Int64 {
    let hashed = Self.hashable(reference)
    let entity = layout.entity.name ?? ""
    return roots.withLock { roots in
      if let key = roots[layout.rootName]?.keys[hashed] {
        // A class may name an object by the entity of a relationship's destination.
        if let known = roots[layout.rootName]?.entries[Int(key) - 1].entity,
          layout.entity.lineage.contains(where: { $0.name == known })
        {
          roots[layout.rootName]?.entries[Int(key) - 1].entity = entity
        }
        return key
      }
      let name = Self.name(of: reference)
      let entry = Entry(reference: reference, entity: entity, name: name, isFromURI: false)
      if let key = roots[layout.rootName]?.keysByName[name],
        roots[layout.rootName]?.entries[Int(key) - 1].isFromURI == true
      {
        roots[layout.rootName]?.entries[Int(key) - 1] = entry
        roots[layout.rootName]?.keys[hashed] = key
        return key
      }
      return roots[layout.rootName, default: Root()].add(entry, hashed)
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
  private static func name(of reference: Any) -> String {
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
  /// Adds a reference, and returns its key.
  fileprivate mutating func add(_ entry: ReferenceTable.Entry, _ hashed: AnyHashable) -> Int64 {
    entries.append(entry)
    let key = Int64(entries.count)
    keys[hashed] = keys[hashed] ?? key
    keysByName[entry.name] = keysByName[entry.name] ?? key
    return key
  }
}
