public import Foundation

extension NSExpression {
  /// Creates an expression that is equivalent to a `#Expression`, or returns `nil` if it has no
  /// Core Data form.
  ///
  /// `init(translating:)` reports the reason.
  public convenience init?<Input: NSObject, Output>(_ expression: Expression<Input, Output>) {
    guard let translated = try? Self.translated(expression) else { return nil }
    self.init(translated.node)
  }

  /// Creates an expression that is equivalent to a `#Expression` over objects of any type.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateTranslationError``, which names the operation that has no Core Data form.
  public convenience init<Input, Output>(translating expression: Expression<Input, Output>) throws {
    self.init(try Self.translated(expression).node)
  }

  private static func translated<Input, Output>(_ expression: Expression<Input, Output>) throws
    -> NSExpression
  {
    var translator = PredicateTranslator()
    translator.bind(expression.variable, to: .expression(.expressionForEvaluatedObject()))
    return try translator.expression(expression.expression)
  }
}
