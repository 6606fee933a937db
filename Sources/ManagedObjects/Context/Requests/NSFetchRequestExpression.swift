public import Foundation
public import ManagedObjectModel
public import PredicateLanguage

/// The number of expressions that fetch: `NSFetchRequestExpression`.
public let NSFetchRequestExpressionType = PredicateLanguage.NSExpression.ExpressionType.fetchRequest

/// An expression with the result of a fetch request as its value.
///
/// ```swift
/// let newest = NSFetchRequestExpression.expression(
///   forFetch: NSExpression(forConstantValue: request),
///   context: NSExpression(forConstantValue: context), countOnly: false)
/// ```
///
/// It is evaluated in memory. A store cannot translate it.
open class NSFetchRequestExpression: PredicateLanguage.NSExpression, @unchecked Sendable {
  /// The expression for the fetch request.
  open var requestExpression: PredicateLanguage.NSExpression { request }

  /// The expression for the context that executes the request.
  open var contextExpression: PredicateLanguage.NSExpression { context }

  /// Whether the value is the number of the results instead of the results.
  open var isCountOnlyRequest: Bool { isCountOnly }

  private let request: PredicateLanguage.NSExpression
  private let context: PredicateLanguage.NSExpression
  private let isCountOnly: Bool

  private init(
    _ request: PredicateLanguage.NSExpression, _ context: PredicateLanguage.NSExpression,
    isCountOnly: Bool
  ) {
    self.request = request
    self.context = context
    self.isCountOnly = isCountOnly
    super.init(expressionType: .fetchRequest)
  }

  /// Creates an expression that executes a fetch request.
  ///
  /// - Parameters:
  ///   - fetch: An expression for an `NSFetchRequest`.
  ///   - context: An expression for an `NSManagedObjectContext`.
  ///   - countFlag: Whether the value is the number of the results.
  open class func expression(
    forFetch fetch: PredicateLanguage.NSExpression, context: PredicateLanguage.NSExpression,
    countOnly countFlag: Bool
  ) -> PredicateLanguage.NSExpression {
    NSFetchRequestExpression(fetch, context, isCountOnly: countFlag)
  }

  /// Returns nil: a fetch request and a context have no archived form.
  public required init?(coder: NSCoder) { return nil }

  /// Executes the request, and returns its results or their number.
  ///
  /// A value of another kind, or a fetch that fails, stops the program; Apple's platforms raise an
  /// exception. Call this method on the context's queue.
  open override func expressionValue(with object: Any?, context variables: NSMutableDictionary?)
    -> Any?
  {
    guard
      let context = context.expressionValue(with: object, context: variables)
        as? NSManagedObjectContext
    else { preconditionFailure("The value of contextExpression is no NSManagedObjectContext.") }
    guard
      let request = request.expressionValue(with: object, context: variables)
        as? any AnyFetchRequest
    else { preconditionFailure("The value of requestExpression is no NSFetchRequest.") }
    do {
      return isCountOnly ? try request.count(in: context) : try request.results(in: context)
    } catch {
      preconditionFailure("The fetch request of an expression failed: \(error)")
    }
  }

  /// Whether the other expression fetches the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchRequestExpression else { return false }
    return other === self
      || (isCountOnly == other.isCountOnly && request == other.request && context == other.context)
  }

  /// A hash value that equal expressions share.
  open override var hash: Int { request.hash ^ context.hash }

  /// The parts of the expression.
  open override var description: String { "FETCH(\(request), \(context), \(isCountOnly))" }
}

/// A fetch request of any type of results.
private protocol AnyFetchRequest {
  func count(in context: NSManagedObjectContext) throws -> Int
  func results(in context: NSManagedObjectContext) throws -> [Any]
}

extension NSFetchRequest: AnyFetchRequest {
  fileprivate func count(in context: NSManagedObjectContext) throws -> Int {
    try context.count(for: self)
  }

  fileprivate func results(in context: NSManagedObjectContext) throws -> [Any] {
    try context.fetch(self)
  }
}
