import Foundation
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// Rows that make one dictionary of a result.
struct RowGroup {
  private let rows: [StoredRow]
  private let query: MemoryQuery

  init(_ rows: [StoredRow], in query: MemoryQuery) {
    self.rows = rows
    self.query = query
  }

  /// The first row; nil in a group of none, over which only functions have a value.
  var first: RowView? { rows.first.map { RowView($0, in: query.contents) } }

  /// The value of an expression: functions of collections look at all rows, everything else at the first.
  func value(of expression: PredicateLanguage.NSExpression) throws(PredicateEvaluationError) -> Any? {
    let computed = try expression.replacingExpressions { part throws(PredicateEvaluationError) in
      guard part.isAggregateFunction, case .function(_, let name, let arguments) = part.node else { return nil }
      return NSExpression(forConstantValue: try aggregate(name, arguments[0]))
    }
    do {
      return try computed.evaluated(with: first)
    } catch let error as PredicateEvaluationError {
      throw error
    } catch {
      preconditionFailure("An expression was evaluated with an error of another kind: \(error)")
    }
  }

  private func aggregate(
    _ name: String, _ argument: NSExpression
  ) throws(PredicateEvaluationError) -> Any? {
    var values: [Any] = []
    do {
      for stored in rows {
        guard let value = try argument.evaluated(with: RowView(stored, in: query.contents)) else { continue }
        if let elements = Elements(value) { values += elements.values.compactMap(\.self) } else { values.append(value) }
      }
      // Of no values there is a number and a sum, and nothing else.
      if values.isEmpty, name != "count:", name != "sum:" { return nil }
      let function = NSExpression(
        .function(operand: nil, name: name, arguments: [NSExpression(forConstantValue: values)]))
      return try function.evaluated(with: nil)
    } catch let error as PredicateEvaluationError {
      throw error
    } catch {
      preconditionFailure("An expression was evaluated with an error of another kind: \(error)")
    }
  }
}

extension PredicateLanguage.NSExpression {
  /// Whether the expression is a function of a collection, such as `sum:`, of what rows have.
  var isAggregateFunction: Bool {
    guard case .function(nil, let name, let arguments) = node, arguments.count == 1 else { return false }
    guard let function = ExpressionFunction(rawValue: name), function.takesCollection else { return false }
    switch arguments[0].node {
    case .constant, .aggregate, .subquery: return false
    default: return true
    }
  }

  /// Whether a part of the expression is a function of a collection.
  var hasAggregateFunction: Bool {
    if isAggregateFunction { return true }
    guard case .function(_, _, let arguments) = node else { return false }
    return arguments.contains { $0.hasAggregateFunction }
  }
}
