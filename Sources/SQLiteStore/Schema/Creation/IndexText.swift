import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The parts of an index that a model declares, as SQL.
///
/// An index must be of use to whoever opens the file: it holds nothing that calls functions of
/// ours, without which no other program could write the table. So a computed value with such a
/// function leaves the whole index out, and a condition with one leaves the condition out: the
/// index then has every row, which costs room and changes no result.
struct IndexText {
  private let source: SchemaCondition

  init(_ source: SchemaCondition) { self.source = source }

  /// An element: a column, or a computed value.
  func element(_ element: NSFetchIndexElementDescription) -> IndexSchema.Element? {
    guard let computed = element.property as? NSExpressionDescription else {
      return element.propertyName.flatMap(source.entity.columnName)
        .map { .ordered($0, ascending: element.isAscending) }
    }
    guard let expression = computed.expression, let text = try? source.text(expression),
      Self.isPlain(text)
    else {
      return nil
    }
    return .ordered(text.hasPrefix("(") ? text : "(\(text))", ascending: element.isAscending)
  }

  /// The condition of a partial index.
  func condition(_ predicate: NSPredicate) -> String? {
    guard let text = try? source.text(predicate), Self.isPlain(text) else { return nil }
    // What always holds is no condition.
    return text == "1" ? nil : text
  }

  /// Whether SQL calls none of our functions.
  private static func isPlain(_ text: String) -> Bool {
    !["NSCoreData", "NSCollate", "Parhelion"].contains { text.contains($0) }
  }
}
