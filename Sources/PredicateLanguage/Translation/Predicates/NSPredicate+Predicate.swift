public import Foundation

extension NSPredicate {
  /// Creates a predicate that is equivalent to a `#Predicate`, or returns `nil` if it has no Core
  /// Data form.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Post> { $0.author?.name == name && !$0.isDone })
  /// ```
  ///
  /// `init(translating:)` reports the reason.
  public convenience init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    guard let translated = try? Self.translated(predicate) else { return nil }
    self.init(made: translated)
  }

  /// Creates a predicate that is equivalent to a `#Predicate` over objects of any type.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateTranslationError``, which names the operation that has no Core Data form.
  public convenience init<Input>(translating predicate: Predicate<Input>) throws {
    self.init(made: try Self.translated(predicate))
  }

  private static func translated<Input>(_ predicate: Predicate<Input>) throws -> Self {
    var translator = PredicateTranslator()
    translator.bind(predicate.variable, to: .expression(.expressionForEvaluatedObject()))
    let translated = try translator.predicate(predicate.expression)
    guard let instance = translated as? Self else {
      preconditionFailure(
        "A translation is a \(type(of: translated)), not a \(Self.self). Use NSPredicate(…).")
    }
    return instance
  }
}
