import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Counts and sums over to-many relationships.
///
/// A count of all members is incremented and decremented. A sum is recomputed, because increments
/// of floating-point numbers accumulate errors. A count with a filter is recomputed too, because a
/// member may change between matching and not matching.
struct DerivedAggregate {
  let attribute: DerivedAttribute
  fileprivate let storage: ToManyStorage
  fileprivate let members: EntitySchema
  /// The summed column of the members; nil for a count.
  fileprivate let summed: String?
  /// The condition on a member, named M; nil if all members take part.
  fileprivate let filter: String?
}

extension DerivedAttribute {
  /// The count or the sum of a derivation.
  func aggregate(_ derivation: Derivation?) throws(StoreError) -> DerivedAggregate {
    switch derivation {
    case .count(let relationship, let filter):
      return try aggregate(over: relationship, of: String?.none, filter)
    case .sum(let relationship, let summed, let filter):
      return try aggregate(over: relationship, of: summed, filter)
    case .copy, .now, nil: throw refusal("is derived by no count and no sum")
    }
  }

  private func aggregate(
    over relationship: String, of summed: String?, _ filter: Derivation.Filter?
  ) throws(StoreError) -> DerivedAggregate {
    guard let ordinal = entity.layout.ordinal(of: relationship),
      let storage = entity.toMany[ordinal],
      let description = entity.layout.properties[ordinal] as? NSRelationshipDescription,
      let members = description.destinationEntity?.name.flatMap(schema.entity(named:))
    else {
      throw refusal("is derived from \(relationship), which is not a stored to-many relationship")
    }
    var summedColumn: String?
    if let summed {
      summedColumn = members.columnName(of: summed)
      guard summedColumn != nil else {
        throw refusal("is derived from \(relationship).\(summed), which is not a stored attribute")
      }
    }
    return DerivedAggregate(
      attribute: self, storage: storage, members: members, summed: summedColumn,
      filter: try condition(on: members, filter))
  }

  /// The index that finds the members of a count or a sum; nil for other attributes.
  var searchedIndex: IndexSchema? {
    let derivation = attribute.derivationExpression.flatMap(Derivation.init)
    return (try? aggregate(derivation))?.searchedIndex
  }

  /// The condition on a member: that of a subquery, combined with the attribute's filtering
  /// predicate.
  private func condition(on members: EntitySchema, _ filter: Derivation.Filter?) throws(StoreError)
    -> String?
  {
    var filters = filter.map { [$0] } ?? []
    if let predicate = attribute.filteringPredicate {
      filters.append(Derivation.Filter(predicate: predicate, variable: nil))
    }
    guard !filters.isEmpty else { return nil }
    let source = SchemaCondition(schema: schema, entity: members)
    var conditions: [String] = []
    for filter in filters {
      do {
        conditions.append(
          "(\(try source.text(filter.predicate, row: "M.", variable: filter.variable)))")
      } catch {
        throw refusal(
          """
          has the filter “\(filter.predicate.formatText)”, which no trigger can follow: \
          \(error.message)
          """
        )
      }
    }
    return conditions.joined(separator: " AND ")
  }
}

extension DerivedAggregate {
  fileprivate var searchedIndex: IndexSchema {
    switch storage {
    case .foreignKey(let column, _):
      IndexSchema(
        name: "\(members.table)_\(column.name)_INDEX", table: members.table,
        elements: [.plain(column.name)])
    case .join(let join, let owner, _, _): owner == join.firstColumn ? join.pairIndex : join.index
    }
  }

  /// The value for an owner.
  func value(of owner: String) -> String {
    let condition = filter.map { " AND \($0)" } ?? ""
    switch storage {
    case .foreignKey(let column, _):
      let key = column.name
      let term = summed.map(sum) ?? "COUNT(M.\(key))"
      return
        "(SELECT IFNULL(\(term), 0) FROM \(members.table) M WHERE M.\(key) = \(owner)\(condition))"
    case .join(let join, let ownerColumn, let memberColumn, _):
      if summed == nil, filter == nil {
        return
          """
          (SELECT IFNULL(COUNT(J.\(ownerColumn)), 0) FROM \(join.name) J WHERE \
          J.\(ownerColumn) = \(owner))
          """
      }
      let term = summed.map(sum) ?? "COUNT(M.Z_PK)"
      return
        """
        (SELECT IFNULL(\(term), 0) FROM \(join.name) J JOIN \(members.table) M ON M.Z_PK = \
        J.\(memberColumn) WHERE J.\(ownerColumn) = \(owner)\(condition))
        """
    }
  }

  /// The sum of a column of the members.
  ///
  /// `SUM` fails if integers overflow 64 bits. The sums of their halves fit, and their combination
  /// is a real if it does not fit. Whole decimals are integers in the file.
  private func sum(of column: String) -> String {
    let ordinal = members.columns.firstIndex { $0?.name == column }
    let attribute = ordinal.flatMap { members.layout.properties[$0] as? NSAttributeDescription }
    func halves(_ filter: String = "") -> String {
      "SUM(M.\(column) >> 32)\(filter) * 4294967296 + SUM(M.\(column) & 4294967295)\(filter)"
    }
    func filter(_ comparison: String) -> String {
      " FILTER (WHERE typeof(M.\(column)) \(comparison) 'integer')"
    }
    switch attribute?.attributeType {
    case .integer64AttributeType: return halves()
    case .decimalAttributeType:
      return "IFNULL(\(halves(filter("="))), 0) + IFNULL(SUM(M.\(column))\(filter("<>")), 0)"
    default: return "SUM(M.\(column))"
    }
  }

