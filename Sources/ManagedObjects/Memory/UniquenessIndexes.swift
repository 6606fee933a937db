import Foundation
import ManagedObjectModel
import ObjectRows

/// The rows by their values, for each uniqueness constraint.
struct UniquenessIndexes {
  fileprivate struct Index {
    let constraint: [String]
    let entity: NSEntityDescription
    let root: Int
    /// The ordinals of the attributes by layout index; nil for entities that the constraint does
    /// not cover.
    let ordinals: [[Int]?]
    var rows: [UniqueValues: RowKey] = [:]
  }

  private var indexes: [Index] = []

  /// Creates an empty index for each constraint of the model's entities.
  ///
  /// A constraint applies to every row of the same root entity that has the attributes.
  init(_ layouts: ModelLayouts) {
    for layout in layouts.layouts {
      for names in layout.entity.uniquenessConstraintNames {
        let properties = names.compactMap { name in
          layout.ordinal(of: name).map { layout.properties[$0] }
        }
        guard properties.count == names.count, !names.isEmpty else { continue }
        let ordinals = layouts.layouts.map { other -> [Int]? in
          guard other.rootIndex == layout.rootIndex else { return nil }
          let found = properties.compactMap { property in
            other.properties.firstIndex { $0 === property }
          }
          return found.count == properties.count ? found : nil
        }
        indexes.append(
          Index(
            constraint: names, entity: layout.entity, root: layout.rootIndex, ordinals: ordinals))
      }
    }
  }

  /// Finds the rows of a save whose values equal those of another row of the save or the store.
  func conflicts(of changes: StoreChanges, with contents: MemoryContents) -> [StoreConflict] {
    indexes.flatMap { conflicts(in: $0, of: changes, with: contents) }
  }

  /// Removes the values of the rows that a save changes or deletes.
  mutating func forget(_ changes: StoreChanges, in contents: MemoryContents) {
    for number in indexes.indices {
      let root = indexes[number].root
      let keys =
        changes.updated.lazy.filter { $0.layout.rootIndex == root }.map(\.row.key)
        + changes.deleted.lazy.filter { $0.layout.rootIndex == root }.map(\.key)
      for key in keys {
        guard let stored = contents.row(key, root: root),
          let values = indexes[number].values(of: stored)
        else {
          continue
        }
        indexes[number].rows[values] = nil
      }
    }
  }

  /// Adds the values of the rows that a save wrote.
  mutating func record(_ changes: StoreChanges, in contents: MemoryContents) {
    for number in indexes.indices {
      for change in changes.inserted + changes.updated
      where change.layout.rootIndex == indexes[number].root {
        guard let stored = contents.row(change.row.key, root: indexes[number].root),
          let values = indexes[number].values(of: stored)
        else { continue }
        indexes[number].rows[values] = stored.key
      }
    }
  }

  private func conflicts(
    in index: Index, of changes: StoreChanges, with contents: MemoryContents
  ) -> [StoreConflict] {
    var claims: [UniqueValues: [RowKey]] = [:]
    var order: [UniqueValues] = []
    var changedKeys = Set(
      changes.deleted.lazy.filter { $0.layout.rootIndex == index.root }.map(\.key))
    for change in changes.updated where change.layout.rootIndex == index.root {
      changedKeys.insert(change.row.key)
    }
    for change in changes.inserted + changes.updated where change.layout.rootIndex == index.root {
      let former = change.row.version == 0 ? nil : contents.row(change.row.key, root: index.root)
      guard let values = index.values(of: change, over: former) else { continue }
      if claims[values] == nil { order.append(values) }
      claims[values, default: []].append(
        RowKey(key: change.row.key, layoutIndex: Int32(change.layout.index)))
    }
    return order.compactMap { values in
      let rows = claims[values] ?? []
      let holder = index.rows[values].flatMap {
        changedKeys.contains($0.key) ? nil : contents.row($0)
      }
      guard rows.count > 1 || holder != nil else { return nil }
      return .uniqueness(
        constraint: index.constraint, entity: index.entity, rows: rows,
        persisted: holder.map { MemorySave.ownPage(of: $0) })
    }
  }
}

extension UniquenessIndexes.Index {
  fileprivate func values(of stored: StoredRow) -> UniqueValues? {
    guard let ordinals = ordinals[stored.layout.index] else { return nil }
    var values = UniqueValues()
    for ordinal in ordinals where !values.append(ordinal, of: stored.layout, in: stored.row) {
      return nil
    }
    return values
  }

  /// The values that a row will have: those that the change writes, or else the stored ones.
  fileprivate func values(of change: RowChange, over former: StoredRow?) -> UniqueValues? {
    guard let ordinals = ordinals[change.layout.index] else { return nil }
    var values = UniqueValues()
    for ordinal in ordinals {
      let isWritten = former == nil || change.changed.contains(ordinal)
      let row = isWritten ? change.row : former?.row ?? change.row
      guard values.append(ordinal, of: change.layout, in: row) else { return nil }
    }
    return values
  }
}

/// The values of a constraint's attributes, as bytes that are equal if the values are.
///
/// Strings are compared by Unicode scalars.
struct UniqueValues: Hashable {
  private var bytes: [UInt8] = []

  /// Adds the value of an attribute.
  ///
  /// Returns false if the attribute has no value: such a row conflicts with no other.
  mutating func append(_ ordinal: Int, of layout: RowLayout, in row: RowReference) -> Bool {
    let slot = layout.slots[ordinal]
    guard slot.kind != .none, !slot.isNull(in: row) else { return false }
    func raw<Value>(_ type: Value.Type) -> [UInt8] {
      unsafe withUnsafeBytes(of: slot.load(from: row, as: type)) { unsafe Array($0) }
    }
    let value: [UInt8] =
      switch slot.kind {
      case .none: []
      case .bool: raw(Bool.self)
      case .int16: raw(Int16.self)
      case .int32: raw(Int32.self)
      case .int64: raw(Int64.self)
      case .float: Array("\(slot.load(from: row, as: Float.self) + 0)".utf8)
      case .double, .date: Array("\(slot.load(from: row, as: Double.self) + 0)".utf8)
      case .uuid: raw(UUID.self)
      case .decimal: Array("\(slot.load(from: row, as: Decimal.self))".utf8)
      case .toOne: raw(Int64.self)
      case .string: Array((slot.text(in: row) ?? "").utf8)
      case .data: Array(slot.load(from: row, as: Data?.self) ?? Data())
      case .url: Array((slot.load(from: row, as: URL?.self)?.absoluteString ?? "").utf8)
      case .boxed:
        Array((slot.load(from: row, as: BoxedValue?.self).flatMap(\.storedBytes) ?? Data()))
      }
    unsafe withUnsafeBytes(of: value.count) { unsafe bytes.append(contentsOf: $0) }
    bytes += value
    return true
  }
}

extension BoxedValue {
  /// The stored bytes of a box; nil for a decoded value, and for a file that cannot be read.
  fileprivate var storedBytes: Data? {
    switch self {
    case let encoded as EncodedValue: encoded.data
    case let binary as BinaryValue: binary.data
    case let external as ExternalValue: try? external.data()
    default: nil
    }
  }
}
