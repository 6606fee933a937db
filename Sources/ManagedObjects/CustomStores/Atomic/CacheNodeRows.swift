import Foundation
import ManagedObjectModel
import ObjectRows

/// Converts cache nodes to rows and memberships.
///
/// A store may set only one side of a relationship, except of a one-to-one relationship.
struct CacheNodeRows {
  private struct Row {
    let row: RowReference
    let page: RowPage
    let node: NSAtomicStoreCacheNode

    var layout: RowLayout { page.layout }
    var key: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }
  }

  private let layouts: ModelLayouts
  private var rows: [Row] = []
  /// The indexes in `rows`, by key.
  private var places: [RowKey: Int] = [:]
  private(set) var changes: StoreChanges

  /// - Throws: An error if a node has a value that its property cannot hold.
  init(
    _ nodes: [NSAtomicStoreCacheNode], _ layouts: ModelLayouts,
    transaction: TransactionDescription
  ) throws {
    self.layouts = layouts
    changes = StoreChanges(transaction: transaction)
    for node in nodes { try addRow(of: node) }
    for row in rows { try addRelationships(of: row) }
    changes.inserted = ContiguousArray(
      rows.map {
        RowChange(layout: $0.layout, row: $0.row, changed: OrdinalSet(), expectedVersion: nil)
      })
  }

  /// The pages that hold the rows.
  var pages: [RowPage] { rows.map(\.page) }

  private mutating func addRow(of node: NSAtomicStoreCacheNode) throws {
    let key = try rowKey(of: node.objectID)
    let layout = layouts[key.layoutIndex]
    let page = RowPage(layout: layout, capacity: 1)
    let row = page.appendRow(key: key.key, version: 0)
    for (ordinal, property) in layout.properties.enumerated() where !property.isTransient {
      guard let attribute = property as? NSAttributeDescription else { continue }
      try CustomStoreRow(row: row, layout: layout).set(
        node.value(forKey: attribute.name), ofAttribute: attribute, ordinal)
    }
    places[key] = rows.count
    rows.append(Row(row: row, page: page, node: node))
  }

  private mutating func addRelationships(of row: Row) throws {
    for (ordinal, property) in row.layout.properties.enumerated() where !property.isTransient {
      guard let relationship = property as? NSRelationshipDescription,
        let value = row.node.value(forKey: relationship.name), !isNull(value)
      else { continue }
      guard relationship.isToMany else {
        let destination = try destination(value, relationship)
        CustomStoreRow(row: row.row, layout: row.layout).set(destination, ofRelationship: ordinal)
        continue
      }
      guard let elements = StoreAnswer.elements(value) else {
        throw mismatch(value, relationship)
      }
      try add(elements.map { try destination($0, relationship) }, relationship, row)
    }
  }

  private mutating func add(
    _ members: [RowKey], _ relationship: NSRelationshipDescription, _ owner: Row
  ) throws {
    guard !members.isEmpty else { return }
    var change = MembershipChange(
      relationship: relationship, layout: owner.layout, owner: owner.row.key,
      order: relationship.isOrdered ? members : nil)
    if let inverse = relationship.inverseRelationship, !inverse.isToMany {
      for member in members { setInverse(inverse, of: member, to: owner.key) }
    } else {
      change.added = members
    }
    if change.order != nil || !change.added.isEmpty { changes.memberships.append(change) }
  }

  /// Sets the to-one side of a relationship, if the member's own node does not.
  private func setInverse(_ inverse: NSRelationshipDescription, of member: RowKey, to owner: RowKey)
  {
    guard let place = places[member],
      let ordinal = rows[place].layout.ordinal(of: inverse.name)
    else { return }
    let row = rows[place]
    guard row.node.value(forKey: inverse.name) == nil else { return }
    CustomStoreRow(row: row.row, layout: row.layout).set(owner, ofRelationship: ordinal)
  }

  private func destination(_ value: Any, _ relationship: NSRelationshipDescription) throws
    -> RowKey
  {
    switch value {
    case let node as NSAtomicStoreCacheNode: return try rowKey(of: node.objectID)
    case let identified as any ObjectIdentified: return try rowKey(of: identified.identified)
    default: throw mismatch(value, relationship)
    }
  }

  private func rowKey(of objectID: NSManagedObjectID) throws -> RowKey {
    guard !objectID.isTemporaryID,
      let layout = objectID.entity.name.flatMap({ layouts[named: $0] })
    else {
      throw StoreError(
        .unfitValue,
        "A cache node has the identifier \(objectID), which is not one of the store's. "
          + "Create identifiers with objectID(for:withReferenceObject:)."
      )
    }
    return RowKey(key: objectID.key, layoutIndex: Int32(layout.index))
  }

  private func mismatch(_ value: Any, _ relationship: NSRelationshipDescription) -> StoreError {
    StoreError(
      .unfitValue,
      "A cache node has a \(type(of: value)) for the relationship "
        + "\(relationship.entity.name ?? "").\(relationship.name). Set a cache node, or a set of "
        + "cache nodes for a to-many relationship.",
      context: ["property": relationship.name])
  }
}
