import Foundation
import PredicateLanguage

/// The predicates and expressions that stand as text in model source.
enum SourcePredicate {
  /// The predicate that an attribute of an element holds, or nil where it holds none.
  static func predicate(_ name: String, with reader: inout ElementReader) -> NSPredicate? {
    guard let text = reader.nonEmptyText(name) else { return nil }
    return parse(name, "predicate", reader) { try NSPredicate(parsing: text) }
  }

  /// The expression that an attribute of an element holds, or nil where it holds none.
  static func expression(_ name: String, with reader: inout ElementReader) -> PredicateLanguage
    .NSExpression?
  {
    guard let text = reader.nonEmptyText(name) else { return nil }
    return parse(name, "expression", reader) { try PredicateLanguage.NSExpression(parsing: text) }
  }

  /// Reports a text that cannot be parsed, with the parser's own picture of the place.
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
