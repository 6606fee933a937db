import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore
import Testing

/// The destination of a to-one relationship, as a value of a row.
struct Reference: Equatable {
  let entity: String
  let key: Int64
  init(_ entity: String, _ key: Int64) {
    self.entity = entity
    self.key = key
  }
}

/// Rows for a save, with the memory that contains them.
final class Changes {
  private let sample: SampleStore
  private var pages: [RowPage] = []
  var changes: StoreChanges

  init(_ sample: SampleStore, transaction: TransactionDescription = .sample) {
    self.sample = sample
    changes = StoreChanges(transaction: transaction)
  }

  @discardableResult
  func insert(_ entity: String, _ key: Int64, _ values: [String: Any] = [:]) throws -> Changes {
    let row = try makeRow(entity, key, values)
    changes.inserted.append(
      RowChange(layout: sample[entity], row: row, changed: OrdinalSet(), expectedVersion: nil))
    return self
  }

  /// Changes a row.
  ///
  /// The value `NSNull` sets nil. A `[String]` marks a property without a slot as changed.
  @discardableResult
  func update(
    _ entity: String, _ key: Int64, version: Int64?, _ values: [String: Any],
    changing names: [String]? = nil
  ) throws -> Changes {
    let layout = sample[entity]
    let row = try makeRow(entity, key, values)
    let changed = OrdinalSet(
      try (names ?? Array(values.keys)).map { try #require(layout.ordinal(of: $0)) })
    changes.updated.append(
      RowChange(layout: layout, row: row, changed: changed, expectedVersion: version))
    return self
  }

  @discardableResult
  func delete(_ entity: String, _ key: Int64, version: Int64?) -> Changes {
    changes.deleted.append(RowDeletion(layout: sample[entity], key: key, expectedVersion: version))
    return self
  }

  @discardableResult
  func members(
    _ entity: String, _ relationship: String, of owner: Int64, added: [Reference] = [],
    removed: [Reference] = [],
    order: [Reference]? = nil
  ) throws -> Changes {
    let layout = sample[entity]
    let relationship = try #require(layout.entity.relationshipsByName[relationship])
    func key(_ reference: Reference) -> RowKey {
      RowKey(key: reference.key, layoutIndex: Int32(sample[reference.entity].index))
    }
    changes.memberships.append(
      MembershipChange(
        relationship: relationship, layout: layout, owner: owner, added: added.map(key),
        removed: removed.map(key),
        order: order?.map(key)))
    return self
  }

  func save() throws -> StoreSaveOutcome { try sample.store.save(changes) }

  /// The conflicts of the changes, without saving them.
  func check() throws -> [StoreConflict] { try sample.store.conflicts(of: changes) }

  /// Saves, and fails the test if there is a conflict.
  @discardableResult
  func saveAll(sourceLocation: SourceLocation = #_sourceLocation) throws -> StoreSaveReceipt {
    switch try save() {
    case .saved(let receipt): return receipt
    case .conflicts(let conflicts):
      Issue.record("conflicts: \(conflicts)", sourceLocation: sourceLocation)
      return StoreSaveReceipt()
    }
  }

  /// Saves, and returns the conflicts.
  func conflicts(sourceLocation: SourceLocation = #_sourceLocation) throws -> [StoreConflict] {
    if case .conflicts(let conflicts) = try save() { return conflicts }
    Issue.record("the save went through", sourceLocation: sourceLocation)
    return []
  }

  private func makeRow(_ entity: String, _ key: Int64, _ values: [String: Any]) throws
    -> RowReference
  {
    let layout = sample[entity]
    let page = RowPage(layout: layout, capacity: 1)
    pages.append(page)
    let row = page.appendRow(key: key, version: 0)
    for (name, value) in values { try set(name, value, layout, row) }
    return row
  }

  private func set(_ name: String, _ value: Any, _ layout: RowLayout, _ row: RowReference) throws {
    let ordinal = try #require(layout.ordinal(of: name), "no property \(name)")
    let slot = layout.slots[ordinal]
    switch value {
    case let reference as Reference:
      let index = Int32(sample[reference.entity].index)
      slot.store(ToOneValue(key: reference.key, layoutIndex: index), in: row)
    case is [String] where slot.kind == .none: break
    default:
      #expect(layout.setValue(value, ofAttribute: ordinal, in: row), "\(name) takes no \(value)")
    }
  }
}

extension TransactionDescription {
  static let sample = TransactionDescription(
    author: nil, contextName: nil, bundleID: "tests", processID: "test",
    date: Date(timeIntervalSinceReferenceDate: 0))
}

extension RowLayout {
  /// A row as text, such as `Book 3 v1 isbn=a title=…`, with properties by ordinal and without nil.
  func describe(_ row: RowReference, _ layouts: ModelLayouts) -> String {
    var parts = ["\(entity.name ?? "") \(row.key) v\(row.version)"]
    for (ordinal, property) in properties.enumerated() where !slots[ordinal].isNull(in: row) {
      switch slots[ordinal].kind {
      case .none: continue
      case .toOne:
        let value = slots[ordinal].load(from: row, as: ToOneValue.self)
        parts.append(
          "\(property.name)=\(layouts[value.layoutIndex].entity.name ?? "")/\(value.key)")
      default:
        parts.append(
          "\(property.name)=\(value(ofAttribute: ordinal, in: row).map { "\($0)" } ?? "nil")")
      }
    }
    return parts.joined(separator: " ")
  }
}

extension SampleStore {
  func describe(_ rows: FetchedRows) -> [String] {
    rows.rows.map { row in
      let page = rows.pages[Int(row.page)]
      return page.layout.describe(row.row, layouts)
    }
  }

  /// The rows with these keys as text, ordered by key.
  func rows(_ entity: String, _ keys: Int64...) throws -> [String] {
    let rows = try store.rows(withKeys: keys, layout: self[entity])
    return describe(rows).sorted()
  }

  /// The members of a relationship as `owner: member member`, with one line for each owner.
  func members(_ entity: String, _ relationship: String, of owners: Int64...) throws -> [String] {
    let description = try #require(self[entity].entity.relationshipsByName[relationship])
    let related = try store.members(
      of: description, owners: owners, layout: self[entity], includingRows: false)
    var lines: [(owner: Int64, members: [Int64])] = []
    for (owner, member) in zip(related.owners, related.members) {
      if lines.last?.owner == owner {
        lines[lines.count - 1].members.append(member.key)
      } else {
        lines.append((owner, [member.key]))
      }
    }
    return lines.map { "\($0.owner): " + $0.members.map(String.init).joined(separator: " ") }
  }
}
