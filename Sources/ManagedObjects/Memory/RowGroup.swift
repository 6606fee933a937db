import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// The rows that form one dictionary of a result.
struct RowGroup {
  private let rows: [StoredRow]
  private let query: MemoryQuery
  /// Whether a function of a to-many relationship covers the members of all rows instead of each
  /// row's.
  private let isGrouped: Bool

  init(_ rows: [StoredRow], in query: MemoryQuery, isGrouped: Bool = false) {
    self.rows = rows
    self.query = query
    self.isGrouped = isGrouped
  }

  /// The first row; nil in an empty group, in which only functions have values.
  var first: RowView? { rows.first.map { RowView($0, in: query.contents) } }

  /// The value of an expression.
  ///
  /// Collection functions read all rows. All other parts read the first row.
  func value(of expression: PredicateLanguage.NSExpression) throws(PredicateEvaluationError) -> Any?
  {
    let computed = try expression.replacingExpressions { part throws(PredicateEvaluationError) in
      guard let function = function(in: part) else { return nil }
      return NSExpression(forConstantValue: try value(of: function))
    }
    do {
      return try computed.evaluated(with: first)
    } catch let error as PredicateEvaluationError {
      throw error
    } catch {
      preconditionFailure("An expression was evaluated with an error of another kind: \(error)")
    }
  }

  /// The expression as a function of the group's rows; nil if it is none.
  func function(in expression: PredicateLanguage.NSExpression) -> CollectionFunction? {
    guard let function = CollectionFunction(expression) else { return nil }
    return isGrouped || !function.isOfMembers(of: query.fetch.layout.entity) ? function : nil
  }

  /// The value of a function over all rows.
  func value(of function: CollectionFunction) throws(PredicateEvaluationError) -> Any? {
    var values: [Any] = []
    do {
      // The copy is unrestricted: fetches evaluate decoded expressions without `allowEvaluation()`.
      let argument = try function.argument.replacingExpressions { _ in nil }
      for stored in rows {
        guard let value = try argument.evaluated(with: RowView(stored, in: query.contents))
        else { continue }
        guard let elements = Elements(value) else {
          values.append(value)
          continue
        }
        // Members without a value are counted, as by `COUNT(*)` in a SQLite store.
        values +=
          function.name == "count:"
          ? elements.values.map { $0 ?? NSNull() } : elements.values.compactMap(\.self)
      }
      // Without values only the count and the sum are defined.
      if values.isEmpty, function.name != "count:", function.name != "sum:" { return nil }
      let computed = NSExpression(
        .function(
          operand: nil, name: function.name, arguments: [NSExpression(forConstantValue: values)]))
      return try computed.evaluated(with: nil)
    } catch let error as PredicateEvaluationError {
      throw error
    } catch {
      preconditionFailure("An expression was evaluated with an error of another kind: \(error)")
    }
  }
}

/// A function of a collection of the rows' values: `sum:(pages)`, `@sum.pages`, `chapters.@count`.
struct CollectionFunction {
  let name: String
  let argument: PredicateLanguage.NSExpression

  init?(_ expression: PredicateLanguage.NSExpression) {
    switch expression.node {
    case .function(nil, let name, let arguments) where arguments.count == 1:
      guard let function = ExpressionFunction(rawValue: name), function.takesCollection else {
        return nil
      }
      switch arguments[0].node {
      case .constant, .aggregate, .subquery: return nil
      default: (self.name, argument) = (name, arguments[0])
      }
    case .keyPath(let path):
      guard let place = path.components.firstIndex(where: { $0.hasPrefix("@") }),
        let name = Self.functionsOfOperators[path.components[place]]
      else { return nil }
      let rest = (path.components[..<place] + path.components[(place + 1)...]).joined(
        separator: ".")
      self.name = name
      argument = rest.isEmpty ? .expressionForEvaluatedObject() : NSExpression(forKeyPath: rest)
    default: return nil
    }
  }

  private static let functionsOfOperators = [
    "@count": "count:", "@sum": "sum:", "@avg": "average:", "@min": "min:", "@max": "max:",
  ]

  /// Whether the argument crosses a to-many relationship of an entity.
  func isOfMembers(of entity: NSEntityDescription) -> Bool {
    guard case .keyPath(let path) = argument.node else { return false }
    var present: NSEntityDescription? = entity
    for name in path.components {
      guard let relationship = present?.relationshipsByName[name] else { return false }
      if relationship.isToMany { return true }
      present = relationship.destinationEntity
    }
    return false
  }
}

extension PredicateLanguage.NSExpression {
  /// Whether part of the expression is a function of all fetched rows.
  func hasFunctionOfRows(of entity: NSEntityDescription) -> Bool {
    if let function = CollectionFunction(self) { return !function.isOfMembers(of: entity) }
    guard case .function(_, _, let arguments) = node else { return false }
    return arguments.contains { $0.hasFunctionOfRows(of: entity) }
  }
}
