package import Foundation

/// A predicate with places for arguments.
///
/// A predicate that a template made knows it (`NSPredicate.template`): predicates of one template
/// differ in their arguments alone, so that what was found out about one of them holds for the
/// others.
// Sendable: predicates are immutable.
package final class PredicateTemplate: @unchecked Sendable {
  private let placeholders: [Placeholder]
  /// The variables in the places of the arguments.
  private let places: [NSExpression]
  private let pattern: PredicatePattern
  /// Whether every argument is one side of a comparison, so that `forEachArgument(of:_:)` finds it.
  private let showsArguments: Bool

  /// Nil for a format whose arguments decide what it means.
  init?(_ text: String, giving read: NSPredicate, for arguments: FormatArguments) {
    guard let tokens = try? Lexer.tokens(of: text) else { return nil }
    placeholders = tokens.compactMap {
      if case .placeholder(let placeholder) = $0.kind { placeholder } else { nil }
    }
    places = placeholders.map { _ in NSExpression(forVariable: "argument") }
    guard placeholders.allSatisfy({ $0.conversion != .keyPath }),
      let predicate = try? Parser.predicate(text, PlaceholderArguments(places: places))
    else { return nil }
    pattern = PredicatePattern(predicate, places)
    showsArguments = pattern.shownArguments == placeholders.count
    guard let filled = filled(with: arguments), filled.isEqual(read),
      filled.formatText == read.formatText
    else {
      return nil
    }
  }

  /// The predicate with arguments in their places, or nil where reading the format has to tell what
  /// is wrong with them.
  func filled(with arguments: FormatArguments) -> NSPredicate? {
    pattern.filled(
      with: PatternArguments(arguments, placeholders, places: places),
      by: showsArguments ? self : nil)
  }

  /// Calls a closure with the expressions in the places of the arguments, in an order that is the
  /// same for all predicates of the template.
  ///
  /// - Parameter predicate: A predicate whose template this is.
  package func forEachArgument(of predicate: NSPredicate, _ body: (NSExpression) -> Void) {
    pattern.forEachArgument(of: predicate, body)
  }
}

extension NSPredicate {
  /// The template that made the predicate of a format string, where one did and its arguments can
  /// be told.
  package var template: PredicateTemplate? {
    if let comparison = self as? NSComparisonPredicate { return comparison.ownTemplate }
    return (self as? CompoundPredicate)?.ownTemplate
  }
}
