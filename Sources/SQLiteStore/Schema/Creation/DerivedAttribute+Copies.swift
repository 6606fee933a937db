import ManagedObjectModel
import ObjectRows

/// Copies of an attribute of the object itself, or of one at the end of to-one relationships.
extension DerivedAttribute {
  /// One to-one relationship of the path, and its destination.
  private struct Hop {
    let key: String
    let destination: EntitySchema
  }

  func copyTriggers(of path: [String], _ function: Derivation.TextFunction?) throws(StoreError)
    -> [TriggerSchema]
  {
    let (hops, copied) = try route(path)
    let value = value(of: copied, over: hops[...], function)
    let watched = hops.first?.key ?? copied
    var triggers = [
      source("SOURCE_INSERT", "INSERT", value, isInsertion: true),
      source("SOURCE_UPDATE", "UPDATE OF \(watched)", value, isInsertion: false),
    ]
    for (index, hop) in hops.enumerated() {
      let rows = rows(reachedBy: hops[...index])
      let next = index + 1 < hops.count ? hops[index + 1].key : copied
      let place = index == 0 ? "" : "\(index + 1)"
      triggers += [
        parameter(
          "INSERT\(place)", "INSERT", on: hop.destination.table, when: nil, value, where: rows),
        parameter(
          "UPDATE\(place)", "UPDATE OF \(next)", on: hop.destination.table, when: nil, value,
          where: rows),
      ]
    }
    return triggers
  }

  /// The value, as an expression in the attribute's own table.
  func copiedValue(_ path: [String], _ function: Derivation.TextFunction?) throws(StoreError)
    -> String
  {
    let (hops, copied) = try route(path)
    return value(of: copied, over: hops[...], function)
  }

  private func route(_ path: [String]) throws(StoreError) -> (hops: [Hop], copied: String) {
    var hops: [Hop] = []
    var current = entity
    for name in path.dropLast() {
      guard let column = current.column(named: name), !column.isComposite,
        let relationship = current.layout.ordinal(of: name).map({ current.layout.properties[$0] })
          as? NSRelationshipDescription,
        let destination = relationship.destinationEntity?.name.flatMap(schema.entity(named:))
      else {
        if let leaf = current.columnName(of: path.dropFirst(hops.count).joined(separator: ".")) {
          return (hops, leaf)
        }
        throw refusal(
          "is derived from \(path.joined(separator: ".")), but \(name) is not a stored to-one relationship"
        )
      }
      hops.append(Hop(key: column.name, destination: destination))
      current = destination
    }
    guard let last = path.last, let copied = current.columnName(of: last) else {
      throw refusal(
        "is derived from \(path.joined(separator: ".")), which is not a stored attribute")
    }
    return (hops, copied)
  }

  /// The copied value, as an expression in the attribute's own table.
  private func value(
    of copied: String, over hops: ArraySlice<Hop>, _ function: Derivation.TextFunction?
  ) -> String {
    guard let last = hops.last else { return function.map { "\($0.sqlName)(\(copied))" } ?? copied }
    let alias = "H\(hops.count)"
    let term = function.map { "\($0.sqlName)(\(alias).\(copied))" } ?? "\(alias).\(copied)"
    return
      "(SELECT \(term) FROM \(last.destination.table) \(alias) WHERE \(alias).Z_PK = \(key(over: hops)))"
  }

  /// The key of the last relationship's row, as an expression in the attribute's own table.
  private func key(over hops: ArraySlice<Hop>) -> String {
    guard let last = hops.last else { return "Z_PK" }
    let before = hops.dropLast()
    guard let previous = before.last else { return "\(table).\(last.key)" }
    let alias = "H\(before.count)"
    return
      "(SELECT \(alias).\(last.key) FROM \(previous.destination.table) \(alias) WHERE \(alias).Z_PK = \(key(over: before)))"
  }

  /// The rows of the attribute's own table whose path leads to the changed row.
  private func rows(reachedBy hops: ArraySlice<Hop>) -> String {
    var condition = "= NEW.Z_PK"
    for (hop, previous) in zip(hops.reversed(), hops.dropLast().reversed()) {
      condition =
        "IN (SELECT Z_PK FROM \(previous.destination.table) WHERE \(hop.key) \(condition))"
    }
    return "\(hops.first?.key ?? "Z_PK") \(condition)"
  }
}
