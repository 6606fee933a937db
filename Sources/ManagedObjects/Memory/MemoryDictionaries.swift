import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// A fetch of dictionaries from an in-memory store: columns of rows, or of groups of rows.
struct MemoryDictionaries {
  private let query: MemoryQuery
  private let columns: [ResultColumn]
  private let groupPaths: [PropertyPath]

  private var specification: FetchSpecification { query.fetch.specification }

  init(_ query: MemoryQuery) throws {
    self.query = query
    columns = try ResultColumn.columns(of: query)
    groupPaths = (query.fetch.specification.propertiesToGroupBy ?? []).compactMap(ResultColumn.path)
  }

  func dictionaries() throws -> [[String: Any]] {
    var results =
      groupPaths.isEmpty
        && !columns.contains { $0.expression.hasFunctionOfRows(of: query.fetch.layout.entity) }
      ? try query.sorted(query.matches()).map { try row(RowGroup([$0], in: query)) } : try groups()
    if specification.returnsDistinctResults { results = results.distinct() }
    return FetchWindow(specification).cut(results)
  }

  /// The columns of a row or group.
  ///
  /// Columns without a value are omitted.
  private func row(_ group: RowGroup) throws -> [String: Any] {
    var result: [String: Any] = [:]
    for column in columns {
      if let value = try column.value(of: group) { result[column.name] = query.published(value) }
    }
    return result
  }

  private func groups() throws -> [[String: Any]] {
    var groups: [RowGroup] = []
    for group in try grouped() where try meetsCondition(group) { groups.append(group) }
    let results = try groups.map { GroupResult(dictionary: try row($0), group: $0) }
    return try results.sorted(following: specification.sortDescriptors ?? []).map(\.dictionary)
  }

  /// The groups, in the order of their first rows.
  ///
  /// Without properties to group by, all rows form one group.
  private func grouped() throws -> [RowGroup] {
    let rows = try query.matches()
    guard !groupPaths.isEmpty else { return [RowGroup(rows, in: query)] }
    var groups: [[StoredRow]] = []
    var places: [[AnyHashable]: Int] = [:]
    for stored in rows {
      let view = RowView(stored, in: query.contents)
      let values = try groupPaths.map {
        try NSExpression(.keyPath($0)).evaluated(with: view) ?? NSNull()
      }
      let key = values.map { hashable(query.published($0)) }
      if let place = places[key] {
        groups[place].append(stored)
      } else {
        places[key] = groups.count
        groups.append([stored])
      }
    }
    return groups.map { RowGroup($0, in: query, isGrouped: true) }
  }

  private func meetsCondition(_ group: RowGroup) throws -> Bool {
    guard let having = specification.havingPredicate else { return true }
    let computed = try query.identified(having).replacingExpressions {
      expression throws(PredicateEvaluationError) in
      guard let function = group.function(in: expression) else { return nil }
      return NSExpression(forConstantValue: try group.value(of: function))
    }
    return try computed.evaluated(with: GroupResult(dictionary: row(group), group: group))
  }
}

extension [[String: Any]] {
  /// The dictionaries without duplicates.
  func distinct() -> Self {
    var seen: Set<[String: AnyHashable]> = []
    return filter { seen.insert($0.mapValues(hashable)).inserted }
  }
}

/// A value as a key of Swift's dictionaries and sets.
///
/// Foundation's collections are unsuitable as keys: those of one size have the same hash.
private func hashable(_ value: Any) -> AnyHashable {
  switch value {
  case let values as [Any]: values.map(hashable)
  case let values as [String: Any]: values.mapValues(hashable)
  default: value as? AnyHashable ?? AnyHashable(ObjectIdentifier(value as AnyObject))
  }
}

/// A group as predicates and sort descriptors see it: its columns, and the values of its first row.
private final class GroupResult: KeyValueCoding {
  let dictionary: [String: Any]
  private let group: RowGroup

  init(dictionary: [String: Any], group: RowGroup) {
    self.dictionary = dictionary
    self.group = group
  }

  func hasValue(forKey key: String) -> Bool {
    dictionary[key] != nil || group.first?.hasValue(forKey: key) ?? true
  }

  func value(forKey key: String) -> Any? { dictionary[key] ?? group.first?.value(forKey: key) }
}
