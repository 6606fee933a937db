import Foundation
import PredicateLanguage

/// Parses the predicates and expressions in model source.
enum SourcePredicate {
  /// The predicate in an attribute of an element, or nil if there is none.
  static func predicate(_ name: String, with reader: inout ElementReader) -> NSPredicate? {
    guard let text = reader.nonEmptyText(name) else { return nil }
    return parse(name, "predicate", reader) { try NSPredicate(parsing: text) }
  }

  /// The expression in an attribute of an element, or nil if there is none.
  static func expression(_ name: String, with reader: inout ElementReader) -> PredicateLanguage
    .NSExpression?
  {
    guard let text = reader.nonEmptyText(name) else { return nil }
    return parse(name, "expression", reader) { try PredicateLanguage.NSExpression(parsing: text) }
  }

  /// Parses a text; reports an error with the parser's excerpt.
  private static func parse<Result>(
    _ name: String, _ kind: String, _ reader: ElementReader, _ parse: () throws -> Result
  ) -> Result? {
    do {
      return try parse()
    } catch {
      reader.error(.badPredicate, name, "The \(kind) cannot be read.", "Correct it:\n\(error)")
      return nil
    }
  }
}
