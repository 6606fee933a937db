import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// A store of the shelf's model, with test helpers.
final class ShelfStore {
  let sample: ShelfModel
  let store: any RowStore

  init(_ sample: ShelfModel, _ store: any RowStore) {
    self.sample = sample
    self.store = store
  }

  convenience init(_ kind: StoreKind, in folder: URL) throws {
    let sample = ShelfModel()
    self.init(sample, try kind.open(sample.model, folder.appendingPathComponent("shelf.sqlite")))
  }

  // MARK: Saving

  /// A row with values, whose memory lives as long as the draft.
  final class Draft {
    let layout: RowLayout
    let row: RowReference
    private(set) var changed = OrdinalSet()

    init(_ layout: RowLayout, key: Int64, version: Int64 = 0) {
      self.layout = layout
      row = layout.allocateRow(key: key, version: version)
    }

    deinit { layout.deallocateRow(row) }

    var key: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }

    /// Sets values by name: attributes, or row keys for to-one relationships.
    func set(_ values: [String: Any?]) {
      for (name, value) in values {
        guard let ordinal = layout.ordinal(of: name) else {
          preconditionFailure("There is no property \(name).")
        }
        changed.insert(ordinal)
        let slot = layout.slot(ordinal)
        if let key = value as? RowKey {
          slot.store(ToOneValue(key: key.key, layoutIndex: key.layoutIndex), in: row)
        } else if slot.kind == .toOne {
          layout.setNil(slot, in: row)
        } else {
          precondition(
            layout.setValue(value, ofAttribute: ordinal, in: row),
            "\(name) does not take \(value ?? "nil").")
        }
      }
    }
  }

  func draft(_ entity: String, _ values: [String: Any?] = [:]) throws -> Draft {
    let layout = sample.layout(entity)
    let draft = Draft(layout, key: try store.reserveKeys([(layout, 1)], forSave: true)[0][0])
    draft.set(values)
    return draft
  }

  /// A changed copy of a stored row.
  func edit(_ key: RowKey, _ values: [String: Any?]) throws -> Draft {
    let layout = sample.layouts[key.layoutIndex]
    let found = try store.rows(withKeys: [key.key], layout: layout)
    let draft = Draft(layout, key: key.key, version: found.rows[0].row.version)
    for ordinal in layout.slots.indices where layout.slots[ordinal].kind != .none {
      layout.copyForTest(ordinal, from: found.rows[0].row, to: draft.row)
    }
    withExtendedLifetime(found) { draft.set(values) }
    return draft
  }

  /// The changes of a save.
  struct Changes {
    var inserted: [Draft] = []
    var updated: [Draft] = []
    var deleted: [RowKey] = []
    /// The expected version of deleted rows.
    var deletedVersion: Int64? = 1
    var memberships: [MembershipChange] = []
    /// Whether updates overwrite any version.
    var overwrites = false
  }

  func save(_ changes: Changes) throws -> StoreSaveOutcome {
    var all = StoreChanges(
      transaction: TransactionDescription(
        author: nil, contextName: nil, bundleID: "test", processID: "test",
        date: Date(timeIntervalSinceReferenceDate: 0))
    )
    all.inserted = ContiguousArray(
      changes.inserted.map {
        RowChange(layout: $0.layout, row: $0.row, changed: OrdinalSet(), expectedVersion: nil)
      })
    all.updated = ContiguousArray(
      changes.updated.map {
        RowChange(
          layout: $0.layout, row: $0.row, changed: $0.changed,
          expectedVersion: changes.overwrites ? nil : $0.row.version)
      })
    all.deleted = ContiguousArray(
      changes.deleted.map {
        RowDeletion(
          layout: sample.layouts[$0.layoutIndex], key: $0.key,
          expectedVersion: changes.deletedVersion)
      })
    all.memberships = changes.memberships
    return try withExtendedLifetime(changes) { try store.save(all) }
  }

  /// Saves new rows and returns their keys.
  func insert(_ drafts: [Draft]) throws -> [RowKey] {
    guard case .saved = try save(Changes(inserted: drafts)) else { throw UnexpectedConflict() }
    return drafts.map(\.key)
  }

  @discardableResult
  func insert(_ entity: String, _ values: [String: Any?] = [:]) throws -> RowKey {
    try insert([draft(entity, values)])[0]
  }

  struct UnexpectedConflict: Error {}

  func membership(
    _ entity: String, _ name: String, _ owner: RowKey, added: [RowKey] = [], removed: [RowKey] = [],
    order: [RowKey]? = nil
  ) -> MembershipChange {
    MembershipChange(
      relationship: sample.relationship(entity, name), layout: sample.layouts[owner.layoutIndex],
      owner: owner.key,
      added: added, removed: removed, order: order)
  }

  // MARK: Reading

  func fetch(
    _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], sortedBy keys: [String] = []
  )
    -> RowFetch
  {
    var specification = FetchSpecification()
    specification.entity = .strong(sample.layout(entity).entity)
    specification.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    specification.sortDescriptors = keys.map { key in
      key.hasPrefix("-")
        ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
        : NSSortDescriptor(key: key, ascending: true)
    }
    return RowFetch(layout: sample.layout(entity), specification: specification)
  }

  func values(_ name: String, of found: FetchedRows) -> [AnyHashable?] {
    found.rows.map { fetched in
      let layout = found.pages[Int(fetched.page)].layout
      return layout.ordinal(of: name).flatMap {
        layout.value(ofAttribute: $0, in: fetched.row) as? AnyHashable
      }
    }
  }

  func titles(_ fetch: RowFetch) throws -> [String] {
    let found = try store.fetchRows(fetch)
    return values("title", of: found).map { $0?.base as? String ?? "nil" }
  }

  func titles(_ format: String? = nil, _ arguments: Any...) throws -> [String] {
    try titles(fetch("Book", format, arguments, sortedBy: ["title"]))
  }

  /// The values of a row by name, with to-one relationships as keys.
  func row(_ key: RowKey) throws -> NSDictionary? {
    let found = try store.rows(withKeys: [key.key], layout: sample.layouts[key.layoutIndex])
    guard let fetched = found.rows.first else { return nil }
    let layout = found.pages[Int(fetched.page)].layout
    var values: [String: Any] = ["version": NSNumber(value: fetched.row.version)]
    for (ordinal, property) in layout.properties.enumerated()
    where layout.slots[ordinal].kind != .none {
      let slot = layout.slots[ordinal]
      guard !slot.isNull(in: fetched.row) else { continue }
      values[property.name] =
        slot.kind == .toOne
        ? NSNumber(value: slot.load(from: fetched.row, as: ToOneValue.self).key)
        : layout.value(ofAttribute: ordinal, in: fetched.row)
    }
    return NSDictionary(dictionary: values)
  }

  func members(_ entity: String, _ name: String, _ owner: RowKey) throws -> [RowKey] {
    let related = try store.members(
      of: sample.relationship(entity, name), owners: [owner.key],
      layout: sample.layouts[owner.layoutIndex],
      includingRows: false)
    return Array(related.members)
  }

  func objectID(_ key: RowKey) -> NSManagedObjectID {
    NSManagedObjectID(
      layout: sample.layouts[key.layoutIndex], key: key.key, storeIdentity: store.identity)
  }
}

extension RowLayout {
  /// Copies a slot between rows of this layout.
  fileprivate func copyForTest(_ ordinal: Int, from source: RowReference, to row: RowReference) {
    let slot = slots[ordinal]
    if slot.isNull(in: source) { return setNil(slot, in: row) }
    switch slot.kind {
    case .toOne: slot.store(slot.load(from: source, as: ToOneValue.self), in: row)
    default: _ = setValue(value(ofAttribute: ordinal, in: source), ofAttribute: ordinal, in: row)
    }
  }
}
