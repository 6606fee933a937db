package import Foundation

/// A parsed format string, whose predicates differ only in their arguments.
///
/// A predicate refers to its template (`NSPredicate.template`), so that results for one predicate
/// of the template can be reused for the others.
// Sendable: predicates are immutable.
package final class PredicateTemplate: @unchecked Sendable {
  private let placeholders: [Placeholder]
  /// The variables that mark the arguments.
  private let markers: [NSExpression]
  private let pattern: PredicatePattern
  /// Whether every argument is a whole side of a comparison, so that `forEachArgument(of:_:)` finds
  /// it.
  private let hasOnlySideArguments: Bool

  /// Creates a template; nil if the meaning of the format depends on its arguments.
  ///
  /// The template is also nil if it does not create `read`, the predicate that the parser read with
  /// `arguments`.
  init?(_ text: String, giving read: NSPredicate, for arguments: FormatArguments) {
    guard let tokens = try? Lexer.tokens(of: text) else { return nil }
    placeholders = tokens.compactMap {
      if case .placeholder(let placeholder) = $0.kind { placeholder } else { nil }
    }
    markers = placeholders.map { _ in NSExpression(forVariable: "argument") }
    guard placeholders.allSatisfy({ $0.conversion != .keyPath }),
      let predicate = try? Parser.predicate(text, PlaceholderArguments(markers: markers))
    else { return nil }
    pattern = PredicatePattern(predicate, markers)
    hasOnlySideArguments = pattern.sideArgumentCount == placeholders.count
    guard let filled = filled(with: arguments), filled.isEqual(read),
      filled.formatText == read.formatText
    else {
      return nil
    }
  }

  /// The predicate with the arguments filled in; nil if the format must be parsed with them.
  func filled(with arguments: FormatArguments) -> NSPredicate? {
    pattern.filled(
      with: PatternArguments(arguments, placeholders, markers: markers),
      by: hasOnlySideArguments ? self : nil)
  }

  /// Calls a closure with the expressions of the arguments, in the same order for all predicates of
  /// the template.
  ///
  /// - Parameter predicate: A predicate of this template.
  package func forEachArgument(of predicate: NSPredicate, _ body: (NSExpression) -> Void) {
    pattern.forEachArgument(of: predicate, body)
  }
}

extension NSPredicate {
  /// The template of the predicate, if a format string created it and its arguments can be found.
  package var template: PredicateTemplate? {
    if let comparison = self as? NSComparisonPredicate { return comparison.ownTemplate }
    return (self as? CompoundPredicate)?.ownTemplate
  }
}