  var triggers: [TriggerSchema] {
    let isPlainCount = summed == nil && filter == nil
    switch storage {
    case .foreignKey(let column, _):
      return isPlainCount
        ? countTriggers(in: members.table, by: column.name, followsUpdates: true)
        : memberTriggers(by: column.name)
    case .join(let join, let owner, let member, _):
      return isPlainCount
        ? countTriggers(in: join.name, by: owner, followsUpdates: false)
        : joinTriggers(over: join.name, owner, member)
    }
  }

  /// The columns of a member that affect the value.
  private var watched: [String] {
    var columns = summed.map { [$0] } ?? []
    for match in (filter ?? "").matches(of: /\bM\.(Z[A-Za-z0-9_]*)/)
    where !columns.contains(String(match.1)) {
      columns.append(String(match.1))
    }
    return columns.filter { $0 != "Z_PK" }
  }

  private func countTriggers(in members: String, by key: String, followsUpdates: Bool)
    -> [TriggerSchema]
  {
    let (new, old, column) = ("NEW.\(key)", "OLD.\(key)", attribute.column)
    // A new row that is its own member is counted by the insertion of the row itself.
    let isOther = members == attribute.table ? " AND \(new) <> NEW.Z_PK" : ""
    var triggers = [
      attribute.parameter(
        "INSERT", "INSERT", on: members, when: "\(new) NOT NULL\(isOther)",
        "IFNULL(\(column), 0) + 1",
        where: "Z_PK = \(new)")
    ]
    if followsUpdates {
      triggers += [
        attribute.parameter(
          "UPDATE_INCREMENT", "UPDATE OF \(key)", on: members, when: "\(new) NOT NULL",
          "\(column) + 1",
          where: "Z_PK = \(new)"),
        attribute.parameter(
          "UPDATE_DECREMENT", "UPDATE OF \(key)", on: members, when: "\(old) NOT NULL",
          "\(column) - 1",
          where: "Z_PK = \(old)"),
      ]
    }
    return triggers + [
      attribute.parameter(
        "DELETE", "DELETE", on: members, when: "\(old) NOT NULL", "\(column) - 1",
        where: "Z_PK = \(old)"),
      attribute.source(
        "SOURCE_INSERT", "INSERT",
        "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(members) WHERE \(key) = NEW.Z_PK)",
        isInsertion: true),
    ]
  }

  /// Triggers for members whose own rows have the owner's key.
  private func memberTriggers(by key: String) -> [TriggerSchema] {
    let changed = "UPDATE OF \((watched.filter { $0 != key } + [key]).joined(separator: ", "))"
    let (new, old, table) = ("NEW.\(key)", "OLD.\(key)", members.table)
    return [
      attribute.parameter(
        "INSERT", "INSERT", on: table, when: "\(new) NOT NULL", value(of: new),
        where: "Z_PK = \(new)"),
      attribute.parameter(
        "UPDATE_NEW", changed, on: table, when: "\(new) NOT NULL", value(of: new),
        where: "Z_PK = \(new)"),
      attribute.parameter(
        "UPDATE_OLD", changed, on: table, when: "\(old) NOT NULL AND \(old) IS NOT \(new)",
        value(of: old),
        where: "Z_PK = \(old)"),
      attribute.parameter(
        "DELETE", "DELETE", on: table, when: "\(old) NOT NULL", value(of: old),
        where: "Z_PK = \(old)"),
      attribute.source("SOURCE_INSERT", "INSERT", value(of: "NEW.Z_PK"), isInsertion: true),
    ]
  }

  private func joinTriggers(over join: String, _ owner: String, _ member: String) -> [TriggerSchema]
  {
    let owners = "Z_PK IN (SELECT \(owner) FROM \(join) WHERE \(member) = NEW.Z_PK)"
    let own = value(of: "\(attribute.table).Z_PK")
    var triggers = [
      attribute.parameter(
        "INSERT", "INSERT", on: join, when: nil, value(of: "NEW.\(owner)"),
        where: "Z_PK = NEW.\(owner)"),
      attribute.parameter(
        "DELETE", "DELETE", on: join, when: nil, value(of: "OLD.\(owner)"),
        where: "Z_PK = OLD.\(owner)"),
      attribute.parameter("INSERT", "INSERT", on: members.table, when: nil, own, where: owners),
    ]
    if !watched.isEmpty {
      let changed = "UPDATE OF \(watched.joined(separator: ", "))"
      triggers.append(
        attribute.parameter("UPDATE", changed, on: members.table, when: nil, own, where: owners))
    }
    return triggers + [
      attribute.source("SOURCE_INSERT", "INSERT", value(of: "NEW.Z_PK"), isInsertion: true)
    ]
  }
}
