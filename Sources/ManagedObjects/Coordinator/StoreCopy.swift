import Foundation
import ManagedObjectModel
import ObjectRows

/// Copies all rows of one store into another of the same model, with their relationships, in saves
/// of bounded size.
struct StoreCopy {
  let source: OpenStore
  let destination: OpenStore
  let layouts: ModelLayouts
  let transaction: TransactionDescription
  /// The context that reads a source whose class expects one.
  let context: NSManagedObjectContext?

  /// The new key of each row, by layout index of the root entity.
  private var keys: [[Int64: Int64]]
  private var copied: [NSManagedObjectID] = []

  init(
    from source: OpenStore, to destination: OpenStore, layouts: ModelLayouts,
    transaction: TransactionDescription, context: NSManagedObjectContext? = nil
  ) {
    self.source = source
    self.destination = destination
    self.layouts = layouts
    self.transaction = transaction
    self.context = context
    keys = Array(repeating: [:], count: layouts.layouts.count)
  }

  /// Copies the rows, and returns the identifiers of the copies.
  mutating func run() throws -> [NSManagedObjectID] {
    let kept = layouts.layouts.filter { source.keeps($0) && destination.keeps($0) }
    let keysByLayout = try kept.map { try reserveKeys($0) }
    // Every row has its new key before a row that references it is written.
    for (layout, keys) in zip(kept, keysByLayout) {
      for batch in batches(keys) { try copyRows(batch, layout) }
    }
    for (layout, keys) in zip(kept, keysByLayout) {
      for batch in batches(keys) { try copyMemberships(batch, layout) }
    }
    return copied
  }

  private mutating func reserveKeys(_ layout: RowLayout) throws -> [Int64] {
    var specification = FetchSpecification()
    specification.entity = .strong(layout.entity)
    specification.includesSubentities = false
    let fetch = RowFetch(layout: layout, specification: specification)
    let found = try source.fetchKeys(fetch, for: context).map(\.key).sorted()
    let reserved = try destination.reserveKeys([(layout, found.count)], forSave: true)[0]
    for (old, new) in zip(found, reserved) { keys[layout.rootIndex][old] = new }
    return found
  }

  private func batches(_ keys: [Int64]) -> [ArraySlice<Int64>] {
    stride(from: 0, to: keys.count, by: Limits.rowsOfCopyingSave).map {
      keys[$0..<min($0 + Limits.rowsOfCopyingSave, keys.count)]
    }
  }

  // MARK: Rows

  private mutating func copyRows(_ batch: ArraySlice<Int64>, _ layout: RowLayout) throws {
    let found = try source.rows(withKeys: Array(batch), layout: layout, for: context)
    let page = RowPage(layout: layout, capacity: max(1, found.rows.count))
    var changes = StoreChanges(transaction: transaction)
    for fetched in found.rows {
      guard let key = keys[layout.rootIndex][fetched.row.key] else { continue }
      let row = page.appendRow(copying: fetched.row)
      row.key = key
      row.version = 0
      try translate(row, layout)
      changes.inserted.append(
        RowChange(layout: layout, row: row, changed: OrdinalSet(), expectedVersion: nil))
      copied.append(
        NSManagedObjectID(layout: layout, key: key, storeIdentity: destination.identity))
    }
    try withExtendedLifetime(page) { try save(changes) }
  }

  /// Redirects relationships to the copies, and reads values from files of the source.
  private func translate(_ row: RowReference, _ layout: RowLayout) throws {
    for slot in layout.slots where !slot.isNull(in: row) {
      switch slot.kind {
      case .toOne:
        let old = slot.load(from: row, as: ToOneValue.self)
        if let key = keys[layouts[old.layoutIndex].rootIndex][old.key] {
          slot.store(ToOneValue(key: key, layoutIndex: old.layoutIndex), in: row)
        } else {
          layout.setNil(slot, in: row)
        }
      case .boxed:
        guard let external = slot.load(from: row, as: BoxedValue?.self) as? ExternalValue else {
          continue
        }
        slot.store(Optional<BoxedValue>(BinaryValue(try external.data())), in: row)
      default: break
      }
    }
  }

  // MARK: Relationships

  private func copyMemberships(_ batch: ArraySlice<Int64>, _ layout: RowLayout) throws {
    var changes = StoreChanges(transaction: transaction)
    for case let relationship as NSRelationshipDescription in layout.properties {
      guard relationship.isToMany, !relationship.isTransient,
        relationship.writesPairs || relationship.isOrdered
      else {
        continue
      }
      let related = try source.members(
        of: relationship, owners: Array(batch), layout: layout, includingRows: false,
        for: context)
      changes.memberships += memberships(relationship, layout, related)
    }
    try save(changes)
  }

  private func memberships(
    _ relationship: NSRelationshipDescription, _ layout: RowLayout, _ related: RelatedRows
  ) -> [MembershipChange] {
    var changes: [MembershipChange] = []
    var next = 0
    while next < related.owners.count {
      let owner = related.owners[next]
      let end = related.owners[next...].firstIndex { $0 != owner } ?? related.owners.count
      let members = related.members[next..<end].compactMap(copy(of:))
      next = end
      guard let key = keys[layout.rootIndex][owner], !members.isEmpty else { continue }
      changes.append(
        MembershipChange(
          relationship: relationship, layout: layout, owner: key,
          added: relationship.writesPairs ? members : [],
          order: relationship.isOrdered ? members : nil))
    }
    return changes
  }

  private func copy(of member: RowKey) -> RowKey? {
    keys[layouts[member.layoutIndex].rootIndex][member.key].map {
      RowKey(key: $0, layoutIndex: member.layoutIndex)
    }
  }

  private func save(_ changes: StoreChanges) throws {
    guard !changes.isEmpty else { return }
    guard case .saved = try destination.save(changes) else {
      throw StoreError(
        .migration,
        "The store \(source.identity.uuid) cannot be copied: its rows have equal values for a uniqueness constraint."
      )
    }
  }
}

extension NSRelationshipDescription {
  /// Whether pairs of this relationship are written here, and not at its inverse or in the rows.
  fileprivate var writesPairs: Bool {
    guard let inverse = inverseRelationship else { return true }
    guard inverse.isToMany else { return false }
    let names = [self, inverse].map { "\($0.entity.name ?? "").\($0.name)" }
    return names[0] <= names[1]
  }
}
