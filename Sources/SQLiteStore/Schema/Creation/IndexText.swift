import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The SQL of an index's elements and condition.
///
/// Every program that opens the file must be able to use an index, so it calls no function of this
/// framework. If an element needs such a function, the whole index is omitted. If the condition
/// needs one, the condition is dropped: the index then contains every row, which costs space but
/// changes no result.
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
    // A condition that always holds is dropped.
    return text == "1" ? nil : text
  }

  /// Whether the SQL calls no function of this framework.
  private static func isPlain(_ text: String) -> Bool {
    !["NSCoreData", "NSCollate", "Parhelion"].contains { text.contains($0) }
  }
}
