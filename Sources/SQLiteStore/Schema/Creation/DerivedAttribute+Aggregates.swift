import ManagedObjectModel
import ObjectRows

/// Counts and sums over to-many relationships.
///
/// A count goes up and down with its members. A sum is computed anew, since sums of floating-point numbers that go up and
/// down drift.
extension DerivedAttribute {
  /// The members of a relationship, and the column that is summed over them.
  private func operands(
    _ relationship: String, _ summed: String?
  ) throws(StoreError) -> (storage: ToManyStorage, members: EntitySchema, column: String?) {
    guard let ordinal = entity.layout.ordinal(of: relationship), let storage = entity.toMany[ordinal],
      let description = entity.layout.properties[ordinal] as? NSRelationshipDescription,
      let members = description.destinationEntity?.name.flatMap(schema.entity(named:))
    else { throw refusal("is derived from \(relationship), which is no stored to-many relationship") }
    var summedColumn: String?
    if let summed {
      summedColumn = members.columnName(of: summed)
      guard summedColumn != nil else {
        throw refusal("is derived from \(relationship).\(summed), which is no stored attribute")
      }
    }
    return (storage, members, summedColumn)
  }

  /// The count or the sum, as a row of the attribute's own table sees it.
  func aggregate(over relationship: String, of summed: String?) throws(StoreError) -> String {
    let (storage, members, summedColumn) = try operands(relationship, summed)
    let term = summedColumn.map { "SUM(M.\($0))" }
    switch storage {
    case .foreignKey(let inverse):
      let key = members.column(named: inverse.name)?.name ?? "Z_PK"
      return
        "(SELECT IFNULL(\(term ?? "COUNT(M.\(key))"), 0) FROM \(members.table) M WHERE M.\(key) = \(table).Z_PK)"
    case .join(let join, let owner, let member, _):
      guard let term else {
        return "(SELECT IFNULL(COUNT(J.\(owner)), 0) FROM \(join.name) J WHERE J.\(owner) = \(table).Z_PK)"
      }
      return
        "(SELECT IFNULL(\(term), 0) FROM \(join.name) J JOIN \(members.table) M ON M.Z_PK = J.\(member) WHERE J.\(owner) = \(table).Z_PK)"
    }
  }

  func aggregateTriggers(over relationship: String, of summed: String?) throws(StoreError) -> [TriggerSchema] {
    let (storage, members, summedColumn) = try operands(relationship, summed)
    switch storage {
    case .foreignKey(let inverse):
      guard let key = members.column(named: inverse.name)?.name else { return [] }
      return summedColumn.map { sumTriggers(of: $0, in: members.table, by: key) }
        ?? countTriggers(in: members.table, by: key, followsUpdates: true)
    case .join(let join, let owner, let member, _):
      return summedColumn.map { sumTriggers(of: $0, in: members.table, over: join.name, owner, member) }
        ?? countTriggers(in: join.name, by: owner, followsUpdates: false)
    }
  }

  private func countTriggers(in members: String, by key: String, followsUpdates: Bool) -> [TriggerSchema] {
    let (new, old) = ("NEW.\(key)", "OLD.\(key)")
    var triggers = [
      parameter(
        "INSERT", "INSERT", on: members, when: "\(new) NOT NULL", "IFNULL(\(column), 0) + 1", where: "Z_PK = \(new)")
    ]
    if followsUpdates {
      triggers += [
        parameter(
          "UPDATE_INCREMENT", "UPDATE OF \(key)", on: members, when: "\(new) NOT NULL", "\(column) + 1",
          where: "Z_PK = \(new)"),
        parameter(
          "UPDATE_DECREMENT", "UPDATE OF \(key)", on: members, when: "\(old) NOT NULL", "\(column) - 1",
          where: "Z_PK = \(old)"),
      ]
    }
    return triggers + [
      parameter("DELETE", "DELETE", on: members, when: "\(old) NOT NULL", "\(column) - 1", where: "Z_PK = \(old)"),
      source(
        "SOURCE_INSERT", "INSERT", "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(members) WHERE \(key) = NEW.Z_PK)",
        isInsertion: true),
    ]
  }

  private func sumTriggers(of summed: String, in members: String, by key: String) -> [TriggerSchema] {
    let value = { (owner: String) in
      "(SELECT IFNULL(SUM(\(summed)), 0) FROM \(members) WHERE \(key) = \(owner))"
    }
    let changed = "UPDATE OF \(summed), \(key)"
    let (new, old) = ("NEW.\(key)", "OLD.\(key)")
    return [
      parameter("INSERT", "INSERT", on: members, when: "\(new) NOT NULL", value(new), where: "Z_PK = \(new)"),
      parameter("UPDATE_NEW", changed, on: members, when: "\(new) NOT NULL", value(new), where: "Z_PK = \(new)"),
      parameter(
        "UPDATE_OLD", changed, on: members, when: "\(old) NOT NULL AND \(old) IS NOT \(new)", value(old),
        where: "Z_PK = \(old)"),
      parameter("DELETE", "DELETE", on: members, when: "\(old) NOT NULL", value(old), where: "Z_PK = \(old)"),
      source("SOURCE_INSERT", "INSERT", value("NEW.Z_PK"), isInsertion: true),
    ]
  }

  private func sumTriggers(
    of summed: String, in members: String, over join: String, _ owner: String, _ member: String
  ) -> [TriggerSchema] {
    let value = { (key: String) in
      "(SELECT IFNULL(SUM(M.\(summed)), 0) FROM \(join) J JOIN \(members) M ON M.Z_PK = J.\(member) WHERE J.\(owner) = \(key))"
    }
    let owners = "Z_PK IN (SELECT \(owner) FROM \(join) WHERE \(member) = NEW.Z_PK)"
    return [
      parameter("INSERT", "INSERT", on: join, when: nil, value("NEW.\(owner)"), where: "Z_PK = NEW.\(owner)"),
      parameter("DELETE", "DELETE", on: join, when: nil, value("OLD.\(owner)"), where: "Z_PK = OLD.\(owner)"),
      parameter("INSERT", "INSERT", on: members, when: nil, value("\(table).Z_PK"), where: owners),
      parameter("UPDATE", "UPDATE OF \(summed)", on: members, when: nil, value("\(table).Z_PK"), where: owners),
      source("SOURCE_INSERT", "INSERT", value("NEW.Z_PK"), isInsertion: true),
    ]
  }
}
