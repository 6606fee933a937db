public import Foundation

extension NSPredicate {
  /// A predicate that means what a `#Predicate` means; `nil` where that has no Core Data form.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Post> { $0.author?.name == name && !$0.isDone })
  /// ```
  ///
  /// `init(translating:)` says why there is none.
  public convenience init?<Input: NSObject>(_ predicate: Predicate<Input>) {
    guard let translated = try? Self.translated(predicate) else { return nil }
    self.init(made: translated)
  }

  /// A predicate that means what a `#Predicate` over objects of any type means.
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
    guard let fitting = translated as? Self else {
      preconditionFailure(
        "A translation makes a \(type(of: translated)), not a \(Self.self). Use NSPredicate(…).")
    }
    return fitting
  }
}
